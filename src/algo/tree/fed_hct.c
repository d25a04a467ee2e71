/* fed_hct.c - pooled high-confidence trees: every client runs hct and learns from the others.
 *
 * Not from a paper. At t = 2, 4, 8, ... the clients send the samples and sums of their nodes: log2 T
 * rounds. The server answers with three things (fed_hct_server.c). How noisy rewards are, and how
 * much a function changes where a cell is split: these are alike even for clients whose optima are
 * not, and set the widths of the tree (fed_hct_tree.c). And the sums of all clients, with the variance
 * W of a client's own mean around that of the others. N samples of others are then worth
 *
 *     k = v / (W + v/N)
 *
 * samples of the client's own. It counts k pseudo-samples with the others' mean beside its own, now
 * and when it splits a node later. (The sums contain its own samples if its message was heard, and then
 * they are subtracted.) Where clients resemble each other a node is known before it is
 * tried; where they do not, k is 0 and nothing is borrowed. docs/math.md has the whole of it. */
#include "algo/tree/fed_hct.h"

#include "base/error.h"

#include <math.h>

typedef tc_fed_hct_client client;

static tacit_status init(void *st, const tc_bandit_env *env, const void *opts, tacit_error *err)
{
    client *c = st;
    TC_TRY(tc_fed_hct_check_size(env, err));
    c->o = opts;
    c->round = 2;
    return tc_fed_hct_tree_init(c, env->dim, err);
}

static void ask(const void *st, tc_pulls *out)
{
    const client *c = st;
    *out = (tc_pulls){0};
    if (c->t - 1 < c->round)
        *out = (tc_pulls){tc_fed_hct_select(c), 1};
}

/* ---- borrowing ---- */

static bool before(const int64_t *e, const tc_node *v)
{
    return e[0] < (int64_t)v->depth || (e[0] == (int64_t)v->depth && e[1] < (int64_t)v->cell);
}

/* What the pool has about a node, or NULL. */
static const int64_t *find(const tc_numbers *pool, const tc_node *v)
{
    tc_fed_hct_parts all = tc_fed_hct_parts_of(pool);
    size_t low = 0, high = all.n_cells;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (before(all.cells + TC_FED_HCT_CAST * mid, v))
            low = mid + 1;
        else
            high = mid;
    }
    if (low == all.n_cells)
        return NULL;
    const int64_t *e = all.cells + TC_FED_HCT_CAST * low;
    return e[0] == (int64_t)v->depth && e[1] == (int64_t)v->cell ? e : NULL;
}

static uint32_t worth(const client *c, const int64_t *e, int64_t others)
{
    double k = c->variance / ((double)e[4] * TC_FED_HCT_UNIT + c->variance / (double)others);
    k = fmin(fmin(k, (double)others), (double)c->o->borrow);
    return k < UINT32_MAX ? (uint32_t)k : UINT32_MAX;
}

__extension__ typedef __int128 wide;

/* Renews the pseudo-samples of a node. `heard`: the pool contains the samples of its own, which are
 * those of the last round. (What is left must be possible: an agent's broadcast has doubles, in which
 * sums beyond 2^53 are rounded.) */
static void borrow(client *c, tc_node *v, bool heard)
{
    const int64_t *e = find(c->pool, v);
    v->n -= v->prior;
    v->sum -= v->prior_sum;
    v->prior = 0;
    v->prior_sum = 0;
    if (!e)
        return;
    wide others = (wide)e[2] - (heard ? (wide)v->n : 0), sum = (wide)e[3] - (heard ? v->sum : 0);
    if (others < 1 || sum > 2 * others * TC_REWARD_ONE || sum < -2 * others * TC_REWARD_ONE)
        return;
    v->prior = worth(c, e, (int64_t)others);
    v->prior_sum = (int64_t)(sum * v->prior / others);
    v->n += v->prior;
    v->sum += v->prior_sum;
}

static tacit_status split(client *c, size_t node, tacit_error *err)
{
    size_t n = c->tree.n;
    TC_TRY(tc_tree_split(&c->tree, node, err));
    for (size_t i = n; i < c->tree.n; i++) {
        if (c->pool)
            borrow(c, &c->tree.nodes[i], false); /* it has none of its own */
        tc_fed_hct_weigh(c, i);
    }
    return TACIT_OK;
}

