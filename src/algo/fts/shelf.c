/* shelf.c - posteriors that the agents of one process have read, each made ready once.
 *
 * Every agent reads those of all others: without the shelf a federation of N in one process would
 * hold N^2 of them. What a posterior says does not depend on who reads it, so the first reader makes
 * it ready and puts it here, and whoever is given the same numbers borrows it, with the same bits as
 * if it had made its own. Agents join and leave one at a time (algorithm.h) but read in parallel,
 * under the lock; what stands on the shelf is never changed. Only peers.c calls this. */
#include "algo/fts/peers.h"

#include "base/error.h"

#include <pthread.h>
#include <string.h>

typedef struct reading {
    double *numbers; /* of the message; NULL: nobody has read one yet */
    tc_peer peer;
} reading;

struct tc_shelf {
    pthread_mutex_t lock; /* guards `read` */
    size_t users, agents;
    reading read[];
};

tacit_status tc_shelf_join(tc_peers *p, tacit_error *err)
{
    const tc_peers *sibling = p->core.env->sibling;
    if (sibling) {
        p->shelf = sibling->shelf;
    } else {
        p->shelf = tc_alloc(1, sizeof *p->shelf + p->agents * sizeof *p->shelf->read);
        if (!p->shelf)
            return tc_fail_memory(err);
        pthread_mutex_init(&p->shelf->lock, NULL);
        p->shelf->agents = p->agents;
    }
    p->shelf->users++;
    return TACIT_OK;
}

void tc_shelf_leave(tc_shelf *s)
{
    if (!s || --s->users > 0)
        return;
    for (size_t i = 0; i < s->agents; i++) {
        tc_free(s->read[i].numbers);
        tc_free(s->read[i].peer.memory);
    }
    pthread_mutex_destroy(&s->lock);
    tc_free(s);
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

/* Borrowed if these are the numbers on the shelf. */
static tacit_status look(tc_peers *p, uint64_t party, const double *message, size_t n, bool *found,
                         tacit_error *err)
{
    reading *r = &p->shelf->read[party];
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

tacit_status tc_shelf_take(tc_peers *p, uint64_t party, const double *message, size_t n,
                           tacit_error *err)
{
    bool found = false;
    if (party < p->shelf->agents) {
        pthread_mutex_lock(&p->shelf->lock);
        tacit_status status = look(p, party, message, n, &found, err);
        pthread_mutex_unlock(&p->shelf->lock);
        TC_TRY(status);
    }
    return found ? TACIT_OK : tc_peers_take(p, party, p->kind->certain, err);
}
