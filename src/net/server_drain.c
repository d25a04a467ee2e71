/* server_drain.c - connections that were answered before their request was read to its end.
 *
 * Who is refused by its headers is still sending. A socket that is closed with unread bytes in it resets the
 * connection, and then the other side fails to send and never reads why. So such a connection is closed in
 * two steps (RFC 9112, section 9.6): first our half, and what still comes is thrown away, until the other
 * side closes its own, or has had its time or its bytes.
 *
 * libmicrohttpd closes its descriptor; ours is a second one of the same socket, without any of what a request
 * needs. There are few places, and who needs one when there is none takes that of who has had it longest;
 * nor does anybody stay whose descriptor a new connection needs. Called by server.c, server_connection.c and
 * server_listen.c. */
#include "net/server_int.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_S = 30,        /* for one of them */
    MOST = 32 << 20,    /* bytes of one: several times what a body may have */
    AT_ONCE = 64 << 10, /* so many, then it is another's turn, for the lock as well */
    EVENTS = 16
};

/* ---- places, under the lock ---- */

static void leave(tc_draining *l)
{
    if (l->until_ns > 0)
        close(l->fd); /* and so it is in no epoll any more */
    *l = (tc_draining){0};
}

/* The connection whose time ends first, but not before after_ns; NULL: there is none. */
static tc_draining *oldest(tc_server *s, uint64_t after_ns)
{
    tc_draining *best = NULL;
    for (tc_draining *l = s->draining; l < s->draining + TC_DRAINING; l++)
        if (l->until_ns >= after_ns && (!best || l->until_ns < best->until_ns))
            best = l;
    return best;
}

void tc_drain_yield(tc_server *s)
{
    tc_draining *l = oldest(s, 1);
    if (l)
        leave(l);
}

size_t tc_drain_count(const tc_server *s)
{
    size_t n = 0;
    for (size_t i = 0; i < TC_DRAINING; i++)
        n += s->draining[i].until_ns > 0;
    return n;
}

/* ---- what comes ---- */

static void throw_away(tc_draining *l)
{
    char waste[16 << 10];
    size_t sum = 0;
    ssize_t n = 1;
    while (n > 0 && sum < AT_ONCE && sum < l->left) {
        n = recv(l->fd, waste, sizeof waste, MSG_DONTWAIT);
        sum += n > 0 ? (size_t)n : 0;
    }
    bool quiet = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    if (sum >= l->left || (n <= 0 && !quiet))
        leave(l);
    else
        l->left -= sum;
}

void tc_drain_read(tc_server *s)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(s->parting, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        tc_draining *l = events[i].data.ptr;
        pthread_mutex_lock(&s->lock); /* one at a time: new connections wait for it, too */
        if (l->until_ns > 0)          /* or another's by now, who may have sent nothing */
            throw_away(l);
        pthread_mutex_unlock(&s->lock);
    }
}

/* ---- begin and end ---- */

void tc_drain_begin(tc_server *s, int fd)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP};
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return;
    (void)shutdown(own, SHUT_WR);
    pthread_mutex_lock(&s->lock);
    tc_draining *l = e.data.ptr = oldest(s, 0); /* one that is free, if there is */
    leave(l);
    *l = (tc_draining){
        .fd = own, .until_ns = tc_clock_ns() + MOST_S * UINT64_C(1000000000), .left = MOST};
    if (epoll_ctl(s->parting, EPOLL_CTL_ADD, own, &e) != 0)
        leave(l);
    pthread_mutex_unlock(&s->lock);
}

void tc_drain_end(tc_server *s, uint64_t now_ns)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < TC_DRAINING; i++)
        if (s->draining[i].until_ns < now_ns)
            leave(&s->draining[i]);
    pthread_mutex_unlock(&s->lock);
}
