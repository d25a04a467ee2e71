/* federation_alone_test.c - federation.c with algorithms for one party, warm starts, and what it
 * refuses. */
#include "support/federation_world.h"

/* ---- algorithms for one party ---- */

static void assert_alone(const world *w, const tc_optimizer *o, uint64_t agent, uint64_t seed,
                         const json_t *options)
{
    tacit_error err = {0};
    tc_optimizer *alone = NULL;
    tc_optimizer_config cfg = {.algorithm = tc_optimizer_algorithm(o),
                               .options = options,
                               .space = w->space,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(seed),
                               .party_seed = tc_party_seed_from(seed)};
    tc_ask_request req = {0};
    tc_event e;
    assert_ok(tc_optimizer_new(&alone, &cfg, &err));
    for (uint64_t t = 0; t < tc_optimizer_trials(o); t++) {
        do {
            assert_ok(tc_optimizer_next(alone, &req, &e, &err));
            assert_ok(tc_optimizer_apply(alone, &e, &err));
        } while (e.kind != TC_EVENT_ASK);
        double x = tc_optimizer_trial(alone, t)->values[0];
        assert_same_bits(x, tc_optimizer_trial(o, t)->values[0]);
        double y = observe((void *)w, agent, t, &x);
        assert_ok(tc_optimizer_tell(alone, t, NULL, y, 0, &e, &err));
        assert_ok(tc_optimizer_apply(alone, &e, &err));
    }
    tc_optimizer_free(alone);
}

/* Agent 0 is the study of the seed itself, the others have seeds of their own. */
static void test_one_party_algorithms_work_alone(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const names[] = {"random", "sobol", "ts"};
    world w;
    tc_pool *pool = NULL;
    make_world(&w, 3);
    assert_ok(tc_pool_new(&pool, 2, &err));
    json_t *options = json_pack("{s:i}", "init", 2);
    for (size_t k = 0; k < 3; k++) {
        tc_federation_config cfg = {
            .algorithm = tc_algorithm_find(names[k]), .seed = 11, .pool = pool, .chunk = 3};
        tc_federation *f = found(&w, k == 2 ? "{\"init\": 2}" : "{}", cfg);
        run(f, k == 2 ? 5 : 9);
        for (uint64_t n = 0; n < AGENTS; n += 4) {
            tc_public_seed root = tc_public_seed_from(11);
            tc_stream s;
            tc_stream_public(&s, &root, TC_FOR_RUN, n);
            assert_alone(&w, tc_federation_agent(f, n), n, n == 0 ? 11 : tc_draw_u64(&s),
                         k == 2 ? options : NULL);
        }
        assert_int_equal(tc_federation_counts(f)->messages, 0);
        size_t left;
        (void)tc_federation_releases(f, &left);
        assert_int_equal(left, 0);
        tc_federation_free(f);
    }
    json_decref(options);
    tc_pool_free(pool);
    tc_space_free(w.space);
}

/* Paired, an algorithm for one party begins where agents of a federation do. */
static void test_paired_algorithms_share_first_points(void **state)
{
    (void)state;
    world w;
    make_world(&w, 3);
    const char *alone = "{\"init\": 3, \"start\": \"uniform\", \"fit\": false}";
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"), .seed = 5};
    tc_federation *fts =
        found(&w, "{\"own\": \"features\", \"features\": 20, \"initial\": 3}", cfg);
    cfg.algorithm = tc_algorithm_find("ts");
    tc_federation *own = found(&w, alone, cfg);
    cfg.paired = true;
    tc_federation *paired = found(&w, alone, cfg);
    int differ = 0;
    run(fts, 3);
    run(own, 3);
    run(paired, 3);
    for (uint64_t n = 0; n < AGENTS; n++)
        for (uint64_t t = 0; t < 3; t++) {
            double x = tc_optimizer_trial(tc_federation_agent(fts, n), t)->values[0];
            assert_same_bits(tc_optimizer_trial(tc_federation_agent(paired, n), t)->values[0], x);
            differ += tc_optimizer_trial(tc_federation_agent(own, n), t)->values[0] != x;
        }
    assert_true(differ > AGENTS);
    tc_federation_free(fts);
    tc_federation_free(own);
    tc_federation_free(paired);
    tc_space_free(w.space);
}

/* ---- warm starts ---- */

