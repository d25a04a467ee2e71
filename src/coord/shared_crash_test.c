/* shared_crash_test.c - a coordinator with trustees that dies at any of its writes, before it and after it, and goes on.
 *
 * From the first enrolment to the end of a round, every write is once the last one of a process. Parties ask again, as they do;
 * the next process goes on from what is stored. Whenever it dies: the same roster, the same release to the bit, everything
 * counted once, nothing left behind. */
#include "support/store_folder.h"
#include "support/shared_world.h"

static const tc_trustees six = {6, 3, 1, 4};

/* ---- one study, whose coordinator dies ---- */

static void post(trust_world *t, int (*call)(trust_world *, uint32_t, uint64_t, json_t **),
                 uint32_t place)
{
    int status;
    TRUST_AGAIN(t, status, call(t, place, 0, NULL));
    bool late = status == 410 && call == trust_deal_noise; /* there were dealers enough */
    if (status != 202 && status != 200 && !late)
        fail_msg("place %u: %d", place, status);
}

/* The fifth lies. */
static int answer(trust_world *t, uint32_t place, uint64_t round, json_t **a)
{
    size_t n;
    uint8_t *bytes = trust_answer(t, place, round, &n);
    if (!bytes)
        return 500; /* the process died of the question, or will */
    bytes[TC_ANSWER_HEAD] ^= place == 4;
    int status = trust_post_answer(t, place, round, bytes, n, a);
    tc_free(bytes);
    return status;
}

static int send(trust_world *t, uint32_t agent, uint64_t round, json_t **a)
{
    return trust_send(t, round, agent, a);
}

static void fingerprint(trust_world *t, char out[64])
{
    json_t *a = NULL;
    int status;
    do {
        json_decref(a);
        status = trust_get(t, t->w.operator_token, "/v1/studies/s/roster", NULL, &a);
    } while (trust_restart(t));
    assert_int_equal(status, 200);
    snprintf(out, 64, "%s", world_text(a, "fingerprint"));
    json_decref(a);
}

static void run(trust_world *t, char print[64])
{
    trust_enrol_all(t);
    fingerprint(t, print);
    for (uint32_t i = 0; i < TRUST_AGENTS; i++)
        post(t, send, i);
    for (uint32_t k = 1; k < 6; k++)
        post(t, trust_deal_noise, k);
    trust_tick(t);
    trust_tick(t); /* the one before may have died */
    for (uint32_t k = 0; k < 6; k++)
        post(t, answer, k);
    trust_tick(t);
    trust_tick(t);
}

static uint64_t audited(trust_world *t, const char *action)
{
    json_t *a, *e;
    size_t i;
    uint64_t n = 0;
    assert_int_equal(trust_get(t, t->w.operator_token, "/v1/audit", "limit=1000", &a), 200);
    json_array_foreach(json_object_get(a, "entries"), i, e)
    {
        n += strcmp(world_text(e, "action"), action) == 0;
    }
    json_decref(a);
    return n;
}

static void check(trust_world *t)
{
    trust_assert_released(t, 0, 7, 30);
    trust_assert_swept(t);
    assert_int_equal(trust_count(t, TC_RECORD_SET), 1);
    assert_int_equal(trust_count(t, TC_RECORD_TRUSTEE), 6);
    assert_int_equal(trust_count(t, TC_RECORD_EVIDENCE), 0);
    assert_int_equal(audited(t, "roster.fix"), 1);
    assert_int_equal(audited(t, "trustee.enrol"), 6);
    for (uint32_t k = 0; k < 6; k++) {
        assert_int_equal(trust_listed(t, k, "answered"), 1);
        assert_int_equal(trust_listed(t, k, "wrong"), k == 4);
        assert_int_equal(trust_listed(t, k, "conflicts"), 0);
    }
}

/* Another process on the same store. */
static void interfere(void *user)
{
    tacit_error err = {0};
    int64_t next;
    assert_ok(tc_coord_tick(user, &next, &err));
}

