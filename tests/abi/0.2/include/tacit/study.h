/* tacit/study.h - a study that outlives the process: ask for a trial, tell what came of it.
 *
 *     tacit_study *study;
 *     uint64_t trial;
 *     double point[2];
 *     tacit_study_open(&study, "sqlite:///tacit.db", "branin", NULL, &err);
 *     tacit_study_ask(study, &trial, point, &err);
 *     tacit_study_tell(study, trial, f(point), &err);
 *     tacit_study_close(study);
 *
 * Where. A study lives in a storage, which is named by a URL:
 *     sqlite:///tacit.db          a file, by a relative path; sqlite:////var/tacit.db by an absolute one
 *     postgresql://HOST/DATABASE  a database, as libpq reads it
 *     memory:                     gone with the last handle on it
 *     https://HOST:8443           a coordinator (`tacit serve`), which then computes the trials; needs a token,
 *                                 a fingerprint, and libtacit-net (net.h)
 * The same calls serve all of them. What one kind of storage cannot do is E_UNSUPPORTED, and is said below.
 *
 * Who. Any number of processes and handles may work on one study; no two of them get the same trial. A handle
 * serves any number of threads. At a coordinator the calls of a storage's handles wait for each other.
 *
 * Points. A point is one double per parameter of the space (space.h): the number, of a choice its index, of a
 * finite space the number of the candidate.
 *
 * What is on disk when a call returns: a created study and a told trial are, whatever happens to the
 * machine. An asked trial survives the end of the process at once, and a loss of power as soon as any trial
 * is told.
 *
 * Memory. Pointers passed in are borrowed for the call; whatever has to outlive it is copied. What a call
 * gives out belongs to the caller, and ends as its type says; texts and points inside of it end with it.
 *
 * Failure. What can fail returns a tacit_status and ends in `tacit_error *err`, which may be NULL and gets one
 * sentence. Out-pointers are set on success only. Everywhere: E_ARG, an argument is wrong or NULL, and which.
 * E_NOT_FOUND, no such study or trial. E_IO and E_BUSY, the storage or the coordinator cannot be reached: the
 * same call may succeed later. E_CORRUPT, the storage is damaged; it is left untouched.
 *
 * Structs that begin with `size` may grow. The caller sets it to the sizeof of the struct, and all that is not
 * set to zero: TACIT_STORAGE_OPTS and its like do so. Those that the library gives out have the size that it
 * knows, and are read through pointers, never copied into arrays. */
#ifndef TACIT_STUDY_H
#define TACIT_STUDY_H

#include <tacit/document.h>
#include <tacit/space.h>
#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- storages ---- */

typedef struct tacit_storage tacit_storage; /* end with tacit_storage_close */
typedef struct tacit_study tacit_study;     /* end with tacit_study_close */

typedef struct tacit_storage_opts {
    size_t size;
    bool create; /* make the file or the tables if they are absent; else that is E_NOT_FOUND */
    /* Threads that compute, in a storage of this process: 0 is the caller's alone, -1 one per core. Results
     * do not depend on it. */
    int32_t threads;

    /* Of a coordinator. */
    const char *token; /* required: a client's, a viewer's or the operator's */
    const char *
        fingerprint; /* of its key, "sha256//...", as `tacit serve` prints it, or several with ; between them; required with https:, or `ca` */
    /* Seconds for which a request is sent again while nobody answers; 0 is 10, less than 0 is none. */
    double patience_s;
    /* Called before each pause between such requests: waits for so long, and returns true to go on. `why` is
     * what went wrong, at the first pause of a request, else NULL. NULL: sleeps. */
    bool (*wait)(void *user, int64_t pause_ms, const char *why);
    /* Asked while a request is under way; true ends it with E_IO. NULL: never. */
    bool (*stop)(void *user);
    void *user; /* handed to both, which are called as long as a handle on the storage is open */
    /* A file with certificates of authorities, PEM. The coordinator must then have a certificate of one of them for the
     * name in the URL; with a fingerprint beside it, it must have that key, too. NULL: the fingerprint decides. */
    const char *ca;
    /* "http://host:3128" or "https://host:3128": a proxy, which is asked for a tunnel (CONNECT). It learns the coordinator's name and
     * port, and sees TLS: tokens, messages and the check of the key are end to end. "none": none. NULL: https_proxy and
     * no_proxy of the environment, but none to this machine itself. */
    const char *proxy;
    /* Called when the coordinator announces another key, with a sentence that names its fingerprint: the handle follows by itself, and
     * later ones must be given both, as "A;B". NULL: nobody is told. */
    void (*note)(void *user, const char *text);
} tacit_storage_opts;
#define TACIT_STORAGE_OPTS                                                                         \
    {                                                                                              \
        sizeof(tacit_storage_opts), false, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL    \
    }

