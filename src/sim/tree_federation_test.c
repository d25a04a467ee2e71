/* tree_federation_test.c - the federated tree bandits as algorithms, trial by trial in a federation,
 * against the same bandits by pulls: every regret is the same. */
#include "support/test.h"

#include "algo/tree/tree_algorithms.h"
#include "base/memory.h"
#include "sim/federation.h"
#include "sim/bandit_simulation.h"

enum { AGENTS = 3, TRIALS = 700 };

/* Values that noise of +-0.1 does not lead out of [0,1]. */
static double hill(const void *of, uint64_t m, const double *u)
{
    (void)of;
    double peak[2] = {0.3 + 0.1 * (double)m, 0.62};
    return 0.85 - 0.4 * fabs(u[0] - peak[0]) - 0.3 * fabs(u[1] - peak[1]);
}

static double top(const void *of, uint64_t m)
{
    (void)of;
    (void)m;
    return 0.85;
}

static const tc_rewards rewards = {.dim = 2, .value = hill, .best = top, .scale = 0.1};

typedef struct world {
    tc_reward_source source[AGENTS];
    double regret[AGENTS][TRIALS];
    uint64_t done[AGENTS];
} world;

static double observe(void *user, uint64_t m, uint64_t trial, const double *values)
{
    world *w = user;
    tc_pulled p;
    double value = hill(NULL, m, values);
    assert_int_equal(trial, w->done[m]);
    tc_reward_draw(&w->source[m], value, 1, &p);
    w->regret[m][trial] = (trial ? w->regret[m][trial - 1] : 0) + (0.85 - value);
    w->done[m]++;
    return (double)p.sum / (double)TC_REWARD_ONE;
}

static tc_space *square(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(s, "y", 0, 1, 0, false, &err));
    return s;
}

static tc_federation *federation(const tc_algorithm *a, const tc_space *s, world *w, double drop)
{
    tacit_error err = {0};
    tc_federation *f = NULL;
    tc_federation_config cfg = {.algorithm = a,
                                .space = s,
                                .maximize = true,
                                .agents = AGENTS,
                                .seed = 5,
                                .budget = TRIALS,
                                .drop = drop,
                                .objective = observe,
                                .user = w};
    for (uint64_t m = 0; m < AGENTS; m++)
        tc_reward_source_init(&w->source[m], &rewards, 5, m);
    assert_ok(tc_federation_new(&f, &cfg, &err));
    return f;
}

static tc_bandit_result by_pulls(const tc_bandit *b)
{
    tacit_error err = {0};
    void *opts = tc_alloc(1, b->options_size);
    assert_non_null(opts);
    assert_ok(tc_options_defaults(b->options, opts, &err));
    tc_bandit_simulation s = {.bandit = b,
                              .opts = opts,
                              .rewards = &rewards,
                              .clients = AGENTS,
                              .budget = TRIALS,
                              .seed = 5,
                              .points = TRIALS};
    tc_bandit_result r = {0};
    assert_ok(tc_bandit_simulate(&s, &r, &err));
    tc_free(opts);
    return r;
}

static void test_trials_are_pulls(void **state)
{
    (void)state;
    const tc_algorithm *const algorithms[] = {&tc_algorithm_pf_pne, &tc_algorithm_fed_pne,
                                              &tc_algorithm_fed_hct};
    const tc_bandit *const bandits[] = {&tc_bandit_pf_pne, &tc_bandit_fed_pne, &tc_bandit_fed_hct};
    tc_space *s = square();
    for (int i = 0; i < 3; i++) {
        tacit_error err = {0};
        world *w = tc_alloc(1, sizeof *w);
        assert_non_null(w);
        tc_federation *f = federation(algorithms[i], s, w, 0);
        for (int t = 0; t < TRIALS; t++)
            assert_ok(tc_federation_step(f, &err));
        tc_bandit_result r = by_pulls(bandits[i]);
        for (uint64_t m = 0; m < AGENTS; m++)
            for (size_t t = 0; t < TRIALS; t++)
                assert_close(w->regret[m][t], r.regret[m * TRIALS + t], 1e-9);
        const tacit_message_counts *tally = tc_federation_counts(f);
        assert_int_equal(tally->releases, r.rounds);
        assert_int_equal(tally->bytes, 8 * r.numbers_up);
        assert_int_equal(tally->messages, AGENTS * r.rounds);
        tc_bandit_result_fini(&r);
        tc_federation_free(f);
        tc_free(w);
    }
    tc_space_free(s);
}

/* Messages that do not arrive widen bounds; the study goes on. */
static void test_lost_messages(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = square();
    const double drop[] = {0.2, 0.2, 1, 1}; /* to the last: everybody is alone */
    for (int i = 0; i < 4; i++) {
        world *w = tc_alloc(1, sizeof *w);
        assert_non_null(w);
        tc_federation *f =
            federation(i % 2 ? &tc_algorithm_fed_hct : &tc_algorithm_pf_pne, s, w, drop[i]);
        for (int t = 0; t < TRIALS; t++)
            assert_ok(tc_federation_step(f, &err));
        assert_true(tc_federation_counts(f)->lost >= (uint64_t)(drop[i] * 3));
        assert_int_equal(tc_federation_counts(f)->rejected, 0);
        tc_federation_free(f);
        tc_free(w);
    }
    tc_space_free(s);
}

static void test_contributions_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = square();
    tc_env env = {.space = s, .agents = 2, .budget = 1000};
    const tc_algorithm *a = &tc_algorithm_pf_pne;
    void *opts = tc_alloc(1, a->options_size);
    assert_non_null(opts);
    assert_ok(tc_options_defaults(a->options, opts, &err));
    const int64_t good[] = {0, 5, 1, 7}; /* little-endian machines */
    assert_ok(a->aggregator->check(&env, opts, 0, 1, good, sizeof good, &err));
    assert_fails(a->aggregator->check(&env, opts, 0, 2, good, sizeof good, &err), TACIT_E_ARG,
                 "agent 2 is not on the roster of 2 agents");
    assert_fails(a->aggregator->check(&env, opts, 0, 1, good, 15, &err), TACIT_E_ARG,
                 "8 bytes for each number, not 15");
    assert_fails(a->aggregator->check(&env, opts, 0, 1, good, 8, &err), TACIT_E_ARG,
                 "not a list of shared cells of depth 1");
    assert_fails(a->aggregator->check(&env, opts, 7, 1, good, sizeof good, &err), TACIT_E_ARG,
                 "round 7 comes after the last of 7");
    tc_free(opts);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trials_are_pulls),
        cmocka_unit_test(test_lost_messages),
        cmocka_unit_test(test_contributions_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
