/* ledger_rounds_test.c - a round has one release, whatever the store's index says; and whoever
 * asks again gets it only if it is what they ask for, with the stamp it was stored with. */
#include "privacy/release_int.h"
#include "support/failing_ledger_store.h"
#include "privacy/ledger_int.h"

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

static tacit_status offer(tc_ledger *l, uint64_t round, const char *subject, const tc_release *r,
                          tc_ledger_receipt *out, tacit_error *err)
{
    tc_ledger_charge c = charge_of("s", round, subject);
    return tc_ledger_release(l, NULL, &c, r, out, err);
}

/* ---- the set */

static uint64_t slow_round_entry(const tc_ledger *l, const tacit_hash *study, uint64_t round)
{
    for (uint64_t seq = 1; seq <= l->n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->round == round && tc_ledger_hash_same(&e->study, study))
            return seq;
    }
    return 0;
}

static void check_set(const tc_ledger *l)
{
    for (uint64_t study = 0; study < 8; study++)
        for (uint64_t round = 0; round < 64; round++) {
            tacit_hash h = {{(uint8_t)study}};
            uint64_t far = round << 40;
            assert_int_equal(tc_ledger_round_entry(l, &h, round), slow_round_entry(l, &h, round));
            assert_int_equal(tc_ledger_round_entry(l, &h, far), slow_round_entry(l, &h, far));
        }
}

/* Rounds of few studies, near one another and far apart; a second entry of one is refused. */
static void the_set_is_that_of_the_entries(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = NULL;
    tacit_hash head = {0};
    uint64_t refused = 0;
    uint32_t seed = 5;
    assert_ok(tc_ledger_new(&l, "set", &err));
    check_set(l);
    for (int i = 0; i < 900; i++) {
        seed = seed * 1103515245u + 12345u;
        tc_ledger_entry e = {.seq = l->n + 1, .subject = "", .mechanism = "m", .adjacency = ""};
        e.not_private = "";
        e.study.bytes[0] = (uint8_t)(seed >> 16 & 7);
        e.round = (uint64_t)(seed >> 20 & 63) << (seed >> 30 & 1 ? 40 : 0);
        uint64_t before = slow_round_entry(l, &e.study, e.round);
        char why[96];
        snprintf(why, sizeof why, "ledger entries %llu and %llu release the same round",
                 (unsigned long long)before, (unsigned long long)e.seq);
        if (before == 0)
            assert_ok(tc_ledger_push(l, &e, &head, &err));
        else
            assert_fails(tc_ledger_push(l, &e, &head, &err), TACIT_E_CORRUPT, why);
        refused += before != 0;
    }
    check_set(l);
    assert_int_equal(l->n + refused, 900);
    assert_true(l->n > 300 && refused > 100);
    tc_ledger_close(l);
}

/* ---- stores whose index is damaged */

static tacit_status blind_find(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                               uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err)
{
    (void)io, (void)study, (void)round, (void)seq, (void)release, (void)size;
    return tc_fail(err, TACIT_E_NOT_FOUND, "no such release");
}

/* Does not see either that the round was released. */
static tacit_status blind_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                 tacit_error *err)
{
    failing_ledger_store *to = io->store;
    (void)err;
    fake_record *added = &to->records[to->n++];
    *added = (fake_record){.seq = r->seq, .round = r->round, .study = r->study, .head = r->head};
    memcpy(added->entry, r->entry, added->entry_size = r->entry_size);
    memcpy(added->release, r->release, added->release_size = r->release_size);
    to->head = (tacit_head){r->seq, r->head};
    return TACIT_OK;
}

static tc_ledger *open_blind(void)
{
    tacit_error err = {0};
    tc_ledger *l = NULL;
    tc_ledger_io io = fake_io(d);
    io.find = blind_find;
    io.append = blind_append;
    assert_ok(tc_ledger_open(&l, "test", &io, &err));
    return l;
}