/* Opens a storage, for several studies or to list them; a single study needs no more than tacit_study_open.
 * opts NULL: all zero. E_UNSUPPORTED: https: without libtacit-net. */
TACIT_API tacit_status tacit_storage_open(tacit_storage **out, const char *url,
                                          const tacit_storage_opts *opts, tacit_error *err);
/* Studies that were opened in it stay open. NULL is allowed. */
TACIT_API void tacit_storage_close(tacit_storage *st);

/* Erases a study with its trials, for good. Privacy ledgers stay: what was spent is spent. Of an agent's study its key and its
 * token go, too, and no agent takes part in that very study in this storage again (tacit_agent_withdraw, agent.h, comes first).
 * At a coordinator this takes the operator's token. E_BUSY: the study's agent is at work. */
TACIT_API tacit_status tacit_storage_erase(tacit_storage *st, const char *name, tacit_error *err);

typedef struct tacit_backup_info {
    size_t size;
    uint64_t studies; /* in the file */
    int64_t made_ms;  /* Unix milliseconds */
} tacit_backup_info;
#define TACIT_BACKUP_INFO                                                                          \
    {                                                                                              \
        sizeof(tacit_backup_info), 0, 0                                                            \
    }
/* Writes all of the storage, as it is at this moment, into a SQLite file of its own, for its owner alone, while the
 * storage is used. It is as secret as the storage; tacit_storage_restore (coordinator.h) makes a storage of it. info (may be NULL; the caller sets its
 * size) says what is in the file. E_CONFLICT: there is such a file. E_UNSUPPORTED: a coordinator. */
TACIT_API tacit_status tacit_storage_backup(tacit_storage *st, const char *file,
                                            tacit_backup_info *info, tacit_error *err);

typedef struct tacit_repair_opts {
    size_t size;
    /* A new file for the journal as it was, a line of JSON for each event. NULL: NAME-damaged.jsonl of the working folder, or
     * NAME-damaged.jsonl.2 and so on where that is taken. */
    const char *keep;
    /* Told what was kept, lost or put in, a line each. NULL: nobody. */
    void (*say)(void *user, const char *line);
    void *user;
} tacit_repair_opts;
#define TACIT_REPAIR_OPTS                                                                          \
    {                                                                                              \
        sizeof(tacit_repair_opts), NULL, NULL, NULL                                                \
    }
typedef struct tacit_repair_info {
    size_t size;
    bool damaged;        /* false: nothing was wrong, and nothing was done */
    uint64_t kept, lost; /* events */
} tacit_repair_info;
#define TACIT_REPAIR_INFO                                                                          \
    {                                                                                              \
        sizeof(tacit_repair_info), false, 0, 0                                                     \
    }
/* Mends the journal of a study that is E_CORRUPT: a byte has changed, events are gone, or one tells of a trial that does not
 * exist. Events that can be read are kept, and all told values whose point is known. Nobody else may use the storage meanwhile.
 * Privacy ledgers are not touched. info may be NULL. E_CORRUPT: the study's document itself is damaged. E_UNSUPPORTED: a
 * party's study of a federation, whose messages must not be made a second time. */
TACIT_API tacit_status tacit_storage_repair(const char *storage, const char *name,
                                            const tacit_repair_opts *opts, tacit_repair_info *info,
                                            tacit_error *err);

/* ---- studies ---- */

/* Opens a study by its name. */
TACIT_API tacit_status tacit_study_open(tacit_study **out, const char *storage, const char *name,
                                        const tacit_storage_opts *opts, tacit_error *err);
TACIT_API tacit_status tacit_study_open_in(tacit_study **out, tacit_storage *st, const char *name,
                                           tacit_error *err);
