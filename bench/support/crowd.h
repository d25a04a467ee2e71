/* crowd.h - many clients of one coordinator, in one thread, as cheap as can be: so that a benchmark measures
 * the server. Requests are made beforehand, TLS sessions stay open, answers are looked at for their status
 * alone. Certificates are not checked. Used by programs of bench/. */
#ifndef BENCH_SUPPORT_CROWD_H
#define BENCH_SUPPORT_CROWD_H

#include <stddef.h>
#include <stdint.h>

typedef struct crowd crowd;

typedef struct crowd_letter {
    const char *bytes; /* a whole request of HTTP */
    size_t n;
    int status;       /* of the answer; 0: none came */
    uint64_t took_ns; /* from the first byte out to the last byte in */
} crowd_letter;

/* n connections to 127.0.0.1, at most `at_once` of them in their handshake at a time. Exits on failure. */
crowd *crowd_connect(uint16_t port, size_t n, size_t at_once);
/* In order, each over the connection that has rested longest; at most `at_once` wait for their answer. */
void crowd_send(crowd *c, crowd_letter *letters, size_t n, size_t at_once);
/* The same request over every connection; returns when each has had the head of an answer, which goes on. */
void crowd_listen(crowd *c, const crowd_letter *request);
/* Takes what comes for so many milliseconds; returns how many connections have ended. */
size_t crowd_drain(crowd *c, int ms);
void crowd_close(crowd *c);

#endif
