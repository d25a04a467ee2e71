/* pne_test.c - pf-pne and fed-pne beside a slow one with sets as tables of truth values. */
#include "support/test.h"

#include "support/bandit_client.h"

#include "algo/tree/pne.h"

enum { CLIENTS = 3, DEPTHS = 9, CELLS = 256, PULLS = 4000 };

/* Client m, node (h, i), its j-th pull. */
static int64_t reward(size_t m, uint32_t h, uint64_t i, uint64_t j)
{
    double u;
    tc_cell_centre((tc_cell){h, i}, 2, 1, &u);
    double peak = 0.3 + 0.15 * (double)m, f = 0.85 - fabs(u - peak) + (u > 0.8 ? 0.25 : 0);
    return tc_reward_of(f) + bandit_noise(m, 1000 * h + i, j, TC_REWARD_ONE / 20);
}

typedef struct pull {
    tc_cell cell;
    uint64_t n;
} pull;

typedef struct diary {
    pull v[CLIENTS][PULLS];
    size_t n[CLIENTS];
    uint64_t t[CLIENTS];
} diary;

static void note(diary *d, size_t m, tc_cell cell, uint64_t n)
{
    assert_true(d->n[m] < PULLS);
    d->v[m][d->n[m]++] = (pull){cell, n};
    d->t[m] += n;
}

/* ---- the slow one ---- */

typedef struct slow {
    double log_term, c, nu, rho, gap;
    uint32_t last;
    bool personal, paper;
    uint64_t T;
    bool K[DEPTHS][CELLS];        /* after elimination */
    double shared[DEPTHS][CELLS]; /* global means */
    uint64_t n[CLIENTS][DEPTHS][CELLS];
    int64_t sum[CLIENTS][DEPTHS][CELLS];
    diary d;
} slow;

static double slack(const slow *s, uint32_t h)
{
    return s->nu * pow(s->rho, h);
}

static uint64_t tau(const slow *s, uint32_t h)
{
    return (uint64_t)fmax(ceil(s->c * s->c * s->log_term / (slack(s, h) * slack(s, h))), 1);
}

static double width(const slow *s, double n)
{
    return s->c * sqrt(s->log_term / n);
}

/* Pulls until the node has `target` samples; false: the budget is spent. */
static bool pull_to(slow *s, size_t m, uint32_t h, uint64_t i, uint64_t target)
{
    uint64_t n = target - s->n[m][h][i], left = s->T - s->d.t[m];
    if (n == 0)
        return true;
    n = n < left ? n : left;
    if (n == 0)
        return false;
    note(&s->d, m, (tc_cell){h, i}, n);
    for (uint64_t j = 0; j < n; j++)
        s->sum[m][h][i] += reward(m, h, i, s->n[m][h][i]++);
    return s->d.t[m] < s->T;
}

static bool share_depth(slow *s, uint32_t h)
{
    uint64_t share = (tau(s, h) + CLIENTS - 1) / CLIENTS;
    double best = -INFINITY, b = width(s, (double)(CLIENTS * share));
    bool here[CELLS] = {false};
    for (uint64_t i = 0; i < (UINT64_C(1) << h); i++)
        here[i] = s->K[h - 1][i / 2];
    for (size_t m = 0; m < CLIENTS; m++)
        for (uint64_t i = 0; i < (UINT64_C(1) << h); i++)
            if (here[i] && !pull_to(s, m, h, i, share) && s->d.t[m] == s->T && m == CLIENTS - 1)
                return false;
    for (uint64_t i = 0; i < (UINT64_C(1) << h); i++) {
        int64_t sum = 0;
        for (size_t m = 0; m < CLIENTS; m++)
            sum += s->sum[m][h][i];
        s->shared[h][i] = (double)sum / ((double)(CLIENTS * share) * (double)TC_REWARD_ONE);
        if (here[i])
            best = fmax(best, s->shared[h][i]);
    }
    for (uint64_t i = 0; i < (UINT64_C(1) << h); i++)
        s->K[h][i] = here[i] && s->shared[h][i] + b + slack(s, h) >= best - b;
    return true;
}

