/* record_noise_test.c - noise for single records in a simulation: how much, what it costs, and what is refused. */
#include "support/test.h"

#include "sim/record_noise.h"

#include <math.h>

static const tc_record_terms usual = {
    .records = "1000", .range = "-5:5", .epsilon = 1, .delta = 1e-5, .evaluations = 30};

static tc_record_noise made(const tc_record_terms *t)
{
    tacit_error err = {0};
    tc_record_noise r;
    assert_ok(tc_record_noise_init(&r, t, &err));
    return r;
}

static double spent(const tc_record_noise *r, uint64_t evaluations)
{
    tacit_error err = {0};
    tacit_guarantee g;
    assert_ok(tc_record_noise_cost(r, &tc_accountant_gaussian, evaluations, &g, &err));
    return g.epsilon;
}

/* The analytic Gaussian mechanism has z = 3.7304... at epsilon 1, delta 1e-5; T of them need sqrt(T) times as much, and
 * a record moves a mean over 1000 losses between -5 and 5 by 0.01. */
static void noise_is_that_of_all_evaluations_together(void **state)
{
    (void)state;
    tc_record_noise r = made(&usual);
    assert_close(r.plan.z, 3.7306 * sqrt(30), 0.01);
    assert_close(tc_record_noise_sd(&r, 0), 0.01 * r.plan.z, 1e-5);
    assert_true(tc_record_noise_sd(&r, 0) >= 0.01 * r.plan.z); /* never less */
    assert_true(spent(&r, 30) <= 1 && spent(&r, 30) > 0.999);
    assert_true(spent(&r, 31) > 1); /* not a bit too much either */
    assert_true(spent(&r, 0) == 0);
    tc_record_noise_fini(&r);
}

static void agents_take_their_records_in_turn(void **state)
{
    (void)state;
    tc_record_terms t = usual;
    t.records = "300,5000";
    tc_record_noise r = made(&t);
    for (uint64_t agent = 0; agent < 6; agent++)
        assert_close(tc_record_noise_sd(&r, agent), r.plan.z * 10 / (agent % 2 ? 5000 : 300), 1e-4);
    assert_true(spent(&r, 30) <= 1);
    tc_record_noise_fini(&r);
}

/* Mean and variance are as said, values are held to the range, and what is no number is the worse end. */
static void values_get_the_noise_that_is_said(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    static const struct {
        double told, mean;
        bool maximize;
    } cases[] = {{1.5, 1.5, true}, {77, 5, true}, {NAN, -5, true}, {NAN, 5, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        tacit_error err = {0};
        tc_record_terms t = usual;
        t.maximize = cases[c].maximize;
        tc_record_noise r = made(&t);
        double sum = 0, squares = 0, sd = tc_record_noise_sd(&r, 3);
        for (uint64_t i = 0; i < DRAWS; i++) {
            double y = cases[c].told, again = y;
            assert_ok(tc_record_noise_add(&r, 9, 3, i, &y, &err));
            assert_ok(tc_record_noise_add(&r, 9, 3, i, &again, &err));
            assert_same_bits(y, again); /* a run can be repeated */
            sum += (y - cases[c].mean) / sd;
            squares += pow((y - cases[c].mean) / sd, 2);
        }
        assert_true(fabs(sum / DRAWS) < 5 / sqrt(DRAWS));
        assert_true(fabs(squares / DRAWS - 1) < 5 * sqrt(2.0 / DRAWS));
        tc_record_noise_fini(&r);
    }
}

/* Very much epsilon: what discreteness takes would be more than delta, and integer orders take over. */
static void large_promises_are_kept_too(void **state)
{
    (void)state;
    tc_record_terms t = usual;
    for (t.epsilon = 0.01; t.epsilon < 100; t.epsilon *= 3) {
        tacit_error err = {0};
        tc_record_noise r = made(&t);
        tacit_guarantee g;
        assert_ok(tc_record_noise_cost(&r, &tc_accountant_pld, 30, &g, &err));
        assert_true(g.epsilon <= t.epsilon * (1 + 1e-9));
        tc_record_noise_fini(&r);
    }
}

static void what_is_given_is_read_strictly(void **state)
{
    (void)state;
    static const char *const records[] = {"",    "0",      "-3",    "1e3", "10,",
                                          ",10", "10,,20", "10 20", "x",   "99999999999999999"};
    static const char *const ranges[] = {"",    "1",     "1:",  ":1",   "2:1",
                                         "1:1", "0:inf", "a:b", "0:1:2"};
    tacit_error err = {0};
    tc_record_noise r;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        tc_record_terms t = usual;
        t.records = records[i];
        assert_fails(tc_record_noise_init(&r, &t, &err), TACIT_E_ARG,
                     "--records must be whole numbers from 1 to 1e15, as in 1000 or 300,5000, not");
        tc_record_noise_fini(&r);
    }
    tc_record_terms many = usual;
    many.records = "300,100000";
    assert_fails(tc_record_noise_init(&r, &many, &err), TACIT_E_ARG,
                 "--delta must be below 1/N for 100000 records, got 1e-05: such a delta allows to "
                 "publish one of them");
    tc_record_noise_fini(&r);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        tc_record_terms t = usual;
        t.range = ranges[i];
        assert_fails(tc_record_noise_init(&r, &t, &err), TACIT_E_ARG,
                     "--range must be LOW:HIGH with LOW below HIGH, as in 0:1, not");
        tc_record_noise_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_that_of_all_evaluations_together),
        cmocka_unit_test(agents_take_their_records_in_turn),
        cmocka_unit_test(values_get_the_noise_that_is_said),
        cmocka_unit_test(large_promises_are_kept_too),
        cmocka_unit_test(what_is_given_is_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
