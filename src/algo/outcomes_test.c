/* outcomes_test.c - studies with several objectives and outcome constraints: what is refused, what is kept, which trials are
 * feasible, best and on the front. */
#include "support/test.h"

#include "algo/optimizer.h"
#include "base/memory.h"
#include "num/pareto.h"

#include <math.h>

typedef struct fixture {
    tc_space *space;
    tc_optimizer *o;
} fixture;

static const bool up_down[] = {true, false, true, true};
static const double low[] = {-INFINITY, 0}, high[] = {1, 10};

static int setup(void **state)
{
    static fixture f;
    tacit_error err = {0};
    f.o = NULL;
    assert_ok(tc_space_new(&f.space, &err));
    assert_ok(tc_space_add_float(f.space, "x", 0, 1, 0, false, &err));
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    tc_optimizer_free(f->o);
    tc_space_free(f->space);
    return 0;
}

static tacit_status make(fixture *f, const char *algorithm, const tc_outcomes *wanted,
                         tacit_error *err)
{
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(algorithm),
                               .space = f->space,
                               .maximize = true,
                               .outcomes = wanted};
    return tc_optimizer_new(&f->o, &cfg, err);
}

static tc_outcomes wanted(size_t objectives, size_t constraints)
{
    return (tc_outcomes){.n_objectives = objectives,
                         .maximize = up_down,
                         .n_constraints = constraints,
                         .low = low,
                         .high = high};
}

