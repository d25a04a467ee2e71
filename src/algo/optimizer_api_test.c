/* optimizer_api_test.c - include/tacit/optimizer.h: what it refuses, and that points of the caller's own
 * count as trials of the inner optimizer do. */
#include <tacit/optimizer.h>

#include "algo/optimizer.h"
#include "space/space.h"
#include "support/test.h"

static tacit_space *line(void)
{
    tacit_error err = {0};
    tacit_space *space = NULL;
    assert_ok(tacit_space_new(&space, &err));
    assert_ok(tacit_space_add_float(space, "x", 0, 1, 0, false, &err));
    return space;
}

static tacit_optimizer *made(const tacit_space *space, const char *algorithm)
{
    tacit_error err = {0};
    tacit_optimizer *o = NULL;
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    opts.direction = TACIT_MINIMIZE;
    opts.algorithm = algorithm;
    opts.seed = 5;
    assert_ok(tacit_optimizer_new(&o, space, &opts, &err));
    return o;
}

static double square(double x)
{
    return (x - 0.3) * (x - 0.3);
}

static void checks_its_options(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *space = line(), *empty = NULL;
    tacit_optimizer *o = NULL;
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG,
                 "direction must be TACIT_MINIMIZE or TACIT_MAXIMIZE, got 0");
    opts.direction = TACIT_MINIMIZE;
    opts.algorithm = "gp-ie";
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG, "gp-ei");
    opts.algorithm = "dp-fts-de";
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG, "federation");
    opts.algorithm = NULL;
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG,
                 "opts.algorithm must be given");
    opts.algorithm = "gp-ei";
    opts.options = "[1]";
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG, "JSON object");
    opts.options = NULL;
    assert_fails(tacit_optimizer_new(NULL, space, &opts, &err), TACIT_E_ARG, "out must not be");
    assert_fails(tacit_optimizer_new(&o, NULL, &opts, &err), TACIT_E_ARG, "space must not be");
    assert_fails(tacit_optimizer_new(&o, space, NULL, &err), TACIT_E_ARG, "opts must not be");
    assert_ok(tacit_space_new(&empty, &err));
    assert_fails(tacit_optimizer_new(&o, empty, &opts, &err), TACIT_E_ARG, "no parameter");
    opts.size = 8;
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG,
                 "opts.size must be sizeof(tacit_optimizer_opts), at least 48, got 8");
    assert_null(o);
    tacit_space_free(empty);
    tacit_space_free(space);
}

/* A caller of a later version, which has one more option. */
static void takes_options_of_later_versions_that_are_0(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *space = line();
    tacit_optimizer *o = NULL;
    struct {
        tacit_optimizer_opts opts;
        double later;
    } caller = {TACIT_OPTIMIZER_OPTS, 0};
    caller.opts.size = sizeof caller;
    caller.opts.direction = TACIT_MINIMIZE;
    assert_ok(tacit_optimizer_new(&o, space, &caller.opts, &err));
    tacit_optimizer_free(o);
    caller.later = 1;
    assert_fails(tacit_optimizer_new(&o, space, &caller.opts, &err), TACIT_E_UNSUPPORTED,
                 "opts has a member that this version of tacit does not know");
    tacit_space_free(space);
}

static void asks_and_tells(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *space = line();
    tacit_optimizer *o = made(space, "gp-ei");
    uint64_t trial;
    double x, best, outside = 2;
    assert_fails(tacit_optimizer_best(o, NULL, NULL, NULL, &err), TACIT_E_STATE,
                 "no trial is complete yet");
    assert_ok(tacit_optimizer_ask(o, &trial, &x, &err));
    assert_ok(tacit_optimizer_fail(o, trial, "no disk", &err));
    assert_fails(tacit_optimizer_tell_at(o, trial + 1, &outside, 0, &err), TACIT_E_NOT_FOUND, "");
    for (int i = 0; i < 20; i++) {
        assert_ok(tacit_optimizer_ask(o, &trial, &x, &err));
        assert_fails(tacit_optimizer_tell_at(o, trial, &outside, 0, &err), TACIT_E_ARG, "x");
        assert_ok(tacit_optimizer_tell(o, trial, square(x), &err));
    }
    assert_fails(tacit_optimizer_tell(o, trial, 1, &err), TACIT_E_STATE, "told already");
    assert_int_equal(tacit_optimizer_tell(o, trial, 1, NULL), TACIT_E_STATE);
    assert_ok(tacit_optimizer_best(o, &trial, &x, &best, &err));
    assert_close(x, 0.3, 1e-3);
    assert_close(best, square(x), 0);
    tacit_optimizer_free(o);
    tacit_space_free(space);
}

