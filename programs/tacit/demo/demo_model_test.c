/* demo_model_test.c - hospitals are repeatable, similar and not equal; the model is one that learns. */
#include "demo/demo_model.h"

#include "base/memory.h"
#include "support/test.h"

enum { SEED = 1, HOSPITALS = 50 };

static tc_patient *records(unsigned k)
{
    tacit_error err;
    tc_patient *p;
    assert_ok(tc_hospital_records(SEED, k, TC_PATIENTS_CHECKED, &p, &err));
    return p;
}

static size_t all(unsigned k)
{
    return tc_hospital_size(k) + TC_PATIENTS_CHECKED;
}

static void the_same_hospital_has_the_same_records(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= HOSPITALS; k++) {
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

static void another_seed_has_other_hospitals(void **state)
{
    (void)state;
    tacit_error err;
    tc_patient *a = records(1), *b;
    assert_ok(tc_hospital_records(SEED + 1, 1, TC_PATIENTS_CHECKED, &b, &err));
    assert_memory_not_equal(a, b, sizeof *a);
    tc_free(a);
    tc_free(b);
}

/* The loss of one patient with the penalty, by the definition. */
static double loss_of(const tc_network *m, const tc_patient *p, double l2)
{
    double t = m->out_bias, penalty = 0;
    for (size_t i = 0; i < m->hidden; i++) {
        double u = m->in_bias[i];
        for (size_t j = 0; j < TC_PATIENT_FEATURES; j++) {
            u += m->in[i][j] * p->x[j];
            penalty += m->in[i][j] * m->in[i][j];
        }
        t += m->out[i] * tanh(u);
        penalty += m->out[i] * m->out[i];
    }
    return log(1 + exp(p->y > 0 ? -t : t)) + l2 / 2 * penalty;
}

/* By central differences in one number of the network. */
static double slope(tc_network *m, double *number, const tc_patient *p, double l2)
{
    const double h = 1e-5, was = *number;
    *number = was + h;
    double up = loss_of(m, p, l2);
    *number = was - h;
    double down = loss_of(m, p, l2);
    *number = was;
    return (up - down) / (2 * h);
}

/* On one patient at a rate near 0, 15 passes are 15 steps along the gradient where training begins. */
static void small_steps_follow_the_gradient(void **state)
{
    (void)state;
    const tc_settings still = {.hidden = 3}, small = {.lr = 1e-7, .l2 = 0.3, .hidden = 3};
    tc_network begin, m;
    tc_patient *p = records(3);
    tc_network_train(&begin, p, 1, &still);
    tc_network_train(&m, p, 1, &small);
    double *from[] = {&begin.in[0][0], &begin.in[2][7], &begin.in_bias[1], &begin.out[2],
                      &begin.out_bias};
    const double *to[] = {&m.in[0][0], &m.in[2][7], &m.in_bias[1], &m.out[2], &m.out_bias};
    for (size_t i = 0; i < 5; i++)
        assert_close((*to[i] - *from[i]) / small.lr, -15 * slope(&begin, from[i], p, small.l2),
                     1e-3);
    assert_close(tc_network_loss(&begin, p, 1), loss_of(&begin, p, 0), 1e-9);
    tc_free(p);
}

static void a_penalty_shrinks(void **state)
{
    (void)state;
    double norm[3] = {0};
    static const double l2[3] = {0, 0.1, 1};
    tc_patient *p = records(5);
    for (int i = 0; i < 3; i++) {
        tc_network m;
        tc_network_train(&m, p, tc_hospital_size(5),
                         &(tc_settings){.lr = 0.05, .l2 = l2[i], .hidden = 6});
        for (size_t k = 0; k < m.hidden; k++)
            norm[i] += m.out[k] * m.out[k];
    }
    assert_true(norm[0] > norm[1] && norm[1] > norm[2]);
    tc_free(p);
}

static double validated(unsigned k, double lr, double l2, unsigned hidden)
{
    tc_patient *p = records(k);
    double loss = tc_hospital_trial(p, k, &(tc_check){.records = TC_PATIENTS_CHECKED},
                                    &(tc_settings){.lr = lr, .l2 = l2, .hidden = hidden});
    tc_free(p);
    return loss;
}

/* There is something to tune: each corner of the space is worse than the best of a few points inside. */
static void every_hospital_has_something_to_tune(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= HOSPITALS; k++) {
        double inside = INFINITY;
        for (unsigned i = 0; i < 6; i++)
            inside = fmin(inside, validated(k, i < 3 ? 0.01 : 0.05, pow(10, -(double)(i % 3) - 1),
                                            i % 2 ? 8 : 20));
        for (unsigned corner = 0; corner < 8; corner++)
            assert_true(validated(k, corner & 1 ? 1 : 1e-4, corner & 2 ? 10 : 1e-5,
                                  corner & 4 ? 32 : 2) > inside);
    }
}

