/* rows_test.c - releases of rows and vectors: scales, bounds, order, noise, refusals. */
#include "support/test.h"
#include "privacy/accountant.h"
#include "privacy/mechanism.h"

#include <stdlib.h>

static tc_test_noise noise;

static tc_entropy seeded(uint64_t step)
{
    tc_test_noise_init(&noise, 41, step);
    return tc_entropy_of_test(&noise);
}

static const double low[2] = {-25, -25}, high[2] = {25, 25};

static tc_rows_plan plan(size_t rows, tacit_rows_noise kind)
{
    return (tc_rows_plan){.rows = rows,
                          .dims = 2,
                          .bounds = {low, high},
                          .radius = 1,
                          .epsilon = 2,
                          .delta = 1e-5,
                          .noise = kind};
}

/* ---- rows */

typedef struct spread {
    double mean, sd;
} spread;

/* Of released minus clamped value, over all coordinates. */
static spread noise_of(const tc_rows_plan *p, const double *x, const size_t *order,
                       const tc_release *r)
{
    double sum = 0, square = 0, n = (double)(p->rows * p->dims);
    for (size_t i = 0; i < p->rows * p->dims; i++) {
        double value = x[order[i / p->dims] * p->dims + i % p->dims];
        double off = tc_release_value(r, i) - fmin(fmax(value, -25), 25);
        sum += off;
        square += off * off;
    }
    return (spread){sum / n, sqrt(square / n)};
}

static void rows_come_back_in_a_new_order_with_the_stated_noise(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { ROWS = 20000 };
    static double x[ROWS * 2];
    static size_t order[ROWS];
    static unsigned char seen[ROWS];
    for (size_t i = 0; i < 2 * ROWS; i++)
        x[i] = (double)(i % 1000) / 10 - 50; /* half of them beyond the bounds */
    for (int kind = TACIT_ROWS_LAPLACE; kind <= TACIT_ROWS_GAUSSIAN; kind++) {
        tc_rows_plan p = plan(ROWS, (tacit_rows_noise)kind);
        tc_entropy e = seeded((uint64_t)kind);
        tc_release *r;
        assert_ok(tc_rows_release(&r, order, &p, x, &e, &err));
        memset(seen, 0, sizeof seen);
        size_t fixed = 0;
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(order[i] < ROWS && !seen[order[i]]);
            seen[order[i]] = 1;
            fixed += order[i] == i;
        }
        assert_true(fixed < 12); /* one on average */
        spread s = noise_of(&p, x, order, r);
        double sd = tc_release_get(r)->noise_sd;
        assert_close(s.mean, 0, 5 * sd / sqrt(2 * ROWS));
        assert_close(s.sd / sd, 1, 5 * sqrt(1.25 / (2 * ROWS)));
        tc_release_free(r);
    }
}

static const tc_release_view *release_one(const tc_rows_plan *p, tc_release **r)
{
    tacit_error err = {0};
    size_t order[4];
    static const double x[8] = {0};
    tc_entropy e = seeded(9);
    assert_ok(tc_rows_release(r, order, p, x, &e, &err));
    return tc_release_get(*r);
}

/* sqrt(2 D) / epsilon, and the slack of rounding to the grid is invisible. */
static void laplace_rows_have_their_scale(void **state)
{
    (void)state;
    tc_rows_plan p = plan(4, TACIT_ROWS_LAPLACE);
    tc_release *r;
    const tc_release_view *v = release_one(&p, &r);
    assert_close(v->noise_sd, sqrt(4) / 2, 1e-7);
    assert_true(v->noise_sd > sqrt(4) / 2);
    assert_close(v->sensitivity, sqrt(2), 1e-12);
    assert_string_equal(v->mechanism, "laplace-rows");
    assert_int_equal(v->event.mechanism, TACIT_DP_LAPLACE);
    assert_same_bits(v->event.parameter, 2);
    assert_same_bits(v->distance, 0);
    assert_int_equal(v->unit, TACIT_UNIT_ROW);
    assert_false(v->is_private);
    tc_release_free(r);
}

static void gaussian_rows_have_their_scale(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_rows_plan p = plan(4, TACIT_ROWS_GAUSSIAN);
    p.radius = 3;
    double sigma;
    assert_ok(tc_analytic_gaussian(2, 1e-5, &sigma, &err));
    tc_release *r;
    const tc_release_view *v = release_one(&p, &r);
    assert_close(v->noise_sd / (3 * sigma), 1, 1e-5);
    assert_true(v->noise_sd > 3 * sigma);
    assert_string_equal(v->adjacency, "one row moves by at most 3 in L2 norm; the number of rows "
                                      "and the bounds are public");
    assert_int_equal(v->event.mechanism, TACIT_DP_GAUSSIAN);
    assert_true(v->event.parameter <= v->noise_sd / 3);
    assert_true(v->distance > 0);
    /* what the event costs and what the grid adds are together within delta */
    double cost = tc_gaussian_delta(1 / v->event.parameter, 2) + tc_release_slack(r, 2);
    assert_true(cost <= 1e-5 * (1 + 1e-6));
    tc_release_free(r);
    /* also where the grid takes a fifth of delta */
    p.delta = 1e-13;
    v = release_one(&p, &r);
    double event = tc_gaussian_delta(1 / v->event.parameter, 2), slack = tc_release_slack(r, 2);
    assert_true(slack > 0.01 * p.delta && event + slack <= p.delta * (1 + 1e-6));
    tc_release_free(r);
}

