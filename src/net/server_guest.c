/* server_guest.c - connections, and how long the other side has let us wait.
 *
 * It is their turn until a request is complete, and again while they take the answer. Who needs too
 * long for it loses the connection. Called by server.c and server_request.c. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/memory.h"

#include <sys/socket.h>

enum { HEADERS_MOST_S = 10 };

tc_guest *tc_guest_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void tc_guest_turn(tc_server *s, tc_guest *g, bool theirs)
{
    if (!g)
        return;
    pthread_mutex_lock(&s->lock);
    g->since_ns = theirs ? tc_clock_ns() : 0;
    g->in_headers = false;
    pthread_mutex_unlock(&s->lock);
}

void *tc_guest_begins(void *user, const char *uri, struct MHD_Connection *c)
{
    tc_server *s = user;
    tc_guest *g = tc_guest_of(c);
    (void)uri;
    if (!g)
        return NULL;
    pthread_mutex_lock(&s->lock);
    g->since_ns = tc_clock_ns();
    g->in_headers = true;
    pthread_mutex_unlock(&s->lock);
    return NULL; /* what tc_server_answer finds as its state */
}

static void greet(tc_server *s, struct MHD_Connection *c, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    tc_guest *g = tc_alloc(1, sizeof *g);
    *context = g;
    if (!g)
        return;
    g->fd = info ? info->connect_fd : -1;
    g->server = s;
    g->connection = c;
    g->since_ns = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    g->next = s->guests;
    if (g->next)
        g->next->previous = g;
    s->guests = g;
    pthread_mutex_unlock(&s->lock);
    tc_server_greet(g);
}

static void dismiss(tc_server *s, tc_guest *g)
{
    if (!g)
        return;
    pthread_mutex_lock(&s->lock);
    if (g->next)
        g->next->previous = g->previous;
    if (g->previous)
        g->previous->next = g->next;
    else
        s->guests = g->next;
    pthread_mutex_unlock(&s->lock);
    tc_free(g);
}

/* MHD tells of the end before it closes the descriptor, so that in the list it is ours. */
void tc_guest_meet(void *user, struct MHD_Connection *c, void **context,
                   enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        greet(user, c, context);
    else
        dismiss(user, *context);
}

/* MHD's own limit is about silence; a byte now and then would hold a connection for ever. */
void tc_guest_part(tc_server *s)
{
    uint64_t now = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    for (tc_guest *g = s->guests; g; g = g->next) {
        uint64_t most_s = (g->in_headers || g->asleep) && s->request_most_s > HEADERS_MOST_S
                              ? HEADERS_MOST_S
                              : s->request_most_s;
        if (g->since_ns > 0 && now > g->since_ns + most_s * UINT64_C(1000000000) && g->fd >= 0)
            (void)shutdown(g->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&s->lock);
}
