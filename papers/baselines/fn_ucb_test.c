/* fn_ucb_test.c - fn-ucb: it learns, its bounds are the formulas, and its messages are whole numbers. */
#include "support/test.h"

#include "support/bandit_client.h"

#include "papers/baselines/baselines.h"
#include "papers/baselines/fn_ucb.h"

enum { CLIENTS = 4 };

typedef struct world {
    bandit_client clients[CLIENTS];
    void *server;
    uint64_t t[CLIENTS], rounds;
    tc_numbers message, broadcast[2];
    bool backwards;
    double regret;  /* of all pulls of all clients */
    uint64_t asked; /* a hash of everything that was asked */
} world;

static const tc_bandit *const bandit = &tc_bandit_fn_ucb;

/* Smooth, with its maximum 0.9 at 0.3; clients differ a little. */
static double reward(size_t client, double u)
{
    return 0.9 - 1.2 * pow(u - 0.3 - 0.005 * (double)client, 2);
}

static void begin(world *w, uint64_t T, const char *const *words)
{
    tacit_error err = {0};
    tc_bandit_env env = {.dim = 1, .clients = CLIENTS, .budget = T};
    for (size_t m = 0; m < CLIENTS; m++)
        w->clients[m] = bandit_begin(bandit, 1, CLIENTS, T, words);
    w->server = tc_alloc(1, bandit->server_size);
    assert_non_null(w->server);
    assert_ok(bandit->server_init(w->server, &env, w->clients[0].opts, 0, &err));
}

static void end(world *w)
{
    for (size_t m = 0; m < CLIENTS; m++)
        bandit_end(&w->clients[m]);
    bandit->server_fini(w->server);
    tc_free(w->server);
    tc_numbers_fini(&w->message);
    tc_numbers_fini(&w->broadcast[0]);
    tc_numbers_fini(&w->broadcast[1]);
}

/* The largest reward among the arms of a client, and the mean of all. */
static double best_arm(const bandit_client *c, size_t m, double *mean)
{
    double best = -INFINITY, sum = 0, u;
    size_t n = bandit->arms(c->state);
    for (size_t arm = 0; arm < n; arm++) {
        bandit->point(c->state, arm, &u);
        best = fmax(best, reward(m, u));
        sum += reward(m, u);
    }
    *mean = sum / (double)n;
    return best;
}

static void pull(world *w, size_t m, uint64_t T)
{
    double mean, u, best = best_arm(&w->clients[m], m, &mean);
    while (w->t[m] < T) {
        tc_pulls p = bandit_ask(&w->clients[m]);
        if (p.n == 0)
            return;
        p.n = p.n < T - w->t[m] ? p.n : T - w->t[m];
        bandit->point(w->clients[m].state, p.arm, &u);
        int64_t f = tc_reward_of(reward(m, u)), sum = 0;
        for (uint64_t j = 0; j < p.n; j++)
            sum += f + bandit_noise(m, w->t[m] + j, 7, TC_REWARD_ONE / 10);
        w->t[m] += p.n;
        w->regret += (double)p.n * (best - reward(m, u));
        w->asked = (w->asked ^ (p.arm + 1)) * UINT64_C(0x100000001b3) + p.n;
        bandit_tell(&w->clients[m], p.arm, p.n, sum);
    }
}

static void hold_round(world *w)
{
    tacit_error err = {0};
    tc_numbers *broadcast = &w->broadcast[w->rounds++ % 2];
    broadcast->n = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        w->message.n = 0;
        const void *c = w->clients[w->backwards ? CLIENTS - 1 - i : i].state;
        assert_ok(bandit->publish(c, &w->message, &err));
        assert_ok(bandit->fold(w->server, &w->message, &err));
    }
    assert_ok(bandit->close(w->server, broadcast, &err));
    for (size_t m = 0; m < CLIENTS; m++)
        assert_ok(bandit->absorb(w->clients[m].state, broadcast, &err));
}

