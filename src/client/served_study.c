/* served_study.c - a study of a coordinator behind the handle of <tacit/study.h>: agent/served_client.h for many
 * threads, which wait for each other at the one connection. Called through study/handle.h. */
#include "client/served_int.h"

#include "base/error.h"
#include "base/random_name.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct served_study {
    tacit_study base;
    served_storage *at; /* as base.storage, which is set when the handle is given out */
    tc_remote *remote;
    char *name; /* which the remote's configuration borrows */
} served_study;

static const tc_study_ops study_ops;

static void study_close(tacit_study *base)
{
    served_study *s = (served_study *)base;
    tc_remote_close(s->remote);
    tc_free(s->name);
    tc_free(s);
}

tacit_status tc_served_open(served_storage *st, const char *name, tacit_study **out,
                            tacit_error *err)
{
    served_study *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    tc_remote_config cfg = st->cfg;
    s->at = st;
    cfg.study = s->name = tc_strdup(name);
    tacit_status status = s->name ? tc_remote_open(&s->remote, &cfg, err) : tc_fail_memory(err);
    if (status != TACIT_OK) {
        study_close(&s->base);
        return status;
    }
    s->base.ops = &study_ops;
    s->base.doc = tc_remote_document(s->remote);
    *out = &s->base;
    return TACIT_OK;
}

/* ---- one request at a time ---- */

static tc_remote *begin(tacit_study *base)
{
    served_study *s = (served_study *)base;
    pthread_mutex_lock(&s->at->lock);
    return s->remote;
}

static tacit_status end(tacit_study *base, tacit_status status)
{
    pthread_mutex_unlock(&((served_study *)base)->at->lock);
    return status;
}

/* Moves what came into what is given out; `got` is over then. */
static tacit_status add_all(const tacit_study *s, tc_trial_list *got, tacit_status status,
                            tacit_trials *out, tacit_error *err)
{
    for (size_t i = 0; i < got->n && status == TACIT_OK; i++)
        status = tc_trials_add(out, &got->list[i], s->doc, err);
    tc_trial_list_fini(got);
    return status;
}

/* ---- work ---- */

static tacit_status study_ask(tacit_study *s, const tacit_ask_opts *q, tc_reading *reading,
                              tacit_trials *out, tacit_error *err)
{
    (void)reading;
    char nobody
        [TC_RANDOM_NAME]; /* a worker has a name there: this one says nothing, and is used once */
    tc_trial_list got = {0};
    if (q->count > TC_REMOTE_COUNT_MOST)
        return tc_fail(err, TACIT_E_ARG,
                       "a coordinator gives out %d trials at once at most, got a count of %" PRIu64,
                       TC_REMOTE_COUNT_MOST, q->count);
    if (!q->worker)
        tc_random_name(nobody);
    const tc_remote_request req = {.worker = q->worker ? q->worker : nobody,
                                   .lease_s = (double)q->lease_ms / 1000,
                                   .count = q->count,
                                   .pulls = q->pulls};
    tacit_status status = end(s, tc_remote_suggest(begin(s), &req, &got, err));
    return add_all(s, &got, status, out, err);
}

/* Checks a report as a storage of this process would; a wrong one is not sent. */
static tacit_status check_report(const tacit_study *s, uint64_t trial, const tacit_report *r,
                                 tacit_error *err)
{
    bool single = r->kind == TACIT_REPORT_VALUE || r->kind == TACIT_REPORT_REPLY;
    const double *values = single ? &r->value : r->pulls;
    size_t n = single ? 1 : r->kind == TACIT_REPORT_PULLS ? r->n_pulls : 0;
    if (r->kind == TACIT_REPORT_BATCH)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "the sums of a batch are for a storage of this process: a coordinator is "
                       "told the values of its pulls");
    for (size_t i = 0; i < r->n_outcomes; i++)
        if (!isfinite(r->outcomes[i]))
            return tc_fail(err, TACIT_E_ARG,
                           "the outcomes of trial %" PRIu64 " must be finite numbers, got %g",
                           trial, r->outcomes[i]);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return tc_fail(err, TACIT_E_ARG,
                           "the value of trial %" PRIu64 " must be a finite number, got %g", trial,
                           values[i]);
    return r->point ? tc_space_check(s->doc->space, r->point, err) : TACIT_OK;
}

