/* tacit/study.h - a study that outlives the process: ask for a trial, tell what came of it.
 *
 * A study lives in a storage: "sqlite:///tacit.db" (a relative path), "sqlite:////var/tacit.db"
 * (an absolute one), or "memory:" (gone with the handle). Many processes and many handles may
 * work on one study; no two of them get the same trial. A handle serves any number of threads.
 * Pointers passed in are borrowed for the call; whatever has to outlive it is copied.
 *
 * What is on disk when a call returns: a created study and a told trial are, whatever happens to
 * the machine. An asked trial survives the end of the process at once, and a loss of power as
 * soon as any trial is told. A point is one double per parameter of the space (a choice: its
 * index; a finite space: the number of the candidate). */
#ifndef TACIT_STUDY_H
#define TACIT_STUDY_H

#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_study tacit_study; /* end with tacit_study_close */

typedef enum tacit_trial_state {
    TACIT_TRIAL_WAITING = 1,  /* queued, not yet asked for */
    TACIT_TRIAL_RUNNING = 2,  /* asked for, not yet told */
    TACIT_TRIAL_COMPLETE = 3, /* told, with a value */
    TACIT_TRIAL_FAIL = 4,     /* told that it failed */
    TACIT_TRIAL_STALE = 5     /* its time ran out; may still be told */
} tacit_trial_state;

/* Creates the study that the JSON text describes, or opens it if the storage has it already.
 * The file of the storage is made if it is absent. E_ARG: the URL or the document is wrong, and
 * where. E_STATE: there is a study of that name with another document. E_CORRUPT: the file is
 * damaged or not a tacit store; it is left untouched. err may be NULL. */
TACIT_API tacit_status tacit_study_create(tacit_study **out, const char *storage,
                                          const char *document, tacit_error *err);
/* The same, from a file; a "points" file is looked for beside it. E_NOT_FOUND: no such file. */
TACIT_API tacit_status tacit_study_create_file(tacit_study **out, const char *storage,
                                               const char *file, tacit_error *err);
/* Opens a study by name. E_NOT_FOUND: no such file, or no such study in it. */
TACIT_API tacit_status tacit_study_open(tacit_study **out, const char *storage, const char *name,
                                        tacit_error *err);
TACIT_API void tacit_study_close(tacit_study *s); /* NULL is allowed */

/* The name and the space of the study; strings live as long as the handle. */
TACIT_API const char *tacit_study_name(const tacit_study *s);
TACIT_API size_t tacit_study_params(const tacit_study *s);                    /* values per point */
TACIT_API const char *tacit_study_param_name(const tacit_study *s, size_t i); /* NULL: none */
/* A value of parameter i as a person writes it ("0.01", "adam"), cut to `size` bytes. E_ARG: there
 * is no parameter i. */
TACIT_API tacit_status tacit_study_value_text(tacit_study *s, size_t i, double value, char *out,
                                              size_t size);

/* Takes the next trial: its number (from 0) and its point. Any number may be open at once. */
TACIT_API tacit_status tacit_study_ask(tacit_study *s, uint64_t *trial, double *values);
/* Reports the value of a trial. E_NOT_FOUND: no such trial. E_STATE: told already. E_ARG: the
 * value is not finite. Algorithms of local privacy (ldp-*) are to be told what tacit_reply (release.h)
 * made of a reward, never the reward: nothing is perturbed here. */
TACIT_API tacit_status tacit_study_tell(tacit_study *s, uint64_t trial, double value);
/* The same, for a point other than the one asked for. E_ARG: it is not in the space. */
TACIT_API tacit_status tacit_study_tell_at(tacit_study *s, uint64_t trial, const double *values,
                                           double value);

/* Batches, for bandit algorithms (blin) that want a noisy point many times: one trial, and one record,
 * for all of its pulls. Values count as rewards in [0,1], by the algorithm's options low and high, in
 * whole numbers of 2^-28, whose sums are exact. */
typedef struct tacit_batch {
    uint64_t pulls;  /* how many there were; at most as many as were asked for */
    int64_t sum;     /* of their rewards */
    int64_t squares; /* of their squares, each rounded down */
} tacit_batch;
/* Takes the next trial, which may be of up to `most` pulls: *pulls, at least 1. Of an algorithm without
 * batches it is always 1. Against the study's number of trials a batch counts as its pulls. */
TACIT_API tacit_status tacit_study_ask_batch(tacit_study *s, uint64_t most, uint64_t *trial,
                                             double *values, uint64_t *pulls);
/* Adds one pull to a batch that began as {0}. E_ARG: the value is not finite. E_UNSUPPORTED: the
 * algorithm takes single values. */
TACIT_API tacit_status tacit_study_add_pull(tacit_study *s, tacit_batch *batch, double value);
/* Reports a batch; the value of the trial becomes its mean. As tacit_study_tell, and E_ARG: more pulls
 * than were asked for, or numbers that no rewards have. */
TACIT_API tacit_status tacit_study_tell_batch(tacit_study *s, uint64_t trial,
                                              const tacit_batch *batch);

/* The evaluation failed: the point will not be asked again. reason may be NULL. */
TACIT_API tacit_status tacit_study_fail(tacit_study *s, uint64_t trial, const char *reason);

/* The best trial so far; any of the pointers may be NULL. E_STATE: none is complete. */
TACIT_API tacit_status tacit_study_best(tacit_study *s, uint64_t *trial, double *values,
                                        double *value);
/* How many trials there are; their numbers run from 0. */
TACIT_API tacit_status tacit_study_trials(tacit_study *s, uint64_t *count);
/* One trial; any of the pointers may be NULL. *value is NaN unless it is complete.
 * E_NOT_FOUND: no such trial. */
TACIT_API tacit_status tacit_study_trial(tacit_study *s, uint64_t trial, tacit_trial_state *state,
                                         double *values, double *value);

/* Why the last failing call on `s` failed; "" if none did. Owned by s and valid until the next
 * call; where several threads share s, use tacit_study_error, which copies. */
TACIT_API const char *tacit_study_errmsg(const tacit_study *s);
TACIT_API void tacit_study_error(tacit_study *s, tacit_error *out);

#ifdef __cplusplus
}
#endif
#endif
