/* outcome_search_test.c - gp-ei with outcome constraints and several objectives: what it finds, what it recommends, what it
 * journals. The suite of conformance has replays, threads, parallel trials and all kinds of spaces. */
#include "support/test.h"

#include "algo/history.h"
#include "algo/optimizer.h"
#include "algo/single/outcome_search.h"
#include "num/pareto.h"

enum { MOST = 64 };

typedef struct fixture {
    tc_space *space;
    tc_optimizer *o;
    void (*evaluate)(const double *x, double *y); /* y: the value, then other outcomes */
    size_t n_more;
} fixture;

static int setup(void **state)
{
    static fixture f;
    tacit_error err = {0};
    memset(&f, 0, sizeof f);
    assert_ok(tc_space_new(&f.space, &err));
    assert_ok(tc_space_add_float(f.space, "x", 0, 1, 0, false, &err));
    assert_ok(tc_space_add_float(f.space, "y", 0, 1, 0, false, &err));
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

static tc_optimizer *make_with(const fixture *f, const tc_space *space, const char *algorithm,
                               const tc_outcomes *wanted)
{
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(algorithm),
                               .space = space,
                               .maximize = wanted->maximize[0],
                               .outcomes = wanted,
                               .public_seed = tc_public_seed_from(f->n_more),
                               .party_seed = tc_party_seed_from(f->n_more)};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    return o;
}

static void make(fixture *f, const char *algorithm, const tc_outcomes *wanted,
                 void (*evaluate)(const double *x, double *y))
{
    tc_optimizer_free(f->o);
    f->evaluate = evaluate;
    f->n_more = tc_outcomes_more(wanted);
    f->o = make_with(f, f->space, algorithm, wanted);
}

/* Applies what comes before the ask, and the ask. */
static uint64_t ask(tc_optimizer *o)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &req, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    return e.trial;
}

static void tell(const fixture *f, uint64_t trial, const double *x)
{
    tacit_error err = {0};
    tc_event e;
    double y[8];
    f->evaluate(x, y);
    assert_ok(tc_optimizer_tell_outcomes(f->o, trial, NULL, y[0], y + 1, f->n_more, 1, &e, &err));
    assert_ok(tc_optimizer_apply(f->o, &e, &err));
}

static void run(const fixture *f, size_t trials)
{
    for (size_t i = 0; i < trials; i++) {
        const uint64_t trial = ask(f->o);
        tell(f, trial, tc_optimizer_trial(f->o, trial)->values);
    }
}

static size_t count_feasible(const tc_optimizer *o)
{
    size_t n = 0;
    for (size_t t = 0; t < tc_optimizer_trials(o); t++)
        n += tc_optimizer_feasible(o, tc_optimizer_trial(o, t));
    return n;
}

/* ---- constraints ---- */

/* Branin's function on the unit square, in the disk that has one of its three minima. */
static void branin_disk(const double *u, double *y)
{
    const double a = 15 * u[0] - 5, b = 15 * u[1];
    const double inner = b - 5.1 * a * a / (4 * M_PI * M_PI) + 5 * a / M_PI - 6;
    y[0] = inner * inner + 10 * (1 - 1 / (8 * M_PI)) * cos(a) + 10;
    y[1] = (a - 2.5) * (a - 2.5) + (b - 7.5) * (b - 7.5) - 50;
}

static const tc_outcomes at_most_zero = {.n_objectives = 1,
                                         .maximize = (const bool[]){false},
                                         .n_constraints = 1,
                                         .low = (const double[]){-INFINITY},
                                         .high = (const double[]){0}};

/* The minimum is 0.39789; of 40 random points the best feasible one is mostly above 1.5. */
static void test_finds_the_best_feasible_point(void **state)
{
    fixture *f = *state;
    make(f, "gp-ei", &at_most_zero, branin_disk);
    run(f, 40);
    assert_true(tc_optimizer_best(f->o)->value < 0.5);
    assert_true(tc_optimizer_best(f->o)->more[0] <= 0);
    assert_true(count_feasible(f->o) >= 20); /* nearly half of the square is not */
}

/* A disk of radius 0.1, and better values everywhere else. */
static void small_disk(const double *u, double *y)
{
    y[0] = u[0] + u[1];
    y[1] = hypot(u[0] - 0.62, u[1] - 0.79) - 0.1;
}

