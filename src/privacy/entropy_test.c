/* entropy_test.c - every mechanism keys secret noise for its release, and erases it after it. */
#include "support/test.h"
#include "base/error.h"
#include "privacy/mechanism.h"

static const double low = 0, high = 1, value = 0.5;

static tacit_status make_sum(tc_release **out, tc_entropy *e, tacit_error *err)
{
    tc_sum_plan plan = {.agents = 5, .blocks = 1, .width = 2};
    tc_sum *sum;
    TC_TRY(tc_sum_plan_set(&plan, 1, 2, 0.5, err));
    TC_TRY(tc_sum_open(&sum, &plan, e, err));
    tacit_status status = tc_sum_close(sum, out, err);
    tc_sum_free(sum);
    return status;
}

static tacit_status make_vector(tc_release **out, tc_entropy *e, tacit_error *err)
{
    tc_laplace_plan plan = {.count = 1, .bounds = {&low, &high}, .epsilon = 1};
    return tc_laplace_release(out, &plan, &value, e, err);
}

static tacit_status make_rows(tc_release **out, tc_entropy *e, tacit_error *err)
{
    tc_rows_plan plan = {
        .rows = 1, .dims = 1, .bounds = {&low, &high}, .radius = 0.1, .epsilon = 1};
    size_t order;
    return tc_rows_release(out, &order, &plan, &value, e, err);
}

static tacit_status make_reply(tc_release **out, tc_entropy *e, tacit_error *err)
{
    tc_reply reply;
    TC_TRY(tc_reply_init(&reply, TACIT_REPLY_AUTO, 1, low, high, err));
    return tc_reply_release(out, &reply, value, e, err);
}

typedef tacit_status (*mechanism)(tc_release **out, tc_entropy *e, tacit_error *err);
static const mechanism all[] = {make_sum, make_vector, make_rows, make_reply};

enum { COUNT = sizeof all / sizeof *all };

static void noise_is_erased_after_each_release(void **state)
{
    (void)state;
    static const tc_noise zero = {0};
    for (size_t i = 0; i < COUNT; i++) {
        tacit_error err = {0};
        tc_noise noise;
        tc_release *r;
        tc_noise_init(&noise);
        tc_entropy e = tc_entropy_of(&noise);
        assert_ok(all[i](&r, &e, &err));
        assert_memory_equal(&noise, &zero, sizeof zero);
        assert_true(tc_release_get(r)->is_private);
        tc_release_free(r);
    }
}

/* Two copies of one state: what they had in common is not what they release. */
static void a_release_does_not_come_from_an_earlier_key(void **state)
{
    (void)state;
    enum { WIDTH = 4 };
    tc_sum_plan plan = {.agents = 1, .blocks = 1, .width = WIDTH};
    tacit_error err = {0};
    tc_noise noise[2];
    tc_release *r[2];
    assert_ok(tc_sum_plan_set(&plan, 1, 2, 1, &err));
    tc_noise_init(&noise[0]);
    tc_noise_u64(&noise[0]);
    noise[1] = noise[0];
    for (int i = 0; i < 2; i++) {
        tc_entropy e = tc_entropy_of(&noise[i]);
        tc_sum *sum;
        assert_ok(tc_sum_open(&sum, &plan, &e, &err));
        assert_ok(tc_sum_close(sum, &r[i], &err));
        tc_sum_free(sum);
    }
    assert_memory_not_equal(tc_release_get(r[0])->steps, tc_release_get(r[1])->steps,
                            WIDTH * sizeof(int64_t));
    tc_release_free(r[0]);
    tc_release_free(r[1]);
}

static void a_seeded_stream_goes_on(void **state)
{
    (void)state;
    tc_test_noise a, b;
    tc_test_noise_init(&a, 1, 0);
    tc_test_noise_init(&b, 1, 0);
    tc_entropy ea = tc_entropy_of_test(&a), eb = tc_entropy_of_test(&b);
    for (int i = 0; i < 3; i++) {
        tc_entropy_fresh(&ea);
        assert_true(ea.u64(ea.ctx) == eb.u64(eb.ctx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_erased_after_each_release),
        cmocka_unit_test(a_release_does_not_come_from_an_earlier_key),
        cmocka_unit_test(a_seeded_stream_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
