/* sqlite_group.c - group commit: threads that write durably share a transaction and a sync.
 *
 * Transactions commit with synchronous=NORMAL: they are then in the write-ahead log, and safe
 * from the end of the process, but not on disk. To be durable is to have the log synced after
 * that. We do so ourselves, on a descriptor of our own and without holding the connection, so
 * that others go on asking while one thread waits for the disk. A sync covers every earlier
 * commit, because the log is written in order; a check-point that comes between syncs both
 * log and file.
 *
 * The first durable write leads: it commits all that are queued, syncs, wakes each with its
 * own result, and hands the lead to the first that came meanwhile. Those it has just served
 * will soon be back if they work without pause, so the next leader waits for as many as there
 * were, but never longer than a few syncs, nor through half a sync in which nobody comes. A
 * thread that works alone never waits.
 *
 * A commit is seen before it is durable, by this process and by others. A caller that answers from what it has
 * read waits first (tc_store_wait_durable): it joins the next sync, unless nothing was committed since the last
 * one began.
 *
 * After a failed sync the kernel may drop what it could not write, and report success the next
 * time. So the first failure is final for the handle. */
#include "study/sqlite_int.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* In syncs: what a leader waits at most. On a slow disk a wait must not be felt, either. */
enum { MAX_WAIT_SYNCS = 4, MAX_PAUSE_NS = 3000000 };

/* The mark of a coordinator, its keys, its operator, its first study. */
enum { FIRST_TRANSACTIONS = 4 };

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
    g->durable.own = -1;
    g->fd = -1;
    atomic_init(&g->failed, 0);
    return TACIT_OK;
}

tacit_status tc_group_open(tc_sqlite *s, tacit_error *err)
{
    const char *log = sqlite3_filename_wal(sqlite3_db_filename(s->db, "main"));
    s->group.fd = open(log, O_RDWR | O_CLOEXEC);
    if (s->group.fd < 0)
        return tc_fail(err, TACIT_E_IO, "%s-wal cannot be opened: %s", s->file, strerror(errno));
    return TACIT_OK;
}

void tc_group_fini(tc_group *g)
{
    if (g->fd >= 0)
        close(g->fd);
    pthread_mutex_destroy(&g->lock);
    pthread_cond_destroy(&g->arrived);
}

/* 0 or an errno. A log without a name is read by nobody: somebody removed it, or the program
 * around us opened and closed the file by itself, which drops our locks (see README.md). */
static int sync_log(int fd)
{
    struct stat info;
    if (fdatasync(fd) != 0 || fstat(fd, &info) != 0)
        return errno;
    return info.st_nlink == 0 ? ESTALE : 0;
}

/* False: it cannot be told. */
static bool read_position(tc_sqlite *s, tc_position *out)
{
    sqlite3_stmt *q = s->sql[TC_SQL_DATA_VERSION];
    pthread_mutex_lock(&s->lock);
    bool known = sqlite3_step(q) == SQLITE_ROW;
    out->others = known ? sqlite3_column_int64(q, 0) : 0;
    out->own = sqlite3_total_changes64(s->db);
    tc_sqlite_reset(s, TC_SQL_DATA_VERSION);
    pthread_mutex_unlock(&s->lock);
    return known;
}

static void note_durable(tc_group *g, const tc_position *at)
{
    pthread_mutex_lock(&g->lock);
    g->durable = *at;
    pthread_mutex_unlock(&g->lock);
}

static bool is_durable(tc_group *g, const tc_position *at)
{
    pthread_mutex_lock(&g->lock);
    bool same = g->durable.own == at->own && g->durable.others == at->others;
    pthread_mutex_unlock(&g->lock);
    return same;
}

/* The first transactions make a store what it is: its coordinator's keys and tokens, its first study. They
 * go into the file at once, so that whoever loses the log, with all that lies beside it, has not lost
 * them. What cannot be folded in now will be later. */
void tc_sqlite_fold_first(tc_sqlite *s)
{
    if (s->within || tc_mark_transactions(&s->mark) > FIRST_TRANSACTIONS)
        return;
    pthread_mutex_lock(&s->lock);
    (void)sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    pthread_mutex_unlock(&s->lock);
}

tacit_status tc_sqlite_sync(tc_sqlite *s, tacit_error *err)
{
    if (s->within)
        return TACIT_OK;
    tc_position at;
    bool known = read_position(s, &at);
    uint64_t covered = tc_mark_transactions(&s->mark);
    int failed = atomic_load(&s->group.failed);
    if (!failed) {
        failed = sync_log(s->group.fd);
        if (failed)
            atomic_store(&s->group.failed, failed);
    }
    if (!failed)
        tc_mark_synced(&s->mark, covered);
    if (!failed && known)
        note_durable(&s->group, &at);
    if (failed)
        return tc_fail(err, TACIT_E_IO, "%s could not be brought to disk: %s", s->file,
                       failed == ESTALE ? "its log was removed" : strerror(failed));
    return TACIT_OK;
}

