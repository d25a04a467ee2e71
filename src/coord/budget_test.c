/* budget_test.c - a round that the budget refused: its numbers are proved once, when it is refused, and
 * asking for them costs nobody anything. */
#include "support/coord_study.h"
#include "support/crash_store.h"

enum { ROUNDS = 10, READS = 20 };
static const char path[] = "/v1/studies/s/rounds/0/broadcast";

/* Ten rounds are what was promised; a study that is made again goes on spending where the first stopped. */
static void spend_all(coord_world *w)
{
    for (uint64_t r = 0; r < ROUNDS; r++) {
        for (uint64_t i = 0; i < STUDY_AGENTS; i++)
            assert_int_equal(study_post(w, i, r, NULL), 202);
        world_tick(w);
    }
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    world_create(w, "s", study_document);
    world_enrol_all(w, STUDY_AGENTS);
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        w->agents[i].sequence = 0;
}

static double number(const json_t *a, const char *field)
{
    const json_t *j = json_object_get(a, field);
    assert_true(json_is_number(j));
    return json_number_value(j);
}

static void a_refused_round_is_priced_once(void **state)
{
    coord_world w = {.now_ms = 1000000};
    crash_store disk;
    tacit_error err = {0};
    tc_store *memory;
    json_t *a, *first = NULL;
    (void)state;
    assert_ok(tc_store_open(&memory, "memory:", true, &err));
    crash_init(&disk, memory);
    world_open(&w, &disk.base, 7);
    world_create(&w, "s", study_document);
    world_enrol_all(&w, STUDY_AGENTS);
    spend_all(&w);
    assert_int_equal(study_post(&w, 0, 0, NULL), 202);
    w.now_ms += 60000;
    world_tick(&w);
    tc_coord_free(w.coord); /* and another process knows them, too */
    world_open(&w, &disk.base, 7);
    assert_int_equal(world_call(&w, "GET", path, w.operator_token, NULL, &first), 410);
    assert_true(number(first, "requested") > number(first, "remaining"));
    assert_true(number(first, "spent") > 0);
    uint64_t heads = disk.heads;
    for (int i = 0; i < READS; i++) {
        assert_int_equal(world_call(&w, "GET", path, w.agents[0].access, NULL, &a), 410);
        assert_true(json_equal(a, first));
        json_decref(a);
    }
    assert_int_equal(disk.heads, heads); /* the ledger was not even looked at */
    json_decref(first);
    tc_coord_free(w.coord);
    crash_fini(&disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_refused_round_is_priced_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
