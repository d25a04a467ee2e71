/* objective_test.c - known optima, never exceeded; shift, noise and errors. */
#include "support/test.h"

#include "objective/objective.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

#define RANDOM_POINTS 100000

static tc_objective_opts defaults(void)
{
    tacit_error err = {0};
    tc_objective_opts o;
    assert_ok(tc_options_defaults(tc_objective_options, &o, &err));
    return o;
}

static tc_objective *make(const char *name, const tc_objective_opts *opts, uint64_t seed)
{
    tacit_error err = {0};
    tc_objective *o = NULL;
    assert_ok(tc_objective_new(&o, name, opts, tc_public_seed_from(seed), &err));
    return o;
}

static double value_at(const char *name, const double *x)
{
    tc_objective_opts opts = defaults();
    tc_objective *o = make(name, &opts, 0);
    double v = tc_objective_value(o, x);
    tc_objective_free(o);
    return v;
}

/* -- known values, computed from the definitions with 40 digits where not obvious ---------- */

static void test_optimisers(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    assert_close(value_at("branin", (double[]){pi, 2.275}), 0.39788735772973816, 1e-14);
    assert_close(value_at("branin", (double[]){-pi, 12.275}), 0.39788735772973816, 1e-14);
    assert_close(value_at("branin", (double[]){3 * pi, 2.475}), 0.39788735772973816, 1e-13);
    assert_close(
        value_at("hartmann6", (double[]){0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573}),
        -3.32236801141551, 1e-9);
    assert_close(value_at("himmelblau", (double[]){3, 2}), 1, 0);
    assert_close(value_at("himmelblau", (double[]){-2.805118086952745, 3.131312518250573}), 1,
                 1e-14);
    assert_close(value_at("branin-linear", (double[]){3.1018859028680016, 1.3981140971319984}),
                 1.2300201784626555, 1e-14);
    assert_close(value_at("hartmann6-linear", (double[]){0.10851374683985421, 0.037957272584255234,
                                                         0.20577105017171368, 0.24803683223608201,
                                                         0.28334212207998738, 0.61637897608810749}),
                 -2.5951082936985171, 1e-14);
    assert_close(value_at("ackley", (double[]){0, 0}), 1, 1e-15);
    assert_close(value_at("rastrigin", (double[]){0, 0}), 1, 0);
    assert_close(value_at("doublesine", (double[]){0.5}), 1, 0);
    assert_close(value_at("garland", (double[]){pi / 6}), 0.9977723911610445, 1e-7); /* a cusp */
}

static void test_other_values(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    assert_close(value_at("himmelblau", (double[]){5, 5}), 0, 1e-15);
    assert_close(value_at("rastrigin", (double[]){0.5, -0.5}), 1 - 20.25 / 20, 1e-15);
    assert_close(value_at("garland", (double[]){0.5}), 0.25 * (4 - sqrt(fabs(sin(30.0)))), 1e-15);
    /* u = 1: s = 1/2, so f = 1 + (1 - 1)/2 - 1. u = 1/2: log2(u)/2 = -1/2, s = 1/2, u^e1 = 0.3 and
     * u^e2 = 0.8. */
    assert_close(value_at("doublesine", (double[]){1}), 0, 1e-15);
    assert_close(value_at("doublesine", (double[]){0.75}), 1 + 0.5 * (0.8 - 0.3) - 0.8, 1e-14);
    double divisor = 20 + exp(1) - 20 * exp(-0.2 * sqrt(0.5)) - exp(-1);
    double below = 20 * exp(-0.2 * sqrt((0.04 + 0.09) / 2)) +
                   exp(0.5 * (cos(2 * pi * 0.2) + cos(2 * pi * 0.3))) - exp(1) - 20;
    assert_close(value_at("ackley", (double[]){0.2, 0.3}), 1 + below / divisor, 1e-14);
}

