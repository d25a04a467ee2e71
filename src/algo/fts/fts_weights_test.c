/* fts_weights_test.c - who is drawn, how often others are followed, and what a rank is worth. */
#include "support/test.h"

#include "support/fts_federation.h"

#include "algo/fts/agent.h"
#include "algo/optimizer_int.h"

/* ---- the urn ---- */

/* The owner of a ticket by walking over everybody. */
static uint64_t slow_pick(const uint64_t *weight, const bool *out, uint64_t agents, uint64_t ticket)
{
    for (uint64_t i = 0; i < agents; i++) {
        if (out[i])
            continue;
        if (ticket < weight[i])
            return i;
        ticket -= weight[i];
    }
    return agents;
}

static void check_urn(uint64_t agents, const char *given, const uint64_t *weight, uint64_t unit)
{
    tacit_error err = {0};
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream s;
    tc_fts_urn u;
    bool out[64] = {false};
    uint64_t left = 0;
    tc_stream_public(&s, &seed, TC_FOR_COIN, agents);
    assert_ok(tc_fts_urn_init(&u, agents, given, NULL, &err));
    for (uint64_t i = 0; i < agents; i++)
        left += weight[i];
    while (left > 0) {
        assert_int_equal(tc_fts_urn_left(&u), left * unit);
        for (uint64_t t = 0; t < left; t++) {
            uint64_t who = slow_pick(weight, out, agents, t);
            assert_int_equal(tc_fts_urn_pick(&u, t * unit), who);
            assert_int_equal(tc_fts_urn_pick(&u, t * unit + unit - 1), who);
        }
        uint64_t who = tc_fts_urn_pick(&u, unit * tc_draw_below(&s, left));
        assert_false(out[who]);
        assert_ok(tc_fts_urn_reserve(&u, &err));
        tc_fts_urn_remove(&u, who);
        tc_fts_urn_remove(&u, who); /* twice is once */
        out[who] = true;
        left -= weight[who];
    }
    assert_int_equal(tc_fts_urn_left(&u), 0);
    tc_fts_urn_refill(&u);
    assert_int_equal(tc_fts_urn_pick(&u, 0), slow_pick(weight, (bool[64]){false}, agents, 0));
    tc_fts_urn_fini(&u);
}

static void test_the_urn_as_a_list(void **state)
{
    (void)state;
    static const uint64_t equal[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint64_t given[] = {2, 0, 1, 8, 0, 0, 4, 1, 0};
    check_urn(1, NULL, equal, 1);
    check_urn(2, NULL, equal, 1);
    check_urn(13, NULL, equal, 1);
    check_urn(9, "1,0,0.5,4,0,0,2,5e-1,0", given, UINT64_C(1) << 28);
}

/* An urn of a billion agents is as small as what was taken out of it. */
static void test_a_large_urn_costs_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    const uint64_t agents = UINT64_C(1000000000);
    tc_fts_urn u;
    assert_ok(tc_fts_urn_init(&u, agents, NULL, NULL, &err));
    for (uint64_t i = 0; i < 1000; i++) {
        assert_ok(tc_fts_urn_reserve(&u, &err));
        tc_fts_urn_remove(&u, tc_fts_urn_pick(&u, i * 999983 % tc_fts_urn_left(&u)));
    }
    assert_int_equal(tc_fts_urn_left(&u), agents - 1000);
    assert_true(u.cap <= 2048);
    uint64_t last = tc_fts_urn_pick(&u, tc_fts_urn_left(&u) - 1);
    assert_int_equal(last, agents - 1);
    tc_fts_urn_fini(&u);
}

/* However small beside the largest: who has a weight can be drawn. */
static void test_a_weight_that_is_not_zero_stays_so(void **state)
{
    (void)state;
    tacit_error err = {0};
    const uint64_t largest = UINT64_C(1) << 31;
    tc_fts_urn u;
    assert_ok(tc_fts_urn_init(&u, 4, "0,1e-30,1,5e-324", NULL, &err));
    assert_int_equal(tc_fts_urn_left(&u), largest + 2);
    assert_int_equal(tc_fts_urn_pick(&u, 0), 1);
    assert_int_equal(tc_fts_urn_pick(&u, largest), 2);
    assert_int_equal(tc_fts_urn_pick(&u, largest + 1), 3);
    tc_fts_urn_fini(&u);
}

/* Given weights are held once; who is out is each urn's own. The last one to end frees them. */
static void test_urns_of_one_text_share_it(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char text[] = "1,1,2";
    tc_fts_urn first, second, other;
    assert_ok(tc_fts_urn_init(&first, 3, text, NULL, &err));
    assert_ok(tc_fts_urn_init(&second, 3, text, &first, &err));
    assert_ptr_equal(first.given, second.given);
    assert_ok(tc_fts_urn_reserve(&first, &err));
    tc_fts_urn_remove(&first, 2);
    assert_int_equal(tc_fts_urn_left(&second), 2 * tc_fts_urn_left(&first));
    assert_int_equal(second.given->users, 2);
    tc_fts_urn_fini(&first);
    assert_int_equal(second.given->users, 1);
    assert_int_equal(tc_fts_urn_pick(&second, tc_fts_urn_left(&second) - 1), 2);
    /* One of another roster reads its own text. */
    assert_fails(tc_fts_urn_init(&other, 4, text, &second, &err), TACIT_E_ARG,
                 "given must be 4 weights");
    tc_fts_urn_fini(&second);
}

