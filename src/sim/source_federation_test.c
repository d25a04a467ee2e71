/* source_federation_test.c - source_federation.c: regret as the definitions have it, the same bits in any number of
 * threads, and a budget that holds. */
#include "algo/optimizer.h"
#include "support/federated_world.h"

#include "base/memory.h"
#include "sim/runs.h"

#include <stdatomic.h>

/* ---- regret, from the definitions ---- */

/* Regrets of the points that agent n of run r queries, trial by trial. */
static void regrets_of(const tc_simulation *f, uint64_t r, uint64_t n, size_t trials, double *out)
{
    tacit_error err = {0};
    tc_run_seeds seeds = tc_run_seeds_of(f->seed, r);
    tc_public_seed root = tc_public_seed_from(seeds.study);
    tc_stream s;
    tc_family *family = NULL;
    tc_optimizer *o = NULL;
    tc_ask_request req = {0};
    tc_event e;
    assert_ok(
        tc_family_new(&family, f->objective, &f->family, (size_t)f->agents, seeds.objective, &err));
    tc_stream_public(&s, &root, TC_FOR_RUN, n);
    uint64_t seed = n == 0 ? seeds.study : tc_draw_u64(&s);
    tc_optimizer_config cfg = {.algorithm = f->algorithm,
                               .options = f->options,
                               .space = tc_family_space(family),
                               .maximize = tc_family_maximize(family),
                               .public_seed = tc_public_seed_from(seed),
                               .party_seed = tc_party_seed_from(seed),
                               .budget = trials};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    for (size_t t = 0; t < trials; t++) {
        do {
            assert_ok(tc_optimizer_next(o, &req, &e, &err));
            assert_ok(tc_optimizer_apply(o, &e, &err));
        } while (e.kind != TC_EVENT_ASK);
        const double *x = tc_optimizer_trial(o, t)->values;
        tc_stream_public(&s, &seeds.objective, TC_FOR_OBSERVATION, n * (UINT64_C(1) << 32) + t);
        double y = tc_family_observe(family, (size_t)n, x, &s);
        out[t] = tc_family_optimum(family, (size_t)n) - tc_family_value(family, (size_t)n, x);
        assert_ok(tc_optimizer_tell(o, t, NULL, y, 0, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    }
    tc_optimizer_free(o);
    tc_family_free(family);
}

static void test_regret_is_what_it_says(void **state)
{
    (void)state;
    enum { N = 5, INITIAL = 3, ROUNDS = 6, TRIALS = INITIAL + ROUNDS };
    setup s;
    make(&s, "ts", "{\"init\": 3, \"fit\": false}");
    s.f.by_agent = true;
    tacit_curves x = run(&s.f);
    assert_int_equal(x.initial, INITIAL);
    assert_int_equal(x.points, ROUNDS + 1);
    for (uint64_t r = 0; r < s.f.runs; r++) {
        double regret[N][TRIALS];
        for (uint64_t n = 0; n < N; n++)
            regrets_of(&s.f, r, n, TRIALS, regret[n]);
        for (size_t t = 0; t <= ROUNDS; t++) {
            double simple = 0, cumulative = 0;
            for (uint64_t n = 0; n < N; n++) {
                double least = INFINITY, sum = 0;
                for (size_t k = 0; k < INITIAL + t; k++) {
                    least = regret[n][k] < least ? regret[n][k] : least;
                    sum += k >= INITIAL ? regret[n][k] : 0;
                }
                size_t at = ((size_t)r * N + (size_t)n) * (ROUNDS + 1) + t;
                assert_close(x.agent_simple[at], least, 1e-12);
                assert_close(x.agent_cumulative[at], sum, 1e-12);
                simple += least / N;
                cumulative += sum / N;
            }
            assert_close(x.simple[r * (ROUNDS + 1) + t], simple, 1e-12);
            assert_close(x.cumulative[r * (ROUNDS + 1) + t], cumulative, 1e-12);
        }
    }
    for (size_t t = 0; t <= ROUNDS; t++) {
        double a = x.simple[t], b = x.simple[ROUNDS + 1 + t], c = x.simple[2 * (ROUNDS + 1) + t];
        double m = (a + b + c) / 3, d = (a - m) * (a - m) + (b - m) * (b - m) + (c - m) * (c - m);
        assert_close(x.simple_mean[t], m, 1e-12);
        assert_close(x.simple_se[t], sqrt(d / 2 / 3), 1e-12);
    }
    tacit_curves_fini(&x);
    end(&s);
}

static void test_before_the_first_point(void **state)
{
    (void)state;
    tacit_error err = {0};
    setup s;
    uint64_t initial, steps;
    make(&s, "random", "{}");
    tacit_curves x = run(&s.f);
    assert_int_equal(x.initial, 0);
    assert_true(isinf(x.simple_mean[0]) && x.simple_se[0] == 0);
    assert_true(isfinite(x.simple_mean[1]) && x.simple_se[1] > 0);
    assert_same_bits(x.cumulative_mean[0], 0);
    s.f.initial = 2; /* the same trials, counted from the third on */
    tacit_curves y = run(&s.f);
    for (size_t t = 0; t + 2 < x.points; t++)
        assert_same_bits(y.simple_mean[t], x.simple_mean[t + 2]);
    assert_same_bits(y.cumulative_mean[0], 0);
    assert_ok(tc_simulation_initial(&s.f, &initial, &err));
    assert_ok(tc_simulation_steps(&s.f, &steps, &err));
    assert_int_equal(initial, 2);
    assert_int_equal(steps, 3 * (2 + 6));
    tacit_curves_fini(&x);
    tacit_curves_fini(&y);
    end(&s);
}

/* ---- threads ---- */

static void test_threads_do_not_change_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const names[] = {"dp-fts-de", "fts"};
    for (size_t k = 0; k < 2; k++)
        for (uint64_t runs = 1; runs <= 4; runs += 3) {
            setup s;
            make(&s, names[k], k == 0 ? DP_OPTIONS : "{\"features\": 15, \"initial\": 2}");
            s.f.runs = runs;
            s.f.drop = 0.5;
            s.f.by_agent = true;
            tacit_curves one = run(&s.f);
            assert_int_equal(one.relayed, k == 1);
            assert_true(one.counts[0].sent.lost > 0);
            for (size_t threads = 1; threads <= 3; threads++) {
                assert_ok(tc_pool_new(&s.f.pool, threads, &err));
                tacit_curves many = run(&s.f);
                assert_same_results(&one, &many);
                tacit_curves_fini(&many);
                tc_pool_free(s.f.pool);
            }
            tacit_curves_fini(&one);
            end(&s);
        }
}

/* Run r does not depend on how many others there are, nor on its algorithm's family. */
static void test_runs_are_paired(void **state)
{
    (void)state;
    setup s;
    make(&s, "dp-fts-de", DP_OPTIONS);
    tacit_curves three = run(&s.f);
    s.f.runs = 2;
    tacit_curves two = run(&s.f);
    for (size_t i = 0; i < 2 * two.points; i++)
        assert_same_bits(two.simple[i], three.simple[i]);
    /* Options that only matter later leave the initial points and their regrets alone. */
    json_object_set_new(s.options, "noise_multiplier", json_real(3));
    tacit_curves other = run(&s.f);
    assert_same_bits(other.simple[0], two.simple[0]);
    assert_true(other.simple[two.points - 1] != two.simple[two.points - 1]);
    tacit_curves_fini(&three);
    tacit_curves_fini(&two);
    tacit_curves_fini(&other);
    end(&s);
}

/* Whoever begins with uniform points begins with the same ones, and so with the same regret. */
static void test_paired_algorithms_begin_alike(void **state)
{
    (void)state;
    static const char *const who[][2] = {
        {"fts", "{\"own\": \"features\", \"features\": 8, \"initial\": 4}"},
        {"rgpe", "{\"own\": \"features\", \"features\": 8, \"initial\": 4}"},
        {"taf", "{\"own\": \"features\", \"features\": 8, \"initial\": 4}"},
        {"dp-fts-de",
         "{\"own\": \"features\", \"features\": 8, \"initial\": 4, \"init\": \"domain\"}"},
        {"ts", "{\"init\": 4, \"start\": \"uniform\", \"fit\": false}"},
        {"random", "{}"}};
    double first[3] = {0};
    for (size_t k = 0; k < sizeof who / sizeof *who; k++) {
        setup s;
        make(&s, who[k][0], who[k][1]);
        s.f.trials = 1;
        s.f.initial = strcmp(who[k][0], "random") == 0 ? 4 : 0;
        s.f.paired = true;
        tacit_curves r = run(&s.f);
        assert_int_equal(r.initial, 4);
        for (size_t i = 0; i < 3; i++) {
            if (k == 0)
                first[i] = r.simple[i * r.points];
            assert_same_bits(r.simple[i * r.points], first[i]);
        }
        tacit_curves_fini(&r);
        end(&s);
    }
    assert_true(first[0] != first[1] && first[1] != first[2]);
}

/* ---- the budget ---- */

/* It pays for three releases of six: agents go on alone, all iterations are there. */
static void test_a_budget_that_ends(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_dp_event three = {
        .mechanism = TACIT_DP_GAUSSIAN, .parameter = 4, .sampling_rate = 1, .count = 3};
    tacit_guarantee cost;
    setup s;
    make(&s, "dp-fts-de",
         "{\"features\": 15, \"initial\": 3, \"noise_multiplier\": 4, \"releases\": \"all\"}");
    assert_ok(tc_account(&tc_accountant_gaussian, &three, 1, 1e-5, &cost, &err));
    tacit_curves all = run(&s.f);
    assert_int_equal(all.counts[0].sent.releases, 6);
    assert_int_equal(all.n_releases, 6);
    s.f.epsilon = cost.epsilon * 1.05;
    s.f.delta = 1e-5;
    tacit_curves some = run(&s.f);
    assert_int_equal(some.counts[0].sent.releases, 3);
    assert_int_equal(some.counts[0].sent.refusals, 3);
    assert_int_equal(some.n_releases, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(some.releases[i].round, i);
        assert_same_bits(some.releases[i].event.parameter, all.releases[i].event.parameter);
    }
    assert_int_equal(some.counts[0].sent.messages, all.counts[0].sent.messages);
    for (size_t t = 0; t <= 3; t++)
        assert_same_bits(some.simple_mean[t], all.simple_mean[t]);
    assert_true(isfinite(some.cumulative_mean[6]));
    tacit_curves_fini(&all);
    tacit_curves_fini(&some);
    end(&s);
}

/* What an algorithm promises, its ledger lets pass: not one release is refused. */
static void test_a_promise_is_kept(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const kinds[] = {
        "{\"features\": 15, \"initial\": 3, \"releases\": \"all\"}",
        "{\"features\": 15, \"initial\": 3, \"releases\": \"0,3\"}",
        "{\"features\": 15, \"initial\": 3, \"releases\": \"all\", \"sampling_rate\": 0.5}"};
    static const uint64_t releases[] = {6, 2, 6};
    for (size_t k = 0; k < 3; k++) {
        setup s;
        make(&s, "dp-fts-de", kinds[k]);
        const tc_algorithm *a = s.f.algorithm;
        void *opts = tc_alloc(1, a->options_size);
        tc_env env = {.agents = s.f.agents, .budget = 3 + s.f.trials};
        assert_non_null(opts);
        assert_ok(tc_options_defaults(a->options, opts, &err));
        assert_ok(tc_options_set_json(a->options, opts, a->name, s.options, NULL, &err));
        assert_ok(a->promise(&env, opts, 1.5, 1e-5, &err));
        json_decref(s.options);
        s.options = tc_options_json(a->options, opts);
        s.f.options = s.options;
        s.f.epsilon = 1.5;
        s.f.delta = 1e-5;
        tacit_curves x = run(&s.f);
        assert_int_equal(x.counts[0].sent.releases, releases[k]);
        assert_int_equal(x.counts[0].sent.refusals, 0);
        s.f.epsilon = 1.45; /* and it is no larger than it must be */
        tacit_curves y = run(&s.f);
        assert_int_equal(y.counts[0].sent.refusals, 1);
        tacit_curves_fini(&x);
        tacit_curves_fini(&y);
        tc_options_fini(a->options, opts);
        tc_free(opts);
        end(&s);
    }
}

/* ---- warm starts ---- */

static void test_known_trials(void **state)
{
    (void)state;
    tacit_error err = {0};
    double point[15];
    tacit_known_trial known[15];
    uint64_t steps;
    for (size_t i = 0; i < 15; i++) {
        point[i] = (double)(3 * i);
        known[i] = (tacit_known_trial){.agent = i / 3, .values = &point[i], .value = 0.5};
    }
    setup s;
    make(&s, "dp-fts-de", DP_OPTIONS); /* three initial points, as many as are given */
    s.f.known = known;
    s.f.n_known = 15;
    s.f.by_agent = true;
    assert_ok(tc_simulation_steps(&s.f, &steps, &err));
    assert_int_equal(steps, 3 * 6);
    tacit_curves x = run(&s.f);
    assert_int_equal(x.initial, 3);
    for (size_t n = 0; n < 5; n++) {
        tc_family *family = NULL;
        assert_ok(tc_family_new(&family, "gp-family", &s.f.family, 5,
                                tc_run_seeds_of(17, 0).objective, &err));
        double a = tc_family_regret(family, n, &point[3 * n]);
        double b = tc_family_regret(family, n, &point[3 * n + 1]);
        double c = tc_family_regret(family, n, &point[3 * n + 2]);
        assert_same_bits(x.agent_simple[n * x.points], fmin(fmin(a, b), c));
        assert_same_bits(x.agent_cumulative[n * x.points], 0);
        tc_family_free(family);
    }
    assert_int_equal(x.counts[0].sent.releases, 6);
    tacit_curves_fini(&x);
    json_object_set_new(s.options, "initial", json_integer(1));
    assert_fails(
        tc_simulate(&s.f, &x, &err), TACIT_E_ARG,
        "every agent is given 3 trials, which stand for initial points: initial must be at "
        "least as many, got 1");
    json_object_set_new(s.options, "initial", json_integer(3));
    known[14].agent = 3;
    assert_fails(tc_simulate(&s.f, &x, &err), TACIT_E_ARG,
                 "agent 3 is given 4 trials and agent 0 3; all must be given as many");
    known[14].agent = 5;
    assert_fails(tc_simulate(&s.f, &x, &err), TACIT_E_ARG,
                 "a trial is given to agent 5, and there are 5 agents");
    end(&s);
}

/* ---- progress, and what is refused ---- */

typedef struct watcher {
    atomic_uint_fast64_t most, calls;
    uint64_t stop_at;
} watcher;

static bool watch(void *user, uint64_t done)
{
    watcher *w = user;
    atomic_fetch_add(&w->calls, 1);
    if (done > atomic_load(&w->most))
        atomic_store(&w->most, done);
    return w->stop_at == 0 || done < w->stop_at;
}

static void test_progress(void **state)
{
    (void)state;
    tacit_error err = {0};
    watcher w = {0};
    uint64_t steps;
    setup s;
    make(&s, "dp-fts-de", DP_OPTIONS);
    s.f.progress = watch;
    s.f.user = &w;
    tacit_curves x = run(&s.f);
    assert_ok(tc_simulation_steps(&s.f, &steps, &err));
    assert_int_equal(atomic_load(&w.most), steps);
    assert_int_equal(atomic_load(&w.calls), steps);
    tacit_curves_fini(&x);
    w.stop_at = 10;
    assert_fails(tc_simulate(&s.f, &x, &err), TACIT_E_CANCELLED, "the simulation was interrupted");
    end(&s);
}

static void refused(tc_simulation f, const char *why)
{
    tacit_error err = {0};
    tacit_curves x;
    assert_fails(tc_simulate(&f, &x, &err), TACIT_E_ARG, why);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    setup s;
    make(&s, "dp-fts-de", DP_OPTIONS);
    tc_simulation f = s.f;
    f.agents = 0;
    refused(f, "agents is 0; allowed are 1 to 16777216");
    f = s.f;
    f.trials = 0;
    refused(f, "rounds is 0; allowed are 1 to 10000000");
    f = s.f;
    f.runs = 0;
    refused(f, "runs is 0; allowed are 1 to 1000000");
    f = s.f;
    f.drop = -0.1;
    refused(f, "drop must be in [0, 1], got -0.1");
    f = s.f;
    f.epsilon = -1;
    refused(f, "epsilon must be a finite number >= 0, got -1");
    f = s.f;
    f.epsilon = 1;
    refused(f, "delta must be between 0 and 1, got 0");
    f.delta = 1e-5;
    f.algorithm = tc_algorithm_find("fts");
    refused(f, "fts hands on messages without protection: no epsilon can be promised");
    f = s.f;
    f.objective = "nothing";
    refused(f, "there is no family of objectives \"nothing\"");
    json_object_set_new(s.options, "features", json_integer(0));
    refused(s.f, "features");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regret_is_what_it_says),
        cmocka_unit_test(test_before_the_first_point),
        cmocka_unit_test(test_threads_do_not_change_bits),
        cmocka_unit_test(test_runs_are_paired),
        cmocka_unit_test(test_paired_algorithms_begin_alike),
        cmocka_unit_test(test_a_budget_that_ends),
        cmocka_unit_test(test_a_promise_is_kept),
        cmocka_unit_test(test_known_trials),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
