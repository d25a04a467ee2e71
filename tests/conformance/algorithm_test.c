/* algorithm_test.c - what every registered algorithm must do, on every kind of space.
 *
 * A new algorithm is tested by being in the registry; there is nothing to add here. Options that make another algorithm
 * of it are a line in `variants`. */
#include "support/test.h"

#include "algo/batch.h"
#include "algo/optimizer.h"
#include "base/json.h"
#include "base/memory.h"

#include <stdio.h>

enum { TRIALS = 24, MAX_PARAMS = 8, SPACES = 6, MAX_MORE = 2 };

typedef struct journal {
    tc_event events[8 * TRIALS];
    double values[8 * TRIALS][MAX_PARAMS];
    double more[8 * TRIALS][MAX_MORE];
    char *bodies[8 * TRIALS];
    size_t n;
} journal;

static const char *space_text[SPACES] = {
    "{\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2},"
    " \"y\": {\"type\": \"float\", \"low\": 1e-3, \"high\": 10, \"log\": true}}",
    "{\"lr\": {\"type\": \"float\", \"low\": 0.1, \"high\": 1},"
    " \"layers\": {\"type\": \"int\", \"low\": 1, \"high\": 9},"
    " \"drop\": {\"type\": \"float\", \"low\": 0, \"high\": 0.5, \"step\": 0.1},"
    " \"kind\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\"]}}",
    NULL, /* finite: an 8 x 8 grid */
    "{\"rate\": {\"type\": \"float\", \"low\": 1e-3, \"high\": 1, \"log\": true,"
    " \"when\": {\"kind\": [\"a\", \"b\"]}},"
    " \"kind\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\"]},"
    " \"size\": {\"type\": \"choice\", \"choices\": [16, 32, 64, 128], \"ordered\": true},"
    " \"flag\": {\"type\": \"bool\"},"
    " \"way\": {\"type\": \"choice\", \"choices\": [1.5, 2.5, 9], \"when\": {\"flag\": true}},"
    " \"depth\": {\"type\": \"int\", \"low\": 1, \"high\": 9, \"when\": {\"kind\": \"c\"}}}",
    "{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
    " \"b\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
    " \"c\": {\"type\": \"float\", \"low\": 0, \"high\": 10},"
    " \"rate\": {\"type\": \"float\", \"low\": 1e-3, \"high\": 1, \"log\": true}}",
    "{\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2},"
    " \"n\": {\"type\": \"int\", \"low\": 1, \"high\": 9},"
    " \"drop\": {\"type\": \"float\", \"low\": 0, \"high\": 0.5, \"step\": 0.1},"
    " \"flag\": {\"type\": \"bool\"},"
    " \"kind\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\"]},"
    " \"way\": {\"type\": \"float\", \"low\": 0, \"high\": 1, \"when\": {\"flag\": true}}}",
};

/* The linear constraints of each; the first of space 4 leaves a hundredth of it. */
static const char *const linear_text[SPACES][3] = {
    [4] = {"10*a + 10*b + c <= 3", "rate + a <= 0.9"},
    [5] = {"x + drop <= 1", "n - 8*flag <= 4", "n + 10*drop >= 4"},
};

static tc_space *make_space(size_t kind)
{
    tacit_error err = {0};
    tc_space *space = NULL;
    if (space_text[kind]) {
        json_t *j = NULL;
        assert_ok(tc_json_parse(space_text[kind], strlen(space_text[kind]), "space", &j, &err));
        assert_ok(tc_space_from_json(&space, j, &err));
        json_decref(j);
        for (size_t k = 0; k < 3 && linear_text[kind][k]; k++)
            assert_ok(tc_space_add_linear(space, linear_text[kind][k], &err));
        return space;
    }
    tc_domain *grid = NULL;
    assert_ok(tc_domain_grid(&grid, 2, (size_t[]){8, 8}, (double[]){0, 0}, (double[]){1, 3}, &err));
    assert_ok(tc_space_from_domain(&space, grid, &err));
    return space;
}

/* Smooth in the encoding, best in the middle of everything. */
static double objective(const tc_space *s, const double *values)
{
    double u[64], sum = 0;
    assert_true(s->dim <= 64);
    tc_space_encode(s, values, u);
    for (size_t d = 0; d < s->dim; d++)
        sum -= (u[d] - 0.6) * (u[d] - 0.6) * (double)(d + 1);
    return sum;
}

