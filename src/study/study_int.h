/* study_int.h - what the other files of a study need of study.c. */
#ifndef TC_STUDY_STUDY_INT_H
#define TC_STUDY_STUDY_INT_H

#include "base/steady.h"
#include "study/study.h"

#include <pthread.h>

struct tc_study {
    tc_store *store; /* borrowed */
    int64_t id;
    tc_study_doc *doc;
    tc_study_plan *plan;  /* of a federated study; else NULL */
    pthread_mutex_t door; /* in which who comes next waits for: */
    pthread_mutex_t lock; /* guards the optimizer */
    tc_optimizer *opt;
    tc_pool *pool; /* borrowed; may be NULL */
    bool stray;    /* the optimizer has seen what the journal has not: catch_up makes another */
    tc_study_clock now_ms; /* NULL: that of: */
    void *now_user;
    tc_steady *clock;
};

int64_t tc_study_now(const tc_study *s);

/* damaged.c: E_CORRUPT in err becomes the sentence that a user reads: which study, and what helps. */
tacit_status tc_study_damaged(const tc_study *s, tacit_error *err);

void tc_study_lock(tc_study *s);

/* With the lock. */
tacit_status tc_study_catch_up(tc_study *s, tacit_error *err);
/* Appends one event if nothing but tells came since the optimizer caught up, and applies it. */
tacit_status tc_study_append_here(tc_study *s, const tc_event *e, bool durable, tacit_error *err);
/* The same for what a stranger sent: applied first, stored only if the algorithm can use it. E_STATE:
 * it cannot, and nothing has changed. Durable. */
tacit_status tc_study_append_tried(tc_study *s, const tc_event *e, tacit_error *err);
/* study_round.c: completes the configuration of a party of a federated study. */
tacit_status tc_study_place(tc_study *s, const tc_study_row *row, tc_optimizer_config *cfg,
                            tacit_error *err);

/* Between look and unlook: appends all of the events, or none of them (E_CONFLICT) if anything
 * but tells of other trials came since the look. Survives a killed process, as an ask does. The
 * optimizer that was lent does not change; the next look sees them. */
tacit_status tc_study_append_seen(tc_study *s, const tc_event *events, size_t n, tacit_error *err);

#endif
