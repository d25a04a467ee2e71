/* federation_past_test.c - agents whose messages come from earlier studies. */
#include "support/federation_world.h"

#define OPTIONS                                                                                    \
    "{\"own\": \"features\", \"features\": 60, \"lengthscale\": 0.05, \"initial\": 1, "            \
    "\"message\": \"mean\", \"schedule\": \"constant\", \"follow\": 1}"

enum { STEPS = 4 };

static double mean_regret(const world *w, const tc_federation *f)
{
    double sum = 0;
    for (uint64_t n = 0; n < AGENTS; n++) {
        const tc_optimizer *o = tc_federation_agent(f, n);
        double best = -INFINITY;
        for (uint64_t t = 0; t < tc_optimizer_trials(o); t++)
            best = fmax(best, w->value[(size_t)tc_optimizer_trial(o, t)->values[0]]);
        sum += (w->best - best) / AGENTS;
    }
    return sum;
}

static double regret_with(world *w, uint64_t past)
{
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"), .seed = 4, .past = past};
    tc_federation *f = found(w, OPTIONS, cfg);
    run(f, STEPS);
    double regret = mean_regret(w, f);
    assert_int_equal(tc_federation_counts(f)->misses, 0);
    tc_federation_free(f);
    return regret;
}

/* Who has seen one point has little to say; who has finished a study has. */
static void test_the_past_is_worth_reading(void **state)
{
    world w;
    (void)state;
    make_world(&w, 3);
    double fresh = regret_with(&w, 0), old = regret_with(&w, 60);
    assert_true(old < 0.1 * fresh);
    tc_space_free(w.space);
}

static void test_same_seed_same_bits(void **state)
{
    world w;
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"), .seed = 4, .past = 12};
    (void)state;
    make_world(&w, 3);
    tc_federation *a = found(&w, OPTIONS, cfg), *b = found(&w, OPTIONS, cfg);
    run(a, STEPS);
    run(b, STEPS);
    assert_same_trials(a, b);
    tc_federation_free(a);
    tc_federation_free(b);
    tc_space_free(w.space);
}

static tacit_message_counts tally_with(world *w, uint64_t past, double drop)
{
    tc_federation_config cfg = {
        .algorithm = tc_algorithm_find("fts"), .seed = 4, .past = past, .drop = drop};
    tc_federation *f = found(w, OPTIONS, cfg);
    run(f, STEPS);
    tacit_message_counts t = *tc_federation_counts(f);
    tc_federation_free(f);
    return t;
}

/* ---- what former selves share with the agents they become ---- */

enum { PAST = 6 };

typedef struct diary {
    world *w;
    size_t n[AGENTS];
    uint64_t trial[AGENTS][PAST + STEPS];
    double place[AGENTS][PAST + STEPS];
} diary;

static double note(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    diary *d = user;
    d->trial[agent][d->n[agent]] = trial;
    d->place[agent][d->n[agent]++] = values[0];
    return observe(d->w, agent, trial, values);
}

static tc_federation *found_noted(diary *d, world *w, json_t *options)
{
    tacit_error err = {0};
    tc_federation *f = NULL;
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"),
                                .options = options,
                                .space = w->space,
                                .maximize = true,
                                .agents = AGENTS,
                                .seed = 4,
                                .past = PAST,
                                .objective = note,
                                .user = d};
    *d = (diary){.w = w};
    assert_ok(tc_federation_new(&f, &cfg, &err));
    return f;
}

/* An agent that begins anew must not meet the points and the noise of its former self again. */
static void test_former_selves_have_draws_of_their_own(void **state)
{
    (void)state;
    world w;
    static diary d;
    int alike = 0;
    make_world(&w, 3);
    json_t *options = json_pack("{s:i,s:i}", "features", 20, "initial", STEPS);
    tc_federation *f = found_noted(&d, &w, options);
    run(f, STEPS);
    for (size_t n = 0; n < AGENTS; n++) {
        assert_int_equal(d.n[n], PAST + STEPS);
        for (size_t a = 0; a < PAST + STEPS; a++)
            for (size_t b = 0; b < a; b++)
                assert_true(d.trial[n][a] != d.trial[n][b]); /* trials stand for their noise */
        for (size_t t = 0; t < STEPS; t++)
            alike += d.place[n][t] == d.place[n][PAST + t];
    }
    assert_true(alike < 5); /* of 80 uniform points among 400; else all of them */
    tc_federation_free(f);
    json_decref(options);
    tc_space_free(w.space);
}

