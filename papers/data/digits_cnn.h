/* digits_cnn.h - a small convolutional network for digits: one layer of filters, one of classes.
 *
 * 8 filters of 5 x 5 look at an image of 14 x 14 at every second place (25 places), as the first networks for
 * digits did [LeCun et al. 1989]; what they say is rectified and goes to a softmax over ten classes, 2218
 * weights in all. Trained by plain stochastic gradient descent with an L2 penalty on every weight; the
 * products are BLAS's. For digits_writers.c. */
#ifndef TC_PAPERS_DIGITS_CNN_H
#define TC_PAPERS_DIGITS_CNN_H

#include <stddef.h>
#include <stdint.h>

enum {
    TC_CNN_SIDE = 14,
    TC_CNN_PIXELS = TC_CNN_SIDE * TC_CNN_SIDE,
    TC_CNN_CLASSES = 10,
    TC_CNN_BATCH = 64, /* images at a time, at most */
    TC_CNN_REACH = 5,
    TC_CNN_STEP = 2,
    TC_CNN_ROW = (TC_CNN_SIDE - TC_CNN_REACH) / TC_CNN_STEP + 1, /* places in a row */
    TC_CNN_PLACES = TC_CNN_ROW * TC_CNN_ROW,
    TC_CNN_SEEN = TC_CNN_REACH * TC_CNN_REACH + 1, /* at a place, and a 1 */
    TC_CNN_FILTERS = 8,
    TC_CNN_HIDDEN = TC_CNN_FILTERS * TC_CNN_PLACES,
    /* the filters; the classes' weights; the classes' constants */
    TC_CNN_WEIGHTS = TC_CNN_FILTERS * TC_CNN_SEEN + TC_CNN_CLASSES * TC_CNN_HIDDEN + TC_CNN_CLASSES
};

/* Plain data, some 700 kB: on the heap. */
typedef struct tc_cnn {
    double w[TC_CNN_WEIGHTS], gradient[TC_CNN_WEIGHTS];
    double seen[TC_CNN_SEEN * TC_CNN_PLACES * TC_CNN_BATCH];
    double hidden[TC_CNN_HIDDEN * TC_CNN_BATCH], back[TC_CNN_HIDDEN * TC_CNN_BATCH];
    double score[TC_CNN_CLASSES * TC_CNN_BATCH];
} tc_cnn;

/* Weights from a public seed, always the same. */
void tc_cnn_begin(tc_cnn *m);

/* A batch: n images of TC_CNN_PIXELS numbers from 0 to 1, row by row, and their labels. */
typedef struct tc_cnn_batch {
    size_t n;
    const double *image[TC_CNN_BATCH];
    uint8_t label[TC_CNN_BATCH];
} tc_cnn_batch;

/* The mean cross-entropy of a batch; m->gradient is its gradient. */
double tc_cnn_loss(tc_cnn *m, const tc_cnn_batch *b);
/* w <- w - rate (gradient + l2 w) */
void tc_cnn_descend(tc_cnn *m, double rate, double l2);
/* How many of a batch are taken for another digit. A network that has run away answers 0. */
size_t tc_cnn_wrong(tc_cnn *m, const tc_cnn_batch *b);

#endif
