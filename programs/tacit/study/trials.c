/* trials.c - `tacit trials`: every trial of a study. */
#include "study/venue.h"
#include "frame/verbs.h"

#include <stddef.h>
#include <strings.h>

typedef struct options {
    tc_where where;
    char *state;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {"state", TC_OPTION_STRING, offsetof(options, state), .value = "STATE",
     .help = "only trials that are WAITING, RUNNING, COMPLETE, FAIL or STALE"},
    {.name = NULL}};

static tacit_status parse_state(const char *text, int *out, tacit_error *err)
{
    *out = -1; /* any */
    if (!text)
        return TACIT_OK;
    for (int s = TC_TRIAL_WAITING; s <= TC_TRIAL_STALE; s++)
        if (strcasecmp(text, tc_trial_state_name((tc_trial_state)s)) == 0)
            *out = s;
    if (*out < 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--state must be WAITING, RUNNING, COMPLETE, FAIL or STALE, got \"%s\"",
                       text);
    return TACIT_OK;
}

static tacit_status print(tc_venue *v, int state, int format, tacit_error *err)
{
    tc_view all;
    TC_TRY(tc_venue_trials(v, state, &all, err));
    tacit_status st =
        tc_trials_print(tc_venue_document(v)->space, all.trials, all.n, format, stdout, err);
    tc_view_end(&all);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_venue v = {0};
    int state;
    TC_TRY(parse_state(o->state, &state, err));
    tacit_status st = tc_venue_look_at(&v, in->args[0], &o->where, in->quiet, err);
    if (st == TACIT_OK)
        st = print(&v, state, in->format, err);
    tc_venue_close(&v);
    return st;
}

const tc_verb tc_verb_trials = {
    .name = "trials",
    .usage = "STUDY [options]",
    .summary = "list the trials of a study",
    .details = "  tacit trials branin --state fail\n"
               "  tacit trials branin --format csv\n"
               "  tacit trials branin --server https://tacit.example:8443 --state running",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
