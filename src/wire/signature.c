/* signature.c - Ed25519 signatures over a fixed layout (signature.h).
 *
 *   "tacit signed 1" and a zero byte, purpose (8 bytes), study hash (32), round (8), sequence (8),
 *   BLAKE2b-256 of the body (32); numbers little-endian. */
#include "wire/signature.h"

#include "base/bytes.h"

#include "base/random.h"

#include <sodium.h>
#include <string.h>

#define LABEL "tacit signed 1" /* with its zero byte: 15 */

enum { LAID_OUT = sizeof LABEL + 8 + 32 + 8 + 8 + 32 };

void tc_keys_fresh(tc_public_key *p, tc_secret_key *s)
{
    tc_random_start();
    (void)crypto_sign_keypair(p->bytes, s->bytes);
}

void tc_keys_from(tc_public_key *p, tc_secret_key *s, const uint8_t seed[32])
{
    tc_random_start();
    (void)crypto_sign_seed_keypair(p->bytes, s->bytes, seed);
}

tacit_hash tc_hash_bytes(const void *p, size_t n)
{
    tacit_hash h;
    (void)crypto_generichash(h.bytes, sizeof h.bytes, n > 0 ? p : (const void *)"", n, NULL, 0);
    return h;
}

static uint8_t *put_number(uint8_t *at, uint64_t v)
{
    tc_put_le(at, v, 8);
    return at + 8;
}

static uint8_t *put_hash(uint8_t *at, const tacit_hash *h)
{
    memcpy(at, h->bytes, sizeof h->bytes);
    return at + sizeof h->bytes;
}

static void lay_out(const tc_signed *what, uint8_t out[LAID_OUT])
{
    tacit_hash body = tc_hash_bytes(what->body, what->n_body);
    memcpy(out, LABEL, sizeof LABEL);
    uint8_t *at = put_number(out + sizeof LABEL, (uint64_t)what->purpose);
    at = put_hash(at, &what->study);
    at = put_number(at, what->round);
    at = put_number(at, what->sequence);
    put_hash(at, &body);
}

void tc_sign(const tc_secret_key *s, const tc_signed *what, tc_signature *out)
{
    uint8_t bytes[LAID_OUT];
    lay_out(what, bytes);
    (void)crypto_sign_detached(out->bytes, NULL, bytes, sizeof bytes, s->bytes);
}

bool tc_signature_holds(const tc_public_key *p, const tc_signed *what, const tc_signature *sig)
{
    uint8_t bytes[LAID_OUT];
    lay_out(what, bytes);
    return crypto_sign_verify_detached(sig->bytes, bytes, sizeof bytes, p->bytes) == 0;
}
