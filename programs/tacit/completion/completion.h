/* completion.h - what the scripts for the three shells share: which verbs there are, and what may follow an option.
 *
 * All of it is read from the tables that --help is made of (frame/cli.h). */
#ifndef TC_PROGRAM_COMPLETION_H
#define TC_PROGRAM_COMPLETION_H

#include "frame/cli.h"

/* What may stand in a place: nothing that is known, one of some words, a file, a folder, a study or its document. */
typedef enum tc_completion_kind {
    TC_COMPLETE_NOTHING,
    TC_COMPLETE_WORDS,
    TC_COMPLETE_FILES,
    TC_COMPLETE_FOLDERS,
    TC_COMPLETE_STUDIES
} tc_completion_kind;

/* What a script runs for the names of studies: of a file of SQLite alone, for a key that is pressed waits for no network. The storage is
 * that of the line, if it says one, else the program's own; `storage` is how the shell writes the option. */
#define TC_COMPLETE_COMMAND(storage)                                                               \
    "tacit studies " storage " --format csv --quiet 2> /dev/null | sed '1d; s/,.*//'"

typedef struct tc_completion {
    const tc_verb *const *verbs; /* all, NULL-terminated */
    FILE *out;
    tc_text names, algorithms, objectives, states; /* lists with blanks between */
    tc_text scratch;                               /* what tc_completion_of has put together */
} tc_completion;

/* What may follow an option; *words: of WORDS, with blanks between, until the next call. */
tc_completion_kind tc_completion_of(tc_completion *c, const tc_option *o, const char **words);
/* What may be an argument of a verb. */
tc_completion_kind tc_completion_argument(tc_completion *c, const tc_verb *verb,
                                          const char **words);

/* Calls visit for each verb with an option table to be written: every verb and every member of a family. */
typedef void tc_completion_visit(tc_completion *c, const tc_verb *verb);
void tc_completion_each(tc_completion *c, tc_completion_visit *visit);
/* The same for each option of a verb: its own, --set where it takes some, and those of every verb. */
typedef void tc_completion_option(tc_completion *c, const tc_verb *verb, const tc_option *o);
void tc_completion_options(tc_completion *c, const tc_verb *verb, tc_completion_option *visit);
/* Last word of a verb's name. */
const char *tc_completion_word(const tc_verb *verb);

/* Writes s between single quotes of a shell: quote says how one inside is written. */
void tc_completion_quoted(tc_completion *c, const char *s, const char *quote);

void tc_completion_bash(tc_completion *c);
void tc_completion_zsh(tc_completion *c);
void tc_completion_fish(tc_completion *c);

#endif
