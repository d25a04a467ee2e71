/* federation_run_test.c - federation.c with an aggregator (dp-fts-de): does it help, is it
 * repeatable, does every release pass the ledger? */
#include "support/federation_world.h"

#include "algo/charge.h"
#include "base/error.h"
#include "study/store.h"

/* Simple regret without noise, the mean over agents. */
static double regret(const world *w, const tc_federation *f)
{
    double sum = 0;
    for (uint64_t n = 0; n < AGENTS; n++) {
        const tc_optimizer *o = tc_federation_agent(f, n);
        double least = INFINITY;
        for (uint64_t t = 0; t < tc_optimizer_trials(o); t++)
            least = fmin(least, w->best - w->value[(size_t)tc_optimizer_trial(o, t)->values[0]]);
        sum += least / AGENTS;
    }
    return sum;
}

static double regret_at_one(uint64_t seed, const char *options)
{
    world w;
    make_world(&w, seed);
    tc_federation *f = found(&w, options, (tc_federation_config){.seed = seed});
    run(f, INITIAL + 1);
    double r = regret(&w, f);
    tc_federation_free(f);
    tc_space_free(w.space);
    return r;
}

static void test_what_others_know_helps(void **state)
{
    (void)state;
    double told = 0, uniform = 0, noise = 0;
    int wins = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        double a = regret_at_one(seed, "{\"own\": \"features\", \"features\": 50, \"lengthscale\": "
                                       "0.05, \"noise_multiplier\": 0, "
                                       "\"message\": \"mean\"}");
        double b = regret_at_one(seed, "{\"own\": \"features\", \"features\": 50, \"lengthscale\": "
                                       "0.05, \"broadcast\": \"uniform\"}");
        double c = regret_at_one(seed, "{\"own\": \"features\", \"features\": 50, \"lengthscale\": "
                                       "0.05, \"broadcast\": \"noise\"}");
        told += a / 8;
        uniform += b / 8;
        noise += c / 8;
        wins += a < b && a < c;
    }
    assert_true(wins >= 7);
    assert_true(told < uniform / 5 && told < noise / 5);
}

static void test_threads_do_not_change_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    const char *options = "{\"own\": \"features\", \"initial\": 10, \"features\": 30, \"regions\": "
                          "2, \"message\": \"draw\"}";
    world w;
    tc_pool *pool = NULL;
    make_world(&w, 1);
    assert_ok(tc_pool_new(&pool, 3, &err));
    tc_federation *one = found(&w, options, (tc_federation_config){.seed = 5, .drop = 0.2});
    tc_federation *three =
        found(&w, options, (tc_federation_config){.seed = 5, .drop = 0.2, .pool = pool});
    run(one, INITIAL + 6);
    run(three, INITIAL + 6);
    for (uint64_t n = 0; n < AGENTS; n++)
        for (uint64_t t = 0; t < INITIAL + 6; t++)
            assert_same_bits(tc_optimizer_trial(tc_federation_agent(one, n), t)->values[0],
                             tc_optimizer_trial(tc_federation_agent(three, n), t)->values[0]);
    const tacit_message_counts *c = tc_federation_counts(one);
    assert_int_equal(c->releases, 6);
    assert_int_equal(c->messages, 6 * AGENTS);
    assert_int_equal(c->bytes, 6 * AGENTS * (16 + 8 * 30));
    assert_int_equal(c->broadcast_bytes, 8 * 2 * 30);
    tc_federation_free(one);
    tc_federation_free(three);
    tc_pool_free(pool);
    tc_space_free(w.space);
}

#define FEATURES "{\"own\": \"features\", \"initial\": 10, \"features\": 20"

