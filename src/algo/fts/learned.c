/* learned.c - weights of agents that are learned: the paper's future work (section 7).
 *
 * An agent may read only the messages that it drew, at most one for a trial. So it keeps those, and
 * judges each by how well phi(x)'omega ranks its own observations, which grow while the message
 * stays. Kendall's balance (pairs ordered rightly less pairs ordered wrongly) has, for a message
 * that knows nothing, mean 0 and variance n(n-1)(2n+5)/18; z is the balance in units of that
 * deviation, and the weight of its sender is e^z. Early on nothing can be said: z is near 0, and so
 * all weights are near 1, that of an agent whose message was never read. Later a like-minded agent
 * wins, and the weight of one with another objective vanishes.
 *
 * Whoever is drawn is then followed with probability min(1, e^z), else the query is the agent's own:
 * what was read may turn out to contradict what is known, and p_t only grows. In one-shot mode
 * a message that was followed is used up, as ever; one that was not waits in the cache for better
 * days. In general mode the agents whose last messages ranked well are read again more often. */
#include "algo/fts/weights.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

static const double largest_z = 50; /* beyond it nothing changes, and e^z stays far from overflow */

double tc_fts_rank_weight(double balance, size_t n)
{
    double count = (double)n;
    if (n < 2)
        return 1;
    return exp(fmin(balance / sqrt(count * (count - 1) * (2 * count + 5) / 18), largest_z));
}

static void kept_fini(tc_fts_kept *k)
{
    tc_free(k->omega);
    tc_free(k->fit);
}

void tc_fts_message_cache_fini(tc_fts_message_cache *s)
{
    for (size_t i = 0; i < s->n; i++)
        kept_fini(&s->kept[i]);
    tc_free(s->kept);
    *s = (tc_fts_message_cache){0};
}

static double sign(double x)
{
    return (double)((x > 0) - (x < 0));
}

/* Adds the pairs of observation i with all before it. */
static void compare(tc_fts_kept *k, const double *y, size_t i)
{
    for (size_t j = 0; j < i; j++)
        k->balance += sign(k->fit[i] - k->fit[j]) * sign(y[i] - y[j]);
}

/* Takes in the observations that it has not seen. */
static tacit_status judge(tc_fts_kept *k, const tc_fts_core *c, tacit_error *err)
{
    const tc_history *h = c->env->history;
    if (!tc_grow((void **)&k->fit, &k->cap, h->n, sizeof *k->fit))
        return tc_fail_memory(err);
    for (; k->fits < h->n; k->fits++) {
        k->fit[k->fits] = tc_dot(c->features->rff.M, tc_fts_phi(c, k->fits, c->draw), k->omega);
        compare(k, h->y, k->fits);
    }
    k->weight = tc_fts_rank_weight(k->balance, k->fits);
    return TACIT_OK;
}

static tacit_status kept_init(tc_fts_kept *k, const tc_fts_core *c, const double *omega,
                              tacit_error *err)
{
    size_t M = c->features->rff.M;
    k->omega = tc_alloc(M, sizeof *k->omega);
    if (!k->omega)
        return tc_fail_memory(err);
    memcpy(k->omega, omega, M * sizeof *omega);
    k->since = c->env->history->n;
    return judge(k, c, err);
}

static size_t find(const tc_fts_message_cache *s, uint64_t party)
{
    size_t i = 0;
    while (i < s->n && s->kept[i].party != party)
        i++;
    return i;
}

tacit_status tc_fts_message_cache_put(tc_fts_message_cache *s, const tc_fts_core *c, uint64_t party,
                                      uint64_t round, const double *omega, size_t *slot,
                                      tacit_error *err)
{
    tc_fts_kept made = {.party = party, .round = round};
    size_t at = find(s, party);
    if (!tc_grow((void **)&s->kept, &s->cap, s->n + 1, sizeof *s->kept))
        return tc_fail_memory(err);
    tacit_status status = kept_init(&made, c, omega, err);
    if (status != TACIT_OK) {
        kept_fini(&made);
        return status;
    }
    if (at < s->n)
        kept_fini(&s->kept[at]);
    else
        s->n++;
    s->kept[at] = made;
    *slot = at;
    return TACIT_OK;
}

tacit_status tc_fts_message_cache_observe(tc_fts_message_cache *s, const tc_fts_core *c,
                                          tacit_error *err)
{
    for (size_t i = 0; i < s->n; i++)
        TC_TRY(judge(&s->kept[i], c, err));
    return TACIT_OK;
}