static void test_looks_for_a_feasible_point_first(void **state)
{
    fixture *f = *state;
    make(f, "gp-ei", &at_most_zero, small_disk);
    run(f, 6);
    assert_int_equal(count_feasible(f->o), 0);
    run(f, 24);
    assert_true(count_feasible(f->o) >= 5);
    assert_true(tc_optimizer_best(f->o)->value < 1.41 - 0.1 * M_SQRT2 + 0.02); /* on its edge */
}

/* Two constraints, one of them with two bounds: what is left is a band, 0.1 wide, above 0.5. */
static void band(const double *u, double *y)
{
    y[0] = (u[0] - 0.1) * (u[0] - 0.1) + 0.1 * u[1];
    y[1] = 10 * (u[0] - u[1]);
    y[2] = u[0] * u[1];
}

static void test_keeps_to_two_bounds(void **state)
{
    fixture *f = *state;
    const tc_outcomes wanted = {.n_objectives = 1,
                                .maximize = (const bool[]){false},
                                .n_constraints = 2,
                                .low = (const double[]){-0.5, 0.25},
                                .high = (const double[]){0.5, INFINITY}};
    make(f, "gp-ei", &wanted, band);
    run(f, 30);
    /* best at u v = 0.25, v = u + 0.05: u = 0.47562 */
    assert_true(tc_optimizer_best(f->o)->value < 0.193643 + 0.002);
    assert_true(count_feasible(f->o) >= 8);
}

/* On candidates the best feasible one is found among them. */
static void test_finds_the_best_feasible_candidate(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_domain *grid;
    tc_space *space;
    double x[2], y[2], best = INFINITY;
    assert_ok(
        tc_domain_grid(&grid, 2, (size_t[]){21, 21}, (double[]){0, 0}, (double[]){1, 1}, &err));
    assert_ok(tc_space_from_domain(&space, grid, &err));
    f->evaluate = branin_disk;
    f->n_more = 1;
    f->o = make_with(f, space, "gp-ei", &at_most_zero);
    for (int i = 0; i < 441; i++) {
        branin_disk((double[]){(i / 21) / 20.0, (i % 21) / 20.0}, y);
        best = y[1] <= 0 ? fmin(best, y[0]) : best;
    }
    for (int i = 0; i < 40; i++) {
        const uint64_t trial = ask(f->o);
        const size_t at = (size_t)tc_optimizer_trial(f->o, trial)->values[0];
        x[0] = (double)(at / 21) / 20, x[1] = (double)(at % 21) / 20;
        tell(f, trial, x);
    }
    assert_close(tc_optimizer_best(f->o)->value, best, 1e-12);
    tc_space_free(space);
}

/* ---- several objectives ---- */

/* The front is the line between two corners of the square: (t^2, (1-t)^2), of which the area up to (1, 1) is 5/6. */
static void two_corners(const double *u, double *y)
{
    y[0] = (u[0] * u[0] + u[1] * u[1]) / 2;
    y[1] = ((1 - u[0]) * (1 - u[0]) + (1 - u[1]) * (1 - u[1])) / 2;
    y[2] = u[0] - u[1];
}

static double area(const tc_optimizer *o)
{
    tacit_error err = {0};
    double rows[2 * MOST], out = 0;
    size_t n = 0;
    for (size_t t = 0; t < tc_optimizer_trials(o); t++) {
        const tc_trial *trial = tc_optimizer_trial(o, t);
        if (!tc_optimizer_feasible(o, trial))
            continue;
        rows[2 * n] = -trial->value;
        rows[2 * n++ + 1] = -trial->more[0];
    }
    assert_ok(tc_hypervolume(n, 2, rows, (double[]){-1, -1}, &out, &err));
    return out;
}

static void test_covers_the_front(void **state)
{
    fixture *f = *state;
    const tc_outcomes wanted = {.n_objectives = 2, .maximize = (const bool[]){false, false}};
    make(f, "gp-ei", &wanted, two_corners);
    run(f, 40);
    assert_true(area(f->o) > 0.8);
    make(f, "random", &wanted, two_corners);
    run(f, 40);
    assert_true(area(f->o) < 0.78);
}

