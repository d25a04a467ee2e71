/* batch.h - a trial of many pulls: one ask and one tell, however many there are.
 *
 * A bandit may want a noisy point a million times. Its ask then says how often (tc_event.pulls), and
 * what is told is the number of pulls, the sum of their rewards and the sum of their squares
 * (tc_event.batch). Rewards lie in [0,1], by public options of the algorithm, and are whole numbers of 2^-28.
 *
 * Against a budget of T trials a batch counts as its pulls. Used by apply.c and compose.c, and by
 * whoever adds up rewards before it tells. */
#ifndef TC_ALGO_BATCH_H
#define TC_ALGO_BATCH_H

#include "algo/event.h"

#include <tacit/status.h>

#define TC_BATCH_ONE ((int64_t)1 << 28) /* the reward 1 */
/* Pulls of a study that come in batches, all together: their sum has room in 64 bits. */
#define TC_BATCH_MOST ((uint64_t)1 << 34)

/* One more pull, with this reward: 0 to TC_BATCH_ONE. */
void tc_batch_add(tc_batch *b, int64_t reward);
double tc_batch_mean(const tc_batch *b); /* in [0,1] */

/* Can rewards of `asked` pulls at most have come to this? E_ARG: which number is wrong, and what it
 * may be. */
tacit_status tc_batch_check(const tc_batch *b, uint64_t asked, tacit_error *err);

#endif
