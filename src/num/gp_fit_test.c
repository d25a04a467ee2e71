/* gp_fit_test.c - the objective against the likelihood of a GP, its gradient against differences,
 * and fits that find what made the data or survive data that say nothing. */
#include "support/test.h"

#include "num/gp_fit.h"
#include "num/la.h"

enum { N = 25, DIM = 2, LD = 30 };

static const tc_gp_fit_opts options = {.ard = true,
                                       .starts = 1,
                                       .max_evals = 100,
                                       .noise_min = 1e-8,
                                       .scale_min = 0.005,
                                       .scale_max = 20.0};

static tc_stream stream(uint64_t step)
{
    tc_public_seed seed = tc_public_seed_from(21);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_FIT, step);
    return s;
}

typedef struct data {
    double X[LD * DIM], y[LD];
} data;

/* Smooth in the first coordinate, nearly flat in the second; standardised roughly. */
static void make_data(data *d, size_t n, double noise_sd)
{
    tc_stream s = stream(1);
    for (size_t i = 0; i < n; i++) {
        double a = tc_draw_uniform(&s), b = tc_draw_uniform(&s);
        d->X[i] = a;
        d->X[i + LD] = b;
        d->y[i] = 1.4 * sin(7.0 * a) + 0.2 * b + noise_sd * tc_draw_normal(&s);
    }
}

/* The documented priors, up to a constant: 0 at their modes. */
static double log_prior(size_t scales, const double *theta)
{
    double sum = 0.0;
    for (size_t i = 0; i < scales; i++)
        sum -= 0.5 * pow(theta[i] - log(sqrt(DIM) / 4), 2);
    sum -= 0.5 * pow(theta[scales] / 1.5, 2);
    return sum - 0.5 * pow((theta[scales + 1] - log(1e-5)) / 3.5, 2);
}

static double objective(const tc_gp_fit_opts *o, tc_kernel_kind kind, const data *d, size_t n,
                        const double *theta, double *grad)
{
    tacit_error err = {0};
    double value;
    assert_ok(tc_gp_fit_objective(o, kind, DIM, n, d->X, LD, d->y, theta, &value, grad, &err));
    return value;
}

/* ln p(y | X, hyper) of a model with these targets */
static double log_likelihood(const tc_gp *g, const double *y)
{
    size_t n = tc_gp_size(g), ld;
    const double *L = tc_gp_factor(g, &ld);
    return -0.5 * (tc_dot(n, y, tc_gp_weights(g)) + tc_chol_logdet(n, L, ld) +
                   (double)n * log(2 * acos(-1.0)));
}

static void test_objective_is_likelihood_and_prior(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    make_data(&d, N, 0.1);
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        double theta[] = {log(0.3), log(0.8), log(1.5), log(0.02)}, scale[] = {0.3, 0.8};
        tc_gp_hyper h = {(tc_kernel_kind)kind, DIM, 1.5, 0.02, scale};
        tc_gp *g;
        assert_ok(tc_gp_new(&g, DIM, &err));
        assert_ok(tc_gp_reset(g, &h, N, d.X, LD, &err));
        tc_gp_targets(g, d.y);
        double expected = log_likelihood(g, d.y) + log_prior(DIM, theta);
        assert_close(objective(&options, h.kind, &d, N, theta, NULL), expected, 1e-9);
        tc_gp_free(g);
    }
}

static void set_known(double *known)
{
    for (size_t i = 0; i < N; i++)
        known[i] = 0.1 * (double)(i % 3);
}

static void test_known_noise_is_in_the_likelihood(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    double known[N], theta[] = {log(0.3), log(0.8), log(1.5), log(0.02)}, scale[] = {0.3, 0.8};
    tc_gp_hyper h = {TC_KERNEL_MATERN52, DIM, 1.5, 0.02, scale};
    tc_gp_fit_opts o = options;
    tc_gp *g;
    make_data(&d, N, 0.1);
    set_known(known);
    o.known = known;
    assert_ok(tc_gp_new(&g, DIM, &err));
    assert_ok(tc_gp_reset_known(g, &h, N, d.X, LD, known, &err));
    tc_gp_targets(g, d.y);
    double expected = log_likelihood(g, d.y) + log_prior(DIM, theta);
    assert_close(objective(&o, h.kind, &d, N, theta, NULL), expected, 1e-9);
    tc_gp_free(g);
}

