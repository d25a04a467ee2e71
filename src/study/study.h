/* study.h - a study: its document, its journal and the optimizer that they determine.
 *
 * Every call first catches up with the journal (a tell only if its trial is not
 * known yet), so any number of threads and processes may work on one study. An ask
 * is inserted only if nothing but tells came since it was computed, else it is
 * computed again: no two asks share a trial, and no stream of tells holds one up.
 * A tell returns when it is on disk. Thread-safe. */
#ifndef TC_STUDY_STUDY_H
#define TC_STUDY_STUDY_H

#include "algo/optimizer.h"
#include "study/store.h"
#include "wire/study_doc.h"

typedef struct tc_study tc_study;

/* Creates the study, or opens it if it is there and the same (E_STATE: it differs,
 * and where). The store is borrowed; doc is copied. */
tacit_status tc_study_create(tc_study **out, tc_store *store, const tc_study_doc *doc,
                             tc_pool *pool, tacit_error *err);
tacit_status tc_study_open(tc_study **out, tc_store *store, const char *name, tc_pool *pool,
                           tacit_error *err);
void tc_study_close(tc_study *s);

/* Takes the next trial. values: one double per parameter of the space. */
tacit_status tc_study_ask(tc_study *s, const char *worker, int64_t lease_ms, uint64_t *trial,
                          double *values, tacit_error *err);
/* values NULL: run as issued. */
tacit_status tc_study_tell(tc_study *s, uint64_t trial, const double *values, double value,
                           tacit_error *err);
tacit_status tc_study_fail(tc_study *s, uint64_t trial, const char *reason, tacit_error *err);
/* Hands a RUNNING trial of a worker that is gone to another, with a lease of its own. E_STATE:
 * `from` does not run it any more, perhaps because somebody else was first. */
typedef struct tc_claim {
    const char *from, *to;
    int64_t lease_ms; /* 0: none */
} tc_claim;
tacit_status tc_study_reclaim(tc_study *s, uint64_t trial, const tc_claim *claim, tacit_error *err);
/* A point to be tried first; its trial number is returned. */
tacit_status tc_study_enqueue(tc_study *s, const double *values, uint64_t *trial, tacit_error *err);
/* Earlier results: n completed trials in one transaction. values is n x n_params, row by row. */
tacit_status tc_study_import(tc_study *s, size_t n, const double *values, const double *y,
                             tacit_error *err);

/* Looking: catches up, then lends the optimizer until unlook. Read only; keep it short. */
tacit_status tc_study_look(tc_study *s, const tc_optimizer **out, tacit_error *err);
void tc_study_unlook(tc_study *s);

const tc_study_doc *tc_study_document(const tc_study *s);
const char *tc_study_name(const tc_study *s);

#endif
