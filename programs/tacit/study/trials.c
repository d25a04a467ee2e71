/* trials.c - `tacit trials`: every trial of a study. */
#include "study/study_ref.h"
#include "study/trial_rows.h"
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
     .help = "only trials that are WAITING, RUNNING, COMPLETE, FAIL, STALE, PRUNED or DELETED"},
    {.name = NULL}};

static tacit_status parse_state(const char *text, tacit_trial_state *out, tacit_error *err)
{
    *out = TACIT_TRIAL_ANY;
    if (!text)
        return TACIT_OK;
    for (int s = TACIT_TRIAL_WAITING; s <= TACIT_TRIAL_DELETED; s++)
        if (strcasecmp(text, tacit_trial_state_name((tacit_trial_state)s)) == 0)
            *out = (tacit_trial_state)s;
    if (*out == TACIT_TRIAL_ANY)
        return tc_fail(err, TACIT_E_ARG,
                       "--state must be WAITING, RUNNING, COMPLETE, FAIL, STALE, PRUNED or "
                       "DELETED, got \"%s\"",
                       text);
    return TACIT_OK;
}

static tacit_status print(tacit_study *s, tacit_trial_state state, int format, tacit_error *err)
{
    tacit_trials *all;
    tacit_trial_query query = TACIT_TRIAL_QUERY;
    query.state = state;
    TC_TRY(tacit_study_trials(s, &query, &all, err));
    tacit_status status = tc_trials_print(tacit_study_document(s), all, format, stdout, err);
    tacit_trials_free(all);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_study_ref r = {0};
    tacit_trial_state state;
    TC_TRY(parse_state(o->state, &state, err));
    tacit_status status = tc_study_ref_look(&r, in->args[0], &o->where, in->quiet, err);
    if (status == TACIT_OK)
        status = print(r.study, state, in->format, err);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_trials = {
    .name = "trials",
    .usage = "STUDY [options]",
    .summary = "list the trials of a study",
    .details = "A trial that was deleted is listed by --state deleted alone.\n"
               "\n"
               "  tacit trials branin --state fail\n"
               "  tacit trials branin --format csv\n"
               "  tacit trials branin --server https://tacit.example:8443 --state running",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run};