/* The half of the square below the diagonal: the front is the same line, on the edge of it. */
static void test_covers_the_feasible_front(void **state)
{
    fixture *f = *state;
    const tc_outcomes wanted = {.n_objectives = 2,
                                .maximize = (const bool[]){false, false},
                                .n_constraints = 1,
                                .low = (const double[]){0.2},
                                .high = (const double[]){INFINITY}};
    make(f, "gp-ei", &wanted, two_corners);
    run(f, 40);
    /* x - y >= 0.2: both objectives are worse by 0.01, and the ends of the line are missing */
    assert_true(area(f->o) > 0.77);
    assert_true(count_feasible(f->o) >= 20);
}

/* Trials that run are believed to be on the front already, so that others look elsewhere. */
static void test_parallel_trials_spread_over_the_front(void **state)
{
    fixture *f = *state;
    const tc_outcomes wanted = {.n_objectives = 2, .maximize = (const bool[]){false, false}};
    make(f, "gp-ei", &wanted, two_corners);
    run(f, 12);
    const double *open[4];
    for (size_t i = 0; i < 4; i++)
        open[i] = tc_optimizer_trial(f->o, ask(f->o))->values;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(hypot(open[i][0] - open[j][0], open[i][1] - open[j][1]) > 0.03);
}

static void test_reference_point(void **state)
{
    (void)state;
    double spare[5], out[2];
    const double Y[] = {3, 1, 2, 2, 1, 3, 0.5, 0.5, 0, 0}, nadir[] = {1, 0.25};
    tc_reference_point(5, 2, Y, nadir, spare, out); /* three tenths of all are at 0.5 */
    assert_close(out[0], 0.5 - 0.25, 1e-15);
    assert_close(out[1], 0.25 - 0.275, 1e-15);
    tc_reference_point(3, 2, Y, (double[]){1, 1}, spare, out);
    assert_close(out[0], 1 - 0.2, 1e-15);
    tc_reference_point(1, 2, Y, (double[]){3, 1}, spare,
                       out); /* nothing says how far values differ */
    assert_close(out[0], 3 - 0.01, 1e-15);
}

/* ---- a reference point that was given ---- */

static void two_corners_negated(const double *u, double *y)
{
    two_corners(u, y);
    y[0] = -y[0];
}

/* Trials from the 12th on that are better than the reference in both objectives. */
static size_t count_better(const tc_optimizer *o, const double *reference)
{
    size_t n = 0;
    for (size_t t = 12; t < tc_optimizer_trials(o); t++) {
        const tc_trial *trial = tc_optimizer_trial(o, t);
        n += trial->value < reference[0] && trial->more[0] < reference[1];
    }
    return n;
}

static void test_keeps_above_the_reference(void **state)
{
    fixture *f = *state;
    const double reference[] = {0.05, 0.75}, negated[] = {-0.05, 0.75};
    tc_outcomes wanted = {.n_objectives = 2, .maximize = (const bool[]){false, false}};
    make(f, "gp-ei", &wanted, two_corners);
    run(f, 36);
    const size_t without = count_better(f->o, reference);
    wanted.reference = reference;
    make(f, "gp-ei", &wanted, two_corners);
    run(f, 36);
    const size_t with = count_better(f->o, reference);
    assert_true(with >= 18 && with > without + 9);
    double points[36][2];
    for (size_t t = 0; t < 36; t++)
        memcpy(points[t], tc_optimizer_trial(f->o, t)->values, sizeof points[t]);
    /* In the direction of its objective. */
    wanted.maximize = (const bool[]){true, false};
    wanted.reference = negated;
    make(f, "gp-ei", &wanted, two_corners_negated);
    run(f, 36);
    for (size_t t = 0; t < 36; t++)
        assert_memory_equal(points[t], tc_optimizer_trial(f->o, t)->values, sizeof points[t]);
}

/* Where nothing can reach it, where everything does, and at the ends of what a double holds, asks go on, and differ. */
static void test_references_out_of_reach(void **state)
{
    fixture *f = *state;
    const double far[][2] = {{-1, -1},           {1e9, 1e9},        {-1e300, -1e300},
                             {1.7e308, 1.7e308}, {-1e300, 1.7e308}, {0, 0}};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        const tc_outcomes wanted = {
            .n_objectives = 2, .maximize = (const bool[]){false, false}, .reference = far[i]};
        make(f, "gp-ei", &wanted, two_corners);
        run(f, 20);
        for (size_t a = 12; a < 20; a++)
            for (size_t b = 0; b < a; b++)
                assert_true(memcmp(tc_optimizer_trial(f->o, a)->values,
                                   tc_optimizer_trial(f->o, b)->values, 2 * sizeof(double)) != 0);
    }
}

