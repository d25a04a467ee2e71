/* alone_test.c - what an agent would have reached alone: the same start, the same code, no broadcast. */
#include <tacit/agent.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/study.h"
#include "support/store_folder.h"

#include <math.h>

enum { FEATURES = 20, TRIALS = 7, START = 3 };

static const char document[] =
    "{\"name\": \"ward\", \"direction\": \"minimize\", \"trials\": 7, \"seed\": 7,"
    " \"space\": {\"hidden\": {\"type\": \"int\", \"low\": 2, \"high\": 32, \"log\": true},"
    " \"l2\": {\"type\": \"float\", \"low\": 1e-6, \"high\": 1, \"log\": true},"
    " \"lr\": {\"type\": \"float\", \"low\": 1e-4, \"high\": 1, \"log\": true}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 20, \"lengthscale\": 0.3, \"init\": "
    "\"domain\","
    " \"initial\": 3, \"own\": \"gp\", \"broadcast\": \"%s\"},"
    " \"federation\": {\"agents\": 9}, \"privacy\": {%s\"epsilon\": 5, \"delta\": 0.001}}";
#define RECORDS "\"unit\": \"record\", \"metric\": \"error\", "

/* privacy: what its promise begins with. */
static tc_study *join(tc_store *store, const char *broadcast, const char *privacy)
{
    char given[1024];
    tacit_error err = {0};
    tc_study_doc *doc;
    tc_study *s;
    snprintf(given, sizeof given, document, broadcast, privacy);
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

static tacit_status loss(void *user, uint64_t trial, const double *values, double *value,
                         tacit_error *err)
{
    size_t *evaluated = user;
    (void)trial;
    (void)err;
    ++*evaluated;
    *value = fabs(log(values[0] / 9)) + fabs(log(values[1] / 0.01)) + fabs(log(values[2] / 0.05));
    return TACIT_OK;
}

/* What an agent reached that has this option, and what it would have reached alone. */
typedef struct pair {
    double together[TRIALS], alone[TRIALS];
} pair;

static void search(tc_study *s, double *values)
{
    tacit_error err = {0};
    size_t evaluated = 0;
    for (size_t t = 0; t < TRIALS; t++) {
        uint64_t trial;
        double x[3];
        hear(s);
        assert_ok(tc_study_ask(s, NULL, 0, &trial, x, &err));
        assert_ok(loss(&evaluated, trial, x, &values[t], &err));
        assert_ok(tc_study_tell(s, trial, NULL, values[t], &err));
    }
}

static pair compare(const char *broadcast)
{
    tacit_error err = {0};
    pair p;
    tc_store *store;
    size_t start = 0, evaluated = 0;
    assert_int_equal(clear_folder(NULL), 0);
    assert_ok(tc_store_open(&store, url, true, &err));
    tc_study *s = join(store, broadcast, "");
    search(s, p.together);
    tc_study_close(s);
    tc_store_close(store);
    assert_ok(tacit_agent_alone(url, "ward", loss, &evaluated, TRIALS, p.alone, &start, &err));
    assert_int_equal(start, START);
    assert_int_equal(evaluated, TRIALS - START);
    return p;
}

static void who_does_not_listen_is_alone(void **state)
{
    (void)state;
    pair p = compare("none");
    for (size_t t = 0; t < TRIALS; t++)
        assert_same_bits(p.together[t], p.alone[t]);
}

static void who_listens_starts_alike_and_goes_another_way(void **state)
{
    (void)state;
    pair heard = compare("normal"), deaf = compare("none");
    size_t different = 0;
    for (size_t t = 0; t < START; t++)
        assert_same_bits(heard.together[t], heard.alone[t]);
    for (size_t t = 0; t < TRIALS; t++) {
        assert_same_bits(heard.alone[t], deaf.alone[t]);
        different += heard.together[t] != heard.alone[t];
    }
    assert_true(different > 0);
}

static tacit_status stops(void *user, uint64_t trial, const double *values, double *value,
                          tacit_error *err)
{
    (void)user;
    (void)trial;
    (void)values;
    (void)value;
    return tc_fail(err, TACIT_E_CANCELLED, "enough");
}

static void refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    double values[TRIALS];
    size_t start = 77, evaluated = 0;
    compare("normal");
    assert_fails(tacit_agent_alone(url, "ward", stops, NULL, TRIALS, values, &start, &err),
                 TACIT_E_CANCELLED, "enough");
    assert_int_equal(tacit_agent_alone(url, "t", loss, &evaluated, TRIALS, values, &start, &err),
                     TACIT_E_NOT_FOUND);
    assert_fails(tacit_agent_alone(url, "ward", NULL, NULL, TRIALS, values, &start, &err),
                 TACIT_E_ARG, "evaluate must not be NULL");
    assert_int_equal(start, 77);
}

/* Nobody may have evaluations of real records for nothing. */
static void a_study_that_protects_records_is_refused_before_an_evaluation(void **state)
{
    (void)state;
    tacit_error err = {0};
    double values[TRIALS];
    size_t start = 77, evaluated = 0;
    tc_store *store;
    assert_int_equal(clear_folder(NULL), 0);
    assert_ok(tc_store_open(&store, url, true, &err));
    tc_study_close(join(store, "normal", RECORDS));
    tc_store_close(store);
    assert_fails(tacit_agent_alone(url, "ward", loss, &evaluated, TRIALS, values, &start, &err),
                 TACIT_E_UNSUPPORTED,
                 "study \"ward\" protects validation records, and a search alone would evaluate "
                 "them without noise and without paying");
    assert_int_equal(evaluated, 0);
    assert_int_equal(start, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_does_not_listen_is_alone),
        cmocka_unit_test(who_listens_starts_alike_and_goes_another_way),
        cmocka_unit_test(a_study_that_protects_records_is_refused_before_an_evaluation),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
