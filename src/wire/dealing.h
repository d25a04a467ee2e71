/* dealing.h - the upload of a party that deals a vector to trustees, and a trustee's box in it.
 *
 *   "TDL1" | epoch (4 bytes) | round (8) | kind (1) | number (8) | words (4) | id (32) | a box for each of K trustees
 *   a box: ephemeral key (32) | crypto_box by it of: nonce (24) | crypto_box by the sender of: context (32) and share (share.h)
 *
 * Numbers are little-endian. The form is one: what can be read is written the same. The inner box is authenticated with the
 * sender's Ed25519 identity, converted to X25519; both are for the trustee's key of this round. The context is a hash of the roster (and with it of the study), epoch,
 * round, kind, sender, words, trustee, dealing id and ephemeral key: a box that is put into another upload, or given to another trustee, is
 * refused by who opens it.
 *
 * It has the whole roster because a coordinator may give different ones to different parties: a trustee that was told of other dealers than
 * there are would add up noise that the coordinator knows, to vectors of agents that count on the right ones. So a box opens only for who
 * has the roster that its sender has checked.
 *
 * A box by the identity alone could be opened by whoever gets hold of that identity later, with the trustee's public key. So there is
 * the outer box: its secret key is made from the dealing's secret and not kept. Once the trustee has answered and erased its key of the
 * round, nobody can open a box that was recorded, not even with the identities of all parties. That needs the dealing's secret to
 * be erased, too: the upload is what is kept for a resend.
 *
 * Dealt by agents (their vectors) and trustees (noise); the coordinator sees the form of an upload and no more. */
#ifndef TC_WIRE_DEALING_H
#define TC_WIRE_DEALING_H

#include "privacy/share.h"
#include "wire/signature.h"

enum { TC_DEALING_ID = 32, TC_DEALING_HEAD = 61, TC_BOX_CONTEXT = 32, TC_BOX_OVERHEAD = 120 };

/* X25519: of a trustee, one pair for each round. */
typedef struct tc_box_key {
    uint8_t bytes[32];
} tc_box_key;
typedef struct tc_box_secret { /* erase after use */
    uint8_t bytes[32];
} tc_box_secret;

void tc_box_keys_fresh(tc_box_key *p, tc_box_secret *s);
void tc_box_keys_from(tc_box_key *p, tc_box_secret *s, const uint8_t seed[32]);
/* Can boxes be made for it? Not for a point of low order: everybody would know their secret. */
bool tc_box_key_holds(const tc_box_key *p);

/* Part of the protocol: append only. */
typedef enum tc_dealer_kind {
    TC_DEALER_AGENT = 1,  /* its number is that of the agent */
    TC_DEALER_TRUSTEE = 2 /* its number is its place, 0..K-1: a dealing of noise */
} tc_dealer_kind;

/* Who dealt what. */
typedef struct tc_dealing_head {
    uint32_t epoch;
    uint64_t round;
    tc_dealer_kind kind;
    uint64_t number;
    uint32_t words;
    uint8_t id[TC_DEALING_ID]; /* random: of this one dealing */
} tc_dealing_head;

/* What a dealer knows. */
typedef struct tc_dealer {
    tc_trustees trustees;
    tacit_hash roster; /* tc_trust_roster_hash of the one that it keeps */
    uint32_t epoch;
    uint64_t round;
    tc_dealer_kind kind;
    uint64_t number;
    const tc_secret_key *identity;
    const tc_box_key *keys; /* of the trustees for this round: K */
} tc_dealer;

/* Bytes of an upload of n words, and of trustee k's box in it. */
size_t tc_dealing_size(const tc_trustees *t, size_t words);
size_t tc_dealing_box_size(const tc_trustees *t, uint32_t k, size_t words);

/* Deals n integers into tc_dealing_size bytes: shares, boxes, head. All that is random in it, the id and nonces
 * too, is a function of the secret, the dealer and the values: the upload made again is the same. E_ARG: a key is none. */
tacit_status tc_dealing_write(const tc_dealer *d, const uint8_t secret[TC_SHARE_SECRET],
                              const int64_t *values, size_t n, uint8_t *out, tacit_error *err);

/* Reads the head of an upload and checks its form and size. E_ARG: one sentence. */
tacit_status tc_dealing_read(const tc_trustees *t, const void *bytes, size_t n,
                             tc_dealing_head *out, tacit_error *err);
/* The same, and it must be that of `want`, whatever the id is. */
tacit_status tc_dealing_check(const tc_trustees *t, const tc_dealing_head *want, const void *bytes,
                              size_t n, tc_dealing_head *out, tacit_error *err);
/* Trustee k's box in an upload that was read. Borrowed. */
const uint8_t *tc_dealing_box(const tc_trustees *t, const void *bytes, uint32_t k);

/* Opens trustee k's box of the dealing that `head` says, id included: tc_share_size bytes of a share. `sender` is its
 * identity on the roster. E_ARG: it does not open with that key, or is of another dealing or roster. */
tacit_status tc_dealing_open(const tc_trustees *t, const tacit_hash *roster,
                             const tc_dealing_head *head, const tc_public_key *sender, uint32_t k,
                             const tc_box_secret *mine, const uint8_t *box, size_t n,
                             uint8_t *share, tacit_error *err);

#endif
