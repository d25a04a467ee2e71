/* ledger.h - the record of everything that was released, append-only and hash-chained.
 *
 * An entry says what a release cost, whom, and what bytes left; it holds public values only.
 * Contributions, digests of them, the order in which they came, the sampled set and the
 * participants never enter: what readers see of the chain is a function of what they were sent.
 *
 * The rule that everything else serves: the entry and the exact bytes of its release are
 * committed in one transaction before a byte leaves, and for one (study, round) there is one
 * release, ever, whoever it is about: replies of single users need round numbers of their own.
 * tc_ledger_release is the only way out; whatever fails on the way is settled by reading back: once a
 * release is stored, nothing that was drawn later is released for its round.
 *
 * A ledger protects one kind of data of one party over all studies that use it: budgets compose
 * over the whole ledger. A handle serves one thread at a time; many handles and processes may
 * share a store. */
#ifndef TC_PRIVACY_LEDGER_H
#define TC_PRIVACY_LEDGER_H

#include <tacit/ledger.h>

#include "base/text.h"
#include "privacy/accountant.h"
#include "privacy/release.h"

#include <jansson.h>

#define TC_LEDGER_HASH_BYTES 32                           /* sizeof(tacit_hash) */
#define TC_LEDGER_MAX_NAME   255                          /* bytes: names, subjects */
#define TC_LEDGER_MAX_TEXT   4096                         /* bytes: adjacency, reasons */
#define TC_LEDGER_MAX_ROUND  UINT64_C(0x7fffffffffffffff) /* stores keep signed numbers */

bool tc_ledger_hash_same(const tacit_hash *a, const tacit_hash *b);
/* BLAKE2b-256 of a study document's canonical text, and of a release's bytes. */
tacit_hash tc_ledger_study_hash(const char *document);
tacit_hash tc_ledger_release_hash(const uint8_t *bytes, size_t size);

/* ---- entries (ledger_entry.c has the layout of the bytes that are hashed) */

typedef struct tc_ledger_entry {
    uint64_t seq; /* 1, 2, 3, ... */
    tacit_hash study;
    uint64_t round;
    tacit_unit unit;
    const char
        *subject; /* the public name of the unit that is charged; "": every unit of the roster */
    tacit_dp_event event;
    double distance; /* of the release, see release.h: discrete noise against a rounded Gaussian */
    const char *mechanism, *adjacency;
    bool is_private;
    const char *not_private; /* why not; "" where is_private */
    /* How the bytes are read: rows x cols words, value = offset + step * word as a signed integer;
     * the words of the mechanisms `none` and `search` are the doubles themselves. Public constants. */
    uint64_t rows, cols;
    double offset, step;
    tacit_hash release;      /* of the exact bytes */
    tacit_hash previous;     /* the head before */
    tacit_relation relation; /* as stated; USUAL: none was. tc_ledger_relation says which it is */
} tc_ledger_entry;

/* The end of a chain is a tacit_head. Every release carries one, so that its readers notice a rollback. */

/* Canonical bytes: caller ends *bytes with tc_free. E_ARG: a member out of range. */
tacit_status tc_ledger_entry_encode(const tc_ledger_entry *e, uint8_t **bytes, size_t *size,
                                    tacit_error *err);
/* Texts are borrowed from `bytes`. E_CORRUPT: not the bytes of an entry. */
tacit_status tc_ledger_entry_decode(tc_ledger_entry *out, const uint8_t *bytes, size_t size,
                                    tacit_error *err);
tacit_hash tc_ledger_entry_hash(const uint8_t *bytes, size_t size);
/* The head of a ledger of this name before its first entry. */
tacit_head tc_ledger_genesis(const char *name);

/* ---- what a store does for a ledger; implemented in src/study */

/* Pointers are borrowed for the call. */
typedef struct tc_ledger_record {
    uint64_t seq;
    tacit_hash study;
    uint64_t round;
    const uint8_t *entry, *release;
    size_t entry_size, release_size;
    tacit_hash previous, head; /* scan leaves `previous` alone */
} tc_ledger_record;

typedef tacit_status (*tc_ledger_visit)(void *user, const tc_ledger_record *r, tacit_error *err);

