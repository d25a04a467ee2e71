/* noise.c - randomness that hides data: unseeded, unrepeatable, erased.
 *
 * ChaCha20 under a key from the operating system. The key serves one
 * tc_noise, so the nonce can be zero. A value is erased from the buffer when
 * it is handed out: a later look at the memory does not show earlier noise. */
#include "base/random.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 };

void tc_noise_init(tc_noise *n)
{
    tc_random_start();
    memset(n, 0, sizeof *n);
    randombytes_buf(n->key, sizeof n->key);
    n->used = sizeof n->buf;
    n->owner = getpid();
}

static void refill(tc_noise *n)
{
    static const uint8_t nonce[8] = {0};
    memset(n->buf, 0, sizeof n->buf);
    crypto_stream_chacha20_xor_ic(n->buf, n->buf, sizeof n->buf, nonce, n->block, n->key);
    n->block += sizeof n->buf / BLOCK;
    n->used = 0;
}

uint64_t tc_noise_u64(tc_noise *n)
{
    if (n->owner != getpid())
        tc_noise_init(n);
    if (n->used == sizeof n->buf)
        refill(n);
    uint64_t v;
    memcpy(&v, n->buf + n->used, sizeof v);
    sodium_memzero(n->buf + n->used, sizeof v);
    n->used += sizeof v;
    return v;
}

void tc_noise_fini(tc_noise *n)
{
    sodium_memzero(n, sizeof *n);
}