static void test_agents_of_one_process_share_given_weights(void **state)
{
    (void)state;
    federation *f = assemble(&tc_algorithm_fts, line(), 3,
                             "{\"features\": 5, \"choose\": \"given\", \"given\": \"1,2,3\"}");
    const tc_fts_agent_state *first = f->member[0]->o->state;
    assert_int_equal(first->urn.given->users, 3);
    for (size_t i = 1; i < 3; i++) {
        const tc_fts_agent_state *a = f->member[i]->o->state;
        assert_ptr_equal(a->urn.given, first->urn.given);
    }
    disband(f);
}

/* ---- learned weights ---- */

static void test_ranks_and_weights(void **state)
{
    (void)state;
    assert_same_bits(tc_fts_rank_weight(0, 0), 1);
    assert_same_bits(tc_fts_rank_weight(0, 1), 1);
    assert_same_bits(tc_fts_rank_weight(0, 50), 1);
    /* All pairs of n = 10: balance 45, deviation sqrt(10 * 9 * 25 / 18). */
    assert_close(tc_fts_rank_weight(45, 10), exp(45 / sqrt(125)), 1e-9);
    assert_close(tc_fts_rank_weight(-45, 10), exp(-45 / sqrt(125)), 1e-15);
    assert_true(isfinite(tc_fts_rank_weight(5e11, 1000000)));
}

static double slow_balance(const federation *f, const double *omega, const tc_features *features,
                           size_t who)
{
    const tc_optimizer *o = f->member[who]->o;
    double balance = 0;
    for (uint64_t i = 0; i < tc_optimizer_trials(o); i++)
        for (uint64_t j = 0; j < i; j++) {
            const tc_trial *a = tc_optimizer_trial(o, i), *b = tc_optimizer_trial(o, j);
            double ua = a->values[0] / (POINTS - 1), ub = b->values[0] / (POINTS - 1);
            double fit =
                tc_rff_value(&features->rff, omega, &ua) - tc_rff_value(&features->rff, omega, &ub);
            double y = a->value - b->value;
            balance += fit * y > 0 ? 1 : fit * y < 0 ? -1 : 0;
        }
    return balance;
}

static double opposed(size_t who, const double *u, size_t dim)
{
    return (who == 2 ? -1 : 1) * waves(0, u, dim);
}

/* The weights in the state are those of the messages at hand, by all pairs; the foe's is tiny. */
static void test_kept_messages_are_weighed_by_all_pairs(void **state)
{
    (void)state;
    federation *f =
        assemble(&tc_algorithm_fts, line(), 4,
                 "{\"own\": \"features\", \"features\": 14, \"initial\": 6, \"lengthscale\": 0.15, "
                 "\"choose\": \"learned\", \"schedule\": \"constant\", \"follow\": 0.7, "
                 "\"message\": \"mean\"}");
    f->objective = opposed;
    run(f, 26);
    for (size_t i = 0; i < 4; i++) {
        const tc_fts_agent_state *a = f->member[i]->o->state;
        assert_true(a->cache.n > 0);
        for (size_t k = 0; k < a->cache.n; k++) {
            const tc_fts_kept *kept = &a->cache.kept[k];
            double balance = slow_balance(f, kept->omega, a->core.features, i);
            assert_close(kept->balance, balance, 0);
            assert_close(kept->weight, tc_fts_rank_weight(balance, 26), 1e-12);
            if (i != 2 && kept->party == 2)
                assert_true(kept->weight < 0.2);
            else if (i != 2)
                assert_true(kept->weight > 1);
        }
    }
    disband(f);
}

/* ---- the schedule ---- */

static void test_schedules(void **state)
{
    (void)state;
    tc_fts_options o = {.follow = 0.3};
    for (uint64_t t = 1; t < 50; t++) {
        double s = t == 1 ? 2 : (double)t; /* p_1 = p_2 */
        o.schedule = TC_FTS_SQRT;
        assert_close(tc_fts_follow(&o, t), pow(s, -0.5), 1e-15);
        o.schedule = TC_FTS_INVERSE;
        assert_close(tc_fts_follow(&o, t), 1 / s, 1e-15);
        o.schedule = TC_FTS_SQUARE;
        assert_close(tc_fts_follow(&o, t), pow(s, -2), 1e-15);
        o.schedule = TC_FTS_CONSTANT;
        assert_same_bits(tc_fts_follow(&o, t), 0.3);
    }
    o = (tc_fts_options){.schedule = TC_FTS_SQRT, .p1 = 0.25};
    assert_same_bits(tc_fts_follow(&o, 1), 0.75);
    assert_close(tc_fts_follow(&o, 2), sqrt(0.5), 1e-15);
}

