/* sqlite_commit.c - appending to journals, and group commit.
 *
 * A durable commit costs one sync of the disk, whatever its size. So threads that
 * append durably at about the same time share one: the first becomes the leader, takes
 * all that are queued into one transaction, and wakes each with its own result. A
 * refused append (head moved, trial told) does not disturb the others: it is found out
 * before, or by the failing INSERT, which SQLite undoes alone.
 *
 * Whom to wait for: at the end of each sync the threads inside the store are counted.
 * That many are likely to come again, so the next leader waits for them, but never
 * longer than a few syncs, nor for a gap longer than one. A thread that works alone
 * never waits. */
#include "study/sqlite_int.h"

#include "base/clock.h"
#include "base/error.h"

#include <assert.h>
#include <semaphore.h>
#include <time.h>

/* One append, on the stack of the thread that waits for it. */
typedef struct tc_commit {
    const tc_append  *a;
    uint64_t          head;
    tacit_status      status;
    tacit_error       err;
    struct tc_commit *next;
    sem_t             woken;
    bool              leads; /* woken to lead the next group, not because it is done */
} tc_commit;

#define MAX_GAP_NS 5000000 /* on slow disks a wait must not be felt */
#define MAX_GAPS   4

tacit_status tc_group_init(tc_group *g, tacit_error *err)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0)
        return tc_fail_memory(err);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    int rc = pthread_cond_init(&g->arrived, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (rc != 0)
        return tc_fail_memory(err);
    pthread_mutex_init(&g->lock, NULL);
    g->last = &g->first;
    g->target = 1;
    return TACIT_OK;
}

void tc_group_fini(tc_group *g)
{
    assert(!g->first && !g->led);
    pthread_cond_destroy(&g->arrived);
    pthread_mutex_destroy(&g->lock);
}

/* ---- one append inside a transaction ---- */

tacit_status tc_sqlite_head(tc_sqlite *s, int64_t study, uint64_t *head, tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_HEAD];
    sqlite3_bind_int64(q, 1, study);
    int rc = sqlite3_step(q);
    int64_t seq = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
    tc_sqlite_reset(s, TC_SQL_HEAD);
    if (rc != SQLITE_ROW)
        return tc_sqlite_fail(s, rc, err);
    if (seq == 0) { /* no event yet: is there such a study? */
        sqlite3_bind_int64(s->sql[TC_SQL_STUDY_HAS], 1, study);
        rc = sqlite3_step(s->sql[TC_SQL_STUDY_HAS]);
        tc_sqlite_reset(s, TC_SQL_STUDY_HAS);
        if (rc == SQLITE_DONE)
            return tc_fail(err, TACIT_E_NOT_FOUND, "the store has no study number %lld",
                           (long long)study);
        if (rc != SQLITE_ROW)
            return tc_sqlite_fail(s, rc, err);
    }
    *head = (uint64_t)seq;
    return TACIT_OK;
}

