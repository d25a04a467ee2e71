/* built.h - is there a network in this build, and by which libraries? -DTACIT_NETWORK=OFF builds without: absent.c
 * then stands for the client, the server and the certificates. */
#ifndef TC_NET_BUILT_H
#define TC_NET_BUILT_H

#include <stdbool.h>

bool tc_net_is_built(void);

/* Their versions; "not built" each, where there is none. */
typedef struct tc_net_libraries {
    const char *gnutls, *microhttpd, *curl;
} tc_net_libraries;
tc_net_libraries tc_net_libraries_here(void);

#endif
