/* trustees_test.c - terms of trustees: the recommended ones, what they allow, and what is refused. */
#include "privacy/trustees.h"

#include "support/test.h"

static void test_usual_terms_are_those_of_the_table(void **state)
{
    (void)state;
    static const struct {
        uint32_t K, t, c, r, absent;
    } rows[] = {{3, 2, 1, 3, 0}, {4, 2, 1, 3, 1}, {5, 3, 1, 4, 1},
                {6, 3, 1, 4, 2}, {7, 4, 2, 5, 2}, {8, 5, 2, 6, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tc_trustees t = tc_trustees_usual(rows[i].K);
        assert_int_equal(t.degree, rows[i].t);
        assert_int_equal(t.colluding, rows[i].c);
        assert_int_equal(t.dealers, rows[i].r);
        assert_int_equal(tc_trustees_absent(&t), rows[i].absent);
    }
    for (uint32_t K = TC_TRUSTEES_LEAST; K <= TC_TRUSTEES_MOST; K++) {
        tc_trustees t = tc_trustees_usual(K);
        tacit_error err = {0};
        assert_ok(tc_trustees_check(&t, &err));
    }
}

/* Three can neither spare one nor notice one; naming one takes two spare answers. */
static void test_what_is_noticed_and_named(void **state)
{
    (void)state;
    tc_trustees three = tc_trustees_usual(3), four = tc_trustees_usual(4),
                six = tc_trustees_usual(6), eight = tc_trustees_usual(8);
    assert_int_equal(tc_trustees_noticed(&three, 3), 0);
    assert_int_equal(tc_trustees_noticed(&four, 4), 1);
    assert_int_equal(tc_trustees_named(&four, 4), 0);
    assert_int_equal(tc_trustees_named(&six, 6), 1);
    assert_int_equal(tc_trustees_noticed(&six, 4), 0);
    assert_int_equal(tc_trustees_noticed(&eight, 8), 2);
    assert_int_equal(tc_trustees_named(&eight, 8), 0); /* two liars could have another one named */
    const tc_trustees nine = {.count = 9, .degree = 5, .colluding = 2, .dealers = 6};
    assert_int_equal(tc_trustees_named(&nine, 9), 1);
}

static void test_noise(void **state)
{
    (void)state;
    tc_trustees three = tc_trustees_usual(3), five = tc_trustees_usual(5),
                eight = tc_trustees_usual(8);
    assert_close(tc_trustees_spread(&three), 1.224744871391589, 1e-15);
    assert_close(tc_trustees_spread(&five), 1.154700538379252, 1e-15);
    assert_close(tc_trustees_spread(&eight), 1.224744871391589, 1e-15);
    assert_close(tc_trustees_left(&five, 1), 1, 0);
    assert_close(tc_trustees_left(&five, 2), 0.816496580927726, 1e-15);
    assert_close(tc_trustees_left(&five, 3), 0, 0); /* K > 2t + 1 - 3: two sums could be opened */
}

static void test_terms_that_promise_too_much_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_int_equal(tc_trustees_check(&(tc_trustees){2, 1, 1, 2}, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, "federation.trustees.count must be in 3..16, got 2");
    assert_int_equal(tc_trustees_check(&(tc_trustees){5, 3, 3, 4}, &err), TACIT_E_ARG);
    assert_string_equal(err.msg,
                        "federation.trustees.colluding must be in 1..2, fewer than half of "
                        "the trustees, got 3");
    assert_int_equal(tc_trustees_check(&(tc_trustees){5, 2, 1, 4}, &err), TACIT_E_ARG);
    assert_string_equal(err.msg,
                        "federation.trustees.degree must be in 3..4 with so many trustees and "
                        "colluding ones, or a coordinator could open two sums, got 2");
    assert_int_equal(tc_trustees_check(&(tc_trustees){5, 3, 1, 1}, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, "federation.trustees.dealers must be in 2..5, more than there are "
                                 "colluding trustees, got 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_terms_are_those_of_the_table),
        cmocka_unit_test(test_what_is_noticed_and_named),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_terms_that_promise_too_much_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
