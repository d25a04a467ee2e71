/* served_complete.c - what came of a trial of a served study.
 *
 * A report is on disk when it is answered. The same report again gets the same answer, so that whoever
 * lost one may ask again; another one is refused. A study that is told private replies takes nothing else:
 * not a value, and not even that there is none, for both would tell about a reward (algo/ldp). */
#include "coord/request.h"
#include "coord/served.h"

#include "algo/batch.h"
#include "algo/ldp/ldp_curator.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <string.h>

typedef struct report {
    uint64_t trial;
    const char *failed; /* or NULL */
    bool pruned;        /* what came of it is its last intermediate value ... */
    const char *why;    /* ... by which rule; or NULL */
    double value;
    double noise_sd;                   /* of what was added to it on purpose; 0: nothing */
    tc_batch sums;                     /* n = 0: it is one value */
    double outcomes[TC_OUTCOMES_MOST]; /* n_outcomes: all of them, the value first */
    size_t n_outcomes;                 /* 0: there is the value alone */
    double *params;                    /* the point really run; NULL: as issued. Owned */
} report;

/* ---- reading ---- */

static tacit_status check_private(const tc_study_doc *doc, const json_t *body, tacit_error *err)
{
    const json_t *reply = json_object_get(body, "reply");
    bool replies = tc_algorithm_takes_replies(doc->algorithm);
    if (reply && !replies)
        return tc_fail(err, TACIT_E_ARG,
                       "\"reply\" is for algorithms that are told private replies, and %s is told "
                       "values as they are",
                       doc->algorithm->name);
    if (!reply && replies)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is told one private \"reply\" a trial and nothing else: perturb the "
                       "value, or nan where there is none, before you send it",
                       doc->algorithm->name);
    return reply ? tc_ldp_check_reply(doc->algorithm, doc->options, doc->name,
                                      json_number_value(reply), err)
                 : TACIT_OK;
}

/* The worker adds the noise and says how much. Its presence cannot be checked; a report without it can be refused. */
static tacit_status read_noise(report *r, const tc_study_doc *doc, const json_t *body,
                               tacit_error *err)
{
    const json_t *noise = json_object_get(body, "noise_sd");
    r->noise_sd = json_number_value(noise);
    if (!(r->noise_sd >= 0))
        return tc_fail(err, TACIT_E_ARG, "noise_sd must be a number >= 0, got %g", r->noise_sd);
    if (noise && !json_object_get(body, "value") && !json_object_get(body, "pruned"))
        return tc_fail(err, TACIT_E_ARG, "noise_sd goes with a value, or with pruned");
    if (doc->promise == TC_PROMISE_RECORDS && r->noise_sd == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "study %s protects validation records: it is told a value with noise, and "
                       "noise_sd, and nothing else",
                       doc->name);
    return TACIT_OK;
}

/* One value alone is an ordinary report, which every algorithm takes. */
static tacit_status read_pulls(report *r, const tc_study *study, const json_t *list,
                               tacit_error *err)
{
    size_t n = json_array_size(list);
    if (n == 0)
        return tc_fail(err, TACIT_E_ARG, "values must have at least one number");
    r->value = json_number_value(json_array_get(list, 0));
    for (size_t i = 0; n > 1 && i < n; i++) {
        int64_t reward;
        tacit_error why;
        tacit_status status =
            tc_study_reward(study, json_number_value(json_array_get(list, i)), &reward, &why);
        if (status != TACIT_OK)
            return tc_fail(err, status == TACIT_E_UNSUPPORTED ? TACIT_E_ARG : status, "values: %s",
                           why.msg);
        tc_batch_add(&r->sums, reward);
    }
    return TACIT_OK;
}

