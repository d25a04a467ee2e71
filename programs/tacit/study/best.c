/* best.c - `tacit best`: the best trial of a study. */
#include "study/venue.h"
#include "frame/verbs.h"

#include <stddef.h>

typedef struct options {
    tc_where where;
} options;

static const tc_option table[] = {TC_WHERE_OPTIONS(options), {.name = NULL}};

static tacit_status print(tc_venue *v, int format, tacit_error *err)
{
    const tc_study_doc *doc = tc_venue_document(v);
    tc_view best;
    TC_TRY(tc_venue_best(v, &best, err));
    tacit_status st =
        best.n > 0 ? tc_trial_print(doc->space, best.trials[0], format, stdout, err)
                   : tc_fail(err, TACIT_E_STATE, "no trial of %s is complete yet", doc->name);
    tc_view_end(&best);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_venue v = {0};
    tacit_status st = tc_venue_look_at(&v, in->args[0], &o->where, in->quiet, err);
    if (st == TACIT_OK)
        st = print(&v, in->format, err);
    tc_venue_close(&v);
    return st;
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
