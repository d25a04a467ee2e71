/* delta_test.c - which delta a promise to N members may have. */
#include <tacit/privacy.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_default_is_small(void **state)
{
    (void)state;
    assert_true(tacit_delta_default(1) == 1e-5);
    assert_true(tacit_delta_default(316) == 1e-5);
    assert_true(tacit_delta_default(1000) == 1e-6);
    for (uint64_t n = 2; n < UINT64_C(1) << 40; n = n * 3 + 1) {
        assert_int_equal(tacit_delta_check("delta", tacit_delta_default(n), n, NULL), TACIT_OK);
        assert_false(tacit_delta_is_large(tacit_delta_default(n), n));
        assert_int_equal(tacit_delta_check("delta", 1 / (double)n, n, NULL), TACIT_E_ARG);
        assert_int_equal(tacit_delta_check("delta", nextafter(1 / (double)n, 0), n, NULL),
                         TACIT_OK);
    }
}

static void one_in_n_is_refused_in_words(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_int_equal(tacit_delta_check("privacy.delta", 0.5, 200, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, "privacy.delta must be below 1/N = 0.005 for 200 agents, got 0.5: "
                                 "such a delta allows to publish all of one agent's data");
    assert_int_equal(tacit_delta_check("delta", NAN, 200, NULL), TACIT_E_ARG);
    assert_true(tacit_delta_is_large(1e-4, 200));
    assert_false(tacit_delta_is_large(1e-4, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_small),
        cmocka_unit_test(one_in_n_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
