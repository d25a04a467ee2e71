/* compare.h - two rows of numbers, compared run by run; tacit_curves_compare is the same of curves. */
#ifndef TC_SIM_COMPARE_H
#define TC_SIM_COMPARE_H

#include <tacit/experimental/simulate.h>

/* Compares n > 0 pairs of finite numbers; a[r] and b[r] belong to run r. */
tacit_status tc_paired_compare(const double *a, const double *b, size_t n, tacit_ratio *out,
                               tacit_error *err);

#endif
