/* relation_test.c - entries that state their relation: their bytes, their export, and what composes. */
#include "privacy/ledger_int.h"
#include "privacy/mechanism.h"
#include "privacy/record_ledger.h"
#include "privacy/release_int.h"

#include "base/json.h"

#include "support/failing_ledger_store.h"

#include <stdio.h>
#include <stdlib.h>

static const tacit_dp_event training = {TACIT_DP_GAUSSIAN, 1.1, TACIT_DP_POISSON, 0.01, 1000};
static const tacit_dp_event plain = {TACIT_DP_GAUSSIAN, 20, TACIT_DP_ALL, 1, 30};

static failing_ledger_store store, other;

static tc_ledger *fresh(failing_ledger_store *d)
{
    memset(d, 0, sizeof *d);
    return fake_open(d);
}

/* A price of this unit under this relation. */
static tacit_status charge(tc_ledger *l, const tc_ledger_budget *b, uint64_t round,
                           tacit_dp_event event, tacit_unit unit, tacit_relation relation,
                           tacit_error *err)
{
    tc_pledge_terms terms = {.event = event, .unit = unit, .relation = relation};
    tc_ledger_charge where = {.study = tc_ledger_study_hash("one"), .round = round};
    tc_release *r = NULL;
    tc_ledger_receipt receipt = {0};
    TC_TRY(tc_pledge_by(&r, &terms, err));
    tacit_status status = tc_ledger_release(l, b, &where, r, &receipt, err);
    tc_release_free(r);
    if (status == TACIT_OK)
        tc_ledger_receipt_fini(&receipt);
    return status;
}

static void units_have_their_relation(void **state)
{
    (void)state;
    assert_int_equal(tc_relation_usual(TACIT_UNIT_AGENT, TACIT_DP_POISSON, "gaussian-sum"),
                     TACIT_RELATION_ZERO_OUT);
    assert_int_equal(tc_relation_usual(TACIT_UNIT_AGENT, TACIT_DP_FIXED_SIZE, "pledge"),
                     TACIT_RELATION_REPLACE_ONE);
    assert_int_equal(tc_relation_usual(TACIT_UNIT_AGENT, TACIT_DP_ALL, "laplace-vector"),
                     TACIT_RELATION_DISTANCE);
    assert_int_equal(tc_relation_usual(TACIT_UNIT_ROW, TACIT_DP_ALL, "gaussian-rows"),
                     TACIT_RELATION_DISTANCE);
    assert_int_equal(tc_relation_usual(TACIT_UNIT_ROW, TACIT_DP_ALL, "laplace-sum"),
                     TACIT_RELATION_REPLACE_ONE);
    assert_int_equal(tc_relation_usual(TACIT_UNIT_USER, TACIT_DP_ALL, "one-bit"),
                     TACIT_RELATION_REPLACE_ONE);
    assert_int_equal(tc_relation_usual(TACIT_UNIT_RECORD, TACIT_DP_ALL, "gaussian-value"),
                     TACIT_RELATION_REPLACE_ONE);
    assert_string_equal(tacit_relation_name(TACIT_RELATION_ZERO_OUT), "zero-out");
    assert_string_equal(tacit_relation_name(TACIT_RELATION_DISTANCE), "distance");
    assert_null(tacit_relation_name(TACIT_RELATION_USUAL));
    assert_null(tacit_relation_name((tacit_relation)5));
}

static tc_ledger_entry entry_of(tacit_relation relation)
{
    return (tc_ledger_entry){.seq = 1,
                             .unit = TACIT_UNIT_RECORD,
                             .subject = "",
                             .event = training,
                             .mechanism = "reserved",
                             .adjacency = "a",
                             .is_private = true,
                             .not_private = "",
                             .step = 1,
                             .relation = relation};
}

static size_t size_of(tacit_relation relation, uint8_t **bytes)
{
    tacit_error err = {0};
    size_t size = 0;
    tc_ledger_entry e = entry_of(relation);
    assert_ok(tc_ledger_entry_encode(&e, bytes, &size, &err));
    return size;
}

