/* server_options.h - how verbs are told which coordinator to speak with; link.h has the way to it. */
#ifndef TC_PROGRAM_SERVER_OPTIONS_H
#define TC_PROGRAM_SERVER_OPTIONS_H

#include "frame/cli.h"

#include <stddef.h>

/* The row of a `char *` of the struct. */
#define TC_SERVER_OPTION(of, member)                                                               \
    TC_STRING_OPTION("server", offsetof(of, member), NULL,                                         \
                     "the coordinator (default: TACIT_SERVER)", .value = "URL")
/* Those of `char *fingerprint, *token_file, *ca, *proxy` of a member (`where.`); and of the struct itself. */
#define TC_SERVER_OPTIONS_AT(of, at)                                                               \
    TC_STRING_OPTION("fingerprint", offsetof(of, at fingerprint), NULL,                            \
                     "the coordinator's, as `tacit serve` prints it, or two with ; between them "  \
                     "while its key changes (default: TACIT_FINGERPRINT)",                         \
                     .value = "PIN"),                                                              \
        TC_STRING_OPTION("token-file", offsetof(of, at token_file), NULL,                          \
                         "a file with the token in its first line (default: TACIT_TOKEN_FILE)",    \
                         .value = "FILE"),                                                         \
        TC_STRING_OPTION("ca", offsetof(of, at ca), NULL,                                          \
                         "certificates of authorities: the coordinator must have one of theirs "   \
                         "for its name, besides or instead of --fingerprint (default: TACIT_CA)",  \
                         .value = "FILE"),                                                         \
        TC_STRING_OPTION("proxy", offsetof(of, at proxy), NULL,                                    \
                         "http://HOST:PORT of a proxy for CONNECT, or none (default: "             \
                         "https_proxy and no_proxy)",                                              \
                         .value = "URL")
#define TC_SERVER_OPTIONS(of) TC_SERVER_OPTIONS_AT(of, )

/* The row of a `bool` of verbs that run a program on choices which a coordinator sends. */
#define TC_ANY_CHOICES_OPTION(of, member)                                                          \
    TC_BOOL_OPTION("any-choices", offsetof(of, member), NULL,                                      \
                   "give the program every choice that the coordinator's study has; without it "   \
                   "only numbers and plain words (letters, digits, ._+-/:=,@%)")

/* The option if given, else of the environment; NULL: neither. */
const char *tc_server_url(const char *option);
const char *tc_server_fingerprint(const char *option);
const char *tc_server_ca(const char *option);
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