static void auto_takes_the_smaller_noise(void **state)
{
    (void)state;
    tc_release *r;
    tc_rows_plan p = plan(4, TACIT_ROWS_AUTO); /* 2 columns: Laplace */
    assert_string_equal(release_one(&p, &r)->mechanism, "laplace-rows");
    tc_release_free(r);
    static double many_low[64], many_high[64];
    for (size_t i = 0; i < 64; i++)
        many_high[i] = 1;
    static const double x[64] = {0};
    p = (tc_rows_plan){1, 64, {many_low, many_high}, 1, 1, 1e-5, TACIT_ROWS_AUTO};
    tacit_error err = {0};
    size_t order[1];
    tc_entropy e = seeded(3);
    assert_ok(tc_rows_release(&r, order, &p, x, &e, &err));
    assert_string_equal(tc_release_get(r)->mechanism, "gaussian-rows");
    tc_release_free(r);
    p.delta = 0;
    assert_ok(tc_rows_release(&r, order, &p, x, &e, &err));
    assert_string_equal(tc_release_get(r)->mechanism, "laplace-rows");
    tc_release_free(r);
}

/* Neighbours with the same noise: their integers differ by no more than the sensitivity says. */
static void rounding_stays_within_the_sensitivity(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_rows_plan p = plan(1, TACIT_ROWS_LAPLACE);
    double limit = sqrt(2) / 2 * 2; /* epsilon times the scale in real units */
    for (int i = 0; i < 500; i++) {
        double a[2] = {sin(i), cos(3 * i)}, angle = i;
        double b[2] = {a[0] + 0.999999 * cos(angle), a[1] + 0.999999 * sin(angle)};
        size_t order[1];
        tc_release *ra, *rb;
        tc_entropy e = seeded(1000);
        assert_ok(tc_rows_release(&ra, order, &p, a, &e, &err));
        e = seeded(1000);
        assert_ok(tc_rows_release(&rb, order, &p, b, &e, &err));
        const tc_release_view *va = tc_release_get(ra), *vb = tc_release_get(rb);
        double l1 = va->step * (double)(llabs(va->steps[0] - vb->steps[0]) +
                                        llabs(va->steps[1] - vb->steps[1]));
        assert_true(l1 <= limit);
        tc_release_free(ra);
        tc_release_free(rb);
    }
}

static void what_is_not_a_number_is_the_midpoint(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double off[2] = {4, -1}, top[2] = {8, 3};
    tc_rows_plan p = plan(1, TACIT_ROWS_LAPLACE);
    p.bounds = (tc_bounds){off, top};
    size_t order[1];
    tc_release *a, *b;
    tc_entropy e = seeded(8);
    assert_ok(tc_rows_release(&a, order, &p, (double[]){NAN, INFINITY}, &e, &err));
    e = seeded(8);
    assert_ok(tc_rows_release(&b, order, &p, (double[]){6, 1}, &e, &err));
    assert_memory_equal(tc_release_get(a)->steps, tc_release_get(b)->steps, 16);
    tc_release_free(a);
    tc_release_free(b);
}

static void bad_row_plans_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_entropy e = {.u64 = NULL}; /* nothing is drawn */
    tc_release *r = NULL;
    tc_rows_plan p = plan(0, TACIT_ROWS_LAPLACE);
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG, "got 0 rows of 2");
    p = plan(1, TACIT_ROWS_LAPLACE);
    p.epsilon = 0;
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG, "epsilon must be in");
    p = plan(1, TACIT_ROWS_LAPLACE);
    p.radius = -1;
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG, "radius must be > 0");
    p = plan(1, TACIT_ROWS_LAPLACE);
    p.delta = 1;
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG, "delta must be in");
    p = plan(1, TACIT_ROWS_LAPLACE);
    p.bounds = (tc_bounds){high, low};
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG, "coordinate 0");
    p = plan(1, TACIT_ROWS_LAPLACE);
    p.radius = 1e-12;
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG, "times the noise");
    p = plan(1, TACIT_ROWS_GAUSSIAN);
    p.delta = 0;
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG,
                 "Laplace noise needs none");
    p.delta = 1e-5;
    p.epsilon = 25;
    assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG,
                 "needs a delta of at least");
    for (p.epsilon = 40; p.epsilon < 1000;
         p.epsilon += 900) /* e^40 leaves nothing, e^940 is none */
        assert_fails(tc_rows_release(&r, NULL, &p, NULL, &e, &err), TACIT_E_ARG,
                     "Gaussian noise cannot have an epsilon of");
    assert_null(r);
}

