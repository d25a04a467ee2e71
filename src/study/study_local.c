/* study_local.c - storages and studies of this process, behind the handles of <tacit/study.h> (handle.h).
 *
 * Thin: every rule is in study.c and the stores. */
#include "study/handle.h"

#include "algo/batch.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/pool.h"
#include "study/backup.h"
#include "study/erase.h"
#include "study/study_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct local_storage {
    tacit_storage base;
    tc_store *store;
    tc_pool *pool; /* NULL: the caller's thread computes */
} local_storage;

typedef struct local_study {
    tacit_study base;
    tc_study *study;
    bool lent;
} local_study;

static const tc_study_ops study_ops;

static tc_study *of(tacit_study *s)
{
    return ((local_study *)s)->study;
}

/* ---- storages ---- */

static void storage_close(tacit_storage *st)
{
    local_storage *l = (local_storage *)st;
    tc_store_close(l->store);
    tc_pool_free(l->pool);
    tc_free(l);
}

/* What cannot become a study must not leave an empty storage behind: try it in memory. */
static tacit_status rehearse(const tc_study_doc *doc, tacit_error *err)
{
    tc_store *store = NULL;
    tc_study *study = NULL;
    TC_TRY(tc_store_open(&store, "memory:", true, err));
    tacit_status status = tc_study_create(&study, store, doc, NULL, err);
    if (status == TACIT_OK)
        tc_study_close(study);
    tc_store_close(store);
    return status;
}

static tacit_status open_store(tc_store **out, const char *url, bool create,
                               const tc_study_doc *doc, tacit_error *err)
{
    tacit_status status = tc_store_open(out, url, create, err);
    /* E_CORRUPT: perhaps only empty, from somebody who creates it now or died while he did. */
    if (!doc || create || (status != TACIT_E_NOT_FOUND && status != TACIT_E_CORRUPT))
        return status;
    TC_TRY(rehearse(doc, err));
    return tc_store_open(out, url, true, err);
}

static tacit_status storage_open(tacit_storage **out, const char *url,
                                 const tacit_storage_opts *opts, const tacit_document *doc,
                                 tacit_error *err)
{
    if (opts->token || opts->fingerprint)
        return tc_fail(err, TACIT_E_ARG, "a %s is for a coordinator, https://HOST:PORT",
                       opts->token ? "token" : "fingerprint");
    local_storage *l = tc_alloc(1, sizeof *l);
    if (!l)
        return tc_fail_memory(err);
    tc_storage_begin(&l->base, &tc_storage_local);
    tacit_status status = open_store(&l->store, url, opts->create && !doc, doc, err);
    if (status == TACIT_OK && opts->threads != 0 && opts->threads != 1)
        status = tc_pool_new(&l->pool, opts->threads < 0 ? 0 : (size_t)opts->threads, err);
    if (status == TACIT_OK)
        *out = &l->base;
    else
        storage_close(&l->base);
    return status;
}

static tacit_status wrap(tacit_study **out, tc_study *study, bool lent, tacit_error *err)
{
    local_study *s = tc_alloc(1, sizeof *s);
    if (!s) {
        if (!lent)
            tc_study_close(study);
        return tc_fail_memory(err);
    }
    *s = (local_study){
        .base = {.ops = &study_ops, .doc = tc_study_document(study)}, .study = study, .lent = lent};
    *out = &s->base;
    return TACIT_OK;
}

tacit_status tc_study_lend(tacit_study **out, tc_study *study, tacit_error *err)
{
    return wrap(out, study, true, err);
}

static tacit_status storage_study_open(tacit_storage *st, const char *name, tacit_study **out,
                                       tacit_error *err)
{
    const local_storage *l = (local_storage *)st;
    tc_study *study;
    TC_TRY(tc_study_open(&study, l->store, name, l->pool, err));
    return wrap(out, study, false, err);
}

static tacit_status storage_study_create(tacit_storage *st, const tacit_document *doc,
                                         tacit_study **out, tacit_error *err)
{
    const local_storage *l = (local_storage *)st;
    tc_study *study;
    TC_TRY(tc_study_create(&study, l->store, doc, l->pool, err));
    return wrap(out, study, false, err);
}

static tacit_status storage_erase(tacit_storage *st, const char *name, tacit_error *err)
{
    const local_storage *l = (local_storage *)st;
    return tc_study_erase(l->store, name, err);
}

static tacit_status count_study(void *user, const tc_study_row *row, tacit_error *err)
{
    (void)row;
    (void)err;
    ++*(uint64_t *)user;
    return TACIT_OK;
}

