/* store.h - where studies and their journals live. See README.md for the rules.
 *
 * A store speaks of studies and events, not of SQL. memory.c is the one to copy;
 * tests/conformance/store_suite.c is what a new store must pass. Handles are
 * thread-safe: any number of threads may call at once. Call the tc_store_*
 * wrappers, never the members. */
#ifndef TC_STUDY_STORE_H
#define TC_STUDY_STORE_H

#include "algo/event.h"
#include "base/random.h"
#include "privacy/ledger.h"
#include "study/record.h"

#include <stdbool.h>

typedef struct tc_store tc_store;

/* One study as stored. Pointers are borrowed for the call (put, list) or owned by
 * the row (get: end with tc_study_row_fini). */
typedef struct tc_study_row {
    int64_t id;
    char *name;
    char *document;   /* canonical JSON text */
    char *points_csv; /* finite spaces; else NULL */
    tc_public_seed public_seed;
    tc_party_seed party_seed;
    int64_t created_ms;
} tc_study_row;
void tc_study_row_fini(tc_study_row *row);

/* Which event: its number, and the mark that its store gave it. Two events with the same number and mark
 * are the same and follow the same events, also where the store has lost the end of a journal and others
 * have written there since. A store that loses nothing while somebody uses it has the mark 0 alone.
 * All-zero: before the first. */
typedef struct tc_event_id {
    uint64_t seq;
    uint64_t mark;
} tc_event_id;

/* One event as stored: body is JSON text (wire/event_json.h). */
typedef struct tc_event_row {
    uint64_t seq;
    uint64_t mark; /* see tc_event_id; given by the store, as seq is */
    tc_event_kind kind;
    uint64_t trial;
    int64_t time_ms;
    const char *body;
} tc_event_row;

#define TC_ANY_HEAD UINT64_MAX

typedef struct tc_append {
    int64_t study;
    /* Insert only if the journal has event number `head`, and nothing but tells and reports came after it, and none of
     * a trial that is among `events`; TC_ANY_HEAD: always. Events that came after it stay before these. */
    uint64_t head;
    uint64_t mark; /* of that event; 0: whichever it is */
    /* Whatever came after `head`: a tell, which needs no more than that its trial is there. */
    bool late;
    const tc_event_row *events; /* seq is assigned by the store */
    size_t n;
    /* true: on disk when it returns. false: survives a killed process, and becomes durable with the next
     * durable append, or by `confirm`; an ask. */
    bool durable;
} tc_append;

/* A name that this process has locked; a store's own struct begins with this. */
typedef struct tc_name_lock {
    void (*end)(struct tc_name_lock *h); /* lets go and frees */
} tc_name_lock;

/* One row of a copy: exactly one of the pointers is set. Studies come before their events and
 * records, events in order. Ledgers are records. */
typedef struct tc_row {
    const tc_study_row *study;
    const tc_event_row *event; /* of study number `of` */
    const tc_record *record;
    int64_t of;
} tc_row;
typedef tacit_status (*tc_row_visit)(void *user, const tc_row *r, tacit_error *err);
/* Hands rows to put(sink, ...) until that fails. */
typedef tacit_status (*tc_row_source)(void *user, tc_row_visit put, void *sink, tacit_error *err);

/* For tc_store_transact. */
typedef tacit_status (*tc_store_work)(tc_store *in, void *user, tacit_error *err);

/* For repair.c: one event as it is stored, with its checksum, unchecked. */
struct tc_chain;
typedef tacit_status (*tc_salvage_visit)(void *user, const tc_event_row *e, const void *sum,
                                         size_t size, tacit_error *err);
/* What a store has to say while it mends itself. */
typedef tacit_status (*tc_mend_report)(void *user, const char *line, tacit_error *err);

