/* sum_test.c - the Gaussian sum: exact in any order, bounded per agent, noise in every case. */
#include "support/test.h"
#include "privacy/mechanism_int.h"
#include "privacy/sampler.h"

enum { AGENTS = 6, BLOCKS = 3, WIDTH = 4, COUNT = BLOCKS * WIDTH };

static const uint32_t weights[AGENTS * BLOCKS] = {
    40000, 10000, 0, 30000, 65536, 1, 12345, 54321, 777, 1, 2, 65535, 0, 0, 0, 20000, 20000, 20000,
};

static tc_sum_plan plan(void)
{
    return (tc_sum_plan){.agents = AGENTS,
                         .blocks = BLOCKS,
                         .width = WIDTH,
                         .weights = weights,
                         .weight_bits = 16,
                         .grid = 20,
                         .clip = 3000000,
                         .multiplier = TC_SUM_ONE,
                         .rate = TC_SUM_ONE};
}

static tc_test_noise noise;

static tc_entropy seeded(uint64_t step)
{
    tc_test_noise_init(&noise, 77, step);
    return tc_entropy_of_test(&noise);
}

static void vector_of(size_t agent, int64_t v[WIDTH])
{
    for (size_t k = 0; k < WIDTH; k++)
        v[k] = (int64_t)((agent + 1) * 700001 * (k + 3)) * (k % 2 == 0 ? 1 : -1);
}

static tc_release *sum_of(const tc_sum_plan *p, uint64_t step, const size_t *agents, size_t n)
{
    tacit_error err = {0};
    tc_entropy e = seeded(step);
    tc_sum *s;
    tc_release *r;
    assert_ok(tc_sum_open(&s, p, &e, &err));
    for (size_t i = 0; i < n; i++) {
        int64_t v[WIDTH];
        vector_of(agents[i], v);
        assert_ok(tc_sum_fold(s, agents[i], v, &err));
    }
    assert_ok(tc_sum_close(s, &r, &err));
    tc_sum_free(s);
    return r;
}

/* ---- exactness */

static void sums_do_not_depend_on_the_order(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    static const size_t up[] = {0, 1, 2, 3, 4, 5}, mixed[] = {4, 1, 5, 0, 3, 2};
    tc_release *a = sum_of(&p, 1, up, 6), *b = sum_of(&p, 1, mixed, 6);
    assert_memory_equal(tc_release_get(a)->steps, tc_release_get(b)->steps, COUNT * 8);
    tc_release_free(a);
    tc_release_free(b);
}

/* The slow and obvious sum: the noise alone, plus each contribution. */
static void sums_are_noise_plus_weighted_vectors(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    static const size_t some[] = {3, 1, 2};
    tc_release *r = sum_of(&p, 2, some, 3), *empty = sum_of(&p, 2, some, 0);
    int64_t expected[COUNT];
    memcpy(expected, tc_release_get(empty)->steps, sizeof expected);
    for (size_t n = 0; n < 3; n++) {
        int64_t v[WIDTH];
        vector_of(some[n], v);
        tc_clip_l2(v, WIDTH, p.clip);
        for (size_t i = 0; i < COUNT; i++)
            expected[i] += v[i % WIDTH] * (int64_t)weights[some[n] * BLOCKS + i / WIDTH] / 65536;
    }
    assert_memory_equal(tc_release_get(r)->steps, expected, sizeof expected);
    tc_release_free(r);
    tc_release_free(empty);
}

/* One agent's share, in steps, is within the sensitivity, however long its vector. */
static void no_contribution_exceeds_the_sensitivity(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_sum_scale scale;
    assert_ok(tc_sum_plan_scale(&p, &scale, &err));
    for (size_t agent = 0; agent < AGENTS; agent++) {
        tc_release *empty = sum_of(&p, 3, NULL, 0), *r;
        tc_entropy e = seeded(3);
        tc_sum *s;
        assert_ok(tc_sum_open(&s, &p, &e, &err));
        assert_ok(tc_sum_fold(s, agent, (int64_t[]){INT64_MIN, INT64_MAX, 1, -5}, &err));
        assert_ok(tc_sum_close(s, &r, &err));
        tc_wide square = 0;
        for (size_t i = 0; i < COUNT; i++) {
            int64_t share = tc_release_get(r)->steps[i] - tc_release_get(empty)->steps[i];
            square += (uint64_t)(share * share);
        }
        assert_true(square <= (tc_wide)scale.sensitivity * scale.sensitivity);
        tc_sum_free(s);
        tc_release_free(empty);
        tc_release_free(r);
    }
}

/* ---- scale */

