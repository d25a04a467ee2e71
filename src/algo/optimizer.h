/* optimizer.h - the state of one party: a fold over events, and what to do next.
 *
 * Used by study/ (which journals the events) and by the in-memory C interface
 * (which applies them at once):
 *
 *     do { next(o, &e); journal e; apply(o, &e); } while (e.kind != ASK);
 *
 * Not thread-safe: one thread at a time. */
#ifndef TC_ALGO_OPTIMIZER_H
#define TC_ALGO_OPTIMIZER_H

#include "algo/algorithm.h"
#include "algo/event.h"

/* An intermediate value of a trial, in the study's direction. */
typedef struct tc_step {
    uint64_t step;
    double value;
} tc_step;
/* So many reports a trial may make, which is what bounds a journal. */
enum { TC_REPORTS_MOST = 10000 };

typedef struct tc_trial {
    uint64_t number;
    tc_trial_state state;
    double *values;   /* the point: as issued, or as really run once told */
    double value;     /* COMPLETE, in the study's direction */
    double *more;     /* COMPLETE: its other outcomes, as they were told (event.h); or NULL */
    uint64_t pulls;   /* that may be told of it; once COMPLETE, that were; FAIL: 1; DELETED: 0 */
    char *reason;     /* FAIL, DELETED; or NULL. PRUNED: a sentence, with the step and the value */
    char *worker;     /* or NULL */
    int64_t asked_ms; /* 0: never asked (imported) */
    int64_t told_ms;
    int64_t lease_ms; /* 0: no limit */
    /* How often it was handed out, to one worker or another. More time for the worker that has it is no new attempt. */
    uint64_t attempt;
    double noise_sd; /* COMPLETE: of what was added to the value on purpose; 0: nothing */
    /* Its intermediate values, by growing step. A report takes the place of those that the trial had at its step and at
     * later ones: a program that begins again, after a crash, draws its curve again, and one that goes on from a
     * checkpoint goes on with its curve. */
    tc_step *steps;
    size_t n_steps, cap_steps;
    uint64_t reports; /* all that were made, also those that were replaced */
    bool reported;    /* ... one of them by this attempt */
} tc_trial;

/* Is the trial's lease over? A lease also counts as over if another clock, far ahead of ours, made it last for more than
 * twice its time and a minute. */
bool tc_trial_is_overdue(const tc_trial *t, int64_t now_ms);

typedef struct tc_optimizer tc_optimizer;

bool tc_optimizer_has_overdue(const tc_optimizer *o, int64_t now_ms); /* one of its trials is */

typedef struct tc_optimizer_config {
    const tc_algorithm *algorithm;
    const json_t *options; /* JSON object, or NULL: defaults. Key "name" is skipped */
    bool older; /* defaults are those of studies that were stored before they changed (options.h) */
    uint64_t version;            /* of the algorithm's behaviour; 0: the newest */
    const tc_space *space;       /* copied */
    bool maximize;               /* the first objective */
    const tc_outcomes *outcomes; /* copied; NULL: one objective, no constraints */
    tc_public_seed public_seed;
    tc_party_seed party_seed;
    uint64_t party;
    uint64_t agents;      /* federated studies: size of the roster */
    tc_trustees trustees; /* ... and who adds up its messages */
    uint64_t budget;      /* planned trials; 0 unknown */
    tc_pool *pool;        /* borrowed; may be NULL */
    /* Another optimizer with the same algorithm, options, space and public seed, or NULL: the two
     * may share what is public, and are then made and freed in one thread at a time. */
    const tc_optimizer *sibling;
} tc_optimizer_config;

tacit_status tc_optimizer_new(tc_optimizer **out, const tc_optimizer_config *cfg, tacit_error *err);
void tc_optimizer_free(tc_optimizer *o);

/* Takes one event of the journal; seq must follow the last one applied, or be 0.
 * E_CORRUPT: the event does not fit the state (a journal tacit did not write). */
tacit_status tc_optimizer_apply(tc_optimizer *o, const tc_event *e, tacit_error *err);
uint64_t tc_optimizer_seq(const tc_optimizer *o); /* of the last event applied */