static tacit_status study_report(tacit_study *s, uint64_t trial, const tacit_report *r,
                                 tacit_error *err)
{
    tacit_report told = *r;
    TC_TRY(check_report(s, trial, r, err));
    if (r->kind == TACIT_REPORT_PULLS && r->n_pulls == 1) { /* an ordinary report */
        told.kind = TACIT_REPORT_VALUE;
        told.value = r->pulls[0];
    }
    return end(s, tc_remote_complete(begin(s), trial, &told, err));
}

static tacit_status study_report_steps(tacit_study *s, uint64_t trial, const tc_steps *steps,
                                       const tc_prune *p, tc_verdict *out, tacit_error *err)
{
    return end(s, tc_remote_report_steps(begin(s), trial, steps, p, out, err));
}

static tacit_status study_add_pull(tacit_study *s, tacit_batch *batch, double value,
                                   tacit_error *err)
{
    (void)batch;
    (void)value;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "rewards of study %s are counted by its coordinator: report the values of the "
                   "pulls",
                   s->doc->name);
}

static tacit_status study_enqueue(tacit_study *s, const double *values, uint64_t *trial,
                                  tacit_error *err)
{
    return end(s, tc_remote_enqueue(begin(s), values, trial, err));
}

static tacit_status study_delete_trial(tacit_study *s, uint64_t trial, tacit_error *err)
{
    return end(s, tc_remote_delete_trial(begin(s), trial, err));
}

static tacit_status study_import(tacit_study *s, size_t n, const double *values, const double *y,
                                 tacit_error *err)
{
    (void)n;
    (void)values;
    (void)y;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "study %s is at a coordinator, which takes no earlier results: import them into "
                   "its storage",
                   s->doc->name);
}

/* ---- leases ---- */

static tacit_status study_renew(tacit_study *s, uint64_t trial, const char *worker,
                                int64_t lease_ms, int64_t *until_ms, tacit_error *err)
{
    return end(
        s, tc_remote_heartbeat(begin(s), trial, worker, (double)lease_ms / 1000, until_ms, err));
}

static tacit_status study_take_over(tacit_study *s, uint64_t trial, const tc_claim *claim,
                                    tacit_trials *out, tacit_error *err)
{
    tc_trial_list got = {0};
    const tc_remote_request q = {.worker = claim->to,
                                 .lease_s = (double)claim->lease_ms / 1000,
                                 .count = 1,
                                 .from = claim->from,
                                 .trial = trial};
    tacit_status status = end(s, tc_remote_suggest(begin(s), &q, &got, err));
    return add_all(s, &got, status, out, err);
}

static tacit_status study_requeue(tacit_study *s, uint64_t trial, tacit_error *err)
{
    return end(s, tc_remote_requeue(begin(s), trial, err));
}

static tacit_status study_now(tacit_study *s, int64_t *out_ms, tacit_error *err)
{
    (void)out_ms;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "the leases of study %s are counted by its coordinator, which does not tell its "
                   "time",
                   s->doc->name);
}

static void study_keep_time(tacit_study *s)
{
    (void)s;
}

/* ---- looking ---- */

static tacit_status study_best(tacit_study *s, tacit_trials *out, tacit_error *err)
{
    tc_trial_list got = {0};
    return add_all(s, &got, end(s, tc_remote_best(begin(s), &got, err)), out, err);
}

