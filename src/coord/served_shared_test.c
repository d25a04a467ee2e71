/* served_shared_test.c - a served study in more than one pair of hands: several coordinators on
 * one store, crashes at every write. Whatever happens, no trial is handed out twice, and the study is the
 * one that a single process would have made. */
#include "support/served_world.h"

#include "study/study.h"
#include "support/crash_store.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the same as at home ---- */

static void check_trial(const json_t *served, const tc_space *space, const tc_trial *t)
{
    json_t *params = tc_space_values_json(space, t->values);
    assert_true(json_equal(json_object_get(served, "params"), params));
    assert_same_bits(json_number_value(json_object_get(served, "value")), t->value);
    json_decref(params);
}

/* The same document in a study of one process. */
static tc_study *run_at_home(tc_store *store)
{
    tacit_error err = {0};
    json_t *j;
    tc_study_doc *doc;
    tc_study *study;
    assert_ok(tc_json_parse(served_document, strlen(served_document), "d", &j, &err));
    assert_ok(tc_study_doc_from_json(&doc, j, NULL, &err));
    json_decref(j);
    assert_ok(tc_study_create(&study, store, doc, NULL, &err));
    for (int i = 0; i < SERVED_TRIALS; i++) {
        uint64_t trial;
        double values[2];
        assert_ok(tc_study_ask(study, "w", 0, &trial, values, &err));
        json_t *params = tc_space_values_json(doc->space, values);
        assert_ok(tc_study_tell(study, trial, NULL, served_objective(params), &err));
        json_decref(params);
    }
    tc_study_doc_free(doc);
    return study;
}

static void the_same_seed_gives_the_same_trials(void **state)
{
    served_world *s = *state;
    tacit_error err = {0};
    tc_store *store;
    const tc_optimizer *o;
    json_t *a;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_study *home = run_at_home(store);
    for (int i = 0; i < SERVED_TRIALS; i++)
        served_run(s, "w");
    assert_int_equal(served_get(s, "/trials", NULL, &a), 200);
    assert_ok(tc_study_look(home, &o, &err));
    for (size_t i = 0; i < SERVED_TRIALS; i++)
        check_trial(json_array_get(json_object_get(a, "trials"), i), tc_optimizer_space(o),
                    tc_optimizer_trial(o, i));
    tc_study_unlook(home);
    json_decref(a);
    tc_study_close(home);
    tc_store_close(store);
}

/* ---- two coordinators ---- */

/* On the same study; `store` is the same or another handle on it. */
static void open_second(const served_world *first, served_world *second, tc_store *store)
{
    *second = *first;
    second->w.coord = NULL;
    world_open(&second->w, store, 7);
}

static void two_coordinators_share_a_study(void **state)
{
    served_world *a = *state, b;
    json_t *x, *y;
    open_second(a, &b, a->w.store);
    for (int i = 0; i < SERVED_TRIALS; i++) {
        json_t *params;
        served_world *asks = i % 2 ? a : &b, *tells = i % 3 ? a : &b;
        assert_int_equal(served_one(asks, i % 2 ? "x" : "y", &params), i);
        assert_int_equal(served_value(tells, i, served_objective(params)), 200);
        json_decref(params);
    }
    assert_int_equal(served_suggest(&b, "z", 1, NULL), 410);
    assert_int_equal(served_get(a, "/trials", NULL, &x), 200);
    assert_int_equal(served_get(&b, "/trials", NULL, &y), 200);
    assert_true(json_equal(x, y));
    json_decref(x);
    json_decref(y);
    tc_coord_free(b.w.coord);
}

static void a_study_that_the_other_replaced_is_noticed(void **state)
{
    served_world *a = *state, b;
    json_t *answer;
    open_second(a, &b, a->w.store);
    served_run(&b, "w");
    world_tick(&b.w);
    assert_int_equal(world_call(&a->w, "DELETE", "/v1/studies/t", a->w.operator_token, NULL, NULL),
                     200);
    world_tick(&b.w);
    assert_int_equal(world_call(&b.w, "GET", "/v1/studies/t", b.w.operator_token, NULL, NULL), 404);
    world_create(&a->w, "t", served_document);
    assert_int_equal(served_suggest(&b, "w", 1, &answer), 403);
    assert_says(answer, "the token is for another study");
    served_token(&a->w, "/v1/studies/t/tokens", "{}", b.client);
    assert_int_equal(served_one(&b, "w", NULL), 0);
    world_tick(&b.w);
    tc_coord_free(b.w.coord);
}

