/* clopper_pearson.h - what a count of successes says of a probability, without approximation.
 *
 * Exact one-sided bounds (Clopper, Pearson 1934): whatever the true probability is, each bound is
 * on its safe side except with probability alpha. For the audit. */
#ifndef TC_PRIVACY_CLOPPER_PEARSON_H
#define TC_PRIVACY_CLOPPER_PEARSON_H

#include <stdint.h>

/* k successes in n >= 1 trials, k <= n <= 1e9; alpha in (0, 1/2). */
double tc_clopper_pearson_lower(uint64_t k, uint64_t n, double alpha);
double tc_clopper_pearson_upper(uint64_t k, uint64_t n, double alpha);

#endif
