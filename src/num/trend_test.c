/* trend_test.c - the algebra of a trend against dense conditioning of the joint Gaussian, written here in long
 * double, and against differences. */
#include "support/test.h"

#include "base/random.h"
#include "num/trend.h"

enum { N = 9, MOST = TC_TREND_MOST, CASES = 400 };

/* One problem: C, H, y at N points, and one more point x with its covariances. */
typedef struct problem {
    size_t n;
    double C[N][N], H[N][MOST], y[N];
    double k[N], h[MOST], kxx;
    tc_trend_prior prior;
} problem;

static tc_stream stream_of(uint64_t number)
{
    tc_public_seed seed = tc_public_seed_from(11);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, number);
    return s;
}

/* C = B B' + noise of N + 1 points: the last one is x, without noise. */
static void make(problem *q, uint64_t number)
{
    tc_stream s = stream_of(number);
    double B[N + 1][N + 2];
    *q = (problem){.n = 1 + number % N, .prior = {.p = 1 + number / N % 2}};
    const double noise = exp(-6 * tc_draw_uniform(&s));
    for (size_t i = 0; i <= N; i++)
        for (size_t j = 0; j < N + 2; j++)
            B[i][j] = tc_draw_normal(&s);
    for (size_t i = 0; i <= N; i++)
        for (size_t j = 0; j <= N; j++) {
            double sum = i == j && i < N ? noise : 0;
            for (size_t l = 0; l < N + 2; l++)
                sum += B[i][l] * B[j][l];
            *(i < N && j < N ? &q->C[i][j] : i < N ? &q->k[i] : &q->kxx) = sum;
        }
    for (size_t c = 0; c < MOST; c++) {
        q->h[c] = c == 0 ? 1 : tc_draw_normal(&s);
        q->prior.mean[c] = tc_draw_normal(&s);
        q->prior.variance[c] = exp(4 * tc_draw_uniform(&s) - 2);
        for (size_t i = 0; i < N; i++)
            q->H[i][c] = c == 0 ? 1 : tc_draw_normal(&s);
    }
    for (size_t i = 0; i < N; i++)
        q->y[i] = 3 * tc_draw_normal(&s);
}

/* ---- the slow, obvious way ---- */

/* b = A^-1 b by elimination with row exchange; returns ln |det A|. */
static long double eliminate(size_t n, long double A[N][N], long double *b)
{
    long double log_det = 0;
    for (size_t c = 0; c < n; c++) {
        size_t top = c;
        for (size_t r = c + 1; r < n; r++)
            top = fabsl(A[r][c]) > fabsl(A[top][c]) ? r : top;
        for (size_t j = 0; j < n; j++) {
            long double t = A[c][j];
            A[c][j] = A[top][j];
            A[top][j] = t;
        }
        long double t = b[c];
        b[c] = b[top];
        b[top] = t;
        log_det += logl(fabsl(A[c][c]));
        for (size_t r = 0; r < n; r++) {
            long double f = r == c ? 0 : A[r][c] / A[c][c];
            for (size_t j = c; j < n && r != c; j++)
                A[r][j] -= f * A[c][j];
            b[r] -= f * b[c];
        }
    }
    for (size_t c = 0; c < n; c++)
        b[c] /= A[c][c];
    return log_det;
}

/* b = cov(y)^-1 b, with cov(y) = C + H diag(v) H'; or C^-1 b. */
static long double solve(const problem *q, bool trend, long double *b)
{
    long double A[N][N];
    for (size_t i = 0; i < q->n; i++)
        for (size_t j = 0; j < q->n; j++) {
            A[i][j] = q->C[i][j];
            for (size_t c = 0; trend && c < q->prior.p; c++)
                A[i][j] += (long double)q->H[i][c] * q->prior.variance[c] * q->H[j][c];
        }
    return eliminate(q->n, A, b);
}

static long double residual(const problem *q, size_t i)
{
    long double r = q->y[i];
    for (size_t c = 0; c < q->prior.p; c++)
        r -= (long double)q->H[i][c] * q->prior.mean[c];
    return r;
}

