/* study_int.h - what the other files of a study need of study.c. */
#ifndef TC_STUDY_STUDY_INT_H
#define TC_STUDY_STUDY_INT_H

#include "study/agreed.h"
#include "study/study.h"

#include <pthread.h>

struct tc_study {
    tc_store *store; /* borrowed */
    int64_t id;
    tacit_hash hash; /* which study it is (study_plan.h) */
    tc_study_doc *doc;
    tc_study_plan *plan;  /* of a federated study; else NULL */
    pthread_mutex_t door; /* held by the next thread that waits for `lock` (fair order) */
    pthread_mutex_t lock; /* guards the optimizer */
    tc_optimizer *opt;
    tc_event_id at; /* the last event that the optimizer has seen */
    tc_pool *pool;  /* borrowed; may be NULL */
    bool stray;     /* the optimizer has seen what the journal has not: catch_up makes another */
    uint64_t folds; /* optimizers that were made anew */
    _Atomic uint64_t unread; /* appends of this process that it reads back like those of others */
    int unmoved;             /* conflicts in a row that catching up did not explain */
    tc_study_clock now_ms;   /* NULL: that of: */
    void *now_user;
    tc_agreed *clock; /* NULL: there is no store, and the wall clock serves */
    bool lent;        /* the clock is somebody else's, who keeps it in step with the store */
};

/* May a lease be taken for over? */
bool tc_study_time_is_sure(const tc_study *s);

/* damaged.c: E_CORRUPT in err becomes the sentence that a user reads: which study, and what helps. */
tacit_status tc_study_damaged(const tc_study *s, tacit_error *err);

void tc_study_lock(tc_study *s);

/* With the lock. The optimizer becomes the fold of the journal as it is: where the store has lost what was
 * read before, it is made anew. */
tacit_status tc_study_catch_up(tc_study *s, tacit_error *err);
/* Where the study stood when something was tried; and whether it may be tried again after that failed with
 * E_CONFLICT. OK: the study has caught up with what was in the way. Every loop on conflicts calls it (study.c
 * says why it ends). Any other status passes through. */
typedef struct tc_study_stand {
    uint64_t seq, folds;
} tc_study_stand;
tc_study_stand tc_study_stands(const tc_study *s);
tacit_status tc_study_move_on(tc_study *s, tc_study_stand before, tacit_error *err);
/* Appends one event if nothing but tells came since the optimizer caught up, and applies it. */
tacit_status tc_study_append_here(tc_study *s, const tc_event *e, bool durable, tacit_error *err);
/* The same for what a stranger sent: applied first, stored only if the algorithm can use it. E_STATE:
 * it cannot, and nothing has changed. Durable. */
tacit_status tc_study_append_tried(tc_study *s, const tc_event *e, tacit_error *err);
/* study_round.c: completes the configuration of a party of a federated study. */
tacit_status tc_study_place(tc_study *s, const tc_study_row *row, tc_optimizer_config *cfg,
                            tacit_error *err);

/* Looks, and calls change(s, optimizer, user), until that does not fail with E_CONFLICT: an append_seen within
 * it met what others did meanwhile. */
typedef tacit_status (*tc_study_changer)(tc_study *s, const tc_optimizer *o, void *user,
                                         tacit_error *err);
tacit_status tc_study_change(tc_study *s, tc_study_changer change, void *user, tacit_error *err);
/* Within it: appends all of the events, or none of them (E_CONFLICT) if anything but tells of other trials
 * came since the look. Unless it is durable, it survives a killed process alone. The optimizer that was lent
 * does not change; the next look sees them. */
tacit_status tc_study_append_seen(tc_study *s, const tc_event *events, size_t n, bool durable,
                                  tacit_error *err);

#endif
