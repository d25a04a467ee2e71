/* ledger_api_test.c - the public ledger: what leaves is what is stored, a refusal spends nothing, and
 * whoever opens it again, or reads its export, finds the same. */
#include <tacit/ledger.h>

#include "base/memory.h"
#include "base/text.h"
#include "study/store.h"

#include "support/drawn_release.h"
#include "support/record_sums.h"
#include "support/store_folder.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- what is released */

static tacit_charge charge_of(uint64_t round)
{
    tacit_charge c = TACIT_CHARGE;
    c.study = "a study";
    c.round = round;
    return c;
}

static tacit_budget budget_of(const char *accountant)
{
    tacit_budget b = TACIT_BUDGET;
    b.epsilon = 2;
    b.delta = 1e-6;
    b.accountant = accountant;
    return b;
}

static tacit_ledger *open_new(const char *where)
{
    tacit_error err = {0};
    tacit_ledger *l = NULL;
    assert_ok(tacit_ledger_create(&l, where, "clinics", &err));
    return l;
}

static tacit_receipt *release(tacit_ledger *l, double z, uint64_t round)
{
    tacit_error err = {0};
    tacit_receipt *x = NULL;
    tacit_release *r = draw(z);
    tacit_charge c = charge_of(round);
    assert_ok(tacit_ledger_release(l, NULL, &c, r, &x, &err));
    tacit_release_free(r);
    return x;
}

/* One number of one user. */
static tacit_receipt *reply(tacit_ledger *l, double epsilon, uint64_t round, const char *subject)
{
    tacit_error err = {0};
    tacit_reply *p = NULL;
    tacit_receipt *x = NULL;
    tacit_release *r = NULL;
    tacit_charge c = charge_of(round);
    c.subject = subject;
    assert_ok(tacit_reply_new(&p, TACIT_REPLY_LAPLACE, epsilon, -3, 5, &err));
    assert_ok(tacit_reply_release(p, 0.5, &r, &err));
    assert_ok(tacit_ledger_release(l, NULL, &c, r, &x, &err));
    tacit_reply_free(p);
    tacit_release_free(r);
    return x;
}

static double epsilon_of_unit(tacit_ledger *l, tacit_unit unit, const char *subject)
{
    tacit_error err = {0};
    tacit_spent s = TACIT_SPENT;
    assert_ok(tacit_ledger_spent(l, unit, subject, NULL, 1e-6, &s, &err));
    return s.epsilon;
}

static double epsilon_of(tacit_ledger *l)
{
    return epsilon_of_unit(l, TACIT_UNIT_AGENT, NULL);
}

static uint64_t entries_of(tacit_ledger *l)
{
    tacit_error err = {0};
    tacit_head head;
    assert_ok(tacit_ledger_head(l, &head, &err));
    return head.seq;
}

static void assert_same_bytes(const tacit_receipt *a, const tacit_receipt *b)
{
    assert_int_equal(tacit_receipt_size(a), tacit_receipt_size(b));
    assert_memory_equal(tacit_receipt_bytes(a), tacit_receipt_bytes(b), tacit_receipt_size(a));
}

/* ---- releasing */

static void hands_out_what_it_stored(void **state)
{
    (void)state;
    tacit_error err = {0};
    const char *const wheres[] = {"memory:", url};
    for (size_t i = 0; i < 2; i++) {
        tacit_ledger *l = open_new(wheres[i]);
        tacit_release *r = draw(4);
        tacit_charge c = charge_of(7);
        tacit_receipt *x = NULL;
        uint8_t bytes[16];
        tacit_head head;
        assert_ok(tacit_release_encode(r, bytes, sizeof bytes, &err));
        assert_ok(tacit_ledger_release(l, NULL, &c, r, &x, &err));
        assert_int_equal(tacit_receipt_size(x), sizeof bytes);
        assert_memory_equal(tacit_receipt_bytes(x), bytes, sizeof bytes);
        assert_false(tacit_receipt_again(x));
        assert_true(tacit_receipt_private(x));
        assert_string_equal(tacit_receipt_not_private(x), "");
        assert_ok(tacit_ledger_head(l, &head, &err));
        assert_int_equal(head.seq, 1);
        assert_int_equal(tacit_receipt_head(x).seq, 1);
        assert_memory_equal(tacit_receipt_head(x).hash.bytes, head.hash.bytes, 32);
        tacit_receipt_free(x);
        tacit_release_free(r);
        tacit_ledger_close(l);
    }
}

