/* session.c - see session.h. */
#include "study/session.h"

tacit_status tc_session_look(tc_session *s, const char *study, const char *storage,
                             tacit_error *err)
{
    if (tc_is_document(study))
        TC_TRY(tc_study_doc_read(&s->given, study, err));
    TC_TRY(tc_store_open(&s->store, tc_storage_url(storage), false, err));
    return tc_study_open(&s->study, s->store, s->given ? s->given->name : study, NULL, err);
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
