/* blas_kernel_test.c - another kernel of OpenBLAS is taken, computes, and is left out where a user chose.
 *
 * The test starts itself again with the kernel that OpenBLAS takes for CPUs that it does not know:
 * so every machine plays one of them. */
#include "support/test.h"

#include "frame/blas_kernel.h"
#include "num/la.h"

#include <tacit/build.h>

#include <stdlib.h>
#include <unistd.h>

#define CHOICE "OPENBLAS_CORETYPE"

/* C = A B of a size at which kernels have blocks and rests. */
static void check_product(void)
{
    enum { N = 37 };
    double A[N * N], B[N * N], C[N * N];
    for (size_t i = 0; i < (size_t)(N * N); i++) {
        A[i] = (double)(i % 7) - 3;
        B[i] = (double)(i % 11) - 5;
    }
    tc_gemm('N', 'N', N, N, N, 1, A, N, B, N, 0, C, N);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t k = 0; k < N; k++)
                sum += A[i + k * N] * B[k + j * N];
            assert_close(C[i + j * N], sum, 0); /* small integers */
        }
}

/* Begun with the old kernel, in an environment that says so. */
static void test_a_choice_is_respected(void **state)
{
    const char *before = tacit_blas_kernel();
    (void)state;
    assert_non_null(getenv(CHOICE));
    assert_null(tc_choose_blas_kernel());
    assert_string_equal(tacit_blas_kernel(), before);
    assert_string_equal(getenv(CHOICE), "Prescott");
    check_product();
}

static void test_an_old_kernel_is_replaced(void **state)
{
    const char *before = tacit_blas_kernel(), *better = tacit_blas_better_kernel();
    (void)state;
    unsetenv(CHOICE);
    print_message("%s, better: %s\n", before, better ? better : "none");
    assert_null(tc_choose_blas_kernel());
    assert_string_equal(tacit_blas_kernel(), better ? better : before);
    assert_null(getenv(CHOICE)); /* nothing is left for programs that are started */
    check_product();
    assert_null(tc_choose_blas_kernel()); /* once is enough */
    assert_string_equal(tacit_blas_kernel(), better ? better : before);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_choice_is_respected),
        cmocka_unit_test(test_an_old_kernel_is_replaced),
    };
    if (argc == 1) {
        char again[] = "again", *const words[] = {argv[0], again, NULL};
        setenv(CHOICE, "Prescott", 1);
        execv("/proc/self/exe", words);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