static void a_second_draw_never_leaves(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new("memory:");
    tacit_receipt *first = release(l, 4, 1), *found = NULL, *none = NULL;
    double spent = epsilon_of(l);
    for (int i = 0; i < 3; i++) {
        tacit_receipt *again = release(l, 4, 1);
        assert_same_bytes(first, again);
        assert_true(tacit_receipt_again(again));
        tacit_receipt_free(again);
    }
    assert_same_bits(epsilon_of(l), spent);
    assert_int_equal(entries_of(l), 1);
    tacit_charge c = charge_of(1);
    assert_ok(tacit_ledger_find(l, &c, &found, &err));
    assert_same_bytes(first, found);
    c.round = 2;
    assert_fails(tacit_ledger_find(l, &c, &none, &err), TACIT_E_NOT_FOUND, "no release of round 2");
    tacit_release *other = draw(5);
    c.round = 1;
    assert_fails(tacit_ledger_release(l, NULL, &c, other, &none, &err), TACIT_E_CONFLICT,
                 "round 1 of this study was released as ledger entry 1 with another event; another "
                 "release needs another round");
    assert_null(none);
    tacit_release_free(other);
    tacit_receipt_free(first);
    tacit_receipt_free(found);
    tacit_ledger_close(l);
}

/* Rounds until the budget refuses; nothing of the refused one is there. */
static uint64_t spend_all(tacit_ledger *l, const tacit_budget *b, const char *sentence)
{
    tacit_error err = {0};
    tacit_cost cost = TACIT_COST;
    tacit_sum_plan plan = plan_of(4);
    assert_ok(tacit_sum_cost(&plan, &cost, &err));
    for (uint64_t round = 1; round <= 1000; round++) {
        tacit_release *r = draw(4);
        tacit_receipt *x = NULL;
        tacit_charge c = charge_of(round);
        tacit_status would = tacit_ledger_would(l, b, NULL, &cost, &err);
        tacit_status status = tacit_ledger_release(l, b, &c, r, &x, &err);
        assert_int_equal(would, status);
        tacit_release_free(r);
        tacit_receipt_free(x);
        if (status == TACIT_OK)
            continue;
        assert_int_equal(status, TACIT_E_BUDGET);
        assert_non_null(strstr(err.msg, sentence));
        assert_null(x);
        assert_fails(tacit_ledger_find(l, &c, &x, &err), TACIT_E_NOT_FOUND, "no release of round");
        assert_int_equal(entries_of(l), round - 1);
        return round - 1;
    }
    fail_msg("a thousand rounds and the budget still refuses none");
    return 0;
}

static void a_refusal_spends_nothing(void **state)
{
    (void)state;
    tacit_budget pld = budget_of("pld"), filter = budget_of(NULL);
    tacit_ledger *l = open_new("memory:");
    assert_int_equal(spend_all(l, &pld,
                               "the privacy budget of every agent (epsilon 2, delta 1e-06) does "
                               "not allow this release: spent 1.92536, asked 0.328731, remaining "
                               "0.074646 (gaussian)"),
                     3);
    assert_true(epsilon_of(l) <= 2);
    tacit_ledger_close(l);
    l = open_new("memory:");
    uint64_t rounds = spend_all(l, &filter,
                                "the privacy budget of every agent (epsilon 2, delta 1e-06) does "
                                "not allow this release: spent 1.92");
    assert_int_equal(rounds, 3); /* of Gaussians, what holds for every choice costs no more */
    tacit_ledger_close(l);
}

