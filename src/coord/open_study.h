/* open_study.h - a study that is open in this process (open_study.c), and whether it runs (studies.c). For the files
 * of this folder. */
#ifndef TC_COORD_OPEN_STUDY_H
#define TC_COORD_OPEN_STUDY_H

#include "coord/coord.h"
#include "study/study.h"
#include "study/study_plan.h"
#include "wire/trust_roster.h"

#include <pthread.h>
#include <stdatomic.h>

/* How long the present round has stood where it is, as this process saw it (stuck.c); under the study's lock. */
typedef struct tc_watch {
    bool waits;
    uint64_t round;
    int phase;
    int64_t since_ms;
    atomic_bool stuck; /* read without the lock */
} tc_watch;

typedef struct tc_open_study {
    int64_t id, created_ms;
    char *name;
    tacit_hash hash; /* which study it is */
    tc_public_seed public_seed;
    tc_study_plan *plan;  /* of a federated study, never changes; NULL: it is a served one */
    pthread_mutex_t lock; /* one closing at a time, the ledger, and: */
    tc_ledger *ledger;
    tc_study *study;  /* of a served one: opened with its first request, by tc_open_study_served */
    int64_t asked_ms; /* when it was used last */
    uint64_t swept;   /* no contribution to a round below this one is in the store */
    tc_watch watch;
    pthread_mutex_t advice;  /* one recommendation at a time (recommend_get.c), and: */
    tc_shared_text *advised; /* the last one; NULL: none yet */
    uint64_t advised_seq;    /* ... of the ledger as it was then */
    pthread_mutex_t quick;   /* never held for long; what follows: */
    uint64_t counted_round;  /* of which `counted` messages are known to be in the store ... */
    uint64_t counted;        /* ... at least; more where other processes took some */
    uint64_t cached_round;   /* the round whose broadcast `cached` is; it never changes */
    tc_shared_text *cached;  /* NULL: none yet */
    uint64_t filled; /* places below this one are taken, which is for good (roster_place.c) */
    tc_shared_text
        *roster; /* that is fixed, as it is shown; NULL: nobody has asked yet, or it is not */
    tc_fingerprint fingerprint; /* of that roster; "": the same */
    tc_shared_text *points;     /* of its document, as CSV; NULL: nobody has asked yet */
    int64_t claims_ms;          /* until when take-overs are accounted for (served.c) */
    uint64_t turn;              /* of the tick that has seen it last; under coord->lock */
    bool told;                  /* under quick: listeners know these (events.c): */
    uint64_t told_round;
    int told_phase;
    char told_state[16];
    uint32_t users; /* under coord->lock */
    bool gone;      /* erased or replaced: freed with its last user */
    struct tc_open_study *next;
} tc_open_study;

/* Opens or finds; end with tc_open_study_unref. E_NOT_FOUND. */
tacit_status tc_open_study_get(tc_coord *c, const char *name, tc_open_study **out,
                               tacit_error *err);
/* The same for a row that was read just now; where that study is open, nothing is read again. */
tacit_status tc_open_study_of_row(tc_coord *c, const tc_study_row *row, uint64_t turn,
                                  tc_open_study **out, tacit_error *err);
/* An open study that this turn has not seen yet, as tc_open_study_get gives it; *out NULL: there is none any more.
 * *gone: it was erased, and is forgotten. */
tacit_status tc_open_study_next(tc_coord *c, uint64_t turn, tc_open_study **out, bool *gone,
                                tacit_error *err);
/* Forgets the open studies that this turn has not seen: they are gone from the store. */
void tc_open_study_sweep(tc_coord *c, uint64_t turn);
/* Closes the tc_study of a served one that has no user but the caller, if it was not used for long. */
void tc_open_study_rest(tc_coord *c, tc_open_study *d);
/* Its document; lives until d is given back. */
tacit_status tc_open_study_document(tc_coord *c, tc_open_study *d, const tc_study_doc **out,
                                    tacit_error *err);
/* The tc_study of a served one, opened if it is not; lives until d is given back. */
tacit_status tc_open_study_served(tc_coord *c, tc_open_study *d, tc_study **out, tacit_error *err);
void tc_open_study_unref(tc_coord *c, tc_open_study *d);
/* Is this very study open here under that name? Nothing is read for it. */
bool tc_study_is_open(tc_coord *c, const char *name, int64_t id, const tacit_hash *hash);
/* No later get finds this one. */
void tc_open_study_forget(tc_coord *c, tc_open_study *d);
/* The same of a study that was erased, by whomever: it is said, and contributions to it are forgotten. */
void tc_open_study_erased(tc_coord *c, tc_open_study *d);

/* ---- its state (studies.c) */

typedef enum tc_study_state { TC_STUDY_RUNNING, TC_STUDY_PAUSED, TC_STUDY_CLOSED } tc_study_state;
/* *version: of the record, for TC_REQUIRE. */
tacit_status tc_state_get(tc_coord *c, int64_t study, tc_study_state *out, uint64_t *version,
                          tacit_error *err);
/* Why what the agents of a federated study send is not private here; "": it is, as its document says. */
const char *tc_study_not_private(const tc_coord *c, const tc_open_study *d);
/* E_STATE: paused or closed. */
tacit_status tc_state_running(tc_coord *c, int64_t study, uint64_t *version, tacit_error *err);

/* E_STATE: closed. What has begun may end while a study is paused. */
tacit_status tc_state_open(tc_coord *c, int64_t study, tacit_error *err);
/* Stores a new study; who: as in tc_changes_log. E_ARG: it cannot run. E_CONFLICT: the name is taken. */
struct tc_caller;
tacit_status tc_studies_put(tc_coord *c, const struct tc_caller *who, tc_study_doc *doc,
                            tacit_error *err);
/* "paused" */
const char *tc_state_name(tc_study_state s);

#endif
