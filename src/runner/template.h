/* template.h - a command with placeholders, and one trial's words made from it.
 *
 * "{name}" stands for a parameter (of a finite space also for a coordinate of the
 * candidate), "{trial}" for the trial's number, "{{" and "}}" for braces. A
 * parameter called "trial" wins over the number.
 *
 * An inactive parameter is empty text. A word with text around its placeholders ("--gamma={gamma}") is left out
 * if all of them are of inactive parameters. A word that is one placeholder stays, empty, so that the words after
 * it keep their places; but after an option ("--gamma {gamma}") both are left out. The program and words
 * that are code always stay. Only runner.c calls this. */
#ifndef TC_RUNNER_TEMPLATE_H
#define TC_RUNNER_TEMPLATE_H

#include "base/text.h"
#include "space/space.h"

#include <stdint.h>

typedef struct tc_template tc_template;

/* argv ends with NULL and is copied; space is borrowed until free. E_ARG: empty command,
 * unknown or unfinished placeholder, a choice inside a word that a shell reads as code (code_word.h). */
tacit_status tc_template_new(tc_template **out, const tc_space *space, char *const *argv,
                             tacit_error *err);
void tc_template_free(tc_template *t);

size_t tc_template_words(const tc_template *t);
/* The word itself if it has no placeholder; else NULL. */
const char *tc_template_literal(const tc_template *t, size_t word);
/* Can a choice be part of it? */
bool tc_template_has_choice(const tc_template *t, size_t word);
/* Is it not there at this point? */
bool tc_template_leaves_out(const tc_template *t, size_t word, const double *values);
/* Appends word number `word` for this trial. */
void tc_template_write(const tc_template *t, size_t word, uint64_t trial, const double *values,
                       tc_text *out);

#endif
