/* pooled_test.c - fed-hct and fed1-ucb: what they send, and what comes of it. */
#include "support/test.h"

#include "algo/tree/bandit_double.h"

#include "algo/tree/fed_hct.h"

enum { CLIENTS = 4, ROUNDS_MAX = 64 };

typedef struct world {
    const tc_bandit *bandit;
    double_client clients[CLIENTS];
    void *server;
    uint64_t t[CLIENTS], rounds;
    tc_numbers message, broadcast[2];
    double spread;  /* distance between the clients' optima */
    bool backwards; /* messages arrive in the other order */
    uint64_t asked; /* a hash of everything that was asked */
} world;

static void begin(world *w, const tc_bandit *b, uint64_t T, const char *const *words)
{
    tacit_error err = {0};
    tc_bandit_env env = {.dim = 1, .clients = CLIENTS, .budget = T};
    w->bandit = b;
    for (size_t m = 0; m < CLIENTS; m++)
        w->clients[m] = double_begin(b, 1, CLIENTS, T, words);
    w->server = tc_alloc(1, b->server_size);
    assert_ok(b->server_init(w->server, &env, w->clients[0].opts, 0, &err));
}

static void end(world *w)
{
    for (size_t m = 0; m < CLIENTS; m++)
        double_end(&w->clients[m]);
    w->bandit->server_fini(w->server);
    tc_free(w->server);
    tc_numbers_fini(&w->message);
    tc_numbers_fini(&w->broadcast[0]);
    tc_numbers_fini(&w->broadcast[1]);
}

static void tell(world *w, size_t m, tc_pulls p)
{
    tacit_error err = {0};
    tc_pulled told = {.arm = p.arm, .n = p.n};
    double u;
    w->bandit->point(w->clients[m].state, p.arm, &u);
    int64_t f = tc_reward_of(0.9 - fabs(u - 0.3 - w->spread * (double)m));
    for (uint64_t j = 0; j < p.n; j++) {
        int64_t y = f + double_noise(m, w->t[m] + j, 7, TC_REWARD_ONE / 10);
        told.sum += y;
        told.squares += y * y / TC_REWARD_ONE;
    }
    w->asked = (w->asked ^ (p.arm + 1)) * UINT64_C(0x100000001b3) + p.n;
    w->t[m] += p.n;
    assert_ok(w->bandit->tell(w->clients[m].state, &told, &err));
}

static bool pull(world *w, size_t m, uint64_t T)
{
    while (w->t[m] < T) {
        tc_pulls p = double_ask(&w->clients[m]);
        if (p.n == 0)
            return true;
        p.n = p.n < T - w->t[m] ? p.n : T - w->t[m];
        tell(w, m, p);
    }
    return false;
}

static const tc_numbers *hold_round(world *w)
{
    tacit_error err = {0};
    tc_numbers *broadcast = &w->broadcast[w->rounds++ % 2];
    broadcast->n = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        size_t m = w->backwards ? CLIENTS - 1 - i : i;
        w->message.n = 0;
        assert_ok(w->bandit->publish(w->clients[m].state, &w->message, &err));
        assert_ok(w->bandit->fold(w->server, &w->message, &err));
    }
    assert_ok(w->bandit->close(w->server, broadcast, &err));
    for (size_t m = 0; m < CLIENTS; m++)
        assert_ok(w->bandit->absorb(w->clients[m].state, broadcast, &err));
    return broadcast;
}

static const tc_numbers *live(world *w, uint64_t T)
{
    const tc_numbers *last = NULL;
    for (;;) {
        size_t waiting = 0;
        for (size_t m = 0; m < CLIENTS; m++)
            waiting += pull(w, m, T);
        if (waiting == 0)
            return last;
        assert_int_equal(waiting, CLIENTS);
        last = hold_round(w);
    }
}

/* ---- fed-hct ---- */

static void test_without_borrowing_it_is_hct(void **state)
{
    (void)state;
    world pooled = {.spread = 0.05}, alone = {.spread = 0.05, .bandit = &tc_bandit_hct};
    begin(&pooled, &tc_bandit_fed_hct, 3000, (const char *[]){"borrow=0", NULL});
    live(&pooled, 3000);
    assert_int_equal(pooled.rounds, 11);
    for (size_t m = 0; m < CLIENTS; m++) {
        double_client c = double_begin(&tc_bandit_hct, 1, 1, 3000, NULL);
        alone.clients[m] = c;
        pull(&alone, m, 3000);
        const tc_hct *a = c.state, *b = pooled.clients[m].state; /* its first member */
        assert_int_equal(a->tree.n, b->tree.n);
        for (size_t i = 0; i < a->tree.n; i++) {
            assert_int_equal(a->tree.nodes[i].n, b->tree.nodes[i].n);
            assert_true(a->tree.nodes[i].sum == b->tree.nodes[i].sum);
        }
        double_end(&c);
    }
    end(&pooled);
}

