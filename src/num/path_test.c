/* path_test.c - draws have the posterior's moments; values, blocks and gradients agree. */
#include "support/test.h"

#include "num/path.h"

#include <stdlib.h>

enum { T = 6, DIM = 2, Q = 5, POINTS = 1300 };

static const double X[T * DIM] = {0.1, 0.3, 0.5, 0.55, 0.8, 0.95, 0.2, 0.9, 0.4, 0.45, 0.7, 0.1};
static const double y[T] = {0.5, -1.0, 0.3, 0.4, 1.5, -0.2};
/* where the moments are taken: on a datum, between, beside and far */
static const double P[Q * DIM] = {0.1, 0.52, 0.0, 1.0, 0.7, 0.2, 0.42, 0.0, 1.0, 0.68};
static double scale[DIM] = {0.3, 0.4};

static tc_stream stream(uint64_t step)
{
    tc_party_seed seed = tc_party_seed_from(5);
    tc_stream s;
    tc_stream_party(&s, &seed, 0, TC_FOR_DRAW, step);
    return s;
}

static tc_gp *make_gp(tc_kernel_kind kind, size_t t)
{
    tacit_error err = {0};
    tc_gp_hyper h = {kind, DIM, 1.3, 0.05, scale};
    tc_gp *g;
    assert_ok(tc_gp_new(&g, DIM, &err));
    assert_ok(tc_gp_reset(g, &h, t, X, T, &err));
    tc_gp_targets(g, y);
    return g;
}

static tc_path *make_path(size_t features)
{
    tacit_error err = {0};
    tc_path *p;
    assert_ok(tc_path_new(&p, features, DIM, &err));
    return p;
}

/* The exact posterior at P by forward substitution, one entry at a time. */
static void exact_moments(tc_gp *g, double mean[Q], double cov[Q][Q])
{
    size_t ldx, ldl, t = tc_gp_size(g);
    const double *L = tc_gp_factor(g, &ldl), *data = tc_gp_points(g, &ldx);
    const tc_gp_hyper *h = tc_gp_hyper_of(g);
    tc_kernel k = {h->kind, DIM, h->variance, h->scale};
    double u[Q][T + 1] = {{0}};
    for (size_t a = 0; a < Q; a++) {
        double x[DIM] = {P[a], P[a + Q]}, z[T + 1];
        mean[a] = 0.0;
        for (size_t i = 0; i < t; i++) { /* u = L^-1 k(x), z = L^-1 y, row by row */
            double xi[DIM] = {data[i], data[i + ldx]}, sum = tc_kernel_at(&k, x, xi), target = y[i];
            for (size_t j = 0; j < i; j++) {
                sum -= L[i + j * ldl] * u[a][j];
                target -= L[i + j * ldl] * z[j];
            }
            u[a][i] = sum / L[i + i * ldl];
            z[i] = target / L[i + i * ldl];
            mean[a] += u[a][i] * z[i];
        }
    }
    for (size_t a = 0; a < Q; a++)
        for (size_t b = 0; b < Q; b++) {
            double xa[DIM] = {P[a], P[a + Q]}, xb[DIM] = {P[b], P[b + Q]};
            cov[a][b] = tc_kernel_at(&k, xa, xb);
            for (size_t i = 0; i < t; i++)
                cov[a][b] -= u[a][i] * u[b][i];
        }
}

typedef struct moments {
    double mean[Q], second[Q][Q], fourth[Q][Q]; /* about the exact mean */
} moments;

static void sample_moments(tc_gp *g, const double exact[Q], size_t draws, moments *m)
{
    tacit_error err = {0};
    tc_path *p = make_path(12);
    *m = (moments){0};
    for (size_t n = 0; n < draws; n++) {
        tc_stream s = stream(n);
        double f[Q];
        assert_ok(tc_path_draw(p, g, y, &s, &err));
        assert_ok(tc_path_many(p, Q, P, Q, f, NULL, &err));
        for (size_t a = 0; a < Q; a++) {
            m->mean[a] += f[a] / (double)draws;
            for (size_t b = 0; b < Q; b++) {
                double product = (f[a] - exact[a]) * (f[b] - exact[b]);
                m->second[a][b] += product / (double)draws;
                m->fourth[a][b] += product * product / (double)draws;
            }
        }
    }
    tc_path_free(p);
}

