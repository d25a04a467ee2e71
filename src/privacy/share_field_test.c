/* share_field_test.c - the field against 128-bit division: exhaustively near the ends, and at random between them. */
#include "privacy/share_field.h"

#include "support/test.h"
#include "base/random.h"

enum { NEAR = 48, SOME = 6 * NEAR };

static tc_stream draws(void)
{
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(61);
    tc_stream_public(&s, &seed, TC_FOR_DRAW, 0);
    return s;
}

/* Numbers of the field near 0, p, p/2, 2^32 and two places that mean nothing. */
static void near_the_ends(uint64_t out[SOME])
{
    static const uint64_t places[] = {0,
                                      TC_FIELD_P - NEAR,
                                      TC_FIELD_P / 2 - NEAR / 2,
                                      (UINT64_C(1) << 32) - NEAR / 2,
                                      1234567890123456789,
                                      0x0aaaaaaaaaaaaaaa};
    for (size_t i = 0; i < SOME; i++)
        out[i] = places[i / NEAR] + i % NEAR;
}

static uint64_t modulo(tc_field_wide x)
{
    return (uint64_t)(x % TC_FIELD_P);
}

static void test_sums_differences_and_products(void **state)
{
    (void)state;
    uint64_t a[SOME];
    near_the_ends(a);
    for (size_t i = 0; i < SOME; i++)
        for (size_t j = 0; j < SOME; j++) {
            assert_true(a[i] < TC_FIELD_P);
            assert_true(tc_field_add(a[i], a[j]) == modulo((tc_field_wide)a[i] + a[j]));
            assert_true(tc_field_sub(a[i], a[j]) ==
                        modulo((tc_field_wide)a[i] + TC_FIELD_P - a[j]));
            assert_true(tc_field_mul(a[i], a[j]) == modulo((tc_field_wide)a[i] * a[j]));
        }
}

/* Any word and any 128-bit number: the multiples of p and their neighbours, the largest, and a million at random. */
static void test_reduction(void **state)
{
    (void)state;
    const tc_field_wide most = ~(tc_field_wide)0;
    for (uint64_t k = 0; k <= 8; k++)
        for (uint64_t i = 0; i < NEAR; i++) {
            const uint64_t word = k * TC_FIELD_P + i - NEAR / 2;
            assert_true(tc_field_reduce(word) == word % TC_FIELD_P);
            const tc_field_wide wide = most / TC_FIELD_P * TC_FIELD_P * k / 8 + i;
            assert_true(tc_field_reduce_wide(wide) == modulo(wide));
            assert_true(tc_field_reduce_wide(most - i) == modulo(most - i));
        }
    tc_stream s = draws();
    for (size_t i = 0; i < 1000000; i++) {
        const uint64_t high = tc_draw_u64(&s), low = tc_draw_u64(&s);
        const tc_field_wide wide = (tc_field_wide)high << 64 | low;
        assert_true(tc_field_reduce(low) == low % TC_FIELD_P);
        assert_true(tc_field_reduce_wide(wide) == modulo(wide));
    }
}

static void test_inverses(void **state)
{
    (void)state;
    uint64_t a[SOME];
    near_the_ends(a);
    assert_true(tc_field_inverse(0) == 0);
    for (size_t i = 1; i < SOME; i++)
        assert_true(tc_field_mul(a[i], tc_field_inverse(a[i])) == 1);
    assert_true(tc_field_inverse(2) == UINT64_C(1) << 60);
}

static void test_signed_integers_come_back(void **state)
{
    (void)state;
    static const int64_t places[] = {0, TC_FIELD_MOST, -TC_FIELD_MOST, 1 << 26, -(1 << 26)};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int64_t i = -NEAR; i <= NEAR; i++) {
            const int64_t v = places[k] + i;
            if (v > TC_FIELD_MOST || v < -TC_FIELD_MOST)
                continue;
            const uint64_t a = tc_field_from(v);
            assert_true(a < TC_FIELD_P);
            assert_true(tc_field_signed(a) == v);
            assert_true(tc_field_add(a, tc_field_from(-v)) == 0);
        }
    assert_true(tc_field_from(-1) == TC_FIELD_P - 1);
    assert_true(tc_field_signed(TC_FIELD_P / 2) == TC_FIELD_MOST);
    assert_true(tc_field_signed(TC_FIELD_P / 2 + 1) == -TC_FIELD_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_differences_and_products),
        cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_inverses),
        cmocka_unit_test(test_signed_integers_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
