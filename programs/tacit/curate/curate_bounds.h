/* curate_bounds.h - public bounds of the columns of a data set, as the curator gives them. */
#ifndef TC_PROGRAM_CURATE_BOUNDS_H
#define TC_PROGRAM_CURATE_BOUNDS_H

#include "curate/curate.h"

/* Finds the bounds of every released column of d: words "column=low:high" or
 * "column=low:high:unit", and a CSV file with the header column,low,high or column,low,high,unit; file
 * may be NULL. needed: E_ARG names a column without bounds; else it gets none. *out lives in d. */
tacit_status tc_bounds_find(tc_data *d, size_t n_words, char **words, const char *file, bool needed,
                            tacit_row_column **out, tacit_error *err);

#endif