static void the_scale_is_rounded_up(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_sum_scale scale;
    p.multiplier = 3 * TC_SUM_ONE / 2 + 1; /* a little more than 1.5 */
    assert_ok(tc_sum_plan_scale(&p, &scale, &err));
    double norm = sqrt(30000.0 * 30000 + 65536.0 * 65536 + 1) / 65536;
    assert_close((double)scale.sensitivity, norm * 3000000,
                 50); /* the norm of weights, rounded up */
    assert_true((double)scale.sensitivity >= norm * 3000000);
    assert_true(scale.sd == (3 * scale.sensitivity + 1) / 2 + (scale.sensitivity % 2 == 0));
    assert_true(ldexp((double)p.multiplier, -32) <= (double)scale.sd / (double)scale.sensitivity);
    assert_int_equal(scale.event.mechanism, TC_DP_GAUSSIAN);
    assert_close(scale.event.parameter, 1.5, 1e-9);
    p.weights = NULL;
    p.weight_bits = 0;
    p.multiplier = TC_SUM_ONE;
    assert_ok(tc_sum_plan_scale(&p, &scale, &err)); /* ceil(sqrt(3)) clip */
    assert_true(scale.sensitivity == 2 * p.clip && scale.sd == 2 * p.clip);
}

static void a_plan_from_real_numbers_fits_the_samplers(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double clips[] = {1e-6, 0.3, 1, 11, 1e7},
                        multipliers[] = {0.01, 0.9, 1, 23.594, 900};
    for (size_t c = 0; c < 5; c++) {
        for (size_t m = 0; m < 5; m++) {
            tc_sum_plan p = plan();
            tc_sum_scale scale;
            assert_ok(tc_sum_plan_set(&p, clips[c], multipliers[m], 0.25, &err));
            assert_ok(tc_sum_plan_scale(&p, &scale, &err));
            assert_true(scale.sd >= UINT64_C(1) << 20 && scale.sd < UINT64_C(1) << 24);
            assert_true(ldexp((double)p.clip, -p.grid) <= clips[c]);
            assert_close(ldexp((double)p.clip, -p.grid) / clips[c], 1, 1e-2);
            assert_true(scale.event.parameter >= multipliers[m]);
            assert_close(scale.event.parameter, multipliers[m], 3e-10);
            assert_int_equal(scale.event.sampling, TC_DP_POISSON);
            assert_same_bits(scale.event.sampling_rate, 0.25);
        }
    }
}

/* ---- noise, sampling, stamps */

static void noise_has_its_size_also_without_anybody(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.weights = NULL;
    p.weight_bits = 0;
    p.blocks = 1;
    p.width = 20000;
    tc_release *r = sum_of(&p, 4, NULL, 0);
    const tc_release_view *v = tc_release_get(r);
    double mean = 0, square = 0;
    for (size_t i = 0; i < p.width; i++) {
        mean += tc_release_value(r, i);
        square += tc_release_value(r, i) * tc_release_value(r, i);
    }
    double sd = ldexp(3000000, -20), n = (double)p.width;
    assert_close(v->noise_sd, sd, 1e-12);
    assert_close(v->sensitivity, sd, 1e-12);
    assert_close(mean / n, 0, 5 * sd / sqrt(n));
    assert_close(square / n / (sd * sd), 1, 5 * sqrt(2 / n));
    assert_close(v->distance, 20000 * 0.0202 / 9e12, 1e-22);
    assert_close(tc_release_slack(r, 2), (1 + exp(2)) * v->distance, 1e-18);
    tc_release_free(r);
}

/* Share of rounds in which one agent's vector is in the sum. */
static void coins_follow_the_rate(void **state)
{
    (void)state;
    enum { ROUNDS = 4000 };
    tc_sum_plan p = plan();
    p.rate = TC_SUM_ONE / 4;
    unsigned in = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        tc_release *empty = sum_of(&p, 100 + round, NULL, 0);
        tc_release *r = sum_of(&p, 100 + round, (const size_t[]){1}, 1);
        in += tc_release_get(r)->steps[0] != tc_release_get(empty)->steps[0];
        tc_release_free(r);
        tc_release_free(empty);
    }

    assert_close((double)in / ROUNDS, 0.25, 5 * sqrt(0.25 * 0.75 / ROUNDS));
}

static void seeded_sums_are_stamped(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_release *r = sum_of(&p, 5, NULL, 0);
    assert_false(tc_release_get(r)->is_private);
    assert_non_null(strstr(tc_release_get(r)->not_private, "test mode"));
    tc_release_free(r);
    tc_noise secret;
    tc_noise_init(&secret);
    tc_entropy e = tc_entropy_of(&secret);
    tc_sum *s;
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    assert_ok(tc_sum_close(s, &r, &err));
    assert_true(tc_release_get(r)->is_private);
    assert_null(tc_release_get(r)->not_private);
    assert_int_equal(tc_release_get(r)->unit, TC_UNIT_AGENT);
    tc_release_free(r);
    tc_sum_free(s);
    tc_noise_fini(&secret);
}