typedef struct tc_store_ops {
    const char *scheme; /* "sqlite" of sqlite:///file.db */
    const char *alias;  /* another word for it, or NULL */
    /* E_CORRUPT: damaged, or not a tacit store: the file is left untouched. */
    tacit_status (*open)(tc_store **out, const char *path, bool create, tacit_error *err);
    void (*close)(tc_store *s);
    /* E_CONFLICT: the name is taken. Durable when it returns. */
    tacit_status (*study_put)(tc_store *s, const tc_study_row *row, int64_t *id, tacit_error *err);
    /* E_NOT_FOUND: no such study. */
    tacit_status (*study_get)(tc_store *s, const char *name, tc_study_row *out, tacit_error *err);
    /* Calls visit for each study in order of creation until it fails, beginning after the one with
     * number `after` (0: with the first); what comes before is not read. visit may call the store. */
    tacit_status (*study_list)(tc_store *s, int64_t after,
                               tacit_status (*visit)(void *user, const tc_study_row *row,
                                                     tacit_error *err),
                               void *user, tacit_error *err);
    /* All events or none, consecutive seq. E_CONFLICT: the condition of `head` does not hold, or
     * the journal has no such event, yet or any more. E_STATE: a trial among them is told already
     * (at most one TELL per trial, ever). *end: the last one of them. */
    tacit_status (*append)(tc_store *s, const tc_append *a, tc_event_id *end, tacit_error *err);
    /* Returns when this event is on disk. E_CONFLICT: the journal does not have it any more. Called before
     * anybody acts on an event that was appended without `durable`. NULL: an event survives whatever the
     * process that appended it survives. */
    tacit_status (*confirm)(tc_store *s, int64_t study, tc_event_id which, tacit_error *err);
    /* Calls visit for each event after `after`, in order, until it fails. visit must not call the store.
     * E_CONFLICT: the journal does not have that event (with this mark, unless it is 0): what the caller
     * has read was taken back. Nothing is visited then, or a beginning. */
    tacit_status (*scan)(tc_store *s, int64_t study, tc_event_id after,
                         tacit_status (*visit)(void *user, const tc_event_row *e, tacit_error *err),
                         void *user, tacit_error *err);
    /* Calls visit with the TELL of a trial, if there is one, without reading the journal. visit must not
     * call the store. */
    tacit_status (*find_tell)(tc_store *s, int64_t study, uint64_t trial,
                              tacit_status (*visit)(void *user, const tc_event_row *e,
                                                    tacit_error *err),
                              void *user, tacit_error *err);
    /* All of the changes or none; each key at most once among them. Durable when it returns.
     * E_CONFLICT: change number *refused (may be NULL) does not find what it expects; of several the
     * first. E_NOT_FOUND: no such study. */
    tacit_status (*change)(tc_store *s, const tc_change *c, size_t n, size_t *refused,
                           tacit_error *err);
    /* Its value is for tc_free, its key is the caller's. E_NOT_FOUND: there is none. */
    tacit_status (*record_get)(tc_store *s, const tc_record *which, tc_record *out,
                               tacit_error *err);
    /* In the order of keys until visit fails. visit must not call the store. */
    tacit_status (*record_scan)(tc_store *s, const tc_record_range *range, tc_record_visit visit,
                                void *user, tacit_error *err);
    tacit_status (*record_count)(tc_store *s, const tc_record_range *range, uint64_t *out,
                                 tacit_error *err);
    /* All in the range, `most` aside, whatever their versions. Durable when it returns. */
    tacit_status (*record_drop)(tc_store *s, const tc_record_range *range, tacit_error *err);
    /* After secret records (record.h) were removed, by whomever: no buffer of this handle has their bytes any more. What others do with the
     * handle at this moment ends first. NULL: it has no such buffers. */
    void (*forget)(tc_store *s);
    /* Now, for wait_durable. NULL: 0. */
    uint64_t (*moment)(tc_store *s);
    /* Returns when everything that this handle has seen since that moment is on disk, whoever wrote it: who
     * has read something and answers "it is so already" calls it first, for a commit is seen before it is
     * durable. Costs next to nothing where nothing is on its way. NULL: nothing ever is. E_BUSY: some
     * of it may have been taken back; who reads again from a new moment on finds out. */
    tacit_status (*wait_durable)(tc_store *s, uint64_t since, tacit_error *err);
    /* The wall clock that all processes on the store share, in nanoseconds of Unix time. NULL: that of the
     * machine. */
    tacit_status (*wall)(tc_store *s, int64_t *out_ns, tacit_error *err);
    /* How many bytes it can grow by. NULL: that is not known. */
    tacit_status (*room)(tc_store *s, uint64_t *out, tacit_error *err);
    /* The study, its journal and its records, for good. Ledgers stay. E_NOT_FOUND. */
    tacit_status (*study_erase)(tc_store *s, int64_t study, tacit_error *err);
    /* For store_copy.c and repair.c. Calls work once, with a handle on the store in which everything is of one moment,
     * whoever writes meanwhile. writes: nobody else does, and what work writes is there, on disk, if it succeeds, and
     * nothing of it otherwise (in memory: where the store was empty). Of that handle work may use study_put (a row with a number keeps it),
     * study_list, append, scan, change and record_scan; of the store itself nothing. */
    tacit_status (*transact)(tc_store *s, bool writes, tc_store_work work, void *user,
                             tacit_error *err);
    /* This process alone has `name`, until it lets go or ends, however it ends. Nothing is kept of it. E_BUSY:
     * somebody else has it. NULL: no other process can use the store. */
    tacit_status (*lock_name)(tc_store *s, const char *name, tc_name_lock **out, tacit_error *err);
    /* For repair.c. salvage calls visit for each event that can be read, in order, whatever is wrong with it;
     * *end gets the journal's end as it is stored. restart, within transact: a journal that ends with event
     * `end` (E_CONFLICT otherwise) has no events any more. NULL: nothing is kept that could be damaged. */
    tacit_status (*salvage)(tc_store *s, int64_t study, struct tc_chain *end,
                            tc_salvage_visit visit, void *user, tacit_error *err);
    tacit_status (*restart)(tc_store *in, int64_t study, uint64_t end, tacit_error *err);
    /* Before open, of a store that cannot be opened: makes the best of it, keeps what was there under
     * another name, and says what it did. E_BUSY: somebody uses it. NULL: there is nothing to be done. */
    tacit_status (*mend)(const char *path, tc_mend_report report, void *user, tacit_error *err);
} tc_store_ops;

