/* dealing_test.c - uploads of shares: their form, their boxes, and every way to pass a box off as another one. */
#include "wire/dealing.h"

#include "support/test.h"
#include "base/bytes.h"

#include <sodium.h>

enum { TRUSTEES = 5, WORDS = 6, ROUNDS = 2 };
enum { SIZE = TC_DEALING_HEAD + TRUSTEES * TC_BOX_OVERHEAD + 3 * 32 + 2 * 8 * WORDS };

static const int64_t vector[WORDS] = {1, -2, 3, TC_FIELD_MOST, -TC_FIELD_MOST, 0};

/* Two agents, five trustees, two rounds. */
typedef struct world {
    tc_trustees t;
    tacit_hash roster;
    tc_public_key agent[2], trustee;
    tc_secret_key agent_secret[2], trustee_secret;
    tc_box_key key[ROUNDS][TRUSTEES];
    tc_box_secret secret[ROUNDS][TRUSTEES];
} world;

static world make_world(void)
{
    world w = {.t = tc_trustees_usual(TRUSTEES), .roster = {{7}}};
    uint8_t seed[32] = {1};
    for (size_t i = 0; i < 2; i++, seed[0]++)
        tc_keys_from(&w.agent[i], &w.agent_secret[i], seed);
    tc_keys_from(&w.trustee, &w.trustee_secret, seed);
    for (size_t r = 0; r < ROUNDS; r++)
        for (size_t k = 0; k < TRUSTEES; k++) {
            seed[0]++;
            tc_box_keys_from(&w.key[r][k], &w.secret[r][k], seed);
        }
    return w;
}

static tc_dealer dealer_of(const world *w, uint64_t agent, uint64_t round)
{
    return (tc_dealer){.trustees = w->t,
                       .roster = w->roster,
                       .epoch = 1,
                       .round = round,
                       .kind = TC_DEALER_AGENT,
                       .number = agent,
                       .identity = &w->agent_secret[agent],
                       .keys = w->key[round]};
}

static tc_dealing_head write(const tc_dealer *d, uint8_t secret, uint8_t out[SIZE])
{
    tacit_error err = {0};
    tc_dealing_head head;
    const uint8_t secrets[32] = {secret};
    assert_int_equal(tc_dealing_size(&d->trustees, WORDS), SIZE);
    assert_ok(tc_dealing_write(d, secrets, vector, WORDS, out, &err));
    assert_ok(tc_dealing_read(&d->trustees, out, SIZE, &head, &err));
    return head;
}

static tacit_status open_box(const world *w, const tc_dealing_head *head, uint32_t k,
                             const uint8_t *box, uint8_t *share, tacit_error *err)
{
    return tc_dealing_open(&w->t, &w->roster, head, &w->agent[head->number], k,
                           &w->secret[head->round][k], box, tc_dealing_box_size(&w->t, k, WORDS),
                           share, err);
}

/* ---- what is right */

static void test_boxes_open_to_the_vector(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer d = dealer_of(&w, 1, 0);
    tacit_error err = {0};
    uint8_t upload[SIZE], share[8 * WORDS];
    uint64_t sums[TRUSTEES][WORDS] = {0};
    const uint64_t *answers[TRUSTEES];
    int64_t opened[WORDS];
    const tc_dealing_head head = write(&d, 1, upload);
    assert_int_equal(head.epoch, 1);
    assert_int_equal(head.round, 0);
    assert_int_equal(head.kind, TC_DEALER_AGENT);
    assert_int_equal(head.number, 1);
    assert_int_equal(head.words, WORDS);
    for (uint32_t k = 0; k < TRUSTEES; k++) {
        assert_ok(open_box(&w, &head, k, tc_dealing_box(&w.t, upload, k), share, &err));
        assert_ok(tc_share_add(&w.t, k, share, WORDS, sums[k], &err));
        answers[k] = sums[k];
    }
    assert_int_equal(tc_share_open(&w.t, answers, WORDS, opened).finding, TC_SHARE_CONSISTENT);
    assert_memory_equal(opened, vector, sizeof vector);
}

