/* federation_run_test.c - federation.c with dp-fts-de: does it help, and is it repeatable? */
#include "support/test.h"

#include "base/json.h"
#include "sim/federation.h"
#include "study/store.h"

enum { AGENTS = 20, POINTS = 400, WAVES = 64, INITIAL = 10 };

/* One smooth function for all agents: a draw of a Gaussian process by random features. */
typedef struct world {
    double value[POINTS], best;
    tc_space *space;
} world;

static void make_world(world *w, uint64_t seed)
{
    tacit_error err = {0};
    tc_public_seed public_seed = tc_public_seed_from(seed);
    tc_stream s;
    tc_domain *d = NULL;
    memset(w, 0, sizeof *w);
    tc_stream_public(&s, &public_seed, TC_FOR_OBJECTIVE, 0);
    for (int k = 0; k < WAVES; k++) {
        double slope = tc_draw_normal(&s) / 0.05, height = tc_draw_normal(&s);
        double phase = 6.283185307179586 * tc_draw_uniform(&s);
        for (int i = 0; i < POINTS; i++)
            w->value[i] += height * cos(slope * i / (POINTS - 1.0) + phase) * sqrt(2.0 / WAVES);
    }
    w->best = -INFINITY;
    for (int i = 0; i < POINTS; i++)
        w->best = fmax(w->best, w->value[i]);
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){POINTS}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&w->space, d, &err));
}

static double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    tc_party_seed seed = tc_party_seed_from(99);
    tc_stream s;
    tc_stream_party(&s, &seed, agent, TC_FOR_OBSERVATION, trial);
    return ((world *)user)->value[(size_t)values[0]] + 0.1 * tc_draw_normal(&s);
}

static tc_federation *found(world *w, const char *options, tc_federation_config cfg)
{
    tacit_error err = {0};
    tc_federation *f = NULL;
    json_t *j = NULL;
    assert_ok(tc_json_parse(options, strlen(options), "options", &j, &err));
    cfg.algorithm = tc_algorithm_find("dp-fts-de");
    cfg.options = j;
    cfg.space = w->space;
    cfg.maximize = true;
    cfg.agents = AGENTS;
    cfg.objective = observe;
    cfg.user = w;
    assert_ok(tc_federation_new(&f, &cfg, &err));
    json_decref(j);
    return f;
}

static void run(tc_federation *f, int steps)
{
    tacit_error err = {0};
    for (int i = 0; i < steps; i++)
        assert_ok(tc_federation_step(f, &err));
}

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
        double a = regret_at_one(
            seed, "{\"features\": 50, \"lengthscale\": 0.05, \"noise_multiplier\": 0, "
                  "\"message\": \"mean\"}");
        double b = regret_at_one(
            seed, "{\"features\": 50, \"lengthscale\": 0.05, \"broadcast\": \"uniform\"}");
        double c = regret_at_one(
            seed, "{\"features\": 50, \"lengthscale\": 0.05, \"broadcast\": \"noise\"}");
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
    const char *options = "{\"features\": 30, \"regions\": 2, \"message\": \"draw\"}";
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
    const tc_federation_tally *c = tc_federation_counts(one);
    assert_int_equal(c->releases, 6);
    assert_int_equal(c->messages, 6 * AGENTS);
    assert_int_equal(c->bytes, 6 * AGENTS * (16 + 8 * 30));
    assert_int_equal(c->broadcast_bytes, 8 * 2 * 30);
    tc_federation_free(one);
    tc_federation_free(three);
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
    tc_dp_event three = {
        .mechanism = TC_DP_GAUSSIAN, .parameter = 4, .sampling_rate = 1, .count = 3};
    tc_guarantee cost;
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
    assert_ok(tc_ledger_guarantee(b.ledger, TC_UNIT_AGENT, NULL, delta, &tc_accountant_moments,
                                  &claim, &err));
    assert_close(claim.bound.epsilon, 9.91, 0.005);
    assert_ok(tc_ledger_guarantee(b.ledger, TC_UNIT_AGENT, NULL, delta, &tc_accountant_pld, &claim,
                                  &err));
    assert_close(claim.bound.epsilon, 7.054, 0.005);
    assert_false(claim.is_private); /* seeded */
    tc_federation_free(f);
    close_book(&b);
    tc_space_free(w.space);
}

static void test_only_federated_algorithms(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    tc_federation *f = NULL;
    make_world(&w, 2);
    tc_federation_config cfg = {
        .algorithm = tc_algorithm_find("ts"), .space = w.space, .agents = 2, .objective = observe};
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_UNSUPPORTED,
                 "ts is not a federated algorithm");
    cfg.algorithm = tc_algorithm_find("dp-fts-de");
    cfg.agents = 0;
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG, "agents must be in 1..2^24");
    tc_space_free(w.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_others_know_helps),
        cmocka_unit_test(test_threads_do_not_change_bits),
        cmocka_unit_test(test_a_spent_budget_ends_releases_not_trials),
        cmocka_unit_test(test_paper_mode_costs_what_the_paper_says),
        cmocka_unit_test(test_only_federated_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
