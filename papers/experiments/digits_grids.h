/* digits_grids.h - the objective of the experiments with writers of digits: grids of networks, kept in the cache.
 *
 * 8 x 6 x 4 convolutional networks for each of 50 writers and a pilot group of 10 (papers/data/digits_writers.h):
 * learning rate, L2 penalty and batch size, as the papers tune on their activity task. Narrow ranges are the
 * papers' there (rate 0.01 to 0.1, L2 1e-6 to 1, batch 20 to 60, linear), wide ones those people would begin
 * with (rate 1e-4 to 10, L2 1e-6 to 10, batch 4 to 64, all in logarithms). For the files of experiments/ about
 * digits by writers. */
#ifndef TC_PAPERS_PAPERS_DIGITS_GRIDS_H
#define TC_PAPERS_PAPERS_DIGITS_GRIDS_H

#include "papers/data/digits_writers.h"
#include "papers/frame/experiment.h"

extern const char *const tc_digits_files[];

/* Members of a tc_experiment. */
#define TC_DIGITS_DATA                                                                             \
    .data = "mnist", .files = tc_digits_files, .prepare_seconds = 150,                             \
    .stand_in =                                                                                    \
        "MNIST digits cut into 50 hands by slant and stroke width, for EMNIST by writers; "        \
        "the network, its three hyper-parameters and their ranges, which the paper's text "        \
        "does not give; a grid of 8 x 6 x 4 networks"

/* Agents of a study: all writers, a few of them where it is quick. */
size_t tc_digits_agents(bool quick);

/* "table:FILE"; caller: tc_free. */
tacit_status tc_digits_grid(const tc_setup *s, bool wide, tc_dealt dealt, char **objective,
                            tacit_error *err);
/* The images, dealt out; caller: tc_writers_free. */
tacit_status tc_digits_dealt(const tc_setup *s, tc_dealt dealt, tc_writers **out, tacit_error *err);

#endif