static void test_optimum_and_direction(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double optimum;
        bool maximize;
    } known[] = {{"branin", 0.39788735772973816, false},
                 {"hartmann6", -3.32236801141551, false},
                 {"himmelblau", 1, true},
                 {"ackley", 1, true},
                 {"rastrigin", 1, true},
                 {"garland", 0.9977723911610445, true},
                 {"doublesine", 1, true},
                 {"tuning", 0, false},
                 {"pipeline", 0, false},
                 {"branin-linear", 1.2300201784626555, false},
                 {"hartmann6-linear", -2.5951082936985171, false}};
    tc_objective_opts opts = defaults();
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        tc_objective *o = make(known[i].name, &opts, 0);
        assert_close(tc_objective_optimum(o), known[i].optimum, 1e-14);
        assert_int_equal(tc_objective_maximize(o), known[i].maximize);
        tc_objective_free(o);
    }
}

/* -- the optimum is never beaten ----------------------------------------------------------- */

static void random_values(const tc_space *s, tc_stream *r, double *values)
{
    double u[64];
    if (s->domain) {
        values[0] = (double)tc_draw_below(r, s->domain->n);
        return;
    }
    for (size_t d = 0; d < s->dim; d++)
        u[d] = tc_draw_uniform(r);
    tc_space_decode(s, u, values);
}

/* Returns the smallest regret met. */
static double check_never_beaten(const tc_objective *o, size_t points, double slack)
{
    tc_stream r;
    tc_public_seed seed = tc_public_seed_from(99);
    double values[64], best = INFINITY;
    double sign = tc_objective_maximize(o) ? 1 : -1, optimum = tc_objective_optimum(o);
    tc_stream_public(&r, &seed, TC_FOR_DESIGN, 0);
    for (size_t i = 0; i < points; i++) {
        random_values(tc_objective_space(o), &r, values);
        double gap = sign * (optimum - tc_objective_value(o, values));
        double regret = tc_objective_regret(o, values);
        assert_true(gap >= -slack);
        assert_true(regret >= 0);
        assert_same_bits(regret, gap > 0 ? gap : 0.0);
        best = fmin(best, regret);
    }
    return best;
}

static void test_never_beaten(void **state)
{
    (void)state;
    for (size_t i = 0; tc_objectives()[i]; i++) {
        tc_objective_opts opts = defaults();
        const char *name = tc_objectives()[i]->name;
        bool sample = strcmp(name, "gp-sample") == 0;
        tc_objective *o = make(name, &opts, 3);
        check_never_beaten(o, sample ? RANDOM_POINTS / 20 : RANDOM_POINTS, 1e-12);
        tc_objective_free(o);
    }
}

static void test_any_dimension(void **state)
{
    (void)state;
    static const char *const names[] = {"ackley", "rastrigin"};
    const double origin[64] = {0};
    for (size_t i = 0; i < 2; i++)
        for (int64_t dim = 1; dim <= 64; dim += 9) {
            tc_objective_opts opts = defaults();
            opts.dim = dim;
            tc_objective *o = make(names[i], &opts, 0);
            assert_int_equal(tc_objective_space(o)->n_params, dim);
            assert_close(tc_objective_value(o, origin), 1, 1e-14);
            assert_true(tc_objective_any_dim(o));
            tc_objective_free(o);
        }
}

/* -- shift --------------------------------------------------------------------------------- */

/* Searches every coordinate of a separable or low-dimensional function on a fine grid. */
static double best_on_grid(const tc_objective *o, size_t per_axis)
{
    const tc_space *s = tc_objective_space(o);
    double best = INFINITY, x[2];
    size_t rows = s->n_params > 1 ? per_axis : 1;
    for (size_t i = 0; i < per_axis; i++)
        for (size_t j = 0; j < rows; j++) {
            const size_t at[2] = {i, j};
            for (size_t d = 0; d < s->n_params; d++)
                x[d] = s->params[d].low + (s->params[d].high - s->params[d].low) * (double)at[d] /
                                              (double)(per_axis - 1);
            best = fmin(best, tc_objective_regret(o, x));
        }
    return best;
}

static void test_shift_keeps_the_optimum(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        tc_objective_opts opts = defaults();
        opts.shift = seed % 3 == 0 ? 1 : 0.1;
        tc_objective *himmelblau = make("himmelblau", &opts, seed);
        tc_objective *doublesine = make("doublesine", &opts, seed);
        tc_objective *garland = make("garland", &opts, seed);
        assert_true(best_on_grid(himmelblau, 201) < 2e-3); /* step 0.05: 35 / 890 x 0.025^2 x 2 */
        assert_true(best_on_grid(doublesine, 200001) < 0.04); /* u^0.32 near 0 */
        assert_true(best_on_grid(garland, 200001) < 5e-3);
        tc_objective_free(himmelblau);
        tc_objective_free(doublesine);
        tc_objective_free(garland);
    }
}