static tacit_status tell(void *st, const tc_pulled *p, tacit_error *err)
{
    client *c = st;
    tc_node *v = &c->tree.nodes[p->arm];
    v->n += p->n;
    v->sum += p->sum;
    c->squares += p->squares;
    c->t += p->n;
    tc_fed_hct_weigh(c, p->arm);
    if (v->child == 0 && v->depth < c->tree.max_depth && tc_fed_hct_is_known(c, p->arm))
        TC_TRY(split(c, p->arm, err));
    if (c->t >= c->renew)
        tc_fed_hct_renew(c);
    return TACIT_OK;
}

/* ---- rounds ---- */

/* What a client sends of a node; false: nothing. */
static bool entry_of(const tc_node *v, int64_t e[TC_FED_HCT_SENT])
{
    e[0] = v->depth;
    e[1] = (int64_t)v->cell;
    e[2] = (int64_t)(v->n - v->prior);
    e[3] = v->sum - v->prior_sum;
    return e[2] > 0;
}

static tacit_status publish(const void *st, tc_numbers *out, tacit_error *err)
{
    const client *c = st;
    int64_t e[TC_FED_HCT_SENT];
    TC_TRY(tc_numbers_add(out, c->squares, err));
    for (size_t i = 0; i < c->tree.n; i++)
        for (size_t j = 0; entry_of(&c->tree.nodes[i], e) && j < TC_FED_HCT_SENT; j++)
            TC_TRY(tc_numbers_add(out, e[j], err));
    return TACIT_OK;
}

/* The mark of the last message: a client pulls nothing before the broadcast comes. */
static int64_t mark_of(const client *c)
{
    int64_t e[TC_FED_HCT_SENT];
    uint64_t mark = tc_fed_hct_mark(0, c->squares);
    for (size_t i = 0; i < c->tree.n; i++)
        for (size_t j = 0; entry_of(&c->tree.nodes[i], e) && j < TC_FED_HCT_SENT; j++)
            mark = tc_fed_hct_mark(mark, e[j]);
    return tc_fed_hct_mark_end(mark);
}

static bool is_heard(const client *c, const tc_numbers *broadcast)
{
    tc_fed_hct_parts p = tc_fed_hct_parts_of(broadcast);
    int64_t mark = mark_of(c);
    for (size_t i = 0; i < p.n_marks; i++)
        if (p.marks[i] == mark)
            return true;
    return false;
}

static tacit_status absorb(void *st, const tc_numbers *broadcast, tacit_error *err)
{
    client *c = st;
    TC_TRY(tc_fed_hct_check(broadcast, &c->tree, err));
    bool heard = is_heard(c, broadcast);
    c->pool = broadcast;
    c->round *= 2;
    tc_fed_hct_learn(c, broadcast);
    for (size_t i = 1; i < c->tree.n; i++)
        borrow(c, &c->tree.nodes[i], heard);
    tc_fed_hct_renew(c);
    return TACIT_OK;
}

static tacit_status skip(void *st, tacit_error *err)
{
    (void)err;
    ((client *)st)->round *= 2;
    return TACIT_OK;
}

/* ---- the table ---- */

static tacit_status server_init(void *s, const tc_bandit_env *env, const void *opts, uint64_t round,
                                tacit_error *err)
{
    (void)round;
    return tc_fed_hct_server_init(s, env, opts, err);
}

static const tc_option options[] = {TC_FED_HCT_OPTION_ROWS(0), {.name = NULL}};

const tc_bandit tc_bandit_fed_hct = {
    .name = "fed-hct",
    .summary = "every client's own optimum: hct that learns noise, smoothness and means from all",
    .source = "tacit, over Azar, Lazaric, Brunskill (2014)",
    .options = options,
    .options_size = sizeof(tc_fed_hct_options),
    .client_size = sizeof(client),
    .server_size = sizeof(tc_fed_hct_server),
    .init = init,
    .fini = tc_tree_bandit_fini,
    .ask = ask,
    .cell = tc_tree_bandit_cell,
    .point = tc_tree_bandit_point,
    .arm_of = tc_tree_bandit_arm_of,
    .arms = tc_tree_bandit_arms,
    .tell = tell,
    .save = tc_fed_hct_save,
    .load = tc_fed_hct_load,
    .publish = publish,
    .absorb = absorb,
    .skip = skip,
    .server_init = server_init,
    .server_fini = tc_fed_hct_server_fini,
    .fold = tc_fed_hct_server_fold,
    .close = tc_fed_hct_server_close,
};
