/* coordinator_api.h - what is behind a public coordinator, for agents of the same process (here.c). */
#ifndef TC_NET_COORDINATOR_API_H
#define TC_NET_COORDINATOR_API_H

#include "coord/coord.h"

#include <tacit/coordinator.h>

tc_coord *tc_coordinator_get(tacit_coordinator *c);

#endif
