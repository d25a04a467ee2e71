/* sqlite_int.h - what the files of the SQLite store share. Nobody else includes it.
 *
 *   sqlite.c            the store's members
 *   sqlite_open.c       is this file ours, whole and of a known schema?
 *   sqlite_statement.c  prepared statements, and SQLite's errors as tacit's
 *   sqlite_commit.c     appending, and group commit */
#ifndef TC_STUDY_SQLITE_INT_H
#define TC_STUDY_SQLITE_INT_H

#include "study/store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

typedef enum tc_sql {
    TC_SQL_BEGIN,
    TC_SQL_COMMIT,
    TC_SQL_ROLLBACK,
    TC_SQL_STUDY_PUT,
    TC_SQL_STUDY_GET,  /* by name */
    TC_SQL_STUDY_NEXT, /* the first with a greater id */
    TC_SQL_STUDY_HAS,  /* by id */
    TC_SQL_HEAD,
    TC_SQL_APPEND,
    TC_SQL_TAKE_BACK, /* the events after seq, in the same transaction */
    TC_SQL_SCAN,
    TC_SQL_COUNT
} tc_sql;

/* Durable appends that wait to be committed together; see sqlite_commit.c. */
typedef struct tc_group {
    pthread_mutex_t lock;
    pthread_cond_t  arrived;
    struct tc_commit *first, **last;
    size_t          n;
    bool            led;     /* somebody commits, or gathers to commit */
    size_t          target;  /* how many the leader hopes for */
    uint64_t        sync_ns; /* what one durable commit takes, smoothed */
} tc_group;

typedef struct tc_sqlite {
    tc_store        base;
    char           *file; /* as given; for messages */
    pthread_mutex_t lock; /* the connection and its statements */
    sqlite3        *db;
    sqlite3_stmt   *sql[TC_SQL_COUNT];
    bool            full_sync;  /* PRAGMA synchronous is FULL, else NORMAL */
    uint64_t        busy_ms;    /* how long to wait for other processes */
    uint64_t        busy_since; /* tc_clock_ns; set by the busy handler */
    atomic_size_t   inside;     /* threads in a member of this store */
    tc_group        group;
} tc_sqlite;

/* sqlite_open.c. Sets s->db, or leaves it NULL and the file as it was. */
tacit_status tc_sqlite_open_file(tc_sqlite *s, const char *path, bool create, tacit_error *err);

/* sqlite_statement.c. The caller holds s->lock. */
tacit_status tc_sqlite_prepare(tc_sqlite *s, tacit_error *err);
void         tc_sqlite_finalize(tc_sqlite *s);
/* Runs a statement that returns no rows; a result code of SQLite. */
int tc_sqlite_run(tc_sqlite *s, tc_sql which);
/* Ends a use of the statement: drops its locks and what was bound to it. */
void tc_sqlite_reset(tc_sqlite *s, tc_sql which);
/* The sentence and status for a result code of s->db. */
tacit_status tc_sqlite_fail(const tc_sqlite *s, int rc, tacit_error *err);
/* How the next transactions commit; outside of one only. */
tacit_status tc_sqlite_sync(tc_sqlite *s, bool full, tacit_error *err);

/* sqlite_commit.c */
tacit_status tc_group_init(tc_group *g, tacit_error *err);
void         tc_group_fini(tc_group *g);
tacit_status tc_sqlite_append(tc_sqlite *s, const tc_append *a, uint64_t *head, tacit_error *err);
/* The end of a study's journal; E_NOT_FOUND. The caller holds s->lock. */
tacit_status tc_sqlite_head(tc_sqlite *s, int64_t study, uint64_t *head, tacit_error *err);

#endif
