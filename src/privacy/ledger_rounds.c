/* ledger_rounds.c - which entry released a round: a set that is built from the checked chain.
 *
 * A store finds a round through an index of its own, which no hash covers. One flipped bit there
 * hides a release, and a second one would be drawn. So whether a round was released is decided
 * here, from entries whose hashes were checked; the store has only to bring the bytes.
 *
 * Open addressing with linear probing; a slot holds an entry's number, 0 is free. At least half
 * of the slots are free. */
#include "privacy/ledger_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

enum { FEWEST_SLOTS = 16 };

/* The finisher of splitmix64. */
static uint64_t mixed(uint64_t v)
{
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

static size_t first_slot(const tc_ledger *l, const tacit_hash *study, uint64_t round)
{
    uint64_t word[TC_LEDGER_HASH_BYTES / 8], v = round;
    memcpy(word, study->bytes, sizeof word);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        v = mixed(v ^ word[i]);
    return (size_t)v & (l->slots - 1);
}

/* Where this round stands, or the free slot where it would. */
static uint64_t *slot_of(const tc_ledger *l, const tacit_hash *study, uint64_t round)
{
    size_t at = first_slot(l, study, round);
    for (; l->rounds[at] != 0; at = (at + 1) & (l->slots - 1)) {
        const tc_ledger_entry *e = &l->items[l->rounds[at] - 1].entry;
        if (e->round == round && tc_ledger_hash_same(&e->study, study))
            break;
    }
    return &l->rounds[at];
}

/* Doubles the table, and enters the rounds of all entries again. */
static tacit_status enlarge(tc_ledger *l, tacit_error *err)
{
    size_t slots = l->slots ? 2 * l->slots : FEWEST_SLOTS;
    uint64_t *fresh = slots > l->slots ? tc_alloc(slots, sizeof *fresh) : NULL;
    if (!fresh)
        return tc_fail_memory(err);
    tc_free(l->rounds);
    l->rounds = fresh;
    l->slots = slots;
    for (size_t i = 0; i < l->n; i++) {
        const tc_ledger_entry *e = &l->items[i].entry;
        *slot_of(l, &e->study, e->round) = i + 1;
    }
    return TACIT_OK;
}

uint64_t tc_ledger_round_entry(const tc_ledger *l, const tacit_hash *study, uint64_t round)
{
    return l->slots ? *slot_of(l, study, round) : 0;
}

tacit_status tc_ledger_round_reserve(tc_ledger *l, const tc_ledger_entry *e, tacit_error *err)
{
    uint64_t first = tc_ledger_round_entry(l, &e->study, e->round);
    if (first != 0)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "ledger entries %" PRIu64 " and %" PRIu64 " release the same round", first,
                       e->seq);
    return l->n + 1 > l->slots / 2 ? enlarge(l, err) : TACIT_OK;
}

void tc_ledger_round_add(tc_ledger *l, const tc_ledger_entry *e)
{
    *slot_of(l, &e->study, e->round) = e->seq;
}
