/* session.c - see session.h. */
#include "study/session.h"

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
