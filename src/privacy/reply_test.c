/* reply_test.c - replies: likelihood ratios in exact arithmetic, means and variances by drawing. */
#include "support/test.h"
#include "privacy/mechanism_int.h"

#include <gmp.h>

static const double epsilons[] = {1e-5, 1e-3, 0.1, 0.5, 1, 1.28, 1.29, 2, 2.7, 4, 8, 20, 40, 64};
enum { EPSILONS = sizeof epsilons / sizeof epsilons[0] };

/* ---- ratios */

/* A fraction below exp(x), x the exact value of the double: a partial sum of the series. */
static void below_exp(double x, mpq_t sum)
{
    mpq_t term, y, over;
    mpq_inits(term, y, over, NULL);
    mpq_set_d(y, x);
    mpq_set_ui(term, 1, 1);
    mpq_set_ui(sum, 1, 1);
    for (unsigned long j = 1; j <= 300; j++) {
        mpq_set_ui(over, 1, j);
        mpq_mul(term, term, y);
        mpq_mul(term, term, over);
        mpq_add(sum, sum, term);
    }
    mpq_clears(term, y, over, NULL);
}

static void product_of(mpz_t out, uint64_t a, uint64_t b)
{
    mpz_set_ui(out, a);
    mpz_mul_ui(out, out, b);
}

/* (a b) / (c d) <= e^epsilon, and above e^epsilon (1 - waste). */
static void assert_ratio(double epsilon, const uint64_t over[2], const uint64_t under[2],
                         double waste)
{
    mpq_t ratio, limit;
    mpq_inits(ratio, limit, NULL);
    product_of(mpq_numref(ratio), over[0], over[1]);
    product_of(mpq_denref(ratio), under[0], under[1]);
    mpq_canonicalize(ratio);
    below_exp(epsilon, limit);
    assert_true(mpq_cmp(ratio, limit) <= 0);
    assert_true(mpq_get_d(ratio) >= exp(epsilon) * (1 - waste));
    mpq_clears(ratio, limit, NULL);
}

static void one_bit_ratios_stay_within(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t i = 0; i < EPSILONS; i++) {
        tc_reply r;
        assert_ok(tc_reply_init(&r, TACIT_REPLY_ONE_BIT, epsilons[i], -1, 1, &err));
        uint64_t half = UINT64_C(1) << 62;
        assert_true(r.inside > 0 && r.inside < half);
        assert_ratio(epsilons[i], (uint64_t[]){half + r.inside, 1},
                     (uint64_t[]){half - r.inside, 1}, epsilons[i] <= 20 ? 1e-9 : 1);
    }
}

static void piecewise_ratios_stay_within(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t i = 0; i < EPSILONS; i++) {
        tc_reply r;
        assert_ok(tc_reply_init(&r, TACIT_REPLY_PIECEWISE, epsilons[i], -1, 1, &err));
        uint64_t others = 2 * (uint64_t)r.reach, outside = (UINT64_C(1) << 63) - r.inside;
        assert_true(r.window > 0 && outside > 0);
        assert_ratio(epsilons[i], (uint64_t[]){r.inside, others}, (uint64_t[]){outside, r.window},
                     epsilons[i] <= 20 ? 1e-9 : 1);
        assert_true((tc_wide)r.inside * others > (tc_wide)outside * r.window); /* the inverse < 1 */
    }
}

static void laplace_scales_stay_within(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t i = 0; i < EPSILONS; i++) {
        tc_reply r;
        assert_ok(tc_reply_init(&r, TACIT_REPLY_LAPLACE, epsilons[i], -1, 1, &err));
        mpq_t loss, limit;
        mpq_inits(loss, limit, NULL);
        mpq_set_ui(loss, 2 * (uint64_t)r.reach, r.scale);
        mpq_canonicalize(loss);
        mpq_set_d(limit, epsilons[i]);
        assert_true(mpq_cmp(loss, limit) <= 0);
        assert_close(mpq_get_d(loss) / epsilons[i], 1, 1e-6);
        mpq_clears(loss, limit, NULL);
    }
}