/* ---- many workers at once ---- */

enum { WORKERS = 4, MANY = 60 };
static const char many_document[] =
    "{\"name\": \"t\", \"direction\": \"minimize\", \"trials\": 60, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"random\"}}";

typedef struct worker {
    served_world *s;
    char name[16];
    int64_t trials[MANY + 1];
    size_t n;
    int last; /* status */
} worker;

/* Asks, and tells of every other, until there is nothing left. No assertions: another thread. */
static void *work(void *user)
{
    worker *w = user;
    char path[64], body[96];
    snprintf(body, sizeof body, "{\"worker\": \"%s\"}", w->name);
    for (w->last = 200; w->last == 200 && w->n <= MANY;) {
        json_t *a = NULL;
        w->last = served_post(w->s, "/trials:suggest", body, &a);
        const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
        int64_t number = json_integer_value(json_object_get(t, "trial"));
        json_decref(a);
        if (w->last != 200)
            break;
        w->trials[w->n++] = number;
        snprintf(path, sizeof path, "/trials/%" PRId64 ":complete", number);
        if (served_post(w->s, path, "{\"value\": 1}", NULL) != 200)
            w->last = -1;
    }
    return NULL;
}

static void hand_out_all(served_world *a, served_world *b)
{
    static worker workers[WORKERS];
    pthread_t threads[WORKERS];
    int seen[MANY] = {0};
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (worker){.s = i % 2 ? a : b};
        snprintf(workers[i].name, sizeof workers[i].name, "w%d", i);
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].last, 410);
        for (size_t k = 0; k < workers[i].n; k++)
            seen[workers[i].trials[k]]++;
    }
    for (int i = 0; i < MANY; i++)
        assert_int_equal(seen[i], 1);
}

static void no_trial_is_handed_out_twice(void **state)
{
    tacit_error err = {0};
    static served_world a, b;
    tc_store *store;
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    served_start(&a, store, many_document);
    open_second(&a, &b, store);
    hand_out_all(&a, &b);
    tc_coord_free(b.w.coord);
    world_close(&a.w);
}

