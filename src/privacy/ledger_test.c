/* ledger_test.c - one release for one round, whatever breaks; and a chain that shows damage. */
#include "privacy/release_int.h"
#include "support/failing_ledger_store.h"
#include "privacy/mechanism.h"

#include <stdio.h>
#include <stdlib.h>

static failing_ledger_store *d; /* fresh for every test */

static int fresh_store(void **state)
{
    (void)state;
    d = calloc(1, sizeof *d);
    return d ? 0 : -1;
}

static int drop_store(void **state)
{
    (void)state;
    free(d);
    return 0;
}

static tacit_status release_value(tc_ledger *l, uint64_t round, int64_t value, int64_t *left,
                                  bool *again, tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = charge_of("s", round, NULL);
    tc_release *r = forced_release(gaussian_event(2), value);
    tacit_status status = tc_ledger_release(l, NULL, &c, r, &receipt, err);
    tc_release_free(r);
    if (status != TACIT_OK) {
        assert_null(receipt.bytes);
        return status;
    }
    memcpy(left, receipt.bytes, sizeof *left);
    *again = receipt.again;
    tacit_head head = tc_ledger_get_head(l);
    if (!receipt.again)
        assert_memory_equal(&receipt.head, &head, sizeof head);
    tc_ledger_receipt_fini(&receipt);
    return TACIT_OK;
}

static int64_t left_of(tc_ledger *l, uint64_t round, int64_t value, bool expect_again)
{
    tacit_error err = {0};
    int64_t left = 0;
    bool again = false;
    assert_ok(release_value(l, round, value, &left, &again, &err));
    assert_int_equal(again, expect_again);
    return left;
}

/* ---- one release for one round */

static void a_round_is_released_once(void **state)
{
    (void)state;
    tc_ledger *l = fake_open(d);
    assert_int_equal(left_of(l, 1, 10, false), 10);
    assert_int_equal(left_of(l, 2, 20, false), 20);
    assert_int_equal(left_of(l, 1, 99, true), 10);
    tc_ledger_close(l);
    l = fake_open(d);
    assert_int_equal(left_of(l, 2, 98, true), 20);
    assert_int_equal(tc_ledger_get_head(l).seq, 2);
    assert_int_equal(d->appends, 2);
    tc_ledger_close(l);
}

static void what_was_released_can_be_found(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fake_open(d);
    tacit_hash study = tc_ledger_study_hash("s");
    tc_ledger_receipt r = {0};
    assert_fails(tc_ledger_find(l, &study, 1, &r, &err), TACIT_E_NOT_FOUND,
                 "no release of round 1");
    left_of(l, 1, 10, false);
    left_of(l, 2, 20, false);
    assert_ok(tc_ledger_find(l, &study, 1, &r, &err));
    tacit_head head;
    assert_int_equal(tc_ledger_get(l, 1, &head)->round, 1);
    assert_memory_equal(&r.head, &head, sizeof head);
    assert_int_equal(r.size, 24);
    tc_ledger_receipt_fini(&r);
    tc_ledger_close(l);
}

/* The commit happened, but the store said that it failed: the stored bytes are the answer. */
static void an_unknown_outcome_is_settled_by_reading(void **state)
{
    (void)state;
    static const tacit_status failures[] = {TACIT_E_IO, TACIT_E_BUSY, TACIT_E_MEMORY};
    tc_ledger *l = fake_open(d);
    for (size_t i = 0; i < 3; i++) {
        d->fail_append = failures[i];
        d->append_anyway = true;
        assert_int_equal(left_of(l, i, (int64_t)i + 5, true), (int64_t)i + 5);
        assert_int_equal(left_of(l, i, 77, true), (int64_t)i + 5);
    }
    assert_int_equal(d->n, 3);
    tc_ledger_close(l);
}

