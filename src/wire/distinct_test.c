/* distinct_test.c - strings that are there twice, wherever they stand. */
#include "wire/distinct.h"

#include "support/test.h"

enum { N = 9, STRIDE = 40 };

static bool twice(const uint8_t *strings, size_t n)
{
    tacit_error err = {0};
    bool out;
    assert_ok(tc_any_twice(strings, n, STRIDE, &out, &err));
    return out;
}

static void test_any_two(void **state)
{
    (void)state;
    for (size_t a = 0; a < N; a++)
        for (size_t b = 0; b < N; b++) {
            uint8_t strings[N * STRIDE] = {0}; /* what stands between them is the same */
            for (size_t i = 0; i < N; i++)
                strings[i * STRIDE + 31] = (uint8_t)(100 - i);
            strings[a * STRIDE + 31] = strings[b * STRIDE + 31];
            assert_true(twice(strings, N) == (a != b));
        }
}

static void test_none_and_one(void **state)
{
    (void)state;
    const uint8_t strings[STRIDE] = {0};
    assert_false(twice(strings, 0));
    assert_false(twice(strings, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_two),
                                       cmocka_unit_test(test_none_and_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
