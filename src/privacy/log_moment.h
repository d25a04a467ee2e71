/* log_moment.h - sums of many exponentials, rounded up. For the files log_moment_*.c. */
#ifndef TC_PRIVACY_LOG_MOMENT_H
#define TC_PRIVACY_LOG_MOMENT_H

#include "privacy/rdp.h"

/* Terms of a sum, by their logarithms. Each is already an upper bound. */
typedef struct tc_log_terms {
    int n;
    double x[TC_RDP_MAX_ORDER + 1];
} tc_log_terms;

/* Adds the term exp(x), where x was computed with an error of at most `parts` units: the sum of
 * the magnitudes that were added up to x, and of the roundings before. */
static inline void tc_log_terms_add(tc_log_terms *t, double x, double parts)
{
    t->x[t->n++] = x + 4 * DBL_EPSILON * (parts + 4);
}

/* ln(1 + sum of the terms), rounded up. */
double tc_log_one_plus(const tc_log_terms *t);

/* ln(e^w - 1) for w > 0, to a few units of 1 + w. */
double tc_log_expm1(double w);

#endif