typedef struct tc_ledger_io tc_ledger_io;
struct tc_ledger_io {
    void *store; /* borrowed: must outlive the ledger */
    int64_t id;  /* which of the store's ledgers */
    /* All of the record or nothing, on disk when it returns. E_CONFLICT: the stored ledger does
     * not end with seq - 1 and `previous` (of which an empty ledger knows nothing), or it has
     * this (study, round). Any other failure: it may or may not have happened. */
    tacit_status (*append)(const tc_ledger_io *io, const tc_ledger_record *r, tacit_error *err);
    /* seq 0 and zeros for an empty ledger. */
    tacit_status (*head)(const tc_ledger_io *io, tacit_head *out, tacit_error *err);
    /* Records after `after` in order, without what an interrupted append may have left. visit
     * must not call the store. */
    tacit_status (*scan)(const tc_ledger_io *io, uint64_t after, tc_ledger_visit visit, void *user,
                         tacit_error *err);
    /* The bytes of a release, for tc_free; they are on disk when it returns. E_NOT_FOUND. */
    tacit_status (*find)(const tc_ledger_io *io, const tacit_hash *study, uint64_t round,
                         uint64_t *seq, uint8_t **release, size_t *size, tacit_error *err);
};

/* ---- a ledger (ledger.c) */

typedef struct tc_ledger tc_ledger; /* end with tc_ledger_close */

/* Reads and checks everything. E_CORRUPT names the entry: "ledger entry 7 does not match its
 * hash". `name` is public and part of the chain. */
tacit_status tc_ledger_open(tc_ledger **out, const char *name, const tc_ledger_io *io,
                            tacit_error *err);
void tc_ledger_close(tc_ledger *l); /* NULL is allowed */
/* Takes in what others have appended since. Everything below that writes does so by itself. */
tacit_status tc_ledger_catch_up(tc_ledger *l, tacit_error *err);

const char *tc_ledger_name(const tc_ledger *l);
tacit_head tc_ledger_get_head(const tc_ledger *l);
/* Entry `seq` in 1..head; borrowed. *head (may be NULL) is the chain's head after it. */
const tc_ledger_entry *tc_ledger_get(const tc_ledger *l, uint64_t seq, tacit_head *head);
/* Is this head, seen earlier, one of this ledger's? E_CORRUPT: it was rolled back or replaced. */
tacit_status tc_ledger_check_seen(const tc_ledger *l, const tacit_head *seen, tacit_error *err);

/* All releases that the document of one study plans for one unit: fixed before the first of them. */
typedef struct tc_ledger_document {
    tacit_hash study;
    const tacit_dp_event
        *events; /* n 0: the caller knows that the whole plan keeps to the budget */
    size_t n;
    double distance; /* the sum over these releases, as in release.h */
    /* What all of it costs at the budget's delta by its accountant, if the caller has found out; 0: it is found out for
     * every release. */
    double epsilon;
} tc_ledger_document;

/* What one unit may spend over the whole ledger. The ledger does not remember it: each caller
 * brings its own, and holds what all have spent against it. */
typedef struct tc_ledger_budget {
    double epsilon, delta;
    const tc_accountant
        *accountant;        /* NULL: the filter, for parameters chosen in view of releases */
    bool accepts_uncounted; /* also where nobody can tell what was spent (tc_ledger_note_restore) */
    /* The document of the study that is charged; may be NULL. With it the accountant counts for this study only, and
     * only while the ledger has no release of another one: else the filter (ledger_filter.c). */
    const tc_ledger_document *document;
    /* For sentences: whose limit it is where one agent holds it, a constant. NULL: that of each unit. */
    const char *owner;
} tc_ledger_budget;

/* Where a release belongs. What it costs, the release says itself. */
typedef struct tc_ledger_charge {
    tacit_hash study;
    uint64_t round;
    const char *subject; /* NULL: every unit of the roster; of a release that is not `single`
                            (release.h) it must be */
} tc_ledger_charge;

/* What may leave, and the stamp it leaves with: of the stored release, not of the one that was
 * offered. End with tc_ledger_receipt_fini. */
typedef struct tc_ledger_receipt {
    tacit_head head; /* after the release's entry */
    uint8_t *bytes;
    size_t size;
    bool again; /* these bytes were committed by an earlier call */
    bool is_private;
    const char *not_private; /* why not; "" where is_private. Borrowed from the ledger. */
} tc_ledger_receipt;
void tc_ledger_receipt_fini(tc_ledger_receipt *r);

/* Commits `r` and its entry, then hands out the bytes. If the ledger has this (study, round), the
 * bytes are the stored ones and the numbers in `r` are ignored; E_CONFLICT names the entry if its
 * unit, subject, event, mechanism, adjacency, shape, offset or step is not that of `r` and c.
 * E_ARG: a release that concerns every unit is charged to one. E_BUDGET: refused before anything is
 * spent; the sentence has what is spent, asked and remaining. b NULL: no limit. After any other
 * failure nothing may leave; asking again is safe and gives the stored bytes if there are some. */
