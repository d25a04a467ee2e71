/* hct_test.c - hct and hoo beside slow ones that recompute every bound at every pull. */
#include "support/test.h"

#include "support/bandit_client.h"

#include "algo/tree/hct.h"

/* ---- the slow tree ---- */

enum { NODES = 4000 };

typedef struct slow_node {
    tc_cell cell;
    double n, sum; /* exact: whole numbers */
    size_t child;  /* 0: a leaf */
    size_t parent;
} slow_node;

typedef struct slow {
    size_t n;
    unsigned k;
    double nu, rho, c, delta, T;
    slow_node v[NODES];
} slow;

static void split(slow *s, size_t node)
{
    assert_true(s->n + s->k <= NODES);
    s->v[node].child = s->n;
    for (unsigned j = 0; j < s->k; j++)
        s->v[s->n++] = (slow_node){.cell = tc_cell_child(s->v[node].cell, s->k, j), .parent = node};
}

static slow *slow_new(unsigned k, double nu, double rho, double c, double delta, double T)
{
    slow *s = tc_alloc(1, sizeof *s);
    assert_non_null(s);
    *s = (slow){.n = 1, .k = k, .nu = nu, .rho = rho, .c = c, .delta = delta, .T = T};
    split(s, 0);
    return s;
}

static double mean(const slow_node *v)
{
    return v->sum / (v->n * (double)TC_REWARD_ONE);
}

/* ---- hct by its definition ---- */

static double hct_log(const slow *s, uint64_t t)
{
    double plus = 1;
    while (plus <= (double)t)
        plus *= 2;
    return -log(fmin(pow(s->rho / (3 * s->nu), 0.125) * s->delta / plus, 1));
}

static double hct_tau(const slow *s, uint64_t t, uint32_t depth)
{
    double slack = s->nu * pow(s->rho, depth);
    return fmax(ceil(s->c * s->c * hct_log(s, t) / (slack * slack)), 1);
}

static double hct_bound(const slow *s, uint64_t t, size_t node)
{
    const slow_node *v = &s->v[node];
    double most = -INFINITY, upper = INFINITY;
    if (v->n > 0)
        upper = mean(v) + s->nu * pow(s->rho, v->cell.depth) + s->c * sqrt(hct_log(s, t) / v->n);
    for (unsigned j = 0; v->child && j < s->k; j++)
        most = fmax(most, hct_bound(s, t, v->child + j));
    return v->child ? fmin(upper, most) : upper;
}

static double hoo_bound(const slow *s, uint64_t t, size_t node)
{
    (void)t;
    const slow_node *v = &s->v[node];
    double most = -INFINITY, upper = INFINITY;
    if (v->n > 0)
        upper = mean(v) + s->nu * pow(s->rho, v->cell.depth) + sqrt(2 * log(s->T) / v->n);
    for (unsigned j = 0; v->child && j < s->k; j++)
        most = fmax(most, hoo_bound(s, t, v->child + j));
    return v->child ? fmin(upper, most) : upper;
}

static size_t best_child(const slow *s, uint64_t t, size_t node,
                         double (*bound)(const slow *, uint64_t, size_t))
{
    size_t best = s->v[node].child;
    for (size_t c = best + 1; c < s->v[node].child + s->k; c++)
        if (bound(s, t, c) > bound(s, t, best))
            best = c;
    return best;
}

static size_t hct_choose(const slow *s, uint64_t t)
{
    size_t node = best_child(s, t, 0, hct_bound);
    while (s->v[node].child && s->v[node].n >= hct_tau(s, t, s->v[node].cell.depth))
        node = best_child(s, t, node, hct_bound);
    return node;
}

static size_t hoo_choose(const slow *s)
{
    size_t node = 0;
    while (s->v[node].child)
        node = best_child(s, 0, node, hoo_bound);
    return node;
}

/* ---- comparisons ---- */

/* A slope with a bump, and noise that depends on the pull. */
static int64_t reward(const tc_bandit *b, const void *state, size_t arm, size_t dim, uint64_t t)
{
    double u[3], f = 0.9;
    b->point(state, arm, u);
    for (size_t d = 0; d < dim; d++)
        f -= 0.7 * fabs(u[d] - 0.37) / (double)dim;
    return tc_reward_of(f) + bandit_noise(1, t, arm, TC_REWARD_ONE / 10);
}

static void compare_hct(unsigned k, size_t dim, const char *const *words, double rho, double c)
{
    bandit_client live = bandit_begin(&tc_bandit_hct, dim, 1, 0, words);
    slow *s = slow_new(k, 1, rho, c, 0.01, 0);
    for (uint64_t t = 1; t <= 1500; t++) {
        tc_pulls p = bandit_ask(&live);
        size_t node = hct_choose(s, t);
        unsigned parts;
        tc_cell cell = live.bandit->cell(live.state, p.arm, &parts);
        assert_int_equal(p.n, 1);
        assert_int_equal(cell.depth, s->v[node].cell.depth);
        assert_int_equal(cell.index, s->v[node].cell.index);
        int64_t y = reward(live.bandit, live.state, p.arm, dim, t);
        bandit_tell(&live, p.arm, 1, y);
        s->v[node].n++;
        s->v[node].sum += (double)y;
        if (!s->v[node].child && s->v[node].n >= hct_tau(s, t, cell.depth))
            split(s, node);
    }
    assert_int_equal(live.bandit->arms(live.state), s->n);
    tc_free(s);
    bandit_end(&live);
}