/* What libsodium's own functions say of a box, beside the layout in dealing.h. */
static void test_form_of_a_box(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer d = dealer_of(&w, 0, 1);
    tacit_error err = {0};
    uint8_t upload[SIZE], inner[24 + 16 + 64], plain[64], from[32], context[32], share[32];
    static const uint8_t zeros[24];
    const tc_dealing_head head = write(&d, 1, upload);
    const uint8_t *box = tc_dealing_box(&w.t, upload, 2);
    uint8_t laid[129] = "TBX1";
    assert_int_equal(box - upload, 61 + 2 * (120 + 32));
    assert_int_equal(crypto_sign_ed25519_pk_to_curve25519(from, w.agent[0].bytes), 0);
    assert_int_equal(
        crypto_box_open_easy(inner, box + 32, 16 + sizeof inner, zeros, box, w.secret[1][2].bytes),
        0);
    assert_int_equal(
        crypto_box_open_easy(plain, inner + 24, 16 + 64, inner, from, w.secret[1][2].bytes), 0);
    laid[4] = 7;      /* the roster's hash */
    laid[36] = 1;     /* epoch */
    laid[40] = 1;     /* round */
    laid[48] = 1;     /* kind */
    laid[57] = WORDS; /* the agent is 0 */
    laid[61] = 2;     /* trustee */
    memcpy(laid + 65, head.id, 32);
    memcpy(laid + 97, box, 32);
    crypto_generichash(context, 32, laid, sizeof laid, NULL, 0);
    assert_memory_equal(plain, context, 32);
    assert_ok(open_box(&w, &head, 2, box, share, &err));
    assert_memory_equal(plain + 32, share, 32);
}

static bool has_bytes(const uint8_t *in, size_t n, const uint8_t *what, size_t size)
{
    for (size_t i = 0; i + size <= n; i++)
        if (memcmp(in + i, what, size) == 0)
            return true;
    return false;
}

/* Made again it is the same. With another secret, round or vector nothing random in it is. */
static void test_an_upload_repeats_itself_and_no_other(void **state)
{
    (void)state;
    const world w = make_world();
    tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t a[SIZE], b[SIZE], secret[32] = {1};
    int64_t other[WORDS] = {1, -2, 3, 4, 5, 6};
    const tc_dealing_head one = write(&d, 1, a);
    write(&d, 1, b);
    assert_memory_equal(a, b, SIZE);
    for (int how = 0; how < 3; how++) {
        tc_dealing_head head;
        d = dealer_of(&w, 0, how == 1);
        if (how < 2)
            head = write(&d, how == 0 ? 2 : 1, b);
        else
            assert_ok(tc_dealing_write(&d, secret, other, WORDS, b, &err));
        assert_ok(tc_dealing_read(&w.t, b, SIZE, &head, &err));
        assert_memory_not_equal(one.id, head.id, 32);
        for (uint32_t k = 0; k < TRUSTEES; k++)
            assert_false(has_bytes(b, SIZE, tc_dealing_box(&w.t, a, k), 24));
    }
}

/* ---- form */

static void test_uploads_of_another_form_are_refused(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t upload[SIZE + 1], bad[SIZE + 1];
    tc_dealing_head head = write(&d, 1, upload), unchanged = head;
    const char *no_head = "a dealing begins with \"TDL1\" and has a head of 61 bytes, got ";
    for (size_t n = 0; n < SIZE; n++)
        assert_fails(tc_dealing_read(&w.t, upload, n, &head, &err), TACIT_E_ARG,
                     n < 61 ? no_head : "a dealing of 6 words to 5 trustees has 853 bytes, got ");
    assert_fails(tc_dealing_read(&w.t, upload, SIZE + 1, &head, &err), TACIT_E_ARG,
                 "a dealing of 6 words to 5 trustees has 853 bytes, got 854");
    memcpy(bad, upload, SIZE);
    bad[3] = '2';
    assert_fails(tc_dealing_read(&w.t, bad, SIZE, &head, &err), TACIT_E_ARG, no_head);
    bad[3] = '1';
    bad[16] = 3;
    assert_fails(tc_dealing_read(&w.t, bad, SIZE, &head, &err), TACIT_E_ARG,
                 "the kind of a dealing must be 1 (agent) or 2 (trustee), got 3");
    bad[16] = 2;
    bad[17] = 5;
    assert_fails(tc_dealing_read(&w.t, bad, SIZE, &head, &err), TACIT_E_ARG,
                 "the number of a trustee that deals must be in 0..4, got 5");
    bad[17] = 4;
    tc_put_le(bad + 25, 0, 4);
    assert_fails(tc_dealing_read(&w.t, bad, SIZE, &head, &err), TACIT_E_ARG,
                 "a dealing has 1 to 16777216 words, got 0");
    tc_put_le(bad + 25, UINT32_MAX, 4);
    assert_fails(tc_dealing_read(&w.t, bad, SIZE, &head, &err), TACIT_E_ARG,
                 "a dealing has 1 to 16777216 words, got 4294967295");
    tc_put_le(bad + 25, 7, 4);
    assert_fails(tc_dealing_read(&w.t, bad, SIZE, &head, &err), TACIT_E_ARG,
                 "a dealing of 7 words to 5 trustees has 869 bytes, got 853");
    assert_true(head.words == unchanged.words && head.kind == unchanged.kind &&
                head.number == unchanged.number);
}

