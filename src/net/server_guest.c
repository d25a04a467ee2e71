/* server_guest.c - connections, and how long the other side has let us wait.
 *
 * It is their turn until a request is complete, and again while they take the answer. Who needs too
 * long for it loses the connection. Called by server.c and server_request.c. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/memory.h"

#include <sys/socket.h>

tc_guest *tc_guest_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void tc_guest_turn(tc_server *s, tc_guest *g, tc_turn turn)
{
    if (!g)
        return;
    pthread_mutex_lock(&s->lock);
    g->since_ns = tc_clock_ns();
    g->turn = turn;
    pthread_mutex_unlock(&s->lock);
}

void *tc_guest_begins(void *user, const char *uri, struct MHD_Connection *c)
{
    tc_guest *g = tc_guest_of(c);
    tc_guest_turn(user, g, TC_TURN_HEADERS);
    if (g) {
        g->unread = true;
        g->behind_uri = tc_head_behind_uri(uri);
    }
    return NULL; /* what tc_server_answer finds as its state */
}

void tc_guest_said_all(struct MHD_Connection *c)
{
    tc_guest *g = tc_guest_of(c);
    if (g)
        g->unread = false;
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
    g->turn = TC_TURN_IDLE;
    g->since_ns = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    g->next = s->guests;
    if (g->next)
        g->next->previous = g;
    s->guests = g;
    s->n_guests++;
    pthread_mutex_unlock(&s->lock);
    tc_server_greet(g);
}

static void dismiss(tc_server *s, tc_guest *g)
{
    if (!g)
        return;
    tc_server_forget(g);
    pthread_mutex_lock(&s->lock);
    if (g->next)
        g->next->previous = g->previous;
    if (g->previous)
        g->previous->next = g->next;
    else
        s->guests = g->next;
    s->n_guests--;
    pthread_mutex_unlock(&s->lock);
    if (g->lingers && g->fd >= 0)
        tc_linger_begin(s, g->fd);
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

/* MHD's own limit is about silence; a byte now and then would hold a connection for ever. Who says
 * nothing at all between two requests has that limit, so a first line has no more. */
static uint64_t most_s(const tc_server *s, const tc_guest *g)
{
    uint64_t most = s->request_most_s;
    if (g->turn == TC_TURN_HEADERS || g->asleep)
        most = s->headers_most_s;
    else if (g->turn == TC_TURN_IDLE)
        most = TC_IDLE_MOST_S;
    return most < s->request_most_s ? most : s->request_most_s;
}

void tc_guest_part(tc_server *s)
{
    uint64_t now = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    for (tc_guest *g = s->guests; g; g = g->next)
        if (g->turn != TC_TURN_OURS && g->fd >= 0 &&
            now > g->since_ns + most_s(s, g) * UINT64_C(1000000000))
            (void)shutdown(g->fd, SHUT_RDWR);
    pthread_mutex_unlock(&s->lock);
}
