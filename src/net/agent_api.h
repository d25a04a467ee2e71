/* agent_api.h - the study behind a public agent, for the worker loop of `tacit agent`. */
#ifndef TC_NET_AGENT_API_H
#define TC_NET_AGENT_API_H

#include "study/study.h"

#include <tacit/agent.h>

tc_study *tc_agent_api_study(tacit_agent *a);

#endif
