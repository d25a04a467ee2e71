/* venue.c - see venue.h. Each call says what it is in a storage, and what at a coordinator. */
#include "study/venue.h"

#include "base/memory.h"
#include "study/user_client.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- which of the two ---- */

static const char *variable(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

tacit_status tc_where_server(const tc_where *w, const char **url, tacit_error *err)
{
    if (w->server && w->storage)
        return tc_fail(err, TACIT_E_ARG,
                       "give either --server or --storage: a study is at a coordinator or in a "
                       "storage");
    bool storage = w->storage || (!w->server && variable("TACIT_STORAGE"));
    *url = storage ? NULL : w->server ? w->server : variable("TACIT_SERVER");
    return TACIT_OK;
}

/* ---- opening ---- */

tacit_status tc_venue_name(tc_venue *v, const char *study, tacit_error *err)
{
    return tc_session_name(&v->session, study, err);
}

static tacit_status create_at_server(tc_venue *v, tacit_error *err)
{
    json_t *answer;
    char *body = tc_remote_creation(v->session.given);
    if (!body)
        return tc_fail_memory(err);
    tc_call call = {.method = "POST", .path = "/v1/studies", .body = body, .n_body = strlen(body)};
    tacit_status st = tc_remote_call(&v->link.cfg, &call, false, &answer, err);
    tc_free(body);
    if (st == TACIT_OK)
        json_decref(answer);
    return st;
}

/* Whoever names a document agrees to that one, and to no other that the coordinator may have. */
static tacit_status check_given(const tc_venue *v, tacit_error *err)
{
    if (!v->session.given)
        return TACIT_OK;
    if (tc_study_doc_same(tc_remote_document(v->served), v->session.given, err) == TACIT_OK)
        return TACIT_OK;
    return tc_fail_in(err, "the coordinator's study %s is another one", v->session.given->name);
}

static tacit_status open_at_server(tc_venue *v, const char *study, const tc_where *w,
                                   const char *url, const tc_venue_terms *t, tacit_error *err)
{
    double patience_s = t->patience_s > 0 ? t->patience_s : TC_PATIENCE_S;
    TC_TRY(tc_link_open(&v->link, url, w->fingerprint, w->token_file, patience_s, t->quiet, err));
    v->link.cfg.study = v->session.given ? v->session.given->name : study;
    tacit_status st = tc_remote_open(&v->served, &v->link.cfg, err);
    if (st == TACIT_E_NOT_FOUND && t->create && v->session.given) {
        tacit_status made = create_at_server(v, err);
        if (made != TACIT_E_STATE && made != TACIT_E_CONFLICT) /* else somebody was faster */
            TC_TRY(made);
        st = tc_remote_open(&v->served, &v->link.cfg, err);
    }
    TC_TRY(st);
    return check_given(v, err);
}

tacit_status tc_venue_open(tc_venue *v, const char *study, const tc_where *where,
                           const tc_venue_terms *terms, tacit_error *err)
{
    const char *url;
    TC_TRY(tc_where_server(where, &url, err));
    if (url)
        return open_at_server(v, study, where, url, terms, err);
    if (where->fingerprint || where->token_file)
        return tc_fail(err, TACIT_E_ARG, "--%s is for a coordinator: say --server URL",
                       where->fingerprint ? "fingerprint" : "token-file");
    return tc_session_open(&v->session, study, where->storage, terms->create, terms->threads, err);
}

tacit_status tc_venue_look_at(tc_venue *v, const char *study, const tc_where *where, bool quiet,
                              tacit_error *err)
{
    TC_TRY(tc_venue_name(v, study, err));
    return tc_venue_open(v, study, where, &(tc_venue_terms){.threads = 1, .quiet = quiet}, err);
}

void tc_venue_close(tc_venue *v)
{
    tc_remote_close(v->served);
    tc_link_close(&v->link);
    tc_session_close(&v->session);
    v->served = NULL;
}

tc_venue tc_venue_lent(tc_study *study)
{
    return (tc_venue){.session = {.study = study}};
}

const tc_study_doc *tc_venue_document(const tc_venue *v)
{
    return v->served ? tc_remote_document(v->served) : tc_study_document(v->session.study);
}

/* ---- asking ---- */

static void add(tc_asked *a, const tc_trial *t, size_t n_params)
{
    a->numbers[a->n] = t->number;
    if (a->pulls)
        a->pulls[a->n] = t->pulls;
    memcpy(a->values + a->n * n_params, t->values, n_params * sizeof *a->values);
    a->n++;
}

/* Vizier's rule: a worker that comes back, after a crash say, gets what it had. */
static tacit_status add_open(tc_asked *a, tc_study *study, const tc_venue_ask *q, tacit_error *err)
{
    const tc_optimizer *o;
    size_t n_params = tc_study_document(study)->space->n_params;
    TC_TRY(tc_study_look(study, &o, err));
    for (size_t i = 0; i < tc_optimizer_trials(o) && a->n < q->count; i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        if (t->state == TC_TRIAL_RUNNING && t->worker && strcmp(t->worker, q->worker) == 0)
            add(a, t, n_params);
    }
    tc_study_unlook(study);
    return TACIT_OK;
}

/* E_STATE: the lease of one was over, and somebody else has it now. */
static tacit_status extend(tc_study *study, const tc_venue_ask *q, const tc_asked *a,
                           tacit_error *err)
{
    int64_t until;
    for (size_t i = 0; q->lease_ms > 0 && i < a->n; i++)
        TC_TRY(tc_study_extend(study, a->numbers[i], q->worker, q->lease_ms, &until, err));
    return TACIT_OK;
}

/* What the worker has, with all its time. */
static tacit_status take_back(tc_asked *a, tc_study *study, const tc_venue_ask *q, tacit_error *err)
{
    tacit_status st;
    do {
        a->n = 0;
        TC_TRY(add_open(a, study, q, err));
        st = extend(study, q, a, err);
    } while (st == TACIT_E_STATE);
    return st;
}

static tacit_status ask_storage(tc_study *study, const tc_venue_ask *q, tc_asked *a,
                                tacit_error *err)
{
    size_t n_params = tc_study_document(study)->space->n_params;
    const tc_ask_request req = {.worker = q->worker, .lease_ms = q->lease_ms, .pulls = q->pulls};
    if (q->worker)
        TC_TRY(take_back(a, study, q, err));
    for (; a->n < q->count; a->n++) {
        uint64_t pulls;
        TC_TRY(tc_study_ask_batch(study, &req, &a->numbers[a->n], a->values + a->n * n_params,
                                  &pulls, err));
        if (a->pulls)
            a->pulls[a->n] = pulls;
    }
    return TACIT_OK;
}

static tacit_status ask_server(const tc_venue *v, const tc_venue_ask *q, tc_asked *a,
                               tacit_error *err)
{
    char nobody
        [TC_RANDOM_NAME]; /* a worker has a name there: this one says nothing, and is used once */
    tc_trial_list got = {0};
    size_t n_params = tc_venue_document(v)->space->n_params;
    if (q->count > TC_REMOTE_COUNT_MOST)
        return tc_fail(err, TACIT_E_ARG,
                       "a coordinator gives out %d trials at once at most, got a count of %" PRIu64,
                       TC_REMOTE_COUNT_MOST, q->count);
    if (!q->worker)
        tc_random_name(nobody);
    tc_remote_request req = {.worker = q->worker ? q->worker : nobody,
                             .lease_s = (double)q->lease_ms / 1000,
                             .count = q->count,
                             .pulls = q->pulls};
    tacit_status st = tc_remote_suggest(v->served, &req, &got, err);
    for (size_t i = 0; st == TACIT_OK && i < got.n; i++)
        add(a, &got.list[i], n_params);
    tc_trial_list_fini(&got);
    return st;
}

tacit_status tc_venue_next(tc_venue *v, const tc_venue_ask *q, tc_asked *out, tacit_error *err)
{
    return v->served ? ask_server(v, q, out, err) : ask_storage(v->session.study, q, out, err);
}

/* ---- telling ---- */

static tacit_status tell_storage(tc_study *study, uint64_t trial, const tc_report *r,
                                 const tc_batch *batch, tacit_error *err)
{
    if (r->kind == TC_REPORT_FAILED)
        return tc_study_fail(study, trial, r->reason, err);
    if (batch)
        return tc_study_tell_batch(study, trial, r->point, batch, err);
    return tc_study_tell(study, trial, r->point, r->value, err);
}

tacit_status tc_venue_tell(tc_venue *v, uint64_t trial, const tc_report *r, const tc_batch *batch,
                           tacit_error *err)
{
    if (!v->served)
        return tell_storage(v->session.study, trial, r, batch, err);
    if (batch)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "--batch is for a storage: a coordinator is told the --values");
    return tc_remote_complete(v->served, trial, r, err);
}