static void a_commit_that_did_not_happen_releases_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    int64_t left = 0;
    bool again = false;
    tc_ledger *l = fake_open(d);
    d->fail_append = TACIT_E_BUSY;
    assert_fails(release_value(l, 1, 10, &left, &again, &err), TACIT_E_BUSY, "broke down");
    assert_int_equal(tc_ledger_get_head(l).seq, 0);
    assert_int_equal(left_of(l, 1, 11, false), 11);
    tc_ledger_close(l);
}

/* Neither committing nor reading back works: nothing leaves, and later the first bytes do. */
static void an_outcome_that_stays_unknown_releases_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    int64_t left = 0;
    bool again = false;
    tc_ledger *l = fake_open(d);
    d->fail_append = TACIT_E_IO;
    d->append_anyway = true;
    d->fail_find = TACIT_E_IO;
    assert_fails(release_value(l, 1, 10, &left, &again, &err), TACIT_E_IO, "broke down");
    assert_fails(release_value(l, 1, 11, &left, &again, &err), TACIT_E_IO, "cannot be read");
    d->fail_find = TACIT_OK;
    assert_int_equal(left_of(l, 1, 12, true), 10);
    tc_ledger_close(l);
}

static void two_processes_share_a_ledger(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *a = fake_open(d), *b = fake_open(d);
    assert_int_equal(left_of(a, 1, 10, false), 10);
    assert_int_equal(left_of(b, 1, 11, true), 10); /* b had not seen it */
    assert_int_equal(left_of(b, 2, 20, false), 20);
    assert_int_equal(left_of(a, 3, 30, false), 30);
    assert_ok(tc_ledger_catch_up(b, &err));
    tacit_head ha = tc_ledger_get_head(a), hb = tc_ledger_get_head(b);
    assert_memory_equal(&ha, &hb, sizeof ha);
    tc_ledger_close(a);
    tc_ledger_close(b);
}

/* Somebody else appends between reading and committing, time and again. */
static const tc_ledger_io *inner;
static int rivals;

static tacit_status rival_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                 tacit_error *err)
{
    if (rivals-- > 0) {
        tc_ledger *other = fake_open(io->store);
        left_of(other, 1000 + (uint64_t)rivals, 1, false);
        tc_ledger_close(other);
    }
    return inner->append(io, r, err);
}

static void a_lost_race_is_run_again(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = NULL;
    tc_ledger_io plain = fake_io(d), racing = plain;
    inner = &plain;
    rivals = 5;
    racing.append = rival_append;
    assert_ok(tc_ledger_open(&l, "test", &racing, &err));
    assert_int_equal(left_of(l, 1, 10, false), 10);
    assert_int_equal(tc_ledger_get_head(l).seq, 6);
    tc_ledger_close(l);
    tc_ledger_close(fake_open(d)); /* the chain is whole */
}

/* ---- public values only */

/* A sum over these agents, in this order; its numbers are then replaced by the same ones. */
static tc_release *forced_sum(const size_t *agents, size_t n, int64_t scale, uint64_t seed)
{
    tacit_error err = {0};
    tc_sum_plan p = {.agents = 5, .blocks = 1, .width = 3};
    tc_test_noise noise;
    tc_test_noise_init(&noise, seed, 1);
    tc_entropy e = tc_entropy_of_test(&noise);
    tc_sum *s = NULL;
    tc_release *r = NULL;
    assert_ok(tc_sum_plan_set(&p, 1, 1, 0.5, &err));
    assert_ok(tc_sum_open(&s, &p, &e, &err));
    for (size_t i = 0; i < n; i++) {
        int64_t v[3] = {scale * (int64_t)agents[i], -scale, 7};
        assert_ok(tc_sum_fold(s, agents[i], v, &err));
    }
    assert_ok(tc_sum_close(s, &r, &err));
    tc_sum_free(s);
    for (int64_t i = 0; i < 3; i++)
        r->steps[i] = 100 + i;
    return r;
}