static void only_an_unusual_relation_has_a_byte(void **state)
{
    (void)state;
    tacit_error err = {0};
    uint8_t *none, *usual, *stated;
    tc_ledger_entry e;
    size_t n = size_of(TACIT_RELATION_USUAL, &none);
    assert_int_equal(size_of(TACIT_RELATION_REPLACE_ONE, &usual), n);
    assert_memory_equal(none, usual, n);
    assert_int_equal(size_of(TACIT_RELATION_ADD_REMOVE, &stated), n + 1);
    assert_memory_equal(none, stated, n);
    assert_ok(tc_ledger_entry_decode(&e, none, n, &err));
    assert_int_equal(tc_ledger_relation(&e), TACIT_RELATION_REPLACE_ONE);
    assert_ok(tc_ledger_entry_decode(&e, stated, n + 1, &err));
    assert_int_equal(tc_ledger_relation(&e), TACIT_RELATION_ADD_REMOVE);
    stated[n] = TACIT_RELATION_REPLACE_ONE; /* a second form of the entry without it */
    assert_fails(tc_ledger_entry_decode(&e, stated, n + 1, &err), TACIT_E_CORRUPT, "not an entry");
    stated[n] = 0;
    assert_fails(tc_ledger_entry_decode(&e, stated, n + 1, &err), TACIT_E_CORRUPT, "not an entry");
    stated[n] = 5;
    assert_fails(tc_ledger_entry_decode(&e, stated, n + 1, &err), TACIT_E_CORRUPT,
                 "relation must be one of the four kinds, got 5");
    tc_free(none);
    tc_free(usual);
    tc_free(stated);
}

/* ---- totals */

static void training_is_charged_for_replacement(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fresh(&store);
    tc_ledger_claim c;
    tacit_guarantee g;
    assert_ok(charge(l, NULL, 0, training, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &err));
    assert_ok(charge(l, NULL, 1, plain, TACIT_UNIT_RECORD, TACIT_RELATION_USUAL, &err));
    assert_ok(charge(l, NULL, 2, plain, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &err));
    tacit_dp_event expected[] = {tc_dp_event_replaced(&training), plain,
                                 tc_dp_event_replaced(&plain)};
    assert_ok(tc_account(&tc_accountant_pld, expected, 3, 1e-5, &g, &err));
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_RECORD, NULL, 1e-5, NULL, &c, &err));
    assert_same_bits(c.bound.epsilon, g.epsilon);
    assert_int_equal(c.relation, TACIT_RELATION_REPLACE_ONE);
    /* The same charged as a replacement by the caller. */
    tc_ledger *again = fresh(&other);
    for (uint64_t i = 0; i < 3; i++)
        assert_ok(
            charge(again, NULL, i, expected[i], TACIT_UNIT_RECORD, TACIT_RELATION_USUAL, &err));
    assert_ok(tc_ledger_guarantee(again, TACIT_UNIT_RECORD, NULL, 1e-5, NULL, &c, &err));
    assert_same_bits(c.bound.epsilon, g.epsilon);
    tc_ledger_close(l);
    tc_ledger_close(again);
}

static void a_budget_counts_both_steps(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fresh(&store);
    tc_ledger_budget b = {.epsilon = 3, .delta = 1e-5, .accountant = &tc_accountant_pld};
    /* 1.52 where a record comes or goes, 3.42 where one takes another's place. */
    assert_fails(charge(l, &b, 0, training, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &err),
                 TACIT_E_BUDGET, "spent 0, asked 3.42");
    b.epsilon = 3.5;
    assert_ok(charge(l, &b, 0, training, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &err));
    b.accountant = NULL; /* the filter has the same event */
    b.epsilon = 6;
    assert_ok(charge(l, &b, 1, plain, TACIT_UNIT_RECORD, TACIT_RELATION_USUAL, &err));
    tc_ledger_close(l);
}

static void sampling_of_records_needs_the_relation(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fresh(&store);
    assert_fails(charge(l, NULL, 0, training, TACIT_UNIT_RECORD, TACIT_RELATION_USUAL, &err),
                 TACIT_E_ARG, "sampling with a rate below 1 is accounted for agents only");
    assert_fails(charge(l, NULL, 0, training, TACIT_UNIT_RECORD, TACIT_RELATION_REPLACE_ONE, &err),
                 TACIT_E_ARG, "sampling with a rate below 1 is accounted for agents only");
    tc_ledger_close(l);
}

