/* federation_relay_test.c - federation.c with a relay: who gets whose message, and what is counted.
 *
 * A toy algorithm makes everything countable: before every trial an agent publishes one number that
 * names it and the round, then asks for the number of every other agent. */
#include "support/test.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/mechanism.h"
#include "sim/federation.h"

enum { AGENTS = 7, ROUNDS = 5, SEED = 9, LOUD_AGENT = 3, LOUD_ROUND = 2 };

/* ---- the toy ---- */

enum { NOTHING, FETCHED, MISSED };

typedef struct toy {
    const tc_env *env;
    uint64_t published, next; /* next: whose message is wanted */
    int got[ROUNDS][AGENTS];
} toy;

static toy *states[AGENTS]; /* so that the test can look into them */

static double name_of(uint64_t agent, uint64_t round)
{
    return 100.0 * (double)agent + (double)round;
}

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    toy *t = st;
    (void)opts;
    (void)err;
    t->env = env;
    t->next = AGENTS;
    states[env->party] = t;
    return TACIT_OK;
}

static void fini(void *st)
{
    (void)st;
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    const toy *t = st;
    (void)err;
    values[0] = (double)((t->env->party + trial) % 10);
    return TACIT_OK;
}

static void need(const void *st, tc_need *out)
{
    const toy *t = st;
    if (t->published == t->env->history->n)
        *out = (tc_need){.may = TC_NEED_PUBLISH, .round = t->published};
    else if (t->next < AGENTS)
        *out = (tc_need){.must = TC_NEED_FETCH, .round = t->published - 1, .party = t->next};
    else
        *out = (tc_need){.may = TC_NEED_TRIAL};
}

static tacit_status publish(const void *st, uint64_t round, tc_text *out, tacit_error *err)
{
    double v = name_of(((const toy *)st)->env->party, round);
    (void)err;
    tc_text_add_bytes(out, &v, sizeof v);
    return TACIT_OK;
}

static void go_on(toy *t)
{
    do
        t->next++;
    while (t->next == t->env->party);
}

static tacit_status published(void *st, uint64_t round, tacit_error *err)
{
    toy *t = st;
    (void)err;
    t->published = round + 1;
    t->next = UINT64_MAX; /* before 0 */
    go_on(t);
    return TACIT_OK;
}

static tacit_status fetched(void *st, uint64_t round, uint64_t party, const void *bytes, size_t n,
                            tacit_error *err)
{
    toy *t = st;
    double v = name_of(party, round);
    if (n != sizeof v || memcmp(bytes, &v, sizeof v) != 0)
        return tc_fail(err, TACIT_E_CORRUPT, "not the message of agent %d", (int)party);
    t->got[round][party] = FETCHED;
    go_on(t);
    return TACIT_OK;
}

static tacit_status missed(void *st, uint64_t round, uint64_t party, tacit_error *err)
{
    toy *t = st;
    (void)err;
    t->got[round][party] = MISSED;
    go_on(t);
    return TACIT_OK;
}

static tacit_status check(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                          const void *bytes, size_t n, tacit_error *err)
{
    (void)env;
    (void)opts;
    (void)bytes;
    if (n != sizeof(double) || (agent == LOUD_AGENT && round == LOUD_ROUND))
        return tc_fail(err, TACIT_E_ARG, "too loud");
    return TACIT_OK;
}

static tacit_status release(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                            const void *bytes, size_t n, tc_release **out, tacit_error *err)
{
    double v;
    TC_TRY(check(env, opts, round, agent, bytes, n, err));
    memcpy(&v, bytes, sizeof v);
    return tc_none_release(out, 1, 1, &v, TACIT_UNIT_AGENT, "plain", err);
}

static const tc_option no_options[] = {{.name = NULL}};
static const tc_optimizer_ops toy_agent = {.state_size = sizeof(toy),
                                           .init = init,
                                           .fini = fini,
                                           .ask = ask,
                                           .need = need,
                                           .publish = publish,
                                           .published = published,
                                           .fetched = fetched,
                                           .missed = missed};
static const tc_relay_ops toy_relay = {.check = check, .release = release};
static const tc_algorithm algorithm = {
    .name = "toy", .options = no_options, .optimizer = &toy_agent, .relay = &toy_relay};

/* ---- federations ---- */

static double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    (void)user;
    return (double)agent + (double)trial + values[0];
}

static tc_space *make_space(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){10}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static tc_federation *found(const tc_space *space, tc_federation_config cfg)
{
    tacit_error err = {0};
    tc_federation *f = NULL;
    if (!cfg.algorithm)
        cfg.algorithm = &algorithm;
    cfg.space = space;
    cfg.maximize = true;
    cfg.agents = AGENTS;
    cfg.objective = observe;
    assert_ok(tc_federation_new(&f, &cfg, &err));
    return f;
}

static void run(tc_federation *f, int steps)
{
    tacit_error err = {0};
    for (int i = 0; i < steps; i++)
        assert_ok(tc_federation_step(f, &err));
}

/* ---- tests ---- */

static bool lost(uint64_t seed, double drop, uint64_t round, uint64_t agent)
{
    tc_public_seed root = tc_public_seed_from(seed);
    tc_stream s;
    tc_stream_public(&s, &root, TC_FOR_RUN, round * AGENTS + agent);
    return tc_draw_uniform(&s) < drop;
}

