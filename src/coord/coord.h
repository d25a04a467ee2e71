/* coord.h - the coordinator: a request in, a response out, no sockets. README.md has the protocol.
 *
 * Called by net (server*.c, coordinator_api.c, here.c) and tests. Thread-safe. Answers depend on the store, the
 * clock and the entropy that are passed in, and on nothing else. */
#ifndef TC_COORD_COORD_H
#define TC_COORD_COORD_H

#include <tacit/coordinator.h>

#include "base/pool.h"
#include "base/shared_text.h"
#include "base/text.h"
#include "study/agreed.h"
#include "study/store.h"

typedef struct tc_coord tc_coord;

typedef struct tc_coord_config {
    tc_store *store;  /* borrowed */
    tc_pool *pool;    /* may be NULL; borrowed */
    tc_agreed *clock; /* borrowed. NULL: one of its own (study/agreed.h) */
    /* In place of it, for tests: Unix milliseconds. */
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

/* Unix milliseconds, by the clock that deadlines and leases go by. Never waits. */
int64_t tc_coord_now(const tc_coord *c);
/* Compares that clock with the store; waits as long as the store does. To be called every second, also while a tick
 * takes longer: a wall clock that is set while nobody looks counts as time. */
void tc_coord_keep_time(tc_coord *c);

/* Everything is borrowed for the call. Absent header fields are NULL. */
typedef struct tc_request {
    const char *method, *path; /* "POST", "/v1/studies/s/rounds/3/messages"; path without query */
    const char *query;         /* "after=3&limit=10", or NULL */
    const char *protocol;      /* Tacit-Protocol (wire/protocol.h) */
    const char *bearer;        /* of Authorization */
    const char *signature;     /* Tacit-Signature: base64 */
    const char *idempotency;   /* Idempotency-Key */
    const char *last_event;    /* Last-Event-ID */
    const void *body;
    size_t n_body;
    bool is_operator; /* who asks holds the store: no token is asked for */
    bool shares;      /* the answer may be tc_response.shared instead of body */
    bool at_once;     /* /readyz: what the last probe found; it makes none itself */
} tc_request;

/* Somebody who listens to /v1/events: where it is in the ring of events, and what it may hear. */
typedef struct tc_listener {
    uint64_t next;    /* the number of the event that it hears next */
    char study[128];  /* of this one alone; "": of all */
    tacit_hash of;    /* which one of that name */
    tacit_hash token; /* as long as this one holds */
    bool begun, reset, ended;
} tc_listener;

typedef struct tc_response {
    int status;               /* of HTTP */
    const char *content_type; /* static */
    tc_text body;
    tc_shared_text *shared; /* in place of body, if the request allows it; or NULL */
    int64_t retry_after_ms; /* 0: not said */
    bool replayed;          /* given before under the same idempotency key */
    char allow[32];         /* of 405: the methods that there are */
    bool listens;           /* no body: what tc_coord_events gives is sent as long as it lasts */
    tc_listener listener;
    bool wait;   /* not there yet: the request may be held and asked again when something changed */
    bool closes; /* a round may be complete: call tc_coord_tick soon */
} tc_response;
void tc_response_fini(tc_response *r);

/* For a request whose body is still to come, so of q without it: may it be sent, and how long may it be? Its token
 * must be one of the route's roles, and of the study in the path. False: *out is the refusal, and the body is
 * not to be read. */
bool tc_coord_admit(tc_coord *c, const tc_request *q, size_t *body_most, tc_response *out);

/* How long a request may take. */
typedef enum tc_pace {
    TC_PACE_QUICK,   /* it waits for the store */
    TC_PACE_AT_ONCE, /* it asks nothing of the store */
    TC_PACE_PROBE,   /* it waits for a probe of the store (tc_coord_probe), unless there was one */
    TC_PACE_STUDY, /* it is about a served study and waits for its optimizer where that is at work ... */
    TC_PACE_ASK /* ... or sets it to work */
} tc_pace;
/* Nothing is read for it. */
tc_pace tc_coord_pace(const char *method, const char *path);

/* Always fills *out: failures are problem+json. *out is all-zero before. */
void tc_coord_handle(tc_coord *c, const tc_request *q, tc_response *out);

/* Can the store be used? As the last probe found it, if that was a moment ago. Never waits. */
typedef enum tc_ready { TC_READY_UNKNOWN, TC_READY_YES, TC_READY_NO, TC_READY_HANGS } tc_ready;
tc_ready tc_coord_ready(tc_coord *c);
/* Reads the store and now and then writes to it; waits as long as that takes. Where one is under way, returns. */
void tc_coord_probe(tc_coord *c);

/* Is the token a valid one? True also where the store cannot say. */
bool tc_coord_knows(tc_coord *c, const char *bearer);
/* A request that was answered with this status before it came here: counted like the others. 429
 * goes into the log as well, as far as there is room for refusals. */
void tc_coord_counted(tc_coord *c, int status);
/* A connection that was closed before its TLS handshake began, for its address had begun too many: counted, and
 * said in the log once in ten seconds. */
void tc_coord_count_refused(tc_coord *c);

/* Is that what the route's table says of its answer (shape.h)? For tests, which ask it of every answer,
 * so that /openapi.json is true. E_INTERNAL says what is not. */
tacit_status tc_coord_check_answer(const tc_request *q, const tc_response *r, tacit_error *err);

/* Closes the rounds that are due; *next_ms: when to come again at the latest. Call it from a timer and
 * whenever. Any number of processes may do so at once. */
tacit_status tc_coord_tick(tc_coord *c, int64_t *next_ms, tacit_error *err);

/* The operator's first token: made once for a store, shown once. *made false: there was one already. */
tacit_status tc_coord_operator_token(tc_coord *c, tc_text *token, bool *made, tacit_error *err);
/* Another one, for an operator who has lost it; those that there are stay valid. */
tacit_status tc_coord_new_operator_token(tc_coord *c, tc_text *token, tacit_error *err);

/* ---- for those who hold the store and need no token */

/* Creates the study of this JSON text, as POST /v1/studies does. */
tacit_status tc_coord_create(tc_coord *c, const char *document, tacit_error *err);
/* A token with which `uses` agents or trustees join, or, with uses 0, clients of a served study ask and tell. expires_s 0:
 * it does not end. */
tacit_status tc_coord_invite(tc_coord *c, const char *study, bool trustees, uint64_t uses,
                             double expires_s, tc_text *token, tacit_error *err);

/* ---- events */

/* What a listener is sent next, as text/event-stream: whole events, as many as fit. 0: nothing new, or
 * l->ended: nothing any more. Called by one thread at a time for a listener; never waits for long. */
size_t tc_coord_events(tc_coord *c, tc_listener *l, char *out, size_t size);
/* Now and then: does its token still hold? If not, it has ended. */
void tc_coord_events_check(tc_coord *c, tc_listener *l);

/* Called when something was said of a study that a listener of /v1/events may want to hear. waited_for: it
 * is about rounds or the study, so that those whose answer was `wait` ask again. From any thread; the
 * study may be locked, so it must not call the coordinator. */
typedef void (*tc_coord_notify)(void *user, const char *study, bool waited_for);
/* Before the first request, and with NULL after the last. */
void tc_coord_listen(tc_coord *c, tc_coord_notify notify, void *user);

/* ---- restored from a backup (restored.c) */

typedef struct tc_restore_times {
    int64_t backup_ms, now_ms; /* when the backup was made; now */
} tc_restore_times;

/* Makes the copy of a backup a store that may be served: nothing in it claims less than was spent, and
 * no round is released a second time. Nobody else uses the store yet. */
tacit_status tc_coord_restore(tc_store *store, tc_restore_times at, const tacit_restore_opts *opts,
                              tacit_error *err);

#endif
