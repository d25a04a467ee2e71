/* fuzz_trust.c - sets, answers and rosters of trustees, as any of their readers may get them.
 *
 * A genuine one is spoiled. What is read and written again has the same bytes: each of the three has one form. */
#include "input.h"

#include "privacy/share_field.h"
#include "wire/trust_answer.h"
#include "wire/trust_roster.h"
#include "wire/trust_set.h"

enum { SOME = 4, MOST = 1024 };

static const tacit_hash study = {{1, 2, 3}};

static void check_set(const fuzz_piece *p)
{
    tc_trust_set s;
    if (tc_trust_set_read(p->bytes, p->n, &s, NULL) != TACIT_OK)
        return;
    tc_set_entry *all = calloc(s.agents + s.dealers + 1, sizeof *all);
    uint8_t *again = malloc(p->n);
    REQUIRE(all && again);
    for (size_t i = 0; i < s.agents; i++)
        all[i] = tc_trust_set_agent(&s, i);
    for (size_t i = 0; i < s.dealers; i++)
        all[s.agents + i] = tc_trust_set_dealer(&s, i);
    tc_trust_set_write(s.epoch, s.round, all, s.agents, all + s.agents, s.dealers, again);
    REQUIRE(memcmp(again, p->bytes, p->n) == 0);
    const tc_set_terms want = {
        .epoch = 1, .round = 9, .agents = 20, .trustees = tc_trustees_usual(4)};
    if (tc_trust_set_check(&s, &want, NULL) == TACIT_OK) {
        REQUIRE(s.dealers == want.trustees.dealers && s.agents <= want.agents);
        for (size_t i = 0; i < s.agents; i++)
            REQUIRE(all[i].number < want.agents);
    }
    (void)tc_trust_set_hash(&s, &study);
    free(again);
    free(all);
}

static void check_answer(const fuzz_piece *p)
{
    tc_trust_answer a;
    if (tc_trust_answer_peek(p->bytes, p->n, &a, NULL) != TACIT_OK)
        return;
    uint64_t *words = calloc((size_t)a.words + 1, sizeof *words);
    uint8_t *again = malloc(p->n);
    REQUIRE(words && again);
    if (tc_trust_answer_read(&a, p->bytes, p->n, words, NULL) == TACIT_OK) {
        for (size_t i = 0; i < a.words; i++)
            REQUIRE(words[i] < TC_FIELD_P);
        tc_trust_answer_write(&a, words, again);
        REQUIRE(memcmp(again, p->bytes, p->n) == 0);
    }
    free(again);
    free(words);
}

static void check_roster(const fuzz_piece *p)
{
    tc_trust_roster r;
    if (tc_trust_roster_read(p->bytes, p->n, &r, NULL) != TACIT_OK)
        return;
    const tc_roster_terms terms = {r.study, r.agents, r.trustees, r.rounds};
    REQUIRE(tc_trust_roster_check(&r, &terms, NULL) == TACIT_OK);
    for (uint64_t i = 0; i < r.agents; i++) {
        const tc_public_key key = tc_trust_roster_agent(&r, i);
        REQUIRE(tc_trust_roster_own(&r, TC_DEALER_AGENT, i, &key, NULL) == TACIT_OK);
    }
    for (uint32_t k = 0; k < r.trustees; k++) {
        const tc_public_key key = tc_trust_roster_trustee(&r, k);
        REQUIRE(tc_trust_roster_own(&r, TC_DEALER_TRUSTEE, k, &key, NULL) == TACIT_OK);
        (void)tc_trust_roster_batch(&r, k, p->bytes, p->n, NULL);
    }
    const tc_fingerprint f = tc_trust_roster_fingerprint(p->bytes, p->n);
    REQUIRE(tc_trust_roster_pinned(&f, f.text, NULL) == TACIT_OK);
}

static size_t genuine_set(uint8_t out[MOST])
{
    const tc_set_entry agents[SOME] = {{1, {1}}, {4, {2}}, {5, {3}}, {19, {4}}};
    const tc_set_entry dealers[3] = {{0, {5}}, {1, {6}}, {3, {7}}};
    tc_trust_set_write(1, 9, agents, SOME, dealers, 3, out);
    return tc_trust_set_size(SOME, 3);
}

static size_t genuine_answer(uint8_t out[MOST])
{
    const uint64_t words[SOME] = {0, 1, TC_FIELD_P - 1, 123456789};
    const tc_trust_answer a = {.epoch = 1, .round = 9, .trustee = 2, .set = study, .words = SOME};
    tc_trust_answer_write(&a, words, out);
    return tc_trust_answer_size(SOME);
}

static size_t genuine_roster(uint8_t out[MOST])
{
    const tc_public_key keys[SOME] = {{{1}}, {{2}}, {{3}}, {{4}}};
    const tacit_hash batches[SOME] = {{{5}}, {{6}}, {{7}}, {{8}}};
    const tc_roster_terms terms = {study, SOME, SOME, 10};
    tc_trust_roster_write(&terms, keys, keys, batches, out);
    return tc_trust_roster_size(SOME, SOME);
}

FUZZ_TARGET(trust)
{
    static const struct {
        size_t (*genuine)(uint8_t out[MOST]);
        void (*check)(const fuzz_piece *p);
    } forms[] = {
        {genuine_set, check_set}, {genuine_answer, check_answer}, {genuine_roster, check_roster}};
    fuzz_input in = {data, size};
    uint8_t bytes[MOST];
    const size_t form = fuzz_byte(&in) % 3, n = forms[form].genuine(bytes);
    fuzz_piece p = fuzz_spoil(&in, bytes, n);
    forms[form].check(&p);
    free(p.bytes);
    return 0;
}
