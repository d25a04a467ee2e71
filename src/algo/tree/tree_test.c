/* tree_test.c - the array of nodes against what its header promises. */
#include "support/test.h"

#include "algo/tree/tree.h"

#include "base/random.h"

static tc_stream stream(uint64_t step)
{
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, step);
    return s;
}

/* `splits` random leaves are split. */
static tc_tree grown(size_t dim, unsigned k, size_t splits)
{
    tacit_error err = {0};
    tc_tree t;
    tc_stream s = stream(k);
    assert_ok(tc_tree_init(&t, dim, k, &err));
    while (splits > 0) {
        size_t node = (size_t)tc_draw_below(&s, t.n);
        if (t.nodes[node].child || t.nodes[node].depth >= t.max_depth)
            continue;
        assert_ok(tc_tree_split(&t, node, &err));
        splits--;
    }
    return t;
}

static void test_children_stand_together_behind_their_parent(void **state)
{
    (void)state;
    for (unsigned k = 2; k <= 5; k++) {
        tc_tree t = grown(2, k, 200);
        assert_int_equal(t.n, 1 + 200 * k);
        for (size_t i = 0; i < t.n; i++) {
            for (unsigned j = 0; t.nodes[i].child && j < k; j++) {
                const tc_node *v = &t.nodes[t.nodes[i].child + j];
                tc_cell child = tc_cell_child(tc_tree_cell(&t, i), k, j);
                assert_true(t.nodes[i].child > i);
                assert_int_equal(v->parent, i);
                assert_int_equal(v->cell, child.index);
                assert_int_equal(v->depth, child.depth);
                assert_true(isinf(v->upper) && isinf(v->bound));
            }
        }
        tc_tree_fini(&t);
    }
}

/* By the definition, from scratch. */
static double bound_of(const tc_tree *t, size_t node)
{
    const tc_node *v = &t->nodes[node];
    double most = -INFINITY;
    for (unsigned j = 0; v->child && j < t->k; j++)
        most = fmax(most, bound_of(t, v->child + j));
    return v->child ? fmin(v->upper, most) : v->upper;
}

static void assert_bounds(const tc_tree *t)
{
    for (size_t i = 0; i < t->n; i++)
        assert_same_bits(t->nodes[i].bound, bound_of(t, i));
}

static void test_bounds_are_kept_by_single_changes(void **state)
{
    (void)state;
    tc_tree t = grown(1, 3, 60);
    tc_stream s = stream(77);
    for (size_t i = 0; i < t.n; i++)
        t.nodes[i].upper = tc_draw_uniform(&s);
    tc_tree_raise_all(&t);
    assert_bounds(&t);
    for (int change = 0; change < 2000; change++) {
        size_t node = (size_t)tc_draw_below(&s, t.n);
        t.nodes[node].upper = tc_draw_uniform(&s);
        tc_tree_raise(&t, node);
        if (change % 50 == 0)
            assert_bounds(&t);
    }
    assert_bounds(&t);
    tc_tree_fini(&t);
}

static void test_the_first_of_equals_is_best(void **state)
{
    (void)state;
    tc_tree t = grown(1, 4, 1);
    assert_int_equal(tc_tree_best_child(&t, 0), 1);
    t.nodes[1].bound = 0.5;
    t.nodes[2].bound = t.nodes[4].bound = 0.7;
    t.nodes[3].bound = 0.6;
    assert_int_equal(tc_tree_best_child(&t, 0), 2);
    tc_tree_fini(&t);
}

static void test_leaf_of_a_point(void **state)
{
    (void)state;
    for (size_t dim = 1; dim <= 3; dim++) {
        tc_tree t = grown(dim, 2, 300);
        tc_stream s = stream(dim);
        for (int i = 0; i < 500; i++) {
            double u[3], low[3], high[3];
            for (size_t d = 0; d < dim; d++)
                u[d] = tc_draw_uniform(&s);
            size_t leaf = tc_tree_leaf_of(&t, u);
            assert_int_equal(t.nodes[leaf].child, 0);
            tc_cell_box(tc_tree_cell(&t, leaf), 2, dim, low, high);
            for (size_t d = 0; d < dim; d++)
                assert_true(low[d] <= u[d] && u[d] < high[d]);
        }
        tc_tree_fini(&t);
    }
}

static void test_rewards_are_rounded_and_held(void **state)
{
    (void)state;
    assert_true(tc_reward_of(1) == TC_REWARD_ONE);
    assert_true(tc_reward_of(0.25) == TC_REWARD_ONE / 4);
    assert_true(tc_reward_of(-0.5) == -TC_REWARD_ONE / 2);
    assert_true(tc_reward_of(1e300) == 2 * TC_REWARD_ONE);
    assert_true(tc_reward_of(-1e300) == -2 * TC_REWARD_ONE);
    assert_true(tc_reward_of(0x1.8p-29) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_children_stand_together_behind_their_parent),
        cmocka_unit_test(test_bounds_are_kept_by_single_changes),
        cmocka_unit_test(test_the_first_of_equals_is_best),
        cmocka_unit_test(test_leaf_of_a_point),
        cmocka_unit_test(test_rewards_are_rounded_and_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
