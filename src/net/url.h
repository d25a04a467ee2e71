/* url.h - the address of a coordinator: "https://host:8443", "http://127.0.0.1:8443". */
#ifndef TC_NET_URL_H
#define TC_NET_URL_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct tc_url {
    bool tls;
    bool loopback;  /* a literal loopback address, or "localhost" */
    size_t n_bytes; /* of the text, without a slash at its end */
} tc_url;

/* A scheme, a host and perhaps a port; no user, no path, no query. E_ARG: anything else. */
tacit_status tc_url_parse(tc_url *out, const char *text, tacit_error *err);

#endif
