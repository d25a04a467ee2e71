/* federation_trial.c - one trial of every active agent (federation.h).
 *
 * Agents of a federated algorithm share what is public, so where the algorithm can score many in one
 * pass, a chunk of them is asked at once, with the same bits as one by one. Then each runs its trial
 * and is told what came of it. */
#include "base/error.h"
#include "sim/federation_int.h"

#include <inttypes.h>

/* The agents of a chunk that have no trial yet. */
typedef struct asking {
    tc_optimizer *o[TC_CHUNK_MOST];
    uint64_t agent[TC_CHUNK_MOST];
    tc_event event[TC_CHUNK_MOST];
    size_t n;
} asking;

static const tc_ask_request request = {0};

/* ---- what agents want of each other ---- */

static tacit_status hand_on(tc_federation *f, tc_member *m, const tc_need *need, tacit_error *err)
{
    const tc_member *from = need->party < f->cfg.agents ? &f->members[need->party] : NULL;
    tc_event e;
    if (from && from->kept && from->kept_round == need->round) {
        TC_TRY(tc_optimizer_fetch(m->o, need->round, need->party, tc_text_get(&from->handed),
                                  from->handed.len, 0, &e, err));
        m->fetches++;
        m->fetched_bytes += from->handed.len;
    } else {
        TC_TRY(tc_optimizer_miss(m->o, need->round, need->party,
                                 "the message did not reach the relay", 0, &e, err));
        m->misses++;
    }
    return tc_optimizer_apply(m->o, &e, err);
}

static tacit_status fetch(tc_federation *f, uint64_t i, tacit_error *err)
{
    tc_member *m = &f->members[i];
    for (;;) {
        tc_need need;
        TC_TRY(tc_optimizer_need(m->o, &need, err));
        if (!(need.must & TC_NEED_FETCH))
            return TACIT_OK;
        TC_TRY(hand_on(f, m, &need, err));
    }
}

/* The counters of agents are summed here, where nobody else runs. */
static void count_fetches(tc_federation *f)
{
    tacit_message_counts *t = &f->tally;
    t->fetches = t->fetched_bytes = t->misses = 0;
    for (uint64_t i = 0; i < f->cfg.agents; i++) {
        t->fetches += f->members[i].fetches;
        t->fetched_bytes += f->members[i].fetched_bytes;
        t->misses += f->members[i].misses;
    }
}

/* ---- trials ---- */

/* Asking is pure: after a failure each is asked again, to find whose it was. */
static tacit_status ask_siblings(asking *a, tacit_error *err)
{
    tacit_status status = tc_optimizer_next_many(a->o, a->n, &request, a->event, err);
    for (size_t k = 0; status != TACIT_OK && k < a->n; k++)
        if (tc_optimizer_next(a->o[k], &request, &a->event[k], err) != TACIT_OK)
            return tc_fail_in(err, "agent %" PRIu64, a->agent[k]);
    return status;
}

static tacit_status ask(const tc_federation *f, asking *a, tacit_error *err)
{
    const tc_algorithm *algorithm = f->cfg.algorithm;
    if (tc_algorithm_federated(algorithm) && algorithm->optimizer->ask_many) {
        TC_TRY(tc_federation_goes_on(f, err));
        return ask_siblings(a, err);
    }
    for (size_t k = 0; k < a->n; k++) {
        TC_TRY(tc_federation_goes_on(f, err));
        if (tc_optimizer_next(a->o[k], &request, &a->event[k], err) != TACIT_OK)
            return tc_fail_in(err, "agent %" PRIu64, a->agent[k]);
    }
    return TACIT_OK;
}

/* Takes the event of one agent; *done: it was an ask, and its trial is complete. */
static tacit_status take(const tc_federation *f, uint64_t agent, tc_optimizer *o,
                         const tc_event *event, bool *done, tacit_error *err)
{
    tc_event told;
    TC_TRY(tc_optimizer_apply(o, event, err));
    *done = event->kind == TC_EVENT_ASK;
    if (!*done)
        return TACIT_OK;
    const tc_trial *t = tc_optimizer_trial(o, event->trial);
    double y = f->cfg.objective(f->cfg.user, agent, t->number, t->values);
    TC_TRY(tc_optimizer_tell(o, t->number, NULL, y, 0, &told, err));
    if (f->cfg.noise_sd)
        told.noise_sd = f->cfg.noise_sd(f->cfg.user, agent);
    return tc_optimizer_apply(o, &told, err);
}

/* One event of each that asks; those that asked for a fit first are kept for the next time. */
static tacit_status ask_once(const tc_federation *f, asking *a, tacit_error *err)
{
    size_t left = 0;
    TC_TRY(ask(f, a, err));
    for (size_t k = 0; k < a->n; k++) {
        bool done;
        TC_TRY(tc_federation_goes_on(f, err));
        if (take(f, a->agent[k], a->o[k], &a->event[k], &done, err) != TACIT_OK)
            return tc_fail_in(err, "agent %" PRIu64, a->agent[k]);
        if (done)
            continue;
        a->o[left] = a->o[k];
        a->agent[left++] = a->agent[k];
    }
    a->n = left;
    return TACIT_OK;
}

static void try_chunk(void *ctx, size_t c)
{
    tc_federation *f = ctx;
    tacit_error *err = &f->failures[c];
    asking a = {.n = 0};
    for (uint64_t i = c * f->chunk; i < f->active && a.n < f->chunk; i++) {
        a.o[a.n] = f->members[i].o;
        a.agent[a.n++] = i;
    }
    while (a.n > 0 && ask_once(f, &a, err) == TACIT_OK) {
    }
}

tacit_status tc_federation_trials(tc_federation *f, tacit_error *err)
{
    if (f->cfg.algorithm->relay) {
        TC_TRY(tc_federation_each(f, fetch, err));
        count_fetches(f);
    }
    tc_pool_for(f->cfg.pool, f->n_chunks, try_chunk, f);
    return tc_federation_failure(f, err);
}