tacit_status tc_ledger_release(tc_ledger *l, const tc_ledger_budget *b, const tc_ledger_charge *c,
                               const tc_release *r, tc_ledger_receipt *out, tacit_error *err);

/* The stored bytes, also those that others have stored since. E_NOT_FOUND: this round was not released. E_CORRUPT also if the chain has it
 * and the store does not find it. Ask before drawing noise. Whose they are is in
 * tc_ledger_get(l, out->head.seq, NULL). */
tacit_status tc_ledger_find(tc_ledger *l, const tacit_hash *study, uint64_t round,
                            tc_ledger_receipt *out, tacit_error *err);

/* ---- what was spent (ledger_spending.c, ledger_account.c, ledger_budget.c) */

typedef struct tc_ledger_claim {
    tacit_guarantee bound;
    tacit_unit unit;
    const char *subject;     /* whose: the worst-off one where all were asked for; "": a unit that
                                no entry names. Borrowed from the ledger. */
    uint64_t entries;        /* releases that charge it; not those of no values and no cost */
    bool several;            /* they are of more than one study */
    bool is_private;         /* all of them were */
    const char *not_private; /* of the first that was not; "" where is_private */
    tacit_relation relation; /* of all of them; USUAL: nothing was released about it */
} tc_ledger_claim;

/* What one unit has spent over all studies; a row or a user also what was released about agents. subject NULL: the worst-off of all units. Where noise
 * is discrete and the bound is for continuous noise, the difference has been added to delta. a NULL: what is
 * proved without a word from anybody: pld for the releases of one study, which its document has fixed, and
 * the filter for those of several (ledger_filter.c). With an accountant the caller says that all
 * releases of the ledger were planned before the first. */
tacit_status tc_ledger_guarantee(const tc_ledger *l, tacit_unit unit, const char *subject,
                                 double delta, const tc_accountant *a, tc_ledger_claim *out,
                                 tacit_error *err);

/* Is any release charged to such units by themselves? Rows and users are charged for those about agents,
 * too, of whom they are parts. */
bool tc_ledger_has_unit(const tc_ledger *l, tacit_unit unit);

/* What releases with these events would cost together, before any ledger has them; the bound is
 * made as above; a NULL: by the filter, as if later ones were chosen in view of earlier ones. `distance` is
 * the sum over the releases, as in release.h. */
tacit_status tc_ledger_cost(const tc_accountant *a, const tacit_dp_event *events, size_t n,
                            double distance, double delta, tacit_guarantee *out, tacit_error *err);

/* Writes into the chain what the budget's document plans, if that is needed to hold its study to the
 * accountant (ledger_plan.c): from then on the filter counts the whole plan. Call it before the first release of
 * the study; it may be called again. Nothing is written where the filter allows the plan, or nothing does. */
tacit_status tc_ledger_keep_plan(tc_ledger *l, const tc_ledger_budget *b, tacit_unit unit,
                                 tacit_error *err);

/* Releases to come: their events, the sum of their distances, and whom they will be charged to. */
typedef struct tc_ledger_plan {
    tacit_hash study;
    const tacit_dp_event *events;
    size_t n;
    double distance;
    tacit_unit unit;
    const char *subject; /* NULL: every unit */
} tc_ledger_plan;
/* What the unit that will be worst off has spent then, as tc_ledger_guarantee proves it without an
 * accountant. Changes nothing. */
tacit_status tc_ledger_after(const tc_ledger *l, const tc_ledger_plan *plan, double delta,
                             tacit_guarantee *out, tacit_error *err);

/* Would a release that costs this be let pass? Changes nothing; E_BUDGET as tc_ledger_release.
 * `distance` as in release.h. */
tacit_status tc_ledger_would(const tc_ledger *l, const tc_ledger_budget *b, tacit_unit unit,
                             const char *subject, const tacit_dp_event *event, double distance,
                             tacit_error *err);

/* The numbers behind a refusal: what the unit that would be worst off has spent, and what the release
 * would add, both proved by the budget's accountant or filter. */
typedef struct tc_ledger_price {
    double spent, asked;
} tc_ledger_price;
tacit_status tc_ledger_price_of(const tc_ledger *l, const tc_ledger_budget *b, tacit_unit unit,
                                const char *subject, const tacit_dp_event *event, double distance,
                                tc_ledger_price *out, tacit_error *err);

