/* exchange.h - the way from a party to its coordinator by a function of the caller's. Called by way.c. */
#ifndef TC_NET_EXCHANGE_H
#define TC_NET_EXCHANGE_H

#include <tacit/agent.h>

#include "agent/transport.h"

/* As in tacit_agent_opts. */
typedef struct tc_exchange {
    tacit_status (*exchange)(void *user, const tacit_request *request, tacit_agent_answer *answer,
                             tacit_error *err);
    void *user;
} tc_exchange;

/* x: with `exchange`; borrowed. */
tc_transport tc_exchange_transport(tc_exchange *x);

#endif
