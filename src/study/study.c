/* study.c - a study: its stored document, its journal, and the optimizer they determine.
 *
 * There is one way into the optimizer's state: `apply_row`, which takes an event as it is
 * stored. What this process wrote itself goes in the same way, so a live study and a
 * reopened one are the same bit for bit.
 *
 * A store may lose the end of a journal that we have read (store.h, tc_event_id). So whatever is read or
 * written names the last event that the optimizer has seen, and where the journal does not have that one,
 * the optimizer is thrown away and made from the journal as it is. */
#include "study/study_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "wire/event_json.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* ---- the optimizer ---- */

/* It keeps the first plan of trials: what it does must follow from the journal, not from who opened
 * it last. */
static tacit_status make_optimizer(tc_study *s, const tc_study_row *row, uint64_t planned,
                                   tc_optimizer **out, tacit_error *err)
{
    tc_optimizer_config cfg = {
        .algorithm = s->doc->algorithm,
        .options = s->doc->options,
        .older = s->doc->older,
        .version = s->doc->version,
        .space = s->doc->space,
        .maximize = s->doc->maximize,
        .outcomes = tc_study_doc_wants(s->doc),
        .public_seed = row->public_seed,
        .party_seed = row->party_seed,
        .budget = planned,
        .pool = s->pool,
    };
    if (s->doc->agents > 0)
        TC_TRY(tc_study_place(s, row, &cfg, err));
    tacit_status status = tc_optimizer_new(out, &cfg, err);
    explicit_bzero(&cfg, sizeof cfg);
    return status;
}

/* As if the study had just been opened. */
static tacit_status begin_again(tc_study *s, tacit_error *err)
{
    tc_study_row row;
    tc_study_doc *stored = NULL;
    tc_optimizer *fresh = NULL;
    TC_TRY(tc_store_study_get(s->store, s->doc->name, &row, err));
    tacit_status status = tc_study_doc_restore(&stored, row.document, row.points_csv, err);
    if (status == TACIT_OK)
        status = make_optimizer(s, &row, stored->trials, &fresh, err);
    tc_study_doc_free(stored);
    tc_study_row_fini(&row);
    TC_TRY(status);
    tc_optimizer_free(s->opt);
    s->opt = fresh;
    s->at = (tc_event_id){0};
    s->stray = false;
    s->folds++;
    return TACIT_OK;
}

/* ---- one at a time ---- */

/* A mutex alone is not fair: who asks for a hundred trials would have it again before anybody else
 * wakes up. Here the next one waits in the door, and who comes back behind him. */
void tc_study_lock(tc_study *s)
{
    pthread_mutex_lock(&s->door);
    pthread_mutex_lock(&s->lock);
    pthread_mutex_unlock(&s->door);
}

/* ---- the journal ---- */

static tacit_status apply_row(tc_study *s, const tc_event_row *row, tacit_error *err)
{
    tc_arena scratch = {0};
    tc_event e = {.seq = row->seq, .kind = row->kind, .trial = row->trial, .time_ms = row->time_ms};
    tacit_status status = tc_event_decode(tc_optimizer_space(s->opt), row->body, &scratch, &e, err);
    if (status == TACIT_OK)
        status = tc_optimizer_apply(s->opt, &e, err);
    else if (status == TACIT_E_CORRUPT)
        (void)tc_fail_in(err, "event %" PRIu64, row->seq);
    if (status == TACIT_OK)
        s->at = (tc_event_id){.seq = row->seq, .mark = row->mark};
    tc_arena_fini(&scratch);
    return status;
}

/* Catching up as far as event `last`, which leaves later ones for the next time. */
typedef struct reach {
    tc_study *study;
    uint64_t last;
} reach;

static tacit_status apply_within(void *user, const tc_event_row *row, tacit_error *err)
{
    const reach *r = user;
    return row->seq <= r->last ? apply_row(r->study, row, err) : TACIT_OK;
}

static tacit_status catch_up_to(tc_study *s, uint64_t last, tacit_error *err)
{
    tacit_status status = tc_store_scan_after(s->store, s->id, s->at, apply_within,
                                              &(reach){.study = s, .last = last}, err);
    return status == TACIT_E_CORRUPT ? tc_study_damaged(s, err) : status;
}

