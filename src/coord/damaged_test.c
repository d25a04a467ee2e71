/* damaged_test.c - what is damaged in the store is the coordinator's trouble: 500, never 4xx, which would tell
 * a client that its request was wrong. */
#include "support/coord_study.h"

#include "coord/record_json.h"

static void put_study(coord_world *w, const char *name, const char *document)
{
    tacit_error err = {0};
    int64_t id;
    tc_study_row row = {
        .name = (char *)(uintptr_t)name, .document = (char *)(uintptr_t)document, .created_ms = 7};
    assert_ok(tc_store_study_put(w->store, &row, &id, &err));
}

static void put_record(coord_world *w, int64_t study, tc_record_kind kind, const tc_key *key,
                       const char *value)
{
    tacit_error err = {0};
    tc_changes changes = {.n = 0};
    tc_changes_bytes(&changes, TC_INSERT, study, kind, key, 0, value, strlen(value));
    assert_ok(tc_changes_end(w->store, &changes, TACIT_OK, NULL, &err));
}

#define DOCUMENT(algorithm, low, federation)                                                       \
    "{\"name\": \"d\", \"direction\": \"maximize\", \"trials\": 12, \"space\": {\"x\": "           \
    "{\"type\": "                                                                                  \
    "\"float\", \"low\": " low ", \"high\": 1}}, \"algorithm\": {\"name\": \"" algorithm           \
    "\"}" federation "}"
#define FEDERATION ", \"federation\": {\"agents\": 3}, \"privacy\": \"none\""

static void a_damaged_document_is_a_failure_of_ours(void **state)
{
    static const char *const documents[] = {
        "",
        "{\"name\": \"d\"",
        "{\"name\": \"d\"}",
        DOCUMENT("random", "2", ""), /* the bounds cross */
        DOCUMENT("randon", "0", ""), /* there is none */
        DOCUMENT("random", "0", ", \"trails\": 12"),
        DOCUMENT("dp-fts-de", "2", FEDERATION),
        DOCUMENT("random", "0", FEDERATION), /* not one of a federation */
    };
    static const char *const asks[][3] = {
        {"GET", "/v1/studies/%s", NULL},
        {"GET", "/v1/studies/%s/trials", NULL},
        {"POST", "/v1/studies/%s/trials:suggest", "{\"worker\": \"w\"}"},
        {"POST", "/v1/studies/%s/tokens", "{}"},
    };
    coord_world *w = *state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        char name[16], path[128];
        snprintf(name, sizeof name, "d%zu", i);
        put_study(w, name, documents[i]);
        size_t failed = 0;
        for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
            snprintf(path, sizeof path, asks[k][1], name);
            int status = world_call(w, asks[k][0], path, w->operator_token, asks[k][2], NULL);
            if (status >= 400 && status != 500)
                fail_msg("%s %s: %d", asks[k][0], path, status);
            failed += status == 500;
        }
        assert_true(failed > 0);
    }
}

/* The same mistake in a request is the client's. */
static void a_document_that_is_sent_is_not_ours(void **state)
{
    static const char *const bodies[] = {
        "{\"document\": " DOCUMENT("random", "2", "") "}",
        "{\"document\": " DOCUMENT("randon", "0", "") "}",
        "{\"document\": " DOCUMENT("random", "0", FEDERATION) "}",
    };
    coord_world *w = *state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        int status = world_call(w, "POST", "/v1/studies", w->operator_token, bodies[i], NULL);
        if (status < 400 || status >= 500)
            fail_msg("%s: %d", bodies[i], status);
    }
}

/* Not "the token is for another study", either. */
static void a_damaged_record_is_a_failure_of_ours(void **state)
{
    static const char *const tokens[] = {"{", "{}", "{\"role\": \"operator\"}",
                                         ("{\"role\": \"nobody\", \"expires_ms\": 0, \"study\": 0, "
                                          "\"agent\": 0}")};
    coord_world *w = *state;
    tc_key far = tc_key_number(1000);
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        char bearer[16];
        snprintf(bearer, sizeof bearer, "damaged-%zu", i);
        tacit_hash h = tc_hash_bytes(bearer, strlen(bearer));
        tc_key key = tc_key_hash(&h);
        put_record(w, 0, TC_RECORD_TOKEN, &key, tokens[i]);
        assert_int_equal(world_call(w, "GET", "/v1/studies", bearer, NULL, NULL), 500);
    }
    put_record(w, 1, TC_RECORD_AGENT, &far, "{");
    assert_int_equal(world_call(w, "GET", "/v1/studies/s/agents", w->operator_token, NULL, NULL),
                     500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_damaged_document_is_a_failure_of_ours),
        IN_WORLD(a_document_that_is_sent_is_not_ours),
        IN_WORLD(a_damaged_record_is_a_failure_of_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
