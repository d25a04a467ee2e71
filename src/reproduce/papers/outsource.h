/* outsource.h - one outsourced search as a cell: a curator releases rows, a modeler asks about them.
 *
 * The mode of the arm decides: paper mode is the projection of PO-GP-UCB as printed, which protects
 * nothing; the default is noise in every row. For the po-gp-ucb files of papers/. */
#ifndef TC_REPRODUCE_PAPERS_OUTSOURCE_H
#define TC_REPRODUCE_PAPERS_OUTSOURCE_H

#include "reproduce/drive.h"

typedef struct tc_outsource_task {
    const char *objective, *words; /* and words of tc_objective_options */
    const char *options;           /* of the modeler */
    double unit;                   /* what counts as a distance of 1, in every column */
    double epsilon; /* 0: there is no curator, the modeler sees the rows themselves */
    double delta;   /* of paper mode */
    size_t rank;    /* of paper mode: r */
    uint64_t questions;
} tc_outsource_task;

/* curve: the simple regret after each question. */
tacit_status tc_outsource(const tc_arm_run *c, const tc_outsource_task *t, double *curve,
                          tacit_error *err);

#endif
