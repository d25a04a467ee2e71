/* federation_test.c - the federated half of the contract, shown by the smallest algorithm that
 * uses all of it.
 *
 * "huddle": each round an agent asks two trials, publishes its best value in thousandths, and
 * waits for the mean over all agents; its next points are drawn around what it learned. It is not
 * a good optimizer: it exists so that the fold, the waits and the replay of rounds are tested
 * before a real algorithm needs them. */
#include "support/test.h"

#include "algo/optimizer.h"
#include "base/error.h"
#include "privacy/mechanism.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PER_ROUND = 2, AGENTS = 3, ROUNDS = 4 };

/* ---- the agent's half ---- */

typedef struct agent {
    const tc_env *env;
    uint64_t round;
    bool waits;
    double learned;
} agent;

static tacit_status agent_init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    (void)opts;
    (void)err;
    ((agent *)st)->env = env;
    return TACIT_OK;
}

static void nothing(void *st)
{
    (void)st;
}

static tacit_status agent_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    (void)err;
    const agent *a = st;
    tc_stream s;
    tc_stream_party(&s, &a->env->party_seed, a->env->party, TC_FOR_DRAW, trial);
    values[0] = fabs(fmod(a->learned + tc_draw_uniform(&s), 1));
    return TACIT_OK;
}

static void agent_need(const void *st, tc_need *out)
{
    const agent *a = st;
    bool full = a->env->history->n >= (a->round + 1) * PER_ROUND;
    *out = (tc_need){.may = a->waits ? 0u
                            : full   ? TC_NEED_PUBLISH
                                     : TC_NEED_TRIAL,
                     .must = a->waits ? TC_NEED_ABSORB : 0u,
                     .round = a->round};
}

static tacit_status agent_publish(const void *st, uint64_t round, tc_text *out, tacit_error *err)
{
    (void)round;
    (void)err;
    const tc_history *h = ((const agent *)st)->env->history;
    double best = -INFINITY;
    for (size_t i = 0; i < h->n; i++)
        best = fmax(best, h->y[i]);
    tc_text_addf(out, "%" PRId64, (int64_t)(best * 1000));
    return TACIT_OK;
}

static tacit_status agent_published(void *st, uint64_t round, tacit_error *err)
{
    (void)round;
    (void)err;
    ((agent *)st)->waits = true;
    return TACIT_OK;
}

static tacit_status agent_absorb(void *st, uint64_t round, const void *bytes, size_t n,
                                 tacit_error *err)
{
    agent *a = st;
    if (n != sizeof a->learned)
        return tc_fail(err, TACIT_E_CORRUPT, "a broadcast has 8 bytes, got %zu", n);
    memcpy(&a->learned, bytes, n);
    a->round = round + 1;
    a->waits = false;
    return TACIT_OK;
}

static tacit_status agent_skip(void *st, uint64_t round, tacit_error *err)
{
    (void)err;
    agent *a = st;
    a->round = round + 1;
    a->waits = false;
    return TACIT_OK;
}

/* ---- the coordinator's half ---- */

typedef struct sum {
    int64_t total, count;
} sum;

static tacit_status sum_open(void *st, const tc_env *env, const void *opts, uint64_t round,
                             tc_entropy *e, tacit_error *err)
{
    (void)st;
    (void)env;
    (void)opts;
    (void)round;
    (void)e;
    (void)err;
    return TACIT_OK;
}

static tacit_status sum_check(const tc_env *env, const void *opts, uint64_t round, uint64_t who,
                              const void *bytes, size_t n, tacit_error *err)
{
    (void)env;
    (void)opts;
    (void)round;
    (void)who;
    char text[32] = {0}, *end;
    memcpy(text, bytes, n < sizeof text ? n : sizeof text - 1);
    (void)strtoll(text, &end, 10);
    if (n == 0 || n >= sizeof text || *end)
        return tc_fail(err, TACIT_E_ARG, "a contribution must be a whole number, got \"%s\"", text);
    return TACIT_OK;
}