/* Of what is in the file, not of what is in the storage by now. */
static tacit_status storage_backup(tacit_storage *st, const char *file, tacit_backup_info *info,
                                   tacit_error *err)
{
    const local_storage *l = (local_storage *)st;
    tc_store *backup;
    TC_TRY(tc_backup_write(l->store, file, tc_clock_unix_ms(), err));
    TC_TRY(tc_backup_open(&backup, file, err));
    tacit_status status = tc_store_study_list(backup, count_study, &info->studies, err);
    if (status == TACIT_OK)
        status = tc_backup_time(backup, &info->made_ms, err);
    tc_store_close(backup);
    return status;
}

/* ---- a list of studies ---- */

static tacit_status add_name(void *user, const tc_study_row *row, tacit_error *err)
{
    const tacit_study_summary named = {.name = row->name};
    return tc_studies_add(user, &named, err);
}

static tacit_status summarize(tacit_study *s, tc_reading *reading, tacit_study_summary *out,
                              tacit_error *err);

/* Fills in what a study says of itself; its name is there. */
static tacit_status complete(local_storage *l, tacit_studies *list, size_t i, tacit_error *err)
{
    tacit_study_summary *s = &list->list[i];
    tc_study *study;
    TC_TRY(tc_study_open(&study, l->store, s->name, NULL, err));
    local_study open = {.base = {.doc = tc_study_document(study)}, .study = study};
    tacit_status status = summarize(&open.base, NULL, s, err);
    if (status == TACIT_OK) {
        s->algorithm = tc_arena_strdup(&list->memory, tacit_document_algorithm(open.base.doc));
        s->direction = tacit_document_maximizes(open.base.doc) ? "maximize" : "minimize";
        if (!s->algorithm)
            status = tc_fail_memory(err);
    }
    tc_study_close(study);
    /* A damaged one is named already. */
    return status == TACIT_OK || status == TACIT_E_CORRUPT ? status
                                                           : tc_fail_in(err, "study %s", s->name);
}

/* The store may not be called while it lists: the names first, then each. */
static tacit_status storage_list(tacit_storage *st, tacit_list_what what, tacit_studies *out,
                                 tacit_error *err)
{
    local_storage *l = (local_storage *)st;
    TC_TRY(tc_store_study_list(l->store, add_name, out, err));
    for (size_t i = 0; what == TACIT_LIST_SUMMARIES && i < out->n; i++)
        TC_TRY(complete(l, out, i, err));
    return TACIT_OK;
}

const tc_storage_ops tc_storage_local = {.open = storage_open,
                                         .close = storage_close,
                                         .study_open = storage_study_open,
                                         .study_create = storage_study_create,
                                         .list = storage_list,
                                         .erase = storage_erase,
                                         .backup = storage_backup};

/* ---- asking ---- */

static void study_close(tacit_study *s)
{
    local_study *l = (local_study *)s;
    if (!l->lent)
        tc_study_close(l->study);
    tc_free(l);
}

static size_t width(const tacit_study *s)
{
    return s->doc->space->n_params;
}

typedef struct taking {
    const tacit_study *study;
    const tacit_ask_opts *opts;
    tacit_trials *out;
} taking;

static tacit_status take_back(void *user, const tc_trial *t, bool *more, tacit_error *err)
{
    const taking *b = user;
    TC_TRY(tc_trials_add_asked(b->out, t->number, t->pulls, t->values, b->study->doc, err));
    *more = b->out->n < b->opts->count;
    return TACIT_OK;
}

static tacit_status ask_new(tacit_study *s, const tc_ask_request *req, tc_reading *reading,
                            double *values, tacit_trials *out, tacit_error *err)
{
    tc_handed t;
    TC_TRY(tc_study_ask_batch(of(s), req, reading, &t, values, err));
    return tc_trials_add_asked(out, t.trial, t.pulls, values, s->doc, err);
}

static tacit_status study_ask(tacit_study *s, const tacit_ask_opts *q, tc_reading *reading,
                              tacit_trials *out, tacit_error *err)
{
    tc_reading own = {0};
    const tc_ask_request req = {.worker = q->worker, .lease_ms = q->lease_ms, .pulls = q->pulls};
    double *values = tc_alloc(width(s), sizeof *values);
    if (!values)
        return tc_fail_memory(err);
    if (!reading)
        reading = &own;
    tacit_status status = TACIT_OK;
    if (q->worker)
        status = tc_study_give_back(of(s), &req, reading, take_back, &(taking){s, q, out}, err);
    while (status == TACIT_OK && out->n < q->count)
        status = ask_new(s, &req, reading, values, out, err);
    tc_free(values);
    return status;
}

/* ---- telling ---- */

static tacit_status add_pull(tacit_study *s, tacit_batch *batch, double value, tacit_error *err)
{
    tc_batch sums = {batch->pulls, batch->sum, batch->squares};
    int64_t reward;
    TC_TRY(tc_study_reward(of(s), value, &reward, err));
    tc_batch_add(&sums, reward);
    *batch = (tacit_batch){sums.n, sums.sum, sums.squares};
    return TACIT_OK;
}