/* What was released stays to be had when the budget is spent. */
static void stored_bytes_need_no_budget(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_budget b = budget_of("pld");
    tacit_ledger *l = open_new("memory:");
    tacit_receipt *x = release(l, 4, 1), *again = NULL;
    tacit_release *r = draw(4);
    tacit_charge c = charge_of(1);
    b.epsilon = 0.001;
    assert_ok(tacit_ledger_release(l, &b, &c, r, &again, &err));
    assert_same_bytes(x, again);
    tacit_release_free(r);
    tacit_receipt_free(x);
    tacit_receipt_free(again);
    tacit_ledger_close(l);
}

static void a_study_is_a_text_or_its_hash(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new("memory:");
    tacit_receipt *x = release(l, 4, 1), *found = NULL, *none = NULL;
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
    assert_ok(tacit_ledger_get(l, 1, &e, &err));
    tacit_charge c = charge_of(1);
    c.study_hash = &e.study;
    assert_fails(tacit_ledger_find(l, &c, &none, &err), TACIT_E_ARG,
                 "a charge has either charge.study or charge.study_hash, got both");
    c.study = NULL;
    assert_ok(tacit_ledger_find(l, &c, &found, &err));
    assert_same_bytes(x, found);
    c.study_hash = NULL;
    assert_fails(tacit_ledger_find(l, &c, &none, &err), TACIT_E_ARG, "got neither");
    c.study = "another study";
    assert_fails(tacit_ledger_find(l, &c, &none, &err), TACIT_E_NOT_FOUND, "no release");
    assert_null(none);
    tacit_receipt_free(x);
    tacit_receipt_free(found);
    tacit_ledger_close(l);
}

static void the_stamp_stays(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_spent s = TACIT_SPENT;
    tacit_ledger *l = open_new("memory:");
    tacit_receipt *x = release(l, 0, 1);
    assert_false(tacit_receipt_private(x));
    assert_ok(tacit_ledger_spent(l, TACIT_UNIT_AGENT, NULL, NULL, 1e-6, &s, &err));
    assert_false(s.is_private);
    assert_string_equal(s.not_private, "the noise multiplier is 0");
    assert_true(isinf(s.epsilon));
    tacit_ledger_close(l);
    assert_string_equal(tacit_receipt_not_private(x),
                        "the noise multiplier is 0"); /* outlives it */
    tacit_receipt_free(x);
}

/* ---- asking */

static void says_who_has_spent_what(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_spent s = TACIT_SPENT;
    tacit_ledger *l = open_new("memory:");
    assert_close(epsilon_of(l), 0, 0);
    tacit_receipt_free(reply(l, 0.5, 1, NULL));
    double all = epsilon_of_unit(l, TACIT_UNIT_USER, NULL);
    tacit_receipt_free(reply(l, 0.5, 2, "ward 7"));
    assert_same_bits(epsilon_of_unit(l, TACIT_UNIT_USER, "ward 8"), all);
    assert_true(epsilon_of_unit(l, TACIT_UNIT_USER, "ward 7") > all);
    char name[] = "ward 7";
    assert_ok(tacit_ledger_spent(l, TACIT_UNIT_USER, name, "pure", 1e-6, &s, &err));
    memset(name, 'x', strlen(name)); /* the answer holds on to nothing of ours */
    assert_string_equal(s.subject, "ward 7");
    assert_string_equal(s.accountant, "pure");
    assert_close(s.epsilon, 1, 1e-12);
    assert_ok(tacit_ledger_spent(l, TACIT_UNIT_USER, NULL, NULL, 1e-6, &s, &err));
    assert_string_equal(s.subject, "ward 7");
    assert_int_equal(s.releases, 2);
    assert_true(s.is_private);
    assert_same_bits(s.delta, 1e-6);
    assert_ok(tacit_ledger_spent(l, TACIT_UNIT_ROW, NULL, NULL, 1e-6, &s, &err));
    assert_int_equal(s.releases, 0);
    assert_close(s.epsilon, 0, 0);
    char *text = NULL;
    assert_ok(tacit_ledger_statement(l, TACIT_UNIT_USER, "ward 7", "pure", 1e-6, &text, &err));
    assert_non_null(strstr(text, "user \"ward 7\": epsilon 1"));
    assert_non_null(strstr(text, "over 2 releases. Neighbours: any two values of one user"));
    tacit_text_free(text);
    assert_ok(tacit_ledger_statement(l, TACIT_UNIT_ROW, NULL, NULL, 1e-6, &text, &err));
    assert_string_equal(text, "Nothing was released about any row.");
    tacit_text_free(text);
    tacit_ledger_close(l);
}

