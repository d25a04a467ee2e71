/* charge_test.c - what a round costs, whom, and the accountant that its budget is held with. */
#include "support/test.h"

#include "algo/charge.h"
#include "base/memory.h"

typedef struct setting {
    const tc_algorithm *algorithm;
    void *opts;
    tc_env env;
} setting;

static setting set_up(const char *algorithm, const char *options)
{
    tacit_error err = {0};
    setting s = {.algorithm = tc_algorithm_find(algorithm), .env = {.agents = 10, .budget = 20}};
    json_t *given = json_loads(options, 0, NULL);
    assert_non_null(s.algorithm);
    assert_non_null(given);
    s.opts = tc_alloc(1, s.algorithm->options_size);
    assert_non_null(s.opts);
    assert_ok(tc_options_defaults(s.algorithm->options, s.opts, &err));
    assert_ok(tc_options_set_json(s.algorithm->options, s.opts, algorithm, given, NULL, &err));
    json_decref(given);
    if (s.algorithm->begin)
        s.algorithm->begin(&s.env, s.opts);
    return s;
}

static void tear_down(setting *s)
{
    tc_options_fini(s->algorithm->options, s->opts);
    tc_free(s->opts);
}

static void a_round_costs_its_noise(void **state)
{
    tacit_error err = {0};
    tc_round_price price;
    setting s = set_up("dp-fts-de", "{\"noise_multiplier\": 3, \"releases\": \"all\"}");
    (void)state;
    assert_ok(tc_round_price_of(s.algorithm, &s.env, s.opts, 0, &price, &err));
    assert_int_equal(price.event.mechanism, TACIT_DP_GAUSSIAN);
    assert_int_equal(price.event.sampling, TACIT_DP_ALL);
    assert_close(price.event.parameter, 3, 1e-12);
    tear_down(&s);
}

/* pld takes the closed form where all noise is plain; also of a ledger that has other releases as well. */
static void the_accountant_is_the_tightest_there_is(void **state)
{
    tacit_error err = {0};
    tc_ledger_budget b;
    setting all = set_up("dp-fts-de", "{\"noise_multiplier\": 3, \"releases\": \"all\"}");
    setting some = set_up("dp-fts-de", "{\"noise_multiplier\": 3, \"releases\": \"all\","
                                       " \"sampling_rate\": 0.25}");
    (void)state;
    assert_ok(tc_round_budget(all.algorithm, &all.env, all.opts, 2, 1e-5, &b, &err));
    assert_ptr_equal(b.accountant, &tc_accountant_pld);
    assert_same_bits(b.epsilon, 2);
    assert_same_bits(b.delta, 1e-5);
    assert_ok(tc_round_budget(some.algorithm, &some.env, some.opts, 2, 1e-5, &b, &err));
    assert_ptr_equal(b.accountant, &tc_accountant_pld);
    tear_down(&all);
    tear_down(&some);
}

static void a_relay_has_no_price(void **state)
{
    tacit_error err = {0};
    tc_round_price price;
    tc_ledger_budget b;
    setting s = set_up("fts", "{}");
    (void)state;
    assert_fails(tc_round_price_of(s.algorithm, &s.env, s.opts, 0, &price, &err),
                 TACIT_E_UNSUPPORTED, "fts releases no sums");
    assert_fails(tc_round_budget(s.algorithm, &s.env, s.opts, 1, 1e-5, &b, &err),
                 TACIT_E_UNSUPPORTED, "fts releases no sums");
    tear_down(&s);
}

/* A release without contributions, from seeded noise: what it says of itself are public constants. */
static void assert_priced_as_released(const char *algorithm, const char *options, uint64_t round)
{
    tacit_error err = {0};
    tc_test_noise noise;
    tc_round_price price;
    tc_release *r;
    setting s = set_up(algorithm, options);
    tc_space *space = NULL;
    json_t *line = json_loads("{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}", 0, NULL);
    assert_ok(tc_space_from_json(&space, line, &err));
    json_decref(line);
    s.env.space = space;
    const tc_aggregator_ops *ops = s.algorithm->aggregator;
    void *state = tc_alloc(1, ops->state_size);
    assert_non_null(state);
    tc_test_noise_init(&noise, 0, round);
    tc_entropy e = tc_entropy_of_test(&noise);
    assert_ok(tc_round_price_of(s.algorithm, &s.env, s.opts, round, &price, &err));
    assert_ok(ops->open(state, &s.env, s.opts, round, &e, &err));
    assert_ok(ops->close(state, &r, &err));
    const tc_release_view *v = tc_release_get(r);
    assert_int_equal(price.event.mechanism, v->event.mechanism);
    assert_same_bits(price.event.parameter, v->event.parameter);
    assert_int_equal(price.event.sampling, v->event.sampling);
    assert_same_bits(price.event.sampling_rate, v->event.sampling_rate);
    assert_int_equal(price.event.count, v->event.count);
    assert_same_bits(price.distance, v->distance);
    assert_string_equal(price.adjacency, v->adjacency);
    tc_release_free(r);
    ops->fini(state);
    tc_free(state);
    tc_space_free(space);
    tear_down(&s);
}

static void a_price_is_what_the_release_will_say(void **state)
{
    (void)state;
    assert_priced_as_released("dp-fts-de", "{\"noise_multiplier\": 3, \"releases\": \"all\"}", 1);
    assert_priced_as_released("dp-fts-de", "{\"noise_multiplier\": 0}", 0);
    assert_priced_as_released("dp-fts-de", "{\"sampling_rate\": 0.3, \"regions\": 4}", 0);
    assert_priced_as_released("dp-fts-de", "{\"sampling_rate\": 0.3, \"sampling\": \"fixed\"}", 0);
    assert_priced_as_released("dp-fts-de", "{\"vote\": \"yes\", \"vote_multiplier\": 5}", 0);
    assert_priced_as_released("dp-pf-pne", "{}", 0);
    assert_priced_as_released("dp-pf-pne", "{\"protect\": \"record\"}", 1);
    assert_priced_as_released("pf-pne", "{}", 0);
    assert_priced_as_released("fed-hct", "{}", 3);
}

static void records_of_a_round_have_a_name(void **state)
{
    setting s = set_up("dp-pf-pne", "{\"protect\": \"record\"}");
    tc_round_charge c = tc_round_charge_of(s.algorithm, s.opts, 7);
    (void)state;
    assert_int_equal(c.unit, TACIT_UNIT_ROW);
    assert_string_equal(tc_round_charge_subject(&c), "records of round 7");
    tear_down(&s);
    s = set_up("dp-fts-de", "{}");
    c = tc_round_charge_of(s.algorithm, s.opts, 7);
    assert_int_equal(c.unit, TACIT_UNIT_AGENT);
    assert_null(tc_round_charge_subject(&c));
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_costs_its_noise),
        cmocka_unit_test(the_accountant_is_the_tightest_there_is),
        cmocka_unit_test(a_relay_has_no_price),
        cmocka_unit_test(a_price_is_what_the_release_will_say),
        cmocka_unit_test(records_of_a_round_have_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