static void test_uploads_of_another_place_are_refused(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer d = dealer_of(&w, 1, 1);
    tacit_error err = {0};
    uint8_t upload[SIZE];
    const tc_dealing_head right = write(&d, 1, upload);
    tc_dealing_head want = {
        .epoch = 1, .round = 1, .kind = TC_DEALER_AGENT, .number = 1, .words = WORDS};
    tc_dealing_head got;
    assert_ok(tc_dealing_check(&w.t, &want, upload, SIZE, &got, &err));
    assert_memory_equal(got.id, right.id, sizeof right.id);
    want.epoch = 2;
    assert_fails(tc_dealing_check(&w.t, &want, upload, SIZE, &got, &err), TACIT_E_ARG,
                 "the epoch of this dealing must be 2, got 1");
    want.epoch = 1;
    want.round = 3;
    assert_fails(tc_dealing_check(&w.t, &want, upload, SIZE, &got, &err), TACIT_E_ARG,
                 "the round of this dealing must be 3, got 1");
    want.round = 1;
    want.kind = TC_DEALER_TRUSTEE;
    assert_fails(tc_dealing_check(&w.t, &want, upload, SIZE, &got, &err), TACIT_E_ARG,
                 "the kind of this dealing must be 2, got 1");
    want.kind = TC_DEALER_AGENT;
    want.number = 0;
    assert_fails(tc_dealing_check(&w.t, &want, upload, SIZE, &got, &err), TACIT_E_ARG,
                 "the sender's number of this dealing must be 0, got 1");
    want.number = 1;
    want.words = 5;
    assert_fails(tc_dealing_check(&w.t, &want, upload, SIZE, &got, &err), TACIT_E_ARG,
                 "the number of words of this dealing must be 5, got 6");
}

static void test_what_cannot_be_dealt(void **state)
{
    (void)state;
    world w = make_world();
    tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t out[SIZE], secret[32] = {1};
    static const int64_t beyond[] = {TC_FIELD_MOST + 1, -TC_FIELD_MOST - 1, INT64_MAX,
                                     INT64_MIN,         INT64_C(1) << 61,   -(INT64_C(1) << 61)};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        int64_t v[WORDS] = {0};
        v[WORDS - 1] = beyond[i];
        assert_fails(tc_dealing_write(&d, secret, v, WORDS, out, &err), TACIT_E_ARG,
                     "a value that is dealt must be within +-(2^60 - 1)");
    }
    assert_fails(tc_dealing_write(&d, secret, vector, 0, out, &err), TACIT_E_ARG,
                 "a dealing has 1 to 16777216 words, got 0");
    assert_true(tc_box_key_holds(&w.key[0][3]));
    memset(w.key[0][3].bytes, 0, 32); /* a point of low order: anybody would know the secret */
    assert_fails(tc_dealing_write(&d, secret, vector, WORDS, out, &err), TACIT_E_ARG,
                 "the key of trustee 3 for round 0 is none");
    assert_false(tc_box_key_holds(&w.key[0][3]));
    w.key[0][3].bytes[0] = 1; /* and another */
    assert_false(tc_box_key_holds(&w.key[0][3]));
}

/* ---- boxes in other places */

#define STRANGER                                                                                   \
    " does not open with the keys of these two: somebody else made it, or it was changed"
#define ELSEWHERE " was made for another roster, epoch, round, trustee or dealing"