/* Creates the study that the JSON text describes, or opens it if it is there already. The file of the storage
 * is made if it is absent, whatever opts->create says; a document that is wrong leaves no file behind. E_STATE:
 * there is a study of that name with another document, and which field differs. At a coordinator creating takes
 * the operator's token. */
TACIT_API tacit_status tacit_study_create(tacit_study **out, const char *storage,
                                          const char *document, const tacit_storage_opts *opts,
                                          tacit_error *err);
TACIT_API tacit_status tacit_study_create_from(tacit_study **out, const char *storage,
                                               const tacit_document *document,
                                               const tacit_storage_opts *opts, tacit_error *err);
TACIT_API tacit_status tacit_study_create_in(tacit_study **out, tacit_storage *st,
                                             const tacit_document *document, tacit_error *err);
TACIT_API void tacit_study_close(tacit_study *s); /* NULL is allowed */

/* As they are stored. They live as long as the handle. */
TACIT_API const char *tacit_study_name(const tacit_study *s);
TACIT_API const tacit_document *tacit_study_document(const tacit_study *s);
TACIT_API const tacit_space *tacit_study_space(const tacit_study *s);

/* ---- trials ---- */

typedef enum tacit_trial_state {
    TACIT_TRIAL_ANY = 0,      /* of a query alone: all but DELETED */
    TACIT_TRIAL_WAITING = 1,  /* queued, not yet asked for */
    TACIT_TRIAL_RUNNING = 2,  /* asked for, not yet told */
    TACIT_TRIAL_COMPLETE = 3, /* told, with a value */
    TACIT_TRIAL_FAIL = 4,     /* told that it failed */
    TACIT_TRIAL_STALE = 5,    /* its lease is over, and the next ask gets it; may still be told */
    TACIT_TRIAL_PRUNED = 6,   /* ended early, because of its intermediate values */
    TACIT_TRIAL_DELETED = 7   /* failed, and was deleted (tacit_study_delete_trial) */
} tacit_trial_state;
TACIT_API const char *tacit_trial_state_name(tacit_trial_state state); /* "COMPLETE"; NULL: none */

/* An intermediate value of a trial: what it had come to after an epoch, say. */
typedef struct tacit_step {
    uint64_t step;
    double value;
} tacit_step;

/* A trial as it was when the call returned; the library makes it. */
typedef struct tacit_trial {
    size_t size;
    uint64_t number; /* from 0 */
    tacit_trial_state state;
    const double *values; /* the point: as issued, or as really run once told */
    double value;         /* COMPLETE, of several objectives the first; else NaN */
    uint64_t pulls; /* that are to be told of it; once COMPLETE, that were. 1: an ordinary trial */
    const char *worker; /* who has or had it; NULL: nobody in particular, or it is not shown */
    const char
        *reason; /* FAIL, DELETED; or NULL. PRUNED: a sentence, with the step and what it came to */
    int64_t asked_ms; /* Unix milliseconds; 0: never, or not shown */
    int64_t told_ms;
    int64_t lease_ms; /* how long it may take after asked_ms; 0: no limit, or not shown */
    const tacit_step *
        steps; /* what it reported on its way, by growing step; PRUNED: the last one is what it came to */
    size_t n_steps;
    /* COMPLETE: all that it came to, in the order of the document (tacit_document_outcome), `value` first; else NULL. */
    const double *outcomes;
    size_t n_outcomes;
    bool feasible; /* COMPLETE, and within the bounds of all constraints */
    /* COMPLETE: 0 if it is feasible; else the sum, over the bounds that it misses, of by how much, as a share of the bound's
     * own size (of a bound 0: as it is). Else NaN. */
    double violation;
} tacit_trial;
TACIT_API void tacit_trial_free(tacit_trial *t); /* NULL is allowed */

typedef struct tacit_trials tacit_trials; /* end with tacit_trials_free */
TACIT_API size_t tacit_trials_count(const tacit_trials *list);
TACIT_API const tacit_trial *tacit_trials_get(const tacit_trials *list, size_t i); /* NULL: none */
TACIT_API void tacit_trials_free(tacit_trials *list); /* NULL is allowed */

