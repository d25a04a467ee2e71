/* outcome.h - from what a program printed to the value of its trial, or to several outcomes.
 *
 * Only the last non-empty line counts. If it begins with a brace it must be a
 * JSON object with a number "value". Else it is read in words, which end at white
 * space, "=" and ":" (but 12:30 is one word), and the value is the last number
 * among them; brackets and , ; . around a number do not matter. A word after it
 * that could be meant instead makes the trial fail rather than guess: one that
 * says there is no value (nan, inf, None, null, NA) or holds a digit, "%" or a
 * brace without being a number (93.1%, 1,234.5, 12px). An earlier line is never
 * looked at: its number is something else. Several outcomes must be an object, with a number for each. Only runner.c
 * calls this. */
#ifndef TC_RUNNER_OUTCOME_H
#define TC_RUNNER_OUTCOME_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* The last bytes of a stream. All-zero is empty and valid. */
#define TC_TAIL_MAX ((size_t)64 * 1024)
typedef struct tc_tail {
    char *data; /* up to 2 TC_TAIL_MAX bytes are held, TC_TAIL_MAX or more are kept */
    size_t len;
    bool cut;    /* something before data was dropped */
    bool failed; /* no memory */
} tc_tail;

void tc_tail_add(tc_tail *t, const void *bytes, size_t n);
/* The kept text, without the word that the cut may have torn. */
const char *tc_tail_get(const tc_tail *t, size_t *len);
void tc_tail_fini(tc_tail *t);

/* True with *value, finite; else false with a short reason: one line of UTF-8. */
bool tc_outcome_value(const char *text, size_t len, double *value, char *reason, size_t size);

/* Is a line an intermediate value, an object with a whole number "step" from 0 to 2^53 and a finite number "value"? */
bool tc_outcome_step(const char *line, size_t len, uint64_t *step, double *value);
/* Does a line that is none look as if it was meant as one? */
bool tc_outcome_strays(const char *line, size_t len);
/* The same of n outcomes, each a number of this name in the object on the last line, which may have more members. */
bool tc_outcome_values(const char *text, size_t len, const char *const *names, size_t n,
                       double *values, char *reason, size_t size);

/* The object that the last line is, for json_decref; NULL: it is none. */
json_t *tc_outcome_object(const char *text, size_t len);
/* The last line that is not empty, as one line of UTF-8; "": there is none. */
void tc_outcome_last_line(const char *text, size_t len, char *out, size_t size);
/* Makes a reason of somebody else's one line of UTF-8. */
void tc_outcome_clean(char *reason);

#endif
