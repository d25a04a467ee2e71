/* domain_test.c - candidates from CSV and grids: scaling, grid detection, round trips. */
#include "space/domain.h"

#include "base/random.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static tacit_status from_text(tc_domain **out, const char *text, tacit_error *err)
{
    assert_non_null(text);
    return tc_domain_from_csv(out, text, strlen(text), "p.csv", err);
}

static tc_domain *read_ok(const char *text)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    assert_ok(from_text(&d, text, &err));
    return d;
}

static void assert_refused(const char *text, const char *message)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    assert_int_equal(from_text(&d, text, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, message);
    assert_null(d);
}

static void assert_same_domain(const tc_domain *a, const tc_domain *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->dim, b->dim);
    assert_memory_equal(a->raw, b->raw, a->n * a->dim * sizeof *a->raw);
    assert_memory_equal(a->u, b->u, a->n * a->dim * sizeof *a->u);
    assert_int_equal(a->axes == NULL, b->axes == NULL);
    for (size_t d = 0; d < a->dim; d++) {
        assert_string_equal(a->names[d], b->names[d]);
        assert_same_bits(a->low[d], b->low[d]);
        assert_same_bits(a->high[d], b->high[d]);
        if (a->axes)
            assert_int_equal(a->axes[d], b->axes[d]);
    }
}

static void columns_are_scaled_by_their_bounds(void **state)
{
    (void)state;
    tc_domain *d = read_ok("a,b,same\n1,-2,7\n3,2,7\n2,0,7\n");
    assert_int_equal(d->n, 3);
    assert_int_equal(d->dim, 3);
    assert_string_equal(d->names[2], "same");
    static const double raw[] = {1, 3, 2, -2, 2, 0, 7, 7, 7}, u[] = {0, 1, .5, 0, 1, .5, 0, 0, 0};
    assert_memory_equal(d->raw, raw, sizeof raw);
    assert_memory_equal(d->u, u, sizeof u);
    assert_true(d->low[1] == -2 && d->high[1] == 2 && d->low[2] == 7 && d->high[2] == 7);
    assert_null(d->axes);
    tc_domain_free(d);
}

static void refusals_name_the_place(void **state)
{
    (void)state;
    assert_refused("", "p.csv is empty: a header with the names is needed");
    assert_refused("a,b\n", "p.csv has a header but no rows");
    assert_refused("a,b\n1,2\n1\n", "p.csv: row 3: the row has 1 field, the first row has 2");
    assert_refused("a,b\n1,2\n1,x\n", "p.csv: row 3, column 2: b must be a number, got \"x\"");
    assert_refused("a,b\n1,nan\n", "p.csv: row 2, column 2: b must be a number, got \"nan\"");
    assert_refused("a,b\n,1\n", "p.csv: row 2, column 1: a must be a number, got \"\"");
    assert_refused("a,b,a\n1,2,3\n",
                   "p.csv: row 1, column 3: the name \"a\" was given to column 1 already");
    assert_refused("a,\n1,2\n", "p.csv: row 1, column 2: a parameter name must not be empty");
    assert_refused(
        "point\n1\n",
        "p.csv: row 1, column 1: parameter name \"point\" is reserved: tables of trials have "
        "a column or key of that name");
    assert_refused("1,2\n3,4\n",
                   "p.csv: row 1, column 1: parameter name \"1\" must begin with a letter or _ "
                   "and go on with letters, digits, _ . -");
    assert_refused("a\n-1e308\n1e308\n", "p.csv: column a is too wide: from -1e+308 to 1e+308");
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_domain *d = NULL;
    assert_fails(tc_domain_read_csv(&d, "/nowhere/p.csv", &err), TACIT_E_NOT_FOUND,
                 "/nowhere/p.csv");
    assert_null(d);
}

static void a_file_is_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    char file[] = "/tmp/tacit-domain-XXXXXX";
    int fd = mkstemp(file);
    static const char text[] = "a\n1\n2\n";
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    tc_domain *d = NULL;
    assert_ok(tc_domain_read_csv(&d, file, &err));
    assert_int_equal(d->n, 2);
    tc_domain_free(d);
    unlink(file);
}

static void a_grid_counts_the_last_axis_first(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_domain *d = NULL;
    const size_t axes[] = {2, 3, 1};
    const double low[] = {0, -1, 5}, high[] = {1, 1, 9};
    assert_ok(tc_domain_grid(&d, 3, axes, low, high, &err));
    assert_int_equal(d->n, 6);
    static const double raw[] = {0, 0, 0, 1, 1, 1, -1, 0, 1, -1, 0, 1, 5, 5, 5, 5, 5, 5};
    assert_memory_equal(d->raw, raw, sizeof raw);
    assert_string_equal(d->names[0], "x1");
    assert_string_equal(d->names[2], "x3");
    assert_memory_equal(d->axes, axes, sizeof axes);
    tc_domain_free(d);
}

static void a_grid_ends_exactly_at_its_bounds(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t m = 2; m < 200; m++) {
        tc_domain *d = NULL;
        const double low = 0.1, high = 0.7;
        assert_ok(tc_domain_grid(&d, 1, &m, &low, &high, &err));
        assert_same_bits(d->raw[0], low);
        assert_same_bits(d->raw[m - 1], high);
        assert_same_bits(d->u[0], 0);
        assert_same_bits(d->u[m - 1], 1);
        for (size_t i = 1; i < m; i++)
            assert_true(d->raw[i] > d->raw[i - 1]);
        tc_domain_free(d);
    }
}

