/* server_int.h - what the files of the server share. No other folder of src includes it.
 *
 *   server.c          birth, the clock, end
 *   server_request.c  one request, from its headers to its answer
 *   server_head.c     its head: whether it can be read in one way only
 *   server_body.c     its body: how long it is, and whose room it takes
 *   server_answer.c   its answer, until it was taken
 *   server_park.c     requests that wait for a round
 *   server_queue.c     the threads that ask the coordinator
 *   server_probe.c    whether the store can be used: /readyz
 *   server_events.c   listeners of /v1/events
 *   server_rate.c     how much one address may ask, and how often it may connect
 *   server_listen.c   new connections, and which thread gets them
 *   server_connection.c    connections that are too slow
 *   server_drain.c   connections that were answered before they had said all */
#ifndef TC_NET_SERVER_INT_H
#define TC_NET_SERVER_INT_H

#include "net/address.h"
#include "net/server.h"

#include <microhttpd.h>
#include <pthread.h>

enum {
    TC_WAIT_BUCKETS = 256, /* studies, by a hash of their name: two in one bucket wake each other */
    TC_SHARES = 4096,      /* tokens, by a hash: two with one share have one limit */
    TC_DRAINING = 128,     /* connections that are read on after their end */
    TC_GREETING_SHARE = 256, /* handshakes of one address that are not over */
    TC_IDLE_MOST_S = 30      /* until the first line of a request is there */
};

/* What a client may choose from in TLS. Whoever sends a hello makes the server do one key exchange and one
 * signature before it has to do anything itself, so both must be cheap: X25519 or P-256, never a finite field (one
 * exchange in ffdhe8192 takes a third of a second). TLS 1.2 has forward secrecy and authenticated encryption
 * only: no static RSA, no CBC, no SHA-1. */
#define TC_TLS_PRIORITIES                                                                          \
    "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:"     \
    "-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:"    \
    "-MAC-ALL:+AEAD:-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1"

/* What we wait for of the other side; each has its time. */
typedef enum tc_turn {
    TC_TURN_OURS,
    TC_TURN_IDLE,    /* the first line of a request */
    TC_TURN_HEADERS, /* the rest of its headers */
    TC_TURN_BODY     /* its body, or that it takes the answer */
} tc_turn;

/* A connection: how long has the other side let us wait? */
typedef struct tc_connection {
    int fd;
    tc_server *server;
    struct MHD_Connection *connection;
    struct gnutls_session_int *tls; /* NULL: none */
    bool greeted;                   /* the client's part of the handshake is over */
    bool greets;                    /* it is among those whose handshake is not over */
    uint64_t from;                  /* its address, by tc_rate_name */
    bool asleep, known;             /* its handshake waits; its descriptor is in s->doors */
    const char *behind_uri;         /* of its request (tc_head_behind_uri) */
    bool unread;                    /* its request has begun and did not all come ... */
    bool drains; /* ... and was answered nevertheless: it is read on after its end */
    tc_turn turn;
    uint64_t since_ns;
    struct tc_connection *next, *previous; /* of all */
    struct tc_connection *newer, *older;   /* of those whose handshake is not over */
} tc_connection;

/* A connection that has ended, for us. */
typedef struct tc_draining {
    int fd;
    uint64_t until_ns; /* 0: there is none */
    size_t left;       /* bytes that it may still send */
} tc_draining;

/* What a queue's thread is to do for a request. */
typedef enum tc_step {
    TC_STEP_HEADERS,    /* nothing: it is still read */
    TC_STEP_ADMIT_BODY, /* may its body be sent? */
    TC_STEP_BODY,       /* it may, and is read */
    TC_STEP_ADMIT,      /* may it have a place in the queue of its study? */
    TC_STEP_ASK         /* the answer */
} tc_step;

