/* silent_test.c - what long rosters and long studies cost: who enrols, who looks at a study, and who asks for
 * the message of an agent that has been silent for long reads a few records, not all of them. */
#include "support/coord_study.h"
#include "support/crash_store.h"

static const char fts_document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 40, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"fts\", \"features\": 8, \"initial\": 2,"
    " \"mode\": \"general\"}, \"privacy\": \"none\","
    " \"federation\": {\"agents\": %d, \"deadline_s\": 60}}";

static void open_study(coord_world *w, crash_store *disk, int agents)
{
    tacit_error err = {0};
    tc_store *memory;
    char document[512];
    *w = (coord_world){.now_ms = 1000000};
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(disk, memory);
    world_open(w, &disk->base, 7);
    snprintf(document, sizeof document, fts_document, agents);
    world_create(w, "s", document);
}

static void close_study(coord_world *w, crash_store *disk)
{
    tc_coord_free(w->coord);
    crash_fini(disk);
}

/* ---- the roster ---- */

static void a_long_roster_is_not_read_again(void **state)
{
    enum { AGENTS = 30 };
    coord_world w;
    crash_store disk;
    json_t *a;
    (void)state;
    open_study(&w, &disk, AGENTS);
    uint64_t before = disk.places;
    world_enrol_all(&w, AGENTS);
    assert_true(disk.places - before <= 2 * AGENTS);
    before = disk.places;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(world_call(&w, "GET", "/v1/studies/s", w.operator_token, NULL, &a), 200);
        assert_int_equal(json_integer_value(json_object_get(a, "enrolled")), AGENTS);
        json_decref(a);
    }
    assert_true(disk.places - before <= 10);
    close_study(&w, &disk);
}

/* ---- a relay ---- */

/* The round that the message of agent 2 is from, or -1; *gets: how many records were read for it. */
static int64_t fetch(coord_world *w, crash_store *disk, uint64_t agent, uint64_t round,
                     uint64_t *gets)
{
    char path[96];
    json_t *a;
    uint64_t before = disk->gets;
    snprintf(path, sizeof path, "/v1/studies/s/rounds/%" PRIu64 "/messages/%" PRIu64, round, agent);
    int status = world_call(w, "GET", path, w->agents[0].access, NULL, &a);
    *gets = disk->gets - before;
    int64_t at = status == 200 ? json_integer_value(json_object_get(a, "round")) : -1;
    assert_true(status == 200 || status == 404);
    json_decref(a);
    return at;
}

/* A message of fts, by hand: its header, and as many numbers as there are features. */
static int post(coord_world *w, uint64_t agent, uint64_t round)
{
    uint8_t bytes[16 + 8 * STUDY_FEATURES] = "TFT1";
    citizen *c = &w->agents[agent];
    bytes[4] = STUDY_FEATURES;
    bytes[8] = (uint8_t)round;
    return world_post_bytes(w, c, round, ++c->sequence, bytes, sizeof bytes, NULL);
}

static void end_round(coord_world *w)
{
    w->now_ms += 61000;
    world_tick(w);
}

/* Agent 0 speaks in every round, agent 1 in rounds 0 and 2, agent 2 never. */
static void play(coord_world *w, uint64_t rounds)
{
    for (uint64_t r = 0; r < rounds; r++) {
        assert_int_equal(post(w, 0, r), 202);
        if (r == 0 || r == 2)
            assert_int_equal(post(w, 1, r), 202);
        end_round(w);
    }
}

static void a_silent_agent_is_found_at_once(void **state)
{
    enum { ROUNDS = 9 };
    coord_world w;
    crash_store disk;
    uint64_t few, many;
    (void)state;
    open_study(&w, &disk, STUDY_AGENTS);
    world_enrol_all(&w, STUDY_AGENTS);
    play(&w, ROUNDS);
    assert_int_equal(fetch(&w, &disk, 1, 2, &few), 2);
    assert_int_equal(fetch(&w, &disk, 1, ROUNDS - 1, &many), 2);
    assert_true(many <= few + 1); /* how that round ended is another record */
    assert_int_equal(fetch(&w, &disk, 2, 0, &few), -1);
    assert_int_equal(fetch(&w, &disk, 2, ROUNDS - 1, &many), -1);
    assert_true(many <= few + 1);
    /* Who is behind is given what there was then. */
    assert_int_equal(fetch(&w, &disk, 1, 1, &many), 0);
    assert_int_equal(fetch(&w, &disk, 0, 4, &many), 4);
    close_study(&w, &disk);
}

/* A roster that an older version has written does not say who spoke when: then it is looked for. */
static void forget_who_spoke(coord_world *w, uint64_t agent)
{
    tacit_error err = {0};
    uint8_t key[8] = {0};
    key[7] = (uint8_t)agent;
    tc_record which = {.study = 1, .kind = TC_RECORD_AGENT, .key = key, .key_size = 8}, got;
    assert_ok(tc_store_record_get(w->store, &which, &got, &err));
    json_t *j = json_loadb(got.value, got.size, 0, NULL);
    assert_int_equal(json_object_del(j, "spoke"), 0);
    char *text = tc_json_text(j);
    assert_ok(tc_store_record_keep(w->store, &which, got.version, text, strlen(text), &err));
    tc_free(text);
    json_decref(j);
    tc_free((void *)got.value);
}

static void an_older_roster_does_as_well(void **state)
{
    enum { ROUNDS = 5 };
    coord_world w;
    crash_store disk;
    uint64_t gets;
    (void)state;
    open_study(&w, &disk, STUDY_AGENTS);
    world_enrol_all(&w, STUDY_AGENTS);
    play(&w, ROUNDS);
    forget_who_spoke(&w, 1);
    forget_who_spoke(&w, 2);
    assert_int_equal(fetch(&w, &disk, 1, ROUNDS - 1, &gets), 2);
    assert_int_equal(fetch(&w, &disk, 2, ROUNDS - 1, &gets), -1);
    close_study(&w, &disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_roster_is_not_read_again),
        cmocka_unit_test(a_silent_agent_is_found_at_once),
        cmocka_unit_test(an_older_roster_does_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
