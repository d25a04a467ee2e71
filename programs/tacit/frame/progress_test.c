/* progress_test.c - when a line is due where nobody sees a bar. */
#include "frame/cli.h"

#include "support/test.h"

static const uint64_t SECOND = 1000000000u;

static void a_line_says_something_new(void **state)
{
    (void)state;
    assert_true(tc_progress_line_is_due(50, 3, 4, false, 10 * SECOND));
    assert_true(tc_progress_line_is_due(50, 3, 3, true, 10 * SECOND));
    assert_false(tc_progress_line_is_due(50, 3, 3, false, 10 * SECOND));
    assert_false(tc_progress_line_is_due(50, 3, 3, false, 3600 * SECOND)); /* it waits for others */
}

static void a_tenth_is_shown_sooner(void **state)
{
    (void)state;
    assert_true(tc_progress_line_is_due(50, 4, 5, false, SECOND));
    assert_false(tc_progress_line_is_due(50, 4, 5, false, SECOND / 2));
    assert_false(tc_progress_line_is_due(50, 5, 9, true, 9 * SECOND));
    assert_false(tc_progress_line_is_due(5, 1, 2, false, SECOND)); /* too few for tenths */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_something_new),
        cmocka_unit_test(a_tenth_is_shown_sooner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