/* A request on its way; MHD carries it from call to call. */
typedef struct tc_pending {
    tc_server *server;
    struct MHD_Connection *connection;
    bool in_chunks; /* so may its answer come: not in HTTP/1.0 */
    tc_connection *peer;
    uint64_t study; /* of its path, by tc_server_name */
    uint64_t token; /* by tc_server_name; 0: none */
    size_t share;   /* of its token */
    tc_step step;
    bool suspect;     /* its address has sent many wrong tokens: is this one valid? */
    size_t body_most; /* bytes, as the coordinator allows */
    tc_text body;
    size_t reserved;   /* of the room for bodies */
    int refused;       /* 503: its body is not kept; 0: it is */
    size_t excess;     /* bytes of it, thrown away */
    uint64_t until_ns; /* parked no longer than this; 0: not to be parked */
    bool admitted;     /* its token allows it */
    bool is_last;      /* its connection ends with the answer */
    tc_pace pace;      /* for its queue: */
    const char *method, *path;
    bool answered;   /* by a thread of a queue: */
    int turned_away; /* 429 or 503: instead of an answer; 0: not */
    tc_response answer;
    struct tc_pending *next; /* of those that are parked, or wait in a queue */
} tc_pending;

typedef struct tc_request_queue tc_request_queue;
typedef struct tc_probe tc_probe;

/* What one token has of the server now. */
typedef struct tc_share {
    size_t bodies, answers; /* bytes */
    unsigned parked;        /* requests */
} tc_share;

typedef struct tc_rate tc_rate;

struct tc_server {
    tc_coord *coord;
    tc_rate *rate;
    tc_request_queue *quick, *slow;
    tc_probe *probe;
    struct MHD_Response *too_many; /* the answer to who asks too much */
    size_t body_max, answers_most;
    uint64_t request_most_s, headers_most_s;
    size_t connections_most; /* at once */
    uint8_t secret[16];      /* of tc_server_name */
    char next_key[TC_FINGERPRINT];
    struct MHD_Daemon *daemon;
    int listener, doors; /* -1: none; an epoll of the listener, the bell and waiting handshakes */
    int bell;            /* wakes the thread that accepts; -1: none */
    int parting;         /* an epoll of those that are drained; -1: none */
    pthread_t acceptor;
    bool accepting;
    pthread_mutex_t lock; /* everything below */
    pthread_cond_t wake;
    pthread_t ticker, keeper, timekeeper;
    bool ticking, keeping, timing, ending, due;
    uint64_t changes[TC_WAIT_BUCKETS]; /* of rounds and studies */
    tc_pending *parked[TC_WAIT_BUCKETS];
    uint64_t recheck_ns; /* when all who wait asked again */
    uint64_t asking;     /* requests that have begun */
    size_t bodies;       /* bytes that are reserved for them */
    size_t answers;      /* bytes of answers that are on their way */
    tc_share shares[TC_SHARES];
    tc_connection *connections;
    size_t n_connections;
    tc_connection *oldest_greeting, *newest_greeting; /* handshakes that are not over, by age */
    size_t n_greeting;
    uint16_t greeting[TC_SHARES]; /* of them, by their address */
    tc_draining draining[TC_DRAINING];
    struct tc_feed *feeds;
    uint64_t events[TC_WAIT_BUCKETS], n_events; /* said so far, of one bucket and of all */
    bool rung;                                  /* listeners are to be woken soon */
    uint64_t heartbeat_ms, heartbeat_ns,
        heartbeats;   /* of listeners: how often, when last, how many */
    uint64_t checked; /* the heartbeat at which their tokens were looked at */
    uint64_t n_feeds; /* so far */
};

/* ---- requests (server_request.c): what MHD calls */

enum MHD_Result tc_server_answer(void *user, struct MHD_Connection *c, const char *path,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **state);
void tc_server_end(void *user, struct MHD_Connection *c, void **state,
                   enum MHD_RequestTerminationCode code);
/* The answer to a client that asks too much, made once, so that it costs nothing. NULL: no memory. */
struct MHD_Response *tc_server_too_many(void);
/* Those that every answer has, and those that this one needs. */
/* next_key: that is announced; "": none is. */
void tc_server_add_headers(struct MHD_Response *m, const tc_response *r, const char *next_key);
size_t tc_server_unescape(void *user, struct MHD_Connection *c, char *text);