static void shows_its_entries(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
    tacit_ledger *l = open_new("memory:");
    tacit_receipt *x = reply(l, 0.5, 9, "ward 7");
    char hex[65] = "?";
    assert_ok(tacit_ledger_get(l, 1, &e, &err));
    assert_int_equal(e.seq, 1);
    assert_int_equal(e.round, 9);
    assert_int_equal(e.unit, TACIT_UNIT_USER);
    assert_string_equal(e.subject, "ward 7");
    assert_string_equal(e.mechanism, "laplace-reply");
    assert_same_bits(e.event.parameter, 0.5);
    assert_true(e.distance == 0 && e.is_private);
    assert_memory_equal(e.head.bytes, tacit_receipt_head(x).hash.bytes, 32);
    tacit_hash_text(&e.head, hex);
    assert_int_equal(strspn(hex, "0123456789abcdef"), 64);
    tacit_hash_text(NULL, hex);
    assert_string_equal(hex, "");
    assert_fails(tacit_ledger_get(l, 0, &e, &err), TACIT_E_NOT_FOUND, "there is no entry 0");
    assert_fails(tacit_ledger_get(l, 2, &e, &err), TACIT_E_NOT_FOUND,
                 "there is no entry 2; the ledger \"clinics\" has 1, counted from 1");
    tacit_receipt_free(x);
    tacit_ledger_close(l);
}

/* ---- opening again */

static void is_the_same_tomorrow(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new(url);
    tacit_receipt *x = release(l, 4, 1);
    double spent = epsilon_of(l);
    tacit_ledger_close(l);
    assert_ok(tacit_ledger_open(&l, url, "clinics", &err));
    assert_string_equal(tacit_ledger_name(l), "clinics");
    assert_same_bits(epsilon_of(l), spent);
    tacit_receipt *again = release(l, 4, 1);
    assert_same_bytes(x, again);
    tacit_head seen = tacit_receipt_head(x);
    assert_ok(tacit_ledger_verify(l, &seen, &err));
    tacit_receipt_free(x);
    tacit_receipt_free(again);
    tacit_ledger_close(l);
    l = NULL;
    assert_fails(tacit_ledger_open(&l, url, "clinic", &err), TACIT_E_NOT_FOUND,
                 "there is no ledger \"clinic\" in");
    assert_fails(tacit_ledger_open(&l, "sqlite:////nowhere/x.db", "clinics", &err),
                 TACIT_E_NOT_FOUND, "/nowhere/x.db");
    assert_fails(tacit_ledger_create(&l, "clinics.db", "clinics", &err), TACIT_E_ARG,
                 "storage \"clinics.db\" is not a URL");
    assert_fails(tacit_ledger_create(&l, url, "", &err), TACIT_E_ARG, "the name of a ledger");
    assert_null(l);
}

static void two_handles_share_it(void **state)
{
    (void)state;
    tacit_ledger *a = open_new(url), *b = open_new(url);
    tacit_receipt *x = release(a, 4, 1);
    assert_int_equal(entries_of(b), 1);
    tacit_receipt *y = release(b, 4, 1);
    assert_same_bytes(x, y);
    tacit_receipt_free(release(b, 4, 2));
    assert_same_bits(epsilon_of(a), epsilon_of(b));
    assert_int_equal(entries_of(a), 2);
    tacit_receipt_free(x);
    tacit_receipt_free(y);
    tacit_ledger_close(a);
    tacit_ledger_close(b);
}

static void append_name(void *user, const char *name)
{
    tc_text_addf(user, "%s;", name);
}

