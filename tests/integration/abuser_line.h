/* abuser_line.h - a TLS connection that sends whatever it is told, for abuser.c. No certificate is checked. */
#ifndef TACIT_TESTS_INTEGRATION_ABUSER_LINE_H
#define TACIT_TESTS_INTEGRATION_ABUSER_LINE_H

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

typedef struct line {
    int socket; /* -1: none */
    gnutls_session_t tls;
    gnutls_certificate_credentials_t trust;
} line;

enum { LINE_TIMEOUT_S = 20 };

/* TCP alone; -1: refused. */
static inline int line_dial(uint16_t port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct timeval limit = {.tv_sec = LINE_TIMEOUT_S};
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0)
        return -1;
    (void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    (void)setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(s, (struct sockaddr *)&at, sizeof at) == 0)
        return s;
    (void)close(s);
    return -1;
}

/* Without a farewell. */
static inline void line_drop(line *l)
{
    if (l->tls) {
        gnutls_deinit(l->tls);
        gnutls_certificate_free_credentials(l->trust);
    }
    if (l->socket >= 0)
        (void)close(l->socket);
    *l = (line){.socket = -1};
}

static inline bool line_open(line *l, uint16_t port)
{
    int rc;
    *l = (line){.socket = line_dial(port)};
    if (l->socket < 0)
        return false;
    gnutls_certificate_allocate_credentials(&l->trust);
    gnutls_init(&l->tls, GNUTLS_CLIENT);
    gnutls_set_default_priority(l->tls);
    gnutls_credentials_set(l->tls, GNUTLS_CRD_CERTIFICATE, l->trust);
    gnutls_transport_set_int(l->tls, l->socket);
    do
        rc = gnutls_handshake(l->tls);
    while (rc < 0 && !gnutls_error_is_fatal(rc) && rc != GNUTLS_E_AGAIN);
    if (rc == 0)
        return true;
    line_drop(l);
    return false;
}

/* False: the other side has ended it. */
static inline bool line_send(line *l, const void *bytes, size_t n)
{
    for (size_t sent = 0; sent < n;) {
        ssize_t k = gnutls_record_send(l->tls, (const char *)bytes + sent, n - sent);
        if (k <= 0)
            return false;
        sent += (size_t)k;
    }
    return true;
}

static inline bool line_say(line *l, const char *text)
{
    return line_send(l, text, strlen(text));
}

/* The status of the next answer; 0: the line was ended, or silence. The answer's text, cut, in `out`. */
static inline int line_hear(line *l, char *out, size_t size)
{
    size_t n = 0;
    int status = 0;
    out[0] = 0;
    while (n + 1 < size && !strstr(out, "\r\n\r\n")) {
        ssize_t k = gnutls_record_recv(l->tls, out + n, size - 1 - n);
        if (k == GNUTLS_E_INTERRUPTED)
            continue;
        if (k <= 0)
            break;
        n += (size_t)k;
        out[n] = 0;
    }
    return sscanf(out, "HTTP/1.%*d %d", &status) == 1 ? status : 0;
}

#endif
