/* server_rate.c - how often one address may connect, ask, and be wrong about its token.
 *
 * Three token buckets for an address, in a table of fixed size: nothing is allocated for a connection, a
 * request, or an address. Where an address goes in the table follows from a secret, so that nobody can choose
 * whom to drive out. Of IPv6 the first 64 bits count: who has one such address has them all. Called by
 * server_listen.c before a TLS handshake begins, and by server_request.c before anything is allocated for a
 * request.
 *
 * Many agents may share an address behind a NAT, and all of them connect again after an outage. So the bucket
 * of handshakes is deep: an address may do ten seconds' worth of them at once. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <netinet/in.h>
#include <sodium.h>
#include <string.h>
#include <sys/socket.h>

enum { SETS = 1024, WAYS = 4, FAILED_PER_S = 10, HANDSHAKE_BURST_S = 10 };

/* What an address may still do at the time when it was last seen. */
typedef struct bucket {
    uint64_t who; /* 0: free */
    uint64_t seen_ns;
    double asks, failures, handshakes;
} bucket;

struct tc_rate {
    uint64_t (*now_ns)(void *user);
    void *user;
    pthread_mutex_t lock; /* everything below */
    uint8_t secret[crypto_shorthash_KEYBYTES];
    double asks_per_s, failures_per_s, handshakes_per_s; /* asks, handshakes 0: no limit */
    bucket table[SETS][WAYS];
};

static uint64_t now_ns(void *user)
{
    (void)user;
    return tc_clock_ns();
}

tacit_status tc_rate_new(tc_rate **out, unsigned asks_per_s, unsigned failures_per_s,
                         unsigned handshakes_per_s, tacit_error *err)
{
    tc_rate *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    t->now_ns = now_ns;
    pthread_mutex_init(&t->lock, NULL);
    tc_party_seed fresh = tc_party_seed_fresh();
    memcpy(t->secret, fresh.bytes, sizeof t->secret);
    t->asks_per_s = asks_per_s;
    t->failures_per_s = failures_per_s > 0 ? failures_per_s : FAILED_PER_S;
    t->handshakes_per_s = handshakes_per_s;
    *out = t;
    return TACIT_OK;
}

void tc_rate_set_clock(tc_rate *t, uint64_t (*now)(void *user), void *user)
{
    t->now_ns = now;
    t->user = user;
}

void tc_rate_free(tc_rate *t)
{
    if (t)
        pthread_mutex_destroy(&t->lock);
    tc_free(t);
}

/* ---- addresses ---- */

/* The bytes of an address that say who it is. */
static size_t name_of(const struct sockaddr *a, uint8_t out[8])
{
    const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    if (a->sa_family == AF_INET) {
        memcpy(out, &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
        return 4;
    }
    if (a->sa_family != AF_INET6)
        return 0;
    bool mapped = IN6_IS_ADDR_V4MAPPED(six);
    memcpy(out, six->s6_addr + (mapped ? 12 : 0), mapped ? 4 : 8);
    return mapped ? 4 : 8;
}

uint64_t tc_rate_name(const tc_rate *t, const struct sockaddr *a)
{
    uint8_t name[8];
    uint64_t who = 0;
    size_t n = a ? name_of(a, name) : 0;
    crypto_shorthash((uint8_t *)&who, name, n, t->secret);
    return who > 0 ? who : 1;
}

/* ---- buckets ---- */

/* A bucket holds what flows in within burst_s. */
static double refill(double left, double per_s, double burst_s, double seconds)
{
    double most = per_s * burst_s > 1 ? per_s * burst_s : 1;
    left += per_s * seconds;
    return left < most ? left : most;
}

/* Its bucket as of now; one that was not seen for long makes room. Under the lock. */
static bucket *find(tc_rate *t, const struct sockaddr *a)
{
    uint64_t who = tc_rate_name(t, a), now = t->now_ns(t->user);
    bucket *set = t->table[who % SETS], *b = set;
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].who == who) {
            b = &set[i];
            break;
        }
        if (set[i].seen_ns < b->seen_ns)
            b = &set[i];
    }
    double seconds = b->who == who ? (double)(now - b->seen_ns) * 1e-9 : 1e9;
    b->asks = refill(b->asks, t->asks_per_s, 1, seconds);
    b->failures = refill(b->failures, t->failures_per_s, 1, seconds);
    b->handshakes = refill(b->handshakes, t->handshakes_per_s, HANDSHAKE_BURST_S, seconds);
    b->who = who;
    b->seen_ns = now;
    return b;
}

static bool draw(double *left)
{
    bool may = *left >= 1;
    if (may)
        *left -= 1;
    return may;
}

bool tc_rate_allows(tc_rate *t, const struct sockaddr *a)
{
    if (t->asks_per_s == 0)
        return true;
    pthread_mutex_lock(&t->lock);
    bool may = draw(&find(t, a)->asks);
    pthread_mutex_unlock(&t->lock);
    return may;
}

bool tc_rate_greets(tc_rate *t, const struct sockaddr *a)
{
    if (t->handshakes_per_s == 0)
        return true;
    pthread_mutex_lock(&t->lock);
    bool may = draw(&find(t, a)->handshakes);
    pthread_mutex_unlock(&t->lock);
    return may;
}

bool tc_rate_trusts(tc_rate *t, const struct sockaddr *a)
{
    pthread_mutex_lock(&t->lock);
    bool may = find(t, a)->failures >= 1;
    pthread_mutex_unlock(&t->lock);
    return may;
}

void tc_rate_failed(tc_rate *t, const struct sockaddr *a)
{
    pthread_mutex_lock(&t->lock);
    bucket *b = find(t, a);
    b->failures = b->failures > 1 ? b->failures - 1 : 0;
    pthread_mutex_unlock(&t->lock);
}
