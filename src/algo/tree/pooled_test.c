/* pooled_test.c - fed-hct: what it sends, and what comes of it. */
#include "support/test.h"

#include "support/bandit_world.h"

#include "algo/tree/fed_hct.h"

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
    const int64_t *first = tc_fed_hct_parts_of(pool).cells;
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

/* Three of four clients, of known means at two cells: v, the steps, and W, by hand. */
static void test_what_the_server_says(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_fed_hct_options *o = bandit_options(&tc_bandit_fed_hct, NULL);
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
    double noise = 2 * variance * 2 / n, unit = 0x1p40;
    /* Excess, weight and dof of a cell; at depth 2 there are two of them. */
    double excess = n * 0.02 - 2 * variance, weight = 3 * n - 3 * n * n / (3 * n);
    double w = (excess + variance * sqrt(4)) / weight;
    double depth = (2 * excess + variance * sqrt(8)) / (2 * weight);
    double W2 = (2 * w + 4 * depth) / 6 * (1 + 1.0 / 3) * 4 / 3;
    tc_fed_hct_parts p = tc_fed_hct_parts_of(&out);
    assert_int_equal(out.n, 3 + 2 * 2 + 3 + 3 * 5);
    assert_close((double)out.v[0] / unit, variance, 1e-8);
    assert_int_equal(p.depths, 2);
    assert_int_equal(p.n_marks, 3);
    assert_int_equal(p.n_cells, 3);
    assert_true(p.steps[0] == 0 && p.steps[1] == 0); /* nobody pulls the root */
    assert_close((double)p.steps[2] / unit, (0.04 + 0.01) / 2 - noise, 1e-8);
    assert_close((double)p.steps[3] / unit, 0.04 - noise, 1e-8);
    assert_int_equal(p.cells[2], 300);
    assert_close((double)p.cells[4] / unit, w * (1 + 1.0 / 3) * 4 / 3, 1e-7);
    assert_close((double)p.cells[9] / unit, W2, 1e-7);
    assert_close((double)p.cells[14] / unit, W2, 1e-7);
    tc_numbers_fini(&out);
    tc_fed_hct_server_fini(&s);
    tc_free(o);
}

/* The mark of a client's message, found from the message. */
static int64_t mark_of(const bandit_client *c)
{
    tacit_error err = {0};
    tc_numbers m = {0};
    uint64_t mark = 0;
    assert_ok(c->bandit->publish(c->state, &m, &err));
    for (size_t i = 0; i < m.n; i++)
        mark = tc_fed_hct_mark(mark, m.v[i]);
    tc_numbers_fini(&m);
    return tc_fed_hct_mark_end(mark);
}

/* v = 0.005 before any pull, W = 0.001, and 40 samples of others: 0.005/(0.001 + 0.005/40) = 4.4. If
 * this client was not heard the others have all 42: 4.5. */
static void test_what_a_pool_is_worth(void **state)
{
    (void)state;
    tacit_error err = {0};
    const int64_t half = TC_REWARD_ONE / 2, W = (int64_t)ceil(0.001 * 0x1p40);
    for (int heard = 0; heard < 2; heard++) {
        bandit_client c = bandit_begin(&tc_bandit_fed_hct, 1, 4, 1000, NULL);
        tc_fed_hct_client *client = c.state;
        bandit_tell(&c, 1, 1, TC_REWARD_ONE);
        bandit_tell(&c, 1, 1, TC_REWARD_ONE);
        int64_t sum = 40 * half + (heard ? 2 : 1) * TC_REWARD_ONE;
        int64_t v[] = {(int64_t)(0.005 * 0x1p40), 0, 1, mark_of(&c) + !heard, 1, 0, 42, sum, W};
        assert_ok(tc_bandit_fed_hct.absorb(client, &(tc_numbers){v, 9, 9}, &err));
        assert_int_equal(client->tree.nodes[1].prior, 4);
        assert_int_equal(client->tree.nodes[1].n, 6);
        assert_true(client->tree.nodes[1].prior_sum == 4 * half);
        assert_int_equal(client->tree.nodes[2].prior, 0);
        bandit_end(&c);
    }
}

/* The pool says that it has this client's samples, and it cannot: nothing is borrowed. */
static void test_an_impossible_pool_is_worth_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    const int64_t casts[][2] = {{1, TC_REWARD_ONE}, {2, TC_REWARD_ONE}, {3, -2 * TC_REWARD_ONE}};
    for (size_t i = 0; i < 3; i++) {
        bandit_client c = bandit_begin(&tc_bandit_fed_hct, 1, 4, 1000, NULL);
        const tc_fed_hct_client *client = c.state;
        bandit_tell(&c, 1, 1, TC_REWARD_ONE);
        bandit_tell(&c, 1, 1, TC_REWARD_ONE);
        int64_t v[] = {1 << 30, 0, 1, mark_of(&c), 1, 0, casts[i][0], casts[i][1], 1};
        assert_ok(tc_bandit_fed_hct.absorb(c.state, &(tc_numbers){v, 9, 9}, &err));
        assert_int_equal(client->tree.nodes[1].prior, 0);
        assert_int_equal(client->tree.nodes[1].n, 2);
        assert_true(client->tree.nodes[1].sum == 2 * TC_REWARD_ONE);
        bandit_end(&c);
    }
}