static void no_noise_is_not_private(void **state)
{
    (void)state;
    tc_sum_plan p = plan();
    p.multiplier = 0;
    tc_release *r = sum_of(&p, 6, NULL, 0);
    const tc_release_view *v = tc_release_get(r);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(v->steps[i] == 0);
    assert_false(v->is_private);
    assert_string_equal(v->not_private, "the noise multiplier is 0");
    assert_int_equal(v->event.mechanism, TC_DP_NONPRIVATE);
    tc_release_free(r);
}

/* ---- refusals */

static void bad_plans_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_scale scale;
    tc_sum_plan p = plan();
    p.agents = 0;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "agents must be in");
    p = plan();
    p.width = 0;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "3 blocks of 0");
    p = plan();
    p.blocks = SIZE_MAX / 2;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "coordinates");
    p = plan();
    p.weight_bits = 32;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "weight_bits");
    p = plan();
    p.clip = TC_CLIP_MAX + 1;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "clip norm");
    p = plan();
    p.rate = 0;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "sampling rate");
    p = plan();
    p.multiplier = UINT64_MAX;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "noise multiplier");
    p = plan();
    p.clip = 1000;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "choose a grid");
    p = plan();
    static const uint32_t nothing[AGENTS * BLOCKS] = {0};
    p.weights = nothing;
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "all weights are 0");
}

static void overflow_is_refused_before_anything_is_drawn(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_scale scale;
    tc_sum_plan p = {.agents = 1 << 24,
                     .blocks = 1,
                     .width = 1,
                     .clip = TC_CLIP_MAX,
                     .multiplier = 1,
                     .rate = TC_SUM_ONE};
    assert_fails(tc_sum_plan_scale(&p, &scale, &err), TACIT_E_ARG, "could overflow the sum");
    tc_entropy e = {.u64 = NULL}; /* would crash if it were asked */
    tc_sum *s = NULL;
    assert_fails(tc_sum_open(&s, &p, &e, &err), TACIT_E_ARG, "could overflow the sum");
    assert_null(s);
}

static void bad_real_numbers_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    assert_fails(tc_sum_plan_set(&p, 0, 1, 1, &err), TACIT_E_ARG, "clip norm must be > 0, got 0");
    assert_fails(tc_sum_plan_set(&p, NAN, 1, 1, &err), TACIT_E_ARG, "clip norm");
    assert_fails(tc_sum_plan_set(&p, 1, -1, 1, &err), TACIT_E_ARG, "multiplier");
    assert_fails(tc_sum_plan_set(&p, 1, 1, 1.5, &err), TACIT_E_ARG, "sampling rate");
    assert_fails(tc_sum_plan_set(&p, 1e-320, 1, 1, &err), TACIT_E_ARG, "noise of size");
}

static void nobody_is_counted_twice(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sum_plan p = plan();
    tc_entropy e = seeded(7);
    tc_sum *s;
    tc_release *r;
    int64_t v[WIDTH] = {1, 2, 3, 4};
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    assert_ok(tc_sum_fold(s, 2, v, &err));
    assert_fails(tc_sum_fold(s, 2, v, &err), TACIT_E_STATE, "agent 2 is in the sum already");
    assert_fails(tc_sum_fold(s, AGENTS, v, &err), TACIT_E_ARG, "agent 6 is not among");
    assert_ok(tc_sum_close(s, &r, &err));
    assert_fails(tc_sum_fold(s, 3, v, &err), TACIT_E_STATE, "comes too late");
    assert_fails(tc_sum_close(s, &r, &err), TACIT_E_STATE, "closed already");
    tc_release_free(r);
    tc_sum_free(s);
    tc_sum_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_the_order),
        cmocka_unit_test(sums_are_noise_plus_weighted_vectors),
        cmocka_unit_test(no_contribution_exceeds_the_sensitivity),
        cmocka_unit_test(the_scale_is_rounded_up),
        cmocka_unit_test(a_plan_from_real_numbers_fits_the_samplers),
        cmocka_unit_test(noise_has_its_size_also_without_anybody),
        cmocka_unit_test(coins_follow_the_rate),
        cmocka_unit_test(seeded_sums_are_stamped),
        cmocka_unit_test(no_noise_is_not_private),
        cmocka_unit_test(bad_plans_are_refused),
        cmocka_unit_test(overflow_is_refused_before_anything_is_drawn),
        cmocka_unit_test(bad_real_numbers_are_refused),
        cmocka_unit_test(nobody_is_counted_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
