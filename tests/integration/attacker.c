/* attacker.c - attacks on a coordinator that cost their sender next to nothing, for attack_live_test.sh.
 *
 *   attacker hellos PORT GROUP N               records one ClientHello whose only group is GROUP and replays it on N
 *                                              connections; prints "answered A refused R": on how many the server
 *                                              began a handshake, and how many it refused before
 *   attacker crowd PORT PATH N [TOKEN [BODY]]  N connections ask for PATH at once, with a body by POST; prints "status
 *                                              S count C" for each status that came (0: no answer)
 *   attacker unread PORT PATH N [TOKEN]        the same, and then nothing of the answers is read but their first
 *                                              line until standard input ends
 *
 * All connections go to 127.0.0.1, and there are at most 1,000. It ends with status 1 if the server refuses what
 * the attack needs. */
#include "abuser_line.h"

#include <poll.h>
#include <signal.h>

enum { MOST = 1000, HELLO_MOST = 16384, PATIENCE_MS = 100000, STATUSES = 600 };

/* ---- one hello, again and again ---- */

typedef struct hello {
    uint8_t bytes[HELLO_MOST];
    size_t n;
} hello;

static ssize_t record(gnutls_transport_ptr_t user, const void *bytes, size_t n)
{
    hello *h = user;
    if (n > sizeof h->bytes - h->n)
        return -1;
    memcpy(h->bytes + h->n, bytes, n);
    h->n += n;
    return (ssize_t)n;
}

/* Nobody answers. */
static ssize_t hear_nothing(gnutls_transport_ptr_t user, void *out, size_t n)
{
    (void)user;
    (void)out;
    (void)n;
    return 0;
}

static bool record_hello(hello *h, const char *group)
{
    char priority[128];
    gnutls_session_t tls;
    gnutls_certificate_credentials_t trust;
    snprintf(priority, sizeof priority, "NORMAL:-VERS-ALL:+VERS-TLS1.3:-GROUP-ALL:+GROUP-%s",
             group);
    gnutls_init(&tls, GNUTLS_CLIENT);
    gnutls_certificate_allocate_credentials(&trust);
    gnutls_credentials_set(tls, GNUTLS_CRD_CERTIFICATE, trust);
    bool ok = gnutls_priority_set_direct(tls, priority, NULL) == 0;
    gnutls_transport_set_ptr(tls, h);
    gnutls_transport_set_push_function(tls, record);
    gnutls_transport_set_pull_function(tls, hear_nothing);
    if (ok)
        (void)gnutls_handshake(tls);
    gnutls_deinit(tls);
    gnutls_certificate_free_credentials(trust);
    return ok && h->n > 0;
}

/* The type of a ServerHello's record is "handshake"; a refusal is an alert, or the end. */
static bool is_answered(int s)
{
    uint8_t type = 0;
    struct pollfd p = {.fd = s, .events = POLLIN};
    return poll(&p, 1, PATIENCE_MS) == 1 && recv(s, &type, 1, 0) == 1 && type == 22;
}

static int replay(uint16_t port, const char *group, size_t n)
{
    static hello h;
    static int lines[MOST];
    size_t answered = 0;
    if (!record_hello(&h, group)) {
        printf("attacker: there is no group %s\n", group);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        lines[i] = line_dial(port);
        if (lines[i] >= 0)
            (void)send(lines[i], h.bytes, h.n, MSG_NOSIGNAL);
    }
    for (size_t i = 0; i < n; i++) {
        answered += lines[i] >= 0 && is_answered(lines[i]);
        if (lines[i] >= 0)
            (void)close(lines[i]);
    }
    printf("answered %zu refused %zu\n", answered, n - answered);
    return 0;
}

/* ---- many who ask ---- */

/* What each of them sends. */
typedef struct request {
    const char *path, *token, *body; /* NULL: none */
} request;

/* Each does its handshake, then all ask. */
static bool ask_all(line *lines, uint16_t port, const request *q, size_t n)
{
    char text[4096], token[256] = "", length[64] = "";
    if (q->token)
        snprintf(token, sizeof token, "Authorization: Bearer %s\r\n", q->token);
    if (q->body)
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(q->body));
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n%s", q->body ? "POST" : "GET",
             q->path, token, length, q->body ? q->body : "");
    for (size_t i = 0; i < n; i++)
        if (!line_open(&lines[i], port)) {
            printf("attacker: connection %zu is refused\n", i);
            return false;
        }
    for (size_t i = 0; i < n; i++)
        if (!line_say(&lines[i], text)) {
            printf("attacker: request %zu cannot be sent\n", i);
            return false;
        }
    return true;
}

static void wait_for_the_end(void)
{
    char byte;
    while (read(0, &byte, 1) > 0)
        ;
}

/* The first line of its answer, and no more. A record that is sent after the handshake comes before it. */
static int hear_status(line *l)
{
    char text[13] = "";
    int status = 0;
    for (size_t n = 0; n < sizeof text - 1;) {
        struct pollfd p = {.fd = l->socket, .events = POLLIN};
        if (gnutls_record_check_pending(l->tls) == 0 && poll(&p, 1, PATIENCE_MS) != 1)
            return 0;
        ssize_t k = gnutls_record_recv(l->tls, text + n, sizeof text - 1 - n);
        if (k <= 0 && k != GNUTLS_E_INTERRUPTED && k != GNUTLS_E_AGAIN)
            return 0;
        n += k > 0 ? (size_t)k : 0;
    }
    return sscanf(text, "HTTP/1.%*d %d", &status) == 1 && status < STATUSES ? status : 0;
}

/* Asks, and prints how many were answered how. hold: until standard input ends, nothing more is read. */
static int crowd(uint16_t port, const request *q, size_t n, bool hold)
{
    static line lines[MOST];
    static size_t counts[STATUSES];
    if (!ask_all(lines, port, q, n))
        return 1;
    for (size_t i = 0; i < n; i++)
        counts[hear_status(&lines[i])]++;
    for (int s = 0; s < STATUSES; s++)
        if (counts[s] > 0)
            printf("status %d count %zu\n", s, counts[s]);
    fflush(stdout);
    if (hold)
        wait_for_the_end();
    for (size_t i = 0; i < n; i++)
        line_drop(&lines[i]);
    return 0;
}

int main(int argc, char **argv)
{
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc >= 5) {
        uint16_t port = (uint16_t)strtoul(argv[2], NULL, 10);
        size_t n = strtoul(argv[4], NULL, 10);
        request q = {
            .path = argv[3], .token = argc > 5 ? argv[5] : NULL, .body = argc > 6 ? argv[6] : NULL};
        n = n < MOST ? n : MOST;
        if (strcmp(argv[1], "hellos") == 0)
            return replay(port, argv[3], n);
        if (strcmp(argv[1], "unread") == 0)
            return crowd(port, &q, n, true);
        if (strcmp(argv[1], "crowd") == 0)
            return crowd(port, &q, n, false);
    }
    fprintf(stderr, "usage: attacker hellos|unread|crowd PORT GROUP|PATH N [TOKEN [BODY]]\n");
    return 2;
}