/* mode=general: agents speak in every round, and the past replaces the first alone. */
static void test_the_past_is_the_first_round(void **state)
{
    (void)state;
    static const char general[] =
        "{\"features\": 20, \"lengthscale\": 0.05, \"initial\": 1, \"mode\": \"general\"}";
    world w;
    make_world(&w, 3);
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"), .seed = 4};
    for (uint64_t past = 0; past <= 12; past += 12) {
        cfg.past = past;
        cfg.drop = 1;
        tc_federation *f = found(&w, general, cfg);
        run(f, STEPS);
        const tacit_message_counts *t = tc_federation_counts(f);
        assert_int_equal(t->messages, (STEPS - 1) * AGENTS);
        assert_int_equal(t->lost, t->messages);
        tc_federation_free(f);
    }
    tc_space_free(w.space);
}

static bool lost_after_the_first(void *user, uint64_t round, uint64_t agent)
{
    (void)user;
    (void)agent;
    return round > 0;
}

/* What is read after round 0 is what agents know now: without it they would go elsewhere. */
static void test_later_rounds_replace_the_past(void **state)
{
    (void)state;
    static const char general[] =
        "{\"own\": \"features\", \"features\": 20, \"lengthscale\": 0.05, \"initial\": 1, "
        "\"mode\": \"general\", \"schedule\": \"constant\", "
        "\"follow\": 1}";
    world w;
    int differ = 0;
    make_world(&w, 3);
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"), .seed = 4, .past = 12};
    tc_federation *all = found(&w, general, cfg);
    cfg.lost = lost_after_the_first;
    tc_federation *old = found(&w, general, cfg);
    run(all, STEPS);
    run(old, STEPS);
    for (uint64_t n = 0; n < AGENTS; n++)
        differ += tc_optimizer_trial(tc_federation_agent(all, n), STEPS - 1)->values[0] !=
                  tc_optimizer_trial(tc_federation_agent(old, n), STEPS - 1)->values[0];
    assert_true(differ > AGENTS / 2);
    tc_federation_free(all);
    tc_federation_free(old);
    tc_space_free(w.space);
}

static void test_threads_do_not_change_the_past(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const names[] = {"fts", "rgpe", "taf"};
    static const char options[] = "{\"features\": 20, \"lengthscale\": 0.05, \"initial\": 2}";
    world w;
    make_world(&w, 3);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tc_federation_config cfg = {
            .algorithm = tc_algorithm_find(names[i]), .seed = 4, .past = 8, .drop = 0.3};
        tc_federation *one = found(&w, options, cfg);
        assert_ok(tc_pool_new(&cfg.pool, 3, &err));
        tc_federation *many = found(&w, options, cfg);
        run(one, STEPS);
        run(many, STEPS);
        assert_same_trials(one, many);
        tc_federation_free(one);
        tc_federation_free(many);
        tc_pool_free(cfg.pool);
    }
    tc_space_free(w.space);
}

/* A former self works alone under a number that no roster of one has. */
static void test_baselines_have_a_past(void **state)
{
    static const char *const names[] = {"rgpe", "taf"};
    static const char options[] = "{\"features\": 20, \"lengthscale\": 0.05, \"initial\": 2}";
    world w;
    (void)state;
    make_world(&w, 3);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tc_federation_config cfg = {
            .algorithm = tc_algorithm_find(names[i]), .seed = 4, .past = 12};
        tc_federation *a = found(&w, options, cfg), *b = found(&w, options, cfg);
        run(a, STEPS);
        run(b, STEPS);
        assert_same_trials(a, b);
        assert_int_equal(tc_federation_counts(a)->misses, 0);
        tc_federation_free(a);
        tc_federation_free(b);
    }
    tc_space_free(w.space);
}