/* What a federation did, told to another: that one goes on with the same trials. */
static void test_known_trials_are_as_good_as_own(void **state)
{
    (void)state;
    tacit_error err = {0};
    const char *options = "{\"init\": 2, \"fit\": false}";
    world w;
    make_world(&w, 3);
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("ts"), .seed = 3};
    tc_federation *a = found(&w, options, cfg), *b = found(&w, options, cfg);
    run(a, 4);
    for (uint64_t t = 0; t < 4; t++)
        for (uint64_t n = 0; n < AGENTS; n++) {
            const tc_trial *trial = tc_optimizer_trial(tc_federation_agent(a, n), t);
            assert_ok(tc_federation_know(b, n, trial->values, trial->value, &err));
        }
    run(a, 3);
    run(b, 3);
    assert_same_trials(a, b);
    double x = 0;
    assert_fails(tc_federation_know(b, 0, &x, 1, &err), TACIT_E_STATE,
                 "trials can be given before the first step alone");
    tc_federation_free(a);
    tc_federation_free(b);
    tc_space_free(w.space);
}

/* With two initial points and five known ones, rounds 0 to 3 are due at once. */
static void test_a_warm_start_catches_up_with_rounds(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    make_world(&w, 3);
    tc_federation *f =
        found(&w, "{\"features\": 20, \"initial\": 2}", (tc_federation_config){.seed = 3});
    for (uint64_t n = 0; n < AGENTS; n++)
        for (uint64_t t = 0; t < 5; t++) {
            double x = (double)(n * 5 + t);
            assert_ok(tc_federation_know(f, n, &x, w.value[(size_t)x], &err));
        }
    run(f, 1);
    assert_int_equal(tc_federation_counts(f)->releases, 4);
    assert_int_equal(tc_optimizer_count(tc_federation_agent(f, 7), TC_TRIAL_COMPLETE), 6);
    run(f, 1);
    assert_int_equal(tc_federation_counts(f)->releases, 5);
    tc_federation_free(f);
    tc_space_free(w.space);
}

static void test_bad_warm_starts(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    make_world(&w, 3);
    tc_federation *f = found(&w, "{\"features\": 20}", (tc_federation_config){.seed = 3});
    double x = 1, outside = POINTS;
    for (uint64_t n = 0; n < AGENTS; n++)
        if (n != 7)
            assert_ok(tc_federation_know(f, n, &x, 1, &err));
    assert_fails(tc_federation_step(f, &err), TACIT_E_ARG,
                 "agent 7 begins with 0 trials and agent 0 with 1; all must begin with as many");
    assert_fails(tc_federation_know(f, AGENTS, &x, 1, &err), TACIT_E_ARG,
                 "there is no agent 20 among 20");
    assert_fails(tc_federation_know(f, 7, &outside, 1, &err), TACIT_E_ARG, "agent 7: ");
    assert_fails(tc_federation_know(f, 7, &x, NAN, &err), TACIT_E_ARG, "agent 7: ");
    tc_federation_free(f);
    tc_space_free(w.space);
}

/* ---- what is refused ---- */

static double breaks_down(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    (void)user;
    (void)values;
    return agent == 2 && trial == 1 ? NAN : 0;
}

static void test_what_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    tc_federation *f = NULL;
    tc_ledger_budget limit;
    make_world(&w, 2);
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("random"),
                                .space = w.space,
                                .agents = 3,
                                .objective = breaks_down};
    assert_ok(tc_federation_new(&f, &cfg, &err));
    run(f, 1);
    assert_fails(tc_federation_step(f, &err), TACIT_E_ARG,
                 "agent 2: the value of trial 1 must be a finite number");
    assert_fails(tc_federation_budget(f, 1, 1e-5, &limit, &err), TACIT_E_UNSUPPORTED,
                 "random releases no sums");
    tc_federation_free(f);
    cfg.chunk = 257;
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG,
                 "chunk must be in 0..256, got 257");
    cfg.chunk = 0;
    cfg.drop = 1.5;
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG, "drop must be in [0, 1], got 1.5");
    cfg.drop = NAN;
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG, "drop must be in [0, 1]");
    cfg.drop = 0;
    cfg.agents = 0;
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG,
                 "agents must be in 1..2^24, got 0");
    tc_space_free(w.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_party_algorithms_work_alone),
        cmocka_unit_test(test_paired_algorithms_share_first_points),
        cmocka_unit_test(test_known_trials_are_as_good_as_own),
        cmocka_unit_test(test_a_warm_start_catches_up_with_rounds),
        cmocka_unit_test(test_bad_warm_starts),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
