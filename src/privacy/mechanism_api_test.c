/* mechanism_api_test.c - the mechanisms from outside: values near the truth, costs, refusals. */
#include <tacit/release.h>

#include "support/test.h"

#include <stdlib.h>

/* ---- Laplace vector */

static const double low[] = {-1, 0, 0}, high[] = {1, 10, 5};
static const double x[] = {0.5, 99, NAN};
static const double clamped[] = {0.5, 10, 2.5};

static tacit_laplace_plan laplace_plan(void)
{
    tacit_laplace_plan p = TACIT_LAPLACE_PLAN;
    p.count = 3;
    p.low = low;
    p.high = high;
    p.epsilon = 1;
    p.unit = TACIT_UNIT_USER;
    return p;
}

static void releases_a_vector(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_cost cost = TACIT_COST;
    tacit_release *r = NULL;
    tacit_laplace_plan p = laplace_plan();
    assert_ok(tacit_laplace_release(&r, &p, x, &err));
    assert_string_equal(tacit_release_mechanism(r), "laplace-vector");
    assert_close(tacit_release_noise_sd(r), sqrt(2) * 17, 1e-3);
    assert_int_equal(tacit_release_rows(r), 1);
    assert_int_equal(tacit_release_cols(r), 3);
    for (size_t i = 0; i < 3; i++) /* beyond this with probability e^-50 */
        assert_close(tacit_release_value(r, 0, i), clamped[i], 50 * 17);
    assert_ok(tacit_release_cost(r, &cost, &err));
    assert_int_equal(cost.event.mechanism, TACIT_DP_LAPLACE);
    assert_same_bits(cost.event.parameter, 1);
    assert_int_equal(cost.unit, TACIT_UNIT_USER);
    assert_true(tacit_release_private(r));
    tacit_release_free(r);
}

static void refuses_bad_vectors(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_release *r = NULL;
    tacit_laplace_plan p = laplace_plan(), old = {0};
    assert_fails(tacit_laplace_release(NULL, &p, x, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_laplace_release(&r, NULL, x, &err), TACIT_E_ARG, "plan must not be NULL");
    assert_fails(tacit_laplace_release(&r, &p, NULL, &err), TACIT_E_ARG, "x must not be NULL");
    assert_fails(tacit_laplace_release(&r, &old, x, &err), TACIT_E_ARG,
                 "plan.size must be sizeof(tacit_laplace_plan), at least ");
    p.low = NULL;
    assert_fails(tacit_laplace_release(&r, &p, x, &err), TACIT_E_ARG, "plan->low must not be NULL");
    p = laplace_plan();
    p.high = NULL;
    assert_fails(tacit_laplace_release(&r, &p, x, &err), TACIT_E_ARG,
                 "plan->high must not be NULL");
    p = laplace_plan();
    p.unit = (tacit_unit)4;
    assert_fails(tacit_laplace_release(&r, &p, x, &err), TACIT_E_ARG,
                 "the unit must be one of its constants, 0 to 3, got 4");
    p = laplace_plan();
    p.epsilon = 0;
    assert_fails(tacit_laplace_release(&r, &p, x, &err), TACIT_E_ARG,
                 "epsilon must be in [1e-05, 1024], got 0");
    assert_null(r);
}

/* ---- rows */

enum { ROWS = 40, DIMS = 2 };
static const double row_low[] = {0, 0}, row_high[] = {1000, 1000};

static tacit_rows_plan rows_plan(tacit_rows_noise noise)
{
    tacit_rows_plan p = TACIT_ROWS_PLAN;
    p.rows = ROWS;
    p.dims = DIMS;
    p.low = row_low;
    p.high = row_high;
    p.radius = 0.1;
    p.epsilon = 1;
    p.delta = 1e-5;
    p.noise = noise;
    return p;
}

/* Rows lie 20 apart and the noise is below 1: the order must lead back to each. */
static void releases_rows_in_a_secret_order(void **state)
{
    (void)state;
    static const char *const names[] = {"laplace-rows", "laplace-rows", "gaussian-rows"};
    tacit_error err = {0};
    double rows[ROWS * DIMS];
    for (size_t i = 0; i < (size_t)ROWS * DIMS; i++)
        rows[i] = 10 * (double)i;
    for (int noise = TACIT_ROWS_AUTO; noise <= TACIT_ROWS_GAUSSIAN; noise++) {
        tacit_rows_plan p = rows_plan((tacit_rows_noise)noise);
        tacit_release *r = NULL;
        size_t order[ROWS], seen[ROWS] = {0}, moved = 0;
        assert_ok(tacit_rows_release(&r, order, &p, rows, &err));
        assert_string_equal(tacit_release_mechanism(r), names[noise]);
        assert_true(tacit_release_noise_sd(r) < 1);
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(order[i] < ROWS);
            seen[order[i]]++;
            moved += order[i] != i;
            for (size_t k = 0; k < DIMS; k++)
                assert_close(tacit_release_value(r, i, k), rows[order[i] * DIMS + k], 9);
        }
        for (size_t i = 0; i < ROWS; i++)
            assert_int_equal(seen[i], 1);
        assert_true(moved > 0); /* 40 rows stay where they are once in 40! times */
        tacit_release_free(r);
    }
}

