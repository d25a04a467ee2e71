/* crowd.c - see crowd.h. One thread, one epoll, GnuTLS on sockets that never block. */
#include "crowd.h"

#include "base/clock.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_MOST = 1024, EVENTS = 256, SILENCE_MS = 60000 };

typedef enum phase { GREETING, IDLE, SENDING, READING, LISTENING, ENDED } phase;

typedef struct member {
    int fd;
    gnutls_session_t tls;
    phase phase;
    bool wants_out;
    crowd_letter *letter;
    size_t sent;
    uint64_t start_ns;
    char head[HEAD_MOST + 1]; /* of the answer */
    size_t got, whole;        /* bytes so far; of the whole answer, once its head is there */
} member;

struct crowd {
    int epoll;
    gnutls_certificate_credentials_t credentials;
    struct sockaddr_in server;
    size_t n, busy;
    member *members;
    member **idle; /* in the order in which they became so: a ring */
    size_t first_idle, n_idle;
};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

/* ---- one connection ---- */

/* What epoll is to wake it for. */
static void watch(crowd *c, member *m, bool out)
{
    struct epoll_event e = {.events = EPOLLIN | (out ? EPOLLOUT : 0U), .data.ptr = m};
    if (m->wants_out != out && epoll_ctl(c->epoll, EPOLL_CTL_MOD, m->fd, &e) != 0)
        die("epoll", strerror(errno));
    m->wants_out = out;
}

static void rest(crowd *c, member *m)
{
    m->phase = IDLE;
    c->idle[(c->first_idle + c->n_idle++) % c->n] = m;
    c->busy--;
}

/* NULL: none. */
static member *take_idle(crowd *c)
{
    while (c->n_idle > 0) {
        member *m = c->idle[c->first_idle];
        c->first_idle = (c->first_idle + 1) % c->n;
        c->n_idle--;
        if (m->phase == IDLE)
            return m;
    }
    return NULL;
}

static void open_member(crowd *c, member *m)
{
    int one = 1;
    m->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (m->fd < 0)
        die("socket", strerror(errno));
    setsockopt(m->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(m->fd, (struct sockaddr *)&c->server, sizeof c->server) != 0 &&
        errno != EINPROGRESS)
        die("connect", strerror(errno));
    gnutls_init(&m->tls, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
    gnutls_set_default_priority(m->tls);
    gnutls_credentials_set(m->tls, GNUTLS_CRD_CERTIFICATE, c->credentials);
    gnutls_transport_set_int(m->tls, m->fd);
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT, .data.ptr = m};
    m->wants_out = true;
    m->phase = GREETING;
    if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, m->fd, &e) != 0)
        die("epoll", strerror(errno));
    c->busy++;
}

static void end_member(crowd *c, member *m)
{
    if (m->phase == ENDED)
        return;
    c->busy -= m->phase != IDLE && m->phase != LISTENING;
    gnutls_deinit(m->tls);
    close(m->fd);
    m->phase = ENDED;
}

static void greet(crowd *c, member *m)
{
    int rc = gnutls_handshake(m->tls);
    if (rc == GNUTLS_E_SUCCESS) {
        watch(c, m, false);
        rest(c, m);
    } else if (gnutls_error_is_fatal(rc)) {
        die("handshake", gnutls_strerror(rc));
    } else {
        watch(c, m, gnutls_record_get_direction(m->tls) == 1);
    }
}

static void send_more(crowd *c, member *m)
{
    const crowd_letter *l = m->letter;
    while (m->sent < l->n) {
        ssize_t k = gnutls_record_send(m->tls, l->bytes + m->sent, l->n - m->sent);
        if (k == GNUTLS_E_AGAIN || k == GNUTLS_E_INTERRUPTED) {
            watch(c, m, true);
            return;
        }
        if (k < 0) {
            end_member(c, m);
            return;
        }
        m->sent += (size_t)k;
    }
    m->phase = READING;
    watch(c, m, false);
}

static void begin(crowd *c, member *m, crowd_letter *l)
{
    m->letter = l;
    m->sent = m->got = m->whole = 0;
    m->start_ns = tc_clock_ns();
    m->phase = SENDING;
    c->busy++;
    send_more(c, m);
}

/* ---- answers ---- */

