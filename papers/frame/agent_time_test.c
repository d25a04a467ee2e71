/* agent_time_test.c - an agent's iterations are timed, whatever it learns from. */
#include "papers/frame/agent_time.h"

#include "support/test.h"

static void iterations_take_time(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const names[] = {"fts", "rgpe", "taf"};
    for (size_t i = 0; i < 3; i++) {
        tc_agent_time t = {0};
        assert_ok(tc_agent_time_take(&t, names[i], 20, 5, &err));
        for (int k = 0; k < TC_AGENT_ITERATIONS; k++)
            assert_true(t.seconds[k] >= 0);
        /* A draw has 20 numbers; what rgpe and taf send has a covariance, too. */
        assert_true(i == 0 ? t.message < 1000 : t.message > 1600);
    }
}

static void the_first_iteration_is_not_in_the_median(void **state)
{
    (void)state;
    tc_agent_time t = {.seconds = {100}};
    for (int k = 1; k < TC_AGENT_ITERATIONS; k++)
        t.seconds[k] = k * 7 % 20;
    assert_same_bits(tc_agent_time_median(&t), 10);
}

static void only_relays_have_messages(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_agent_time t;
    assert_fails(tc_agent_time_take(&t, "ts", 20, 5, &err), TACIT_E_ARG,
                 "agents of ts send each other no messages");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_take_time),
        cmocka_unit_test(the_first_iteration_is_not_in_the_median),
        cmocka_unit_test(only_relays_have_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