/* Whoever does not act makes the trials that releases need and no more; the others notice nothing. */
static void test_the_others_stop_after_the_last_release(void **state)
{
    (void)state;
    enum { ACTING = 3, STEPS = INITIAL + 6 };
    static const struct {
        const char *options;
        uint64_t trials; /* of those that do not act */
    } cases[] = {
        {FEATURES ", \"regions\": 2, \"releases\": \"first\"}", INITIAL},
        {FEATURES ", \"regions\": 2, \"releases\": \"0,3\"}", INITIAL + 3},
        {FEATURES ", \"regions\": 2, \"releases\": \"2\"}", INITIAL + 2},
        {FEATURES ", \"regions\": 2, \"releases\": \"all\"}", STEPS - 1},
        {FEATURES ", \"regions\": 2, \"releases\": \"9\"}", 0}, /* comes too late */
    };
    tacit_error err = {0};
    world w;
    tc_pool *pool = NULL;
    make_world(&w, 4);
    assert_ok(tc_pool_new(&pool, 3, &err));
    for (size_t i = 0; i < 3 * sizeof cases / sizeof *cases; i++) {
        const char *options = cases[i / 3].options;
        tc_federation_config cfg = {.seed = 5, .drop = 0.2, .budget = STEPS};
        tc_federation *all = found(&w, options, cfg);
        cfg.acting = ACTING;
        cfg.pool = i % 3 > 0 ? pool : NULL;
        cfg.chunk = i % 3 > 1 ? 2 : 0;
        tc_federation *some = found(&w, options, cfg);
        run(all, STEPS);
        run(some, STEPS);
        for (uint64_t n = 0; n < AGENTS; n++) {
            const tc_optimizer *a = tc_federation_agent(all, n), *b = tc_federation_agent(some, n);
            assert_int_equal(tc_optimizer_trials(b), n < ACTING ? STEPS : cases[i / 3].trials);
            for (uint64_t t = 0; t < tc_optimizer_trials(b); t++)
                assert_same_bits(tc_optimizer_trial(b, t)->values[0],
                                 tc_optimizer_trial(a, t)->values[0]);
        }
        assert_memory_equal(tc_federation_counts(all), tc_federation_counts(some),
                            sizeof(tacit_message_counts));
        tc_federation_free(all);
        tc_federation_free(some);
    }
    tc_pool_free(pool);
    tc_space_free(w.space);
}

typedef struct book {
    tc_store *store;
    tc_ledger *ledger;
} book;

static void open_book(book *b)
{
    tacit_error err = {0};
    tc_ledger_io io;
    assert_ok(tc_store_open(&b->store, "memory:", true, &err));
    assert_ok(tc_store_ledger(b->store, "test", true, &io, &err));
    assert_ok(tc_ledger_open(&b->ledger, "test", &io, &err));
}

static void close_book(book *b)
{
    tc_ledger_close(b->ledger);
    tc_store_close(b->store);
}

/* The budget pays for three releases; the ledger has exactly those, and the agents go on. */
static void test_a_spent_budget_ends_releases_not_trials(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    book b;
    const tc_accountant *a = &tc_accountant_gaussian;
    tacit_dp_event three = {
        .mechanism = TACIT_DP_GAUSSIAN, .parameter = 4, .sampling_rate = 1, .count = 3};
    tacit_guarantee cost;
    make_world(&w, 2);
    open_book(&b);
    assert_ok(tc_account(a, &three, 1, 1e-5, &cost, &err));
    tc_ledger_budget limit = {.epsilon = cost.epsilon * 1.05, .delta = 1e-5, .accountant = a};
    tc_federation *f =
        found(&w, "{\"features\": 20, \"regions\": 2, \"noise_multiplier\": 4}",
              (tc_federation_config){.seed = 5, .ledger = b.ledger, .limit = &limit});
    run(f, INITIAL + 6);
    assert_int_equal(tc_federation_counts(f)->releases, 3);
    assert_int_equal(tc_federation_counts(f)->refusals, 3);
    assert_int_equal(tc_ledger_get_head(b.ledger).seq, 3);
    assert_false(tc_ledger_get(b.ledger, 1, NULL)->is_private);
    assert_int_equal(tc_optimizer_count(tc_federation_agent(f, 0), TC_TRIAL_COMPLETE), INITIAL + 6);
    tc_federation_free(f);
    close_book(&b);
    tc_space_free(w.space);
}

