/* agreed.h - the time that deadlines and leases go by: one time for all processes on a store.
 *
 * Agreed time is the wall clock's of the store (PostgreSQL: of the database; else of this machine), without its
 * jumps. While the processes watch, a wall clock that is set changes nothing at once: agreed time follows by running
 * an eighth faster or slower until both agree. So a minute lasts between 53 and 69 seconds when the
 * wall clock is set; steps of less than a second between two looks are followed at once, as clocks differ by so much.
 *
 * Agreed time is a function of the wall clock and of one record of the store, the anchor, which is written when
 * somebody sees a jump; a store whose wall clock was never set has none. Each process looks at both about once a
 * second (tc_agreed_sync) and compares the wall clock with a clock that nobody sets. In between it goes on by
 * that clock, also while the store does not answer. agreed_time.c has the rules, README.md the reasons.
 *
 * A process that has just started cannot know whether the wall clock was set a moment ago. It is not sure until it
 * has watched for TC_AGREED_WATCH_MS, and treats nothing as past until then.
 *
 * Thread-safe. For src/coord and src/study. */
#ifndef TC_STUDY_AGREED_H
#define TC_STUDY_AGREED_H

#include "study/store.h"

enum {
    TC_AGREED_SYNC_MS = 1000,  /* between two looks at the store */
    TC_AGREED_WATCH_MS = 2500, /* from the start until a process is sure */
};

typedef struct tc_agreed tc_agreed;

/* Clocks for tests. read gives both at one moment, in nanoseconds: Unix time, and a clock that nobody sets. */
typedef struct tc_hands {
    void *user;
    void (*read)(void *user, int64_t *wall_ns, int64_t *true_ns);
    void (*sleep)(void *user, int64_t ms);
} tc_hands;

/* The store is borrowed, and so is hands->user. hands NULL: the store's wall clock and the system's. Looks at the store; should
 * that fail, the wall clock of this machine serves until the next look. */
tacit_status tc_agreed_new(tc_agreed **out, tc_store *store, const tc_hands *hands,
                           tacit_error *err);
void tc_agreed_free(tc_agreed *c); /* NULL is allowed */

/* Unix milliseconds. Never waits for the store. Goes back only where sync finds that this process was wrong. */
int64_t tc_agreed_unix_ms(tc_agreed *c);
/* May something be treated as past? */
bool tc_agreed_is_sure(tc_agreed *c);
/* Looks at the store, if no other thread is at it and the last look is not newer than half of TC_AGREED_SYNC_MS, so that
 * a call every TC_AGREED_SYNC_MS is a look. Waits as long as the store does. A store that fails changes nothing: the
 * next look finds out. */
void tc_agreed_sync(tc_agreed *c);
/* Waits until it is sure, which is TC_AGREED_WATCH_MS at most where the store answers. */
tacit_status tc_agreed_await(tc_agreed *c, tacit_error *err);

/* Is this the anchor? It belongs to the wall clock beside it, and so it is in no backup. */
bool tc_agreed_is_anchor(const tc_record *r);

#endif