static double dense_log_likelihood(const problem *q)
{
    long double b[N], square = 0, log_det;
    for (size_t i = 0; i < q->n; i++)
        b[i] = residual(q, i);
    log_det = solve(q, true, b);
    for (size_t i = 0; i < q->n; i++)
        square += b[i] * residual(q, i);
    return (double)(-(square + log_det) / 2);
}

/* Of a quantity with this prior mean and variance, and these covariances with y. */
static tc_trend_value condition(const problem *q, double mean, double variance, const double *cov)
{
    long double b[N], m = mean, v = variance;
    for (size_t i = 0; i < q->n; i++)
        b[i] = cov[i];
    solve(q, true, b);
    for (size_t i = 0; i < q->n; i++) {
        m += b[i] * residual(q, i);
        v -= b[i] * cov[i];
    }
    return (tc_trend_value){.mean = (double)m, .variance = (double)v};
}

static tc_trend_value dense_at(const problem *q)
{
    double mean = 0, variance = q->kxx, cov[N];
    memcpy(cov, q->k, sizeof cov);
    for (size_t c = 0; c < q->prior.p; c++) {
        mean += q->h[c] * q->prior.mean[c];
        variance += q->h[c] * q->h[c] * q->prior.variance[c];
        for (size_t i = 0; i < q->n; i++)
            cov[i] += q->h[c] * q->prior.variance[c] * q->H[i][c];
    }
    return condition(q, mean, variance, cov);
}

static tc_trend_value dense_coefficient(const problem *q, size_t c)
{
    double cov[N];
    for (size_t i = 0; i < q->n; i++)
        cov[i] = q->prior.variance[c] * q->H[i][c];
    return condition(q, q->prior.mean[c], q->prior.variance[c], cov);
}

/* ---- what the owner of a process makes ---- */

static double entry(const problem *q, size_t i, size_t column)
{
    return column == q->prior.p ? q->y[i] : q->H[i][column];
}

static tc_trend_data products(const problem *q, tc_trend_point *x)
{
    tc_trend_data d = {0};
    *x = (tc_trend_point){.variance = q->kxx};
    for (size_t j = 0; j <= q->prior.p; j++) {
        long double b[N];
        for (size_t i = 0; i < q->n; i++)
            b[i] = entry(q, i, j);
        d.log_det = (double)solve(q, false, b);
        for (size_t c = 0; c <= q->prior.p; c++)
            for (size_t i = 0; i < q->n; i++)
                d.gram[c][j] += entry(q, i, c) * (double)b[i];
        for (size_t i = 0; i < q->n; i++)
            x->from[j] += q->k[i] * (double)b[i];
    }
    long double b[N];
    for (size_t i = 0; i < q->n; i++)
        b[i] = q->k[i];
    solve(q, false, b);
    for (size_t i = 0; i < q->n; i++)
        x->variance -= q->k[i] * (double)b[i];
    memcpy(x->h, q->h, q->prior.p * sizeof *x->h);
    memcpy(x->near, x->from, q->prior.p * sizeof *x->near);
    return d;
}

/* ---- tests ---- */

static void agrees_with_dense_conditioning(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        problem q;
        tc_trend t;
        tc_trend_point x;
        make(&q, number);
        tc_trend_data d = products(&q, &x);
        tc_trend_fit(&t, &q.prior, &d);
        assert_close(t.log_likelihood, dense_log_likelihood(&q), 1e-8);
        for (size_t c = 0; c < q.prior.p; c++) {
            tc_trend_value b = dense_coefficient(&q, c);
            assert_close(t.mean[c], b.mean, 1e-8);
            assert_close(t.covariance[c][c], b.variance, 1e-8);
        }
        tc_trend_value v = tc_trend_at(&t, &x), slow = dense_at(&q);
        assert_close(v.mean, slow.mean, 1e-8);
        assert_close(v.variance, slow.variance, 1e-8);
        assert_same_bits(t.covariance[0][1], t.covariance[1][0]);
    }
}

/* A column may be of any size: whoever sent it need not be a friend. Against the same problem with the
 * size in the prior. */
