/* la_kernel_test.c - for which CPUs another kernel of OpenBLAS is recommended. That it is taken:
 * programs/tacit/frame/blas_kernel_test.c. */
#include "support/test.h"

#include "num/la.h"

static void test_better_kernels(void **state)
{
    const tc_cpu_vectors old = {.avx2 = false}, haswell = {.avx2 = true, .fma = true},
                         no_fma = {.avx2 = true}, skylake = {true, true, true};
    (void)state;
    assert_string_equal(tc_la_better_kernel("Prescott", &haswell), "Haswell");
    assert_string_equal(tc_la_better_kernel("Prescott", &skylake), "SkylakeX");
    assert_string_equal(tc_la_better_kernel("Nehalem", &haswell), "Haswell");
    assert_string_equal(tc_la_better_kernel("Barcelona", &haswell), "Haswell");
    assert_null(tc_la_better_kernel("Prescott", &old));
    assert_null(tc_la_better_kernel("Prescott", &no_fma));
    /* what knows its CPU is left alone, and so is what nobody knows here */
    assert_null(tc_la_better_kernel("Haswell", &skylake));
    assert_null(tc_la_better_kernel("Zen", &skylake));
    assert_null(tc_la_better_kernel("Sandybridge", &haswell));
    assert_null(tc_la_better_kernel("neoversen1", &haswell));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_better_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
