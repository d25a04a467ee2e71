/* hoo.c - truncated hierarchical optimistic optimisation [Bubeck et al. 2011].
 *
 * Every pull follows the largest B to a node that has none below it, adds a child there and pulls
 * it, and counts for all nodes on the way:
 *
 *     U = mean + nu rho^h + sqrt(2 ln T / n)
 *
 * Below depth H = ceil((ln T / 2 - ln(1/nu)) / ln(1/rho)), where nu rho^H is about 1/sqrt(T), a
 * finer cell gains nothing: nodes there are pulled again. With T known, no U changes unless its
 * node is visited. Without (budget 0) T = 10^6 is taken. */
#include "algo/tree/bandit.h"
#include "algo/tree/tree_options.h"
#include "algo/tree/tree_save.h"

#include "base/error.h"

#include <math.h>

typedef struct hoo {
    tc_tree tree;                   /* first, as bandit.h wants it */
    double spread;                  /* 2 ln T */
    double slack[TC_DEPTH_MAX + 1]; /* nu rho^h */
} hoo;

enum { UNKNOWN_BUDGET = 1000000 };

static uint32_t truncation(const tc_hoo_options *o, double T, uint32_t most)
{
    double depth = ceil((log(T) / 2 + log(o->nu)) / -log(o->rho));
    return depth < 1 ? 1 : depth < most ? (uint32_t)depth : most;
}

static tacit_status init(void *c, const tc_bandit_env *env, const void *opts, tacit_error *err)
{
    hoo *h = c;
    const tc_hoo_options *o = opts;
    double T = env->budget ? (double)env->budget : UNKNOWN_BUDGET, slack = o->nu;
    h->spread = 2 * log(T);
    for (size_t d = 0; d <= TC_DEPTH_MAX; d++, slack *= o->rho)
        h->slack[d] = slack;
    TC_TRY(tc_tree_init(&h->tree, env->dim, (unsigned)o->children, err));
    h->tree.max_depth = truncation(o, T, h->tree.max_depth);
    return tc_tree_split(&h->tree, 0, err);
}

/* Children exist as soon as their parent has been pulled; without samples their B is infinite. */
static void ask(const void *c, tc_pulls *out)
{
    const hoo *h = c;
    size_t node = 0;
    do
        node = tc_tree_best_child(&h->tree, node);
    while (h->tree.nodes[node].child);
    *out = (tc_pulls){node, 1};
}

static void weigh(hoo *h, size_t node)
{
    tc_node *v = &h->tree.nodes[node];
    double n = (double)v->n;
    v->upper =
        (double)v->sum / (n * (double)TC_REWARD_ONE) + h->slack[v->depth] + sqrt(h->spread / n);
    v->bound = v->upper;
    if (v->child)
        v->bound = fmin(v->upper, h->tree.nodes[tc_tree_best_child(&h->tree, node)].bound);
}

/* All ancestors have one sample more, so unlike in hct every U on the way changes. */
static tacit_status tell(void *c, const tc_pulled *p, tacit_error *err)
{
    hoo *h = c;
    for (size_t node = p->arm;; node = h->tree.nodes[node].parent) {
        h->tree.nodes[node].n += p->n;
        h->tree.nodes[node].sum += p->sum;
        weigh(h, node);
        if (node == 0)
            break;
    }
    const tc_node *v = &h->tree.nodes[p->arm];
    if (v->child == 0 && v->depth < h->tree.max_depth)
        return tc_tree_split(&h->tree, p->arm, err);
    return TACIT_OK;
}

enum { VERSION = 1 }; /* of a saved state */

static tacit_status save(const void *c, tc_numbers *out, tacit_error *err)
{
    TC_TRY(tc_numbers_add(out, VERSION, err));
    return tc_save_tree(out, &((const hoo *)c)->tree, err);
}

/* A pull counts for all nodes on the way: no child has more samples than its parent. */
static tacit_status load(void *c, const tc_numbers *saved, const tc_numbers *broadcast,
                         tacit_error *err)
{
    (void)broadcast;
    hoo *h = c;
    tc_saved s = tc_saved_begin(saved, VERSION);
    TC_TRY(tc_saved_tree(&s, &h->tree, err));
    s.bad |= h->tree.n == 1; /* the root is split from the beginning */
    for (size_t i = h->tree.n; i > 0; i--) {
        const tc_node *v = &h->tree.nodes[i - 1];
        s.bad |= v->n > h->tree.nodes[v->parent].n;
        if (v->n > 0)
            weigh(h, i - 1);
    }
    return tc_saved_end(&s, "hoo", err);
}

static const tc_option options[] = {TC_HOO_OPTION_ROWS(0), {.name = NULL}};

const tc_bandit tc_bandit_hoo = {
    .name = "hoo",
    .summary = "truncated hierarchical optimistic optimisation",
    .source = "Bubeck, Munos, Stoltz, Szepesvari (2011)",
    .options = options,
    .options_size = sizeof(tc_hoo_options),
    .client_size = sizeof(hoo),
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
