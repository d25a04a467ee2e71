/* pool.h - message=values: agents send their values, and each hears what those of the others say together.
 *
 * For studies whose values carry noise that protects what they were made of (unit "record"): there a value may be
 * seen by anybody, and a message of values says more than one of weights, in less room. Without such noise it says
 * all that the agent knows. heard.c, agent.c and relay.c call this.
 *
 * A message is n, then n times (point, value, variance of its known noise), in the units of the sender's anchors.
 * Agent p has the values y = f_p(x) + c_p + noise with a level c_p ~ N(0, 1/10) of its own, and functions are alike:
 *
 *     cov(f_p(x), f_q(x')) = k(x, x') (rho + (1 - rho) [p = q])
 *
 * k has the variance 1; its length-scale and rho are the ones of a small public grid that suit the values best. What
 * is heard is the posterior mean of one more such function, and its variance is what it leaves open. So nobody has to
 * be weighed: values with much noise, of an agent with few records, count for little in it. */
#ifndef TC_ALGO_FTS_POOL_H
#define TC_ALGO_FTS_POOL_H

#include "algo/fts/fts.h"

typedef struct tc_fts_pool tc_fts_pool;

size_t tc_fts_pool_width(const tc_space *s); /* numbers in a message */

tacit_status tc_fts_pool_new(tc_fts_pool **out, const tc_fts_core *c, tacit_error *err);
void tc_fts_pool_free(tc_fts_pool *p); /* NULL is allowed */

/* What this agent sends: tc_fts_pool_width numbers. The last 128 values. */
tacit_status tc_fts_pool_write(const tc_fts_core *c, double *numbers, tacit_error *err);
/* The message of `party`, in the place of its former one. */
tacit_status tc_fts_pool_put(tc_fts_pool *p, uint64_t party, const double *numbers,
                             tacit_error *err);
/* The prediction from all messages; *any false: there is none. *out lives until the next call. */
tacit_status tc_fts_pool_listen(tc_fts_pool *p, tc_heard *out, bool *any, tacit_error *err);

#endif
