/* demo_model_test.c - hospitals are repeatable, similar and not equal; the model is one that learns. */
#include "demo_model.h"

#include "base/memory.h"
#include "support/test.h"

static tc_patient *records(unsigned k)
{
    tacit_error err;
    tc_patient *p;
    assert_ok(tc_hospital_records(k, &p, &err));
    return p;
}

static size_t all(unsigned k)
{
    return tc_hospital_size(k) + TC_PATIENTS_CHECKED;
}

static void the_same_hospital_has_the_same_records(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= TC_HOSPITALS; k++) {
        tc_patient *a = records(k), *b = records(k);
        assert_true(tc_hospital_size(k) >= TC_PATIENTS_SEEN);
        assert_memory_equal(a, b, all(k) * sizeof *a);
        for (size_t i = 0; i < all(k); i++)
            assert_true(a[i].y == 0 || a[i].y == 1);
        tc_free(a);
        tc_free(b);
    }
}

static void hospitals_differ(void **state)
{
    (void)state;
    tc_patient *a = records(1), *b = records(2);
    assert_memory_not_equal(a, b, sizeof *a);
    assert_true(tc_hospital_size(1) != tc_hospital_size(2));
    tc_free(a);
    tc_free(b);
}

/* At a rate near 0 a pass over the records is one step along the gradient at 0, whose entries are the
 * sums of (1/2 - y) x, written down here. */
static void small_steps_follow_the_gradient(void **state)
{
    (void)state;
    const double lr = 1e-9;
    size_t n = tc_hospital_size(3);
    tc_patient *p = records(3);
    tc_logistic m, zero = {0};
    tc_logistic_train(&m, p, n, lr, 0);
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (0.5 - p[i].y) * p[i].x[j];
        assert_close(m.w[j] / lr, -20 * sum, 1e-3);
    }
    assert_close(tc_logistic_loss(&zero, p, n), log(2), 1e-12);
    assert_true(tc_logistic_loss(&m, p, n) < log(2));
    tc_free(p);
}

static void a_penalty_shrinks(void **state)
{
    (void)state;
    double norm[3] = {0};
    static const double l2[3] = {0, 0.1, 1};
    tc_patient *p = records(5);
    for (int i = 0; i < 3; i++) {
        tc_logistic m;
        tc_logistic_train(&m, p, tc_hospital_size(5), 0.05, l2[i]);
        for (size_t j = 0; j < TC_PATIENT_FEATURES; j++)
            norm[i] += m.w[j] * m.w[j];
    }
    assert_true(norm[0] > norm[1] && norm[1] > norm[2]);
    tc_free(p);
}

static double validated(unsigned k, double lr, double l2)
{
    tc_logistic m;
    size_t n = tc_hospital_size(k);
    tc_patient *p = records(k);
    tc_logistic_train(&m, p, n, lr, l2);
    double loss = tc_logistic_loss(&m, p + n, TC_PATIENTS_CHECKED);
    tc_free(p);
    return loss;
}

/* There is something to tune: each corner of the space is worse than a point inside. */
static void every_hospital_has_something_to_tune(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= TC_HOSPITALS; k++) {
        double inside = validated(k, 0.01, 0.03);
        assert_true(inside < 0.6);
        assert_true(validated(k, 1e-4, 1e-4) > inside);
        assert_true(validated(k, 1e-4, 1) > inside);
        assert_true(validated(k, 0.3, 1e-4) > inside);
        assert_true(validated(k, 0.3, 1) > inside);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_hospital_has_the_same_records),
        cmocka_unit_test(hospitals_differ),
        cmocka_unit_test(small_steps_follow_the_gradient),
        cmocka_unit_test(a_penalty_shrinks),
        cmocka_unit_test(every_hospital_has_something_to_tune),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
