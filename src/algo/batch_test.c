/* batch_test.c - sums of rewards: what can be true is taken, and nothing else. */
#include "support/test.h"

#include "algo/batch.h"
#include "base/random.h"

static int64_t draw(tc_stream *s, int how)
{
    double u = tc_draw_uniform(s);
    return how == 0   ? (int64_t)(u * (double)TC_BATCH_ONE)
           : how == 1 ? (u < 0.5 ? 0 : TC_BATCH_ONE)
                      : (int64_t)(u * 3); /* squares that all round down to nothing */
}

/* Whatever rewards there were, their sums pass; their mean is the slow one. */
static void test_true_sums_pass(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_public_seed seed = tc_public_seed_from(3);
    for (uint64_t i = 0; i < 600; i++) {
        tc_stream s;
        tc_batch b = {0};
        double sum = 0;
        tc_stream_public(&s, &seed, TC_FOR_RUN, i);
        for (uint64_t k = 0; k <= i; k++) {
            int64_t reward = draw(&s, (int)(i % 3));
            tc_batch_add(&b, reward);
            sum += (double)reward / (double)TC_BATCH_ONE;
            assert_ok(tc_batch_check(&b, i + 1, &err));
        }
        assert_int_equal(b.n, i + 1);
        assert_close(tc_batch_mean(&b), sum / (double)b.n, 1e-12);
    }
}

static void test_the_largest(void **state)
{
    (void)state;
    tacit_error err = {0};
    int64_t most = (int64_t)TC_BATCH_MOST * TC_BATCH_ONE;
    tc_batch b = {TC_BATCH_MOST, most, most};
    assert_ok(tc_batch_check(&b, TC_BATCH_MOST, &err));
    assert_same_bits(tc_batch_mean(&b), 1);
    b.squares = most - (int64_t)TC_BATCH_MOST;
    assert_ok(tc_batch_check(&b, TC_BATCH_MOST, &err));
    b.squares--;
    assert_fails(tc_batch_check(&b, TC_BATCH_MOST, &err), TACIT_E_ARG,
                 "the squares of 17179869184");
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_batch b = {0};
    assert_fails(tc_batch_check(&b, 5, &err), TACIT_E_ARG,
                 "pulls must be in 1..5, as many as were asked for, got 0");
    b = (tc_batch){6, 0, 0};
    assert_fails(tc_batch_check(&b, 5, &err), TACIT_E_ARG,
                 "pulls must be in 1..5, as many as were asked for, got 6");
    b = (tc_batch){2, -1, 0};
    assert_fails(tc_batch_check(&b, 5, &err), TACIT_E_ARG,
                 "the sum of 2 rewards must be in 0..536870912 units of 2^-28, got -1");
    b = (tc_batch){2, 536870913, 0};
    assert_fails(tc_batch_check(&b, 5, &err), TACIT_E_ARG, "got 536870913");
    b = (tc_batch){2, 1000, 1001};
    assert_fails(tc_batch_check(&b, 5, &err), TACIT_E_ARG,
                 "the squares of 2 rewards with the sum 1000 must come to 0..1000 units of 2^-28, "
                 "got 1001");
    b = (tc_batch){2, TC_BATCH_ONE, TC_BATCH_ONE / 2 - 3}; /* two halves have half, less 2 */
    assert_fails(tc_batch_check(&b, 5, &err), TACIT_E_ARG, "must come to 134217726..268435456");
    b.squares++;
    assert_ok(tc_batch_check(&b, 5, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true_sums_pass),
        cmocka_unit_test(test_the_largest),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