/* ---- which words give which reply */

typedef struct tape {
    uint64_t words[4];
    size_t used;
} tape;

static uint64_t tape_u64(void *ctx)
{
    tape *t = ctx;
    return t->words[t->used++ % 4];
}

static int64_t reply_to(const tc_reply *r, double y, uint64_t w0, uint64_t w1, uint64_t w2)
{
    tacit_error err = {0};
    tape t = {.words = {w0, w1, w2, UINT64_C(1) << 40}};
    tc_entropy e = {.u64 = tape_u64, .ctx = &t};
    tc_release *made;
    assert_ok(tc_reply_release(&made, r, y, &e, &err));
    int64_t v = tc_release_get(made)->steps[0];
    tc_release_free(made);
    return v;
}

/* + for the words below twice the threshold, - for the others: the coin has the stated bias. */
static void one_bit_has_the_probability_it_states(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reply r;
    assert_ok(tc_reply_init(&r, TACIT_REPLY_ONE_BIT, 1, -3, 3, &err));
    uint64_t half = UINT64_C(1) << 62;
    static const double y[] = {-3, -1e9, 0, 3, 1e300, 1.5};
    const uint64_t threshold[] = {half - r.inside, half - r.inside, half,
                                  half + r.inside, half + r.inside, half + r.inside / 2};
    for (size_t i = 0; i < 6; i++) {
        assert_true(reply_to(&r, y[i], 2 * threshold[i] - 1, 0, 0) == 1);
        assert_true(reply_to(&r, y[i], 2 * threshold[i], 0, 0) == -1);
    }
    assert_true(reply_to(&r, NAN, 2 * half - 1, 0, 0) == 1); /* the midpoint, 0 */
    assert_true(reply_to(&r, NAN, 2 * half, 0, 0) == -1);
    assert_true(reply_to(&r, INFINITY, 2 * half, 0, 0) == -1);
}

/* The cells of both parts, at their ends: together they cover 0..K-1 and do not overlap. */
static void piecewise_windows_follow_the_value(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reply r;
    assert_ok(tc_reply_init(&r, TACIT_REPLY_PIECEWISE, 2, 10, 20, &err));
    int64_t h = r.reach, window = (int64_t)r.window, last = 2 * h + window - 1;
    static const double y[] = {10, 12.5, 15, 20};
    const int64_t start[] = {0, h / 2, h, 2 * h};
    for (size_t i = 0; i < 4; i++) {
        assert_true(reply_to(&r, y[i], 0, 1, 7) == 2 * start[i] - last);
        assert_true(reply_to(&r, y[i], 0, UINT64_MAX, 7) == 2 * (start[i] + window - 1) - last);
        int64_t lowest = start[i] > 0 ? 0 : window, highest = start[i] < 2 * h ? last : 2 * h - 1;
        assert_true(reply_to(&r, y[i], UINT64_MAX, 7, 0) == 2 * lowest - last);
        assert_true(reply_to(&r, y[i], UINT64_MAX, 7, UINT64_MAX) == 2 * highest - last);
    }
    uint64_t first_outside = 2 * r.inside;
    assert_true(reply_to(&r, 15, first_outside - 1, 1, 0) == reply_to(&r, 15, 0, 1, 0));
    assert_true(reply_to(&r, 15, first_outside, 1, 0) != reply_to(&r, 15, 0, 1, 0));
    assert_true(reply_to(&r, NAN, 0, 1, 0) == reply_to(&r, 15, 0, 1, 0));
}

/* ---- means and variances */

typedef struct sample {
    double mean, var;
} sample;

