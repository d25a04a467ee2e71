/* study_ref.h - the study that a command line means: STUDY, and where it is.
 *
 * Verbs open it here and then use <tacit/study.h>, which does not tell a storage from a coordinator. The rule: --server
 * or --storage decides, and both together are an error; else TACIT_STORAGE if it is set, else TACIT_SERVER if that is,
 * else the default storage. A storage whose URL is https://HOST:PORT is a coordinator. Verbs that look, and were told
 * nothing, look into the default storage of agents where that one has no such study. */
#ifndef TC_PROGRAM_STUDY_REF_H
#define TC_PROGRAM_STUDY_REF_H

#include "federation/server_options.h"
#include "study/storage.h"

#include <tacit/study.h>

/* Of an option struct: `tc_where where`. */
typedef struct tc_where {
    char *storage, *server, *fingerprint, *token_file, *ca, *proxy;
} tc_where;

#define TC_WHERE_OPTIONS(type)                                                                     \
    TC_STORAGE_OPTION_AT(type, where.storage), TC_SERVER_OPTION(type, where.server),               \
        TC_SERVER_OPTIONS_AT(type, where.)

/* *url: the coordinator's; NULL: it is a storage. E_ARG: both are named. */
tacit_status tc_where_server(const tc_where *w, const char **url, tacit_error *err);

typedef struct tc_study_terms {
    bool create; /* a document's study is made if it is not there */
    bool quiet;
    int64_t threads;   /* of a storage: that compute; 0: one per core */
    double patience_s; /* of a coordinator: silence that is endured; 0: TC_PATIENCE_S */
} tc_study_terms;
#define TC_PATIENCE_S 10.0

/* A storage as <tacit/study.h> wants it named. All-zero may be closed; stays where it is while the storage or a study
 * of it is open. */
typedef struct tc_way {
    const char *url;
    tacit_storage_opts opts;
    bool served; /* by a coordinator */
    bool quiet;
    char *token;
} tc_way;
tacit_status tc_way_find(tc_way *way, const tc_where *where, const tc_study_terms *terms,
                         tacit_error *err);
void tc_way_close(tc_way *way);

/* All-zero may be closed. Must stay where it is while it is open. */
typedef struct tc_study_ref {
    tacit_document *given; /* the document that was named; NULL: a name was */
    tc_way way;
    tacit_study *study;
} tc_study_ref;

/* First half: reads the document if STUDY is one. Touches nothing else. */
tacit_status tc_study_ref_name(tc_study_ref *r, const char *study, tacit_error *err);
/* Second half. With a coordinator a document that is named must describe the study that is there. */
tacit_status tc_study_ref_open(tc_study_ref *r, const char *study, const tc_where *where,
                               const tc_study_terms *terms, tacit_error *err);
/* Both halves, for verbs that look. */
tacit_status tc_study_ref_look(tc_study_ref *r, const char *study, const tc_where *where,
                               bool quiet, tacit_error *err);
void tc_study_ref_close(tc_study_ref *r);

#endif
