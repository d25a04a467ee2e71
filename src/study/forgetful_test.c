/* forgetful_test.c - a server that crashes at every point and forgets what was not on disk, under processes
 * that live on (support/lazy_store.h): as `tacit optimize` in two processes on one database.
 *
 * Whatever is lost, what was acknowledged is there, each value stands at the point that it was measured at,
 * no two workers have the same trial, and the study can be read. */
#include "support/lazy_store.h"
#include "support/test.h"

#include "base/json.h"
#include "study/study_int.h"

#include <stdio.h>

enum { PROCESSES = 2, WORKERS = 2, TRIALS = 9, TURNS_MOST = 4000, LEASE_MS = 4000 };

/* With fits, so that not only asks are forgotten. */
static const char document[] =
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 9, \"seed\": 5,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2}},"
    " \"algorithm\": {\"name\": \"gp-ucb\", \"init\": 3}}";

static double objective(double x)
{
    return x * x - 0.3 * x;
}

typedef struct worker {
    bool busy;
    uint64_t trial;
    double x;
    int late; /* turns that it still takes */
} worker;

typedef struct play {
    lazy_store *store;
    tc_study *studies[PROCESSES];
    worker workers[PROCESSES][WORKERS];
    int64_t now_ms;
    size_t told;
    double values[TRIALS]; /* acknowledged */
    bool known[TRIALS];
} play;

static int64_t now(void *user)
{
    return ((play *)user)->now_ms;
}

static void open_studies(play *p)
{
    tacit_error err = {0};
    json_t *j;
    tc_study_doc *doc;
    assert_ok(tc_json_parse(document, strlen(document), "d", &j, &err));
    assert_ok(tc_study_doc_from_json(&doc, j, NULL, &err));
    json_decref(j);
    for (size_t i = 0; i < PROCESSES; i++) {
        assert_ok(tc_study_create(&p->studies[i], lazy_store_of(p->store), doc, NULL, &err));
        tc_study_set_clock(p->studies[i], now, p);
    }
    tc_study_doc_free(doc);
}

/* The other process reads what is about to be lost. */
static void look_on(void *user)
{
    play *p = user;
    const tc_optimizer *o;
    uint64_t at = p->store->at;
    p->store->at = 0;
    for (size_t i = 0; i < PROCESSES; i++)
        if (pthread_mutex_trylock(&p->studies[i]->lock) == 0) {
            pthread_mutex_unlock(&p->studies[i]->lock);
            if (tc_study_look(p->studies[i], &o, NULL) == TACIT_OK)
                tc_study_unlook(p->studies[i]);
        }
    p->store->at = at;
}

static void begin(play *p)
{
    *p = (play){.store = lazy_new(), .now_ms = 1000};
    assert_non_null(p->store);
    open_studies(p);
    p->store->meanwhile = look_on;
    p->store->user = p;
}

static void end(play *p)
{
    for (size_t i = 0; i < PROCESSES; i++)
        tc_study_close(p->studies[i]);
    tc_store_close(lazy_store_of(p->store));
}

/* Does somebody else run it, whose lease is not over? The lease is over only where the clock says so. */
static void assert_alone(const play *p, const worker *mine)
{
    for (size_t i = 0; i < PROCESSES * WORKERS; i++) {
        const worker *w = &p->workers[i / WORKERS][i % WORKERS];
        assert_false(w != mine && w->busy && w->trial == mine->trial);
    }
}

/* One that the journal has as running and that nobody runs: the answer was lost. Its worker takes it again. */
static bool find_orphan(play *p, size_t process, worker *w)
{
    const tc_optimizer *o;
    bool found = false;
    if (tc_study_look(p->studies[process], &o, NULL) != TACIT_OK)
        return false;
    for (uint64_t t = 0; !found && t < tc_optimizer_trials(o); t++) {
        const tc_trial *trial = tc_optimizer_trial(o, t);
        found = trial->state == TC_TRIAL_RUNNING;
        for (size_t i = 0; found && i < PROCESSES * WORKERS; i++)
            found = !(p->workers[i / WORKERS][i % WORKERS].busy &&
                      p->workers[i / WORKERS][i % WORKERS].trial == t);
        if (found)
            *w = (worker){.trial = t, .x = trial->values[0]};
    }
    tc_study_unlook(p->studies[process]);
    return found;
}

static bool is_transient(tacit_status status)
{
    return status == TACIT_E_IO || status == TACIT_E_BUSY;
}

static void ask(play *p, size_t process, worker *w)
{
    tacit_error err = {0};
    const tc_ask_request req = {.lease_ms = LEASE_MS, .pulls = 1, .planned = TRIALS};
    tc_handed t;
    tacit_status status = tc_study_ask_batch(p->studies[process], &req, NULL, &t, &w->x, &err);
    if (status == TACIT_E_BUDGET ? !find_orphan(p, process, w) : is_transient(status))
        return;
    if (status != TACIT_E_BUDGET)
        assert_ok(status);
    if (status == TACIT_OK)
        w->trial = t.trial;
    assert_alone(p, w);
    w->busy = true;
    w->late = (int)(w->trial % 3);
}

