/* call.h - a request of an agent's, as those take it who answer it without a socket. Called by here.c and exchange.c. */
#ifndef TC_NET_CALL_H
#define TC_NET_CALL_H

#include "agent/transport.h"

/* Its path, and the query apart from it. */
typedef struct tc_call_path {
    char path[1024];
    const char *query; /* inside of `path`; NULL: there is none */
} tc_call_path;

/* E_ARG: it is too long. */
tacit_status tc_call_split(const tc_call *call, tc_call_path *out, tacit_error *err);

#endif
