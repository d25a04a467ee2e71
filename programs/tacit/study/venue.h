/* venue.h - where a study is: in a storage that this process opens, or at a coordinator that it asks.
 *
 * Verbs say what they want of a study and do not know which of the two it is. The rule: --server or --storage
 * decides, and both together are an error; else TACIT_STORAGE if it is set, else TACIT_SERVER if that is,
 * else the default storage. */
#ifndef TC_PROGRAM_VENUE_H
#define TC_PROGRAM_VENUE_H

#include "federation/server_options.h"
#include "study/storage.h"
#include "study/trial_rows.h"

/* Of an option struct: `tc_where where`. */
typedef struct tc_where {
    char *storage, *server, *fingerprint, *token_file;
} tc_where;

#define TC_WHERE_OPTIONS(type)                                                                     \
    TC_STORAGE_OPTION_AT(type, where.storage), TC_SERVER_OPTION(type, where.server),               \
        TC_SERVER_OPTIONS_AT(type, where.fingerprint, where.token_file)

/* *url: the coordinator's; NULL: it is a storage. E_ARG: both are named. */
tacit_status tc_where_server(const tc_where *w, const char **url, tacit_error *err);

typedef struct tc_venue_terms {
    bool create; /* a document's study is made if it is not there */
    bool quiet;
    int64_t threads;   /* of a storage: that compute */
    double patience_s; /* of a coordinator: silence that is endured; 0: TC_PATIENCE_S */
} tc_venue_terms;
#define TC_PATIENCE_S 10.0

/* All-zero may be closed. Must stay where it is while it is open. */
typedef struct tc_venue {
    tc_session session; /* its `given` also with a coordinator */
    tc_link link;
    tc_remote *served; /* NULL: a storage */
} tc_venue;

/* First half: reads the document if STUDY is one. Touches nothing else. */
tacit_status tc_venue_name(tc_venue *v, const char *study, tacit_error *err);
/* Second half. With a coordinator a document that is named must describe the study that is there. */
tacit_status tc_venue_open(tc_venue *v, const char *study, const tc_where *where,
                           const tc_venue_terms *terms, tacit_error *err);
/* Both halves, for verbs that look. */
tacit_status tc_venue_look_at(tc_venue *v, const char *study, const tc_where *where, bool quiet,
                              tacit_error *err);
void tc_venue_close(tc_venue *v);
/* Of a study that somebody else has open; is not closed. */
tc_venue tc_venue_lent(tc_study *study);

const tc_study_doc *tc_venue_document(const tc_venue *v);

/* ---- trials to look at (venue_look.c) */

/* Borrowed until tc_view_end, which must come soon. All-zero may be ended. */
typedef struct tc_view {
    const tc_trial **trials;
    size_t n;
    tc_study *lent;
    tc_trial_list got;
} tc_view;
void tc_view_end(tc_view *view);

/* Those of a state; -1: all. */
tacit_status tc_venue_trials(tc_venue *v, int state, tc_view *out, tacit_error *err);
/* One. E_NOT_FOUND. */
tacit_status tc_venue_trial(tc_venue *v, uint64_t number, tc_view *out, tacit_error *err);
/* The best one; n is 0 where none is complete. */
tacit_status tc_venue_best(tc_venue *v, tc_view *out, tacit_error *err);

typedef struct tc_standing {
    uint64_t finished; /* COMPLETE, in pulls, or FAIL */
    uint64_t failed, running;
    tc_remote_state state; /* a storage's always runs */
    bool has_best;
    uint64_t best_trial;
    double best;
} tc_standing;
tacit_status tc_venue_standing(tc_venue *v, tc_standing *out, tacit_error *err);

/* ---- work (venue.c) */

typedef struct tc_venue_ask {
    const char *worker; /* NULL: nobody in particular */
    int64_t
        lease_ms; /* also of what it gets back; 0: a storage's never end, a coordinator's as it likes */
    uint64_t count, pulls;
} tc_venue_ask;
/* Fills out, which has room for q->count trials; unfinished ones of the worker come first. E_BUDGET: a
 * coordinator has given out all. */
tacit_status tc_venue_next(tc_venue *v, const tc_venue_ask *q, tc_asked *out, tacit_error *err);

/* batch: in place of the values, sums that were made here; or NULL. */
tacit_status tc_venue_tell(tc_venue *v, uint64_t trial, const tc_report *r, const tc_batch *batch,
                           tacit_error *err);

/* The worker is alive: its lease begins anew. */
tacit_status tc_venue_beat(tc_venue *v, uint64_t trial, const char *worker, int64_t lease_ms,
                           tacit_error *err);

/* A trial that a dead worker of this host left. */
typedef struct tc_orphan {
    uint64_t trial;
    const char *worker;
    double *values; /* n_params; room for those of the trial that is got */
    uint64_t pulls; /* of a batch in a storage */
} tc_orphan;
/* Takes it over: it is handed from the dead worker to `worker`, once for all. E_STATE: somebody else was
 * first, or it is over. */
tacit_status tc_venue_take_over(tc_venue *v, tc_orphan *o, const char *worker, int64_t lease_ms,
                                tacit_error *err);

/* In a storage, by who works on the study for long: every second or more often (study.h). */
void tc_venue_keep_time(tc_venue *v);

/* ---- a coordinator's pace */

/* Each request is sent once, and may take so long; back to the terms it was opened with. */
void tc_venue_hurry(tc_venue *v, long timeout_s);
void tc_venue_take_time(tc_venue *v);
int64_t tc_venue_patience_ms(const tc_venue *v); /* of these terms */
/* Did the last request fail because nobody answered? */
bool tc_venue_away(const tc_venue *v);

#endif
