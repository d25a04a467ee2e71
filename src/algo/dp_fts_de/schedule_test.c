/* schedule_test.c - lists of rounds, and the probability to follow a broadcast. */
#include "support/test.h"

#include "algo/dp_fts_de/dp_fts_de.h"

static void test_words_and_lists_are_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_releases r;
    assert_ok(tc_dp_fts_de_releases_init(&r, "all", &err));
    assert_int_equal(tc_dp_fts_de_releases_next(&r, 7), 7);
    tc_dp_fts_de_releases_fini(&r);
    assert_ok(tc_dp_fts_de_releases_init(&r, "first", &err));
    assert_int_equal(tc_dp_fts_de_releases_next(&r, 0), 0);
    assert_true(tc_dp_fts_de_releases_next(&r, 1) == TC_DP_FTS_DE_NEVER);
    tc_dp_fts_de_releases_fini(&r);
    assert_ok(tc_dp_fts_de_releases_init(&r, "0,1,40", &err));
    assert_int_equal(r.n, 3);
    assert_int_equal(tc_dp_fts_de_releases_next(&r, 1), 1);
    assert_int_equal(tc_dp_fts_de_releases_next(&r, 2), 40);
    assert_true(tc_dp_fts_de_releases_next(&r, 41) == TC_DP_FTS_DE_NEVER);
    tc_dp_fts_de_releases_fini(&r);
}

static void test_other_words_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_dp_fts_de_releases r;
    const char *bad[] = {"",    "none", "0,,1", "0,1,", ",0",   "1,1",
                         "2,1", "-1",   "0;1",  "1e3",  "0, 1", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_fails(tc_dp_fts_de_releases_init(&r, bad[i], &err), TACIT_E_ARG, "releases must be");
        assert_null(r.rounds);
    }
}

static void test_the_first_query_is_the_broadcasts(void **state)
{
    (void)state;
    tc_dp_fts_de_options o = {.schedule = TC_DP_FTS_DE_SQRT};
    assert_close(tc_dp_fts_de_follow(&o, 1), 1, 0);
    assert_close(tc_dp_fts_de_follow(&o, 16), 0.25, 1e-15);
    o.schedule = TC_DP_FTS_DE_INVERSE;
    assert_close(tc_dp_fts_de_follow(&o, 1), 1, 0);
    assert_close(tc_dp_fts_de_follow(&o, 16), 0.0625, 1e-15);
    o.p1 = 0.5;
    assert_close(tc_dp_fts_de_follow(&o, 1), 0.5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_lists_are_read),
        cmocka_unit_test(test_other_words_are_refused),
        cmocka_unit_test(test_the_first_query_is_the_broadcasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
