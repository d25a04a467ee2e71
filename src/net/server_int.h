/* server_int.h - what the files of the server share. Nobody else includes it.
 *
 *   server.c          birth, the clock, end
 *   server_request.c  one request, from its headers to its answer
 *   server_hold.c     requests that wait for something to change
 *   server_guest.c    connections that are too slow */
#ifndef TC_NET_SERVER_INT_H
#define TC_NET_SERVER_INT_H

#include "net/server.h"

#include <microhttpd.h>
#include <pthread.h>

/* A connection: how long has the other side let us wait? */
typedef struct tc_guest {
    int fd;
    uint64_t since_ns; /* it is its turn since; 0: it is ours */
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
    uint64_t until_ns; /* held no longer than this; 0: not to be held */
    struct tc_pending *next;
} tc_pending;

struct tc_server {
    tc_coord *coord;
    size_t body_max;
    uint64_t request_most_s;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* everything below */
    pthread_cond_t wake;
    pthread_t ticker;
    bool ticking, ending, due;
    uint64_t changes;
    tc_pending *held;
    uint64_t asking; /* requests that have begun */
    size_t bodies;   /* bytes that are reserved for them */
    tc_guest *guests;
};

/* ---- requests (server_request.c): what MHD calls */

enum MHD_Result tc_server_answer(void *user, struct MHD_Connection *c, const char *path,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **state);
void tc_server_end(void *user, struct MHD_Connection *c, void **state,
                   enum MHD_RequestTerminationCode code);
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
void tc_server_changed(void *user, const char *study, const char *event);

/* ---- connections (server_guest.c) */

tc_guest *tc_guest_of(struct MHD_Connection *c); /* NULL: there was no memory for it */
/* Whose turn is it? Theirs must not last too long. g may be NULL. */
void tc_guest_turn(tc_server *s, tc_guest *g, bool theirs);
void tc_guest_meet(void *user, struct MHD_Connection *c, void **context,
                   enum MHD_ConnectionNotificationCode code);
/* Ends connections whose turn has lasted too long. */
void tc_guest_part(tc_server *s);

#endif
