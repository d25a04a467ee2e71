/* ledger_adopt.c - entries of another ledger of the same party, taken along with their bytes.
 *
 * A user whose replies were charged to two ledgers has spent both. An entry that is taken along keeps
 * its study, round, price and bytes, so the same question still has the same answer. Where this ledger
 * has released that (study, round) by itself, both releases have left, and the other one is charged in
 * a place of its own. Called by src/user/user_ledger.c. */
#include "privacy/ledger_int.h"

#include "base/error.h"

/* Each conflict means that another process has appended. */
enum { MOST_CONFLICTS = 1000 };

/* E_CONFLICT: somebody was faster. */
static tacit_status try_append(tc_ledger *l, const tc_ledger_entry *old,
                               const tacit_hash *otherwise, tc_ledger_receipt *bytes,
                               tacit_error *err)
{
    tc_ledger_entry e = *old;
    TC_TRY(tc_ledger_catch_up(l, err));
    tacit_head before = tc_ledger_get_head(l);
    bool there = tc_ledger_round_entry(l, &e.study, e.round) != 0;
    if (there && tc_ledger_is_note(&e))
        return TACIT_OK; /* it costs nothing and says what this ledger says already */
    if (there)
        e.study = *otherwise;
    if (tc_ledger_round_entry(l, &e.study, e.round) != 0)
        return TACIT_OK;
    e.seq = before.seq + 1;
    e.previous = before.hash;
    return tc_ledger_commit(l, &e, bytes, err);
}

tacit_status tc_ledger_adopt(tc_ledger *l, tc_ledger *from, uint64_t seq,
                             const tacit_hash *otherwise, tacit_error *err)
{
    const tc_ledger_entry *old = tc_ledger_get(from, seq, NULL);
    tc_ledger_receipt bytes = {0};
    TC_TRY(tc_ledger_find(from, &old->study, old->round, &bytes, err));
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; i < MOST_CONFLICTS && status == TACIT_E_CONFLICT; i++)
        status = try_append(l, tc_ledger_get(from, seq, NULL), otherwise, &bytes, err);
    tc_ledger_receipt_fini(&bytes);
    return status;
}
