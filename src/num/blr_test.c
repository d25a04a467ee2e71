/* blr_test.c - the weights' posterior against the formulas in the open, and its draws. */
#include "support/test.h"

#include "num/blr.h"
#include "num/normal.h"

enum { M = 3, OBSERVATIONS = 5 };
static const double lambda = 0.3;

static const double features[OBSERVATIONS][M] = {
    {1.0, 0.2, -0.5}, {0.1, -1.0, 0.4}, {0.7, 0.7, 0.7}, {-0.3, 0.9, 1.1}, {1.0, 0.2, -0.5}};
static const double targets[OBSERVATIONS] = {1.0, -0.5, 0.3, 2.0, 0.8};

/* Sigma^-1 by cofactors. */
static void inverse(double S[M][M], double out[M][M])
{
    double det = 0.0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
            out[i][j] = S[a][c] * S[b][e] - S[a][e] * S[b][c];
        }
    for (int j = 0; j < M; j++)
        det += S[0][j] * out[j][0];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            out[i][j] /= det;
}

static void reference(int count, double mean[M], double P[M][M])
{
    double S[M][M] = {{0}}, moment[M] = {0};
    for (int i = 0; i < M; i++)
        S[i][i] = lambda;
    for (int n = 0; n < count; n++)
        for (int i = 0; i < M; i++) {
            moment[i] += features[n][i] * targets[n];
            for (int j = 0; j < M; j++)
                S[i][j] += features[n][i] * features[n][j];
        }
    inverse(S, P);
    for (int i = 0; i < M; i++) {
        mean[i] = 0.0;
        for (int j = 0; j < M; j++)
            mean[i] += P[i][j] * moment[j];
    }
}

static tc_blr *make(int count)
{
    tacit_error err = {0};
    tc_blr *r;
    assert_ok(tc_blr_new(&r, M, lambda, &err));
    for (int n = 0; n < count; n++)
        tc_blr_add(r, features[n], targets[n]);
    return r;
}

static tc_blr *make_dual(int count)
{
    tacit_error err = {0};
    tc_blr *r;
    assert_ok(tc_blr_new_borrowing(&r, M, lambda, 1, &err));
    for (int n = 0; n < count; n++)
        tc_blr_add(r, features[n], targets[n]);
    return r;
}

static void test_mean(void **state)
{
    (void)state;
    double mean[M], P[M][M];
    reference(OBSERVATIONS, mean, P);
    tc_blr *r = make(OBSERVATIONS);
    const double *nu = tc_blr_mean(r);
    for (int i = 0; i < M; i++)
        assert_close(nu[i], mean[i], 1e-12);
    tc_blr_free(r);
}

static void test_mean_follows_every_observation(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_blr *asked, *silent = make(OBSERVATIONS);
    assert_ok(tc_blr_new(&asked, M, lambda, &err));
    for (int i = 0; i < M; i++)
        assert_close(tc_blr_mean(asked)[i], 0.0, 0.0);
    for (int n = 0; n < OBSERVATIONS; n++) {
        tc_blr_add(asked, features[n], targets[n]);
        tc_blr_mean(asked);
    }
    assert_memory_equal(tc_blr_mean(asked), tc_blr_mean(silent), M * sizeof(double));
    tc_blr_free(asked);
    tc_blr_free(silent);
}

static void check_moments(int count, bool dual)
{
    enum { DRAWS = 40000 };
    double mean[M], P[M][M], first[M] = {0}, second[M][M] = {{0}};
    reference(count, mean, P);
    tc_blr *r = dual ? make_dual(count) : make(count);
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_MESSAGE, 0);
    for (int n = 0; n < DRAWS; n++) {
        double w[M];
        tc_blr_sample(r, &s, w);
        for (int i = 0; i < M; i++) {
            first[i] += w[i] / DRAWS;
            for (int j = 0; j < M; j++)
                second[i][j] += (w[i] - mean[i]) * (w[j] - mean[j]) / DRAWS;
        }
    }
    for (int i = 0; i < M; i++) {
        assert_close(first[i], mean[i], 5 * sqrt(lambda * P[i][i] / DRAWS));
        for (int j = 0; j < M; j++) { /* var(ab) = C_ii C_jj + C_ij^2 for normals */
            double se = lambda * sqrt((P[i][i] * P[j][j] + P[i][j] * P[i][j]) / DRAWS);
            assert_close(second[i][j], lambda * P[i][j], 5 * se);
        }
    }
    tc_blr_free(r);
}

