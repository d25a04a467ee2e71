/* dp_pne_record_test.c - dp-pf-pne with protect=record: noise, widths, what a ledger says of all rounds. */
#include "support/test.h"

#include "algo/tree/dp_pne.h"
#include "algo/tree/tree_algorithms.h"
#include "base/memory.h"
#include "privacy/accountant.h"
#include "privacy/ledger.h"
#include "sim/federation.h"
#include "study/store.h"

#include <endian.h>

enum { AGENTS = 20, TRIALS = 400, ROUNDS = 4 };

static tc_space *interval(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    return s;
}

static tc_dp_pne_options options_of(double z)
{
    tacit_error err = {0};
    tc_dp_pne_options o = {0};
    assert_ok(tc_options_defaults(tc_algorithm_dp_pf_pne.options, &o, &err));
    o.protect = TC_PROTECT_RECORD;
    o.noise_multiplier = z;
    o.bandit.gap = 0.1;
    return o;
}

/* One round about depth 3. All rewards of agent m in cell i are m / AGENTS, but one of agent 0's in
 * cell 0 is `odd`. */
static tc_release *round_of(const tc_env *env, const tc_dp_pne_options *o, double odd,
                            tc_entropy *e)
{
    tacit_error err = {0};
    const tc_aggregator_ops *g = tc_algorithm_dp_pf_pne.aggregator;
    tc_dp_pne_round r;
    tc_release *out = NULL;
    void *st = tc_alloc(1, g->state_size);
    assert_non_null(st);
    assert_ok(tc_dp_pne_round_init(&r, env, o, 2, &err));
    assert_ok(g->open(st, env, o, 2, e, &err));
    int64_t n = (int64_t)tc_pne_share(&r.law, 3), half = TC_REWARD_ONE / 2;
    for (uint64_t m = 0; m < env->agents; m++) {
        uint64_t message[8];
        int64_t reward = tc_reward_of((double)m / AGENTS);
        for (size_t i = 0; i < 8; i++)
            message[i] = htole64((uint64_t)(n * (reward - half)));
        if (m == 0)
            message[0] = htole64((uint64_t)((n - 1) * (reward - half) + tc_reward_of(odd) - half));
        assert_ok(g->check(env, o, 2, m, message, sizeof message, &err));
        assert_ok(g->fold(st, m, message, sizeof message, &err));
    }
    assert_ok(g->close(st, &out, &err));
    g->fini(st);
    tc_free(st);
    return out;
}

/* ---- noise and widths ---- */

static void test_noise_and_widths(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = interval();
    tc_env env = {.space = s, .agents = AGENTS, .budget = 1000};
    tc_dp_pne_options o = options_of(2);
    tc_dp_pne_round r;
    assert_ok(tc_dp_pne_round_init(&r, &env, &o, 2, &err));
    double n = (double)tc_pne_share(&r.law, 3), scale = 2 / (AGENTS * n), sum = 0;
    double mean = (AGENTS - 1) / 2.0 / AGENTS;
    assert_close(r.blur, scale * (log(2 * 8 * 4.0) + r.law.log_term), 1e-6 * r.blur);
    assert_int_equal(r.price.event.mechanism, TACIT_DP_LAPLACE);
    assert_close(r.price.event.parameter, 0.5, 0);
    for (uint64_t seed = 0; seed < 200; seed++) {
        tc_test_noise noise;
        tc_test_noise_init(&noise, seed, 0);
        tc_entropy e = tc_entropy_of_test(&noise);
        tc_release *out = round_of(&env, &o, 0, &e);
        for (size_t i = 0; i < 8; i++) {
            double off = 0.5 + tc_release_value(out, i) / r.weight - mean;
            assert_true(fabs(off) < r.blur);
            sum += fabs(off);
        }
        tc_release_free(out);
    }
    assert_close(sum / 1600, scale, 0.1 * scale); /* E|X| of Laplace noise is its scale */
    tc_space_free(s);
}

/* ---- the strongest attack on one reward ---- */