static void other_relations_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fresh(&store), *second = fresh(&other);
    tc_ledger_claim c;
    tacit_hash otherwise = tc_ledger_study_hash("otherwise");
    assert_ok(charge(l, NULL, 0, plain, TACIT_UNIT_AGENT, TACIT_RELATION_USUAL, &err));
    assert_fails(charge(l, NULL, 1, plain, TACIT_UNIT_AGENT, TACIT_RELATION_REPLACE_ONE, &err),
                 TACIT_E_UNSUPPORTED,
                 "this release is about replace-one neighbours and ledger entry 1 about zero-out "
                 "ones; only equal relations compose");
    assert_fails(charge(l, NULL, 1, plain, TACIT_UNIT_AGENT, TACIT_RELATION_ADD_REMOVE, &err),
                 TACIT_E_UNSUPPORTED, "only equal relations compose");
    assert_int_equal(tc_ledger_get_head(l).seq, 1);
    /* A ledger that has both, by adoption, has no total. */
    assert_ok(charge(second, NULL, 1, plain, TACIT_UNIT_AGENT, TACIT_RELATION_ADD_REMOVE, &err));
    assert_ok(tc_ledger_adopt(l, second, 1, &otherwise, &err));
    assert_fails(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, NULL, 1e-5, NULL, &c, &err),
                 TACIT_E_UNSUPPORTED,
                 "ledger entry 2 is about add-remove neighbours and entries of the same agent "
                 "about zero-out ones; only equal relations compose");
    /* Rows and records of agents are charged for agents in any case. */
    assert_ok(charge(l, NULL, 2, plain, TACIT_UNIT_RECORD, TACIT_RELATION_USUAL, &err));
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_RECORD, NULL, 1e-5, NULL, &c, &err));
    tc_ledger_close(l);
    tc_ledger_close(second);
}

static void a_distance_composes_with_others(void **state)
{
    (void)state;
    tacit_relation total = TACIT_RELATION_USUAL;
    assert_true(tc_relation_compose(&total, TACIT_RELATION_REPLACE_ONE));
    assert_int_equal(total, TACIT_RELATION_REPLACE_ONE);
    assert_true(tc_relation_compose(&total, TACIT_RELATION_DISTANCE));
    assert_int_equal(total, TACIT_RELATION_DISTANCE);
    total = TACIT_RELATION_ZERO_OUT;
    assert_false(tc_relation_compose(&total, TACIT_RELATION_ADD_REMOVE));
    assert_int_equal(total, TACIT_RELATION_ZERO_OUT);
}

/* ---- exports */

static json_t *exported(const tc_ledger *l)
{
    tacit_error err = {0};
    json_t *made = tc_ledger_json(l), *j = NULL;
    char *text = tc_json_text(made);
    assert_ok(tc_json_parse(text, strlen(text), "export", &j, &err));
    tc_free(text);
    json_decref(made);
    return j;
}

static const char *relation_in(const json_t *j, const char *list, size_t i)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(j, list), i), "relation"));
}

static void reads(const json_t *j, tacit_status status, const char *part)
{
    tacit_error err = {0};
    tc_ledger *copy = NULL;
    if (status == TACIT_OK)
        assert_ok(tc_ledger_from_json(&copy, j, &err));
    else
        assert_fails(tc_ledger_from_json(&copy, j, &err), status, part);
    tc_ledger_close(copy);
}

static void exports_say_it(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fresh(&store);
    assert_ok(charge(l, NULL, 0, plain, TACIT_UNIT_RECORD, TACIT_RELATION_USUAL, &err));
    assert_ok(charge(l, NULL, 1, training, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &err));
    json_t *j = exported(l), *first, *composed;
    assert_string_equal(relation_in(j, "entries", 0), "replace-one");
    assert_string_equal(relation_in(j, "entries", 1), "add-remove");
    assert_string_equal(relation_in(j, "composed", 0), "replace-one");
    reads(j, TACIT_OK, "");
    first = json_array_get(json_object_get(j, "entries"), 0);
    composed = json_array_get(json_object_get(j, "composed"), 0);
    json_object_del(first, "relation"); /* as exports were before */
    json_object_del(composed, "relation");
    reads(j, TACIT_OK, "");
    json_object_set_new(first, "relation", json_string("add-remove"));
    reads(j, TACIT_E_CORRUPT, "ledger entry 1 does not match its hash");
    json_object_set_new(first, "relation", json_string("replace"));
    reads(j, TACIT_E_ARG, "entries[0]: there is no relation \"replace\"");
    json_object_set_new(first, "relation", json_string("replace-one"));
    json_object_del(json_array_get(json_object_get(j, "entries"), 1), "relation");
    reads(j, TACIT_E_CORRUPT, "ledger entry 2 does not match its hash");
    json_decref(j);
    /* What goes over the wire leaves out what is usual. */
    j = tc_ledger_json_page(l, 0, UINT64_MAX);
    assert_null(relation_in(j, "entries", 0));
    assert_string_equal(relation_in(j, "entries", 1), "add-remove");
    assert_null(relation_in(j, "composed", 0));
    json_decref(j);
    tc_ledger_close(l);
}