static void check_gradient(const tc_gp_fit_opts *o, tc_kernel_kind kind, const double *at)
{
    data d;
    make_data(&d, N, 0.1);
    d.X[3] = d.X[7]; /* a repeated point: the kink of Matern 1/2 */
    d.X[3 + LD] = d.X[7 + LD];
    size_t p = (o->ard ? DIM : 1) + 2;
    double theta[DIM + 2], grad[DIM + 2], h = 1e-5;
    memcpy(theta, at, p * sizeof *at);
    objective(o, kind, &d, N, theta, grad);
    for (size_t i = 0; i < p; i++) {
        theta[i] = at[i] + h;
        double above = objective(o, kind, &d, N, theta, NULL);
        theta[i] = at[i] - h;
        double below = objective(o, kind, &d, N, theta, NULL);
        theta[i] = at[i];
        assert_close(grad[i], (above - below) / (2 * h), 1e-5 * (1 + fabs(grad[i])));
    }
}

static void test_gradient_is_the_difference(void **state)
{
    (void)state;
    const double theta[] = {log(0.3), log(0.8), log(1.5), log(0.02)};
    const double isotropic[] = {log(0.3), log(1.5), log(0.02)};
    tc_gp_fit_opts one_scale = options;
    one_scale.ard = false;
    tc_gp_fit_opts noisy = options;
    double known[N];
    set_known(known);
    noisy.known = known;
    check_gradient(&noisy, TC_KERNEL_MATERN32, theta);
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        check_gradient(&options, (tc_kernel_kind)kind, theta);
        check_gradient(&one_scale, (tc_kernel_kind)kind, isotropic);
    }
}

static tc_gp_hyper fitted(tc_kernel_kind kind, const tc_gp_fit_opts *o, const data *d, size_t n,
                          double *scale)
{
    tacit_error err = {0};
    tc_gp_hyper h = {kind, DIM, 1.0, 1e-4, scale};
    tc_stream s = stream(2);
    for (size_t k = 0; k < DIM; k++)
        scale[k] = 0.7;
    assert_ok(tc_gp_fit(&h, o, n, d->X, LD, d->y, &s, &err));
    return h;
}

/* At the end the gradient vanishes, or it pushes against a bound. */
static void test_a_fit_ends_at_a_stationary_point(void **state)
{
    (void)state;
    data d;
    make_data(&d, N, 0.1);
    for (int kind = 0; kind < TC_KERNEL_KINDS; kind++) {
        double scale[DIM], grad[DIM + 2], start[] = {log(0.7), log(0.7), 0.0, log(1e-4)};
        tc_gp_hyper h = fitted((tc_kernel_kind)kind, &options, &d, N, scale);
        double theta[] = {log(scale[0]), log(scale[1]), log(h.variance), log(h.noise)};
        double value = objective(&options, h.kind, &d, N, theta, grad);
        assert_true(value > objective(&options, h.kind, &d, N, start, NULL));
        for (size_t i = 0; i < DIM + 2; i++)
            assert_close(grad[i], 0.0, 0.05);
    }
}

static void test_noise_is_found(void **state)
{
    (void)state;
    data d;
    double scale[DIM];
    make_data(&d, N, 0.3);
    tc_gp_hyper h = fitted(TC_KERNEL_SE, &options, &d, N, scale);
    assert_true(h.noise > 0.02 && h.noise < 0.3);
    assert_true(scale[1] > 2.0 * scale[0]); /* the flat coordinate gets the longer scale */
    make_data(&d, N, 0.0);
    h = fitted(TC_KERNEL_SE, &options, &d, N, scale);
    assert_true(h.noise < 1e-6);
}

static void test_one_scale_for_all(void **state)
{
    (void)state;
    data d;
    double scale[DIM];
    tc_gp_fit_opts o = options;
    o.ard = false;
    make_data(&d, N, 0.1);
    fitted(TC_KERNEL_MATERN52, &o, &d, N, scale);
    assert_same_bits(scale[0], scale[1]);
    assert_true(scale[0] > 0.05 && scale[0] < 3.0);
}