static tacit_status append_or_stop(void *user, const char *name, tacit_error *err)
{
    (void)err;
    append_name(user, name);
    return strcmp(name, "b") == 0 ? TACIT_E_CANCELLED : TACIT_OK;
}

static void lists_what_a_storage_has(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_text names = {0};
    tacit_ledger *l = NULL;
    const char *const made[] = {"clinics", "b", "a"};
    assert_fails(tacit_ledger_list(url, append_name, &names, &err), TACIT_E_NOT_FOUND, "store.db");
    for (size_t i = 0; i < 3; i++) {
        assert_ok(tacit_ledger_create(&l, url, made[i], &err));
        tacit_ledger_close(l);
    }
    assert_ok(tacit_ledger_list(url, append_name, &names, &err));
    assert_string_equal(tc_text_get(&names), "clinics;b;a;");
    assert_fails(tacit_ledger_list(NULL, append_name, &names, &err), TACIT_E_ARG, "storage must");
    assert_fails(tacit_ledger_list(url, NULL, &names, &err), TACIT_E_ARG, "visit must not be NULL");
    for (int memory = 0; memory < 2; memory++) {
        tc_store *store = NULL;
        tc_ledger_io io;
        assert_ok(tc_store_open(&store, memory ? "memory:" : url, true, &err));
        for (size_t i = 0; i < 3; i++)
            assert_ok(tc_store_ledger(store, made[i], true, &io, &err));
        tc_text_fini(&names);
        assert_int_equal(tc_store_ledger_list(store, append_or_stop, &names, &err),
                         TACIT_E_CANCELLED);
        assert_string_equal(tc_text_get(&names), "clinics;b;");
        tc_store_close(store);
    }
    tc_text_fini(&names);
}

/* ---- for strangers */

static void an_export_is_the_ledger(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new("memory:"), *read = NULL, *none = NULL;
    tacit_receipt *x = release(l, 4, 1), *y = reply(l, 0.5, 2, "ward 7"), *no = NULL;
    char *json = NULL;
    assert_ok(tacit_ledger_export(l, &json, &err));
    assert_ok(tacit_ledger_import(&read, json, &err));
    assert_string_equal(tacit_ledger_name(read), "clinics");
    assert_same_bits(epsilon_of(read), epsilon_of(l));
    tacit_head seen = tacit_receipt_head(y);
    assert_ok(tacit_ledger_verify(read, &seen, &err));
    tacit_release *r = draw(4);
    tacit_charge c = charge_of(3);
    assert_fails(tacit_ledger_release(read, NULL, &c, r, &no, &err), TACIT_E_STATE,
                 "the ledger \"clinics\" was read from a file; it has no releases to give");
    assert_null(no);
    char *digit = strstr(json, "ward 7");
    assert_non_null(digit);
    digit[5] = '8';
    assert_fails(tacit_ledger_import(&none, json, &err), TACIT_E_CORRUPT, "entry 2");
    assert_fails(tacit_ledger_import(&none, "{", &err), TACIT_E_ARG, "the exported ledger");
    assert_fails(tacit_ledger_import(&none, "[]", &err), TACIT_E_ARG, "");
    assert_null(none);
    tacit_text_free(json);
    tacit_release_free(r);
    tacit_receipt_free(x);
    tacit_receipt_free(y);
    tacit_ledger_close(read);
    tacit_ledger_close(l);
}