static void test_the_order_of_messages_does_not_matter(void **state)
{
    (void)state;
    world a = {.spread = 0.01}, b = {.spread = 0.01, .backwards = true};
    begin(&a, &tc_bandit_fed_hct, 5000, NULL);
    begin(&b, &tc_bandit_fed_hct, 5000, NULL);
    const tc_numbers *x = live(&a, 5000), *y = live(&b, 5000);
    assert_int_equal(x->n, y->n);
    assert_memory_equal(x->v, y->v, x->n * sizeof *x->v);
    assert_true(a.asked == b.asked);
    end(&a);
    end(&b);
}

/* Every entry of the broadcast is the sum of what the clients have of their own. */
static void test_the_pool_is_the_sum(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {.spread = 0.02};
    begin(&w, &tc_bandit_fed_hct, 4096, NULL);
    live(&w, 4096);
    const tc_numbers *pool = hold_round(&w);
    uint64_t total = 0;
    for (const int64_t *e = pool->v; e < pool->v + pool->n; e += TC_FED_HCT_CAST) {
        int64_t n = 0, sum = 0;
        for (size_t m = 0; m < CLIENTS; m++) {
            w.message.n = 0;
            assert_ok(w.bandit->publish(w.clients[m].state, &w.message, &err));
            for (size_t i = 1; i < w.message.n; i += TC_FED_HCT_SENT)
                if (w.message.v[i] == e[0] && w.message.v[i + 1] == e[1]) {
                    n += w.message.v[i + 2];
                    sum += w.message.v[i + 3];
                }
        }
        assert_true(n == e[2] && sum == e[3]);
        assert_true(e == pool->v || e[0] > e[-5] || (e[0] == e[-5] && e[1] > e[-4]));
        total += (uint64_t)n;
    }
    assert_int_equal(total, CLIENTS * 4096);
    end(&w);
}

/* Samples that nodes have borrowed, of all clients, per node. */
static double borrowed(double spread)
{
    world w = {.spread = spread};
    double sum = 0, nodes = 0;
    begin(&w, &tc_bandit_fed_hct, 4000, NULL);
    live(&w, 4000);
    for (size_t m = 0; m < CLIENTS; m++) {
        const tc_hct *h = w.clients[m].state;
        for (size_t i = 1; i < h->tree.n; i++) {
            const tc_node *v = &h->tree.nodes[i];
            assert_true(v->prior <= v->n);
            sum += (double)v->prior;
            nodes++;
        }
    }
    end(&w);
    return sum / nodes;
}

static void test_the_similar_borrow_more(void **state)
{
    (void)state;
    double same = borrowed(0), near = borrowed(0.02), far = borrowed(0.15);
    assert_true(same > 2 * near);
    assert_true(near > far);
    assert_true(far < 1);
}

/* Three clients of known means: w, and from it the pseudo-samples, by hand. */
static void test_what_a_pool_is_worth(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_fed_hct_options *o = double_options(&tc_bandit_fed_hct, (const char *[]){"caution=1", NULL});
    tc_bandit_env env = {.dim = 1, .clients = 3, .budget = 1000};
    tc_fed_hct_server s = {0};
    tc_numbers out = {0};
    assert_ok(tc_fed_hct_server_init(&s, &env, o, &err));
    const double mean[3] = {0.4, 0.5, 0.6}, n = 100, v = 0.01, one = (double)TC_REWARD_ONE;
    for (int m = 0; m < 3; m++) { /* squares = n (mean^2 + v), so that v is 0.01 x 300/297 */
        int64_t message[] = {llround(n * (mean[m] * mean[m] + v) * one), 1, 0, (int64_t)n,
                             llround(n * mean[m] * one)};
        assert_ok(tc_fed_hct_server_fold(&s, &(tc_numbers){message, 5, 5}, &err));
    }
    assert_ok(tc_fed_hct_server_close(&s, &out, &err));
    double variance = v * 300 / 297, excess = n * 0.02 - 2 * variance;
    double w = (excess + variance * sqrt(4)) / (300 - 3 * n * n / 300);
    double k = 1 / (w / variance * (1 + 3 * n * n / 90000) + 1 / 300.0);
    assert_int_equal(out.n, 5);
    assert_int_equal(out.v[2], 300);
    assert_int_equal(out.v[4], (int64_t)k);
    tc_numbers_fini(&out);
    tc_fed_hct_server_fini(&s);
    tc_free(o);
}

static void test_messages_of_fed_hct_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    begin(&w, &tc_bandit_fed_hct, 1000, NULL);
    int64_t good[] = {5, 1, 1, 2, 7};
    const int64_t bad[][5] = {{5, 0, 0, 2, 7},
                              {5, 63, 0, 2, 7},
                              {5, 1, 2, 2, 7},
                              {5, 1, -1, 2, 7},
                              {5, 1, 1, 0, 7},
                              {5, 1, 1, 1001, 7},
                              {5, 1, 1, 1, 3 * TC_REWARD_ONE}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t copy[5];
        memcpy(copy, bad[i], sizeof copy);
        assert_fails(w.bandit->fold(w.server, &(tc_numbers){copy, 5, 5}, &err), TACIT_E_ARG,
                     "a message with");
    }
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){good, 4, 4}, &err), TACIT_E_ARG,
                 "a message of 4 numbers");
    assert_fails(w.bandit->close(w.server, &w.message, &err), TACIT_E_STATE, "no message");
    for (int i = 0; i < CLIENTS; i++)
        assert_ok(w.bandit->fold(w.server, &(tc_numbers){good, 5, 5}, &err));
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){good, 5, 5}, &err), TACIT_E_ARG,
                 "more than 4 messages");
    assert_fails(w.bandit->absorb(w.clients[0].state, &(tc_numbers){good, 4, 4}, &err),
                 TACIT_E_CORRUPT, "a broadcast of 4 numbers");
    end(&w);
}