static void live(world *w, uint64_t T)
{
    for (;;) {
        for (size_t m = 0; m < CLIENTS; m++)
            pull(w, m, T);
        if (w->t[0] >= T)
            return;
        for (size_t m = 0; m < CLIENTS; m++)
            assert_int_equal(w->t[m], w->t[0]);
        hold_round(w);
    }
}

/* ---- what comes of it ---- */

static void test_it_learns(void **state)
{
    (void)state;
    world w = {0};
    double uniform = 0, mean;
    begin(&w, 5000, NULL);
    live(&w, 5000);
    for (size_t m = 0; m < CLIENTS; m++)
        uniform += 5000 * (best_arm(&w.clients[m], m, &mean) - mean);
    assert_true(w.regret < 0.1 * uniform);
    assert_in_range(w.rounds, 60, 80); /* about ln 5000 / ln 1.1, and one a pull at first */
    end(&w);
}

/* The network is what decides in the end, and it knows the rewards of the arms that it plays. */
static void test_the_network_fits(void **state)
{
    (void)state;
    world w = {0};
    begin(&w, 5000, NULL);
    live(&w, 5000);
    tc_fn_client *c = w.clients[0].state;
    size_t arm = 0;
    double u;
    for (size_t i = 1; i < c->n_arms; i++)
        arm = c->n[i] > c->n[arm] ? i : arm;
    tc_fn_net_values(&c->net, c->all[TC_FN_THETA], c->n_arms, c->X, c->H, c->f);
    bandit->point(c, arm, &u);
    assert_close(c->f[arm] - c->f0[arm], reward(0, u), 0.03);
    end(&w);
}

static void test_the_order_of_messages_does_not_matter(void **state)
{
    (void)state;
    world a = {0}, b = {.backwards = true};
    begin(&a, 1500, NULL);
    begin(&b, 1500, NULL);
    live(&a, 1500);
    live(&b, 1500);
    assert_true(a.asked == b.asked);
    assert_same_bits(a.regret, b.regret);
    end(&a);
    end(&b);
}

/* ---- the formulas ---- */

/* (1 - alpha) UCB^a + alpha UCB^b of every arm, by loops over everything that was pulled. */
static double slow_bound(const tc_fn_client *c, size_t arm, const double *B)
{
    double mu = 0, width_a = 0, width_b = 0, lambda = c->o->lambda;
    for (size_t k = 0; k < c->p; k++) {
        double g = c->G[arm + k * c->n_arms], W = 0;
        for (size_t i = 0; i < c->n_arms; i++)
            W += c->n[i] * c->G[i + k * c->n_arms] * c->G[i + k * c->n_arms];
        mu += g * B[k] / (lambda + W);
        width_a += g * g / (lambda + W);
        width_b += g * g / lambda;
    }
    double alpha = (double)c->t / (double)c->o->trust;
    double a = mu + c->o->nu * sqrt(lambda * width_a), b = c->o->nu_net * sqrt(lambda * width_b);
    return (1 - alpha) * a + alpha * b;
}

/* Before the first round the network says 0 everywhere, and only own pulls count. */
static void test_bounds(void **state)
{
    (void)state;
    const char *words[] = {"growth=10", "trust=100", "nu=0.7", "nu_net=0.2", NULL};
    bandit_client d = bandit_begin(bandit, 2, 3, 1000, words);
    tc_fn_client *c = d.state;
    double B[200] = {0};
    assert_true(c->p <= 200);
    c->due = 60;
    for (uint64_t t = 0; t < 50; t++) {
        tc_pulls p = bandit_ask(&d);
        assert_int_equal(p.n, 1);
        for (size_t arm = 0; t % 10 == 0 && arm < c->n_arms; arm++) {
            assert_close(c->bound[arm], slow_bound(c, arm, B), 1e-10);
            assert_true(c->bound[arm] <= c->bound[p.arm]);
        }
        int64_t y = tc_reward_of(0.5) + bandit_noise(1, t, 7, TC_REWARD_ONE / 4);
        for (size_t k = 0; k < c->p; k++)
            B[k] += (double)y / (double)TC_REWARD_ONE * c->G[p.arm + k * c->n_arms];
        bandit_tell(&d, p.arm, 1, y);
    }
    bandit_end(&d);
}