/* Forty broadcasts with q = 1/4 and z = 1 at delta = 200^-1.1: what Fig. 2 of the paper reports, and
 * the tight value. Neither depends on the number of agents. */
static void test_paper_mode_costs_what_the_paper_says(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    book b;
    tc_ledger_claim claim;
    make_world(&w, 3);
    open_book(&b);
    tc_federation *f = found(&w,
                             "{\"features\": 10, \"initial\": 1, \"mode\": \"paper\", "
                             "\"sampling_rate\": 0.25}",
                             (tc_federation_config){.seed = 5, .ledger = b.ledger});
    run(f, 1 + 40);
    assert_int_equal(tc_ledger_get_head(b.ledger).seq, 40);
    double delta = pow(200, -1.1);
    assert_ok(tc_ledger_guarantee(b.ledger, TACIT_UNIT_AGENT, NULL, delta, &tc_accountant_moments,
                                  &claim, &err));
    assert_close(claim.bound.epsilon, 9.91, 0.005);
    assert_ok(tc_ledger_guarantee(b.ledger, TACIT_UNIT_AGENT, NULL, delta, &tc_accountant_pld,
                                  &claim, &err));
    assert_close(claim.bound.epsilon, 7.054, 0.005);
    assert_false(claim.is_private); /* seeded */
    tc_federation_free(f);
    close_book(&b);
    tc_space_free(w.space);
}

/* ---- one by one, together, and in threads ---- */

static void test_chunks_do_not_change_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    const char *options = "{\"features\": 20, \"regions\": 2, \"initial\": 3}";
    static const size_t chunks[] = {0, 1, 3, 7, 256};
    world w;
    make_world(&w, 4);
    tc_federation_config cfg = {.seed = 6, .drop = 0.3, .chunk = 1};
    tc_federation *first = found(&w, options, cfg);
    run(first, 8);
    for (size_t threads = 1; threads <= 3; threads++)
        for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++) {
            assert_ok(tc_pool_new(&cfg.pool, threads, &err));
            cfg.chunk = chunks[k];
            tc_federation *f = found(&w, options, cfg);
            run(f, 8);
            assert_same_trials(first, f);
            tc_federation_free(f);
            tc_pool_free(cfg.pool);
        }
    assert_true(tc_federation_counts(first)->lost > 0);
    tc_federation_free(first);
    tc_space_free(w.space);
}

/* ---- messages that are refused: those of the first agents, in round 0 ---- */

enum { LOUD = 10 };

static tacit_status refuse_one(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                               const void *bytes, size_t n, tacit_error *err)
{
    if (round == 0 && agent < LOUD)
        return tc_fail(err, TACIT_E_ARG, "too loud");
    return tc_algorithm_find("dp-fts-de")
        ->aggregator->check(env, opts, round, agent, bytes, n, err);
}

/* The obvious reference: they send zeros instead. */
static tacit_status fold_zero(void *st, uint64_t agent, const void *bytes, size_t n,
                              tacit_error *err)
{
    char zeros[16 + 8 * 20] = {0};
    memcpy(zeros, bytes, 16);
    uint64_t round = 0;
    memcpy(&round, zeros + 8, 8);
    bool mute = agent < LOUD && round == 0;
    return tc_algorithm_find("dp-fts-de")
        ->aggregator->fold(st, agent, mute ? zeros : bytes, n, err);
}

