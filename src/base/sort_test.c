/* sort_test.c - numbers in order: against insertion, and at the ends of the range. */
#include "support/test.h"

#include "base/sort.h"

#include <float.h>
#include <math.h>

static void insert(double *v, size_t n, double x)
{
    for (; n > 0 && v[n - 1] > x; n--)
        v[n] = v[n - 1];
    v[n] = x;
}

static void as_insertion_does(void **state)
{
    (void)state;
    enum { MOST = 60 };
    double v[MOST], slow[MOST];
    uint64_t x = 1;
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            v[i] = (double)(x >> 59) / 8 - 2; /* 32 values: most come more than once */
            insert(slow, i, v[i]);
        }
        tc_sort_doubles(v, n);
        assert_memory_equal(v, slow, n * sizeof *v);
    }
}

/* A difference in place of a comparison would lose the small ones and meet inf - inf. */
static void far_apart_and_close(void **state)
{
    (void)state;
    double v[] = {INFINITY, DBL_MAX, 1 + DBL_EPSILON, 1, 5e-324, 0, -5e-324, -DBL_MAX, -INFINITY};
    enum { N = sizeof v / sizeof v[0] };
    double back[N];
    for (size_t i = 0; i < N; i++)
        back[i] = v[N - 1 - i];
    tc_sort_doubles(v, N);
    assert_memory_equal(v, back, sizeof v);
    tc_sort_doubles(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_insertion_does),
        cmocka_unit_test(far_apart_and_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