/* Everybody gets every message that arrived and was well-formed, and hears of the others. */
static void test_messages_are_handed_on(void **state)
{
    (void)state;
    tc_space *space = make_space();
    uint64_t kept = 0, gone = 0;
    for (uint64_t r = 0; r < ROUNDS; r++)
        for (uint64_t n = 0; n < AGENTS; n++) {
            gone += lost(SEED, 0.4, r, n);
            kept += !lost(SEED, 0.4, r, n) && !(r == LOUD_ROUND && n == LOUD_AGENT);
        }
    assert_true(gone > 5 && kept > 5 && !lost(SEED, 0.4, LOUD_ROUND, LOUD_AGENT));
    tc_federation *f = found(space, (tc_federation_config){.seed = SEED, .drop = 0.4});
    run(f, ROUNDS);
    for (uint64_t r = 0; r < ROUNDS; r++)
        for (uint64_t from = 0; from < AGENTS; from++)
            for (uint64_t to = 0; to < AGENTS; to++) {
                bool in = !lost(SEED, 0.4, r, from) && !(r == LOUD_ROUND && from == LOUD_AGENT);
                assert_int_equal(states[to]->got[r][from], from == to ? NOTHING
                                                           : in       ? FETCHED
                                                                      : MISSED);
            }
    const tacit_message_counts *c = tc_federation_counts(f);
    assert_int_equal(c->messages, ROUNDS * AGENTS);
    assert_int_equal(c->bytes, 8 * ROUNDS * AGENTS);
    assert_int_equal(c->lost, gone);
    assert_int_equal(c->rejected, 1);
    assert_int_equal(c->fetches, kept * (AGENTS - 1));
    assert_int_equal(c->fetched_bytes, 8 * kept * (AGENTS - 1));
    assert_int_equal(c->misses, (ROUNDS * AGENTS - kept) * (AGENTS - 1));
    assert_int_equal(c->releases, 0);
    assert_string_equal(tc_federation_rejection(f), "agent 3 in round 2: too loud");
    tc_federation_free(f);
    tc_space_free(space);
}

static bool lost_as_drawn(void *user, uint64_t round, uint64_t agent)
{
    (void)user;
    return lost(SEED, 0.4, round, agent);
}

/* Who says which messages are lost gets what a simulation that draws the same gets. */
static void test_losses_can_be_given(void **state)
{
    (void)state;
    tc_space *space = make_space();
    tacit_message_counts drawn, given;
    tc_federation *f = found(space, (tc_federation_config){.seed = SEED, .drop = 0.4});
    run(f, ROUNDS);
    drawn = *tc_federation_counts(f);
    tc_federation_free(f);
    f = found(space, (tc_federation_config){.seed = SEED, .lost = lost_as_drawn});
    run(f, ROUNDS);
    given = *tc_federation_counts(f);
    tc_federation_free(f);
    assert_true(drawn.lost > 0);
    assert_memory_equal(&drawn, &given, sizeof drawn);
    tc_space_free(space);
}

/* Nobody is asked for twice: without losses all messages of a round are there. */
static void test_without_losses(void **state)
{
    (void)state;
    tc_space *space = make_space();
    tc_federation *f = found(space, (tc_federation_config){.seed = 8});
    run(f, LOUD_ROUND);
    assert_int_equal(tc_federation_counts(f)->fetches, LOUD_ROUND * AGENTS * (AGENTS - 1));
    assert_int_equal(tc_federation_counts(f)->misses, 0);
    assert_int_equal(tc_optimizer_count(tc_federation_agent(f, 6), TC_TRIAL_COMPLETE), LOUD_ROUND);
    tc_federation_free(f);
    tc_space_free(space);
}

/* All messages lost: fts goes on alone, with as many trials. */
static void test_fts_in_threads_and_without_messages(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *space = make_space();
    json_t *options = json_pack("{s:i, s:i, s:s}", "features", 10, "initial", 2, "mode", "general");
    tc_federation_config cfg = {.algorithm = tc_algorithm_find("fts"),
                                .options = options,
                                .seed = 4,
                                .drop = 0.3,
                                .chunk = 1};
    tc_federation *one = found(space, cfg);
    run(one, 8);
    assert_true(tc_federation_counts(one)->fetches > 0 && tc_federation_counts(one)->misses > 0);
    for (size_t threads = 1; threads <= 3; threads++) {
        assert_ok(tc_pool_new(&cfg.pool, threads, &err));
        cfg.chunk = threads + 1;
        tc_federation *f = found(space, cfg);
        run(f, 8);
        for (uint64_t n = 0; n < AGENTS; n++)
            for (uint64_t t = 0; t < 8; t++)
                assert_same_bits(tc_optimizer_trial(tc_federation_agent(one, n), t)->values[0],
                                 tc_optimizer_trial(tc_federation_agent(f, n), t)->values[0]);
        assert_memory_equal(tc_federation_counts(one), tc_federation_counts(f),
                            sizeof(tacit_message_counts));
        tc_federation_free(f);
        tc_pool_free(cfg.pool);
    }
    tc_federation_free(one);
    cfg.pool = NULL;
    cfg.drop = 1;
    tc_federation *mute = found(space, cfg);
    run(mute, 8);
    assert_int_equal(tc_federation_counts(mute)->fetches, 0);
    assert_int_equal(tc_federation_counts(mute)->lost, tc_federation_counts(mute)->messages);
    assert_int_equal(tc_optimizer_count(tc_federation_agent(mute, 2), TC_TRIAL_COMPLETE), 8);
    tc_federation_free(mute);
    json_decref(options);
    tc_space_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_are_handed_on),
        cmocka_unit_test(test_losses_can_be_given),
        cmocka_unit_test(test_without_losses),
        cmocka_unit_test(test_fts_in_threads_and_without_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
