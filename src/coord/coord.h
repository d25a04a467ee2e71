/* coord.h - the coordinator: a request in, a response out, no sockets. README.md has the protocol.
 *
 * Called by net/server.c, by agents of one process (sim, tests) and by nobody else. Thread-safe. Answers
 * depend on the store, the clock and the entropy that are passed in, and on nothing else. */
#ifndef TC_COORD_COORD_H
#define TC_COORD_COORD_H

#include "base/pool.h"
#include "base/text.h"
#include "study/store.h"

typedef struct tc_coord tc_coord;

typedef struct tc_coord_config {
    tc_store *store; /* borrowed */
    tc_pool *pool;   /* may be NULL; borrowed */
    /* Unix milliseconds. NULL: the system's clock. */
    int64_t (*now_ms)(void *user);
    void *user;
    /* Test mode: noise of round r comes from (seed, r), keys and tokens from the seed; every release
     * is stamped NOT PRIVATE. */
    bool seeded;
    uint64_t seed;
    size_t body_max; /* bytes of a request; 0: 8 MiB */
} tc_coord_config;

tacit_status tc_coord_new(tc_coord **out, const tc_coord_config *cfg, tacit_error *err);
void tc_coord_free(tc_coord *c); /* NULL is allowed */

/* Everything is borrowed for the call. Absent header fields are NULL. */
typedef struct tc_request {
    const char *method, *path; /* "POST", "/v1/studies/s/rounds/3/messages"; path without query */
    const char *query;         /* "after=3&limit=10", or NULL */
    const char *bearer;        /* of Authorization */
    const char *signature;     /* Tacit-Signature: base64 */
    const char *agent;         /* Tacit-Agent: the number on the roster */
    const char *sequence;      /* Tacit-Sequence */
    const char *idempotency;   /* Idempotency-Key */
    const void *body;
    size_t n_body;
} tc_request;

typedef struct tc_response {
    int status;               /* of HTTP */
    const char *content_type; /* static */
    tc_text body;
    int64_t retry_after_ms; /* 0: not said */
    bool wait;   /* not there yet: the request may be held and asked again when something changed */
    bool closes; /* a round may be complete: call tc_coord_tick soon */
} tc_response;
void tc_response_fini(tc_response *r);

/* For a request whose body is still to come, so of q without it: may it be sent, and how long may it be?
 * False: *out is the refusal, and the body is not to be read. */
bool tc_coord_admit(tc_coord *c, const tc_request *q, size_t *body_most, tc_response *out);

/* Always fills *out: failures are problem+json. *out is all-zero before. */
void tc_coord_handle(tc_coord *c, const tc_request *q, tc_response *out);

/* Closes the rounds that are due; *next_ms: when to come again at the latest. Call it from a timer and
 * whenever. Any number of processes may do so at once. */
tacit_status tc_coord_tick(tc_coord *c, int64_t *next_ms, tacit_error *err);

/* The operator's first token: made once for a store, shown once. *made false: there was one already. */
tacit_status tc_coord_operator_token(tc_coord *c, tc_text *token, bool *made, tacit_error *err);
/* Another one, for an operator who has lost it; those that there are stay valid. */
tacit_status tc_coord_new_operator_token(tc_coord *c, tc_text *token, tacit_error *err);

/* Called when something changed that a waiting request or a listener of /v1/events may want to know: an event
 * as one JSON object. From any thread; the study may be locked, so it must not call the coordinator. */
typedef void (*tc_coord_notify)(void *user, const char *study, const char *event_json);
/* Before the first request, and with NULL after the last. */
void tc_coord_listen(tc_coord *c, tc_coord_notify notify, void *user);

#endif
