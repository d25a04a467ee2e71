/* stuck.c - rounds that do not come to their end: one line in the log, and a number in the metrics.
 *
 * A round of a study with trustees has their time beside that: what it lacks is shown by `waits_for`.
 *
 * A round is stuck if it was to be closed and still is not a minute later, because its storage or its noise fails; or, in a study
 * without a deadline, if a day has passed since this process saw it open first: somebody on the roster is away, or dead. Neither says
 * who has sent: that a round is open, and since when, its listeners are told anyway (events.c). Called by the tick (closing.c)
 * and by health.c. */
#include "coord/coord_int.h"
#include "coord/open_study.h"
#include "coord/shared_round.h"

#include "base/log.h"

#include <inttypes.h>

enum { LATE_MS = 60 * 1000, LONG_MS = 24 * 3600 * 1000 };

/* Trustees that are slow end by themselves, in a void round if need be; those that deal no noise do not. */
static int64_t patience_ms(const tc_open_study *d)
{
    return tc_has_trustees(d) ? LATE_MS + 2 * tc_shared_wait_ms(d) : LATE_MS;
}

/* How long it has been overdue; below 0: it is not yet. */
static int64_t overdue_ms(const tc_open_study *d, const tc_watch *w, const tc_round *r,
                          int64_t now_ms)
{
    if (r->phase == TC_PHASE_CLOSING)
        return now_ms - w->since_ms - patience_ms(d);
    if (r->deadline_ms == 0)
        return now_ms - w->since_ms - LONG_MS;
    int64_t due_ms = r->deadline_ms > w->since_ms ? r->deadline_ms : w->since_ms;
    return now_ms - due_ms - LATE_MS; /* a process that has just started has not tried yet */
}

static void say(const tc_open_study *d, const tc_round *r)
{
    if (r->phase == TC_PHASE_OPEN && r->deadline_ms == 0)
        tc_log(TC_LOG_WARN,
               "study \"%s\": round %" PRIu64 " has been open for a day and has no deadline: it "
               "waits for the whole roster; revoke an agent that is gone, or close the study",
               d->name, r->number);
    else if (r->phase == TC_PHASE_CLOSING && tc_has_trustees(d))
        tc_log(TC_LOG_WARN,
               "study \"%s\": round %" PRIu64 " is not closed: it waits for its trustees to deal "
               "noise, or the log says why; start those that are away, or close the study",
               d->name, r->number);
    else
        tc_log(TC_LOG_WARN,
               "study \"%s\": round %" PRIu64 " should have been closed a minute ago and is not: "
               "the log says why, if this process has tried",
               d->name, r->number);
}

void tc_stuck_watch(const tc_coord *c, tc_open_study *d, const tc_round *r, bool runs)
{
    tc_watch *w = &d->watch;
    int64_t now_ms = tc_coord_now(c);
    bool waits = r->phase == TC_PHASE_CLOSING || (r->phase == TC_PHASE_OPEN && runs);
    if (!waits || !w->waits || w->round != r->number || w->phase != (int)r->phase) {
        w->since_ms = now_ms;
        atomic_store(&w->stuck, false);
    }
    w->waits = waits;
    w->round = r->number;
    w->phase = (int)r->phase;
    if (!waits || atomic_load(&w->stuck) || overdue_ms(d, w, r, now_ms) < 0)
        return;
    atomic_store(&w->stuck, true);
    say(d, r);
}

uint64_t tc_stuck_count(tc_coord *c)
{
    uint64_t n = 0;
    pthread_mutex_lock(&c->lock);
    for (const tc_open_study *d = c->open_studies; d; d = d->next)
        n += !d->gone && atomic_load(&d->watch.stuck);
    pthread_mutex_unlock(&c->lock);
    return n;
}