static tacit_status tell_batch(tacit_study *s, uint64_t trial, const double *point,
                               const tacit_batch *batch, tacit_error *err)
{
    const tc_batch sums = {batch->pulls, batch->sum, batch->squares};
    return tc_study_tell_batch(of(s), trial, point, &sums, err);
}

/* One value alone is an ordinary report, which every algorithm takes. */
static tacit_status tell_pulls(tacit_study *s, uint64_t trial, const tacit_report *r,
                               tacit_error *err)
{
    tacit_batch batch = {0, 0, 0};
    if (r->n_pulls == 1)
        return tc_study_tell(of(s), trial, r->point, r->pulls[0], err);
    for (size_t i = 0; i < r->n_pulls; i++)
        TC_TRY(add_pull(s, &batch, r->pulls[i], err));
    return tell_batch(s, trial, r->point, &batch, err);
}

static tacit_status study_report(tacit_study *s, uint64_t trial, const tacit_report *r,
                                 tacit_error *err)
{
    switch (r->kind) {
    case TACIT_REPORT_FAILED:
        return tc_study_fail(of(s), trial, r->reason, err);
    case TACIT_REPORT_PULLS:
        return tell_pulls(s, trial, r, err);
    case TACIT_REPORT_BATCH:
        return tell_batch(s, trial, r->point, &r->batch, err);
    case TACIT_REPORT_PRUNED:
        return tc_study_prune(of(s), trial, r->reason, r->noise_sd, err);
    case TACIT_REPORT_VALUE:
    case TACIT_REPORT_REPLY:
        break;
    }
    const tc_told told = {.values = r->point,
                          .value = r->value,
                          .noise_sd = r->noise_sd,
                          .more = r->n_outcomes > 1 ? r->outcomes + 1 : NULL,
                          .n_more = r->n_outcomes > 1 ? r->n_outcomes - 1 : 0};
    return tc_study_tell_all(of(s), trial, &told, err);
}

static tacit_status study_report_steps(tacit_study *s, uint64_t trial, const tc_steps *steps,
                                       const tc_prune *p, tc_verdict *out, tacit_error *err)
{
    for (size_t i = 0; i < steps->n && !out->stop; i++)
        TC_TRY(tc_study_report_step(of(s), trial, &steps->list[i], p, out, err));
    return TACIT_OK;
}

static void study_identify(const tacit_study *s, tacit_hash *hash, tc_store **store)
{
    const tc_study *study = ((const local_study *)s)->study;
    *hash = study->hash;
    *store = study->store;
}

static tacit_status study_enqueue(tacit_study *s, const double *values, uint64_t *trial,
                                  tacit_error *err)
{
    return tc_study_enqueue(of(s), values, trial, err);
}

static tacit_status study_delete_trial(tacit_study *s, uint64_t trial, tacit_error *err)
{
    return tc_study_delete_trial(of(s), trial, err);
}

static tacit_status study_import(tacit_study *s, size_t n, const double *values, const double *y,
                                 tacit_error *err)
{
    return tc_study_import(of(s), n, values, y, err);
}

/* ---- leases ---- */

static tacit_status study_renew(tacit_study *s, uint64_t trial, const char *worker,
                                int64_t lease_ms, int64_t *until_ms, tacit_error *err)
{
    return tc_study_extend(of(s), trial, worker, lease_ms, until_ms, err);
}

static tacit_status study_trial(tacit_study *s, uint64_t number, tacit_trials *out,
                                tacit_error *err);

static tacit_status study_take_over(tacit_study *s, uint64_t trial, const tc_claim *claim,
                                    tacit_trials *out, tacit_error *err)
{
    TC_TRY(tc_study_reclaim(of(s), trial, claim, err));
    return study_trial(s, trial, out, err);
}

static tacit_status study_requeue(tacit_study *s, uint64_t trial, tacit_error *err)
{
    return tc_study_requeue(of(s), trial, err);
}

static tacit_status study_now(tacit_study *s, int64_t *out_ms, tacit_error *err)
{
    TC_TRY(tc_study_await_time(of(s), err));
    *out_ms = tc_study_now(of(s));
    return TACIT_OK;
}

static void study_keep_time(tacit_study *s)
{
    tc_study_keep_time(of(s));
}

/* ---- looking ---- */

