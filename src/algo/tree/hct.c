/* hct.c - high-confidence trees [Azar, Lazaric, Brunskill 2014], and the bandit of one client.
 *
 * From the root, follow the child with the largest B while a node has its tau_h(t) samples; pull
 * where that ends. A leaf with tau_h(t) samples is split. A node that was split may fall short
 * again when tau_h grows with t: it is pulled then, and never split twice (PyXAB does, and loses
 * the samples of its children).
 *
 *     U = mean + nu rho^h + sqrt(c^2 ln(1/delta~) / n)      tau_h = c^2 ln(1/delta~) rho^(-2h) / nu^2
 *     delta~ = min(c_1 delta / t+, 1)   c_1 = (rho/(3 nu))^(1/8)   t+ = 2^(floor(log2 t) + 1)
 *
 * t+ changes when t is a power of two, and then all bounds are renewed: log2 T passes over the
 * tree. Every other pull costs the way down and back. The root's samples do not count: it is split
 * from the beginning. */
#include "algo/tree/hct.h"
#include "algo/tree/tree_save.h"

#include "base/error.h"

#include <math.h>

/* From pull t on; t is a power of two, so t+ = 2t. */
static void begin_epoch(tc_hct *h, uint64_t t)
{
    double c1 = pow(h->o->rho / (3 * h->o->nu), 1.0 / 8);
    double log_term = fmax(-log(c1 * h->o->delta / (2 * (double)t)), 0);
    h->renew = 2 * t;
    h->spread = h->o->c * h->o->c * log_term;
    /* At least one sample: where log_term is small a node would else be split unseen. */
    for (size_t d = 1; d <= TC_DEPTH_MAX; d++)
        h->tau[d] = fmax(ceil(h->spread / (h->slack[d] * h->slack[d])), 1);
}

static tacit_status init(void *c, const tc_bandit_env *env, const void *opts, tacit_error *err)
{
    tc_hct *h = c;
    const tc_hct_options *o = h->o = opts;
    h->t = 1;
    double slack = o->nu;
    for (size_t d = 0; d <= TC_DEPTH_MAX; d++, slack *= o->rho)
        h->slack[d] = slack;
    begin_epoch(h, 1);
    TC_TRY(tc_tree_init(&h->tree, env->dim, (unsigned)o->children, err));
    return tc_tree_split(&h->tree, 0, err);
}

static void ask(const void *c, tc_pulls *out)
{
    const tc_hct *h = c;
    size_t node = tc_tree_best_child(&h->tree, 0);
    for (const tc_node *v = &h->tree.nodes[node]; v->child && (double)v->n >= h->tau[v->depth];
         v = &h->tree.nodes[node])
        node = tc_tree_best_child(&h->tree, node);
    *out = (tc_pulls){node, 1};
}

/* The samples of one node have changed: its U, not yet any B. */
static void weigh(tc_hct *h, size_t node)
{
    tc_node *v = &h->tree.nodes[node];
    if (v->n == 0)
        return; /* U stays infinite */
    double n = (double)v->n;
    v->upper =
        (double)v->sum / (n * (double)TC_REWARD_ONE) + h->slack[v->depth] + sqrt(h->spread / n);
}

static void weigh_all(tc_hct *h)
{
    for (size_t i = 1; i < h->tree.n; i++)
        weigh(h, i);
    tc_tree_raise_all(&h->tree);
}

/* The node may be split by this: then tree.n has grown. */
static tacit_status tell(void *c, const tc_pulled *p, tacit_error *err)
{
    tc_hct *h = c;
    tc_node *v = &h->tree.nodes[p->arm];
    v->n += p->n;
    v->sum += p->sum;
    weigh(h, p->arm);
    tc_tree_raise(&h->tree, p->arm);
    bool split = v->child == 0 && (double)v->n >= h->tau[v->depth] && v->depth < h->tree.max_depth;
    h->t += p->n;
    if (split)
        TC_TRY(tc_tree_split(&h->tree, p->arm, err));
    while (h->t >= h->renew) {
        begin_epoch(h, h->renew);
        weigh_all(h);
    }
    return TACIT_OK;
}

/* ---- the state as numbers ---- */

enum { VERSION = 1 }; /* of a saved state */

static tacit_status save(const void *c, tc_numbers *out, tacit_error *err)
{
    const tc_hct *h = c;
    TC_TRY(tc_numbers_add(out, VERSION, err));
    return tc_save_tree(out, &h->tree, err);
}

/* The pulls so far are those of all nodes; the epoch began at the power of two before. */
static tacit_status load(void *c, const tc_numbers *saved, const tc_numbers *broadcast,
                         tacit_error *err)
{
    (void)broadcast;
    tc_hct *h = c;
    tc_saved s = tc_saved_begin(saved, VERSION);
    TC_TRY(tc_saved_tree(&s, &h->tree, err));
    s.bad |= h->tree.n == 1 || h->tree.nodes[0].n > 0; /* the root is split, and never pulled */
    for (size_t i = 0; i < h->tree.n; i++)
        h->t += h->tree.nodes[i].n;
    uint64_t begun = 1;
    while (begun <= h->t / 2)
        begun *= 2;
    begin_epoch(h, begun);
    weigh_all(h);
    return tc_saved_end(&s, "hct", err);
}

static const tc_option options[] = {TC_HCT_OPTION_ROWS(0), {.name = NULL}};

const tc_bandit tc_bandit_hct = {
    .name = "hct",
    .summary = "high-confidence tree: optimism over an ever finer partition",
    .source = "Azar, Lazaric, Brunskill (2014)",
    .options = options,
    .options_size = sizeof(tc_hct_options),
    .client_size = sizeof(tc_hct),
    .init = init,
    .fini = tc_tree_bandit_fini,
    .ask = ask,
    .cell = tc_tree_bandit_cell,
    .point = tc_tree_bandit_point,
    .arms = tc_tree_bandit_arms,
    .arm_of = tc_tree_bandit_arm_of,
    .tell = tell,
    .save = save,
    .load = load,
};
