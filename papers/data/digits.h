/* digits.h - handwritten digits: a network with one hidden layer, for agents who have a few each.
 *
 * A stand-in for EMNIST by writers, which cannot be had: MNIST digits [LeCun et al. 1998] without writers. The rule: the rows
 * in an order drawn from a public seed, 50 to an agent, the first 30 to train and the other 20 to judge on. An
 * image is averaged over squares of 4 x 4, which leaves 49 numbers from 0 to 1. The network has `width`
 * rectified units, is trained by stochastic gradient descent, 40 passes in batches of 10, from weights of a public
 * seed; its value is the validation error. For the files of experiments/. */
#ifndef TC_PAPERS_DIGITS_H
#define TC_PAPERS_DIGITS_H

#include "papers/data/model_grid.h"

typedef struct tc_digits tc_digits;

/* text: CSV with the columns label (0 to 9) and 784 pixels (0 to 255), row by row. At least agents x 50
 * images. E_ARG names row and column. */
tacit_status tc_digits_new(tc_digits **out, const char *text, size_t len, size_t agents,
                           tacit_error *err);
void tc_digits_free(tc_digits *d); /* NULL is allowed */

/* The validation error of one network; from any thread. width: 1 to 64. */
tacit_status tc_digits_error(const tc_digits *d, size_t agent, double rate, double l2, size_t width,
                             double *out, tacit_error *err);

/* The rest of a grid over learning rate, L2 penalty and width. */
void tc_digits_fill(const tc_digits *d, tc_model_grid *g);

#endif