static tacit_status study_best(tacit_study *s, tacit_trials *out, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(of(s), &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    tacit_status status = best ? tc_trials_add(out, best, s->doc, err) : TACIT_OK;
    tc_study_unlook(of(s));
    return status;
}

static tacit_status study_recommend(tacit_study *s, tacit_recommend_by by, tc_found *out,
                                    tacit_error *err)
{
    const tc_optimizer *o;
    tc_recommendation r;
    TC_TRY(tc_study_look(of(s), &o, err));
    tacit_status status = tc_optimizer_recommend(o, (tc_recommend_by)by, &r, err);
    if (status == TACIT_OK && r.trial) {
        out->by = (tacit_recommend_by)r.by;
        out->mean = r.mean;
        out->sd = r.sd;
        memcpy(out->because, r.because, sizeof out->because);
        status = tc_trials_add(&out->trials, r.trial, s->doc, err);
    }
    tc_study_unlook(of(s));
    return status;
}

static tacit_status study_trial(tacit_study *s, uint64_t number, tacit_trials *out,
                                tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(of(s), &o, err));
    const tc_trial *t = tc_optimizer_trial(o, number);
    tacit_status status =
        t ? tc_trials_add(out, t, s->doc, err)
          : tc_fail(err, TACIT_E_NOT_FOUND, "there is no trial %" PRIu64 "; the study has %zu",
                    number, tc_optimizer_trials(o));
    tc_study_unlook(of(s));
    return status;
}

static tacit_status study_trials(tacit_study *s, const tacit_trial_query *q, tc_reading *reading,
                                 tacit_trials *out, tacit_error *err)
{
    const tc_optimizer *o;
    uint64_t most = q->limit ? q->limit : UINT64_MAX;
    TC_TRY(tc_study_look_on(of(s), reading, &o, err));
    tacit_status status = TACIT_OK;
    for (uint64_t i = q->first; i < tc_optimizer_trials(o) && out->n < most && status == TACIT_OK;
         i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        bool listed = t->state != TC_TRIAL_DELETED;
        if (q->state == TACIT_TRIAL_ANY ? listed : t->state == tc_trial_state_internal(q->state))
            status = tc_trials_add(out, t, s->doc, err);
    }
    tc_study_unlook(of(s));
    return status;
}

static tacit_status summarize(tacit_study *s, tc_reading *reading, tacit_study_summary *out,
                              tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look_on(of(s), reading, &o, err));
    const tc_trial *best = tc_optimizer_best(o);
    out->state = TACIT_STUDY_RUNNING;
    out->planned = s->doc->trials;
    out->complete = tc_optimizer_count(o, TC_TRIAL_COMPLETE);
    out->failed = tc_optimizer_count(o, TC_TRIAL_FAIL);
    out->running = tc_optimizer_count(o, TC_TRIAL_RUNNING);
    out->pruned = tc_optimizer_count(o, TC_TRIAL_PRUNED);
    out->finished = tc_optimizer_pulls(o, TC_TRIAL_COMPLETE) + out->failed + out->pruned;
    out->best_trial = best ? best->number : TACIT_UNKNOWN;
    out->best = best ? best->value : (double)NAN;
    const tc_outcomes *wanted = tc_optimizer_outcomes(o);
    size_t front;
    tc_optimizer_front(o, &front);
    out->objectives = wanted ? wanted->n_objectives : 1;
    out->feasible = tc_optimizer_feasible_count(o);
    out->front = front;
    tc_study_unlook(of(s));
    return TACIT_OK;
}

/* ---- events ---- */

typedef struct listener {
    tacit_event_visit visit;
    void *user;
} listener;

static tacit_status hear(void *user, const tc_event_row *e, tacit_error *err)
{
    const listener *l = user;
    const tacit_event event = {.size = sizeof event,
                               .seq = e->seq,
                               .kind = tc_event_kind_name(e->kind),
                               .trial = e->trial,
                               .time_ms = e->time_ms,
                               .body = e->body};
    return l->visit(l->user, &event, err);
}

static tacit_status study_events(tacit_study *s, uint64_t after, tacit_event_visit visit,
                                 void *user, tacit_error *err)
{
    listener l = {.visit = visit, .user = user};
    const tc_study *study = of(s);
    return tc_store_scan(study->store, study->id, after, hear, &l, err);
}

/* ---- what only a coordinator has ---- */

static tacit_status study_set_state(tacit_study *s, tacit_study_state state, tacit_error *err)
{
    (void)state;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "study %s is in a storage of this process: only a coordinator's is paused, "
                   "resumed or closed",
                   s->doc->name);
}

static void study_set_patience(tacit_study *s, double patience_s, int32_t timeout_s)
{
    (void)s;
    (void)patience_s;
    (void)timeout_s;
}

static bool study_is_away(tacit_study *s)
{
    (void)s;
    return false;
}

static const tc_study_ops study_ops = {.close = study_close,
                                       .ask = study_ask,
                                       .report = study_report,
                                       .report_steps = study_report_steps,
                                       .add_pull = add_pull,
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
                                       .summarize = summarize,
                                       .events = study_events,
                                       .set_state = study_set_state,
                                       .set_patience = study_set_patience,
                                       .is_away = study_is_away,
                                       .identify = study_identify};