/* A trial that came to these values. */
static void add(fixture *f, double value, size_t n_more, const double *more)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(f->o, &req, &e, &err));
        assert_ok(tc_optimizer_apply(f->o, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    assert_ok(tc_optimizer_tell_outcomes(f->o, e.trial, NULL, value, more, n_more, 2, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
}

static void test_what_is_refused(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_outcomes w = wanted(1, 1);
    assert_fails(
        make(f, "ts", &w, &err), TACIT_E_UNSUPPORTED,
        "algorithm ts takes one objective and no outcome constraints; gp-ei, random and sobol take "
        "more");
    for (const tc_algorithm *const *a = tc_algorithms(); *a; a++) {
        const bool single = strcmp((*a)->name, "random") == 0 || strcmp((*a)->name, "sobol") == 0 ||
                            strcmp((*a)->name, "gp-ei") == 0;
        assert_int_equal((*a)->outcomes, single); /* the sentence names them all */
    }
    w.n_objectives = 5;
    assert_fails(make(f, "random", &w, &err), TACIT_E_ARG, "a study has 1 to 4 objectives, got 5");
    w = wanted(1, 17);
    assert_fails(make(f, "random", &w, &err), TACIT_E_ARG,
                 "a study has at most 16 outcome constraints, got 17");
    w = wanted(1, 2);
    w.low = (double[]){0, 3}, w.high = (double[]){1, 2};
    assert_fails(make(f, "random", &w, &err), TACIT_E_ARG,
                 "outcome constraint 2 must have a lower or an upper bound, and the lower below "
                 "the upper, got 3 and 2");
    w.low = (double[]){1, 0};
    assert_fails(make(f, "random", &w, &err), TACIT_E_ARG, "outcome constraint 1 must have");
    w.high = (double[]){1, INFINITY}, w.low = (double[]){0, -INFINITY};
    assert_fails(make(f, "random", &w, &err), TACIT_E_ARG, "outcome constraint 2 must have");
    w.low = (double[]){0, NAN};
    assert_fails(make(f, "random", &w, &err), TACIT_E_ARG, "outcome constraint 2 must have");
}

static void test_one_objective_is_a_study_like_any_other(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_outcomes w = wanted(1, 0);
    assert_ok(make(f, "ts", &w, &err));
    assert_null(tc_optimizer_outcomes(f->o));
    add(f, 3, 0, NULL);
    assert_int_equal(tc_optimizer_best(f->o)->number, 0);
    assert_null(tc_optimizer_trial(f->o, 0)->more);
}

static void test_what_is_told_must_fit(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_outcomes w = wanted(2, 1);
    assert_ok(make(f, "random", &w, &err));
    assert_int_equal(tc_optimizer_outcomes(f->o)->n_constraints, 1);
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    assert_ok(tc_optimizer_next(f->o, &req, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    assert_fails(tc_optimizer_tell(f->o, 0, NULL, 1, 2, &e, &err), TACIT_E_ARG,
                 "trial 0 must come to a value and 2 other outcomes, got 0");
    double more[] = {1, NAN};
    assert_fails(tc_optimizer_tell_outcomes(f->o, 0, NULL, 1, more, 2, 2, &e, &err), TACIT_E_ARG,
                 "the outcomes of trial 0 must be finite numbers, got nan");
    e = (tc_event){.kind = TC_EVENT_REPORT, .step = 1, .value = 2};
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "event 0 (report, trial 0) reports one value in a study of several outcomes");
    e = (tc_event){.kind = TC_EVENT_TELL, .state = TC_TRIAL_PRUNED, .step = 1, .value = 2};
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "event 0 (tell, trial 0) ends a trial early in a study of several outcomes");
    more[1] = 5;
    assert_ok(tc_optimizer_tell_outcomes(f->o, 0, NULL, 1, more, 2, 2, &e, &err));
    e.n_more = 1;
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "event 0 (tell, trial 0) has not as many outcomes as the study wants");
    e.n_more = 2, more[0] = INFINITY;
    assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                 "event 0 (tell, trial 0) has an outcome that is not finite");
    more[0] = 1;
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
    more[0] = 7; /* copied */
    assert_true(tc_optimizer_trial(f->o, 0)->more[0] == 1);
}

static void test_best_keeps_to_the_constraints(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_outcomes w = wanted(1, 2);
    assert_ok(make(f, "sobol", &w, &err));
    add(f, 9, 2, (double[]){1.1, 5});
    add(f, 9, 2, (double[]){0, -0.1});
    add(f, 9, 2, (double[]){0, 10.1});
    assert_null(tc_optimizer_best(f->o));
    assert_int_equal(tc_optimizer_feasible_count(f->o), 0);
    add(f, 1, 2, (double[]){1, 10}); /* bounds belong to what is allowed */
    add(f, 2, 2, (double[]){-1e9, 0});
    add(f, 2, 2, (double[]){0, 1});
    assert_int_equal(tc_optimizer_best(f->o)->number, 4);
    assert_false(tc_optimizer_feasible(f->o, tc_optimizer_trial(f->o, 2)));
    assert_true(tc_optimizer_feasible(f->o, tc_optimizer_trial(f->o, 3)));
    size_t n;
    tc_optimizer_front(f->o, &n);
    assert_int_equal(n, 0); /* of one objective there is none */
    assert_int_equal(tc_optimizer_feasible_count(f->o), 3);
}

/* The first is maximised, the second minimised. */
static void test_the_front_of_feasible_trials(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_outcomes w = wanted(2, 1);
    assert_ok(make(f, "random", &w, &err));
    add(f, 3, 2, (double[]){3, 0});
    add(f, 2, 2, (double[]){4, 0}); /* dominated */
    add(f, 1, 2, (double[]){1, 0});
    add(f, 9, 2, (double[]){0, 2}); /* infeasible */
    assert_null(tc_optimizer_best(f->o));
    size_t n;
    const size_t *front = tc_optimizer_front(f->o, &n);
    assert_int_equal(n, 2);
    assert_int_equal(front[0], 0);
    assert_int_equal(front[1], 2);
    assert_int_equal(tc_optimizer_feasible_count(f->o), 3);
}

/* Tells n trials that run, the last one first, and puts what they came to, to be maximised, into rows. */
static void tell_backwards(fixture *f, tc_stream *s, size_t n, double *rows)
{
    tacit_error err = {0};
    tc_event e;
    for (uint64_t t = n; t-- > 0;) {
        double *row = rows + 2 * t; /* of few values, so that some are equal */
        row[0] = (double)tc_draw_below(s, 12);
        row[1] = (double)tc_draw_below(s, 12);
        double more = -row[1];
        assert_ok(tc_optimizer_tell_outcomes(f->o, t, NULL, row[0], &more, 1, 2, &e, &err));
        assert_ok(tc_optimizer_apply(f->o, &e, &err));
    }
}

static void test_a_front_grows_in_any_order(void **state)
{
    fixture *f = *state;
    enum { N = 60 };
    tacit_error err = {0};
    double rows[2 * N];
    size_t at[N], n;
    tc_outcomes w = wanted(2, 0);
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(3);
    assert_ok(make(f, "random", &w, &err));
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    for (size_t i = 0; i < N;) {
        tc_ask_request req = {.now_ms = 1};
        tc_event e;
        assert_ok(tc_optimizer_next(f->o, &req, &e, &err));
        assert_ok(tc_optimizer_apply(f->o, &e, &err));
        i += e.kind == TC_EVENT_ASK;
    }
    tell_backwards(f, &s, N, rows);
    const size_t *front = tc_optimizer_front(f->o, &n);
    assert_int_equal(n, tc_pareto_front(N, 2, rows, at));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(front[i], at[i]);
}

/* A share of each bound that is missed; of a bound 0 the distance. */
static void violation_does_not_depend_on_units(void **state)
{
    (void)state;
    static const double least[] = {-INFINITY, 0.5, 0}, most[] = {512, 1, INFINITY};
    const tc_outcomes w = {
        .n_objectives = 2, .maximize = up_down, .n_constraints = 3, .low = least, .high = most};
    assert_true(tc_outcomes_violation(&w, (const double[]){9, 512, 0.5, 0}) == 0);
    assert_true(tc_outcomes_violation(&w, (const double[]){9, 1024, 0.5, 0}) == 1);
    assert_true(tc_outcomes_violation(&w, (const double[]){9, 1024, 0.25, -3}) == 4.5);
    assert_true(tc_outcomes_violation(&w, (const double[]){9, 0, 1.25, 1}) == 0.25);
    assert_true(tc_outcomes_feasible(&w, (const double[]){9, 512, 0.5, 0}));
    assert_false(tc_outcomes_feasible(&w, (const double[]){9, 512, 0.5, -5e-324}));
    assert_true(isfinite(tc_outcomes_violation(&w, (const double[]){9, 1e308, -1e308, -1e308})));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(violation_does_not_depend_on_units),
        cmocka_unit_test_setup_teardown(test_what_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_objective_is_a_study_like_any_other, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_is_told_must_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_best_keeps_to_the_constraints, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_front_of_feasible_trials, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_front_grows_in_any_order, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
