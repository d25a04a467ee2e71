/* best.c - `tacit best`: the best trial of a study. */
#include "study/study_ref.h"
#include "study/trial_rows.h"
#include "frame/verbs.h"

#include <stddef.h>

typedef struct options {
    tc_where where;
} options;

static const tc_option table[] = {TC_WHERE_OPTIONS(options), {.name = NULL}};

static tacit_status print(tacit_study *s, int format, tacit_error *err)
{
    tacit_trial *best;
    TC_TRY(tacit_study_best(s, &best, err));
    tacit_status status = tc_trial_print(tacit_study_space(s), best, format, stdout, err);
    tacit_trial_free(best);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    tacit_status status = tc_study_ref_look(&r, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = print(r.study, in->format, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_best = {.name = "best",
                              .usage = "STUDY [options]",
                              .summary = "show the best trial of a study",
                              .details =
                                  "Of equals, the first. With --format json it is one object.\n"
                                  "\n"
                                  "  tacit best branin --format json\n"
                                  "  tacit best branin --server https://tacit.example:8443",
                              .options = table,
                              .options_size = sizeof(options),
                              .min_args = 1,
                              .max_args = 1,
                              .run = run};
