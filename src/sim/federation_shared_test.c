/* federation_shared_test.c - a simulation with trustees is a deployment with this seed, bit for bit: every vector and every noise goes
 * through shares of it here, trustees add these up by group, and some of them answer. */
#include "sim/federation.h"

#include "algo/optimizer.h"
#include "base/memory.h"
#include "privacy/share.h"
#include "support/test.h"
#include "wire/dealing.h"

#include <math.h>
#include <string.h>

enum { AGENTS = 7, TRIALS = 9, WORDS_MOST = 64, SEED = 11, SHARE_MOST = 16 * 8 * WORDS_MOST };

static const tc_trustees five = {.count = 5, .degree = 3, .colluding = 1, .dealers = 4};

typedef struct play {
    tc_space *space;
    json_t *options;
    double x[AGENTS][TRIALS];
} play;

static void set_up(play *p, const char *options)
{
    tacit_error err = {0};
    memset(p, 0, sizeof *p);
    assert_ok(tc_space_new(&p->space, &err));
    assert_ok(tc_space_add_float(p->space, "x", 0, 1, 0, false, &err));
    p->options = json_loads(options, 0, NULL);
    assert_non_null(p->options);
}

static void tear_down(play *p)
{
    json_decref(p->options);
    tc_space_free(p->space);
}

static double hill(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    ((play *)user)->x[agent][trial] = values[0];
    return -pow(values[0] - 0.4 - 0.02 * (double)agent, 2);
}

/* Agent 2 is absent from the second round. */
static bool is_absent(void *user, uint64_t round, uint64_t agent)
{
    (void)user;
    return round == 1 && agent == 2;
}

/* ---- as a simulation does it */

static tc_federation *simulated(play *p, const tc_algorithm *a)
{
    tacit_error err = {0};
    tc_federation *f;
    const tc_federation_config cfg = {.algorithm = a,
                                      .options = p->options,
                                      .space = p->space,
                                      .maximize = true,
                                      .agents = AGENTS,
                                      .seed = SEED,
                                      .budget = TRIALS,
                                      .trustees = five,
                                      .lost = is_absent,
                                      .objective = hill,
                                      .user = p};
    assert_ok(tc_federation_new(&f, &cfg, &err));
    for (int t = 0; t < TRIALS; t++)
        assert_ok(tc_federation_step(f, &err));
    return f;
}

/* ---- through shares */

typedef struct committee {
    tc_shared_plan plan;
    uint64_t round;
    uint64_t sums[TC_TRUSTEES_MOST][WORDS_MOST]; /* groups x width of each */
} committee;

/* n integers go to all trustees, who add their shares to the sums from `at` on. */
static void deal(committee *c, bool trustee, uint64_t number, const int64_t *v, size_t n, size_t at)
{
    tacit_error err = {0};
    static uint8_t dealing[SHARE_MOST];
    uint8_t secret[TC_SHARE_SECRET];
    const tc_trustees *t = &c->plan.trustees;
    assert_true(tc_share_offset(t, t->count, n) <= sizeof dealing);
    tc_shared_test_secret(SEED, trustee, number, c->round, secret);
    tc_share_deal(t, secret, v, n, dealing);
    for (uint32_t k = 0; k < t->count; k++)
        assert_ok(tc_share_add(t, k, dealing + tc_share_offset(t, k, n), n, c->sums[k] + at, &err));
}

static void deal_noise(committee *c)
{
    tacit_error err = {0};
    int64_t v[WORDS_MOST];
    for (uint32_t k = 0; k < c->plan.trustees.dealers; k++) {
        tc_test_noise noise;
        tc_entropy e = tc_shared_test_entropy(&noise, SEED, k, c->round);
        assert_ok(tc_shared_noise(&c->plan, &e, v, &err));
        deal(c, true, k, v, c->plan.groups * c->plan.width, 0);
    }
}

