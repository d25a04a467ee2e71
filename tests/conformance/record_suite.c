/* record_suite.c - what every store must do with records. Part of the conformance suite.
 *
 * The reference is a plain table in the test, searched from end to end. */
#include "conformance/store_suite.h"

#include "base/memory.h"
#include "base/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

static int64_t put_study(tc_store *s, const char *name)
{
    int64_t id = 0;
    tacit_error err = {0};
    tc_study_row row = {.name = (char *)name, .document = "{}"};
    assert_int_equal(tc_store_study_put(s, &row, &id, &err), TACIT_OK);
    return id;
}

static tc_record record(int64_t study, tc_record_kind what, const char *key, const char *value)
{
    return (tc_record){.study = study,
                       .kind = what,
                       .key = key,
                       .key_size = strlen(key),
                       .value = value,
                       .size = strlen(value)};
}

static tacit_status change_one(tc_store *s, tc_change_kind what, tc_record r, uint64_t version)
{
    tacit_error err = {0};
    r.version = version;
    return tc_store_change(s, &(tc_change){what, r}, 1, NULL, &err);
}

static void assert_has(tc_store *s, tc_record which, uint64_t version)
{
    tc_record got;
    tacit_error err = {0};
    assert_int_equal(tc_store_record_get(s, &which, &got, &err), TACIT_OK);
    assert_int_equal(got.version, version);
    assert_int_equal(got.size, which.size);
    assert_memory_equal(got.value, which.value, which.size);
    tc_free((void *)got.value);
}

static void assert_has_not(tc_store *s, tc_record which)
{
    tc_record got;
    tacit_error err = {0};
    assert_int_equal(tc_store_record_get(s, &which, &got, &err), TACIT_E_NOT_FOUND);
}

static void a_record_is_inserted_once_then_replaced_by_version(void **state)
{
    tc_store *s = *state;
    tc_record a = record(0, TC_RECORD_TOKEN, "k", "one"),
              b = record(0, TC_RECORD_TOKEN, "k", "two");
    assert_has_not(s, a);
    assert_int_equal(change_one(s, TC_REPLACE, a, 1), TACIT_E_CONFLICT);
    assert_int_equal(change_one(s, TC_INSERT, a, 0), TACIT_OK);
    assert_has(s, a, 1);
    assert_int_equal(change_one(s, TC_INSERT, b, 0), TACIT_E_CONFLICT);
    assert_int_equal(change_one(s, TC_REPLACE, b, 2), TACIT_E_CONFLICT);
    assert_has(s, a, 1);
    assert_int_equal(change_one(s, TC_REPLACE, b, 1), TACIT_OK);
    assert_has(s, b, 2);
    assert_int_equal(change_one(s, TC_ERASE, b, 1), TACIT_E_CONFLICT);
    assert_int_equal(change_one(s, TC_ERASE, b, 2), TACIT_OK);
    assert_has_not(s, b);
    assert_int_equal(change_one(s, TC_ERASE, b, 0), TACIT_E_CONFLICT);
    assert_int_equal(change_one(s, TC_INSERT, b, 0), TACIT_OK);
    assert_has(s, b, 1);
}

static void studies_and_kinds_are_rooms_apart(void **state)
{
    tc_store *s = *state;
    int64_t one = put_study(s, "one"), two = put_study(s, "two");
    assert_int_equal(change_one(s, TC_INSERT, record(one, TC_RECORD_AGENT, "k", "a"), 0), TACIT_OK);
    assert_has_not(s, record(two, TC_RECORD_AGENT, "k", ""));
    assert_has_not(s, record(one, TC_RECORD_KEY, "k", ""));
    assert_has_not(s, record(0, TC_RECORD_AGENT, "k", ""));
    assert_int_equal(change_one(s, TC_INSERT, record(two + 7, TC_RECORD_AGENT, "k", "a"), 0),
                     TACIT_E_NOT_FOUND);
}

static void values_may_hold_any_byte_and_none(void **state)
{
    tc_store *s = *state;
    static const uint8_t bytes[] = {0, 255, 0, 1, '\'', '"', 0};
    tc_record r = {.kind = TC_RECORD_MESSAGE,
                   .key = bytes,
                   .key_size = sizeof bytes,
                   .value = bytes,
                   .size = sizeof bytes};
    tc_record empty = record(0, TC_RECORD_MESSAGE, "e", "");
    assert_int_equal(change_one(s, TC_INSERT, r, 0), TACIT_OK);
    assert_int_equal(change_one(s, TC_INSERT, empty, 0), TACIT_OK);
    assert_has(s, r, 1);
    assert_has(s, empty, 1);
}

