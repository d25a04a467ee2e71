/* fed_hct_server.c - adds up the trees of all clients, and judges how far they resemble each other.
 *
 * A node with samples of C clients, N in all, sum S, Q = sum of sum_m^2/n_m: with rewards of variance v
 * around client means that have variance w among themselves [random effects, DerSimonian & Laird 1986]
 *
 *     E(Q - S^2/N) = (C - 1) v + w (N - sum n_m^2 / N)
 *
 * so w can be estimated, and v from the squares of all rewards. What the others saw is worth
 *
 *     k = 1 / ((w/v)(1 + sum n_m^2 / N^2) + 1/N)
 *
 * samples of a client's own. `caution` standard errors are added to w, under w = 0: a few samples
 * alike prove nothing. Nodes of fewer than three clients take the w of their depth. All sums are
 * whole numbers and do not depend on the order of messages. */
#include "algo/tree/fed_hct.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

enum { FEW_CLIENTS = 3 };

tacit_status tc_fed_hct_server_init(tc_fed_hct_server *s, const tc_bandit_env *env,
                                    const tc_fed_hct_options *o, tacit_error *err)
{
    s->o = o;
    s->clients = env->clients;
    s->budget = env->budget;
    return tc_tree_init(&s->tree, env->dim, (unsigned)o->hct.children, err);
}

void tc_fed_hct_server_fini(tc_fed_hct_server *s)
{
    tc_tree_fini(&s->tree);
    tc_free(s->tally);
}

/* ---- messages in ---- */

static bool is_cell(const tc_tree *t, int64_t depth, int64_t cell)
{
    if (depth < 1 || depth > (int64_t)t->max_depth || cell < 0)
        return false;
    int64_t cells = 1;
    for (int64_t d = 0; d < depth; d++)
        cells *= t->k;
    return cell < cells;
}

/* No sum of such rewards is larger (tc_reward_of). */
static bool is_sum(const tc_fed_hct_server *s, int64_t n, int64_t sum)
{
    int64_t most = s->budget ? (int64_t)s->budget : INT64_MAX / (4 * TC_REWARD_ONE);
    return n >= 1 && n <= most && sum <= 2 * n * TC_REWARD_ONE && sum >= -2 * n * TC_REWARD_ONE;
}

static tacit_status check(const tc_fed_hct_server *s, const tc_numbers *m, tacit_error *err)
{
    if (s->folded == s->clients)
        return tc_fail(err, TACIT_E_ARG, "more than %" PRIu64 " messages in a round", s->clients);
    if (m->n % TC_FED_HCT_SENT != 1)
        return tc_fail(err, TACIT_E_ARG,
                       "a message of %zu numbers; fed-hct has one, and 4 for each cell", m->n);
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT)
        if (!is_cell(&s->tree, e[0], e[1]) || !is_sum(s, e[2], e[3]))
            return tc_fail(err, TACIT_E_ARG,
                           "a message with %" PRId64 " samples of sum %" PRId64 " in cell %" PRId64
                           " of depth %" PRId64,
                           e[2], e[3], e[1], e[0]);
    return TACIT_OK;
}

/* The node of a cell, which is made if need be. */
static tacit_status node_of(tc_tree *t, tc_cell c, size_t *out, tacit_error *err)
{
    uint64_t unit = 1; /* cells of depth c.depth below one of the depth that is reached */
    for (uint32_t d = 1; d < c.depth; d++)
        unit *= t->k;
    size_t node = 0;
    for (uint32_t d = 0; d < c.depth; d++, unit /= t->k) {
        if (t->nodes[node].child == 0)
            TC_TRY(tc_tree_split(t, node, err));
        node = t->nodes[node].child + (size_t)(c.index / unit % t->k);
    }
    *out = node;
    return TACIT_OK;
}

static tacit_status make_room(tc_fed_hct_server *s, tacit_error *err)
{
    void *tally = s->tally;
    if (!tc_grow(&tally, &s->tally_cap, s->tree.n, sizeof *s->tally))
        return tc_fail_memory(err);
    s->tally = tally;
    while (s->n_tally < s->tree.n)
        s->tally[s->n_tally++] = (tc_fed_hct_tally){0};
    return TACIT_OK;
}

__extension__ typedef __int128 wide;

static tacit_status add_cell(tc_fed_hct_server *s, const int64_t *e, tacit_error *err)
{
    size_t node = 0;
    int64_t n = e[2], sum = e[3];
    TC_TRY(node_of(&s->tree, (tc_cell){(uint32_t)e[0], (uint64_t)e[1]}, &node, err));
    TC_TRY(make_room(s, err));
    s->tree.nodes[node].n += (uint64_t)n;
    s->tree.nodes[node].sum += sum;
    s->tally[node].clients++;
    s->tally[node].parts += (int64_t)((wide)sum * sum / ((wide)n * TC_REWARD_ONE));
    s->tally[node].n_squares += (tc_wide)n * (tc_wide)n;
    return TACIT_OK;
}

tacit_status tc_fed_hct_server_fold(tc_fed_hct_server *s, const tc_numbers *m, tacit_error *err)
{
    TC_TRY(check(s, m, err));
    for (const int64_t *e = m->v + 1; e < m->v + m->n; e += TC_FED_HCT_SENT)
        TC_TRY(add_cell(s, e, err));
    s->squares += m->v[0];
    s->folded++;
    return TACIT_OK;
}

