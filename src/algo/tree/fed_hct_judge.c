/* fed_hct_judge.c - noise, smoothness and differences between clients, from the sums of a round.
 * Called by fed_hct_server.c alone.
 *
 * Noise. The squares of all rewards, less what the means of all clients at all nodes explain, give v;
 * c^2/2 counts as 20 degrees of freedom beside them, so that the first rounds do not trust a handful
 * of pulls.
 *
 * Smoothness. The mean of a client at a cell less its mean at the parent is a step. The mean square of
 * all steps to a depth, less 2v(1/n + 1/n') for the noise at both ends, says how much rewards change
 * there; that of the upward ones, how far a part may rise above its cell. Less than four steps say
 * nothing. Noise counts twice, because a cell is left alone after bad luck and pulled again after good:
 * the errors of what was pulled once are larger than v. Where noise was far above the steps (sd 0.3, steps
 * of 0.05) the plain difference took it for roughness, and clients searched everywhere.
 *
 * Differences. A node with samples of C clients, N in all, sum S, Q = sum of sum_m^2/n_m: with client
 * means that have variance w among themselves [random effects, DerSimonian & Laird 1986]
 *
 *     E(Q - S^2/N) = (C - 1) v + w (N - sum n_m^2 / N)
 *
 * so w can be estimated, of a node or of a whole depth. `caution` standard errors under w = 0 are added
 * to either: a few samples alike prove nothing. The w of the depth counts as four clients beside the
 * C - 1 of the node. The mean of the others has itself a variance of w sum n_m^2/N^2. And those who
 * pulled a cell are those for whom it was good: the fewer they are, the less they say of the rest, for
 * which w grows by M/C, a rule of thumb. */
#include "algo/tree/fed_hct.h"

#include <math.h>

static const double PRIOR_SAMPLES = 20, PRIOR_CLIENTS = 4, BAD_LUCK = 2;
enum { FEW_STEPS = 4 };

/* ---- noise and smoothness ---- */

static double variance_of(const tc_fed_hct_server *s)
{
    int64_t within = s->squares;
    double dof = 0, c = s->o->hct.c;
    for (size_t i = 0; i < s->n_tally; i++) {
        within -= s->tally[i].parts;
        dof += (double)s->tree.nodes[i].n - (double)s->tally[i].clients;
    }
    double seen = fmax((double)within / (double)TC_REWARD_ONE, 0);
    return (PRIOR_SAMPLES * c * c / 2 + seen) / (PRIOR_SAMPLES + dof);
}

/* The mean square of these steps, of `all` there were. */
static double step_of(const tc_fed_hct_steps *s, uint64_t all, double variance)
{
    if (all < FEW_STEPS || s->n == 0)
        return 0;
    double seen = (double)s->squares - BAD_LUCK * variance * (double)s->errors;
    return fmax(seen / ((double)s->n * (double)TC_REWARD_ONE), 0);
}

/* ---- differences ---- */

static tc_fed_hct_effect effect_of(const tc_fed_hct_server *s, size_t node, double variance)
{
    const tc_node *v = &s->tree.nodes[node];
    if (node >= s->n_tally || v->n == 0)
        return (tc_fed_hct_effect){0};
    const tc_fed_hct_tally *t = &s->tally[node];
    double N = (double)v->n, one = (double)TC_REWARD_ONE, S = (double)v->sum / one;
    double dof = (double)t->clients - 1;
    return (tc_fed_hct_effect){(double)t->parts / one - S * S / N - dof * variance,
                               N - (double)t->n_squares / N, dof};
}

/* w with its caution; infinite where nothing is known. */
static double variance_between(const tc_fed_hct_effect *e, double variance, double caution)
{
    if (!(e->weight > 0))
        return INFINITY;
    return (fmax(e->excess, 0) + caution * variance * sqrt(2 * e->dof)) / e->weight;
}

/* Over the cells below a node, in the order of the partition: that of the nodes in the tree depends on
 * who spoke first, and sums of doubles on their order. */
static void gather(const tc_fed_hct_server *s, size_t node, tc_fed_hct_verdict *out)
{
    const tc_node *v = &s->tree.nodes[node];
    tc_fed_hct_effect e = effect_of(s, node, out->variance), *sum = &out->depth[v->depth];
    sum->excess += e.excess;
    sum->weight += e.weight;
    sum->dof += e.dof;
    if (v->n && v->depth > out->deepest)
        out->deepest = v->depth;
    for (size_t j = 0; v->child && j < s->tree.k; j++)
        gather(s, v->child + j, out);
}

void tc_fed_hct_judge(const tc_fed_hct_server *s, tc_fed_hct_verdict *out)
{
    *out = (tc_fed_hct_verdict){.variance = variance_of(s)};
    for (size_t d = 0; d <= TC_DEPTH_MAX; d++) {
        out->step[d] = step_of(&s->steps[d], s->steps[d].n, out->variance);
        out->up[d] = step_of(&s->up[d], s->steps[d].n, out->variance);
    }
    gather(s, 0, out);
}

double tc_fed_hct_difference(const tc_fed_hct_server *s, const tc_fed_hct_verdict *v, size_t node)
{
    const tc_fed_hct_tally *t = &s->tally[node];
    double N = (double)s->tree.nodes[node].n, caution = s->o->caution;
    tc_fed_hct_effect e = effect_of(s, node, v->variance);
    double w = variance_between(&v->depth[s->tree.nodes[node].depth], v->variance, caution);
    if (e.weight > 0)
        w = (e.dof * variance_between(&e, v->variance, caution) + PRIOR_CLIENTS * w) /
            (e.dof + PRIOR_CLIENTS);
    return w * (1 + (double)t->n_squares / (N * N)) * (double)s->clients / (double)t->clients;
}
