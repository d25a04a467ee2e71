/* bandit_world.h - for the tests of src/algo/tree: four clients and a server in lockstep, on cones over
 * 0 whose peaks lie `spread` apart. Include support/test.h first. */
#ifndef TC_SUPPORT_BANDIT_WORLD_H
#define TC_SUPPORT_BANDIT_WORLD_H

#include "support/bandit_client.h"

enum { CLIENTS = 4 };

typedef struct world {
    const tc_bandit *bandit;
    bandit_client clients[CLIENTS];
    void *server;
    uint64_t t[CLIENTS], rounds;
    tc_numbers message, broadcast[2];
    double peak;    /* optimum of client 0; 0: 0.3 */
    double slope;   /* of the cones; 0: 1 */
    double spread;  /* distance between the clients' optima */
    bool backwards; /* messages arrive in the other order */
    bool loses;     /* each round loses one message, of the clients in turn */
    uint64_t asked; /* a hash of everything that was asked */
} world;

static inline void world_begin(world *w, const tc_bandit *b, uint64_t T, const char *const *words)
{
    tacit_error err = {0};
    tc_bandit_env env = {.dim = 1, .clients = CLIENTS, .budget = T};
    w->bandit = b;
    for (size_t m = 0; m < CLIENTS; m++)
        w->clients[m] = bandit_begin(b, 1, CLIENTS, T, words);
    w->server = tc_alloc(1, b->server_size);
    assert_non_null(w->server);
    assert_ok(b->server_init(w->server, &env, w->clients[0].opts, 0, &err));
}

static inline void world_end(world *w)
{
    for (size_t m = 0; m < CLIENTS; m++)
        bandit_end(&w->clients[m]);
    w->bandit->server_fini(w->server);
    tc_free(w->server);
    tc_numbers_fini(&w->message);
    tc_numbers_fini(&w->broadcast[0]);
    tc_numbers_fini(&w->broadcast[1]);
}

static inline void world_tell(world *w, size_t m, tc_pulls p)
{
    tacit_error err = {0};
    tc_pulled told = {.arm = p.arm, .n = p.n};
    double u;
    w->bandit->point(w->clients[m].state, p.arm, &u);
    double away = u - (w->peak > 0 ? w->peak : 0.3) - w->spread * (double)m;
    int64_t f = tc_reward_of(fmax(0.9 - (w->slope > 0 ? w->slope : 1) * fabs(away), 0));
    for (uint64_t j = 0; j < p.n; j++) {
        int64_t y = f + bandit_noise(m, w->t[m] + j, 7, TC_REWARD_ONE / 10);
        told.sum += y;
        told.squares += y * y / TC_REWARD_ONE;
    }
    w->asked = (w->asked ^ (p.arm + 1)) * UINT64_C(0x100000001b3) + p.n;
    w->t[m] += p.n;
    assert_ok(w->bandit->tell(w->clients[m].state, &told, &err));
}

static inline bool world_pull(world *w, size_t m, uint64_t T)
{
    while (w->t[m] < T) {
        tc_pulls p = bandit_ask(&w->clients[m]);
        if (p.n == 0)
            return true;
        p.n = p.n < T - w->t[m] ? p.n : T - w->t[m];
        world_tell(w, m, p);
    }
    return false;
}

static inline const tc_numbers *world_hold_round(world *w)
{
    tacit_error err = {0};
    tc_numbers *broadcast = &w->broadcast[w->rounds++ % 2];
    broadcast->n = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        size_t m = w->backwards ? CLIENTS - 1 - i : i;
        w->message.n = 0;
        if (w->loses && w->rounds % CLIENTS == m)
            continue;
        assert_ok(w->bandit->publish(w->clients[m].state, &w->message, &err));
        assert_ok(w->bandit->fold(w->server, &w->message, &err));
    }
    assert_ok(w->bandit->close(w->server, broadcast, &err));
    for (size_t m = 0; m < CLIENTS; m++)
        assert_ok(w->bandit->absorb(w->clients[m].state, broadcast, &err));
    return broadcast;
}

static inline const tc_numbers *world_live(world *w, uint64_t T)
{
    const tc_numbers *last = NULL;
    for (;;) {
        size_t waiting = 0;
        for (size_t m = 0; m < CLIENTS; m++)
            waiting += world_pull(w, m, T);
        if (waiting == 0)
            return last;
        assert_int_equal(waiting, CLIENTS);
        last = world_hold_round(w);
    }
}

#endif