/* An agent posts a victim's boxes as its own, with the victim's id or another one. */
static void test_copied_boxes_are_refused(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t upload[SIZE], share[8 * WORDS];
    tc_dealing_head head = write(&d, 1, upload);
    head.number = 1;
    for (int other_id = 0; other_id < 2; other_id++, head.id[5] ^= 1)
        for (uint32_t k = 0; k < TRUSTEES; k++)
            assert_fails(open_box(&w, &head, k, tc_dealing_box(&w.t, upload, k), share, &err),
                         TACIT_E_ARG, STRANGER);
    assert_string_equal(err.msg,
                        "the box of agent 1 for trustee 4 in round 0 does not open with the keys "
                        "of these two: somebody else made it, or it was changed");
}

/* The sender itself puts a box into another dealing of its own: then it opens, and the context tells. */
static void test_boxes_of_another_dealing_are_refused(void **state)
{
    (void)state;
    world w = make_world();
    const tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t upload[SIZE], share[8 * WORDS], untouched[8 * WORDS];
    const tc_dealing_head right = write(&d, 1, upload);
    const uint8_t *box = tc_dealing_box(&w.t, upload, 4);
    tc_dealing_head head = right;
    memset(share, 0x77, sizeof share);
    memcpy(untouched, share, sizeof share);
    head.id[31] ^= 1;
    assert_fails(open_box(&w, &head, 4, box, share, &err), TACIT_E_ARG, ELSEWHERE);
    assert_string_equal(err.msg, "the box of agent 0 for trustee 4 in round 0 was made for another "
                                 "roster, epoch, round, trustee or dealing");
    head = right;
    head.epoch = 2;
    assert_fails(open_box(&w, &head, 4, box, share, &err), TACIT_E_ARG, ELSEWHERE);
    head = right;
    head.words = WORDS + 1; /* a seed would expand to any number */
    assert_fails(open_box(&w, &head, 1, tc_dealing_box(&w.t, upload, 1), share, &err), TACIT_E_ARG,
                 ELSEWHERE);
    head = right;
    head.kind = TC_DEALER_TRUSTEE; /* noise that is an agent's vector */
    assert_fails(open_box(&w, &head, 4, box, share, &err), TACIT_E_ARG,
                 "the box of trustee 0 for trustee 4 in round 0 was made for another roster");
    head = right;
    head.round = 1;
    w.secret[1][4] = w.secret[0][4]; /* as if a trustee used a key twice */
    assert_fails(open_box(&w, &head, 4, box, share, &err), TACIT_E_ARG, ELSEWHERE);
    w.secret[0][3] = w.secret[0][4];
    assert_fails(open_box(&w, &right, 3, box, share, &err), TACIT_E_ARG, ELSEWHERE);
    w.agent[1] = w.agent[0]; /* one key at two places of the roster */
    head = right;
    head.number = 1;
    assert_fails(open_box(&w, &head, 4, box, share, &err), TACIT_E_ARG, ELSEWHERE);
    w.roster.bytes[31] ^= 1;
    assert_fails(open_box(&w, &right, 4, box, share, &err), TACIT_E_ARG, ELSEWHERE);
    assert_memory_equal(share, untouched, sizeof share);
}

static void test_swapped_and_late_boxes_are_refused(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer first = dealer_of(&w, 0, 0), second = dealer_of(&w, 0, 1);
    tacit_error err = {0};
    uint8_t a[SIZE], b[SIZE], share[8 * WORDS];
    const tc_dealing_head head = write(&first, 1, a), later = write(&second, 1, b);
    for (uint32_t k = 0; k < TRUSTEES; k++)
        for (uint32_t from = 0; from < TRUSTEES; from++)
            if (from != k && (from < 3) == (k < 3)) /* of the same size */
                assert_fails(open_box(&w, &head, k, tc_dealing_box(&w.t, a, from), share, &err),
                             TACIT_E_ARG, STRANGER);
    assert_fails(open_box(&w, &later, 0, tc_dealing_box(&w.t, a, 0), share, &err), TACIT_E_ARG,
                 STRANGER);
    assert_fails(tc_dealing_open(&w.t, &w.roster, &head, &w.agent[0], 0, &w.secret[0][0],
                                 tc_dealing_box(&w.t, a, 4), 120 + 8 * WORDS, share, &err),
                 TACIT_E_ARG, "the box of agent 0 for trustee 0 must have 152 bytes, got 168");
}