static void bad_grids_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_domain *d = NULL;
    const double low[] = {0, 0}, high[] = {1, 1}, nan_high[] = {1, NAN};
    assert_fails(tc_domain_grid(&d, 0, (size_t[]){1}, low, high, &err), TACIT_E_ARG,
                 "a grid needs at least one axis");
    assert_fails(tc_domain_grid(&d, 2, (size_t[]){3, 0}, low, high, &err), TACIT_E_ARG,
                 "axis 2 of a grid needs at least one point");
    assert_fails(tc_domain_grid(&d, 2, (size_t[]){3, 3}, high, low, &err), TACIT_E_ARG,
                 "axis 1 of a grid must run from a number to one not below it, got 1 and 0");
    assert_fails(tc_domain_grid(&d, 2, (size_t[]){3, 3}, low, nan_high, &err), TACIT_E_ARG,
                 "axis 2 of a grid");
    assert_fails(tc_domain_grid(&d, 2, (size_t[]){SIZE_MAX / 2, 4}, low, high, &err),
                 TACIT_E_MEMORY, "memory");
    assert_null(d);
}

static void grids_are_recognised_in_csv(void **state)
{
    (void)state;
    tc_domain *d = read_ok("a,b\n1,10\n1,30\n1,20\n5,10\n5,30\n5,20\n"); /* in any spacing */
    assert_non_null(d->axes);
    assert_int_equal(d->axes[0], 2);
    assert_int_equal(d->axes[1], 3);
    tc_domain_free(d);
    static const char *const others[] = {
        "a,b\n1,10\n1,30\n5,10\n",                 /* a row is missing */
        "a,b\n1,10\n5,10\n1,30\n5,30\n",           /* the first axis is fastest */
        "a,b\n1,10\n1,30\n5,10\n5,31\n",           /* a value is off */
        "a,b\n1,10\n1,30\n1,10\n1,30\n5,1\n5,3\n", /* blocks differ */
        "a,b\n1,1\n2,2\n3,3\n4,4\n",               /* a line in the plane */
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        d = read_ok(others[i]);
        assert_null(d->axes);
        tc_domain_free(d);
    }
}

static void csv_and_copy_keep_every_bit(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    for (int run = 0; run < 50; run++) {
        size_t axes[3];
        double low[3], high[3];
        for (size_t d = 0; d < 3; d++) {
            axes[d] = 1 + tc_draw_below(&s, 6);
            low[d] = tc_draw_normal(&s) * exp(20 * tc_draw_normal(&s));
            high[d] = low[d] + exp(20 * tc_draw_normal(&s));
        }
        tc_domain *grid = NULL, *again = NULL, *copy = NULL;
        assert_ok(tc_domain_grid(&grid, 3, axes, low, high, &err));
        char *csv = tc_domain_csv(grid);
        assert_ok(from_text(&again, csv, &err));
        assert_ok(tc_domain_copy(&copy, again, &err));
        assert_same_domain(grid, again);
        assert_same_domain(grid, copy);
        tc_free(csv);
        tc_domain_free(grid);
        tc_domain_free(again);
        tc_domain_free(copy);
    }
}

static void csv_text_is_canonical(void **state)
{
    (void)state;
    tc_domain *d = read_ok("\"a\",b\r\n1.50,0.1\r\n-0,1e3");
    char *csv = tc_domain_csv(d);
    assert_string_equal(csv, "a,b\n1.5,0.1\n-0,1000\n");
    tc_free(csv);
    tc_domain_free(d);
}

static void candidates_are_found(void **state)
{
    (void)state;
    tc_domain *d = read_ok("a,b\n1,2\n3,4\n1,2\n5,0\n");
    assert_int_equal(tc_domain_find(d, (double[]){3, 4}), 1);
    assert_int_equal(tc_domain_find(d, (double[]){1, 2}), 0); /* the first of equals */
    assert_int_equal(tc_domain_find(d, (double[]){3, 2}), 4);
    assert_int_equal(tc_domain_nearest(d, (double[]){0.9, 0.1}), 3);
    assert_int_equal(tc_domain_nearest(d, (double[]){-9, 0.5}), 0);
    assert_int_equal(tc_domain_nearest(d, (double[]){0.5, 0.9}), 1);
    tc_domain_free(d);
}

static void rows_are_what_their_csv_is(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *names[] = {"a", "b"}, *twice[] = {"a", "a"}, *reserved[] = {"a", "value"};
    const double x[] = {0.1, -2, 3e-300, 2, 0.1, 1.0 / 3}, bad[] = {1, 2, 3, INFINITY};
    tc_domain *d = NULL, *same = read_ok("a,b\n0.1,-2\n3e-300,2\n0.1,0.3333333333333333\n");
    assert_ok(tc_domain_from_rows(&d, 3, 2, names, x, &err));
    assert_same_domain(d, same);
    tc_domain_free(d);
    d = NULL;
    assert_fails(tc_domain_from_rows(&d, 2, 2, names, bad, &err), TACIT_E_ARG,
                 "row 2: b must be a number, got inf");
    assert_fails(tc_domain_from_rows(&d, 2, 2, twice, x, &err), TACIT_E_ARG,
                 "the name \"a\" was given to two columns");
    assert_fails(tc_domain_from_rows(&d, 2, 2, reserved, x, &err), TACIT_E_ARG,
                 "parameter name \"value\" is reserved");
    assert_null(d);
    tc_domain_free(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_scaled_by_their_bounds),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(a_grid_counts_the_last_axis_first),
        cmocka_unit_test(a_grid_ends_exactly_at_its_bounds),
        cmocka_unit_test(bad_grids_are_refused),
        cmocka_unit_test(grids_are_recognised_in_csv),
        cmocka_unit_test(csv_and_copy_keep_every_bit),
        cmocka_unit_test(csv_text_is_canonical),
        cmocka_unit_test(candidates_are_found),
        cmocka_unit_test(rows_are_what_their_csv_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
