/* sketch_test.c - the features and their rotations against dense formulas, solved by
 * elimination. */
#include "support/test.h"

#include "algo/ldp/sketch.h"

#include "base/memory.h"

enum { N = 24, MOST_PLAYS = 200, TARGETS = 2 };

static const double LAMBDA = 0.7;

/* A small generator: tests need arbitrary numbers, not good ones. */
static double any(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

static double kernel(size_t a, size_t b)
{
    double gap = ((double)a - (double)b) / (N - 1) / 0.15;
    double r = sqrt(5) * fabs(gap);
    return (1 + r + r * r / 3) * exp(-r);
}

static void row_of(size_t a, double *k)
{
    for (size_t x = 0; x < N; x++)
        k[x] = kernel(a, x);
}

/* A^-1 b by Gauss-Jordan with pivots; returns ln |det A|. A is n x n by rows, destroyed. */
static double solve(size_t n, double *A, double *b)
{
    double log_det = 0;
    for (size_t c = 0; c < n; c++) {
        size_t p = c;
        for (size_t r = c + 1; r < n; r++)
            if (fabs(A[r * n + c]) > fabs(A[p * n + c]))
                p = r;
        for (size_t j = 0; j < n; j++) {
            double swap = A[c * n + j];
            A[c * n + j] = A[p * n + j];
            A[p * n + j] = swap;
        }
        double swap = b[c];
        b[c] = b[p];
        b[p] = swap;
        log_det += log(fabs(A[c * n + c]));
        for (size_t r = 0; r < n; r++) {
            double factor = r == c ? 0 : A[r * n + c] / A[c * n + c];
            for (size_t j = c; j < n; j++)
                A[r * n + j] -= factor * A[c * n + j];
            b[r] -= factor * b[c];
        }
    }
    for (size_t c = 0; c < n; c++)
        b[c] /= A[c * n + c];
    return log_det;
}

typedef struct game {
    tc_sketch s;
    size_t plays, arm[MOST_PLAYS];
    double y[MOST_PLAYS][TARGETS];
} game;

static void start(game *g)
{
    tacit_error err = {0};
    double prior[N];
    for (size_t x = 0; x < N; x++)
        prior[x] = kernel(x, x);
    memset(g, 0, sizeof *g);
    assert_ok(tc_sketch_init(&g->s, N, TARGETS, LAMBDA, prior, &err));
}

static void list(game *g, size_t a)
{
    tacit_error err = {0};
    double k[N];
    row_of(a, k);
    assert_ok(tc_sketch_add(&g->s, a, k, &err));
}

static void play(game *g, size_t a, uint64_t *random)
{
    size_t t = g->plays++;
    g->arm[t] = a;
    for (size_t j = 0; j < TARGETS; j++)
        g->y[t][j] = 4 * any(random) - 2;
    tc_sketch_observe(&g->s, a, g->y[t]);
}

static void mean_of(const game *g, size_t target, double *out)
{
    size_t stride;
    const double *z = tc_sketch_weights(&g->s, target, &stride);
    tc_sketch_mean(&g->s, z, stride, out);
}

/* The kernel as the dictionary sees it: k_S(a)' K_SS^-1 k_S(b). */
static double seen(const size_t *S, size_t m, size_t a, size_t b)
{
    static double K[N * N], w[N];
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++)
            K[i * m + j] = kernel(S[i], S[j]);
        w[i] = kernel(S[i], b);
    }
    solve(m, K, w);
    for (size_t i = 0; i < m; i++)
        sum += w[i] * kernel(S[i], a);
    return sum;
}

/* Mean and variance at x under the kernel q, with what q misses added to the variance:
 * q_t(x)'(Q_t + lambda I)^-1 y, and k - q_t(x)'(Q_t + lambda I)^-1 q_t(x). */
static void dense(const game *g, const double *q, size_t x, size_t target, double *mean,
                  double *var, double *gain)
{
    static double A[MOST_PLAYS * MOST_PLAYS], b[MOST_PLAYS];
    size_t t = g->plays;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < t; i++) {
            for (size_t j = 0; j < t; j++)
                A[i * t + j] = q[g->arm[i] * N + g->arm[j]] + (i == j ? LAMBDA : 0);
            b[i] = pass == 0 ? g->y[i][target] : q[g->arm[i] * N + x];
        }
        *gain = (solve(t, A, b) - (double)t * log(LAMBDA)) / 2;
        double sum = 0;
        for (size_t i = 0; i < t; i++)
            sum += b[i] * q[g->arm[i] * N + x];
        if (pass == 0)
            *mean = sum;
        else
            *var = kernel(x, x) - sum;
    }
}

static void assert_is_dense(const game *g, const double *q)
{
    double mean[TARGETS][N], var[N];
    for (size_t j = 0; j < TARGETS; j++)
        mean_of(g, j, mean[j]);
    tc_sketch_variance(&g->s, var);
    for (size_t x = 0; x < N; x += 3)
        for (size_t j = 0; j < TARGETS; j++) {
            double m, v, gain;
            dense(g, q, x, j, &m, &v, &gain);
            assert_close(mean[j][x], m, 1e-7);
            assert_close(var[x], v, 1e-8);
            assert_close(g->s.gain, gain, 1e-7);
        }
}