/* One of five is absent, another in each round. */
static tc_release *open_sums(committee *c)
{
    tacit_error err = {0};
    const uint64_t *answers[TC_TRUSTEES_MOST] = {NULL};
    int64_t sums[WORDS_MOST];
    tc_release *release;
    for (uint32_t k = 0; k < c->plan.trustees.count; k++)
        if (k != c->round % c->plan.trustees.count)
            answers[k] = c->sums[k];
    const tc_share_opening found =
        tc_share_open(&c->plan.trustees, answers, c->plan.groups * c->plan.width, sums);
    assert_int_equal(found.finding, TC_SHARE_CONSISTENT);
    assert_ok(tc_shared_release(&c->plan, sums, true, &release, &err));
    return release;
}

static void apply(tc_optimizer *o, const tc_event *e)
{
    tacit_error err = {0};
    assert_ok(tc_optimizer_apply(o, e, &err));
}

static void deal_messages(committee *c, const tc_algorithm *a, const tc_env *env, tc_optimizer **o)
{
    tacit_error err = {0};
    const tc_aggregator_ops *ops = a->aggregator;
    for (uint64_t i = 0; i < AGENTS; i++) {
        tc_event e;
        int64_t v[WORDS_MOST];
        assert_ok(tc_optimizer_publish(o[i], 0, &e, &err));
        if (!is_absent(NULL, c->round, i)) {
            assert_ok(ops->vector(env, tc_optimizer_options(o[i]), c->round, e.bytes, e.n_bytes, v,
                                  &err));
            deal(c, false, i, v, c->plan.width, i % c->plan.groups * c->plan.width);
        }
        apply(o[i], &e);
    }
}

static void run_round(const tc_algorithm *a, const tc_env *env, tc_optimizer **o, uint64_t round)
{
    tacit_error err = {0};
    uint8_t bytes[8 * WORDS_MOST];
    committee c = {.round = round};
    tc_event e;
    assert_ok(a->aggregator->shared(env, tc_optimizer_options(o[0]), round, &c.plan, &err));
    assert_true(c.plan.groups * c.plan.width <= WORDS_MOST);
    deal_messages(&c, a, env, o);
    deal_noise(&c);
    tc_release *release = open_sums(&c);
    tc_release_encode(release, bytes);
    for (uint64_t i = 0; i < AGENTS; i++) {
        assert_ok(tc_optimizer_absorb(o[i], round, bytes, tc_release_size(release), 0, &e, &err));
        apply(o[i], &e);
    }
    tc_release_free(release);
}

static void run_trial(play *p, tc_optimizer *o, uint64_t agent)
{
    tacit_error err = {0};
    const tc_ask_request any = {0};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &any, &e, &err));
        apply(o, &e);
    } while (e.kind != TC_EVENT_ASK);
    const tc_trial *t = tc_optimizer_trial(o, e.trial);
    const double y = hill(p, agent, t->number, t->values);
    assert_ok(tc_optimizer_tell(o, t->number, NULL, y, 0, &e, &err));
    apply(o, &e);
}

static void through_shares(play *p, const tc_algorithm *a)
{
    tacit_error err = {0};
    tc_optimizer *o[AGENTS];
    const tc_env env = {.space = p->space,
                        .public_seed = tc_public_seed_from(SEED),
                        .agents = AGENTS,
                        .trustees = five,
                        .budget = TRIALS};
    for (uint64_t i = 0; i < AGENTS; i++) {
        const tc_optimizer_config cfg = {.algorithm = a,
                                         .options = p->options,
                                         .space = p->space,
                                         .maximize = true,
                                         .public_seed = tc_public_seed_from(SEED),
                                         .party_seed = tc_party_seed_from(SEED),
                                         .party = i,
                                         .agents = AGENTS,
                                         .trustees = five,
                                         .budget = TRIALS};
        assert_ok(tc_optimizer_new(&o[i], &cfg, &err));
    }
    for (int t = 0; t < TRIALS; t++) {
        tc_need need;
        assert_ok(tc_optimizer_need(o[0], &need, &err));
        for (; need.may & TC_NEED_PUBLISH; assert_ok(tc_optimizer_need(o[0], &need, &err)))
            run_round(a, &env, o, need.round);
        for (uint64_t i = 0; i < AGENTS; i++)
            run_trial(p, o[i], i);
    }
    for (uint64_t i = 0; i < AGENTS; i++)
        tc_optimizer_free(o[i]);
}