/* The third outcome lies in its bounds at about half of all points. */
static const tc_outcomes bounded = {.n_objectives = 1,
                                    .maximize = (const bool[]){true},
                                    .n_constraints = 2,
                                    .low = (const double[]){-INFINITY, -0.5},
                                    .high = (const double[]){2, 0.5}};
static const tc_outcomes front = {.n_objectives = 2,
                                  .maximize = (const bool[]){true, false},
                                  .n_constraints = 1,
                                  .low = (const double[]){-0.5},
                                  .high = (const double[]){0.5}};

typedef struct variant {
    const char *algorithm, *options;
    const tc_outcomes *wanted;
} variant;

static const variant variants[] = {
    {"dp-fts-de", "{\"own\": \"features\"}", NULL},
    {"gp-ei", NULL, &bounded},
    {"gp-ei", NULL, &front},
    {"gp-ei", "{\"repeat\": \"yes\"}", &front},
    {"random", NULL, &front},
    {"sobol", NULL, &bounded},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

/* Of the present variant: options, NULL: the defaults; and outcomes beside the value, NULL: none. */
static const char *chosen;
static const tc_outcomes *wanted;

/* A distance from elsewhere, and a wave. */
static void other_outcomes(const tc_space *s, const double *values, double more[MAX_MORE])
{
    double u[64], sum = 0;
    tc_space_encode(s, values, u);
    for (size_t d = 0; d < s->dim; d++)
        sum += (u[d] - 0.2) * (u[d] - 0.2);
    more[0] = sum;
    more[1] = sin(5 * u[0]);
}

static tc_optimizer *make(const tc_algorithm *a, const tc_space *s, bool maximize, tc_pool *pool)
{
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    json_t *options = NULL;
    if (chosen)
        assert_ok(tc_json_parse(chosen, strlen(chosen), "options", &options, &err));
    tc_optimizer_config cfg = {.algorithm = a,
                               .options = options,
                               .space = s,
                               .maximize = maximize,
                               .outcomes = wanted,
                               .public_seed = tc_public_seed_from(7),
                               .party_seed = tc_party_seed_from(7),
                               .budget = TRIALS,
                               .pool = pool};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    json_decref(options);
    return o;
}

/* Keeps a copy of an event that outlives the optimizer that made it, then applies it. */
static void record(tc_optimizer *o, journal *j, const tc_event *e)
{
    tacit_error err = {0};
    size_t n_params = tc_optimizer_space(o)->n_params, i = j->n++;
    assert_true(i < 8 * TRIALS && n_params <= MAX_PARAMS);
    j->events[i] = *e;
    j->events[i].seq = i + 1;
    if (e->values) {
        memcpy(j->values[i], e->values, n_params * sizeof(double));
        j->events[i].values = j->values[i];
    }
    if (e->n_more > 0) {
        memcpy(j->more[i], e->more, e->n_more * sizeof(double));
        j->events[i].more = j->more[i];
    }
    if (e->body)
        j->events[i].body = j->bodies[i] = tc_strdup(e->body);
    assert_ok(tc_optimizer_apply(o, &j->events[i], &err));
}

static void forget(journal *j)
{
    for (size_t i = 0; i < j->n; i++)
        tc_free(j->bodies[i]);
    tc_free(j);
}

static uint64_t ask(tc_optimizer *o, journal *j)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1000};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &req, &e, &err));
        record(o, j, &e);
    } while (e.kind != TC_EVENT_ASK);
    return e.trial;
}

/* values: the point really run, or NULL. */
static void tell_values(tc_optimizer *o, journal *j, uint64_t trial, const double *values, double y,
                        const double *more)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_tell_outcomes(o, trial, values, y, more, tc_outcomes_more(wanted), 2000,
                                         &e, &err));
    record(o, j, &e);
}

static void tell_value(tc_optimizer *o, journal *j, uint64_t trial, const double *values, double y)
{
    double more[MAX_MORE];
    other_outcomes(tc_optimizer_space(o), tc_optimizer_trial(o, trial)->values, more);
    tell_values(o, j, trial, values, y, more);
}

static void tell(tc_optimizer *o, journal *j, uint64_t trial, double sign)
{
    double y = sign * objective(tc_optimizer_space(o), tc_optimizer_trial(o, trial)->values);
    tell_value(o, j, trial, NULL, y);
}

