/* server_connection.c - connections, and how long the other side has let us wait.
 *
 * It is their turn until a request is complete, and again while they take the answer. Who needs too
 * long for it loses the connection. Called by server.c and server_request.c. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/memory.h"

#include <sys/socket.h>

tc_connection *tc_connection_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void tc_connection_turn(tc_server *s, tc_connection *conn, tc_turn turn)
{
    if (!conn)
        return;
    pthread_mutex_lock(&s->lock);
    conn->since_ns = tc_clock_ns();
    conn->turn = turn;
    pthread_mutex_unlock(&s->lock);
}

void *tc_connection_begin(void *user, const char *uri, struct MHD_Connection *c)
{
    tc_connection *conn = tc_connection_of(c);
    tc_connection_turn(user, conn, TC_TURN_HEADERS);
    if (conn) {
        conn->unread = true;
        conn->behind_uri = tc_head_behind_uri(uri);
    }
    return NULL; /* what tc_server_answer finds as its state */
}

void tc_connection_read_all(struct MHD_Connection *c)
{
    tc_connection *conn = tc_connection_of(c);
    if (conn)
        conn->unread = false;
}

static void greet(tc_server *s, struct MHD_Connection *c, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    tc_connection *conn = tc_alloc(1, sizeof *conn);
    *context = conn;
    if (!conn)
        return;
    conn->fd = info ? info->connect_fd : -1;
    conn->server = s;
    conn->connection = c;
    conn->turn = TC_TURN_IDLE;
    conn->since_ns = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    conn->next = s->connections;
    if (conn->next)
        conn->next->previous = conn;
    s->connections = conn;
    s->n_connections++;
    pthread_mutex_unlock(&s->lock);
    tc_server_greet(conn);
}

static void dismiss(tc_server *s, tc_connection *conn)
{
    if (!conn)
        return;
    tc_server_forget(conn);
    pthread_mutex_lock(&s->lock);
    if (conn->next)
        conn->next->previous = conn->previous;
    if (conn->previous)
        conn->previous->next = conn->next;
    else
        s->connections = conn->next;
    s->n_connections--;
    pthread_mutex_unlock(&s->lock);
    if (conn->drains && conn->fd >= 0)
        tc_drain_begin(s, conn->fd);
    tc_free(conn);
}

/* MHD tells of the end before it closes the descriptor, so that in the list it is ours. */
void tc_connection_notify(void *user, struct MHD_Connection *c, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        greet(user, c, context);
    else
        dismiss(user, *context);
}

/* MHD's own limit is about silence; a byte now and then would hold a connection for ever. Who says
 * nothing at all between two requests has that limit, so a first line has no more. */
static uint64_t most_s(const tc_server *s, const tc_connection *conn)
{
    uint64_t most = s->request_most_s;
    if (conn->turn == TC_TURN_HEADERS || conn->asleep)
        most = s->headers_most_s;
    else if (conn->turn == TC_TURN_IDLE)
        most = TC_IDLE_MOST_S;
    return most < s->request_most_s ? most : s->request_most_s;
}

void tc_connection_end_slow(tc_server *s)
{
    uint64_t now = tc_clock_ns();
    pthread_mutex_lock(&s->lock);
    for (tc_connection *conn = s->connections; conn; conn = conn->next)
        if (conn->turn != TC_TURN_OURS && conn->fd >= 0 &&
            now > conn->since_ns + most_s(s, conn) * UINT64_C(1000000000))
            (void)shutdown(conn->fd, SHUT_RDWR);
    pthread_mutex_unlock(&s->lock);
}
