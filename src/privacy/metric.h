/* metric.h - by how much one validation record moves a metric, for those metrics of which that is known.
 *
 * Neighbours replace one record by another, and n records stay n. A mean of n losses, each within an interval of
 * width w, moves by w / n at most. The program that evaluates must clip each record's loss: a mean that is clipped
 * afterwards may move by the whole of w. Used by the study document (wire/) and by whoever declares records
 * (study/record_guard.c). */
#ifndef TC_PRIVACY_METRIC_H
#define TC_PRIVACY_METRIC_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum tc_metric_rule {
    TC_METRIC_MEAN,  /* of losses: width / n */
    TC_METRIC_AUC,   /* 1 / m, m records of either class at least, in both of two neighbours */
    TC_METRIC_REFUSE /* no bound is known: a sensitivity must be declared */
} tc_metric_rule;

typedef struct tc_metric {
    const char *name;
    tc_metric_rule rule;
    bool ranged;    /* the document must say the range; else it is [0, high] */
    double high;    /* 0: ln(1/p_min) */
    const char *is; /* for help; of a refused one: why */
} tc_metric;

const tc_metric *tc_metric_find(const char *name); /* NULL: none */
/* E_ARG with the names that there are. */
tacit_status tc_metric_get(const tc_metric **out, const char *field, const char *name,
                           tacit_error *err);

/* What one party declares about its records, all of it public. 0: not declared. */
typedef struct tc_metric_terms {
    double low, high;     /* of one record's loss */
    uint64_t records;     /* n */
    uint64_t class_floor; /* m, of auc */
    uint64_t per_person;  /* records of one person at most; 0 is 1 */
    double sensitivity;   /* in place of all this */
} tc_metric_terms;
/* Delta. E_ARG: what is missing, or contradicts itself. */
tacit_status tc_metric_sensitivity(const tc_metric *m, const tc_metric_terms *t, double *out,
                                   tacit_error *err);

#endif
