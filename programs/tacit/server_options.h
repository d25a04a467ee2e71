/* server_options.h - how verbs are told which coordinator to speak with. */
#ifndef TC_PROGRAM_SERVER_OPTIONS_H
#define TC_PROGRAM_SERVER_OPTIONS_H

#include "cli.h"
#include "net/client.h"

/* The rows of a struct with `char *fingerprint, *token_file`. */
#define TC_SERVER_OPTIONS(of)                                                                      \
    {.name = "fingerprint",                                                                        \
     .type = TC_OPTION_STRING,                                                                     \
     .offset = offsetof(of, fingerprint),                                                          \
     .value = "PIN",                                                                               \
     .help = "the coordinator's, as `tacit serve` prints it (default: TACIT_FINGERPRINT)"},        \
    {                                                                                              \
        .name = "token-file", .type = TC_OPTION_STRING, .offset = offsetof(of, token_file),        \
        .value = "FILE",                                                                           \
        .help = "a file with the token in its first line (default: TACIT_TOKEN_FILE)"              \
    }

/* fingerprint NULL: from the environment. */
tacit_status tc_server_client(tc_client **out, const char *url, const char *fingerprint,
                              tacit_error *err);
/* The first line of the file, for tc_free; file NULL: of the environment's. *out NULL: none is
 * named, and `required` is false. */
tacit_status tc_server_token(const char *file, bool required, char **out, tacit_error *err);

#endif
