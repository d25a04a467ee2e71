/* bandit_snapshot_test.c - studies by pulls that are killed and go on: every bandit, at every pause, with
 * another number of threads, has the bits of one that was left alone. */
#include "support/test.h"

#include "base/memory.h"
#include "sim/bandit_simulation.h"
#include "sim/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CLIENTS = 6, BUDGET = 2500, POINTS = 7 };

static double hill(const void *of, uint64_t m, const double *u)
{
    (void)of;
    double x = u[0] - 0.2 - 0.1 * (double)m, y = u[1] - 0.6;
    return fmax(0.9 - fabs(x) - 0.5 * fabs(y), 0);
}

static double top(const void *of, uint64_t m)
{
    (void)of;
    (void)m;
    return 0.9;
}

static const tc_rewards hills = {.dim = 2, .value = hill, .best = top, .scale = 0.1};

static void *defaults(const tc_bandit *b)
{
    tacit_error err = {0};
    void *opts = tc_alloc(1, b->options_size);
    assert_non_null(opts);
    assert_ok(tc_options_defaults(b->options, opts, &err));
    return opts;
}

static char *scratch(void)
{
    char *path = tc_strdup("bandit_snapshot_XXXXXX");
    assert_non_null(path);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(unlink(path), 0);
    return path;
}

/* Stops a study at its n-th pause. */
typedef struct stopper {
    uint64_t pauses, stop_at, pulls;
} stopper;

static bool go_on(void *user, uint64_t pulls)
{
    stopper *s = user;
    assert_true(pulls >= s->pulls);
    s->pulls = pulls;
    return ++s->pauses != s->stop_at;
}

static tc_bandit_simulation study_of(const tc_bandit *b, const void *opts)
{
    return (tc_bandit_simulation){.bandit = b,
                                  .opts = opts,
                                  .rewards = &hills,
                                  .clients = CLIENTS,
                                  .budget = BUDGET,
                                  .seed = 5,
                                  .points = POINTS};
}

static void assert_same(const tc_bandit_result *a, const tc_bandit_result *b)
{
    for (size_t i = 0; i < CLIENTS * POINTS; i++)
        assert_same_bits(a->regret[i], b->regret[i]);
    for (size_t i = 0; i < POINTS; i++)
        assert_same_bits(a->mean[i], b->mean[i]);
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->last_round_at, b->last_round_at);
    assert_int_equal(a->numbers_up, b->numbers_up);
    assert_int_equal(a->numbers_down, b->numbers_down);
}

/* Killed at its n-th pause after it began, again and again, until it is finished. True: it was
 * killed at least once. */
static bool killed_and_finished(tc_bandit_simulation s, uint64_t n, tc_pool *pool,
                                tc_bandit_result *out)
{
    tacit_error err = {0};
    for (uint64_t kills = 0;; kills++) {
        stopper stop = {.stop_at = n};
        s.progress = go_on;
        s.user = &stop;
        s.pool = kills % 2 ? pool : NULL;
        tacit_status status = tc_bandit_simulate(&s, out, &err);
        if (status == TACIT_OK) {
            assert_true(kills == 0 || out->pulls < CLIENTS * BUDGET);
            return kills > 0;
        }
        assert_int_equal(status, TACIT_E_CANCELLED);
        assert_string_equal(err.msg, "the simulation was interrupted");
        assert_true(kills < 1000);
    }
}

static void check_bandit(const tc_bandit *b, tc_pool *pool)
{
    tacit_error err = {0};
    void *opts = defaults(b);
    char *path = scratch();
    tc_bandit_simulation s = study_of(b, opts);
    tc_bandit_result calm = {0};
    assert_ok(tc_bandit_simulate(&s, &calm, &err));
    assert_int_equal(calm.pulls, CLIENTS * BUDGET);
    tc_bandit_snapshots keep = {.file = path, .identity = "this one"};
    s.keep = &keep;
    s.slice = 1500;
    bool killed = false;
    for (uint64_t n = 1; n <= 9; n += 4) {
        tc_bandit_result r = {0};
        killed |= killed_and_finished(s, n, pool, &r);
        assert_same(&calm, &r);
        tc_bandit_result_fini(&r);
        tc_snapshot_remove(path);
    }
    assert_true(killed);
    tc_bandit_result_fini(&calm);
    tc_free(path);
    tc_free(opts);
}

static void test_killed_at_every_pause(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_pool *pool = NULL;
    size_t kept = 0;
    assert_ok(tc_pool_new(&pool, 3, &err));
    for (size_t i = 0; tc_bandits()[i]; i++)
        if (tc_bandits()[i]->save) {
            check_bandit(tc_bandits()[i], pool);
            kept++;
        }
    assert_true(kept >= 6);
    tc_pool_free(pool);
}

