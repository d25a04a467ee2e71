/* compare.h - two simulations of the same runs, compared run by run: a ratio, an interval, a test. */
#ifndef TC_SIM_COMPARE_H
#define TC_SIM_COMPARE_H

#include "sim/curves.h"

/* The ratio of means a/b with a 95 % interval (bootstrap-t over runs, from a fixed public seed), and the
 * two-sided p-value of the paired differences (sign-flip permutation test: exact up to 13 runs). Nobody
 * has any regret: the ratio is 1.
 *
 * There is no interval, low and high are NaN, where one would be a guess: below TC_INTERVAL_RUNS runs,
 * where a mean is not positive, and where so few runs have any regret, or so many are alike, that
 * drawing runs anew often finds nothing to go by. */
enum { TC_INTERVAL_RUNS = 5 };
typedef struct tc_ratio {
    double ratio, low, high, p;
} tc_ratio;

/* Of any numbers of n > 0 runs, all finite: a[r] and b[r] are of one run. */
tacit_status tc_paired_compare(const double *a, const double *b, size_t n, tc_ratio *out,
                               tacit_error *err);
/* Of regrets at one point: simple, by pulls cumulative. E_ARG: not the same runs, or a regret that is
 * not finite. */
tacit_status tc_curves_compare(const tc_curves *a, const tc_curves *b, size_t point, tc_ratio *out,
                               tacit_error *err);

#endif
