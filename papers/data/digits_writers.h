/* digits_writers.h - digits by writers, and a convolutional network on what one of them has written.
 *
 * A stand-in for EMNIST by writers [dp-fts-de, Fig. 3c and 3f]: MNIST digits have no writers, so they are cut
 * into 60 hands by slant and stroke width, 12 x 5 (digits_hand.h), some 167 digits each. Hands are numbered in an
 * order drawn from a public seed; the last 10 are a pilot group, who take part in no study. Of a hand's images of
 * a label, in the order of the file, three in five are to train and two to judge on; an image is averaged
 * over squares of 2 x 2. A network (digits_cnn.h) is trained in 20 passes; its value is the validation error.
 * For the files of experiments/. */
#ifndef TC_PAPERS_DIGITS_WRITERS_H
#define TC_PAPERS_DIGITS_WRITERS_H

#include "papers/data/model_grid.h"

enum { TC_WRITERS = 50, TC_WRITERS_PILOT = 10, TC_WRITERS_ALL = TC_WRITERS + TC_WRITERS_PILOT };

typedef struct tc_writers tc_writers;

/* How images are dealt out. At random: as many of each label to each agent, but of any hand. */
typedef enum tc_dealt { TC_BY_HAND, TC_AT_RANDOM } tc_dealt;

/* text: as for tc_digit_images_read. E_ARG also where somebody has nothing to train or to judge on. */
tacit_status tc_writers_new(tc_writers **out, const char *text, size_t len, tc_dealt dealt,
                            tacit_error *err);
void tc_writers_free(tc_writers *d); /* NULL is allowed */

/* The network of one agent, its errors on what each of the first n has to judge on; from any thread.
 * batch: 1 to TC_CNN_BATCH. */
tacit_status tc_writers_errors(const tc_writers *d, size_t agent, double rate, double l2,
                               size_t batch, size_t n, double *errors, tacit_error *err);
/* ... on its own. */
tacit_status tc_writers_error(const tc_writers *d, size_t agent, double rate, double l2,
                              size_t batch, double *out, tacit_error *err);

/* The rest of a grid over learning rate, L2 penalty and batch size, of all agents and the pilot group. */
void tc_writers_fill(const tc_writers *d, tc_model_grid *g);

#endif
