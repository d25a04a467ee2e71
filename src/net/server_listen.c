/* server_listen.c - the socket that connections come to, who gets them, and their handshakes.
 *
 * libmicrohttpd's own threads would race for new connections, and when many come at once whoever wakes
 * first takes most of them. A thread that waits for the disk then keeps all those waiting, and messages
 * that could share a sync get one each. So one thread accepts, and hands connections to the threads in
 * turn (MHD_add_connection goes by the descriptor's number).
 *
 * While a TLS handshake waits for the other side, libmicrohttpd 0.9.75 with epoll tries again and again
 * without a pause: half a handshake would cost a thread. So a connection whose handshake has nothing to
 * read is suspended, and the thread that accepts wakes it when something came. The same thread wakes
 * listeners, a little after something was said: so many events at once wake them once.
 *
 * A handshake costs the server a key exchange, a signature and a session, and costs who replays a recorded hello
 * nothing. So an address may begin only so many a second (server_rate.c), and only so many of it may be unfinished at
 * once: the oldest of the same address gives way. Who shares an address with an attacker still gets in then, for
 * an honest handshake is over long before it is the oldest. Called by server.c, server_connection.c
 * and coordinator_api.c. */
#include "net/server_int.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    BACKLOG = 1024,
    PAUSE_NS = 20000000,
    EVENTS = 64,
    HEAR_MS = 20,
    SEND_BUFFER =
        128
        << 10, /* bytes of the system's for a connection, which doubles it; left alone, it grows to
                              * megabytes for who does not read */
    GREETING_MOST = 4096 /* handshakes that are not over, of all addresses */
};

/* ---- handshakes that are not over, under the lock ---- */

static void add_greeting(tc_server *s, tc_connection *conn)
{
    conn->greets = true;
    conn->older = s->newest_greeting;
    if (conn->older)
        conn->older->newer = conn;
    else
        s->oldest_greeting = conn;
    s->newest_greeting = conn;
    s->n_greeting++;
    s->greeting[conn->from % TC_SHARES]++;
}

static void remove_greeting(tc_server *s, tc_connection *conn)
{
    if (!conn->greets)
        return;
    if (conn->older)
        conn->older->newer = conn->newer;
    else
        s->oldest_greeting = conn->newer;
    if (conn->newer)
        conn->newer->older = conn->older;
    else
        s->newest_greeting = conn->older;
    conn->greets = false;
    s->n_greeting--;
    s->greeting[conn->from % TC_SHARES]--;
}

/* Ends the oldest of those on the same place of the table as `from`; 0: of all. */
static void drop_greeting(tc_server *s, uint64_t from)
{
    tc_connection *conn = s->oldest_greeting;
    while (conn && from > 0 && conn->from % TC_SHARES != from % TC_SHARES)
        conn = conn->newer;
    if (!conn)
        return;
    (void)shutdown(conn->fd, SHUT_RDWR); /* its thread notices, and closes it */
    remove_greeting(s, conn);
}

static void begin_greeting(tc_server *s, tc_connection *conn)
{
    pthread_mutex_lock(&s->lock);
    if (s->greeting[conn->from % TC_SHARES] >= TC_GREETING_SHARE)
        drop_greeting(s, conn->from);
    if (s->n_greeting >= GREETING_MOST)
        drop_greeting(s, 0);
    add_greeting(s, conn);
    pthread_mutex_unlock(&s->lock);
}

/* ---- handshakes ---- */

