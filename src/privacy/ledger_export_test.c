/* ledger_export_test.c - a ledger as a file for strangers: read back, and every lie found. */
#include "privacy/ledger_int.h"
#include "privacy/release_int.h"
#include "support/failing_ledger_store.h"
#include "base/json.h"
#include "privacy/mechanism.h"

#include <sodium.h>
#include <stdio.h>

static failing_ledger_store store;
static tc_ledger *l;

/* Two studies, three kinds of events, a subject, a release without privacy. Called by each test,
 * not before it: cmocka would not report an assertion there. */
static void fill_ledger(void)
{
    tacit_error err = {0};
    memset(&store, 0, sizeof store);
    l = fake_open(&store);
    tacit_dp_event sampled = {TACIT_DP_GAUSSIAN, 1.1, TACIT_DP_POISSON, 0.25, 1};
    for (uint64_t i = 0; i < 3; i++)
        spend(l, "one", i, NULL, sampled);
    spend(l, "one", 3, "ana", tc_release_event(TACIT_DP_LAPLACE, 0.1));
    spend(l, "two", 0, "ana", tc_release_event(TACIT_DP_PURE, 0.3));
    double x[] = {1, 2};
    tc_release *r = NULL;
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("two", 1, "row 7");
    assert_ok(tc_none_release(&r, 1, 2, x, TACIT_UNIT_ROW, "the study asks for none", &err));
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
}

static int drop_ledger(void **state)
{
    (void)state;
    tc_ledger_close(l);
    l = NULL;
    return 0;
}

/* Through text, as a stranger would get it. */
static json_t *exported(void)
{
    tacit_error err = {0};
    json_t *made = tc_ledger_json(l), *j = NULL;
    char *text = tc_json_text(made);
    assert_non_null(text);
    assert_ok(tc_json_parse(text, strlen(text), "export", &j, &err));
    tc_free(text);
    json_decref(made);
    return j;
}

static json_t *entry_of(json_t *j, size_t i)
{
    return json_array_get(json_object_get(j, "entries"), i);
}

static void an_export_reads_back(void **state)
{
    (void)state;
    fill_ledger();
    tacit_error err = {0};
    tc_ledger *copy = NULL;
    json_t *j = exported();
    assert_ok(tc_ledger_from_json(&copy, j, &err));
    tacit_head a = tc_ledger_get_head(l), b = tc_ledger_get_head(copy);
    assert_memory_equal(&a, &b, sizeof a);
    assert_string_equal(tc_ledger_name(copy), "test");
    static const char *const subjects[] = {"ana", "bob", NULL};
    for (size_t i = 0; i < 3; i++) {
        tc_ledger_claim mine, theirs;
        assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, subjects[i], 1e-5, &tc_accountant_rdp,
                                      &mine, &err));
        assert_ok(tc_ledger_guarantee(copy, TACIT_UNIT_AGENT, subjects[i], 1e-5, &tc_accountant_rdp,
                                      &theirs, &err));
        assert_same_bits(mine.bound.epsilon, theirs.bound.epsilon);
    }
    json_t *again = tc_ledger_json(copy);
    assert_true(json_equal(again, j));
    json_decref(again);
    tc_ledger_close(copy);
    json_decref(j);
}

/* What the same releases cost a row: half the noise, and no sampling. */
#define ABOUT_AGENTS                                                                               \
    "{\"dp_event\": \"SelfComposed\", \"count\": 3, \"event\":"                                    \
    " {\"dp_event\": \"Gaussian\", \"noise_multiplier\": 0.55}},"                                  \
    " {\"dp_event\": \"NonPrivate\"},"                                                             \
    " {\"dp_event\": \"RandomizedResponse\", \"noise_parameter\": 0.7086873875484091,"             \
    " \"num_buckets\": 2, \"epsilon\": 0.6}"

