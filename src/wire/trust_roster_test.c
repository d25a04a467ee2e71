/* trust_roster_test.c - rosters: their bytes and fingerprint, and a coordinator that puts other keys there. */
#include "wire/trust_roster.h"

#include "support/test.h"
#include "base/bytes.h"

enum { AGENTS = 4, TRUSTEES = 3, ROUNDS = 2, SIZE = 56 + 32 * AGENTS + 64 * TRUSTEES };

typedef struct party {
    tc_public_key agents[AGENTS], trustees[TRUSTEES];
    uint8_t batch[TRUSTEES][32 * ROUNDS];
    tacit_hash batches[TRUSTEES];
    tc_roster_terms terms;
    uint8_t bytes[SIZE];
} party;

static party make(void)
{
    party p = {.terms = {{{5}}, AGENTS, TRUSTEES, ROUNDS}};
    for (uint8_t i = 0; i < AGENTS; i++)
        p.agents[i].bytes[0] = 1 + i;
    for (uint8_t k = 0; k < TRUSTEES; k++) {
        p.trustees[k].bytes[1] = 1 + k;
        p.batch[k][0] = 50 + k;
        p.batch[k][32] = 60 + k;
        p.batches[k] = tc_hash_bytes(p.batch[k], sizeof p.batch[k]);
    }
    assert_int_equal(tc_trust_roster_size(AGENTS, TRUSTEES), SIZE);
    tc_trust_roster_write(&p.terms, p.agents, p.trustees, p.batches, p.bytes);
    return p;
}

static void test_a_roster_comes_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    const party p = make();
    tc_trust_roster r;
    assert_memory_equal(p.bytes, "TRO1\1\0\0\0\5\0", 10);
    assert_memory_equal(p.bytes + 40, "\4\0\0\0\0\0\0\0\3\0\0\0\2\0\0\0\1\0", 18);
    assert_ok(tc_trust_roster_read(p.bytes, SIZE, &r, &err));
    assert_ok(tc_trust_roster_check(&r, &p.terms, &err));
    assert_int_equal(r.epoch, TC_ROSTER_EPOCH);
    for (uint64_t i = 0; i < AGENTS; i++) {
        assert_memory_equal(tc_trust_roster_agent(&r, i).bytes, p.agents[i].bytes, 32);
        assert_ok(tc_trust_roster_own(&r, TC_DEALER_AGENT, i, &p.agents[i], &err));
    }
    for (uint32_t k = 0; k < TRUSTEES; k++) {
        assert_memory_equal(tc_trust_roster_trustee(&r, k).bytes, p.trustees[k].bytes, 32);
        assert_ok(tc_trust_roster_own(&r, TC_DEALER_TRUSTEE, k, &p.trustees[k], &err));
        assert_ok(tc_trust_roster_batch(&r, k, p.batch[k], sizeof p.batch[k], &err));
    }
    assert_int_equal(tc_trust_batch_key(p.batch[2], 1).bytes[0], 62);
    assert_int_equal(tc_trust_roster_size(UINT64_MAX, 3), 0);
    assert_int_equal(tc_trust_roster_size(3, 17), 0);
}

static void refuse(const party *p, size_t n, const char *why)
{
    tacit_error err = {0};
    tc_trust_roster r = {.epoch = 99};
    assert_fails(tc_trust_roster_read(p->bytes, n, &r, &err), TACIT_E_ARG, why);
    assert_int_equal(r.epoch, 99);
}

static void with_number(size_t at, uint64_t number, size_t size, const char *why)
{
    party p = make();
    tc_put_le(p.bytes + at, number, size);
    refuse(&p, SIZE, why);
}

static void test_other_forms_are_refused(void **state)
{
    (void)state;
    const party p = make();
    for (size_t n = 0; n < SIZE; n++)
        refuse(&p, n,
               n < 56 ? "a roster begins with \"TRO1\" and has a head of 56 bytes, got "
                      : "a roster of 4 agents and 3 trustees has 376 bytes, got ");
    with_number(3, '2', 1, "a roster begins with \"TRO1\" and has a head of 56 bytes, got 376");
    with_number(4, 2, 4, "the epoch of a roster must be in 1..1, got 2");
    with_number(40, 0, 8, "the number of agents of a roster must be in 1..16777216, got 0");
    with_number(40, UINT64_MAX, 8,
                "the number of agents of a roster must be in 1..16777216, got "
                "18446744073709551615");
    with_number(48, 2, 4, "the number of trustees of a roster must be in 3..16, got 2");
    with_number(48, 17, 4, "the number of trustees of a roster must be in 3..16, got 17");
    with_number(52, 0, 4, "the number of rounds of a roster must be in 1..4096, got 0");
    with_number(52, 4097, 4, "the number of rounds of a roster must be in 1..4096, got 4097");
    with_number(40, 5, 8, "a roster of 5 agents and 3 trustees has 408 bytes, got 376");
}

