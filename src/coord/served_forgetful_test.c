/* served_forgetful_test.c - a server that crashes at every point and forgets what was not on disk, under two
 * coordinators of a served study that live on (support/lazy_store.h).
 *
 * Whatever is lost, a report that was answered is there, each value stands at the point that its worker was
 * given, and whoever is refused for a moment gets on by asking again. */
#include "support/lazy_store.h"
#include "support/served_world.h"

enum { COORDINATORS = 2, WORKERS = 3, TURNS_MOST = 3000 };

typedef struct worker {
    char name[16];
    bool busy;
    int64_t trial;
    double value; /* at the point that it was given */
} worker;

typedef struct play {
    lazy_store *store;
    served_world s[COORDINATORS];
    worker workers[WORKERS];
    size_t told;
    bool known[SERVED_TRIALS];
} play;

static void begin(play *p)
{
    *p = (play){.store = lazy_new()};
    assert_non_null(p->store);
    served_start(&p->s[0], lazy_store_of(p->store), served_document);
    p->s[1] = p->s[0];
    p->s[1].w.coord = NULL;
    world_open(&p->s[1].w, lazy_store_of(p->store), 7);
    for (int i = 0; i < WORKERS; i++)
        snprintf(p->workers[i].name, sizeof p->workers[i].name, "w%d", i);
}

static void end(play *p)
{
    for (int i = 0; i < COORDINATORS; i++)
        tc_coord_free(p->s[i].w.coord);
    tc_store_close(lazy_store_of(p->store));
}

/* The server is away for a moment. */
static bool is_transient(int http)
{
    return http == 500 || http == 503;
}

static void ask(play *p, served_world *s, worker *w)
{
    json_t *a;
    int http = served_suggest(s, w->name, 1, &a);
    if (http == 200) {
        const json_t *t = json_array_get(json_object_get(a, "trials"), 0);
        w->trial = served_whole(t, "trial");
        w->value = served_objective(json_object_get(t, "params"));
        w->busy = true;
        for (int i = 0; i < WORKERS; i++)
            assert_false(&p->workers[i] != w && p->workers[i].busy &&
                         p->workers[i].trial == w->trial);
    } else if (!is_transient(http) && http != 410) { /* 410: all are handed out */
        fail_msg("suggest: %d", http);
    }
    json_decref(a);
}

static void tell(play *p, served_world *s, worker *w)
{
    int http = served_value(s, w->trial, w->value);
    if (is_transient(http))
        return;
    assert_int_equal(http, 200);
    p->told += !p->known[w->trial];
    p->known[w->trial] = true;
    w->busy = false;
}

static void check_end(play *p)
{
    json_t *a;
    lazy_crash(p->store);
    world_open(&p->s[1].w, lazy_store_of(p->store), 7);
    assert_int_equal(served_get(&p->s[1], "/trials", NULL, &a), 200);
    const json_t *list = json_object_get(a, "trials");
    assert_int_equal(json_array_size(list), SERVED_TRIALS);
    for (size_t i = 0; i < SERVED_TRIALS; i++) {
        const json_t *t = json_array_get(list, i);
        assert_string_equal(world_text(t, "state"), "COMPLETE");
        assert_same_bits(json_number_value(json_object_get(t, "value")),
                         served_objective(json_object_get(t, "params")));
    }
    json_decref(a);
}

/* Workers ask and tell at whichever coordinator comes next. */
static void run(play *p)
{
    int t = 0;
    for (; p->told < SERVED_TRIALS && t < TURNS_MOST; t++) {
        worker *w = &p->workers[t % WORKERS];
        served_world *s = &p->s[t / 2 % COORDINATORS];
        if (w->busy)
            tell(p, s, w);
        else
            ask(p, s, w);
    }
    if (p->told < SERVED_TRIALS)
        fail_msg("%zu of %d trials are told after %d turns", p->told, SERVED_TRIALS, t);
    p->store->at = 0;
    tc_coord_free(p->s[1].w.coord);
    check_end(p);
}

static uint64_t count_points(uint64_t *first)
{
    play p;
    begin(&p);
    *first = p.store->points + 1;
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
    uint64_t forgotten = p.store->forgotten;
    end(&p);
    return forgotten;
}

static void every_point(uint64_t period)
{
    uint64_t first, last = count_points(&first);
    assert_true(last > first + 50);
    assert_true(lazy_every_point(first, last, period, play_with) > 0);
}

static void one_crash_at_every_point(void **state)
{
    (void)state;
    every_point(0);
}

static void crashes_in_a_row_at_every_point(void **state)
{
    (void)state;
    every_point(29);
}

/* What a worker works on is on disk when it is told so: it may be on another machine. */
static void a_trial_is_on_disk_when_it_is_handed_out(void **state)
{
    (void)state;
    play p;
    begin(&p);
    for (int i = 0; i < 4; i++) {
        ask(&p, &p.s[i % 2], &p.workers[i % WORKERS]);
        assert_int_equal(p.store->safe, p.store->n);
    }
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_crash_at_every_point),
        cmocka_unit_test(crashes_in_a_row_at_every_point),
        cmocka_unit_test(a_trial_is_on_disk_when_it_is_handed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
