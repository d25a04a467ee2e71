/* best.c - `tacit best`: the best trial of a study. */
#include "storage.h"
#include "trial_rows.h"
#include "verbs.h"

#include <stddef.h>

typedef struct options {
    char *storage;
} options;

static const tc_option table[] = {TC_STORAGE_OPTION(options), {.name = NULL}};

static tacit_status print(tc_study *study, int format, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(study, &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    tacit_status st =
        best ? tc_trial_print(tc_optimizer_space(o), best, format, stdout, err)
             : tc_fail(err, TACIT_E_STATE, "no trial of %s is complete yet", tc_study_name(study));
    tc_study_unlook(study);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_session s = {0};
    tacit_status st = tc_session_look(&s, in->args[0], o->storage, err);
    if (st == TACIT_OK)
        st = print(s.study, in->format, err);
    tc_session_close(&s);
    return st;
}

const tc_verb tc_verb_best = {.name = "best",
                              .usage = "STUDY [options]",
                              .summary = "show the best trial of a study",
                              .details =
                                  "Of equals, the first. With --format json it is one object.\n"
                                  "\n"
                                  "  tacit best branin --format json",
                              .options = table,
                              .options_size = sizeof(options),
                              .min_args = 1,
                              .max_args = 1,
                              .run = run};
