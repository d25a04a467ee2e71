/* fed_hct_save.c - a client of fed-hct as whole numbers, and back. See tree_save.h. Called by fed_hct.c.
 *
 * Clock and tree as in hct, the next round, and what is borrowed: pseudo-samples are counted in the n and
 * the sum of a node, and beside them. Variance and slacks are those of the last broadcast. */
#include "algo/tree/fed_hct.h"
#include "algo/tree/tree_save.h"

#include "base/error.h"

enum { VERSION = 1, ROUND_MOST = 62 }; /* rounds are after 2, 4, 8, ... 2^62 pulls */

tacit_status tc_fed_hct_save(const void *client, tc_numbers *out, tacit_error *err)
{
    const tc_fed_hct_client *c = client;
    TC_TRY(tc_numbers_add(out, VERSION, err));
    TC_TRY(tc_numbers_add(out, (int64_t)c->round, err));
    TC_TRY(tc_numbers_add(out, c->squares, err));
    TC_TRY(tc_save_tree(out, &c->tree, err));
    for (size_t i = 0; i < c->tree.n; i++) {
        TC_TRY(tc_numbers_add(out, c->tree.nodes[i].prior, err));
        TC_TRY(tc_numbers_add(out, c->tree.nodes[i].prior_sum, err));
    }
    return TACIT_OK;
}

/* Pseudo-samples are some of a node's samples. */
static void take_prior(tc_saved *s, tc_node *v)
{
    int64_t most = v->n < UINT32_MAX ? (int64_t)v->n : UINT32_MAX;
    v->prior = (uint32_t)tc_saved_take(s, 0, most);
    int64_t sum = 2 * (int64_t)v->prior * TC_REWARD_ONE;
    v->prior_sum = tc_saved_take(s, -sum, sum);
}

/* The next round is after a power of two of pulls, which are not passed; no square is above 4. */
static bool fits(const tc_fed_hct_client *c)
{
    uint64_t pulls = c->t - 1;
    return (c->round & (c->round - 1)) == 0 && pulls <= c->round &&
           c->squares / (4 * TC_REWARD_ONE) <= (int64_t)pulls;
}

tacit_status tc_fed_hct_load(void *client, const tc_numbers *saved, const tc_numbers *broadcast,
                             tacit_error *err)
{
    tc_fed_hct_client *c = client;
    tc_saved s = tc_saved_begin(saved, VERSION);
    c->round = (uint64_t)tc_saved_take(&s, 2, INT64_C(1) << ROUND_MOST);
    c->squares = tc_saved_take(&s, 0, INT64_MAX);
    TC_TRY(tc_saved_tree(&s, &c->tree, err));
    s.bad |= c->tree.n == 1 || c->tree.nodes[0].n > 0; /* the root is split, and never pulled */
    for (size_t i = 0; i < c->tree.n && !s.bad; i++) {
        take_prior(&s, &c->tree.nodes[i]);
        c->t += c->tree.nodes[i].n - c->tree.nodes[i].prior;
    }
    s.bad = s.bad || !fits(c);
    TC_TRY(tc_saved_end(&s, "fed-hct", err));
    if (broadcast) {
        TC_TRY(tc_fed_hct_check(broadcast, &c->tree, err));
        c->pool = broadcast;
        tc_fed_hct_learn(c, broadcast);
    }
    tc_fed_hct_renew(c);
    return TACIT_OK;
}
