/* tacit/ledger.h - the record of everything that was released, append-only and hash-chained.
 *
 * A ledger protects one kind of data of one party, over all studies that use it. It lives in a
 * storage, as studies do (tacit/study.h): "sqlite:///tacit.db", or "memory:" (gone with the handle).
 * What opens a storage (create, open, list) is in libtacit, all else in libtacit-privacy.
 *
 * An entry, which says what a release cost and whom, and the exact bytes of the release are
 * committed together, durably, before the bytes are handed out; for one study and round there is
 * one release, ever. Who asks a second time, after a crash say, gets the stored bytes and never
 * new noise, which would have to be paid for again. So what may leave is what a
 * receipt holds, and nothing else.
 *
 * Entries hold public values only. Each carries the hash of the one before. A receipt has the head
 * of the chain; give it to your readers with the bytes, and they can tell if you ever
 * take something back.
 *
 * A handle serves one thread at a time; many handles and processes may share a ledger. Pointers
 * passed in are borrowed for the call. Outputs are written on success only. `err` may be NULL. A
 * pointer that is missing is E_ARG. Begin every struct that has a `size` with its macro. */
#ifndef TACIT_LEDGER_H
#define TACIT_LEDGER_H

#include <tacit/privacy.h>
#include <tacit/release.h>
#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_ledger tacit_ledger; /* end with tacit_ledger_close */

/* BLAKE2b-256. */
typedef struct tacit_hash {
    uint8_t bytes[32];
} tacit_hash;
/* 64 lower-case digits and a zero. A NULL hash gives "". */
TACIT_API void tacit_hash_text(const tacit_hash *h, char out[65]);

/* The end of a chain. */
typedef struct tacit_head {
    uint64_t seq; /* entries so far */
    tacit_hash hash;
} tacit_head;

/* ---- opening */

/* Opens the ledger of this name, or makes it, and the file of the storage, if it is absent. All
 * entries are read and checked: E_CORRUPT names the first that is wrong. The name is public and
 * part of the chain. */
TACIT_API tacit_status tacit_ledger_create(tacit_ledger **out, const char *storage,
                                           const char *name, tacit_error *err);
/* Opens a ledger that must be there: a name with a typing error would begin with nothing spent.
 * E_NOT_FOUND. */
TACIT_API tacit_status tacit_ledger_open(tacit_ledger **out, const char *storage, const char *name,
                                         tacit_error *err);
/* A ledger that somebody has exported: everything in it is checked. It can be asked, and not be
 * released to (E_STATE). E_ARG: not the format. E_CORRUPT: the entry that is wrong. */
TACIT_API tacit_status tacit_ledger_import(tacit_ledger **out, const char *json, tacit_error *err);
TACIT_API void tacit_ledger_close(tacit_ledger *l); /* NULL is allowed */

/* Calls visit for each ledger of a storage, in the order in which they were made. `name` is
 * borrowed for the call. */
TACIT_API tacit_status tacit_ledger_list(const char *storage,
                                         void (*visit)(void *user, const char *name), void *user,
                                         tacit_error *err);

/* ---- releasing */

/* What one unit may spend over the whole ledger. It is not stored: every caller brings its own, and
 * what all have spent counts against it. So all who release to a ledger must agree on one. */
typedef struct tacit_budget {
    size_t size;            /* sizeof of this struct as the caller saw it */
    double epsilon;         /* > 0 */
    double delta;           /* in (0, 1) */
    const char *accountant; /* by which bound. It must be fixed beforehand what will be released.
                               NULL: a filter, which holds whatever is decided on the way */
} tacit_budget;
#define TACIT_BUDGET                                                                               \
    {                                                                                              \
        sizeof(tacit_budget), 0, 0, NULL                                                           \
    }