/* The next event to journal: a STALE, a FIT, or the ASK itself. E_STATE: a federated
 * optimizer waits for a broadcast. E_BUDGET: all that were planned are handed out. Pure: nothing
 * changes until it is applied. Its pointers live until the next call on o. */
typedef struct tc_ask_request {
    const char *worker; /* or NULL */
    int64_t now_ms;
    int64_t lease_ms; /* 0: no limit */
    /* Above 1: trials may be batches of so many pulls at most. How many it is to be is in the event:
     * fewer where the algorithm wants fewer, and never more than the budget has left. */
    uint64_t pulls;
    /* Above 0: once so many pulls are handed out or told, no trial is added (E_BUDGET). */
    uint64_t planned;
    bool keep_leases; /* none is taken for over: now_ms is not sure yet */
} tc_ask_request;
tacit_status tc_optimizer_next(tc_optimizer *o, const tc_ask_request *req, tc_event *out,
                               tacit_error *err);
/* The same for n siblings at once: out[i] is what next would have made for o[i], bit for bit. A
 * failure is that of the first that fails. */
tacit_status tc_optimizer_next_many(tc_optimizer *const *o, size_t n, const tc_ask_request *req,
                                    tc_event *out, tacit_error *err);

/* Checks a report and makes its event. values NULL: run as issued. E_NOT_FOUND: no
 * such trial. E_STATE: already told. E_ARG: value not finite, values not in the space. */
tacit_status tc_optimizer_tell(tc_optimizer *o, uint64_t trial, const double *values, double value,
                               int64_t now_ms, tc_event *out, tacit_error *err);
/* The same where the study wants more outcomes: n_more of them, as in event.h. E_ARG also: too few or too many, or one
 * that is not finite. `more` is borrowed by the event. */
tacit_status tc_optimizer_tell_outcomes(tc_optimizer *o, uint64_t trial, const double *values,
                                        double value, const double *more, size_t n_more,
                                        int64_t now_ms, tc_event *out, tacit_error *err);
/* The same for a batch: at most as many pulls as were asked for. E_UNSUPPORTED: the algorithm takes
 * single values. E_ARG also: numbers that no rewards in [0,1] have. */
tacit_status tc_optimizer_tell_batch(tc_optimizer *o, uint64_t trial, const double *values,
                                     const tc_batch *batch, int64_t now_ms, tc_event *out,
                                     tacit_error *err);
/* The reward of a value, for sums (tc_batch_add). Any thread, whatever else is done with o. */
tacit_status tc_optimizer_reward(const tc_optimizer *o, double value, int64_t *out,
                                 tacit_error *err);
tacit_status tc_optimizer_fail(tc_optimizer *o, uint64_t trial, const char *reason, int64_t now_ms,
                               tc_event *out, tacit_error *err);
/* An intermediate value. *same: the trial reported just this last, and nothing is to be stored. E_STATE: the trial is not
 * being run. E_ARG: the step or the value. E_BUDGET: it made TC_REPORTS_MOST reports. */
tacit_status tc_optimizer_report(const tc_optimizer *o, uint64_t trial, const tc_step *at,
                                 int64_t now_ms, tc_event *out, bool *same, tacit_error *err);
/* The trial was ended early: what it came to is its last intermediate value. why: by which rule, say; or NULL. E_STATE also:
 * it has none. */
tacit_status tc_optimizer_prune(const tc_optimizer *o, uint64_t trial, const char *why,
                                int64_t now_ms, tc_event *out, tacit_error *err);
/* Takes a failed trial out. *same: it is out already, and nothing is to be stored. E_STATE: it has not failed. A trial that
 * came to something cannot be taken out: the trials after it were proposed with its value, and a replay without it would
 * propose others. */
tacit_status tc_optimizer_delete(const tc_optimizer *o, uint64_t trial, int64_t now_ms,
                                 tc_event *out, bool *same, tacit_error *err);
/* The event that adds a WAITING trial; its number is *out->trial. */
tacit_status tc_optimizer_enqueue(tc_optimizer *o, const double *values, int64_t now_ms,
                                  tc_event *out, tacit_error *err);