/* ---- work: ask and tell ---- */

/* Takes the next trial: its number and its point. Any number may be open at once. E_BUDGET: a coordinator has
 * given out as many as the document plans. E_STATE: it is paused or closed. E_IO: it may have been taken all
 * the same. */
TACIT_API tacit_status tacit_study_ask(tacit_study *s, uint64_t *trial, double *values,
                                       tacit_error *err);

#define TACIT_ASK_MOST 1000000 /* trials of one call */
typedef struct tacit_ask_opts {
    size_t size;
    uint64_t count; /* trials; 0 is one; TACIT_ASK_MOST at most, at a coordinator 1000 */
    /* Who asks, 1 to 255 printable characters of ASCII; NULL: nobody in particular. The same worker gets its
     * unfinished trials back first, with a new lease: a worker that crashed goes on where it was. */
    const char *worker;
    /* After so long without a sign of life (tacit_study_renew) a trial is STALE, and others get it. 0: never, or an
     * hour at a coordinator; else TACIT_LEASE_LEAST_S and more. */
    int64_t lease_ms;
    /* Bandit algorithms (blin) want a noisy point many times. Above 1: a trial may be a batch of up to so many
     * pulls, and says of how many. Against the study's number of trials it counts as its pulls. */
    uint64_t pulls;
} tacit_ask_opts;
#define TACIT_ASK_OPTS                                                                             \
    {                                                                                              \
        sizeof(tacit_ask_opts), 0, NULL, 0, 0                                                      \
    }
/* The same for several, or for a worker with a name. opts NULL: one, for nobody. Of their fields number, state,
 * values and pulls are set. */
TACIT_API tacit_status tacit_study_ask_many(tacit_study *s, const tacit_ask_opts *opts,
                                            tacit_trials **out, tacit_error *err);

/* Reports the value of a trial. E_NOT_FOUND: no such trial. E_STATE: told already; a coordinator accepts the
 * same report again. E_ARG: the value is not finite. Studies of local privacy (ldp-*) are told what tacit_reply
 * (release.h) made of a reward, never the reward: nothing is perturbed here, and a coordinator is told by
 * TACIT_REPORT_REPLY alone. */
TACIT_API tacit_status tacit_study_tell(tacit_study *s, uint64_t trial, double value,
                                        tacit_error *err);
/* The same in a study with several objectives or with constraints: all that the trial came to, in the order of the document,
 * tacit_document_outcomes of them (document.h). tacit_study_tell is refused there (E_ARG). */
TACIT_API tacit_status tacit_study_tell_outcomes(tacit_study *s, uint64_t trial,
                                                 const double *outcomes, tacit_error *err);
/* The evaluation failed: the point will not be asked again. reason may be NULL. */
TACIT_API tacit_status tacit_study_fail(tacit_study *s, uint64_t trial, const char *reason,
                                        tacit_error *err);

/* What many pulls at one point came to. Values count as rewards in [0,1], by the algorithm's options low and
 * high, in whole numbers of 2^-28, whose sums are exact. */
typedef struct tacit_batch {
    uint64_t pulls;  /* how many there were; at most as many as were asked for */
    int64_t sum;     /* of their rewards */
    int64_t squares; /* of their squares, each rounded down */
} tacit_batch;
/* Adds one pull to a batch that began as {0}. E_ARG: the value is not finite. E_UNSUPPORTED: the algorithm takes
 * single values, or the study is at a coordinator. */
TACIT_API tacit_status tacit_study_add_pull(tacit_study *s, tacit_batch *batch, double value,
                                            tacit_error *err);