static tacit_status read_outcomes(report *r, const tc_study_doc *doc, const json_t *body,
                                  tacit_error *err)
{
    const json_t *given = json_object_get(body, "outcomes");
    if (given && !doc->outcomes)
        return tc_fail(
            err, TACIT_E_ARG,
            "\"outcomes\" is for studies with several objectives or with constraints, and "
            "study %s is told a \"value\"",
            doc->name);
    if (!doc->outcomes || r->failed)
        return TACIT_OK;
    if (!given)
        return tc_fail(err, TACIT_E_ARG,
                       "study %s is told \"outcomes\", all %zu of them by name, or \"failed\"",
                       doc->name, doc->outcomes->n);
    TC_TRY(tc_outcomes_from_json(doc->outcomes, given, "outcomes", r->outcomes, err));
    r->n_outcomes = doc->outcomes->n;
    r->value = r->outcomes[0];
    return TACIT_OK;
}

static tacit_status read_params(report *r, const tc_space *space, const json_t *j, tacit_error *err)
{
    if (!j)
        return TACIT_OK;
    if (r->failed || r->pruned)
        return tc_fail(err, TACIT_E_ARG, "params goes with a value, not with %s",
                       r->failed ? "failed" : "pruned");
    r->params = tc_alloc(space->n_params, sizeof *r->params);
    return r->params ? tc_space_values_from_json(space, j, r->params, err) : tc_fail_memory(err);
}

static tacit_status read_pruned(const tc_request_context *a, report *r, tacit_error *err)
{
    const json_t *pruned = json_object_get(a->body, "pruned");
    r->pruned = json_is_true(pruned);
    r->why = tc_request_text(a, "reason");
    if (r->why && !pruned)
        return tc_fail(err, TACIT_E_ARG, "reason goes with pruned; a failure is told as failed");
    return !pruned || r->pruned ? TACIT_OK : tc_fail(err, TACIT_E_ARG, "pruned can only be true");
}

static tacit_status read_report(const tc_request_context *a, const tc_study *study, report *r,
                                tacit_error *err)
{
    const tc_study_doc *doc = tc_study_document(study);
    const json_t *value = json_object_get(a->body, "value");
    const json_t *values = json_object_get(a->body, "values");
    TC_TRY(tc_request_number(a, 1, "trial", &r->trial, err));
    TC_TRY(check_private(doc, a->body, err));
    TC_TRY(read_noise(r, doc, a->body, err));
    r->failed = tc_request_text(a, "failed");
    TC_TRY(read_pruned(a, r, err));
    r->value = json_number_value(value ? value : json_object_get(a->body, "reply"));
    TC_TRY(read_outcomes(r, doc, a->body, err));
    if (values)
        TC_TRY(read_pulls(r, study, values, err));
    return read_params(r, doc->space, json_object_get(a->body, "params"), err);
}

/* ---- telling ---- */

static tacit_status tell(tc_study *study, const report *r, tacit_error *err)
{
    if (r->failed)
        return tc_study_fail(study, r->trial, r->failed, err);
    if (r->pruned)
        return tc_study_prune(study, r->trial, r->why, r->noise_sd, err);
    if (r->sums.n > 0)
        return tc_study_tell_batch(study, r->trial, r->params, &r->sums, err);
    const tc_told told = {.values = r->params,
                          .value = r->value,
                          .noise_sd = r->noise_sd,
                          .more = r->outcomes + 1,
                          .n_more = r->n_outcomes > 0 ? r->n_outcomes - 1 : 0};
    return tc_study_tell_all(study, r->trial, &told, err);
}

static bool same_point(const tc_space *space, const double *a, const double *b)
{
    return a && b ? memcmp(a, b, space->n_params * sizeof *a) == 0 : a == b;
}

