/* abuser_int.h - what the files of the program abuser share.
 *
 *   abuser.c        its plays, and messages that are wrong
 *   abuser_lines.c  requests that are no requests, and lines that are held */
#ifndef TACIT_TESTS_INTEGRATION_ABUSER_INT_H
#define TACIT_TESTS_INTEGRATION_ABUSER_INT_H

#include "abuser_line.h"

#include "net/client.h"
#include "wire/signature.h"

enum { IDLE = 500, LORIS = 24 };

typedef struct abuser {
    tc_client *client;
    uint16_t port;
    const char *name; /* of its study */
    char token[64], access[64];
    tc_public_key key;
    tc_secret_key secret;
    tacit_hash study;
    uint64_t sequence;
    uint8_t grid;
    int idle[IDLE];
    line loris[LORIS];
    int failures;
} abuser;

/* A line of the report: it was not refused as it should be. */
void complain(abuser *a, const char *what, int status);
/* 4xx, and nothing else. */
void must_refuse(abuser *a, const char *what, int status);

/* Broken headers, bodies and handshakes, each on a line of its own. */
void abuse_requests(abuser *a);
void abuse_tls(abuser *a);
/* Lines that are opened and left, and headers that never end; drip adds a byte to those. */
void hold_lines(abuser *a);
void drip(abuser *a);
void let_go(abuser *a);

#endif