/* How often cell 0 is at or above its sum with that reward 1, where it is `odd`. */
static double share_above(const tc_env *env, const tc_dp_pne_options *o, double odd, uint64_t step)
{
    enum { RUNS = 20000 };
    tacit_error err = {0};
    tc_dp_pne_round r;
    tc_test_noise noise;
    size_t above = 0;
    assert_ok(tc_dp_pne_round_init(&r, env, o, 2, &err));
    double with = 1 - (double)tc_pne_share(&r.law, 3) / 2;
    for (uint64_t m = 0; m < AGENTS; m++)
        with += m ? (double)tc_pne_share(&r.law, 3) * ((double)m / AGENTS - 0.5) : 0;
    tc_test_noise_init(&noise, 3, step);
    tc_entropy e = tc_entropy_of_test(&noise);
    for (int i = 0; i < RUNS; i++) {
        tc_release *out = round_of(env, o, odd, &e);
        above += tc_release_value(out, 0) >= with - 1e-6;
        tc_release_free(out);
    }
    return (double)above / RUNS;
}

/* Of Laplace noise half of the outputs speak for the larger sum by epsilon: neither more nor less. */
static void test_one_reward_is_hidden_by_epsilon(void **state)
{
    (void)state;
    tc_space *s = interval();
    tc_env env = {.space = s, .agents = AGENTS, .budget = 1000};
    tc_dp_pne_options o = options_of(1);
    double p1 = share_above(&env, &o, 1, 1), p0 = share_above(&env, &o, 0, 2);
    assert_close(p1, 0.5, 0.02);
    assert_close(log(p1 / p0), 1, 0.06); /* its s.e. is 0.016 */
    tc_space_free(s);
}

/* ---- the promise, and all rounds ---- */

static void test_the_promise(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = interval();
    tc_env env = {.space = s, .agents = AGENTS, .budget = 1000};
    tc_dp_pne_options o = options_of(1);
    const double epsilons[] = {0.001, 0.1, 0.3, 1, 3, 7, 49};
    for (size_t i = 0; i < 7; i++) {
        tc_dp_pne_round r;
        assert_ok(tc_algorithm_dp_pf_pne.promise(&env, &o, epsilons[i], 1e-5, &err));
        assert_ok(tc_dp_pne_round_init(&r, &env, &o, 0, &err));
        assert_true(r.price.event.parameter <= epsilons[i]);
        assert_close(r.price.event.parameter, epsilons[i], 1e-12 * epsilons[i]);
    }
    tc_dp_pne_round r;
    o.noise_multiplier = 1e-4;
    assert_fails(tc_dp_pne_round_init(&r, &env, &o, 0, &err), TACIT_E_ARG,
                 "with protect=record, noise_multiplier must be in [0.001, 2000], got 0.0001");
    o = options_of(1);
    o.bandit.c = 1000;
    o.bandit.transition = 5;
    env.agents = 2;
    env.budget = 1000000;
    assert_fails(tc_dp_pne_round_init(&r, &env, &o, 4, &err), TACIT_E_ARG,
                 "pulls of a cell, too many to add up");
    tc_space_free(s);
}

typedef struct diary {
    double x[AGENTS][TRIALS];
} diary;

static double hill(void *user, uint64_t m, uint64_t trial, const double *values)
{
    ((diary *)user)->x[m][trial] = values[0];
    return 0.9 - fabs(values[0] - 0.3 - 0.01 * (double)m);
}

/* A federation over a ledger that allows this much; releases and refusals of its rounds. */
static tacit_message_counts live(const tc_algorithm *a, json_t *options, double limit,
                                 tc_ledger *ledger, diary *d)
{
    tacit_error err = {0};
    tc_space *s = interval();
    tc_ledger_budget budget = {.epsilon = limit, .delta = 1e-9, .accountant = &tc_accountant_pure};
    tc_federation_config cfg = {.algorithm = a,
                                .options = options,
                                .space = s,
                                .maximize = true,
                                .agents = AGENTS,
                                .seed = 3,
                                .budget = TRIALS,
                                .objective = hill,
                                .user = d,
                                .ledger = ledger,
                                .limit = limit > 0 ? &budget : NULL};
    tc_federation *f = NULL;
    assert_ok(tc_federation_new(&f, &cfg, &err));
    for (int t = 0; t < TRIALS; t++)
        assert_ok(tc_federation_step(f, &err));
    tacit_message_counts tally = *tc_federation_counts(f);
    tc_federation_free(f);
    json_decref(options);
    tc_space_free(s);
    return tally;
}

