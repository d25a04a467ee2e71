/* demo_alone_test.c - what a hospital would have reached alone: the same start, the same code, no broadcast. */
#include "demo/demo_int.h"

#include "base/memory.h"
#include "support/test.h"

enum { FEATURES = 20, TRIALS = 7, START = 3, HOSPITAL = 2, SEED = 5 };

static const char document[] =
    "{\"name\": \"ward\", \"direction\": \"minimize\", \"trials\": 7, \"seed\": 7,"
    " \"space\": {\"hidden\": {\"type\": \"int\", \"low\": 2, \"high\": 32, \"log\": true},"
    " \"l2\": {\"type\": \"float\", \"low\": 1e-6, \"high\": 1, \"log\": true},"
    " \"lr\": {\"type\": \"float\", \"low\": 1e-4, \"high\": 1, \"log\": true}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 20, \"lengthscale\": 0.3, \"init\": "
    "\"domain\","
    " \"initial\": 3, \"own\": \"gp\", \"broadcast\": \"%s\"},"
    " \"federation\": {\"agents\": 9}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.001}}";

static tc_study *join(tc_store *store, const char *broadcast)
{
    char given[1024];
    tacit_error err = {0};
    tc_study_doc *doc;
    tc_study *s;
    snprintf(given, sizeof given, document, broadcast);
    assert_ok(tc_study_doc_restore(&doc, given, NULL, &err));
    char *text = tc_study_doc_text(doc);
    tc_study_doc_free(doc);
    assert_non_null(text);
    const tc_study_offer offer = {
        .document = text, .public_seed = tc_public_seed_from(7), .created_ms = 5, .party = 4};
    const tc_party_seed seed = tc_party_seed_from(3);
    assert_ok(tc_study_join(&s, store, &offer, &seed, NULL, &err));
    tc_free(text);
    return s;
}

/* A broadcast that says a lot, whatever it means. */
static void hear(tc_study *s)
{
    tacit_error err = {0};
    uint8_t bytes[8 * FEATURES] = {0};
    tc_text message = {0};
    tc_need need;
    uint64_t round;
    assert_ok(tc_study_need(s, &need, &err));
    if (!(need.may & TC_NEED_PUBLISH))
        return;
    assert_ok(tc_study_publish(s, &round, &message, &err));
    for (size_t j = 0; j < FEATURES; j++)
        bytes[8 * j + 2] = (uint8_t)(37 * j);
    assert_ok(tc_study_absorb(s, round, bytes, sizeof bytes, &err));
    tc_text_fini(&message);
}

static void search(tc_study *s)
{
    tacit_error err = {0};
    tc_patient *records;
    assert_ok(tc_hospital_records(SEED, HOSPITAL, &records, &err));
    for (size_t t = 0; t < TRIALS; t++) {
        uint64_t trial;
        double x[3];
        hear(s);
        assert_ok(tc_study_ask(s, NULL, 0, &trial, x, &err));
        tc_settings settings = tc_demo_settings(tc_study_document(s)->space, x);
        assert_ok(
            tc_study_tell(s, trial, NULL, tc_hospital_trial(records, HOSPITAL, &settings), &err));
    }
    tc_free(records);
}

/* The curves of one hospital whose agent has this option; end them with fini. */
static tc_demo_curves compare(const char *broadcast)
{
    tacit_error err = {0};
    tc_demo_curves c;
    tc_demo_journal j = {.hospital = HOSPITAL};
    assert_ok(tc_store_open(&j.store, "memory:", true, &err));
    tc_study *s = join(j.store, broadcast);
    search(s);
    tc_study_close(s);
    assert_ok(tc_demo_journal_read(&j, &err));
    assert_int_equal(j.trials, TRIALS);
    assert_int_equal(j.broadcasts, 1);
    assert_ok(tc_demo_curves_init(
        &c, &(tc_demo_plan){.hospitals = 1, .trials = TRIALS, .seed = SEED}, &err));
    assert_ok(tc_demo_compare(&c, &j, SEED, &err));
    assert_int_equal(c.start, START);
    tc_demo_journal_close(&j);
    return c;
}

static void who_does_not_listen_is_alone(void **state)
{
    (void)state;
    tc_demo_curves c = compare("none");
    for (size_t t = 0; t < TRIALS; t++)
        assert_same_bits(c.together[t], c.alone[t]);
    assert_true(c.together[TRIALS - 1] < c.together[START - 1]);
    tc_demo_curves_fini(&c);
}

static void who_listens_starts_alike_and_goes_another_way(void **state)
{
    (void)state;
    tc_demo_curves heard = compare("normal"), deaf = compare("none");
    size_t different = 0;
    for (size_t t = 0; t < START; t++)
        assert_same_bits(heard.together[t], heard.alone[t]);
    for (size_t t = 0; t < TRIALS; t++) {
        assert_same_bits(heard.alone[t], deaf.alone[t]);
        different += heard.together[t] != heard.alone[t];
    }
    assert_true(different > 0);
    tc_demo_curves_fini(&heard);
    tc_demo_curves_fini(&deaf);
}

static void a_hospital_without_all_its_values_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_demo_curves c;
    tc_demo_journal j = {.hospital = HOSPITAL, .trials = TRIALS - 1};
    assert_ok(tc_demo_curves_init(&c, &(tc_demo_plan){.hospitals = 1, .trials = TRIALS}, &err));
    assert_fails(tc_demo_compare(&c, &j, SEED, &err), TACIT_E_STATE,
                 "hospital 2 has 6 values of 7 trials");
    tc_demo_curves_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_does_not_listen_is_alone),
        cmocka_unit_test(who_listens_starts_alike_and_goes_another_way),
        cmocka_unit_test(a_hospital_without_all_its_values_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
