/* fed_hct_tree.c - the optimistic tree of a fed-hct client. Called by fed_hct.c and fed_hct_save.c.
 *
 * hct (hct.c) with four changes. A node has n samples of the client's own and k pseudo-samples, which
 * stand for what the others saw (fed_hct.c); its mean is that of both, and
 *
 *     width = sqrt(v' (z n + min(z, 9) k)) / (n + k)       z = 2 ln(1/delta~), delta~ as in hct
 *     U     = mean + width + slack_h                       slack_h = max(nu rho^h, up_{h+1})
 *     B     = min(U, max(B of the best child, mean - width - margin))      of a leaf: U
 *
 * 1. v' is the variance of rewards as all clients together have seen it, held to [c'^2/8, c^2/2] with
 *    c' = min(c, 0.1), where hct has c^2/2: widths are those of hct or less. (Without noise, those of
 *    less than c' lost the optimum of doublesine.) A large c is a promise about all rewards, not a
 *    measurement; what is measured may go below it. Pseudo-samples err by how clients differ, which more
 *    pulls do not repeat: three standard deviations are enough for them.
 * 2. slack_h is how far the federation has found a mean to rise where a cell is split, if that is
 *    more than nu rho^h. Falling says nothing about what a cell may hold: with steps of either sign in
 *    the slack, clients searched all of 10-D rastrigin, where every split is a step down.
 * 3. A node is passed once width <= max(nu rho^h, step_{h+1}), the step in either direction: for k = 0
 *    and no step these are hct's tau_h samples. One of them has to be its own. hct must believe its nu
 *    and rho; where they are too small, in more than one dimension and at cusps, it pulls each cell of
 *    its way until the mean is far surer than the cell is flat, 4^h times at depth h. Most of its regret
 *    on such functions are these pulls. As long as nobody has seen any rise, at any depth, there is
 *    nothing to hurry to, and nodes are passed as in hct.
 * 4. A centre is a point like any other. If mean - width - margin is above the B of all children, the
 *    cell has nothing better: B is that bound, and where the way down leads here it ends here. On the
 *    event that all bounds hold, B is at least the optimum all along this way, and the lower bound at
 *    most the value of the centre: the pull has no regret. But slacks may be too small, and who stays
 *    never learns so. The margin is the largest step, of either sign, that was seen at any depth; without
 *    it clients stayed for good beside the optimum of 2-D rastrigin. As long as no step is known, nobody
 *    stays anywhere.
 *
 * That much is proved of 4. Of 1 to 3 nothing is: v and the steps are estimates, not bounds.
 *
 * Where hct with the same constants was seen to have less regret, by more than 5 %: only on 10-D
 * rastrigin with similar clients (shift 0.01), where going down faster is a loss before it is a gain.
 * M = 10, T = 100: 10 % (T = 300: 5 %); M = 2, T = 300: 8 %; M = 10, T = 30000, children=4, rho=0.25: 7 %;
 * p < 0.005 each. At T = 3000 and more, with the default constants, fed-hct has a third of its regret. */
#include "algo/tree/fed_hct.h"

#include "base/error.h"

#include <math.h>

static const double BETWEEN = 9;     /* (three standard deviations)^2 */
static const double NARROWEST = 0.1; /* c' */

static void begin_slack(tc_fed_hct_client *c)
{
    double slack = c->o->hct.nu;
    c->margin = INFINITY;
    for (size_t d = 0; d <= TC_DEPTH_MAX; d++, slack *= c->o->hct.rho)
        c->slack[d] = c->pass[d] = slack;
}

/* Not wider than hct, and not narrower than half of hct with c'. */
static void begin_spread(tc_fed_hct_client *c)
{
    double least = fmin(c->o->hct.c, NARROWEST);
    c->spread = fmin(fmax(c->variance, least * least / 8), c->o->hct.c * c->o->hct.c / 2);
}

tacit_status tc_fed_hct_tree_init(tc_fed_hct_client *c, size_t dim, tacit_error *err)
{
    c->t = 1;
    c->variance = c->o->hct.c * c->o->hct.c / 2;
    begin_spread(c);
    begin_slack(c);
    TC_TRY(tc_tree_init(&c->tree, dim, (unsigned)c->o->hct.children, err));
    TC_TRY(tc_tree_split(&c->tree, 0, err));
    tc_fed_hct_renew(c);
    return TACIT_OK;
}

/* The largest mean square of any depth: of steps (0), of rises (1). */
static double largest(const tc_fed_hct_parts *p, size_t which)
{
    int64_t most = 0;
    for (size_t d = 2; d <= p->depths; d++) {
        int64_t square = p->steps[2 * (d - 1) + which];
        most = square > most ? square : most;
    }
    return (double)most * TC_FED_HCT_UNIT;
}

