/* here.h - the way from a party to a coordinator of the same process. Called by way.c. */
#ifndef TC_NET_HERE_H
#define TC_NET_HERE_H

#include "agent/transport.h"
#include "coord/coord.h"

typedef struct tc_here {
    tc_coord *coord;          /* borrowed */
    bool (*stop)(void *user); /* may be NULL */
    void *user;
} tc_here;

/* `h` is borrowed. */
tc_transport tc_here_transport(tc_here *h);

#endif
