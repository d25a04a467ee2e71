/* fed_hct.c - pooled high-confidence trees: every client runs hct and borrows from the others.
 *
 * Not from a paper. At t = 2, 4, 8, ... the clients send the samples and sums of their nodes; the server
 * adds them up and says for each node how many samples of a client's own the others' are worth
 * (fed_hct_server.c). A client counts that many pseudo-samples, with the others' mean, beside its own:
 * now, and when it splits a node later. Where clients resemble each other a node is known before it is
 * tried; where they do not, nothing is borrowed and hct remains. log2 T rounds. */
#include "algo/tree/fed_hct.h"

#include "base/error.h"

#include <math.h>

typedef struct client {
    tc_hct hct;
    int64_t squares; /* of all own rewards */
    uint64_t round;  /* pulls after which the next round is due */
    const tc_numbers
        *pool; /* the last broadcast, which outlives its successor's arrival; or NULL */
} client;

static tacit_status init(void *st, const tc_bandit_env *env, const void *opts, tacit_error *err)
{
    client *c = st;
    c->round = 2;
    return tc_hct_init(&c->hct, env->dim, &((const tc_fed_hct_options *)opts)->hct, err);
}

static void fini(void *st)
{
    tc_hct_fini(&((client *)st)->hct);
}

static void ask(const void *st, tc_pulls *out)
{
    const client *c = st;
    *out = (tc_pulls){0};
    if (c->hct.t - 1 < c->round)
        *out = (tc_pulls){tc_hct_select(&c->hct), 1};
}

/* ---- borrowing ---- */

static bool before(const int64_t *e, const tc_node *v)
{
    return e[0] < (int64_t)v->depth || (e[0] == (int64_t)v->depth && e[1] < (int64_t)v->cell);
}

/* What the pool has about a node, or NULL. */
static const int64_t *find(const tc_numbers *pool, const tc_node *v)
{
    size_t low = 0, high = pool->n / TC_FED_HCT_CAST;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (before(pool->v + TC_FED_HCT_CAST * mid, v))
            low = mid + 1;
        else
            high = mid;
    }
    if (low == pool->n / TC_FED_HCT_CAST)
        return NULL;
    const int64_t *e = pool->v + TC_FED_HCT_CAST * low;
    return e[0] == (int64_t)v->depth && e[1] == (int64_t)v->cell ? e : NULL;
}

__extension__ typedef __int128 wide;

/* Renews the pseudo-samples of a node. Its own samples of the last round are in the pool. */
static void borrow(client *c, size_t node)
{
    tc_node *v = &c->hct.tree.nodes[node];
    const int64_t *e = find(c->pool, v);
    v->n -= v->prior;
    v->sum -= v->prior_sum;
    v->prior = 0;
    v->prior_sum = 0;
    if (e && e[2] > (int64_t)v->n) {
        int64_t others = e[2] - (int64_t)v->n, k = e[4] < others ? e[4] : others;
        v->prior = k < UINT32_MAX ? (uint32_t)k : UINT32_MAX;
        v->prior_sum = (int64_t)((wide)(e[3] - v->sum) * v->prior / others);
        v->n += v->prior;
        v->sum += v->prior_sum;
    }
    if (v->n == 0)
        v->upper = INFINITY;
    tc_hct_weigh(&c->hct, node);
}

static tacit_status tell(void *st, const tc_pulled *p, tacit_error *err)
{
    client *c = st;
    size_t n = c->hct.tree.n;
    c->squares += p->squares;
    TC_TRY(tc_hct_tell(&c->hct, p, err));
    for (size_t i = n; c->pool && i < c->hct.tree.n; i++) {
        borrow(c, i);
        tc_tree_raise(&c->hct.tree, i);
    }
    return TACIT_OK;
}

/* ---- rounds ---- */

static tacit_status publish(const void *st, tc_numbers *out, tacit_error *err)
{
    const client *c = st;
    TC_TRY(tc_numbers_add(out, c->squares, err));
    for (size_t i = 0; i < c->hct.tree.n; i++) {
        const tc_node *v = &c->hct.tree.nodes[i];
        if (v->n == v->prior)
            continue;
        TC_TRY(tc_numbers_add(out, v->depth, err));
        TC_TRY(tc_numbers_add(out, (int64_t)v->cell, err));
        TC_TRY(tc_numbers_add(out, (int64_t)(v->n - v->prior), err));
        TC_TRY(tc_numbers_add(out, v->sum - v->prior_sum, err));
    }
    return TACIT_OK;
}

static tacit_status absorb(void *st, const tc_numbers *broadcast, tacit_error *err)
{
    client *c = st;
    if (broadcast->n % TC_FED_HCT_CAST)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "a broadcast of %zu numbers; fed-hct has 5 for each cell", broadcast->n);
    c->pool = broadcast;
    c->round *= 2;
    for (size_t i = 1; i < c->hct.tree.n; i++)
        borrow(c, i);
    tc_tree_raise_all(&c->hct.tree);
    return TACIT_OK;
}

static tacit_status skip(void *st, tacit_error *err)
{
    (void)err;
    ((client *)st)->round *= 2;
    return TACIT_OK;
}

/* ---- the table ---- */

static tc_cell cell(const void *st, size_t arm, unsigned *k)
{
    const client *c = st;
    *k = c->hct.tree.k;
    return tc_tree_cell(&c->hct.tree, arm);
}

static void point(const void *st, size_t arm, double *u)
{
    const client *c = st;
    tc_cell_centre(tc_tree_cell(&c->hct.tree, arm), c->hct.tree.k, c->hct.tree.dim, u);
}

static size_t arms(const void *st)
{
    return ((const client *)st)->hct.tree.n;
}

static size_t arm_of(const void *st, const double *u)
{
    return tc_tree_leaf_of(&((const client *)st)->hct.tree, u);
}

static tacit_status server_init(void *s, const tc_bandit_env *env, const void *opts, uint64_t round,
                                tacit_error *err)
{
    (void)round;
    return tc_fed_hct_server_init(s, env, opts, err);
}

static void server_fini(void *s)
{
    tc_fed_hct_server_fini(s);
}

static tacit_status fold(void *s, const tc_numbers *m, tacit_error *err)
{
    return tc_fed_hct_server_fold(s, m, err);
}

static tacit_status close(void *s, tc_numbers *broadcast, tacit_error *err)
{
    return tc_fed_hct_server_close(s, broadcast, err);
}

static const tc_option options[] = {TC_FED_HCT_OPTION_ROWS(0), {.name = NULL}};

const tc_bandit tc_bandit_fed_hct = {
    .name = "fed-hct",
    .summary = "every client's own optimum: hct, and what similar clients saw as a prior",
    .source = "tacit, over Azar, Lazaric, Brunskill (2014)",
    .options = options,
    .options_size = sizeof(tc_fed_hct_options),
    .client_size = sizeof(client),
    .server_size = sizeof(tc_fed_hct_server),
    .init = init,
    .fini = fini,
    .ask = ask,
    .cell = cell,
    .point = point,
    .arm_of = arm_of,
    .arms = arms,
    .tell = tell,
    .publish = publish,
    .absorb = absorb,
    .skip = skip,
    .server_init = server_init,
    .server_fini = server_fini,
    .fold = fold,
    .close = close,
};
