/* handle.h - what is behind the handles of <tacit/study.h>: storages and studies as tables of operations.
 *
 * A storage of this process (study_local.c) and one at a coordinator (client/served_storage.c, served_study.c) fill
 * in the tables; study_api.c is the only caller of their members. It has checked the arguments and copied structs
 * that may grow, so members find them whole; `err` is never NULL there. Members are called by any number of threads
 * at once. A coordinator's are in another library: it registers itself for its schemes. */
#ifndef TC_STUDY_HANDLE_H
#define TC_STUDY_HANDLE_H

#include <tacit/study.h>

#include "algo/optimizer.h"
#include "base/memory.h"
#include "study/record_guard.h"
#include "study/study.h"

#include <stdatomic.h>

/* ---- storages ---- */

typedef struct tc_storage_ops {
    const char *schemes[3]; /* of URLs, NULL-terminated; none: every scheme that nobody else has */
    bool served;            /* by a coordinator */
    /* doc: a study of it is about to be created, so the storage is made if it is absent and the document is good;
     * or NULL. */
    tacit_status (*open)(tacit_storage **out, const char *url, const tacit_storage_opts *opts,
                         const tacit_document *doc, tacit_error *err);
    void (*close)(tacit_storage *st); /* frees it */
    tacit_status (*study_open)(tacit_storage *st, const char *name, tacit_study **out,
                               tacit_error *err);
    tacit_status (*study_create)(tacit_storage *st, const tacit_document *doc, tacit_study **out,
                                 tacit_error *err);
    tacit_status (*list)(tacit_storage *st, tacit_list_what what, tacit_studies *out,
                         tacit_error *err);
    tacit_status (*erase)(tacit_storage *st, const char *name, tacit_error *err);
    tacit_status (*backup)(tacit_storage *st, const char *file, tacit_backup_info *info,
                           tacit_error *err);
    /* Makes a study over released rows, of a request to a coordinator (curator/serve.c); *answer ends with json_decref.
     * NULL: whoever has the storage makes such studies itself. */
    tacit_status (*outsource)(tacit_storage *st, const char *body, json_t **answer,
                              tacit_error *err);
} tc_storage_ops;

/* A storage's own struct begins with this. It ends with its last user: handles of studies are users. */
struct tacit_storage {
    const tc_storage_ops *ops;
    atomic_size_t users;
    char *url; /* these two as it was opened */
    double patience_s;
};
void tc_storage_begin(tacit_storage *st, const tc_storage_ops *ops); /* with one user */
void tc_storage_unref(tacit_storage *st);

/* Makes the schemes known, for good; `ops` outlives everything. The same again does nothing. */
void tc_storage_register(const tc_storage_ops *ops);

extern const tc_storage_ops tc_storage_local;

/* ---- studies ---- */

typedef struct tc_found tc_found; /* a recommendation as it is made */

typedef struct tc_study_ops {
    void (*close)(tacit_study *s); /* frees it; the storage is let go by the caller */
    /* reading: what this step of an ask stands on (study.h); NULL: it stands alone. At a coordinator it means nothing. */
    tacit_status (*ask)(tacit_study *s, const tacit_ask_opts *q, tc_reading *reading,
                        tacit_trials *out, tacit_error *err);
    tacit_status (*report)(tacit_study *s, uint64_t trial, const tacit_report *r, tacit_error *err);
    /* One after another, up to the first by which the trial should be ended; 1 to TC_STEPS_AT_ONCE of them. */
    tacit_status (*report_steps)(tacit_study *s, uint64_t trial, const tc_steps *steps,
                                 const tc_prune *p, tc_verdict *out, tacit_error *err);
    tacit_status (*add_pull)(tacit_study *s, tacit_batch *batch, double value, tacit_error *err);
    tacit_status (*enqueue)(tacit_study *s, const double *values, uint64_t *trial,
                            tacit_error *err);
    tacit_status (*delete_trial)(tacit_study *s, uint64_t trial, tacit_error *err);
    tacit_status (*import)(tacit_study *s, size_t n, const double *values, const double *y,
                           tacit_error *err);
    tacit_status (*renew)(tacit_study *s, uint64_t trial, const char *worker, int64_t lease_ms,
                          int64_t *until_ms, tacit_error *err);
    /* Adds the trial. */
    tacit_status (*take_over)(tacit_study *s, uint64_t trial, const tc_claim *claim,
                              tacit_trials *out, tacit_error *err);
    tacit_status (*requeue)(tacit_study *s, uint64_t trial, tacit_error *err);
    tacit_status (*now)(tacit_study *s, int64_t *out_ms, tacit_error *err);
    void (*keep_time)(tacit_study *s);
    /* Adds the best one; nothing where none is complete. */
    tacit_status (*best)(tacit_study *s, tacit_trials *out, tacit_error *err);
    /* Adds the trial to out->trials and fills in the rest; nothing where none is complete. */
    tacit_status (*recommend)(tacit_study *s, tacit_recommend_by by, tc_found *out,
                              tacit_error *err);
    tacit_status (*trial)(tacit_study *s, uint64_t number, tacit_trials *out, tacit_error *err);
    tacit_status (*trials)(tacit_study *s, const tacit_trial_query *q, tc_reading *reading,
                           tacit_trials *out, tacit_error *err);
    /* All of it but size and the three texts. */
    tacit_status (*summarize)(tacit_study *s, tc_reading *reading, tacit_study_summary *out,
                              tacit_error *err);
    tacit_status (*events)(tacit_study *s, uint64_t after, tacit_event_visit visit, void *user,
                           tacit_error *err);
    tacit_status (*set_state)(tacit_study *s, tacit_study_state state, tacit_error *err);
    void (*set_patience)(tacit_study *s, double patience_s, int32_t timeout_s);
    bool (*is_away)(tacit_study *s);
    /* Which study it is: in ledgers, and apart from all others. *store: where it is; NULL: at a coordinator. */
    void (*identify)(const tacit_study *s, tacit_hash *hash, tc_store **store);
} tc_study_ops;