typedef enum tacit_report_kind {
    TACIT_REPORT_VALUE = 1,  /* `value` */
    TACIT_REPORT_REPLY = 2,  /* `value`, which is a private reply */
    TACIT_REPORT_FAILED = 3, /* `reason` */
    TACIT_REPORT_PULLS = 4,  /* `pulls`: the value of each pull of a batch */
    TACIT_REPORT_BATCH = 5,  /* `batch`: their sums. E_UNSUPPORTED at a coordinator */
    TACIT_REPORT_PRUNED =
        6 /* ended early: its last intermediate value. E_STATE: it reported none */
} tacit_report_kind;
typedef struct tacit_report {
    size_t size;
    tacit_report_kind kind;
    double value;
    const char *reason;  /* FAILED; PRUNED: by which rule, say. May be NULL */
    const double *point; /* the point really run, where it was another than asked for; else NULL */
    const double *pulls;
    size_t n_pulls; /* at most as many as were asked for */
    tacit_batch batch;
    /* Of `value`: the standard deviation of noise that is known to be in it, which models then count with; 0: none is known.
     * Where the study protects records (records.h) it is set here. */
    double noise_sd;
    /* VALUE, in a study with several objectives or with constraints: all outcomes, in the order of the document, and `value` is
     * set to the first of them. NULL, 0: `value` is all there is. */
    const double *outcomes;
    size_t n_outcomes;
} tacit_report;
#define TACIT_REPORT                                                                               \
    {                                                                                              \
        sizeof(tacit_report), TACIT_REPORT_VALUE, 0, NULL, NULL, NULL, 0, {0, 0, 0}, 0, NULL, 0    \
    }
/* Reports whatever can be reported; as tacit_study_tell. The value of a batch becomes its mean. */
TACIT_API tacit_status tacit_study_report(tacit_study *s, uint64_t trial,
                                          const tacit_report *report, tacit_error *err);

/* ---- intermediate values ---- */

typedef enum tacit_prune_rule {
    TACIT_PRUNE_NONE = 0, /* every trial runs to its end */
    /* A trial is ended whose best value so far is worse than the median of what the COMPLETE trials had at its step. */
    TACIT_PRUNE_MEDIAN = 1,
    /* Asynchronous successive halving: at the steps min_step, min_step * factor, min_step * factor^2, ... a trial is ended
     * that is not among the best 1/factor of those that have come so far, and not the best of them. */
    TACIT_PRUNE_ASHA = 2
} tacit_prune_rule;
TACIT_API const char *tacit_prune_rule_name(tacit_prune_rule rule); /* "median"; NULL: none */

/* Members that are 0 have their defaults. */
typedef struct tacit_prune {
    size_t size;
    tacit_prune_rule rule;
    uint64_t warmup; /* no trial is ended at a step below this one */
    /* So many trials there must be to be compared with. 0: MEDIAN, 5 that are COMPLETE; ASHA, `factor` that have come to the
     * step, the trial itself included. */
    uint64_t min_trials;
    uint64_t min_step; /* ASHA: the step at which trials are compared first; 0 is 1 */
    uint64_t factor;   /* ASHA: 2 to 1000; 0 is 3 */
} tacit_prune;
#define TACIT_PRUNE                                                                                \
    {                                                                                              \
        sizeof(tacit_prune), TACIT_PRUNE_NONE, 0, 0, 0, 0                                          \
    }

typedef struct tacit_verdict {
    size_t size;
    uint64_t stop;     /* 1: the trial should be ended, and reported as PRUNED; else 0 */
    uint64_t step;     /* of the report that was judged ... */
    double value;      /* ... and its value */
    double bound;      /* what the rule compared with; NaN: nothing */
    uint64_t compared; /* with so many trials */
} tacit_verdict;
#define TACIT_VERDICT                                                                              \
    {                                                                                              \
        sizeof(tacit_verdict), 0, 0, 0, 0, 0                                                       \
    }

/* Reports what a running trial has come to at a step (0 to 2^53), and says in *verdict whether to end it (rule and
 * verdict may be NULL: it is only reported; the caller sets verdict->size). The rule looks at all reports of the study, whichever workers made them.
 * The trial goes on until it is told: as PRUNED, or with its value, whatever the verdict was.
 *
 * A report takes the place of those that the trial made for this step and for later ones: a program that begins
 * again after a crash draws its curve again, one that goes on from a checkpoint goes on with its curve. The same report
 * again is nothing. At a coordinator a report is of the attempt with which this handle was given the trial last: E_STATE where
 * the trial was handed out anew since, and for a step that is not beyond the last one of this attempt and says something else. A report survives the end of the process at once, and a loss of power as soon as any trial is told.
 * It tells the model nothing; of a PRUNED trial the model learns the last intermediate value.
 *
 * E_STATE: the trial is not being run. E_BUDGET: it has made 10,000 reports, or as many as evaluations of records are planned for. E_ARG: the value is not finite.
 * E_UNSUPPORTED: studies that are told private replies, that protect records and plan one evaluation a trial, or that are over released rows, and batches of pulls; or the
 * coordinator is of an earlier version. */