/* A round may be complete: do not wait for the next tick (server.c). */
void tc_server_poke(tc_server *s);

/* For the threads of the queues, while the connection is suspended and so this request's: */
/* Asks the coordinator. */
void tc_server_ask(tc_server *s, const tc_pending *p, tc_response *out);
/* Does its token allow it? False: p->answer is the refusal. */
bool tc_server_admit(tc_server *s, tc_pending *p);
/* Is its token a valid one? */
bool tc_server_knows(tc_server *s, const tc_pending *p);

/* ---- threads that ask the coordinator (server_queue.c) */

/* threads: of the quick queue. */
tacit_status tc_queues_start(tc_server *s, size_t threads, tacit_error *err);
/* Suspends the request and has p->step done; tc_server_answer is called again then. It is p->answered, unless its
 * body is to come first. False: too many wait, or the server ends. */
bool tc_queue_add(tc_request_queue *c, tc_pending *p);
/* One that was parked, and is suspended: it asks again. */
void tc_queue_add_again(tc_request_queue *c, tc_pending *p);
/* Requests in its queue. For tests. */
size_t tc_queue_waiting(tc_request_queue *c);
/* What has begun is answered. May be called before start, but not twice. */
void tc_queues_end(tc_server *s);
void tc_queues_free(tc_server *s);

/* ---- /readyz (server_probe.c) */

tacit_status tc_probe_start(tc_server *s, tacit_error *err);
/* Suspends the request until a probe was made, or has taken too long. False: the answer is known. */
bool tc_probe_take(tc_server *s, tc_pending *p);
/* Those who have waited long enough are answered. */
void tc_probe_part(tc_server *s);
/* May be called before start, but not twice. */
void tc_probe_end(tc_server *s);
void tc_probe_free(tc_probe *t); /* NULL is allowed */

/* ---- heads (server_head.c) */

/* What is wrong with the head of a request; http 0: nothing. */
typedef struct tc_head_fault {
    int http;
    const char *why;
} tc_head_fault;

/* Is this a libmicrohttpd that forgets what it does not understand? Another one is to be told to be strict. */
bool tc_head_leaves_gaps(void);
/* Where libmicrohttpd must find the version; NULL: the URI has a space or a control character. To be called
 * when the URI is as it came. */
const char *tc_head_behind_uri(const char *uri);
/* When all headers are there; the texts as tc_server_answer is given them. */
tc_head_fault tc_head_check(struct MHD_Connection *c, const char *behind_uri, const char *method,
                            const char *path, const char *version);

/* ---- answers (server_answer.c) */

/* Takes the body of the answer. NULL: no memory; *full: too much is on its way, and the answer stays. force:
 * however much is. */
struct MHD_Response *tc_answer_response(tc_pending *p, tc_response *r, bool force, bool *full);
/* Does it only read, and has its token as much on its way as it may? */
bool tc_answers_full(tc_server *s, const tc_pending *p);

/* ---- bodies (server_body.c) */

/* How long the body is that comes; 0: none does. The head was checked. */
size_t tc_body_length(struct MHD_Connection *c);
/* MHD_NO: it does not end; hang up. p->refused: it is not kept. */
enum MHD_Result tc_body_take(tc_pending *p, const char *bytes, size_t n);
/* Wipes it and gives its room back. */
void tc_body_end(tc_pending *p);

/* ---- those that wait (server_park.c) */

/* Never 0. */
uint64_t tc_server_name(const tc_server *s, const char *text, size_t n);
/* What changed so far of a study; *ending: the server stops. Read before the coordinator is asked. */
uint64_t tc_server_changes(tc_server *s, uint64_t study, bool *ending);
/* May it be parked now? */
bool tc_server_may_park(const tc_pending *p);
/* It is suspended already. False: something changed since `changes` was read, or it is not to be parked any more;
 * true: it is not the caller's any more. */