static void a_release_that_the_store_does_not_find_is_damage(void **state)
{
    (void)state;
    static const char why[] =
        "the store does not find the release of ledger entry 2 (round 5): it is damaged";
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tacit_hash study = tc_ledger_study_hash("s");
    tc_ledger *l = fake_open(d);
    spend(l, "s", 4, NULL, gaussian_event(2));
    spend(l, "s", 5, NULL, gaussian_event(2));
    tc_ledger_close(l);
    l = open_blind();
    tc_release *r = forced_release(gaussian_event(2), 99);
    assert_fails(tc_ledger_find(l, &study, 5, &receipt, &err), TACIT_E_CORRUPT, why);
    assert_fails(offer(l, 5, NULL, r, &receipt, &err), TACIT_E_CORRUPT, why);
    assert_fails(tc_ledger_find(l, &study, 6, &receipt, &err), TACIT_E_NOT_FOUND,
                 "no release of round 6");
    assert_int_equal(d->n, 2);
    assert_null(receipt.bytes);
    tc_release_free(r);
    tc_ledger_close(l);
}

/* Another process released it since this handle last looked, and the index hides it. */
static void what_others_released_counts(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_receipt receipt = {0};
    tc_ledger *l = open_blind(), *other = fake_open(d);
    spend(other, "s", 5, NULL, gaussian_event(2));
    tc_ledger_close(other);
    tc_release *r = forced_release(gaussian_event(2), 99);
    assert_fails(offer(l, 5, NULL, r, &receipt, &err), TACIT_E_CORRUPT, "ledger entry 1 (round 5)");
    assert_int_equal(d->n, 1);
    tc_release_free(r);
    tc_ledger_close(l);
}

/* A chain that is right in itself, from two stores of which one did not know of the other. */
static void a_stored_chain_that_releases_a_round_twice_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = NULL;
    tc_ledger_io io = fake_io(d);
    l = fake_open(d);
    for (uint64_t round = 1; round <= 3; round++)
        spend(l, "s", round, NULL, gaussian_event(2));
    tacit_head at = tc_ledger_get_head(l);
    tc_ledger_entry e = *tc_ledger_get(l, 2, NULL);
    tc_ledger_record again = {.seq = at.seq + 1, .study = e.study, .round = e.round};
    uint8_t *bytes = NULL;
    e.seq = again.seq;
    e.previous = at.hash;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &again.entry_size, &err));
    again.entry = bytes;
    again.head = tc_ledger_entry_hash(bytes, again.entry_size);
    again.release = d->records[1].release;
    again.release_size = d->records[1].release_size;
    assert_ok(blind_append(&io, &again, &err));
    tc_free(bytes);
    assert_fails(tc_ledger_catch_up(l, &err), TACIT_E_CORRUPT,
                 "ledger entries 2 and 4 release the same round");
    tc_ledger_close(l);
    assert_fails(tc_ledger_open(&l, "test", &io, &err), TACIT_E_CORRUPT,
                 "ledger entries 2 and 4 release the same round");
}

/* An entry that is right in itself, of a release that is not. */
static void a_shape_that_is_not_that_of_the_bytes_is_named(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_entry e = {0};
    uint8_t *bytes = NULL;
    tc_ledger *l = fake_open(d);
    tc_ledger_io io = fake_io(d);
    spend(l, "s", 1, NULL, gaussian_event(2));
    tc_ledger_close(l);
    l = NULL;
    fake_record *r = &d->records[0];
    assert_ok(tc_ledger_entry_decode(&e, r->entry, r->entry_size, &err));
    e.cols++;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &r->entry_size, &err));
    memcpy(r->entry, bytes, r->entry_size);
    r->head = tc_ledger_entry_hash(bytes, r->entry_size);
    d->head.hash = r->head;
    tc_free(bytes);
    assert_fails(tc_ledger_open(&l, "test", &io, &err), TACIT_E_CORRUPT,
                 "the release of ledger entry 1 has 24 bytes, which is not 1 x 4 values");
    assert_null(l);
}

/* ---- asking again */

