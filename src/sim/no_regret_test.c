/* no_regret_test.c - agents that are unlike each other must not be hurt by what they hear: fts and
 * dp-fts-de, each beside the same agents that hear nothing, on functions that are 1.2 apart. */
#include "support/federated_world.h"

enum { AGENTS = 12, ROUNDS = 40, RUNS = 16 };

static tacit_curves simulate(const char *algorithm, const char *options)
{
    setup s;
    make(&s, algorithm, options);
    s.f.agents = AGENTS;
    s.f.trials = ROUNDS;
    s.f.runs = RUNS;
    s.f.seed = 3;
    s.f.family.objective.grid = 1000;
    s.f.family.distance = 1.2;
    tacit_curves r = run(&s.f);
    end(&s);
    return r;
}

/* The last simple regret beside that of those who heard nothing and began at the same points; and
 * those do learn. */
static double ratio(const tacit_curves *hears, const tacit_curves *alone)
{
    assert_same_bits(hears->simple_mean[0], alone->simple_mean[0]);
    assert_true(alone->simple_mean[ROUNDS] < 0.1 * alone->simple_mean[0]);
    return hears->simple_mean[ROUNDS] / alone->simple_mean[ROUNDS];
}

/* ---- fts ---- */

#define FTS "{\"own\": \"features\", \"features\": 50, \"lengthscale\": 0.03, \"initial\": 5, "

/* Theorem 1: whoever is followed, with p_t -> 1 it is forgotten in the end. Whoever is always
 * followed does harm: about three times the regret. */
static void test_fts_forgets_whom_it_followed(void **state)
{
    (void)state;
    static const char *const hearing[] = {
        FTS "\"choose\": \"uniform\"}",
        FTS "\"choose\": \"learned\"}",
        FTS "\"choose\": \"uniform\", \"mode\": \"general\"}",
        FTS "\"choose\": \"learned\", \"mode\": \"general\"}",
    };
    tacit_curves alone = simulate("fts", FTS "\"schedule\": \"constant\", \"follow\": 0}");
    assert_int_equal(alone.counts[0].sent.fetches, 0);
    for (size_t i = 0; i < sizeof hearing / sizeof *hearing; i++) {
        tacit_curves hears = simulate("fts", hearing[i]);
        assert_true(hears.counts[0].sent.fetches > 5 * AGENTS);
        assert_true(ratio(&hears, &alone) < 1.5);
        tacit_curves_fini(&hears);
    }
    tacit_curves obeys =
        simulate("fts", FTS "\"mode\": \"general\", \"schedule\": \"constant\", \"follow\": 1}");
    assert_true(ratio(&obeys, &alone) > 2);
    tacit_curves_fini(&obeys);
    tacit_curves_fini(&alone);
}

#define OWN "{\"features\": 50, \"initial\": 5, \"reads\": "

/* Whoever hears all as one function that may be wrong loses nothing, at any time; the paper's step lost up to 0.8. */
static void test_fts_with_an_own_process_is_not_hurt(void **state)
{
    (void)state;
    static const size_t times[] = {1, 5, 10, 20, ROUNDS};
    static const char *const hearing[] = {OWN "100}", OWN "100, \"mode\": \"general\"}"};
    tacit_curves alone = simulate("fts", OWN "0}");
    assert_int_equal(alone.counts[0].sent.fetches, 0);
    for (size_t i = 0; i < 2; i++) {
        tacit_curves hears = simulate("fts", hearing[i]);
        assert_same_bits(hears.simple_mean[0], alone.simple_mean[0]);
        assert_int_equal(hears.counts[0].sent.fetches,
                         (uint64_t)AGENTS * (AGENTS - 1) * (i == 0 ? 1 : ROUNDS));
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            assert_true(hears.simple_mean[times[k]] <
                        1.3 * alone.simple_mean[times[k]] + 0.005 * alone.simple_mean[0]);
        tacit_curves_fini(&hears);
    }
    tacit_curves_fini(&alone);
}

/* ---- dp-fts-de ---- */

#define DP_FTS_DE                                                                                  \
    "{\"own\": \"features\", \"features\": 50, \"lengthscale\": 0.03, \"initial\": 10, "           \
    "\"noise_multiplier\": 1, \"regions\": "

static void check_broadcast(const char *hearing, const char *deaf)
{
    tacit_curves hears = simulate("dp-fts-de", hearing);
    tacit_curves alone = simulate("dp-fts-de", deaf);
    assert_int_equal(hears.n_releases, 1);
    assert_int_equal(alone.n_releases, 0);
    assert_true(ratio(&hears, &alone) < 1.5);
    tacit_curves_fini(&hears);
    tacit_curves_fini(&alone);
}

/* An agent that believes whatever is broadcast has more than five times the regret here, ... */
static void test_a_broadcast_does_not_hurt(void **state)
{
    (void)state;
    check_broadcast(DP_FTS_DE "1, \"releases\": \"first\"}",
                    DP_FTS_DE "1, \"releases\": \"999999\"}");
}

/* ... and nearly three times where each began in one of four regions and hears of the others. */
static void test_a_broadcast_of_regions_does_not_hurt(void **state)
{
    (void)state;
    check_broadcast(DP_FTS_DE "4, \"releases\": \"first\"}",
                    DP_FTS_DE "4, \"releases\": \"999999\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fts_forgets_whom_it_followed),
        cmocka_unit_test(test_fts_with_an_own_process_is_not_hurt),
        cmocka_unit_test(test_a_broadcast_does_not_hurt),
        cmocka_unit_test(test_a_broadcast_of_regions_does_not_hurt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
