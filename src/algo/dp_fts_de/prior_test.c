/* prior_test.c - absorb=prior beside a dense Gaussian process that says the same in one matrix:
 * mean m(x), covariance v phi(x)'phi(x') [same region] + m(x) m(x')/4. */
#include "support/features_model.h"

#include "algo/dp_fts_de/agent.h"
#include "space/partition.h"

enum { M = 12, P = 2, MOST = 24, DRAWS = 4000 };

static const double lambda = 0.05, v = 0.25;

typedef struct fixture {
    tc_space *space;
    tc_dp_fts_de_options opts;
    tc_env env;
    tc_history history;
    double U[MOST], y[MOST];
    tc_dp_fts_de_agent_state agent;
} fixture;

static void set_up(fixture *f)
{
    tacit_error err = {0};
    memset(f, 0, sizeof *f);
    assert_ok(tc_space_new(&f->space, &err));
    assert_ok(tc_space_add_float(f->space, "x", 0, 1, 0, false, &err));
    features_model(&f->opts);
    f->opts.features = M;
    f->opts.regions = P;
    f->opts.noise = lambda;
    f->opts.lengthscale = 0.15;
    f->opts.absorb = TC_DP_FTS_DE_PRIOR;
    f->history = (tc_history){.dim = 1, .ld = MOST, .U = f->U, .y = f->y};
    f->env = (tc_env){.space = f->space,
                      .history = &f->history,
                      .public_seed = tc_public_seed_from(3),
                      .party_seed = tc_party_seed_from(4),
                      .agents = 2};
    assert_ok(tc_dp_fts_de_agent.init(&f->agent, &f->env, &f->opts, &err));
}

static void tear_down(fixture *f)
{
    tc_dp_fts_de_agent.fini(&f->agent);
    tc_options_fini(tc_algorithm_dp_fts_de.options, &f->opts);
    tc_space_free(f->space);
}

static void tell(fixture *f, double x, double y)
{
    tacit_error err = {0};
    size_t i = f->history.n++;
    f->U[i] = x;
    f->y[i] = y;
    assert_ok(tc_dp_fts_de_agent.tell(&f->agent, &err));
}

static double wave(double x)
{
    return sin(9 * x + 1);
}

static void tell_some(fixture *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x = fmod(0.05 + 0.37 * (double)(f->history.n + 1), 1);
        tell(f, x, wave(x) + 0.2 * cos(70 * x));
    }
}

/* A broadcast of `size` times something smooth. */
static void absorb(fixture *f, double size, double phase)
{
    double omega[P * M];
    for (size_t i = 0; i < P * M; i++)
        omega[i] = size * sin(2.3 * (double)i + phase);
    tc_dp_fts_de_prior_absorb(&f->agent, omega);
}

/* ---- the dense reference ---- */

static size_t phi_of(const fixture *f, double x, double *phi)
{
    tc_rff_many(&f->agent.features->rff, 1, &x, 1, phi, M);
    return tc_region_of(&x, P, 1);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < M; i++)
        sum += a[i] * b[i];
    return sum;
}

static double mean_at(const fixture *f, double x)
{
    double phi[M];
    size_t i = phi_of(f, x, phi);
    return dot(phi, f->agent.omega + i * M);
}

static double covariance(const fixture *f, double x, double y)
{
    double a[M], b[M];
    size_t i = phi_of(f, x, a), j = phi_of(f, y, b);
    return (i == j ? v * dot(a, b) : 0) + mean_at(f, x) * mean_at(f, y) / 4;
}

static double covariance_without(const fixture *f, double x, double y)
{
    double a[M], b[M];
    size_t i = phi_of(f, x, a), j = phi_of(f, y, b);
    return i == j ? v * dot(a, b) : 0;
}

/* Gauss-Jordan: A becomes its inverse; returns ln det. */
static double invert(size_t n, double A[MOST][MOST])
{
    double logdet = 0;
    for (size_t k = 0; k < n; k++) {
        double pivot = A[k][k];
        logdet += log(pivot);
        A[k][k] = 1;
        for (size_t j = 0; j < n; j++)
            A[k][j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double factor = A[i][k];
            if (i == k)
                continue;
            A[i][k] = 0;
            for (size_t j = 0; j < n; j++)
                A[i][j] -= factor * A[k][j];
        }
    }
    return logdet;
}

/* The posterior at x; -2 ln p(y) of the scale that suits y best, up to a constant of n; the mean
 * of s. */
typedef struct dense {
    double mean, variance, surprise, s;
} dense;