static void a_change_is_noticed(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new(url), *none = NULL;
    tacit_receipt *x = release(l, 4, 1), *y = release(l, 4, 2);
    tacit_head head = tacit_receipt_head(x);
    assert_ok(tacit_ledger_verify(l, NULL, &err));
    assert_ok(tacit_ledger_verify(l, &head, &err));
    head.hash.bytes[31] ^= 1;
    assert_fails(tacit_ledger_verify(l, &head, &err), TACIT_E_CORRUPT,
                 "the ledger does not have the head that was seen after entry 1: its history was "
                 "replaced");
    head.seq = 3;
    assert_fails(tacit_ledger_verify(l, &head, &err), TACIT_E_CORRUPT,
                 "the ledger was rolled back: it had 3 entries and has 2");
    change_records(file, "UPDATE records SET value = CAST(substr(value, 1, length(value) - 16) || "
                         "zeroblob(16) AS BLOB)"
                         " WHERE " IS_ENTRY("01"));
    assert_fails(tacit_ledger_verify(l, NULL, &err), TACIT_E_CORRUPT,
                 "the release of ledger entry 1 does not match its hash");
    assert_fails(tacit_ledger_open(&none, url, "clinics", &err), TACIT_E_CORRUPT,
                 "the release of ledger entry 1 does not match its hash");
    assert_null(none);
    tacit_receipt_free(x);
    tacit_receipt_free(y);
    tacit_ledger_close(l);
}

/* An entry that no mechanism makes: rows that were sampled. */
static void append_sampled_row(const tc_ledger_io *io)
{
    static const uint8_t released[8] = {0};
    tacit_error err = {0};
    tc_ledger_entry e = {.seq = 1,
                         .unit = TACIT_UNIT_ROW,
                         .subject = "",
                         .event = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_POISSON, 0.01, 1},
                         .mechanism = "gaussian-rows",
                         .adjacency = "one row moves",
                         .is_private = true,
                         .not_private = "",
                         .rows = 1,
                         .cols = 1,
                         .step = 1,
                         .release = tc_ledger_release_hash(released, sizeof released),
                         .previous = tc_ledger_genesis("clinics").hash};
    tc_ledger_record r = {
        .seq = 1, .release = released, .release_size = sizeof released, .previous = e.previous};
    uint8_t *bytes = NULL;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &r.entry_size, &err));
    r.entry = bytes;
    r.head = tc_ledger_entry_hash(bytes, r.entry_size);
    assert_ok(io->append(io, &r, &err));
    tc_free(bytes);
}

static void sampled_rows_have_no_guarantee(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store = NULL;
    tc_ledger_io io;
    tacit_spent s = TACIT_SPENT;
    assert_ok(tc_store_open(&store, url, true, &err));
    assert_ok(tc_store_ledger(store, "clinics", true, &io, &err));
    append_sampled_row(&io);
    tc_store_close(store);
    tacit_ledger *l = open_new(url);
    assert_fails(tacit_ledger_spent(l, TACIT_UNIT_ROW, NULL, NULL, 1e-5, &s, &err), TACIT_E_ARG,
                 "no guarantee: ledger entry 1: sampling with a rate below 1 is accounted for "
                 "agents only, got rate 0.01 for unit row");
    assert_close(epsilon_of(l), 0, 0); /* agents have nothing to do with it */
    tacit_ledger_close(l);
}

/* ---- arguments */

