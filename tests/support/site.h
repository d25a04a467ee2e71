/* site.h - a coordinator behind a socket of its own, for the tests of src/net: born, asked, looked into,
 * ended.
 *
 * Nothing here depends on how fast the machine is. What a test waits for is a condition, looked at again and
 * again (SITE_UNTIL); the limit is for what never comes. */
#ifndef TEST_SITE_H
#define TEST_SITE_H

#include "support/test.h"

#include "net/server_int.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SITE_PATIENCE_MS = 100000 };

typedef struct site {
    tc_store *store;
    tc_coord *coord;
    tc_certificate tls; /* used if asked for */
    tc_server *server;
    char url[64], token[64]; /* the token: of an operator */
} site;

/* Waits until the condition holds. */
#define SITE_UNTIL(condition)                                                                      \
    for (int site_ms = 0; !(condition); site_ms++) {                                               \
        if (site_ms >= SITE_PATIENCE_MS)                                                           \
            fail_msg("never: %s", #condition);                                                     \
        usleep(1000);                                                                              \
    }

/* ---- birth and end ---- */

/* At a store of the test's own, to be left by site_end. `cfg` has what is not the same for all. */
static inline void site_open_at(site *s, tc_store *store, tc_server_config cfg, bool tls)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    *s = (site){.store = store};
    assert_ok(tc_coord_new(&s->coord, &(tc_coord_config){.store = store}, &err));
    assert_ok(tc_coord_operator_token(s->coord, &token, &made, &err));
    snprintf(s->token, sizeof s->token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    if (tls)
        assert_ok(tc_certificate_get(store, "127.0.0.1", &s->tls, &err));
    cfg.coord = s->coord;
    cfg.listen = "127.0.0.1:0";
    cfg.tls = tls ? &s->tls : NULL;
    cfg.threads = 2;
    assert_ok(tc_server_start(&s->server, &cfg, &err));
    snprintf(s->url, sizeof s->url, "%s://127.0.0.1:%u", tls ? "https" : "http",
             tc_server_port(s->server));
}

static inline void site_open(site *s, tc_server_config cfg, bool tls)
{
    tacit_error err = {0};
    tc_store *store;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    site_open_at(s, store, cfg, tls);
}

static inline void site_stop(site *s)
{
    tc_server_stop(s->server);
    s->server = NULL;
}

/* All but the store. */
static inline void site_end(site *s)
{
    site_stop(s);
    tc_certificate_fini(&s->tls);
    tc_coord_free(s->coord);
}

static inline void site_close(site *s)
{
    site_end(s);
    tc_store_close(s->store);
}

static inline int site_setup(void **state)
{
    static site s; /* of the test that runs */
    site_open(&s, (tc_server_config){0}, false);
    *state = &s;
    return 0;
}

static inline int site_teardown(void **state)
{
    site_close(*state);
    return 0;
}

#define AT_SITE(test) cmocka_unit_test_setup_teardown(test, site_setup, site_teardown)

/* ---- the coordinator itself, without a socket ---- */

/* The body of the answer is added to *answer, which may be NULL. */
static inline void site_call(site *s, const char *method, const char *path, const char *body,
                             int expected, tc_text *answer)
{
    tc_request q = {.method = method,
                    .path = path,
                    .bearer = s->token,
                    .body = body,
                    .n_body = body ? strlen(body) : 0};
    tc_response r = {0};
    tc_coord_handle(s->coord, &q, &r);
    assert_int_equal(r.status, expected);
    if (answer)
        tc_text_add(answer, tc_text_get(&r.body));
    tc_response_fini(&r);
}

/* A federated study, whose first round nobody closes. */
static inline void site_make_study(site *s, const char *name)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"document\": {\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": 12,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"
             " \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}}",
             name);
    site_call(s, "POST", "/v1/studies", text, 201, NULL);
}

/* ---- sockets ---- */

static inline int site_connect(const site *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tc_server_port(s->server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static inline void site_say(int fd, const char *bytes, size_t n)
{
    for (ssize_t k; n > 0; bytes += k, n -= (size_t)k) {
        k = send(fd, bytes, n, MSG_NOSIGNAL);
        assert_true(k > 0);
    }
}

/* What is there now, or what comes next. False: the other side has ended it. */
static inline bool site_hear(int fd, tc_text *out)
{
    char piece[2048];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, SITE_PATIENCE_MS) != 1)
        fail_msg("nothing comes after: %s", tc_text_get(out));
    ssize_t n = recv(fd, piece, sizeof piece, 0);
    if (n > 0)
        tc_text_add_bytes(out, piece, (size_t)n);
    return n > 0;
}

/* An answer, with all of its body. */
static inline bool site_is_whole(const tc_text *answer)
{
    const char *end = strstr(tc_text_get(answer), "\r\n\r\n");
    const char *length = strstr(tc_text_get(answer), "Content-Length: ");
    size_t n;
    return end && length && sscanf(length, "Content-Length: %zu", &n) == 1 && strlen(end + 4) >= n;
}

static inline void site_hear_answer(int fd, tc_text *out)
{
    while (!site_is_whole(out))
        assert_true(site_hear(fd, out));
}

/* Of an answer; 0: it is none. */
static inline int site_status(const tc_text *answer)
{
    int status = 0;
    (void)sscanf(tc_text_get(answer), "HTTP/1.1 %d", &status);
    return status;
}

/* ---- inside ---- */

/* Requests that are held until their study changes. */
static inline size_t site_held(const site *s)
{
    size_t n = 0;
    pthread_mutex_lock(&s->server->lock);
    for (size_t i = 0; i < TC_SHARES; i++)
        n += s->server->shares[i].parked;
    pthread_mutex_unlock(&s->server->lock);
    return n;
}

/* Connections that are read on after their end. */
static inline size_t site_draining(const site *s)
{
    pthread_mutex_lock(&s->server->lock);
    size_t n = tc_drain_count(s->server);
    pthread_mutex_unlock(&s->server->lock);
    return n;
}

/* Bytes of bodies that have their room. */
static inline size_t site_bodies(const site *s)
{
    pthread_mutex_lock(&s->server->lock);
    size_t n = s->server->bodies;
    pthread_mutex_unlock(&s->server->lock);
    return n;
}

#endif
