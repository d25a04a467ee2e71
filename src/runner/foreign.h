/* foreign.h - choices of a document that somebody else wrote. Only runner.c calls this. */
#ifndef TC_RUNNER_FOREIGN_H
#define TC_RUNNER_FOREIGN_H

#include "space/space.h"

#include <stdbool.h>

/* A number, or: letters, digits and . _ + - / : = , @ %, first a letter, a digit or _, nowhere "..". So it
 * is no option, no path out of a folder, and one word to every shell. */
bool tc_choice_is_harmless(const char *choice);
/* E_ARG names the first choice that is not harmless. */
tacit_status tc_choices_check(const tc_space *space, tacit_error *err);

#endif