/* One message is lost in every round, of another client each time: what is borrowed is still between the
 * rewards that there were, and the broadcast has no more than was sent. */
static void test_a_lost_message_does_no_harm(void **state)
{
    (void)state;
    world w = {.spread = 0.02, .loses = true};
    const double one = (double)TC_REWARD_ONE;
    size_t borrowers = 0;
    world_begin(&w, &tc_bandit_fed_hct, 4000, NULL);
    const tc_numbers *last = world_live(&w, 4000);
    assert_int_equal(tc_fed_hct_parts_of(last).n_marks, CLIENTS - 1);
    for (size_t m = 0; m < CLIENTS; m++) {
        const tc_fed_hct_client *c = w.clients[m].state;
        for (size_t i = 1; i < c->tree.n; i++) {
            const tc_node *v = &c->tree.nodes[i];
            double mean = v->prior ? (double)v->prior_sum / (double)v->prior / one : 0.5;
            assert_true(mean > -0.11 && mean < 1.01);
            borrowers += v->prior > 0;
        }
    }
    assert_true(borrowers > 10);
    world_end(&w);
}

static void test_messages_of_fed_hct_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    world_begin(&w, &tc_bandit_fed_hct, 1000, NULL);
    const int64_t one = TC_REWARD_ONE;
    int64_t good[] = {5, 1, 1, 2, 7};
    const int64_t bad[][5] = {{5, 0, 0, 2, 7},  {5, 63, 0, 2, 7},      {5, 1, 2, 2, 7},
                              {5, 1, -1, 2, 7}, {5, 1, 1, 0, 7},       {5, 1, 1, 1001, 7},
                              {5, 1, 1, -1, 0}, {5, 1, 1, 1, 3 * one}, {5, 1, 1, INT64_MAX, 7}};
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
    world_end(&w);
}

/* Two samples of sum 2: their squares are at least 2 (but for rounding) and at most 8. */
static void test_squares_must_be_possible(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    world_begin(&w, &tc_bandit_fed_hct, 1000, NULL);
    const int64_t one = TC_REWARD_ONE;
    const int64_t bad[] = {-5, INT64_MIN, (int64_t)1 << 42, 8 * one + 1, 2 * one - 3, INT64_MAX};
    const int64_t good[] = {2 * one - 2, 2 * one, 8 * one};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t m[] = {bad[i], 1, 1, 2, 2 * one};
        assert_fails(w.bandit->fold(w.server, &(tc_numbers){m, 5, 5}, &err), TACIT_E_ARG,
                     "which its 2 samples cannot have");
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t m[] = {good[i], 1, 1, 2, 2 * one};
        assert_ok(w.bandit->fold(w.server, &(tc_numbers){m, 5, 5}, &err));
    }
    world_end(&w);
}

/* A refused message leaves the round as it was, and may come again without its fault. */
static void test_a_cell_comes_once_and_totals_fit(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w = {0};
    world_begin(&w, &tc_bandit_fed_hct, 1000, NULL);
    int64_t twice[] = {5, 1, 1, 2, 7, 2, 3, 2, 7, 1, 1, 2, 7};
    int64_t many[] = {5, 1, 1, 600, 7, 2, 3, 401, 7};
    int64_t most[] = {5, 1, 1, 600, 7, 2, 3, 400, 7};
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){twice, 13, 13}, &err), TACIT_E_ARG,
                 "a message with cell 1 of depth 1 twice");
    assert_fails(w.bandit->fold(w.server, &(tc_numbers){many, 9, 9}, &err), TACIT_E_ARG,
                 "a message of more than 1000 samples");
    assert_fails(w.bandit->close(w.server, &w.message, &err), TACIT_E_STATE, "no message");
    assert_ok(w.bandit->fold(w.server, &(tc_numbers){most, 9, 9}, &err));
    w.message.n = 0;
    assert_ok(w.bandit->close(w.server, &w.message, &err));
    tc_fed_hct_parts p = tc_fed_hct_parts_of(&w.message);
    assert_true(p.n_marks == 1 && p.n_cells == 2 && p.cells[2] == 600 && p.cells[7] == 400);
    world_end(&w);
}