/* The slow and obvious way: a queued trial, and its value. */
static void feed(tc_optimizer *o, double x, double value)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_enqueue(o, &x, 0, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
    assert_ok(tc_optimizer_tell(o, e.trial, NULL, value, 0, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
}

static double next_of(tc_optimizer *o)
{
    tacit_error err = {0};
    tc_ask_request req = {0};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &req, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    return tc_optimizer_trial(o, e.trial)->values[0];
}

static void points_of_one_s_own_are_trials(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *space = line();
    tacit_optimizer *o = made(space, "gp-ei"), *without = made(space, "gp-ei");
    tc_optimizer *inner = NULL;
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("gp-ei"),
                               .space = space,
                               .public_seed = tc_public_seed_from(5),
                               .party_seed = tc_party_seed_from(5)};
    assert_ok(tc_optimizer_new(&inner, &cfg, &err));
    uint64_t trial = 99;
    double x, alone, value;
    for (uint64_t i = 0; i < 12; i++) {
        x = (double)i / 11;
        assert_ok(tacit_optimizer_add(o, &x, square(x), &trial, &err));
        assert_int_equal(trial, i);
        feed(inner, x, square(x));
    }
    assert_ok(tacit_optimizer_best(o, &trial, &x, &value, &err));
    assert_int_equal(trial, 3);
    assert_close(value, square(3.0 / 11), 0);
    assert_ok(tacit_optimizer_ask(o, &trial, &x, &err));
    assert_int_equal(trial, 12);
    assert_close(x, next_of(inner), 0);
    assert_close(x, 0.3, 0.05); /* it has learnt */
    assert_ok(tacit_optimizer_ask(without, &trial, &alone, &err));
    assert_true(fabs(alone - 0.3) > 0.05); /* which is no accident */
    tc_optimizer_free(inner);
    tacit_optimizer_free(without);
    tacit_optimizer_free(o);
    tacit_space_free(space);
}

static void a_refused_point_leaves_no_trial(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *space = line();
    tacit_optimizer *o = made(space, "sobol");
    uint64_t trial = 99;
    double x = 0.5, outside = 1.5;
    assert_fails(tacit_optimizer_add(o, &x, NAN, &trial, &err), TACIT_E_ARG,
                 "value must be a finite number, got nan");
    assert_fails(tacit_optimizer_add(o, &outside, 1, &trial, &err), TACIT_E_ARG, "x");
    assert_fails(tacit_optimizer_add(o, NULL, 1, &trial, &err), TACIT_E_ARG,
                 "values must not be NULL");
    assert_fails(tacit_optimizer_add(NULL, &x, 1, &trial, &err), TACIT_E_ARG, "o must not be NULL");
    assert_int_equal(trial, 99);
    assert_ok(tacit_optimizer_ask(o, &trial, &x, &err));
    assert_int_equal(trial, 0);
    assert_fails(tacit_optimizer_best(o, NULL, NULL, NULL, &err), TACIT_E_STATE, "");
    assert_ok(tacit_optimizer_add(o, &x, 1, NULL, &err));
    assert_ok(tacit_optimizer_best(o, &trial, NULL, NULL, &err));
    assert_int_equal(trial, 1);
    tacit_optimizer_free(o);
    tacit_space_free(space);
}

/* The second objective is best at 0.7, and to be maximised. */
static void objectives_at(double x, double out[2])
{
    out[0] = square(x);
    out[1] = -(x - 0.7) * (x - 0.7);
}

static tacit_optimizer *made_of_two(const tacit_space *space, const char *algorithm)
{
    tacit_error err = {0};
    tacit_optimizer *o = NULL;
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    opts.direction = TACIT_MINIMIZE;
    opts.algorithm = algorithm;
    opts.seed = 5;
    opts.others = (const tacit_direction[]){TACIT_MAXIMIZE};
    opts.n_others = 1;
    assert_ok(tacit_optimizer_new(&o, space, &opts, &err));
    return o;
}

/* The inner optimizer, fed in the slow and obvious way, asks for the same. */
static void several_objectives_are_searched(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *space = line();
    tacit_optimizer *o = made_of_two(space, "gp-ei");
    tc_optimizer *inner = NULL;
    const tc_outcomes wanted = {.n_objectives = 2, .maximize = (const bool[]){false, true}};
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("gp-ei"),
                               .space = space,
                               .outcomes = &wanted,
                               .public_seed = tc_public_seed_from(5),
                               .party_seed = tc_party_seed_from(5)};
    assert_ok(tc_optimizer_new(&inner, &cfg, &err));
    uint64_t trial;
    double x, y[2];
    int within = 0;
    x = 0.5;
    objectives_at(x, y);
    tc_event e;
    assert_ok(tacit_optimizer_add_outcomes(o, &x, y, &trial, &err));
    assert_ok(tc_optimizer_enqueue(inner, &x, 0, &e, &err));
    assert_ok(tc_optimizer_apply(inner, &e, &err));
    for (uint64_t i = 0; i < 24; i++) {
        assert_ok(tc_optimizer_tell_outcomes(inner, i, NULL, y[0], y + 1, 1, 0, &e, &err));
        assert_ok(tc_optimizer_apply(inner, &e, &err));
        assert_ok(tacit_optimizer_ask(o, &trial, &x, &err));
        assert_int_equal(trial, i + 1);
        assert_close(x, next_of(inner), 0);
        objectives_at(x, y);
        within += i >= 12 && x > 0.29 && x < 0.71;
        assert_ok(tacit_optimizer_tell_outcomes(o, trial, NULL, y, &err));
    }
    assert_true(within >= 10); /* what the two objectives disagree about */
    tc_optimizer_free(inner);
    tacit_optimizer_free(o);
    tacit_space_free(space);
}

