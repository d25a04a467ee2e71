/* server_events.c - listeners of /v1/events: an answer that goes on, without a thread and without a buffer.
 *
 * libmicrohttpd asks for the next bytes, which come from the coordinator's ring of events straight into
 * the connection's own buffer; when there are none the connection is suspended, until something
 * was said of its study or a heartbeat is due. A heartbeat is a comment. It finds out who is gone: the system gives
 * up a connection whose bytes nobody acknowledges (TCP_USER_TIMEOUT), and who takes nothing for some
 * heartbeats is cut off. Called by server.c, server_request.c and server_listen.c. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/memory.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

enum {
    HEARTBEAT_MS = 15000,
    MISSED_MOST = 2,        /* heartbeats that somebody may need to take what was sent */
    SEND_BUFFER = 32 << 10, /* bytes of the system's for one listener */
    BLOCK = 4096 /* of an answer that is not in chunks: an event must fit; others need none */
};

struct tc_feed {
    tc_server *server;
    struct MHD_Connection *connection;
    int fd;
    tc_listener listener;
    uint64_t study;     /* of which it hears, by tc_server_name; 0: of all */
    uint64_t heard;     /* how much was said of it when it last looked */
    uint64_t heartbeat; /* the last that it was sent */
    unsigned missed;    /* heartbeats since it was last able to take something */
    bool parked;        /* suspended */
    bool ended;         /* its token holds no more */
    uint64_t id;        /* the how many-th it is */
    struct tc_feed *next, *previous;
};

/* ---- the list, under the server's lock ---- */

static uint64_t said(const tc_server *s, const struct tc_feed *t)
{
    return t->study ? s->events[t->study % TC_WAIT_BUCKETS] : s->n_events;
}

/* A suspended connection stays until it is resumed, and is another thread's afterwards. */
static void wake(tc_server *s, bool all)
{
    for (struct tc_feed *t = s->feeds; t; t = t->next)
        if (t->parked && (all || said(s, t) != t->heard)) {
            t->parked = false;
            MHD_resume_connection(t->connection);
        }
}

void tc_feeds_wake(tc_server *s)
{
    pthread_mutex_lock(&s->lock);
    wake(s, true);
    pthread_mutex_unlock(&s->lock);
}

void tc_feeds_hear(tc_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->rung = false;
    wake(s, false);
    pthread_mutex_unlock(&s->lock);
}

/* ---- heartbeats ---- */

uint64_t tc_feeds_heartbeat_ms(unsigned asked)
{
    return asked > 0 ? asked : HEARTBEAT_MS;
}

/* A listener that is not suspended has not taken its bytes since the last heartbeat. */
static void part_slow(tc_server *s)
{
    for (struct tc_feed *t = s->feeds; t; t = t->next) {
        t->missed = t->parked ? 0 : t->missed + 1;
        if (t->missed > MISSED_MOST && t->fd >= 0)
            (void)shutdown(t->fd, SHUT_RDWR);
    }
}

