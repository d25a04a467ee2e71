/* pooled_test.c - fed-hct and fed1-ucb: what they send, and what comes of it. */
#include "support/test.h"

#include "algo/tree/bandit_world.h"

#include "algo/tree/fed_hct.h"

/* ---- fed-hct ---- */

static void test_the_order_of_messages_does_not_matter(void **state)
{
    (void)state;
    world a = {.spread = 0.01}, b = {.spread = 0.01, .backwards = true};
    world_begin(&a, &tc_bandit_fed_hct, 5000, NULL);
    world_begin(&b, &tc_bandit_fed_hct, 5000, NULL);
    const tc_numbers *x = world_live(&a, 5000), *y = world_live(&b, 5000);
    assert_int_equal(x->n, y->n);
    assert_memory_equal(x->v, y->v, x->n * sizeof *x->v);
    assert_true(a.asked == b.asked);
    world_end(&a);
    world_end(&b);
}

/* Every entry of the broadcast is the sum of what the clients have of their own. */
static void test_the_pool_is_the_sum(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {.spread = 0.02};
    world_begin(&w, &tc_bandit_fed_hct, 4096, NULL);
    world_live(&w, 4096);
    const tc_numbers *pool = world_hold_round(&w);
    uint64_t total = 0;
    const int64_t *first = pool->v + 2 + pool->v[1];
    for (const int64_t *e = first; e < pool->v + pool->n; e += TC_FED_HCT_CAST) {
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
        assert_true(e == first || e[0] > e[-5] || (e[0] == e[-5] && e[1] > e[-4]));
        total += (uint64_t)n;
    }
    assert_int_equal(total, CLIENTS * 4096);
    world_end(&w);
}