static void run(tc_optimizer *o, journal *j, size_t trials, double sign)
{
    for (size_t i = 0; i < trials; i++)
        tell(o, j, ask(o, j), sign);
}

static void assert_same_trials(const tc_optimizer *a, const tc_optimizer *b)
{
    size_t n_params = tc_optimizer_space(a)->n_params;
    assert_int_equal(tc_optimizer_trials(a), tc_optimizer_trials(b));
    for (uint64_t t = 0; t < tc_optimizer_trials(a); t++)
        for (size_t p = 0; p < n_params; p++)
            assert_same_bits(tc_optimizer_trial(a, t)->values[p],
                             tc_optimizer_trial(b, t)->values[p]);
}

static void for_each(void (*body)(const tc_algorithm *a))
{
    for (size_t i = 0; tc_algorithms()[i]; i++)
        body(tc_algorithms()[i]);
    for (size_t i = 0; i < VARIANTS; i++) {
        chosen = variants[i].options;
        wanted = variants[i].wanted;
        body(tc_algorithm_find(variants[i].algorithm));
    }
    chosen = NULL;
    wanted = NULL;
}

static void (*of_space)(const tc_algorithm *a, const tc_space *s); /* that for_all calls */

static void on_every_space(const tc_algorithm *a)
{
    for (size_t kind = 0; kind < SPACES; kind++) {
        tc_space *s = make_space(kind);
        of_space(a, s);
        tc_space_free(s);
    }
}

/* Calls body(algorithm, space) for every pair. */
static void for_all(void (*body)(const tc_algorithm *a, const tc_space *s))
{
    of_space = body;
    for_each(on_every_space);
}

static void check_asks(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    journal *j = tc_alloc(1, sizeof *j);
    tc_optimizer *o = make(a, s, true, NULL);
    run(o, j, TRIALS, 1);
    for (uint64_t t = 0; t < TRIALS; t++)
        assert_ok(tc_space_check(s, tc_optimizer_trial(o, t)->values, &err));
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_COMPLETE), TRIALS);
    tc_optimizer_free(o);
    forget(j);
}

static void check_replay(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    journal *j = tc_alloc(1, sizeof *j), *more = tc_alloc(1, sizeof *more);
    tc_optimizer *lived = make(a, s, true, NULL);
    run(lived, j, TRIALS - 3, 1);
    ask(lived, j); /* one stays open */
    tc_optimizer *replayed = make(a, s, true, NULL);
    for (size_t i = 0; i < j->n; i++)
        assert_ok(tc_optimizer_apply(replayed, &j->events[i], &err));
    size_t at = j->n;
    run(lived, j, 2, 1);
    more->n = at; /* the same sequence numbers */
    run(replayed, more, 2, 1);
    assert_same_trials(lived, replayed);
    tc_optimizer_free(lived);
    tc_optimizer_free(replayed);
    forget(j);
    for (size_t i = at; i < more->n; i++)
        tc_free(more->bodies[i]);
    tc_free(more);
}

/* A trial that ran to its end, whatever the model thinks of the others. Private replies have no intermediate values. */
static void check_recommended(const tc_optimizer *o, const tc_algorithm *a)
{
    tacit_error err = {0};
    tc_recommendation r;
    if (tc_algorithm_takes_replies(a))
        return;
    const tacit_status status = tc_optimizer_recommend(o, TC_BY_MODEL, &r, &err);
    if (status == TACIT_OK) {
        assert_int_equal(r.by, TC_BY_MODEL);
        assert_int_equal(r.trial->state, TC_TRIAL_COMPLETE);
    } else if (status != TACIT_E_UNSUPPORTED && status != TACIT_E_STATE)
        fail_msg("%s: %s", a->name, err.msg);
}

/* Every third trial is ended early: its last value is learned like any other, so the proposals are those of a study in which it was
 * complete, and a replay has the same bits. */
