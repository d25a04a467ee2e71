/* row_terms_test.c - what follows from the terms of a release alone: its price, and words about it. */
#include "support/test.h"
#include "support/failing_ledger_store.h"

#include "algo/outsourced/outsourced.h"
#include "algo/outsourced/row_curator.h"

enum { ROWS = 12, DIMS = 2 };

typedef struct fixture {
    failing_ledger_store store;
    tc_ledger *ledger;
    tc_noise noise;
    tc_entropy entropy;
    tc_row_column columns[DIMS];
    tc_row_terms terms;
    double x[ROWS * DIMS];
} fixture;

static fixture *open_fixture(void)
{
    fixture *d = tc_alloc(1, sizeof *d);
    assert_non_null(d);
    d->ledger = fake_open(&d->store);
    tc_noise_init(&d->noise);
    d->entropy = tc_entropy_of(&d->noise);
    d->columns[0] = (tc_row_column){"income", 0, 100, 10};
    d->columns[1] = (tc_row_column){"rate", -5, 5, 1};
    d->terms = (tc_row_terms){.name = "loans",
                              .rows = ROWS,
                              .dims = DIMS,
                              .columns = d->columns,
                              .epsilon = 2,
                              .radius = 1,
                              .maximize = true};
    return d;
}

static void close_fixture(fixture *d)
{
    tc_ledger_close(d->ledger);
    tc_noise_fini(&d->noise);
    tc_free(d);
}

static tacit_status keep(void *user, const size_t *order, size_t rows, const tacit_hash *hash,
                         tacit_error *err)
{
    (void)user;
    (void)order;
    (void)rows;
    (void)hash;
    (void)err;
    return TACIT_OK;
}

/* ---- what it costs, before there is a release */

static void test_cost_is_that_of_the_release(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const struct {
        tacit_rows_noise noise;
        double delta;
        size_t rank;
        const char *mechanism;
    } cases[] = {{TACIT_ROWS_AUTO, 0, 0, "laplace-rows"},
                 {TACIT_ROWS_GAUSSIAN, 1e-3, 0, "gaussian-rows"},
                 {TACIT_ROWS_AUTO, 0, 1, "laplace-rows"}};
    for (size_t i = 0; i < 3; i++) {
        fixture *d = open_fixture();
        tc_row_cost cost;
        tc_row_release r = {0};
        tc_row_keeper keeper = {keep, NULL};
        d->terms.noise = cases[i].noise;
        d->terms.delta = cases[i].delta;
        d->terms.rank = cases[i].rank;
        d->terms.output_epsilon = 0.5;
        d->terms.output_bound = 1;
        assert_ok(tc_row_cost_of(&d->terms, &cost, &err));
        assert_ok(tc_row_curator_release(d->ledger, NULL, &d->terms, d->x, &d->entropy, &keeper, &r,
                                         &err));
        assert_true(cost.is_private && !cost.why_not);
        assert_string_equal(cost.mechanism, cases[i].mechanism);
        assert_string_equal(cost.mechanism, r.mechanism);
        assert_same_bits(cost.input_sd, r.input_sd);
        assert_close(cost.output_sd, sqrt(2) * 2 / 0.5, 1e-6);
        assert_same_bits(cost.delta, cases[i].delta);
        tc_row_release_fini(&r);
        close_fixture(d);
    }
}

static void test_cost_of_paper_mode(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_cost cost;
    d->terms.mode = TACIT_ROW_PAPER;
    d->terms.delta = 1e-5;
    d->terms.rank = 2;
    assert_ok(tc_row_cost_of(&d->terms, &cost, &err));
    assert_false(cost.is_private);
    assert_non_null(strstr(cost.why_not, "shows the column space"));
    assert_same_bits(cost.delta + cost.input_sd, 0);
    d->terms.mode = TACIT_ROW_SOUND; /* of a rank as large as the columns */
    assert_fails(tc_row_cost_of(&d->terms, &cost, &err), TACIT_E_ARG, "fewer directions");
    close_fixture(d);
}

/* The adjacency that a release on these terms has. Caller: tc_free. */
static char *adjacency_of(fixture *d, tc_row_release *r)
{
    tacit_error err = {0};
    tc_row_keeper keeper = {keep, NULL};
    assert_ok(
        tc_row_curator_release(d->ledger, NULL, &d->terms, d->x, &d->entropy, &keeper, r, &err));
    char *text = tc_strdup(r->adjacency);
    assert_non_null(text);
    return text;
}

/* Two units are two senses of "neighbours": a ledger names both, and adds up for those in both. */
static void test_units_are_part_of_the_promise(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_release first = {0}, second = {0}, projected = {0};
    tc_ledger_claim claim;
    tc_text text = {0};
    char *a = adjacency_of(d, &first);
    assert_string_equal(a, "one row moves by at most 1 in L2 norm, in units of income 10, rate 1; "
                           "the number of rows and the bounds are public");
    d->terms.rank = 1; /* moves no row farther, but for rounding: the same sense */
    char *b = adjacency_of(d, &projected);
    assert_string_equal(a, b);
    d->terms.rank = 0;
    d->columns[0].unit = 1000;
    char *c = adjacency_of(d, &second);
    assert_non_null(strstr(c, "income 1000, rate 1;"));
    assert_ok(tc_ledger_guarantee(d->ledger, TACIT_UNIT_ROW, NULL, 1e-9, &tc_accountant_pure,
                                  &claim, &err));
    tc_ledger_statement(d->ledger, &claim, &text);
    assert_non_null(strstr(tc_text_get(&text), a));
    assert_non_null(strstr(tc_text_get(&text), c));
    assert_non_null(strstr(tc_text_get(&text), "neighbours in all 2 of these senses at once"));
    tc_text_fini(&text);
    tc_free(a);
    tc_free(b);
    tc_free(c);
    tc_row_release_fini(&first);
    tc_row_release_fini(&second);
    tc_row_release_fini(&projected);
    close_fixture(d);
}

