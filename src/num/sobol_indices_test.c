/* sobol_indices_test.c - indices of functions whose indices are known in closed form. */
#include "support/test.h"

#include "num/sobol.h"
#include "num/sobol_indices.h"

#include <math.h>

enum { POINTS = 1 << 14, MOST = 4 };

typedef double function(const double *x);

static const double pi = 3.14159265358979323846;

/* On [-pi, pi]^3 with a = 7, b = 0.1 (Ishigami and Homma, 1990). */
static double ishigami(const double *u)
{
    double x[3];
    for (int i = 0; i < 3; i++)
        x[i] = (2 * u[i] - 1) * pi;
    return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * x[2] * x[2] * x[2] * x[2] * sin(x[0]);
}

static const double g_of[MOST] = {0, 1, 4.5, 9};

/* Sobol's g: a product of (|4u - 2| + a) / (1 + a). */
static double g(const double *u)
{
    double f = 1;
    for (int i = 0; i < MOST; i++)
        f *= (fabs(4 * u[i] - 2) + g_of[i]) / (1 + g_of[i]);
    return f;
}

/* On a level on which squares of values have no digits left for it. */
static double additive(const double *u)
{
    return 1e6 + u[0] + 2 * u[1] + 3 * u[2];
}

static double constant(const double *u)
{
    (void)u;
    return 0.1;
}

static void measure(function *f, size_t dim, double *first, double *total)
{
    static double a[POINTS], b[POINTS], ab[POINTS], at[POINTS][2 * MOST];
    tc_sobol q;
    tc_stream s;
    tc_sobol_pair pair;
    const tc_public_seed seed = tc_public_seed_from(1);
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    tc_sobol_init(&q, 2 * dim, &s);
    for (size_t i = 0; i < POINTS; i++) {
        tc_sobol_point(&q, i, at[i]);
        a[i] = f(at[i]);
        b[i] = f(at[i] + dim);
    }
    tc_sobol_pair_init(&pair, POINTS, a, b);
    for (size_t d = 0; d < dim; d++) {
        for (size_t i = 0; i < POINTS; i++) {
            double kept = at[i][d];
            at[i][d] = at[i][dim + d];
            ab[i] = f(at[i]);
            at[i][d] = kept;
        }
        tc_sobol_pair_indices(&pair, ab, &first[d], &total[d]);
    }
}

static void test_ishigami(void **state)
{
    (void)state;
    double first[3], total[3];
    const double b = 0.1, p4 = pow(pi, 4), p8 = p4 * p4;
    const double v1 = 0.5 * (1 + b * p4 / 5) * (1 + b * p4 / 5), v2 = 49.0 / 8,
                 v13 = b * b * p8 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
    measure(ishigami, 3, first, total);
    const double exact_first[3] = {v1 / v, v2 / v, 0},
                 exact_total[3] = {(v1 + v13) / v, v2 / v, v13 / v};
    for (int i = 0; i < 3; i++) {
        assert_close(first[i], exact_first[i], 3e-3);
        assert_close(total[i], exact_total[i], 3e-3);
    }
}

static void test_g(void **state)
{
    (void)state;
    double first[MOST], total[MOST], part[MOST], v = 1;
    for (int i = 0; i < MOST; i++) {
        part[i] = 1.0 / 3 / ((1 + g_of[i]) * (1 + g_of[i]));
        v *= 1 + part[i];
    }
    measure(g, MOST, first, total);
    for (int i = 0; i < MOST; i++) {
        assert_close(first[i], part[i] / (v - 1), 5e-3);
        assert_close(total[i], part[i] * v / (1 + part[i]) / (v - 1), 5e-3);
    }
}

static void test_an_additive_function_has_no_interactions(void **state)
{
    (void)state;
    double first[3], total[3];
    measure(additive, 3, first, total);
    for (int i = 0; i < 3; i++) {
        assert_close(first[i], (i + 1) * (i + 1) / 14.0, 2e-3);
        assert_close(total[i], (i + 1) * (i + 1) / 14.0, 2e-3);
    }
}

static void test_what_does_not_vary_has_none(void **state)
{
    (void)state;
    double first[2] = {1, 1}, total[2] = {1, 1};
    measure(constant, 2, first, total);
    for (int i = 0; i < 2; i++) {
        assert_same_bits(first[i], 0);
        assert_same_bits(total[i], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ishigami),
        cmocka_unit_test(test_g),
        cmocka_unit_test(test_an_additive_function_has_no_interactions),
        cmocka_unit_test(test_what_does_not_vary_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