static tacit_head head_after(tc_release *r)
{
    tacit_error err = {0};
    failing_ledger_store *store = calloc(1, sizeof *store);
    assert_non_null(store);
    tc_ledger *l = fake_open(store);
    tc_ledger_charge c = charge_of("s", 1, NULL);
    tc_ledger_receipt receipt = {0};
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tacit_head head = receipt.head;
    tc_ledger_receipt_fini(&receipt);
    tc_ledger_close(l);
    tc_release_free(r);
    free(store);
    return head;
}

static void heads_say_nothing_of_contributions(void **state)
{
    (void)state;
    static const size_t all[] = {0, 1, 2, 3, 4}, some[] = {3, 1};
    tacit_head a = head_after(forced_sum(all, 5, 1000, 1));
    tacit_head b = head_after(forced_sum(some, 2, -77, 2));
    tacit_head nobody = head_after(forced_sum(some, 0, 0, 3));
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &nobody, sizeof a);
    tc_release *other = forced_sum(all, 5, 1000, 1);
    other->steps[2]++;
    tacit_head c = head_after(other);
    assert_memory_not_equal(&a, &c, sizeof a);
}

/* ---- damage */

static void fill(size_t n)
{
    tc_ledger *l = fake_open(d);
    for (uint64_t i = 0; i < n; i++)
        left_of(l, i, (int64_t)i, false);
    tc_ledger_close(l);
}

static void check_refused(const char *sentence)
{
    tacit_error err = {0};
    tc_ledger *l = NULL;
    tc_ledger_io io = fake_io(d);
    assert_int_equal(tc_ledger_open(&l, "test", &io, &err), TACIT_E_CORRUPT);
    assert_string_equal(err.msg, sentence);
    assert_null(l);
}