/* Two handles on one file are what two processes have. */
static void nor_by_two_that_share_a_file(void **state)
{
    tacit_error err = {0};
    static served_world a, b;
    char folder[] = "/tmp/tacit-served-XXXXXX", url[96], path[96];
    tc_store *one, *two;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(url, sizeof url, "sqlite:///%s/s.db", folder);
    assert_ok(tc_store_open(&one, url, true, &err));
    assert_ok(tc_store_open(&two, url, false, &err));
    served_start(&a, one, many_document);
    open_second(&a, &b, two);
    hand_out_all(&a, &b);
    world_close(&b.w);
    world_close(&a.w);
    snprintf(path, sizeof path, "%s/s.db", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- crashes ---- */

typedef struct play {
    served_world s;
    crash_store store;
    int deaths;
} play;

static void mend(play *p)
{
    if (!p->store.dead)
        return;
    p->deaths++;
    tc_coord_free(p->s.w.coord);
    crash_restart(&p->store);
    world_open(&p->s.w, &p->store.base, 7);
}

/* As a client does that repeats what was not answered. */
static json_t *insist(play *p, const char *what, const char *body)
{
    json_t *a;
    int status = served_post(&p->s, what, body, &a);
    while (status >= 500) {
        json_decref(a);
        mend(p);
        status = served_post(&p->s, what, body, &a);
    }
    assert_int_equal(status, 200);
    return a;
}

static void play_trial(play *p)
{
    char body[64], what[64];
    json_t *a = insist(p, "/trials:suggest", "{\"worker\": \"w\"}");
    const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
    int64_t number = served_whole(t, "trial");
    snprintf(body, sizeof body, "{\"value\": %.17g}",
             served_objective(json_object_get(t, "params")));
    json_decref(a);
    snprintf(what, sizeof what, "/trials/%" PRId64 ":heartbeat", number);
    json_decref(insist(p, what, "{\"worker\": \"w\", \"lease_s\": 7200}"));
    snprintf(what, sizeof what, "/trials/%" PRId64 ":complete", number);
    json_decref(insist(p, what, body));
}

/* Dies at write `at` of what comes after the study was made; its trials are for json_decref. */
static json_t *play_to_the_end(uint64_t at, bool after, uint64_t *writes, int *deaths)
{
    tacit_error err = {0};
    static play p;
    tc_store *disk;
    json_t *trials;
    p = (play){.deaths = 0};
    assert_ok(tc_store_open(&disk, "memory:", true, &err));
    crash_init(&p.store, disk);
    served_start(&p.s, &p.store.base, served_document);
    uint64_t before = p.store.writes;
    p.store.at = at ? before + at : 0;
    p.store.after = after;
    for (int i = 0; i < SERVED_TRIALS; i++)
        play_trial(&p);
    *writes = p.store.writes - before;
    *deaths = p.deaths;
    assert_int_equal(served_get(&p.s, "/trials", NULL, &trials), 200);
    tc_coord_free(p.s.w.coord);
    crash_fini(&p.store);
    return trials;
}

static void a_crash_at_any_write_changes_nothing(void **state)
{
    uint64_t writes, ignored;
    int deaths;
    (void)state;
    json_t *want = play_to_the_end(0, false, &writes, &deaths);
    assert_int_equal(deaths, 0);
    assert_true(writes >= 3 * SERVED_TRIALS);
    for (uint64_t at = 1; at <= writes; at++)
        for (int after = 0; after < 2; after++) {
            json_t *got = play_to_the_end(at, after, &ignored, &deaths);
            assert_int_equal(deaths, 1);
            if (!json_equal(want, got))
                fail_msg("a crash at write %d changes the study", (int)at);
            json_decref(got);
        }
    json_decref(want);
}

/* ---- ticks ---- */

static void a_tick_reads_no_study_twice(void **state)
{
    tacit_error err = {0};
    static served_world s;
    crash_store store;
    tc_store *disk;
    (void)state;
    assert_ok(tc_store_open(&disk, "memory:", true, &err));
    crash_init(&store, disk);
    served_start(&s, &store.base, served_document);
    (void)served_one(&s, "w", NULL);
    world_tick(&s.w);
    uint64_t before = store.rows;
    for (int i = 0; i < 50; i++)
        world_tick(&s.w);
    assert_int_equal(store.rows, before);
    for (int i = 0; i < 60; i++)
        world_tick(&s.w);
    assert_int_equal(store.rows, before + 1); /* once in sixty, for what numbers cannot tell */
    s.w.now_ms += 60001;                      /* and leases end all the same */
    world_tick(&s.w);
    assert_state(&s, 0, "STALE");
    /* What nobody has asked for in an hour is closed, and opened again for who comes. */
    before = store.rows;
    s.w.now_ms += 3600 * 1000;
    world_tick(&s.w);
    assert_state(&s, 0, "STALE");
    assert_int_equal(store.rows, before);
    s.w.now_ms += 3600 * 1000 + 1;
    world_tick(&s.w);
    assert_state(&s, 0, "STALE");
    assert_int_equal(store.rows, before + 1);
    tc_coord_free(s.w.coord);
    crash_fini(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SERVED(the_same_seed_gives_the_same_trials),
        IN_SERVED(two_coordinators_share_a_study),
        IN_SERVED(a_study_that_the_other_replaced_is_noticed),
        cmocka_unit_test(no_trial_is_handed_out_twice),
        cmocka_unit_test(nor_by_two_that_share_a_file),
        cmocka_unit_test(a_crash_at_any_write_changes_nothing),
        cmocka_unit_test(a_tick_reads_no_study_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
