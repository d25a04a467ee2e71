/* server.h - the coordinator behind HTTPS. The only caller of libmicrohttpd is server.c.
 *
 * Threads of libmicrohttpd read and write connections and never wait. Others ask the coordinator: one pool for most
 * requests, one for those about served studies, since they may wait for an optimizer. One more thread closes
 * rounds when they are due, one keeps the time of connections, one probes the store for /readyz. A
 * request whose answer is "not yet" is held, without a thread, until its study changed or its time
 * is up. Limits (connections, size of bodies, time for a request) hold before memory is spent, and a
 * body is read only of those who may send it. */
#ifndef TC_NET_SERVER_H
#define TC_NET_SERVER_H

#include "coord/coord.h"
#include "net/certificate.h"

typedef struct tc_server tc_server;

typedef struct tc_server_config {
    tc_coord *coord;           /* borrowed */
    const char *listen;        /* "127.0.0.1:8443" or "[::1]:8443"; port 0: any free one */
    const tc_certificate *tls; /* NULL: plain HTTP, on loopback only; borrowed */
    unsigned threads;          /* 0: 32 */
    unsigned connections;      /* 0: as many as the limit on open files allows */
    unsigned per_address;      /* connections of one address at once; 0: no limit of its own */
    unsigned request_most_s;   /* seconds for a request to arrive, however slowly; 0: 120 */
    unsigned headers_most_s;   /* of these for its headers, and for a handshake; 0: 10 */
    unsigned rate;             /* requests a second of one address; 0: no limit */
    unsigned handshakes;       /* TLS handshakes a second of one address; 0: no limit */
    unsigned failures;         /* wrong tokens a second of one address; 0: 10 */
    unsigned heartbeat_ms;     /* between signs of life to listeners of /v1/events; 0: 15000 */
    size_t body_max;           /* bytes of a request; 0: 8 MiB */
    size_t answers_max;        /* bytes of all answers on their way; 0: 128 MiB */
} tc_server_config;

/* E_ARG: the address is not one, or plain HTTP off loopback. E_IO: it cannot be listened at. */
tacit_status tc_server_start(tc_server **out, const tc_server_config *cfg, tacit_error *err);
/* Answers what was asked, then ends. NULL is allowed. */
void tc_server_stop(tc_server *s);

uint16_t tc_server_port(const tc_server *s);

#endif
