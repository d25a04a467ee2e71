/* baselines_test.c - the list of bandits: every one of algo/tree, and two that no study can use. */
#include "support/test.h"

#include "algo/algorithm.h"
#include "papers/baselines/baselines.h"

static bool is_ours(const tc_bandit *b)
{
    return b == &tc_bandit_fed1_ucb || b == &tc_bandit_fn_ucb;
}

static void test_the_list(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_bandit *b = NULL;
    size_t n = 0, product = 0;
    for (; tc_paper_bandits()[n]; n++) {
        assert_ok(tc_paper_bandit_get(&b, tc_paper_bandits()[n]->name, &err));
        assert_ptr_equal(b, tc_paper_bandits()[n]);
        for (const tc_option *o = b->options; o->name; o++)
            assert_non_null(o->help);
        assert_int_equal(tc_bandit_get(&b, b->name, NULL) == TACIT_OK, !is_ours(b));
        assert_int_equal(tc_algorithm_find(b->name) != NULL, !is_ours(b));
    }
    for (; tc_bandits()[product]; product++)
        assert_ok(tc_paper_bandit_get(&b, tc_bandits()[product]->name, &err));
    assert_int_equal(n, product + 2);
    assert_fails(tc_paper_bandit_get(&b, "hctt", &err), TACIT_E_ARG, "did you mean \"hct\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
