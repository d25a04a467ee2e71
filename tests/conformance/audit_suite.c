/* audit_suite.c - the operator's log on every store (study/audit.h): entries come with the change that they are about or not at
 * all, nobody's is lost where many write at once, and what is changed afterwards is seen. Part of the conformance suite. */
#include "conformance/store_suite.h"

#include "base/memory.h"
#include "study/audit.h"

#include <pthread.h>
#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WRITERS = 4, EACH = 12 };

static const store_kind *kind;

static int open_store(void **state)
{
    *state = kind->open_fresh();
    return *state ? 0 : -1;
}

static int close_store(void **state)
{
    tc_store_close(*state);
    return 0;
}

static tc_audit_entry entry(const char *action)
{
    return (tc_audit_entry){.at_ms = 1700000000000,
                            .role = "operator",
                            .token = "0123456789abcdef",
                            .name = "alice",
                            .action = action,
                            .outcome = "done",
                            .study = "s",
                            .of = "",
                            .detail = "it was running"};
}

static tc_change insertion(const char *key)
{
    return (tc_change){
        TC_INSERT,
        {.kind = TC_RECORD_TOKEN, .key = key, .key_size = strlen(key), .value = "{}", .size = 2}};
}

static uint64_t count(tc_store *s, tc_record_kind what, const char *prefix)
{
    uint64_t n = 0;
    tacit_error err = {0};
    tc_record_range all = {.kind = what, .prefix = prefix, .prefix_size = strlen(prefix)};
    assert_int_equal(tc_store_record_count(s, &all, &n, &err), TACIT_OK);
    return n;
}

static tacit_status follow(void *user, const json_t *e, tacit_error *err)
{
    return tc_audit_follow(user, e, err);
}

/* Reads it from the beginning. */
static tacit_status check(tc_store *s, tc_audit_head *end, tacit_error *err)
{
    memset(end, 0, sizeof *end);
    memset(end->hash, '0', sizeof end->hash - 1);
    return tc_audit_scan(s, 0, 0, follow, end, err);
}

