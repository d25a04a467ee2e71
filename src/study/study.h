/* study.h - a study: its document, its journal and the optimizer that they determine.
 *
 * Every call first catches up with the journal (a tell only if its trial is not
 * known here as open), so any number of threads and processes may work on one study. An ask
 * is inserted only if nothing but tells came since it was computed, else it is
 * computed again: no two asks share a trial, and no stream of tells holds one up.
 * A tell returns when it is on disk, an ask when its store cannot lose it while its
 * worker lives (README.md). Thread-safe. */
#ifndef TC_STUDY_STUDY_H
#define TC_STUDY_STUDY_H

#include <tacit/study.h>

#include "algo/optimizer.h"
#include "algo/prune.h"
#include "study/agreed.h"
#include "study/store.h"
#include "study/study_plan.h"
#include "wire/study_doc.h"

typedef struct tc_study tc_study;

/* Creates the study, or opens it if it is there and the same (E_STATE: it differs,
 * and where). The store is borrowed; doc is copied. */
tacit_status tc_study_create(tc_study **out, tc_store *store, const tc_study_doc *doc,
                             tc_pool *pool, tacit_error *err);
tacit_status tc_study_open(tc_study **out, tc_store *store, const char *name, tc_pool *pool,
                           tacit_error *err);
/* The same of a row that was read before. With id 0, and without a store, it is good for finding out
 * whether such a study can be: nothing else may be done with it. */
tacit_status tc_study_open_row(tc_study **out, tc_store *store, const tc_study_row *row,
                               tc_pool *pool, tacit_error *err);
void tc_study_close(tc_study *s);

/* The row of a new study, with fresh seeds unless the document has one (study_row.c); its id is not
 * set. End with tc_study_row_fini. */
tacit_status tc_study_row_of(tc_study_row *out, const tc_study_doc *doc, int64_t created_ms,
                             tacit_error *err);

/* After something made of the row failed with this status: E_CORRUPT if the row was read from a store and
 * its document is not a good one, for it was when it was stored. */
tacit_status tc_study_row_fault(const tc_study_row *row, tacit_status status, tacit_error *err);

/* The time of events and leases is the agreed time of the store (agreed.h). A study has a clock of its own, which
 * asks and looks keep in step with the store. Who shares a store with other processes and does neither for
 * longer than a second calls tc_study_keep_time: a wall clock that is set while nobody looks counts as time. */
int64_t tc_study_now(const tc_study *s); /* Unix milliseconds */
void tc_study_keep_time(tc_study *s);
/* A study that was opened just now cannot be sure of the time. Where a lease seems to be over, waits until it is. */
tacit_status tc_study_await_time(tc_study *s, tacit_error *err);
/* Another clock, for all events from now on: one that the caller keeps in step, and that outlives the study; or a
 * function, for tests. Before other threads come. */
void tc_study_lend_clock(tc_study *s, tc_agreed *clock);
typedef int64_t (*tc_study_clock)(void *user);
void tc_study_set_clock(tc_study *s, tc_study_clock now_ms, void *user);

/* Takes the next trial. values: one double per parameter of the space. E_IO: it may have been taken all the
 * same. */
tacit_status tc_study_ask(tc_study *s, const char *worker, int64_t lease_ms, uint64_t *trial,
                          double *values, tacit_error *err);
/* A reading of the journal. The steps of one ask (how does the study stand? what has this worker already? what comes
 * next?) share one: it begins as {0}, the first step that takes it reads the journal, and later steps read again only
 * if this process has written to the journal since. It serves one ask: the ask ends it. */
typedef struct tc_reading {
    bool made;
    uint64_t folds, unread; /* of the study when it was made (study_int.h) */
} tc_reading;

/* The same as tc_study_ask for a batch, of req->pulls at most, where the algorithm wants several: out->pulls says how many it
 * is to be. The time in req is set here. reading: of the steps before it; NULL: there were none. */
typedef struct tc_handed {
    uint64_t trial, pulls;
    uint64_t attempt; /* of the trial: 1 the first time it is handed out */
} tc_handed;
tacit_status tc_study_ask_batch(tc_study *s, const tc_ask_request *req, tc_reading *reading,
                                tc_handed *out, double *values, tacit_error *err);