static void refuses_bad_rows(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_release *r = NULL;
    double rows[ROWS * DIMS] = {0};
    size_t order[ROWS] = {7};
    tacit_rows_plan p = rows_plan(TACIT_ROWS_AUTO), old = {0};
    assert_fails(tacit_rows_release(NULL, order, &p, rows, &err), TACIT_E_ARG, "out must not");
    assert_fails(tacit_rows_release(&r, NULL, &p, rows, &err), TACIT_E_ARG,
                 "order must not be NULL");
    assert_fails(tacit_rows_release(&r, order, NULL, rows, &err), TACIT_E_ARG, "plan must not");
    assert_fails(tacit_rows_release(&r, order, &p, NULL, &err), TACIT_E_ARG, "x must not be NULL");
    assert_fails(tacit_rows_release(&r, order, &old, rows, &err), TACIT_E_ARG,
                 "plan.size must be sizeof(tacit_rows_plan), at least ");
    p.noise = (tacit_rows_noise)-1;
    assert_fails(tacit_rows_release(&r, order, &p, rows, &err), TACIT_E_ARG,
                 "plan->noise must be one of its constants, 0 to 2, got -1");
    p = rows_plan(TACIT_ROWS_GAUSSIAN);
    p.delta = 0;
    assert_fails(tacit_rows_release(&r, order, &p, rows, &err), TACIT_E_ARG,
                 "Laplace noise needs none");
    p = rows_plan(TACIT_ROWS_AUTO);
    p.low = NULL;
    assert_fails(tacit_rows_release(&r, order, &p, rows, &err), TACIT_E_ARG, "plan->low must not");
    p = rows_plan(TACIT_ROWS_AUTO);
    p.high = NULL;
    assert_fails(tacit_rows_release(&r, order, &p, rows, &err), TACIT_E_ARG, "plan->high must not");
    assert_null(r);
    assert_int_equal(order[0], 7);
}

/* ---- replies */

/* The mean of many replies is the value, to six standard errors. */
static void replies_without_bias(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    static const char *const names[] = {"piecewise-reply", "one-bit-reply", "piecewise-reply",
                                        "laplace-reply"};
    tacit_error err = {0};
    for (int kind = TACIT_REPLY_AUTO; kind <= TACIT_REPLY_LAPLACE; kind++) {
        tacit_reply *p = NULL;
        double sum = 0, sd = 0;
        assert_ok(tacit_reply_new(&p, (tacit_reply_kind)kind, 2, 10, 20, &err));
        for (int i = 0; i < MANY; i++) {
            tacit_release *r = NULL;
            assert_ok(tacit_reply_release(p, 12.5, &r, &err));
            if (i == 0)
                assert_string_equal(tacit_release_mechanism(r), names[kind]);
            sum += tacit_release_value(r, 0, 0);
            sd = tacit_release_noise_sd(r);
            tacit_release_free(r);
        }
        assert_close(sum / MANY, 12.5, 6 * sd / sqrt(MANY));
        tacit_reply_free(p);
    }
}