/* at 0: it does not die. *writes: how many there were. */
static bool live(const char *place, uint64_t at, bool after, char print[64], uint64_t *writes)
{
    crash_store disk;
    trust_world t;
    tacit_error err = {0};
    tc_store *store;
    assert_ok(tc_store_open(&store, place, true, &err));
    crash_init(&disk, store);
    trust_begin(&t, &disk.base, six, 60);
    t.disk = &disk;
    disk.after = after;
    const uint64_t before = disk.writes;
    disk.at = at > 0 ? before + at : 0;
    run(&t, print);
    *writes = disk.writes - before;
    disk.at = 0;
    check(&t);
    tc_study_plan_free(t.plan);
    tc_coord_free(t.w.coord);
    crash_fini(&disk);
    return t.restarts > 0;
}

/* Before and after each write; `once`: in turn. */
static void walk(const char *(*fresh)(void), bool once)
{
    char first[64], print[64];
    uint64_t writes, unused;
    assert_false(live(fresh(), 0, false, first, &writes));
    assert_true(writes > 30);
    for (uint64_t at = 1; at <= writes; at++)
        for (int after = 0; after < 2; after++) {
            if (once && after == (int)(at % 2))
                continue;
            if (!live(fresh(), at, after, print, &unused))
                fail_msg("write %d did not come", (int)at);
            assert_string_equal(first, print); /* wherever it died */
        }
}

/* ---- stores ---- */

static const char *memory(void)
{
    return "memory:";
}

static void in_memory(void **state)
{
    (void)state;
    walk(memory, false);
}

static const char *empty_file(void)
{
    assert_int_equal(clear_folder(NULL), 0);
    return url;
}

static void on_sqlite(void **state)
{
    (void)state;
    walk(empty_file, true); /* each life has files of its own, and syncs them */
}

static const char *empty_server(void)
{
    static const char drop[] = "psql -q \"$TACIT_POSTGRES\" -c 'SET client_min_messages = error' "
                               "-c 'DROP SCHEMA IF EXISTS tacit CASCADE'";
    assert_int_equal(system(drop), 0);
    return getenv("TACIT_POSTGRES");
}

static void on_postgresql(void **state)
{
    (void)state;
    walk(empty_server, true);
}

/* ---- two processes ---- */

/* Before write number `at` of one, the other looks at everything that is due. *writes as in live. */
static void live_together(uint64_t at, uint64_t *writes)
{
    crash_store disk;
    trust_world t;
    tc_coord *other;
    char print[64];
    tacit_error err = {0};
    tc_store *store = trust_memory();
    crash_init(&disk, store);
    trust_begin(&t, &disk.base, six, 60);
    tc_coord_config cfg = {
        .store = store, .now_ms = world_clock, .user = &t.w, .seeded = true, .seed = TRUST_SEED};
    assert_ok(tc_coord_new(&other, &cfg, &err));
    const uint64_t before = disk.writes;
    disk.meanwhile = interfere;
    disk.user = other;
    disk.at = at > 0 ? before + at : 0;
    run(&t, print);
    *writes = disk.writes - before;
    disk.at = 0;
    check(&t);
    tc_coord_free(other);
    tc_study_plan_free(t.plan);
    tc_coord_free(t.w.coord);
    crash_fini(&disk);
}

static void two_processes_do_everything_once(void **state)
{
    uint64_t writes, unused;
    (void)state;
    live_together(0, &writes);
    for (uint64_t at = 1; at <= writes; at++)
        live_together(at, &unused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(on_sqlite),
        cmocka_unit_test(two_processes_do_everything_once),
    };
    const struct CMUnitTest on_server[] = {
        cmocka_unit_test(on_postgresql),
    };
    if (getenv("TACIT_POSTGRES")) /* shared_crash_postgres */
        return cmocka_run_group_tests(on_server, NULL, NULL);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