void tc_feeds_heartbeat(tc_server *s)
{
    uint64_t now = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    if (now - s->heartbeat_ns >= s->heartbeat_ms * UINT64_C(1000000)) {
        s->heartbeat_ns = now;
        s->heartbeats++;
        part_slow(s);
        wake(s, true);
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- tokens ---- */

/* A listener as it is asked about. */
typedef struct bearer {
    uint64_t id;
    tc_listener listener;
} bearer;

/* Those who listen now; NULL: nobody, or no memory for it, which ends nobody. */
static bearer *list_bearers(tc_server *s, size_t *n)
{
    size_t room = 0;
    *n = 0;
    pthread_mutex_lock(&s->lock);
    bool due = s->checked != s->heartbeats;
    s->checked = s->heartbeats;
    for (const struct tc_feed *t = s->feeds; t; t = t->next)
        room++;
    bearer *all = due && room > 0 ? tc_alloc(room, sizeof *all) : NULL;
    for (const struct tc_feed *t = s->feeds; all && t; t = t->next)
        all[(*n)++] = (bearer){.id = t->id, .listener = {.token = t->listener.token}};
    pthread_mutex_unlock(&s->lock);
    return all;
}

static void end_feed(tc_server *s, uint64_t id)
{
    pthread_mutex_lock(&s->lock);
    for (struct tc_feed *t = s->feeds; t; t = t->next)
        t->ended |= t->id == id;
    wake(s, true);
    pthread_mutex_unlock(&s->lock);
}

/* Not called by the threads that send, because it may wait for the store. */
void tc_feeds_check(tc_server *s)
{
    size_t n;
    bearer *all = list_bearers(s, &n);
    for (size_t i = 0; i < n; i++) {
        tc_coord_events_check(s->coord, &all[i].listener);
        if (all[i].listener.ended)
            end_feed(s, all[i].id);
    }
    tc_free(all);
}

/* ---- what one is sent ---- */

/* Before the coordinator is asked. */
static void look(tc_server *s, struct tc_feed *t, bool *ending, bool *due)
{
    pthread_mutex_lock(&s->lock);
    t->heard = said(s, t);
    *ending = s->ending || t->ended;
    *due = t->heartbeat != s->heartbeats;
    t->heartbeat = s->heartbeats;
    t->missed = 0;
    pthread_mutex_unlock(&s->lock);
}

static bool suspend(tc_server *s, struct tc_feed *t)
{
    pthread_mutex_lock(&s->lock);
    bool quiet = !s->ending && !t->ended && said(s, t) == t->heard && s->heartbeats == t->heartbeat;
    if (quiet) {
        MHD_suspend_connection(t->connection);
        t->parked = true;
    }
    pthread_mutex_unlock(&s->lock);
    return quiet;
}

static size_t heartbeat(char *out, size_t size)
{
    static const char comment[] = ":\n\n";
    if (size < sizeof comment - 1)
        return 0;
    memcpy(out, comment, sizeof comment - 1);
    return sizeof comment - 1;
}

static ssize_t read_events(void *user, uint64_t position, char *out, size_t size)
{
    struct tc_feed *t = user;
    tc_server *s = t->server;
    (void)position;
    for (;;) {
        bool ending, due;
        look(s, t, &ending, &due);
        if (ending || t->listener.ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        size_t n = due ? heartbeat(out, size) : 0;
        n += tc_coord_events(s->coord, &t->listener, out + n, size - n);
        if (n > 0)
            return (ssize_t)n;
        if (!t->listener.ended && suspend(s, t))
            return 0;
    }
}

/* ---- birth and end ---- */

static void feed_free(void *user)
{
    struct tc_feed *t = user;
    tc_server *s = t->server;
    pthread_mutex_lock(&s->lock);
    if (t->next)
        t->next->previous = t->previous;
    if (t->previous)
        t->previous->next = t->next;
    else
        s->feeds = t->next;
    pthread_mutex_unlock(&s->lock);
    tc_free(t);
}

/* What is sent to a listener must be taken soon, and little of it waits in the system. */
static int prepare_socket(const tc_server *s, struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    int fd = info ? info->connect_fd : -1, room = SEND_BUFFER;
    unsigned most_ms = (unsigned)(s->heartbeat_ms * MISSED_MOST);
    if (fd >= 0) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &most_ms, sizeof most_ms);
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    }
    return fd;
}

static struct tc_feed *feed_new(tc_server *s, const tc_pending *p, const tc_listener *l)
{
    struct tc_feed *t = tc_alloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->server = s;
    t->connection = p->connection;
    t->fd = prepare_socket(s, p->connection);
    t->listener = *l;
    t->study = *l->study ? tc_server_name(s, l->study, strlen(l->study)) : 0;
    pthread_mutex_lock(&s->lock);
    t->heartbeat = s->heartbeats;
    t->id = ++s->n_feeds;
    t->next = s->feeds;
    if (t->next)
        t->next->previous = t;
    s->feeds = t;
    pthread_mutex_unlock(&s->lock);
    return t;
}

enum MHD_Result tc_server_feed(tc_server *s, const tc_pending *p, const tc_response *r)
{
    struct tc_feed *t = feed_new(s, p, &r->listener);
    if (!t)
        return MHD_NO;
    struct MHD_Response *m = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, p->in_chunks ? 1 : BLOCK, read_events, t, feed_free);
    if (!m) {
        feed_free(t);
        return MHD_NO;
    }
    tc_server_add_headers(m, r, s->next_key);
    MHD_add_response_header(m, "X-Accel-Buffering", "no");
    enum MHD_Result sent = MHD_queue_response(p->connection, (unsigned)r->status, m);
    MHD_destroy_response(m);
    return sent;
}