static void assert_whole(tc_store *s, uint64_t entries)
{
    tc_audit_head end, head;
    tacit_error err = {0};
    if (check(s, &end, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(tc_audit_head_get(s, &head, &err), TACIT_OK);
    assert_int_equal(head.seq, entries);
    assert_int_equal(end.seq, entries);
    assert_string_equal(end.hash, head.hash);
}

static tacit_status put(tc_store *s, const char *action)
{
    tacit_error err = {0};
    const tc_audit_entry e = entry(action);
    return tc_audit_change(s, NULL, 0, &e, NULL, &err);
}

/* ---- with its change, or not at all ---- */

static void an_entry_comes_with_its_change(void **state)
{
    tacit_error err = {0};
    const tc_audit_entry e = entry("token.make");
    tc_change both[2] = {insertion("one"), insertion("two")};
    size_t refused = 9;
    assert_whole(*state, 0);
    assert_int_equal(tc_audit_change(*state, both, 1, &e, NULL, &err), TACIT_OK);
    assert_whole(*state, 1);
    both[0] = insertion("three");
    both[1] = insertion("one"); /* it is there */
    assert_int_equal(tc_audit_change(*state, both, 2, &e, &refused, &err), TACIT_E_CONFLICT);
    assert_int_equal(refused, 1);
    assert_whole(*state, 1);
    assert_int_equal(count(*state, TC_RECORD_TOKEN, ""), 1);
}

/* ---- the chain ---- */

static tacit_status take_text(void *user, const json_t *e, tacit_error *err)
{
    (void)err;
    if (*(char **)user == NULL)
        *(char **)user = json_dumps(e, JSON_SORT_KEYS | JSON_COMPACT);
    return TACIT_OK;
}

/* As the header says it, by other means. */
static void anybody_can_compute_a_hash(void **state)
{
    char *text = NULL, hex[65];
    uint8_t hash[32];
    tacit_error err = {0};
    assert_int_equal(put(*state, "study.pause"), TACIT_OK);
    assert_int_equal(tc_audit_scan(*state, 0, 1, take_text, &text, &err), TACIT_OK);
    assert_non_null(text);
    char *from = strstr(text, ",\"hash\":\"");
    assert_non_null(from);
    char said[65];
    snprintf(said, sizeof said, "%s", from + strlen(",\"hash\":\""));
    memmove(from, from + strlen(",\"hash\":\"\"") + 64, strlen(from + 74) + 1);
    assert_string_equal(
        text, "{\"action\":\"study.pause\",\"at_ms\":1700000000000,\"detail\":\"it was running\","
              "\"name\":\"alice\",\"of\":\"\",\"outcome\":\"done\",\"previous\":"
              "\"0000000000000000000000000000000000000000000000000000000000000000\","
              "\"role\":\"operator\",\"seq\":1,\"study\":\"s\",\"token\":\"0123456789abcdef\"}");
    crypto_generichash(hash, sizeof hash, (uint8_t *)text, strlen(text), NULL, 0);
    assert_string_equal(sodium_bin2hex(hex, sizeof hex, hash, sizeof hash), said);
    free(text);
}

static void key_of(uint64_t seq, uint8_t out[14])
{
    memcpy(out, "audit.", 6);
    for (int i = 0; i < 8; i++)
        out[6 + i] = (uint8_t)(seq >> (56 - 8 * i));
}

/* Puts another value in the place of entry seq; NULL: takes it out. */
static void tamper(tc_store *s, uint64_t seq, const char *from, const char *to)
{
    tacit_error err = {0};
    uint8_t key[14];
    char value[1024];
    tc_record which = {.kind = TC_RECORD_SERVER, .key = key, .key_size = sizeof key}, got;
    key_of(seq, key);
    assert_int_equal(tc_store_record_get(s, &which, &got, &err), TACIT_OK);
    snprintf(value, sizeof value, "%.*s", (int)got.size, (const char *)got.value);
    tc_free((void *)got.value);
    tc_change c = {from ? TC_REPLACE : TC_ERASE, which};
    c.record.version = got.version;
    if (from) {
        char *at = strstr(value, from);
        assert_non_null(at);
        assert_int_equal(strlen(from), strlen(to));
        memcpy(at, to, strlen(to));
        c.record.value = value;
        c.record.size = strlen(value);
    }
    tc_store_forget(s);
    assert_int_equal(tc_store_change(s, &c, 1, NULL, &err), TACIT_OK);
}

static void assert_broken(tc_store *s, const char *why)
{
    tc_audit_head end;
    tacit_error err = {0};
    assert_int_equal(check(s, &end, &err), TACIT_E_CORRUPT);
    assert_string_equal(err.msg, why);
}

static void what_is_changed_afterwards_is_seen(void **state)
{
    for (int i = 0; i < 5; i++)
        assert_int_equal(put(*state, "study.pause"), TACIT_OK);
    assert_whole(*state, 5);
    tamper(*state, 3, "alice", "carol");
    assert_broken(*state, "the operator's log is not whole: entry 3 does not match its hash");
    tamper(*state, 3, "carol", "alice");
    assert_whole(*state, 5);
    tamper(*state, 2, NULL, NULL);
    assert_broken(*state, "the operator's log is not whole: entry 2 is missing");
}

/* As a coordinator may send it. */
static tacit_status follow_without(void *user, const json_t *e, tacit_error *err)
{
    json_t *odd = json_deep_copy(e);
    assert_non_null(odd);
    assert_int_equal(json_object_del(odd, "detail"), 0);
    assert_int_equal(json_object_set_new(odd, "hash", json_string("")), 0);
    tacit_status status = tc_audit_follow(user, odd, err);
    json_decref(odd);
    return status;
}

static void an_entry_without_a_member_has_no_hash(void **state)
{
    tc_audit_head at = {.seq = 0};
    tacit_error err = {0};
    memset(at.hash, '0', sizeof at.hash - 1);
    assert_int_equal(put(*state, "study.pause"), TACIT_OK);
    assert_int_equal(tc_audit_scan(*state, 0, 0, follow_without, &at, &err), TACIT_E_CORRUPT);
    assert_string_equal(err.msg,
                        "the operator's log is not whole: entry 1 does not match its hash");
}

static void a_page_goes_on_where_the_last_ended(void **state)
{
    tc_audit_head at = {.seq = 0};
    tacit_error err = {0};
    memset(at.hash, '0', sizeof at.hash - 1);
    for (int i = 0; i < 300; i++)
        assert_int_equal(put(*state, "study.pause"), TACIT_OK);
    for (uint64_t after = 0; after < 300; after += 7) {
        assert_int_equal(tc_audit_scan(*state, after, 7, follow, &at, &err), TACIT_OK);
        assert_int_equal(at.seq, after + 7 < 300 ? after + 7 : 300);
    }
}

/* ---- many at once ---- */

typedef struct writer {
    tc_store *store;
    int number;
    bool failed;
} writer;

static void *write_many(void *user)
{
    writer *w = user;
    char key[32];
    for (int i = 0; i < EACH; i++) {
        tacit_error err = {0};
        const tc_audit_entry e = entry("token.make");
        snprintf(key, sizeof key, "%d.%d", w->number, i);
        tc_change c = insertion(key);
        w->failed |= tc_audit_change(w->store, &c, 1, &e, NULL, &err) != TACIT_OK;
    }
    return NULL;
}

/* Every second one has a handle of its own, as another process would. */
static void nobodys_entry_is_lost(void **state)
{
    writer all[WRITERS];
    pthread_t threads[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        bool other = i % 2 && kind->open_again;
        all[i] = (writer){.store = other ? kind->open_again() : *state, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &all[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_false(all[i].failed);
        if (all[i].store != *state)
            tc_store_close(all[i].store);
    }
    assert_whole(*state, WRITERS * EACH);
    assert_int_equal(count(*state, TC_RECORD_TOKEN, ""), WRITERS * EACH);
}

#define ON_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int audit_suite_run(const store_kind *which)
{
    const struct CMUnitTest tests[] = {ON_STORE(an_entry_comes_with_its_change),
                                       ON_STORE(anybody_can_compute_a_hash),
                                       ON_STORE(what_is_changed_afterwards_is_seen),
                                       ON_STORE(an_entry_without_a_member_has_no_hash),
                                       ON_STORE(a_page_goes_on_where_the_last_ended),
                                       ON_STORE(nobodys_entry_is_lost)};
    kind = which;
    return cmocka_run_group_tests_name(which->name, tests, NULL, NULL);
}