/* Is it to sleep until the other side says something? */
static void sleep_until_readable(tc_connection *conn)
{
    tc_server *s = conn->server;
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = conn};
    pthread_mutex_lock(&s->lock);
    if (!s->ending && !conn->asleep) {
        MHD_suspend_connection(conn->connection);
        conn->asleep = true;
        if (epoll_ctl(s->doors, conn->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, conn->fd, &e) == 0) {
            conn->known = true;
        } else { /* then it tries again and again */
            conn->asleep = false;
            MHD_resume_connection(conn->connection);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void wake(tc_connection *conn)
{
    if (!conn->asleep)
        return;
    conn->asleep = false;
    MHD_resume_connection(conn->connection);
}

/* The client's Finished is the last that a handshake reads. GnuTLS forgets which message came last
 * once the handshake is over, so it is kept. */
static int note_finished(gnutls_session_t tls, unsigned type, unsigned when, unsigned incoming,
                         const gnutls_datum_t *message)
{
    tc_connection *conn = gnutls_transport_get_ptr(tls);
    (void)type;
    (void)when;
    (void)message;
    if (incoming) {
        conn->greeted = true;
        pthread_mutex_lock(&conn->server->lock);
        remove_greeting(conn->server, conn);
        pthread_mutex_unlock(&conn->server->lock);
    }
    return 0;
}

/* GnuTLS reads through this. After the handshake it never sleeps here: a connection that was held and
 * is to answer may look for more first. */
static ssize_t pull(gnutls_transport_ptr_t user, void *out, size_t n)
{
    tc_connection *conn = user;
    ssize_t got = recv(conn->fd, out, n, 0);
    int why = errno;
    if (got < 0) {
        bool empty = why == EAGAIN || why == EWOULDBLOCK;
        if (empty && !conn->greeted)
            sleep_until_readable(conn);
        gnutls_transport_set_errno(conn->tls, why);
    }
    return got;
}

void tc_server_greet(tc_connection *conn)
{
    gnutls_transport_ptr_t in, out;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(conn->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    if (!info || !info->tls_session || conn->fd < 0)
        return;
    conn->tls = info->tls_session;
    info = MHD_get_connection_info(conn->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    conn->from = tc_rate_name(conn->server->rate, info ? info->client_addr : NULL);
    begin_greeting(conn->server, conn);
    gnutls_transport_get_ptr2(conn->tls, &in, &out);
    gnutls_transport_set_ptr2(conn->tls, conn, out);
    gnutls_transport_set_pull_function(conn->tls, pull);
    gnutls_handshake_set_hook_function(conn->tls, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST,
                                       note_finished);
}

/* Its socket may stay open for a while, and must not wake one that is no more. */
void tc_server_forget(tc_connection *conn)
{
    if (conn->known)
        (void)epoll_ctl(conn->server->doors, EPOLL_CTL_DEL, conn->fd, NULL);
    pthread_mutex_lock(&conn->server->lock);
    remove_greeting(conn->server, conn);
    pthread_mutex_unlock(&conn->server->lock);
}

/* ---- accepting ---- */

/* Where there is no descriptor left, a short pause: a connection that ends makes room. */
static bool is_passing(int why)
{
    return why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM;
}

void tc_server_network(struct sockaddr_storage *a)
{
    struct in6_addr *six = &((struct sockaddr_in6 *)a)->sin6_addr;
    if (a->ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(six))
        memset(six->s6_addr + 8, 0, 8);
}

/* A thread of libmicrohttpd 0.9.75 that gets one connection more than its limit keeps a lock for ever: it
 * must not come to that. A few that are on their way to their thread are not counted yet. */
static bool is_full(tc_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool full = s->n_connections >= s->connections_most;
    if (!full && s->n_connections + tc_drain_count(s) >= s->connections_most)
        tc_drain_yield(s); /* its descriptor is needed */
    pthread_mutex_unlock(&s->lock);
    return full;
}

static void accept_one(tc_server *s)
{
    struct sockaddr_storage from = {0};
    socklen_t n = sizeof from;
    int fd = accept4(s->listener, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
    tc_server_network(&from);
    if (fd >= 0 && is_full(s)) {
        close(fd);
    } else if (fd >= 0 && !tc_rate_greets(s->rate, (struct sockaddr *)&from)) {
        close(fd);
        tc_coord_count_refused(s->coord);
    } else if (fd >= 0) {
        (void)MHD_add_connection(s->daemon, fd, (struct sockaddr *)&from, n); /* or closes it */
    } else if (is_passing(errno)) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}

/* Handles an event of epoll: on the listener, the bell, or a connection that is suspended. */
static void open_door(tc_server *s, void *who)
{
    uint64_t rings;
    if (who == &s->listener) {
        accept_one(s);
    } else if (who == &s->bell) {
        (void)!read(s->bell, &rings, sizeof rings);
    } else if (who == &s->parting) {
        tc_drain_read(s);
    } else {
        pthread_mutex_lock(&s->lock);
        wake(who);
        pthread_mutex_unlock(&s->lock);
    }
}

/* False: the server ends. *rung: listeners are to be woken. */
static bool look_around(tc_server *s, bool *rung)
{
    pthread_mutex_lock(&s->lock);
    bool ending = s->ending;
    *rung = s->rung;
    pthread_mutex_unlock(&s->lock);
    return !ending;
}

/* Where no descriptor is left accept4 fails even on a listener that is shut: what ends this is s->ending. */
static void *run_acceptor(void *user)
{
    tc_server *s = user;
    struct epoll_event events[EVENTS];
    uint64_t hear_ns = 0; /* when listeners are woken; 0: they are not */
    for (bool rung; look_around(s, &rung);) {
        uint64_t now = tc_clock_ns();
        if (rung && hear_ns == 0)
            hear_ns = now + HEAR_MS * UINT64_C(1000000);
        if (hear_ns > 0 && now >= hear_ns) {
            tc_feeds_hear(s);
            hear_ns = 0;
        }
        int n = epoll_wait(s->doors, events, EVENTS, hear_ns > 0 ? HEAR_MS : -1);
        for (int i = 0; i < n; i++)
            open_door(s, events[i].data.ptr);
    }
    return NULL;
}

static tacit_status cannot(const char *text, tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "%s cannot be listened at: %s", text, strerror(errno));
}

tacit_status tc_server_bind(tc_server *s, const tc_address *a, const char *text, tacit_error *err)
{
    int one = 1, room = SEND_BUFFER;
    s->doors = epoll_create1(EPOLL_CLOEXEC);
    s->parting = epoll_create1(EPOLL_CLOEXEC);
    s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    socklen_t size = a->v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    s->listener = socket(a->v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listener < 0 || s->doors < 0 || s->bell < 0 || s->parting < 0)
        return cannot(text, err);
    (void)setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    (void)setsockopt(s->listener, SOL_SOCKET, SO_SNDBUF, &room,
                     sizeof room); /* connections inherit it */
    if (a->v6)
        (void)setsockopt(s->listener, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(s->listener, (const struct sockaddr *)&a->at, size) != 0 ||
        listen(s->listener, BACKLOG) != 0)
        return cannot(text, err);
    return TACIT_OK;
}

tacit_status tc_server_accept(tc_server *s, tacit_error *err)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = &s->listener};
    struct epoll_event bell = {.events = EPOLLIN, .data.ptr = &s->bell};
    struct epoll_event parting = {.events = EPOLLIN, .data.ptr = &s->parting};
    if (epoll_ctl(s->doors, EPOLL_CTL_ADD, s->listener, &e) != 0 ||
        epoll_ctl(s->doors, EPOLL_CTL_ADD, s->parting, &parting) != 0 ||
        epoll_ctl(s->doors, EPOLL_CTL_ADD, s->bell, &bell) != 0)
        return tc_fail(err, TACIT_E_IO, "the server cannot be started: %s", strerror(errno));
    s->accepting = pthread_create(&s->acceptor, NULL, run_acceptor, s) == 0;
    return s->accepting ? TACIT_OK : tc_fail_memory(err);
}

/* s->ending is set: nobody falls asleep any more. */
void tc_server_deafen(tc_server *s)
{
    if (s->bell >= 0)
        (void)!write(s->bell, &(uint64_t){1}, sizeof(uint64_t));
    if (s->accepting)
        pthread_join(s->acceptor, NULL);
    pthread_mutex_lock(&s->lock);
    for (tc_connection *conn = s->connections; conn; conn = conn->next)
        wake(conn);
    pthread_mutex_unlock(&s->lock);
    if (s->listener >= 0)
        close(s->listener);
    s->accepting = false;
    s->listener = -1;
}

uint16_t tc_server_port(const tc_server *s)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } at;
    socklen_t n = sizeof at;
    memset(&at, 0, sizeof at);
    if (getsockname(s->listener, &at.any, &n) != 0)
        return 0;
    return ntohs(at.any.sa_family == AF_INET6 ? at.six.sin6_port : at.four.sin_port);
}
