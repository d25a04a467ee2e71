/* identity_test.c - the identity of a simulation: whatever changes a run changes it, and what
 * does not leaves it alone. simulation_resume_test.c has what follows for checkpoints. And how many initial points there
 * are. */
#include "support/federated_world.h"

#include "sim/step_source.h"

#include <tacit/tacit.h>

/* Caller: tc_text_fini. */
static tc_text identity(const tc_simulation *f)
{
    tacit_error err = {0};
    tc_run_shape shape;
    tc_text text = {0};
    assert_ok(f->source->shape(f, &shape, &err));
    assert_ok(tc_simulation_identity(f, &shape, &text, &err));
    return text;
}

static bool same_identity(const tc_simulation *a, const tc_simulation *b)
{
    tc_text x = identity(a), y = identity(b);
    bool same = strcmp(tc_text_get(&x), tc_text_get(&y)) == 0;
    tc_text_fini(&x);
    tc_text_fini(&y);
    return same;
}

static void test_it_begins_with_the_version(void **state)
{
    (void)state;
    setup s;
    make(&s, "fts", "{}");
    tc_text text = identity(&s.f);
    const char *expected = "tacit " TACIT_VERSION "\nfts\ngp-family\n{";
    assert_int_equal(strncmp(tc_text_get(&text), expected, strlen(expected)), 0);
    tc_text_fini(&text);
    end(&s);
}

static void test_what_changes_a_run(void **state)
{
    (void)state;
    setup s;
    make(&s, "ts", "{}");
    s.f.delta = 1e-5;
    tc_simulation v[15];
    size_t n = 0;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        v[i] = s.f;
    v[n++].agents++;
    v[n++].trials++;
    v[n++].initial = 30;
    v[n++].seed++;
    v[n++].drop = 0.25;
    v[n++].past = 4;
    v[n++].acting = 2;
    v[n++].paired = true;
    v[n++].epsilon = 1; /* alone: delta is as it was */
    v[n++].delta = 1e-6;
    v[n++].by_agent = true;
    v[n++].units.scale = 2;
    v[n++].units.shift = 2;
    v[n++].units.negate = true;
    n++; /* as it was */
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            assert_int_equal(same_identity(&v[a], &v[b]), a == b);
    end(&s);
}

static void test_what_does_not(void **state)
{
    (void)state;
    setup s;
    make(&s, "ts", "{}");
    tc_simulation other = s.f;
    other.runs = 100;
    other.checkpoint = "elsewhere";
    assert_true(same_identity(&s.f, &other));
    end(&s);
}

/* Whose, where and what: every number of a trial that was given. */
static void test_trials_that_were_given(void **state)
{
    (void)state;
    setup s;
    double points[4][2] = {{1, 0}, {2, 0}, {1, 1}, {2, 0}};
    make(&s, "ts", "{}");
    s.f.family.objective.grid = 0;
    s.f.objective = "branin"; /* of two parameters */
    s.f.agents = 2;
    tacit_known_trial known[5][2];
    tc_simulation v[5];
    for (size_t i = 0; i < 5; i++) {
        known[i][0] = (tacit_known_trial){.agent = 0, .values = points[0], .value = 1};
        known[i][1] = (tacit_known_trial){.agent = 1, .values = points[1], .value = 2};
        v[i] = s.f;
        v[i].known = known[i];
        v[i].n_known = 2;
    }
    known[1][1].value = 2.5;
    known[2][0].values = points[2]; /* the second number alone */
    known[3][0].agent = 1;
    known[3][1].agent = 0;
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 5; b++)
            assert_int_equal(same_identity(&v[a], &v[b]), a == b || a % 4 == b % 4);
    known[4][1].values = points[3]; /* elsewhere in memory, and the same */
    assert_true(same_identity(&v[0], &v[4]));
    end(&s);
}

/* ---- initial points ---- */

static uint64_t initial_points(const char *algorithm, const char *options, uint64_t rounds)
{
    tacit_error err = {0};
    setup s;
    uint64_t chosen, all;
    make(&s, algorithm, options);
    s.f.trials = rounds;
    assert_ok(tc_simulation_begin(&s.f, &chosen, &err));
    assert_ok(tc_simulation_initial(&s.f, &all, &err));
    assert_int_equal(chosen, all);
    end(&s);
    return chosen;
}

/* A third of all trials, which are the initial ones and those of the rounds. */
static void test_initial_points_follow_the_rounds(void **state)
{
    static const uint64_t cases[][2] = {{1, 3},  {6, 3},  {8, 3},  {9, 4},   {11, 5}, {12, 5},
                                        {16, 7}, {19, 9}, {20, 9}, {21, 10}, {40, 10}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(initial_points("dp-fts-de", "{}", cases[i][0]), cases[i][1]);
    assert_int_equal(initial_points("dp-fts-de", "{\"initial\": 7}", 6), 7);
    assert_int_equal(initial_points("dp-fts-de", "{\"initial\": 0, \"own\": \"features\"}", 6), 0);
    assert_int_equal(initial_points("fts", "{\"initial\": 2}", 6), 2);
    assert_int_equal(initial_points("ts", "{\"init\": 5}", 6), 5);
    assert_int_equal(initial_points("random", "{}", 6), 0);
}

/* What was found is what the agents have: every round comes, and the first after so many points. */
static void test_agents_have_as_many(void **state)
{
    (void)state;
    setup s;
    make(&s, "dp-fts-de", "{\"features\": 8, \"releases\": \"all\"}");
    s.f.agents = 3;
    s.f.trials = 9;
    s.f.runs = 1;
    tacit_curves r = run(&s.f);
    assert_int_equal(r.initial, 4);
    assert_int_equal(r.counts[0].sent.releases, 9);
    assert_int_equal(r.counts[0].sent.refusals, 0);
    tacit_curves_fini(&r);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_begins_with_the_version),
        cmocka_unit_test(test_what_changes_a_run),
        cmocka_unit_test(test_what_does_not),
        cmocka_unit_test(test_trials_that_were_given),
        cmocka_unit_test(test_initial_points_follow_the_rounds),
        cmocka_unit_test(test_agents_have_as_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
