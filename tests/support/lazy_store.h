/* lazy_store.h - a store whose server crashes at a chosen point and forgets what was not yet on disk, while the
 * processes that use it live on: PostgreSQL in small, for tests.
 *
 * Journals are kept here; everything else is in the store behind it, and is on disk at once. An event that was
 * appended without `durable` can be read by everybody and is on disk with the next durable write, confirm or
 * wait of anybody. Every call on a journal is a point, and so is the middle of every append: its events
 * are there, and others may read them (`meanwhile`), and the server crashes before the answer. Then the
 * append is done again, as postgres_commit.c does it, or fails (`fails`). */
#ifndef TEST_LAZY_STORE_H
#define TEST_LAZY_STORE_H

#include "support/crash_store.h"

#include <stdio.h>
#include <string.h>

typedef struct lazy_event {
    int64_t study;
    tc_event_row row; /* its body is owned */
} lazy_event;

typedef struct lazy_store {
    crash_store others; /* what is not a journal. It counts durable writes, and never dies */
    tc_store_ops ops;
    lazy_event *log; /* the journals of all studies, in the order of the appends */
    size_t n, cap;
    size_t safe;                 /* so many of them are on disk ... */
    uint64_t writes;             /* ... since this one of the others */
    uint64_t marks;              /* drawn so far */
    uint64_t points;             /* so far */
    uint64_t at;                 /* the point at which it crashes; 0: never */
    uint64_t period;             /* and so many points later again, and again; 0: once */
    size_t keeps;                /* unsafe events that a crash leaves */
    bool fails;                  /* the call under way fails with E_IO */
    bool refuses;                /* every append is a conflict: a store that is broken */
    uint64_t crashes, forgotten; /* so far */
    void (*meanwhile)(void *user);
    void *user;
} lazy_store;

/* ---- the log ---- */

static inline lazy_store *lazy_of(tc_store *s)
{
    return (lazy_store *)s;
}

static inline void lazy_cut(lazy_store *s, size_t n)
{
    while (s->n > n)
        tc_free((char *)s->log[--s->n].row.body);
}

/* A durable write of something else has brought the log to disk, too. */
static inline void lazy_follow(lazy_store *s)
{
    if (s->writes != s->others.writes)
        s->safe = s->n;
    s->writes = s->others.writes;
}

static inline void lazy_crash(lazy_store *s)
{
    size_t left = s->safe + s->keeps < s->n ? s->safe + s->keeps : s->n;
    s->crashes++;
    s->forgotten += s->n - left;
    lazy_cut(s, left);
    s->safe = left;
}

/* Does the server crash here? */
static inline bool lazy_point(lazy_store *s)
{
    lazy_follow(s);
    if (++s->points != s->at)
        return false;
    if (s->period > 0)
        s->at += s->period;
    return true;
}

static inline tacit_status lazy_lost(tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "the server is gone");
}

/* The point before a call. */
#define LAZY_POINT(s, err)                                                                         \
    do {                                                                                           \
        if (lazy_point(s)) {                                                                       \
            lazy_crash(s);                                                                         \
            if ((s)->fails)                                                                        \
                return lazy_lost(err);                                                             \
        }                                                                                          \
    } while (0)

/* NULL: there is none. */
static inline const lazy_event *lazy_find(const lazy_store *s, int64_t study, uint64_t seq)
{
    for (size_t i = s->n; i-- > 0;)
        if (s->log[i].study == study && s->log[i].row.seq == seq)
            return &s->log[i];
    return NULL;
}

static inline bool lazy_has(const lazy_store *s, int64_t study, tc_event_id which)
{
    const lazy_event *e = lazy_find(s, study, which.seq);
    return which.seq == 0 || (e && (which.mark == 0 || which.mark == e->row.mark));
}

static inline uint64_t lazy_end(const lazy_store *s, int64_t study)
{
    uint64_t end = 0;
    for (size_t i = 0; i < s->n; i++)
        end += s->log[i].study == study;
    return end;
}

static inline const lazy_event *lazy_find_told(const lazy_store *s, int64_t study, uint64_t trial)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->log[i].study == study && s->log[i].row.kind == TC_EVENT_TELL &&
            s->log[i].row.trial == trial)
            return &s->log[i];
    return NULL;
}

/* ---- members ---- */

static inline tacit_status lazy_check(const lazy_store *s, const tc_append *a, tacit_error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->events[i].kind == TC_EVENT_TELL && lazy_find_told(s, a->study, a->events[i].trial))
            return tc_fail(err, TACIT_E_STATE, "trial %llu has been told already",
                           (unsigned long long)a->events[i].trial);
    if (s->refuses)
        return tc_append_conflict(a, lazy_end(s, a->study), err);
    if (a->head == TC_ANY_HEAD)
        return TACIT_OK;
    if (!lazy_has(s, a->study, (tc_event_id){a->head, a->mark}))
        return tc_event_gone(a->head, err);
    for (size_t i = 0; !a->late && i < s->n; i++)
        if (s->log[i].study == a->study && s->log[i].row.seq > a->head &&
            tc_append_disturbed(a, s->log[i].row.kind, s->log[i].row.trial))
            return tc_append_conflict(a, lazy_end(s, a->study), err);
    return TACIT_OK;
}