tacit_status tc_study_catch_up(tc_study *s, tacit_error *err)
{
    tacit_status status = s->stray ? TACIT_E_CONFLICT : catch_up_to(s, UINT64_MAX, err);
    if (status != TACIT_E_CONFLICT)
        return status;
    TC_TRY(begin_again(s, err)); /* the store has lost what we have seen */
    status = catch_up_to(s, UINT64_MAX, err);
    return status == TACIT_E_CONFLICT
               ? tc_fail(err, TACIT_E_BUSY,
                         "the storage lost events of study \"%s\" while they were read; try again",
                         s->doc->name)
               : status;
}

/* ---- one reading for one ask ---- */

/* What others told before the reading began is never missing in it. What this process has told since is in the journal and
 * not yet in the optimizer: then the journal is read again. */
static bool still_stands(const tc_study *s, const tc_reading *r)
{
    return r->made && !s->stray && r->folds == s->folds && r->unread == s->unread;
}

/* With the lock. */
static tacit_status read_on(tc_study *s, tc_reading *r, tacit_error *err)
{
    if (r && still_stands(s, r))
        return TACIT_OK;
    uint64_t unread = s->unread;
    TC_TRY(tc_study_catch_up(s, err));
    if (r)
        *r = (tc_reading){.made = true, .folds = s->folds, .unread = unread};
    return TACIT_OK;
}

/* ---- when others were faster ---- */

tc_study_stand tc_study_stands(const tc_study *s)
{
    return (tc_study_stand){.seq = s->at.seq, .folds = s->folds};
}

enum { UNMOVED_MOST = 5 };

/* Why a loop on conflicts ends. A store refuses an append with E_CONFLICT for one of two reasons. There is an
 * event after our last one that stands in the way: then catching up applies it, and seq grows. Or our last
 * one is not there: then catching up finds that out, too, and makes the optimizer anew. So each turn uses up
 * an event of somebody else, who has got further, or a loss of the store. Neither is seen where the event
 * that stood in the way was lost before we could read it; that is let pass a few times. A store that refuses
 * without a reason is stopped here, instead of being asked for ever. */
tacit_status tc_study_move_on(tc_study *s, tc_study_stand before, tacit_error *err)
{
    TC_TRY(tc_study_catch_up(s, err));
    bool moved = s->at.seq != before.seq || s->folds != before.folds;
    s->unmoved = moved ? 0 : s->unmoved + 1;
    if (s->unmoved < UNMOVED_MOST)
        return TACIT_OK;
    s->unmoved = 0;
    return tc_fail(err, TACIT_E_BUSY,
                   "the storage refuses what comes after event %" PRIu64
                   " of study \"%s\", and has nothing after it",
                   before.seq, s->doc->name);
}

/* The stored form of e; its body is the caller's to free. */
static tacit_status encode(const tc_study *s, const tc_event *e, tc_event_row *row,
                           tacit_error *err)
{
    char *body = tc_event_encode(tc_optimizer_space(s->opt), e);
    if (!body)
        return tc_fail_memory(err);
    *row = (tc_event_row){.kind = e->kind, .trial = e->trial, .time_ms = e->time_ms, .body = body};
    return TACIT_OK;
}

static void rows_free(tc_event_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tc_free((char *)rows[i].body);
}

/* Applies an event that was appended as row->seq: its stored text, as if it had been read back,
 * but first the tells that came before it. E_CONFLICT: the store has lost this event since; in its place there may be
 * nothing, or an event of another process, such as an ask for a trial of the same number. */
static tacit_status apply_appended(tc_study *s, const tc_event_row *row, tacit_error *err)
{
    if (row->seq == tc_optimizer_seq(s->opt) + 1)
        return apply_row(s, row, err);
    TC_TRY(catch_up_to(s, row->seq, err));
    if (s->at.seq == row->seq && s->at.mark == row->mark)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CONFLICT,
                   "the storage has lost event %" PRIu64 " of study \"%s\", which it had taken",
                   row->seq, s->doc->name);
}

/* After the last event that the optimizer has seen. */
static tc_append append_of(const tc_study *s, const tc_event_row *rows, size_t n, bool durable)
{
    return (tc_append){.study = s->id,
                       .head = s->at.seq,
                       .mark = s->at.mark,
                       .events = rows,
                       .n = n,
                       .durable = durable};
}