static sample draw_many(const tc_reply *r, double y, size_t n, uint64_t step)
{
    tacit_error err = {0};
    tc_test_noise noise;
    tc_test_noise_init(&noise, 5, step);
    tc_entropy e = tc_entropy_of_test(&noise);
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        tc_release *made;
        assert_ok(tc_reply_release(&made, r, y, &e, &err));
        double v = tc_release_value(made, 0) - y;
        sum += v;
        square += v * v;
        tc_release_free(made);
    }
    double mean = sum / (double)n;
    return (sample){mean, square / (double)n - mean * mean};
}

/* Worst-case variances for values in [-1, 1]. */
static const struct {
    double epsilon, laplace, one_bit, piecewise;
} table[] = {
    {0.5, 32.0, 16.67, 21.2}, {1, 8.0, 4.68, 5.22},       {2, 2.0, 1.72, 1.23},
    {4, 0.5, 1.08, 0.241},    {8, 0.125, 1.0013, 0.0253},
};

static void assert_unbiased(tacit_reply_kind kind, double epsilon, double worst, double worst_at)
{
    tacit_error err = {0};
    enum { N = 100000 };
    tc_reply r;
    assert_ok(tc_reply_init(&r, kind, epsilon, -1, 1, &err));
    assert_close(r.sd * r.sd / worst, 1, 0.006);
    static const double y[] = {-1, -0.3, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        sample s = draw_many(&r, y[i], N, i);
        assert_close(s.mean, 0, 5 * r.sd / sqrt(N));
        assert_true(s.var <= worst * 1.02);
        if (y[i] == worst_at)
            assert_close(s.var / worst, 1, 0.03);
    }
}

static void replies_are_unbiased_and_as_noisy_as_stated(void **state)
{
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        assert_unbiased(TACIT_REPLY_ONE_BIT, table[i].epsilon, table[i].one_bit, 0);
        assert_unbiased(TACIT_REPLY_PIECEWISE, table[i].epsilon, table[i].piecewise, 1);
    }
    assert_unbiased(TACIT_REPLY_LAPLACE, 1, 8.0, 0);
}

/* A million draws each, far from the middle of a lopsided range. */
static void a_million_replies_average_to_the_value(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { N = 1000000 };
    static const tacit_reply_kind kinds[] = {TACIT_REPLY_ONE_BIT, TACIT_REPLY_PIECEWISE};
    for (size_t i = 0; i < 2; i++) {
        tc_reply r;
        assert_ok(tc_reply_init(&r, kinds[i], 1.5, 100, 108, &err));
        assert_close(draw_many(&r, 107.25, N, 9).mean, 0, 5 * r.sd / sqrt(N));
    }
}

/* ---- what a reply says of itself */

static void auto_takes_the_smaller_variance(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t i = 0; i < EPSILONS; i++) {
        tc_reply chosen, bit, piece;
        assert_ok(tc_reply_init(&chosen, TACIT_REPLY_AUTO, epsilons[i], -1, 1, &err));
        assert_ok(tc_reply_init(&bit, TACIT_REPLY_ONE_BIT, epsilons[i], -1, 1, &err));
        assert_ok(tc_reply_init(&piece, TACIT_REPLY_PIECEWISE, epsilons[i], -1, 1, &err));
        assert_int_equal(chosen.kind,
                         epsilons[i] < 1.29 ? TACIT_REPLY_ONE_BIT : TACIT_REPLY_PIECEWISE);
        assert_true(chosen.sd <= fmin(bit.sd, piece.sd) * 1.01);
    }
}

