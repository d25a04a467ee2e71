/* expect.h - what a federated study may gain at best, said before anything is spent.
 *
 * The number is a ratio: the simple regret of an agent of this study over that of the same agent without
 * broadcasts, for agents whose functions are alike. An algorithm finds it from public constants alone
 * (tc_algorithm.expect). Here it becomes a sentence and JSON. Used by the verbs that plan, simulate and create
 * studies. */
#ifndef TC_ALGO_EXPECT_H
#define TC_ALGO_EXPECT_H

#include "algo/algorithm.h"
#include "base/json.h"

/* How many iterations there are numbers for; which ones, the algorithm says. */
enum { TC_EXPECT_POINTS = 4 };

typedef struct tc_expect_ratio {
    double ratio, low, high; /* 1: no gain; low and high: the 95 % interval of the simulations */
} tc_expect_ratio;

typedef struct tc_expect {
    const char *none; /* why nothing is known, as a clause; NULL: the members below are set */
    double left_open; /* share of the variance of a function that the broadcast leaves open */
    size_t n;         /* iterations of the study that there are numbers for */
    uint64_t iteration[TC_EXPECT_POINTS]; /* queries after the initial points, ascending */
    tc_expect_ratio at[TC_EXPECT_POINTS];
} tc_expect;

/* Asks the algorithm. *known: has it anything to say, be it why there is no number? opts: after begin and promise. */
tacit_status tc_expect_find(const tc_algorithm *a, const tc_env *env, const void *opts,
                            tc_expect *out, bool *known, tacit_error *err);

/* Is a gain to be expected at this point, beyond chance and worth the name? */
bool tc_expect_gains(const tc_expect_ratio *r);

/* One sentence. epsilon: what is promised to each of the agents; 0: a noise multiplier is. */
void tc_expect_add_sentence(const tc_expect *e, uint64_t agents, double epsilon, tc_text *out);
/* {"gain", "reason", "left_open", "ratios": [{"iteration", "ratio", "low", "high"}], "sentence"}. Caller decrefs;
 * NULL: no memory. */
json_t *tc_expect_json(const tc_expect *e, uint64_t agents, double epsilon);

#endif
