/* trust_roster.c - rosters of studies with trustees (trust_roster.h). */
#include "wire/trust_roster.h"

#include "wire/distinct.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/random.h"

#include <sodium.h>
#include <string.h>

static const char magic[4] = {'T', 'R', 'O', '1'};

#define PREFIX "sha256//"

enum { HEAD = 56, KEY = 32, TRUSTEE = 2 * KEY, MOST_AGENTS = 1 << 24, FINGERPRINT = 52 };

size_t tc_trust_roster_size(uint64_t agents, uint32_t trustees)
{
    if (agents > MOST_AGENTS || trustees > TC_TRUSTEES_MOST)
        return 0;
    return HEAD + KEY * (size_t)agents + TRUSTEE * (size_t)trustees;
}

void tc_trust_roster_write(const tc_roster_terms *terms, const tc_public_key *agents,
                           const tc_public_key *trustees, const tacit_hash *batches, uint8_t *out)
{
    memcpy(out, magic, sizeof magic);
    tc_put_le(out + 4, TC_ROSTER_EPOCH, 4);
    memcpy(out + 8, terms->study.bytes, sizeof terms->study.bytes);
    tc_put_le(out + 40, terms->agents, 8);
    tc_put_le(out + 48, terms->trustees, 4);
    tc_put_le(out + 52, terms->rounds, 4);
    uint8_t *at = out + HEAD;
    for (uint64_t i = 0; i < terms->agents; i++, at += KEY)
        memcpy(at, agents[i].bytes, KEY);
    for (uint32_t k = 0; k < terms->trustees; k++, at += TRUSTEE) {
        memcpy(at, trustees[k].bytes, KEY);
        memcpy(at + KEY, batches[k].bytes, KEY);
    }
}

/* ---- reading */

static const uint8_t *agent_at(const tc_trust_roster *r, uint64_t i)
{
    return r->bytes + HEAD + KEY * i;
}

static const uint8_t *trustee_at(const tc_trust_roster *r, uint32_t k)
{
    return agent_at(r, r->agents) + TRUSTEE * (size_t)k;
}

static tc_public_key key_of(const uint8_t *bytes)
{
    tc_public_key key;
    memcpy(key.bytes, bytes, sizeof key.bytes);
    return key;
}

tc_public_key tc_trust_roster_agent(const tc_trust_roster *r, uint64_t i)
{
    return key_of(agent_at(r, i));
}

tc_public_key tc_trust_roster_trustee(const tc_trust_roster *r, uint32_t k)
{
    return key_of(trustee_at(r, k));
}

tc_box_key tc_trust_batch_key(const void *batch, uint64_t round)
{
    tc_box_key key;
    memcpy(key.bytes, (const uint8_t *)batch + KEY * round, sizeof key.bytes);
    return key;
}

static tacit_status check_range(const char *what, uint64_t low, uint64_t high, uint64_t got,
                                tacit_error *err)
{
    if (got >= low && got <= high)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "the %s of a roster must be in %llu..%llu, got %llu", what,
                   (unsigned long long)low, (unsigned long long)high, (unsigned long long)got);
}

static tacit_status check_numbers(const tc_trust_roster *r, tacit_error *err)
{
    TC_TRY(check_range("epoch", TC_ROSTER_EPOCH, TC_ROSTER_EPOCH, r->epoch, err));
    TC_TRY(check_range("number of agents", 1, MOST_AGENTS, r->agents, err));
    TC_TRY(
        check_range("number of trustees", TC_TRUSTEES_LEAST, TC_TRUSTEES_MOST, r->trustees, err));
    return check_range("number of rounds", 1, TC_ROSTER_MOST_ROUNDS, r->rounds, err);
}

static tacit_status check_twice(const tc_trust_roster *r, tacit_error *err)
{
    bool agents, trustees, batches;
    const uint8_t *first = trustee_at(r, 0);
    TC_TRY(tc_any_twice(agent_at(r, 0), (size_t)r->agents, KEY, &agents, err));
    TC_TRY(tc_any_twice(first, r->trustees, TRUSTEE, &trustees, err));
    TC_TRY(tc_any_twice(first + KEY, r->trustees, TRUSTEE, &batches, err));
    if (!agents && !trustees && !batches)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "two %s of the roster have the same %s",
                   agents ? "agents" : "trustees", agents || trustees ? "key" : "round keys");
}

