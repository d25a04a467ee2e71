/* trust_answer.c - answers of trustees (trust_answer.h). */
#include "wire/trust_answer.h"

#include "privacy/share_field.h"

#include "base/bytes.h"
#include "base/error.h"

#include <string.h>

static const char magic[4] = {'T', 'A', 'N', '1'};

enum { SET_AT = 20, COUNT_AT = 52 };

size_t tc_trust_answer_size(size_t words)
{
    return TC_ANSWER_HEAD + 8 * words;
}

void tc_trust_answer_write(const tc_trust_answer *a, const uint64_t *words, uint8_t *out)
{
    memcpy(out, magic, sizeof magic);
    tc_put_le(out + 4, a->epoch, 4);
    tc_put_le(out + 8, a->round, 8);
    tc_put_le(out + 16, a->trustee, 4);
    memcpy(out + SET_AT, a->set.bytes, sizeof a->set.bytes);
    tc_put_le(out + COUNT_AT, a->words, 4);
    for (size_t j = 0; j < a->words; j++)
        tc_put_le(out + TC_ANSWER_HEAD + 8 * j, words[j], 8);
}

tacit_status tc_trust_answer_peek(const void *bytes, size_t n, tc_trust_answer *out,
                                  tacit_error *err)
{
    const uint8_t *b = bytes;
    if (n < TC_ANSWER_HEAD || memcmp(b, magic, sizeof magic) != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "an answer begins with \"TAN1\" and has a head of %d bytes, got %zu bytes",
                       TC_ANSWER_HEAD, n);
    tc_trust_answer a = {.epoch = (uint32_t)tc_get_le(b + 4, 4),
                         .round = tc_get_le(b + 8, 8),
                         .trustee = (uint32_t)tc_get_le(b + 16, 4),
                         .words = (uint32_t)tc_get_le(b + COUNT_AT, 4)};
    memcpy(a.set.bytes, b + SET_AT, sizeof a.set.bytes);
    if (n != tc_trust_answer_size(a.words))
        return tc_fail(err, TACIT_E_ARG, "an answer of %u words has %zu bytes, got %zu",
                       (unsigned)a.words, tc_trust_answer_size(a.words), n);
    *out = a;
    return TACIT_OK;
}

static tacit_status check_member(const char *what, uint64_t want, uint64_t got, tacit_error *err)
{
    if (want == got)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "the %s of this answer must be %llu, got %llu", what,
                   (unsigned long long)want, (unsigned long long)got);
}

tacit_status tc_trust_answer_read(const tc_trust_answer *want, const void *bytes, size_t n,
                                  uint64_t *words, tacit_error *err)
{
    tc_trust_answer a;
    TC_TRY(tc_trust_answer_peek(bytes, n, &a, err));
    TC_TRY(check_member("epoch", want->epoch, a.epoch, err));
    TC_TRY(check_member("round", want->round, a.round, err));
    TC_TRY(check_member("trustee", want->trustee, a.trustee, err));
    TC_TRY(check_member("number of words", want->words, a.words, err));
    if (memcmp(want->set.bytes, a.set.bytes, sizeof a.set.bytes) != 0)
        return tc_fail(err, TACIT_E_ARG, "this answer is for another set of the round");
    const uint8_t *at = (const uint8_t *)bytes + TC_ANSWER_HEAD;
    for (size_t j = 0; j < a.words; j++)
        if (tc_get_le(at + 8 * j, 8) >= TC_FIELD_P)
            return tc_fail(err, TACIT_E_ARG, "word %zu of this answer must be below 2^61 - 1", j);
    for (size_t j = 0; j < a.words; j++)
        words[j] = tc_get_le(at + 8 * j, 8);
    return TACIT_OK;
}
