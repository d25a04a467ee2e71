/* landmine_test.c - reading fields, the AUC, and machines on a toy where they must be right. */
#include "papers/data/landmine_int.h"

#include "base/text.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>

/* Every field: label 1 where f1 > 0, eight rows in each half. */
static void toy(tc_text *t)
{
    tc_text_add(t, "field,row,split,label,f1,f2,f3,f4,f5,f6,f7,f8,f9\n");
    for (int m = 0; m < TC_LANDMINE_FIELDS; m++)
        for (int i = 0; i < 16; i++)
            tc_text_addf(t, "%d,%d,%s,%d,%g,0,0,0,0,0,0,0,%d\n", m, i, i < 8 ? "train" : "test",
                         i % 2, (i % 2 ? 1 : -1) * (0.5 + 0.1 * i), i % 3);
}

static void the_auc_counts_ordered_pairs(void **state)
{
    (void)state;
    const bool label[] = {true, false, true, false};
    assert_close(tc_landmine_auc(4, label, (double[]){2, 1, 4, 3}), 0.75, 1e-15);
    assert_close(tc_landmine_auc(4, label, (double[]){1, 1, 1, 1}), 0.5, 1e-15);
    assert_close(tc_landmine_auc(4, label, (double[]){5, 1, 4, 1}), 1, 1e-15);
    assert_close(tc_landmine_auc(2, (const bool[]){false, false}, (double[]){0, 1}), 0.5, 1e-15);
}

static void fields_are_read_and_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text t = {0};
    tc_landmine *l;
    toy(&t);
    assert_ok(tc_landmine_new(&l, tc_text_get(&t), t.len, &err));
    assert_int_equal(l->fields[28].test.n, 8);
    assert_true(l->fields[3].train.label[1] && !l->fields[3].train.label[0]);
    assert_close(l->fields[3].train.x[1][0], 0.6, 1e-12);
    tc_landmine_free(l);
    tc_text_fini(&t);
    static const char no_label[] = "field,split,f1\n";
    assert_fails(tc_landmine_new(&l, no_label, strlen(no_label), &err), TACIT_E_ARG,
                 "there is no column label");
    static const char few[] = "field,split,label,f1,f2,f3,f4,f5,f6,f7,f8,f9\n"
                              "0,train,1,0,0,0,0,0,0,0,0,0\n";
    assert_fails(tc_landmine_new(&l, few, strlen(few), &err), TACIT_E_ARG,
                 "field 0 has no rows to train or to test on");
    static const char far[] = "field,split,label,f1,f2,f3,f4,f5,f6,f7,f8,f9\n"
                              "29,train,1,0,0,0,0,0,0,0,0,0\n";
    assert_fails(tc_landmine_new(&l, far, strlen(far), &err), TACIT_E_ARG,
                 "a number up to 28 is needed, got \"29\"");
}

static tacit_status tabulate(size_t points, bool log, tc_pool *pool, tc_text *out, tacit_error *err)
{
    tc_text t = {0};
    tc_landmine *l = NULL;
    toy(&t);
    tacit_status status = tc_landmine_new(&l, tc_text_get(&t), t.len, err);
    tc_landmine_grid g = {.points = points, .log = log, .pool = pool};
    if (status == TACIT_OK)
        status = tc_landmine_table(l, &g, out, err);
    tc_landmine_free(l);
    tc_text_fini(&t);
    return status;
}

static void a_grid_has_sane_sizes(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text out = {0};
    assert_fails(tabulate(1, true, NULL, &out, &err), TACIT_E_ARG,
                 "an axis has 2 to 200 points, not 1");
}

static void a_sigmoid_follows_the_labels(void **state)
{
    (void)state;
    static const bool label[] = {true, false, true, false, true, false, false, true};
    static const double good[] = {2, -1, 1, -2, 0.5, -0.5, 1.5, 3};
    double turned[8], alike[8] = {0}, A, B;
    tc_landmine_platt(8, label, good, &A, &B);
    assert_true(A < 0 && tc_landmine_probability(2, A, B) > tc_landmine_probability(-2, A, B));
    /* At the largest likelihood the residuals and their products with the decisions sum to 0. */
    double sum = 0, product = 0;
    for (size_t i = 0; i < 8; i++) {
        double residual = (label[i] ? 5.0 / 6 : 1.0 / 6) - tc_landmine_probability(good[i], A, B);
        sum += residual;
        product += residual * good[i];
        turned[i] = -good[i];
    }
    assert_close(sum, 0, 1e-4);
    assert_close(product, 0, 1e-4);
    tc_landmine_platt(8, label, turned, &A, &B);
    assert_true(A > 0);
    tc_landmine_platt(8, label, alike, &A, &B);
    assert_same_bits(A, 0);
    assert_close(tc_landmine_probability(7, A, B), 0.5, 1e-12);
    assert_close(tc_landmine_probability(1e6, 1, 0), 1e-7, 1e-20);
}

#ifdef TACIT_LIBSVM
static void a_good_machine_scores_the_same_by_platt(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text t = {0};
    tc_landmine *l;
    double plain, platt, again;
    tc_landmine_silence();
    toy(&t);
    assert_ok(tc_landmine_new(&l, tc_text_get(&t), t.len, &err));
    assert_ok(tc_landmine_score(&l->fields[0], 0.1, 10, false, &plain, &err));
    assert_ok(tc_landmine_score(&l->fields[0], 0.1, 10, true, &platt, &err));
    assert_ok(tc_landmine_score(&l->fields[0], 0.1, 10, true, &again, &err));
    assert_close(plain, 1, 1e-12);
    assert_close(platt, 1, 1e-12);
    assert_same_bits(platt, again);
    tc_landmine_free(l);
    tc_text_fini(&t);
}

static void machines_tell_two_sides_apart(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text out = {0}, again = {0};
    tc_pool *pool;
    assert_ok(tabulate(2, true, NULL, &out, &err));
    const char *last = strstr(tc_text_get(&out), "\n1.000000,1.000000,"); /* gamma 10, C 10 */
    assert_non_null(last);
    assert_non_null(strstr(tc_text_get(&out), "\n-2.000000,1.000000,1.000000,1.000000,"));
    assert_ok(tc_pool_new(&pool, 3, &err));
    assert_ok(tabulate(2, true, pool, &again, &err));
    assert_string_equal(tc_text_get(&out), tc_text_get(&again));
    tc_pool_free(pool);
    tc_text_fini(&out);
    tc_text_fini(&again);
    assert_ok(tabulate(2, false, NULL, &out, &err));
    assert_non_null(strstr(tc_text_get(&out), "gamma,C,value_1,"));
    assert_non_null(strstr(tc_text_get(&out), "\n10.000000,0.000100,"));
    tc_text_fini(&out);
}
#else
static void a_good_machine_scores_the_same_by_platt(void **state)
{
    (void)state;
}

static void machines_tell_two_sides_apart(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text out = {0};
    assert_fails(tabulate(2, true, NULL, &out, &err), TACIT_E_UNSUPPORTED,
                 "support vector machines need libsvm, which this build does not have");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_auc_counts_ordered_pairs),
        cmocka_unit_test(fields_are_read_and_checked),
        cmocka_unit_test(a_grid_has_sane_sizes),
        cmocka_unit_test(a_sigmoid_follows_the_labels),
        cmocka_unit_test(a_good_machine_scores_the_same_by_platt),
        cmocka_unit_test(machines_tell_two_sides_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