static void refuses_bad_numbers(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new("memory:");
    tacit_release *r = draw(4);
    tacit_receipt *x = NULL;
    tacit_charge c = charge_of(UINT64_C(1) << 63);
    tacit_budget b = budget_of("pld");
    tacit_cost cost = TACIT_COST;
    tacit_spent s = TACIT_SPENT;
    assert_fails(tacit_ledger_release(l, &b, &c, r, &x, &err), TACIT_E_ARG,
                 "charge.round must be below 2^63, got 9223372036854775808");
    c = charge_of(1);
    b.accountant = "pdl";
    assert_fails(tacit_ledger_release(l, &b, &c, r, &x, &err), TACIT_E_NOT_FOUND, "\"pdl\"");
    b = budget_of(NULL);
    b.delta = 1;
    assert_fails(tacit_ledger_release(l, &b, &c, r, &x, &err), TACIT_E_ARG,
                 "budget.delta must be in (0, 1), got 1");
    b = budget_of("pld");
    b.epsilon = NAN;
    assert_fails(tacit_ledger_release(l, &b, &c, r, &x, &err), TACIT_E_ARG,
                 "the epsilon of a budget must be > 0, got nan");
    c.subject = "";
    assert_fails(tacit_ledger_release(l, NULL, &c, r, &x, &err), TACIT_E_ARG, "subject");
    b = budget_of("pld");
    assert_ok(tacit_release_cost(r, &cost, &err));
    assert_fails(tacit_ledger_would(l, &b, "", &cost, &err), TACIT_E_ARG,
                 "subject must not be empty");
    cost.unit = (tacit_unit)4;
    assert_fails(tacit_ledger_would(l, &b, NULL, &cost, &err), TACIT_E_ARG,
                 "the unit must be one of its constants, 0 to 3, got 4");
    cost.unit = TACIT_UNIT_AGENT;
    cost.distance = NAN;
    assert_fails(tacit_ledger_would(l, &b, NULL, &cost, &err), TACIT_E_ARG,
                 "cost.distance must be in [0, 1], got nan");
    cost.distance = 0;
    cost.event.parameter = 0;
    assert_fails(tacit_ledger_would(l, &b, NULL, &cost, &err), TACIT_E_ARG, "got 0");
    assert_fails(tacit_ledger_spent(l, (tacit_unit)-1, NULL, NULL, 0.1, &s, &err), TACIT_E_ARG,
                 "the unit must be one of its constants, 0 to 3, got -1");
    assert_fails(tacit_ledger_spent(l, TACIT_UNIT_AGENT, NULL, NULL, 2, &s, &err), TACIT_E_ARG,
                 "delta must be");
    assert_null(x);
    assert_int_equal(entries_of(l), 0);
    tacit_release_free(r);
    tacit_ledger_close(l);
}

