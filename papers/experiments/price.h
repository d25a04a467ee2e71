/* price.h - what a setting of the dp-fts-de paper costs, and an arm that promises just that.
 *
 * The paper's losses are those of the moments accountant, which is loose: the same noise keeps a smaller
 * epsilon (privacy_numbers.c). Whoever is given the printed epsilon to spend has more than paper mode
 * spends. So tacit's arms beside paper mode promise the epsilon of the privacy loss distribution, at the same
 * delta. For the dp-fts-de files of experiments/. */
#ifndef TC_PAPERS_PAPERS_PRICE_H
#define TC_PAPERS_PAPERS_PRICE_H

#include "papers/frame/experiment.h"

/* Sums of a coin with probability `rate` for each of `agents`, with Gaussian noise of z clip norms, in
 * every one of `rounds`; delta is agents^-1.1. */
typedef struct tc_price {
    double agents, rate, z;
    uint64_t rounds;
} tc_price;

/* By the accountant "moments", as the paper has it, or "pld". */
tacit_status tc_price_by(const tc_price *p, const char *accountant, double *epsilon,
                         tacit_error *err);

/* The arm with the price it points to (`set`) as its promise; without one, the arm as it is. */
tacit_status tc_price_promise(const tc_arm *arm, tc_arm *out, tacit_error *err);

#endif