/* Nobody has been below depth H; there the square of a step shrinks by rho with each depth. */
void tc_fed_hct_learn(tc_fed_hct_client *c, const tc_numbers *broadcast)
{
    tc_fed_hct_parts p = tc_fed_hct_parts_of(broadcast);
    bool risen = largest(&p, 1) > 0;
    double step = 0, up = 0, most = largest(&p, 0); /* squares */
    c->variance = (double)broadcast->v[0] * TC_FED_HCT_UNIT;
    begin_spread(c);
    begin_slack(c);
    if (most > 0)
        c->margin = sqrt(most);
    for (size_t d = 2; risen && d <= TC_DEPTH_MAX; d++) {
        const int64_t *pair = p.steps + 2 * (d - 1);
        step = d <= p.depths ? (double)pair[0] * TC_FED_HCT_UNIT : step * c->o->hct.rho;
        up = d <= p.depths ? (double)pair[1] * TC_FED_HCT_UNIT : up * c->o->hct.rho;
        c->slack[d - 1] = fmax(c->slack[d - 1], sqrt(up));
        c->pass[d - 1] = fmax(c->pass[d - 1], sqrt(step));
    }
}

/* ---- bounds ---- */

static double mean_of(const tc_node *v)
{
    return (double)v->sum / ((double)v->n * (double)TC_REWARD_ONE);
}

/* v' (z n + min(z, 9) k): the square of the width, times (n + k)^2. */
static double spread_of(const tc_fed_hct_client *c, const tc_node *v)
{
    double k = (double)v->prior, n = (double)v->n - k;
    return c->spread * (c->confidence * n + fmin(c->confidence, BETWEEN) * k);
}

static double width_of(const tc_fed_hct_client *c, const tc_node *v)
{
    return sqrt(spread_of(c, v)) / (double)v->n;
}

static double upper_of(const tc_fed_hct_client *c, const tc_node *v)
{
    return v->n ? mean_of(v) + width_of(c, v) + c->slack[v->depth] : INFINITY;
}

static double bound_of(const tc_fed_hct_client *c, size_t node)
{
    const tc_node *v = &c->tree.nodes[node];
    if (v->child == 0)
        return v->upper;
    double bound = c->tree.nodes[tc_tree_best_child(&c->tree, node)].bound;
    if (v->n)
        bound = fmax(bound, mean_of(v) - width_of(c, v) - c->margin);
    return fmin(v->upper, bound);
}

void tc_fed_hct_weigh(tc_fed_hct_client *c, size_t node)
{
    c->tree.nodes[node].upper = upper_of(c, &c->tree.nodes[node]);
    for (;;) {
        tc_node *v = &c->tree.nodes[node];
        double bound = bound_of(c, node);
        if (bound == v->bound)
            return;
        v->bound = bound;
        if (node == 0)
            return;
        node = v->parent;
    }
}

/* t+ = 2^(floor(log2 t) + 1), which is also when the bounds are renewed next. */
void tc_fed_hct_renew(tc_fed_hct_client *c)
{
    c->renew = 2;
    while (c->renew <= c->t)
        c->renew *= 2;
    double c1 = pow(c->o->hct.rho / (3 * c->o->hct.nu), 1.0 / 8);
    c->confidence = 2 * fmax(-log(c1 * c->o->hct.delta / (double)c->renew), 0);
    for (size_t i = c->tree.n; i-- > 1;) { /* children stand behind their parent */
        c->tree.nodes[i].upper = upper_of(c, &c->tree.nodes[i]);
        c->tree.nodes[i].bound = bound_of(c, i);
    }
    c->tree.nodes[0].bound = bound_of(c, 0);
}

/* ---- the way down ---- */

bool tc_fed_hct_is_known(const tc_fed_hct_client *c, size_t node)
{
    const tc_node *v = &c->tree.nodes[node];
    double reach = c->pass[v->depth] * (double)v->n;
    return v->n > v->prior && spread_of(c, v) <= reach * reach;
}

size_t tc_fed_hct_select(const tc_fed_hct_client *c)
{
    size_t node = tc_tree_best_child(&c->tree, 0);
    for (;;) {
        const tc_node *v = &c->tree.nodes[node];
        if (v->child == 0 || !tc_fed_hct_is_known(c, node))
            return node;
        size_t best = tc_tree_best_child(&c->tree, node);
        if (v->bound > c->tree.nodes[best].bound)
            return node; /* only its centre can have raised B so far */
        node = best;
    }
}