static void test_draws_have_the_posterior_moments(void **state)
{
    (void)state;
    check_moments(OBSERVATIONS, false);
    for (int count = 0; count <= 2; count++) /* one is as many as a dual model has */
        check_moments(count, true);
}

/* ---- both forms against dense solves */

enum { WIDE = 13, MOST = 2 * WIDE };

/* Rows of norm about 1, every third of them seen before. */
static void fill_rows(double Phi[MOST][WIDE], double y[MOST])
{
    tc_public_seed seed = tc_public_seed_from(8);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < WIDE; j++)
            Phi[i][j] = i % 3 == 2 ? Phi[i / 2][j] : tc_draw_normal(&s) / sqrt(WIDE);
        y[i] = tc_draw_normal(&s);
    }
}

/* x = A^-1 x by elimination; A, symmetric and positive, is used up. */
static void solve(int n, long double A[MOST][MOST], long double *x)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            long double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++)
                A[i][j] -= f * A[k][j];
            x[i] -= f * x[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

/* x = Sigma^-1 x for n observations */
static void solve_sigma(int n, double Phi[MOST][WIDE], double ridge, long double *x)
{
    static long double A[MOST][MOST];
    for (int i = 0; i < WIDE; i++)
        for (int j = 0; j < WIDE; j++) {
            A[i][j] = i == j ? (long double)ridge : 0;
            for (int k = 0; k < n; k++)
                A[i][j] += (long double)Phi[k][i] * Phi[k][j];
        }
    solve(WIDE, A, x);
}

static void check_posterior(tc_blr *r, int n, double Phi[MOST][WIDE], const double *y, double ridge)
{
    long double nu[WIDE] = {0}, at[WIDE], exact = 0;
    double probe[WIDE], solved[WIDE], variance = 0;
    const double within = 1e-13 / fmin(ridge, 0.01); /* more than rounding times the condition */
    for (int j = 0; j < WIDE; j++) {
        for (int i = 0; i < n; i++)
            nu[j] += (long double)Phi[i][j] * y[i];
        at[j] = probe[j] = Phi[0][j] - 0.5 * Phi[1][j] + (j == 3);
    }
    solve_sigma(n, Phi, ridge, nu);
    solve_sigma(n, Phi, ridge, at);
    tc_blr_solve(r, probe, solved);
    for (int j = 0; j < WIDE; j++) {
        assert_close(tc_blr_mean(r)[j], (double)nu[j], within);
        exact += (long double)ridge * probe[j] * at[j];
        variance += ridge * probe[j] * solved[j];
    }
    assert_close(variance, (double)exact, within);
}

/* Primal all along, and dual up to M/2 and then primal. */
static void test_both_forms_are_the_posterior(void **state)
{
    static const double ridges[] = {1e-8, 1e-4, 0.01, 1, 1e4};
    static double Phi[MOST][WIDE];
    double y[MOST];
    tacit_error err = {0};
    (void)state;
    fill_rows(Phi, y);
    for (int k = 0; k < 5 * 2; k++) {
        const double ridge = ridges[k / 2];
        tc_blr *r;
        assert_ok(tc_blr_new_borrowing(&r, WIDE, ridge, k % 2 ? WIDE / 2 : 0, &err));
        check_posterior(r, 0, Phi, y, ridge);
        for (int n = 0; n < MOST; n++) {
            tc_blr_add(r, Phi[n], y[n]);
            check_posterior(r, n + 1, Phi, y, ridge);
        }
        tc_blr_free(r);
    }
}

/* A draw of the dual form is Matheron's rule on the normals of its stream: w0, then e. */
static void test_a_dual_draw_is_a_corrected_draw_of_the_prior(void **state)
{
    static double Phi[MOST][WIDE];
    double y[MOST], w[WIDE], w0[WIDE], e[WIDE];
    const double ridge = 0.1;
    tc_public_seed seed = tc_public_seed_from(5);
    tc_stream s;
    tacit_error err = {0};
    tc_blr *r;
    (void)state;
    fill_rows(Phi, y);
    assert_ok(tc_blr_new_borrowing(&r, WIDE, ridge, WIDE / 2, &err));
    for (int n = 1; n <= WIDE / 2; n++) {
        long double b[WIDE] = {0};
        tc_blr_add(r, Phi[n - 1], y[n - 1]);
        tc_stream_public(&s, &seed, TC_FOR_DRAW, 0);
        tc_blr_sample(r, &s, w);
        tc_stream_public(&s, &seed, TC_FOR_DRAW, 0);
        tc_normals(&s, WIDE, w0);
        tc_normals(&s, (size_t)n, e);
        for (int i = 0; i < n; i++) { /* Phi' C^-1 v = Sigma^-1 Phi'v */
            long double v = y[i] - sqrt(ridge) * e[i];
            for (int j = 0; j < WIDE; j++)
                v -= (long double)Phi[i][j] * w0[j];
            for (int j = 0; j < WIDE; j++)
                b[j] += v * Phi[i][j];
        }
        solve_sigma(n, Phi, ridge, b);
        for (int j = 0; j < WIDE; j++)
            assert_close(w[j], w0[j] + (double)b[j], 1e-12);
    }
    tc_blr_free(r);
}

/* Against the formulas, in both forms and across the change from one to the other. */
static void test_news_solves_and_spreads(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double x[M] = {0.3, -1.2, 0.8};
    for (int dual = 0; dual <= 1; dual++) {
        tc_blr *r = dual ? make_dual(0) : make(0);
        for (int n = 0; n <= OBSERVATIONS; n++) {
            double mean[M], P[M][M], solved[M], off = n < OBSERVATIONS ? targets[n] : 0, ratio = 1;
            reference(n, mean, P);
            tc_blr_solve(r, x, solved);
            for (int i = 0; i < M; i++)
                assert_close(solved[i], P[i][0] * x[0] + P[i][1] * x[1] + P[i][2] * x[2], 1e-12);
            if (n == OBSERVATIONS)
                break;
            for (int i = 0; i < M; i++) {
                off -= features[n][i] * mean[i];
                for (int j = 0; j < M; j++)
                    ratio += features[n][i] * P[i][j] * features[n][j];
            }
            tc_blr_add(r, features[n], targets[n]);
            assert_close(tc_blr_latest(r).off, off, 1e-12);
            assert_close(tc_blr_latest(r).ratio, ratio, 1e-12);
        }
        tc_blr_free(r);
    }
    tc_blr *none;
    assert_ok(tc_blr_new(&none, 0, lambda, &err));
    tc_blr_solve(none, x, NULL);
    tc_blr_spread(none, x, NULL);
    tc_blr_free(none);
}

/* A spread is linear in its normals: what each of them becomes makes up the covariance. */
static void test_a_spread_has_the_posterior_covariance(void **state)
{
    (void)state;
    for (int dual = 0; dual <= 1; dual++)
        for (int n = 0; n <= OBSERVATIONS; n++) {
            double mean[M], P[M][M], sum[M][M] = {{0}};
            reference(n, mean, P);
            tc_blr *r = dual ? make_dual(n) : make(n);
            for (int k = 0; k < M + M / 2; k++) {
                double e[M + M / 2] = {0}, w[M];
                e[k] = 1;
                tc_blr_spread(r, e, w);
                for (int i = 0; i < M; i++)
                    for (int j = 0; j < M; j++)
                        sum[i][j] += w[i] * w[j];
            }
            for (int i = 0; i < M; i++)
                for (int j = 0; j < M; j++)
                    assert_close(sum[i][j], lambda * P[i][j], 1e-12);
            tc_blr_free(r);
        }
}

static void test_lambda_must_be_positive(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_blr *r = NULL;
    assert_fails(tc_blr_new(&r, M, 0.0, &err), TACIT_E_ARG,
                 "lambda of a linear model must be > 0, got 0");
    assert_fails(tc_blr_new(&r, M, NAN, &err), TACIT_E_ARG, "got nan");
    assert_fails(tc_blr_new_borrowing(&r, M, -1.0, 1, &err), TACIT_E_ARG, "got -1");
    assert_null(r);
    tc_blr_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_mean_follows_every_observation),
        cmocka_unit_test(test_draws_have_the_posterior_moments),
        cmocka_unit_test(test_both_forms_are_the_posterior),
        cmocka_unit_test(test_a_dual_draw_is_a_corrected_draw_of_the_prior),
        cmocka_unit_test(test_news_solves_and_spreads),
        cmocka_unit_test(test_a_spread_has_the_posterior_covariance),
        cmocka_unit_test(test_lambda_must_be_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