/* Where the rate may go, everywhere else the same point: rate 10^(4 u - 4). */
static double best_rate(const tc_objective *o, double depth, double method)
{
    double best = INFINITY;
    for (size_t i = 0; i <= 2000; i++) {
        double rate = fmin(pow(10, 4 * (double)i / 2000 - 4), 1);
        best = fmin(best, tc_objective_regret(o, (double[]){rate, depth, method, 0.3}));
    }
    return best;
}

/* What a model does not have makes no difference to it, and each has its valley where the file says. */
static void test_pipeline_is_conditional(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_objective_opts opts = defaults();
    tc_objective *o = make("pipeline", &opts, 0);
    const tc_space *s = tc_objective_space(o);
    assert_int_equal(s->n_params, 7);
    assert_int_equal(s->n_conditional, 5);
    assert_int_equal(s->dim, 2 + 2 + 2 + 1 + 1);
    const double C = pow(10, 6 * 0.65 - 3), gamma = pow(10, 5 * 0.4 - 4);
    double svm[] = {0, C, gamma, 1, 0.1, 0, 1}, other[] = {0, C, gamma, NAN, NAN, 3, 1};
    assert_ok(tc_space_check(s, other, &err));
    assert_close(tc_objective_regret(o, svm), 0, 1e-12);
    assert_same_bits(tc_objective_value(o, svm), tc_objective_value(o, other));
    const double forest[] = {1, NAN, NAN, 10, 0.37, 2, 0};
    assert_ok(tc_space_check(s, forest, &err));
    assert_close(tc_objective_value(o, forest), 0.15, 1e-12);
    tc_objective_free(o);
}

static void test_tuning_has_parameters_of_every_type(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    const double boosting = 1, best = pow(10, 4 * 0.6 - 4);
    tc_objective *o = make("tuning", &opts, 0);
    const tc_space *s = tc_objective_space(o);
    assert_int_equal(s->n_params, 4);
    assert_int_equal(s->dim, 6); /* the method has a coordinate for each choice */
    assert_close(tc_objective_value(o, (double[]){best, 6, boosting, 0.9}), 0, 1e-14);
    assert_close(tc_objective_value(o, (double[]){best, 6, boosting, 0.1}), 0, 1e-14);
    assert_true(tc_objective_value(o, (double[]){best, 7, boosting, 0.1}) > 0.01);
    assert_close(best_rate(o, 4, 0), 0.25, 1e-4);
    assert_close(best_rate(o, 9, 2), 0.1, 1e-4);
    tc_objective_free(o);
}

/* A shift moves the rate, and never the depth or the method. */
static void test_shift_leaves_whole_parameters(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        tc_objective_opts opts = defaults();
        opts.shift = 0.3;
        tc_objective *o = make("tuning", &opts, seed);
        assert_true(tc_objective_regret(o, (double[]){pow(10, 4 * 0.6 - 4), 6, 1, 0.5}) > 1e-6);
        assert_true(best_rate(o, 6, 1) < 1e-4);
        assert_true(best_rate(o, 5, 1) > 0.01 && best_rate(o, 7, 1) > 0.01);
        assert_true(best_rate(o, 6, 0) > 0.1 && best_rate(o, 6, 2) > 0.1);
        tc_objective_free(o);
    }
}

static void test_shift_moves_continuously(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    opts.shift = 0.3;
    tc_objective *o = make("himmelblau", &opts, 5), *again = make("himmelblau", &opts, 5);
    double last = 0;
    bool moved = false;
    for (size_t i = 0; i <= 10000; i++) {
        double x[2] = {-5 + 10 * (double)i / 10000, 1};
        double v = tc_objective_value(o, x);
        assert_same_bits(v, tc_objective_value(again, x)); /* a function of the seed */
        assert_true(i == 0 || fabs(v - last) < 2e-3);      /* no seam where the fold turns */
        moved = moved || fabs(v - value_at("himmelblau", x)) > 1e-3;
        last = v;
        if (i % 500 == 0)
            check_never_beaten(o, 10, 1e-12);
    }
    assert_true(moved);
    tc_objective_free(o);
    tc_objective_free(again);
}