/* row gets its number and its mark. */
static tacit_status append_row(tc_study *s, const tc_append *a, tc_event_row *row, tacit_error *err)
{
    tc_event_id end;
    TC_TRY(tc_store_append_id(s->store, a, &end, err));
    row->seq = end.seq;
    row->mark = end.mark;
    return TACIT_OK;
}

/* Appends what this process will read back, like what others append. It may have happened also where it fails. */
static tacit_status append_unread(tc_study *s, const tc_append *a, tacit_error *err)
{
    uint64_t head;
    tacit_status status = tc_store_append(s->store, a, &head, err);
    s->unread++;
    return status;
}

tacit_status tc_study_append_here(tc_study *s, const tc_event *e, bool durable, tacit_error *err)
{
    tc_event_row row;
    TC_TRY(encode(s, e, &row, err));
    tc_append a = append_of(s, &row, 1, durable);
    tacit_status status = append_row(s, &a, &row, err);
    if (status == TACIT_OK)
        status = apply_appended(s, &row, err);
    rows_free(&row, 1);
    return status;
}

/* Wherever the two part, the journal is right: it could not be stored, or tells came before it. */
static tacit_status try_row(tc_study *s, tc_event_row *row, tacit_error *err)
{
    tacit_error why = {0};
    tc_append a = append_of(s, row, 1, true);
    row->seq = a.head + 1;
    s->stray = true;
    tacit_status status = apply_row(s, row, &why);
    if (status != TACIT_OK)
        return tc_pass_on(err, status == TACIT_E_CORRUPT ? TACIT_E_STATE : status, &why);
    TC_TRY(append_row(s, &a, row, err));
    s->stray = row->seq != a.head + 1;
    s->at.mark = row->mark;
    return TACIT_OK;
}

tacit_status tc_study_append_tried(tc_study *s, const tc_event *e, tacit_error *err)
{
    tc_event_row row;
    TC_TRY(encode(s, e, &row, err));
    tacit_status status = try_row(s, &row, err);
    rows_free(&row, 1);
    return status;
}

/* ---- birth and end ---- */

/* given: the document of a caller who believes that this is his study; may be NULL. Then both must
 * agree, but the plan may have grown. */
static tacit_status start(tc_study *s, const tc_study_row *row, const tc_study_doc *given,
                          tacit_error *err)
{
    tacit_status status = tc_study_doc_restore(&s->doc, row->document, row->points_csv, err);
    if (status != TACIT_OK)
        return tc_study_row_fault(row, status, err);
    uint64_t planned = s->doc->trials;
    if (given) {
        TC_TRY(tc_study_doc_same(s->doc, given, err));
        s->doc->trials = given->trials;
    }
    status = make_optimizer(s, row, planned, &s->opt, err);
    /* A document that was given has its mistakes from its author, not from the store. */
    return status == TACIT_OK || given ? status : tc_study_row_fault(row, status, err);
}

