/* pull_values.h - the values of a trial's pulls, from a file or a word, as a batch. */
#ifndef TC_PROGRAM_PULL_VALUES_H
#define TC_PROGRAM_PULL_VALUES_H

#include "study/study.h"

typedef struct tc_pull_values {
    tc_batch batch; /* all-zero where the algorithm takes single values */
    uint64_t n;
    double first; /* the value, where n is 1 */
} tc_pull_values;

/* One value on each line; "-" is standard input, which is read as it comes: any number of pulls
 * needs no memory. E_ARG: which line is wrong; none; more than `most`. */
tacit_status tc_pull_values_read(tc_pull_values *out, const tc_study *study, const char *file,
                                 uint64_t most, tacit_error *err);
/* "PULLS,SUM,SQUARES" in units of 2^-28. E_ARG: not three whole numbers. */
tacit_status tc_pull_values_parse(tc_batch *out, const char *word, tacit_error *err);

#endif