static tacit_status sum_fold(void *st, uint64_t who, const void *bytes, size_t n, tacit_error *err)
{
    (void)who;
    (void)err;
    char text[32] = {0};
    memcpy(text, bytes, n);
    ((sum *)st)->total += strtoll(text, NULL, 10);
    ((sum *)st)->count++;
    return TACIT_OK;
}

static tacit_status sum_price(const tc_env *env, const void *opts, uint64_t round,
                              tc_round_price *out, tacit_error *err)
{
    (void)env;
    (void)opts;
    (void)round;
    (void)err;
    *out = (tc_round_price){tc_dp_event_none(), 0, TC_NONE_ADJACENCY};
    return TACIT_OK;
}

static tacit_status sum_close(void *st, tc_release **out, tacit_error *err)
{
    const sum *s = st;
    double mean = s->count ? (double)s->total / 1000 / (double)s->count : 0;
    return tc_none_release(out, 1, 1, &mean, TACIT_UNIT_AGENT, "a test", err);
}

static const tc_option options[] = {{.name = NULL}};

static const tc_optimizer_ops agent_ops = {
    .state_size = sizeof(agent),
    .init = agent_init,
    .fini = nothing,
    .ask = agent_ask,
    .need = agent_need,
    .publish = agent_publish,
    .published = agent_published,
    .absorb = agent_absorb,
    .skip = agent_skip,
};

static const tc_aggregator_ops sum_ops = {
    .state_size = sizeof(sum),
    .open = sum_open,
    .fini = nothing,
    .check = sum_check,
    .fold = sum_fold,
    .price = sum_price,
    .close = sum_close,
};

static const tc_algorithm huddle = {
    .name = "huddle",
    .summary = "a federated algorithm for this test",
    .options = options,
    .optimizer = &agent_ops,
    .aggregator = &sum_ops,
};

/* ---- the tests ---- */

typedef struct party {
    tc_optimizer *o;
    tc_event events[64];
    double x[64];
    char bytes[64][32];
    size_t n;
} party;

static tc_space *unit_interval(void)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    assert_ok(tc_space_add_float(s, "x", 0, 1, 0, false, &err));
    return s;
}

static tc_optimizer *make(const tc_algorithm *a, const tc_space *s, uint64_t who)
{
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    tc_optimizer_config cfg = {.algorithm = a,
                               .space = s,
                               .maximize = true,
                               .party_seed = tc_party_seed_from(who),
                               .party = who};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    return o;
}

static void record(party *p, const tc_event *e)
{
    tacit_error err = {0};
    tc_event *kept = &p->events[p->n];
    *kept = *e;
    kept->seq = p->n + 1;
    if (e->values) {
        p->x[p->n] = e->values[0];
        kept->values = &p->x[p->n];
    }
    if (e->bytes) {
        memcpy(p->bytes[p->n], e->bytes, e->n_bytes);
        kept->bytes = p->bytes[p->n];
    }
    p->n++;
    assert_ok(tc_optimizer_apply(p->o, kept, &err));
}

static void work(party *p)
{
    tacit_error err = {0};
    tc_event e;
    tc_ask_request req = {.now_ms = 1};
    for (int i = 0; i < PER_ROUND; i++) {
        assert_ok(tc_optimizer_next(p->o, &req, &e, &err));
        record(p, &e);
        double x = tc_optimizer_trial(p->o, e.trial)->values[0];
        assert_ok(tc_optimizer_tell(p->o, e.trial, NULL, 1 - fabs(x - 0.7), 2, &e, &err));
        record(p, &e);
    }
}

