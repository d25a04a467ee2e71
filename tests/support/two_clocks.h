/* two_clocks.h - for tests of agreed time: clocks that a test sets, and a store that several processes could use, which
 * fails or is interrupted when a test says so. */
#ifndef TEST_TWO_CLOCKS_H
#define TEST_TWO_CLOCKS_H

#include "support/test.h"

#include "base/error.h"
#include "study/agreed.h"

/* ---- the clocks of one machine, in milliseconds ---- */

typedef struct two_clocks {
    int64_t wall, truth;
} two_clocks;

static inline void read_two_clocks(void *user, int64_t *wall_ns, int64_t *true_ns)
{
    const two_clocks *c = user;
    *wall_ns = c->wall * 1000000;
    *true_ns = c->truth * 1000000;
}

static inline void two_clocks_pass(two_clocks *c, int64_t ms)
{
    c->wall += ms;
    c->truth += ms;
}

static inline void sleep_two_clocks(void *user, int64_t ms)
{
    two_clocks_pass(user, ms);
}

static inline tc_hands two_clocks_hands(two_clocks *c)
{
    return (tc_hands){.user = c, .read = read_two_clocks, .sleep = sleep_two_clocks};
}

/* ---- the store: one in memory that says it is shared ---- */

static struct {
    bool fails;                   /* it answers nothing */
    int changes;                  /* that were made */
    void (*interrupt)(void *arg); /* once, before the next change */
    void *arg;
} shared_store;

static inline tacit_status shared_hold(tc_store *s, const char *name, tc_name_lock **out,
                                       tacit_error *err)
{
    (void)s;
    (void)name;
    (void)out;
    return tc_fail(err, TACIT_E_BUSY, "not in this test");
}

static inline tacit_status shared_record_get(tc_store *s, const tc_record *which, tc_record *out,
                                             tacit_error *err)
{
    return shared_store.fails ? tc_fail(err, TACIT_E_IO, "the store is away")
                              : tc_store_memory.record_get(s, which, out, err);
}

static inline tacit_status shared_change(tc_store *s, const tc_change *c, size_t n, size_t *refused,
                                         tacit_error *err)
{
    void (*interrupt)(void *) = shared_store.interrupt;
    shared_store.interrupt = NULL;
    if (interrupt)
        interrupt(shared_store.arg);
    if (shared_store.fails)
        return tc_fail(err, TACIT_E_IO, "the store is away");
    tacit_status status = tc_store_memory.change(s, c, n, refused, err);
    shared_store.changes += status == TACIT_OK;
    return status;
}

static inline tc_store *shared_store_open(void)
{
    static tc_store_ops ops;
    tacit_error err = {0};
    tc_store *s;
    ops = tc_store_memory;
    ops.lock_name = shared_hold;
    ops.record_get = shared_record_get;
    ops.change = shared_change;
    memset(&shared_store, 0, sizeof shared_store);
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    s->ops = &ops;
    return s;
}

#endif
