/* fed_hct_tree_test.c - the tree of a fed-hct client: where it pulls, by slow formulas. */
#include "support/test.h"

#include "support/bandit_world.h"

#include "algo/tree/fed_hct.h"

/* ---- by samples and the last broadcast alone ---- */

typedef struct slow {
    const tc_fed_hct_client *c;
    double v, spread, z, margin, slack[TC_DEPTH_MAX + 1], pass[TC_DEPTH_MAX + 1];
} slow;

static slow slowly(const tc_fed_hct_client *c)
{
    slow s = {.c = c, .v = 0.005, .margin = INFINITY};
    double plus = 2, step[TC_DEPTH_MAX + 2] = {0}, up[TC_DEPTH_MAX + 2] = {0}, most = 0, large = 0;
    while (plus <= (double)c->t)
        plus *= 2;
    s.z = 2 * log(plus / (pow(1.0 / 6, 0.125) * 0.01));
    if (c->pool) {
        int64_t H = c->pool->v[1];
        s.v = (double)c->pool->v[0] * 0x1p-40;
        for (int64_t d = 2; d <= TC_DEPTH_MAX + 1; d++) {
            step[d] = d <= H ? (double)c->pool->v[2 * d + 1] * 0x1p-40 : step[d - 1] / 2;
            up[d] = d <= H ? (double)c->pool->v[2 * d + 2] * 0x1p-40 : up[d - 1] / 2;
            most = fmax(most, up[d]);
            large = fmax(large, step[d]);
        }
    }
    s.margin = large > 0 ? sqrt(large) : INFINITY;
    s.spread = s.v < 0.00125 ? 0.00125 : s.v > 0.005 ? 0.005 : s.v;
    for (int d = 1; d <= TC_DEPTH_MAX; d++) {
        bool learned = d < TC_DEPTH_MAX && most > 0;
        s.slack[d] = fmax(pow(0.5, d), learned ? sqrt(up[d + 1]) : 0);
        s.pass[d] = fmax(pow(0.5, d), learned ? sqrt(step[d + 1]) : 0);
    }
    return s;
}

static double slow_mean(const tc_node *v)
{
    return (double)v->sum / (double)v->n / (double)TC_REWARD_ONE;
}

static double slow_width(const slow *s, const tc_node *v)
{
    double n = (double)(v->n - v->prior), k = v->prior;
    return sqrt(s->spread * (s->z * n + fmin(s->z, 9) * k)) / (n + k);
}

static double slow_bound(const slow *s, size_t node)
{
    const tc_tree *t = &s->c->tree;
    const tc_node *v = &t->nodes[node];
    double best = -INFINITY;
    if (node > 0 && v->n == 0)
        return INFINITY;
    double upper = node ? slow_mean(v) + slow_width(s, v) + s->slack[v->depth] : INFINITY;
    for (size_t j = 0; v->child && j < t->k; j++)
        best = fmax(best, slow_bound(s, v->child + j));
    if (v->child && node)
        best = fmax(best, slow_mean(v) - slow_width(s, v) - s->margin);
    return v->child ? fmin(upper, best) : upper;
}

/* The largest bound of the children, from 0 to 1 of them unsampled. */
static size_t slow_best(const slow *s, size_t node)
{
    const tc_tree *t = &s->c->tree;
    size_t best = t->nodes[node].child;
    for (size_t j = 1; j < t->k; j++)
        if (slow_bound(s, t->nodes[node].child + j) > slow_bound(s, best))
            best = t->nodes[node].child + j;
    return best;
}

static size_t slow_select(const slow *s, bool *centre)
{
    const tc_tree *t = &s->c->tree;
    size_t node = slow_best(s, 0);
    *centre = false;
    for (;;) {
        const tc_node *v = &t->nodes[node];
        bool own = v->n > v->prior;
        if (v->child == 0 || !own || slow_width(s, v) > s->pass[v->depth])
            return node;
        size_t best = slow_best(s, node);
        *centre = slow_mean(v) - slow_width(s, v) - s->margin > slow_bound(s, best);
        if (*centre)
            return node;
        node = best;
    }
}

static void assert_bounds(const tc_fed_hct_client *c)
{
    slow s = slowly(c);
    assert_close(c->variance, s.v, 1e-15);
    assert_close(c->spread, s.spread, 1e-15);
    assert_close(c->confidence, s.z, 1e-9);
    for (size_t i = 1; i < c->tree.n; i++) {
        double bound = slow_bound(&s, i);
        if (isinf(bound))
            assert_true(isinf(c->tree.nodes[i].bound));
        else
            assert_close(c->tree.nodes[i].bound, bound, 1e-12);
    }
}

/* ---- tests ---- */

/* How many of all asks were for centres of cells that had been split. */
static size_t follow(world *w, uint64_t T)
{
    size_t centres = 0;
    world_begin(w, &tc_bandit_fed_hct, T, NULL);
    while (w->t[0] < T) {
        for (size_t m = 0; m < CLIENTS; m++)
            for (tc_pulls p; (p = bandit_ask(&w->clients[m])).n && w->t[m] < T;) {
                slow s = slowly(w->clients[m].state);
                bool centre;
                assert_int_equal(p.arm, slow_select(&s, &centre));
                centres += centre;
                world_tell(w, m, p);
            }
        if (w->t[0] < T)
            world_hold_round(w);
        for (size_t m = 0; m < CLIENTS; m++)
            assert_bounds(w->clients[m].state);
    }
    world_end(w);
    return centres;
}