static void test_no_shift_is_the_definition(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    tc_objective *a = make("branin", &opts, 1), *b = make("branin", &opts, 2);
    double x[2] = {1.25, 7.5};
    assert_same_bits(tc_objective_value(a, x), tc_objective_value(b, x));
    tc_objective_free(a);
    tc_objective_free(b);
}

/* -- gp-sample ----------------------------------------------------------------------------- */

static void test_grid_sample_is_exact(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    opts.grid = 31;
    tc_objective *o = make("gp-sample", &opts, 4);
    const tc_space *s = tc_objective_space(o);
    double best = -INFINITY;
    assert_non_null(s->domain);
    assert_int_equal(s->domain->n, 31 * 31);
    for (size_t i = 0; i < s->domain->n; i++)
        best = fmax(best, tc_objective_value(o, (double[]){(double)i}));
    assert_same_bits(best, tc_objective_optimum(o));
    tc_objective_free(o);
}

/* A grid and a continuous draw of one seed are the same function. */
static void test_grid_tabulates_the_continuous_draw(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    tc_objective *continuous = make("gp-sample", &opts, 4);
    opts.grid = 11;
    tc_objective *grid = make("gp-sample", &opts, 4);
    const tc_domain *d = tc_objective_space(grid)->domain;
    for (size_t i = 0; i < d->n; i++) {
        double x[2] = {d->raw[i], d->raw[i + d->n]};
        assert_close(tc_objective_value(grid, (double[]){(double)i}),
                     tc_objective_value(continuous, x), 1e-12);
    }
    assert_true(tc_objective_optimum(continuous) >= tc_objective_optimum(grid));
    tc_objective_free(continuous);
    tc_objective_free(grid);
}

/* Over many draws: mean 0, variance 1, and covariance exp(-r^2 / 2 l^2). */
static void test_sample_moments(void **state)
{
    (void)state;
    const size_t draws = 500;
    double mean = 0, variance = 0, covariance = 0;
    for (size_t k = 0; k < draws; k++) {
        tc_objective_opts opts = defaults();
        opts.dim = 1;
        opts.grid = 6; /* 0, 0.2, ...: neighbours are one length-scale apart */
        tc_objective *o = make("gp-sample", &opts, 1000 + k);
        double a = tc_objective_value(o, (double[]){2}), b = tc_objective_value(o, (double[]){3});
        mean += a / (double)draws;
        variance += a * a / (double)draws;
        covariance += a * b / (double)draws;
        tc_objective_free(o);
    }
    assert_close(mean, 0, 5 / sqrt((double)draws));
    assert_close(variance, 1, 5 * sqrt(2 / (double)draws));
    assert_close(covariance, exp(-0.5), 5 * sqrt(1.4 / (double)draws));
}

static void test_sample_shift(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    opts.dim = 1;
    opts.shift = 0.4;
    for (uint64_t seed = 0; seed < 5; seed++) {
        tc_objective *o = make("gp-sample", &opts, seed);
        check_never_beaten(o, 1000, 1e-9);
        assert_true(best_on_grid(o, 4001) < 2e-3); /* slope 10 at a border x half a step */
        tc_objective_free(o);
    }
}

/* -- noise --------------------------------------------------------------------------------- */

static void moments(const char *noise, double scale, size_t n, double *mean, double *variance,
                    double *low, double *high)
{
    tacit_error err = {0};
    tc_objective_opts opts = defaults();
    assert_ok(tc_options_set(tc_objective_options, &opts, "objective", "noise", noise, &err));
    opts.noise_scale = scale;
    tc_objective *o = make("himmelblau", &opts, 0);
    tc_public_seed seed = tc_public_seed_from(8);
    tc_stream s;
    double x[2] = {3, 2}, sum = 0, squares = 0;
    *low = INFINITY;
    *high = -INFINITY;
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, 0);
    for (size_t i = 0; i < n; i++) {
        double e = tc_objective_observe(o, x, &s) - 1;
        sum += e;
        squares += e * e;
        *low = fmin(*low, e);
        *high = fmax(*high, e);
    }
    *mean = sum / (double)n;
    *variance = squares / (double)n - *mean * *mean;
    assert_close(tc_objective_regret(o, x), 0, 0); /* never noisy */
    tc_objective_free(o);
}