TACIT_API tacit_status tacit_study_report_step(tacit_study *s, uint64_t trial, uint64_t step,
                                               double value, const tacit_prune *rule,
                                               tacit_verdict *verdict, tacit_error *err);

/* A point to be tried before any that is computed; its trial is WAITING. E_ARG: it is not in the space. */
TACIT_API tacit_status tacit_study_enqueue(tacit_study *s, const double *values, uint64_t *trial,
                                           tacit_error *err);
/* The points of FAILed trials once more, in their order, as tacit_study_enqueue puts them: each point once, and none at which
 * another trial is WAITING, RUNNING, STALE, COMPLETE or PRUNED. So the same again does nothing. The failed trials stay as they are,
 * and count towards those that are planned. *queued (may be NULL): how many were put. */
TACIT_API tacit_status tacit_study_rerun_failed(tacit_study *s, uint64_t *queued, tacit_error *err);
/* Deletes a FAILed trial, for good: it is in no list but that of DELETED trials, in no count and in no plot. It no longer counts
 * towards those that are planned, so another one can be asked for; its point may be proposed again; its number is never used
 * again. The journal keeps what there was, with one event more. Nothing comes back to a ledger: what a trial has
 * released is released. The same again does nothing. E_STATE: the trial has not failed; a value has shaped the
 * proposals after it, and a journal must give the same proposals when it is read again. At a coordinator it takes the
 * operator's token. */
TACIT_API tacit_status tacit_study_delete_trial(tacit_study *s, uint64_t trial, tacit_error *err);
/* Earlier results: n complete trials, all or none. values is n points one after another, y their values.
 * E_UNSUPPORTED: a coordinator. */
TACIT_API tacit_status tacit_study_import(tacit_study *s, size_t n, const double *values,
                                          const double *y, tacit_error *err);
/* The same with several objectives or with constraints, where tacit_study_import is refused (E_ARG): all outcomes of each, as
 * tacit_study_tell_outcomes has them, one trial after another. */
TACIT_API tacit_status tacit_study_import_outcomes(tacit_study *s, size_t n, const double *values,
                                                   const double *outcomes, tacit_error *err);

/* ---- leases ---- */

/* Seconds of a lease. A storage of this process also takes longer ones. */
#define TACIT_LEASE_LEAST_S 1
#define TACIT_LEASE_MOST_S  2592000 /* 30 days */

/* A sign of life of the worker that runs a trial: its lease ends lease_ms from now, or a little sooner, and never
 * sooner than it did. *until_ms (may be NULL): when, in Unix milliseconds; 0: never. E_STATE: the worker does not run
 * it any more. At a coordinator it is sent once: the next one is as good. */
TACIT_API tacit_status tacit_study_renew(tacit_study *s, uint64_t trial, const char *worker,
                                         int64_t lease_ms, int64_t *until_ms, tacit_error *err);
/* Passes a RUNNING trial from a worker that is known to be dead to another. *out (may be NULL) is the trial, as
 * tacit_study_ask_many gives it. E_STATE: `from` does not run it any more, perhaps because somebody else was first. */
TACIT_API tacit_status tacit_study_take_over(tacit_study *s, uint64_t trial, const char *from,
                                             const char *to, int64_t lease_ms, tacit_trial **out,
                                             tacit_error *err);
/* Takes a RUNNING trial back, whatever its lease: it is STALE, and the next ask gets it. The same again does
 * nothing. E_STATE: it is not running. At a coordinator this takes the operator's token. */
TACIT_API tacit_status tacit_study_requeue(tacit_study *s, uint64_t trial, tacit_error *err);
/* The time by which leases are counted, the same for all processes on a storage, in Unix milliseconds. A
 * handle that was just opened may wait some seconds until it is sure. E_UNSUPPORTED: a coordinator. */
TACIT_API tacit_status tacit_study_now(tacit_study *s, int64_t *out_ms, tacit_error *err);
/* Whoever has a study open for long, shares its storage and neither asks nor looks for a second calls this every
 * second: a wall clock that is set while nobody looks counts as time. At a coordinator it does nothing. */
