/* study_round_test.c - what an agent is sent: it is in the journal only if it can be used. */
#include "support/crash_store.h"
#include "support/test.h"

#include "study/study.h"

enum { FEATURES = 8, REGIONS = 2, BROADCAST = 8 * FEATURES * REGIONS };

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2, \"regions\": 2,"
    " \"releases\": \"all\"},"
    " \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}";

static tc_study *join(tc_store *store)
{
    tacit_error err = {0};
    tc_study_doc *doc;
    tc_study *s;
    assert_ok(tc_study_doc_restore(&doc, document, NULL, &err));
    char *text = tc_study_doc_text(doc);
    tc_study_doc_free(doc);
    const tc_study_offer offer = {
        .document = text, .public_seed = tc_public_seed_from(7), .created_ms = 5, .party = 1};
    const tc_party_seed seed = tc_party_seed_from(3);
    assert_ok(tc_study_join(&s, store, &offer, &seed, NULL, &err));
    tc_free(text);
    return s;
}

static void run_trial(tc_study *s)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_ok(tc_study_tell(s, trial, NULL, x * (1 - x), &err));
}

/* The study waits for the broadcast of round 0. */
static tc_study *publish_first(tc_store *store)
{
    tacit_error err = {0};
    tc_text message = {0};
    uint64_t round;
    tc_study *s = join(store);
    run_trial(s);
    run_trial(s);
    assert_ok(tc_study_publish(s, &round, &message, &err));
    assert_int_equal(round, 0);
    tc_text_fini(&message);
    return s;
}

static void fill(uint8_t bytes[BROADCAST])
{
    for (size_t i = 0; i < BROADCAST; i++)
        bytes[i] = (uint8_t)(i % 8 == 0 ? i : 0);
}

/* The first point after the broadcast; before that, perhaps, came one that is none. */
static double follow(bool garbage)
{
    tacit_error err = {0};
    tc_store *store;
    tc_need need;
    uint64_t trial;
    uint8_t bytes[BROADCAST];
    double x;
    fill(bytes);
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    tc_study *s = publish_first(store);
    if (garbage)
        assert_fails(tc_study_absorb(s, 0, bytes, 5, &err), TACIT_E_STATE, "must have 128 bytes");
    assert_ok(tc_study_need(s, &need, &err));
    assert_int_equal(need.must, TC_NEED_ABSORB);
    assert_ok(tc_study_absorb(s, 0, bytes, sizeof bytes, &err));
    tc_study_close(s);
    s = join(store); /* the journal can be read */
    assert_ok(tc_study_ask(s, NULL, 0, &trial, &x, &err));
    assert_int_equal(trial, 2);
    tc_study_close(s);
    tc_store_close(store);
    return x;
}

static void a_broadcast_that_is_none_is_refused_and_leaves_no_trace(void **state)
{
    (void)state;
    assert_same_bits(follow(true), follow(false));
}

/* What could not be stored has not happened, though the algorithm had seen it already. */
static void a_broadcast_that_cannot_be_stored_has_not_come(void **state)
{
    tacit_error err = {0};
    tc_store *disk;
    crash_store store;
    tc_need need;
    uint8_t bytes[BROADCAST];
    (void)state;
    fill(bytes);
    assert_ok(tc_store_open(&disk, "memory:", true, &err));
    crash_init(&store, disk);
    tc_study *s = publish_first(&store.base);
    store.at = store.writes + 1;
    assert_int_equal(tc_study_absorb(s, 0, bytes, sizeof bytes, &err), TACIT_E_IO);
    crash_restart(&store);
    assert_ok(tc_study_need(s, &need, &err));
    assert_int_equal(need.must, TC_NEED_ABSORB);
    assert_ok(tc_study_absorb(s, 0, bytes, sizeof bytes, &err));
    assert_ok(tc_study_need(s, &need, &err));
    assert_int_equal(need.must, 0);
    tc_study_close(s);
    crash_fini(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broadcast_that_is_none_is_refused_and_leaves_no_trace),
        cmocka_unit_test(a_broadcast_that_cannot_be_stored_has_not_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
