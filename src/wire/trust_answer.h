/* trust_answer.h - a trustee's answer: what it adds up for one set of a round (trust_set.h).
 *
 *   "TAN1" | epoch (4 bytes) | round (8) | trustee (4) | hash of the set (32) | count (4) | words of the field (8 each)
 *
 * Numbers are little-endian, words below p. Trustees write it; the coordinator reads it. */
#ifndef TC_WIRE_TRUST_ANSWER_H
#define TC_WIRE_TRUST_ANSWER_H

#include "privacy/ledger.h" /* tacit_hash */

#include <stddef.h>
#include <stdint.h>

enum { TC_ANSWER_HEAD = 56 };

typedef struct tc_trust_answer {
    uint32_t epoch;
    uint64_t round;
    uint32_t trustee; /* its place */
    tacit_hash set;
    uint32_t words;
} tc_trust_answer;

size_t tc_trust_answer_size(size_t words);
void tc_trust_answer_write(const tc_trust_answer *a, const uint64_t *words, uint8_t *out);
/* Checks the form, and that the answer is `want` in every member. words: want->words of them. E_ARG: one sentence. */
tacit_status tc_trust_answer_read(const tc_trust_answer *want, const void *bytes, size_t n,
                                  uint64_t *words, tacit_error *err);
/* What an answer says it is, for who does not know what to expect; its words are not looked at. */
tacit_status tc_trust_answer_peek(const void *bytes, size_t n, tc_trust_answer *out,
                                  tacit_error *err);

#endif