/* One round of all parties, the last `absent` of them missing it. */
static void play_round(party *parties, uint64_t round, size_t absent)
{
    tacit_error err = {0};
    sum state = {0};
    tc_event e;
    tc_release *release = NULL;
    uint8_t broadcast[8];
    assert_ok(huddle.aggregator->open(&state, NULL, NULL, round, NULL, &err));
    for (size_t i = 0; i < AGENTS; i++) {
        work(&parties[i]);
        assert_ok(tc_optimizer_publish(parties[i].o, 3, &e, &err));
        assert_ok(huddle.aggregator->check(NULL, NULL, round, i, e.bytes, e.n_bytes, &err));
        record(&parties[i], &e);
        assert_ok(huddle.aggregator->fold(&state, i, e.bytes, e.n_bytes, &err));
    }
    assert_ok(huddle.aggregator->close(&state, &release, &err));
    assert_int_equal(tc_release_size(release), sizeof broadcast);
    tc_release_encode(release, broadcast);
    tc_release_free(release);
    for (size_t i = 0; i < AGENTS; i++) {
        if (i + absent < AGENTS)
            assert_ok(
                tc_optimizer_absorb(parties[i].o, round, broadcast, sizeof broadcast, 4, &e, &err));
        else
            assert_ok(tc_optimizer_skip(parties[i].o, round, "deadline", 4, &e, &err));
        record(&parties[i], &e);
    }
}

static void test_rounds_replay_to_the_same_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = unit_interval();
    static party parties[AGENTS];
    memset(parties, 0, sizeof parties);
    for (size_t i = 0; i < AGENTS; i++)
        parties[i].o = make(&huddle, s, i);
    for (uint64_t r = 0; r < ROUNDS; r++)
        play_round(parties, r, r == 2 ? 1 : 0);
    for (size_t i = 0; i < AGENTS; i++) {
        tc_optimizer *again = make(&huddle, s, i);
        for (size_t k = 0; k < parties[i].n; k++)
            assert_ok(tc_optimizer_apply(again, &parties[i].events[k], &err));
        tc_event a, b;
        tc_ask_request req = {.now_ms = 9};
        assert_ok(tc_optimizer_next(parties[i].o, &req, &a, &err));
        assert_ok(tc_optimizer_next(again, &req, &b, &err));
        assert_same_bits(a.values[0], b.values[0]);
        tc_optimizer_free(again);
        tc_optimizer_free(parties[i].o);
    }
    tc_space_free(s);
}

static void test_a_wait_stops_asks_and_nothing_else_ends_it(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = unit_interval();
    static party p;
    memset(&p, 0, sizeof p);
    p.o = make(&huddle, s, 1);
    tc_event e;
    tc_ask_request req = {.now_ms = 9};
    assert_fails(tc_optimizer_publish(p.o, 0, &e, &err), TACIT_E_STATE,
                 "nothing is to be published");
    work(&p);
    assert_ok(tc_optimizer_publish(p.o, 0, &e, &err));
    record(&p, &e);
    assert_fails(tc_optimizer_next(p.o, &req, &e, &err), TACIT_E_STATE, "round 0");
    assert_fails(tc_optimizer_absorb(p.o, 1, "5", 1, 0, &e, &err), TACIT_E_STATE, "round 1");
    assert_ok(tc_optimizer_skip(p.o, 0, "budget", 0, &e, &err));
    record(&p, &e);
    assert_ok(tc_optimizer_next(p.o, &req, &e, &err));
    tc_optimizer_free(p.o);
    tc_space_free(s);
}

static void test_single_algorithms_have_no_rounds(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_space *s = unit_interval();
    tc_optimizer *o = make(tc_algorithm_find("random"), s, 0);
    tc_need need;
    tc_event e = {.kind = TC_EVENT_ABSORB, .bytes = "1", .n_bytes = 1};
    assert_fails(tc_optimizer_need(o, &need, &err), TACIT_E_UNSUPPORTED, "not a federated");
    assert_fails(tc_optimizer_apply(o, &e, &err), TACIT_E_CORRUPT, "federated");
    tc_optimizer_free(o);
    tc_space_free(s);
}

static void test_the_aggregator_refuses_what_is_malformed(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_ok(huddle.aggregator->check(NULL, NULL, 0, 0, "12", 2, &err));
    assert_fails(huddle.aggregator->check(NULL, NULL, 0, 0, "1x", 2, &err), TACIT_E_ARG,
                 "whole number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_replay_to_the_same_bits),
        cmocka_unit_test(test_a_wait_stops_asks_and_nothing_else_ends_it),
        cmocka_unit_test(test_single_algorithms_have_no_rounds),
        cmocka_unit_test(test_the_aggregator_refuses_what_is_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