tacit_status tc_trust_roster_read(const void *bytes, size_t n, tc_trust_roster *out,
                                  tacit_error *err)
{
    const uint8_t *b = bytes;
    if (n < HEAD || memcmp(b, magic, sizeof magic) != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a roster begins with \"TRO1\" and has a head of %d bytes, got %zu bytes",
                       HEAD, n);
    tc_trust_roster r = {.epoch = (uint32_t)tc_get_le(b + 4, 4),
                         .agents = tc_get_le(b + 40, 8),
                         .trustees = (uint32_t)tc_get_le(b + 48, 4),
                         .rounds = (uint32_t)tc_get_le(b + 52, 4),
                         .bytes = b,
                         .n_bytes = n};
    memcpy(r.study.bytes, b + 8, sizeof r.study.bytes);
    TC_TRY(check_numbers(&r, err));
    if (n != tc_trust_roster_size(r.agents, r.trustees))
        return tc_fail(err, TACIT_E_ARG,
                       "a roster of %llu agents and %u trustees has %zu bytes, got %zu",
                       (unsigned long long)r.agents, (unsigned)r.trustees,
                       tc_trust_roster_size(r.agents, r.trustees), n);
    TC_TRY(check_twice(&r, err));
    *out = r;
    return TACIT_OK;
}

/* ---- what a party checks */

static tacit_status check_member(const char *what, uint64_t want, uint64_t got, tacit_error *err)
{
    if (want == got)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "the number of %s on the roster must be %llu, got %llu", what,
                   (unsigned long long)want, (unsigned long long)got);
}

tacit_status tc_trust_roster_check(const tc_trust_roster *r, const tc_roster_terms *want,
                                   tacit_error *err)
{
    if (memcmp(r->study.bytes, want->study.bytes, sizeof want->study.bytes) != 0)
        return tc_fail(err, TACIT_E_ARG, "the roster is that of another study");
    TC_TRY(check_member("agents", want->agents, r->agents, err));
    TC_TRY(check_member("trustees", want->trustees, r->trustees, err));
    return check_member("rounds", want->rounds, r->rounds, err);
}

tacit_status tc_trust_roster_own(const tc_trust_roster *r, tc_dealer_kind kind, uint64_t number,
                                 const tc_public_key *key, tacit_error *err)
{
    const bool agent = kind == TC_DEALER_AGENT;
    const uint64_t count = agent ? r->agents : r->trustees;
    const uint8_t *there =
        number < count ? (agent ? agent_at(r, number) : trustee_at(r, (uint32_t)number)) : NULL;
    if (there && memcmp(there, key->bytes, KEY) == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "the roster does not have this %s's own key at its place %llu: the coordinator "
                   "has put another one there",
                   agent ? "agent" : "trustee", (unsigned long long)number);
}

tacit_status tc_trust_roster_batch(const tc_trust_roster *r, uint32_t k, const void *batch,
                                   size_t n, tacit_error *err)
{
    const size_t size = KEY * (size_t)r->rounds;
    if (n != size)
        return tc_fail(err, TACIT_E_ARG,
                       "the round keys of a trustee for %u rounds have %zu bytes, got %zu",
                       (unsigned)r->rounds, size, n);
    const tacit_hash hash = tc_hash_bytes(batch, n);
    if (memcmp(hash.bytes, trustee_at(r, k) + KEY, sizeof hash.bytes) != 0)
        return tc_fail(err, TACIT_E_ARG, "the round keys of trustee %u are not those of the roster",
                       (unsigned)k);
    return TACIT_OK;
}

/* ---- fingerprints */

tc_fingerprint tc_trust_roster_fingerprint(const void *bytes, size_t n)
{
    tc_fingerprint f = {PREFIX};
    uint8_t hash[crypto_hash_sha256_BYTES];
    const size_t prefix = sizeof PREFIX - 1;
    crypto_hash_sha256(hash, bytes, n);
    sodium_bin2base64(f.text + prefix, sizeof f.text - prefix, hash, sizeof hash,
                      sodium_base64_VARIANT_ORIGINAL);
    return f;
}

tacit_hash tc_trust_roster_hash(const tc_trust_roster *r)
{
    return tc_hash_bytes(r->bytes, r->n_bytes);
}

static bool is_fingerprint(const char *text)
{
    uint8_t bytes[32];
    return strlen(text) == FINGERPRINT && strncmp(text, PREFIX, sizeof PREFIX - 1) == 0 &&
           tc_base64_read(text + sizeof PREFIX - 1, bytes, sizeof bytes);
}

tacit_status tc_trust_roster_pinned(const tc_fingerprint *found, const char *pinned,
                                    tacit_error *err)
{
    if (!is_fingerprint(pinned))
        return tc_fail(err, TACIT_E_ARG,
                       "the fingerprint of a roster is sha256// and 44 characters, got \"%.80s\"",
                       pinned);
    if (strcmp(found->text, pinned) != 0)
        return tc_fail(
            err, TACIT_E_ARG,
            "the coordinator's roster has the fingerprint %s, and the one that was given "
            "is %s: they are two rosters",
            found->text, pinned);
    return TACIT_OK;
}

tc_trustee_enrolment tc_trustee_enrols(const tacit_hash *token, const void *batch, size_t n)
{
    tc_trustee_enrolment e;
    const tacit_hash hash = tc_hash_bytes(batch, n);
    memcpy(e.bytes, token->bytes, sizeof token->bytes);
    memcpy(e.bytes + sizeof token->bytes, hash.bytes, sizeof hash.bytes);
    return e;
}
