/* optimizer_int.h - what optimizer.c, apply.c, compose.c and siblings.c share. Nobody else includes it. */
#ifndef TC_ALGO_OPTIMIZER_INT_H
#define TC_ALGO_OPTIMIZER_INT_H

#include "algo/optimizer.h"
#include "base/memory.h"

enum { TC_TRIAL_STATES = TC_TRIAL_DELETED + 1 };

/* The space of an optimizer and of its siblings. */
typedef struct tc_shared_space {
    tc_space *space;
    size_t users;
} tc_shared_space;

/* Workers by a hash of their names, which are kept once. */
enum { TC_WORKER_SLOTS = 256 };
typedef struct tc_worker {
    char *name;
    struct tc_worker *next;
} tc_worker;

struct tc_optimizer {
    const tc_algorithm *algorithm;
    void *opts; /* as the table of the algorithm describes them */
    void *state;
    bool alive; /* init was called: fini is due */
    tc_env env;
    tc_shared_space *shared;
    const tc_space *space; /* the one in it */
    tc_history history;
    bool maximize;
    tc_outcomes outcomes; /* that env names, if the study wants any */
    uint64_t feasible;    /* trials within all bounds, if it wants any ... */
    size_t *front; /* ... and of several objectives those that no other dominates, by number */
    size_t n_front, front_cap;
    tc_trial *trials;
    size_t n_trials, cap;
    uint64_t *taken; /* trial of each point in history.taken */
    size_t taken_cap;
    size_t count[TC_TRIAL_STATES];
    uint64_t pulls[TC_TRIAL_STATES]; /* of the trials in each */
    uint64_t best;                   /* trial, if there is one yet */
    bool has_best;
    uint64_t seq;
    tc_arena arena; /* values, workers and reasons of trials */
    tc_worker *workers[TC_WORKER_SLOTS];
    double *values; /* n_params: the point that `next` proposes */
    tc_text made;   /* the fit or the message that is proposed */
};

/* outcomes.c: copies what the study wants, if the algorithm can do it. Before its init. */
tacit_status tc_outcomes_take(tc_optimizer *o, const tc_outcomes *from, tacit_error *err);
/* Room for one more trial on the front; before anything is changed. */
tacit_status tc_outcomes_make_room(tc_optimizer *o, tacit_error *err);
/* A trial is COMPLETE now: counts it. */
void tc_outcomes_count(tc_optimizer *o, const tc_trial *t);
/* The k-th objective of a trial, to be maximised. */
double tc_outcomes_objective(const tc_optimizer *o, const tc_trial *t, size_t k);

/* compose.c: the next event where it is known without a choice of the algorithm; else *fresh. */
tacit_status tc_next_known(tc_optimizer *o, const tc_ask_request *req, tc_event *out, bool *fresh,
                           tacit_error *err);
/* The next event once the algorithm has chosen o->values. */
tacit_status tc_next_chosen(const tc_optimizer *o, const tc_ask_request *req, uint64_t pulls,
                            tc_event *out, tacit_error *err);
/* Is this trial to be a batch of pulls? */
bool tc_optimizer_wants_batch(const tc_optimizer *o, const tc_ask_request *req);

#endif