/* A store's own struct begins with this. */
struct tc_store {
    const tc_store_ops *ops;
    const char *place; /* the file or database, for messages; NULL: none */
};

extern const tc_store_ops tc_store_memory; /* "memory:" : nothing is kept */
extern const tc_store_ops tc_store_sqlite; /* "sqlite:///relative.db", "sqlite:////absolute.db" */
/* "postgresql://...", as libpq reads it, is a module: src/postgres */

/* E_ARG: no such scheme. E_UNSUPPORTED: its module is not there (store_module.h). E_STATE: it is a backup (backup.h). create: make the file, or the tables, if absent; else E_NOT_FOUND. */
tacit_status tc_store_open(tc_store **out, const char *url, bool create, tacit_error *err);
/* The same, of a backup, too: for backup.c. */
tacit_status tc_store_open_any(tc_store **out, const char *url, bool create, tacit_error *err);
void tc_store_close(tc_store *s); /* NULL is allowed */

/* The members above, by name. Unknown studies are E_NOT_FOUND everywhere. */
typedef tacit_status (*tc_study_visit)(void *user, const tc_study_row *row, tacit_error *err);
typedef tacit_status (*tc_event_visit)(void *user, const tc_event_row *e, tacit_error *err);
typedef tacit_status (*tc_ledger_name_visit)(void *user, const char *name, tacit_error *err);

tacit_status tc_store_study_put(tc_store *s, const tc_study_row *row, int64_t *id,
                                tacit_error *err);
tacit_status tc_store_study_get(tc_store *s, const char *name, tc_study_row *out, tacit_error *err);
tacit_status tc_store_study_list(tc_store *s, tc_study_visit visit, void *user, tacit_error *err);
tacit_status tc_store_study_list_after(tc_store *s, int64_t after, tc_study_visit visit, void *user,
                                       tacit_error *err);
tacit_status tc_store_append_id(tc_store *s, const tc_append *a, tc_event_id *end,
                                tacit_error *err);
tacit_status tc_store_append(tc_store *s, const tc_append *a, uint64_t *head, tacit_error *err);
tacit_status tc_store_confirm(tc_store *s, int64_t study, tc_event_id which, tacit_error *err);
tacit_status tc_store_scan_after(tc_store *s, int64_t study, tc_event_id after,
                                 tc_event_visit visit, void *user, tacit_error *err);
/* The same after a number, whichever event that is. */
tacit_status tc_store_scan(tc_store *s, int64_t study, uint64_t after, tc_event_visit visit,
                           void *user, tacit_error *err);
tacit_status tc_store_find_tell(tc_store *s, int64_t study, uint64_t trial, tc_event_visit visit,
                                void *user, tacit_error *err);

tacit_status tc_store_change(tc_store *s, const tc_change *c, size_t n, size_t *refused,
                             tacit_error *err);
tacit_status tc_store_record_get(tc_store *s, const tc_record *which, tc_record *out,
                                 tacit_error *err);