static void test_a_reference_is_a_number(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    const tc_outcomes wanted = {.n_objectives = 2,
                                .maximize = (const bool[]){false, false},
                                .reference = (const double[]){0, INFINITY}};
    const tc_optimizer_config cfg = {
        .algorithm = tc_algorithm_find("gp-ei"), .space = f->space, .outcomes = &wanted};
    assert_fails(tc_optimizer_new(&o, &cfg, &err), TACIT_E_ARG,
                 "reference 1 must be a finite number, got inf");
}

/* ---- what is recommended ---- */

static void test_recommends_what_is_likely_feasible(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_recommendation r;
    make(f, "gp-ei", &at_most_zero, small_disk);
    run(f, 6);
    assert_fails(tc_optimizer_recommend(f->o, TC_BY_MODEL, &r, &err), TACIT_E_UNSUPPORTED,
                 "nothing can be recommended by the model: gp-ei holds no point that was tried for "
                 "feasible yet");
    assert_ok(tc_optimizer_recommend(f->o, TC_BY_AUTO, &r, &err));
    assert_null(r.trial);
    assert_string_equal(r.because, "no trial keeps to all constraints yet");
    run(f, 24);
    assert_ok(tc_optimizer_recommend(f->o, TC_BY_MODEL, &r, &err));
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_true(r.trial->more[0] < 0.01); /* as good as on the edge */
    assert_true(r.trial->value < tc_optimizer_best(f->o)->value + 0.02);
    assert_close(r.mean, r.trial->value, 0.02);
    const tc_outcomes two = {.n_objectives = 2, .maximize = (const bool[]){false, false}};
    make(f, "gp-ei", &two, two_corners);
    run(f, 8);
    assert_fails(tc_optimizer_recommend(f->o, TC_BY_MODEL, &r, &err), TACIT_E_UNSUPPORTED,
                 "gp-ei has several objectives, which no single trial is best for");
    assert_ok(tc_optimizer_recommend(f->o, TC_BY_AUTO, &r, &err));
    assert_null(r.trial);
    assert_string_equal(r.because, "several objectives have a front, and no best trial");
}

/* The more of u[0] the better, and one half of it is allowed; what is told of that has an error of a tenth. */
static void noisy_edge(const double *u, double *y)
{
    const tc_public_seed seed = tc_public_seed_from(17);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, (uint64_t)(u[0] * 1e9));
    y[0] = -u[0] + 0.1 * (u[1] - 0.5) * (u[1] - 0.5);
    y[1] = u[0] - 0.5 + 0.1 * tc_draw_normal(&s);
}

/* A lucky value far beyond the edge is best seen; by the model it is not feasible. */
static void test_luck_is_not_recommended(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_recommendation r;
    make(f, "gp-ei", &at_most_zero, noisy_edge);
    for (int i = 0; i < 40; i++) {
        tc_event e;
        const double u[] = {(i + 0.5) / 40, 0.5};
        assert_ok(tc_optimizer_enqueue(f->o, u, 1, &e, &err));
        assert_ok(tc_optimizer_apply(f->o, &e, &err));
    }
    run(f, 40);
    ask(f->o);                                                     /* after a fit */
    assert_ok(tc_optimizer_recommend(f->o, TC_BY_AUTO, &r, &err)); /* noisy enough by itself */
    assert_int_equal(r.by, TC_BY_MODEL);
    assert_true(fabs(r.trial->values[0] - 0.5) < 0.07);
    assert_true(tc_optimizer_best(f->o)->values[0] > 0.57);
}

/* ---- what is journalled ---- */