/* Nothing of the journal is read yet. */
static tacit_status from_row(tc_study **out, tc_store *store, const tc_study_row *row,
                             const tc_study_doc *given, tc_pool *pool, tacit_error *err)
{
    tc_study *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    s->store = store;
    s->id = row->id;
    s->hash = tc_study_hash(row);
    s->pool = pool;
    pthread_mutex_init(&s->door, NULL);
    pthread_mutex_init(&s->lock, NULL);
    tacit_status status = store ? tc_agreed_new(&s->clock, store, NULL, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = start(s, row, given, err);
    if (status != TACIT_OK) {
        tc_study_close(s);
        return status;
    }
    *out = s;
    return TACIT_OK;
}

static tacit_status open_named(tc_study **out, tc_store *store, const char *name,
                               const tc_study_doc *given, tc_pool *pool, tacit_error *err)
{
    tc_study_row row;
    TC_TRY(tc_store_study_get(store, name, &row, err));
    tacit_status status = from_row(out, store, &row, given, pool, err);
    tc_study_row_fini(&row);
    return status;
}

tacit_status tc_study_open(tc_study **out, tc_store *store, const char *name, tc_pool *pool,
                           tacit_error *err)
{
    return open_named(out, store, name, NULL, pool, err);
}

tacit_status tc_study_open_row(tc_study **out, tc_store *store, const tc_study_row *row,
                               tc_pool *pool, tacit_error *err)
{
    return from_row(out, store, row, NULL, pool, err);
}

void tc_study_set_clock(tc_study *s, tc_study_clock now_ms, void *user)
{
    s->now_ms = now_ms;
    s->now_user = user;
}

int64_t tc_study_now(const tc_study *s)
{
    if (s->now_ms)
        return s->now_ms(s->now_user);
    return s->clock ? tc_agreed_unix_ms(s->clock) : tc_clock_unix_ms();
}

bool tc_study_time_is_sure(const tc_study *s)
{
    return s->now_ms || !s->clock || tc_agreed_is_sure(s->clock);
}

void tc_study_keep_time(tc_study *s)
{
    if (!s->now_ms && s->clock && !s->lent)
        tc_agreed_sync(s->clock);
}

static void end_clock(tc_study *s)
{
    if (!s->lent)
        tc_agreed_free(s->clock);
    s->clock = NULL;
}

void tc_study_lend_clock(tc_study *s, tc_agreed *clock)
{
    end_clock(s);
    s->clock = clock;
    s->lent = true;
}

void tc_study_close(tc_study *s)
{
    if (!s)
        return;
    end_clock(s);
    tc_optimizer_free(s->opt);
    tc_study_plan_free(s->plan);
    tc_study_doc_free(s->doc);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->door);
    tc_free(s);
}

tacit_status tc_study_create(tc_study **out, tc_store *store, const tc_study_doc *doc,
                             tc_pool *pool, tacit_error *err)
{
    tc_study_row row;
    if (doc->agents)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "%s is a study of %llu agents: tacit simulate runs it here, and tacit "
                       "serve coordinates it",
                       doc->name, (unsigned long long)doc->agents);
    TC_TRY(tc_study_row_of(&row, doc, tc_clock_unix_ms(), err));
    tacit_status status = tc_store_study_put(store, &row, &row.id, err);
    if (status == TACIT_OK)
        status = from_row(out, store, &row, doc, pool, err);
    else if (status == TACIT_E_CONFLICT)
        status = open_named(out, store, doc->name, doc, pool, err);
    tc_study_row_fini(&row);
    return status;
}

/* ---- asking ---- */

/* With the lock. Journals what is due (the end of a lease, a fit) until that is an ASK, which is then in the journal,
 * at *which. */
static tacit_status journal_ask(tc_study *s, const tc_ask_request *req, tc_reading *reading,
                                tc_event_id *which, tc_handed *out, double *values,
                                tacit_error *err)
{
    tc_event e = {0};
    bool asked = false;
    TC_TRY(read_on(s, reading, err));
    reading->made = false; /* it serves one ask */
    while (!asked) {
        tc_study_stand before = tc_study_stands(s);
        TC_TRY(tc_optimizer_next(s->opt, req, &e, err));
        tacit_status status = tc_study_append_here(s, &e, false, err);
        asked = status == TACIT_OK && e.kind == TC_EVENT_ASK;
        /* Another process was faster: read what it did, and propose again. */
        TC_TRY(status == TACIT_E_CONFLICT ? tc_study_move_on(s, before, err) : status);
    }
    const tc_trial *t = tc_optimizer_trial(s->opt, e.trial);
    if (!t)
        return tc_fail(err, TACIT_E_CORRUPT, "study \"%s\" has lost trial %" PRIu64, s->doc->name,
                       e.trial);
    memcpy(values, t->values, s->doc->space->n_params * sizeof *values);
    *which = s->at;
    *out = (tc_handed){.trial = e.trial, .pulls = e.pulls, .attempt = t->attempt};
    return TACIT_OK;
}

enum { LOST_MOST = 5 };

static tacit_status await_time(tc_study *s, tc_reading *reading, tacit_error *err)
{
    const tc_optimizer *o;
    tc_study_keep_time(s);
    if (tc_study_time_is_sure(s))
        return TACIT_OK;
    TC_TRY(tc_study_look_on(s, reading, &o, err));
    bool doubtful = tc_optimizer_has_overdue(o, tc_study_now(s));
    tc_study_unlook(s);
    return doubtful ? tc_agreed_await(s->clock, err) : TACIT_OK;
}

