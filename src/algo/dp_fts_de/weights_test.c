/* weights_test.c - weights against their definition, and the noise they ask for. */
#include "support/features_model.h"

#include "algo/dp_fts_de/dp_fts_de.h"

static tc_dp_fts_de_options defaults(void)
{
    tc_dp_fts_de_options o;
    features_model(&o);
    return o;
}

static void end(tc_dp_fts_de_options *o)
{
    tc_options_fini(tc_algorithm_dp_fts_de.options, o);
}

/* exp((a 1[n in i] + 1)/T) / sum over all agents, as it is written; gap = a/T. */
static double slow_weight(uint64_t N, size_t P, double gap, uint64_t n, size_t i)
{
    double inverse_T = gap / 15, sum = 0;
    for (uint64_t k = 0; k < N; k++)
        sum += exp((15 * (k % P == i) + 1) * inverse_T);
    return exp((15 * (n % P == i) + 1) * inverse_T) / sum;
}

static void test_the_gap_is_held_then_falls(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = defaults();
    for (uint64_t r = 0; r <= 10; r++)
        assert_close(tc_dp_fts_de_gap(&o, r), 15, 0);
    assert_close(tc_dp_fts_de_gap(&o, 11), 15 * (1 - 1.0 / 29), 1e-14);
    assert_close(tc_dp_fts_de_gap(&o, 38), 15.0 / 29, 1e-13);
    assert_close(tc_dp_fts_de_gap(&o, 39), 0, 0);
    assert_close(tc_dp_fts_de_gap(&o, 1000), 0, 0);
    o.fade = 0;
    assert_close(tc_dp_fts_de_gap(&o, 1000), 15, 0);
    o.fade = 1;
    assert_close(tc_dp_fts_de_gap(&o, 9), 15, 0);
    assert_close(tc_dp_fts_de_gap(&o, 10), 0, 0);
    o.weights = TC_DP_FTS_DE_EVERYWHERE;
    assert_close(tc_dp_fts_de_gap(&o, 0), 0, 0);
    end(&o);
}

static void test_weights_follow_the_definition(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = defaults();
    const uint64_t rosters[] = {1, 3, 29, 200}, rounds[] = {0, 20, 39};
    for (size_t k = 0; k < 4; k++)
        for (size_t r = 0; r < 3; r++)
            for (size_t i = 0; i < 4; i++) {
                double sum = 0;
                for (uint64_t n = 0; n < rosters[k]; n++) {
                    double w = tc_dp_fts_de_weight(&o, rosters[k], rounds[r],
                                                   tc_dp_fts_de_start_region(&o, n), i);
                    double slow = slow_weight(rosters[k], 4, tc_dp_fts_de_gap(&o, rounds[r]), n, i);
                    assert_close(w, slow, 1e-12);
                    sum += w;
                }
                assert_close(sum, 1, 1e-12);
            }
    end(&o);
}

static void test_published_peaks(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = defaults();
    assert_close(tc_dp_fts_de_weight(&o, 29, 0, 0, 0), 0.125, 1e-6);
    assert_close(tc_dp_fts_de_weight(&o, 29, 0, 3, 3), 1.0 / 7, 1e-6);
    assert_close(tc_dp_fts_de_weight(&o, 29, 39, 3, 3), 1.0 / 29, 1e-15);
    end(&o);
}

static double noise_of(const tc_dp_fts_de_options *o, uint64_t agents, uint64_t round)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    tc_sum_scale scale;
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = agents}, o, round, &err));
    assert_ok(tc_sum_plan_scale(&r.plan, &scale, &err));
    double sd = ldexp((double)scale.sd, -r.release_grid);
    tc_dp_fts_de_form whole = tc_dp_fts_de_round_form(&r, round), alone;
    assert_ok(tc_dp_fts_de_form_init(&alone, &(tc_env){.agents = agents}, o, round, &err));
    assert_int_equal(alone.round, round);
    assert_int_equal(alone.width, whole.width);
    assert_int_equal(alone.grid, whole.grid);
    assert_int_equal(alone.clip, whole.clip);
    assert_true(r.clip <= r.plan.clip);
    assert_close(ldexp((double)r.clip, -r.plan.grid), tc_dp_fts_de_clip(o), 1e-5);
    tc_dp_fts_de_round_fini(&r);
    return sd;
}

/* sound: z S/sqrt(P) max_n |phi_n|; paper: z phi_max S. */
static void test_noise_is_what_each_mode_says(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = defaults();
    o.clip = 22;
    o.noise_multiplier = 1.5;
    const uint64_t rounds[] = {0, 25, 39};
    for (size_t k = 0; k < 3; k++) {
        double norm = 0, peak = 0;
        for (uint64_t n = 0; n < 29; n++) {
            double square = 0;
            for (size_t i = 0; i < 4; i++) {
                double w = slow_weight(29, 4, tc_dp_fts_de_gap(&o, rounds[k]), n, i);
                square += w * w;
                peak = fmax(peak, w);
            }
            norm = fmax(norm, sqrt(square));
        }
        o.mode = TC_DP_FTS_DE_SOUND;
        double sound = 1.5 * 11 * norm;
        assert_close(noise_of(&o, 29, rounds[k]), sound, 1e-5 * sound);
        o.mode = TC_DP_FTS_DE_PAPER;
        assert_close(noise_of(&o, 29, rounds[k]), 1.5 * 22 * peak, 1e-5 * sound);
    }
    end(&o);
}