static void check_pruned(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    if (wanted) /* a report is of one value: outcomes_test */
        return;
    tc_optimizer *o = make(a, s, true, NULL), *whole = make(a, s, true, NULL);
    tc_optimizer *again = make(a, s, true, NULL);
    journal *j = tc_alloc(1, sizeof *j), *k = tc_alloc(1, sizeof *k);
    for (size_t i = 0; i < TRIALS; i++) {
        uint64_t trial = ask(o, j);
        assert_int_equal(ask(whole, k), trial);
        tell(whole, k, trial, 1);
        if (i % 3) {
            tell(o, j, trial, 1);
            continue;
        }
        tc_event e;
        bool same;
        const tc_step at = {2, objective(s, tc_optimizer_trial(o, trial)->values)};
        assert_ok(tc_optimizer_report(o, trial, &at, 5, &e, &same, &err));
        record(o, j, &e);
        assert_ok(tc_optimizer_prune(o, trial, NULL, 6, &e, &err));
        record(o, j, &e);
    }
    for (size_t i = 0; i < TRIALS; i++)
        assert_memory_equal(tc_optimizer_trial(o, i)->values, tc_optimizer_trial(whole, i)->values,
                            s->n_params * sizeof(double));
    for (size_t i = 0; i < j->n; i++)
        assert_ok(tc_optimizer_apply(again, &j->events[i], &err));
    uint64_t trial = ask(o, j);
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(again, &(tc_ask_request){.now_ms = 1000}, &e, &err));
        e.seq = 0;
        assert_ok(tc_optimizer_apply(again, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    assert_memory_equal(tc_optimizer_trial(again, trial)->values,
                        tc_optimizer_trial(o, trial)->values, s->n_params * sizeof(double));
    assert_int_equal(tc_optimizer_count(again, TC_TRIAL_PRUNED), (TRIALS + 2) / 3);
    check_recommended(o, a);
    tc_optimizer_free(o);
    tc_optimizer_free(whole);
    tc_optimizer_free(again);
    forget(j);
    forget(k);
}

static void check_direction(const tc_algorithm *a, const tc_space *s)
{
    journal *up = tc_alloc(1, sizeof *up), *down = tc_alloc(1, sizeof *down);
    tc_optimizer *max = make(a, s, true, NULL), *min = make(a, s, false, NULL);
    run(max, up, TRIALS, 1);
    run(min, down, TRIALS, -1);
    assert_same_trials(max, min);
    const tc_trial *best = tc_optimizer_best(max);
    assert_int_equal(best != NULL, !wanted || wanted->n_objectives == 1);
    if (best)
        assert_int_equal(best->number, tc_optimizer_best(min)->number);
    tc_optimizer_free(max);
    tc_optimizer_free(min);
    forget(up);
    forget(down);
}

static void check_threads(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    tc_pool *pool = NULL;
    assert_ok(tc_pool_new(&pool, 3, &err));
    journal *one = tc_alloc(1, sizeof *one), *three = tc_alloc(1, sizeof *three);
    tc_optimizer *serial = make(a, s, true, NULL), *parallel = make(a, s, true, pool);
    run(serial, one, TRIALS, 1);
    run(parallel, three, TRIALS, 1);
    assert_same_trials(serial, parallel);
    tc_optimizer_free(serial);
    tc_optimizer_free(parallel);
    forget(one);
    forget(three);
    tc_pool_free(pool);
}

static bool same_point(const tc_space *s, const double *a, const double *b)
{
    return memcmp(a, b, s->n_params * sizeof *a) == 0;
}

/* Values of inactive parameters are the canonical ones, whatever was said of them: nobody sees a difference that
 * makes none. */
static void check_inactive_values_do_nothing(const tc_algorithm *a, const tc_space *s)
{
    if (s->n_conditional == 0)
        return;
    journal *j = tc_alloc(1, sizeof *j), *k = tc_alloc(1, sizeof *k);
    tc_optimizer *plain = make(a, s, true, NULL), *other = make(a, s, true, NULL);
    for (int i = 0; i < TRIALS; i++) {
        double values[MAX_PARAMS], same[MAX_PARAMS];
        uint64_t t = ask(plain, j);
        assert_int_equal(ask(other, k), t);
        memcpy(values, tc_optimizer_trial(plain, t)->values, s->n_params * sizeof *values);
        memcpy(same, values, sizeof same);
        tc_space_make_canonical(s, same);
        assert_memory_equal(same, values, s->n_params * sizeof *values);
        for (size_t p = 0; p < s->n_params; p++)
            values[p] = tc_space_active(s, values, p) ? values[p] : NAN;
        double y = objective(s, values);
        tell_value(plain, j, t, NULL, y);
        tell_value(other, k, t, values, y);
    }
    assert_same_trials(plain, other);
    tc_optimizer_free(plain);
    tc_optimizer_free(other);
    forget(j);
    forget(k);
}

/* Trials handed out together never share a point; random and sobol do not look at each other,
 * but on these spaces their points differ as well unless the space is small. */
static void check_open_trials_differ(const tc_algorithm *a, const tc_space *s)
{
    journal *j = tc_alloc(1, sizeof *j);
    tc_optimizer *o = make(a, s, true, NULL);
    run(o, j, TRIALS / 2, 1);
    for (int i = 0; i < 4; i++)
        ask(o, j);
    uint64_t last = tc_optimizer_trials(o) - 1;
    bool looks = a->optimizer->fit != NULL;
    for (uint64_t t = 0; looks && t < 4; t++)
        for (uint64_t u = 0; u < t; u++)
            assert_false(same_point(s, tc_optimizer_trial(o, last - t)->values,
                                    tc_optimizer_trial(o, last - u)->values));
    tc_optimizer_free(o);
    forget(j);
}

/* From the very first ask on, while there are points that nobody has. */
static void check_small_spaces_are_shared(const tc_algorithm *a)
{
    static const char text[] = "{\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 5},"
                               " \"c\": {\"type\": \"choice\", \"choices\": [\"x\", \"y\"]}}";
    tacit_error err = {0};
    json_t *doc = NULL;
    tc_space *s = NULL;
    assert_ok(tc_json_parse(text, sizeof text - 1, "space", &doc, &err));
    assert_ok(tc_space_from_json(&s, doc, &err));
    journal *j = tc_alloc(1, sizeof *j);
    tc_optimizer *o = make(a, s, true, NULL);
    for (int i = 0; i < 10; i++)
        ask(o, j);
    for (uint64_t t = 0; t < 10; t++)
        for (uint64_t u = 0; u < t; u++)
            assert_false(
                same_point(s, tc_optimizer_trial(o, t)->values, tc_optimizer_trial(o, u)->values));
    ask(o, j); /* all are out: one of them again */
    tc_optimizer_free(o);
    forget(j);
    tc_space_free(s);
    json_decref(doc);
}

/* A branch without parameters is one point, beside others that have a continuous one: it is asked once at a time. */
static void check_a_bare_branch_is_one_point(const tc_algorithm *a)
{
    static const char text[] = "{\"k\": {\"type\": \"choice\", \"choices\": [\"bare\", \"x\"]},"
                               " \"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1,"
                               " \"when\": {\"k\": \"x\"}}}";
    tacit_error err = {0};
    json_t *doc = NULL;
    tc_space *s = NULL;
    assert_ok(tc_json_parse(text, sizeof text - 1, "space", &doc, &err));
    assert_ok(tc_space_from_json(&s, doc, &err));
    journal *j = tc_alloc(1, sizeof *j);
    tc_optimizer *o = make(a, s, true, NULL);
    for (uint64_t t = 0; t < 8; t++) {
        ask(o, j);
        for (uint64_t u = 0; u < t; u++)
            assert_false(
                same_point(s, tc_optimizer_trial(o, t)->values, tc_optimizer_trial(o, u)->values));
    }
    tc_optimizer_free(o);
    forget(j);
    tc_space_free(s);
    json_decref(doc);
}

/* Values at the ends of what a double holds, a constant, a penalty: asks go on. */
static void check_strange_values(const tc_algorithm *a, const tc_space *s)
{
    const double strange[] = {1.7976931348623157e308, -1.7976931348623157e308, 5e-324, 0, 1, 1};
    journal *j = tc_alloc(1, sizeof *j);
    tc_optimizer *o = make(a, s, false, NULL);
    for (size_t i = 0; i < 18; i++)
        tell_values(o, j, ask(o, j), NULL, strange[i % 6],
                    (double[]){strange[(i + 2) % 6], strange[i / 2 % 6]});
    ask(o, j);
    tc_optimizer_free(o);
    forget(j);
}

static void check_failed_points_are_left(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    journal *j = tc_alloc(1, sizeof *j);
    tc_optimizer *o = make(a, s, true, NULL);
    tc_event e;
    run(o, j, TRIALS / 2, 1);
    uint64_t failed = ask(o, j);
    assert_ok(tc_optimizer_fail(o, failed, "exit status 1", 2000, &e, &err));
    record(o, j, &e);
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_FAIL), 1);
    bool looks = a->optimizer->fit != NULL;
    for (int i = 0; i < 6; i++) {
        uint64_t t = ask(o, j);
        if (looks)
            assert_false(same_point(s, tc_optimizer_trial(o, t)->values,
                                    tc_optimizer_trial(o, failed)->values));
        tell(o, j, t, 1);
    }
    tc_optimizer_free(o);
    forget(j);
}

