/* study_doc.h - the study document: one JSON form on disk, on the wire, in the store.
 *
 *   { "name": "branin", "direction": "minimize", "trials": 60, "seed": 1,
 *     "space": { "lr": {"type": "float", "low": 1e-5, "high": 1, "log": true}, ... },
 *     "algorithm": { "name": "gp-ei", "kernel": "matern52" } }
 *
 * or "points": "file.csv" in place of "space", and with either "linear": ["x + 2*y <= 3", ...]. A study of many agents also has
 *
 *     "federation": { "agents": 29, "deadline_s": 60 },
 *     "privacy": { "epsilon": 4, "delta": 1e-4 }
 *
 * where "privacy" may also be { "noise_multiplier": 1.5, "delta": 1e-4 } or "none", and "federation" may also have "trustees": 5, who
 * add up messages in the coordinator's place, or { "count": 5, "degree": 3, "colluding": 1, "dealers": 4 }, their terms
 * (privacy/trustees.h); and in any study
 *
 *     "privacy": { "unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error" }
 *
 * Several objectives, or outcomes that must lie in bounds, stand in place of "direction" and beside it:
 *
 *     "objectives": {"error": "minimize", "latency": "minimize"}, "constraints": {"memory_mb": {"max": 512}}
 *
 * and of several objectives a point from which on hypervolume counts: "reference": {"error": 1, "latency": 10}.
 *
 * Beside an epsilon whoever creates the study writes the options that keep it: "calibrated": { "noise_multiplier": 1.31, ... }. "algorithm" has
 * "version" where the study has another behaviour than that of version 1. Strict:
 * unknown keys, wrong types and values out of range are E_ARG and name the field. Pure: reads no
 * file but the points. */
#ifndef TC_WIRE_STUDY_DOC_H
#define TC_WIRE_STUDY_DOC_H

#include <tacit/document.h>

#include "algo/algorithm.h"
#include "privacy/metric.h"
#include "space/space.h"
#include "wire/outcome_names.h"

/* What a study promises: to each of its agents, or to each of their records. */
typedef enum tc_study_promise {
    TC_PROMISE_UNSAID,
    TC_PROMISE_NONE,    /* "none": said on purpose */
    TC_PROMISE_EPSILON, /* epsilon and delta; the noise follows */
    TC_PROMISE_NOISE,   /* a noise multiplier; epsilon follows */
    TC_PROMISE_RECORDS  /* epsilon and delta for the records of each party, in any study */
} tc_study_promise;

typedef struct tc_study_doc {
    char *name; /* [A-Za-z0-9_][A-Za-z0-9._-]{0,63}, not ending in .json */
    bool
        maximize; /* "direction" is required, never guessed; of several objectives that of the first */
    tc_study_outcomes *outcomes; /* NULL: one objective, no constraints; owned */
    uint64_t trials;             /* planned; default 100 */
    bool has_seed;               /* without one, the study gets a fresh secret one */
    uint64_t seed;
    tc_space *space;
    const tc_algorithm *algorithm; /* default "gp-ei" */
    uint64_t version;   /* of the algorithm's behaviour, from 1 on: "version" beside its name */
    bool version_given; /* it was said, not chosen */
    json_t *options; /* the algorithm's options, without "name": as given, and as chosen; owned */
    json_t *chosen;  /* those of options that tacit chose (study_options.c); NULL: stored; owned */
    bool older;      /* it was stored: what it does not say has the default of its time */
    uint64_t agents; /* of its federation; 0: a study of one party */
    double deadline_s;    /* of a round; 0: not given */
    tc_trustees trustees; /* who adds up what agents send; no trustees: the coordinator */
    tc_study_promise promise;
    double epsilon, noise_multiplier; /* as the promise says; else 0 */
    double delta;                     /* of the promise; 0: not given */
    json_t *calibrated; /* options of the algorithm that keep epsilon; NULL: not fixed; owned */
    const tc_metric *metric; /* of records; else NULL */
    double low, high;        /* of one record's loss */
    double p_min;            /* log-loss: least probability; else 0 */
    uint64_t evaluations;    /* of records, in all trials together; 0: not given, one a trial */
} tc_study_doc;

/* E_ARG: no study can have this name. */
tacit_status tc_study_name_check(const char *name, tacit_error *err);

/* `dir` is where a relative "points" file is looked up (NULL: the working folder). */
tacit_status tc_study_doc_from_json(tc_study_doc **out, const json_t *j, const char *dir,
                                    tacit_error *err);
tacit_status tc_study_doc_read(tc_study_doc **out, const char *file, tacit_error *err);
/* A stored document: the points come from the store, not from a file. */
tacit_status tc_study_doc_restore(tc_study_doc **out, const char *text, const char *points_csv,
                                  tacit_error *err);
/* A new document whose points come with it. */
tacit_status tc_study_doc_with_points(tc_study_doc **out, const json_t *j, const char *points_csv,
                                      tacit_error *err);
void tc_study_doc_free(tc_study_doc *d);

/* Completes a document that was put together by hand as one that is read: fills version, options (which must be
 * there) and chosen, to be freed by the caller. */
tacit_status tc_study_doc_choose(tc_study_doc *d, tacit_error *err);

/* Canonical text (tc_free): what the store keeps. A finite space is written as
 * "points": {"rows": n, "hash": "..."}; its CSV is kept beside it. */
char *tc_study_doc_text(const tc_study_doc *d);
/* What its optimizer is to know of outcomes; NULL: there is one value. */
static inline const tc_outcomes *tc_study_doc_wants(const tc_study_doc *d)
{
    return d->outcomes ? &d->outcomes->what : NULL;
}
#define TC_EVALUATIONS_MOST 1000000000000
/* So many evaluations of its records a study plans: the last value of each trial, and its share of intermediate values. */
static inline uint64_t tc_study_doc_evaluations(const tc_study_doc *d)
{
    return d->evaluations > 0 ? d->evaluations : d->trials;
}
/* Intermediate values of one trial that they pay for. */
static inline uint64_t tc_study_doc_share(const tc_study_doc *d)
{
    return tc_study_doc_evaluations(d) / d->trials - 1;
}
/* E_STATE naming the first field that differs, unless both describe the same
 * study. "trials" may differ: a study may be extended; the given one need not have "calibrated". */
tacit_status tc_study_doc_same(const tc_study_doc *stored, const tc_study_doc *given,
                               tacit_error *err);

#endif
