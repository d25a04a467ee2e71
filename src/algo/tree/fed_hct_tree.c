/* fed_hct_tree.c - the optimistic tree of a fed-hct client. Called by fed_hct.c alone.
 *
 * hct (hct.c) with four changes. A node has n samples of the client's own and k pseudo-samples, which
 * stand for what the others saw (fed_hct.c); its mean is that of both, and
 *
 *     width = sqrt(v' (z n + min(z, 9) k)) / (n + k)       z = 2 ln(1/delta~), delta~ as in hct
 *     U     = mean + width + slack_h                       slack_h = max(nu rho^h, step_{h+1})
 *     B     = min(U, max(B of the best child, mean - width))        of a leaf: U
 *
 * 1. v' is the variance of rewards as all clients together have seen it, held to [c^2/8, c^2/2], where
 *    hct has c^2/2: widths are those of hct or less, down to half of them. (Without noise, narrower
 *    ones lost the optimum of doublesine.) Pseudo-samples err by how clients differ, which more pulls
 *    do not repeat: three standard deviations are enough for them.
 * 2. slack_h is what the federation has found a mean to change by where a cell is split, if that is
 *    more than nu rho^h. hct must believe its nu and rho; where they are too small, in more than one
 *    dimension and at cusps, it pulls each cell of its way until the mean is far surer than the cell
 *    is flat, 4^h times at depth h. Most of its regret on such functions are these pulls.
 * 3. A node is passed once width <= slack_h: for k = 0 these are hct's tau_h samples. One of them has
 *    to be its own.
 * 4. A centre is a point like any other. If mean - width is above the B of all children, the cell has
 *    nothing better: B is that bound, and where the way down leads here it ends here. On the event
 *    that all bounds hold, B is at least the optimum all along this way, and mean - width at most the
 *    value of the centre: the pull has no regret.
 *
 * That much is proved of 4. Of 1 to 3 nothing is: v and the steps are estimates, not bounds. */
#include "algo/tree/fed_hct.h"

#include "base/error.h"

#include <math.h>

static const double BETWEEN = 9; /* (three standard deviations)^2 */

static void begin_slack(tc_fed_hct_client *c)
{
    double slack = c->o->hct.nu;
    for (size_t d = 0; d <= TC_DEPTH_MAX; d++, slack *= c->o->hct.rho)
        c->slack[d] = slack;
}

/* Not wider than hct, and not narrower than half of that. */
static void begin_spread(tc_fed_hct_client *c)
{
    double most = c->o->hct.c * c->o->hct.c / 2;
    c->spread = fmin(fmax(c->variance, most / 4), most);
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

/* Nobody has been below depth H; there the square of a step shrinks by rho with each depth. */
void tc_fed_hct_learn(tc_fed_hct_client *c, const tc_numbers *broadcast)
{
    const int64_t *step = broadcast->v + 1; /* step[h] is that to depth h, for h = 1 .. H */
    int64_t H = *step;
    double square = 0;
    c->variance = (double)broadcast->v[0] * TC_FED_HCT_UNIT;
    begin_spread(c);
    begin_slack(c);
    for (int64_t d = 2; d <= TC_DEPTH_MAX; d++) {
        square = d <= H ? (double)step[d] * TC_FED_HCT_UNIT : square * c->o->hct.rho;
        c->slack[d - 1] = fmax(c->slack[d - 1], sqrt(square));
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
        bound = fmax(bound, mean_of(v) - width_of(c, v));
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
    double reach = c->slack[v->depth] * (double)v->n;
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
