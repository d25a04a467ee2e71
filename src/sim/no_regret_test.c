/* no_regret_test.c - agents that are unlike each other must not be hurt by what they hear: dp-fts-de
 * beside the same agents when no round releases, on functions that are 1.2 apart. */
#include "support/federated_world.h"

enum { AGENTS = 12, ROUNDS = 30, RUNS = 12 };

#define COMMON                                                                                     \
    "\"features\": 50, \"lengthscale\": 0.03, \"regions\": 1, \"noise_multiplier\": 1, "           \
    "\"releases\": "

static tc_federated_result simulate(const char *options)
{
    setup s;
    make(&s, "dp-fts-de", options);
    s.f.agents = AGENTS;
    s.f.rounds = ROUNDS;
    s.f.runs = RUNS;
    s.f.seed = 3;
    s.f.family.objective.grid = 1000;
    s.f.family.distance = 1.2;
    tc_federated_result r = run(&s.f);
    end(&s);
    return r;
}

/* An agent that believed a broadcast because its values are small had 3.4 times the regret here. */
static void test_unlike_agents_are_not_hurt(void **state)
{
    (void)state;
    tc_federated_result hears = simulate("{" COMMON "\"first\"}");
    tc_federated_result alone = simulate("{" COMMON "\"999999\"}");
    assert_int_equal(hears.n_releases, 1);
    assert_int_equal(alone.n_releases, 0);
    assert_same_bits(hears.simple_mean[0], alone.simple_mean[0]);
    assert_true(alone.simple_mean[ROUNDS] < 0.1 * alone.simple_mean[0]);
    assert_true(hears.simple_mean[ROUNDS] < 1.5 * alone.simple_mean[ROUNDS]);
    tc_federated_result_fini(&hears);
    tc_federated_result_fini(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unlike_agents_are_not_hurt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
