/* address.h - where to listen: "127.0.0.1:8443", "[::1]:0". */
#ifndef TC_NET_ADDRESS_H
#define TC_NET_ADDRESS_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct tc_address {
    struct sockaddr_storage at;
    bool v6, loopback;
    char host[64];
} tc_address;

/* E_ARG: not a numerical address and a port. */
tacit_status tc_address_parse(tc_address *out, const char *text, tacit_error *err);
/* Could somebody listen there now? Asked before anything is made for it. E_IO: no, and why. */
tacit_status tc_address_try(const tc_address *a, const char *text, tacit_error *err);

#endif