static void alone(slow *s, size_t m)
{
    bool active[CELLS] = {true};
    for (uint32_t h = 1; h < DEPTHS; h++) {
        bool here[CELLS] = {false};
        double mean[CELLS], b[CELLS], ref = -INFINITY, best = -INFINITY;
        double global = width(s, (double)(CLIENTS * ((tau(s, h) + CLIENTS - 1) / CLIENTS)));
        for (uint64_t i = 0; i < (UINT64_C(1) << h); i++)
            here[i] = active[i / 2];
        for (uint64_t i = 0; i < (UINT64_C(1) << h); i++)
            if (here[i] && !s->K[h][i] && !pull_to(s, m, h, i, tau(s, h)))
                return;
        for (uint64_t i = 0; i < (UINT64_C(1) << h); i++) {
            if (!here[i])
                continue;
            double own = (double)s->n[m][h][i];
            bool kept = s->K[h][i];
            mean[i] =
                kept ? s->shared[h][i] : (double)s->sum[m][h][i] / (own * (double)TC_REWARD_ONE);
            b[i] = kept ? global : width(s, own);
            if (!s->paper)
                ref = fmax(ref, mean[i] - b[i] - (kept ? s->gap : 0));
            else if (mean[i] > best) {
                best = mean[i];
                ref = mean[i] - b[i];
            }
        }
        for (uint64_t i = 0; i < (UINT64_C(1) << h); i++)
            active[i] = here[i] && (s->K[h][i] || mean[i] + b[i] + slack(s, h) >= ref);
    }
}

static void slow_run(slow *s)
{
    s->K[0][0] = true;
    for (uint32_t h = 1; h <= s->last; h++)
        if (!share_depth(s, h))
            return;
    for (size_t m = 0; s->personal && m < CLIENTS; m++)
        alone(s, m);
}

/* ---- the live one ---- */

typedef struct world {
    const tc_bandit *bandit;
    bandit_client clients[CLIENTS];
    void *server;
    uint64_t T, rounds;
    uint64_t seen[CLIENTS][DEPTHS][CELLS];
    diary d;
} world;

static void begin(world *w, const tc_bandit *b, uint64_t T, const char *const *words)
{
    tacit_error err = {0};
    tc_bandit_env env = {.dim = 1, .clients = CLIENTS, .budget = T};
    *w = (world){.bandit = b, .T = T};
    for (size_t m = 0; m < CLIENTS; m++)
        w->clients[m] = bandit_begin(b, 1, CLIENTS, T, words);
    w->server = tc_alloc(1, b->server_size);
    assert_ok(b->server_init(w->server, &env, w->clients[0].opts, 0, &err));
}

static void end(world *w)
{
    for (size_t m = 0; m < CLIENTS; m++)
        bandit_end(&w->clients[m]);
    w->bandit->server_fini(w->server);
    tc_free(w->server);
    tc_free(w);
}

/* True: it waits. */
static bool pull_client(world *w, size_t m)
{
    while (w->d.t[m] < w->T) {
        tc_pulls p = bandit_ask(&w->clients[m]);
        if (p.n == 0)
            return true;
        unsigned k;
        tc_cell cell = w->bandit->cell(w->clients[m].state, p.arm, &k);
        const tc_pne_client *c = w->clients[m].state;
        assert_false(c->nodes.v[p.arm].kept); /* protected nodes are never pulled */
        assert_true(cell.depth < DEPTHS);
        uint64_t n = p.n < w->T - w->d.t[m] ? p.n : w->T - w->d.t[m];
        int64_t sum = 0;
        for (uint64_t j = 0; j < n; j++)
            sum += reward(m, cell.depth, cell.index, w->seen[m][cell.depth][cell.index]++);
        note(&w->d, m, cell, n);
        bandit_tell(&w->clients[m], p.arm, n, sum);
    }
    return false;
}