static void test_a_federation_may_be_too_large(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_fed_hct_options *o = bandit_options(&tc_bandit_fed_hct, NULL);
    tc_bandit_env env = {.dim = 1, .clients = 8, .budget = (uint64_t)1 << 30};
    tc_fed_hct_server s = {0};
    tc_fed_hct_client c = {0};
    assert_fails(tc_fed_hct_server_init(&s, &env, o, &err), TACIT_E_ARG,
                 "8 clients with 1073741824 pulls each; fed-hct adds up less than 2^33 pulls");
    assert_fails(tc_bandit_fed_hct.init(&c, &env, o, &err), TACIT_E_ARG, "less than 2^33 pulls");
    /* The largest sums that may come. Without a budget, clients share the 2^33. */
    env.budget = 0;
    assert_ok(tc_fed_hct_server_init(&s, &env, o, &err));
    int64_t n = ((int64_t)1 << 30) - 1, one = TC_REWARD_ONE;
    int64_t m[] = {4 * n * one, 1, 0, n, -2 * n * one};
    for (int i = 0; i < 8; i++)
        assert_ok(tc_fed_hct_server_fold(&s, &(tc_numbers){m, 5, 5}, &err));
    tc_numbers out = {0};
    assert_ok(tc_fed_hct_server_close(&s, &out, &err));
    assert_true(tc_fed_hct_parts_of(&out).cells[3] == -16 * n * one);
    m[3]++;
    assert_fails(tc_fed_hct_server_fold(&s, &(tc_numbers){m, 5, 5}, &err), TACIT_E_ARG,
                 "a message with 1073741824 samples");
    tc_numbers_fini(&out);
    tc_fed_hct_server_fini(&s);
    tc_free(o);
}

static void test_broadcasts_of_fed_hct_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    bandit_client d = bandit_begin(&tc_bandit_fed_hct, 1, 4, 1000, NULL);
    const int64_t big = (int64_t)1 << 33, one = TC_REWARD_ONE;
    const struct {
        size_t n;
        int64_t v[14];
        const char *why;
    } bad[] = {
        {2, {9, 0}, "a broadcast of 2 numbers"},
        {9, {0, 0, 1, 5, 1, 1, 2, 7, 5}, "a broadcast of 9 numbers"},
        {9, {9, -1, 1, 5, 1, 1, 2, 7, 5}, "a broadcast of 9 numbers"},
        {9, {9, 63, 1, 5, 1, 1, 2, 7, 5}, "a broadcast of 9 numbers"},
        {9, {9, 1, 1, 5, 1, 1, 2, 7, 5}, "a broadcast of 9 numbers"},
        {9, {9, 0, 0, 5, 1, 1, 2, 7, 5}, "a broadcast of 9 numbers"},
        {9, {9, 0, INT64_MAX, 5, 1, 1, 2, 7, 5}, "a broadcast of 9 numbers"},
        {9, {9, 0, 1, 5, 1, 1, 2, 7, -1}, "a variance below 0"},
        {6, {9, 1, 1, 1, -1, 5}, "a variance below 0"},
        {5, {9, 0, 2, 5, 4}, "marks out of order"},
        {9, {9, 0, 1, 5, 0, 0, 2, 7, 5}, "in cell 0 of depth 0"},
        {9, {9, 0, 1, 5, 63, 0, 2, 7, 5}, "in cell 0 of depth 63"},
        {9, {9, 0, 1, 5, 1, 2, 2, 7, 5}, "in cell 2 of depth 1"},
        {9, {9, 0, 1, 5, 1, 1, 0, 7, 5}, "a broadcast with 0 samples"},
        {9, {9, 0, 1, 5, 1, 1, big, 7, 5}, "a broadcast with 8589934592 samples"},
        {9, {9, 0, 1, 5, 1, 1, 2, 4 * one + 1, 5}, "samples of sum 1073741825"},
        {9, {9, 0, 1, 5, 1, 1, 2, INT64_MIN, 5}, "a broadcast with 2 samples"},
        {14, {9, 0, 1, 5, 1, 1, 2, 7, 5, 1, 1, 2, 7, 5}, "cell 1 of depth 1 out of order"},
        {14, {9, 0, 1, 5, 2, 1, 2, 7, 5, 1, 1, 2, 7, 5}, "cell 1 of depth 1 out of order"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t copy[14];
        memcpy(copy, bad[i].v, sizeof copy);
        assert_fails(tc_bandit_fed_hct.absorb(d.state, &(tc_numbers){copy, bad[i].n, 14}, &err),
                     TACIT_E_CORRUPT, bad[i].why);
    }
    int64_t good[] = {9, 0, 1, 5, 1, 0, 2, 7, 5, 1, 1, 2, 7, 5};
    assert_ok(tc_bandit_fed_hct.absorb(d.state, &(tc_numbers){good, 14, 14}, &err));
    bandit_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order_of_messages_does_not_matter),
        cmocka_unit_test(test_the_pool_is_the_sum),
        cmocka_unit_test(test_the_similar_borrow_more),
        cmocka_unit_test(test_what_the_server_says),
        cmocka_unit_test(test_what_a_pool_is_worth),
        cmocka_unit_test(test_an_impossible_pool_is_worth_nothing),
        cmocka_unit_test(test_a_lost_message_does_no_harm),
        cmocka_unit_test(test_messages_of_fed_hct_are_checked),
        cmocka_unit_test(test_squares_must_be_possible),
        cmocka_unit_test(test_a_cell_comes_once_and_totals_fit),
        cmocka_unit_test(test_a_federation_may_be_too_large),
        cmocka_unit_test(test_broadcasts_of_fed_hct_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