static void a_refused_set_changes_nothing_and_names_the_change(void **state)
{
    tc_store *s = *state;
    tacit_error err = {0};
    size_t refused = 99;
    tc_record a = record(0, TC_RECORD_ROUND, "a", "1"), b = record(0, TC_RECORD_ROUND, "b", "1"),
              c = record(0, TC_RECORD_ROUND, "c", "1");
    assert_int_equal(change_one(s, TC_INSERT, b, 0), TACIT_OK);
    const tc_change set[] = {{TC_INSERT, a}, {TC_INSERT, c}, {TC_INSERT, b}};
    assert_int_equal(tc_store_change(s, set, 3, &refused, &err), TACIT_E_CONFLICT);
    assert_int_equal(refused, 2);
    assert_string_equal(err.msg, "somebody else changed the same thing at the same moment");
    assert_has_not(s, a);
    assert_has_not(s, c);
}

static void what_is_required_must_be_there_and_stays(void **state)
{
    tc_store *s = *state;
    tacit_error err = {0};
    size_t refused = 99;
    tc_record round = record(0, TC_RECORD_ROUND, "r", "open");
    tc_record message = record(0, TC_RECORD_MESSAGE, "m", "hello");
    const tc_change absent[] = {{TC_REQUIRE, round}, {TC_INSERT, message}};
    assert_int_equal(change_one(s, TC_INSERT, round, 0), TACIT_OK);
    assert_int_equal(tc_store_change(s, absent, 2, &refused, &err), TACIT_E_CONFLICT);
    assert_int_equal(refused, 0);
    assert_has_not(s, message);
    round.version = 1;
    const tc_change open[] = {{TC_REQUIRE, round}, {TC_INSERT, message}};
    assert_int_equal(tc_store_change(s, open, 2, &refused, &err), TACIT_OK);
    assert_has(s, message, 1);
    assert_has(s, round, 1);
}

/* ---- ranges ---- */

typedef struct seen {
    char text[256];
    size_t n, stop;
} seen;

static tacit_status note(void *user, const tc_record *r, tacit_error *err)
{
    seen *v = user;
    (void)err;
    size_t len = strlen(v->text);
    snprintf(v->text + len, sizeof v->text - len, "%.*s=%.*s ", (int)r->key_size,
             (const char *)r->key, (int)r->size, (const char *)r->value);
    return ++v->n == v->stop ? TACIT_E_STATE : TACIT_OK;
}

static tc_record_range range(const char *prefix, const char *after, uint64_t most)
{
    return (tc_record_range){.kind = TC_RECORD_MESSAGE,
                             .prefix = prefix,
                             .prefix_size = strlen(prefix),
                             .after = after,
                             .after_size = strlen(after),
                             .most = most};
}

static void assert_scan(tc_store *s, tc_record_range r, const char *expected)
{
    seen v = {.text = ""};
    tacit_error err = {0};
    assert_int_equal(tc_store_record_scan(s, &r, note, &v, &err), TACIT_OK);
    assert_string_equal(v.text, expected);
}

static void fill(tc_store *s)
{
    static const char *const keys[] = {"b2", "a", "b", "c", "b1", "\xff", "\xff\xff", "b10"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char value[4];
        snprintf(value, sizeof value, "%zu", i);
        assert_int_equal(change_one(s, TC_INSERT, record(0, TC_RECORD_MESSAGE, keys[i], value), 0),
                         TACIT_OK);
    }
    assert_int_equal(change_one(s, TC_INSERT, record(0, TC_RECORD_RECEIPT, "b3", "x"), 0),
                     TACIT_OK);
}

static void scans_follow_the_order_of_keys(void **state)
{
    tc_store *s = *state;
    fill(s);
    assert_scan(s, range("", "", 0), "a=1 b=2 b1=4 b10=7 b2=0 c=3 \xff=5 \xff\xff=6 ");
    assert_scan(s, range("b", "", 0), "b=2 b1=4 b10=7 b2=0 ");
    assert_scan(s, range("b", "b1", 0), "b10=7 b2=0 ");
    assert_scan(s, range("b", "a", 2), "b=2 b1=4 ");
    assert_scan(s, range("b", "c", 0), "");
    assert_scan(s, range("\xff", "", 0), "\xff=5 \xff\xff=6 ");
    assert_scan(s, range("", "b2", 2), "c=3 \xff=5 ");
}

static void a_visitor_may_stop(void **state)
{
    tc_store *s = *state;
    seen v = {.stop = 2};
    tacit_error err = {0};
    fill(s);
    tc_record_range all = range("", "", 0);
    assert_int_equal(tc_store_record_scan(s, &all, note, &v, &err), TACIT_E_STATE);
    assert_string_equal(v.text, "a=1 b=2 ");
}