/* Acknowledged, now or by an earlier call whose answer was lost. */
static bool is_told(play *p, size_t process, const worker *w)
{
    tacit_error err = {0};
    tc_arena memory = {0};
    tc_event told;
    bool found =
        tc_study_find_tell(p->studies[process], w->trial, &memory, &told, &err) == TACIT_OK;
    if (found)
        assert_same_bits(told.value, objective(w->x));
    tc_arena_fini(&memory);
    return found;
}

static void tell(play *p, size_t process, worker *w)
{
    tacit_error err = {0};
    tacit_status status = tc_study_tell(p->studies[process], w->trial, NULL, objective(w->x), &err);
    if (is_transient(status) || (status == TACIT_E_STATE && !is_told(p, process, w)))
        return; /* it tries again */
    if (status != TACIT_E_STATE)
        assert_ok(status);
    assert_true(w->trial < TRIALS);
    p->told += !p->known[w->trial];
    p->known[w->trial] = true;
    p->values[w->trial] = objective(w->x);
    w->busy = false;
}

/* A value may be told through the other process, too. */
static void turn(play *p, int t)
{
    size_t process = (size_t)t % PROCESSES;
    worker *w = &p->workers[process][(size_t)t / PROCESSES % WORKERS];
    p->now_ms += 10;
    if (!w->busy)
        ask(p, process, w);
    else if (w->late-- <= 0)
        tell(p, t % 5 == 0 ? 1 - process : process, w);
}

/* As whoever opens it next finds it. */
static void check_end(play *p)
{
    tacit_error err = {0};
    tc_study *fresh;
    const tc_optimizer *o;
    lazy_crash(p->store);
    assert_ok(tc_study_open(&fresh, lazy_store_of(p->store), "s", NULL, &err));
    assert_ok(tc_study_look(fresh, &o, &err));
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_COMPLETE), TRIALS);
    for (uint64_t t = 0; t < TRIALS; t++) {
        const tc_trial *trial = tc_optimizer_trial(o, t);
        assert_same_bits(trial->value, objective(trial->values[0]));
        assert_same_bits(trial->value, p->values[t]);
    }
    tc_study_unlook(fresh);
    tc_study_close(fresh);
}

static void run(play *p)
{
    int t = 0;
    for (; p->told < TRIALS && t < TURNS_MOST; t++)
        turn(p, t);
    if (p->told < TRIALS)
        fail_msg("%zu of %d trials are told after %d turns", p->told, TRIALS, t);
    p->store->at = 0;
    check_end(p);
}

static uint64_t count_points(void)
{
    play p;
    begin(&p);
    run(&p);
    uint64_t points = p.store->points;
    end(&p);
    return points;
}

static uint64_t play_with(const lazy_crashes *c)
{
    play p;
    begin(&p);
    lazy_set(p.store, c);
    run(&p);
    assert_true(p.store->crashes > 0);
    uint64_t forgotten = p.store->forgotten;
    end(&p);
    return forgotten;
}

static void every_point(uint64_t period)
{
    uint64_t points = count_points();
    assert_true(points > 50);
    assert_true(lazy_every_point(1, points, period, play_with) > points / 4); /* really forgetful */
}

static void one_crash_at_every_point(void **state)
{
    (void)state;
    every_point(0);
}

static void crashes_in_a_row_at_every_point(void **state)
{
    (void)state;
    every_point(13);
    every_point(23);
}

/* ---- by hand ---- */