/* A journal in which every third trial fails and is deleted, at once or two trials later, while another one is open: read
 * again, it proposes the same. */
static void check_deleted(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    journal *j = tc_alloc(1, sizeof *j);
    tc_optimizer *o = make(a, s, true, NULL), *again = make(a, s, true, NULL);
    uint64_t failed = UINT64_MAX;
    for (size_t i = 0; i < TRIALS; i++) {
        uint64_t trial = ask(o, j);
        tc_event e;
        bool same;
        if (i % 3 == 1) {
            assert_ok(tc_optimizer_fail(o, trial, "exit status 1", 2000, &e, &err));
            record(o, j, &e);
            failed = trial;
        }
        if (failed != UINT64_MAX && (i % 3 == 0 || i % 2 == 0)) {
            assert_ok(tc_optimizer_delete(o, failed, 3000, &e, &same, &err));
            record(o, j, &e);
            failed = UINT64_MAX;
        }
        if (i % 3 != 1)
            tell(o, j, trial, 1);
    }
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_DELETED), TRIALS / 3);
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_FAIL), 0);
    for (size_t i = 0; i < j->n; i++) {
        if (j->events[i].kind == TC_EVENT_ASK) {
            tc_event e;
            assert_ok(tc_optimizer_next(again, &(tc_ask_request){.now_ms = 1000}, &e, &err));
            assert_int_equal(e.trial, j->events[i].trial);
            assert_memory_equal(e.values, j->events[i].values, s->n_params * sizeof(double));
        }
        assert_ok(tc_optimizer_apply(again, &j->events[i], &err));
    }
    tc_optimizer_free(o);
    tc_optimizer_free(again);
    forget(j);
}