static void a_huge_column_keeps_its_meaning(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        problem q;
        tc_trend t;
        tc_trend_point x;
        make(&q, number);
        const double size = pow(10, 1 + (double)(number % 8));
        q.prior = (tc_trend_prior){.p = 2, .mean = {0, 1}, .variance = {1, 0.25}};
        q.h[1] *= size;
        for (size_t i = 0; i < q.n; i++)
            q.H[i][1] *= size;
        tc_trend_data d = products(&q, &x);
        tc_trend_fit(&t, &q.prior, &d);
        assert_close(t.log_likelihood, dense_log_likelihood(&q), 1e-3);
        assert_true(t.covariance[1][1] > 0 && t.covariance[1][1] <= 0.25);
        tc_trend_value v = tc_trend_at(&t, &x);
        assert_true(isfinite(v.mean) && v.variance >= 0);
    }
}

/* Two columns that are the same one: only the sum of the coefficients is known. */
static void columns_may_be_the_same(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        problem q;
        tc_trend t;
        tc_trend_point x;
        make(&q, number);
        q.prior.p = 2;
        for (size_t i = 0; i < q.n; i++)
            q.H[i][1] = q.H[i][0];
        tc_trend_data d = products(&q, &x);
        tc_trend_fit(&t, &q.prior, &d);
        assert_close(t.log_likelihood, dense_log_likelihood(&q), 1e-8);
        tc_trend_value v = tc_trend_at(&t, &x), slow = dense_at(&q);
        assert_close(v.mean, slow.mean, 1e-7);
        assert_close(v.variance, slow.variance, 1e-7);
    }
}

/* Points pretended to return their means: the means of dense conditioning on the others, and the variances of dense
 * conditioning on all, whose values do not matter. */
static void beliefs_lower_variances_only(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        problem few, all;
        tc_trend t, whole;
        tc_trend_point x, y;
        double gram[MOST][MOST];
        make(&few, number);
        all = few;
        all.n = N;
        tc_trend_data d = products(&few, &x), more = products(&all, &y);
        tc_trend_fit(&t, &few.prior, &d);
        tc_trend_fit(&whole, &all.prior, &more);
        for (size_t i = 0; i < MOST; i++)
            for (size_t j = 0; j < MOST; j++)
                gram[i][j] = more.gram[i][j];
        memcpy(x.near, y.near, sizeof x.near);
        x.variance = y.variance;
        tc_trend_believe(&t, &few.prior, gram);
        tc_trend_value v = tc_trend_at(&t, &x);
        assert_close(v.mean, dense_at(&few).mean, 1e-8);
        assert_close(v.variance, dense_at(&all).variance, 1e-8);
        assert_memory_equal(t.covariance, whole.covariance, sizeof t.covariance);
    }
}

static tc_trend_point along(const tc_trend_point *x, const tc_trend_point *d, double step)
{
    tc_trend_point y = *x;
    for (size_t c = 0; c < MOST; c++) {
        y.h[c] += step * d->h[c];
        y.near[c] += step * d->near[c];
    }
    for (size_t c = 0; c <= MOST; c++)
        y.from[c] += step * d->from[c];
    y.variance += step * d->variance;
    return y;
}

static void slopes_are_limits_of_differences(void **state)
{
    const double step = 1e-5;
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        problem q;
        tc_trend t;
        tc_trend_point x, d = {0};
        tc_stream s = stream_of(CASES + number);
        make(&q, number);
        tc_trend_data data = products(&q, &x);
        tc_trend_fit(&t, &q.prior, &data);
        for (size_t c = 0; c < q.prior.p; c++) {
            d.h[c] = tc_draw_normal(&s);
            d.near[c] = tc_draw_normal(&s);
        }
        for (size_t c = 0; c <= q.prior.p; c++)
            d.from[c] = tc_draw_normal(&s);
        d.variance = tc_draw_normal(&s);
        tc_trend_point before = along(&x, &d, -step), after = along(&x, &d, step);
        tc_trend_value a = tc_trend_at(&t, &before), b = tc_trend_at(&t, &after);
        tc_trend_value v = tc_trend_slope(&t, &x, &d);
        assert_close(v.mean, (b.mean - a.mean) / (2 * step), 1e-6);
        assert_close(v.variance, (b.variance - a.variance) / (2 * step), 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_dense_conditioning),
        cmocka_unit_test(a_huge_column_keeps_its_meaning),
        cmocka_unit_test(columns_may_be_the_same),
        cmocka_unit_test(beliefs_lower_variances_only),
        cmocka_unit_test(slopes_are_limits_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
