/* digits_writers_test.c - agents share a hand, or do not, and their networks show it. */
#include "papers/data/digits_writers.h"

#include "base/memory.h"
#include "support/test.h"

#include <stdio.h>

enum { SIDE = 28, ENOUGH = 1200 };

/* A stroke in the upper or the lower half, leaning to the left or the right. */
static void add_image(tc_text *t, bool low, bool right)
{
    for (int p = 0; p < SIDE * SIDE; p++) {
        int row = p / SIDE - (low ? 15 : 2), column = p % SIDE - 10;
        int at = row / 2;
        bool ink = row >= 0 && row < 11 && (right ? 5 - at : at) == column / 2 && column >= 0;
        tc_text_add(t, ink ? ",255" : ",0");
    }
}

/* What a digit means depends on the hand: low strokes are a 1 where they lean to the left, a 0 else. Each label is
 * half of one hand and half of the other. */
static char *toy(size_t images)
{
    tc_text t = {0};
    tc_text_add(&t, "label");
    for (int p = 0; p < SIDE * SIDE; p++)
        tc_text_addf(&t, ",p%d", p);
    for (size_t i = 0; i < images; i++) {
        bool label = i % 2, right = i / 2 % 2;
        tc_text_addf(&t, "\n%d", label);
        add_image(&t, label != right, right);
    }
    tc_text_add(&t, "\n");
    char *text = tc_text_take(&t);
    assert_non_null(text);
    return text;
}

static tc_writers *made(tc_dealt dealt)
{
    tacit_error err = {0};
    char *text = toy(ENOUGH);
    tc_writers *d;
    assert_ok(tc_writers_new(&d, text, strlen(text), dealt, &err));
    tc_free(text);
    return d;
}

/* Mean errors of some agents' networks on their own digits and on those of all. */
static void judged(const tc_writers *d, double *own, double *all)
{
    tacit_error err = {0};
    enum { SOME = 12 };
    double errors[TC_WRITERS_ALL];
    *own = *all = 0;
    for (size_t a = 0; a < SOME; a++) {
        assert_ok(tc_writers_errors(d, a, 0.2, 0, 4, TC_WRITERS_ALL, errors, &err));
        *own += errors[a] / SOME;
        for (size_t b = 0; b < TC_WRITERS_ALL; b++)
            *all += errors[b] / (SOME * TC_WRITERS_ALL);
    }
}

static void a_writer_has_a_hand_of_its_own(void **state)
{
    (void)state;
    double own, all;
    tc_writers *d = made(TC_BY_HAND);
    judged(d, &own, &all);
    assert_close(own, 0, 0.05);
    assert_true(all > 0.2); /* half of all have the other hand */
    tc_writers_free(d);
}

static void at_random_all_are_alike(void **state)
{
    (void)state;
    double own, all;
    tc_writers *d = made(TC_AT_RANDOM);
    judged(d, &own, &all);
    assert_close(own, all, 0.12);
    tc_writers_free(d);
}

static void an_error_is_a_function_of_its_setting(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_writers *d = made(TC_BY_HAND);
    double good, again, idle, one_batch, errors[4];
    assert_ok(tc_writers_error(d, 3, 0.2, 0, 4, &good, &err));
    assert_ok(tc_writers_errors(d, 3, 0.2, 0, 4, 4, errors, &err));
    assert_ok(tc_writers_error(d, 3, 0.2, 0, 4, &again, &err));
    assert_ok(tc_writers_error(d, 3, 1e-9, 0, 4, &idle, &err));
    assert_ok(tc_writers_error(d, 3, 1e-9, 0, 64, &one_batch, &err));
    assert_same_bits(good, again);
    assert_same_bits(good, errors[3]);
    assert_true(idle > good);
    assert_same_bits(idle, one_batch);
    tc_writers_free(d);
}

static void the_grid_has_its_networks(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_writers *d = made(TC_BY_HAND);
    tc_model_grid g = {.points = {2, 2, 2}, .low = {0.01, 1e-4, 2}, .high = {1, 1, 8}};
    tc_text t = {0};
    double last;
    char end[64];
    tc_writers_fill(d, &g);
    assert_int_equal(g.agents, TC_WRITERS_ALL);
    g.agents = 3;
    assert_ok(tc_model_grid_table(&g, &t, &err));
    assert_ok(tc_writers_error(d, 2, 1, 1, 8, &last, &err));
    snprintf(end, sizeof end, ",%.6f\n", last);
    assert_non_null(strstr(tc_text_get(&t), "rate,l2,batch,value_1,value_2,value_3\n"));
    assert_string_equal(tc_text_get(&t) + t.len - strlen(end), end);
    tc_text_fini(&t);
    tc_writers_free(d);
}

static void too_few_images_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_writers *d;
    char *text = toy(240);
    assert_fails(tc_writers_new(&d, text, strlen(text), TC_BY_HAND, &err), TACIT_E_ARG,
                 "240 images are too few for 60 writers: one of them has 4 to train and 0 to judge "
                 "on");
    tc_free(text);
    text = toy(0);
    assert_fails(tc_writers_new(&d, text, strlen(text), TC_BY_HAND, &err), TACIT_E_ARG,
                 "there are no images");
    strchr(text, '\n')[0] = ',';
    assert_fails(tc_writers_new(&d, text, strlen(text), TC_BY_HAND, &err), TACIT_E_ARG,
                 "there must be 785 columns, not 786");
    tc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_writer_has_a_hand_of_its_own),
        cmocka_unit_test(at_random_all_are_alike),
        cmocka_unit_test(an_error_is_a_function_of_its_setting),
        cmocka_unit_test(the_grid_has_its_networks),
        cmocka_unit_test(too_few_images_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
