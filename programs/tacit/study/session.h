/* session.h - a study of a storage with all it stands on, for model.c, which needs more than <tacit/study.h> shows. */
#ifndef TC_PROGRAM_SESSION_H
#define TC_PROGRAM_SESSION_H

#include "study/study.h"

/* An all-zero one may be closed. */
typedef struct tc_session {
    tc_store *store;
    tc_pool *pool;
    tc_study_doc *given; /* the document that was named; NULL: a name was */
    tc_study *study;
} tc_session;

void tc_session_close(tc_session *s);

#endif
