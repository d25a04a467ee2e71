/* frame.h - what main.c, args.c, help.c and run.c share: reading a command line, help, and running a verb.
 *
 * Verbs do not include this. */
#ifndef TC_PROGRAM_FRAME_H
#define TC_PROGRAM_FRAME_H

#include "frame/cli.h"

/* The options that every verb has, described like any others. */
typedef struct tc_common {
    int format;
    bool quiet;
    bool verbose;
    bool help;
} tc_common;
extern const tc_option tc_common_options[];

/* A command line, read. Words are borrowed from argv. */
typedef struct tc_args {
    tc_invocation in;
    tc_common common;
} tc_args;

/* Reads argv[0..argc), the words after the verb. E_ARG names the word and, where one
 * is near, the option that was meant. End with tc_args_fini, also after a failure. */
tacit_status tc_args_read(const tc_verb *verb, int argc, char **argv, tc_args *out,
                          tacit_error *err);
void tc_args_fini(const tc_verb *verb, tc_args *args);

/* What stands before a verb's name on a command line: "tacit ", or nothing where the verb is alone. */
const char *tc_before_name(const tc_verb *verb);

/* help.c. verbs: NULL-terminated. */
void tc_help_all(const tc_verb *const *verbs, FILE *out);
void tc_help_verb(const tc_verb *verb, FILE *out);

/* run.c. argv[0..argc): the words after the verb. */
tacit_status tc_run_verb(const tc_verb *verb, int argc, char **argv, tacit_error *err);
/* Writes out what was printed; a failure is one sentence on standard error. Returns the exit code. */
int tc_exit_code(const char *program, tacit_status status, tacit_error *err);

#endif