/* ---- how far clients resemble each other ---- */

/* Sums over the nodes of a depth, or of one node: w is about excess / weight. */
typedef struct effect {
    double excess, weight, dof; /* Q - S^2/N - (C-1) v;  N - sum n_m^2/N;  C - 1 */
} effect;

typedef struct verdict {
    double variance; /* v; 0: not known yet */
    effect depth[TC_DEPTH_MAX + 1];
    uint32_t deepest;
} verdict;

static effect effect_of(const tc_fed_hct_server *s, size_t node, double variance)
{
    const tc_node *v = &s->tree.nodes[node];
    if (node >= s->n_tally || v->n == 0)
        return (effect){0};
    const tc_fed_hct_tally *t = &s->tally[node];
    double N = (double)v->n, one = (double)TC_REWARD_ONE, S = (double)v->sum / one;
    double dof = (double)t->clients - 1;
    return (effect){(double)t->parts / one - S * S / N - dof * variance,
                    N - (double)t->n_squares / N, dof};
}

static double variance_of(const tc_fed_hct_server *s)
{
    int64_t within = s->squares;
    double dof = 0;
    for (size_t i = 0; i < s->n_tally; i++) {
        within -= s->tally[i].parts;
        dof += (double)s->tree.nodes[i].n - (double)s->tally[i].clients;
    }
    return dof > 0 ? fmax((double)within / (double)TC_REWARD_ONE, 0) / dof : 0;
}

static void judge(const tc_fed_hct_server *s, verdict *out)
{
    *out = (verdict){.variance = variance_of(s)};
    for (size_t i = 0; i < s->tree.n; i++) {
        uint32_t depth = s->tree.nodes[i].depth;
        effect e = effect_of(s, i, out->variance), *sum = &out->depth[depth];
        sum->excess += e.excess;
        sum->weight += e.weight;
        sum->dof += e.dof;
        out->deepest = depth > out->deepest ? depth : out->deepest;
    }
}

/* w with its caution; infinite where nothing is known. */
static double difference(const effect *e, double variance, double caution)
{
    if (!(e->weight > 0))
        return INFINITY;
    return (fmax(e->excess, 0) + caution * variance * sqrt(2 * e->dof)) / e->weight;
}

static int64_t worth(const tc_fed_hct_server *s, const verdict *v, size_t node)
{
    double N = (double)s->tree.nodes[node].n, n_squares = (double)s->tally[node].n_squares;
    effect own = effect_of(s, node, v->variance);
    const effect *e = own.dof + 1 >= FEW_CLIENTS ? &own : &v->depth[s->tree.nodes[node].depth];
    double w = difference(e, v->variance, s->o->caution);
    if (!(v->variance > 0))
        return w == 0 ? (int64_t)N : 0; /* rewards without noise: all the same, or who knows */
    double k = 1 / (w / v->variance * (1 + n_squares / (N * N)) + 1 / N);
    return (int64_t)fmin(k, (double)s->o->borrow);
}

/* ---- the broadcast ---- */

static tacit_status cast(const tc_fed_hct_server *s, const verdict *v, size_t node, tc_numbers *out,
                         tacit_error *err)
{
    const tc_node *n = &s->tree.nodes[node];
    if (n->n == 0)
        return TACIT_OK;
    TC_TRY(tc_numbers_add(out, n->depth, err));
    TC_TRY(tc_numbers_add(out, (int64_t)n->cell, err));
    TC_TRY(tc_numbers_add(out, (int64_t)n->n, err));
    TC_TRY(tc_numbers_add(out, n->sum, err));
    return tc_numbers_add(out, worth(s, v, node), err);
}

/* The cells of one depth below a node, in order. */
static tacit_status cast_depth(const tc_fed_hct_server *s, const verdict *v, size_t node,
                               uint32_t depth, tc_numbers *out, tacit_error *err)
{
    const tc_node *n = &s->tree.nodes[node];
    if (n->depth == depth)
        return cast(s, v, node, out, err);
    for (size_t j = 0; n->child && j < s->tree.k; j++)
        TC_TRY(cast_depth(s, v, n->child + j, depth, out, err));
    return TACIT_OK;
}

/* Messages are about everything since the beginning: nothing is carried to the next round. */
static void clear(tc_fed_hct_server *s)
{
    for (size_t i = 0; i < s->tree.n; i++) {
        s->tree.nodes[i].n = 0;
        s->tree.nodes[i].sum = 0;
    }
    for (size_t i = 0; i < s->n_tally; i++)
        s->tally[i] = (tc_fed_hct_tally){0};
    s->squares = 0;
    s->folded = 0;
}

tacit_status tc_fed_hct_server_close(tc_fed_hct_server *s, tc_numbers *broadcast, tacit_error *err)
{
    verdict v;
    if (s->folded == 0)
        return tc_fail(err, TACIT_E_STATE, "there is no message in this round");
    judge(s, &v);
    for (uint32_t d = 1; d <= v.deepest; d++)
        TC_TRY(cast_depth(s, &v, 0, d, broadcast, err));
    clear(s);
    return TACIT_OK;
}
