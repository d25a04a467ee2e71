/* dp_pne_test.c - dp-pf-pne: its noise, its widths, its promise, and that without noise it is pf-pne. */
#include "support/test.h"

#include "algo/tree/dp_pne.h"
#include "algo/tree/tree_algorithms.h"
#include "base/memory.h"
#include "privacy/accountant.h"
#include "sim/federation.h"

#include <endian.h>
#include <stdlib.h>

enum { AGENTS = 20, TRIALS = 400 };

static tc_space *interval(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    return s;
}

static tc_dp_pne_options *options_of(double z, double gap)
{
    tacit_error err = {0};
    tc_dp_pne_options *o = tc_alloc(1, sizeof *o);
    assert_non_null(o);
    assert_ok(tc_options_defaults(tc_algorithm_dp_pf_pne.options, o, &err));
    o->noise_multiplier = z;
    o->bandit.gap = gap;
    return o;
}

/* ---- noise and widths ---- */

/* One round about depth 3 in which every agent has the means 0, 1/7, ..., 1: the largest error of a
 * mean, and the sum of squared errors. */
static double worst_error(const tc_env *env, const tc_dp_pne_options *o, uint64_t seed,
                          double *squares)
{
    tacit_error err = {0};
    const tc_aggregator_ops *g = tc_algorithm_dp_pf_pne.aggregator;
    tc_dp_pne_round r;
    tc_test_noise noise;
    tc_release *out = NULL;
    uint64_t message[8];
    double worst = 0;
    void *st = tc_alloc(1, g->state_size);
    assert_non_null(st);
    assert_ok(tc_dp_pne_round_init(&r, env, o, 2, &err));
    assert_int_equal(r.cells, 8);
    for (size_t i = 0; i < 8; i++)
        message[i] = htole64((uint64_t)tc_grid_truncate((double)i / 7 - 0.5, r.plan.grid));
    tc_test_noise_init(&noise, seed, 0);
    tc_entropy e = tc_entropy_of_test(&noise);
    assert_ok(g->open(st, env, o, 2, &e, &err));
    for (uint64_t m = 0; m < env->agents; m++)
        assert_ok(g->fold(st, m, message, sizeof message, &err));
    assert_ok(g->close(st, &out, &err));
    for (size_t i = 0; i < 8; i++) {
        double mean = 0.5 + tc_release_value(out, i) / (double)env->agents;
        assert_close(tc_release_value(out, i), r.step * (double)tc_release_get(out)->steps[i], 0);
        worst = fmax(worst, fabs(mean - (double)i / 7));
        *squares += pow(mean - (double)i / 7, 2);
    }
    tc_release_free(out);
    g->fini(st);
    tc_free(st);
    return worst;
}

static void test_noise_and_widths(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = interval();
    tc_env env = {.space = s, .agents = AGENTS, .budget = 1000};
    tc_dp_pne_options *o = options_of(1.5, 0.1);
    tc_dp_pne_round r;
    assert_ok(tc_dp_pne_round_init(&r, &env, o, 2, &err));
    double sd = 1.5 * sqrt(8) / 2 / AGENTS, squares = 0, tail = log(2 * 8 * 4.0) + r.law.log_term;
    assert_close(r.blur, sd * sqrt(2 * tail), 1e-4 * r.blur);
    for (uint64_t seed = 0; seed < 200; seed++)
        assert_true(worst_error(&env, o, seed, &squares) < r.blur);
    assert_close(sqrt(squares / 1600), sd, 0.08 * sd);
    tc_free(o);
    tc_space_free(s);
}

/* ---- the promise ---- */

static void test_the_promise_is_kept_and_tight(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = interval();
    tc_env env = {.space = s, .agents = 500, .budget = 100000};
    tc_dp_pne_options *o = options_of(1, 0.1);
    assert_ok(tc_algorithm_dp_pf_pne.promise(&env, o, 3, 1e-5, &err));
    tacit_dp_event events[4];
    for (uint64_t round = 0; round < 4; round++) {
        tc_dp_pne_round r;
        assert_ok(tc_dp_pne_round_init(&r, &env, o, round, &err));
        events[round] = r.price.event;
    }
    tacit_guarantee g;
    assert_ok(tc_account(&tc_accountant_gaussian, events, 4, 1e-5, &g, &err));
    assert_true(g.epsilon <= 3 && g.epsilon > 2.99);
    env.agents = 1;
    assert_fails(tc_algorithm_dp_pf_pne.promise(&env, o, 3, 1e-5, &err), TACIT_E_ARG,
                 "at least 2 agents, got 1");
    env.agents = 500;
    o->bandit.gap = 1;
    assert_fails(tc_algorithm_dp_pf_pne.promise(&env, o, 3, 1e-5, &err), TACIT_E_ARG,
                 "nothing is shared");
    tc_free(o);
    tc_space_free(s);
}

/* ---- in a federation ---- */

typedef struct diary {
    double x[AGENTS][TRIALS];
} diary;

static double hill(void *user, uint64_t m, uint64_t trial, const double *values)
{
    ((diary *)user)->x[m][trial] = values[0];
    return 0.9 - fabs(values[0] - 0.3 - 0.01 * (double)m);
}

