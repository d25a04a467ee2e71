/* tree_save_test.c - saved clients: the same state gives the same numbers, comes back as it was, and
 * nothing else is taken for one. (Whole studies: sim/bandit_snapshot_test.c.) */
#include "support/test.h"

#include "support/bandit_client.h"
#include "algo/tree/tree_save.h"

enum { BUDGET = 4000, HALF = 1 << 24 };

static int64_t reward(const bandit_client *c, size_t arm, uint64_t t)
{
    double u[2];
    c->bandit->point(c->state, arm, u);
    return tc_reward_of(1 - fabs(u[0] - 0.3) - 0.5 * fabs(u[1] - 0.8)) +
           bandit_noise(1, t, arm, HALF);
}

/* Up to `until` pulls in all, in batches of 7 at most; a client that waits goes on without a
 * broadcast. */
static void play(bandit_client *c, uint64_t *t, uint64_t until)
{
    tacit_error err = {0};
    while (*t < until) {
        tc_pulls p = bandit_ask(c);
        if (p.n == 0) {
            assert_ok((c->bandit->skip)(c->state, &err)); /* cmocka has a macro of that name */
            continue;
        }
        uint64_t n = p.n < 7 ? p.n : 7;
        bandit_tell(c, p.arm, n, (int64_t)n * reward(c, p.arm, *t));
        *t += n;
    }
}

static tc_numbers saved(const bandit_client *c)
{
    tacit_error err = {0};
    tc_numbers m = {0};
    assert_ok(c->bandit->save(c->state, &m, &err));
    return m;
}

static void assert_equal(const tc_numbers *a, const tc_numbers *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->v, b->v, a->n * sizeof *a->v);
}

static void check_bandit(const tc_bandit *b, uint64_t at)
{
    tacit_error err = {0};
    bandit_client calm = bandit_begin(b, 2, 3, BUDGET, NULL);
    bandit_client copy = bandit_begin(b, 2, 3, BUDGET, NULL);
    uint64_t t = 0, u;
    play(&calm, &t, at);
    tc_numbers first = saved(&calm), again = saved(&calm);
    assert_equal(&first, &again);
    assert_ok(b->load(copy.state, &first, NULL, &err));
    tc_numbers back = saved(&copy);
    assert_equal(&first, &back);
    u = t;
    while (t < BUDGET) { /* they ask for the same, step by step */
        tc_pulls p = bandit_ask(&calm), q = bandit_ask(&copy);
        assert_true(p.arm == q.arm && p.n == q.n);
        play(&calm, &t, t + 1);
        play(&copy, &u, u + 1);
    }
    tc_numbers end = saved(&calm), copied = saved(&copy);
    assert_equal(&end, &copied);
    bandit_end(&calm);
    bandit_end(&copy);
    tc_numbers *const all[] = {&first, &again, &back, &end, &copied};
    for (size_t i = 0; i < 5; i++)
        tc_numbers_fini(all[i]);
}

static void test_a_copy_goes_on_alike(void **state)
{
    (void)state;
    for (size_t i = 0; tc_bandits()[i]; i++)
        for (uint64_t at = 0; tc_bandits()[i]->save && at < BUDGET; at = 3 * at + 17)
            check_bandit(tc_bandits()[i], at);
}

/* ---- what is refused ---- */

static tacit_status try_load(const tc_bandit *b, const tc_numbers *m, tacit_error *err)
{
    bandit_client c = bandit_begin(b, 2, 3, BUDGET, NULL);
    tacit_status status = b->load(c.state, m, NULL, err);
    bandit_end(&c);
    return status;
}

/* Every number in turn is one that no state has there, or the state ends before it. */
static void check_refusals(const tc_bandit *b)
{
    tacit_error err = {0};
    char sentence[96];
    bandit_client c = bandit_begin(b, 2, 3, BUDGET, NULL);
    uint64_t t = 0;
    play(&c, &t, 400);
    tc_numbers m = saved(&c);
    (void)snprintf(sentence, sizeof sentence, "the numbers are not a saved state of %s", b->name);
    size_t step = 1 + m.n / 200;
    for (size_t i = 0; i < m.n; i += step) {
        int64_t was = m.v[i];
        m.v[i] = INT64_MAX; /* NaN where it is a double */
        assert_fails(try_load(b, &m, &err), TACIT_E_CORRUPT, sentence);
        m.v[i] = was;
        tc_numbers cut = {.v = m.v, .n = i};
        assert_fails(try_load(b, &cut, &err), TACIT_E_CORRUPT, sentence);
    }
    assert_ok(try_load(b, &m, &err));
    assert_ok(tc_numbers_add(&m, 0, &err));
    assert_fails(try_load(b, &m, &err), TACIT_E_CORRUPT, sentence);
    m.n--;
    m.v[0]++;
    assert_fails(try_load(b, &m, &err), TACIT_E_CORRUPT, sentence); /* another version */
    tc_numbers_fini(&m);
    bandit_end(&c);
}

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; tc_bandits()[i]; i++)
        if (tc_bandits()[i]->save)
            check_refusals(tc_bandits()[i]);
}

/* Numbers that are each in range, and together are no state. */
static void test_what_does_not_fit_together(void **state)
{
    (void)state;
    tacit_error err = {0};
    int64_t hct[] = {1, 1, 0, 1, 0, 0, 0, 0, 0}; /* version, splits, parents, (n, sum) x 3 */
    int64_t twice[] = {1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* the root splits twice */
    int64_t hoo[] = {1, 1, 0, 1, 0, 2, 0, 0, 0}; /* a child with more than its parent */
    const struct {
        const tc_bandit *b;
        tc_numbers m;
    } cases[] = {{&tc_bandit_hct, {.v = hct, .n = 9}},
                 {&tc_bandit_hct, {.v = twice, .n = 14}},
                 {&tc_bandit_hoo, {.v = hoo, .n = 9}}};
    for (size_t i = 0; i < 3; i++)
        assert_fails(try_load(cases[i].b, &cases[i].m, &err), TACIT_E_CORRUPT,
                     "the numbers are not a saved state of");
    hct[3] = 0; /* the root has no pulls of its own */
    assert_ok(try_load(&tc_bandit_hct, &cases[0].m, &err));
    hoo[3] = 2;
    assert_ok(try_load(&tc_bandit_hoo, &cases[2].m, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_goes_on_alike),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_does_not_fit_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