/* x / unit is rounded, and two rows that are a radius apart may come out farther apart than that. */
static void test_rounding_to_units_is_counted(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_cost exact, rounded;
    d->terms.dims = 1;
    d->columns[0] = (tc_row_column){"income", -4e8, 4e8, 4};
    d->terms.epsilon = 0.01;
    d->terms.radius = 1 - 1e-8;                         /* 0.17 steps below 2^24 of them */
    assert_ok(tc_row_cost_of(&d->terms, &exact, &err)); /* a power of two rounds nothing */
    d->columns[0] = (tc_row_column){"income", -3e8, 3e8, 3};
    assert_ok(tc_row_cost_of(&d->terms, &rounded, &err));
    assert_true(rounded.input_sd > exact.input_sd); /* 2^-52 1e8 is 0.37 steps: one more */
    assert_close(rounded.input_sd / exact.input_sd, 1 + 0x1p-24, 1e-9);
    close_fixture(d);
}

/* What no modeler could read is refused before anything is spent. */
static void test_columns_have_one_limit(void **state)
{
    (void)state;
    tacit_error err = {0};
    static tc_row_column many[1100];
    static char names[1100][8];
    tc_row_terms t = {.name = "wide", .rows = 3, .columns = many, .epsilon = 1, .radius = 1};
    tc_text metric = {0};
    for (size_t i = 0; i < 1100; i++) {
        snprintf(names[i], sizeof names[i], "c%zu", i);
        many[i] = (tc_row_column){names[i], 0, 1, 1};
    }
    t.dims = TC_RELEASED_COLUMNS_MAX;
    assert_ok(tc_row_terms_check(&t, &err));
    t.dims++;
    assert_fails(tc_row_terms_check(&t, &err), TACIT_E_ARG,
                 "a release has at most 256 columns, since no modeler takes more, got 257");
    t.dims = 1100;
    t.rank = 10;
    assert_ok(tc_row_terms_check(&t, &err));
    tc_row_terms_metric(&t, &metric);
    assert_non_null(strstr(tc_text_get(&metric), "1100 columns, a list with the hash "));
    tc_text_fini(&metric);
    t.rank = 300;
    assert_fails(tc_row_terms_check(&t, &err), TACIT_E_ARG, "at most 256 columns");
    snprintf(names[0], sizeof names[0], "a b");
    t.rank = 10;
    assert_fails(tc_row_terms_check(&t, &err), TACIT_E_ARG,
                 "column \"a b\" cannot be released under this name");
}

static void test_the_statement_of_a_release(void **state)
{
    (void)state;
    tacit_error err = {0};
    fixture *d = open_fixture();
    tc_row_cost cost;
    tc_text text = {0};
    d->terms.noise = TACIT_ROWS_GAUSSIAN;
    d->terms.delta = 1e-3;
    d->terms.output_epsilon = 0.5;
    d->terms.output_bound = 1;
    assert_ok(tc_row_cost_of(&d->terms, &cost, &err));
    tc_row_cost_statement(&cost, &d->terms, "they move", &text);
    assert_non_null(strstr(tc_text_get(&text),
                           "every row: epsilon 2, delta 0.001 (gaussian) over 1 release. "
                           "Neighbours: they move. Not protected: the number of rows"));
    assert_null(strstr(tc_text_get(&text), "outputs")); /* which are */
    tc_text_fini(&text);
    close_fixture(d);
}

static void test_words_about_a_release(void **state)
{
    (void)state;
    fixture *d = open_fixture();
    tc_arena memory = {0};
    tc_text text = {0};
    assert_string_equal(tc_row_terms_released(&d->terms, DIMS, &memory)[1], "rate");
    tc_row_terms_caveats(&d->terms, &text);
    assert_string_equal(tc_text_get(&text), " The values of rows that are asked for, and which "
                                            "rows are, are NOT protected.");
    tc_text_fini(&text);
    d->terms.rank = 1;
    d->terms.output_epsilon = 0.5;
    assert_string_equal(tc_row_terms_released(&d->terms, 1, &memory)[0], "z1");
    tc_row_terms_caveats(&d->terms, &text);
    assert_non_null(strstr(tc_text_get(&text), "a public projection to 1 directions"));
    assert_non_null(strstr(tc_text_get(&text), "spends epsilon 0.5 more, once"));
    tc_text_fini(&text);
    tc_arena_fini(&memory);
    close_fixture(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_is_that_of_the_release),
        cmocka_unit_test(test_cost_of_paper_mode),
        cmocka_unit_test(test_words_about_a_release),
        cmocka_unit_test(test_units_are_part_of_the_promise),
        cmocka_unit_test(test_rounding_to_units_is_counted),
        cmocka_unit_test(test_columns_have_one_limit),
        cmocka_unit_test(test_the_statement_of_a_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
