/* blr_test.c - the weights' posterior against the formulas in the open, and its draws. */
#include "support/test.h"

#include "num/blr.h"

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

static void reference(double mean[M], double P[M][M])
{
    double S[M][M] = {{0}}, moment[M] = {0};
    for (int i = 0; i < M; i++)
        S[i][i] = lambda;
    for (int n = 0; n < OBSERVATIONS; n++)
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

static tc_blr *make(void)
{
    tacit_error err = {0};
    tc_blr *r;
    assert_ok(tc_blr_new(&r, M, lambda, &err));
    for (int n = 0; n < OBSERVATIONS; n++)
        tc_blr_add(r, features[n], targets[n]);
    return r;
}

static void test_mean_and_variance(void **state)
{
    (void)state;
    double mean[M], P[M][M], scratch[M], phi[M] = {0.4, -0.2, 1.0}, var = 0.0;
    reference(mean, P);
    tc_blr *r = make();
    assert_int_equal(tc_blr_size(r), OBSERVATIONS);
    const double *nu = tc_blr_mean(r);
    for (int i = 0; i < M; i++) {
        assert_close(nu[i], mean[i], 1e-12);
        for (int j = 0; j < M; j++)
            var += lambda * phi[i] * P[i][j] * phi[j];
    }
    assert_close(tc_blr_variance(r, phi, scratch), var, 1e-12);
    tc_blr_free(r);
}

static void test_mean_follows_every_observation(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_blr *asked, *silent = make();
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

static void test_draws_have_the_posterior_moments(void **state)
{
    (void)state;
    enum { DRAWS = 40000 };
    double mean[M], P[M][M], first[M] = {0}, second[M][M] = {{0}};
    reference(mean, P);
    tc_blr *r = make();
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

static void test_lambda_must_be_positive(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_blr *r = NULL;
    assert_fails(tc_blr_new(&r, M, 0.0, &err), TACIT_E_ARG,
                 "lambda of a linear model must be > 0, got 0");
    assert_fails(tc_blr_new(&r, M, NAN, &err), TACIT_E_ARG, "got nan");
    assert_null(r);
    tc_blr_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_and_variance),
        cmocka_unit_test(test_mean_follows_every_observation),
        cmocka_unit_test(test_draws_have_the_posterior_moments),
        cmocka_unit_test(test_lambda_must_be_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
