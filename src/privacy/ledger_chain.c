/* ledger_chain.c - whether an entry follows the head before it. For the files ledger*.c. */
#include "privacy/ledger_int.h"

#include "base/error.h"

#include <inttypes.h>

tacit_status tc_ledger_check_entry(const tc_ledger_entry *e, const uint8_t *bytes, size_t size,
                                   const tacit_head *before, const tacit_hash *head,
                                   tacit_error *err)
{
    uint64_t seq = before->seq + 1;
    tacit_hash hash = tc_ledger_entry_hash(bytes, size);
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
