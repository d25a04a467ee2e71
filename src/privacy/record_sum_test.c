/* record_sum_test.c - sums over records: exact sums, the exact law of the noise, refusals. */
#include "support/test.h"

#include "privacy/accountant.h"
#include "privacy/mechanism.h"

#include <sys/wait.h>
#include <unistd.h>

static tc_test_noise noise;

static tc_entropy seeded(uint64_t step)
{
    tc_test_noise_init(&noise, 5, step);
    return tc_entropy_of_test(&noise);
}

static tc_record_plan plan(uint64_t record, double epsilon)
{
    return (tc_record_plan){
        .agents = 3, .width = 2, .reach = 4 * record, .record = record, .epsilon = epsilon};
}

static tc_release *release(const tc_record_plan *p, const int64_t (*v)[2], size_t n, uint64_t step)
{
    tacit_error err = {0};
    tc_entropy e = seeded(step);
    tc_record_sum *s = NULL;
    tc_release *r = NULL;
    assert_ok(tc_record_sum_open(&s, p, &e, &err));
    for (size_t i = 0; i < n; i++)
        assert_ok(tc_record_sum_fold(s, n - 1 - i, v[n - 1 - i], &err));
    assert_ok(tc_record_sum_close(s, &r, &err));
    tc_record_sum_free(s);
    return r;
}

/* The noise does not depend on the data: the difference of two releases of one seed is that of the sums. */
static void test_the_sum_is_exact_and_held_to_its_reach(void **state)
{
    (void)state;
    const int64_t none[3][2] = {{0}}, v[3][2] = {{7, -12}, {INT64_MAX, -1}, {-40, INT64_MIN}};
    tc_record_plan p = plan(10, 0.5);
    tc_release *a = release(&p, none, 3, 1), *b = release(&p, v, 3, 1);
    const int64_t *x = tc_release_get(a)->steps, *y = tc_release_get(b)->steps;
    assert_true(y[0] - x[0] == 7 + 40 - 40);
    assert_true(y[1] - x[1] == -12 - 1 - 40);
    tc_release *nobody = release(&p, none, 0, 1);
    assert_true(tc_release_get(nobody)->steps[0] == x[0]);
    tc_release_free(nobody);
    tc_release_free(a);
    tc_release_free(b);
}

/* P(x) = (1 - a)/(1 + a) a^|x|, a = e^(-1/t), counted over many releases. */
static void test_the_law_of_the_noise(void **state)
{
    (void)state;
    tacit_error err = {0};
    enum { RUNS = 20000, REACH = 12 };
    const int64_t none[1][2] = {{0}};
    tc_record_plan p = plan(3, 1);
    tc_record_scale scale;
    assert_ok(tc_record_plan_scale(&p, &scale, &err));
    assert_int_equal(scale.scale, 4); /* 3 and what discrete noise needs more */
    double seen[2 * REACH + 1] = {0}, a = exp(-1 / (double)scale.scale), chi2 = 0;
    for (uint64_t i = 0; i < RUNS; i++) {
        tc_release *r = release(&p, none, 1, i);
        for (size_t k = 0; k < 2; k++)
            if (llabs(tc_release_get(r)->steps[k]) <= REACH)
                seen[tc_release_get(r)->steps[k] + REACH]++;
        tc_release_free(r);
    }
    for (int x = -REACH; x <= REACH; x++) {
        double expected = 2 * RUNS * (1 - a) / (1 + a) * pow(a, abs(x));
        chi2 += pow(seen[x + REACH] - expected, 2) / expected;
    }
    assert_true(chi2 < 60); /* 24 degrees of freedom: 60 has probability 6e-5 */
}

/* No output of the exact law tells two neighbours apart by more than e^epsilon. */
static void test_pure_epsilon(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double epsilons[] = {0.001, 0.1, 1, 3, 50};
    const uint64_t records[] = {1, 2, 1000, UINT64_C(1) << 28};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 4; j++) {
            tc_record_plan p = plan(records[j], epsilons[i]);
            tc_record_scale s;
            assert_ok(tc_record_plan_scale(&p, &s, &err));
            assert_true((double)records[j] / (double)s.scale <= epsilons[i]);
            assert_true((double)s.scale < (double)records[j] / epsilons[i] + 2 + 1 / epsilons[i]);
            assert_int_equal(s.event.mechanism, TACIT_DP_LAPLACE);
            assert_close(s.event.parameter, epsilons[i], 0);
        }
}