static void a_range_is_counted_and_dropped(void **state)
{
    tc_store *s = *state;
    tacit_error err = {0};
    uint64_t n = 99;
    fill(s);
    tc_record_range b = range("b", "", 0);
    assert_int_equal(tc_store_record_count(s, &b, &n, &err), TACIT_OK);
    assert_int_equal(n, 4);
    assert_int_equal(tc_store_record_drop(s, &b, &err), TACIT_OK);
    assert_int_equal(tc_store_record_count(s, &b, &n, &err), TACIT_OK);
    assert_int_equal(n, 0);
    assert_scan(s, range("", "", 0), "a=1 c=3 \xff=5 \xff\xff=6 ");
    assert_has(s, record(0, TC_RECORD_RECEIPT, "b3", "x"), 1);
}

/* ---- studies that go ---- */

static tacit_status no_event(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)user;
    (void)e;
    (void)err;
    return TACIT_E_STATE;
}

static void an_erased_study_is_gone_and_its_number_too(void **state)
{
    tc_store *s = *state;
    tacit_error err = {0};
    uint64_t head;
    int64_t one = put_study(s, "one"), two = put_study(s, "two");
    tc_event_row e = {.kind = TC_EVENT_ASK, .body = "{}"};
    tc_append a = {.study = two, .head = 0, .events = &e, .n = 1, .durable = true};
    assert_int_equal(tc_store_append(s, &a, &head, &err), TACIT_OK);
    assert_int_equal(change_one(s, TC_INSERT, record(one, TC_RECORD_STATE, "s", "x"), 0), TACIT_OK);
    assert_int_equal(change_one(s, TC_INSERT, record(two, TC_RECORD_STATE, "s", "y"), 0), TACIT_OK);

    assert_int_equal(tc_store_study_erase(s, two, &err), TACIT_OK);
    tc_study_row row;
    assert_int_equal(tc_store_study_get(s, "two", &row, &err), TACIT_E_NOT_FOUND);
    assert_int_equal(tc_store_append(s, &a, &head, &err), TACIT_E_NOT_FOUND);
    assert_int_equal(tc_store_scan(s, two, 0, no_event, NULL, &err), TACIT_E_NOT_FOUND);
    assert_int_equal(change_one(s, TC_INSERT, record(two, TC_RECORD_STATE, "t", "y"), 0),
                     TACIT_E_NOT_FOUND);
    assert_has_not(s, record(two, TC_RECORD_STATE, "s", ""));
    assert_has(s, record(one, TC_RECORD_STATE, "s", "x"), 1);
    assert_int_equal(tc_store_study_erase(s, two, &err), TACIT_E_NOT_FOUND);

    int64_t again = put_study(s, "two");
    assert_true(again > two);
    assert_int_equal(tc_store_scan(s, again, 0, no_event, NULL, &err), TACIT_OK);
}

/* ---- the reference ---- */

enum { KEYS = 12, SETS = 600 };

typedef struct model {
    uint64_t version[KEYS]; /* 0: none */
    int value[KEYS];
} model;

static tc_record of_key(int k, const int *value)
{
    static const char *const keys[KEYS] = {"a", "aa", "ab", "b", "ba", "bb",
                                           "c", "ca", "cb", "d", "da", "db"};
    return (tc_record){.kind = TC_RECORD_AGENT,
                       .key = keys[k],
                       .key_size = strlen(keys[k]),
                       .value = value,
                       .size = sizeof *value};
}

static bool model_fits(const model *m, int k, tc_change_kind what, uint64_t version)
{
    if (what == TC_INSERT)
        return m->version[k] == 0;
    return m->version[k] == version && (what == TC_REQUIRE || version > 0);
}

static void model_apply(model *m, int k, tc_change_kind what, int value)
{
    if (what == TC_REQUIRE)
        return;
    m->version[k] = what == TC_ERASE ? 0 : m->version[k] + 1;
    m->value[k] = value;
}

