/* pld_measure_test.c - the curves of the two measures beside the exact curve of one application. */
#include "support/test.h"

#include "privacy/pld_int.h"

static double upper_normal(double x)
{
    return 0.5 * erfc(x / sqrt(2));
}

/* delta(eps) of (1-q) N(0,1) + q N(c,1) against N(0,1), or with the two exchanged. */
static double exact_remove(double q, double c, double eps)
{
    double a = tc_pld_base_loss(q, eps);
    if (a == -INFINITY)
        return -expm1(eps);
    double u = a / c + 0.5 * c;
    return (1 - q) * upper_normal(u) + q * upper_normal(u - c) - exp(eps) * upper_normal(u);
}

static double exact_add(double q, double c, double eps)
{
    double a = tc_pld_base_loss(q, -eps);
    if (a == -INFINITY)
        return 0;
    double u = a / c + 0.5 * c;
    return upper_normal(-u) - exp(eps) * ((1 - q) * upper_normal(-u) + q * upper_normal(c - u));
}

static double curve(const tc_pld_measure *m, double eps)
{
    double f = 0;
    for (size_t i = 0; i < m->n; i++)
        if (tc_pld_loss(m, i) > eps)
            f -= m->p[i] * expm1(eps - tc_pld_loss(m, i));
    return f;
}

static void check_curves(const tc_pld_cells *c, double (*exact)(double, double, double), double q,
                         double shift, double lost)
{
    tacit_error err = {0};
    tc_arena arena = {0};
    tc_pld_measure above, below;
    assert_ok(tc_pld_above(&above, c, &arena, &err));
    assert_ok(tc_pld_below(&below, c, &arena, &err));
    double from = tc_pld_loss(&above, 0), to = tc_pld_loss(&above, above.n - 1);
    for (int k = -20; k <= 520; k++) {
        double eps = from + (to - from) * k / 500.0 + 1e-5 * sin(k);
        double f = exact(q, shift, eps), low = curve(&below, eps), high = curve(&above, eps);
        assert_true(low <= f + 1e-13 && f <= high + lost + 1e-13);
    }
    for (size_t i = 0; i < below.n; i++)
        assert_true(below.p[i] >= 0);
    tc_arena_fini(&arena);
}

static void check_event(double q, double z, double cells)
{
    tacit_error err = {0};
    tc_arena arena = {0};
    tacit_dp_event e = {.mechanism = TACIT_DP_GAUSSIAN,
                        .parameter = z,
                        .sampling = TACIT_DP_POISSON,
                        .sampling_rate = q,
                        .count = 1};
    tc_pld_source s;
    tc_pld_cells remove, add;
    assert_ok(tc_pld_source_of(&s, &e, 1e-15, &err));
    assert_ok(tc_pld_cells_fill(&remove, &s, (s.most - s.least) / cells, &arena, &err));
    check_curves(&remove, exact_remove, q, 1 / z, s.lost);
    if (!s.symmetric) {
        assert_ok(tc_pld_cells_swap(&add, &remove, &arena, &err));
        check_curves(&add, exact_add, q, 1 / z, s.lost);
    }
    tc_arena_fini(&arena);
}

/* Smooth densities, crowded ones, and grids on which nothing is smooth. */
static void test_curves_enclose_the_exact_one(void **state)
{
    (void)state;
    const double q[] = {0.999, 0.5, 0.25, 0.01, 1e-4, 1e-6},
                 z[] = {0.05, 0.1, 0.3, 0.7, 1, 1.5, 5, 40};
    const double cells[] = {3, 7, 20, 55.5, 300, 2000};
    for (size_t i = 0; i < sizeof q / sizeof *q; i++)
        for (size_t j = 0; j < sizeof z / sizeof *z; j++)
            for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
                check_event(q[i], z[j], cells[k]);
}

/* On a grid that resolves the density both measures keep P and Q, so E[exp(-loss)] stays 1. */
static void test_smooth_measures_keep_both_totals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_arena arena = {0};
    tacit_dp_event e = {.mechanism = TACIT_DP_GAUSSIAN,
                        .parameter = 1,
                        .sampling = TACIT_DP_POISSON,
                        .sampling_rate = 0.25,
                        .count = 1};
    tc_pld_source s;
    tc_pld_cells c;
    assert_ok(tc_pld_source_of(&s, &e, 1e-15, &err));
    assert_ok(tc_pld_cells_fill(&c, &s, 0.01, &arena, &err));
    tc_pld_measure m[2];
    assert_ok(tc_pld_above(&m[0], &c, &arena, &err));
    assert_ok(tc_pld_below(&m[1], &c, &arena, &err));
    double variance[2];
    for (int b = 0; b < 2; b++) {
        double p = 0, q = 0, mean = 0, square = 0;
        for (size_t i = 0; i < m[b].n; i++) {
            double l = tc_pld_loss(&m[b], i);
            p += m[b].p[i];
            q += m[b].p[i] * exp(-l);
            mean += m[b].p[i] * l;
            square += m[b].p[i] * l * l;
        }
        assert_close(p, 1, 1e-13);
        assert_close(q, 1, 1e-13);
        variance[b] = square - mean * mean;
    }
    assert_true(variance[0] > variance[1]);
    assert_close(variance[0], variance[1], 0.01 * 0.01); /* O(h^2) */
    tc_arena_fini(&arena);
}

/* The heaps of a pure mechanism, off the grid. */
static void test_heaps(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (int k = 1; k < 40; k++) {
        double epsilon = 0.1 * k, q = k % 3 == 0 ? 1 : 0.2;
        tc_arena arena = {0};
        tacit_dp_event e = {.mechanism = TACIT_DP_PURE,
                            .parameter = epsilon,
                            .count = 1,
                            .sampling = q < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL,
                            .sampling_rate = q};
        tc_pld_source s;
        tc_pld_cells c;
        tc_pld_measure above, below;
        assert_ok(tc_pld_source_of(&s, &e, 1e-15, &err));
        assert_ok(tc_pld_cells_fill(&c, &s, 0.3, &arena, &err));
        assert_ok(tc_pld_above(&above, &c, &arena, &err));
        assert_ok(tc_pld_below(&below, &c, &arena, &err));
        for (double eps = s.least - 1; eps < s.most + 1; eps += 0.013) {
            double f = 0;
            for (unsigned i = 0; i < s.atoms; i++)
                f += fmax(0, -s.atom_mass[i] * expm1(eps - s.atom_loss[i]));
            assert_true(curve(&below, eps) <= f + 1e-14 && f <= curve(&above, eps) + 1e-14);
        }
        tc_arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves_enclose_the_exact_one),
        cmocka_unit_test(test_smooth_measures_keep_both_totals),
        cmocka_unit_test(test_heaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