/* Pauses change nothing, however long they are. */
static void test_slices_change_no_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (size_t i = 0; tc_bandits()[i]; i++) {
        void *opts = defaults(tc_bandits()[i]);
        tc_bandit_simulation s = study_of(tc_bandits()[i], opts);
        tc_bandit_result calm = {0}, sliced = {0};
        stopper never = {0};
        assert_ok(tc_bandit_simulate(&s, &calm, &err));
        s.progress = go_on;
        s.user = &never;
        s.slice = 1;
        assert_ok(tc_bandit_simulate(&s, &sliced, &err));
        assert_true(never.pauses > 10);
        assert_same(&calm, &sliced);
        tc_bandit_result_fini(&calm);
        tc_bandit_result_fini(&sliced);
        tc_free(opts);
    }
}

/* ---- what is not a snapshot of this study ---- */

static void stop_early(tc_bandit_simulation s)
{
    tacit_error err = {0};
    stopper stop = {.stop_at = 2};
    tc_bandit_result r = {0};
    s.progress = go_on;
    s.user = &stop;
    assert_fails(tc_bandit_simulate(&s, &r, &err), TACIT_E_CANCELLED, "interrupted");
}

/* Every number of a snapshot in turn becomes another one: the study goes on as it can, or says in one
 * sentence that it cannot; it never falls over. */
static void disturb(tc_bandit_simulation s, int64_t by)
{
    tacit_error err = {0};
    tc_numbers whole = {0};
    uint64_t refused = 0;
    assert_ok(tc_snapshot_read(s.keep->file, s.keep->identity, &whole, &err));
    for (size_t i = 0; i < whole.n; i += 1 + whole.n / 12) {
        int64_t was = whole.v[i];
        tc_bandit_result r = {0};
        whole.v[i] = by ? was + by : INT64_MAX;
        assert_ok(tc_snapshot_write(s.keep->file, s.keep->identity, &whole, &err));
        tacit_status status = tc_bandit_simulate(&s, &r, &err);
        assert_true(status == TACIT_OK || (status == TACIT_E_CORRUPT && err.msg[0]) ||
                    status == TACIT_E_INTERNAL || status == TACIT_E_ARG);
        refused += status == TACIT_E_CORRUPT;
        tc_bandit_result_fini(&r);
        whole.v[i] = was;
    }
    assert_true(by || refused > 3);
    assert_ok(tc_snapshot_write(s.keep->file, s.keep->identity, &whole, &err));
    tc_numbers_fini(&whole);
}

static void test_disturbed_snapshots(void **state)
{
    (void)state;
    for (size_t i = 0; tc_bandits()[i]; i++) {
        const tc_bandit *b = tc_bandits()[i];
        void *opts = defaults(b);
        char *path = scratch();
        tc_bandit_snapshots keep = {.file = path, .identity = "this one"};
        tc_bandit_simulation s = study_of(b, opts);
        s.keep = &keep;
        s.slice = 900;
        s.budget = 600;
        if (b->save) {
            stop_early(s);
            keep.every_s = 1000; /* what is disturbed stays as it is */
            disturb(s, 0);
            disturb(s, 1);
            tc_snapshot_remove(path);
        }
        tc_free(path);
        tc_free(opts);
    }
}

static void test_of_another_study(void **state)
{
    (void)state;
    tacit_error err = {0};
    void *opts = defaults(&tc_bandit_hct);
    char *path = scratch();
    tc_bandit_snapshots keep = {.file = path, .identity = "this one"};
    tc_bandit_simulation s = study_of(&tc_bandit_hct, opts);
    tc_bandit_result r = {0};
    s.keep = &keep;
    s.slice = 700;
    stop_early(s);
    keep.identity = "another one";
    assert_fails(tc_bandit_simulate(&s, &r, &err), TACIT_E_STATE,
                 "is the snapshot of another simulation");
    keep.identity = "this one";
    s.points++;
    assert_fails(tc_bandit_simulate(&s, &r, &err), TACIT_E_CORRUPT, "is not one of this run");
    keep.file = "no/such/folder/file";
    keep.every_s = 0;
    assert_fails(tc_bandit_simulate(&s, &r, &err), TACIT_E_NOT_FOUND,
                 "cannot write \"no/such/folder/file\": no such file or folder");
    tc_snapshot_remove(path);
    tc_free(path);
    tc_free(opts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_at_every_pause),
        cmocka_unit_test(test_slices_change_no_bits),
        cmocka_unit_test(test_disturbed_snapshots),
        cmocka_unit_test(test_of_another_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
