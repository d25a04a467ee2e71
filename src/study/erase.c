/* erase.c - see erase.h.
 *
 * An agent's ledger has paid for what it sent, once for each study and round. Without its journal and its key it would send
 * something else as somebody else, and pay nothing: so of a study that was erased its hash stays, and who has it takes no
 * part in that study again. The mark comes with the end of the key, in one set of changes, before the study goes. */
#include "study/erase.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/audit.h"
#include "study/study_plan.h"

#include <sodium.h>
#include <string.h>

#define MARK "erased"

enum { MARK_SIZE = sizeof MARK - 1 + TC_LEDGER_HASH_BYTES };

static tc_record mark_of(const tacit_hash *study, uint8_t key[MARK_SIZE])
{
    memcpy(key, MARK, sizeof MARK - 1);
    memcpy(key + sizeof MARK - 1, study->bytes, sizeof study->bytes);
    return (tc_record){
        .kind = TC_RECORD_SERVER, .key = key, .key_size = MARK_SIZE, .value = "{}", .size = 2};
}

tacit_status tc_study_was_erased(tc_store *s, const tacit_hash *study, bool *out, tacit_error *err)
{
    uint8_t key[MARK_SIZE];
    tc_record mark = mark_of(study, key), got;
    TC_TRY(tc_store_record_find(s, &mark, &got, err));
    tc_free((void *)got.value);
    *out = got.version > 0;
    return TACIT_OK;
}

/* A record of the server under the study's name goes with the others, if it is there. */
static tacit_status add_end(tc_store *s, tc_record_kind kind, const char *name, tc_change *list,
                            size_t *n, tacit_error *err)
{
    tc_record which = {.kind = kind, .key = name, .key_size = strlen(name)}, got;
    TC_TRY(tc_store_record_find(s, &which, &got, err));
    tc_free((void *)got.value);
    which.version = got.version;
    if (got.version > 0)
        list[(*n)++] = (tc_change){TC_ERASE, which};
    return TACIT_OK;
}

static tacit_status end_place(tc_store *s, const char *name, const tacit_hash *study,
                              tacit_error *err)
{
    /* The head of the coordinator's ledger that was seen last, too: another coordinator may have a study of that name. */
    static const tc_record_kind kinds[] = {TC_RECORD_KEY, TC_RECORD_STATE, TC_RECORD_RESTORED,
                                           TC_RECORD_RECEIPT};
    tc_change list[sizeof kinds / sizeof *kinds + 1];
    uint8_t key[MARK_SIZE];
    size_t n = 0;
    TC_TRY(add_end(s, kinds[0], name, list, &n, err));
    if (n == 0) /* nobody's place: a study of this party alone */
        return TACIT_OK;
    for (size_t i = 1; i < sizeof kinds / sizeof *kinds; i++)
        TC_TRY(add_end(s, kinds[i], name, list, &n, err));
    list[n++] = (tc_change){TC_INSERT, mark_of(study, key)};
    return tc_store_change(s, list, n, NULL, err);
}

/* In the operator's log, if this is a coordinator's storage: an agent's has none. */
static tacit_status log_end(tc_store *s, const char *name, const tacit_hash *study,
                            const char *outcome, tacit_error *err)
{
    char of[TC_AUDIT_HEX];
    tc_audit_head head;
    const tc_audit_entry entry = {.at_ms = tc_clock_unix_ms(),
                                  .role = "storage",
                                  .token = "",
                                  .name = "",
                                  .action = "study.delete",
                                  .outcome = outcome,
                                  .study = name,
                                  .of = of,
                                  .detail = ""};
    sodium_bin2hex(of, sizeof of, study->bytes, sizeof study->bytes);
    TC_TRY(tc_audit_head_get(s, &head, err));
    return head.seq == 0 ? TACIT_OK : tc_audit_change(s, NULL, 0, &entry, NULL, err);
}

static tacit_status erase(tc_store *s, const char *name, tacit_error *err)
{
    tc_study_row row;
    tacit_error unsaid = {0};
    TC_TRY(tc_store_study_get(s, name, &row, err));
    int64_t id = row.id;
    tacit_hash study = tc_study_hash(&row);
    tc_study_row_fini(&row);
    TC_TRY(log_end(s, name, &study, "begun", err));
    tacit_status status = end_place(s, name, &study, err);
    if (status == TACIT_OK)
        status = tc_store_study_erase(s, id, err);
    (void)log_end(s, name, &study, status == TACIT_OK ? "done" : "failed", &unsaid);
    return status;
}

tacit_status tc_study_erase(tc_store *s, const char *name, tacit_error *err)
{
    tc_name_lock *alone = NULL;
    tacit_error why = {0};
    tc_text lock = {0};
    tc_text_addf(&lock, "agent of study %s", name); /* as agents lock it (net/agent_api.c) */
    tacit_status status = lock.failed ? tc_fail_memory(&why)
                                      : tc_store_lock_name(s, tc_text_get(&lock), &alone, &why);
    tc_text_fini(&lock);
    if (status == TACIT_E_BUSY)
        return tc_fail(
            err, status,
            "an agent of study \"%s\" is at work on this storage, or somebody else is "
            "erasing it: end the agent first, and let it withdraw if it is to take no part "
            "any more",
            name);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = erase(s, name, err);
    tc_name_unlock(alone);
    return status;
}