/* Once the head of the answer is there: its status, and how long it is. */
static void read_head(member *m)
{
    size_t n = m->got < HEAD_MOST ? m->got : HEAD_MOST;
    m->head[n] = 0;
    const char *end = strstr(m->head, "\r\n\r\n");
    if (!end)
        return;
    const char *length = strcasestr(m->head, "\r\nContent-Length:");
    size_t body = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
    m->letter->status = (int)strtol(m->head + strlen("HTTP/1.1 "), NULL, 10);
    m->whole = (size_t)(end + 4 - m->head) + body;
}

static void finish(crowd *c, member *m)
{
    m->letter->took_ns = tc_clock_ns() - m->start_ns;
    rest(c, m);
}

static void take_bytes(crowd *c, member *m, const char *bytes, size_t n)
{
    if (m->phase != READING)
        return;
    size_t room = m->got < HEAD_MOST ? HEAD_MOST - m->got : 0;
    memcpy(m->head + (HEAD_MOST - room), bytes, n < room ? n : room);
    m->got += n;
    if (m->whole == 0)
        read_head(m);
    if (m->whole > 0 && m->got >= m->whole)
        finish(c, m);
}

static void receive(crowd *c, member *m)
{
    char bytes[16384];
    ssize_t k;
    while ((k = gnutls_record_recv(m->tls, bytes, sizeof bytes)) > 0)
        take_bytes(c, m, bytes, (size_t)k);
    if (k == 0 || (k < 0 && gnutls_error_is_fatal((int)k)))
        end_member(c, m);
}

/* ---- all of them ---- */

/* False: nothing came for so long. */
static bool step(crowd *c, int ms)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(c->epoll, events, EVENTS, ms);
    for (int i = 0; i < n; i++) {
        member *m = events[i].data.ptr;
        if (m->phase == GREETING)
            greet(c, m);
        else if (m->phase == SENDING)
            send_more(c, m);
        else if (m->phase != ENDED)
            receive(c, m);
    }
    return n > 0;
}

static void step_or_die(crowd *c)
{
    if (!step(c, SILENCE_MS))
        die("the server", "does not answer");
}

static void need_files(size_t n)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max < n + 64)
        die("connections", "there are more than the limit on open files allows");
}

crowd *crowd_connect(uint16_t port, size_t n, size_t at_once)
{
    crowd *c = tc_alloc(1, sizeof *c);
    member *members = tc_alloc(n, sizeof *members), **idle = tc_alloc(n, sizeof *idle);
    if (!c || !members || !idle)
        die("connections", "no memory");
    need_files(n);
    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    gnutls_certificate_allocate_credentials(&c->credentials);
    c->server = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    c->n = n;
    c->members = members;
    c->idle = idle;
    for (size_t i = 0; i < n || c->busy > 0;)
        if (i < n && c->busy < at_once)
            open_member(c, &c->members[i++]);
        else
            step_or_die(c);
    return c;
}

void crowd_send(crowd *c, crowd_letter *letters, size_t n, size_t at_once)
{
    for (size_t i = 0; i < n || c->busy > 0;) {
        member *m = i < n && c->busy < at_once ? take_idle(c) : NULL;
        if (m)
            begin(c, m, &letters[i++]);
        else if (c->busy > 0)
            step_or_die(c);
        else
            die("the server", "has ended all connections");
    }
}

/* An answer without a length ends for us with its head; what follows is taken and forgotten. */
void crowd_listen(crowd *c, const crowd_letter *request)
{
    crowd_letter *copies = tc_alloc(c->n, sizeof *copies);
    if (!copies)
        die("listeners", "no memory");
    for (size_t i = 0; i < c->n; i++)
        copies[i] = *request;
    crowd_send(c, copies, c->n, c->n);
    for (size_t i = 0; i < c->n; i++) {
        if (copies[i].status != 200)
            die("a listener", "was refused");
        c->members[i].phase = LISTENING;
        c->members[i].letter = NULL;
    }
    c->n_idle = 0;
    tc_free(copies);
}

size_t crowd_drain(crowd *c, int ms)
{
    uint64_t end = tc_clock_ns() + (uint64_t)ms * 1000000;
    size_t ended = 0;
    for (uint64_t now = tc_clock_ns(); now < end; now = tc_clock_ns())
        step(c, (int)((end - now) / 1000000) + 1);
    for (size_t i = 0; i < c->n; i++)
        ended += c->members[i].phase == ENDED;
    return ended;
}

void crowd_close(crowd *c)
{
    for (size_t i = 0; i < c->n; i++)
        end_member(c, &c->members[i]);
    gnutls_certificate_free_credentials(c->credentials);
    close(c->epoll);
    tc_free(c->members);
    tc_free(c->idle);
    tc_free(c);
}