typedef struct other_question {
    const char *subject;
    double z;
    size_t cols;
    tacit_unit unit;
    const char *mechanism, *adjacency;
    double offset, step;
    const char *what;
} other_question;

static void another_question_does_not_get_the_answer(void **state)
{
    (void)state;
    static const char near[] = "all vectors of one agent are replaced by zero";
    static const char far[] = "one row moves by at most 2";
    static const other_question cases[] = {
        {"bob", 2, 3, TACIT_UNIT_AGENT, "laplace-reply", near, 0, 1, "subject"},
        {NULL, 2, 3, TACIT_UNIT_AGENT, "laplace-reply", near, 0, 1, "subject"},
        {"ana", 2, 3, TACIT_UNIT_USER, "laplace-reply", near, 0, 1, "unit"},
        {"ana", 3, 3, TACIT_UNIT_AGENT, "laplace-reply", near, 0, 1, "event"},
        {"ana", 2, 4, TACIT_UNIT_AGENT, "laplace-reply", near, 0, 1, "shape"},
        {"ana", 2, 3, TACIT_UNIT_AGENT, "gaussian-rows", near, 0, 1, "mechanism"},
        {"ana", 2, 3, TACIT_UNIT_AGENT, "laplace-reply", far, 0, 1, "adjacency"},
        {"ana", 2, 3, TACIT_UNIT_AGENT, "laplace-reply", near, 0.5, 1, "offset"},
        {"ana", 2, 3, TACIT_UNIT_AGENT, "laplace-reply", near, 0, 0.5, "step"},
    };
    tc_ledger *l = fake_open(d);
    spend(l, "t", 1, NULL, gaussian_event(2));
    spend(l, "s", 7, "ana", gaussian_event(2));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const other_question *q = &cases[i];
        tacit_error err = {0};
        tc_ledger_receipt receipt = {0};
        tc_entropy secret = {.secret = true};
        tc_release *r = NULL;
        char why[160];
        assert_ok(tc_release_new(&r, 1, q->cols, &secret, &err));
        r->view.mechanism = q->mechanism;
        r->view.adjacency = q->adjacency;
        r->view.unit = q->unit;
        r->view.single = true;
        r->view.offset = q->offset;
        r->view.step = q->step;
        r->view.event = gaussian_event(q->z);
        snprintf(why, sizeof why,
                 "round 7 of this study was released as ledger entry 2 with another %s; another "
                 "release needs another round",
                 q->what);
        assert_int_equal(offer(l, 7, q->subject, r, &receipt, &err), TACIT_E_CONFLICT);
        assert_string_equal(err.msg, why);
        assert_null(receipt.bytes);
        tc_release_free(r);
    }
    assert_int_equal(d->n, 2);
    tc_ledger_close(l);
}

/* Three rows of two are not two rows of three, though they have as many bytes. */
static void another_shape_does_not_get_the_answer(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_entropy secret = {.secret = true};
    tc_ledger *l = fake_open(d);
    for (size_t rows = 2; rows <= 3; rows++) {
        tc_ledger_receipt receipt = {0};
        tc_release *r = NULL;
        assert_ok(tc_release_new(&r, rows, 6 / rows, &secret, &err));
        r->view.mechanism = "gaussian-rows";
        r->view.adjacency = "one row moves by at most 2";
        r->view.event = gaussian_event(2);
        if (rows == 2)
            assert_ok(offer(l, 1, NULL, r, &receipt, &err));
        else
            assert_fails(offer(l, 1, NULL, r, &receipt, &err), TACIT_E_CONFLICT,
                         "with another shape");
        tc_ledger_receipt_fini(&receipt);
        tc_release_free(r);
    }
    tc_ledger_close(l);
}

