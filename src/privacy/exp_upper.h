/* exp_upper.h - an upper bound on exp(-x) that needs no trust in a mathematical library.
 *
 * The probabilities of bounded replies are made from it, so that their ratios stay within
 * e^epsilon by proof (reply.c). */
#ifndef TC_PRIVACY_EXP_UPPER_H
#define TC_PRIVACY_EXP_UPPER_H

#include <stdint.h>

#define TC_EXP_ONE (UINT64_C(1) << 62)

/* r with exp(-x) <= r / 2^62 <= 1, and above exp(-x) by at most 2^-48 exp(-x) + 2^-60;
 * 0 <= x <= 64. */
uint64_t tc_exp_minus_upper(double x);

#endif
