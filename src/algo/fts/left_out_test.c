/* left_out_test.c - all models without one observation against as many fits from the beginning. */
#include "support/test.h"

#include "algo/fts/left_out.h"
#include "base/random.h"
#include "num/la.h"

enum { M = 5, MOST = 12 };

static const double lambda = 0.03;

typedef struct problem {
    double Phi[MOST][M], y[MOST];
    size_t n;
} problem;

static problem make_problem(size_t n)
{
    problem p = {.n = n};
    tc_public_seed seed = tc_public_seed_from(7);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t m = 0; m < M; m++)
            p.Phi[i][m] = tc_draw_normal(&s);
        p.y[i] = 3 * tc_draw_normal(&s);
    }
    return p;
}

/* Sigma without observation `but`, its factor, and nu. */
static void fit(const problem *p, size_t but, double *L, double *nu)
{
    tacit_error err = {0};
    memset(nu, 0, M * sizeof *nu);
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b < M; b++)
            L[a + b * M] = a == b ? lambda : 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t a = 0; a < M && i != but; a++) {
            nu[a] += p->Phi[i][a] * p->y[i];
            for (size_t b = 0; b < M; b++)
                L[a + b * M] += p->Phi[i][a] * p->Phi[i][b];
        }
    assert_ok(tc_chol(M, L, M, &err));
    tc_chol_solve(M, L, M, nu);
}

static void prepare(tc_left_out *l, const problem *p)
{
    double L[M * M], nu[M];
    fit(p, SIZE_MAX, L, nu);
    assert_true(tc_left_out_room(l, p->n, M, lambda));
    for (size_t i = 0; i < p->n; i++) {
        memcpy(l->B + i * M, p->Phi[i], sizeof p->Phi[i]);
        l->mean[i] = tc_dot(M, p->Phi[i], nu);
        l->y[i] = p->y[i];
    }
    tc_left_out_prepare(l, L);
}

/* A draw of f_-j is mean + R (e, more): the mean is what zeros give, a column of R what is added by
 * a single 1. R has a column for each of the M + n normal numbers. */
static void read_off(tc_left_out *l, size_t j, double *mean, double R[MOST][M + MOST])
{
    double normal[M + MOST] = {0};
    tc_left_out_draw(l, normal, normal + M);
    for (size_t k = 0; k < l->n; k++)
        mean[k] = tc_left_out_at(l, j, k);
    for (size_t c = 0; c < M + l->n; c++) {
        normal[c] = 1;
        tc_left_out_draw(l, normal, normal + M);
        normal[c] = 0;
        for (size_t k = 0; k < l->n; k++)
            R[k][c] = tc_left_out_at(l, j, k) - mean[k];
    }
}

/* lambda phi_a' Sigma^-1 phi_b */
static double covariance(const problem *p, const double *L, size_t a, size_t b)
{
    double solved[M];
    memcpy(solved, p->Phi[b], sizeof solved);
    tc_chol_solve(M, L, M, solved);
    return lambda * tc_dot(M, p->Phi[a], solved);
}

static void check(size_t n)
{
    tc_left_out l = {0};
    problem p = make_problem(n);
    prepare(&l, &p);
    for (size_t j = 0; j < n; j++) {
        double L[M * M], nu[M], mean[MOST], R[MOST][M + MOST];
        fit(&p, j, L, nu);
        read_off(&l, j, mean, R);
        for (size_t a = 0; a < n; a++) {
            assert_close(mean[a], tc_dot(M, p.Phi[a], nu), 1e-9);
            for (size_t b = 0; b < n; b++)
                assert_close(tc_dot(M + n, R[a], R[b]), covariance(&p, L, a, b), 1e-9);
        }
    }
    tc_left_out_fini(&l);
}

static void test_each_has_the_law_of_a_model_fitted_without_it(void **state)
{
    (void)state;
    check(1);
    check(3);
    check(M);
    check(MOST);
}

/* An observation that nothing else speaks of has leverage next to 1. */
static void test_an_observation_alone_goes_back_to_the_prior(void **state)
{
    (void)state;
    problem p = {.n = 2, .y = {5, -2}};
    tc_left_out l = {0};
    double mean[MOST], R[MOST][M + MOST];
    p.Phi[0][0] = 1e5;
    p.Phi[1][1] = 1;
    prepare(&l, &p);
    read_off(&l, 0, mean, R);
    assert_close(mean[0], 0, 1e-3);
    assert_close(tc_norm2(M + 2, R[0]), 1e5, 1);
    tc_left_out_fini(&l);
}

static void test_none_and_then_some(void **state)
{
    (void)state;
    tc_left_out l = {0};
    double normal[M] = {0}, L[M * M], nu[M];
    problem none = {.n = 0};
    fit(&none, SIZE_MAX, L, nu);
    assert_true(tc_left_out_room(&l, 0, M, lambda));
    tc_left_out_prepare(&l, L);
    tc_left_out_draw(&l, normal, normal);
    problem p = make_problem(4);
    prepare(&l, &p);
    tc_left_out_fini(&l);
}