/* Federated studies. E_UNSUPPORTED: the algorithm is not federated. need: what may and must be
 * done now; publish makes the event whose bytes are sent once it is stored; absorb and skip end a
 * wait. E_STATE: not now. bytes live until the next call on o (publish) or are the caller's. */
tacit_status tc_optimizer_need(const tc_optimizer *o, tc_need *out, tacit_error *err);
tacit_status tc_optimizer_publish(tc_optimizer *o, int64_t now_ms, tc_event *out, tacit_error *err);
tacit_status tc_optimizer_absorb(tc_optimizer *o, uint64_t round, const void *bytes, size_t n,
                                 int64_t now_ms, tc_event *out, tacit_error *err);
tacit_status tc_optimizer_skip(tc_optimizer *o, uint64_t round, const char *reason, int64_t now_ms,
                               tc_event *out, tacit_error *err);
/* The same for a message that `need` said must be fetched. */
tacit_status tc_optimizer_fetch(tc_optimizer *o, uint64_t round, uint64_t party, const void *bytes,
                                size_t n, int64_t now_ms, tc_event *out, tacit_error *err);
tacit_status tc_optimizer_miss(tc_optimizer *o, uint64_t round, uint64_t party, const char *reason,
                               int64_t now_ms, tc_event *out, tacit_error *err);

size_t tc_optimizer_trials(const tc_optimizer *o);                          /* numbers run from 0 */
const tc_trial *tc_optimizer_trial(const tc_optimizer *o, uint64_t number); /* NULL: none */
/* The best value of those that keep to all constraints. Ties: first. NULL: there is none, or there are several objectives. */
const tc_trial *tc_optimizer_best(const tc_optimizer *o);

/* outcomes.c: what is wanted of a trial beside its value, or NULL. */
const tc_outcomes *tc_optimizer_outcomes(const tc_optimizer *o);
/* COMPLETE, and what it came to lies within all bounds. */
bool tc_optimizer_feasible(const tc_optimizer *o, const tc_trial *t);
uint64_t tc_optimizer_feasible_count(const tc_optimizer *o); /* how many */
/* Of several objectives: the feasible trials that no other feasible one dominates, by number; n = 0 of one. Borrowed until
 * the next event. */
const size_t *tc_optimizer_front(const tc_optimizer *o, size_t *n);

/* recommend.c: the trial to take, and why, in one sentence. By the model it is the point that was tried where the mean
 * of the model is largest. AUTO is by the model where values are noisy, which everybody who has the same journal decides
 * alike: noise was added on purpose, the algorithm is for heavy tails, or the last fit found TC_NOISY_SHARE.
 * What a fit found counts only while no trial was ended early: its value is not final, and a fit takes that for noise. */
typedef enum tc_recommend_by { TC_BY_AUTO, TC_BY_MODEL, TC_BY_SEEN } tc_recommend_by;
#define TC_NOISY_SHARE 0.01
enum { TC_REASON_ROOM = 256 };
typedef struct tc_recommendation {
    tc_recommend_by by; /* MODEL or SEEN */
    const tc_trial *
        trial; /* the first complete one at the point; SEEN: the best one. NULL: none is complete */
    double mean, sd; /* MODEL: of the function there, in the study's direction; else NaN */
    double share; /* of the variance of the values, what the model takes for noise; NaN: unknown */
    char because[TC_REASON_ROOM]; /* to stand after this word */
} tc_recommendation;
/* E_UNSUPPORTED and E_STATE: asked for by MODEL, and there is no model, or not yet. */
tacit_status tc_optimizer_recommend(const tc_optimizer *o, tc_recommend_by by,
                                    tc_recommendation *out, tacit_error *err);

size_t tc_optimizer_count(const tc_optimizer *o, tc_trial_state state);
/* The same in pulls: an ordinary trial is one. They are what a budget counts. */
uint64_t tc_optimizer_pulls(const tc_optimizer *o, tc_trial_state state);
const tc_space *tc_optimizer_space(const tc_optimizer *o);
const tc_algorithm *tc_optimizer_algorithm(const tc_optimizer *o);
const void *tc_optimizer_options(const tc_optimizer *o);

#endif