static void run(const tc_algorithm *a, const char *z, double drop, diary *d, uint64_t *releases)
{
    tacit_error err = {0};
    tc_space *s = interval();
    json_t *options = json_pack("{s:f}", "gap", 0.1);
    if (z)
        json_object_set_new(options, "noise_multiplier", json_real(strtod(z, NULL)));
    tc_federation_config cfg = {.algorithm = a,
                                .options = options,
                                .space = s,
                                .maximize = true,
                                .agents = AGENTS,
                                .seed = 3,
                                .budget = TRIALS,
                                .drop = drop,
                                .objective = hill,
                                .user = d};
    tc_federation *f = NULL;
    assert_ok(tc_federation_new(&f, &cfg, &err));
    for (int t = 0; t < TRIALS; t++)
        assert_ok(tc_federation_step(f, &err));
    *releases = tc_federation_counts(f)->releases;
    if (z) {
        size_t n;
        const tacit_simulated_release *r = tc_federation_releases(f, &n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(r[i].event.mechanism, TACIT_DP_GAUSSIAN);
            assert_true(r[i].event.parameter >= strtod(z, NULL));
        }
    }
    tc_federation_free(f);
    json_decref(options);
    tc_space_free(s);
}

static void test_with_next_to_no_noise_it_is_pf_pne(void **state)
{
    (void)state;
    diary *with = tc_alloc(1, sizeof *with), *without = tc_alloc(1, sizeof *without);
    uint64_t a, b;
    assert_true(with && without);
    run(&tc_algorithm_dp_pf_pne, "1e-5", 0, with, &a);
    run(&tc_algorithm_pf_pne, NULL, 0, without, &b);
    assert_int_equal(a, 4);
    assert_int_equal(b, 4);
    for (size_t m = 0; m < AGENTS; m++)
        for (size_t t = 0; t < TRIALS; t++)
            assert_same_bits(with->x[m][t], without->x[m][t]);
    run(&tc_algorithm_dp_pf_pne, "1", 0.3, with, &a); /* much noise, and messages lost */
    assert_int_equal(a, 4);
    tc_free(with);
    tc_free(without);
}

static void test_messages_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = interval();
    tc_env env = {.space = s, .agents = 2, .budget = 1000};
    tc_dp_pne_options *o = options_of(1, 0.1);
    const tc_aggregator_ops *g = tc_algorithm_dp_pf_pne.aggregator;
    const uint64_t message[4] = {0};
    assert_ok(g->check(&env, o, 1, 1, message, 32, &err));
    assert_fails(g->check(&env, o, 0, 1, message, 32, &err), TACIT_E_ARG,
                 "a message about depth 1 has 16 bytes, not 32");
    assert_fails(g->check(&env, o, 0, 2, message, 16, &err), TACIT_E_ARG, "agent 2");
    assert_fails(g->check(&env, o, 4, 1, message, 32, &err), TACIT_E_ARG,
                 "round 4 comes after the last of 4");
    o->bandit.transition = 17;
    tc_dp_pne_round r;
    assert_fails(tc_dp_pne_round_init(&r, &env, o, 16, &err), TACIT_E_ARG,
                 "depth 17 has more than 65536 cells");
    tc_free(o);
    tc_space_free(s);
}

/* ---- trustees ---- */

/* The price is the same, the noise and what widths are widened by larger by the spread. */
static void test_trustees_deal_the_noise(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = interval();
    const tc_env central = {.space = s, .agents = AGENTS, .budget = 1000};
    tc_env env = central;
    tc_dp_pne_options *o = options_of(1.5, 0.1);
    const tc_aggregator_ops *g = tc_algorithm_dp_pf_pne.aggregator;
    tc_dp_pne_round with, without;
    tc_shared_plan plan;
    int64_t v[8];
    uint64_t message[8];
    double square = 0;
    env.trustees = tc_trustees_usual(8);
    assert_ok(tc_dp_pne_round_init(&with, &env, o, 2, &err));
    assert_ok(tc_dp_pne_round_init(&without, &central, o, 2, &err));
    assert_close(with.price.event.parameter, without.price.event.parameter, 0);
    assert_close(with.blur / without.blur, tc_trustees_spread(&env.trustees), 1e-5);
    assert_ok(g->shared(&env, o, 2, &plan, &err));
    assert_int_equal(plan.groups, 1);
    assert_int_equal(plan.width, 8);
    assert_close(ldexp((double)plan.clip, -plan.grid), sqrt(8) / 2, 1e-6);
    for (size_t i = 0; i < 8; i++) /* of a norm of sqrt(8), too long */
        message[i] =
            htole64((uint64_t)(i % 2 ? -(INT64_C(1) << plan.grid) : INT64_C(1) << plan.grid));
    assert_ok(g->check(&env, o, 2, 3, message, sizeof message, &err));
    assert_ok(g->vector(&env, o, 2, message, sizeof message, v, &err));
    for (size_t i = 0; i < 8; i++)
        square += (double)v[i] * (double)v[i];
    assert_true(square <= (double)plan.clip * (double)plan.clip);
    assert_fails(g->vector(&env, o, 2, message, 8, v, &err), TACIT_E_ARG,
                 "a message about depth 3 has 64 bytes, not 8");
    o->protect = TC_PROTECT_RECORD;
    assert_fails(g->shared(&env, o, 2, &plan, &err), TACIT_E_ARG,
                 "federation.trustees: protect must be client, got record: trustees deal no noise "
                 "for single rewards");
    tc_free(o);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_and_widths),
        cmocka_unit_test(test_the_promise_is_kept_and_tight),
        cmocka_unit_test(test_with_next_to_no_noise_it_is_pf_pne),
        cmocka_unit_test(test_messages_are_checked),
        cmocka_unit_test(test_trustees_deal_the_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