/* After every round all clients hold the children of what the server let stand. */
static void assert_same_nodes(const world *w, const tc_numbers *broadcast)
{
    for (size_t m = 0; m < CLIENTS; m++) {
        const tc_pne_client *c = w->clients[m].state;
        if (c->alone)
            continue;
        assert_int_equal(c->depth, broadcast->v[0] + 1);
        assert_int_equal(c->nodes.n, broadcast->n - 2);
        for (size_t i = 0; i < c->nodes.n; i++)
            assert_true((int64_t)c->nodes.v[i].cell ==
                        2 * broadcast->v[2 + i / 2 * 2] + (int64_t)(i & 1));
    }
}

static void hold_round(world *w)
{
    tacit_error err = {0};
    tc_numbers message = {0}, broadcast = {0};
    for (size_t i = 0; i < CLIENTS; i++) {
        size_t m = (i + w->rounds) % CLIENTS; /* in any order */
        message.n = 0;
        assert_ok(w->bandit->publish(w->clients[m].state, &message, &err));
        assert_ok(w->bandit->fold(w->server, &message, &err));
    }
    assert_ok(w->bandit->close(w->server, &broadcast, &err));
    for (size_t m = 0; m < CLIENTS; m++)
        assert_ok(w->bandit->absorb(w->clients[m].state, &broadcast, &err));
    w->rounds++;
    assert_same_nodes(w, &broadcast);
    tc_numbers_fini(&message);
    tc_numbers_fini(&broadcast);
}

static void live(world *w)
{
    for (;;) {
        bool waits = false;
        for (size_t m = 0; m < CLIENTS; m++)
            waits = pull_client(w, m);
        if (!waits)
            return;
        hold_round(w);
    }
}

/* ---- comparisons ---- */

static void assert_same_diary(const diary *a, const diary *b)
{
    for (size_t m = 0; m < CLIENTS; m++) {
        assert_int_equal(a->n[m], b->n[m]);
        for (size_t i = 0; i < a->n[m]; i++) {
            assert_int_equal(a->v[m][i].cell.depth, b->v[m][i].cell.depth);
            assert_int_equal(a->v[m][i].cell.index, b->v[m][i].cell.index);
            assert_int_equal(a->v[m][i].n, b->v[m][i].n);
        }
    }
}

static void compare(const tc_bandit *b, slow s, uint64_t T, const char *const *words,
                    uint64_t rounds)
{
    world *w = tc_alloc(1, sizeof *w);
    slow *r = tc_alloc(1, sizeof *r);
    assert_true(w && r);
    begin(w, b, T, words);
    live(w);
    *r = s;
    r->T = T;
    r->nu = 1;
    r->rho = 0.5;
    r->log_term = log((double)T * CLIENTS);
    slow_run(r);
    assert_same_diary(&w->d, &r->d);
    assert_int_equal(w->rounds, rounds);
    tc_free(r);
    end(w);
}

static void test_pf_pne_is_its_definition(void **state)
{
    (void)state;
    compare(&tc_bandit_pf_pne, (slow){.c = 0.1, .gap = 0.05, .last = 5, .personal = true}, 8000,
            (const char *[]){"gap=0.05", NULL}, 5);
    compare(&tc_bandit_pf_pne,
            (slow){.c = 0.1, .gap = 0.05, .last = 5, .personal = true, .paper = true}, 8000,
            (const char *[]){"gap=0.05", "rule=paper", NULL}, 5);
    compare(&tc_bandit_pf_pne, (slow){.c = 0.2, .gap = 0.3, .last = 2, .personal = true}, 20000,
            (const char *[]){"gap=0.3", "c=0.2", NULL}, 2);
    compare(&tc_bandit_pf_pne, (slow){.c = 0.1, .gap = 0.01, .last = 3, .personal = true}, 5000,
            (const char *[]){"transition=3", NULL}, 3);
}

