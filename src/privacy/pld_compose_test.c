/* pld_compose_test.c - the composition by FFT beside repeated direct sums. */
#include "support/test.h"

#include "privacy/pld_int.h"

#define CIRCLE_LOG2 10
#define CIRCLE      (1 << CIRCLE_LOG2)

/* A measure without structure, some of it empty. */
static tc_pld_measure rough_measure(double *p, size_t n, int64_t first, double seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = i % 5 == 3 ? 0 : exp(5 * sin(seed * (double)(i * i + 1))) / 1000;
    return (tc_pld_measure){.h = 0.05, .offset = 0.013 * seed, .first = first, .n = n, .p = p};
}

static void fold_in(long double *y, const tc_pld_measure *m, double lambda)
{
    static long double next[CIRCLE];
    double log_m = tc_pld_log_mgf(m, lambda);
    memset(next, 0, sizeof next);
    for (size_t i = 0; i < m->n; i++) {
        long double w = m->p[i] * expl((long double)lambda * tc_pld_loss(m, i) - log_m);
        for (size_t k = 0; k < CIRCLE; k++)
            next[(k + (size_t)(m->first + (int64_t)i)) & (CIRCLE - 1)] += w * y[k];
    }
    memcpy(y, next, sizeof next);
}

static void check_bound(const tc_pld_parts *parts, const tc_pld_tilt *t, const tc_pld_sum *sum,
                        int bound)
{
    static long double y[CIRCLE];
    memset(y, 0, sizeof y);
    y[0] = 1;
    for (size_t i = 0; i < parts->n; i++)
        for (uint64_t k = 0; k < parts->part[i].count; k++)
            fold_in(y, tc_pld_measure_of(&parts->part[i], bound), t->lambda);
    assert_true(sum->error[bound] < 1e-12);
    for (int64_t k = 0; k < CIRCLE; k++) {
        double want = (double)y[(t->start + k) & (CIRCLE - 1)];
        assert_true(fabs(sum->p[bound][k] - want) <= sum->error[bound]);
    }
}

static void test_equals_direct_sums(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arena arena = {0};
    double p[4][90];
    tc_pld_part part[2] = {
        {rough_measure(p[0], 90, -40, 1.1), rough_measure(p[1], 70, -33, 2.7), 5, 100},
        {rough_measure(p[2], 11, 3, 0.4), rough_measure(p[3], 20, -1, 5.2), 6, 100}};
    tc_pld_parts parts = {.part = part, .n = 2, .h = 0.05};
    const double lambda[] = {0.01, 1, 9};
    for (size_t i = 0; i < 3; i++) {
        tc_pld_tilt t = {.lambda = lambda[i], .start = -77 + 400 * (int64_t)i};
        tc_pld_sum sum;
        assert_ok(tc_pld_compose(&sum, &parts, &t, CIRCLE_LOG2, &arena, &err));
        assert_int_equal(sum.n, CIRCLE);
        check_bound(&parts, &t, &sum, TC_PLD_ABOVE);
        check_bound(&parts, &t, &sum, TC_PLD_BELOW);
    }
    tc_arena_fini(&arena);
}

static void test_log_mgf(void **state)
{
    (void)state;
    double p[300];
    tc_pld_measure m = rough_measure(p, 300, -120, 1.9);
    for (double lambda = -7; lambda < 8; lambda += 0.7) {
        long double sum = 0;
        for (size_t i = 0; i < m.n; i++)
            sum += p[i] * expl((long double)lambda * tc_pld_loss(&m, i));
        assert_close(tc_pld_log_mgf(&m, lambda), (double)logl(sum), 1e-12);
    }
    m.n = 0;
    assert_true(tc_pld_log_mgf(&m, 1) == -INFINITY);
}

/* The tails that the window promises really hold all that lies outside of it. */
static void test_tails_cover_what_is_outside(void **state)
{
    (void)state;
    double p[90];
    tc_pld_measure m = rough_measure(p, 90, -40, 1.1);
    tc_pld_part part = {m, m, 1, 100};
    tc_pld_parts parts = {.part = &part, .n = 1, .h = 0.05};
    tc_pld_tilt t = {.lambda = 1, .right = 2, .left = 1.5, .start = -20};
    size_t n = 40;
    double log_m = tc_pld_log_mgf(&m, 1), left = 0, right = 0;
    for (size_t i = 0; i < m.n; i++) {
        int64_t index = m.first + (int64_t)i;
        double w = p[i] * exp(tc_pld_loss(&m, i) - log_m);
        left += index < t.start ? w : 0;
        right += index >= t.start + (int64_t)n ? w : 0;
    }
    tc_pld_tails tails = tc_pld_outside(&parts, TC_PLD_ABOVE, &t, n);
    assert_true(left > 0 && left <= tails.left && right > 0 && right <= tails.right);
    t.start = -40;
    tails = tc_pld_outside(&parts, TC_PLD_ABOVE, &t, 90);
    assert_true(tails.left == 0 && tails.right == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_direct_sums),
        cmocka_unit_test(test_log_mgf),
        cmocka_unit_test(test_tails_cover_what_is_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