/* One trial of up to `most` pulls, all of the same value; returns how many it was. */
static uint64_t run_batch(tc_optimizer *o, journal *j, uint64_t most)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1000, .pulls = most};
    tc_batch told = {0};
    tc_event e;
    int64_t reward;
    assert_ok(tc_optimizer_next(o, &req, &e, &err));
    assert_int_equal(e.kind, TC_EVENT_ASK);
    assert_true(e.pulls >= 1 && e.pulls <= most);
    uint64_t trial = e.trial, pulls = e.pulls;
    record(o, j, &e);
    double y = 1 + objective(tc_optimizer_space(o), tc_optimizer_trial(o, trial)->values) / 9;
    assert_ok(tc_optimizer_reward(o, y, &reward, &err));
    assert_true(reward >= 0 && reward <= TC_BATCH_ONE);
    for (uint64_t i = 0; i < pulls; i++)
        tc_batch_add(&told, reward);
    assert_ok(tc_optimizer_tell_batch(o, trial, NULL, &told, 2000, &e, &err));
    record(o, j, &e);
    return pulls;
}

/* Batches pull what single trials pull, and are replayed. */
static void check_batches(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    if (!a->optimizer->batch)
        return;
    journal *j = tc_alloc(1, sizeof *j), *singles = tc_alloc(1, sizeof *singles);
    tc_optimizer *lived = make(a, s, true, NULL), *slow = make(a, s, true, NULL);
    tc_optimizer *replayed = make(a, s, true, NULL);
    for (uint64_t t = 0, pulls = 0; pulls < TRIALS; t++)
        for (uint64_t left = run_batch(lived, j, 5); left > 0; left--, pulls++) {
            assert_int_equal(run_batch(slow, singles, 1), 1);
            for (size_t p = 0; p < s->n_params; p++)
                assert_same_bits(tc_optimizer_trial(slow, pulls)->values[p],
                                 tc_optimizer_trial(lived, t)->values[p]);
        }
    for (size_t i = 0; i < j->n; i++)
        assert_ok(tc_optimizer_apply(replayed, &j->events[i], &err));
    assert_same_trials(lived, replayed);
    assert_int_equal(tc_optimizer_pulls(replayed, TC_TRIAL_COMPLETE), TRIALS);
    tc_optimizer_free(lived);
    tc_optimizer_free(slow);
    tc_optimizer_free(replayed);
    forget(j);
    forget(singles);
}