/* ---- tests */

static void check_alike(const char *algorithm, const char *options, uint64_t rounds)
{
    const tc_algorithm *a = tc_algorithm_find(algorithm);
    play one, other;
    set_up(&one, options);
    set_up(&other, options);
    tc_federation *f = simulated(&one, a);
    through_shares(&other, a);
    assert_int_equal(tc_federation_counts(f)->releases, rounds);
    assert_int_equal(tc_federation_counts(f)->rejected, 0);
    for (size_t i = 0; i < AGENTS; i++)
        for (size_t t = 0; t < TRIALS; t++)
            assert_same_bits(one.x[i][t], other.x[i][t]);
    tc_federation_free(f);
    tear_down(&one);
    tear_down(&other);
}

static void shares_add_up_to_the_same_bits(void **state)
{
    (void)state;
    check_alike("dp-fts-de",
                "{\"features\": 12, \"initial\": 3, \"releases\": \"0,1,3\", \"noise_multiplier\": "
                "0.4, \"own\": \"features\", \"init\": \"region\", \"regions\": 3, "
                "\"lengthscale\": 0.2}",
                3);
    check_alike("dp-fts-de",
                "{\"features\": 12, \"initial\": 3, \"releases\": \"first\", \"vote\": \"yes\", "
                "\"vote_multiplier\": 0.5, \"noise_multiplier\": 0.2}",
                2);
    check_alike("dp-pf-pne", "{\"noise_multiplier\": 0.1, \"gap\": 0.2}", 2);
}

/* The bytes that leave an agent are shares, and a price is one of noise. */
static void what_leaves_is_counted_as_shares(void **state)
{
    (void)state;
    const tc_algorithm *a = tc_algorithm_find("dp-fts-de");
    play p;
    size_t n;
    set_up(&p,
           "{\"features\": 12, \"initial\": 3, \"releases\": \"0,1\", \"noise_multiplier\": 2}");
    tc_federation *f = simulated(&p, a);
    const tacit_message_counts *counts = tc_federation_counts(f);
    assert_int_equal(counts->messages, 2 * AGENTS);
    assert_int_equal(counts->bytes, 2 * AGENTS * tc_dealing_size(&five, 12));
    assert_int_equal(counts->lost, 1);
    assert_int_equal(counts->broadcast_bytes, 8 * 12);
    const tacit_simulated_release *r = tc_federation_releases(f, &n);
    assert_int_equal(n, 2);
    assert_int_equal(r[1].event.mechanism, TACIT_DP_GAUSSIAN);
    assert_close(r[1].event.parameter, 2, 1e-9);
    tc_federation_free(f);
    tear_down(&p);
}

static void an_algorithm_whose_sums_cannot_be_shared_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_federation *f = NULL;
    play p;
    set_up(&p, "{}");
    const tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"),
                                      .options = p.options,
                                      .space = p.space,
                                      .agents = AGENTS,
                                      .trustees = five,
                                      .objective = hill,
                                      .user = &p};
    assert_fails(tc_federation_new(&f, &cfg, &err), TACIT_E_ARG,
                 "the sums of fts cannot be shared among trustees");
    tear_down(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_add_up_to_the_same_bits),
        cmocka_unit_test(what_leaves_is_counted_as_shares),
        cmocka_unit_test(an_algorithm_whose_sums_cannot_be_shared_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