TACIT_API void tacit_study_keep_time(tacit_study *s);

/* ---- looking ---- */

/* The best complete trial; of equals, the first. With constraints: the best of those that are feasible, or, where none is,
 * the one with the least violation. E_STATE: none is complete. E_UNSUPPORTED: there are several objectives, and so a front. */
TACIT_API tacit_status tacit_study_best(tacit_study *s, tacit_trial **out, tacit_error *err);

/* The feasible trials that no other one dominates: none is as good in all objectives and better in one. The best of the first
 * objective comes first, of equals the first. With one objective: those that have the best value. Empty: no trial is feasible
 * yet. */
TACIT_API tacit_status tacit_study_front(tacit_study *s, tacit_trials **out, tacit_error *err);
/* The volume that the front dominates, up to the reference point: a value for each objective, in its own direction. NULL: that
 * of the document. What is no better than the reference in all objectives adds nothing. E_ARG: a reference is not finite, or
 * there is none. */
TACIT_API tacit_status tacit_study_hypervolume(tacit_study *s, const double *reference, double *out,
                                               tacit_error *err);

/* How a trial is recommended. Among noisy values the best is mostly a lucky one, and among private replies the first of
 * many equals: there the point is better that the model of the algorithm holds for best, of those that were tried. */
typedef enum tacit_recommend_by {
    TACIT_BY_AUTO = 0,  /* of a call alone: by the model where values are noisy, else as seen */
    TACIT_BY_MODEL = 1, /* the point that was tried where the mean of the model is best */
    TACIT_BY_SEEN = 2   /* the best value: tacit_study_best */
} tacit_recommend_by;
TACIT_API const char *tacit_recommend_by_name(tacit_recommend_by by); /* "model"; NULL: none */

/* The library makes it. */
typedef struct tacit_recommendation {
    size_t size;
    tacit_recommend_by by; /* MODEL or SEEN */
    const tacit_trial
        *trial;      /* MODEL: the first complete one at the point; its value is a single value */
    double mean, sd; /* MODEL: of the function at the point, in units of the value; SEEN: NaN */
    const char *because; /* why by the model or not, to stand after "because" */
} tacit_recommendation;
TACIT_API void tacit_recommendation_free(tacit_recommendation *r); /* NULL is allowed */

/* The trial to take. AUTO decides by the document and the journal alone, alike for whoever has them: by the model where
 * values are private replies, where noise was added to them on purpose, where the algorithm is for heavy tails, and where
 * the model takes a hundredth of their variance or more for noise, unless trials were ended early, whose values are not final; no such trial is ever the one. Where there is no model (random, the trees) or too
 * few values for it, AUTO is by what was seen. E_STATE: none is complete; MODEL: too few values.
 * E_UNSUPPORTED: MODEL, and the algorithm has none, or the coordinator is of an earlier version. */
TACIT_API tacit_status tacit_study_recommend(tacit_study *s, tacit_recommend_by by,
                                             tacit_recommendation **out, tacit_error *err);
/* One trial. E_NOT_FOUND: there is none of this number. */
TACIT_API tacit_status tacit_study_trial(tacit_study *s, uint64_t number, tacit_trial **out,
                                         tacit_error *err);

typedef struct tacit_trial_query {
    size_t size;
    tacit_trial_state state; /* only these */
    uint64_t first;          /* from this number on */
    uint64_t limit;          /* so many at most; 0: all */
} tacit_trial_query;
#define TACIT_TRIAL_QUERY                                                                          \
    {                                                                                              \
        sizeof(tacit_trial_query), TACIT_TRIAL_ANY, 0, 0                                           \
    }
/* Trials in the order of their numbers. query NULL: all. */
TACIT_API tacit_status tacit_study_trials(tacit_study *s, const tacit_trial_query *query,
                                          tacit_trials **out, tacit_error *err);

typedef enum tacit_study_state {
    TACIT_STUDY_RUNNING = 1,
    TACIT_STUDY_PAUSED = 2, /* no new trials; reports are welcome */
    TACIT_STUDY_CLOSED = 3  /* neither, for good */
} tacit_study_state;
#define TACIT_UNKNOWN UINT64_MAX /* of a number: it is not known */

