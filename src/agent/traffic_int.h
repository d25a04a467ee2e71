/* traffic_int.h - what the files behind tacit_agent_inspect share. Nobody else includes it. */
#ifndef TC_AGENT_TRAFFIC_INT_H
#define TC_AGENT_TRAFFIC_INT_H

#include <tacit/agent.h>

#include "base/memory.h"

/* From what is known of the message's price and of answers. */
tacit_message_state tc_message_state(const tacit_agent_round *r, bool before);

/* Sets the numbers of a message, from `memory`; none where it is not a vector. Failure is of the memory. */
void tc_message_numbers(tacit_agent_round *r, tc_arena *memory);

#endif