static void assert_sane(const tc_gp_hyper *h)
{
    assert_true(h->variance >= 0.9e-3 && h->variance <= 1.1e3);
    assert_true(h->noise >= 0.9e-8 && h->noise <= 11.0);
    for (size_t d = 0; d < DIM; d++)
        assert_true(h->scale[d] >= 0.0049 && h->scale[d] <= 20.1);
}

/* No data, one point, two, all the same point, all the same value. */
static void test_data_that_say_little(void **state)
{
    (void)state;
    data d;
    double scale[DIM];
    make_data(&d, N, 0.1);
    for (size_t n = 0; n < 3; n++) {
        tc_gp_hyper h = fitted(TC_KERNEL_MATERN52, &options, &d, n, scale);
        assert_sane(&h);
        if (n == 0) { /* the mode of the prior */
            assert_close(log(scale[0]), log(sqrt(DIM) / 4), 0.05);
            assert_close(log(h.variance), 0.0, 0.05);
            assert_close(log(h.noise), log(1e-5), 0.3);
        }
    }
    for (size_t i = 0; i < N; i++)
        d.y[i] = 0.0;
    tc_gp_hyper flat = fitted(TC_KERNEL_SE, &options, &d, N, scale);
    assert_sane(&flat);
    make_data(&d, N, 0.1);
    for (size_t i = 0; i < LD * DIM; i++)
        d.X[i] = 0.5;
    tc_gp_hyper repeated = fitted(TC_KERNEL_SE, &options, &d, N, scale);
    assert_sane(&repeated);
    assert_true(repeated.noise > 0.1); /* nothing else explains different values at one point */
}

static void test_the_same_stream_gives_the_same_bits(void **state)
{
    (void)state;
    data d;
    double a[DIM], b[DIM];
    make_data(&d, N, 0.1);
    tc_gp_fit_opts o = options;
    o.starts = 3;
    tc_gp_hyper first = fitted(TC_KERNEL_MATERN32, &o, &d, N, a);
    tc_gp_hyper second = fitted(TC_KERNEL_MATERN32, &o, &d, N, b);
    assert_memory_equal(a, b, sizeof a);
    assert_same_bits(first.variance, second.variance);
    assert_same_bits(first.noise, second.noise);
}

static void test_errors(void **state)
{
    (void)state;
    tacit_error err = {0};
    data d;
    make_data(&d, N, 0.1);
    double scale[DIM] = {0.7, 0.7}, theta[] = {0, 0, 0, -800.0}, value;
    tc_gp_hyper h = {TC_KERNEL_SE, DIM, 1.0, 1e-4, scale};
    tc_stream s = stream(3);
    tc_gp_fit_opts o = options;
    o.noise_min = 0.0;
    assert_fails(tc_gp_fit(&h, &o, N, d.X, LD, d.y, &s, &err), TACIT_E_ARG,
                 "noise_min must be in (0, 10), got 0");
    o = options;
    o.scale_min = 30.0;
    assert_fails(tc_gp_fit(&h, &o, N, d.X, LD, d.y, &s, &err), TACIT_E_ARG,
                 "length-scales need 0 < scale_min < scale_max, got 30, 20");
    d.X[3] = d.X[7];
    d.X[3 + LD] = d.X[7 + LD];
    assert_fails(
        tc_gp_fit_objective(&options, h.kind, DIM, N, d.X, LD, d.y, theta, &value, NULL, &err),
        TACIT_E_NUMERIC, "positive definite");
    d.X[0] = NAN;
    assert_fails(tc_gp_fit(&h, &options, N, d.X, LD, d.y, &s, &err), TACIT_E_NUMERIC,
                 "no hyper-parameters were found");
    assert_true(h.noise == 1e-4 && scale[0] == 0.7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objective_is_likelihood_and_prior),
        cmocka_unit_test(test_gradient_is_the_difference),
        cmocka_unit_test(test_a_fit_ends_at_a_stationary_point),
        cmocka_unit_test(test_noise_is_found),
        cmocka_unit_test(test_known_noise_is_in_the_likelihood),
        cmocka_unit_test(test_one_scale_for_all),
        cmocka_unit_test(test_data_that_say_little),
        cmocka_unit_test(test_the_same_stream_gives_the_same_bits),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