static void what_several_objectives_refuse(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_space *space = line();
    tacit_optimizer *o = NULL;
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    const tacit_direction five[4] = {TACIT_MINIMIZE, TACIT_MINIMIZE, TACIT_MINIMIZE,
                                     TACIT_MINIMIZE};
    uint64_t trial = 99;
    double x = 0.5, y[2] = {1, NAN}, outside = 2;
    opts.direction = TACIT_MINIMIZE;
    opts.n_others = 1;
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG,
                 "opts.others must not be NULL");
    opts.others = (const tacit_direction[]){(tacit_direction)7};
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG,
                 "others[0] must be TACIT_MINIMIZE or TACIT_MAXIMIZE, got 7");
    opts.others = five;
    opts.n_others = 4;
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_ARG,
                 "a study has 1 to 4 objectives, got 5");
    opts.n_others = 1;
    opts.algorithm = "ts";
    assert_fails(tacit_optimizer_new(&o, space, &opts, &err), TACIT_E_UNSUPPORTED,
                 "algorithm ts takes one objective and no outcome constraints; gp-ei, random and "
                 "sobol take more");
    o = made_of_two(space, "random");
    assert_fails(tacit_optimizer_add_outcomes(o, &x, y, &trial, &err), TACIT_E_ARG,
                 "value must be a finite number, got nan");
    y[1] = 1;
    assert_fails(tacit_optimizer_add_outcomes(o, &outside, y, &trial, &err), TACIT_E_ARG, "x");
    assert_fails(tacit_optimizer_add(o, &x, 1, &trial, &err), TACIT_E_ARG,
                 "the optimizer has 2 objectives: give the value of each");
    assert_ok(tacit_optimizer_ask(o, &trial, &x, &err));
    assert_int_equal(trial, 0); /* what was refused is no trial */
    assert_fails(tacit_optimizer_tell(o, 0, 1, &err), TACIT_E_ARG,
                 "the optimizer has 2 objectives");
    assert_fails(tacit_optimizer_tell_at(o, 0, &x, 1, &err), TACIT_E_ARG,
                 "the optimizer has 2 objectives");
    assert_ok(tacit_optimizer_tell_outcomes(o, 0, &x, y, &err));
    assert_fails(tacit_optimizer_best(o, NULL, NULL, NULL, &err), TACIT_E_UNSUPPORTED,
                 "the optimizer has 2 objectives, and so no best trial");
    tacit_optimizer_free(o);
    tacit_space_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_its_options),
        cmocka_unit_test(takes_options_of_later_versions_that_are_0),
        cmocka_unit_test(asks_and_tells),
        cmocka_unit_test(points_of_one_s_own_are_trials),
        cmocka_unit_test(a_refused_point_leaves_no_trial),
        cmocka_unit_test(several_objectives_are_searched),
        cmocka_unit_test(what_several_objectives_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