static void full_kernel(double *q)
{
    for (size_t a = 0; a < N; a++)
        for (size_t b = 0; b < N; b++)
            q[a * N + b] = kernel(a, b);
}

static void every_played_arm_listed_is_the_exact_posterior(void **state)
{
    (void)state;
    game g;
    double q[N * N];
    uint64_t random = 1;
    start(&g);
    full_kernel(q);
    for (size_t t = 0; t < 90; t++) {
        size_t a = (size_t)(any(&random) * any(&random) * N);
        list(&g, a);
        play(&g, a, &random);
        if (t % 30 == 29 || t == 0)
            assert_is_dense(&g, q);
    }
    tc_sketch_fini(&g.s);
}

/* Plays of arms that are in no dictionary count as their projections. */
static void a_small_dictionary_is_the_projected_kernel(void **state)
{
    (void)state;
    static const size_t S[] = {2, 7, 12, 17, 21};
    game g;
    double q[N * N];
    uint64_t random = 2;
    start(&g);
    for (size_t a = 0; a < N; a++)
        for (size_t b = 0; b < N; b++)
            q[a * N + b] = seen(S, 5, a, b);
    for (size_t i = 0; i < 5; i++)
        list(&g, S[i]);
    for (size_t t = 0; t < 60; t++)
        play(&g, (size_t)(any(&random) * N), &random);
    assert_int_equal(g.s.m, 5);
    assert_is_dense(&g, q);
    tc_sketch_fini(&g.s);
}

/* The dictionary may grow before, between and after plays, and be built again. */
static void the_order_of_arms_and_plays_does_not_matter(void **state)
{
    (void)state;
    static const size_t S[] = {3, 9, 10, 20};
    game g;
    double first[N], again[N], var[N], var_again[N];
    uint64_t random = 3;
    start(&g);
    for (size_t i = 0; i < 4; i++) {
        for (size_t t = 0; t < 10; t++)
            play(&g, (size_t)(any(&random) * N), &random);
        list(&g, S[i]);
    }
    mean_of(&g, 1, first);
    tc_sketch_variance(&g.s, var);
    double gain = g.s.gain;
    tc_sketch_clear(&g.s);
    assert_int_equal(g.s.m, 0);
    tc_sketch_variance(&g.s, var_again);
    for (size_t x = 0; x < N; x++)
        assert_close(var_again[x], 1, 0);
    for (size_t i = 4; i-- > 0;)
        list(&g, S[i]);
    mean_of(&g, 1, again);
    tc_sketch_variance(&g.s, var_again);
    for (size_t x = 0; x < N; x++) {
        assert_close(again[x], first[x], 1e-9);
        assert_close(var_again[x], var[x], 1e-10);
    }
    assert_close(g.s.gain, gain, 1e-10);
    tc_sketch_fini(&g.s);
}

static void an_arm_in_the_span_adds_no_feature(void **state)
{
    (void)state;
    game g;
    start(&g);
    list(&g, 4);
    list(&g, 4);
    assert_int_equal(g.s.m, 1);
    assert_close(g.s.rest[4], 0, 0);
    for (size_t a = 0; a < N; a++)
        list(&g, a);
    assert_true(g.s.m <= N);
    for (size_t x = 0; x < N; x++)
        assert_true(g.s.rest[x] >= 0 && g.s.rest[x] <= 1e-12);
    tc_sketch_fini(&g.s);
}

/* After many plays of few arms, means are the averages and the variance is lambda / c. */
static void many_plays_neither_drift_nor_grow(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_sketch s;
    const double prior[2] = {1, 1}, k0[2] = {1, 0}, k1[2] = {0, 1};
    double sum[2] = {0, 0}, count[2] = {0, 0}, mean[2], var[2];
    uint64_t random = 4;
    assert_ok(tc_sketch_init(&s, 2, 1, LAMBDA, prior, &err));
    assert_ok(tc_sketch_add(&s, 0, k0, &err));
    assert_ok(tc_sketch_add(&s, 1, k1, &err));
    for (size_t t = 0; t < 200000; t++) {
        size_t a = any(&random) < 0.9;
        double y = 10 * any(&random) - 3;
        tc_sketch_observe(&s, a, &y);
        sum[a] += y;
        count[a]++;
    }
    size_t stride;
    const double *z = tc_sketch_weights(&s, 0, &stride);
    tc_sketch_mean(&s, z, stride, mean);
    tc_sketch_variance(&s, var);
    for (size_t a = 0; a < 2; a++) {
        assert_close(mean[a], sum[a] / (count[a] + LAMBDA), 1e-10);
        assert_close(var[a] * (count[a] + LAMBDA) / LAMBDA, 1, 1e-9);
    }
    assert_close(s.gain, log(1 + count[0] / LAMBDA) / 2 + log(1 + count[1] / LAMBDA) / 2, 1e-9);
    tc_sketch_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_played_arm_listed_is_the_exact_posterior),
        cmocka_unit_test(a_small_dictionary_is_the_projected_kernel),
        cmocka_unit_test(the_order_of_arms_and_plays_does_not_matter),
        cmocka_unit_test(an_arm_in_the_span_adds_no_feature),
        cmocka_unit_test(many_plays_neither_drift_nor_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