/* A study's own struct begins with this. */
struct tacit_study {
    const tc_study_ops *ops;
    tacit_storage *storage; /* as a user of it; NULL: lent */
    const tacit_document *doc;
    tc_record_guard *guard; /* of a study that protects records; NULL: nothing can be evaluated */
};

/* ---- the steps of one ask ---- */

/* The three public calls as steps of an ask: they share a reading of the journal, the ask is the last of them. */
tacit_status tc_study_summarize_on(tacit_study *s, tc_reading *reading, tacit_study_summary *out,
                                   tacit_error *err);
tacit_status tc_study_trials_on(tacit_study *s, const tacit_trial_query *query, tc_reading *reading,
                                tacit_trials **out, tacit_error *err);
tacit_status tc_study_ask_on(tacit_study *s, const tacit_ask_opts *opts, tc_reading *reading,
                             tacit_trials **out, tacit_error *err);

/* ---- several outcomes of a trial (outcomes_api.c) ---- */

/* Are they as many as the study wants? Then r->value is the first of them. E_ARG: they are not. */
tacit_status tc_study_check_outcomes(const tacit_study *s, tacit_report *r, tacit_error *err);
/* Has it one objective, and so a best trial? E_UNSUPPORTED: it has several. */
tacit_status tc_study_check_single(const tacit_study *s, tacit_error *err);
/* Adds the complete trial with the least violation; of equals, the first. Nothing where none is complete. */
tacit_status tc_study_least_violating(tacit_study *s, tacit_trials *out, tacit_error *err);

/* ---- studies that protect records (record_guard.h) ---- */

/* The handle's from now on: before anything is asked, and once. */
void tc_study_set_guard(tacit_study *s, tc_record_guard *g);
/* Turns a report into what may be told, if the study protects records: a value with noise, in the ledger before
 * anybody sees it. Again: the same. */
tacit_status tc_study_make_private(tacit_study *s, uint64_t trial, tacit_report *r,
                                   tacit_error *err);
/* Would one more evaluation be paid for, and pay for this one; both do nothing in other studies. E_BUDGET: it must
 * not be evaluated. E_STATE: no records were declared. */
tacit_status tc_study_may_evaluate(tacit_study *s, tacit_error *err);
tacit_status tc_study_reserve(tacit_study *s, uint64_t trial, tacit_error *err);
/* The report of a trial that was evaluated and released before, by a process that died say. E_NOT_FOUND: there is
 * none. */
tacit_status tc_study_recall_private(tacit_study *s, uint64_t trial, tacit_report *r,
                                     tacit_error *err);

/* A caller's rule, settled (algo/prune.h); NULL: none. E_ARG: what is wrong with it. */
tacit_status tc_prune_take(const tacit_prune *rule, tc_prune *out, tacit_error *err);

/* tacit_study_report_step for several. rule NULL: none. */
tacit_status tc_study_report_steps(tacit_study *s, uint64_t trial, const tc_steps *steps,
                                   const tacit_prune *rule, tacit_verdict *verdict,
                                   tacit_error *err);

/* Is it at a coordinator? */
bool tc_study_is_served(const tacit_study *s);

/* A handle on a study that somebody else has open and keeps open: for agents, whose study is in their own
 * storage. End with tacit_study_close. */
tacit_status tc_study_lend(tacit_study **out, tc_study *study, tacit_error *err);

/* ---- what handles give out (trial_list.c) ---- */

struct tacit_trials {
    tacit_trial *list;
    size_t n, cap;
    tc_arena memory; /* of what they point at */
};
void tc_trials_fini(tacit_trials *l); /* of one in the caller's memory; all-zero is empty */
/* Adds another copy of one that a list has. */
tacit_status tc_trials_copy(tacit_trials *l, const tacit_trial *t, const tacit_document *doc,
                            tacit_error *err);
/* The first of them by itself, with the memory of all: the list is empty then. */
tacit_status tc_trials_take_first(tacit_trials *l, tacit_trial **out, tacit_error *err);
/* Adds a copy. */
tacit_status tc_trials_add(tacit_trials *l, const tc_trial *t, const tacit_document *doc,
                           tacit_error *err);
/* A trial as an ask gives it out: running, and nothing of who has it. */
tacit_status tc_trials_add_asked(tacit_trials *l, uint64_t number, uint64_t pulls,
                                 const double *values, const tacit_document *doc, tacit_error *err);
tacit_trial_state tc_trial_state_public(tc_trial_state state);
tc_trial_state tc_trial_state_internal(tacit_trial_state state); /* not of ANY */

struct tc_found {
    tacit_trials trials; /* one, or none */
    tacit_recommend_by by;
    double mean, sd;
    char because[TC_REASON_ROOM];
};
/* recommendation.c: takes what was found; the list of trials is empty then. */
tacit_status tc_found_take(tc_found *f, tacit_recommendation **out, tacit_error *err);

struct tacit_studies {
    tacit_study_summary *list;
    size_t n, cap;
    tc_arena memory; /* of their texts */
};
/* Adds a copy; texts may be NULL. */
tacit_status tc_studies_add(tacit_studies *l, const tacit_study_summary *s, tacit_error *err);

#endif