static void asked_again_it_must_be_the_same(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fresh(&store);
    assert_ok(charge(l, NULL, 0, plain, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &err));
    assert_ok(charge(l, NULL, 0, plain, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &err));
    assert_int_equal(tc_ledger_get_head(l).seq, 1);
    assert_fails(charge(l, NULL, 0, plain, TACIT_UNIT_RECORD, TACIT_RELATION_USUAL, &err),
                 TACIT_E_CONFLICT, "with another relation");
    tc_ledger_close(l);
}

/* ---- for other programs */

static void write_export(const tc_ledger *l, const char *folder, const char *name)
{
    char path[4096];
    json_t *j = tc_ledger_json(l);
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    assert_int_equal(json_dump_file(j, path, 0), 0);
    json_decref(j);
}

/* With TACIT_EXPORTS, ledgers of many kinds as files in that folder: tools/check-ledgers has them computed
 * again by dp_accounting. Without it they are made all the same. */
static void ledgers_for_other_accountants(void **state)
{
    (void)state;
    typedef struct kind {
        const char *name;
        tacit_unit unit;
        tacit_relation relation[3];
        tacit_dp_event events[3];
    } kind;
    static const tacit_dp_event laplace = {TACIT_DP_LAPLACE, 0.2, TACIT_DP_ALL, 1, 4};
    static const tacit_dp_event pure = {TACIT_DP_PURE, 0.3, TACIT_DP_ALL, 1, 5};
    static const tacit_dp_event wide = {TACIT_DP_GAUSSIAN, 4, TACIT_DP_POISSON, 0.1, 500};
    const kind kinds[] = {
        {"gaussians", TACIT_UNIT_AGENT, {0}, {plain, plain}},
        {"sampled", TACIT_UNIT_AGENT, {0}, {training, plain, laplace}},
        {"records", TACIT_UNIT_RECORD, {0}, {plain, laplace}},
        {"users", TACIT_UNIT_USER, {0}, {pure, pure}},
        {"trained", TACIT_UNIT_RECORD, {TACIT_RELATION_ADD_REMOVE}, {training}},
        {"trained-and-evaluated",
         TACIT_UNIT_RECORD,
         {TACIT_RELATION_ADD_REMOVE, 0, TACIT_RELATION_ADD_REMOVE},
         {wide, plain, laplace}},
        {"trained-and-replied", TACIT_UNIT_RECORD, {TACIT_RELATION_ADD_REMOVE}, {training, pure}},
        {"as-it-is", TACIT_UNIT_RECORD, {0}, {plain, tc_dp_event_none()}}};
    const char *folder = getenv("TACIT_EXPORTS");
    tacit_error err = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kind *k = &kinds[i];
        tc_ledger *l = fresh(&store);
        for (uint64_t e = 0; e < 3 && k->events[e].count > 0; e++)
            assert_ok(charge(l, NULL, e, k->events[e], k->unit, k->relation[e], &err));
        if (folder)
            write_export(l, folder, k->name);
        tc_ledger_close(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_their_relation),
        cmocka_unit_test(only_an_unusual_relation_has_a_byte),
        cmocka_unit_test(training_is_charged_for_replacement),
        cmocka_unit_test(a_budget_counts_both_steps),
        cmocka_unit_test(sampling_of_records_needs_the_relation),
        cmocka_unit_test(other_relations_are_refused),
        cmocka_unit_test(a_distance_composes_with_others),
        cmocka_unit_test(exports_say_it),
        cmocka_unit_test(asked_again_it_must_be_the_same),
        cmocka_unit_test(ledgers_for_other_accountants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
