/* tacit/document.h - a study document: what a study searches, how, and for how long.
 *
 *     { "name": "branin", "direction": "minimize", "trials": 60, "seed": 1,
 *       "space": { "x": {"type": "float", "low": -5, "high": 10}, ... },
 *       "algorithm": { "name": "gp-ei" } }
 *
 * A document is read and checked before any storage is touched: tacit_study_create_from (study.h)
 * makes a study of it. A document does not change after it was made; any number of threads may read it. Texts
 * and the space that a document gives out are its own, and live as long as it does. */
#ifndef TACIT_DOCUMENT_H
#define TACIT_DOCUMENT_H

#include <tacit/space.h>
#include <tacit/status.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_study_doc tacit_document; /* end with tacit_document_free */

/* From JSON text. A relative "points" file is looked for in the working folder. E_ARG names the field that
 * is wrong. */
TACIT_API tacit_status tacit_document_parse(tacit_document **out, const char *text,
                                            tacit_error *err);
/* From a file. A relative "points" file is looked for beside it. E_NOT_FOUND: there is no such file. */
TACIT_API tacit_status tacit_document_read(tacit_document **out, const char *file,
                                           tacit_error *err);
/* As a storage or a coordinator keeps it: the canonical text, and the candidates of a finite space beside it, or
 * NULL. */
TACIT_API tacit_status tacit_document_restore(tacit_document **out, const char *text,
                                              const char *points_csv, tacit_error *err);
TACIT_API void tacit_document_free(tacit_document *d); /* NULL is allowed */

TACIT_API const char *tacit_document_name(const tacit_document *d);
TACIT_API const tacit_space *tacit_document_space(const tacit_document *d);
TACIT_API const char *tacit_document_algorithm(const tacit_document *d); /* "gp-ei" */
TACIT_API bool tacit_document_maximizes(const tacit_document *d);        /* the first objective */
TACIT_API uint64_t tacit_document_trials(const tacit_document *d);       /* planned */

/* What a trial comes to: objectives, then outcomes that must lie in bounds, in the order of the document. A study with a
 * direction and no constraints has one outcome, "value". */
#define TACIT_OBJECTIVES_MOST  4
#define TACIT_CONSTRAINTS_MOST 16
typedef struct tacit_outcome {
    size_t size;
    const char *name; /* "value" where there is one objective */
    bool objective;   /* else a constraint bounds it */
    bool maximize;    /* of an objective */
    double low, high; /* of a constraint; -INFINITY, INFINITY: no bound */
    double
        reference; /* of several objectives, from where on hypervolume counts; NaN: the document does not say */
} tacit_outcome;
#define TACIT_OUTCOME                                                                              \
    {                                                                                              \
        sizeof(tacit_outcome), NULL, false, false, 0, 0, 0                                         \
    }
TACIT_API size_t tacit_document_objectives(const tacit_document *d); /* 1 in most studies */
TACIT_API size_t tacit_document_outcomes(const tacit_document *d);   /* all of them */
/* Of outcome i; the caller sets out->size. E_ARG: there is none of this number. */
TACIT_API tacit_status tacit_document_outcome(const tacit_document *d, size_t i, tacit_outcome *out,
                                              tacit_error *err);
TACIT_API uint64_t tacit_document_agents(const tacit_document *d); /* 0: not of a federation */
#define TACIT_AGENTS_MOST 16777216
/* True of algorithms of local privacy (ldp-*): such a study is told private replies (release.h), never rewards. */
TACIT_API bool tacit_document_takes_replies(const tacit_document *d);
/* True of studies with "privacy": {"unit": "record", ...}: they are told values with noise, and need a declaration of
 * records (records.h) before anything is evaluated. */
TACIT_API bool tacit_document_protects_records(const tacit_document *d);
/* Plans so many evaluations of the records of a study that is not made yet: at least as many as trials, and as many times more as
 * each trial shall report intermediate values. The same as "evaluations" in "privacy". E_ARG: the study does not protect records or
 * is federated, the document says another number, or it is below the number of trials. */
TACIT_API tacit_status tacit_document_plan_evaluations(tacit_document *d, uint64_t evaluations,
                                                       tacit_error *err);
/* Could earlier results enter such a study (tacit_study_import)? E_UNSUPPORTED: it protects records, which nobody has
 * counted and charged for values that are there already. */
TACIT_API tacit_status tacit_document_check_import(const tacit_document *d, tacit_error *err);
/* E_ARG: no reply on the terms of this document has this value. A study that takes no replies takes any. */
TACIT_API tacit_status tacit_document_check_reply(const tacit_document *d, double value,
                                                  tacit_error *err);
/* The public range of values, of algorithms that have one (blin): what lies outside counts as the nearer end.
 * Else *low is -INFINITY and *high INFINITY, and of NULL, too. low and high may be NULL. */
TACIT_API void tacit_document_range(const tacit_document *d, double *low, double *high);

/* The canonical JSON text, as a storage keeps it. End with tacit_text_free. */
TACIT_API tacit_status tacit_document_text(const tacit_document *d, char **out, tacit_error *err);

/* E_STATE, and which field differs, unless both describe the same study. "trials" may differ. `stored` is
 * that of a study (tacit_study_document), `given` the one to compare with it. */
TACIT_API tacit_status tacit_document_same(const tacit_document *stored,
                                           const tacit_document *given, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