/* Two metrics have two sentences, or a ledger would add up what does not add up. */
static void the_metric_is_part_of_the_adjacency(void **state)
{
    (void)state;
    tc_rows_plan p = plan(4, TACIT_ROWS_LAPLACE);
    p.radius = 1.0000001; /* what a map with rounding makes of 1 */
    p.moved = 1;
    p.metric = "in units of income 10000";
    tc_release *r;
    const tc_release_view *v = release_one(&p, &r);
    assert_string_equal(v->adjacency,
                        "one row moves by at most 1 in L2 norm, in units of income 10000; the "
                        "number of rows and the bounds are public");
    assert_true(v->sensitivity >= sqrt(2) * 1.0000001);
    tc_release_free(r);
}

/* ---- vectors */

static void laplace_vectors_have_their_scale(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { N = 40000 };
    static double x[N], zeros[N], ones[N];
    for (size_t i = 0; i < N; i++) {
        ones[i] = 1;
        x[i] = (double)(i % 3) - 0.5; /* clamped to [0, 1] on both sides */
    }
    tc_laplace_plan p = {N, {zeros, ones}, 0.25, 0.5, TACIT_UNIT_AGENT};
    tc_entropy e = seeded(20);
    tc_release *r;
    assert_ok(tc_laplace_release(&r, &p, x, &e, &err));
    const tc_release_view *v = tc_release_get(r);
    double sum = 0, absolute = 0;
    for (size_t i = 0; i < N; i++) {
        double off = tc_release_value(r, i) - fmin(fmax(x[i], 0), 1);
        sum += off;
        absolute += fabs(off);
    }
    assert_close(v->noise_sd, sqrt(2) * 0.5, 1e-3); /* N steps of rounding are 4e-5 of it */
    assert_close(sum / N, 0, 5 * v->noise_sd / sqrt(N));
    assert_close(absolute / N, 0.5, 5 * 0.5 / sqrt(N));
    assert_same_bits(v->sensitivity, 0.25);
    assert_string_equal(v->adjacency, "two data sets whose vectors, clamped to the public bounds, "
                                      "differ by at most 0.25 in L1 norm");
    assert_same_bits(v->event.parameter, 0.5);
    assert_int_equal(v->unit, TACIT_UNIT_AGENT);
    tc_release_free(r);
}

static void a_vector_without_sensitivity_counts_its_whole_width(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_laplace_plan p = {2, {low, high}, 0, 1, TACIT_UNIT_USER};
    tc_entropy e = seeded(21);
    tc_release *r;
    assert_ok(tc_laplace_release(&r, &p, (double[]){NAN, 3}, &e, &err));
    assert_close(tc_release_get(r)->sensitivity, 100, 1e-10);
    tc_release_free(r);
    p.sensitivity = 1e6; /* more than any two can differ */
    assert_ok(tc_laplace_release(&r, &p, (double[]){0, 3}, &e, &err));
    assert_string_equal(tc_release_get(r)->adjacency,
                        "any two data sets; their vectors, clamped to the public bounds, are at "
                        "most about 100 apart in L1 norm");
    assert_close(tc_release_get(r)->sensitivity, 100, 1e-10);
    tc_release_free(r);
}

static void bad_vector_plans_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_entropy e = {.u64 = NULL};
    tc_release *r = NULL;
    tc_laplace_plan p = {0, {low, high}, 1, 1, TACIT_UNIT_USER};
    assert_fails(tc_laplace_release(&r, &p, NULL, &e, &err), TACIT_E_ARG, "got 0");
    p = (tc_laplace_plan){2, {low, high}, -1, 1, TACIT_UNIT_USER};
    assert_fails(tc_laplace_release(&r, &p, NULL, &e, &err), TACIT_E_ARG, "sensitivity must be");
    p = (tc_laplace_plan){2, {low, high}, 1, INFINITY, TACIT_UNIT_USER};
    assert_fails(tc_laplace_release(&r, &p, NULL, &e, &err), TACIT_E_ARG, "epsilon");
    p = (tc_laplace_plan){2, {high, low}, 1, 1, TACIT_UNIT_USER};
    assert_fails(tc_laplace_release(&r, &p, NULL, &e, &err), TACIT_E_ARG, "low < high");
    assert_null(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_in_a_new_order_with_the_stated_noise),
        cmocka_unit_test(laplace_rows_have_their_scale),
        cmocka_unit_test(gaussian_rows_have_their_scale),
        cmocka_unit_test(auto_takes_the_smaller_noise),
        cmocka_unit_test(rounding_stays_within_the_sensitivity),
        cmocka_unit_test(what_is_not_a_number_is_the_midpoint),
        cmocka_unit_test(bad_row_plans_are_refused),
        cmocka_unit_test(the_metric_is_part_of_the_adjacency),
        cmocka_unit_test(laplace_vectors_have_their_scale),
        cmocka_unit_test(a_vector_without_sensitivity_counts_its_whole_width),
        cmocka_unit_test(bad_vector_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