/* The paper's bound is twice too large while weights are nearly one-hot, and exact once uniform. */
static void test_what_the_exact_sensitivity_saves(void **state)
{
    (void)state;
    tc_dp_fts_de_options sound = defaults(), paper = defaults();
    paper.mode = TC_DP_FTS_DE_PAPER;
    assert_close(noise_of(&paper, 29, 0) / noise_of(&sound, 29, 0), 2, 1e-5);
    assert_close(noise_of(&paper, 29, 39) / noise_of(&sound, 29, 39), 1, 1e-5);
    end(&sound);
    end(&paper);
}

/* The same sum with a row of weights for every agent. */
static void check_rows(const tc_dp_fts_de_options *o, uint64_t agents, uint64_t round)
{
    tacit_error err = {0};
    tc_dp_fts_de_round r;
    tc_sum_scale few, all;
    size_t P = tc_dp_fts_de_regions(o);
    assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = agents}, o, round, &err));
    assert_int_equal(r.plan.agents, agents);
    assert_int_equal(r.plan.groups, agents < P ? agents : P);
    tc_sum_plan p = r.plan;
    uint32_t *weights = tc_alloc((size_t)agents * P, sizeof *weights);
    assert_non_null(weights);
    for (uint64_t n = 0; n < agents; n++)
        for (size_t i = 0; i < P; i++)
            weights[n * P + i] = (uint32_t)ldexp(
                tc_dp_fts_de_weight(o, agents, round, tc_dp_fts_de_start_region(o, n), i), 31);
    p.weights = weights;
    p.away = NULL;
    p.groups = (size_t)agents;
    assert_ok(tc_sum_plan_scale(&r.plan, &few, &err));
    assert_ok(tc_sum_plan_scale(&p, &all, &err));
    assert_true(few.sd == all.sd && few.sensitivity == all.sensitivity);
    assert_int_equal(r.release_grid, all.grid);
    tc_free(weights);
    tc_dp_fts_de_round_fini(&r);
}

static void test_a_row_for_each_start_region_is_enough(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = defaults();
    const uint64_t rosters[] = {1, 2, 3, 4, 29, 1000};
    for (o.mode = TC_DP_FTS_DE_SOUND; o.mode <= TC_DP_FTS_DE_PAPER; o.mode++)
        for (size_t k = 0; k < 6; k++)
            for (uint64_t round = 0; round < 42; round += 3)
                check_rows(&o, rosters[k], round);
    o.mode = TC_DP_FTS_DE_SOUND;
    end(&o);
}

/* Messages of all rounds are on one grid, whatever the noise is. */
static void test_the_grid_of_messages_follows_the_clip_norm(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_options o = defaults();
    o.clip = 8; /* 4 for one agent's vector: 2^25 steps */
    for (o.noise_multiplier = 0; o.noise_multiplier < 1000; o.noise_multiplier += 111)
        for (uint64_t round = 0; round < 42; round += 3) {
            tc_dp_fts_de_round r;
            assert_ok(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = 1000}, &o, round, &err));
            assert_int_equal(r.plan.grid, 23);
            assert_int_equal(r.clip, 1 << 25);
            tc_dp_fts_de_round_fini(&r);
        }
    end(&o);
}

static void test_clip_norms_follow_the_message(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = defaults();
    assert_true(tc_dp_fts_de_sends_mean(&o));
    assert_close(tc_dp_fts_de_clip(&o), 1.1 * sqrt(10), 0);
    o.initial = 4000; /* no mean has more than M directions */
    assert_close(tc_dp_fts_de_clip(&o), 11, 1e-12);
    o.noise_multiplier = 0;
    assert_false(tc_dp_fts_de_sends_mean(&o));
    assert_close(tc_dp_fts_de_clip(&o), 11, 1e-12);
    o.clip = 8;
    assert_close(tc_dp_fts_de_clip(&o), 4, 0);
    end(&o);
}

static void test_shares_of_the_roster(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = defaults();
    o.sampling_rate = 0.35;
    assert_close(tc_dp_fts_de_rate(&o, 29), 0.35, 0);
    o.sampling = TC_DP_FTS_DE_FIXED;
    assert_int_equal(tc_dp_fts_de_sampled(&o, 29), 10);
    assert_close(tc_dp_fts_de_rate(&o, 29), 10.0 / 29, 1e-15);
    o.sampling_rate = 1e-9;
    assert_int_equal(tc_dp_fts_de_sampled(&o, 29), 1);
    end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_gap_is_held_then_falls),
        cmocka_unit_test(test_weights_follow_the_definition),
        cmocka_unit_test(test_published_peaks),
        cmocka_unit_test(test_noise_is_what_each_mode_says),
        cmocka_unit_test(test_what_the_exact_sensitivity_saves),
        cmocka_unit_test(test_a_row_for_each_start_region_is_enough),
        cmocka_unit_test(test_the_grid_of_messages_follows_the_clip_norm),
        cmocka_unit_test(test_clip_norms_follow_the_message),
        cmocka_unit_test(test_shares_of_the_roster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
