/* tree_optimizer_test.c - the tree bandits behind the contract of an optimizer. */
#include "support/test.h"

#include "support/bandit_client.h"

#include "algo/optimizer.h"
#include "base/json.h"

static tc_space *space_of(const char *text)
{
    tacit_error err = {0};
    tc_space *space = NULL;
    json_t *j = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "space", &j, &err));
    assert_ok(tc_space_from_json(&space, j, &err));
    json_decref(j);
    return space;
}

static tc_optimizer *make(const char *algorithm, const tc_space *s, uint64_t budget)
{
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    tc_optimizer_config cfg = {
        .algorithm = tc_algorithm_find(algorithm), .space = s, .maximize = true, .budget = budget};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    return o;
}

static const double *ask(tc_optimizer *o, uint64_t *trial)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    assert_ok(tc_optimizer_next(o, &req, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
    *trial = e.trial;
    return tc_optimizer_trial(o, e.trial)->values;
}

static void tell(tc_optimizer *o, uint64_t trial, const double *values, double y)
{
    tacit_error err = {0};
    tc_event e;
    assert_ok(tc_optimizer_tell(o, trial, values, y, 2, &e, &err));
    assert_ok(tc_optimizer_apply(o, &e, &err));
}

static double value(double x, double y, uint64_t t)
{
    return 0.9 - 0.5 * fabs(x - 0.3) - 0.3 * fabs(y - 0.8) +
           (double)bandit_noise(t, 0, 0, 1000) / 20000;
}

/* One trial after the other, an optimizer pulls what its bandit would. */
static void test_trials_are_the_pulls_of_the_bandit(void **state)
{
    (void)state;
    const char *const names[] = {"hct", "hoo", "blin"};
    tc_space *s = space_of("{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           " \"y\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}");
    for (size_t i = 0; i < 3; i++) {
        tacit_error err = {0};
        const tc_bandit *b = NULL;
        assert_ok(tc_bandit_get(&b, names[i], &err));
        bandit_client c = bandit_begin(b, 2, 1, 400, NULL);
        tc_optimizer *o = make(names[i], s, 400);
        for (uint64_t t = 0; t < 400; t++) {
            uint64_t trial;
            double u[2];
            const double *x = ask(o, &trial);
            tc_pulls p = bandit_ask(&c);
            b->point(c.state, p.arm, u);
            assert_same_bits(x[0], u[0]);
            assert_same_bits(x[1], u[1]);
            double y = value(x[0], x[1], t);
            tell(o, trial, NULL, y);
            bandit_tell(&c, p.arm, 1, tc_reward_of(y));
        }
        tc_optimizer_free(o);
        bandit_end(&c);
    }
    tc_space_free(s);
}

/* Trials in parallel lie in the same cell, at different points, and their values count. */
static void test_trials_in_parallel(void **state)
{
    (void)state;
    tc_space *s = space_of("{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}");
    tc_optimizer *o = make("hct", s, 1000);
    double late = 0;
    for (int round = 0; round < 100; round++) {
        uint64_t trial[4];
        double x[4];
        for (int i = 0; i < 4; i++) {
            x[i] = *ask(o, &trial[i]);
            for (int j = 0; j < i; j++)
                assert_true(x[i] != x[j]);
        }
        for (int i = 3; i >= 0; i--) {
            tell(o, trial[i], NULL, 1 - fabs(x[i] - 0.7));
            late += round >= 80 ? fabs(x[i] - 0.7) / 80 : 0;
        }
    }
    assert_true(late < 0.05);
    tc_optimizer_free(o);
    tc_space_free(s);
}

/* Values of points that nobody asked for lead to the cell they lie in, on scales of all kinds. */
static void test_other_points_count_where_they_lie(void **state)
{
    (void)state;
    const char *const texts[] = {
        "{\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 16}}",
        "{\"n\": {\"type\": \"float\", \"low\": 0, \"high\": 20, \"step\": 1}}",
        "{\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 100, \"log\": true}}",
        ("{\"n\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", "
         "\"g\", \"h\", \"i\", \"j\", \"k\", \"l\", \"m\", \"n\"]}}"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tc_space *s = space_of(texts[i]);
        tc_optimizer *o = make("hct", s, 1000);
        double good = 13, near = 0;
        for (int t = 0; t < 300; t++) {
            uint64_t trial;
            double asked = *ask(o, &trial);
            near += t >= 250 && fabs(asked - good) <= 1;
            tell(o, trial, t % 2 ? &good : NULL, t % 2 || asked == good ? 1 : 0.1);
        }
        assert_true(near >= 40);
        tc_optimizer_free(o);
        tc_space_free(s);
    }
}

static void test_the_range_of_rewards(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = space_of("{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}");
    json_t *options = json_pack("{s:f, s:f}", "low", 2.0, "high", 2.0);
    tc_optimizer *o = NULL;
    tc_optimizer_config cfg = {
        .algorithm = tc_algorithm_find("hct"), .options = options, .space = s, .maximize = true};
    assert_fails(tc_optimizer_new(&o, &cfg, &err), TACIT_E_ARG,
                 "hct: low must be below high, not 2 and 2");
    json_object_set_new(options, "low", json_real(-10));
    tc_optimizer *unit = make("hct", s, 0);
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    for (uint64_t t = 0; t < 200; t++) { /* the same rewards on another scale: the same trials */
        uint64_t a, b;
        double x = *ask(o, &a), y = value(x, 0.8, t);
        assert_same_bits(x, *ask(unit, &b));
        tell(o, a, NULL, 12 * y - 10);
        tell(unit, b, NULL, y);
    }
    tc_optimizer_free(o);
    tc_optimizer_free(unit);
    json_decref(options);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trials_are_the_pulls_of_the_bandit),
        cmocka_unit_test(test_trials_in_parallel),
        cmocka_unit_test(test_other_points_count_where_they_lie),
        cmocka_unit_test(test_the_range_of_rewards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