static void test_the_inequality_of_the_theorem(void **state)
{
    (void)state;
    tc_fts_options o = {.schedule = TC_FTS_SQRT};
    assert_int_equal(tc_fts_condition(&o, 1000, 100), 2); /* p_1 = p_2, and c_2 > c_1 */
    o.p1 = 0.2;
    assert_int_equal(tc_fts_condition(&o, 1000, 100000), 0);
    o.p1 = 0.25; /* (1 - p_1) c_1 = 3.54, (1 - p_2) c_2 = 3.59 */
    assert_int_equal(tc_fts_condition(&o, 1000, 100), 2);
    o = (tc_fts_options){.schedule = TC_FTS_SQUARE, .p1 = 0.5};
    assert_int_equal(tc_fts_condition(&o, 1000, 1000), 0);
    o = (tc_fts_options){.schedule = TC_FTS_CONSTANT, .follow = 0.2, .p1 = 0.7};
    assert_int_equal(tc_fts_condition(&o, 1000, 10), 0);
    uint64_t first = tc_fts_condition(&o, 1000, 1000000);
    assert_true(first > 10); /* ln t wins in the end */
    assert_int_equal(tc_fts_condition(&o, 1000, first - 1), 0);
}

static void check_sentence(const tc_space *space, const tc_fts_options *o, uint64_t rounds,
                           const char *expected)
{
    tc_env env = {.space = space};
    tc_text text = {0};
    tc_algorithm_fts.theorem(&env, o, rounds, &text);
    assert_string_equal(tc_text_get(&text), expected);
    tc_text_fini(&text);
}

static void test_what_reports_say(void **state)
{
    (void)state;
    tc_domain d = {.n = 1000};
    tc_space points = {.domain = &d};
    static const char holds[] =
        "Theorem 1's condition on p_t: holds with beta_t = 1, up to t = 40.";
    static const char falls[] = "Theorem 1's condition on p_t: fails at t = 2.";
    static const char stays[] = "Theorem 1's condition on p_t: fails: p_t does not go to 1.";
    tc_fts_options o = {.schedule = TC_FTS_SQRT};
    check_sentence(&points, &o, 40, falls); /* p_1 = p_2 */
    o.p1 = 0.9;
    check_sentence(&points, &o, 40, falls); /* p_1 > p_2 */
    o.p1 = 0.2;
    check_sentence(&points, &o, 40, holds);
    check_sentence(&(tc_space){0}, &o, 40, ""); /* infinitely many points */
    o.common.own = TC_FTS_OWN_GP;
    check_sentence(&points, &o, 40, ""); /* queries that follow nobody */
    o = (tc_fts_options){.schedule = TC_FTS_CONSTANT, .follow = 0.05, .p1 = 0.5};
    assert_int_equal(tc_fts_condition(&o, 1000, 100), 0); /* the inequality alone says nothing */
    check_sentence(&points, &o, 100, stays);
    o = (tc_fts_options){.schedule = TC_FTS_CONSTANT, .follow = 0.3, .p1 = 0.05};
    check_sentence(&points, &o, 2000, stays);
    o = (tc_fts_options){.schedule = TC_FTS_CONSTANT, .follow = 1};
    check_sentence(&points, &o, 40, stays);
    o = (tc_fts_options){.schedule = TC_FTS_CONSTANT, .follow = 0};
    check_sentence(&points, &o, 40, holds); /* p_t = 1: nobody is ever followed */
}

static void test_what_is_in_force(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_space line = {.dim = 1}, square = {.dim = 4};
    tc_fts_options o = {.schedule = TC_FTS_SQRT, .common.lengthscale = 0.3};
    assert_ok(tc_algorithm_fts.resolve_defaults(&(tc_env){.space = &line}, &o, &err));
    assert_close(o.p1, 1 - sqrt(0.5), 1e-15);
    assert_same_bits(o.common.lengthscale, 0.3);
    o.p1 = 0.25;
    assert_ok(tc_algorithm_fts.resolve_defaults(&(tc_env){.space = &line}, &o, &err));
    assert_same_bits(o.p1, 0.25);
    o = (tc_fts_options){.common.own = TC_FTS_OWN_GP};
    assert_ok(tc_algorithm_fts.resolve_defaults(&(tc_env){.space = &square}, &o, &err));
    assert_same_bits(o.p1, 0); /* nobody is followed */
    assert_close(o.common.lengthscale, 0.1 * pow(4, 0.75), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_urn_as_a_list),
        cmocka_unit_test(test_a_large_urn_costs_nothing),
        cmocka_unit_test(test_a_weight_that_is_not_zero_stays_so),
        cmocka_unit_test(test_urns_of_one_text_share_it),
        cmocka_unit_test(test_agents_of_one_process_share_given_weights),
        cmocka_unit_test(test_ranks_and_weights),
        cmocka_unit_test(test_kept_messages_are_weighed_by_all_pairs),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_the_inequality_of_the_theorem),
        cmocka_unit_test(test_what_reports_say),
        cmocka_unit_test(test_what_is_in_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