static void test_a_fit_has_all_models(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event fit, before, after;
    make(f, "gp-ei", &at_most_zero, branin_disk);
    run(f, 8);
    assert_ok(tc_optimizer_next(f->o, &req, &fit, &err));
    assert_int_equal(fit.kind, TC_EVENT_FIT);
    assert_memory_equal(fit.body, "{\"fits\":[{\"n\":8,\"scale\":[", 25);
    assert_ok(tc_optimizer_apply(f->o, &fit, &err));
    assert_ok(tc_optimizer_next(f->o, &req, &before, &err));
    const double x = before.values[0];
    const char *const bad[] = {
        "{\"n\":8,\"scale\":[1,1],\"variance\":1,\"noise\":1}",
        "{\"fits\":[{\"n\":8,\"scale\":[1,1],\"variance\":1,\"noise\":1}]}",
        ("{\"fits\":[{\"n\":8,\"scale\":[1,1],\"variance\":1,\"noise\":1},"
         "{\"n\":8,\"scale\":[1],\"variance\":1,\"noise\":1}]}"),
        "{\"fits\":7}",
        "{}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tc_event e = {.kind = TC_EVENT_FIT, .body = bad[i]};
        assert_fails(tc_optimizer_apply(f->o, &e, &err), TACIT_E_CORRUPT,
                     "the journal holds a fit that does not fit this study: {");
    }
    assert_ok(tc_optimizer_next(f->o, &req, &after, &err)); /* none of them was taken in part */
    assert_int_equal(after.kind, TC_EVENT_ASK);
    assert_same_bits(after.values[0], x);
}

/* ---- values that are far off ---- */

/* A model raises what is far below all others; what violates a constraint stays outside of its bounds. */
static void test_a_far_violation_stays_one(void **state)
{
    fixture *f = *state;
    tacit_error err = {0};
    tc_history h;
    assert_ok(tc_history_init(&h, f->space, &err));
    assert_ok(tc_history_widen(&h, 2, &err));
    const tc_outcomes wanted = {.n_objectives = 1,
                                .maximize = (const bool[]){true},
                                .n_constraints = 2,
                                .low = (const double[]){0, -INFINITY},
                                .high = (const double[]){INFINITY, 0}};
    for (size_t i = 0; i < 8; i++) {
        const double told = i == 7 ? -1e9 : 100 + 1e-4 * (double)i;
        assert_ok(tc_history_reserve(&h, &err));
        tc_history_observe(&h, f->space, (double[]){0.1 * (double)i, 0.5}, 1);
        h.more[2 * i] = told;
        h.more[2 * i + 1] = -told;
    }
    tc_env env = {.space = f->space, .history = &h, .outcomes = &wanted};
    tc_model_opts opts = {
        .ard = true, .standardize = true, .lengthscale = 0.3, .variance = 1, .noise = 1e-6};
    tc_outcome_models m = {0};
    assert_ok(tc_outcome_models_init(&m, &env, &opts, &err));
    assert_ok(tc_outcome_models_sync(&m, &err));
    assert_ok(tc_outcome_models_look(&m, &err));
    for (size_t k = 1; k < 3; k++) {
        assert_true(m.model[k].z[7] < m.low[k] - 1e-3);
        assert_true(m.model[k].z[0] > m.low[k] && m.high[k] == INFINITY);
    }
    assert_true(tc_outcome_models_violation(&m, 7) > 1e-3);
    assert_true(tc_outcome_models_violation(&m, 6) == 0);
    tc_outcome_models_fini(&m);
    tc_history_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_finds_the_best_feasible_point, setup, teardown),
        cmocka_unit_test_setup_teardown(test_looks_for_a_feasible_point_first, setup, teardown),
        cmocka_unit_test_setup_teardown(test_keeps_to_two_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finds_the_best_feasible_candidate, setup, teardown),
        cmocka_unit_test_setup_teardown(test_covers_the_front, setup, teardown),
        cmocka_unit_test_setup_teardown(test_covers_the_feasible_front, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parallel_trials_spread_over_the_front, setup,
                                        teardown),
        cmocka_unit_test(test_reference_point),
        cmocka_unit_test_setup_teardown(test_keeps_above_the_reference, setup, teardown),
        cmocka_unit_test_setup_teardown(test_references_out_of_reach, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_reference_is_a_number, setup, teardown),
        cmocka_unit_test_setup_teardown(test_recommends_what_is_likely_feasible, setup, teardown),
        cmocka_unit_test_setup_teardown(test_luck_is_not_recommended, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_fit_has_all_models, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_far_violation_stays_one, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