static void names_are_those_of_dp_accounting(void **state)
{
    (void)state;
    fill_ledger();
    tacit_error err = {0};
    json_t *j = exported(), *expected = NULL;
    static const char composed[] =
        "[{\"unit\": \"agent\", \"subject\": null, \"relation\": \"zero-out\", \"event\": "
        "{\"dp_event\": \"Composed\","
        "  \"events\": [{\"dp_event\": \"SelfComposed\", \"count\": 3, \"event\":"
        "    {\"dp_event\": \"PoissonSampled\", \"sampling_probability\": 0.25, \"event\":"
        "      {\"dp_event\": \"Gaussian\", \"noise_multiplier\": 1.1}}}]}},"
        " {\"unit\": \"agent\", \"subject\": \"ana\", \"relation\": \"zero-out\", \"event\": "
        "{\"dp_event\": \"Composed\","
        "  \"events\": [{\"dp_event\": \"SelfComposed\", \"count\": 3, \"event\":"
        "    {\"dp_event\": \"PoissonSampled\", \"sampling_probability\": 0.25, \"event\":"
        "      {\"dp_event\": \"Gaussian\", \"noise_multiplier\": 1.1}}},"
        "    {\"dp_event\": \"Laplace\", \"noise_multiplier\": 10.0, \"epsilon\": 0.1},"
        "    {\"dp_event\": \"RandomizedResponse\", \"noise_parameter\": 0.851114966376682,"
        "     \"num_buckets\": 2, \"epsilon\": 0.3}]}},"
        " {\"unit\": \"row\", \"subject\": null, \"relation\": null, \"event\": {\"dp_event\": "
        "\"Composed\","
        "  \"events\": [" ABOUT_AGENTS "]}},"
        " {\"unit\": \"row\", \"subject\": \"row 7\", \"relation\": null, \"event\": "
        "{\"dp_event\": \"Composed\","
        "  \"events\": [" ABOUT_AGENTS ", {\"dp_event\": \"NonPrivate\"}]}}]";
    assert_ok(tc_json_parse(composed, strlen(composed), "expected", &expected, &err));
    char *a = tc_json_text(json_object_get(j, "composed")), *b = tc_json_text(expected);
    assert_string_equal(a, b);
    tc_free(a);
    tc_free(b);
    json_decref(expected);
    json_decref(j);
}

static void a_file_cannot_be_written_to(void **state)
{
    (void)state;
    fill_ledger();
    tacit_error err = {0};
    tc_ledger *copy = NULL;
    json_t *j = exported();
    assert_ok(tc_ledger_from_json(&copy, j, &err));
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("one", 9, NULL);
    tc_release *r = forced_release(gaussian_event(1), 1);
    assert_fails(tc_ledger_release(copy, NULL, &c, r, &receipt, &err), TACIT_E_STATE,
                 "the ledger \"test\" was read from a file; it has no releases to give");
    assert_fails(tc_ledger_find(copy, &c.study, 0, &receipt, &err), TACIT_E_STATE, "from a file");
    assert_ok(tc_ledger_catch_up(copy, &err));
    tc_release_free(r);
    tc_ledger_close(copy);
    json_decref(j);
}

/* Every prefix has the head that the ledger had then, and reads back as a whole. */
static void a_ledger_as_it_was(void **state)
{
    (void)state;
    fill_ledger();
    tacit_error err = {0};
    tc_ledger *then = NULL, *copy = NULL;
    json_t *all = exported();
    const uint64_t n = tc_ledger_get_head(l).seq;
    assert_int_equal(n, 6);
    for (uint64_t seq = 0; seq <= n; seq++) {
        char hex[65];
        assert_ok(tc_ledger_until(&then, l, seq, &err));
        const tacit_head head = tc_ledger_get_head(then);
        json_t *j = tc_ledger_json(then);
        assert_int_equal(head.seq, seq);
        sodium_bin2hex(hex, sizeof hex, head.hash.bytes, sizeof head.hash.bytes);
        if (seq > 0)
            assert_string_equal(hex,
                                json_string_value(json_object_get(entry_of(all, seq - 1), "head")));
        assert_ok(tc_ledger_from_json(&copy, j, &err));
        json_decref(j);
        tc_ledger_close(copy);
        tc_ledger_close(then);
    }
    assert_fails(tc_ledger_until(&then, l, n + 1, &err), TACIT_E_NOT_FOUND,
                 "the ledger test has no entry 7: it has 6");
    json_decref(all);
}

static void check_refused(json_t *j, tacit_status status, const char *why)
{
    tacit_error err = {0};
    tc_ledger *copy = NULL;
    assert_fails(tc_ledger_from_json(&copy, j, &err), status, why);
    assert_null(copy);
    json_decref(j);
}

