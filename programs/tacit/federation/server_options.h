/* server_options.h - how verbs are told which coordinator to speak with, and the way to it. */
#ifndef TC_PROGRAM_SERVER_OPTIONS_H
#define TC_PROGRAM_SERVER_OPTIONS_H

#include "agent/served_client.h"
#include "frame/cli.h"
#include "net/client.h"

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

/* For calls to a coordinator: true once the program was interrupted. */
bool tc_stop_at_interrupt(void *unused);
/* As given, or from the environment; NULL: neither. */
const char *tc_server_fingerprint(const char *given);
/* fingerprint NULL: from the environment. */
tacit_status tc_server_client(tc_client **out, const char *url, const char *fingerprint,
                              tacit_error *err);
/* The first line of the file, for tc_free; file NULL: of the environment's. *out NULL: none is
 * named, and `required` is false. */
tacit_status tc_server_token(const char *file, bool required, char **out, tacit_error *err);

/* A way to a coordinator. All-zero may be closed; stays where it is while it is open. */
typedef struct tc_link {
    tc_client *client;
    char *token;
    bool quiet;
    tc_remote_config cfg; /* of requests; its study is the caller's to fill in */
} tc_link;
/* url NULL: from the environment; E_ARG: not there either. The token is required. Where there is no answer
 * it says so once, and goes on for patience_s. */
tacit_status tc_link_open(tc_link *l, const char *url, const char *fingerprint,
                          const char *token_file, double patience_s, bool quiet, tacit_error *err);
void tc_link_close(tc_link *l);

/* A secret into a file of its own, which only its owner can read. */
tacit_status tc_secret_write(const char *file, const char *text, tacit_error *err);

#endif