/* -- rkhs ---------------------------------------------------------------------------------- */

/* The values lie in the span of the kernel at the candidates: f = K w has a solution, and its norm
 * is that of a sum of few kernels. */
static void test_rkhs_is_bounded_and_smooth(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    for (uint64_t seed = 0; seed < 20; seed++) {
        const char *name = seed % 2 ? "rkhs-se" : "rkhs-matern52";
        tc_objective *o = make(name, &opts, seed), *again = make(name, &opts, seed);
        const tc_domain *d = tc_objective_space(o)->domain;
        double most = 0, top = -INFINITY, steepest = 0, last = 0;
        assert_int_equal(d->n, 100);
        assert_close(d->raw[99], 1, 0);
        for (size_t i = 0; i < d->n; i++) {
            double at = (double)i, v = tc_objective_value(o, &at);
            assert_same_bits(v, tc_objective_value(again, &at));
            most = fmax(most, fabs(v));
            top = fmax(top, v);
            steepest = i == 0 ? 0 : fmax(steepest, fabs(v - last));
            last = v;
        }
        assert_close(most, 1, 1e-15);
        assert_same_bits(tc_objective_optimum(o), top);
        assert_true(steepest < 0.3); /* 1/99 of the range at a length-scale of 0.2 */
        tc_objective_free(o);
        tc_objective_free(again);
    }
}

/* A second formula: the kernels written out, the same draws. */
static void test_rkhs_against_its_definition(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    opts.grid = 30;
    opts.lengthscale = 0.3;
    tc_objective *o = make("rkhs-se", &opts, 8);
    tc_public_seed seed = tc_public_seed_from(8);
    tc_stream s;
    double f[30] = {0}, most = 0;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 1);
    for (size_t i = 0; i < 100; i++) {
        double x = (double)tc_draw_below(&s, 30) / 29, a = 2 * tc_draw_uniform(&s) - 1;
        for (size_t j = 0; j < 30; j++) {
            double gap = ((double)j / 29 - x) / 0.3;
            f[j] += a * exp(-gap * gap / 2);
        }
    }
    for (size_t j = 0; j < 30; j++)
        most = fmax(most, fabs(f[j]));
    for (size_t j = 0; j < 30; j++) {
        double at = (double)j;
        assert_close(tc_objective_value(o, &at), f[j] / most, 1e-12);
    }
    tc_objective_free(o);
}

static void test_noise_moments(void **state)
{
    (void)state;
    const size_t n = 200000;
    double mean, variance, low, high;
    moments("none", 0.5, n, &mean, &variance, &low, &high);
    assert_close(low, 0, 0);
    assert_close(high, 0, 0);
    moments("gaussian", 0.5, n, &mean, &variance, &low, &high);
    assert_close(mean, 0, 5 * 0.5 / sqrt((double)n));
    assert_close(variance, 0.25, 5 * 0.25 * sqrt(2.0 / (double)n));
    moments("uniform", 0.5, n, &mean, &variance, &low, &high);
    assert_close(variance, 0.25 / 3, 1e-3);
    assert_true(low >= -0.5 && low < -0.499 && high <= 0.5 && high > 0.499);
    moments("student-t", 0.5, n, &mean, &variance, &low, &high);
    assert_close(mean, 0, 5 * 0.5 * sqrt(3.0 / (double)n));
    assert_close(variance, 0.75, 0.3); /* its fourth moment is infinite */
    assert_true(high > 5);
    moments("pareto", 0.5, n, &mean, &variance, &low, &high);
    assert_close(mean, 0, 0.05); /* its variance is infinite */
    assert_close(low, -0.5, 1e-4);
    assert_true(high > 20);
}

/* -- errors -------------------------------------------------------------------------------- */