static void test_fed_pne_is_its_definition(void **state)
{
    (void)state;
    compare(&tc_bandit_fed_pne, (slow){.c = 0.1, .last = 8}, 2000, NULL, 5);
}

/* A budget that ends within the first stage, and no second. */
static void test_a_small_budget(void **state)
{
    (void)state;
    for (uint64_t T = 1; T < 12; T++) {
        world *w = tc_alloc(1, sizeof *w);
        begin(w, &tc_bandit_pf_pne, T, NULL);
        live(w);
        for (size_t m = 0; m < CLIENTS; m++)
            assert_int_equal(w->d.t[m], T);
        end(w);
    }
}

/* Delta >= nu: nothing is shared at all. */
static void test_without_shared_depths(void **state)
{
    (void)state;
    bandit_client c = bandit_begin(&tc_bandit_pf_pne, 1, 4, 1000, (const char *[]){"gap=1", NULL});
    const tc_pne_client *p = c.state;
    assert_true(p->alone);
    assert_int_equal(p->law.last, 0);
    assert_int_equal(bandit_ask(&c).n, tc_pne_tau(&p->law, 1));
    bandit_end(&c);
}

static void test_the_constants(void **state)
{
    (void)state;
    const uint64_t taus[] = {1, 1, 2, 7, 26, 103, 410, 1639};
    tc_bandit_env env = {.dim = 1, .clients = 1, .budget = 22026}; /* ln T = 10 */
    tc_pne_options *o = bandit_options(&tc_bandit_pf_pne, NULL);
    tc_pne_law l = tc_pne_law_of(&env, o, true);
    assert_int_equal(l.last, 7);
    for (uint32_t h = 0; h < 8; h++)
        assert_int_equal(tc_pne_tau(&l, h), taus[h]);
    env.clients = 100;
    l = tc_pne_law_of(&env, o, true);
    assert_close(l.log_term, log(22026.0 * 100), 1e-12);
    assert_int_equal(tc_pne_share(&l, 5), 2); /* ceil(0.01 x 14.6 x 1024) = 150 */
    assert_close(tc_pne_width(&l, 200), 0.1 * sqrt(l.log_term / 200), 1e-15);
    assert_int_equal(tc_pne_tau(&l, 62), UINT64_C(1) << 62);
    l = tc_pne_law_of(&env, o, false);
    assert_true(l.last < 62);
    assert_true(tc_pne_share(&l, l.last) * 100 < UINT64_C(1) << 34);
    assert_true(tc_pne_share(&l, l.last + 1) * 100 >= UINT64_C(1) << 34);
    tc_free(o);
}

static void test_messages_are_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world *w = tc_alloc(1, sizeof *w);
    assert_non_null(w);
    tc_numbers out = {0};
    begin(w, &tc_bandit_pf_pne, 1000, NULL);
    void *client = w->clients[0].state;
    assert_fails(w->bandit->publish(client, &out, &err), TACIT_E_STATE, "depth 1");
    assert_fails(w->bandit->close(w->server, &out, &err), TACIT_E_STATE,
                 "there is no message about depth 1");
    int64_t good[] = {0, 5, 1, 7}, fewer[] = {0, 5};
    int64_t bad[][4] = {{1, 5, 0, 7}, {0, 5, 2, 7}, {-1, 5, 1, 7}, {0, 3 * TC_REWARD_ONE, 1, 7}};
    for (size_t i = 0; i < 4; i++)
        assert_fails(w->bandit->fold(w->server, &(tc_numbers){bad[i], 4, 4}, &err), TACIT_E_ARG,
                     "not a list of shared cells of depth 1");
    for (int i = 0; i < CLIENTS; i++) {
        assert_ok(w->bandit->fold(w->server, &(tc_numbers){good, 4, 4}, &err));
        if (i == 0)
            assert_fails(w->bandit->fold(w->server, &(tc_numbers){fewer, 2, 2}, &err), TACIT_E_ARG,
                         "about other cells of depth 1 than the first");
    }
    assert_fails(w->bandit->fold(w->server, &(tc_numbers){good, 4, 4}, &err), TACIT_E_ARG,
                 "more than 3 messages");
    int64_t wrong[][4] = {{2, 3, 0, 1}, {1, 3, 2, 1}, {1, 3, -1, 1}, {1, 4, 0, 1}, {1, 0, 0, 1}};
    for (size_t i = 0; i < 5; i++)
        assert_fails(w->bandit->absorb(client, &(tc_numbers){wrong[i], 4, 4}, &err),
                     TACIT_E_CORRUPT, "the broadcast is not one of depth 1");
    assert_fails(w->bandit->absorb(client, &(tc_numbers){0}, &err), TACIT_E_CORRUPT,
                 "not one of depth 1");
    tc_numbers_fini(&out);
    end(w);
}