static tacit_status study_recommend(tacit_study *s, tacit_recommend_by by, tc_found *out,
                                    tacit_error *err)
{
    tc_trial_list got = {0};
    tc_remote_found found = {.by_model = false};
    tacit_status status =
        end(s, tc_remote_recommend(begin(s), tacit_recommend_by_name(by), &got, &found, err));
    out->by = found.by_model ? TACIT_BY_MODEL : TACIT_BY_SEEN;
    out->mean = found.mean;
    out->sd = found.sd;
    snprintf(out->because, sizeof out->because, "%s", found.because);
    return add_all(s, &got, status, &out->trials, err);
}

static tacit_status study_trial(tacit_study *s, uint64_t number, tacit_trials *out,
                                tacit_error *err)
{
    tc_trial_list got = {0};
    return add_all(s, &got, end(s, tc_remote_trial(begin(s), number, &got, err)), out, err);
}

static tacit_status study_trials(tacit_study *s, const tacit_trial_query *query,
                                 tc_reading *reading, tacit_trials *out, tacit_error *err)
{
    (void)reading;
    tc_trial_list got = {0};
    return add_all(s, &got, end(s, tc_remote_trials(begin(s), query, &got, err)), out, err);
}

static tacit_status summarize(tc_remote *r, tacit_study_summary *out, tacit_error *err)
{
    tc_trial_list best = {0};
    TC_TRY(tc_remote_show(r, out, err));
    bool has_best = out->feasible > 0 && out->objectives == 1;
    tacit_status status = has_best ? tc_remote_best(r, &best, err) : TACIT_OK;
    out->best_trial = best.n > 0 ? best.list[0].number : TACIT_UNKNOWN;
    out->best = best.n > 0 ? best.list[0].value : (double)NAN;
    tc_trial_list_fini(&best);
    return status;
}

static tacit_status study_summarize(tacit_study *s, tc_reading *reading, tacit_study_summary *out,
                                    tacit_error *err)
{
    (void)reading;
    return end(s, summarize(begin(s), out, err));
}

static tacit_status study_events(tacit_study *s, uint64_t after, tacit_event_visit visit,
                                 void *user, tacit_error *err)
{
    (void)after;
    (void)visit;
    (void)user;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "study %s is at a coordinator, which keeps its journal to itself", s->doc->name);
}

/* ---- the coordinator ---- */

static tacit_status study_set_state(tacit_study *s, tacit_study_state state, tacit_error *err)
{
    return end(s, tc_remote_set_state(begin(s), state, err));
}

static void study_set_patience(tacit_study *s, double patience_s, int32_t timeout_s)
{
    tc_remote_set_pace(begin(s), tc_served_patience_ms(patience_s), timeout_s);
    (void)end(s, TACIT_OK);
}

static bool study_is_away(tacit_study *s)
{
    bool away = tc_remote_away(begin(s));
    (void)end(s, TACIT_OK);
    return away;
}

static void study_identify(const tacit_study *s, tacit_hash *hash, tc_store **store)
{
    *hash = *tc_remote_hash(((const served_study *)s)->remote);
    *store = NULL;
}

static const tc_study_ops study_ops = {.close = study_close,
                                       .ask = study_ask,
                                       .report = study_report,
                                       .report_steps = study_report_steps,
                                       .add_pull = study_add_pull,
                                       .enqueue = study_enqueue,
                                       .delete_trial = study_delete_trial,
                                       .import = study_import,
                                       .renew = study_renew,
                                       .take_over = study_take_over,
                                       .requeue = study_requeue,
                                       .now = study_now,
                                       .keep_time = study_keep_time,
                                       .best = study_best,
                                       .recommend = study_recommend,
                                       .trial = study_trial,
                                       .trials = study_trials,
                                       .summarize = study_summarize,
                                       .events = study_events,
                                       .set_state = study_set_state,
                                       .set_patience = study_set_patience,
                                       .is_away = study_is_away,
                                       .identify = study_identify};
