/* storage.c - see storage.h. */
#include "study/storage.h"

#include <stdlib.h>
#include <string.h>

const char *tc_storage_url(const char *option)
{
    if (option && *option)
        return option;
    const char *env = getenv("TACIT_STORAGE");
    return env && *env ? env : TC_STORAGE_DEFAULT;
}

static bool is_document(const char *study)
{
    size_t n = strlen(study);
    return strchr(study, '/') || (n > 5 && strcmp(study + n - 5, ".json") == 0);
}

tacit_status tc_session_name(tc_session *s, const char *study, tacit_error *err)
{
    return is_document(study) ? tc_study_doc_read(&s->given, study, err) : TACIT_OK;
}

/* What cannot become a study must not leave an empty storage behind: try it in memory. */
static tacit_status rehearse(const tc_study_doc *doc, tacit_error *err)
{
    tc_store *store = NULL;
    tc_study *study = NULL;
    TC_TRY(tc_store_open(&store, "memory:", true, err));
    tacit_status st = tc_study_create(&study, store, doc, NULL, err);
    if (st == TACIT_OK)
        tc_study_close(study);
    tc_store_close(store);
    return st;
}

static tacit_status open_store(tc_session *s, const char *url, bool create, tacit_error *err)
{
    tacit_status st = tc_store_open(&s->store, url, false, err);
    /* E_CORRUPT: perhaps only empty, from somebody who creates it now or died while he did. */
    if (!create || (st != TACIT_E_NOT_FOUND && st != TACIT_E_CORRUPT))
        return st;
    TC_TRY(rehearse(s->given, err));
    return tc_store_open(&s->store, url, true, err);
}

tacit_status tc_session_open(tc_session *s, const char *study, const char *storage, bool create,
                             int64_t threads, tacit_error *err)
{
    create = create && s->given;
    TC_TRY(open_store(s, tc_storage_url(storage), create, err));
    if (threads != 1)
        TC_TRY(tc_pool_new(&s->pool, (size_t)threads, err));
    if (create)
        return tc_study_create(&s->study, s->store, s->given, s->pool, err);
    return tc_study_open(&s->study, s->store, s->given ? s->given->name : study, s->pool, err);
}

void tc_session_close(tc_session *s)
{
    if (s->study)
        tc_study_close(s->study);
    if (s->store)
        tc_store_close(s->store);
    tc_pool_free(s->pool);
    tc_study_doc_free(s->given);
    *s = (tc_session){0};
}

tacit_status tc_session_look(tc_session *s, const char *study, const char *storage,
                             tacit_error *err)
{
    TC_TRY(tc_session_name(s, study, err));
    return tc_session_open(s, study, storage, false, 1, err);
}