/* Fewer messages: wider bounds. And no broadcast at all: the client goes on alone from there. */
static void test_rounds_that_fail(void **state)
{
    (void)state;
    tacit_error err = {0};
    world *w = tc_alloc(1, sizeof *w);
    assert_non_null(w);
    tc_numbers message = {0}, broadcast = {0};
    begin(w, &tc_bandit_pf_pne, 50000, NULL);
    tc_pne_client *c = w->clients[0].state;
    assert_true(pull_client(w, 0));
    assert_ok(w->bandit->publish(c, &message, &err));
    assert_ok(w->bandit->fold(w->server, &message, &err));
    assert_ok(w->bandit->close(w->server, &broadcast, &err));
    assert_int_equal(broadcast.v[1], 1);
    assert_ok(w->bandit->absorb(c, &broadcast, &err));
    uint64_t share = tc_pne_share(&c->law, 1);
    assert_close(c->shared[1].width, tc_pne_width(&c->law, (double)share), 0);
    assert_true(pull_client(w, 0));
    assert_int_equal(c->depth, 2);
    assert_ok((w->bandit->skip)(c, &err)); /* cmocka has a macro of that name */
    assert_true(c->alone);
    assert_int_equal(c->law.last, 1);
    assert_false(pull_client(w, 0)); /* to the end of its budget */
    tc_numbers_fini(&message);
    tc_numbers_fini(&broadcast);
    end(w);
}

/* Where one child is right and all others wrong the deepest cells are reached, and the rest of the
 * budget is spent there. */
static void test_the_deepest_cells(void **state)
{
    (void)state;
    const char *const words[] = {"children=16", "rho=0.9", "nu=0.001", "c=0.001", "gap=1", NULL};
    bandit_client c = bandit_begin(&tc_bandit_pf_pne, 1, 1, 0, words);
    const tc_pne_client *p = c.state;
    for (uint64_t t = 0; t < 2000000 && bandit_ask(&c).n < UINT64_C(1) << 60;) {
        tc_pulls asked = bandit_ask(&c);
        bool there =
            p->nodes.v[asked.arm].cell == tc_cell_of(&(double){0.4}, p->depth, 16, 1).index;
        bandit_tell(&c, asked.arm, asked.n, there ? (int64_t)asked.n * TC_REWARD_ONE : 0);
        t += asked.n;
    }
    assert_int_equal(p->depth, tc_cell_max_depth(16));
    double u;
    c.bandit->point(c.state, bandit_ask(&c).arm, &u);
    assert_close(u, 0.4, 1e-6);
    bandit_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pf_pne_is_its_definition),
        cmocka_unit_test(test_fed_pne_is_its_definition),
        cmocka_unit_test(test_a_small_budget),
        cmocka_unit_test(test_without_shared_depths),
        cmocka_unit_test(test_the_constants),
        cmocka_unit_test(test_messages_are_checked),
        cmocka_unit_test(test_rounds_that_fail),
        cmocka_unit_test(test_the_deepest_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
