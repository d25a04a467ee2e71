/* steady.c - a clock that follows the wall clock without its jumps (steady.h). */
#include "base/steady.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define SECOND INT64_C(1000000000)

enum { PACE = 8 }; /* of so many nanoseconds one may be made up for */

struct tc_steady {
    tc_steady_read read;
    void *user;
    pthread_mutex_t lock; /* everything below */
    int64_t now_ns, true_ns;
    bool apart; /* the wall clock was set, and that has been said */
};

static int64_t read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static void read_system(void *user, int64_t *wall_ns, int64_t *true_ns)
{
    (void)user;
    *wall_ns = read_ns(CLOCK_REALTIME);
    *true_ns = read_ns(CLOCK_BOOTTIME);
}

tacit_status tc_steady_new(tc_steady **out, tc_steady_read read, void *user, tacit_error *err)
{
    tc_steady *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    s->read = read ? read : read_system;
    s->user = user;
    s->read(s->user, &s->now_ns, &s->true_ns);
    pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return TACIT_OK;
}

void tc_steady_free(tc_steady *s)
{
    if (!s)
        return;
    pthread_mutex_destroy(&s->lock);
    tc_free(s);
}

/* How far the wall clock is ahead, after a step towards it. */
static int64_t advance(tc_steady *s)
{
    int64_t wall_ns, true_ns;
    s->read(s->user, &wall_ns, &true_ns);
    int64_t passed = true_ns > s->true_ns ? true_ns - s->true_ns : 0;
    s->true_ns += passed;
    s->now_ns += passed;
    int64_t ahead = wall_ns - s->now_ns, most = passed / PACE;
    s->now_ns += ahead > most ? most : ahead < -most ? -most : ahead;
    return wall_ns - s->now_ns;
}

int64_t tc_steady_unix_ms(tc_steady *s)
{
    pthread_mutex_lock(&s->lock);
    int64_t ahead_s = advance(s) / SECOND, now_ns = s->now_ns;
    bool says = ahead_s != 0 && !s->apart;
    s->apart = ahead_s != 0;
    pthread_mutex_unlock(&s->lock);
    if (says)
        tc_log(TC_LOG_WARN,
               "the system's clock was set %lld s %s; deadlines and leases follow it slowly",
               (long long)llabs(ahead_s), ahead_s > 0 ? "forward" : "back");
    return now_ns / 1000000;
}
