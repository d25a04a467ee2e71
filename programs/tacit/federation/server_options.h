/* server_options.h - how verbs are told which coordinator to speak with; link.h has the way to it. */
#ifndef TC_PROGRAM_SERVER_OPTIONS_H
#define TC_PROGRAM_SERVER_OPTIONS_H

#include "frame/cli.h"

#include <stddef.h>

/* The row of a `char *` of the struct. */
#define TC_SERVER_OPTION(of, member)                                                               \
    {                                                                                              \
        .name = "server", .type = TC_OPTION_STRING, .offset = offsetof(of, member),                \
        .value = "URL", .help = "the coordinator (default: TACIT_SERVER)"                          \
    }
/* Those of two `char *`; and of two that are called fingerprint and token_file. */
#define TC_SERVER_OPTIONS_AT(of, fingerprint_, token_file_)                                        \
    {.name = "fingerprint",                                                                        \
     .type = TC_OPTION_STRING,                                                                     \
     .offset = offsetof(of, fingerprint_),                                                         \
     .value = "PIN",                                                                               \
     .help = "the coordinator's, as `tacit serve` prints it (default: TACIT_FINGERPRINT)"},        \
    {                                                                                              \
        .name = "token-file", .type = TC_OPTION_STRING, .offset = offsetof(of, token_file_),       \
        .value = "FILE",                                                                           \
        .help = "a file with the token in its first line (default: TACIT_TOKEN_FILE)"              \
    }
#define TC_SERVER_OPTIONS(of) TC_SERVER_OPTIONS_AT(of, fingerprint, token_file)

/* The row of a `bool` of verbs that run a program on choices which a coordinator sends. */
#define TC_ANY_CHOICES_OPTION(of, member)                                                          \
    {                                                                                              \
        .name = "any-choices", .type = TC_OPTION_BOOL, .offset = offsetof(of, member),             \
        .help = "give the program every choice that the coordinator's study has; without it only " \
                "numbers and plain words (letters, digits, ._+-/:=,@%)"                            \
    }

/* The option if given, else of the environment; NULL: neither. */
const char *tc_server_url(const char *option);
const char *tc_server_fingerprint(const char *option);
/* The first line of the file, for tc_free; file NULL: of the environment's. *out NULL: none is
 * named, and `required` is false. */
tacit_status tc_server_token(const char *file, bool required, char **out, tacit_error *err);

/* What is done while a coordinator does not answer: says so once, unless quiet, and waits. False: the program was
 * interrupted. why: at the first pause in a row; else NULL. */
bool tc_server_wait(bool quiet, int64_t ms, const char *why);
/* True once the program was interrupted: for calls to a coordinator. */
bool tc_stop_at_interrupt(void *unused);

/* A secret into a file of its own, which only its owner can read. */
tacit_status tc_secret_write(const char *file, const char *text, tacit_error *err);

#endif