/* Every field of every entry, changed to something that could be true. */
static void every_changed_field_is_found(void **state)
{
    (void)state;
    fill_ledger();
    static const struct {
        const char *key, *value;
    } changes[] = {
        {"study", "\"00000000000000000000000000000000000000000000000000000000000000ff\""},
        {"round", "77"},
        {"unit", "\"user\""},
        {"event", "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 9}"},
        {"distance", "1e-9"},
        {"cols", "4"},
        {"offset", "0.5"},
        {"step", "1000"},
        {"mechanism", "\"other\""},
        {"adjacency", "\"other\""},
        {"release", "\"00000000000000000000000000000000000000000000000000000000000000ff\""},
        {"previous", "\"00000000000000000000000000000000000000000000000000000000000000ff\""},
        {"head", "\"00000000000000000000000000000000000000000000000000000000000000ff\""},
    };
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
            char why[80];
            json_t *j = exported();
            json_object_set_new(entry_of(j, i), changes[k].key,
                                json_loads(changes[k].value, JSON_DECODE_ANY, NULL));
            snprintf(why, sizeof why, "ledger entry %zu does not match its hash", i + 1);
            check_refused(j, TACIT_E_CORRUPT, why);
        }
    json_t *j = exported(); /* 4 and 5 are about one unit, the first three about all */
    json_object_set_new(entry_of(j, 3), "subject", json_string("eve"));
    check_refused(j, TACIT_E_CORRUPT, "ledger entry 4 does not match its hash");
    j = exported();
    json_object_set_new(entry_of(j, 3), "subject", json_null());
    check_refused(j, TACIT_E_CORRUPT, "ledger entry 4 does not match its hash");
    j = exported();
    json_object_set_new(entry_of(j, 0), "subject", json_string("eve"));
    check_refused(j, TACIT_E_ARG,
                  "entries[0]: subject must be empty, got \"eve\": gaussian-sum of 1 x 3 values "
                  "concerns every agent");
}

static void whole_lies_are_found(void **state)
{
    (void)state;
    fill_ledger();
    json_t *j = exported();
    json_array_remove(json_object_get(j, "entries"), 2);
    check_refused(j, TACIT_E_CORRUPT, "ledger entry 3 is missing");
    j = exported();
    json_array_remove(json_object_get(j, "entries"), 5);
    check_refused(j, TACIT_E_CORRUPT, "the head of the ledger is not that of its entry 5");
    j = exported();
    json_object_set_new(j, "name", json_string("another"));
    check_refused(j, TACIT_E_CORRUPT, "ledger entry 1 does not follow what is before it");
    j = exported();
    json_array_remove(json_object_get(j, "composed"), 1);
    check_refused(j, TACIT_E_CORRUPT, "\"composed\" is not what the entries of the ledger say");
    j = exported();
    json_object_set_new(entry_of(j, 5), "not_private", json_null());
    check_refused(j, TACIT_E_ARG, "entries[5]: not_private must say why");
}

/* A chain that is right in itself, but releases a round twice. */
static void a_round_released_twice_is_found(void **state)
{
    (void)state;
    fill_ledger();
    tacit_error err = {0};
    tacit_head at = tc_ledger_get_head(l);
    tc_ledger_entry e = *tc_ledger_get(l, 2, NULL);
    uint8_t *bytes = NULL;
    size_t size;
    char previous[65], head[65];
    e.seq = at.seq + 1;
    e.previous = at.hash;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
    tacit_hash hash = tc_ledger_entry_hash(bytes, size);
    tc_free(bytes);
    json_t *j = exported(), *forged = json_deep_copy(entry_of(j, 1));
    for (size_t i = 0; i < 32; i++) {
        snprintf(previous + 2 * i, 3, "%02x", at.hash.bytes[i]);
        snprintf(head + 2 * i, 3, "%02x", hash.bytes[i]);
    }
    json_object_set_new(forged, "seq", json_integer((json_int_t)e.seq));
    json_object_set_new(forged, "previous", json_string(previous));
    json_object_set_new(forged, "head", json_string(head));
    json_object_set_new(j, "head", json_string(head));
    json_array_append_new(json_object_get(j, "entries"), forged);
    check_refused(j, TACIT_E_CORRUPT, "ledger entries 2 and 7 release the same round");
}

static void what_is_not_the_format_is_said(void **state)
{
    (void)state;
    fill_ledger();
    json_t *j = exported();
    json_object_set_new(j, "format", json_string("tacit ledger 1"));
    check_refused(j, TACIT_E_ARG, "format must be \"tacit ledger 2\", got \"tacit ledger 1\"");
    j = exported();
    json_object_set_new(j, "entries", json_integer(3));
    check_refused(j, TACIT_E_ARG, "entries must be an array, got a number");
    j = exported();
    json_object_set_new(j, "epsilon", json_integer(3));
    check_refused(j, TACIT_E_ARG, "epsilon");
    j = exported();
    json_object_del(entry_of(j, 0), "round");
    check_refused(j, TACIT_E_ARG, "entries[0].round is missing; it must be a whole number");
    j = exported();
    json_object_set_new(entry_of(j, 1), "study", json_string("zz"));
    check_refused(j, TACIT_E_ARG, "entries[1].study must be 64 hexadecimal digits");
    j = exported();
    json_object_set_new(entry_of(j, 1), "unit", json_string("house"));
    check_refused(j, TACIT_E_ARG,
                  "entries[1].unit must be agent, row, user or record, got \"house\"");
    j = exported();
    json_object_del(entry_of(j, 1), "step");
    check_refused(j, TACIT_E_ARG, "entries[1].step");
    j = exported();
    json_object_set_new(entry_of(j, 1), "event", json_null());
    check_refused(j, TACIT_E_ARG, "entries[1].event");
    check_refused(json_array(), TACIT_E_ARG, "");
}

