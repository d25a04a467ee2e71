/* server_int.h - what the files of the server share. Nobody else includes it.
 *
 *   server.c          birth, the clock, end
 *   server_request.c  one request, from its headers to its answer
 *   server_hold.c     requests that wait for something to change
 *   server_events.c   listeners of /v1/events
 *   server_rate.c     how much one address may ask
 *   server_listen.c   new connections, and which thread gets them
 *   server_guest.c    connections that are too slow */
#ifndef TC_NET_SERVER_INT_H
#define TC_NET_SERVER_INT_H

#include "net/address.h"
#include "net/server.h"

#include <microhttpd.h>
#include <pthread.h>

/* A connection: how long has the other side let us wait? */
typedef struct tc_guest {
    int fd;
    tc_server *server;
    struct MHD_Connection *connection;
    struct gnutls_session_int *tls; /* NULL: none */
    bool greeted;                   /* the client's part of the handshake is over */
    bool asleep, known;             /* its handshake waits; its descriptor is in s->doors */
    uint64_t since_ns;              /* it is its turn since; 0: it is ours */
    bool in_headers;                /* a request has begun whose headers are not there yet */
    struct tc_guest *next, *previous;
} tc_guest;

/* A request on its way; MHD carries it from call to call. */
typedef struct tc_pending {
    tc_server *server;
    struct MHD_Connection *connection;
    tc_guest *guest;
    tc_text body;
    size_t reserved; /* of the room for bodies */
    bool too_large;
    size_t excess;     /* bytes beyond that, thrown away */
    uint64_t until_ns; /* held no longer than this; 0: not to be held */
    struct tc_pending *next;
} tc_pending;

typedef struct tc_rate tc_rate;

struct tc_server {
    tc_coord *coord;
    tc_rate *rate;
    struct MHD_Response *too_many; /* the answer to who asks too much */
    size_t body_max;
    uint64_t request_most_s;
    struct MHD_Daemon *daemon;
    int listener, doors; /* -1: none; an epoll of the listener and of those whose handshake waits */
    pthread_t acceptor;
    bool accepting;
    pthread_mutex_t lock; /* everything below */
    pthread_cond_t wake;
    pthread_t ticker;
    bool ticking, ending, due;
    uint64_t changes;
    tc_pending *held;
    uint64_t asking; /* requests that have begun */
    size_t bodies;   /* bytes that are reserved for them */
    tc_guest *guests;
    struct tc_feed *feeds;
    uint64_t heartbeat_ms, beat_ns, beats; /* of listeners: how often, when last, how many */
};

/* ---- requests (server_request.c): what MHD calls */

enum MHD_Result tc_server_answer(void *user, struct MHD_Connection *c, const char *path,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **state);
void tc_server_end(void *user, struct MHD_Connection *c, void **state,
                   enum MHD_RequestTerminationCode code);
/* The answer to who asks too much, made once: it costs nothing. NULL: no memory. */
struct MHD_Response *tc_server_too_many(void);
size_t tc_server_unescape(void *user, struct MHD_Connection *c, char *text);

/* A round may be complete: do not wait for the next tick (server.c). */
void tc_server_poke(tc_server *s);

/* ---- those that wait (server_hold.c) */

/* What changed so far; *ending: the server stops. Read before the coordinator is asked. */
uint64_t tc_server_changes(tc_server *s, bool *ending);
/* False: something changed since `changes` was read, or its time is up. */
bool tc_server_hold(tc_server *s, tc_pending *p, uint64_t changes);
/* All who wait ask again. */
void tc_server_resume_all(tc_server *s);
/* The coordinator's notify: something changed. */
void tc_server_changed(void *user);

/* ---- listeners (server_events.c) */

/* The answer that goes on, for r->listener. */
enum MHD_Result tc_server_feed(tc_server *s, const tc_pending *p, const tc_response *r);
/* All look for something new. */
void tc_feeds_wake(tc_server *s);
/* From the ticker: a heartbeat, if one is due. */
void tc_feeds_beat(tc_server *s);
uint64_t tc_feeds_heartbeat_ms(unsigned asked);

/* ---- rates (server_rate.c); an address may be NULL */

/* asks_per_s 0: no limit; failures_per_s 0: 10. */
tacit_status tc_rate_new(tc_rate **out, unsigned asks_per_s, unsigned failures_per_s,
                         tacit_error *err);
void tc_rate_free(tc_rate *t); /* NULL is allowed */
bool tc_rate_allows(tc_rate *t, const struct sockaddr *a, bool with_token);
/* Its token was not valid. */
void tc_rate_failed(tc_rate *t, const struct sockaddr *a);

/* ---- where they come to (server_listen.c) */

/* E_IO: it cannot be listened at. `text`: the address as it was given. */
tacit_status tc_server_bind(tc_server *s, const tc_address *a, const char *text, tacit_error *err);
/* From here on; s->daemon is there. */
tacit_status tc_server_accept(tc_server *s, tacit_error *err);
/* No more; s->ending is set before. May be called at any time, and twice. */
void tc_server_deafen(tc_server *s);
/* A new connection: how its handshake waits. */
void tc_server_greet(tc_guest *g);

/* ---- connections (server_guest.c) */

tc_guest *tc_guest_of(struct MHD_Connection *c); /* NULL: there was no memory for it */
/* Whose turn is it? Theirs must not last too long. g may be NULL. */
void tc_guest_turn(tc_server *s, tc_guest *g, bool theirs);
/* MHD has read the first line of a request. */
void *tc_guest_begins(void *user, const char *uri, struct MHD_Connection *c);
void tc_guest_meet(void *user, struct MHD_Connection *c, void **context,
                   enum MHD_ConnectionNotificationCode code);
/* Ends connections whose turn has lasted too long. */
void tc_guest_part(tc_server *s);

#endif
