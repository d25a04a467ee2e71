/* decline.c - a round that our own ledger refuses.
 *
 * The coordinator is told that no message will come, so that it does not wait for one; it is not told
 * why. What our ledger refuses follows from prices, which are public, and from what else we take part
 * in; it does not follow from our data. A round that was declined stays declined: a message after all
 * would be a second one in the same place. So the decision is in our store before it leaves. */
#include "agent/agent_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ---- what is kept: the last round that was declined, under the study's name ---- */

static tc_record which(const tc_agent *a)
{
    return (tc_record){
        .kind = TC_RECORD_STATE, .key = a->local_name, .key_size = strlen(a->local_name)};
}

/* *version 0: none was. */
static tacit_status load(tc_agent *a, uint64_t *round, uint64_t *version, tacit_error *err)
{
    tc_record w = which(a), got;
    TC_TRY(tc_store_record_find(a->cfg.store, &w, &got, err));
    bool whole = got.version == 0 || got.size == sizeof *round;
    if (got.version > 0 && whole)
        memcpy(round, got.value, sizeof *round);
    tc_free((void *)got.value);
    if (!whole)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the round declined last");
    *version = got.version;
    return TACIT_OK;
}

tacit_status tc_declined(tc_agent *a, uint64_t round, bool *out, tacit_error *err)
{
    uint64_t last = 0, version;
    TC_TRY(load(a, &last, &version, err));
    *out = version > 0 && last == round;
    return TACIT_OK;
}

tacit_status tc_declined_keep(tc_agent *a, uint64_t round, tacit_error *err)
{
    uint64_t last = 0, version;
    TC_TRY(load(a, &last, &version, err));
    tc_record w = which(a);
    return tc_store_record_keep(a->cfg.store, &w, version, &round, sizeof round, err);
}