/* What all know after a round is the sum of what each knows, and nobody counts twice. */
static void test_a_round_adds_up(void **state)
{
    (void)state;
    world w = {0};
    begin(&w, 300, NULL);
    live(&w, 300);
    hold_round(&w);
    const tc_fn_client *c = w.clients[1].state;
    for (size_t k = 0; k < c->p; k++) {
        double sum[TC_FN_PARTS] = {0};
        for (size_t part = 0; part < TC_FN_PARTS; part++)
            for (size_t m = 0; m < CLIENTS; m++)
                sum[part] += ((const tc_fn_client *)w.clients[m].state)->own[part][k];
        assert_close(c->all[TC_FN_THETA][k], sum[TC_FN_THETA] / CLIENTS, 1e-8);
        assert_close(c->all[TC_FN_INVERSE][k], sum[TC_FN_INVERSE] / CLIENTS, 1e-8);
        assert_close(c->all[TC_FN_W][k], sum[TC_FN_W], 1e-7);
        assert_close(c->all[TC_FN_B][k], sum[TC_FN_B], 1e-7);
        assert_same_bits(c->sent_W[k], c->own[TC_FN_W][k]);
    }
    end(&w);
}

/* ---- what is refused ---- */

static void test_errors(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    begin(&w, 100, NULL);
    void *c = w.clients[0].state;
    assert_fails(bandit->close(w.server, &w.broadcast[0], &err), TACIT_E_STATE,
                 "there is no message in this round");
    assert_ok(bandit->publish(c, &w.message, &err));
    assert_int_equal(w.message.n, 4 * 81);
    w.message.n--;
    assert_fails(bandit->fold(w.server, &w.message, &err), TACIT_E_ARG,
                 "a message has 324 numbers within +-1152921504606846976");
    w.message.n++;
    w.message.v[5] = INT64_MIN;
    assert_fails(bandit->fold(w.server, &w.message, &err), TACIT_E_ARG, "324 numbers within");
    assert_fails(bandit->absorb(c, &w.message, &err), TACIT_E_CORRUPT,
                 "a broadcast has a number of clients and 324 sums, not 324 numbers");
    w.message.v[5] = 0;
    for (size_t m = 0; m < CLIENTS; m++)
        assert_ok(bandit->fold(w.server, &w.message, &err));
    assert_fails(bandit->fold(w.server, &w.message, &err), TACIT_E_ARG,
                 "more than 4 messages in a round");
    end(&w);
}

/* Without rounds a client goes on, and its schedule with it. */
static void test_a_skipped_round(void **state)
{
    (void)state;
    tacit_error err = {0};
    bandit_client d = bandit_begin(bandit, 1, CLIENTS, 1000, NULL);
    uint64_t t = 0, skipped = 0;
    while (t < 1000) {
        tc_pulls p = bandit_ask(&d);
        if (p.n == 0) {
            assert_ok((bandit->skip)(d.state, &err));
            skipped++;
            continue;
        }
        p.n = p.n < 1000 - t ? p.n : 1000 - t;
        bandit_tell(&d, p.arm, p.n, (int64_t)p.n * TC_REWARD_ONE / 2);
        t += p.n;
    }
    assert_in_range(skipped, 45, 65);
    bandit_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_learns),
        cmocka_unit_test(test_the_network_fits),
        cmocka_unit_test(test_the_order_of_messages_does_not_matter),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_a_round_adds_up),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_a_skipped_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
