/* value_test.c - one evaluation on records: its scale, its noise, and no two neighbours farther apart
 * than the scale says. */
#include "privacy/mechanism_int.h"

#include "support/test.h"

static const tc_value_plan usual = {.low = 0, .high = 1, .failed = 1, .sensitivity = 1e-3, .z = 5};

static tc_value_scale scale_of(const tc_value_plan *p)
{
    tacit_error err;
    tc_value_scale s;
    assert_ok(tc_value_plan_scale(p, &s, &err));
    return s;
}

/* Noise is z times the sensitivity, a little more, on a grid that is fine beside it. */
static void scales(void **state)
{
    (void)state;
    static const double zs[] = {1e-3, 0.5, 5, 300, 1e6}, widths[] = {1e-9, 1, 1e12};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            tc_value_plan p = {0, widths[k], 0, widths[k] / 1200, zs[i], 0, false};
            tc_value_scale s = scale_of(&p);
            double exact = p.z * p.sensitivity;
            assert_true(s.noise_sd >= exact &&
                        s.noise_sd <= exact * (1 + 1e-5) + exact * p.z * 1e-6);
            assert_true(s.sd >= TC_SD_LOW && s.sd < TC_SD_HIGH);
            assert_true((double)s.sd >= p.z * (double)s.delta);
            assert_true(s.event.mechanism == TACIT_DP_GAUSSIAN && s.event.parameter == p.z);
            assert_true(s.distance > 0 && s.distance < 1e-13);
        }
}

/* Values that one record could move by the whole sensitivity, at the worst places of the grid. */
static void neighbours_are_within_delta(void **state)
{
    (void)state;
    tc_value_plan p = usual;
    tc_value_scale s = scale_of(&p);
    double step = ldexp(1, -s.grid);
    for (int i = 0; i < 4000; i++) {
        double y = 0.25 + step * (i / 400.0);
        int64_t apart = tc_grid_nearest(y + p.sensitivity, s.grid) - tc_grid_nearest(y, s.grid);
        assert_true(apart >= 0 && (uint64_t)apart <= s.delta);
    }
}

/* The released number without its noise: the same seed draws the same noise. */
static double beside(const tc_value_plan *p, double y, double reference, bool *is_private)
{
    tacit_error err;
    double value[2];
    for (int i = 0; i < 2; i++) {
        tc_test_noise noise;
        tc_test_noise_init(&noise, 7, 1);
        tc_entropy e = tc_entropy_of_test(&noise);
        tc_release *r = NULL;
        assert_ok(tc_value_release(&r, p, i ? reference : y, &e, &err));
        value[i] = tc_release_value(r, 0);
        *is_private = tc_release_get(r)->is_private;
        tc_release_free(r);
    }
    return value[0] - value[1];
}

static void values_are_clamped_and_failures_hidden(void **state)
{
    (void)state;
    bool is_private = true;
    double step = ldexp(1, -scale_of(&usual).grid);
    assert_close(beside(&usual, 0.75, 0.25, &is_private), 0.5, step);
    assert_close(beside(&usual, -3, 0, &is_private), 0, 0);
    assert_close(beside(&usual, 8, 1, &is_private), 0, 0);
    assert_close(beside(&usual, NAN, 1, &is_private), 0, 0);
    assert_close(beside(&usual, INFINITY, 1, &is_private), 0, 0);
    assert_close(beside(&usual, -INFINITY, 1, &is_private), 0, 0);
    assert_false(is_private); /* seeded noise */
}

/* Mean and spread of real noise; the limits are six standard errors. */
static void noise_has_its_size(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    tacit_error err;
    tc_noise noise;
    tc_noise_init(&noise);
    tc_entropy e = tc_entropy_of(&noise);
    double sum = 0, squares = 0, sd = scale_of(&usual).noise_sd;
    for (int i = 0; i < DRAWS; i++) {
        tc_release *r = NULL;
        assert_ok(tc_value_release(&r, &usual, 0.5, &e, &err));
        const tc_release_view *v = tc_release_get(r);
        assert_true(v->is_private && v->unit == TACIT_UNIT_RECORD && v->event.count == 1);
        double off = (tc_release_value(r, 0) - 0.5) / sd;
        sum += off;
        squares += off * off;
        tc_release_free(r);
    }
    tc_noise_fini(&noise);
    assert_close(sum / DRAWS, 0, 6 / sqrt(DRAWS));
    assert_close(squares / DRAWS, 1, 6 * sqrt(2.0 / DRAWS));
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        tc_value_plan p;
        const char *sentence;
    } bad[] = {
        {{1, 1, 1, 0.1, 5, false}, "must be finite with low < high"},
        {{0, 1, 2, 0.1, 5, false}, "what stands for a failure must be in [0, 1], got 2"},
        {{0, 1, NAN, 0.1, 5, false}, "what stands for a failure"},
        {{0, 1, 1, 0, 5, false}, "sensitivity must be > 0 and finite, got 0"},
        {{0, 1, 1, INFINITY, 5, false}, "sensitivity must be > 0 and finite, got inf"},
        {{0, 1, 1, 0.1, 0, false}, "noise_multiplier must be in [1e-3, 1e6], got 0"},
        {{0, 1e300, 0, 1e-9, 1, false}, "bounds of size 1e+300 are more than"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tacit_error err;
        tc_value_scale s;
        assert_fails(tc_value_plan_scale(&bad[i].p, &s, &err), TACIT_E_ARG, bad[i].sentence);
    }
}

/* T Gaussians of z are one of z / sqrt(T): the closed form of the analytic Gaussian, and a little more. */
static void noise_follows_from_the_promise(void **state)
{
    (void)state;
    static const double epsilons[] = {0.1, 1, 8}, exact = 3.730631635;
    tacit_error err = {0};
    tacit_guarantee g;
    double z;
    for (uint64_t n = 1; n <= 1000; n *= 10)
        for (int i = 0; i < 3; i++) {
            assert_ok(tc_value_calibrate(epsilons[i], 1e-5, n, &z, &err));
            assert_ok(tc_value_cost(z, n, 1e-5, &g, &err));
            assert_true(g.epsilon <= epsilons[i] * (1 + 1e-9) && g.epsilon > epsilons[i] * 0.999);
            if (i == 1)
                assert_close(z / sqrt((double)n), exact, exact * 1e-4);
            assert_ok(tc_value_cost(z / 2, n, 1e-5, &g, &err)); /* half the noise is too little */
            assert_true(g.epsilon > 1.5 * epsilons[i]);
        }
    assert_ok(tc_value_calibrate(30, 1e-5, 10, &z, &err)); /* discreteness would eat delta */
    assert_ok(tc_value_cost(z, 10, 1e-5, &g, &err));
    assert_true(g.epsilon <= 30 * (1 + 1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_follows_from_the_promise),
        cmocka_unit_test(scales),
        cmocka_unit_test(neighbours_are_within_delta),
        cmocka_unit_test(values_are_clamped_and_failures_hidden),
        cmocka_unit_test(noise_has_its_size),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