static dense reference(const fixture *f, double x, bool informed)
{
    static double A[MOST][MOST];
    double (*k)(const fixture *, double, double) = informed ? covariance : covariance_without;
    size_t n = f->history.n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i][j] = k(f, f->U[i], f->U[j]) + (i == j ? lambda : 0);
    dense d = {.mean = informed ? mean_at(f, x) : 0, .variance = k(f, x, x), .s = 1};
    double logdet = invert(n, A), quadratic = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double r = f->y[j] - (informed ? mean_at(f, f->U[j]) : 0);
            double s = f->y[i] - (informed ? mean_at(f, f->U[i]) : 0);
            d.mean += k(f, x, f->U[i]) * A[i][j] * r;
            d.variance -= k(f, x, f->U[i]) * A[i][j] * k(f, x, f->U[j]);
            d.s += mean_at(f, f->U[i]) / 4 * A[i][j] * r;
            quadratic += s * A[i][j] * r;
        }
    d.surprise = (double)n * log(quadratic) + logdet;
    return d;
}

static double target_at(const fixture *f, const double *w, double x)
{
    double phi[M];
    size_t i = phi_of(f, x, phi);
    return dot(phi, w + i * M);
}

/* A broadcast that an agent with these data believes: its own mean, a little off. */
static void absorb_something_true(fixture *f, double off)
{
    double omega[P * M];
    const double *nu = tc_blr_mean(f->agent.model);
    for (size_t i = 0; i < P * M; i++)
        omega[i] = nu[i % M] + off * sin(2.3 * (double)i);
    tc_dp_fts_de_prior_absorb(&f->agent, omega);
}

/* ---- */

static void test_mean_is_the_dense_one(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    tell_some(&f, 9);
    absorb_something_true(&f, 0.1);
    for (int round = 0; round < 3; round++) {
        const double *w = tc_dp_fts_de_prior_target(&f.agent, 1, false);
        assert_non_null(w);
        for (double x = 0.02; x < 1; x += 0.07)
            assert_close(target_at(&f, w, x), reference(&f, x, true).mean, 1e-9);
        tell_some(&f, 4);
        if (round == 1)
            absorb_something_true(&f, -0.2);
    }
    tear_down(&f);
}

static void test_draws_have_the_dense_mean_and_variance(void **state)
{
    (void)state;
    fixture f;
    const double x[] = {0.1, 0.45, 0.77};
    double sum[3] = {0}, square[3] = {0};
    set_up(&f);
    tell_some(&f, 8);
    absorb_something_true(&f, 0.1);
    for (uint64_t trial = 0; trial < DRAWS; trial++) {
        const double *w = tc_dp_fts_de_prior_target(&f.agent, trial, true);
        for (size_t k = 0; k < 3; k++) {
            double y = target_at(&f, w, x[k]);
            sum[k] += y;
            square[k] += y * y;
        }
    }
    for (size_t k = 0; k < 3; k++) {
        dense d = reference(&f, x[k], true);
        double mean = sum[k] / DRAWS, variance = square[k] / DRAWS - mean * mean;
        assert_close(mean, d.mean, 5 * sqrt(d.variance / DRAWS));
        assert_close(variance, d.variance, 5 * d.variance * sqrt(2.0 / DRAWS));
    }
    tear_down(&f);
}

/* A region that was never looked at has the broadcast and the prior's spread. */
static void test_an_unseen_region_follows_the_broadcast(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    for (int i = 0; i < 6; i++)
        tell(&f, 0.04 + 0.08 * i, wave(0.04 + 0.08 * i));
    absorb_something_true(&f, 0.05);
    const double *w = tc_dp_fts_de_prior_target(&f.agent, 1, false);
    assert_non_null(w);
    assert_close(target_at(&f, w, 0.8), reference(&f, 0.8, true).mean, 1e-9);
    tear_down(&f);
}

/* Of the queries since the broadcast each counts 1 against it. */
static void test_the_likelier_model_is_used(void **state)
{
    (void)state;
    const double size[] = {0.01, 0.1, 0.3, 1, 3};
    int used = 0, dropped = 0;
    for (size_t k = 0; k < 5; k++)
        for (int phase = 0; phase < 6; phase++) {
            fixture f;
            set_up(&f);
            tell_some(&f, 5);
            if (phase % 2 == 0)
                absorb(&f, size[k], phase);
            else
                absorb_something_true(&f, size[k]);
            tell_some(&f, 5); /* later ones count as well */
            bool uses = tc_dp_fts_de_prior_target(&f.agent, 1, false) != NULL;
            dense with = reference(&f, 0, true), without = reference(&f, 0, false);
            double against = with.surprise - without.surprise + 5;
            assert_true(fabs(against) > 1e-6 && fabs(with.s) > 1e-6);
            assert_int_equal(uses, against < 0 && with.s > 0);
            used += uses;
            dropped += !uses;
            tear_down(&f);
        }
    assert_true(used >= 5 && dropped >= 5);
}

