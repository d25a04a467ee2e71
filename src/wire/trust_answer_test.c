/* trust_answer_test.c - answers of trustees: their bytes, and what a coordinator does not take for one. */
#include "wire/trust_answer.h"

#include "support/test.h"
#include "base/bytes.h"
#include "privacy/share_field.h"

enum { WORDS = 3, SIZE = 56 + 8 * WORDS };

static const uint64_t words[WORDS] = {0, TC_FIELD_P - 1, 0x0102030405060708};

static tc_trust_answer answer(void)
{
    return (tc_trust_answer){.epoch = 1, .round = 5, .trustee = 3, .set = {{9, 8}}, .words = WORDS};
}

static void test_an_answer_comes_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_trust_answer a = answer();
    tc_trust_answer peeked;
    uint8_t b[SIZE];
    uint64_t read[WORDS];
    assert_int_equal(tc_trust_answer_size(WORDS), SIZE);
    tc_trust_answer_write(&a, words, b);
    assert_memory_equal(b, "TAN1\1\0\0\0\5\0\0\0\0\0\0\0\3\0\0\0\11\10\0", 23);
    assert_memory_equal(b + 52, "\3\0\0\0\0\0\0\0\0\0\0\0\376\377\377\377\377\377\377\37\10\7", 22);
    assert_ok(tc_trust_answer_read(&a, b, SIZE, read, &err));
    assert_memory_equal(read, words, sizeof words);
    assert_ok(tc_trust_answer_peek(b, SIZE, &peeked, &err));
    assert_true(peeked.epoch == 1 && peeked.round == 5 && peeked.trustee == 3 &&
                peeked.words == WORDS);
    assert_memory_equal(peeked.set.bytes, a.set.bytes, 32);
}

static void test_other_forms_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_trust_answer a = answer();
    uint8_t b[SIZE + 1];
    uint64_t read[WORDS] = {1, 1, 1};
    tc_trust_answer_write(&a, words, b);
    for (size_t n = 0; n <= SIZE + 1; n++)
        if (n != SIZE)
            assert_fails(tc_trust_answer_read(&a, b, n, read, &err), TACIT_E_ARG,
                         n < 56 ? "an answer begins with \"TAN1\" and has a head of 56 bytes, got "
                                : "an answer of 3 words has 80 bytes, got ");
    b[3] = '0';
    assert_fails(tc_trust_answer_read(&a, b, SIZE, read, &err), TACIT_E_ARG,
                 "an answer begins with \"TAN1\" and has a head of 56 bytes, got 80 bytes");
    b[3] = '1';
    tc_put_le(b + 52, UINT32_MAX, 4);
    assert_fails(tc_trust_answer_read(&a, b, SIZE, read, &err), TACIT_E_ARG,
                 "an answer of 4294967295 words has 34359738416 bytes, got 80");
    tc_trust_answer_write(&a, words, b);
    tc_put_le(b + 56 + 16, TC_FIELD_P, 8);
    assert_fails(tc_trust_answer_read(&a, b, SIZE, read, &err), TACIT_E_ARG,
                 "word 2 of this answer must be below 2^61 - 1");
    assert_true(read[0] == 1 && read[1] == 1); /* nothing was read */
}

static void test_other_answers_are_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    const tc_trust_answer a = answer();
    tc_trust_answer want = a;
    uint8_t b[SIZE];
    uint64_t read[WORDS];
    tc_trust_answer_write(&a, words, b);
    want.epoch = 2;
    assert_fails(tc_trust_answer_read(&want, b, SIZE, read, &err), TACIT_E_ARG,
                 "the epoch of this answer must be 2, got 1");
    want = a;
    want.round = 6;
    assert_fails(tc_trust_answer_read(&want, b, SIZE, read, &err), TACIT_E_ARG,
                 "the round of this answer must be 6, got 5");
    want = a;
    want.trustee = 0;
    assert_fails(tc_trust_answer_read(&want, b, SIZE, read, &err), TACIT_E_ARG,
                 "the trustee of this answer must be 0, got 3");
    want = a;
    want.words = 4;
    assert_fails(tc_trust_answer_read(&want, b, SIZE, read, &err), TACIT_E_ARG,
                 "the number of words of this answer must be 4, got 3");
    want = a;
    want.set.bytes[31] = 1;
    assert_fails(tc_trust_answer_read(&want, b, SIZE, read, &err), TACIT_E_ARG,
                 "this answer is for another set of the round");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer_comes_back),
        cmocka_unit_test(test_other_forms_are_refused),
        cmocka_unit_test(test_other_answers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