static void refuses_bad_replies(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_reply *p = NULL;
    tacit_release *r = NULL;
    assert_fails(tacit_reply_new(NULL, TACIT_REPLY_AUTO, 1, 0, 1, &err), TACIT_E_ARG,
                 "out must not be NULL");
    assert_fails(tacit_reply_new(&p, (tacit_reply_kind)4, 1, 0, 1, &err), TACIT_E_ARG,
                 "kind must be one of its constants, 0 to 3, got 4");
    assert_fails(tacit_reply_new(&p, TACIT_REPLY_AUTO, 65, 0, 1, &err), TACIT_E_ARG,
                 "epsilon must be in [1e-05, 64], got 65");
    assert_fails(tacit_reply_new(&p, TACIT_REPLY_AUTO, 1, 1, 1, &err), TACIT_E_ARG,
                 "bounds of coordinate 0 must be finite with low < high, got [1, 1]");
    assert_null(p);
    assert_fails(tacit_reply_release(NULL, 1, &r, &err), TACIT_E_ARG, "p must not be NULL");
    assert_ok(tacit_reply_new(&p, TACIT_REPLY_AUTO, 1, 0, 1, &err));
    assert_fails(tacit_reply_release(p, 1, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    tacit_reply_free(p);
    tacit_reply_free(NULL);
}

/* ---- none */

static void stamps_what_it_does_not_hide(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_cost cost = TACIT_COST;
    tacit_release *r = NULL;
    assert_ok(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, "a public benchmark", &err));
    assert_false(tacit_release_private(r));
    assert_string_equal(tacit_release_not_private(r), "a public benchmark");
    assert_same_bits(tacit_release_value(r, 0, 1), 99);
    assert_null(tacit_release_steps(r));
    assert_ok(tacit_release_cost(r, &cost, &err));
    assert_int_equal(cost.event.mechanism, TACIT_DP_NONPRIVATE);
    assert_int_equal(cost.unit, TACIT_UNIT_ROW);
    tacit_release_free(r);
    r = NULL;
    assert_fails(tacit_none_release(NULL, 1, 2, x, TACIT_UNIT_ROW, "w", &err), TACIT_E_ARG,
                 "out must not be NULL");
    assert_fails(tacit_none_release(&r, 1, 2, NULL, TACIT_UNIT_ROW, "w", &err), TACIT_E_ARG,
                 "x must not be NULL");
    assert_fails(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, NULL, &err), TACIT_E_ARG,
                 "why must not be NULL");
    assert_fails(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, "", &err), TACIT_E_ARG,
                 "why must say why the release is not private");
    assert_fails(tacit_none_release(&r, 1, 0, x, TACIT_UNIT_ROW, "w", &err), TACIT_E_ARG,
                 "a release has 1 to 16777216 values, got 1 rows of 0");
    assert_fails(tacit_none_release(&r, SIZE_MAX, 2, x, TACIT_UNIT_ROW, "w", &err), TACIT_E_ARG,
                 "rows of 2");
    assert_fails(tacit_none_release(&r, 1, 2, x, (tacit_unit)9, "w", &err), TACIT_E_ARG,
                 "the unit must be one of its constants, 0 to 3, got 9");
    assert_null(r);
}

/* A statement prints the reason, and a ledger stores it. */
static void a_reason_is_plain_text(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const bad[] = {"two\nlines", "\x1b[2J", "tab\t",   "\x7f",
                                      "\xff",       "\xc3",    "caf\xe9", "\xed\xa0\x80"};
    static char reason[4098];
    tacit_release *r = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, bad[i], &err), TACIT_E_ARG,
                     "why must be UTF-8 without control characters");
    memset(reason, 'w', 4097);
    assert_fails(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, reason, &err), TACIT_E_ARG,
                 "why must have at most 4096 bytes, got 4097");
    assert_null(r);
    reason[4096] = 0;
    assert_ok(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, reason, &err));
    tacit_release_free(r);
    assert_ok(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, "caf\xc3\xa9", &err));
    assert_string_equal(tacit_release_not_private(r), "caf\xc3\xa9");
    tacit_release_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_a_vector),
        cmocka_unit_test(refuses_bad_vectors),
        cmocka_unit_test(releases_rows_in_a_secret_order),
        cmocka_unit_test(refuses_bad_rows),
        cmocka_unit_test(replies_without_bias),
        cmocka_unit_test(refuses_bad_replies),
        cmocka_unit_test(stamps_what_it_does_not_hide),
        cmocka_unit_test(a_reason_is_plain_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
