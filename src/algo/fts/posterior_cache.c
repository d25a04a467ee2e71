/* posterior_cache.c - posteriors that the agents of one process have read, each made ready once.
 *
 * Every agent reads those of all others: without the cache a federation of N in one process would
 * hold N^2 of them. What a posterior says does not depend on who reads it, so the first reader makes
 * it ready and puts it here, and whoever is given the same numbers borrows it, with the same bits as
 * if it had made its own. Agents join and leave one at a time (algorithm.h) but read in parallel,
 * under the lock; what the cache has is never changed. Only peers.c calls this. */
#include "algo/fts/peers.h"

#include "base/error.h"

#include <pthread.h>
#include <string.h>

typedef struct reading {
    double *numbers; /* of the message; NULL: nobody has read one yet */
    tc_peer peer;
} reading;

struct tc_posterior_cache {
    pthread_mutex_t lock; /* guards `read` */
    size_t users, agents;
    reading read[];
};

tacit_status tc_posterior_cache_join(tc_peers *p, tacit_error *err)
{
    const tc_peers *sibling = p->core.env->sibling;
    if (sibling) {
        p->cache = sibling->cache;
    } else {
        p->cache = tc_alloc(1, sizeof *p->cache + p->agents * sizeof *p->cache->read);
        if (!p->cache)
            return tc_fail_memory(err);
        pthread_mutex_init(&p->cache->lock, NULL);
        p->cache->agents = p->agents;
    }
    p->cache->users++;
    return TACIT_OK;
}

void tc_posterior_cache_leave(tc_posterior_cache *c)
{
    if (!c || --c->users > 0)
        return;
    for (size_t i = 0; i < c->agents; i++) {
        tc_free(c->read[i].numbers);
        tc_free(c->read[i].peer.memory);
    }
    pthread_mutex_destroy(&c->lock);
    tc_free(c);
}

static tacit_status put(tc_peers *p, reading *r, const double *message, size_t n, tacit_error *err)
{
    tc_peer made;
    double *numbers = tc_alloc(n, sizeof *numbers);
    if (!numbers)
        return tc_fail_memory(err);
    tacit_status status = tc_peers_make(p, p->kind->certain, &made, err);
    if (status != TACIT_OK) {
        tc_free(numbers);
        return status;
    }
    memcpy(numbers, message, n * sizeof *numbers);
    *r = (reading){.numbers = numbers, .peer = made};
    return TACIT_OK;
}

/* Borrowed if these are the numbers in the cache. */
static tacit_status look(tc_peers *p, uint64_t party, const double *message, size_t n, bool *found,
                         tacit_error *err)
{
    reading *r = &p->cache->read[party];
    if (!r->numbers)
        TC_TRY(put(p, r, message, n, err));
    *found = memcmp(r->numbers, message, n * sizeof *message) == 0;
    if (*found) {
        tc_peer_drop(&p->peer[party]);
        p->peer[party] = r->peer;
        p->peer[party].borrowed = true;
    }
    return TACIT_OK;
}

tacit_status tc_posterior_cache_take(tc_peers *p, uint64_t party, const double *message, size_t n,
                                     tacit_error *err)
{
    bool found = false;
    if (party < p->cache->agents) {
        pthread_mutex_lock(&p->cache->lock);
        tacit_status status = look(p, party, message, n, &found, err);
        pthread_mutex_unlock(&p->cache->lock);
        TC_TRY(status);
    }
    return found ? TACIT_OK : tc_peers_take(p, party, p->kind->certain, err);
}
