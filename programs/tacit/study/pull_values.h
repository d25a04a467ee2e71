/* pull_values.h - the values of a trial's pulls, from a file or a word, as a batch. */
#ifndef TC_PROGRAM_PULL_VALUES_H
#define TC_PROGRAM_PULL_VALUES_H

#include "study/study.h"

typedef struct tc_pull_values {
    tc_batch batch; /* all-zero where the algorithm takes single values */
    uint64_t n;
    double first;     /* the value, where n is 1 */
    uint64_t outside; /* values that a public range does not contain */
    double *list;     /* where there is no study to make rewards of them: the n values */
    size_t cap;
} tc_pull_values;
void tc_pull_values_fini(tc_pull_values *v); /* all-zero is allowed */

/* The values that a bandit's study tells apart, in its own direction: what lies outside counts as the
 * nearer end. -INFINITY and INFINITY where the algorithm has no such range. */
typedef struct tc_value_range {
    double low, high;
} tc_value_range;
tc_value_range tc_value_range_of(const tc_study_doc *doc);
bool tc_value_outside(tc_value_range r, double value);

/* One value on each line; "-" is standard input, which is read as it comes: any number of pulls
 * needs no memory. study NULL: the values are listed, for a coordinator. E_ARG: which line is wrong; none;
 * more than `most`. End with fini. */
tacit_status tc_pull_values_read(tc_pull_values *out, const tc_study_doc *doc,
                                 const tc_study *study, const char *file, uint64_t most,
                                 tacit_error *err);
/* "PULLS,SUM,SQUARES" in units of 2^-28. E_ARG: not three whole numbers. */
tacit_status tc_pull_values_parse(tc_batch *out, const char *word, tacit_error *err);

#endif
