/* server_probe.c - /readyz: who asks waits for a probe of the store, but not for long.
 *
 * A probe may hang as long as the store does, so a thread of its own makes it (coord/ready.c). Requests are
 * suspended meanwhile, and answered with what the probe found; or, when it takes too long, with what is known by
 * then: that the store does not answer. However many ask, there is one probe. Called by server.c and
 * server_request.c. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

enum { WAIT_MS = 2500 }; /* a little more than it takes until a probe is said to hang */

struct tc_probe {
    tc_server *server;
    pthread_mutex_t lock; /* everything below */
    pthread_cond_t wanted;
    tc_pending *waiting; /* the newest first */
    pthread_t thread;
    bool started, ending;
};

/* Answers those whose time has come: with what is known. */
static void answer_all(tc_probe *t, uint64_t by_ns)
{
    tc_pending *list = NULL;
    pthread_mutex_lock(&t->lock);
    for (tc_pending **at = &t->waiting; *at;) {
        tc_pending *p = *at;
        if (p->until_ns > by_ns) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = list;
        list = p;
    }
    pthread_mutex_unlock(&t->lock);
    for (tc_pending *p = list, *next; p; p = next) {
        next = p->next; /* once resumed, it is another thread's */
        tc_server_ask(t->server, p, &p->answer);
        p->answered = true;
        MHD_resume_connection(p->connection);
    }
}

static void *run(void *user)
{
    tc_probe *t = user;
    pthread_mutex_lock(&t->lock);
    while (!t->ending) {
        if (!t->waiting) {
            pthread_cond_wait(&t->wanted, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        tc_coord_probe(t->server->coord);
        answer_all(t, UINT64_MAX);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

bool tc_probe_take(tc_server *s, tc_pending *p)
{
    tc_probe *t = s->probe;
    pthread_mutex_lock(&t->lock);
    bool waits = !t->ending && tc_coord_ready(s->coord) == TC_READY_UNKNOWN;
    if (waits) {
        MHD_suspend_connection(p->connection);
        p->until_ns = tc_clock_ns() + WAIT_MS * UINT64_C(1000000);
        p->next = t->waiting;
        t->waiting = p;
        pthread_cond_signal(&t->wanted);
    }
    pthread_mutex_unlock(&t->lock);
    return waits;
}

void tc_probe_part(tc_server *s)
{
    answer_all(s->probe, tc_clock_ns());
}

/* ---- birth and end ---- */

tacit_status tc_probe_start(tc_server *s, tacit_error *err)
{
    tc_probe *t = s->probe = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    t->server = s;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wanted, NULL);
    t->started = pthread_create(&t->thread, NULL, run, t) == 0;
    return t->started ? TACIT_OK : tc_fail_memory(err);
}

void tc_probe_end(tc_server *s)
{
    tc_probe *t = s->probe;
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->ending = true;
    pthread_cond_signal(&t->wanted);
    pthread_mutex_unlock(&t->lock);
    answer_all(t, UINT64_MAX);
    if (t->started)
        pthread_join(t->thread, NULL);
}

void tc_probe_free(tc_probe *t)
{
    if (!t)
        return;
    pthread_cond_destroy(&t->wanted);
    pthread_mutex_destroy(&t->lock);
    tc_free(t);
}
