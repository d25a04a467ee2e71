/* session.h - a study of a storage with all it stands on, for verbs that need more than <tacit/study.h> shows: inspect
 * (the rounds of an agent), plot and model. */
#ifndef TC_PROGRAM_SESSION_H
#define TC_PROGRAM_SESSION_H

#include "study/storage.h"
#include "study/study.h"

/* An all-zero one may be closed. */
typedef struct tc_session {
    tc_store *store;
    tc_pool *pool;
    tc_study_doc *given; /* the document that was named; NULL: a name was */
    tc_study *study;
} tc_session;

/* Opens the study that STUDY names, for looking: nothing is made. */
tacit_status tc_session_look(tc_session *s, const char *study, const char *storage,
                             tacit_error *err);
void tc_session_close(tc_session *s);

#endif