/* ---- fed1-ucb ---- */

/* The arms that a slow one keeps, from the clients' exact sums. */
static void test_fed1_ucb_keeps_the_right_arms(void **state)
{
    (void)state;
    enum { ARMS = 20 };
    const uint64_t T = 200000, step = (uint64_t)ceil(10 * log((double)T));
    world w = {0};
    bool active[ARMS];
    int64_t sum[ARMS] = {0};
    uint64_t t = 0;
    begin(&w, &tc_bandit_fed1_ucb, T, NULL);
    memset(active, true, sizeof active);
    for (double phase = 1; phase < 40; phase++) {
        double n = phase * (double)step, best = -INFINITY, left = 0;
        double width = sqrt(log((double)T) / (CLIENTS * n));
        for (size_t i = 0; i < ARMS; i++) {
            double u;
            w.bandit->point(w.clients[0].state, i, &u);
            for (size_t m = 0; active[i] && m < CLIENTS; m++)
                for (uint64_t j = 0; j < step; j++)
                    sum[i] += tc_reward_of(0.9 - fabs(u - 0.3));
            best = active[i] ? fmax(best, (double)sum[i] / (CLIENTS * n)) : best;
        }
        for (size_t m = 0; m < CLIENTS; m++) /* without noise, to have the same sums */
            for (tc_pulls p; (p = double_ask(&w.clients[m])).n > 0;) {
                double u;
                assert_true(active[p.arm] && p.n == step);
                w.bandit->point(w.clients[m].state, p.arm, &u);
                double_tell(&w.clients[m], p.arm, p.n,
                            (int64_t)p.n * tc_reward_of(0.9 - fabs(u - 0.3)));
            }
        const tc_numbers *kept = hold_round(&w);
        size_t next = 0;
        for (size_t i = 0; i < ARMS; i++) {
            double mean = (double)sum[i] / (CLIENTS * n), one = (double)TC_REWARD_ONE;
            active[i] = active[i] && !(mean + width * one < best - width * one);
            left += active[i];
            if (active[i])
                assert_int_equal(kept->v[next++], i);
        }
        assert_int_equal(kept->n, next);
        t++;
        if (left == 1)
            break;
    }
    assert_true(t > 1);
    if (double_ask(&w.clients[0]).n > T) /* one arm is left: nobody waits any more */
        assert_int_equal(w.rounds, t);
    end(&w);
}

static void test_messages_of_fed1_ucb_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    begin(&w, &tc_bandit_fed1_ucb, 1000, (const char *[]){"arms=2", NULL});
    int64_t sums[] = {0, 1, 1, 2}, turned[] = {1, 2, 0, 1}, other[] = {0, 1, 2, 2};
    int64_t arms[] = {1, 0}, none[] = {2};
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){turned, 4, 4}, &err), TACIT_E_ARG,
                 "not a list of the active arms");
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){other, 4, 4}, &err), TACIT_E_ARG,
                 "not a list of the active arms");
    assert_fails(w.bandit->close(w.server, &w.message, &err), TACIT_E_STATE, "no message");
    for (int i = 0; i < CLIENTS; i++) {
        assert_ok(w.bandit->fold(w.server, &(tc_numbers){sums, 4, 4}, &err));
        if (i == 0)
            assert_fails(w.bandit->fold(w.server, &(tc_numbers){sums, 2, 2}, &err), TACIT_E_ARG,
                         "not a list of the active arms");
    }
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){sums, 4, 4}, &err), TACIT_E_ARG,
                 "more than 4 messages");
    void *c = w.clients[0].state;
    assert_fails(w.bandit->absorb(c, &(tc_numbers){arms, 2, 2}, &err), TACIT_E_CORRUPT, "arm 0");
    assert_fails(w.bandit->absorb(c, &(tc_numbers){none, 1, 1}, &err), TACIT_E_CORRUPT, "arm 2");
    assert_fails(w.bandit->absorb(c, &(tc_numbers){none, 0, 1}, &err), TACIT_E_CORRUPT, "no arm");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_borrowing_it_is_hct),
        cmocka_unit_test(test_the_order_of_messages_does_not_matter),
        cmocka_unit_test(test_the_pool_is_the_sum),
        cmocka_unit_test(test_the_similar_borrow_more),
        cmocka_unit_test(test_what_a_pool_is_worth),
        cmocka_unit_test(test_messages_of_fed_hct_are_checked),
        cmocka_unit_test(test_fed1_ucb_keeps_the_right_arms),
        cmocka_unit_test(test_messages_of_fed1_ucb_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