/* Samples that nodes have borrowed, of all clients, per node. */
static double borrowed(double spread)
{
    world w = {.spread = spread};
    double sum = 0, nodes = 0;
    world_begin(&w, &tc_bandit_fed_hct, 4000, NULL);
    world_live(&w, 4000);
    for (size_t m = 0; m < CLIENTS; m++) {
        const tc_fed_hct_client *c = w.clients[m].state;
        for (size_t i = 1; i < c->tree.n; i++) {
            const tc_node *v = &c->tree.nodes[i];
            assert_true(v->prior <= v->n);
            sum += (double)v->prior;
            nodes++;
        }
    }
    world_end(&w);
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

/* Three of four clients, of known means at two cells: v, the step, and W, by hand. */
static void test_what_the_server_says(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_fed_hct_options *o = double_options(&tc_bandit_fed_hct, NULL);
    tc_bandit_env env = {.dim = 1, .clients = 4, .budget = 1000};
    tc_fed_hct_server s = {0};
    tc_numbers out = {0};
    assert_ok(tc_fed_hct_server_init(&s, &env, o, &err));
    const double mean[3] = {0.4, 0.5, 0.6}, n = 100, v = 0.01, one = (double)TC_REWARD_ONE;
    for (int m = 0; m < 3; m++) { /* n of cell 0; n each of both its parts, all of one mean */
        double up = mean[m] + 0.2, down = mean[m] - 0.1;
        double squares = n * (mean[m] * mean[m] + up * up + down * down + 3 * v);
        int64_t message[] = {
            llround(squares * one), 1, 0, (int64_t)n, llround(n * mean[m] * one), 2, 1, (int64_t)n,
            llround(n * up * one),  2, 0, (int64_t)n, llround(n * down * one)};
        assert_ok(tc_fed_hct_server_fold(&s, &(tc_numbers){message, 13, 13}, &err));
    }
    assert_ok(tc_fed_hct_server_close(&s, &out, &err));
    double variance = (20 * 0.005 + 900 * v) / (20 + 900 - 9); /* nine means were found from them */
    double step = (0.04 + 0.01) / 2 - variance * 2 / n, unit = 0x1p40;
    /* Excess, weight and dof of a cell; at depth 2 there are two of them. */
    double excess = n * 0.02 - 2 * variance, weight = 3 * n - 3 * n * n / (3 * n);
    double w = (excess + variance * sqrt(4)) / weight;
    double depth = (2 * excess + variance * sqrt(8)) / (2 * weight);
    double W2 = (2 * w + 4 * depth) / 6 * (1 + 1.0 / 3) * 4 / 3;
    assert_int_equal(out.n, 2 + 2 + 3 * 5);
    assert_close((double)out.v[0] / unit, variance, 1e-8);
    assert_int_equal(out.v[1], 2);
    assert_int_equal(out.v[2], 0); /* nobody pulls the root */
    assert_close((double)out.v[3] / unit, step, 1e-8);
    assert_int_equal(out.v[6], 300);
    assert_close((double)out.v[8] / unit, w * (1 + 1.0 / 3) * 4 / 3, 1e-7);
    assert_close((double)out.v[13] / unit, W2, 1e-7);
    assert_close((double)out.v[18] / unit, W2, 1e-7);
    tc_numbers_fini(&out);
    tc_fed_hct_server_fini(&s);
    tc_free(o);
}

/* v = 0.005 before any pull, W = 0.001, and 40 samples of others: 0.005/(0.001 + 0.005/40) = 4.4. */
static void test_what_a_pool_is_worth(void **state)
{
    (void)state;
    tacit_error err = {0};
    double_client c = double_begin(&tc_bandit_fed_hct, 1, 4, 1000, NULL);
    tc_fed_hct_client *client = c.state;
    int64_t half = TC_REWARD_ONE / 2, W = (int64_t)ceil(0.001 * 0x1p40);
    int64_t v[] = {(int64_t)(0.005 * 0x1p40), 0, 1, 0, 42, 2 * TC_REWARD_ONE + 40 * half, W};
    double_tell(&c, 1, 1, TC_REWARD_ONE);
    double_tell(&c, 1, 1, TC_REWARD_ONE);
    assert_ok(tc_bandit_fed_hct.absorb(client, &(tc_numbers){v, 7, 7}, &err));
    assert_int_equal(client->tree.nodes[1].prior, 4);
    assert_int_equal(client->tree.nodes[1].n, 6);
    assert_true(client->tree.nodes[1].prior_sum == 4 * half);
    assert_int_equal(client->tree.nodes[2].prior, 0);
    double_end(&c);
}

static void test_messages_of_fed_hct_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    world_begin(&w, &tc_bandit_fed_hct, 1000, NULL);
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
    int64_t casts[][7] = {{9, 0, 1, 1, 2, 7, -1}, {9, 1, -1, 1, 2, 7, 5}, {0, 0, 1, 1, 2, 7, 5},
                          {9, -1, 1, 1, 2, 7, 5}, {9, 63, 1, 1, 2, 7, 5}, {9, 1, 1, 1, 2, 7, 5}};
    void *c = w.clients[0].state;
    assert_fails(w.bandit->absorb(c, &(tc_numbers){casts[0], 7, 7}, &err), TACIT_E_CORRUPT,
                 "a variance below 0");
    assert_fails(w.bandit->absorb(c, &(tc_numbers){casts[1], 3, 3}, &err), TACIT_E_CORRUPT,
                 "a variance below 0");
    for (size_t i = 2; i < sizeof casts / sizeof *casts; i++)
        assert_fails(w.bandit->absorb(c, &(tc_numbers){casts[i], 7, 7}, &err), TACIT_E_CORRUPT,
                     "a broadcast of 7 numbers");
    assert_fails(w.bandit->absorb(c, &(tc_numbers){casts[0], 1, 7}, &err), TACIT_E_CORRUPT,
                 "a broadcast of 1 numbers");
    world_end(&w);
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
    world_begin(&w, &tc_bandit_fed1_ucb, T, NULL);
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
        const tc_numbers *kept = world_hold_round(&w);
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
    world_end(&w);
}

static void test_messages_of_fed1_ucb_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    world_begin(&w, &tc_bandit_fed1_ucb, 1000, (const char *[]){"arms=2", NULL});
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
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order_of_messages_does_not_matter),
        cmocka_unit_test(test_the_pool_is_the_sum),
        cmocka_unit_test(test_the_similar_borrow_more),
        cmocka_unit_test(test_what_the_server_says),
        cmocka_unit_test(test_what_a_pool_is_worth),
        cmocka_unit_test(test_messages_of_fed_hct_are_checked),
        cmocka_unit_test(test_fed1_ucb_keeps_the_right_arms),
        cmocka_unit_test(test_messages_of_fed1_ucb_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