/* The claim as sentences: whose, neighbours, epsilon, delta, accountant, what is not protected. */
void tc_ledger_statement(const tc_ledger *l, const tc_ledger_claim *c, tc_text *out);

/* ---- restored from a backup (ledger_restored.c) */

/* What a ledger says about itself after it was restored: a note in the chain. */
typedef struct tc_ledger_restore {
    uint64_t seq;    /* of the note: seq - 1 entries were in the backup */
    int64_t at_ms;   /* when it was restored */
    int64_t of_ms;   /* when the backup was made */
    const char *say; /* the same as a sentence. Borrowed from the ledger. */
    tacit_hash head; /* after the note */
} tc_ledger_restore;

/* How it was restored. What may have been released since the backup is to be charged next. */
typedef struct tc_ledger_recovery {
    int64_t of_ms, at_ms; /* when the backup was made; now */
    const char *assumes;  /* "no more than 2 rounds were released since": what its claims rest on */
    const char *stamp; /* why nobody can tell what was spent, which makes all claims of this ledger
                             NOT PRIVATE, and no budget fits; NULL: it will be charged */
} tc_ledger_recovery;
tacit_status tc_ledger_note_restore(tc_ledger *l, const tc_ledger_recovery *r, tacit_error *err);
/* The entry that says so of this unit; NULL: what was spent is counted. */
const tc_ledger_entry *tc_ledger_uncounted(const tc_ledger *l, tacit_unit unit);
/* The last one among the first `upto` entries (UINT64_MAX: all); false: there is none. */
bool tc_ledger_restored(const tc_ledger *l, uint64_t upto, tc_ledger_restore *out);

/* Charges for the release of a round that may have left after the backup, and can never leave again:
 * an entry without values, at the price of the round, in the round's place. No budget can refuse it. */
typedef struct tc_ledger_lost {
    tc_ledger_charge charge;
    tacit_dp_event event;
    double distance;
    tacit_unit unit;
    const char *adjacency;
    const char *not_private; /* why its noise was no secret; NULL: as the study's other releases */
} tc_ledger_lost;
tacit_status tc_ledger_charge_lost(tc_ledger *l, const tc_ledger_lost *lost, tacit_error *err);
bool tc_ledger_is_lost(const tc_ledger_entry *e);

/* {"at": ..., "backup_of": ..., "entries": ..., "notice": ...} of the last one. *out is NULL where there
 * was none; the caller decrefs. */
tacit_status tc_ledger_restored_json(const tc_ledger *l, json_t **out, tacit_error *err);

/* ---- from another ledger of the same party (ledger_adopt.c) */

/* Takes entry `seq` of `from` along, with its bytes. Where this ledger has a release of that (study, round),
 * both have left: the entry is charged as well, under the study `otherwise`. The same again with the same
 * `otherwise` changes nothing once that place is taken. */
tacit_status tc_ledger_adopt(tc_ledger *l, tc_ledger *from, uint64_t seq,
                             const tacit_hash *otherwise, tacit_error *err);

/* A copy that ends with entry `seq`, without a store. E_NOT_FOUND: there are fewer. */
tacit_status tc_ledger_until(tc_ledger **out, const tc_ledger *l, uint64_t seq, tacit_error *err);

/* ---- for strangers (ledger_export.c, ledger_import.c) */

/* All entries, their hashes, and for every unit what it composes to, with the names of google's
 * dp_accounting. NULL: no memory. Caller decrefs. */
json_t *tc_ledger_json(const tc_ledger *l);
/* At most `most` entries after number `after`. "next" is the last of a page after which there are more;
 * what units compose to is on the last page. */
json_t *tc_ledger_json_page(const tc_ledger *l, uint64_t after, uint64_t most);
/* Checks everything in an exported file and makes a ledger of it that can be asked but not
 * written (E_STATE). E_ARG: not the format. E_CORRUPT: the entry that is wrong. */
tacit_status tc_ledger_from_json(tc_ledger **out, const json_t *j, tacit_error *err);
/* The same page by page: a page has the entries after some other one, the head of the whole chain, and
 * as "next" the last entry of a page that is not the last one. Adds to *l what it does not have; where *l
 * is NULL it is made. *more: there is another page. E_CORRUPT: the page does not go on where *l ends, or
 * the last one ends elsewhere. What was added before a failure has been checked and stays. */
tacit_status tc_ledger_add_page(tc_ledger **l, const json_t *page, bool *more, tacit_error *err);

#endif
