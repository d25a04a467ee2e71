/* ledger_chain.c - whether entries follow one another, and whether a head extends another.
 *
 * A reader keeps the last head that it was sent. Whoever restores an old copy of a ledger and goes
 * on from there makes heads that do not extend it, and the reader can show both. */
#include "privacy/ledger_int.h"

#include "base/error.h"

#include <inttypes.h>

tacit_status tc_ledger_check_entry(const tc_ledger_entry *e, const uint8_t *bytes, size_t size,
                                   const tc_ledger_head *before, const tc_ledger_hash *head,
                                   tacit_error *err)
{
    uint64_t seq = before->seq + 1;
    tc_ledger_hash hash = tc_ledger_entry_hash(bytes, size);
    if (!tc_ledger_hash_same(&hash, head))
        return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %" PRIu64 " does not match its hash",
                       seq);
    if (e->seq != seq)
        return tc_fail(err, TACIT_E_CORRUPT, "ledger entry %" PRIu64 " is missing", seq);
    if (!tc_ledger_hash_same(&e->previous, &before->hash))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "ledger entry %" PRIu64 " does not follow what is before it", seq);
    return TACIT_OK;
}

static tacit_status step(tc_ledger_head *at, const tc_ledger_entry *e, tacit_error *err)
{
    uint8_t *bytes;
    size_t size;
    TC_TRY(tc_ledger_entry_encode(e, &bytes, &size, err));
    tc_ledger_hash hash = tc_ledger_entry_hash(bytes, size);
    tacit_status st = tc_ledger_check_entry(e, bytes, size, at, &hash, err);
    tc_free(bytes);
    if (st == TACIT_OK)
        *at = (tc_ledger_head){at->seq + 1, hash};
    return st;
}

tacit_status tc_ledger_extends(const tc_ledger_head *seen, const tc_ledger_entry *entries, size_t n,
                               const tc_ledger_head *now, tacit_error *err)
{
    tc_ledger_head at = *seen;
    if (now->seq < seen->seq)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the ledger was rolled back: it had %" PRIu64 " entries and has %" PRIu64,
                       seen->seq, now->seq);
    if (now->seq - seen->seq != n)
        return tc_fail(err, TACIT_E_ARG,
                       "from entry %" PRIu64 " to %" PRIu64 " there are %" PRIu64
                       " entries to show, got %zu",
                       seen->seq, now->seq, now->seq - seen->seq, n);
    for (size_t i = 0; i < n; i++)
        TC_TRY(step(&at, &entries[i], err));
    if (!tc_ledger_hash_same(&at.hash, &now->hash))
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the ledger's head after entry %" PRIu64 " is not the one that follows from "
                       "what was seen: its history was replaced",
                       now->seq);
    return TACIT_OK;
}
