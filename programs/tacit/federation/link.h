/* link.h - the way to a coordinator, for verbs that send requests of their own: tokens, operators, curators, agents.
 * Verbs on studies need none: to them a coordinator is a storage (study/study_ref.h). */
#ifndef TC_PROGRAM_LINK_H
#define TC_PROGRAM_LINK_H

#include "agent/served_client.h"
#include "federation/server_options.h"
#include "net/client.h"

/* fingerprint NULL: from the environment. */
tacit_status tc_server_client(tc_client **out, const char *url, const char *fingerprint,
                              tacit_error *err);

/* All-zero may be closed; stays where it is while it is open. */
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

#endif