static inline tacit_status lazy_write(lazy_store *s, const tc_append *a, tc_event_id *end,
                                      tacit_error *err)
{
    TC_TRY(lazy_check(s, a, err));
    if (!tc_grow((void **)&s->log, &s->cap, s->n + a->n, sizeof *s->log))
        return tc_fail_memory(err);
    *end = (tc_event_id){.seq = lazy_end(s, a->study), .mark = ++s->marks};
    for (size_t i = 0; i < a->n; i++) {
        lazy_event *e = &s->log[s->n++];
        *e = (lazy_event){.study = a->study, .row = a->events[i]};
        e->row.seq = ++end->seq;
        e->row.mark = end->mark;
        e->row.body = tc_strdup(a->events[i].body);
        if (!e->row.body) {
            lazy_cut(s, s->n - i - 1);
            return tc_fail_memory(err);
        }
    }
    return TACIT_OK;
}

static inline tacit_status lazy_append(tc_store *t, const tc_append *a, tc_event_id *end,
                                       tacit_error *err)
{
    lazy_store *s = lazy_of(t);
    LAZY_POINT(s, err);
    TC_TRY(lazy_write(s, a, end, err));
    if (lazy_point(s)) {
        if (s->meanwhile)
            s->meanwhile(s->user);
        lazy_crash(s);
        if (s->fails)
            return lazy_lost(err);
        if (!lazy_has(s, a->study, *end)) /* else it was carried out */
            TC_TRY(lazy_write(s, a, end, err));
    }
    if (a->durable)
        s->safe = s->n;
    return TACIT_OK;
}

static inline tacit_status lazy_confirm(tc_store *t, int64_t study, tc_event_id which,
                                        tacit_error *err)
{
    lazy_store *s = lazy_of(t);
    LAZY_POINT(s, err);
    if (!lazy_has(s, study, which))
        return tc_event_gone(which.seq, err);
    s->safe = s->n;
    return TACIT_OK;
}

static inline tacit_status lazy_scan(tc_store *t, int64_t study, tc_event_id after,
                                     tc_event_visit visit, void *user, tacit_error *err)
{
    lazy_store *s = lazy_of(t);
    LAZY_POINT(s, err);
    if (!lazy_has(s, study, after))
        return tc_event_gone(after.seq, err);
    for (size_t i = 0; i < s->n; i++)
        if (s->log[i].study == study && s->log[i].row.seq > after.seq)
            TC_TRY(visit(user, &s->log[i].row, err));
    return TACIT_OK;
}

static inline tacit_status lazy_find_tell(tc_store *t, int64_t study, uint64_t trial,
                                          tc_event_visit visit, void *user, tacit_error *err)
{
    lazy_store *s = lazy_of(t);
    LAZY_POINT(s, err);
    const lazy_event *e = lazy_find_told(s, study, trial);
    return e ? visit(user, &e->row, err) : TACIT_OK;
}

static inline uint64_t lazy_moment(tc_store *t)
{
    return lazy_of(t)->crashes;
}

static inline tacit_status lazy_wait_durable(tc_store *t, uint64_t since, tacit_error *err)
{
    lazy_store *s = lazy_of(t);
    LAZY_POINT(s, err);
    if (since != s->crashes)
        return tc_fail(err, TACIT_E_BUSY, "the server has crashed meanwhile; ask again");
    s->safe = s->n;
    return TACIT_OK;
}

static inline void lazy_close(tc_store *t)
{
    lazy_store *s = lazy_of(t);
    lazy_cut(s, 0);
    tc_free(s->log);
    crash_fini(&s->others);
    tc_free(s);
}

/* With its own disk in memory; end it with tc_store_close. NULL: no memory. */
static inline lazy_store *lazy_new(void)
{
    lazy_store *s = tc_alloc(1, sizeof *s);
    tc_store *disk;
    if (!s || tc_store_open(&disk, "memory:", true, NULL) != TACIT_OK) {
        tc_free(s);
        return NULL;
    }
    crash_init(&s->others, disk);
    s->ops = crash_ops;
    s->ops.close = lazy_close;
    s->ops.append = lazy_append;
    s->ops.confirm = lazy_confirm;
    s->ops.scan = lazy_scan;
    s->ops.find_tell = lazy_find_tell;
    s->ops.moment = lazy_moment;
    s->ops.wait_durable = lazy_wait_durable;
    s->others.base.ops = &s->ops;
    return s;
}

static inline tc_store *lazy_store_of(lazy_store *s)
{
    return &s->others.base;
}

/* ---- crashes at every point ---- */

typedef struct lazy_crashes {
    uint64_t at, period; /* as in lazy_store */
    size_t keeps;
    bool fails;
} lazy_crashes;

static inline void lazy_set(lazy_store *s, const lazy_crashes *c)
{
    s->at = c->at;
    s->period = c->period;
    s->keeps = c->keeps;
    s->fails = c->fails;
}

/* Calls `play`, which returns how many events were forgotten, for all points from `first` to `last`; each with nothing
 * left and with one event left, where calls are done again and where they fail. Returns the sum. */
static inline uint64_t lazy_every_point(uint64_t first, uint64_t last, uint64_t period,
                                        uint64_t (*play)(const lazy_crashes *c))
{
    uint64_t forgotten = 0;
    for (uint64_t at = first; at <= last; at++)
        for (int how = 0; how < 4; how++)
            forgotten += play(&(lazy_crashes){at, period, (size_t)how % 2, how / 2});
    printf("%d points, %d events forgotten\n", (int)(last - first + 1), (int)forgotten);
    return forgotten;
}

#endif