static void test_asks_are_those_of_the_formulas(void **state)
{
    (void)state;
    world near = {.spread = 0.02}, spike = {.peak = 0.375, .slope = 40};
    assert_int_equal(follow(&near, 1500), 0);
    assert_true(follow(&spike, 1500) > 100);
}

/* Before the first broadcast it is hct. */
static void test_it_begins_as_hct(void **state)
{
    (void)state;
    world pooled = {0}, alone = {.bandit = &tc_bandit_hct};
    tacit_error err = {0};
    world_begin(&pooled, &tc_bandit_fed_hct, 64, NULL);
    alone.clients[0] = bandit_begin(&tc_bandit_hct, 1, 1, 64, NULL);
    while (world_pull(&pooled, 0, 64))
        assert_ok(
            (pooled.bandit->skip)(pooled.clients[0].state, &err)); /* cmocka has a macro skip */
    world_pull(&alone, 0, 64);
    assert_true(pooled.asked == alone.asked);
    bandit_end(&alone.clients[0]);
    world_end(&pooled);
}

/* Never wider than hct, and never narrower than half of hct with c = 0.1. */
static void test_widths_are_held_to_those_of_hct(void **state)
{
    (void)state;
    tacit_error err = {0};
    const struct {
        const char *c;
        double variance, spread;
    } rows[] = {{"c=0.1", 1e-6, 0.00125}, {"c=0.1", 0.002, 0.002}, {"c=0.1", 0.3, 0.005},
                {"c=2", 1e-6, 0.00125},   {"c=2", 0.3, 0.3},       {"c=2", 3, 2},
                {"c=0.04", 1e-6, 0.0002}, {"c=0.04", 0.3, 0.0008}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bandit_client d =
            bandit_begin(&tc_bandit_fed_hct, 1, 4, 1000, (const char *[]){rows[i].c, NULL});
        const tc_fed_hct_client *c = d.state;
        int64_t v[] = {llround(rows[i].variance * 0x1p40), 0, 1, 5};
        assert_ok(tc_bandit_fed_hct.absorb(d.state, &(tc_numbers){v, 4, 4}, &err));
        assert_close(c->variance, rows[i].variance, 1e-11);
        assert_close(c->spread, rows[i].spread, 1e-11);
        bandit_end(&d);
    }
}

/* Steps down alone change nothing; with one rise at any depth, steps count at all. */
static void test_what_is_learned_of_steps(void **state)
{
    (void)state;
    tacit_error err = {0};
    bandit_client d = bandit_begin(&tc_bandit_fed_hct, 1, 4, 1000, NULL);
    const tc_fed_hct_client *c = d.state;
    int64_t four = llround(0.64 * 0x1p40), nine = llround(0.81 * 0x1p40);
    int64_t v[] = {1 << 30, 3, 1, 0, 0, nine, 0, four, 0, 5};
    assert_ok(tc_bandit_fed_hct.absorb(d.state, &(tc_numbers){v, 10, 10}, &err));
    for (int h = 1; h < 6; h++)
        assert_true(c->slack[h] == pow(0.5, h) && c->pass[h] == pow(0.5, h));
    assert_close(c->margin, 0.9, 1e-9);
    v[8] = nine;
    assert_ok(tc_bandit_fed_hct.absorb(d.state, &(tc_numbers){v, 10, 10}, &err));
    assert_close(c->pass[1], 0.9, 1e-9);
    assert_close(c->slack[1], 0.5, 1e-9);
    assert_close(c->pass[2], 0.8, 1e-9);
    assert_close(c->slack[2], 0.9, 1e-9);
    assert_close(c->pass[3], 0.8 * sqrt(0.5), 1e-9);
    assert_close(c->slack[3], 0.9 * sqrt(0.5), 1e-9);
    bandit_end(&d);
}

static void test_borrow_0_borrows_nothing(void **state)
{
    (void)state;
    world w = {.spread = 0.01};
    world_begin(&w, &tc_bandit_fed_hct, 3000, (const char *[]){"borrow=0", NULL});
    world_live(&w, 3000);
    assert_int_equal(w.rounds, 11);
    for (size_t m = 0; m < CLIENTS; m++) {
        const tc_fed_hct_client *c = w.clients[m].state;
        for (size_t i = 0; i < c->tree.n; i++)
            assert_int_equal(c->tree.nodes[i].prior, 0);
        assert_true(c->variance > 0.0030 && c->variance < 0.0037); /* uniform +-0.1: 0.00333 */
    }
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asks_are_those_of_the_formulas),
        cmocka_unit_test(test_it_begins_as_hct),
        cmocka_unit_test(test_widths_are_held_to_those_of_hct),
        cmocka_unit_test(test_what_is_learned_of_steps),
        cmocka_unit_test(test_borrow_0_borrows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