static void replies_carry_their_cost(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_noise noise;
    tc_noise_init(&noise);
    tc_entropy e = tc_entropy_of(&noise);
    static const tacit_reply_kind kinds[] = {TACIT_REPLY_ONE_BIT, TACIT_REPLY_PIECEWISE,
                                             TACIT_REPLY_LAPLACE};
    static const char *const names[] = {"one-bit-reply", "piecewise-reply", "laplace-reply"};
    for (size_t i = 0; i < 3; i++) {
        tc_reply r;
        tc_release *made;
        assert_ok(tc_reply_init(&r, kinds[i], 0.75, -2, 6, &err));
        assert_ok(tc_reply_release(&made, &r, 1e9, &e, &err));
        const tc_release_view *v = tc_release_get(made);
        assert_string_equal(v->mechanism, names[i]);
        assert_int_equal(v->event.mechanism, i == 2 ? TACIT_DP_LAPLACE : TACIT_DP_PURE);
        assert_same_bits(v->event.parameter, 0.75);
        assert_true(v->is_private && v->unit == TACIT_UNIT_USER && v->event.count == 1);
        assert_same_bits(v->sensitivity, 8);
        assert_same_bits(tc_release_slack(made, 1), 0);
        assert_true(fabs(tc_release_value(made, 0) - 2) < 1e4);
        tc_release_free(made);
    }
    tc_noise_fini(&noise);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reply r;
    assert_fails(tc_reply_init(&r, TACIT_REPLY_AUTO, 0, -1, 1, &err), TACIT_E_ARG,
                 "epsilon must be in [1e-05, 64], got 0");
    assert_fails(tc_reply_init(&r, TACIT_REPLY_AUTO, -1, -1, 1, &err), TACIT_E_ARG, "got -1");
    assert_fails(tc_reply_init(&r, TACIT_REPLY_AUTO, NAN, -1, 1, &err), TACIT_E_ARG, "epsilon");
    assert_fails(tc_reply_init(&r, TACIT_REPLY_AUTO, 65, -1, 1, &err), TACIT_E_ARG, "got 65");
    assert_fails(tc_reply_init(&r, TACIT_REPLY_AUTO, 1, 1, 1, &err), TACIT_E_ARG,
                 "low < high, got [1, 1]");
    assert_fails(tc_reply_init(&r, TACIT_REPLY_AUTO, 1, -INFINITY, 1, &err), TACIT_E_ARG, "bounds");
    assert_fails(tc_reply_init(&r, TACIT_REPLY_AUTO, 1, -1.7e308, 1.7e308, &err), TACIT_E_ARG,
                 "bounds");
}

static void replies_fit_a_double(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const tacit_reply_kind kinds[] = {TACIT_REPLY_ONE_BIT, TACIT_REPLY_PIECEWISE,
                                             TACIT_REPLY_LAPLACE};
    for (size_t i = 0; i < 3; i++) {
        tc_reply r;
        assert_fails(tc_reply_init(&r, kinds[i], 2, 0, 5e-324, &err), TACIT_E_ARG,
                     "bounds 5e-324 apart are too close: a reply's step would be below 2^-1000");
        assert_fails(tc_reply_init(&r, kinds[i], 2, -0x1p-1010, 0x1p-1010, &err), TACIT_E_ARG,
                     "too close");
        assert_fails(tc_reply_init(&r, kinds[i], 1e-5, 0, 1.5e308, &err), TACIT_E_ARG,
                     "bounds 1.5e+308 apart are too far: a reply's noise would be above 2^1000");
        assert_ok(tc_reply_init(&r, kinds[i], 2, 0, 0x1p-900, &err));
        assert_true(r.step >= 0x1p-1000 && r.sd > 0);
        assert_ok(tc_reply_init(&r, kinds[i], 1e-5, 0, 0x1p950, &err));
        assert_true(isfinite(r.step) && isfinite(100 * r.sd));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bit_ratios_stay_within),
        cmocka_unit_test(piecewise_ratios_stay_within),
        cmocka_unit_test(laplace_scales_stay_within),
        cmocka_unit_test(one_bit_has_the_probability_it_states),
        cmocka_unit_test(piecewise_windows_follow_the_value),
        cmocka_unit_test(replies_are_unbiased_and_as_noisy_as_stated),
        cmocka_unit_test(a_million_replies_average_to_the_value),
        cmocka_unit_test(auto_takes_the_smaller_variance),
        cmocka_unit_test(replies_carry_their_cost),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(replies_fit_a_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
