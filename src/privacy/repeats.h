/* repeats.h - how often a search runs: a draw of K, exactly from its distribution.
 *
 * The theorems of best_of.h speak of K's exact distribution. No cumulative probabilities are rounded here:
 * a draw is a game of coins whose probabilities are integers over integers, or doubles as they are. Time
 * depends on the draw. For search_ledger.c and its test. */
#ifndef TC_PRIVACY_REPEATS_H
#define TC_PRIVACY_REPEATS_H

#include "privacy/entropy.h"

#include <tacit/privacy.h>

/* The gamma of the truncated negative binomial that is drawn from, in (0, 1]: the mean is no larger and gamma is no
 * smaller than what tc_best_of_rdp counts with. */
double tc_repeats_gamma(double mean, double shape);

/* K of a distribution that has passed tc_repeats_check. */
uint64_t tc_repeats_draw(const tacit_repeats *r, tc_entropy *e);

#endif
