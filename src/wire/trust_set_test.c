/* trust_set_test.c - sets of a round: their bytes, and what a trustee does not add up. */
#include "wire/trust_set.h"

#include "support/test.h"
#include "base/bytes.h"

#include <sodium.h>

enum { AGENTS = 3, DEALERS = 4, SIZE = 24 + 40 * (AGENTS + DEALERS) };

typedef struct bytes {
    uint8_t b[SIZE];
} bytes;

static bytes genuine(void)
{
    static const tc_set_entry agents[] = {{0, {1}}, {2, {2}}, {9, {3}}};
    static const tc_set_entry dealers[] = {{0, {4}}, {1, {5}}, {3, {6}}, {4, {7}}};
    bytes out;
    assert_int_equal(tc_trust_set_size(AGENTS, DEALERS), SIZE);
    tc_trust_set_write(1, 77, agents, AGENTS, dealers, DEALERS, out.b);
    return out;
}

static tc_set_terms terms(void)
{
    return (tc_set_terms){.epoch = 1, .round = 77, .agents = 10, .trustees = tc_trustees_usual(5)};
}

static void test_a_set_comes_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    const bytes x = genuine();
    const tc_set_terms want = terms();
    tc_trust_set s;
    assert_ok(tc_trust_set_read(x.b, SIZE, &s, &err));
    assert_ok(tc_trust_set_check(&s, &want, &err));
    assert_int_equal(s.epoch, 1);
    assert_int_equal(s.round, 77);
    assert_int_equal(s.agents, AGENTS);
    assert_int_equal(s.dealers, DEALERS);
    assert_int_equal(tc_trust_set_agent(&s, 2).number, 9);
    assert_int_equal(tc_trust_set_agent(&s, 2).id[0], 3);
    assert_int_equal(tc_trust_set_dealer(&s, 2).number, 3);
    assert_int_equal(tc_trust_set_dealer(&s, 2).id[0], 6);
    const tc_dealing_head a = tc_trust_set_head(&s, TC_DEALER_AGENT, 1, 50);
    assert_true(a.epoch == 1 && a.round == 77 && a.kind == TC_DEALER_AGENT && a.number == 2 &&
                a.words == 50 && a.id[0] == 2);
    const tc_dealing_head d = tc_trust_set_head(&s, TC_DEALER_TRUSTEE, 3, 200);
    assert_true(d.kind == TC_DEALER_TRUSTEE && d.number == 4 && d.words == 200 && d.id[0] == 7);
}

/* The layout of trust_set.h, by hand, and the hash that answers carry. */
static void test_bytes_and_hash(void **state)
{
    (void)state;
    tacit_error err = {0};
    const bytes x = genuine();
    const tacit_hash study = {{42}};
    uint8_t all[32 + SIZE] = {42}, hash[32];
    tc_trust_set s;
    assert_memory_equal(x.b, "TST1\1\0\0\0\115\0\0\0\0\0\0\0\3\0\0\0\4\0\0\0", 24);
    assert_memory_equal(x.b + 24 + 40, "\2\0\0\0\0\0\0\0\2\0", 10);
    memcpy(all + 32, x.b, SIZE);
    crypto_generichash(hash, 32, all, sizeof all, NULL, 0);
    assert_ok(tc_trust_set_read(x.b, SIZE, &s, &err));
    assert_memory_equal(tc_trust_set_hash(&s, &study).bytes, hash, 32);
}

