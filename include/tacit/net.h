/* tacit/net.h - what libtacit-net adds to libtacit.
 *
 * libtacit knows no network. A program that uses studies of a coordinator links libtacit-net and calls
 * tacit_net_register once; from then on storages of study.h may be "https://HOST:PORT". */
#ifndef TACIT_NET_H
#define TACIT_NET_H

#include <tacit/build.h>
#include <tacit/status.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes "https:" a scheme of storages, and "http:" to this machine itself. May be called again, and from
 * any thread. */
TACIT_API void tacit_net_register(void);

/* False where tacit was built without the network (-DTACIT_NETWORK=OFF): what needs it is then E_UNSUPPORTED. */
TACIT_API bool tacit_net_is_built(void);
/* As tacit_build_parts: "gnutls", "microhttpd", "curl". */
TACIT_API void tacit_net_parts(tacit_build_visit visit, void *user);

#ifdef __cplusplus
}
#endif
#endif