static tacit_status insert_event(tc_sqlite *s, int64_t study, uint64_t seq, const tc_event_row *e,
                                 tacit_error *err)
{
    sqlite3_stmt *q = s->sql[TC_SQL_APPEND];
    sqlite3_bind_int64(q, 1, study);
    sqlite3_bind_int64(q, 2, (int64_t)seq);
    sqlite3_bind_int(q, 3, (int)e->kind);
    sqlite3_bind_int64(q, 4, (int64_t)e->trial);
    sqlite3_bind_int64(q, 5, e->time_ms);
    sqlite3_bind_text(q, 6, e->body, -1, SQLITE_STATIC);
    int rc = tc_sqlite_run(s, TC_SQL_APPEND);
    if (rc == SQLITE_CONSTRAINT_UNIQUE)
        return tc_fail(err, TACIT_E_STATE, "trial %llu has been told already",
                       (unsigned long long)e->trial);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* A failure that SQLite answered by rolling back the transaction needs no more undoing. */
static tacit_status take_back(tc_sqlite *s, int64_t study, uint64_t seq, tacit_error *err)
{
    if (sqlite3_get_autocommit(s->db))
        return TACIT_OK;
    sqlite3_bind_int64(s->sql[TC_SQL_TAKE_BACK], 1, study);
    sqlite3_bind_int64(s->sql[TC_SQL_TAKE_BACK], 2, (int64_t)seq);
    int rc = tc_sqlite_run(s, TC_SQL_TAKE_BACK);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

static tacit_status insert(tc_sqlite *s, const tc_append *a, uint64_t *end, tacit_error *err)
{
    uint64_t head;
    TC_TRY(tc_sqlite_head(s, a->study, &head, err));
    if (a->head != TC_ANY_HEAD && a->head != head)
        return tc_fail(err, TACIT_E_CONFLICT, "the journal has moved from event %llu to %llu",
                       (unsigned long long)a->head, (unsigned long long)head);
    for (size_t i = 0; i < a->n; i++) {
        tacit_status st = insert_event(s, a->study, head + i + 1, &a->events[i], err);
        if (st != TACIT_OK) {
            if (i > 0)
                TC_TRY(take_back(s, a->study, head, err));
            return st;
        }
    }
    *end = head + a->n;
    return TACIT_OK;
}

/* ---- one transaction ---- */

static bool is_refusal(tacit_status st)
{
    return st == TACIT_OK || st == TACIT_E_CONFLICT || st == TACIT_E_STATE ||
           st == TACIT_E_NOT_FOUND;
}

/* Commits what was inserted; a failure other than a refusal ends the whole group. */
static tacit_status transact(tc_sqlite *s, tc_commit *group, tacit_error *err)
{
    int rc = tc_sqlite_run(s, TC_SQL_BEGIN);
    if (rc != SQLITE_OK)
        return tc_sqlite_fail(s, rc, err);
    for (tc_commit *c = group; c; c = c->next) {
        c->status = insert(s, c->a, &c->head, &c->err);
        if (!is_refusal(c->status)) {
            if (err)
                *err = c->err;
            return c->status;
        }
    }
    rc = tc_sqlite_run(s, TC_SQL_COMMIT);
    return rc == SQLITE_OK ? TACIT_OK : tc_sqlite_fail(s, rc, err);
}

/* The caller holds s->lock. Every member of the group gets its status. */
static void commit_group(tc_sqlite *s, tc_commit *group, bool durable)
{
    tacit_error  err;
    tacit_status st = tc_sqlite_sync(s, durable, &err);
    if (st == TACIT_OK)
        st = transact(s, group, &err);
    if (st == TACIT_OK)
        return;
    if (!sqlite3_get_autocommit(s->db))
        tc_sqlite_run(s, TC_SQL_ROLLBACK);
    for (tc_commit *c = group; c; c = c->next) {
        c->status = st;
        c->err = err;
    }
}

/* ---- the group ---- */

static struct timespec at(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

/* The caller holds g->lock and leads. */
static void gather(tc_group *g)
{
    uint64_t gap = g->sync_ns < MAX_GAP_NS ? g->sync_ns : MAX_GAP_NS;
    uint64_t now = tc_clock_ns(), end = now + MAX_GAPS * gap;
    while (g->n < g->target && now < end) {
        size_t          before = g->n;
        struct timespec until = at(now + gap);
        pthread_cond_timedwait(&g->arrived, &g->lock, &until);
        if (g->n == before)
            return;
        now = tc_clock_ns();
    }
}

static tc_commit *take_queue(tc_group *g)
{
    tc_commit *group = g->first;
    g->first = NULL;
    g->last = &g->first;
    g->n = 0;
    return group;
}

/* Leads one group: gathers, commits, hands the lead on, wakes the others. */
static void lead(tc_sqlite *s, tc_commit *self)
{
    tc_group *g = &s->group;
    pthread_mutex_lock(&g->lock);
    gather(g);
    pthread_mutex_unlock(&g->lock);

    pthread_mutex_lock(&s->lock);
    pthread_mutex_lock(&g->lock); /* whoever came while we waited for the connection */
    tc_commit *group = take_queue(g);
    pthread_mutex_unlock(&g->lock);
    uint64_t start = tc_clock_ns();
    commit_group(s, group, true);
    uint64_t took = tc_clock_ns() - start;
    pthread_mutex_unlock(&s->lock);

    pthread_mutex_lock(&g->lock);
    g->sync_ns = g->sync_ns ? (3 * g->sync_ns + took) / 4 : took;
    g->target = atomic_load(&s->inside);
    tc_commit *heir = g->first;
    g->led = heir != NULL;
    if (heir) {
        heir->leads = true;
        sem_post(&heir->woken);
    }
    pthread_mutex_unlock(&g->lock);
    for (tc_commit *c = group, *next; c; c = next) {
        next = c->next; /* c ends with its thread's call */
        if (c != self)
            sem_post(&c->woken);
    }
}

static void append_durable(tc_sqlite *s, tc_commit *self)
{
    tc_group *g = &s->group;
    sem_init(&self->woken, 0, 0);
    pthread_mutex_lock(&g->lock);
    *g->last = self;
    g->last = &self->next;
    g->n++;
    bool leads = !g->led;
    g->led = true;
    if (!leads && g->n >= g->target)
        pthread_cond_signal(&g->arrived);
    pthread_mutex_unlock(&g->lock);
    if (!leads) {
        while (sem_wait(&self->woken) != 0)
            ; /* a signal handler ran */
        leads = self->leads;
    }
    if (leads)
        lead(s, self);
    sem_destroy(&self->woken);
}

tacit_status tc_sqlite_append(tc_sqlite *s, const tc_append *a, uint64_t *head, tacit_error *err)
{
    tc_commit self = {.a = a};
    if (a->durable) {
        append_durable(s, &self);
    } else {
        pthread_mutex_lock(&s->lock);
        commit_group(s, &self, false);
        pthread_mutex_unlock(&s->lock);
    }
    if (self.status == TACIT_OK)
        *head = self.head;
    else if (err)
        *err = self.err;
    return self.status;
}