/* One party at two places would have two parts of a secret, or two votes. */
static void test_parties_that_stand_there_twice_are_refused(void **state)
{
    (void)state;
    party p = make();
    memcpy(p.bytes + 56 + 32 * 3, p.bytes + 56, 32);
    refuse(&p, SIZE, "two agents of the roster have the same key");
    p = make();
    memcpy(p.bytes + 56 + 32 * AGENTS + 128, p.bytes + 56 + 32 * AGENTS, 32);
    refuse(&p, SIZE, "two trustees of the roster have the same key");
    p = make();
    memcpy(p.bytes + 56 + 32 * AGENTS + 160, p.bytes + 56 + 32 * AGENTS + 32, 32);
    refuse(&p, SIZE, "two trustees of the roster have the same round keys");
}

static void test_a_lying_coordinator_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    party p = make();
    tc_trust_roster r;
    tc_roster_terms want = p.terms;
    assert_ok(tc_trust_roster_read(p.bytes, SIZE, &r, &err));
    want.study.bytes[0] = 6;
    assert_fails(tc_trust_roster_check(&r, &want, &err), TACIT_E_ARG,
                 "the roster is that of another study");
    want = p.terms;
    want.agents = 5;
    assert_fails(tc_trust_roster_check(&r, &want, &err), TACIT_E_ARG,
                 "the number of agents on the roster must be 5, got 4");
    want = p.terms;
    want.trustees = 5;
    assert_fails(tc_trust_roster_check(&r, &want, &err), TACIT_E_ARG,
                 "the number of trustees on the roster must be 5, got 3");
    want = p.terms;
    want.rounds = 7;
    assert_fails(tc_trust_roster_check(&r, &want, &err), TACIT_E_ARG,
                 "the number of rounds on the roster must be 7, got 2");
    assert_fails(tc_trust_roster_own(&r, TC_DEALER_AGENT, 1, &p.agents[2], &err), TACIT_E_ARG,
                 "the roster does not have this agent's own key at its place 1: the coordinator "
                 "has put another one there");
    assert_fails(tc_trust_roster_own(&r, TC_DEALER_AGENT, AGENTS, &p.agents[2], &err), TACIT_E_ARG,
                 "the roster does not have this agent's own key at its place 4");
    assert_fails(tc_trust_roster_own(&r, TC_DEALER_TRUSTEE, 0, &p.trustees[1], &err), TACIT_E_ARG,
                 "the roster does not have this trustee's own key at its place 0");
    assert_fails(tc_trust_roster_batch(&r, 1, p.batch[2], sizeof p.batch[2], &err), TACIT_E_ARG,
                 "the round keys of trustee 1 are not those of the roster");
    p.batch[1][63] ^= 0x80;
    assert_fails(tc_trust_roster_batch(&r, 1, p.batch[1], sizeof p.batch[1], &err), TACIT_E_ARG,
                 "the round keys of trustee 1 are not those of the roster");
    assert_fails(tc_trust_roster_batch(&r, 1, p.batch[1], 32, &err), TACIT_E_ARG,
                 "the round keys of a trustee for 2 rounds have 64 bytes, got 32");
}

/* SHA-256 of "abc", as FIPS 180 has it. */
static void test_fingerprints(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_fingerprint f = tc_trust_roster_fingerprint("abc", 3);
    assert_string_equal(f.text, "sha256//ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assert_ok(tc_trust_roster_pinned(&f, f.text, &err));
    assert_fails(
        tc_trust_roster_pinned(&f, "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", &err),
        TACIT_E_ARG,
        "the coordinator's roster has the fingerprint "
        "sha256//ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=, and the one that was given is "
        "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=: they are two rosters");
    static const char *const none[] = {"", "sha256//",
                                       "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
                                       "sha256//ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0",
                                       "sha256//ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=="};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_fails(tc_trust_roster_pinned(&f, none[i], &err), TACIT_E_ARG,
                     "the fingerprint of a roster is sha256// and 44 characters, got \"");
}

static void test_what_a_trustee_signs(void **state)
{
    (void)state;
    const party p = make();
    const tacit_hash token = tc_hash_bytes("token", 5);
    tc_trustee_enrolment e = tc_trustee_enrols(&token, p.batch[0], sizeof p.batch[0]);
    assert_memory_equal(e.bytes, token.bytes, 32);
    assert_memory_equal(e.bytes + 32, p.batches[0].bytes, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_roster_comes_back),
        cmocka_unit_test(test_other_forms_are_refused),
        cmocka_unit_test(test_parties_that_stand_there_twice_are_refused),
        cmocka_unit_test(test_a_lying_coordinator_is_refused),
        cmocka_unit_test(test_fingerprints),
        cmocka_unit_test(test_what_a_trustee_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