bool tc_server_park(tc_server *s, tc_pending *p, uint64_t changes);
/* Those whose time is up ask again; now and then all. */
void tc_server_resume_due(tc_server *s);
void tc_server_resume_all(tc_server *s);
/* The coordinator's notify. */
void tc_server_changed(void *user, const char *study, bool waited_for);

/* ---- listeners (server_events.c) */

/* The answer that goes on, for r->listener. */
enum MHD_Result tc_server_feed(tc_server *s, const tc_pending *p, const tc_response *r);
/* All look for something new. */
void tc_feeds_wake(tc_server *s);
/* Those for whom something was said. */
void tc_feeds_hear(tc_server *s);
/* A heartbeat, if one is due. */
void tc_feeds_heartbeat(tc_server *s);
/* Once for every heartbeat: do their tokens still hold? Waits for the store. */
void tc_feeds_check(tc_server *s);
uint64_t tc_feeds_heartbeat_ms(unsigned asked);

/* ---- rates (server_rate.c); an address may be NULL */

/* asks_per_s, handshakes_per_s 0: no limit; failures_per_s 0: 10. */
tacit_status tc_rate_new(tc_rate **out, unsigned asks_per_s, unsigned failures_per_s,
                         unsigned handshakes_per_s, tacit_error *err);
/* Another clock, before it is first asked. For tests. */
void tc_rate_set_clock(tc_rate *t, uint64_t (*now_ns)(void *user), void *user);
void tc_rate_free(tc_rate *t); /* NULL is allowed */
bool tc_rate_allows(tc_rate *t, const struct sockaddr *a);
/* May it begin a TLS handshake now? */
bool tc_rate_greets(tc_rate *t, const struct sockaddr *a);
/* The address as the table knows it. Never 0. */
uint64_t tc_rate_name(const tc_rate *t, const struct sockaddr *a);
/* Were few of its tokens wrong of late? */
bool tc_rate_trusts(tc_rate *t, const struct sockaddr *a);
/* Its token was not valid. */
void tc_rate_failed(tc_rate *t, const struct sockaddr *a);

/* ---- where they come to (server_listen.c) */

/* E_IO: it cannot be listened at. `text`: the address as it was given. */
tacit_status tc_server_bind(tc_server *s, const tc_address *a, const char *text, tacit_error *err);
/* From here on; s->daemon is there. */
tacit_status tc_server_accept(tc_server *s, tacit_error *err);
/* No more; s->ending is set before. May be called at any time, and twice. */
void tc_server_deafen(tc_server *s);
/* A new connection: how its handshake waits, and that only so many do. */
void tc_server_greet(tc_connection *g);
/* Its end. */
void tc_server_forget(tc_connection *g);
/* Keeps the first 64 bits of an IPv6 address: an owner of one such address has them all. */
void tc_server_network(struct sockaddr_storage *a);

/* ---- connections (server_connection.c) */

tc_connection *tc_connection_of(struct MHD_Connection *c); /* NULL: there was no memory for it */
/* Sets whose turn it is. A turn of the other side must not last too long. g may be NULL. */
void tc_connection_turn(tc_server *s, tc_connection *g, tc_turn turn);
/* MHD has read the first line of a request. */
void *tc_connection_begin(void *user, const char *uri, struct MHD_Connection *c);
/* A request has come to its end. */
void tc_connection_read_all(struct MHD_Connection *c);
void tc_connection_notify(void *user, struct MHD_Connection *c, void **context,
                          enum MHD_ConnectionNotificationCode code);
/* Ends connections whose turn has lasted too long. */
void tc_connection_end_slow(tc_server *s);

/* ---- after their end (server_drain.c) */

/* Before its owner closes it. */
void tc_drain_begin(tc_server *s, int fd);
/* Something came from some of them. */
void tc_drain_read(tc_server *s);
/* Those whose time is up by then leave; UINT64_MAX: all. */
void tc_drain_end(tc_server *s, uint64_t now_ns);
/* Under the lock: how many there are, and the first of them leaves. */
size_t tc_drain_count(const tc_server *s);
void tc_drain_yield(tc_server *s);

#endif