static void test_flipped_bits_are_refused(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t upload[SIZE], share[8 * WORDS], box[152];
    const tc_dealing_head head = write(&d, 1, upload);
    for (size_t bit = 0; bit < 8 * sizeof box; bit++) {
        memcpy(box, tc_dealing_box(&w.t, upload, 1), sizeof box);
        box[bit / 8] ^= (uint8_t)(1 << bit % 8);
        /* Curve25519 does not look at the last bit of a key: the context does. */
        assert_fails(open_box(&w, &head, 1, box, share, &err), TACIT_E_ARG,
                     bit == 255 ? ELSEWHERE : STRANGER);
    }
}

/* A key on the roster that is no point of the curve, or one of low order. */
static void test_senders_without_a_key_are_refused(void **state)
{
    (void)state;
    world w = make_world();
    const tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t upload[SIZE], share[8 * WORDS];
    const tc_dealing_head head = write(&d, 1, upload);
    memset(w.agent[0].bytes, 0, 32);
    assert_fails(open_box(&w, &head, 1, tc_dealing_box(&w.t, upload, 1), share, &err), TACIT_E_ARG,
                 STRANGER);
}

/* Noise: the dealer is a trustee, with its own identity, and its box to itself is a box as well. */
static void test_trustees_deal_to_themselves(void **state)
{
    (void)state;
    const world w = make_world();
    tc_dealer d = dealer_of(&w, 0, 0);
    tacit_error err = {0};
    uint8_t upload[SIZE], share[8 * WORDS];
    d.kind = TC_DEALER_TRUSTEE;
    d.number = 3;
    d.identity = &w.trustee_secret;
    const tc_dealing_head head = write(&d, 1, upload);
    assert_int_equal(head.kind, TC_DEALER_TRUSTEE);
    assert_ok(tc_dealing_open(&w.t, &w.roster, &head, &w.trustee, 3, &w.secret[0][3],
                              tc_dealing_box(&w.t, upload, 3), tc_dealing_box_size(&w.t, 3, WORDS),
                              share, &err));
}

/* Whoever records boxes and gets the sender's identity afterwards cannot open them with the trustee's public key. */
static void test_a_stolen_identity_opens_nothing(void **state)
{
    (void)state;
    const world w = make_world();
    const tc_dealer d = dealer_of(&w, 0, 0);
    uint8_t upload[SIZE], stolen[32], out[SIZE];
    static const uint8_t zeros[24];
    write(&d, 1, upload);
    const uint8_t *box = tc_dealing_box(&w.t, upload, 0);
    const size_t n = tc_dealing_box_size(&w.t, 0, WORDS);
    assert_int_equal(crypto_sign_ed25519_sk_to_curve25519(stolen, w.agent_secret[0].bytes), 0);
    for (size_t from = 0; from + 16 < n; from++) {
        assert_int_not_equal(
            crypto_box_open_easy(out, box + from, n - from, zeros, w.key[0][0].bytes, stolen), 0);
        if (from + 40 < n)
            assert_int_not_equal(crypto_box_open_easy(out, box + from + 24, n - from - 24,
                                                      box + from, w.key[0][0].bytes, stolen),
                                 0);
    }
}

static void test_fresh_keys_differ(void **state)
{
    (void)state;
    tc_box_key a, b, c;
    tc_box_secret s, t, u;
    const uint8_t seed[32] = {9};
    tc_box_keys_fresh(&a, &s);
    tc_box_keys_fresh(&b, &t);
    assert_memory_not_equal(a.bytes, b.bytes, 32);
    tc_box_keys_from(&b, &t, seed);
    tc_box_keys_from(&c, &u, seed);
    assert_memory_equal(b.bytes, c.bytes, 32);
    assert_memory_equal(t.bytes, u.bytes, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_open_to_the_vector),
        cmocka_unit_test(test_form_of_a_box),
        cmocka_unit_test(test_an_upload_repeats_itself_and_no_other),
        cmocka_unit_test(test_uploads_of_another_form_are_refused),
        cmocka_unit_test(test_uploads_of_another_place_are_refused),
        cmocka_unit_test(test_what_cannot_be_dealt),
        cmocka_unit_test(test_copied_boxes_are_refused),
        cmocka_unit_test(test_boxes_of_another_dealing_are_refused),
        cmocka_unit_test(test_swapped_and_late_boxes_are_refused),
        cmocka_unit_test(test_flipped_bits_are_refused),
        cmocka_unit_test(test_senders_without_a_key_are_refused),
        cmocka_unit_test(test_trustees_deal_to_themselves),
        cmocka_unit_test(test_a_stolen_identity_opens_nothing),
        cmocka_unit_test(test_fresh_keys_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