static json_t *record_options(double z)
{
    return json_pack("{s:f,s:s,s:f}", "gap", 0.1, "protect", "record", "noise_multiplier", z);
}

/* Four releases cost a reward what one of them costs, and the ledger says so. */
static void test_all_rounds_cost_what_one_does(void **state)
{
    (void)state;
    tacit_error err = {0};
    diary *d = tc_alloc(1, sizeof *d);
    tc_store *store = NULL;
    tc_ledger_io io;
    tc_ledger *ledger = NULL;
    tc_ledger_claim claim;
    tc_text text = {0};
    assert_non_null(d);
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    assert_ok(tc_store_ledger(store, "rewards", true, &io, &err));
    assert_ok(tc_ledger_open(&ledger, "rewards", &io, &err));
    tacit_message_counts t = live(&tc_algorithm_dp_pf_pne, record_options(0.5), 2, ledger, d);
    assert_int_equal(t.releases, ROUNDS);
    assert_int_equal(t.refusals, 0);
    assert_int_equal(tc_ledger_get_head(ledger).seq, ROUNDS);
    assert_string_equal(tc_ledger_get(ledger, 3, NULL)->subject, "records of round 2");
    assert_string_equal(tc_ledger_get(ledger, 3, NULL)->mechanism, "laplace-sum");
    assert_ok(
        tc_ledger_guarantee(ledger, TACIT_UNIT_ROW, NULL, 1e-9, &tc_accountant_pure, &claim, &err));
    assert_close(claim.bound.epsilon, 2, 1e-12);
    assert_int_equal(claim.entries, 1);
    assert_false(claim.is_private);
    tc_ledger_statement(ledger, &claim, &text);
    assert_non_null(strstr(tc_text_get(&text), "NOT PRIVATE: "));
    assert_non_null(strstr(tc_text_get(&text), "one record of one agent is replaced"));
    tc_text_fini(&text);
    tc_ledger_close(ledger);
    tc_store_close(store);
    tc_free(d);
}

static void test_a_budget_refuses(void **state)
{
    (void)state;
    tacit_error err = {0};
    diary *d = tc_alloc(1, sizeof *d);
    tc_store *store = NULL;
    tc_ledger_io io;
    tc_ledger *ledger = NULL;
    assert_non_null(d);
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    assert_ok(tc_store_ledger(store, "rewards", true, &io, &err));
    assert_ok(tc_ledger_open(&ledger, "rewards", &io, &err));
    tacit_message_counts t = live(&tc_algorithm_dp_pf_pne, record_options(0.5), 1.9, ledger, d);
    assert_int_equal(t.releases, 0);
    assert_int_equal(t.refusals, 1); /* and everybody went on alone */
    tc_ledger_close(ledger);
    tc_store_close(store);
    tc_free(d);
}

static void test_with_next_to_no_noise_it_is_pf_pne(void **state)
{
    (void)state;
    diary *with = tc_alloc(1, sizeof *with), *without = tc_alloc(1, sizeof *without);
    assert_true(with && without);
    live(&tc_algorithm_dp_pf_pne, record_options(0.001), 0, NULL, with);
    live(&tc_algorithm_pf_pne, json_pack("{s:f}", "gap", 0.1), 0, NULL, without);
    for (size_t m = 0; m < AGENTS; m++)
        for (size_t t = 0; t < TRIALS; t++)
            assert_same_bits(with->x[m][t], without->x[m][t]);
    tc_free(with);
    tc_free(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_and_widths),
        cmocka_unit_test(test_one_reward_is_hidden_by_epsilon),
        cmocka_unit_test(test_the_promise),
        cmocka_unit_test(test_all_rounds_cost_what_one_does),
        cmocka_unit_test(test_a_budget_refuses),
        cmocka_unit_test(test_with_next_to_no_noise_it_is_pf_pne),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