/* Where a release belongs. What it costs, the release says itself. */
typedef struct tacit_charge {
    size_t size;                  /* sizeof of this struct as the caller saw it */
    const char *study;            /* a public text: a label, or the document of the study */
    const tacit_hash *study_hash; /* instead of it: as an entry has it */
    uint64_t round;               /* below 2^63; replies of single users need a number each */
    const char *subject;          /* public name of the unit that is charged; NULL: every unit. Only
                                     a release about one unit may have one: a reply, a data set of
                                     one row, one row of `none` about a row or a user */
} tacit_charge;
#define TACIT_CHARGE                                                                               \
    {                                                                                              \
        sizeof(tacit_charge), NULL, NULL, 0, NULL                                                  \
    }

typedef struct tacit_receipt tacit_receipt; /* end with tacit_receipt_free */

/* Commits the release and its entry, then hands out the bytes. If this study and round were
 * released before, they are the stored ones, nothing is spent and the numbers in `r` are ignored;
 * E_CONFLICT if what was released then is of another kind, or is read with another step. E_ARG: a
 * release that concerns every unit is charged to one. E_BUDGET: refused before anything is
 * spent; the sentence has what is spent, asked and remaining. budget NULL: no limit. After any
 * other failure nothing may leave, and asking again is safe. */
TACIT_API tacit_status tacit_ledger_release(tacit_ledger *l, const tacit_budget *budget,
                                            const tacit_charge *charge, const tacit_release *r,
                                            tacit_receipt **out, tacit_error *err);
/* What was released already; ask this before drawing noise. Only the study and the round are
 * looked at. E_NOT_FOUND: nothing was. */
TACIT_API tacit_status tacit_ledger_find(tacit_ledger *l, const tacit_charge *charge,
                                         tacit_receipt **out, tacit_error *err);
/* Would a release that costs this be let pass? Spends nothing. E_BUDGET: no. subject: as in the
 * charge of that release. */
TACIT_API tacit_status tacit_ledger_would(tacit_ledger *l, const tacit_budget *budget,
                                          const char *subject, const tacit_cost *cost,
                                          tacit_error *err);

/* The stored bytes, owned by the receipt; of NULL, nothing. */
TACIT_API const uint8_t *tacit_receipt_bytes(const tacit_receipt *x);
TACIT_API size_t tacit_receipt_size(const tacit_receipt *x);
TACIT_API tacit_head tacit_receipt_head(const tacit_receipt *x); /* after this release's entry */
TACIT_API bool tacit_receipt_again(const tacit_receipt *x);      /* committed by an earlier call */
TACIT_API bool tacit_receipt_private(const tacit_receipt *x);    /* of the stored release */
TACIT_API const char *tacit_receipt_not_private(const tacit_receipt *x); /* why not; "": it is */
TACIT_API void tacit_receipt_free(tacit_receipt *x);                     /* NULL is allowed */

/* ---- asking */

TACIT_API const char *tacit_ledger_name(const tacit_ledger *l); /* "" of NULL */
/* Why what the agents of a study send is not private, where the study has the ledger's name: in its storage, or as the file
 * says that was imported. A coordinator that hands messages on as they are makes no entry of them, and an empty ledger would
 * look private. "": the study is private, or there is none of that name; also of NULL. Lives as long as the handle. */
TACIT_API const char *tacit_ledger_not_private(const tacit_ledger *l);
/* The head as it is now, with what others have added. */
TACIT_API tacit_status tacit_ledger_head(tacit_ledger *l, tacit_head *out, tacit_error *err);

/* Texts live as long as the ledger's handle. */
typedef struct tacit_spent {
    size_t size;             /* sizeof of this struct as the caller saw it */
    double epsilon;          /* a proved upper bound; INFINITY: no guarantee */
    double lower;            /* a proved lower bound on the tight value; 0 where none is known */
    double delta;            /* as asked; 0 for "pure" */
    const char *accountant;  /* whose bound this is */
    uint64_t releases;       /* that charge this unit */
    const char *subject;     /* whose: the worst-off one; "": a unit that no entry names */
    bool is_private;         /* all of them were */
    const char *not_private; /* why the first one that was not was not; "" where is_private */
    const char
        *relation; /* between the neighbours of all of them, a tacit_relation_name; NULL: none
                                was private */
} tacit_spent;
#define TACIT_SPENT                                                                                \
    {                                                                                              \
        sizeof(tacit_spent), 0, 0, 0, NULL, 0, NULL, false, NULL, NULL                             \
    }