static void every_flipped_bit_is_named(void **state)
{
    (void)state;
    char hash[80], release[80];
    fill(9);
    for (size_t i = 0; i < 9; i++) {
        fake_record *r = &d->records[i];
        snprintf(hash, sizeof hash, "ledger entry %zu does not match its hash", i + 1);
        snprintf(release, sizeof release, "the release of ledger entry %zu does not match its hash",
                 i + 1);
        for (size_t bit = 0; bit < 8 * r->entry_size; bit++) {
            r->entry[bit / 8] ^= (uint8_t)(1u << bit % 8);
            check_refused(hash);
            r->entry[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        for (size_t byte = 0; byte < r->release_size; byte++) {
            r->release[byte] ^= 4;
            check_refused(release);
            r->release[byte] ^= 4;
        }
        r->head.bytes[31] ^= 1;
        check_refused(hash);
        r->head.bytes[31] ^= 1;
        r->release_size--;
        check_refused(release);
        r->release_size++;
    }
    tc_ledger_close(fake_open(d));
}

static void missing_and_misplaced_entries_are_named(void **state)
{
    (void)state;
    fill(5);
    failing_ledger_store *whole = malloc(sizeof *whole);
    assert_non_null(whole);
    *whole = *d;
    d->n = 4; /* the head says five */
    check_refused("ledger entry 5 is missing");
    *d = *whole;
    d->head.seq = 4; /* and its hash is of the fifth */
    check_refused("ledger entry 4 does not match the head of the ledger");
    *d = *whole;
    d->head = (tacit_head){4, d->records[3].head};
    check_refused("ledger entry 5 is beyond the ledger's head");
    *d = *whole;
    d->records[2] = d->records[3];
    check_refused("ledger entry 3 is missing");
    *d = *whole;
    d->records[2].entry_size--;
    d->records[2].head = tc_ledger_entry_hash(d->records[2].entry, d->records[2].entry_size);
    check_refused("ledger entry 3 makes no sense: it is not an entry");
    *d = *whole;
    d->records[2].round = 77;
    check_refused("ledger entry 3 is filed under another study, round or number");
    *d = *whole;
    d->records[2].study.bytes[0] ^= 1;
    check_refused("ledger entry 3 is filed under another study, round or number");
    free(whole);
}

/* Entries that are right in themselves, from a ledger with another history. */
static void spliced_entries_are_named(void **state)
{
    (void)state;
    failing_ledger_store *other = calloc(1, sizeof *other);
    assert_non_null(other);
    fill(3);
    tc_ledger *l = fake_open(other);
    for (uint64_t i = 0; i < 3; i++)
        left_of(l, i, i == 0 ? 77 : (int64_t)i, false);
    tc_ledger_close(l);
    d->records[1] = other->records[1];
    check_refused("ledger entry 2 does not follow what is before it");
    free(other);
    tacit_error err = {0};
    tc_ledger_io io = fake_io(d);
    assert_fails(tc_ledger_open(&l, "other name", &io, &err), TACIT_E_CORRUPT,
                 "ledger entry 1 does not follow what is before it");
}

static void a_store_rolled_back_under_a_handle_is_noticed(void **state)
{
    (void)state;
    tacit_error err = {0};
    int64_t left;
    bool again = false;
    fill(3);
    tc_ledger *l = fake_open(d);
    d->n = 2;
    d->head = (tacit_head){2, d->records[1].head};
    assert_fails(release_value(l, 9, 1, &left, &again, &err), TACIT_E_CORRUPT,
                 "the ledger was rolled back: it had 3 entries and has 2");
    tc_ledger_close(l);
}

/* ---- readers that keep heads */

static void readers_notice_a_rollback(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_head heads[5] = {tc_ledger_genesis("test")};
    fill(4);
    tc_ledger *l = fake_open(d);
    for (uint64_t i = 1; i <= 4; i++)
        tc_ledger_get(l, i, &heads[i]);
    for (size_t i = 0; i <= 4; i++)
        assert_ok(tc_ledger_check_seen(l, &heads[i], &err));
    tacit_head forged = heads[3];
    forged.hash.bytes[0] ^= 1;
    assert_fails(tc_ledger_check_seen(l, &forged, &err), TACIT_E_CORRUPT, "after entry 3");
    forged.seq = 5;
    assert_fails(tc_ledger_check_seen(l, &forged, &err), TACIT_E_CORRUPT,
                 "the ledger was rolled back: it had 5 entries and has 4");
    tc_ledger_close(l);
}

/* ---- bad input */

static void bad_charges_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = fake_open(d), *none = NULL;
    tc_ledger_io io = fake_io(d);
    tc_ledger_receipt receipt = {0};
    tc_release *r = forced_release(gaussian_event(1), 1);
    tc_ledger_charge c = charge_of("s", 1, "");
    assert_fails(tc_ledger_release(l, NULL, &c, r, &receipt, &err), TACIT_E_ARG,
                 "subject must not be empty");
    c.subject = "a\nb";
    assert_fails(tc_ledger_release(l, NULL, &c, r, &receipt, &err), TACIT_E_ARG,
                 "subject must be UTF-8 without control characters");
    c = charge_of("s", TC_LEDGER_MAX_ROUND + 1, NULL);
    assert_fails(tc_ledger_release(l, NULL, &c, r, &receipt, &err), TACIT_E_ARG,
                 "round must be below 2^63");
    assert_fails(tc_ledger_open(&none, "", &io, &err), TACIT_E_ARG,
                 "the name of a ledger must not be empty");
    assert_int_equal(d->n, 0);
    tc_release_free(r);
    tc_ledger_close(l);
    tc_ledger_close(NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_store, drop_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_round_is_released_once),
        TEST(what_was_released_can_be_found),
        TEST(an_unknown_outcome_is_settled_by_reading),
        TEST(a_commit_that_did_not_happen_releases_nothing),
        TEST(an_outcome_that_stays_unknown_releases_nothing),
        TEST(two_processes_share_a_ledger),
        TEST(a_lost_race_is_run_again),
        TEST(heads_say_nothing_of_contributions),
        TEST(every_flipped_bit_is_named),
        TEST(missing_and_misplaced_entries_are_named),
        TEST(spliced_entries_are_named),
        TEST(a_store_rolled_back_under_a_handle_is_noticed),
        TEST(readers_notice_a_rollback),
        TEST(bad_charges_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