/* The exact process at points on a line, fitted again without observation `but`: mean and covariance there. */
static void refit(const double *C, const double *y, const double *known, size_t n, size_t but,
                  double *mean, double *K)
{
    tacit_error err = {0};
    double L[MOST * MOST], V[MOST * MOST];
    for (size_t i = 0; i < n * n; i++)
        L[i] = C[i];
    for (size_t i = 0; i < n; i++)
        L[i + i * n] += i == but ? 1e12 : lambda + known[i]; /* as good as not seen */
    assert_ok(tc_chol(n, L, n, &err));
    memcpy(V, C, n * n * sizeof *V);
    for (size_t k = 0; k < n; k++)
        tc_chol_solve(n, L, n, V + k * n); /* column k: (C + noise)^-1 C_k */
    for (size_t k = 0; k < n; k++) {
        mean[k] = tc_dot(n, V + k * n, y);
        for (size_t l = 0; l < n; l++)
            K[k + l * n] = C[k + l * n] - tc_dot(n, C + k * n, V + l * n);
    }
}

static void check_process(const double *known)
{
    enum { N = 6 };
    static const double x[N] = {0, 0.1, 0.35, 0.4, 0.8, 0.8}, y[N] = {1, -0.4, 2, 0.3, -1, -1.3};
    tacit_error err = {0};
    double C[N * N], work[N * N], scratch[N * N];
    tc_left_out l = {0};
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            C[i + j * N] = 1 + 2 * exp(-8 * (x[i] - x[j]) * (x[i] - x[j]));
    memcpy(work, C, sizeof C);
    assert_true(tc_left_out_room(&l, N, N, lambda));
    for (size_t i = 0; i < N; i++)
        l.back[i] = sqrt((lambda + known[i]) / lambda);
    for (size_t i = 0; i < N; i++) {
        l.y[i] = y[i] / l.back[i];
        for (size_t j = 0; j < N; j++)
            work[i + j * N] /= l.back[i] * l.back[j];
    }
    assert_ok(tc_left_out_process(&l, work, scratch, &err));
    for (size_t j = 0; j < N; j++) {
        double mean[N], K[N * N], normal[2 * N] = {0}, at[2 * N + 1][N];
        refit(C, y, known, N, j, mean, K);
        for (size_t c = 0; c <= 2 * N; c++) { /* a draw is linear in its normal numbers */
            if (c > 0)
                normal[c - 1] = 1;
            tc_left_out_draw(&l, normal, normal + N);
            for (size_t k = 0; k < N; k++)
                at[c][k] = tc_left_out_at(&l, j, k) - (c > 0 ? at[0][k] : 0);
            if (c > 0)
                normal[c - 1] = 0;
        }
        for (size_t k = 0; k < N; k++) {
            assert_close(at[0][k], mean[k], 1e-8);
            for (size_t i = 0; i < N; i++) {
                double covariance = 0;
                for (size_t c = 1; c <= 2 * N; c++)
                    covariance += at[c][k] * at[c][i];
                assert_close(covariance, K[k + i * N], 1e-8);
            }
        }
    }
    tc_left_out_fini(&l);
}

static void test_a_process_without_each_observation(void **state)
{
    (void)state;
    check_process((const double[]){0, 0, 0, 0, 0, 0});
}

static void test_noise_of_their_own(void **state)
{
    (void)state;
    check_process((const double[]){0.5, 0, 0.1, 2, 0, 0.03});
}

/* A smooth function without noise, seen at points that nearly coincide: rounding takes the small eigenvalues, and draws
 * are still numbers. */
static void check_close_points(double apart, double noise)
{
    enum { N = 24 };
    tacit_error err = {0};
    tc_left_out l = {0};
    double C[N * N], scratch[N * N], normal[2 * N];
    assert_true(tc_left_out_room(&l, N, N, noise));
    for (size_t j = 0; j < N; j++) {
        const double x = 0.5 + apart * (double)(j * j);
        l.y[j] = sin(x);
        normal[j] = 1;
        normal[N + j] = -1;
        for (size_t i = 0; i < N; i++) {
            const double z = 0.5 + apart * (double)(i * i);
            C[i + j * N] = exp(-(x - z) * (x - z) / 2);
        }
    }
    assert_ok(tc_left_out_process(&l, C, scratch, &err));
    tc_left_out_draw(&l, normal, normal + N);
    for (size_t j = 0; j < N; j++)
        for (size_t k = 0; k < N; k++)
            assert_true(isfinite(tc_left_out_at(&l, j, k)));
    tc_left_out_fini(&l);
}

static void test_points_that_nearly_coincide(void **state)
{
    (void)state;
    for (double apart = 1e-8; apart < 1; apart *= 10)
        for (double noise = 1e-18; noise < 1; noise *= 10)
            check_close_points(apart, noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_has_the_law_of_a_model_fitted_without_it),
        cmocka_unit_test(test_an_observation_alone_goes_back_to_the_prior),
        cmocka_unit_test(test_none_and_then_some),
        cmocka_unit_test(test_a_process_without_each_observation),
        cmocka_unit_test(test_noise_of_their_own),
        cmocka_unit_test(test_points_that_nearly_coincide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
