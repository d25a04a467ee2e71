/* server_park.c - requests that wait for a round of their study, without a thread. Their connections are suspended.
 *
 * They lie in buckets, by the study in their path, and a study wakes its own alone: what another one does
 * costs them nothing. What changed is counted, and the count is read before the coordinator is asked, so
 * that a change between its answer and the parking is not missed. Who is woken asks again, in the queue of the
 * quick queue. Called by server.c, server_queue.c, server_request.c and server_events.c. */
#include "net/server_int.h"

#include "base/clock.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

enum {
    PARKED_MOST = 256, /* of one token */
    RECHECK_S = 5      /* in case that another process did something unsaid */
};

uint64_t tc_server_name(const tc_server *s, const char *text, size_t n)
{
    uint64_t name = 0;
    _Static_assert(sizeof s->secret == crypto_shorthash_KEYBYTES, "a key");
    crypto_shorthash((uint8_t *)&name, (const uint8_t *)text, n, s->secret);
    return name > 0 ? name : 1;
}

/* ---- waking ---- */

/* Takes those from a bucket that are of the study, or whose time ends by then. Under the lock. */
static void take(tc_server *s, size_t bucket, uint64_t study, uint64_t by_ns, tc_pending **out)
{
    for (tc_pending **at = &s->parked[bucket]; *at;) {
        tc_pending *p = *at;
        if (p->study == study || p->until_ns <= by_ns) {
            *at = p->next;
            p->next = *out;
            *out = p;
            s->shares[p->share].parked--;
        } else {
            at = &p->next;
        }
    }
}

static void resume(const tc_server *s, tc_pending *list)
{
    for (tc_pending *p = list, *next; p; p = next) {
        next = p->next; /* once queued, it is another thread's */
        tc_queue_add_again(s->quick, p);
    }
}

static void resume_by(tc_server *s, uint64_t by_ns)
{
    tc_pending *list = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < TC_WAIT_BUCKETS; i++)
        take(s, i, 0, by_ns, &list);
    pthread_mutex_unlock(&s->lock);
    resume(s, list);
}

void tc_server_resume_all(tc_server *s)
{
    resume_by(s, UINT64_MAX);
}

void tc_server_resume_due(tc_server *s)
{
    uint64_t now = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    bool all = now - s->recheck_ns >= RECHECK_S * UINT64_C(1000000000);
    if (all)
        s->recheck_ns = now;
    pthread_mutex_unlock(&s->lock);
    resume_by(s, all ? UINT64_MAX : now);
}

/* Listeners are woken a little later, all that was said until then at once (server_listen.c). */
void tc_server_changed(void *user, const char *study, bool waited_for)
{
    tc_server *s = user;
    tc_pending *list = NULL;
    uint64_t name = tc_server_name(s, study, strlen(study));
    size_t bucket = name % TC_WAIT_BUCKETS;
    pthread_mutex_lock(&s->lock);
    s->n_events++;
    s->events[bucket]++;
    if (waited_for) {
        s->changes[bucket]++;
        take(s, bucket, name, 0, &list);
    }
    bool ring = s->feeds && !s->rung;
    s->rung |= ring;
    pthread_mutex_unlock(&s->lock);
    resume(s, list);
    if (ring)
        (void)!write(s->bell, &(uint64_t){1}, sizeof(uint64_t));
}

/* ---- waiting ---- */

bool tc_server_may_park(const tc_pending *p)
{
    return tc_clock_ns() < p->until_ns;
}

/* A token that has too many of them is answered at once. */
bool tc_server_park(tc_server *s, tc_pending *p, uint64_t changes)
{
    size_t bucket = p->study % TC_WAIT_BUCKETS;
    pthread_mutex_lock(&s->lock);
    if (s->shares[p->share].parked >= PARKED_MOST)
        p->until_ns = 0;
    bool parks = !s->ending && s->changes[bucket] == changes && tc_server_may_park(p);
    if (parks) {
        s->shares[p->share].parked++;
        p->next = s->parked[bucket];
        s->parked[bucket] = p;
    }
    pthread_mutex_unlock(&s->lock);
    return parks;
}

uint64_t tc_server_changes(tc_server *s, uint64_t study, bool *ending)
{
    pthread_mutex_lock(&s->lock);
    uint64_t n = s->changes[study % TC_WAIT_BUCKETS];
    *ending = s->ending;
    pthread_mutex_unlock(&s->lock);
    return n;
}
