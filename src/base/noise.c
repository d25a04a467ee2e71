/* noise.c - randomness that hides data: unseeded, unrepeatable, erased.
 *
 * ChaCha20 under a key from the operating system, with fast key erasure
 * (Bernstein 2017): a key serves for one buffer, whose first bytes are the key
 * of the next one and are erased there, so the nonce can be zero. A word is
 * erased from the buffer when it is handed out. So a later look at the memory
 * shows no earlier noise, and nothing to compute it from.
 *
 * A forked child owns a copy of every buffer of its parent, and must not hand
 * out the same words. So there is a word that is random in each process, and
 * zero in a child until it draws: the kernel wipes its page at a fork
 * (MADV_WIPEONFORK, whoever called clone), and a fork handler clears it where
 * the kernel cannot. A tc_noise whose copy of the word is another is keyed
 * afresh. This costs one load and one comparison for each word drawn. */
#include "base/random.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef _Atomic uint64_t process_mark;

static process_mark unwiped; /* where the system has no page that a fork wipes */
static process_mark *mark = &unwiped;

static void forget(void)
{
    atomic_store_explicit(mark, 0, memory_order_relaxed);
}

static void place_mark(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef MADV_WIPEONFORK
    if (page != MAP_FAILED && madvise(page, size, MADV_WIPEONFORK) == 0)
        mark = page;
#endif
    if (page != MAP_FAILED && mark != page)
        munmap(page, size);
    pthread_atfork(NULL, NULL, forget);
}

/* Chosen when it is first asked for. */
uint64_t tc_this_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    tc_random_start();
    pthread_once(&once, place_mark);
    uint64_t old = atomic_load_explicit(mark, memory_order_relaxed);
    while (old == 0) {
        uint64_t fresh;
        randombytes_buf(&fresh, sizeof fresh);
        if (atomic_compare_exchange_strong(mark, &old, fresh))
            old = fresh;
    }
    return old;
}

void tc_noise_init(tc_noise *n)
{
    n->process = tc_this_process();
    randombytes_buf(n->key, sizeof n->key);
    n->used = sizeof n->buf;
    sodium_memzero(n->buf, sizeof n->buf);
}

static void refill(tc_noise *n)
{
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
    crypto_stream_chacha20(n->buf, sizeof n->buf, nonce, n->key);
    memcpy(n->key, n->buf, sizeof n->key);
    memset(n->buf, 0, sizeof n->key);
    n->used = sizeof n->key;
}

static bool belongs_here(const tc_noise *n)
{
    uint64_t now = atomic_load_explicit(mark, memory_order_relaxed);
    return n->process == now && now != 0;
}

uint64_t tc_noise_u64(tc_noise *n)
{
    if (!belongs_here(n))
        tc_noise_init(n);
    if (n->used == sizeof n->buf)
        refill(n);
    uint64_t v;
    memcpy(&v, n->buf + n->used, sizeof v);
    memset(n->buf + n->used, 0, sizeof v);
    n->used += sizeof v;
    return v;
}

void tc_noise_fini(tc_noise *n)
{
    sodium_memzero(n, sizeof *n);
}