tacit_status tc_study_await_time(tc_study *s, tacit_error *err)
{
    return await_time(s, NULL, err);
}

/* A worker gets no trial that the store could still lose while the worker runs it: the number would be given to
 * another worker, for another point, and one of the two would tell the value of its point for that of the other. A trial
 * that is lost before the store confirms it (E_CONFLICT) was given to nobody, and another one is asked for, a few times.
 * The wait is without the lock, so that all who ask at the same time share one sync of the disk. */
tacit_status tc_study_ask_batch(tc_study *s, const tc_ask_request *req, tc_reading *reading,
                                tc_handed *out, double *values, tacit_error *err)
{
    tc_ask_request now = *req;
    tc_reading own = {0};
    if (!reading)
        reading = &own;
    for (int lost = 0; lost < LOST_MOST; lost++) {
        tc_event_id which;
        TC_TRY(await_time(s, reading, err));
        now.now_ms = tc_study_now(s);
        now.keep_leases = !tc_study_time_is_sure(s);
        tc_study_lock(s);
        tacit_status status = journal_ask(s, &now, reading, &which, out, values, err);
        pthread_mutex_unlock(&s->lock);
        TC_TRY(status);
        status = tc_store_confirm(s->store, s->id, which, err);
        if (status != TACIT_E_CONFLICT)
            return status;
    }
    return tc_fail(
        err, TACIT_E_BUSY,
        "the storage lost a trial of study \"%s\" %d times before it was on disk; try again",
        s->doc->name, LOST_MOST);
}

tacit_status tc_study_ask(tc_study *s, const char *worker, int64_t lease_ms, uint64_t *trial,
                          double *values, tacit_error *err)
{
    tc_handed out;
    const tc_ask_request req = {.worker = worker, .lease_ms = lease_ms, .pulls = 1};
    TC_TRY(tc_study_ask_batch(s, &req, NULL, &out, values, err));
    *trial = out.trial;
    return TACIT_OK;
}

/* ---- telling ---- */

typedef struct report {
    uint64_t trial;
    bool failed;
    bool pruned; /* what it came to is its last intermediate value, which must have been read */
    const char *reason;
    tc_told told;
    const tc_batch *batch; /* or NULL: one value */
} report;

static tacit_status compose(tc_study *s, const report *r, tc_event *e, tacit_error *err)
{
    int64_t now = tc_study_now(s);
    if (r->failed)
        return tc_optimizer_fail(s->opt, r->trial, r->reason, now, e, err);
    const tc_told *t = &r->told;
    if (r->pruned) {
        TC_TRY(tc_optimizer_prune(s->opt, r->trial, r->reason, now, e, err));
        e->noise_sd = t->noise_sd;
        return TACIT_OK;
    }
    if (r->batch)
        return tc_optimizer_tell_batch(s->opt, r->trial, t->values, r->batch, now, e, err);
    TC_TRY(tc_optimizer_tell_outcomes(s->opt, r->trial, t->values, t->value, t->more, t->n_more,
                                      now, e, err));
    e->noise_sd = t->noise_sd;
    return TACIT_OK;
}

/* A trial that is known here and open needs no catching up: whatever has happened since, the store
 * itself refuses a second tell. So a tell need not wait for the connection. A refusal does: what was seen here
 * may be lost. */
static tacit_status compose_row(tc_study *s, const report *r, tc_event_row *row, tacit_error *err)
{
    tc_event e;
    if (s->stray || r->pruned)
        TC_TRY(tc_study_catch_up(s, err));
    tacit_status status = compose(s, r, &e, err);
    if (status == TACIT_E_NOT_FOUND || status == TACIT_E_STATE) {
        TC_TRY(tc_study_catch_up(s, err));
        status = compose(s, r, &e, err);
    }
    TC_TRY(status);
    return encode(s, &e, row, err);
}

/* The event says on what it stands, so that it is stored only where its trial is, and with the very point that
 * was handed out. The store is called without the lock: threads that tell at the same time share one sync of the disk. */
