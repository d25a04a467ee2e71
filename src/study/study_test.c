/* study_test.c - studies: asking, telling, reopening, being killed, and the public interface.
 *
 * The claim under all of it: trials are the same, bit for bit, whoever ran them, in how many
 * pieces, and whichever store kept them. */
#include "support/store_folder.h"

#include "study/study.h"

#include "base/json.h"
#include "base/memory.h"

#include <tacit/study.h>

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char plain[] =
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 40, \"seed\": 5,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2},"
    "             \"n\": {\"type\": \"int\", \"low\": 1, \"high\": 9},"
    "             \"c\": {\"type\": \"choice\", \"choices\": [\"red\", \"green\"]}},"
    " \"algorithm\": {\"name\": \"random\"}}";

enum { WIDTH = 3 };

static tc_study_doc *read_doc(const char *text)
{
    json_t *json = NULL;
    tc_study_doc *doc = NULL;
    tacit_error err = {0};
    if (tc_json_parse(text, strlen(text), "test", &json, &err) != TACIT_OK ||
        tc_study_doc_from_json(&doc, json, NULL, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    json_decref(json);
    return doc;
}

static tc_store *open_store(const char *where)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    if (tc_store_open(&s, where, true, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    return s;
}

static tc_study *open_study(tc_store *store, const char *text)
{
    tc_study_doc *doc = read_doc(text);
    tc_study *s = NULL;
    tacit_error err = {0};
    if (tc_study_create(&s, store, doc, NULL, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    tc_study_doc_free(doc);
    return s;
}

static double objective(const double *v)
{
    return (v[0] - 0.3) * (v[0] - 0.3) + 0.1 * v[1] + v[2] / 3;
}

/* Trials run from 0 to n - 1, each told in its turn. */
static void run_trials(tc_study *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t trial;
        double v[WIDTH];
        tacit_error err = {0};
        if (tc_study_ask(s, "w", 0, &trial, v, &err) != TACIT_OK ||
            tc_study_tell(s, trial, NULL, objective(v), &err) != TACIT_OK)
            fail_msg("%s", err.msg);
    }
}

static const tc_optimizer *look(tc_study *s)
{
    const tc_optimizer *o = NULL;
    tacit_error err = {0};
    if (tc_study_look(s, &o, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    return o;
}

/* Everything but clock and worker must agree to the last bit. */
static void check_same(tc_study *a, tc_study *b)
{
    const tc_optimizer *oa = look(a), *ob = look(b);
    assert_int_equal(tc_optimizer_trials(oa), tc_optimizer_trials(ob));
    for (size_t i = 0; i < tc_optimizer_trials(oa); i++) {
        const tc_trial *ta = tc_optimizer_trial(oa, i), *tb = tc_optimizer_trial(ob, i);
        assert_int_equal(ta->state, tb->state);
        assert_memory_equal(ta->values, tb->values, WIDTH * sizeof(double));
        assert_memory_equal(&ta->value, &tb->value, sizeof(double));
    }
    tc_study_unlook(a);
    tc_study_unlook(b);
}

static size_t count(tc_study *s, tc_trial_state state)
{
    size_t n = tc_optimizer_count(look(s), state);
    tc_study_unlook(s);
    return n;
}

/* ---- one process ---- */

static void reopening_gives_the_same_trials(void **state)
{
    (void)state;
    tc_store *store = open_store(url);
    tc_study *s = open_study(store, plain), *again;
    run_trials(s, 25);
    uint64_t trial;
    double v[WIDTH];
    assert_int_equal(tc_study_ask(s, NULL, 1000, &trial, v, NULL), TACIT_OK);
    assert_int_equal(tc_study_fail(s, trial, "exit status 3", NULL), TACIT_OK);
    assert_int_equal(tc_study_ask(s, "me", 0, &trial, v, NULL), TACIT_OK);

    tc_store *other = open_store(url);
    assert_int_equal(tc_study_open(&again, other, "s", NULL, NULL), TACIT_OK);
    check_same(s, again);
    const tc_optimizer *o = look(again);
    assert_string_equal(tc_optimizer_trial(o, 25)->reason, "exit status 3");
    assert_string_equal(tc_optimizer_trial(o, 26)->worker, "me");
    assert_int_equal(tc_optimizer_trial(o, 25)->lease_ms, 1000);
    tc_study_unlook(again);
    tc_study_close(again);
    tc_store_close(other);
    tc_study_close(s);
    tc_store_close(store);
}

/* Two handles that take turns give what one alone would have. */
static void two_handles_continue_each_other(void **state)
{
    (void)state;
    tc_store *a = open_store(url), *b = open_store(url), *m = open_store("memory:");
    tc_study *sa = open_study(a, plain), *sb = open_study(b, plain), *alone = open_study(m, plain);
    for (int i = 0; i < 10; i++) {
        run_trials(sa, 1);
        run_trials(sb, 2);
    }
    run_trials(alone, 30);
    check_same(sa, alone);
    check_same(sb, alone);
    uint64_t trial; /* asked by one, told by the other */
    double v[WIDTH];
    assert_int_equal(tc_study_ask(sa, NULL, 0, &trial, v, NULL), TACIT_OK);
    assert_int_equal(trial, 30);
    assert_int_equal(tc_study_tell(sb, trial, NULL, 1.5, NULL), TACIT_OK);
    assert_int_equal(count(sa, TC_TRIAL_COMPLETE), 31);
    tc_study_close(sa);
    tc_study_close(sb);
    tc_study_close(alone);
    tc_store_close(a);
    tc_store_close(b);
    tc_store_close(m);
}

/* The noise of a report is in the journal, and there for whoever opens the study later. */
static void noise_is_told_with_its_value(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store = open_store("memory:");
    tc_study *s = open_study(store, plain), *again = NULL;
    uint64_t trial;
    double v[WIDTH];
    run_trials(s, 1);
    assert_ok(tc_study_ask(s, "w", 0, &trial, v, &err));
    assert_fails(tc_study_tell_noisy(s, trial, NULL, 2, -1, &err), TACIT_E_ARG,
                 "noise_sd must be from 0 to 1e154, got -1");
    assert_fails(tc_study_tell_noisy(s, trial, NULL, 2, NAN, &err), TACIT_E_ARG,
                 "noise_sd must be from 0 to 1e154, got nan");
    assert_ok(tc_study_tell_noisy(s, trial, NULL, 2, 0.1, &err));
    again = open_study(store, plain);
    const tc_optimizer *o;
    assert_ok(tc_study_look(again, &o, &err));
    assert_true(tc_optimizer_trial(o, 0)->noise_sd == 0);
    assert_same_bits(tc_optimizer_trial(o, 1)->noise_sd, 0.1);
    tc_study_unlook(again);
    tc_arena a = {0};
    tc_event told;
    assert_ok(tc_study_find_tell(again, 1, &a, &told, &err));
    assert_same_bits(told.noise_sd, 0.1);
    tc_arena_fini(&a);
    tc_study_close(again);
    tc_study_close(s);
    tc_store_close(store);
}

static void bad_reports_are_refused(void **state)
{
    (void)state;
    tc_store *a = open_store(url), *b = open_store(url);
    tc_study *s = open_study(a, plain), *other = open_study(b, plain);
    tacit_error err = {0};
    uint64_t trial;
    double v[WIDTH], outside[WIDTH] = {5, 1, 0}, inside[WIDTH] = {0.25, 4, 1};
    assert_int_equal(tc_study_tell(s, 0, NULL, 1, &err), TACIT_E_NOT_FOUND);
    assert_int_equal(tc_study_ask(s, NULL, 0, &trial, v, NULL), TACIT_OK);
    assert_int_equal(tc_study_tell(s, 0, NULL, NAN, &err), TACIT_E_ARG);
    assert_int_equal(tc_study_tell(s, 0, outside, 1, &err), TACIT_E_ARG);
    assert_int_equal(tc_study_tell(s, 0, inside, 1, &err), TACIT_OK);
    assert_int_equal(tc_study_tell(s, 0, NULL, 1, &err), TACIT_E_STATE);
    assert_int_equal(tc_study_fail(s, 0, NULL, &err), TACIT_E_STATE);
    const tc_optimizer *o = look(other);
    assert_memory_equal(tc_optimizer_trial(o, 0)->values, inside, sizeof inside);
    tc_study_unlook(other);

    /* `other` does not know yet that s has told trial 1: the store does. */
    assert_int_equal(tc_study_ask(other, NULL, 0, &trial, v, NULL), TACIT_OK);
    assert_int_equal(tc_study_tell(s, trial, NULL, 2, &err), TACIT_OK);
    assert_int_equal(tc_study_fail(other, trial, "late", &err), TACIT_E_STATE);
    assert_string_equal(err.msg, "trial 1 has been told already");
    tc_study_close(s);
    tc_study_close(other);
    tc_store_close(a);
    tc_store_close(b);
}

static void a_study_is_created_once_and_may_grow(void **state)
{
    (void)state;
    tc_store *store = open_store(url);
    tc_study *s = open_study(store, plain), *again = NULL;
    tacit_error err = {0};
    run_trials(s, 3);
    char text[sizeof plain];
    memcpy(text, plain, sizeof plain);
    memcpy(strstr(text, "40"), "90", 2);
    again = open_study(store, text);
    assert_int_equal(tc_study_document(again)->trials, 90);
    assert_int_equal(count(again, TC_TRIAL_COMPLETE), 3);
    tc_study_close(again);
    again = NULL;
    memcpy(strstr(text, "min"), "max", 3);
    tc_study_doc *other = read_doc(text);
    assert_int_equal(tc_study_create(&again, store, other, NULL, &err), TACIT_E_STATE);
    assert_non_null(strstr(err.msg, "direction"));
    assert_null(again);
    tc_study_doc_free(other);
    assert_int_equal(tc_study_open(&again, store, "t", NULL, &err), TACIT_E_NOT_FOUND);
    assert_string_equal(tc_study_document(s)->name, "s");
    tc_study_close(s);
    tc_store_close(store);
    tc_study_close(NULL);
}

static void studies_without_a_seed_differ(void **state)
{
    (void)state;
    char text[sizeof plain];
    memcpy(text, plain, sizeof plain);
    char *seed = strstr(text, ", \"seed\": 5");
    memset(seed, ' ', strlen(", \"seed\": 5"));
    double v[2][WIDTH];
    for (int i = 0; i < 2; i++) {
        tc_store *store = open_store("memory:");
        tc_study *s = open_study(store, text);
        uint64_t trial;
        assert_int_equal(tc_study_ask(s, NULL, 0, &trial, v[i], NULL), TACIT_OK);
        tc_study_close(s);
        tc_store_close(store);
    }
    assert_true(v[0][0] != v[1][0]);
}

static void enqueued_points_come_first(void **state)
{
    (void)state;
    tc_store *store = open_store(url);
    tc_study *s = open_study(store, plain);
    tacit_error err = {0};
    double mine[WIDTH] = {0.125, 7, 1}, bad[WIDTH] = {0.125, 7.5, 1}, v[WIDTH];
    uint64_t trial = 9;
    assert_int_equal(tc_study_enqueue(s, bad, &trial, &err), TACIT_E_ARG);
    assert_int_equal(tc_study_enqueue(s, mine, &trial, NULL), TACIT_OK);
    assert_int_equal(trial, 0);
    assert_int_equal(count(s, TC_TRIAL_WAITING), 1);
    assert_int_equal(tc_study_ask(s, NULL, 0, &trial, v, NULL), TACIT_OK);
    assert_int_equal(trial, 0);
    assert_memory_equal(v, mine, sizeof v);
    tc_study_close(s);
    tc_store_close(store);
}

/* Six trials, of which trial 2 fails and is deleted before trial 4 is asked for. */
static void run_and_delete(tc_study *s)
{
    tacit_error err = {0};
    for (uint64_t i = 0; i < 6; i++) {
        uint64_t trial;
        double v[WIDTH];
        if (i == 4)
            assert_ok(tc_study_delete_trial(s, 2, &err));
        assert_ok(tc_study_ask(s, NULL, 0, &trial, v, &err));
        assert_int_equal(trial, i);
        if (i == 2)
            assert_ok(tc_study_fail(s, trial, "no power", &err));
        else
            assert_ok(tc_study_tell(s, trial, NULL, objective(v), &err));
    }
}

/* A process that ends without a word after it; another one goes on as one that never stopped. */
static void a_deleted_trial_outlives_its_process(void **state)
{
    (void)state;
    static const char model[] =
        "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 40, \"seed\": 5,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2},"
        "             \"n\": {\"type\": \"int\", \"low\": 1, \"high\": 9},"
        "             \"c\": {\"type\": \"choice\", \"choices\": [\"red\", \"green\"]}},"
        " \"algorithm\": {\"name\": \"gp-ei\", \"init\": 3}}";
    pid_t child = fork();
    if (child == 0) {
        run_and_delete(open_study(open_store(url), model));
        _exit(0);
    }
    int status = -1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    tc_store *kept = open_store(url), *memory = open_store("memory:");
    tc_study *again = open_study(kept, model), *whole = open_study(memory, model);
    run_and_delete(whole);
    assert_int_equal(count(again, TC_TRIAL_DELETED), 1);
    assert_int_equal(count(again, TC_TRIAL_FAIL), 0);
    check_same(again, whole);
    for (uint64_t i = 6; i < 10; i++) {
        tacit_error err = {0};
        uint64_t a, b;
        double v[WIDTH], w[WIDTH];
        assert_ok(tc_study_ask(again, NULL, 0, &a, v, &err));
        assert_ok(tc_study_ask(whole, NULL, 0, &b, w, &err));
        assert_true(a == i && b == i);
        assert_memory_equal(v, w, sizeof v);
        assert_ok(tc_study_tell(again, a, NULL, objective(v), &err));
        assert_ok(tc_study_tell(whole, b, NULL, objective(w), &err));
    }
    tc_study_close(again);
    tc_study_close(whole);
    tc_store_close(kept);
    tc_store_close(memory);
}

static void an_import_is_all_or_none(void **state)
{
    (void)state;
    tc_store *store = open_store(url);
    tc_study *s = open_study(store, plain);
    tacit_error err = {0};
    double points[3 * WIDTH] = {0.1, 1, 0, 0.2, 2, 1, 0.3, 3, 0}, y[3] = {3, 1, 2};
    run_trials(s, 2);
    points[4] = 99;
    assert_int_equal(tc_study_import(s, 3, points, y, &err), TACIT_E_ARG);
    assert_ptr_equal(strstr(err.msg, "row 2: "), err.msg);
    points[4] = 2;
    y[2] = INFINITY;
    assert_int_equal(tc_study_import(s, 3, points, y, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, "row 3: the value must be finite, got inf");
    assert_int_equal(tc_optimizer_trials(look(s)), 2);
    tc_study_unlook(s);
    y[2] = -7;
    assert_int_equal(tc_study_import(s, 3, points, y, &err), TACIT_OK);
    assert_int_equal(tc_study_import(s, 0, NULL, NULL, &err), TACIT_OK);
    const tc_optimizer *o = look(s);
    assert_int_equal(tc_optimizer_count(o, TC_TRIAL_COMPLETE), 5);
    assert_int_equal(tc_optimizer_best(o)->number, 4);
    assert_memory_equal(tc_optimizer_trial(o, 3)->values, points + WIDTH, WIDTH * sizeof(double));
    assert_int_equal(tc_optimizer_trial(o, 3)->asked_ms, 0);
    tc_study_unlook(s);
    run_trials(s, 1);
    tc_study_close(s);
    tc_store_close(store);
}

static void an_expired_lease_is_asked_again(void **state)
{
    (void)state;
    tc_store *store = open_store("memory:");
    tc_study *s = open_study(store, plain);
    uint64_t first, second;
    double v[WIDTH], w[WIDTH];
    assert_int_equal(tc_study_ask(s, "dead", 1, &first, v, NULL), TACIT_OK);
    usleep(5000);
    assert_int_equal(tc_study_ask(s, "alive", 0, &second, w, NULL), TACIT_OK);
    assert_int_equal(first, second);
    assert_memory_equal(v, w, sizeof v);
    assert_int_equal(tc_study_tell(s, second, NULL, 1, NULL), TACIT_OK);
    tc_study_close(s);
    tc_store_close(store);
}

/* A journal that does not fit the document names the event. */
static void a_foreign_event_is_corrupt(void **state)
{
    (void)state;
    tc_store *store = open_store("memory:");
    tc_study *s = open_study(store, plain);
    tc_event_row e = {.kind = TC_EVENT_ASK, .trial = 0, .body = "{\"params\": {\"x\": 0}}"};
    tc_append a = {.study = 1, .head = TC_ANY_HEAD, .events = &e, .n = 1};
    uint64_t head;
    tacit_error err = {0};
    const tc_optimizer *o = NULL;
    assert_int_equal(tc_store_append(store, &a, &head, NULL), TACIT_OK);
    assert_int_equal(tc_study_look(s, &o, &err), TACIT_E_CORRUPT);
    assert_ptr_equal(strstr(err.msg, "study \"s\" is damaged: event 1: "), err.msg);
    assert_non_null(strstr(err.msg, "; `tacit studies --repair s` keeps what can be read"));
    assert_null(o);
    assert_int_equal(tc_study_ask(s, NULL, 0, &head, NULL, NULL), TACIT_E_CORRUPT);
    tc_study_close(s);
    tc_store_close(store);
}

/* ---- threads ---- */

enum { THREADS = 8, EACH = 25 };

typedef struct worker {
    tc_study *study;
    bool ok;
} worker;

static void *work(void *user)
{
    worker *w = user;
    w->ok = true;
    for (int i = 0; i < EACH; i++) {
        uint64_t trial;
        double v[WIDTH];
        w->ok = w->ok && tc_study_ask(w->study, NULL, 0, &trial, v, NULL) == TACIT_OK &&
                tc_study_tell(w->study, trial, NULL, objective(v), NULL) == TACIT_OK;
    }
    return NULL;
}

/* Eight threads on one handle or on two give the trials that one thread would have had. */
static void parallel_workers_match_a_single_one(void **state)
{
    (void)state;
    static const char *const wheres[] = {"memory:", url};
    for (size_t k = 0; k < 2; k++) {
        tc_store *store = open_store(wheres[k]), *m = open_store("memory:");
        tc_study *s = open_study(store, plain), *alone = open_study(m, plain);
        tc_study *second = open_study(store, plain);
        pthread_t threads[THREADS];
        worker workers[THREADS];
        for (int i = 0; i < THREADS; i++) {
            workers[i].study = i % 4 == 3 ? second : s;
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) /* all of them: a failed assertion leaves this frame */
            pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; i++)
            assert_true(workers[i].ok);
        run_trials(alone, THREADS * EACH);
        check_same(s, alone);
        check_same(second, alone);
        tc_study_close(second);
        tc_study_close(s);
        tc_study_close(alone);
        tc_store_close(store);
        tc_store_close(m);
    }
}

/* ---- tells that come while an ask is computed ---- */

/* A store that lets somebody else append just before each ask and each end of a lease. */
typedef struct meddler {
    tc_store base;
    tc_store *inner;
    uint64_t told; /* the next trial to be told by the other one */
    size_t most;   /* of such tells */
    size_t attempts, conflicts;
} meddler;

static tacit_status meddler_append(tc_store *s, const tc_append *a, tc_event_id *end,
                                   tacit_error *err)
{
    meddler *m = (meddler *)s;
    bool leads = a->events[0].kind != TC_EVENT_TELL;
    if (leads && m->most > 0) {
        char body[64];
        snprintf(body, sizeof body, "{\"state\": \"COMPLETE\", \"value\": %g}",
                 (double)(m->told * m->told % 7));
        tc_event_row e = {.kind = TC_EVENT_TELL, .trial = m->told++, .body = body};
        tc_append other = {.study = a->study, .head = TC_ANY_HEAD, .events = &e, .n = 1};
        uint64_t told;
        m->most--;
        assert_int_equal(tc_store_append(m->inner, &other, &told, NULL), TACIT_OK);
    }
    tacit_status status = tc_store_append_id(m->inner, a, end, err);
    m->attempts += leads;
    m->conflicts += status == TACIT_E_CONFLICT;
    return status;
}

static tacit_status meddler_get(tc_store *s, const char *name, tc_study_row *out, tacit_error *err)
{
    return tc_store_study_get(((meddler *)s)->inner, name, out, err);
}

static tacit_status meddler_scan(tc_store *s, int64_t study, tc_event_id after,
                                 tc_event_visit visit, void *user, tacit_error *err)
{
    return tc_store_scan_after(((meddler *)s)->inner, study, after, visit, user, err);
}

static tacit_status meddler_record(tc_store *s, const tc_record *which, tc_record *out,
                                   tacit_error *err)
{
    return tc_store_record_get(((meddler *)s)->inner, which, out, err);
}

static const tc_store_ops meddling = {.append = meddler_append,
                                      .study_get = meddler_get,
                                      .scan = meddler_scan,
                                      .record_get = meddler_record};

static const char modelled[] =
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 40, \"seed\": 5,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 2},"
    "             \"n\": {\"type\": \"int\", \"low\": 1, \"high\": 9},"
    "             \"c\": {\"type\": \"choice\", \"choices\": [\"red\", \"green\"]}},"
    " \"algorithm\": {\"name\": \"gp-ucb\", \"init\": 3}}";

/* The asked trial is the next number each time, and what was lived through is what is read back. */
static void a_tell_does_not_hold_up_an_ask(void **state)
{
    (void)state;
    enum { OPEN = 20 };
    static const char *const wheres[] = {"memory:", url};
    static const char *const documents[] = {plain, modelled};
    for (size_t k = 0; k < 4; k++) {
        clear_folder(NULL);
        meddler m = {.base.ops = &meddling, .inner = open_store(wheres[k % 2])};
        tc_study *first = open_study(m.inner, documents[k / 2]), *s = NULL, *again = NULL;
        uint64_t trial;
        double v[WIDTH];
        for (int i = 0; i < OPEN; i++)
            assert_int_equal(tc_study_ask(first, NULL, 0, &trial, v, NULL), TACIT_OK);
        assert_int_equal(tc_study_open(&s, &m.base, "s", NULL, NULL), TACIT_OK);
        m.most = OPEN;
        for (uint64_t i = OPEN; i < OPEN + 8; i++) {
            assert_int_equal(tc_study_ask(s, NULL, 0, &trial, v, NULL), TACIT_OK);
            assert_int_equal(trial, i);
            assert_memory_equal(tc_optimizer_trial(look(s), i)->values, v, sizeof v);
            tc_study_unlook(s);
        }
        assert_int_equal(m.conflicts, 0);
        assert_true(documents[k / 2] == modelled ? m.attempts > 8 : m.attempts == 8);
        assert_int_equal(tc_study_open(&again, m.inner, "s", NULL, NULL), TACIT_OK);
        check_same(s, again);
        assert_int_equal(count(s, TC_TRIAL_COMPLETE), m.attempts);
        for (int i = 0; i < 2; i++) { /* and both go on alike */
            double w[WIDTH];
            assert_int_equal(tc_study_ask(i ? s : again, NULL, 0, &trial, w, NULL), TACIT_OK);
            check_same(s, again);
        }
        tc_study_close(again);
        tc_study_close(s);
        tc_study_close(first);
        tc_store_close(m.inner);
    }
}

/* A late tell of the very trial that is about to be handed out again, or to lose its lease. */
static void a_tell_of_the_same_trial_does(void **state)
{
    (void)state;
    meddler m = {.base.ops = &meddling, .inner = open_store("memory:")};
    tc_study *first = open_study(m.inner, plain), *s = NULL;
    uint64_t trial;
    double v[WIDTH], mine[WIDTH] = {0.125, 7, 1};
    assert_int_equal(tc_study_ask(first, "late", 1, &trial, v, NULL), TACIT_OK);
    assert_int_equal(tc_study_enqueue(first, mine, &trial, NULL), TACIT_OK);
    usleep(5000);
    assert_int_equal(tc_study_open(&s, &m.base, "s", NULL, NULL), TACIT_OK);
    m.most = 2; /* trial 0 before its lease ends, trial 1 before it is handed out */
    assert_int_equal(tc_study_ask(s, NULL, 0, &trial, v, NULL), TACIT_OK);
    assert_int_equal(trial, 2);
    assert_int_equal(m.conflicts, 2);
    assert_int_equal(m.attempts, 3);
    assert_int_equal(count(first, TC_TRIAL_COMPLETE), 2);
    check_same(s, first);
    tc_study_close(s);
    tc_study_close(first);
    tc_store_close(m.inner);
}

typedef struct teller {
    tc_study *study;
    uint64_t first;
    bool ok;
} teller;

enum { TOLD = 300 };

static void *tell_on(void *user)
{
    teller *t = user;
    t->ok = true;
    for (uint64_t i = 0; i < TOLD; i++)
        t->ok = t->ok && tc_study_tell(t->study, t->first + i, NULL, 1, NULL) == TACIT_OK;
    return NULL;
}

static void asks_go_on_while_others_tell(void **state)
{
    (void)state;
    enum { ASKS = 100 };
    static const char *const wheres[] = {"memory:", url};
    for (size_t k = 0; k < 2; k++) {
        tc_store *store = open_store(wheres[k]);
        tc_study *s = open_study(store, plain), *other = open_study(store, plain), *again;
        pthread_t threads[2];
        teller tellers[2] = {{.study = s}, {.study = other, .first = TOLD}};
        bool ok = true;
        uint64_t trial;
        double v[WIDTH];
        for (int i = 0; i < 2 * TOLD; i++)
            assert_int_equal(tc_study_ask(s, NULL, 0, &trial, v, NULL), TACIT_OK);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, tell_on, &tellers[i]), 0);
        for (uint64_t i = 0; i < ASKS; i++)
            ok = ok && tc_study_ask(i % 2 ? s : other, NULL, 0, &trial, v, NULL) == TACIT_OK &&
                 trial == 2 * TOLD + i;
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        assert_true(ok && tellers[0].ok && tellers[1].ok);
        assert_int_equal(tc_study_open(&again, store, "s", NULL, NULL), TACIT_OK);
        assert_int_equal(count(again, TC_TRIAL_COMPLETE), 2 * TOLD);
        assert_int_equal(count(again, TC_TRIAL_RUNNING), ASKS);
        check_same(s, again);
        check_same(other, again);
        tc_study_close(again);
        tc_study_close(other);
        tc_study_close(s);
        tc_store_close(store);
    }
}

/* ---- kill -9 ---- */

/* The first RUNNING trial, left by a process that died; false if there is none. */
static bool find_running(tc_study *s, uint64_t *trial, double *values)
{
    const tc_optimizer *o = NULL;
    bool found = false;
    if (tc_study_look(s, &o, NULL) != TACIT_OK)
        _exit(1);
    for (size_t i = 0; !found && i < tc_optimizer_trials(o); i++) {
        const tc_trial *t = tc_optimizer_trial(o, i);
        found = t->state == TC_TRIAL_RUNNING;
        if (found) {
            *trial = t->number;
            memcpy(values, t->values, WIDTH * sizeof *values);
        }
    }
    tc_study_unlook(s);
    return found;
}

/* Works until it is killed, and reports each trial once its tell has returned. */
static void work_until_killed(int report)
{
    tc_store *store = open_store(url);
    tc_study *s = open_study(store, plain);
    for (;;) {
        uint64_t trial;
        double v[WIDTH];
        if (!find_running(s, &trial, v) && tc_study_ask(s, "w", 0, &trial, v, NULL) != TACIT_OK)
            _exit(2);
        if (tc_study_tell(s, trial, NULL, objective(v), NULL) != TACIT_OK ||
            write(report, &trial, sizeof trial) != sizeof trial)
            _exit(3);
    }
}

/* What the child reported must be in the file, however it ended. Returns how many. */
static size_t check_reported(int report)
{
    tc_store *store = open_store(url);
    tc_study *s = open_study(store, plain);
    const tc_optimizer *o = look(s);
    uint64_t trial;
    size_t n = 0;
    for (; read(report, &trial, sizeof trial) == sizeof trial; n++) {
        assert_non_null(tc_optimizer_trial(o, trial));
        assert_int_equal(tc_optimizer_trial(o, trial)->state, TC_TRIAL_COMPLETE);
    }
    tc_study_unlook(s);
    tc_study_close(s);
    tc_store_close(store);
    return n;
}

static void a_killed_worker_loses_nothing(void **state)
{
    (void)state;
    size_t reported = 0;
    srand(7);
    for (int round = 0; round < 20; round++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0)
            work_until_killed(ends[1]);
        close(ends[1]);
        if (round % 2) /* kill it at any moment, or once it has told something */
            poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1);
        usleep((useconds_t)(1000 + rand() % 20000));
        int status;
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        reported += check_reported(ends[0]);
        close(ends[0]);
    }
    assert_true(reported >= 10);

    tc_store *store = open_store(url), *m = open_store("memory:");
    tc_study *s = open_study(store, plain), *alone = open_study(m, plain);
    uint64_t trial;
    double v[WIDTH];
    while (find_running(s, &trial, v))
        assert_int_equal(tc_study_tell(s, trial, NULL, objective(v), NULL), TACIT_OK);
    run_trials(alone, count(s, TC_TRIAL_COMPLETE));
    check_same(s, alone);
    tc_study_close(s);
    tc_study_close(alone);
    tc_store_close(store);
    tc_store_close(m);
}

/* ---- the public interface ---- */

static void the_public_interface_works(void **state)
{
    (void)state;
    tacit_study *s = NULL;
    tacit_error err = {0};
    tacit_trial *one;
    uint64_t trial;
    double v[WIDTH], got[WIDTH];
    assert_int_equal(tacit_study_open(&s, url, "s", NULL, &err), TACIT_E_NOT_FOUND);
    assert_int_equal(tacit_study_create(&s, url, "{", NULL, &err), TACIT_E_ARG);
    assert_int_equal(access(file, F_OK), -1); /* a bad document makes no file */
    assert_int_equal(tacit_study_create(&s, "x", plain, NULL, &err), TACIT_E_ARG);
    assert_null(s);
    assert_ok(tacit_study_create(&s, url, plain, NULL, &err));
    assert_string_equal(tacit_study_name(s), "s");
    assert_int_equal(tacit_space_params(tacit_study_space(s)), WIDTH);
    assert_string_equal(tacit_document_algorithm(tacit_study_document(s)), "random");

    assert_int_equal(tacit_study_best(s, &one, &err), TACIT_E_STATE);
    assert_string_equal(err.msg, "no trial of s is complete yet");
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    assert_ok(tacit_study_trial(s, trial, &one, &err));
    assert_true(one->state == TACIT_TRIAL_RUNNING && isnan(one->value));
    assert_memory_equal(v, one->values, sizeof v);
    tacit_trial_free(one);
    assert_ok(tacit_study_tell(s, trial, 2.5, &err));
    assert_ok(tacit_study_ask(s, &trial, v, &err));
    v[0] = -0.5;
    tacit_report moved = TACIT_REPORT;
    moved.point = v;
    moved.value = 1.5;
    assert_ok(tacit_study_report(s, trial, &moved, &err));
    assert_ok(tacit_study_ask(s, &trial, got, &err));
    assert_ok(tacit_study_fail(s, trial, NULL, &err));
    assert_int_equal(tacit_study_tell(s, trial, 1, &err), TACIT_E_STATE);
    assert_int_equal(tacit_study_tell(s, trial, 1, NULL), TACIT_E_STATE); /* err may be NULL */
    assert_ok(tacit_study_best(s, &one, &err));
    assert_true(one->number == 1 && one->value == 1.5);
    assert_memory_equal(v, one->values, sizeof v);
    tacit_trial_free(one);
    assert_int_equal(tacit_study_trial(s, 9, &one, &err), TACIT_E_NOT_FOUND);
    assert_string_equal(err.msg, "there is no trial 9; the study has 3");
    tacit_study_close(s);

    assert_ok(tacit_study_open(&s, url, "s", NULL, NULL));
    assert_ok(tacit_study_trial(s, 2, &one, &err));
    assert_int_equal(one->state, TACIT_TRIAL_FAIL);
    tacit_trial_free(one);
    tacit_study_close(s);
    tacit_study_close(NULL);
}

/* ---- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(reopening_gives_the_same_trials),
        IN_FOLDER(two_handles_continue_each_other),
        IN_FOLDER(noise_is_told_with_its_value),
        IN_FOLDER(bad_reports_are_refused),
        IN_FOLDER(a_study_is_created_once_and_may_grow),
        IN_FOLDER(studies_without_a_seed_differ),
        IN_FOLDER(a_deleted_trial_outlives_its_process),
        IN_FOLDER(enqueued_points_come_first),
        IN_FOLDER(an_import_is_all_or_none),
        IN_FOLDER(an_expired_lease_is_asked_again),
        IN_FOLDER(a_foreign_event_is_corrupt),
        IN_FOLDER(parallel_workers_match_a_single_one),
        IN_FOLDER(a_tell_does_not_hold_up_an_ask),
        IN_FOLDER(a_tell_of_the_same_trial_does),
        IN_FOLDER(asks_go_on_while_others_tell),
        IN_FOLDER(a_killed_worker_loses_nothing),
        IN_FOLDER(the_public_interface_works),
    };
    return cmocka_run_group_tests_name("study", tests, make_folder, remove_folder);
}
