/* signature.h - who said it: the Ed25519 keys of agents, and what exactly they sign.
 *
 * A signature covers its purpose, the study, the round, a sequence number that grows with every
 * message of an agent, and the hash of the body: none of them can be taken from one message and used
 * for another. Called by agents (sign) and by the coordinator (verify). */
#ifndef TC_WIRE_SIGNATURE_H
#define TC_WIRE_SIGNATURE_H

#include "privacy/ledger.h"
#include "wire/base64.h"

typedef struct tc_public_key {
    uint8_t bytes[32];
} tc_public_key;
typedef struct tc_secret_key { /* erase after use */
    uint8_t bytes[64];
} tc_secret_key;
typedef struct tc_signature {
    uint8_t bytes[64];
} tc_signature;

/* Part of the protocol: append only. */
typedef enum tc_signed_purpose {
    TC_SIGN_ENROL = 1,   /* the body is the hash of the join token: this key is mine */
    TC_SIGN_MESSAGE = 2, /* the body of a message for a round */
    TC_SIGN_ROTATE =
        3, /* the body is the new public key; signed with the old one and with itself */
    TC_SIGN_WITHDRAW = 4, /* the body is the public key: its agent leaves */
    /* By trustees. */
    TC_SIGN_TRUSTEE = 5, /* enrolment: the body is tc_trustee_enrols (trust_roster.h) */
    TC_SIGN_NOISE = 6,   /* the body is a dealing of noise (dealing.h) */
    TC_SIGN_ANSWER = 7,  /* the body is an answer (trust_answer.h) */
    TC_SIGN_REFUSAL = 8  /* the body is one sentence: why it answers nothing for this round */
} tc_signed_purpose;

/* What is signed. Borrowed. */
typedef struct tc_signed {
    tc_signed_purpose purpose;
    tacit_hash study; /* study_plan.h */
    uint64_t round, sequence;
    const void *body;
    size_t n_body;
} tc_signed;

/* From the OS, or in test mode from a seed. */
void tc_keys_fresh(tc_public_key *p, tc_secret_key *s);
void tc_keys_from(tc_public_key *p, tc_secret_key *s, const uint8_t seed[32]);

void tc_sign(const tc_secret_key *s, const tc_signed *what, tc_signature *out);
bool tc_signature_holds(const tc_public_key *p, const tc_signed *what, const tc_signature *sig);

/* BLAKE2b-256, as everywhere. */
tacit_hash tc_hash_bytes(const void *p, size_t n);

#endif