/* How a study stands. Numbers of trials of a federated study at a coordinator are TACIT_UNKNOWN: its agents have
 * them. */
typedef struct tacit_study_summary {
    size_t size;
    const char *name; /* these three are the handle's or the list's */
    const char *algorithm;
    const char *direction;   /* "minimize" or "maximize" */
    tacit_study_state state; /* in a storage of this process always RUNNING */
    uint64_t planned;        /* trials, as the document says */
    uint64_t complete, failed, running;
    uint64_t finished; /* FAIL, PRUNED, and COMPLETE in pulls: what counts against `planned` */
    /* TACIT_UNKNOWN: none is complete and feasible, or there are several objectives */
    uint64_t best_trial;
    double best;         /* its value; else NaN */
    uint64_t pruned;     /* trials that were ended early; they count as finished, too */
    uint64_t objectives; /* at least 1; of several there is no best, but a front */
    uint64_t feasible;   /* trials that are COMPLETE and within the bounds of all constraints */
    uint64_t front;      /* of them, those that no other dominates; of one objective, 0 */
} tacit_study_summary;
#define TACIT_STUDY_SUMMARY                                                                        \
    {                                                                                              \
        sizeof(tacit_study_summary), NULL, NULL, NULL, TACIT_STUDY_RUNNING, 0, 0, 0, 0, 0, 0, 0,   \
            0, 0, 0, 0                                                                             \
    }
/* The caller sets out->size. */
TACIT_API tacit_status tacit_study_summarize(tacit_study *s, tacit_study_summary *out,
                                             tacit_error *err);

typedef struct tacit_studies tacit_studies; /* end with tacit_studies_free */
typedef enum tacit_list_what {
    TACIT_LIST_NAMES = 1,    /* of the summaries, only the names are set */
    TACIT_LIST_SUMMARIES = 2 /* each study is read: that may take long */
} tacit_list_what;
/* The studies of a storage, in the order of their creation. */
TACIT_API tacit_status tacit_storage_list(tacit_storage *st, tacit_list_what what,
                                          tacit_studies **out, tacit_error *err);
TACIT_API size_t tacit_studies_count(const tacit_studies *list);
TACIT_API const tacit_study_summary *tacit_studies_get(const tacit_studies *list,
                                                       size_t i); /* NULL: none */
TACIT_API void tacit_studies_free(tacit_studies *list);           /* NULL is allowed */

/* One event of the journal that a study is. The library makes it; it lives for the call. */
typedef struct tacit_event {
    size_t size;
    uint64_t seq;     /* 1, 2, 3, ... */
    const char *kind; /* "ask", "tell", "report", "enqueue", "stale", "fit", ... */
    uint64_t trial;   /* of a trial's event; else 0 */
    int64_t time_ms;
    const char *body; /* JSON */
} tacit_event;
typedef tacit_status (*tacit_event_visit)(void *user, const tacit_event *event, tacit_error *err);
/* Calls visit for each event after number `after` (0: all), in order, until it fails; that is then what this
 * returns. visit must not call the study. E_CONFLICT: the journal has no event of that number. E_UNSUPPORTED: a
 * coordinator. */
TACIT_API tacit_status tacit_study_events(tacit_study *s, uint64_t after, tacit_event_visit visit,
                                          void *user, tacit_error *err);

/* ---- of a coordinator's study ---- */

/* Pauses, resumes or closes it; takes the operator's token. E_STATE: it is closed, and to be something else.
 * E_UNSUPPORTED: the study is in a storage of this process. */
TACIT_API tacit_status tacit_study_set_state(tacit_study *s, tacit_study_state state,
                                             tacit_error *err);
/* From now on: patience as in tacit_storage_opts, and how long one request may take (0: as usual). For those
 * who have other things to do while a coordinator is away. In a storage of this process it does nothing. */
TACIT_API void tacit_study_set_patience(tacit_study *s, double patience_s, int32_t timeout_s);
/* Did the last call fail because nobody answered, or because the coordinator was too busy? */
TACIT_API bool tacit_study_is_away(tacit_study *s);

#ifdef __cplusplus
}
#endif
#endif
