/* crash_store.h - a store that dies at a chosen write, for tests of what survives.
 *
 * It stands before another one, which plays the disk. Writes are counted. At write number `at` the
 * process "dies": the write happens or not (`after`), and from then on every call fails until
 * crash_restart. What was written before is there, as after kill -9. With `meanwhile` it does not die there
 * but stands still, as after SIGSTOP: others act, and then the write goes on. With `at_call` it dies at that call,
 * whether it reads or writes. */
#ifndef TEST_CRASH_STORE_H
#define TEST_CRASH_STORE_H

#include "base/error.h"
#include "base/memory.h"
#include "study/store.h"

typedef struct crash_store {
    tc_store base;
    tc_store *disk;
    uint64_t writes;         /* so far */
    _Atomic uint64_t rows;   /* of studies that were read whole, so far */
    _Atomic uint64_t places; /* of rosters, that scans have handed out or counted, so far */
    _Atomic uint64_t duties; /* of trustees, that scans have handed out, so far */
    _Atomic uint64_t gets;   /* records that were read one by one, so far */
    _Atomic uint64_t heads;  /* of ledgers, that were read, so far */
    uint64_t at;             /* 0: never */
    _Atomic uint64_t calls;  /* reading or writing, so far */
    uint64_t at_call;        /* 0: never */
    bool after;              /* the write itself happens */
    bool dead;
    bool disk_gone;                /* what is seen cannot be brought to disk ... */
    _Atomic uint64_t waits;        /* ... and how often somebody wanted it there */
    void (*meanwhile)(void *user); /* or NULL */
    void *user;
} crash_store;

static inline tacit_status crash_dead(tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "the process is dead");
}

/* Does this write die? *happens: it reaches the disk first. */
static inline bool crash_now(crash_store *s, bool *happens)
{
    bool call = ++s->calls == s->at_call;
    s->writes++;
    *happens = true;
    if (!call && (s->at == 0 || s->writes != s->at))
        return false;
    if (s->meanwhile) {
        s->meanwhile(s->user);
        return false;
    }
    s->dead = true;
    *happens = s->after;
    return true;
}

/* Is it dead, or does it die before this call that reads? */
static inline bool crash_gone(crash_store *s)
{
    if (++s->calls == s->at_call)
        s->dead = true;
    return s->dead;
}

/* The body of a write: `call` uses `err`, which is thrown away if the process dies. */
#define CRASH_WRITE(s, call, err)                                                                  \
    do {                                                                                           \
        bool happens_;                                                                             \
        if ((s)->dead)                                                                             \
            return crash_dead(err);                                                                \
        if (!crash_now((s), &happens_))                                                            \
            return (call);                                                                         \
        if (happens_)                                                                              \
            (void)(call);                                                                          \
        return crash_dead(err);                                                                    \
    } while (0)

static inline crash_store *crash_of(tc_store *s)
{
    return (crash_store *)s;
}

static inline tacit_status crash_study_put(tc_store *t, const tc_study_row *row, int64_t *id,
                                           tacit_error *err)
{
    crash_store *s = crash_of(t);
    CRASH_WRITE(s, tc_store_study_put(s->disk, row, id, err), err);
}

static inline tacit_status crash_append(tc_store *t, const tc_append *a, tc_event_id *end,
                                        tacit_error *err)
{
    crash_store *s = crash_of(t);
    CRASH_WRITE(s, tc_store_append_id(s->disk, a, end, err), err);
}

static inline tacit_status crash_change(tc_store *t, const tc_change *c, size_t n, size_t *refused,
                                        tacit_error *err)
{
    crash_store *s = crash_of(t);
    CRASH_WRITE(s, tc_store_change(s->disk, c, n, refused, err), err);
}

static inline tacit_status crash_drop(tc_store *t, const tc_record_range *range, tacit_error *err)
{
    crash_store *s = crash_of(t);
    CRASH_WRITE(s, tc_store_record_drop(s->disk, range, err), err);
}

static inline tacit_status crash_erase(tc_store *t, int64_t study, tacit_error *err)
{
    crash_store *s = crash_of(t);
    CRASH_WRITE(s, tc_store_study_erase(s->disk, study, err), err);
}

static inline tacit_status crash_confirm(tc_store *t, int64_t study, tc_event_id which,
                                         tacit_error *err)
{
    crash_store *s = crash_of(t);
    return crash_gone(s) ? crash_dead(err) : tc_store_confirm(s->disk, study, which, err);
}

static inline uint64_t crash_moment(tc_store *t)
{
    return tc_store_moment(crash_of(t)->disk);
}