static void test_a_refused_message_counts_as_none(void **state)
{
    (void)state;
    const char *options =
        "{\"features\": 20, \"lengthscale\": 0.05, \"noise_multiplier\": 0, \"initial\": 3}";
    tc_aggregator_ops refuses = *tc_algorithm_find("dp-fts-de")->aggregator;
    tc_aggregator_ops zeros = refuses;
    tc_algorithm strict = *tc_algorithm_find("dp-fts-de"), muted = strict;
    refuses.check = refuse_one;
    zeros.fold = fold_zero;
    strict.aggregator = &refuses;
    muted.aggregator = &zeros;
    world w;
    make_world(&w, 4);
    tc_federation *a = found(&w, options, (tc_federation_config){.algorithm = &strict, .seed = 6});
    tc_federation *b = found(&w, options, (tc_federation_config){.algorithm = &muted, .seed = 6});
    tc_federation *c = found(&w, options, (tc_federation_config){.seed = 6});
    run(a, 7);
    run(b, 7);
    run(c, 7);
    assert_int_equal(tc_federation_counts(a)->rejected, LOUD);
    assert_string_equal(tc_federation_rejection(a), "agent 0 in round 0: too loud");
    assert_null(tc_federation_rejection(b));
    bool differs = false;
    for (uint64_t n = 0; n < AGENTS; n++)
        for (uint64_t t = 0; t < 7; t++) {
            double x = tc_optimizer_trial(tc_federation_agent(a, n), t)->values[0];
            assert_same_bits(x, tc_optimizer_trial(tc_federation_agent(b, n), t)->values[0]);
            differs |= x != tc_optimizer_trial(tc_federation_agent(c, n), t)->values[0];
        }
    assert_true(differs); /* the message would have been heard */
    tc_federation_free(a);
    tc_federation_free(b);
    tc_federation_free(c);
    tc_space_free(w.space);
}

/* ---- releases ---- */

static void test_releases_are_listed_and_stamped(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    book b;
    size_t n;
    tc_round_price planned;
    make_world(&w, 2);
    open_book(&b);
    const char *options = "{\"features\": 20, \"initial\": 2, \"releases\": \"0,2\"}";
    tc_federation *f = found(&w, options, (tc_federation_config){.seed = 5, .ledger = b.ledger});
    run(f, 2);
    (void)tc_federation_releases(f, &n);
    assert_int_equal(n, 0); /* nothing has left */
    run(f, 4);
    const tacit_simulated_release *r = tc_federation_releases(f, &n);
    const tc_env env = {.space = w.space, .public_seed = tc_public_seed_from(5), .agents = AGENTS};
    assert_int_equal(n, 2);
    assert_int_equal(tc_ledger_get_head(b.ledger).seq, n);
    for (size_t i = 0; i < n; i++) {
        const tc_ledger_entry *e = tc_ledger_get(b.ledger, i + 1, NULL);
        assert_int_equal(r[i].round, 2 * i);
        assert_int_equal(r[i].trials, 2 + 2 * i);
        assert_int_equal(e->round, r[i].round);
        assert_non_null(strstr(e->not_private, "seed"));
        assert_same_bits(e->event.parameter, r[i].event.parameter);
        assert_same_bits(e->distance, r[i].distance);
        assert_ok(tc_round_price_of(tc_algorithm_find("dp-fts-de"), &env,
                                    tc_optimizer_options(tc_federation_agent(f, 0)), r[i].round,
                                    &planned, &err));
        assert_same_bits(planned.event.parameter, r[i].event.parameter);
        assert_same_bits(planned.distance, r[i].distance);
    }
    tc_federation *bare = found(&w, options, (tc_federation_config){.seed = 5});
    run(bare, 6);
    assert_same_trials(f, bare);
    tc_federation_free(bare);
    tc_federation_free(f);
    close_book(&b);
    tc_space_free(w.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_others_know_helps),
        cmocka_unit_test(test_threads_do_not_change_bits),
        cmocka_unit_test(test_the_others_stop_after_the_last_release),
        cmocka_unit_test(test_a_spent_budget_ends_releases_not_trials),
        cmocka_unit_test(test_paper_mode_costs_what_the_paper_says),
        cmocka_unit_test(test_chunks_do_not_change_bits),
        cmocka_unit_test(test_a_refused_message_counts_as_none),
        cmocka_unit_test(test_releases_are_listed_and_stamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