tacit_status tc_venue_beat(tc_venue *v, uint64_t trial, const char *worker, int64_t lease_ms,
                           tacit_error *err)
{
    int64_t until;
    return v->served
               ? tc_remote_heartbeat(v->served, trial, worker, (double)lease_ms / 1000, NULL, err)
               : tc_study_extend(v->session.study, trial, worker, lease_ms, &until, err);
}

/* ---- what the dead have left ---- */

tacit_status tc_venue_take_over(tc_venue *v, tc_orphan *o, const char *worker, int64_t lease_ms,
                                tacit_error *err)
{
    if (!v->served) {
        const tc_claim claim = {.from = o->worker, .to = worker, .lease_ms = lease_ms};
        return tc_study_reclaim(v->session.study, o->trial, &claim, err);
    }
    tc_trial_list got = {0};
    tc_remote_request q = {.worker = worker,
                           .lease_s = (double)lease_ms / 1000,
                           .count = 1,
                           .from = o->worker,
                           .trial = o->trial};
    tacit_status st = tc_remote_suggest(v->served, &q, &got, err);
    if (st == TACIT_OK)
        memcpy(o->values, got.list[0].values,
               tc_venue_document(v)->space->n_params * sizeof *o->values);
    tc_trial_list_fini(&got);
    return st;
}

/* ---- pace ---- */

void tc_venue_keep_time(tc_venue *v)
{
    if (!v->served)
        tc_study_keep_time(v->session.study);
}

void tc_venue_hurry(tc_venue *v, long timeout_s)
{
    if (v->served)
        tc_remote_set_pace(v->served, 0, timeout_s);
}

void tc_venue_take_time(tc_venue *v)
{
    if (v->served)
        tc_remote_set_pace(v->served, v->link.cfg.patience_ms, 0);
}

int64_t tc_venue_patience_ms(const tc_venue *v)
{
    return v->link.cfg.patience_ms;
}

bool tc_venue_away(const tc_venue *v)
{
    return v->served && tc_remote_away(v->served);
}
