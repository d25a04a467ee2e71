/* pne_bounds_test.c - pf-pne at its limits: sums of very many pulls, and means of agents who are not there. */
#include "support/test.h"

#include "support/bandit_client.h"

#include "algo/tree/pne.h"

/* Thousands of clients, millions of pulls: where their sums would not fit, nothing is shared. */
static void test_sums_have_room(void **state)
{
    (void)state;
    enum { M = 1000 };
    tacit_error err = {0};
    const char *const words[] = {"c=2", "c1=3", "gap=0.00003", NULL};
    tc_bandit_env env = {.dim = 1, .clients = M, .budget = 1000000000};
    tc_pne_options *o = bandit_options(&tc_bandit_pf_pne, words);
    tc_pne_law l = tc_pne_law_of(&env, o, true);
    tc_pne_server s = {0};
    assert_true(tc_pne_slack(&l, l.last) > 0.00003); /* it would have gone on */
    assert_fails(tc_pne_server_init(&s, &env, o, true, l.last, &err), TACIT_E_ARG,
                 "comes after the last of");
    assert_ok(tc_pne_server_init(&s, &env, o, true, l.last - 1, &err));
    int64_t most = 2 * (int64_t)tc_pne_share(&l, l.last) * TC_REWARD_ONE;
    int64_t extreme[] = {0, most, 1, -most};
    tc_numbers message = {extreme, 4, 4}, broadcast = {0};
    for (int m = 0; m < M; m++)
        assert_ok(tc_pne_server_fold(&s, &message, &err));
    assert_ok(tc_pne_server_close(&s, &broadcast, &err));
    assert_int_equal(broadcast.n, 4); /* the best alone */
    assert_int_equal(broadcast.v[2], 0);
    assert_int_equal(broadcast.v[3], M * most);
    tc_numbers_fini(&broadcast);
    tc_pne_server_fini(&s);
    tc_free(o);
}

/* A noisy mean of cell 0, of which half are absent agents: 0.5 f + 0.25 = 0.4 and an error of 0.105, where
 * widths are 0.1 and more. The client's own 0.301 in cell 1 is its optimum, 0.001 above f = 0.3. */
static void test_absent_agents_raise_no_reference(void **state)
{
    (void)state;
    tacit_error err = {0};
    const char *const words[] = {"nu=0.02", "c=0.1", "gap=0.002", "transition=1", NULL};
    tc_bandit_env env = {.dim = 1, .clients = 100, .budget = 1000000};
    tc_pne_options *o = bandit_options(&tc_bandit_pf_pne, words);
    tc_pne_client c = {0};
    assert_ok(tc_pne_client_init(&c, &env, o, true, &err));
    c.blur = 0.1;
    double samples = 100 * (double)c.target;
    for (size_t i = 0; i < 2; i++) {
        int64_t each = tc_reward_of(i ? 0.301 : 0.3), n = (int64_t)c.target;
        tc_pulled p = {.arm = i, .n = c.target, .sum = n * each};
        assert_ok(tc_pne_client_tell(&c, &p, &err));
    }
    assert_true(0.505 - 0.4 < tc_pne_width(&c.law, samples) + c.blur); /* the bound held */
    int64_t said[] = {1, 100, 0, llround(0.505 * samples * (double)TC_REWARD_ONE)};
    tc_numbers broadcast = {said, 4, 4};
    assert_ok(tc_pne_client_absorb(&c, &broadcast, &err));
    tc_pulls asked;
    tc_pne_client_ask(&c, &asked);
    assert_int_equal(c.depth, 1);
    assert_int_equal(asked.arm, 1);
    tc_pulled p = {.arm = 1, .n = asked.n, .sum = (int64_t)asked.n * tc_reward_of(0.301)};
    assert_ok(tc_pne_client_tell(&c, &p, &err));
    assert_int_equal(c.depth, 2);
    assert_int_equal(c.nodes.n, 4); /* cell 1 has not fallen */
    tc_pne_client_fini(&c);
    tc_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_have_room),
        cmocka_unit_test(test_absent_agents_raise_no_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
