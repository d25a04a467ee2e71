/* answers_test.c - replies of simulated users: their law, their seeds, their cost; and a whole run
 * against a loop written out by hand. */
#include "support/test.h"

#include "sim/answers.h"
#include "sim/curve_file.h"
#include "sim/runs.h"
#include "sim/simulation.h"

#include "algo/optimizer.h"

#include <jansson.h>

static tc_answers answers_of(const char *algorithm, const char *options, const tc_reply *reply)
{
    tacit_error err = {0};
    json_t *j = json_loads(options, 0, NULL);
    tc_answers a;
    assert_non_null(j);
    assert_ok(tc_answers_init(&a, tc_algorithm_find(algorithm), j, reply, &err));
    json_decref(j);
    return a;
}

static double told(const tc_answers *a, uint64_t seed, uint64_t trial, double y)
{
    tacit_error err = {0};
    assert_ok(tc_answers_tell(a, seed, trial, &y, &err));
    return y;
}

static tc_reply reply_of(tacit_reply_kind kind, double epsilon, double bound)
{
    tacit_error err = {0};
    tc_reply r;
    assert_ok(tc_reply_init(&r, kind, epsilon, -bound, bound, &err));
    return r;
}

/* -- what is told -------------------------------------------------------------------------- */

static void test_plain_observations_stay(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_answers a = answers_of("gp-ucb", "{}", NULL);
    tc_answer_cost cost;
    assert_false(tc_answers_perturbed(&a));
    assert_same_bits(told(&a, 1, 2, 0.1), 0.1);
    assert_fails(tc_answers_cost(&a, &cost, &err), TACIT_E_STATE, "nothing is perturbed");
    tc_answers_fini(&a);
}

/* The curator's options are the algorithm's: bound + noise_bound, epsilon, reply. */
static void test_curator_by_its_options(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_answers a = answers_of("ldp-moma", "{\"epsilon\": 0.5, \"bound\": 3}", NULL);
    tc_reply r = reply_of(TACIT_REPLY_LAPLACE, 0.5, 4);
    assert_true(tc_answers_perturbed(&a));
    for (uint64_t trial = 0; trial < 50; trial++) {
        tc_test_noise noise;
        tc_test_noise_init(&noise, 9, trial);
        tc_entropy e = tc_entropy_of_test(&noise);
        tc_release *release = NULL;
        assert_ok(tc_reply_release(&release, &r, 0.7, &e, &err));
        assert_same_bits(told(&a, 9, trial, 0.7), tc_release_value(release, 0));
        tc_release_free(release);
    }
    tc_answers_fini(&a);
}

static void test_seed_and_trial_are_all(void **state)
{
    (void)state;
    tc_reply r = reply_of(TACIT_REPLY_PIECEWISE, 1, 2);
    tc_answers a = answers_of("gp-ucb", "{}", &r), b = answers_of("ts", "{}", &r);
    double first = told(&a, 1, 1, 0.5);
    assert_same_bits(told(&b, 1, 1, 0.5), first); /* algorithms are paired */
    assert_true(told(&a, 1, 2, 0.5) != first);
    assert_true(told(&a, 2, 1, 0.5) != first);
    assert_same_bits(told(&a, 1, 1, 7), told(&a, 1, 1, 2)); /* clamped */
    assert_same_bits(told(&a, 1, 1, NAN), told(&a, 1, 1, 0));
    tc_answers_fini(&a);
    tc_answers_fini(&b);
}

static void check_mean(tacit_reply_kind kind, double y)
{
    enum { N = 20000 };
    tc_reply r = reply_of(kind, 1, 2);
    tc_answers a = answers_of("random", "{}", &r);
    double sum = 0;
    for (uint64_t trial = 0; trial < N; trial++)
        sum += told(&a, 3, trial, y);
    assert_close(sum / N, y, 5 * r.sd / sqrt(N));
    tc_answers_fini(&a);
}