/* values NULL: run as issued. */
tacit_status tc_study_tell(tc_study *s, uint64_t trial, const double *values, double value,
                           tacit_error *err);
/* The same of a value to which noise of this standard deviation was added on purpose: models know it. 0: none. */
tacit_status tc_study_tell_noisy(tc_study *s, uint64_t trial, const double *values, double value,
                                 double noise_sd, tacit_error *err);
/* The same of all outcomes of a trial, as event.h has them. E_ARG: the study wants another number of them. */
typedef struct tc_told {
    const double *values; /* the point really run; NULL: as issued */
    double value, noise_sd;
    const double *more; /* n_more */
    size_t n_more;
} tc_told;
tacit_status tc_study_tell_all(tc_study *s, uint64_t trial, const tc_told *told, tacit_error *err);
tacit_status tc_study_tell_batch(tc_study *s, uint64_t trial, const double *values,
                                 const tc_batch *batch, tacit_error *err);
/* The reward of a value, for the sums of a batch. E_UNSUPPORTED: the algorithm takes none. */
tacit_status tc_study_reward(const tc_study *s, double value, int64_t *out, tacit_error *err);
tacit_status tc_study_fail(tc_study *s, uint64_t trial, const char *reason, tacit_error *err);
/* ---- intermediate values (study_steps.c) */

/* May its trials report any? E_UNSUPPORTED: no, and why. */
tacit_status tc_study_takes_steps(const tc_study_doc *doc, tacit_error *err);
/* Reports one, and judges by a settled rule whether the trial should be ended (prune.h). The same again is nothing. */
tacit_status tc_study_report_step(tc_study *s, uint64_t trial, const tc_step *at, const tc_prune *p,
                                  tc_verdict *out, tacit_error *err);
/* The same of reports that may come late, twice and from a worker that has lost its trial: one that is of another attempt
 * than the last, or takes back what this attempt has reported, is refused (E_STATE). attempt 0: it does not say, which is
 * enough as long as there was one alone. */
tacit_status tc_study_report_step_of(tc_study *s, uint64_t trial, uint64_t attempt,
                                     const tc_step *at, const tc_prune *p, tc_verdict *out,
                                     tacit_error *err);
/* The trial was ended early: it is told as PRUNED, with its last intermediate value, and how much noise that has. why: by which
 * rule, say; or NULL. E_STATE: it has none. */
tacit_status tc_study_prune(tc_study *s, uint64_t trial, const char *why, double noise_sd,
                            tacit_error *err);

/* Hands a RUNNING trial of a worker that is gone to another, with a lease of its own. E_STATE:
 * `from` does not run it any more, perhaps because somebody else was first. */
typedef struct tc_claim {
    const char *from, *to;
    int64_t lease_ms; /* 0: none */
} tc_claim;
tacit_status tc_study_reclaim(tc_study *s, uint64_t trial, const tc_claim *claim, tacit_error *err);
/* Vizier's rule: a worker that comes back gets the trials that it runs, before new ones. Each has its whole lease again
 * (req->lease_ms; 0: the lease it has) and is handed to `take`, until that says that there shall be no more. */
typedef tacit_status (*tc_trial_taker)(void *user, const tc_trial *t, bool *more, tacit_error *err);
tacit_status tc_study_give_back(tc_study *s, const tc_ask_request *req, tc_reading *reading,
                                tc_trial_taker take, void *user, tacit_error *err);
/* Hands one trial to `take`, if the worker runs it; else nothing happens. */
tacit_status tc_study_take(tc_study *s, const char *worker, uint64_t trial, tc_trial_taker take,
                           void *user, bool *more, tacit_error *err);
/* Takes a RUNNING trial back, whatever its lease: it is STALE, and the next ask gets it. The same again is
 * nothing. E_STATE: it is not running. */
tacit_status tc_study_requeue(tc_study *s, uint64_t trial, tacit_error *err);
/* More time for `worker` (lease.c): its lease ends lease_ms from now, or a little sooner (an eighth; three
 * seconds, but no more than a third), and never sooner than it did. *until_ms: when; 0: never. E_STATE: it does not run the trial. */
tacit_status tc_study_extend(tc_study *s, uint64_t trial, const char *worker, int64_t lease_ms,
                             int64_t *until_ms, tacit_error *err);
/* The same for a worker that gets its trial back, and may begin it anew: if it has reported anything, this is a new
 * attempt. */
