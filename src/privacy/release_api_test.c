/* release_api_test.c - what can be read of a release from outside, and that nothing crashes. */
#include <tacit/release.h>

#include "support/test.h"

enum { COUNT = 3 };

static tacit_release *some_release(void)
{
    static const double low[] = {-1, -1, -1}, high[] = {1, 1, 1}, x[] = {0.5, -0.5, 0};
    tacit_error err = {0};
    tacit_release *r = NULL;
    tacit_laplace_plan p = TACIT_LAPLACE_PLAN;
    p.count = COUNT;
    p.low = low;
    p.high = high;
    p.epsilon = 3;
    assert_ok(tacit_laplace_release(&r, &p, x, &err));
    return r;
}

static void values_are_steps_on_a_grid(void **state)
{
    (void)state;
    tacit_release *r = some_release();
    const int64_t *steps = tacit_release_steps(r);
    int exponent;
    assert_same_bits(frexp(tacit_release_step(r), &exponent), 0.5); /* a power of two */
    assert_same_bits(tacit_release_offset(r), 0);
    for (size_t j = 0; j < COUNT; j++)
        assert_same_bits(tacit_release_value(r, 0, j), (double)steps[j] * tacit_release_step(r));
    assert_true(isnan(tacit_release_value(r, 1, 0)));
    assert_true(isnan(tacit_release_value(r, 0, COUNT)));
    assert_true(isnan(tacit_release_value(r, SIZE_MAX, SIZE_MAX)));
    tacit_release_free(r);
}

static void bytes_are_little_endian_words(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_release *r = some_release();
    uint8_t bytes[8 * COUNT];
    double values[COUNT];
    assert_int_equal(tacit_release_size(r), sizeof bytes);
    assert_ok(tacit_release_encode(r, bytes, sizeof bytes, &err));
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i],
                         (uint8_t)((uint64_t)tacit_release_steps(r)[i / 8] >> (8 * (i % 8))));
    assert_ok(tacit_release_decode(r, bytes, sizeof bytes, values, &err));
    for (size_t j = 0; j < COUNT; j++)
        assert_same_bits(values[j], tacit_release_value(r, 0, j));
    assert_fails(tacit_release_encode(r, bytes, 23, &err), TACIT_E_ARG,
                 "this release has 24 bytes, got room or bytes for 23");
    assert_fails(tacit_release_decode(r, bytes, 25, values, &err), TACIT_E_ARG,
                 "this release has 24 bytes, got room or bytes for 25");
    tacit_release_free(r);
}

static void doubles_keep_their_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double x[] = {-0.0, 1e-310};
    uint8_t bytes[16];
    double values[2];
    tacit_release *r = NULL;
    assert_ok(tacit_none_release(&r, 2, 1, x, TACIT_UNIT_AGENT, "a test", &err));
    assert_ok(tacit_release_encode(r, bytes, sizeof bytes, &err));
    assert_ok(tacit_release_decode(r, bytes, sizeof bytes, values, &err));
    assert_same_bits(values[0], x[0]);
    assert_same_bits(values[1], x[1]);
    tacit_release_free(r);
}

static void states_its_guarantee(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const double x[] = {1};
    char *text = NULL;
    tacit_release *r = some_release();
    assert_ok(tacit_release_statement(r, NULL, 1e-6, &text, &err));
    assert_non_null(strstr(text, "every agent: epsilon 3, delta "));
    assert_non_null(strstr(text, " over 1 release. Neighbours: any two data sets"));
    assert_non_null(strstr(text, tacit_release_adjacency(r)));
    assert_non_null(strstr(text, "Not protected: being on the roster"));
    assert_null(strstr(text, "NOT PRIVATE"));
    tacit_text_free(text);
    text = NULL;
    assert_fails(tacit_release_statement(r, "pdl", 1e-6, &text, &err), TACIT_E_NOT_FOUND,
                 "did you mean \"pld\"?");
    assert_fails(tacit_release_statement(r, NULL, 1, &text, &err), TACIT_E_ARG, "delta must be");
    assert_fails(tacit_release_statement(r, NULL, 0.1, NULL, &err), TACIT_E_ARG,
                 "text must not be NULL");
    assert_null(text);
    tacit_release_free(r);
    assert_ok(tacit_none_release(&r, 1, 1, x, TACIT_UNIT_USER, "it is a test", &err));
    assert_ok(tacit_release_statement(r, NULL, 1e-6, &text, &err));
    assert_non_null(strstr(text, "NOT PRIVATE: it is a test. every user: no guarantee"));
    tacit_text_free(text);
    tacit_release_free(r);
}

static void nothing_has_nothing_to_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_cost cost = TACIT_COST;
    uint8_t byte[8];
    double value;
    char *text = NULL;
    assert_string_equal(tacit_release_mechanism(NULL), "");
    assert_string_equal(tacit_release_adjacency(NULL), "");
    assert_string_equal(tacit_release_not_private(NULL), "");
    assert_int_equal(tacit_release_rows(NULL) + tacit_release_cols(NULL) + tacit_release_size(NULL),
                     0);
    assert_true(isnan(tacit_release_value(NULL, 0, 0)));
    assert_null(tacit_release_steps(NULL));
    assert_close(tacit_release_step(NULL), 0, 0);
    assert_close(tacit_release_offset(NULL), 0, 0);
    assert_close(tacit_release_noise_sd(NULL), 0, 0);
    assert_false(tacit_release_private(NULL));
    assert_fails(tacit_release_cost(NULL, &cost, &err), TACIT_E_ARG, "r must not be NULL");
    assert_fails(tacit_release_encode(NULL, byte, 8, &err), TACIT_E_ARG, "r must not be NULL");
    assert_fails(tacit_release_decode(NULL, byte, 8, &value, &err), TACIT_E_ARG, "r must not");
    assert_fails(tacit_release_statement(NULL, NULL, 0.1, &text, &err), TACIT_E_ARG, "r must not");
    tacit_release *r = some_release();
    assert_fails(tacit_release_cost(r, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    cost.size = 3;
    assert_fails(tacit_release_cost(r, &cost, &err), TACIT_E_ARG,
                 "out.size must be sizeof(tacit_cost), at least ");
    assert_fails(tacit_release_encode(r, NULL, 24, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_release_decode(r, NULL, 24, &value, &err), TACIT_E_ARG, "bytes must not");
    assert_fails(tacit_release_decode(r, byte, 24, NULL, &err), TACIT_E_ARG, "values must not");
    tacit_release_free(r);
    tacit_release_free(NULL);
    tacit_text_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_steps_on_a_grid),
        cmocka_unit_test(bytes_are_little_endian_words),
        cmocka_unit_test(doubles_keep_their_bits),
        cmocka_unit_test(states_its_guarantee),
        cmocka_unit_test(nothing_has_nothing_to_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