static void test_other_forms_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    bytes x = genuine();
    tc_trust_set s = {.epoch = 5};
    const char *no_head = "a set begins with \"TST1\" and has a head of 24 bytes, got ";
    for (size_t n = 0; n < SIZE; n++)
        assert_fails(tc_trust_set_read(x.b, n, &s, &err), TACIT_E_ARG,
                     n < 24 ? no_head : "a set of 3 agents and 4 dealers has 304 bytes, got ");
    tc_put_le(x.b + 16, UINT32_MAX, 4);
    tc_put_le(x.b + 20, UINT32_MAX, 4);
    assert_fails(tc_trust_set_read(x.b, SIZE, &s, &err), TACIT_E_ARG,
                 "a set of 4294967295 agents and 4294967295 dealers has 343597383624 bytes, got "
                 "304");
    x = genuine();
    x.b[0] = 't';
    assert_fails(tc_trust_set_read(x.b, SIZE, &s, &err), TACIT_E_ARG, no_head);
    x = genuine();
    tc_put_le(x.b + 24 + 40, 0, 8); /* agents 0, 0, 9 */
    assert_fails(tc_trust_set_read(x.b, SIZE, &s, &err), TACIT_E_ARG,
                 "the agents of a set must ascend, got 0 after 0");
    x = genuine();
    tc_put_le(x.b + 24 + 6 * 40, 2, 8); /* dealers 0, 1, 3, 2 */
    assert_fails(tc_trust_set_read(x.b, SIZE, &s, &err), TACIT_E_ARG,
                 "the dealers of a set must ascend, got 2 after 3");
    assert_int_equal(s.epoch, 5); /* untouched */
}

static void check(const bytes *x, const tc_set_terms *want, const char *why)
{
    tacit_error err = {0};
    tc_trust_set s;
    assert_ok(tc_trust_set_read(x->b, SIZE, &s, &err));
    assert_fails(tc_trust_set_check(&s, want, &err), TACIT_E_ARG, why);
    assert_string_equal(err.msg, why);
}

static void test_what_a_trustee_does_not_add_up(void **state)
{
    (void)state;
    bytes x = genuine();
    tc_set_terms want = terms();
    want.epoch = 2;
    check(&x, &want, "the set must be that of epoch 2 and round 77, got 1 and 77");
    want = terms();
    want.round = 78;
    check(&x, &want, "the set must be that of epoch 1 and round 78, got 1 and 77");
    want = terms();
    want.trustees.dealers = 3;
    check(&x, &want, "a set has the noise of exactly 3 trustees, got that of 4");
    want.trustees.dealers = 5;
    check(&x, &want, "a set has the noise of exactly 5 trustees, got that of 4");
    want = terms();
    want.agents = 9;
    check(&x, &want, "agent 9 of the set is not among the 9 of the roster");
    want = terms();
    tc_put_le(x.b + 24 + 6 * 40, 5, 8);
    check(&x, &want, "trustee 5 of the set is not among the 5 of the roster");
}

/* A dealing that is counted twice, as another agent's or as noise. */
static void test_no_dealing_counts_twice(void **state)
{
    (void)state;
    const tc_set_terms want = terms();
    for (size_t a = 0; a < AGENTS + DEALERS; a++)
        for (size_t b = 0; b < a; b++) {
            bytes x = genuine();
            x.b[24 + 40 * a + 8] = x.b[24 + 40 * b + 8];
            check(&x, &want, "two entries of the set have the same dealing id");
        }
}

static void test_a_set_of_nobody_is_noise(void **state)
{
    (void)state;
    static const tc_set_entry dealers[] = {{0, {4}}, {1, {5}}, {3, {6}}, {4, {7}}};
    tacit_error err = {0};
    const tc_set_terms want = terms();
    uint8_t b[24 + 40 * DEALERS];
    tc_trust_set s;
    tc_trust_set_write(1, 77, NULL, 0, dealers, DEALERS, b);
    assert_ok(tc_trust_set_read(b, sizeof b, &s, &err));
    assert_ok(tc_trust_set_check(&s, &want, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_set_comes_back),
        cmocka_unit_test(test_bytes_and_hash),
        cmocka_unit_test(test_other_forms_are_refused),
        cmocka_unit_test(test_what_a_trustee_does_not_add_up),
        cmocka_unit_test(test_no_dealing_counts_twice),
        cmocka_unit_test(test_a_set_of_nobody_is_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
