/* reclaim_test.c - a trial of a dead worker passes to one other worker, however many want it. */
#include "study/study.h"

#include "base/json.h"
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char text[] = "{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 5,"
                           " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2}},"
                           " \"algorithm\": \"random\"}";

enum { LEASE_MS = 3600 * 1000 };

static tc_study *make_study(tc_store *store)
{
    tacit_error err = {0};
    json_t *json = NULL;
    tc_study_doc *doc = NULL;
    tc_study *s = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "test", &json, &err));
    assert_ok(tc_study_doc_from_json(&doc, json, NULL, &err));
    assert_ok(tc_study_create(&s, store, doc, NULL, &err));
    tc_study_doc_free(doc);
    json_decref(json);
    return s;
}

static tc_trial look_at(tc_study *s, uint64_t trial)
{
    tacit_error err = {0};
    const tc_optimizer *o = NULL;
    assert_ok(tc_study_look(s, &o, &err));
    tc_trial t = *tc_optimizer_trial(o, trial);
    tc_study_unlook(s);
    return t;
}

/* The lease outlasts the test: a trial whose lease has ended would be handed out again in place of a
 * new one, and how soon it ends would be a matter of the machine. */
static uint64_t ask(tc_study *s, const char *worker, double *x)
{
    tacit_error err = {0};
    uint64_t trial = 0;
    assert_ok(tc_study_ask(s, worker, LEASE_MS, &trial, x, &err));
    return trial;
}

static void a_trial_passes_to_another_worker(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store = NULL;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_study *s = make_study(store);
    double x, next;
    assert_int_equal(ask(s, "dead", &x), 0);
    assert_ok(
        tc_study_reclaim(s, 0, &(tc_claim){.from = "dead", .to = "alive", .lease_ms = 7000}, &err));
    tc_trial t = look_at(s, 0);
    assert_int_equal(t.state, TC_TRIAL_RUNNING);
    assert_string_equal(t.worker, "alive");
    assert_int_equal(t.lease_ms, 7000);
    assert_true(t.values[0] == x);
    assert_int_equal(ask(s, "other", &next), 1); /* it was not free for anybody else */
    assert_ok(tc_study_tell(s, 0, NULL, 1.5, &err));
    assert_int_equal(look_at(s, 0).state, TC_TRIAL_COMPLETE);
    tc_study_close(s);
    tc_store_close(store);
}

static void refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store = NULL;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_study *s = make_study(store);
    const tc_claim claim = {.from = "dead", .to = "alive"};
    double x;
    assert_fails(tc_study_reclaim(s, 0, &claim, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 0; this study has 0");
    ask(s, NULL, &x);
    assert_fails(tc_study_reclaim(s, 0, &claim, &err), TACIT_E_STATE,
                 "trial 0 is run by somebody without a name, not by dead");
    ask(s, "dead", &x);
    assert_ok(tc_study_reclaim(s, 1, &claim, &err));
    assert_fails(tc_study_reclaim(s, 1, &claim, &err), TACIT_E_STATE,
                 "trial 1 is run by alive, not by dead");
    assert_ok(tc_study_fail(s, 1, "no power", &err));
    assert_fails(tc_study_reclaim(s, 1, &claim, &err), TACIT_E_STATE,
                 "trial 1 is not running, it is FAIL");
    tc_study_close(s);
    tc_store_close(store);
}

/* ---- many at once, each with a connection of its own */

enum { TRIALS = 20, CLAIMANTS = 4 };

typedef struct claimant {
    pthread_t thread;
    const char *url, *name;
    size_t won, lost;
} claimant;

static void *claim_all(void *user)
{
    claimant *c = user;
    tc_store *store = NULL;
    tc_study *s = NULL;
    if (tc_store_open(&store, c->url, false, NULL) != TACIT_OK ||
        tc_study_open(&s, store, "s", NULL, NULL) != TACIT_OK)
        return NULL;
    for (uint64_t i = 0; i < TRIALS; i++) {
        tacit_status status =
            tc_study_reclaim(s, i, &(tc_claim){.from = "dead", .to = c->name}, NULL);
        c->won += status == TACIT_OK;
        c->lost += status == TACIT_E_STATE;
    }
    tc_study_close(s);
    tc_store_close(store);
    return NULL;
}

static void claim_together(const char *url, claimant *all)
{
    static const char *const names[CLAIMANTS] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < CLAIMANTS; i++) {
        all[i] = (claimant){.url = url, .name = names[i]};
        assert_int_equal(pthread_create(&all[i].thread, NULL, claim_all, &all[i]), 0);
    }
    for (size_t i = 0; i < CLAIMANTS; i++)
        pthread_join(all[i].thread, NULL);
}

static void one_of_many_wins(void **state)
{
    (void)state;
    tacit_error err = {0};
    char folder[] = "/tmp/tacit-reclaim-XXXXXX", url[80];
    assert_non_null(mkdtemp(folder));
    snprintf(url, sizeof url, "sqlite:///%s/s.db", folder);
    tc_store *store = NULL;
    assert_ok(tc_store_open(&store, url, true, &err));
    tc_study *s = make_study(store);
    double x;
    for (size_t i = 0; i < TRIALS; i++)
        ask(s, "dead", &x);
    claimant all[CLAIMANTS];
    claim_together(url, all);
    size_t won = 0, lost = 0;
    for (size_t i = 0; i < CLAIMANTS; i++) {
        won += all[i].won;
        lost += all[i].lost;
    }
    assert_int_equal(won, TRIALS);
    assert_int_equal(lost, TRIALS * (CLAIMANTS - 1));
    for (uint64_t i = 0; i < TRIALS; i++)
        assert_string_not_equal(look_at(s, i).worker, "dead");
    tc_study_close(s);
    tc_store_close(store);
    static const char *const files[] = {"s.db", "s.db-wal", "s.db-shm"};
    for (size_t i = 0; i < 3; i++) {
        char path[96];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_passes_to_another_worker),
        cmocka_unit_test(refusals),
        cmocka_unit_test(one_of_many_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
