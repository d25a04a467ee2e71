/* statement_test.c - a statement has all its parts, and no rounding makes a promise smaller. */
#include "privacy/statement.h"

#include "base/random.h"

#include "support/test.h"

static void says_everything(void **state)
{
    (void)state;
    tc_guarantee g = {7.05421, 7.05, 7.05421, 0.00294352, "pld", 0};
    tc_text t = {0};
    tc_statement_add(&t, &g, 40, TC_UNIT_AGENT, TC_DP_POISSON);
    const char *s = tc_text_get(&t);
    assert_ptr_equal(
        strstr(s, "every agent: epsilon 7.05421, delta 0.00294352 (pld) over 40 releases. "), s);
    assert_non_null(strstr(s, "Neighbours: all that one agent contributes is replaced by zeros"));
    assert_non_null(strstr(s, "Not protected: being on the roster, being online"));
    tc_text_fini(&t);
}

static void knows_units_and_adjacencies(void **state)
{
    (void)state;
    const tc_privacy_unit units[] = {TC_UNIT_AGENT, TC_UNIT_ROW, TC_UNIT_USER};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(tc_statement_adjacency(units[i], TC_DP_ALL),
                                    tc_statement_adjacency(units[j], TC_DP_ALL));
            assert_string_not_equal(tc_statement_not_protected(units[i]),
                                    tc_statement_not_protected(units[j]));
        }
    assert_non_null(strstr(tc_statement_adjacency(TC_UNIT_AGENT, TC_DP_FIXED_SIZE), "another"));
}

static void does_not_invent_a_guarantee(void **state)
{
    (void)state;
    tc_guarantee g = {INFINITY, 0, INFINITY, 1e-5, "rdp", 0};
    tc_text t = {0};
    tc_statement_add(&t, &g, 1, TC_UNIT_USER, TC_DP_ALL);
    assert_non_null(strstr(tc_text_get(&t), "every user: no guarantee (rdp) over 1 release. "));
    assert_null(strstr(tc_text_get(&t), "inf,"));
    tc_text_fini(&t);
}

static void epsilon_is_rounded_up(void **state)
{
    (void)state;
    char s[32];
    tc_stream stream;
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream_public(&stream, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < 20000; i++) {
        double shown, epsilon = exp(40 * tc_draw_uniform(&stream) - 20);
        tc_epsilon_text(s, epsilon);
        assert_true(tc_parse_double(s, &shown));
        assert_true(shown >= epsilon * (1 - 1e-12) && shown <= epsilon * (1 + 1.2e-5));
    }
    tc_epsilon_text(s, 0);
    assert_string_equal(s, "0");
    tc_epsilon_text(s, 9.9999991);
    assert_string_equal(s, "10");
    tc_epsilon_text(s, 10 * (1 + 4e-16));
    assert_string_equal(s, "10");
    tc_epsilon_text(s, 1.0000001);
    assert_string_equal(s, "1.00001");
    tc_epsilon_text(s, INFINITY);
    assert_string_equal(s, "infinite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_everything),
        cmocka_unit_test(knows_units_and_adjacencies),
        cmocka_unit_test(does_not_invent_a_guarantee),
        cmocka_unit_test(epsilon_is_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
