/* storage.h - from "STUDY" and "--storage URL" on a command line to an open study.
 *
 * STUDY is a name, or the path of a study document (it has a slash or ends in
 * ".json"), which stands for the study of that name. */
#ifndef TC_PROGRAM_STORAGE_H
#define TC_PROGRAM_STORAGE_H

#include "frame/cli.h"
#include "study/study.h"

#define TC_STORAGE_DEFAULT "sqlite:///tacit.db"

/* The option table's line, for a `char *` of the struct; and for one that is called storage. */
#define TC_STORAGE_OPTION_AT(type, member)                                                         \
    {                                                                                              \
        "storage", TC_OPTION_STRING, offsetof(type, member),                                       \
            .value = "URL",                                                                        \
            .help = "where studies are kept (default: TACIT_STORAGE, else " TC_STORAGE_DEFAULT ")" \
    }
#define TC_STORAGE_OPTION(type) TC_STORAGE_OPTION_AT(type, storage)
/* The struct has `int64_t threads`. */
#define TC_THREADS_OPTION(type)                                                                    \
    {                                                                                              \
        "threads", TC_OPTION_INT, offsetof(type, threads), "0",                                    \
            .min = 0, .max = 1024,                                                                 \
            .help = "threads that compute; 0 is one per core; results do not depend on it"         \
    }

/* The option if given, else TACIT_STORAGE, else the default. Borrowed. */
const char *tc_storage_url(const char *option);

/* An open study with all it stands on. An all-zero one may be closed. */
typedef struct tc_session {
    tc_store *store;
    tc_pool *pool;
    tc_study_doc *given; /* the document that was named; NULL: a name was */
    tc_study *study;
} tc_session;

/* First half: reads the document if STUDY is one. Touches no storage. */
tacit_status tc_session_name(tc_session *s, const char *study, tacit_error *err);
/* Second half. create: a document's study is made if it is not there (E_STATE: there is
 * another of that name), and so is the storage; a failure leaves no new file. Without
 * create, and for a name, E_NOT_FOUND. threads as in tc_pool_new; 1: no pool. */
tacit_status tc_session_open(tc_session *s, const char *study, const char *storage, bool create,
                             int64_t threads, tacit_error *err);
void tc_session_close(tc_session *s);

/* Both halves without create, one thread: for verbs that look. */
tacit_status tc_session_look(tc_session *s, const char *study, const char *storage,
                             tacit_error *err);

#endif