static tacit_status send_report(tc_study *s, const report *r, tacit_error *err)
{
    for (;;) {
        tc_event_row row;
        tc_study_lock(s);
        tacit_status status = compose_row(s, r, &row, err);
        tc_append a = append_of(s, &row, 1, true);
        tc_study_stand before = tc_study_stands(s);
        pthread_mutex_unlock(&s->lock);
        TC_TRY(status);

        a.late = true;
        status = append_unread(s, &a, err);
        rows_free(&row, 1);
        if (status != TACIT_E_CONFLICT)
            return status;

        /* The journal no longer has what this study has seen: read it again, and tell from there. */
        tc_study_lock(s);
        status = tc_study_move_on(s, before, err);
        pthread_mutex_unlock(&s->lock);
        TC_TRY(status);
    }
}

tacit_status tc_study_tell(tc_study *s, uint64_t trial, const double *values, double value,
                           tacit_error *err)
{
    return tc_study_tell_noisy(s, trial, values, value, 0, err);
}

tacit_status tc_study_tell_noisy(tc_study *s, uint64_t trial, const double *values, double value,
                                 double noise_sd, tacit_error *err)
{
    const tc_told told = {.values = values, .value = value, .noise_sd = noise_sd};
    return tc_study_tell_all(s, trial, &told, err);
}

tacit_status tc_study_tell_all(tc_study *s, uint64_t trial, const tc_told *told, tacit_error *err)
{
    const double sd = told->noise_sd;
    if (!(sd >= 0 && isfinite(sd * sd)))
        return tc_fail(err, TACIT_E_ARG, "noise_sd must be from 0 to 1e154, got %g", sd);
    return send_report(s, &(report){.trial = trial, .told = *told}, err);
}

tacit_status tc_study_tell_batch(tc_study *s, uint64_t trial, const double *values,
                                 const tc_batch *batch, tacit_error *err)
{
    return send_report(s, &(report){.trial = trial, .told = {.values = values}, .batch = batch},
                       err);
}

/* Without the lock: a reward depends on the options alone. */
tacit_status tc_study_reward(const tc_study *s, double value, int64_t *out, tacit_error *err)
{
    return tc_optimizer_reward(s->opt, value, out, err);
}

tacit_status tc_study_fail(tc_study *s, uint64_t trial, const char *reason, tacit_error *err)
{
    return send_report(s, &(report){.trial = trial, .failed = true, .reason = reason}, err);
}

tacit_status tc_study_prune(tc_study *s, uint64_t trial, const char *why, double noise_sd,
                            tacit_error *err)
{
    return send_report(
        s, &(report){.trial = trial, .pruned = true, .reason = why, .told = {.noise_sd = noise_sd}},
        err);
}

/* ---- points from outside ---- */

static tacit_status enqueue_locked(tc_study *s, const double *values, uint64_t *trial,
                                   tacit_error *err)
{
    TC_TRY(tc_study_catch_up(s, err));
    for (;;) {
        tc_event e;
        tc_study_stand before = tc_study_stands(s);
        TC_TRY(tc_optimizer_enqueue(s->opt, values, tc_study_now(s), &e, err));
        tacit_status status = tc_study_append_here(s, &e, true, err);
        if (status == TACIT_OK)
            *trial = e.trial;
        if (status != TACIT_E_CONFLICT)
            return status;
        TC_TRY(tc_study_move_on(s, before, err));
    }
}

