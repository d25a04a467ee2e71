/* trust_set.h - which dealings a round adds up: agents' vectors and dealers' noise, by the ids of their dealings.
 *
 *   "TST1" | epoch (4 bytes) | round (8) | agents (4) | dealers (4) | entries of agents, then of dealers: number (8) | id (32)
 *
 * Numbers are little-endian; both lists ascend by number. The coordinator says it once for each round; trustees check it and answer
 * for it. A set that was read is a view into its bytes. */
#ifndef TC_WIRE_TRUST_SET_H
#define TC_WIRE_TRUST_SET_H

#include "wire/dealing.h"

typedef struct tc_set_entry {
    uint64_t number; /* of the agent, or the place of the trustee */
    uint8_t id[TC_DEALING_ID];
} tc_set_entry;

typedef struct tc_trust_set {
    uint32_t epoch;
    uint64_t round;
    size_t agents, dealers;
    const uint8_t *bytes; /* of the whole; borrowed */
    size_t n_bytes;
} tc_trust_set;

/* What a set must be. */
typedef struct tc_set_terms {
    uint32_t epoch;
    uint64_t round;
    uint64_t agents;      /* on the roster: their numbers are below this */
    tc_trustees trustees; /* exactly r of them deal */
} tc_set_terms;

size_t tc_trust_set_size(size_t agents, size_t dealers);
/* tc_trust_set_size bytes. */
void tc_trust_set_write(uint32_t epoch, uint64_t round, const tc_set_entry *agents, size_t n_agents,
                        const tc_set_entry *dealers, size_t n_dealers, uint8_t *out);

/* Checks form, size and order alone. E_ARG: one sentence. */
tacit_status tc_trust_set_read(const void *bytes, size_t n, tc_trust_set *out, tacit_error *err);
/* What a trustee checks before it adds up: epoch and round; exactly r dealers, each one of K; agents on the roster; no number
 * twice, no id twice. It may have no agents: then the sum is noise. E_ARG: one sentence. */
tacit_status tc_trust_set_check(const tc_trust_set *s, const tc_set_terms *want, tacit_error *err);

tc_set_entry tc_trust_set_agent(const tc_trust_set *s, size_t i);
tc_set_entry tc_trust_set_dealer(const tc_trust_set *s, size_t i);
/* The head of the dealing of an entry: what tc_dealing_open needs. */
tc_dealing_head tc_trust_set_head(const tc_trust_set *s, tc_dealer_kind kind, size_t i,
                                  uint32_t words);

/* What answers carry and sign: BLAKE2b-256 of the study's hash and the bytes. */
tacit_hash tc_trust_set_hash(const tc_trust_set *s, const tacit_hash *study);

#endif