tacit_status tc_study_resume(tc_study *s, uint64_t trial, const char *worker, int64_t lease_ms,
                             tacit_error *err);
/* Trials whose lease is over become STALE, so that the next ask gets them. *next_ms: when the next one
 * will be over; INT64_MAX: none. Where the study is at work nothing is done: an ask does the same. */
tacit_status tc_study_expire(tc_study *s, int64_t *next_ms, tacit_error *err);
/* The report that a trial was told with, from the journal; its pointers live in `a`. E_NOT_FOUND: none
 * yet. */
tacit_status tc_study_find_tell(tc_study *s, uint64_t trial, tc_arena *a, tc_event *out,
                                tacit_error *err);
/* Takes a failed trial out, for good (delete_trial.c). The same again is nothing. E_STATE: it has not failed. */
tacit_status tc_study_delete_trial(tc_study *s, uint64_t trial, tacit_error *err);
/* A point to be tried first; its trial number is returned. */
tacit_status tc_study_enqueue(tc_study *s, const double *values, uint64_t *trial, tacit_error *err);
/* Earlier results: n completed trials in one transaction. values is n x n_params, row by row, and y n x all outcomes, the
 * value first. */
tacit_status tc_study_import(tc_study *s, size_t n, const double *values, const double *y,
                             tacit_error *err);

/* ---- a party of a federated study (study_round.c): its own journal, in its own store */

/* What a coordinator says about a study. Borrowed. */
typedef struct tc_study_offer {
    const char *document;   /* canonical text */
    const char *points_csv; /* or NULL */
    tc_public_seed public_seed;
    int64_t created_ms; /* when the coordinator made it: part of its hash */
    uint64_t party;     /* the place that was given */
    const char *name;   /* what the store calls it; NULL: as its document does */
} tc_study_offer;
/* Could it be joined, whatever the place? E_STATE: the store has another study of that name, or this one
 * under another. */
tacit_status tc_study_check_offer(tc_store *store, const tc_study_offer *offer, tacit_error *err);
/* Makes the study with a fresh party seed (test mode: from `seed`, if given), or opens it if it is
 * there and the same. E_STATE: it is there and differs. */
tacit_status tc_study_join(tc_study **out, tc_store *store, const tc_study_offer *offer,
                           const tc_party_seed *seed, tc_pool *pool, tacit_error *err);
/* The place on the roster of a party whose journal the store has. *there: it has one; else *out stays: the
 * study is coordinated here. */
tacit_status tc_study_read_place(tc_store *store, int64_t study, bool *there, uint64_t *out,
                                 tacit_error *err);
const tc_study_plan *tc_study_get_plan(const tc_study *s); /* NULL: not of a federation */

/* The steps of a round, as optimizer.h has them; each is on disk when it returns. publish makes
 * the message of `*round`. */
tacit_status tc_study_need(tc_study *s, tc_need *out, tacit_error *err);
tacit_status tc_study_publish(tc_study *s, uint64_t *round, tc_text *bytes, tacit_error *err);
tacit_status tc_study_absorb(tc_study *s, uint64_t round, const void *bytes, size_t n,
                             tacit_error *err);
tacit_status tc_study_skip(tc_study *s, uint64_t round, const char *reason, tacit_error *err);
tacit_status tc_study_fetch(tc_study *s, uint64_t round, uint64_t party, const void *bytes,
                            size_t n, tacit_error *err);
tacit_status tc_study_miss(tc_study *s, uint64_t round, uint64_t party, const char *reason,
                           tacit_error *err);
/* The last message that was published, and its round: for sending it again. E_NOT_FOUND. */
tacit_status tc_study_published(tc_study *s, uint64_t *round, tc_text *bytes, tacit_error *err);

/* Looking: catches up, then lends the optimizer until unlook. Read only; keep it short. */
tacit_status tc_study_look(tc_study *s, const tc_optimizer **out, tacit_error *err);
/* The same as a step of an ask, which stands on *reading; NULL: on one of its own. */
tacit_status tc_study_look_on(tc_study *s, tc_reading *reading, const tc_optimizer **out,
                              tacit_error *err);
void tc_study_unlook(tc_study *s);

const tc_study_doc *tc_study_document(const tc_study *s);

#endif