/* ---- pages ---- */

/* A page as a reader gets it. */
static json_t *page_of(uint64_t after, uint64_t most)
{
    tacit_error err = {0};
    json_t *made = tc_ledger_json_page(l, after, most), *j = NULL;
    char *text = tc_json_text(made);
    assert_non_null(text);
    assert_ok(tc_json_parse(text, strlen(text), "page", &j, &err));
    tc_free(text);
    json_decref(made);
    return j;
}

static tacit_status add_page(tc_ledger **copy, json_t *page, bool *more, tacit_error *err)
{
    tacit_status status = tc_ledger_add_page(copy, page, more, err);
    json_decref(page);
    return status;
}

static void assert_same_chain(const tc_ledger *copy)
{
    tacit_head a = tc_ledger_get_head(l), b = tc_ledger_get_head(copy);
    assert_memory_equal(&a, &b, sizeof a);
}

/* However large the pages are, and also where entries come twice. */
static void pages_make_the_whole(void **state)
{
    tacit_error err = {0};
    (void)state;
    fill_ledger();
    uint64_t n = tc_ledger_get_head(l).seq;
    for (uint64_t most = 1; most <= n + 1; most++) {
        tc_ledger *copy = NULL;
        uint64_t pages = 0;
        for (bool more = true; more; pages++)
            assert_ok(add_page(&copy, page_of(copy ? tc_ledger_get_head(copy).seq : 0, most), &more,
                               &err));
        assert_int_equal(pages, (n + most - 1) / most);
        assert_same_chain(copy);
        bool more = true;
        assert_ok(add_page(&copy, page_of(n, most), &more, &err)); /* nothing new */
        assert_false(more);
        assert_ok(add_page(&copy, page_of(0, n), &more, &err)); /* nothing but old */
        assert_same_chain(copy);
        tc_ledger_close(copy);
    }
}

static void check_page_refused(tc_ledger **copy, json_t *page, const char *what)
{
    tacit_error err = {0};
    bool more;
    uint64_t had = *copy ? tc_ledger_get_head(*copy).seq : 0;
    assert_fails(add_page(copy, page, &more, &err), TACIT_E_CORRUPT, what);
    assert_int_equal(*copy ? tc_ledger_get_head(*copy).seq : 0, had);
}

static void a_page_that_does_not_follow_is_found(void **state)
{
    tacit_error err = {0};
    tc_ledger *copy = NULL;
    bool more;
    json_t *j;
    (void)state;
    fill_ledger();
    check_page_refused(&copy, page_of(1, 1), "ledger entry 1 is missing");
    assert_ok(add_page(&copy, page_of(0, 1), &more, &err));
    assert_true(more);
    check_page_refused(&copy, page_of(2, 1), "ledger entry 2 is missing");
    check_page_refused(&copy, page_of(0, 1), "a page of the ledger after entry 1 has nothing new");
    j = page_of(1, 1);
    json_object_set_new(entry_of(j, 0), "round", json_integer(99));
    check_page_refused(&copy, j, "ledger entry 2 does not match its hash");
    j = page_of(1, 1000);
    json_object_set_new(j, "entries", json_array());
    check_page_refused(&copy, j,
                       "the ledger was rolled back or replaced: its head is not the one "
                       "after entry 1");
    j = page_of(1, 1000);
    json_object_set_new(j, "name", json_string("another"));
    check_page_refused(&copy, j, "the ledger was called \"test\" and is \"another\" now");
    tc_ledger_close(copy);
}

#define TEST(f) cmocka_unit_test_teardown(f, drop_ledger)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_export_reads_back),
        TEST(names_are_those_of_dp_accounting),
        TEST(a_file_cannot_be_written_to),
        TEST(a_ledger_as_it_was),
        TEST(every_changed_field_is_found),
        TEST(whole_lies_are_found),
        TEST(a_round_released_twice_is_found),
        TEST(what_is_not_the_format_is_said),
        TEST(pages_make_the_whole),
        TEST(a_page_that_does_not_follow_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
