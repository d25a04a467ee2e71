/* exchange.h - the way from an agent to its coordinator by a function of the caller's. Called by agent_api.c. */
#ifndef TC_NET_EXCHANGE_H
#define TC_NET_EXCHANGE_H

#include <tacit/agent.h>

#include "agent/transport.h"

/* opts: with `exchange`; borrowed. */
tc_transport tc_exchange_transport(tacit_agent_opts *opts);

#endif
