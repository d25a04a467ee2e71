/* fed1_ucb_test.c - fed1-ucb: which arms it keeps, and what it refuses. */
#include "support/test.h"

#include "support/bandit_world.h"
#include "papers/baselines/baselines.h"

/* The arms that a slow one keeps, from the clients' exact sums. */
static void test_it_keeps_the_right_arms(void **state)
{
    (void)state;
    enum { ARMS = 20 };
    const uint64_t T = 200000, step = (uint64_t)ceil(10 * log((double)T));
    world w = {0};
    bool active[ARMS];
    int64_t sum[ARMS] = {0};
    uint64_t t = 0;
    world_begin(&w, &tc_bandit_fed1_ucb, T, NULL);
    memset(active, true, sizeof active);
    for (double phase = 1; phase < 40; phase++) {
        double n = phase * (double)step, best = -INFINITY, left = 0;
        double width = sqrt(log((double)T) / (CLIENTS * n));
        for (size_t i = 0; i < ARMS; i++) {
            double u;
            w.bandit->point(w.clients[0].state, i, &u);
            for (size_t m = 0; active[i] && m < CLIENTS; m++)
                for (uint64_t j = 0; j < step; j++)
                    sum[i] += tc_reward_of(0.9 - fabs(u - 0.3));
            best = active[i] ? fmax(best, (double)sum[i] / (CLIENTS * n)) : best;
        }
        for (size_t m = 0; m < CLIENTS; m++) /* without noise, to have the same sums */
            for (tc_pulls p; (p = bandit_ask(&w.clients[m])).n > 0;) {
                double u;
                assert_true(active[p.arm] && p.n == step);
                w.bandit->point(w.clients[m].state, p.arm, &u);
                bandit_tell(&w.clients[m], p.arm, p.n,
                            (int64_t)p.n * tc_reward_of(0.9 - fabs(u - 0.3)));
            }
        const tc_numbers *kept = world_hold_round(&w);
        size_t next = 0;
        for (size_t i = 0; i < ARMS; i++) {
            double mean = (double)sum[i] / (CLIENTS * n), one = (double)TC_REWARD_ONE;
            active[i] = active[i] && !(mean + width * one < best - width * one);
            left += active[i];
            if (active[i])
                assert_int_equal(kept->v[next++], i);
        }
        assert_int_equal(kept->n, next);
        t++;
        if (left == 1)
            break;
    }
    assert_true(t > 1);
    if (bandit_ask(&w.clients[0]).n > T) /* one arm is left: nobody waits any more */
        assert_int_equal(w.rounds, t);
    world_end(&w);
}

static void test_messages_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    world_begin(&w, &tc_bandit_fed1_ucb, 1000, (const char *[]){"arms=2", NULL});
    int64_t sums[] = {0, 1, 1, 2}, turned[] = {1, 2, 0, 1}, other[] = {0, 1, 2, 2};
    int64_t arms[] = {1, 0}, none[] = {2};
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){turned, 4, 4}, &err), TACIT_E_ARG,
                 "not a list of the active arms");
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){other, 4, 4}, &err), TACIT_E_ARG,
                 "not a list of the active arms");
    assert_fails(w.bandit->close(w.server, &w.message, &err), TACIT_E_STATE, "no message");
    for (int i = 0; i < CLIENTS; i++) {
        assert_ok(w.bandit->fold(w.server, &(tc_numbers){sums, 4, 4}, &err));
        if (i == 0)
            assert_fails(w.bandit->fold(w.server, &(tc_numbers){sums, 2, 2}, &err), TACIT_E_ARG,
                         "not a list of the active arms");
    }
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){sums, 4, 4}, &err), TACIT_E_ARG,
                 "more than 4 messages");
    void *c = w.clients[0].state;
    assert_fails(w.bandit->absorb(c, &(tc_numbers){arms, 2, 2}, &err), TACIT_E_CORRUPT, "arm 0");
    assert_fails(w.bandit->absorb(c, &(tc_numbers){none, 1, 1}, &err), TACIT_E_CORRUPT, "arm 2");
    assert_fails(w.bandit->absorb(c, &(tc_numbers){none, 0, 1}, &err), TACIT_E_CORRUPT, "no arm");
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_keeps_the_right_arms),
        cmocka_unit_test(test_messages_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