/* The wildest settings give a loss all the same: a trial never fails. */
static void every_corner_has_a_finite_loss(void **state)
{
    (void)state;
    for (unsigned corner = 0; corner < 8; corner++) {
        double loss =
            validated(1, corner & 1 ? 1 : 0, corner & 2 ? 10 : 0, corner & 4 ? TC_HIDDEN_MOST : 1);
        assert_true(loss > 0 && loss <= -log(0.01));
    }
}

/* Who asks for more records has the same ones first. */
static void more_records_begin_with_the_same(void **state)
{
    (void)state;
    tacit_error err;
    tc_patient *few = records(4), *many;
    assert_ok(tc_hospital_records(SEED, 4, tc_hospital_checked(4), &many, &err));
    assert_true(tc_hospital_checked(4) > TC_PATIENTS_CHECKED);
    assert_memory_equal(few, many, all(4) * sizeof *few);
    tc_free(few);
    tc_free(many);
}

static void hospitals_have_enough_records_of_different_numbers(void **state)
{
    (void)state;
    bool seen[8] = {false};
    for (unsigned k = 1; k <= TC_HOSPITALS_MOST; k++) {
        size_t n = tc_hospital_checked(k);
        assert_true(n >= 1000 && n <= 1875);
        seen[(n - 1000) / 125] = true;
    }
    for (int i = 0; i < 8; i++)
        assert_true(seen[i]);
}

/* By the definition; and one record that is replaced moves the error by 1/n or not at all: this is what
 * --records promises. */
static void one_record_moves_the_error_by_one_of_n(void **state)
{
    (void)state;
    enum { N = 200 };
    tc_network m;
    tc_patient *p = records(6), *check = p + tc_hospital_size(6);
    tc_network_train(&m, p, tc_hospital_size(6), &(tc_settings){.lr = 0.02, .hidden = 8});
    double wrong = 0;
    for (size_t i = 0; i < N; i++)
        wrong += fabs(check[i].y - round(tc_network_probability(&m, &check[i])));
    double error = tc_network_error(&m, check, N);
    assert_close(error, wrong / N, 1e-12);
    assert_true(error > 0 && error < 0.5);
    for (size_t i = 0; i < N; i++) {
        check[i].y = 1 - check[i].y;
        assert_close(fabs(tc_network_error(&m, check, N) - error), 1.0 / N, 1e-12);
        check[i].y = 1 - check[i].y;
    }
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++)
        check[0].x[j] = 1e300; /* however odd a record is */
    assert_true(fabs(tc_network_error(&m, check, N) - error) <= 1.0 / N + 1e-12);
    tc_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_hospital_has_the_same_records),
        cmocka_unit_test(hospitals_differ),
        cmocka_unit_test(another_seed_has_other_hospitals),
        cmocka_unit_test(small_steps_follow_the_gradient),
        cmocka_unit_test(a_penalty_shrinks),
        cmocka_unit_test(every_hospital_has_something_to_tune),
        cmocka_unit_test(every_corner_has_a_finite_loss),
        cmocka_unit_test(more_records_begin_with_the_same),
        cmocka_unit_test(hospitals_have_enough_records_of_different_numbers),
        cmocka_unit_test(one_record_moves_the_error_by_one_of_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
