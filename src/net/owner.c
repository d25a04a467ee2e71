/* owner.c - whose a storage is (owner.h).
 *
 * An agent's storage has the key of a place beside the study of that name. A coordinator's has a mark. One that has both was a coordinator's
 * before agents refused such a storage: it is the agent's, whose place would be lost. So no storage is refused by both. A
 * trustee's has its key, and the secrets of rounds, which no coordinator may see. Agents and trustees keep what they have dealt for
 * a round under the same name, so one storage for both would send the one's as the other's. */
#include "net/owner.h"

#include "base/error.h"
#include "base/memory.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define MARK "coordinator"

static tacit_status has_record(tc_store *store, tc_record_kind kind, const char *key, bool *out,
                               tacit_error *err)
{
    tc_record which = {.kind = kind, .key = key, .key_size = strlen(key)}, got;
    TC_TRY(tc_store_record_find(store, &which, &got, err));
    *out = got.version > 0;
    if (got.size > 0)
        sodium_memzero((void *)got.value, got.size);
    tc_free((void *)got.value);
    return TACIT_OK;
}

/* ---- an agent's ---- */

typedef struct search {
    tc_store *store;
    char place[TC_RECORD_KEY_MAX + 1]; /* the first study that has one; "": none has */
} search;

static tacit_status find_place(void *user, const tc_study_row *study, tacit_error *err)
{
    search *s = user;
    bool there = false;
    if (!*s->place)
        TC_TRY(has_record(s->store, TC_RECORD_KEY, study->name, &there, err));
    if (there)
        snprintf(s->place, sizeof s->place, "%s", study->name);
    return TACIT_OK;
}

/* ---- a coordinator's ---- */

/* Storages of before have no MARK until they are served again, but what was made there: a token for the operator, a study, or
 * tokens of others. */
static tacit_status is_coordinators(tc_store *store, bool *out, tacit_error *err)
{
    static const char *const marks[] = {MARK, "operator", "created"};
    tc_record_range tokens = {.kind = TC_RECORD_TOKEN};
    uint64_t n;
    *out = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !*out; i++)
        TC_TRY(has_record(store, TC_RECORD_SERVER, marks[i], out, err));
    if (*out)
        return TACIT_OK;
    TC_TRY(tc_store_record_count(store, &tokens, &n, err));
    *out = n > 0;
    return TACIT_OK;
}

static tacit_status keep_mark(tc_store *store, tacit_error *err)
{
    tc_record mark = {.kind = TC_RECORD_SERVER, .key = MARK, .key_size = strlen(MARK)};
    tacit_error why = {0};
    bool kept;
    TC_TRY(has_record(store, TC_RECORD_SERVER, MARK, &kept, err));
    if (kept)
        return TACIT_OK;
    tacit_status status = tc_store_record_keep(store, &mark, 0, "{}", 2, &why);
    return status == TACIT_OK || status == TACIT_E_CONFLICT ? TACIT_OK
                                                            : tc_pass_on(err, status, &why);
}

/* ---- a trustee's ---- */

static tacit_status is_trustees(tc_store *store, bool *out, tacit_error *err)
{
    const tc_record_range all = {.kind = TC_RECORD_TRUSTEE};
    uint64_t n;
    TC_TRY(tc_store_record_count(store, &all, &n, err));
    *out = n > 0;
    return TACIT_OK;
}

/* Its own already: whatever else is in it. */
tacit_status tc_owner_trustee(tc_store *store, tacit_error *err)
{
    search s = {.store = store};
    bool coordinators, trustees;
    TC_TRY(is_trustees(store, &trustees, err));
    if (trustees)
        return TACIT_OK;
    TC_TRY(is_coordinators(store, &coordinators, err));
    if (coordinators)
        return tc_fail(err, TACIT_E_STATE,
                       "the storage is a coordinator's: a trustee needs one of its own");
    TC_TRY(tc_store_study_list(store, find_place, &s, err));
    return *s.place ? tc_fail(err, TACIT_E_STATE,
                              "the storage is an agent's, with its journal of study \"%s\": a "
                              "trustee needs one of its own",
                              s.place)
                    : TACIT_OK;
}

/* ---- for the others ---- */

tacit_status tc_owner_coordinator(tc_store *store, tacit_error *err)
{
    search s = {.store = store};
    TC_TRY(tc_store_study_list(store, find_place, &s, err));
    if (*s.place)
        return tc_fail(err, TACIT_E_STATE,
                       "the storage is an agent's, with its journal of study \"%s\": a coordinator "
                       "needs one of its own",
                       s.place);
    bool trustees;
    TC_TRY(is_trustees(store, &trustees, err));
    if (trustees)
        return tc_fail(err, TACIT_E_STATE,
                       "the storage is a trustee's, with the keys of rounds: a coordinator needs "
                       "one of its own");
    return keep_mark(store, err);
}

tacit_status tc_owner_agent(tc_store *store, tacit_error *err)
{
    search s = {.store = store};
    bool coordinators, trustees;
    TC_TRY(is_trustees(store, &trustees, err));
    if (trustees)
        return tc_fail(err, TACIT_E_STATE,
                       "the storage is a trustee's, with the keys of rounds: an agent needs one of "
                       "its own");
    TC_TRY(is_coordinators(store, &coordinators, err));
    if (!coordinators)
        return TACIT_OK;
    TC_TRY(tc_store_study_list(store, find_place, &s, err));
    return *s.place ? TACIT_OK
                    : tc_fail(err, TACIT_E_STATE,
                              "the storage is a coordinator's: an agent needs one of its own");
}