static bool same_report(const tc_space *space, const report *r, const tc_event *told)
{
    if (r->failed)
        return told->state == TC_TRIAL_FAIL && told->reason && strcmp(told->reason, r->failed) == 0;
    if (r->pruned)
        return told->state == TC_TRIAL_PRUNED && tc_same_bits(r->noise_sd, told->noise_sd);
    if (told->state != TC_TRIAL_COMPLETE || !same_point(space, r->params, told->values))
        return false;
    if (r->sums.n > 0 || told->batch.n > 0)
        return r->sums.n == told->batch.n && r->sums.sum == told->batch.sum &&
               r->sums.squares == told->batch.squares;
    for (size_t i = 0; i < told->n_more; i++)
        if (!tc_same_bits(r->outcomes[i + 1], told->more[i]))
            return false;
    return tc_same_bits(r->value, told->value) && tc_same_bits(r->noise_sd, told->noise_sd);
}

/* Was the trial told with this very report? E_STATE: with another one. *out false: it was not told. */
static tacit_status was_told(tc_study *study, const report *r, bool *out, tacit_error *err)
{
    tc_arena memory = {0};
    tc_event told;
    tacit_error why;
    tacit_status status = tc_study_find_tell(study, r->trial, &memory, &told, &why);
    bool found = status == TACIT_OK;
    bool same = found && same_report(tc_study_document(study)->space, r, &told);
    tc_arena_fini(&memory);
    *out = same;
    if (found && !same)
        return tc_fail(err, TACIT_E_STATE,
                       "trial %" PRIu64 " was told already, and with another report", r->trial);
    return found || status == TACIT_E_NOT_FOUND ? TACIT_OK : tc_pass_on(err, status, &why);
}

/* *first: it was not told before. */
static tacit_status complete(tc_request_context *a, tc_open_study *d, tc_study *study,
                             const report *r, bool *first, tacit_error *err)
{
    bool told = false;
    tacit_error why;
    tacit_status status = tc_state_open(a->coord, d->id, &why);
    if (status == TACIT_OK)
        status = tell(study, r, &why);
    *first = status == TACIT_OK;
    if (status == TACIT_E_STATE)
        TC_TRY(was_told(study, r, &told, err));
    a->already = told;
    return *first || told ? TACIT_OK : tc_pass_on(err, status, &why);
}

/* What the pulls of a batch came to: its mean, which the study knows. */
static tacit_status find_mean(tc_study *study, uint64_t trial, double *out, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(study, &o, err));
    const tc_trial *t = tc_optimizer_trial(o, trial);
    if (t)
        *out = t->value;
    tc_study_unlook(study);
    return t ? TACIT_OK
             : tc_fail(err, TACIT_E_BUSY, "trial %" PRIu64 " was lost by the storage; try again",
                       trial);
}

static tacit_status answer(tc_request_context *a, tc_open_study *d, tc_study *study,
                           const report *r, bool first, tacit_error *err)
{
    tc_trial_state state = r->failed   ? TC_TRIAL_FAIL
                           : r->pruned ? TC_TRIAL_PRUNED
                                       : TC_TRIAL_COMPLETE;
    double value = r->value;
    if (r->sums.n > 0)
        TC_TRY(find_mean(study, r->trial, &value, err));
    const double *shown = state == TC_TRIAL_COMPLETE ? &value : NULL;
    if (first)
        tc_emit_trial(a->coord, d, tc_study_document(study), r->trial, state, shown);
    return tc_answer_json(a, 200,
                          json_pack("{s:I, s:s, s:o}", "trial", (json_int_t)r->trial, "state",
                                    tc_trial_state_name(state), "value",
                                    shown ? json_real(value) : json_null()),
                          err);
}

tacit_status tc_served_complete(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    TC_TRY(tc_request_served(a, &d, err));
    tc_study *study;
    report r = {0};
    bool first;
    TC_TRY(tc_open_study_served(a->coord, d, &study, err));
    tacit_status status = read_report(a, study, &r, err);
    if (status == TACIT_OK)
        status = complete(a, d, study, &r, &first, err);
    tc_free(r.params);
    return status == TACIT_OK ? answer(a, d, study, &r, first, err) : status;
}