/* Fresh features in every draw: exact in expectation even with only twelve of them. */
static void check_moments(tc_kernel_kind kind, size_t t)
{
    enum { DRAWS = 20000 };
    double mean[Q], cov[Q][Q];
    moments m;
    tc_gp *g = make_gp(kind, t);
    exact_moments(g, mean, cov);
    sample_moments(g, mean, DRAWS, &m);
    for (size_t a = 0; a < Q; a++) {
        assert_close(m.mean[a], mean[a], 5 * sqrt(cov[a][a] / DRAWS));
        for (size_t b = 0; b < Q; b++) {
            double spread = m.fourth[a][b] - m.second[a][b] * m.second[a][b];
            assert_close(m.second[a][b], cov[a][b], 5 * sqrt(spread / DRAWS));
        }
    }
    tc_gp_free(g);
}

static void test_moments_are_the_posteriors(void **state)
{
    (void)state;
    check_moments(TC_KERNEL_SE, T);
    check_moments(TC_KERNEL_MATERN52, T);
    check_moments(TC_KERNEL_MATERN52, 0);
}

static void test_value_block_and_gradient_agree(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t t = 0; t <= T; t += T) {
        tc_gp *g = make_gp(TC_KERNEL_MATERN52, t);
        tc_path *p = make_path(200);
        tc_stream s = stream(1);
        assert_ok(tc_path_draw(p, g, y, &s, &err));
        double many[Q], grad[DIM], scratch[(T + 1) * (DIM + 1)], h = 1e-6;
        assert_true(tc_path_scratch_size(p) <= sizeof scratch / sizeof *scratch);
        assert_ok(tc_path_many(p, Q, P, Q, many, NULL, &err));
        for (size_t a = 0; a < Q; a++) {
            double x[DIM] = {P[a], P[a + Q]};
            assert_close(tc_path_value(p, x, scratch), many[a], 1e-12);
            assert_close(tc_path_value_grad(p, x, grad, scratch), many[a], 1e-12);
            for (size_t d = 0; d < DIM; d++) {
                double above[DIM] = {x[0], x[1]}, below[DIM] = {x[0], x[1]};
                above[d] += h;
                below[d] -= h;
                double slope = tc_path_value(p, above, scratch) - tc_path_value(p, below, scratch);
                assert_close(grad[d], slope / (2 * h), 1e-5 * (1 + fabs(grad[d])));
            }
        }
        tc_path_free(p);
        tc_gp_free(g);
    }
}

/* A draw is a function of the stream; its values do not depend on threads or neighbours. */
static void test_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    static double points[POINTS * DIM], serial[POINTS], threaded[POINTS];
    for (size_t i = 0; i < POINTS * DIM; i++)
        points[i] = fmod(0.7548776662466927 * (double)i, 1.0);
    tc_pool *pool;
    assert_ok(tc_pool_new(&pool, 3, &err));
    tc_gp *g = make_gp(TC_KERNEL_SE, T);
    tc_path *one = make_path(64), *two = make_path(64);
    tc_stream s = stream(9), again = stream(9);
    assert_ok(tc_path_draw(one, g, y, &s, &err));
    assert_ok(tc_path_draw(two, g, y, &s, &err)); /* another draw first: it leaves no trace */
    assert_ok(tc_path_draw(two, g, y, &again, &err));
    assert_ok(tc_path_many(one, POINTS, points, POINTS, serial, NULL, &err));
    assert_ok(tc_path_many(two, POINTS, points, POINTS, threaded, pool, &err));
    assert_memory_equal(serial, threaded, sizeof serial);
    double alone;
    assert_ok(tc_path_many(one, 1, points + 1201, POINTS, &alone, NULL, &err));
    assert_same_bits(alone, serial[1201]);
    tc_path_free(one);
    tc_path_free(two);
    tc_gp_free(g);
    tc_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments_are_the_posteriors),
        cmocka_unit_test(test_value_block_and_gradient_agree),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
