/* ledger_open_api.c - include/tacit/ledger.h: opening the ledgers of a storage. What is then done with one
 * is in src/privacy, which knows no storage. */
#include <tacit/ledger.h>

#include "base/error.h"
#include "privacy/ledger_handle.h"
#include "privacy/public.h"
#include "study/store.h"
#include "study/study_plan.h"

static void close_storage(void *storage)
{
    tc_store_close(storage);
}

/* Of the study of that name, if the storage has one of a federation. A document that cannot be read says nothing of the
 * ledger, which is checked by itself. */
static tacit_status find_not_private(tc_store *store, const char *name, tacit_ledger *l,
                                     tacit_error *err)
{
    tc_study_row row;
    tc_study_doc *doc = NULL;
    tacit_error why = {0};
    tacit_status status = tc_store_study_get(store, name, &row, &why);
    if (status == TACIT_OK) {
        status = tc_study_doc_restore(&doc, row.document, row.points_csv, &why);
        tc_study_row_fini(&row);
    }
    if (status == TACIT_E_MEMORY)
        return tc_fail_memory(err);
    status = doc && doc->agents > 0
                 ? tc_ledger_handle_set_not_private(l, tc_study_doc_not_private(doc), err)
                 : TACIT_OK;
    tc_study_doc_free(doc);
    return status;
}

static tacit_status open_ledger(tacit_ledger **out, const char *storage, const char *name,
                                bool create, tacit_error *err)
{
    tc_store *store = NULL;
    tc_ledger_io io;
    TC_GIVEN(out);
    TC_GIVEN(storage);
    TC_GIVEN(name);
    TC_TRY(tc_public_ledger_name(name, err));
    TC_TRY(tc_store_open(&store, storage, create, err));
    tacit_status status = tc_store_ledger(store, name, create, &io, err);
    if (status != TACIT_OK) {
        tc_store_close(store);
        return status;
    }
    tacit_ledger *l = NULL;
    TC_TRY(tc_ledger_handle(&l, name, &io, store, close_storage, err));
    status = find_not_private(store, name, l, err);
    if (status == TACIT_OK)
        *out = l;
    else
        tacit_ledger_close(l);
    return status;
}

tacit_status tacit_ledger_create(tacit_ledger **out, const char *storage, const char *name,
                                 tacit_error *err)
{
    return open_ledger(out, storage, name, true, err);
}

tacit_status tacit_ledger_open(tacit_ledger **out, const char *storage, const char *name,
                               tacit_error *err)
{
    return open_ledger(out, storage, name, false, err);
}

typedef struct listing {
    void (*visit)(void *user, const char *name);
    void *user;
} listing;

static tacit_status visit_one(void *user, const char *name, tacit_error *err)
{
    (void)err;
    const listing *l = user;
    l->visit(l->user, name);
    return TACIT_OK;
}

tacit_status tacit_ledger_list(const char *storage, void (*visit)(void *user, const char *name),
                               void *user, tacit_error *err)
{
    tc_store *store = NULL;
    TC_GIVEN(storage);
    TC_GIVEN(visit);
    TC_TRY(tc_store_open(&store, storage, false, err));
    tacit_status status = tc_store_ledger_list(store, visit_one, &(listing){visit, user}, err);
    tc_store_close(store);
    return status;
}