static void fails(const char *name, const tc_objective_opts *opts, tacit_status code,
                  const char *part)
{
    tacit_error err = {0};
    tc_objective *o = NULL;
    assert_fails(tc_objective_new(&o, name, opts, tc_public_seed_from(0), &err), code, part);
    assert_null(o);
}

static void test_errors(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    fails("brannin", &opts, TACIT_E_ARG,
          "there is no objective \"brannin\"; did you mean \"branin\"? Objectives: branin, "
          "hartmann6, himmelblau, ackley, rastrigin, garland, doublesine, tuning, "
          "pipeline, branin-linear, hartmann6-linear, gp-sample");
    opts.dim = 3;
    fails("branin", &opts, TACIT_E_ARG, "dim is 3, but the objective branin has 2 dimensions");
    fails("garland", &opts, TACIT_E_ARG, "dim is 3, but the objective garland has 1 dimension");
    opts.dim = 65;
    fails("ackley", &opts, TACIT_E_ARG, "dim is 65, but the objective ackley takes 1 to 64");
    opts.dim = 0;
    opts.grid = 10;
    fails("ackley", &opts, TACIT_E_ARG,
          "the objective ackley takes no grid; only gp-sample, gp-family and rkhs-* do");
    opts.shift = 0.1;
    opts.grid = 0;
    fails("branin-linear", &opts, TACIT_E_ARG,
          "branin-linear takes no shift: its constraint does not move");
    opts.grid = 10;
    fails("gp-sample", &opts, TACIT_E_ARG,
          "gp-sample with a grid takes no shift: its candidates do not move");
    opts.shift = 0;
    opts.dim = 7;
    fails("gp-sample", &opts, TACIT_E_ARG, "at most 1000000 candidates");
    opts.grid = 1;
    fails("gp-sample", &opts, TACIT_E_ARG, "at least 2 per axis");
    opts = defaults();
    opts.shift = -1;
    fails("branin", &opts, TACIT_E_ARG, "shift must be a number >= 0, not -1");
    opts = defaults();
    opts.noise_scale = (double)NAN;
    fails("branin", &opts, TACIT_E_ARG, "noise-scale must be a number >= 0, not nan");
    opts = defaults();
    opts.lengthscale = 0;
    fails("gp-sample", &opts, TACIT_E_ARG, "lengthscale must be > 0, not 0");
    fails("rkhs-se", &opts, TACIT_E_ARG, "lengthscale must be > 0, not 0");
    opts = defaults();
    opts.grid = 1;
    fails("rkhs-se", &opts, TACIT_E_ARG, "grid is 1; allowed are 2 to 100000 points");
    opts = defaults();
    opts.shift = 0.1;
    fails("rkhs-se", &opts, TACIT_E_ARG, "rkhs-se takes no shift: its candidates do not move");
}

/* Asking for the dimension it has is no error. */
static void test_own_dimension(void **state)
{
    (void)state;
    tc_objective_opts opts = defaults();
    opts.dim = 2;
    tc_objective *o = make("branin", &opts, 0);
    assert_false(tc_objective_any_dim(o));
    assert_string_equal(tc_objective_space(o)->params[1].name, "x2");
    assert_close(tc_objective_space(o)->params[1].high, 15, 0);
    tc_objective_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimisers),
        cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_optimum_and_direction),
        cmocka_unit_test(test_never_beaten),
        cmocka_unit_test(test_any_dimension),
        cmocka_unit_test(test_shift_keeps_the_optimum),
        cmocka_unit_test(test_pipeline_is_conditional),
        cmocka_unit_test(test_tuning_has_parameters_of_every_type),
        cmocka_unit_test(test_shift_leaves_whole_parameters),
        cmocka_unit_test(test_shift_moves_continuously),
        cmocka_unit_test(test_no_shift_is_the_definition),
        cmocka_unit_test(test_grid_sample_is_exact),
        cmocka_unit_test(test_grid_tabulates_the_continuous_draw),
        cmocka_unit_test(test_sample_moments),
        cmocka_unit_test(test_sample_shift),
        cmocka_unit_test(test_rkhs_is_bounded_and_smooth),
        cmocka_unit_test(test_rkhs_against_its_definition),
        cmocka_unit_test(test_noise_moments),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_own_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
