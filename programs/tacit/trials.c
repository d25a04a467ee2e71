/* trials.c - `tacit trials`: every trial of a study. */
#include "base/memory.h"
#include "storage.h"
#include "trial_rows.h"
#include "verbs.h"

#include <stddef.h>
#include <strings.h>

typedef struct options {
    char *storage;
    char *state;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
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

static tacit_status print(const tc_optimizer *o, int state, int format, tacit_error *err)
{
    size_t all = tc_optimizer_trials(o), n = 0;
    const tc_trial **trials = tc_alloc(all + 1, sizeof *trials);
    if (!trials)
        return tc_fail_memory(err);
    for (size_t i = 0; i < all; i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        if (state < 0 || (int)t->state == state)
            trials[n++] = t;
    }
    tacit_status st = tc_trials_print(tc_optimizer_space(o), trials, n, format, stdout, err);
    tc_free(trials);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *opts = in->opts;
    const tc_optimizer *o;
    tc_session s = {0};
    int state;
    TC_TRY(parse_state(opts->state, &state, err));
    tacit_status st = tc_session_look(&s, in->args[0], opts->storage, err);
    if (st == TACIT_OK)
        st = tc_study_look(s.study, &o, err);
    if (st == TACIT_OK) {
        st = print(o, state, in->format, err);
        tc_study_unlook(s.study);
    }
    tc_session_close(&s);
    return st;
}

const tc_verb tc_verb_trials = {
    .name = "trials",
    .usage = "STUDY [options]",
    .summary = "list the trials of a study",
    .details = "  tacit trials branin --state fail\n  tacit trials branin --format csv",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
