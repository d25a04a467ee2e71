/* chain.c - checksums of journals (chain.h). */
#include "study/chain.h"

#include "base/error.h"

#include <endian.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

/* ---- sums ---- */

bool tc_checksum_same(const tc_checksum *a, const tc_checksum *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void begin(crypto_generichash_state *h)
{
    crypto_generichash_init(h, NULL, 0, TC_CHECKSUM_BYTES);
}

static void add_number(crypto_generichash_state *h, uint64_t n)
{
    uint64_t word = htole64(n);
    crypto_generichash_update(h, (const uint8_t *)&word, sizeof word);
}

/* With its length before it: no two lists of bytes give the same text. */
static void add_bytes(crypto_generichash_state *h, const void *bytes, size_t n)
{
    add_number(h, n);
    if (n > 0)
        crypto_generichash_update(h, bytes, n);
}

static void add_text(crypto_generichash_state *h, const char *text)
{
    add_bytes(h, text, text ? strlen(text) : 0);
}

static tc_checksum end(crypto_generichash_state *h)
{
    tc_checksum out;
    crypto_generichash_final(h, out.bytes, sizeof out.bytes);
    return out;
}

tc_checksum tc_chain_origin(const tc_study_row *row)
{
    crypto_generichash_state h;
    begin(&h);
    add_text(&h, row->name);
    add_text(&h, row->document);
    add_number(&h, row->points_csv != NULL);
    add_text(&h, row->points_csv);
    add_bytes(&h, row->public_seed.bytes, sizeof row->public_seed.bytes);
    add_bytes(&h, row->party_seed.bytes, sizeof row->party_seed.bytes);
    add_number(&h, (uint64_t)row->created_ms);
    return end(&h);
}

tc_checksum tc_chain_next(const tc_checksum *before, const tc_event_row *e)
{
    crypto_generichash_state h;
    begin(&h);
    add_bytes(&h, before->bytes, sizeof before->bytes);
    add_number(&h, e->seq);
    add_number(&h, (uint64_t)e->kind);
    add_number(&h, e->trial);
    add_number(&h, (uint64_t)e->time_ms);
    add_text(&h, e->body);
    return end(&h);
}

tc_checksum tc_chain_record(const tc_record *r)
{
    crypto_generichash_state h;
    begin(&h);
    add_number(&h, (uint64_t)r->study);
    add_number(&h, (uint64_t)r->kind);
    add_bytes(&h, r->key, r->key_size);
    add_bytes(&h, r->value, r->size);
    return end(&h);
}

/* ---- writing ---- */

const tc_checksum *tc_chain_add(tc_chain *c, const tc_event_row *e)
{
    tc_event_row numbered = *e;
    numbered.seq = ++c->end;
    c->end_sum = tc_chain_next(&c->end_sum, &numbered);
    return &c->end_sum;
}

/* ---- reading ---- */

static tacit_status bad_event(const tc_event_row *e, const char *why, tacit_error *err)
{
    return tc_fail(err, TACIT_E_CORRUPT, "event %" PRIu64 " (%s, trial %" PRIu64 ") %s", e->seq,
                   tc_event_kind_name(e->kind), e->trial, why);
}

static bool is_sum(const tc_checksum *sum, const void *stored, size_t size)
{
    return size == sizeof *sum && memcmp(sum, stored, size) == 0;
}

/* At the end both must agree. */
static tacit_status check_end(const tc_chain *c, tacit_error *err)
{
    if (c->seq != c->end || tc_checksum_same(&c->sum, &c->end_sum))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "event %" PRIu64 " is not the one that the journal ended with", c->end);
}

/* Events from before there were sums leave the chain at its origin. */
tacit_status tc_chain_begin(tc_chain *c, uint64_t after, const void *sum, size_t size,
                            tacit_error *err)
{
    c->seq = after;
    c->sum = c->origin;
    if (after > c->plain && size != sizeof c->sum)
        return tc_fail(err, TACIT_E_CORRUPT, "event %" PRIu64 " is missing", after);
    if (after > c->plain)
        memcpy(&c->sum, sum, sizeof c->sum);
    return check_end(c, err);
}

tacit_status tc_chain_take(tc_chain *c, const tc_event_row *e, const void *sum, size_t size,
                           tacit_error *err)
{
    if (e->seq != c->seq + 1)
        return tc_fail(err, TACIT_E_CORRUPT, "event %" PRIu64 " is missing", c->seq + 1);
    if (e->seq > c->end)
        return bad_event(e, "comes after the journal's end", err);
    c->seq = e->seq;
    if (e->seq > c->plain) {
        c->sum = tc_chain_next(&c->sum, e);
        if (!is_sum(&c->sum, sum, size))
            return bad_event(e, "does not match its checksum", err);
    } else if (size > 0) {
        return bad_event(e, "has a checksum, and is said to be older than those", err);
    }
    return check_end(c, err);
}

tacit_status tc_chain_finish(const tc_chain *c, tacit_error *err)
{
    if (c->seq >= c->end)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "event %" PRIu64 " is missing: the journal ends after event %" PRIu64,
                   c->seq + 1, c->end);
}

tacit_status tc_chain_one(const tc_chain *c, const tc_event_row *e, const void *sum, size_t size,
                          const void *before, size_t before_size, tacit_error *err)
{
    tc_chain at = *c;
    if (e->seq == 0 || e->seq > c->end)
        return bad_event(e, "comes after the journal's end", err);
    TC_TRY(tc_chain_begin(&at, e->seq - 1, before, before_size, err));
    return tc_chain_take(&at, e, sum, size, err);
}

tacit_status tc_chain_check_study(const tc_study_row *row, const tc_checksum *stored,
                                  tacit_error *err)
{
    tc_checksum sum = tc_chain_origin(row);
    if (tc_checksum_same(&sum, stored))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "study \"%s\" is damaged: its document, points or seeds do not match their "
                   "checksum; restore a backup",
                   row->name);
}

tacit_status tc_chain_check_record(const tc_record *r, const void *sum, size_t size,
                                   tacit_error *err)
{
    tc_checksum own = tc_chain_record(r);
    if (is_sum(&own, sum, size))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the storage is damaged: a record of study number %lld, kind %d, does not match "
                   "its checksum; restore a backup",
                   (long long)r->study, (int)r->kind);
}