/* The values of a release without noise are not part of the question. */
static void the_same_question_gets_it(void **state)
{
    (void)state;
    tacit_error err = {0};
    for (int i = 0; i < 2; i++) {
        tc_ledger *l = fake_open(d); /* the second reads the entry from its bytes */
        tc_ledger_receipt receipt = {0};
        tc_release *r = forced_single(tc_release_event(TACIT_DP_NONPRIVATE, 1), i);
        r->view.is_private = false;
        r->view.not_private = "it is a test";
        assert_ok(offer(l, 1, "ana", r, &receipt, &err));
        assert_int_equal(receipt.again, i > 0);
        assert_int_equal(receipt.bytes[0], 0);
        tc_ledger_receipt_fini(&receipt);
        tc_release_free(r);
        tc_ledger_close(l);
    }
}

/* ---- races */

static const char *rival_subject;

/* Somebody releases the same round in the last moment, and the store breaks down. */
static tacit_status rival_append(const tc_ledger_io *io, const tc_ledger_record *r,
                                 tacit_error *err)
{
    tc_ledger *other = fake_open(io->store);
    spend(other, "s", r->round, rival_subject, gaussian_event(2));
    tc_ledger_close(other);
    return tc_fail(err, r->round == 1 ? TACIT_E_IO : TACIT_E_CONFLICT, "the store broke down");
}

static void a_rival_of_the_last_moment_is_compared_too(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger *l = NULL;
    tc_ledger_receipt receipt = {0};
    tc_ledger_io io = fake_io(d);
    io.append = rival_append;
    tc_release *r = forced_single(gaussian_event(2), 99);
    assert_ok(tc_ledger_open(&l, "test", &io, &err));
    for (uint64_t round = 1; round <= 2; round++) {
        rival_subject = "bob";
        assert_fails(offer(l, round, "ana", r, &receipt, &err), TACIT_E_CONFLICT,
                     "with another subject");
        assert_null(receipt.bytes);
    }
    rival_subject = "ana";
    assert_ok(offer(l, 3, "ana", r, &receipt, &err));
    assert_true(receipt.again && receipt.bytes[0] == 3);
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
    tc_ledger_close(l);
}

/* ---- stamps */

static void receipts_have_the_stamp_of_what_is_stored(void **state)
{
    (void)state;
    static const char why[] = "the noise was drawn from a seed (test mode)";
    tacit_error err = {0};
    tacit_hash study = tc_ledger_study_hash("s");
    tc_release *seeded = forced_release(gaussian_event(2), 1);
    tc_release *secret = forced_release(gaussian_event(2), 2);
    seeded->view.is_private = false;
    seeded->view.not_private = why;
    for (int reopened = 0; reopened < 2; reopened++) {
        tc_ledger *l = fake_open(d);
        for (uint64_t round = 1; round <= 2; round++)
            for (int turn = 0; turn < 2; turn++) {
                tc_ledger_receipt got = {0}, found = {0};
                assert_ok(offer(l, round, NULL, (round == 1) == (turn == 0) ? seeded : secret, &got,
                                &err));
                assert_ok(tc_ledger_find(l, &study, round, &found, &err));
                assert_int_equal(got.bytes[0], round);
                assert_int_equal(got.is_private, round == 2);
                assert_string_equal(got.not_private, round == 2 ? "" : why);
                assert_int_equal(found.is_private, got.is_private);
                assert_string_equal(found.not_private, got.not_private);
                tc_ledger_receipt_fini(&got);
                tc_ledger_receipt_fini(&found);
            }
        tc_ledger_close(l);
    }
    tc_release_free(seeded);
    tc_release_free(secret);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_store, drop_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_set_is_that_of_the_entries),
        TEST(a_release_that_the_store_does_not_find_is_damage),
        TEST(what_others_released_counts),
        TEST(a_stored_chain_that_releases_a_round_twice_is_refused),
        TEST(a_shape_that_is_not_that_of_the_bytes_is_named),
        TEST(another_question_does_not_get_the_answer),
        TEST(another_shape_does_not_get_the_answer),
        TEST(the_same_question_gets_it),
        TEST(a_rival_of_the_last_moment_is_compared_too),
        TEST(receipts_have_the_stamp_of_what_is_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
