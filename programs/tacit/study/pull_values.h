/* pull_values.h - values on a command line: one, or those of a trial's pulls, from a file or a word, as a batch. */
#ifndef TC_PROGRAM_PULL_VALUES_H
#define TC_PROGRAM_PULL_VALUES_H

#include <tacit/study.h>

#include <stdbool.h>

typedef struct tc_pull_values {
    tacit_batch batch; /* all-zero where the algorithm takes single values */
    uint64_t n;
    double first;     /* the value, where n is 1 */
    uint64_t outside; /* values that a public range does not contain */
    double *list;     /* where they are listed: the n values */
    size_t cap;
} tc_pull_values;
void tc_pull_values_fini(tc_pull_values *v); /* all-zero is allowed */

/* The values that a bandit's study tells apart, in its own direction: what lies outside counts as the
 * nearer end. -INFINITY and INFINITY where the algorithm has no such range. */
typedef struct tc_value_range {
    double low, high;
} tc_value_range;
tc_value_range tc_value_range_of(const tacit_document *doc);
bool tc_value_outside(tc_value_range r, double value);

/* A number on the command line, or with "-" the first line of standard input, which other users of
 * the machine cannot see. `name` is for the sentence; nan: the word is allowed. */
tacit_status tc_read_value(const char *name, const char *word, bool nan, double *out,
                           tacit_error *err);

/* One value on each line; "-" is standard input, which is read as it comes: any number of pulls
 * needs no memory. listed: the values are kept one by one, for a coordinator. E_ARG: which line is wrong; none;
 * more than `most`. End with fini. */
tacit_status tc_pull_values_read(tc_pull_values *out, tacit_study *study, bool listed,
                                 const char *file, uint64_t most, tacit_error *err);
/* "PULLS,SUM,SQUARES" in units of 2^-28. E_ARG: not three whole numbers. */
tacit_status tc_pull_values_parse(tacit_batch *out, const char *word, tacit_error *err);

#endif