/* What one unit has spent over all studies; a row or a user also for releases about agents, of whom it is
 * a part (docs/privacy.md). E_UNSUPPORTED: entries of that unit have different relations, which do not compose. subject NULL: the worst-off of all. accountant NULL:
 * "pld" for the releases of one study, and a filter for those of several, which bounds every way of choosing later
 * studies in view of earlier releases ("gdp-filter", "rdp-filter"). With a name you say that all of them were
 * planned before the first. */
TACIT_API tacit_status tacit_ledger_spent(tacit_ledger *l, tacit_unit unit, const char *subject,
                                          const char *accountant, double delta, tacit_spent *out,
                                          tacit_error *err);
/* The same in sentences, with the neighbours and what is not protected. End *text with
 * tacit_text_free. */
TACIT_API tacit_status tacit_ledger_statement(tacit_ledger *l, tacit_unit unit, const char *subject,
                                              const char *accountant, double delta, char **text,
                                              tacit_error *err);

/* Texts live as long as the ledger's handle. */
typedef struct tacit_ledger_entry {
    size_t size;  /* sizeof of this struct as the caller saw it */
    uint64_t seq; /* 1, 2, 3, ... */
    tacit_hash study;
    uint64_t round;
    const char *subject; /* "": every unit */
    tacit_unit unit;
    tacit_dp_event event;
    double distance; /* as in tacit_cost */
    const char *mechanism, *adjacency;
    bool is_private;
    const char *not_private; /* why not; "" where is_private */
    /* How the bytes are read: rows x cols little-endian words of 64 bits, row by row; a value is
       offset + step * word, as a signed integer. Of the mechanisms "none" and "search" they are doubles. */
    uint64_t rows, cols;
    double offset, step;
    tacit_hash release;   /* of the exact bytes */
    tacit_hash head;      /* of the chain after this entry */
    const char *relation; /* between its neighbours, a tacit_relation_name */
} tacit_ledger_entry;
#define TACIT_LEDGER_ENTRY                                                                         \
    {                                                                                              \
        sizeof(tacit_ledger_entry), 0, {{0}}, 0, NULL, TACIT_UNIT_AGENT,                           \
            {TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 0}, 0, NULL, NULL, false, NULL, 0, 0, 0, 0,  \
            {{0}}, {{0}}, NULL                                                                     \
    }

/* Entry `seq`, from 1. E_NOT_FOUND: there are fewer, as far as this handle has read. */
TACIT_API tacit_status tacit_ledger_get(const tacit_ledger *l, uint64_t seq,
                                        tacit_ledger_entry *out, tacit_error *err);

/* The ledger as it stood after entry `seq`, which can be asked and not be released to: what was spent by then. 0 is
 * before the first. E_NOT_FOUND: there are fewer, as far as this handle has read. */
TACIT_API tacit_status tacit_ledger_until(tacit_ledger **out, const tacit_ledger *l, uint64_t seq,
                                          tacit_error *err);

/* ---- for strangers */

/* All entries and hashes and what every unit's compose to, as JSON with the names of google's
 * dp_accounting. End *json with tacit_text_free. */
TACIT_API tacit_status tacit_ledger_export(tacit_ledger *l, char **json, tacit_error *err);
/* Reads the stored ledger again from the first entry and checks all of it; and that it has the
 * head `seen`, of an earlier receipt (NULL: none). E_CORRUPT: the entry that is wrong, or that the
 * ledger was rolled back or replaced. */
TACIT_API tacit_status tacit_ledger_verify(tacit_ledger *l, const tacit_head *seen,
                                           tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