static void test_hct_is_its_definition(void **state)
{
    (void)state;
    compare_hct(2, 1, NULL, 0.5, 0.1);
    compare_hct(3, 2, (const char *[]){"children=3", "rho=0.6", NULL}, 0.6, 0.1);
    compare_hct(2, 3, (const char *[]){"c=0.3", "rho=0.8", NULL}, 0.8, 0.3);
}

static void compare_hoo(unsigned k, size_t dim, uint64_t T, uint32_t deepest,
                        const char *const *words)
{
    bandit_client live = bandit_begin(&tc_bandit_hoo, dim, 1, T, words);
    slow *s = slow_new(k, 1, 0.5, 0, 0, (double)T);
    for (uint64_t t = 1; t <= T; t++) {
        tc_pulls p = bandit_ask(&live);
        size_t node = hoo_choose(s);
        unsigned parts;
        tc_cell cell = live.bandit->cell(live.state, p.arm, &parts);
        assert_int_equal(cell.depth, s->v[node].cell.depth);
        assert_int_equal(cell.index, s->v[node].cell.index);
        assert_true(cell.depth <= deepest);
        int64_t y = reward(live.bandit, live.state, p.arm, dim, t);
        bandit_tell(&live, p.arm, 1, y);
        for (size_t up = node;; up = s->v[up].parent) {
            s->v[up].n++;
            s->v[up].sum += (double)y;
            if (up == 0)
                break;
        }
        if (!s->v[node].child && cell.depth < deepest)
            split(s, node);
    }
    tc_free(s);
    bandit_end(&live);
}

static void test_hoo_is_its_definition(void **state)
{
    (void)state;
    compare_hoo(2, 1, 700, 5, NULL); /* ln(700)/2 / ln 2 = 4.7 */
    compare_hoo(4, 2, 300, 5, (const char *[]){"children=4", NULL});
}

/* The tree of an hct that has run for a while. */
static void test_samples_are_never_lost(void **state)
{
    (void)state;
    bandit_client live = bandit_begin(&tc_bandit_hct, 1, 1, 0, NULL);
    int64_t total = 0;
    for (uint64_t t = 1; t <= 20000; t++) {
        tc_pulls p = bandit_ask(&live);
        int64_t y = reward(live.bandit, live.state, p.arm, 1, t);
        total += y;
        bandit_tell(&live, p.arm, 1, y);
    }
    const tc_hct *h = live.state;
    uint64_t n = 0;
    int64_t sum = 0;
    bool inner_pulled_again = false;
    for (size_t i = 1; i < h->tree.n; i++) {
        n += h->tree.nodes[i].n;
        sum += h->tree.nodes[i].sum;
        inner_pulled_again |= h->tree.nodes[i].child && h->tree.nodes[i].n > 8;
    }
    assert_int_equal(n, 20000);
    assert_true(sum == total);
    assert_true(inner_pulled_again);
    assert_int_equal(h->tree.nodes[0].n, 0);
    bandit_end(&live);
}

/* It ends up where the function is large. */
static void test_pulls_gather_at_the_optimum(void **state)
{
    (void)state;
    const tc_bandit *const both[] = {&tc_bandit_hct, &tc_bandit_hoo};
    for (int i = 0; i < 2; i++) {
        bandit_client live = bandit_begin(both[i], 1, 1, 5000, NULL);
        double distance = 0;
        for (uint64_t t = 1; t <= 5000; t++) {
            tc_pulls p = bandit_ask(&live);
            double u;
            live.bandit->point(live.state, p.arm, &u);
            distance += t > 4000 ? fabs(u - 0.37) / 1000 : 0;
            bandit_tell(&live, p.arm, 1, reward(live.bandit, live.state, p.arm, 1, t));
        }
        assert_true(distance < (i == 0 ? 0.03 : 0.15));
        bandit_end(&live);
    }
}

static void test_options_say_what_is_allowed(void **state)
{
    (void)state;
    tacit_error err = {0};
    void *opts = bandit_options(&tc_bandit_hct, NULL);
    assert_fails(tc_options_set(tc_bandit_hct.options, opts, "hct", "rho", "1", &err), TACIT_E_ARG,
                 "rho");
    assert_fails(tc_options_set(tc_bandit_hct.options, opts, "hct", "children", "1", &err),
                 TACIT_E_ARG, "children");
    assert_fails(tc_options_set(tc_bandit_hct.options, opts, "hct", "nu", "0", &err), TACIT_E_ARG,
                 "nu");
    tc_free(opts);
    const tc_bandit *b = NULL;
    assert_fails(tc_bandit_get(&b, "hctt", &err), TACIT_E_ARG, "did you mean \"hct\"");
    for (size_t i = 0; tc_bandits()[i]; i++) {
        assert_ok(tc_bandit_get(&b, tc_bandits()[i]->name, &err));
        assert_ptr_equal(b, tc_bandits()[i]);
        for (const tc_option *o = b->options; o->name; o++)
            assert_non_null(o->help);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hct_is_its_definition),
        cmocka_unit_test(test_hoo_is_its_definition),
        cmocka_unit_test(test_samples_are_never_lost),
        cmocka_unit_test(test_pulls_gather_at_the_optimum),
        cmocka_unit_test(test_options_say_what_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
