/* ledger_adopt_test.c - what is taken along keeps its bytes, and nothing that was spent is forgotten. */
#include "privacy/release_int.h"

#include "support/failing_ledger_store.h"

typedef struct pair {
    failing_ledger_store old_store, own_store;
    tc_ledger *old, *own;
    tacit_hash otherwise;
} pair;

static pair *open_pair(void)
{
    pair *p = tc_alloc(1, sizeof *p);
    assert_non_null(p);
    p->old = fake_open(&p->old_store);
    p->own = fake_open(&p->own_store);
    p->otherwise = tc_ledger_study_hash("taken along");
    return p;
}

static void close_pair(pair *p)
{
    tc_ledger_close(p->old);
    tc_ledger_close(p->own);
    tc_free(p);
}

static const tacit_dp_event REPLY = {
    .mechanism = TACIT_DP_PURE, .parameter = 1, .sampling_rate = 1, .count = 1};

/* One number about `subject`, in its own round. */
static void reply(tc_ledger *l, uint64_t round, const char *subject, int64_t value)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("doses", round, subject);
    tc_release *r = forced_single(REPLY, value);
    r->view.unit = TACIT_UNIT_USER;
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
}

static int64_t stored(tc_ledger *l, uint64_t round)
{
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tacit_hash study = tc_ledger_study_hash("doses");
    assert_ok(tc_ledger_find(l, &study, round, &receipt, &err));
    int64_t value = receipt.bytes[0];
    tc_ledger_receipt_fini(&receipt);
    return value;
}

static double spent(const tc_ledger *l, uint64_t *entries)
{
    tacit_error err = {0};
    tc_ledger_claim claim;
    assert_ok(
        tc_ledger_guarantee(l, TACIT_UNIT_USER, "ann", 1e-9, &tc_accountant_pure, &claim, &err));
    *entries = claim.entries;
    return claim.bound.epsilon;
}

static void take(pair *p, uint64_t seq)
{
    tacit_error err = {0};
    assert_ok(tc_ledger_adopt(p->own, p->old, seq, &p->otherwise, &err));
}

static void a_reply_keeps_its_place_and_bytes(void **state)
{
    (void)state;
    pair *p = open_pair();
    uint64_t entries;
    reply(p->old, 7, "ann", 42);
    reply(p->own, 3, "ann", 9);
    take(p, 1);
    assert_int_equal(stored(p->own, 7), 42);
    assert_int_equal(stored(p->own, 3), 9);
    assert_close(spent(p->own, &entries), 2, 0);
    assert_int_equal(entries, 2);
    tc_ledger *again = fake_open(&p->own_store); /* the chain is whole */
    assert_int_equal(tc_ledger_get_head(again).seq, 2);
    assert_string_equal(tc_ledger_get(again, 2, NULL)->subject, "ann");
    tc_ledger_close(again);
    close_pair(p);
}

/* Two replies to one question have left, also where both have the same bytes. */
static void two_replies_to_one_question_are_both_charged(void **state)
{
    (void)state;
    for (int64_t value = 5; value < 7; value++) {
        pair *p = open_pair();
        uint64_t entries;
        reply(p->old, 7, "ann", 5);
        reply(p->own, 7, "ann", value);
        take(p, 1);
        take(p, 1);
        assert_int_equal(stored(p->own, 7), value);
        assert_close(spent(p->own, &entries), 2, 0);
        assert_int_equal(entries, 2);
        close_pair(p);
    }
}

static void a_store_that_fails_is_said(void **state)
{
    (void)state;
    pair *p = open_pair();
    tacit_error err = {0};
    reply(p->old, 7, "ann", 5);
    p->own_store.fail_append = TACIT_E_IO;
    assert_fails(tc_ledger_adopt(p->own, p->old, 1, &p->otherwise, &err), TACIT_E_IO,
                 "the store broke down");
    p->own_store.fail_append = TACIT_E_CONFLICT; /* somebody was faster: it is tried again */
    take(p, 1);
    assert_int_equal(stored(p->own, 7), 5);
    close_pair(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_keeps_its_place_and_bytes),
        cmocka_unit_test(two_replies_to_one_question_are_both_charged),
        cmocka_unit_test(a_store_that_fails_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
