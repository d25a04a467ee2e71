/* trust_set.c - sets of dealings (trust_set.h). */
#include "wire/trust_set.h"

#include "wire/distinct.h"

#include "base/bytes.h"
#include "base/error.h"

#include <sodium.h>
#include <string.h>

static const char magic[4] = {'T', 'S', 'T', '1'};

enum { HEAD = 24, ENTRY = 8 + TC_DEALING_ID };

size_t tc_trust_set_size(size_t agents, size_t dealers)
{
    return HEAD + ENTRY * (agents + dealers);
}

static uint8_t *put_entries(uint8_t *at, const tc_set_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++, at += ENTRY) {
        tc_put_le(at, entries[i].number, 8);
        memcpy(at + 8, entries[i].id, TC_DEALING_ID);
    }
    return at;
}

void tc_trust_set_write(uint32_t epoch, uint64_t round, const tc_set_entry *agents, size_t n_agents,
                        const tc_set_entry *dealers, size_t n_dealers, uint8_t *out)
{
    memcpy(out, magic, sizeof magic);
    tc_put_le(out + 4, epoch, 4);
    tc_put_le(out + 8, round, 8);
    tc_put_le(out + 16, n_agents, 4);
    tc_put_le(out + 20, n_dealers, 4);
    put_entries(put_entries(out + HEAD, agents, n_agents), dealers, n_dealers);
}

/* ---- reading */

static tc_set_entry entry(const tc_trust_set *s, size_t i)
{
    const uint8_t *at = s->bytes + HEAD + i * ENTRY;
    tc_set_entry e = {.number = tc_get_le(at, 8)};
    memcpy(e.id, at + 8, sizeof e.id);
    return e;
}

tc_set_entry tc_trust_set_agent(const tc_trust_set *s, size_t i)
{
    return entry(s, i);
}

tc_set_entry tc_trust_set_dealer(const tc_trust_set *s, size_t i)
{
    return entry(s, s->agents + i);
}

tc_dealing_head tc_trust_set_head(const tc_trust_set *s, tc_dealer_kind kind, size_t i,
                                  uint32_t words)
{
    const tc_set_entry e =
        kind == TC_DEALER_AGENT ? tc_trust_set_agent(s, i) : tc_trust_set_dealer(s, i);
    tc_dealing_head h = {
        .epoch = s->epoch, .round = s->round, .kind = kind, .number = e.number, .words = words};
    memcpy(h.id, e.id, sizeof h.id);
    return h;
}

/* Entries first..first+n-1 ascend by number, which also says that none is there twice. */
static tacit_status check_order(const tc_trust_set *s, const char *who, size_t first, size_t n,
                                tacit_error *err)
{
    for (size_t i = 1; i < n; i++)
        if (entry(s, first + i - 1).number >= entry(s, first + i).number)
            return tc_fail(err, TACIT_E_ARG, "the %s of a set must ascend, got %llu after %llu",
                           who, (unsigned long long)entry(s, first + i).number,
                           (unsigned long long)entry(s, first + i - 1).number);
    return TACIT_OK;
}

tacit_status tc_trust_set_read(const void *bytes, size_t n, tc_trust_set *out, tacit_error *err)
{
    const uint8_t *b = bytes;
    if (n < HEAD || memcmp(b, magic, sizeof magic) != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a set begins with \"TST1\" and has a head of %d bytes, got %zu bytes", HEAD,
                       n);
    const tc_trust_set s = {.epoch = (uint32_t)tc_get_le(b + 4, 4),
                            .round = tc_get_le(b + 8, 8),
                            .agents = tc_get_le(b + 16, 4),
                            .dealers = tc_get_le(b + 20, 4),
                            .bytes = b,
                            .n_bytes = n};
    if (n != tc_trust_set_size(s.agents, s.dealers))
        return tc_fail(err, TACIT_E_ARG,
                       "a set of %zu agents and %zu dealers has %zu bytes, got %zu", s.agents,
                       s.dealers, tc_trust_set_size(s.agents, s.dealers), n);
    TC_TRY(check_order(&s, "agents", 0, s.agents, err));
    TC_TRY(check_order(&s, "dealers", s.agents, s.dealers, err));
    *out = s;
    return TACIT_OK;
}

/* ---- what a trustee checks */

/* They ascend: the last one is the largest. */
static tacit_status check_last(const char *who, tc_set_entry last, uint64_t count, tacit_error *err)
{
    if (last.number < count)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s %llu of the set is not among the %llu of the roster", who,
                   (unsigned long long)last.number, (unsigned long long)count);
}

static tacit_status check_ids(const tc_trust_set *s, tacit_error *err)
{
    bool twice;
    TC_TRY(tc_any_twice(s->bytes + HEAD + 8, s->agents + s->dealers, ENTRY, &twice, err));
    if (!twice)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "two entries of the set have the same dealing id");
}

tacit_status tc_trust_set_check(const tc_trust_set *s, const tc_set_terms *want, tacit_error *err)
{
    if (s->epoch != want->epoch || s->round != want->round)
        return tc_fail(err, TACIT_E_ARG,
                       "the set must be that of epoch %u and round %llu, got %u and %llu",
                       (unsigned)want->epoch, (unsigned long long)want->round, (unsigned)s->epoch,
                       (unsigned long long)s->round);
    if (s->dealers != want->trustees.dealers)
        return tc_fail(err, TACIT_E_ARG,
                       "a set has the noise of exactly %u trustees, got that of %zu",
                       (unsigned)want->trustees.dealers, s->dealers);
    TC_TRY(
        check_last("trustee", tc_trust_set_dealer(s, s->dealers - 1), want->trustees.count, err));
    if (s->agents > 0)
        TC_TRY(check_last("agent", tc_trust_set_agent(s, s->agents - 1), want->agents, err));
    return check_ids(s, err);
}

tacit_hash tc_trust_set_hash(const tc_trust_set *s, const tacit_hash *study)
{
    tacit_hash hash;
    crypto_generichash_state h;
    crypto_generichash_init(&h, NULL, 0, sizeof hash.bytes);
    crypto_generichash_update(&h, study->bytes, sizeof study->bytes);
    crypto_generichash_update(&h, s->bytes, s->n_bytes);
    crypto_generichash_final(&h, hash.bytes, sizeof hash.bytes);
    return hash;
}
