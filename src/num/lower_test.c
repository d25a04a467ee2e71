/* lower_test.c - a lower triangle times one vector, against loops. */
#include "support/test.h"

#include "num/lower.h"

#include <stdlib.h>

enum { MOST = 70, LD = 80 };

static double entry(void)
{
    return 2 * drand48() - 1;
}

/* What lies behind row n is never read: here it is not a number. */
static void make_triangle(size_t n, double *L, double *x)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < LD; i++)
            L[i + j * LD] = i >= n ? (double)NAN : i < j ? 0 : entry();
    for (size_t i = 0; i < LD; i++)
        x[i] = i < n ? entry() : (double)NAN;
}

static void products_of_every_size(void **state)
{
    static double L[LD * MOST];
    double x[LD], by[MOST + 1], by_t[MOST + 1];
    (void)state;
    srand48(3);
    for (size_t n = 0; n <= MOST; n++) {
        make_triangle(n, L, x);
        by[n] = by_t[n] = 7; /* stays */
        tc_lower_times(n, L, LD, x, by);
        tc_lower_t_times(n, L, LD, x, by_t);
        for (size_t i = 0; i < n; i++) {
            double sum = 0, sum_t = 0;
            for (size_t j = 0; j < n; j++) {
                sum += L[i + j * LD] * x[j];
                sum_t += L[j + i * LD] * x[j];
            }
            assert_close(by[i], sum, 1e-13);
            assert_close(by_t[i], sum_t, 1e-13);
        }
        assert_true(by[n] == 7 && by_t[n] == 7);
    }
}

/* The same numbers elsewhere in memory and with another leading dimension. */
static void bits_do_not_depend_on_the_place(void **state)
{
    static double L[LD * MOST], other[(LD + 5) * MOST + 1];
    double x[LD], a[MOST], b[MOST + 1], y[LD + 1];
    const size_t n = MOST - 1;
    (void)state;
    srand48(4);
    make_triangle(n, L, x);
    for (size_t j = 0; j < n; j++)
        memcpy(other + 1 + j * (LD + 5), L + j * LD, LD * sizeof *L);
    memcpy(y + 1, x, sizeof x);
    tc_lower_times(n, L, LD, x, a);
    tc_lower_times(n, other + 1, LD + 5, y + 1, b + 1);
    assert_memory_equal(a, b + 1, n * sizeof *a);
    tc_lower_t_times(n, L, LD, x, a);
    tc_lower_t_times(n, other + 1, LD + 5, y + 1, b + 1);
    assert_memory_equal(a, b + 1, n * sizeof *a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_every_size),
        cmocka_unit_test(bits_do_not_depend_on_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