tacit_status tc_study_enqueue(tc_study *s, const double *values, uint64_t *trial, tacit_error *err)
{
    tc_study_lock(s);
    tacit_status status = enqueue_locked(s, values, trial, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* Row i becomes a WAITING trial that is told at once: two events. */
static tacit_status import_row(tc_study *s, size_t i, const double *values, const double *y,
                               tc_event_row rows[2], tacit_error *err)
{
    tc_event waiting;
    int64_t now = tc_study_now(s);
    const size_t n_more = tc_outcomes_more(tc_study_doc_wants(s->doc));
    for (size_t k = 0; k <= n_more; k++)
        if (!isfinite(y[k]))
            return tc_fail(err, TACIT_E_ARG, "row %zu: the value must be finite, got %g", i + 1,
                           y[k]);
    tacit_status status = tc_optimizer_enqueue(s->opt, values, now, &waiting, err);
    if (status == TACIT_E_ARG)
        (void)tc_fail_in(err, "row %zu", i + 1);
    TC_TRY(status);
    waiting.trial += i; /* those before it are not applied yet */
    tc_event told = {.kind = TC_EVENT_TELL,
                     .trial = waiting.trial,
                     .time_ms = now,
                     .state = TC_TRIAL_COMPLETE,
                     .value = y[0],
                     .more = y + 1,
                     .n_more = n_more};
    TC_TRY(encode(s, &waiting, &rows[0], err));
    return encode(s, &told, &rows[1], err);
}

static tacit_status import_once(tc_study *s, size_t n, const double *values, const double *y,
                                tc_event_row *rows, tacit_error *err)
{
    size_t width = s->doc->space->n_params, each = 1 + tc_outcomes_more(tc_study_doc_wants(s->doc));
    for (size_t i = 0; i < n; i++)
        TC_TRY(import_row(s, i, values + i * width, y + i * each, rows + 2 * i, err));
    tc_append a = append_of(s, rows, 2 * n, true);
    return append_unread(s, &a, err);
}

static tacit_status import_locked(tc_study *s, size_t n, const double *values, const double *y,
                                  tacit_error *err)
{
    TC_TRY(tc_study_catch_up(s, err));
    for (;;) {
        tc_study_stand before = tc_study_stands(s);
        tc_event_row *rows = tc_alloc(n, 2 * sizeof *rows);
        if (!rows)
            return tc_fail_memory(err);
        tacit_status status = import_once(s, n, values, y, rows, err);
        rows_free(rows, 2 * n);
        tc_free(rows);
        if (status != TACIT_E_CONFLICT)
            return status;
        TC_TRY(tc_study_move_on(s, before, err));
    }
}

tacit_status tc_study_import(tc_study *s, size_t n, const double *values, const double *y,
                             tacit_error *err)
{
    if (n == 0)
        return TACIT_OK;
    tc_study_lock(s);
    tacit_status status = import_locked(s, n, values, y, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* ---- looking ---- */

tacit_status tc_study_look(tc_study *s, const tc_optimizer **out, tacit_error *err)
{
    return tc_study_look_on(s, NULL, out, err);
}

tacit_status tc_study_look_on(tc_study *s, tc_reading *reading, const tc_optimizer **out,
                              tacit_error *err)
{
    tc_study_keep_time(s);
    tc_study_lock(s);
    tacit_status status = read_on(s, reading, err);
    if (status == TACIT_OK)
        *out = s->opt;
    else
        pthread_mutex_unlock(&s->lock);
    return status;
}

void tc_study_unlook(tc_study *s)
{
    pthread_mutex_unlock(&s->lock);
}

static tacit_status encode_all(const tc_study *s, const tc_event *events, size_t n,
                               tc_event_row *rows, tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        TC_TRY(encode(s, &events[i], &rows[i], err));
    return TACIT_OK;
}

tacit_status tc_study_append_seen(tc_study *s, const tc_event *events, size_t n, bool durable,
                                  tacit_error *err)
{
    tc_event_row *rows = tc_alloc(n, sizeof *rows);
    if (!rows)
        return tc_fail_memory(err);
    tacit_status status = encode_all(s, events, n, rows, err);
    if (status == TACIT_OK) {
        tc_append a = append_of(s, rows, n, durable);
        status = append_unread(s, &a, err);
    }
    rows_free(rows, n);
    tc_free(rows);
    return status;
}

static tacit_status change_locked(tc_study *s, tc_study_changer change, void *user,
                                  tacit_error *err)
{
    for (;;) {
        tc_study_stand before = tc_study_stands(s);
        tacit_status status = change(s, s->opt, user, err);
        if (status != TACIT_E_CONFLICT)
            return status;
        TC_TRY(tc_study_move_on(s, before, err));
    }
}

tacit_status tc_study_change(tc_study *s, tc_study_changer change, void *user, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s, &o, err));
    tacit_status status = change_locked(s, change, user, err);
    tc_study_unlook(s);
    return status;
}

const tc_study_doc *tc_study_document(const tc_study *s)
{
    return s->doc;
}