tacit_status tc_store_record_scan(tc_store *s, const tc_record_range *range, tc_record_visit visit,
                                  void *user, tacit_error *err);
tacit_status tc_store_record_count(tc_store *s, const tc_record_range *range, uint64_t *out,
                                   tacit_error *err);
tacit_status tc_store_record_drop(tc_store *s, const tc_record_range *range, tacit_error *err);
void tc_store_forget(tc_store *s);
uint64_t tc_store_moment(tc_store *s);
tacit_status tc_store_wait_durable(tc_store *s, uint64_t since, tacit_error *err);
tacit_status tc_store_wall(tc_store *s, int64_t *out_ns, tacit_error *err);
/* Can no other process use it? */
bool tc_store_is_private(const tc_store *s);
/* UINT64_MAX: that is not known. */
tacit_status tc_store_room(tc_store *s, uint64_t *out, tacit_error *err);

/* Privacy ledgers (store_ledger.c). What a ledger of this name asks of its store. E_NOT_FOUND: there is none, and it
 * is not to be made. The store must outlive *out, which needs no end. */
tacit_status tc_store_ledger(tc_store *s, const char *name, bool create, tc_ledger_io *out,
                             tacit_error *err);
/* Calls visit with the name of each ledger in order of creation until it fails. visit may call the store. */
tacit_status tc_store_ledger_list(tc_store *s, tc_ledger_name_visit visit, void *user,
                                  tacit_error *err);

/* One record by itself (record_keep.c). As tc_store_record_get, but one that is not there has no value and
 * version 0. */
tacit_status tc_store_record_find(tc_store *s, const tc_record *which, tc_record *out,
                                  tacit_error *err);
/* Puts a value in the place of what was found, whose version this is. E_CONFLICT: somebody else did. */
tacit_status tc_store_record_keep(tc_store *s, const tc_record *which, uint64_t version,
                                  const void *value, size_t size, tacit_error *err);
tacit_status tc_store_study_erase(tc_store *s, int64_t study, tacit_error *err);
tacit_status tc_store_transact(tc_store *s, bool writes, tc_store_work work, void *user,
                               tacit_error *err);

/* Copies (store_copy.c). dump calls visit for everything in the store as it was at one moment, whoever writes meanwhile;
 * visit must not call the store. dump_in: the same within tc_store_transact. load puts what `fill` hands to it into
 * an empty store, all or nothing, on disk when it returns; studies keep their numbers, records begin with
 * version 1. E_STATE: the store is not empty. */
tacit_status tc_store_dump(tc_store *s, tc_row_visit visit, void *user, tacit_error *err);
tacit_status tc_store_dump_in(tc_store *in, tc_row_visit visit, void *user, tacit_error *err);
tacit_status tc_store_load(tc_store *s, tc_row_source fill, void *user, tacit_error *err);

tacit_status tc_store_salvage(tc_store *s, int64_t study, struct tc_chain *end,
                              tc_salvage_visit visit, void *user, tacit_error *err);
tacit_status tc_store_restart(tc_store *in, int64_t study, uint64_t end, tacit_error *err);
tacit_status tc_store_mend(const char *url, tc_mend_report report, void *user, tacit_error *err);

/* *out is NULL where there is nobody to keep away; end it with tc_name_unlock, before the store. */
tacit_status tc_store_lock_name(tc_store *s, const char *name, tc_name_lock **out,
                                tacit_error *err);
void tc_name_unlock(tc_name_lock *h); /* NULL is allowed */

/* For implementations of lock_name: the refusal. */
tacit_status tc_name_taken(const char *place, tacit_error *err);
/* For implementations of append: does an event that came after a->head stand in its way? */
bool tc_append_disturbed(const tc_append *a, tc_event_kind kind, uint64_t trial);
/* The refusal, then. */
tacit_status tc_append_conflict(const tc_append *a, uint64_t end, tacit_error *err);
/* For implementations of scan, append and confirm: the refusal of an event that is not there. */
tacit_status tc_event_gone(uint64_t seq, tacit_error *err);
/* E_NOT_FOUND of a study that somebody has the number of: it was there once. */
tacit_status tc_study_gone(tacit_error *err);
/* A row of one's own, for implementations of study_get. */
tacit_status tc_study_row_copy(tc_study_row *out, const tc_study_row *row, tacit_error *err);

#endif
