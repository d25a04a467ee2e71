/* server_hold.c - requests that wait for something to change, without a thread.
 *
 * What changed is counted, and the count is read before the coordinator is asked, so that a change
 * between its answer and the suspension is not missed. Called by server.c and server_request.c. */
#include "net/server_int.h"

#include "base/clock.h"

void tc_server_resume_all(tc_server *s)
{
    pthread_mutex_lock(&s->lock);
    tc_pending *list = s->held;
    s->held = NULL;
    pthread_mutex_unlock(&s->lock);
    for (tc_pending *p = list, *next; p; p = next) {
        next = p->next; /* once resumed, it is another thread's */
        MHD_resume_connection(p->connection);
    }
}

void tc_server_changed(void *user)
{
    tc_server *s = user;
    pthread_mutex_lock(&s->lock);
    s->changes++;
    pthread_mutex_unlock(&s->lock);
    tc_server_resume_all(s);
    tc_feeds_wake(s);
}

bool tc_server_hold(tc_server *s, tc_pending *p, uint64_t changes)
{
    pthread_mutex_lock(&s->lock);
    bool holds = !s->ending && s->changes == changes && tc_clock_ns() < p->until_ns;
    if (holds) {
        MHD_suspend_connection(p->connection);
        p->next = s->held;
        s->held = p;
    }
    pthread_mutex_unlock(&s->lock);
    return holds;
}

uint64_t tc_server_changes(tc_server *s, bool *ending)
{
    pthread_mutex_lock(&s->lock);
    uint64_t n = s->changes;
    *ending = s->ending;
    pthread_mutex_unlock(&s->lock);
    return n;
}
