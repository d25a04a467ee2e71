/* trust_roster.h - who takes part in a study with trustees: one list of all keys, fixed once, with a fingerprint.
 *
 *   "TRO1" | epoch (4 bytes) | hash of the study (32) | agents N (8) | trustees K (4) | rounds R (4)
 *   | Ed25519 keys of agents 0..N-1 (32 each)
 *   | of trustees 0..K-1: Ed25519 key (32), hash of its batch (32)
 *
 * A batch is the X25519 keys of a trustee for rounds 0..R-1, one after the other; its hash is BLAKE2b-256. Numbers are
 * little-endian. Every party gets bytes and batches from the coordinator, which nobody trusts: so each checks that its own key
 * is at its own place, prints the fingerprint, and compares it with what others print. A roster that was read is a view. */
#ifndef TC_WIRE_TRUST_ROSTER_H
#define TC_WIRE_TRUST_ROSTER_H

#include "wire/dealing.h"

enum { TC_ROSTER_EPOCH = 1, TC_ROSTER_MOST_ROUNDS = 4096 };

typedef struct tc_trust_roster {
    uint32_t epoch;
    tacit_hash study;
    uint64_t agents;
    uint32_t trustees, rounds;
    const uint8_t *bytes; /* of the whole; borrowed */
    size_t n_bytes;
} tc_trust_roster;

/* What a party knows from the document. */
typedef struct tc_roster_terms {
    tacit_hash study;
    uint64_t agents;
    uint32_t trustees, rounds;
} tc_roster_terms;

/* 0: beyond what fits. */
size_t tc_trust_roster_size(uint64_t agents, uint32_t trustees);
/* agents[i] and trustees[k] are keys, batches[k] the hash of a batch; tc_trust_roster_size bytes. */
void tc_trust_roster_write(const tc_roster_terms *terms, const tc_public_key *agents,
                           const tc_public_key *trustees, const tacit_hash *batches, uint8_t *out);

/* Checks form and size, and that no two agents and no two trustees have the same keys. E_ARG: one sentence. */
tacit_status tc_trust_roster_read(const void *bytes, size_t n, tc_trust_roster *out,
                                  tacit_error *err);
/* Is it that of the document? */
tacit_status tc_trust_roster_check(const tc_trust_roster *r, const tc_roster_terms *want,
                                   tacit_error *err);
/* Does `key` stand at the place of this party? E_ARG says that it does not. */
tacit_status tc_trust_roster_own(const tc_trust_roster *r, tc_dealer_kind kind, uint64_t number,
                                 const tc_public_key *key, tacit_error *err);
/* Are these n bytes the batch of trustee k? */
tacit_status tc_trust_roster_batch(const tc_trust_roster *r, uint32_t k, const void *batch,
                                   size_t n, tacit_error *err);

tc_public_key tc_trust_roster_agent(const tc_trust_roster *r, uint64_t i);
tc_public_key tc_trust_roster_trustee(const tc_trust_roster *r, uint32_t k);
tc_box_key tc_trust_batch_key(const void *batch, uint64_t round);

/* "sha256//" and base64 of SHA-256 of the bytes: what every party prints and `--roster` pins. */
typedef struct tc_fingerprint {
    char text[56];
} tc_fingerprint;
tc_fingerprint tc_trust_roster_fingerprint(const void *bytes, size_t n);
/* BLAKE2b-256 of the bytes: what a box is bound to (dealing.h). */
tacit_hash tc_trust_roster_hash(const tc_trust_roster *r);
/* `pinned` is what a user gave. E_ARG: it is no fingerprint, or another one; the sentence names both. */
tacit_status tc_trust_roster_pinned(const tc_fingerprint *found, const char *pinned,
                                    tacit_error *err);

/* What a trustee signs when it enrols (TC_SIGN_TRUSTEE): hash of its join token (tc_hash_bytes of
 * the text), hash of its batch. */
typedef struct tc_trustee_enrolment {
    uint8_t bytes[64];
} tc_trustee_enrolment;
tc_trustee_enrolment tc_trustee_enrols(const tacit_hash *token, const void *batch, size_t n);

#endif