/* The store is below what a process has in memory, and has other events of the same number. */
static void a_tell_waits_for_its_ask(void **state)
{
    (void)state;
    play p;
    tacit_error err = {0};
    uint64_t a, b;
    double x, y;
    begin(&p);
    assert_ok(tc_study_ask(p.studies[0], NULL, 0, &a, &x, &err));
    uint64_t folds = p.studies[0]->folds;
    /* An ask that is not confirmed: in the memory of process 0, and lost. */
    p.store->at = p.store->points + 4; /* scan, append, within it, confirm */
    p.store->fails = true;
    assert_fails(tc_study_ask(p.studies[0], NULL, 0, &b, &y, &err), TACIT_E_IO, "gone");
    p.store->fails = false;
    lazy_crash(p.store);
    assert_ok(
        tc_study_ask(p.studies[1], "other", 0, &b, &y, &err)); /* the number is given to another */
    assert_int_equal(b, 1);
    assert_ok(tc_study_tell(p.studies[0], a, NULL, objective(x), &err));
    assert_ok(tc_study_tell(p.studies[0], b, NULL, objective(y), &err));
    assert_true(p.studies[0]->folds > folds);
    assert_fails(tc_study_tell(p.studies[0], 7, NULL, 1, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 7");
    end(&p);
}

/* The last one that a process has seen is gone, and the journal is as long as before. */
static void other_events_of_the_same_number_are_noticed(void **state)
{
    (void)state;
    play p;
    tacit_error err = {0};
    const tc_optimizer *o;
    uint64_t trial;
    double x, y;
    begin(&p);
    assert_ok(tc_study_ask(p.studies[0], "mine", 0, &trial, &x, &err));
    p.store->safe = 0; /* a replica that lagged behind: what was on disk is gone, too */
    lazy_crash(p.store);
    assert_ok(tc_study_enqueue(p.studies[1], &(double){1.5}, &trial, &err));
    assert_int_equal(trial, 0);
    assert_ok(tc_study_look(p.studies[0], &o, &err));
    assert_int_equal(tc_optimizer_trials(o), 1);
    assert_same_bits(tc_optimizer_trial(o, 0)->values[0], 1.5);
    tc_study_unlook(p.studies[0]);
    assert_ok(tc_study_ask(p.studies[0], "mine", 0, &trial, &y, &err));
    assert_same_bits(y, 1.5);
    end(&p);
}

/* What a process has seen told, and is lost, is no reason to refuse it. */
static void a_lost_tell_is_told_again(void **state)
{
    (void)state;
    play p;
    tacit_error err = {0};
    const tc_optimizer *o;
    uint64_t trial;
    double x;
    begin(&p);
    assert_ok(tc_study_ask(p.studies[0], NULL, 0, &trial, &x, &err));
    size_t safe = p.store->safe;
    assert_ok(tc_study_tell(p.studies[0], trial, NULL, objective(x), &err));
    assert_ok(tc_study_look(p.studies[1], &o, &err));
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_COMPLETE), 1);
    tc_study_unlook(p.studies[1]);
    p.store->safe = safe; /* the sync had not come yet */
    lazy_crash(p.store);
    assert_ok(tc_study_tell(p.studies[1], trial, NULL, objective(x), &err));
    end(&p);
}

/* A store that refuses without a reason is no reason to ask for ever. */
static void no_loop_is_endless(void **state)
{
    (void)state;
    play p;
    tacit_error err = {0};
    uint64_t trial;
    double x = 0;
    int64_t until;
    begin(&p);
    assert_ok(tc_study_ask(p.studies[0], "w", LEASE_MS, &trial, &x, &err));
    p.now_ms += LEASE_MS / 2;
    p.store->refuses = true;
    const char *why = "the storage refuses what comes after event 1";
    assert_fails(tc_study_ask(p.studies[0], NULL, 0, &trial, &x, &err), TACIT_E_BUSY, why);
    assert_fails(tc_study_tell(p.studies[0], 0, NULL, 1, &err), TACIT_E_BUSY, why);
    assert_fails(tc_study_enqueue(p.studies[0], &x, &trial, &err), TACIT_E_BUSY, why);
    assert_fails(tc_study_import(p.studies[0], 1, &x, &x, &err), TACIT_E_BUSY, why);
    assert_fails(tc_study_requeue(p.studies[0], 0, &err), TACIT_E_BUSY, why);
    assert_fails(tc_study_extend(p.studies[0], 0, "w", LEASE_MS, &until, &err), TACIT_E_BUSY, why);
    assert_fails(tc_study_reclaim(p.studies[0], 0, &(tc_claim){.from = "w", .to = "v"}, &err),
                 TACIT_E_BUSY, why);
    end(&p);
}

/* ---- an event that is lost before it is read back ---- */

static play *lost;
static bool armed, replaced;

/* Just before the ask of process 0, process 1 tells a trial; just after it, the server crashes; and then process 1 asks,
 * or nobody does. */
static tacit_status lose_the_ask(tc_store *t, const tc_append *a, tc_event_id *end,
                                 tacit_error *why)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    if (!armed || a->events[0].kind != TC_EVENT_ASK)
        return lazy_append(t, a, end, why);
    armed = false;
    assert_ok(tc_study_tell(lost->studies[1], 0, NULL, 1, &err));
    assert_ok(lazy_append(t, a, end, &err));
    lazy_crash(lost->store);
    if (replaced) {
        assert_ok(tc_study_ask(lost->studies[1], "other", 0, &trial, &x, &err));
        assert_int_equal(trial, 1);
    }
    return TACIT_OK;
}

static void an_ask_that_is_lost_before_it_is_read_back_is_made_again(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        tacit_error err = {0};
        play p;
        uint64_t trial;
        double x;
        begin(&p);
        lost = &p;
        assert_ok(tc_study_ask(p.studies[0], "one", 0, &trial, &x, &err));
        p.store->ops.append = lose_the_ask;
        armed = true;
        replaced = other;
        assert_ok(tc_study_ask(p.studies[0], "one", 0, &trial, &x, &err));
        assert_false(armed);
        assert_int_equal(trial, 1 + other);
        assert_int_equal(p.store->forgotten, 1);
        end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_that_is_lost_before_it_is_read_back_is_made_again),
        cmocka_unit_test(one_crash_at_every_point),
        cmocka_unit_test(crashes_in_a_row_at_every_point),
        cmocka_unit_test(a_tell_waits_for_its_ask),
        cmocka_unit_test(other_events_of_the_same_number_are_noticed),
        cmocka_unit_test(a_lost_tell_is_told_again),
        cmocka_unit_test(no_loop_is_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