/* A set of up to three changes of different keys, most of which fit. */
static void random_set(tc_store *s, model *m, tc_stream *draws)
{
    tc_change set[3];
    int keys[3], values[3];
    size_t n = 1 + (size_t)tc_draw_below(draws, 3), bad = n;
    for (size_t i = 0; i < n; i++) {
        keys[i] = (int)(tc_draw_below(draws, KEYS / 3) * 3 + i);
        values[i] = (int)tc_draw_below(draws, 1000);
        set[i].what = (tc_change_kind)tc_draw_below(draws, 4);
        set[i].record = of_key(keys[i], &values[i]);
        set[i].record.version = m->version[keys[i]] + (tc_draw_below(draws, 8) == 0);
        if (bad == n && !model_fits(m, keys[i], set[i].what, set[i].record.version))
            bad = i;
    }
    size_t refused = 99;
    tacit_error err = {0};
    tacit_status status = tc_store_change(s, set, n, &refused, &err);
    assert_int_equal(status, bad == n ? TACIT_OK : TACIT_E_CONFLICT);
    if (bad < n)
        assert_int_equal(refused, bad);
    for (size_t i = 0; bad == n && i < n; i++)
        model_apply(m, keys[i], set[i].what, values[i]);
}

static void random_changes_match_the_reference(void **state)
{
    tc_store *s = *state;
    tc_public_seed seed = tc_public_seed_from(7);
    tc_stream draws;
    model m = {.version = {0}};
    tc_stream_public(&draws, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < SETS; i++)
        random_set(s, &m, &draws);
    for (int k = 0; k < KEYS; k++)
        if (m.version[k] > 0)
            assert_has(s, of_key(k, &m.value[k]), m.version[k]);
        else
            assert_has_not(s, of_key(k, &m.value[k]));
}

/* ---- threads ---- */

enum { THREADS = 8, PLACES = 40 };

typedef struct racer {
    tc_store *store;
    size_t won, failed;
} racer;

static void *race(void *user)
{
    racer *r = user;
    for (int i = 0; i < PLACES; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i);
        tacit_status status =
            change_one(r->store, TC_INSERT, record(0, TC_RECORD_KEY, key, "me"), 0);
        r->won += status == TACIT_OK;
        r->failed += status != TACIT_OK && status != TACIT_E_CONFLICT;
    }
    return NULL;
}

static void a_place_has_one_winner(void **state)
{
    pthread_t threads[THREADS];
    racer racers[THREADS];
    size_t won = 0;
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (racer){.store = *state};
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        won += racers[i].won;
        assert_int_equal(racers[i].failed, 0);
    }
    assert_int_equal(won, PLACES);
}

static void what_is_durable_stays(void **state)
{
    tacit_error err = {0};
    tc_record r = record(0, TC_RECORD_ROUND, "r", "open");
    assert_int_equal(tc_store_wait_durable(*state, tc_store_moment(*state), &err), TACIT_OK);
    assert_int_equal(change_one(*state, TC_INSERT, r, 0), TACIT_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tc_store_wait_durable(*state, tc_store_moment(*state), &err), TACIT_OK);
    assert_has(*state, r, 1);
}

static void two_handles_see_one_set_of_records(void **state)
{
    tc_store *other = kind->open_again();
    assert_non_null(other);
    tc_record r = record(0, TC_RECORD_ROUND, "r", "open");
    assert_int_equal(change_one(*state, TC_INSERT, r, 0), TACIT_OK);
    assert_has(other, r, 1);
    assert_int_equal(change_one(other, TC_REPLACE, record(0, TC_RECORD_ROUND, "r", "closed"), 1),
                     TACIT_OK);
    assert_int_equal(change_one(*state, TC_REPLACE, r, 1), TACIT_E_CONFLICT);
    assert_has(*state, record(0, TC_RECORD_ROUND, "r", "closed"), 2);
    tc_store_close(other);
}

#define ON_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int record_suite_run(const store_kind *which)
{
    const struct CMUnitTest tests[] = {
        ON_STORE(a_record_is_inserted_once_then_replaced_by_version),
        ON_STORE(studies_and_kinds_are_rooms_apart),
        ON_STORE(values_may_hold_any_byte_and_none),
        ON_STORE(a_refused_set_changes_nothing_and_names_the_change),
        ON_STORE(what_is_required_must_be_there_and_stays),
        ON_STORE(scans_follow_the_order_of_keys),
        ON_STORE(a_visitor_may_stop),
        ON_STORE(a_range_is_counted_and_dropped),
        ON_STORE(an_erased_study_is_gone_and_its_number_too),
        ON_STORE(random_changes_match_the_reference),
        ON_STORE(a_place_has_one_winner),
        ON_STORE(what_is_durable_stays),
    };
    const struct CMUnitTest shared[] = {ON_STORE(two_handles_see_one_set_of_records)};
    kind = which;
    int failed = cmocka_run_group_tests_name(which->name, tests, NULL, NULL);
    if (which->open_again)
        failed += cmocka_run_group_tests_name(which->name, shared, NULL, NULL);
    return failed;
}
