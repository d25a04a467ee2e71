/* cli.h - the frame of the tacit program: verbs, their options, their output.
 *
 * One file per verb, each ending in a tc_verb; main.c lists them, args.c parses the
 * options from their tables (the one source of --help and the checks; cli_test holds
 * the man page against it) and run.c maps a tacit_status to the exit code. Results go to standard
 * output; text for people, progress and errors go to standard error. */
#ifndef TC_PROGRAM_CLI_H
#define TC_PROGRAM_CLI_H

#include "base/error.h"
#include "base/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum tc_format {
    TC_FORMAT_TABLE,
    TC_FORMAT_JSON,
    TC_FORMAT_CSV,
    TC_FORMAT_JSONL /* one object per line */
} tc_format;
#define TC_FORMAT_CHOICES "table|json|csv|jsonl"

typedef struct tc_invocation {
    void *opts;    /* the verb's option struct, filled and checked */
    size_t n_args; /* positional arguments */
    char **args;
    size_t n_command; /* what follows "--" */
    char **command;   /* NULL-terminated */
    size_t n_sets;    /* --set name=value, in order; verbs with takes_sets only */
    char **sets;
    const char **given; /* names of the options on the command line, NULL-terminated */
    /* Options that every verb has. */
    int format;   /* tc_format */
    bool quiet;   /* no progress, no notes */
    bool verbose; /* debug log on standard error */
} tc_invocation;

typedef struct tc_verb {
    const char *name;         /* "optimize"; of a family's member both words: "privacy plan" */
    bool alone;               /* its program has no other verb: `name` is the program's */
    const char *usage;        /* what follows the name: "STUDY.json [options] -- PROGRAM ..." */
    const char *summary;      /* one line */
    const char *details;      /* paragraphs for --help and the man page; examples last */
    const tc_option *options; /* ends with a NULL name; flags are "--name value", bools "--name" */
    size_t options_size;
    size_t min_args, max_args; /* positional */
    bool takes_command;        /* allows "-- ..." */
    bool secrets;              /* its process holds contributions, data or keys (base/guard.h) */
    bool network;              /* refused where the build has none (tacit_net_is_built) */
    bool takes_sets;           /* allows --set name=value */
    const char *sets_flag;     /* another name for --set: "param"; or NULL */
    const char *sets_help;     /* one line on what is set; or NULL */
    int default_format;        /* tc_format when --format is not given */
    /* A family: verbs of two words that begin with this one, NULL-terminated. Its own run is
     * called where the second word is missing. NULL: an ordinary verb. */
    const struct tc_verb *const *family;
    /* Fills err on failure; the frame prints it as one sentence and exits with its code. */
    tacit_status (*run)(const tc_invocation *in, tacit_error *err);
} tc_verb;

/* args.c: does the option stand on the command line, be it with its default? */
bool tc_given(const tc_invocation *in, const char *name);
/* Does the name of a file end so, with something before it? */
bool tc_ends_in(const char *name, const char *ending);

/* progress.c: a bar on a terminal (label, done/total, best, ETA), a plain line
 * now and then when standard error is piped, nothing when quiet. */
typedef struct tc_progress tc_progress;
tc_progress *tc_progress_start(const char *label, uint64_t total,
                               bool quiet); /* NULL is fine everywhere */
void tc_progress_update(tc_progress *p, uint64_t done, const char *note);
void tc_progress_clear(tc_progress *p); /* for a line of text: the next update draws it again */
void tc_progress_end(tc_progress *p);   /* clears the bar */
/* Is standard error a terminal, whose line is redrawn? */
bool tc_progress_redraws(void);
/* Into a pipe: a line each ten seconds, or each second that a further tenth of the work has been done in;
 * but only where more is done than the last line has shown, or there is news of another kind. */
bool tc_progress_line_is_due(uint64_t total, uint64_t shown, uint64_t done, bool news,
                             uint64_t since_ns);

/* table.c: aligned columns for people; the same rows as CSV or JSON objects. */
typedef struct tc_table tc_table;
tc_table *tc_table_new(size_t columns, const char *const *names); /* NULL: no memory */
void tc_table_text(tc_table *t, size_t column, const char *s);    /* of the current row */
void tc_table_number(tc_table *t, size_t column, double v);
void tc_table_integer(tc_table *t, size_t column, int64_t v);
void tc_table_end_row(tc_table *t);
tacit_status tc_table_print(tc_table *t, tc_format format, FILE *out,
                            tacit_error *err); /* and frees */
void tc_table_free(tc_table *t);               /* without printing; NULL is allowed */
/* For a table of one row: an object as JSON, not a list of one. */
tc_format tc_format_of_row(int format);
/* JSON is made whole before a byte of it is written: an error leaves no half of a list. Ends t; false: it has failed, and nothing
 * was written. */
bool tc_text_print(tc_text *t, FILE *out);

/* terminal.c: may bold be used on f? A terminal, NO_COLOR unset, TERM not dumb. */
bool tc_styled(FILE *f);
/* A sentence for people on standard error, unless quiet. */
void tc_note(bool quiet, const char *fmt, ...) TACIT_PRINTF(2, 3);

/* interrupt.c. True after Ctrl-C or SIGTERM; a second one ends the process at once. */
bool tc_interrupted(void);
void tc_catch_interrupts(void);

#endif