static inline tacit_status crash_wait_durable(tc_store *t, uint64_t since, tacit_error *err)
{
    crash_store *s = crash_of(t);
    s->waits++;
    if (s->disk_gone)
        return tc_fail(err, TACIT_E_IO, "the disk is gone");
    return crash_gone(s) ? crash_dead(err) : tc_store_wait_durable(s->disk, since, err);
}

/* ---- reading ---- */

static inline tacit_status crash_study_get(tc_store *t, const char *name, tc_study_row *out,
                                           tacit_error *err)
{
    crash_store *s = crash_of(t);
    s->rows++;
    return crash_gone(s) ? crash_dead(err) : tc_store_study_get(s->disk, name, out, err);
}

typedef struct crash_listing {
    crash_store *store;
    tc_study_visit visit;
    void *user;
} crash_listing;

static inline tacit_status crash_list_one(void *user, const tc_study_row *row, tacit_error *err)
{
    crash_listing *l = user;
    l->store->rows++;
    return l->visit(l->user, row, err);
}

static inline tacit_status crash_study_list(tc_store *t, int64_t after, tc_study_visit visit,
                                            void *user, tacit_error *err)
{
    crash_store *s = crash_of(t);
    crash_listing l = {s, visit, user};
    return crash_gone(s) ? crash_dead(err)
                         : tc_store_study_list_after(s->disk, after, crash_list_one, &l, err);
}

static inline tacit_status crash_scan(tc_store *t, int64_t study, tc_event_id after,
                                      tc_event_visit visit, void *user, tacit_error *err)
{
    crash_store *s = crash_of(t);
    return crash_gone(s) ? crash_dead(err)
                         : tc_store_scan_after(s->disk, study, after, visit, user, err);
}

static inline tacit_status crash_find_tell(tc_store *t, int64_t study, uint64_t trial,
                                           tc_event_visit visit, void *user, tacit_error *err)
{
    crash_store *s = crash_of(t);
    return crash_gone(s) ? crash_dead(err)
                         : tc_store_find_tell(s->disk, study, trial, visit, user, err);
}

static inline tacit_status crash_record_get(tc_store *t, const tc_record *which, tc_record *out,
                                            tacit_error *err)
{
    crash_store *s = crash_of(t);
    s->gets += !tc_record_is_ledger(which->kind);
    return crash_gone(s) ? crash_dead(err) : tc_store_record_get(s->disk, which, out, err);
}

typedef struct crash_seen {
    crash_store *store;
    tc_record_visit visit;
    void *user;
} crash_seen;

static inline tacit_status crash_see(void *user, const tc_record *r, tacit_error *err)
{
    crash_seen *v = user;
    v->store->places += r->kind == TC_RECORD_AGENT;
    v->store->duties += r->kind == TC_RECORD_DUTY;
    return v->visit(v->user, r, err);
}

static inline tacit_status crash_record_scan(tc_store *t, const tc_record_range *range,
                                             tc_record_visit visit, void *user, tacit_error *err)
{
    crash_store *s = crash_of(t);
    crash_seen v = {s, visit, user};
    s->heads += range->kind == TC_RECORD_LEDGER_HEAD;
    return crash_gone(s) ? crash_dead(err)
                         : tc_store_record_scan(s->disk, range, crash_see, &v, err);
}

static inline tacit_status crash_record_count(tc_store *t, const tc_record_range *range,
                                              uint64_t *out, tacit_error *err)
{
    crash_store *s = crash_of(t);
    TC_TRY(crash_gone(s) ? crash_dead(err) : tc_store_record_count(s->disk, range, out, err));
    s->places += range->kind == TC_RECORD_AGENT ? *out : 0;
    return TACIT_OK;
}

/* ---- */

static const tc_store_ops crash_ops = {.scheme = "crash",
                                       .study_put = crash_study_put,
                                       .study_get = crash_study_get,
                                       .study_list = crash_study_list,
                                       .append = crash_append,
                                       .scan = crash_scan,
                                       .find_tell = crash_find_tell,
                                       .change = crash_change,
                                       .record_get = crash_record_get,
                                       .record_scan = crash_record_scan,
                                       .record_count = crash_record_count,
                                       .record_drop = crash_drop,
                                       .confirm = crash_confirm,
                                       .moment = crash_moment,
                                       .wait_durable = crash_wait_durable,
                                       .study_erase = crash_erase};

static inline void crash_init(crash_store *s, tc_store *disk)
{
    *s = (crash_store){.base = {.ops = &crash_ops}, .disk = disk};
}

/* Alive again, for good. */
static inline void crash_restart(crash_store *s)
{
    s->dead = false;
    s->at = s->at_call = 0;
}

static inline void crash_fini(crash_store *s)
{
    tc_store_close(s->disk);
}

#endif