static void test_what_a_release_says(void **state)
{
    (void)state;
    const int64_t none[1][2] = {{0}};
    tc_record_plan p = plan(1 << 20, 2);
    p.grid = 20;
    tc_release *r = release(&p, none, 1, 3);
    const tc_release_view *v = tc_release_get(r);
    assert_string_equal(v->mechanism, "laplace-sum");
    assert_int_equal(v->unit, TACIT_UNIT_ROW);
    assert_true(v->single && !v->is_private);
    assert_close(v->sensitivity, 1, 0);
    assert_close(v->noise_sd, sqrt(2) / 2, 1e-5);
    assert_close(v->step, ldexp(1, -20), 0);
    assert_non_null(strstr(v->adjacency, "one record of one agent is replaced"));
    assert_close(v->distance, 0, 0);
    tc_release_free(r);
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_record_scale s;
    tc_record_plan p = plan(10, 1);
    p.agents = 0;
    assert_fails(tc_record_plan_scale(&p, &s, &err), TACIT_E_ARG, "got 0 and 2");
    p = plan(10, 1);
    p.record = 0;
    assert_fails(tc_record_plan_scale(&p, &s, &err), TACIT_E_ARG, "records of 0");
    p = plan(10, 1);
    p.reach = UINT64_C(1) << 59;
    assert_fails(tc_record_plan_scale(&p, &s, &err), TACIT_E_ARG, "the sum below 2^60");
    p = plan(10, 0);
    assert_fails(tc_record_plan_scale(&p, &s, &err), TACIT_E_ARG, "epsilon");
    p = plan(UINT64_C(1) << 30, 1e-4);
    assert_fails(tc_record_plan_scale(&p, &s, &err), TACIT_E_ARG, "more noise than 2^39 steps");
    p = plan(10, 1);
    p.grid = 2000;
    assert_fails(tc_record_plan_scale(&p, &s, &err), TACIT_E_ARG, "got 2000");
}

static void test_turns(void **state)
{
    (void)state;
    tacit_error err = {0};
    const int64_t v[2] = {1, 2};
    tc_record_plan p = plan(10, 1);
    tc_entropy e = seeded(1);
    tc_record_sum *s = NULL;
    tc_release *r = NULL;
    assert_ok(tc_record_sum_open(&s, &p, &e, &err));
    assert_ok(tc_record_sum_fold(s, 1, v, &err));
    assert_fails(tc_record_sum_fold(s, 1, v, &err), TACIT_E_STATE, "agent 1 is in the sum already");
    assert_fails(tc_record_sum_fold(s, 3, v, &err), TACIT_E_ARG,
                 "agent 3 is not among the 3 of the roster");
    assert_ok(tc_record_sum_close(s, &r, &err));
    tc_release_free(r);
    assert_fails(tc_record_sum_close(s, &r, &err), TACIT_E_STATE, "the sum is closed already");
    assert_fails(tc_record_sum_fold(s, 2, v, &err), TACIT_E_STATE, "comes too late");
    tc_record_sum_free(s);
    tc_record_sum_free(NULL);
}

/* Two processes with one noise would tell the difference of their data. */
static void test_a_fork_may_not_go_on(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_record_plan p = plan(10, 1);
    tc_entropy e = seeded(1);
    tc_record_sum *s = NULL;
    tc_release *r = NULL;
    int status;
    assert_ok(tc_record_sum_open(&s, &p, &e, &err));
    pid_t child = fork();
    if (child == 0)
        _exit(tc_record_sum_close(s, &r, &err) == TACIT_E_STATE &&
                      strstr(err.msg, "opened before a fork")
                  ? 0
                  : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ok(tc_record_sum_close(s, &r, &err));
    tc_release_free(r);
    tc_record_sum_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sum_is_exact_and_held_to_its_reach),
        cmocka_unit_test(test_the_law_of_the_noise),
        cmocka_unit_test(test_pure_epsilon),
        cmocka_unit_test(test_what_a_release_says),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_a_fork_may_not_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