static void check_options(const tc_algorithm *a, const tc_space *s)
{
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    json_t *bad = json_pack("{s:i}", "no-such-option", 1);
    tc_optimizer_config cfg = {.algorithm = a, .options = bad, .space = s};
    assert_fails(tc_optimizer_new(&o, &cfg, &err), TACIT_E_ARG, "no-such-option");
    assert_null(o);
    json_decref(bad);
    for (const tc_option *option = a->options; option->name; option++) {
        assert_non_null(option->help);
        assert_ptr_equal(tc_options_find(a->options, option->name), option);
    }
}

static void test_asks_are_points_of_the_space(void **state)
{
    (void)state;
    for_all(check_asks);
}

static void test_replay_gives_the_same_bits(void **state)
{
    (void)state;
    for_all(check_replay);
}

static void test_inactive_values_do_nothing(void **state)
{
    (void)state;
    for_all(check_inactive_values_do_nothing);
}

static void test_a_bare_branch_is_one_point(void **state)
{
    (void)state;
    for_each(check_a_bare_branch_is_one_point);
}

static void test_pruned_trials_are_learned(void **state)
{
    (void)state;
    for_all(check_pruned);
}

static void test_minimising_is_maximising_the_negative(void **state)
{
    (void)state;
    for_all(check_direction);
}

static void test_threads_do_not_change_bits(void **state)
{
    (void)state;
    for_all(check_threads);
}

static void test_open_trials_differ(void **state)
{
    (void)state;
    for_all(check_open_trials_differ);
}

static void test_small_spaces_are_shared(void **state)
{
    (void)state;
    for_each(check_small_spaces_are_shared);
}

static void test_strange_values(void **state)
{
    (void)state;
    for_all(check_strange_values);
}

/* The same few candidates again and again, with less noise than a pivot can show. */
static void test_repeats_without_noise(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_domain *three = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&three, 1, (size_t[]){3}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, three, &err));
    json_t *options = json_pack("{s:f, s:b}", "noise", 1e-15, "fit", 0);
    for (size_t i = 0; tc_algorithms()[i]; i++) {
        const tc_algorithm *a = tc_algorithms()[i];
        tc_optimizer_config cfg = {.algorithm = a,
                                   .options = tc_options_find(a->options, "fit") ? options : NULL,
                                   .space = s,
                                   .maximize = true};
        journal *j = tc_alloc(1, sizeof *j);
        tc_optimizer *o = NULL;
        assert_ok(tc_optimizer_new(&o, &cfg, &err));
        run(o, j, 20, 1);
        tc_optimizer_free(o);
        forget(j);
    }
    json_decref(options);
    tc_space_free(s);
}

static void test_failed_points_are_not_asked_again(void **state)
{
    (void)state;
    for_all(check_failed_points_are_left);
}

static void test_deleted_trials_replay(void **state)
{
    (void)state;
    for_all(check_deleted);
}

static void test_batches_are_single_pulls(void **state)
{
    (void)state;
    for_all(check_batches);
}

static void test_options_are_checked_and_documented(void **state)
{
    (void)state;
    for_all(check_options);
}

/* Beside options a study document has these. */
static void test_no_option_is_called_like_a_key_of_documents(void **state)
{
    (void)state;
    for (size_t i = 0; tc_algorithms()[i]; i++) {
        assert_null(tc_options_find(tc_algorithms()[i]->options, "name"));
        assert_null(tc_options_find(tc_algorithms()[i]->options, "version"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asks_are_points_of_the_space),
        cmocka_unit_test(test_replay_gives_the_same_bits),
        cmocka_unit_test(test_inactive_values_do_nothing),
        cmocka_unit_test(test_pruned_trials_are_learned),
        cmocka_unit_test(test_a_bare_branch_is_one_point),
        cmocka_unit_test(test_minimising_is_maximising_the_negative),
        cmocka_unit_test(test_threads_do_not_change_bits),
        cmocka_unit_test(test_open_trials_differ),
        cmocka_unit_test(test_small_spaces_are_shared),
        cmocka_unit_test(test_strange_values),
        cmocka_unit_test(test_repeats_without_noise),
        cmocka_unit_test(test_failed_points_are_not_asked_again),
        cmocka_unit_test(test_deleted_trials_replay),
        cmocka_unit_test(test_batches_are_single_pulls),
        cmocka_unit_test(test_options_are_checked_and_documented),
        cmocka_unit_test(test_no_option_is_called_like_a_key_of_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