static void test_replies_are_unbiased(void **state)
{
    (void)state;
    check_mean(TACIT_REPLY_ONE_BIT, 1.2);
    check_mean(TACIT_REPLY_PIECEWISE, -1.7);
    check_mean(TACIT_REPLY_LAPLACE, 0.4);
}

/* -- cost ---------------------------------------------------------------------------------- */

static void test_cost(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reply r = reply_of(TACIT_REPLY_AUTO, 1, 2);
    tc_answers a = answers_of("gp-ucb", "{}", &r);
    tc_answers b = answers_of("ldp-ata", "{\"epsilon\": 2, \"reply\": \"piecewise\"}", NULL);
    tc_answer_cost cost;
    tc_text text = {0};
    assert_ok(tc_answers_cost(&a, &cost, &err));
    assert_string_equal(cost.mechanism, "one-bit-reply");
    assert_same_bits(cost.epsilon, 1);
    assert_close(cost.sd, 2 * (exp(1) + 1) / (exp(1) - 1), 1e-12);
    tc_answer_cost_statement(&cost, &text);
    assert_non_null(strstr(tc_text_get(&text), "every user: epsilon 1, delta 0 for each reply"));
    assert_non_null(strstr(tc_text_get(&text), "m replies of one user cost m times as much"));
    assert_non_null(strstr(tc_text_get(&text), "Neighbours: any two values of one user"));
    assert_non_null(strstr(tc_text_get(&text), "Not protected: that a user replied"));
    tc_text_fini(&text);
    assert_ok(tc_answers_cost(&b, &cost, &err));
    assert_string_equal(cost.mechanism, "piecewise-reply");
    assert_same_bits(cost.epsilon, 2);
    tc_answers_fini(&a);
    tc_answers_fini(&b);
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_reply r = reply_of(TACIT_REPLY_LAPLACE, 1, 1);
    tc_answers a;
    json_t *j = json_pack("{s:i}", "no_such_option", 1);
    assert_fails(tc_answers_init(&a, tc_algorithm_find("ldp-tgp"), NULL, &r, &err), TACIT_E_ARG,
                 "ldp-tgp is told replies by its own options; another reply cannot be given");
    assert_fails(tc_answers_init(&a, tc_algorithm_find("ldp-tgp"), j, NULL, &err), TACIT_E_ARG,
                 "no_such_option");
    json_decref(j);
}

/* -- whole runs ---------------------------------------------------------------------------- */

enum { TRIALS = 60 };

static tc_simulation simulation(const char *algorithm, const tc_reply *reply)
{
    tacit_error err = {0};
    tc_simulation s = {.objective = "rkhs-se", .trials = TRIALS, .runs = 1, .seed = 5};
    assert_ok(tc_algorithm_get(&s.algorithm, algorithm, &err));
    assert_ok(tc_options_defaults(tc_objective_options, &s.family.objective, &err));
    s.family.objective.noise = 2; /* uniform */
    s.family.objective.noise_scale = 1;
    s.reply = reply;
    return s;
}

static double ask(tc_optimizer *o, uint64_t *trial)
{
    tacit_error err = {0};
    tc_ask_request request = {.now_ms = 1};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &request, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    *trial = e.trial;
    return tc_optimizer_trial(o, e.trial)->values[0];
}