/* The network loses the same messages, whoever wrote them. */
static void test_messages_of_the_past_are_lost_too(void **state)
{
    world w;
    (void)state;
    make_world(&w, 3);
    tacit_message_counts all = tally_with(&w, 12, 1), some = tally_with(&w, 12, 0.5);
    tacit_message_counts none = tally_with(&w, 12, 0), live = tally_with(&w, 0, 0.5);
    tacit_message_counts longer = tally_with(&w, 30, 0);
    assert_int_equal(all.messages, AGENTS);
    assert_int_equal(all.lost, AGENTS);
    assert_int_equal(all.fetches, 0);
    assert_true(all.misses > 0);
    assert_true(some.lost > 0 && some.lost < AGENTS);
    assert_int_equal(some.lost, live.lost);
    assert_int_equal(some.misses, live.misses);
    assert_int_equal(none.lost + none.misses, 0);
    assert_int_equal(none.messages, AGENTS);
    assert_int_equal(none.bytes, all.bytes); /* sent, whether they arrive or not */
    assert_true(none.bytes > 0 && longer.messages == AGENTS);
    tc_space_free(w.space);
}

/* Who acts does so as if all did. */
static void test_targets_may_act_alone(void **state)
{
    enum { TARGETS = 3 };
    static const char *const names[] = {"fts", "rgpe", "taf", "ts"};
    static const char *const options[] = {OPTIONS, "{\"features\": 20, \"initial\": 2}",
                                          "{\"features\": 20, \"initial\": 2}", "{\"init\": 2}"};
    world w;
    (void)state;
    make_world(&w, 3);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const tc_algorithm *algorithm = tc_algorithm_find(names[i]);
        tc_federation_config cfg = {
            .algorithm = algorithm, .seed = 4, .past = algorithm->relay ? 12 : 0};
        tc_federation *all = found(&w, options[i], cfg);
        cfg.acting = TARGETS;
        tc_federation *some = found(&w, options[i], cfg);
        run(all, STEPS);
        run(some, STEPS);
        for (uint64_t n = 0; n < AGENTS; n++) {
            const tc_optimizer *a = tc_federation_agent(all, n), *b = tc_federation_agent(some, n);
            assert_int_equal(tc_optimizer_trials(b), n < TARGETS ? STEPS : 0);
            for (uint64_t t = 0; t < tc_optimizer_trials(b); t++)
                assert_same_bits(tc_optimizer_trial(b, t)->values[0],
                                 tc_optimizer_trial(a, t)->values[0]);
        }
        tc_federation_free(all);
        tc_federation_free(some);
    }
    tc_space_free(w.space);
}

static void test_who_is_heard_must_act(void **state)
{
    world w;
    tacit_error err = {0};
    tc_federation *f = NULL;
    (void)state;
    make_world(&w, 3);
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"),
                                .space = w.space,
                                .agents = AGENTS,
                                .acting = 3,
                                .objective = observe,
                                .user = &w};
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG,
                 "agents of fts read messages of all others: acting must be 0 where there is no "
                 "past, got 3");
    cfg.acting = AGENTS + 1;
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG, "acting must be in 0..20, got 21");
    f = found(&w, "{\"features\": 20, \"initial\": 1, \"mode\": \"general\"}",
              (tc_federation_config){.algorithm = cfg.algorithm, .past = 12, .acting = 3});
    run(f, 2);
    assert_fails(tc_federation_step(f, &err), TACIT_E_ARG,
                 "round 1: agents of fts read messages of later rounds: acting must be 0, got 3");
    tc_federation_free(f);
    tc_space_free(w.space);
}

static void test_sums_have_no_past(void **state)
{
    world w;
    tacit_error err = {0};
    tc_federation *f = NULL;
    (void)state;
    make_world(&w, 3);
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("dp-fts-de"),
                                .space = w.space,
                                .maximize = true,
                                .agents = AGENTS,
                                .past = 5,
                                .objective = observe,
                                .user = &w};
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG,
                 "past trials are for algorithms that hand messages on; dp-fts-de is none of them");
    tc_space_free(w.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_past_is_worth_reading),
        cmocka_unit_test(test_same_seed_same_bits),
        cmocka_unit_test(test_former_selves_have_draws_of_their_own),
        cmocka_unit_test(test_the_past_is_the_first_round),
        cmocka_unit_test(test_later_rounds_replace_the_past),
        cmocka_unit_test(test_threads_do_not_change_the_past),
        cmocka_unit_test(test_baselines_have_a_past),
        cmocka_unit_test(test_messages_of_the_past_are_lost_too),
        cmocka_unit_test(test_targets_may_act_alone),
        cmocka_unit_test(test_who_is_heard_must_act),
        cmocka_unit_test(test_sums_have_no_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
