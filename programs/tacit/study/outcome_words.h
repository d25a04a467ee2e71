/* outcome_words.h - several outcomes of a trial by their names: in words of a command line, in tables and in files. */
#ifndef TC_PROGRAM_OUTCOME_WORDS_H
#define TC_PROGRAM_OUTCOME_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <tacit/study.h>

enum { TC_OUTCOME_PLACES = TACIT_OBJECTIVES_MOST + TACIT_CONSTRAINTS_MOST };

/* What a trial of a study comes to, in the order of its document. */
typedef struct tc_outcome_words {
    size_t n, objectives; /* n = 1: one value, "value" */
    tacit_outcome of[TC_OUTCOME_PLACES];
} tc_outcome_words;
void tc_outcome_words_of(tc_outcome_words *o, const tacit_document *doc);

/* Its number; o->n: there is none of this name. */
size_t tc_outcome_words_find(const tc_outcome_words *o, const char *name);

/* What the option --of means: the number of an outcome. of NULL: 0, the first objective. E_ARG: there is none. */
tacit_status tc_outcome_words_of_study(tc_outcome_words *o, const tacit_study *s, const char *of,
                                       size_t *out, tacit_error *err);

/* "error=0.1,latency=3", or a JSON object: a number for each of the first n, in any order. `what` is for the sentence. */
bool tc_outcome_words_are(const char *word); /* rather than a single number */
tacit_status tc_outcome_words_read(const tc_outcome_words *o, size_t n, const char *what,
                                   const char *word, double *out, tacit_error *err);
/* All of an object {"error": 0.1, ...}; `what` is its name. */
tacit_status tc_outcome_words_json(const tc_outcome_words *o, const char *what, const json_t *j,
                                   double *out, tacit_error *err);

/* "error=0.1, latency=3", of the first n; cut at size. */
void tc_outcome_words_text(const tc_outcome_words *o, size_t n, const double *values, char *out,
                           size_t size);

#endif