/* The sum of regrets of a run that asks, observes, perturbs and tells, without a study. */
static double by_hand(const tc_simulation *s, const tc_reply *reply)
{
    tacit_error err = {0};
    tc_run_seeds seeds = tc_run_seeds_of(s->seed, 0);
    tc_answers a = {.algorithm = s->algorithm, .reply = reply};
    tc_objective *f;
    tc_optimizer *o;
    double sum = 0;
    assert_ok(tc_objective_new(&f, s->objective, &s->family.objective, seeds.objective, &err));
    tc_optimizer_config cfg = {.algorithm = s->algorithm,
                               .space = tc_objective_space(f),
                               .maximize = true,
                               .public_seed = tc_public_seed_from(seeds.study),
                               .party_seed = tc_party_seed_from(seeds.study),
                               .budget = s->trials};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    for (int i = 0; i < TRIALS; i++) {
        uint64_t trial;
        tc_stream noise;
        tc_event e;
        double x = ask(o, &trial);
        tc_stream_public(&noise, &seeds.objective, TC_FOR_OBSERVATION, trial);
        double y = told(&a, seeds.study, trial, tc_objective_observe(f, &x, &noise));
        assert_ok(tc_optimizer_tell(o, trial, NULL, y, 2, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
        sum += tc_objective_regret(f, &x);
    }
    tc_optimizer_free(o);
    tc_objective_free(f);
    return sum;
}

static double by_simulate(const tc_simulation *s)
{
    tacit_error err = {0};
    tacit_curves r;
    assert_ok(tc_simulate(s, &r, &err));
    double last = r.cumulative[TRIALS - 1];
    assert_same_bits(r.cumulative_mean[TRIALS - 1], last);
    tacit_curves_fini(&r);
    return last;
}

static void test_runs_are_told_replies(void **state)
{
    (void)state;
    tc_reply laplace = reply_of(TACIT_REPLY_LAPLACE, 1, 2),
             bit = reply_of(TACIT_REPLY_ONE_BIT, 1, 2);
    tc_simulation own = simulation("ldp-tgp", NULL), lent = simulation("gp-ucb", &bit);
    tc_simulation plain = simulation("gp-ucb", NULL);
    assert_same_bits(by_simulate(&own), by_hand(&own, &laplace));
    assert_same_bits(by_simulate(&lent), by_hand(&lent, &bit));
    assert_same_bits(by_simulate(&plain), by_hand(&plain, NULL));
    assert_true(by_simulate(&plain) < by_simulate(&lent)); /* privacy costs */
}

/* -- files --------------------------------------------------------------------------------- */

static json_t *file_of(const tc_simulation *s, tacit_curves *r)
{
    tacit_error err = {0};
    json_t *j;
    assert_ok(tc_simulate(s, r, &err));
    assert_ok(tc_curves_json(&(tc_curve_part){.sim = s, .curves = r}, 1, &j, &err));
    return j;
}

static void test_file_says_what_it_would_cost(void **state)
{
    (void)state;
    tc_simulation s = simulation("ldp-moma", NULL);
    tacit_curves r;
    s.runs = 3;
    json_t *j = file_of(&s, &r);
    const json_t *privacy = json_object_get(j, "privacy");
    const json_t *deployed = json_object_get(privacy, "if_deployed");
    const json_t *last = json_object_get(json_object_get(j, "by_run"), "cumulative_regret");
    assert_true(json_is_false(json_object_get(privacy, "private")));
    assert_string_equal(json_string_value(json_object_get(privacy, "reason")), "seeded");
    assert_string_equal(json_string_value(json_object_get(deployed, "unit")), "user");
    assert_string_equal(json_string_value(json_object_get(deployed, "per")), "reply");
    assert_close(json_real_value(json_object_get(deployed, "epsilon")), 1, 0);
    assert_non_null(json_object_get(deployed, "statement"));
    assert_int_equal(json_array_size(last), 3);
    for (size_t i = 0; i < 3; i++)
        assert_same_bits(json_real_value(json_array_get(last, i)),
                         r.cumulative[i * TRIALS + TRIALS - 1]);
    json_decref(j);
    tacit_curves_fini(&r);
}

static void test_plain_file_claims_nothing(void **state)
{
    (void)state;
    tc_simulation s = simulation("random", NULL);
    tacit_curves r;
    json_t *j = file_of(&s, &r);
    assert_null(json_object_get(j, "privacy"));
    json_decref(j);
    tacit_curves_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_observations_stay),
        cmocka_unit_test(test_curator_by_its_options),
        cmocka_unit_test(test_seed_and_trial_are_all),
        cmocka_unit_test(test_replies_are_unbiased),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_runs_are_told_replies),
        cmocka_unit_test(test_file_says_what_it_would_cost),
        cmocka_unit_test(test_plain_file_claims_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