static void releases_for_no_missing_pointer(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new("memory:");
    tacit_release *r = draw(4);
    tacit_receipt *x = NULL;
    tacit_charge c = charge_of(1), old_charge = {0};
    tacit_budget b = budget_of(NULL), old_budget = {0};
    tacit_cost cost = TACIT_COST, old_cost = {0};
    assert_fails(tacit_ledger_release(NULL, &b, &c, r, &x, &err), TACIT_E_ARG, "l must not");
    assert_fails(tacit_ledger_release(l, &b, NULL, r, &x, &err), TACIT_E_ARG, "charge must not");
    assert_fails(tacit_ledger_release(l, &b, &c, NULL, &x, &err), TACIT_E_ARG, "r must not");
    assert_fails(tacit_ledger_release(l, &b, &c, r, NULL, &err), TACIT_E_ARG, "out must not");
    assert_fails(tacit_ledger_release(l, &old_budget, &c, r, &x, &err), TACIT_E_ARG,
                 "budget.size must be sizeof(tacit_budget), at least ");
    assert_fails(tacit_ledger_release(l, &b, &old_charge, r, &x, &err), TACIT_E_ARG,
                 "charge.size must be sizeof(tacit_charge), at least ");
    assert_fails(tacit_ledger_find(NULL, &c, &x, &err), TACIT_E_ARG, "l must not be NULL");
    assert_fails(tacit_ledger_find(l, NULL, &x, &err), TACIT_E_ARG, "charge must not be NULL");
    assert_fails(tacit_ledger_find(l, &c, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_ledger_would(NULL, &b, NULL, &cost, &err), TACIT_E_ARG, "l must not");
    assert_fails(tacit_ledger_would(l, NULL, NULL, &cost, &err), TACIT_E_ARG, "budget must not");
    assert_fails(tacit_ledger_would(l, &b, NULL, NULL, &err), TACIT_E_ARG, "cost must not");
    assert_fails(tacit_ledger_would(l, &b, NULL, &old_cost, &err), TACIT_E_ARG, "cost.size must");
    assert_int_equal(tacit_ledger_release(NULL, NULL, NULL, NULL, NULL, NULL), TACIT_E_ARG);
    assert_null(tacit_receipt_bytes(NULL));
    assert_int_equal(tacit_receipt_size(NULL) + tacit_receipt_head(NULL).seq, 0);
    assert_false(tacit_receipt_again(NULL) || tacit_receipt_private(NULL));
    assert_string_equal(tacit_receipt_not_private(NULL), "");
    assert_null(x);
    tacit_receipt_free(NULL);
    tacit_release_free(r);
    tacit_ledger_close(l);
}

static void answers_no_missing_pointer(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_ledger *l = open_new("memory:"), *none = NULL;
    tacit_spent s = TACIT_SPENT, old_spent = {0};
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY, old_entry = {0};
    tacit_head head;
    char *text = NULL;
    assert_fails(tacit_ledger_create(NULL, url, "n", &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_ledger_create(&none, NULL, "n", &err), TACIT_E_ARG, "storage must not");
    assert_fails(tacit_ledger_open(&none, url, NULL, &err), TACIT_E_ARG, "name must not be NULL");
    assert_fails(tacit_ledger_import(NULL, "{}", &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_ledger_import(&none, NULL, &err), TACIT_E_ARG, "json must not be NULL");
    assert_fails(tacit_ledger_head(NULL, &head, &err), TACIT_E_ARG, "l must not be NULL");
    assert_fails(tacit_ledger_head(l, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_ledger_spent(NULL, TACIT_UNIT_ROW, NULL, NULL, 0.1, &s, &err), TACIT_E_ARG,
                 "l must not be NULL");
    assert_fails(tacit_ledger_spent(l, TACIT_UNIT_ROW, NULL, NULL, 0.1, NULL, &err), TACIT_E_ARG,
                 "out must not be NULL");
    assert_fails(tacit_ledger_spent(l, TACIT_UNIT_ROW, NULL, NULL, 0.1, &old_spent, &err),
                 TACIT_E_ARG, "out.size must be sizeof(tacit_spent), at least ");
    assert_fails(tacit_ledger_statement(NULL, TACIT_UNIT_ROW, NULL, NULL, 0.1, &text, &err),
                 TACIT_E_ARG, "l must not be NULL");
    assert_fails(tacit_ledger_statement(l, TACIT_UNIT_ROW, NULL, NULL, 0.1, NULL, &err),
                 TACIT_E_ARG, "text must not be NULL");
    assert_fails(tacit_ledger_get(NULL, 1, &e, &err), TACIT_E_ARG, "l must not be NULL");
    assert_fails(tacit_ledger_get(l, 1, NULL, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_ledger_get(l, 1, &old_entry, &err), TACIT_E_ARG,
                 "out.size must be sizeof(tacit_ledger_entry), at least ");
    assert_fails(tacit_ledger_export(NULL, &text, &err), TACIT_E_ARG, "l must not be NULL");
    assert_fails(tacit_ledger_export(l, NULL, &err), TACIT_E_ARG, "json must not be NULL");
    assert_fails(tacit_ledger_verify(NULL, NULL, &err), TACIT_E_ARG, "l must not be NULL");
    assert_string_equal(tacit_ledger_name(NULL), "");
    assert_true(!none && !text);
    tacit_hash_text(NULL, NULL);
    tacit_ledger_close(NULL);
    tacit_ledger_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hands_out_what_it_stored, clear_folder),
        cmocka_unit_test(a_second_draw_never_leaves),
        cmocka_unit_test(a_refusal_spends_nothing),
        cmocka_unit_test(stored_bytes_need_no_budget),
        cmocka_unit_test(a_study_is_a_text_or_its_hash),
        cmocka_unit_test(the_stamp_stays),
        cmocka_unit_test(says_who_has_spent_what),
        cmocka_unit_test(shows_its_entries),
        cmocka_unit_test_teardown(is_the_same_tomorrow, clear_folder),
        cmocka_unit_test_teardown(two_handles_share_it, clear_folder),
        cmocka_unit_test_teardown(lists_what_a_storage_has, clear_folder),
        cmocka_unit_test(an_export_is_the_ledger),
        cmocka_unit_test_teardown(a_change_is_noticed, clear_folder),
        cmocka_unit_test_teardown(sampled_rows_have_no_guarantee, clear_folder),
        cmocka_unit_test(refuses_bad_numbers),
        cmocka_unit_test(releases_for_no_missing_pointer),
        cmocka_unit_test(answers_no_missing_pointer),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