/* Queues self. True if there is no leader yet: the caller is to lead. */
static bool join(tc_group *g, tc_commit *self)
{
    pthread_mutex_lock(&g->lock);
    bool leads = !g->led;
    g->led = true;
    *g->last = self;
    g->last = &self->next;
    if (++g->n == g->hoped)
        pthread_cond_signal(&g->arrived);
    pthread_mutex_unlock(&g->lock);
    return leads;
}

/* The caller holds g->lock. */
static void wait_for_more(tc_group *g)
{
    uint64_t pause = g->sync_ns / 2 < MAX_PAUSE_NS ? g->sync_ns / 2 : MAX_PAUSE_NS;
    uint64_t now = tc_clock_ns(), end = now + MAX_WAIT_SYNCS * g->sync_ns;
    size_t before = 0;
    for (; before < g->n && g->n < g->hoped && now < end; now = tc_clock_ns()) {
        struct timespec until = {.tv_sec = (time_t)((now + pause) / 1000000000),
                                 .tv_nsec = (long)((now + pause) % 1000000000)};
        before = g->n;
        pthread_cond_timedwait(&g->arrived, &g->lock, &until);
    }
}

static tc_commit *take_group(tc_group *g, size_t *n)
{
    pthread_mutex_lock(&g->lock);
    wait_for_more(g);
    tc_commit *group = g->first;
    *n = g->n;
    g->first = NULL;
    g->last = &g->first;
    g->n = 0;
    pthread_mutex_unlock(&g->lock);
    return group;
}

/* n were served in took_ns; whoever came first meanwhile leads next. */
static void hand_over(tc_group *g, size_t n, uint64_t took_ns)
{
    pthread_mutex_lock(&g->lock);
    g->sync_ns = g->sync_ns ? (3 * g->sync_ns + took_ns) / 4 : took_ns;
    g->hoped = n + g->n;
    tc_commit *heir = g->first;
    g->led = heir != NULL;
    if (heir) {
        heir->leads = true;
        sem_post(&heir->woken);
    }
    pthread_mutex_unlock(&g->lock);
}

static bool wrote_something(const tc_commit *group)
{
    for (; group; group = group->next)
        if (group->status == TACIT_OK)
            return true;
    return false;
}

static void lead(tc_sqlite *s, tc_commit *self)
{
    tacit_error err;
    size_t n;
    tc_commit *group = take_group(&s->group, &n);
    uint64_t start = tc_clock_ns();
    tc_sqlite_commit(s, group);
    if (wrote_something(group) && tc_sqlite_sync(s, &err) != TACIT_OK)
        tc_commit_fail(group, &err);
    hand_over(&s->group, n, tc_clock_ns() - start);
    for (tc_commit *c = group, *next; c; c = next) {
        next = c->next; /* once woken, c ends with its thread's call */
        if (c != self)
            sem_post(&c->woken);
    }
}

void tc_sqlite_commit_durable(tc_sqlite *s, tc_commit *self)
{
    if (s->within) { /* with the transaction that it is in */
        tc_sqlite_commit(s, self);
        return;
    }
    sem_init(&self->woken, 0, 0);
    bool leads = join(&s->group, self);
    if (!leads) { /* from here on self->leads is the leader's to write */
        while (sem_wait(&self->woken) != 0)
            ; /* a signal handler ran */
        leads = self->leads;
    }
    if (leads)
        lead(s, self);
    sem_destroy(&self->woken);
}

tacit_status tc_sqlite_wait_durable(tc_store *store, uint64_t since, tacit_error *err)
{
    (void)since;
    tc_sqlite *s = (tc_sqlite *)store;
    tc_position at;
    tc_commit nothing = {.a = NULL};
    if (read_position(s, &at) && is_durable(&s->group, &at))
        return TACIT_OK;
    tc_sqlite_commit_durable(s, &nothing);
    if (nothing.status != TACIT_OK && err)
        *err = nothing.err;
    return nothing.status;
}

tacit_status tc_sqlite_append(tc_sqlite *s, const tc_append *a, uint64_t *head, tacit_error *err)
{
    tc_commit self = {.a = a};
    if (a->durable)
        tc_sqlite_commit_durable(s, &self);
    else
        tc_sqlite_commit(s, &self);
    if (self.status == TACIT_OK)
        *head = self.head;
    else if (err)
        *err = self.err;
    return self.status;
}