/* What is judged is the broadcast, not how large the values are: both a hundred times smaller get
 * the same verdict, noise apart, and a broadcast of chance is not used because values are small. */
static void test_small_values_do_not_speak_for_a_broadcast(void **state)
{
    (void)state;
    int used = 0;
    for (int phase = 0; phase < 20; phase++) {
        fixture f;
        set_up(&f);
        for (size_t i = 0; i < 12; i++) {
            double x = fmod(0.05 + 0.37 * (double)(i + 1), 1);
            tell(&f, x, 0.3 * wave(x));
        }
        absorb(&f, 0.1, 0.7 * phase);
        used += tc_dp_fts_de_prior_target(&f.agent, 1, false) != NULL;
        tear_down(&f);
    }
    assert_true(used <= 10);
}

/* The joint law over regions decides which one holds the maximum: residuals are independent. */
static void test_residuals_of_regions_are_independent(void **state)
{
    (void)state;
    fixture f;
    double xy = 0, xx = 0, yy = 0;
    set_up(&f); /* no data, a broadcast of zero: target = r */
    absorb(&f, 0, 0);
    for (uint64_t trial = 0; trial < DRAWS; trial++) {
        const double *w = tc_dp_fts_de_prior_target(&f.agent, trial, true);
        double x = w[3], y = w[M + 3];
        xy += x * y;
        xx += x * x;
        yy += y * y;
    }
    assert_close(xx / DRAWS, v, 5 * v * sqrt(2.0 / DRAWS));
    assert_close(yy / DRAWS, v, 5 * v * sqrt(2.0 / DRAWS));
    assert_close(xy / sqrt(xx * yy), 0, 5 / sqrt(DRAWS));
    tear_down(&f);
}

static void test_broadcasts_are_averaged(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    tell_some(&f, 3);
    for (int k = 1; k <= 3; k++)
        absorb(&f, 0.1 * k, 0);
    for (size_t i = 0; i < P * M; i++)
        assert_close(f.agent.omega[i], 0.2 * sin(2.3 * (double)i), 1e-15);
    tear_down(&f);
}

/* Agents unlike this one: what they broadcast is left aside, and every query is that of an agent
 * which heard nothing. */
static void test_a_misleading_broadcast_costs_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture misled, alone;
    double omega[P * M], x, y;
    set_up(&misled);
    set_up(&alone);
    tell_some(&misled, 10);
    tell_some(&alone, 10);
    for (size_t i = 0; i < P * M; i++)
        omega[i] = -2 * tc_blr_mean(misled.agent.model)[i % M];
    tc_dp_fts_de_prior_absorb(&misled.agent, omega);
    misled.agent.informed = true;
    for (uint64_t trial = 10; trial < 20; trial++) {
        assert_ok(tc_dp_fts_de_agent.ask(&misled.agent, trial, &x, &err));
        assert_ok(tc_dp_fts_de_agent.ask(&alone.agent, trial, &y, &err));
        assert_same_bits(x, y);
        tell(&misled, x, wave(x));
        tell(&alone, x, wave(x));
    }
    tear_down(&misled);
    tear_down(&alone);
}

/* Values that no square can hold do not make a model forget numbers. */
static void test_values_beyond_all_measure_stay_numbers(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture f;
    set_up(&f);
    f.opts.y_scale = 1e-308;
    for (size_t i = 0; i < 10; i++)
        tell(&f, 0.09 * (double)i, i % 2 ? 1e308 : -1e308);
    absorb(&f, 0.1, 0);
    f.agent.informed = true;
    for (size_t m = 0; m < M; m++)
        assert_true(isfinite(tc_blr_mean(f.agent.model)[m]));
    for (uint64_t trial = 10; trial < 14; trial++) {
        double x = -1;
        assert_ok(tc_dp_fts_de_agent.ask(&f.agent, trial, &x, &err));
        assert_true(x >= 0 && x <= 1);
        tell(&f, x, 1e308);
    }
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_is_the_dense_one),
        cmocka_unit_test(test_draws_have_the_dense_mean_and_variance),
        cmocka_unit_test(test_an_unseen_region_follows_the_broadcast),
        cmocka_unit_test(test_the_likelier_model_is_used),
        cmocka_unit_test(test_small_values_do_not_speak_for_a_broadcast),
        cmocka_unit_test(test_residuals_of_regions_are_independent),
        cmocka_unit_test(test_broadcasts_are_averaged),
        cmocka_unit_test(test_a_misleading_broadcast_costs_nothing),
        cmocka_unit_test(test_values_beyond_all_measure_stay_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
