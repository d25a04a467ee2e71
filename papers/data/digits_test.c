/* digits_test.c - the network learns what can be learned and no more, and may run away. */
#include "papers/data/digits.h"

#include "base/memory.h"
#include "support/test.h"

#include <stdio.h>

enum { IMAGES = 200 };

/* Label k: a bright band at the height of k in the first `told` rows; what follows is dark. */
static char *toy(size_t told)
{
    tc_text t = {0};
    tc_text_add(&t, "label");
    for (int p = 0; p < 784; p++)
        tc_text_addf(&t, ",p%d", p);
    for (size_t i = 0; i < IMAGES; i++) {
        int label = (int)(i % 7);
        tc_text_addf(&t, "\n%d", label);
        for (int p = 0; p < 784; p++)
            tc_text_add(&t, i < told && p / 28 / 4 == label ? ",255" : ",0");
    }
    tc_text_add(&t, "\n");
    return tc_text_take(&t);
}

static tc_digits *made(size_t told)
{
    tacit_error err = {0};
    char *text = toy(told);
    tc_digits *d;
    assert_non_null(text);
    assert_ok(tc_digits_new(&d, text, strlen(text), 2, &err));
    tc_free(text);
    return d;
}

static void a_network_learns(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digits *d = made(IMAGES);
    double good, again, idle, narrow;
    for (size_t agent = 0; agent < 2; agent++) {
        assert_ok(tc_digits_error(d, agent, 0.3, 1e-5, 32, &good, &err));
        assert_ok(tc_digits_error(d, agent, 0.3, 1e-5, 32, &again, &err));
        assert_ok(tc_digits_error(d, agent, 1e-9, 0, 32, &idle, &err));
        assert_ok(tc_digits_error(d, agent, 0.3, 1e-5, 1, &narrow, &err));
        assert_close(good, 0, 1e-12);
        assert_same_bits(good, again);
        assert_true(idle > 0.5);
        assert_true(narrow > good);
    }
    tc_digits_free(d);
}

static void what_is_dark_cannot_be_learned(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digits *d = made(0);
    double error;
    assert_ok(tc_digits_error(d, 0, 0.3, 1e-5, 32, &error, &err));
    assert_true(error > 0.6);
    tc_digits_free(d);
}

static void a_network_that_runs_away_answers_0(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digits *d = made(IMAGES);
    double wild;
    assert_ok(tc_digits_error(d, 1, 1e200, 1e200, 8, &wild, &err));
    assert_true(wild > 0.6 && wild <= 1);
    tc_digits_free(d);
}

static void the_grid_has_its_networks(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digits *d = made(IMAGES);
    tc_model_grid g = {.points = {2, 2, 2}, .low = {0.01, 1e-4, 2}, .high = {1, 1, 8}};
    tc_text t = {0};
    double last;
    char end[64];
    tc_digits_fill(d, &g);
    assert_ok(tc_model_grid_table(&g, &t, &err));
    assert_ok(tc_digits_error(d, 1, 1, 1, 8, &last, &err));
    snprintf(end, sizeof end, ",%.6f\n", last);
    assert_non_null(strstr(tc_text_get(&t), "rate,l2,width,value_1,value_2\n"));
    assert_string_equal(tc_text_get(&t) + t.len - strlen(end), end);
    tc_text_fini(&t);
    tc_digits_free(d);
}

static void bad_files_are_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_digits *d;
    static const char few[] = "label,p0\n1,1\n";
    assert_fails(tc_digits_new(&d, few, strlen(few), 1, &err), TACIT_E_ARG,
                 "there must be 785 columns, not 2");
    char *text = toy(0), *row = strchr(text, '\n') + 1;
    assert_fails(tc_digits_new(&d, text, strlen(text), 5, &err), TACIT_E_ARG,
                 "5 agents need 250 images, there are 200");
    row[2] = 'x';
    assert_fails(tc_digits_new(&d, text, strlen(text), 2, &err), TACIT_E_ARG,
                 "a whole number from 0 to 255 is needed, got \"x\"");
    tc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_learns),
        cmocka_unit_test(what_is_dark_cannot_be_learned),
        cmocka_unit_test(a_network_that_runs_away_answers_0),
        cmocka_unit_test(the_grid_has_its_networks),
        cmocka_unit_test(bad_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
