/* sampler.h - exact samplers of discrete noise: integers only (Canonne, Kamath, Steinke 2020).
 *
 * No floating-point number exists between entropy and sample: the file is compiled without
 * floating-point registers, and a test looks at the object. Scales are integers, in steps of the
 * release's grid. Running time depends on the draw: draw noise before data are read. */
#ifndef TC_PRIVACY_SAMPLER_H
#define TC_PRIVACY_SAMPLER_H

#include "privacy/entropy.h"

#include <stdint.h>

#define TC_SAMPLER_MAX_SCALE (UINT64_C(1) << 40) /* Laplace */
#define TC_SAMPLER_MAX_SD    (UINT64_C(1) << 24) /* Gaussian */

uint64_t tc_sample_below(tc_entropy *e, uint64_t n);            /* uniform on 0..n-1 */
int tc_sample_bernoulli(tc_entropy *e, uint64_t a, uint64_t b); /* 1 with probability a/b */
int64_t tc_sample_laplace(tc_entropy *e, uint64_t t);           /* P(x) ~ exp(-|x|/t) */
int64_t tc_sample_gaussian(tc_entropy *e, uint64_t s);          /* P(x) ~ exp(-x^2/(2 s^2)) */

#endif
