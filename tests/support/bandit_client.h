/* bandit_client.h - for the tests of src/algo/tree: bandits with options from words, and rewards that
 * are a function of (client, point, number of the pull). Include support/test.h first. */
#ifndef TC_SUPPORT_BANDIT_CLIENT_H
#define TC_SUPPORT_BANDIT_CLIENT_H

#include "algo/tree/bandit.h"
#include "base/memory.h"

/* "name=value" words, NULL at the end; over the defaults. */
static inline void *bandit_options(const tc_bandit *b, const char *const *words)
{
    tacit_error err = {0};
    char name[32];
    void *opts = tc_alloc(1, b->options_size);
    assert_non_null(opts);
    assert_ok(tc_options_defaults(b->options, opts, &err));
    for (; words && *words; words++) {
        size_t n = strcspn(*words, "=");
        assert_true(n < sizeof name);
        memcpy(name, *words, n);
        name[n] = 0;
        assert_ok(tc_options_set(b->options, opts, b->name, name, *words + n + 1, &err));
    }
    return opts;
}

/* Something between -half and half that looks random; the same for the same numbers. */
static inline int64_t bandit_noise(uint64_t a, uint64_t b, uint64_t c, int64_t half)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b * UINT64_C(0xbf58476d1ce4e5b9) + c;
    for (int i = 0; i < 3; i++) {
        x ^= x >> 31;
        x *= UINT64_C(0x94d049bb133111eb);
    }
    return (int64_t)((x >> 20) % (uint64_t)(2 * half + 1)) - half;
}

/* One client alone. */
typedef struct bandit_client {
    const tc_bandit *bandit;
    void *opts, *state;
} bandit_client;

static inline bandit_client bandit_begin(const tc_bandit *b, size_t dim, uint64_t clients,
                                         uint64_t budget, const char *const *words)
{
    tacit_error err = {0};
    tc_bandit_env env = {.dim = dim, .clients = clients, .budget = budget};
    bandit_client c = {b, bandit_options(b, words), tc_alloc(1, b->client_size)};
    assert_non_null(c.state);
    assert_ok(b->init(c.state, &env, c.opts, &err));
    return c;
}

static inline void bandit_end(bandit_client *c)
{
    c->bandit->fini(c->state);
    tc_free(c->state);
    tc_free(c->opts);
}

static inline tc_pulls bandit_ask(const bandit_client *c)
{
    tc_pulls p;
    c->bandit->ask(c->state, &p);
    return p;
}

static inline void bandit_tell(bandit_client *c, size_t arm, uint64_t n, int64_t sum)
{
    tacit_error err = {0};
    tc_pulled p = {arm, n, sum, 0};
    assert_ok(c->bandit->tell(c->state, &p, &err));
}

#endif
