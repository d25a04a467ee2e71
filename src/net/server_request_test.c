/* server_request_test.c - requests as they should not be, byte by byte: what they are answered, and that
 * nobody else suffers. */
#include "support/test.h"

#include "base/memory.h"
#include "net/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE = 400 /* times 25 ms */, MIB = 1 << 20 };

typedef struct site {
    tc_store *store;
    tc_coord *coord;
    tc_server *server;
    char token[64];
} site;

static site here;

static int open_site(void **state)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    site *s = &here;
    *s = (site){0};
    assert_ok(tc_store_open(&s->store, "memory:", true, &err));
    assert_ok(tc_coord_new(&s->coord, &(tc_coord_config){.store = s->store}, &err));
    assert_ok(tc_coord_operator_token(s->coord, &token, &made, &err));
    snprintf(s->token, sizeof s->token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    tc_server_config cfg = {.coord = s->coord, .listen = "127.0.0.1:0", .threads = 2};
    assert_ok(tc_server_start(&s->server, &cfg, &err));
    *state = s;
    return 0;
}

static int close_site(void **state)
{
    site *s = *state;
    tc_server_stop(s->server);
    tc_coord_free(s->coord);
    tc_store_close(s->store);
    return 0;
}

static int connect_to(const site *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tc_server_port(s->server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void say(int fd, const char *bytes, size_t n)
{
    for (ssize_t k; n > 0; bytes += k, n -= (size_t)k) {
        k = send(fd, bytes, n, MSG_NOSIGNAL);
        assert_true(k > 0);
    }
}

/* Begins a request with a token; `more` is the rest of its headers. */
static int begin(const site *s, const char *line, const char *token, const char *more)
{
    tc_text t = {0};
    int fd = connect_to(s);
    tc_text_addf(&t, "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n", line, token,
                 more);
    say(fd, tc_text_get(&t), t.len);
    tc_text_fini(&t);
    return fd;
}

/* Until the other side is silent for a moment, or ends. False: it ended. */
static bool hear(int fd, tc_text *out)
{
    char piece[2048];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    for (int wait_ms = 10000; poll(&p, 1, wait_ms) == 1; wait_ms = 200) {
        ssize_t n = recv(fd, piece, sizeof piece, 0);
        if (n <= 0)
            return false;
        tc_text_add_bytes(out, piece, (size_t)n);
    }
    return true;
}

static int status_of(const tc_text *answer)
{
    int status = 0;
    (void)sscanf(tc_text_get(answer), "HTTP/1.1 %d", &status);
    return status;
}

/* Answered, and heard until the end. */
static int finish(int fd, tc_text *answer)
{
    tc_text own = {0};
    tc_text *to = answer ? answer : &own;
    (void)hear(fd, to);
    close(fd);
    int status = status_of(to);
    tc_text_fini(&own);
    return status;
}

static int get(const site *s, const char *line, tc_text *answer)
{
    return finish(begin(s, line, s->token, "Connection: close\r\n"), answer);
}

static int post(const site *s, const char *path, const char *token, const char *body, size_t n)
{
    char line[128], more[128];
    snprintf(line, sizeof line, "POST %s", path);
    snprintf(more, sizeof more, "Connection: close\r\nContent-Length: %zu\r\n", n);
    int fd = begin(s, line, token, more);
    say(fd, body, n);
    return finish(fd, NULL);
}

/* ---- lines and headers ---- */

static void a_query_that_is_too_long_is_refused(void **state)
{
    site *s = *state;
    char line[5200] = "GET /v1/studies?limit=5&after=";
    tc_text answer = {0};
    size_t n = strlen(line);
    memset(line + n, 'a', 5000);
    assert_int_equal(get(s, line, &answer), 414);
    assert_non_null(strstr(tc_text_get(&answer), "the query is too long"));
    tc_text_fini(&answer);
}

/* "limit=1&after=x", escaped, is the value of one parameter and not two. */
static void what_is_escaped_stays_a_part(void **state)
{
    site *s = *state;
    assert_int_equal(get(s, "GET /v1/studies?limit=1&after=b", NULL), 404); /* no such study */
    assert_int_equal(get(s, "GET /v1/studies?limit=1%26after=b", NULL), 400);
    assert_int_equal(get(s, "GET /v1/studies?limit%3D1=", NULL), 400);
    assert_int_equal(get(s, "GET /v1/studies?after=b%2541", NULL), 400);
    assert_int_equal(get(s, "GET /v1%2Fstudies", NULL), 404);
    assert_int_equal(get(s, "GET /v1/studies%2fs", NULL), 404);
    assert_int_equal(get(s, "GET /v1/studies/%73", NULL), 404); /* "s", which is not there */
}

static void a_length_is_said_once(void **state)
{
    static const char *const twice[] = {
        "Content-Length: 2\r\nContent-Length: 40\r\n",
        "Content-Length: 2\r\ncontent-length: 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    };
    site *s = *state;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        for (int k = 0; k < 2; k++) {
            tc_text answer = {0};
            int fd = begin(s, k ? "POST /v1/studies" : "GET /healthz", s->token, twice[i]);
            say(fd, "{}", 2);
            assert_false(hear(fd, &answer)); /* it is closed: what follows is no request */
            assert_int_equal(status_of(&answer), 400);
            tc_text_fini(&answer);
            close(fd);
        }
}

static void a_head_is_a_get_without_a_body(void **state)
{
    site *s = *state;
    tc_text answer = {0};
    assert_int_equal(get(s, "HEAD /v1/studies", &answer), 200);
    assert_non_null(strstr(tc_text_get(&answer), "Content-Length: 26\r\n"));
    assert_null(strstr(tc_text_get(&answer), "\"studies\""));
    assert_int_equal(get(s, "HEAD /v1/events", NULL), 405);
    tc_text_fini(&answer);
}

static void the_scheme_has_no_case(void **state)
{
    site *s = *state;
    tc_text text = {0};
    int fd = connect_to(s);
    tc_text_addf(&text, "GET /v1/studies HTTP/1.1\r\nHost: x\r\nauthorization: bEARER %s\r\n\r\n",
                 s->token);
    say(fd, tc_text_get(&text), text.len);
    assert_int_equal(finish(fd, NULL), 200);
    tc_text_fini(&text);
}

static void refusals_of_the_server_are_counted(void **state)
{
    site *s = *state;
    tc_text answer = {0};
    int fd = begin(s, "GET /healthz", s->token, "Content-Length: 1\r\nContent-Length: 2\r\n");
    assert_int_equal(finish(fd, NULL), 400);
    assert_int_equal(get(s, "GET /metrics", &answer), 200);
    assert_non_null(strstr(tc_text_get(&answer), "tacit_requests_total{status=\"4xx\"} 1\n"));
    tc_text_fini(&answer);
}

/* ---- bodies ---- */

/* More than all bodies may have together, if it came. */
static void what_is_only_announced_takes_no_room(void **state)
{
    enum { MANY = 64 };
    static const char role[] = "{\"role\": \"viewer\"}";
    site *s = *state;
    int fds[MANY];
    for (size_t i = 0; i < MANY; i++) {
        fds[i] = begin(s, "POST /v1/studies", s->token, "Content-Length: 8388608\r\n");
        say(fds[i], "{", 1);
    }
    assert_int_equal(post(s, "/v1/tokens", s->token, role, sizeof role - 1), 201);
    char *large = tc_alloc(100000, 1);
    memset(large, ' ', 100000);
    assert_int_equal(post(s, "/v1/studies", s->token, large, 100000), 400); /* it was read */
    tc_free(large);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
}

static void one_token_has_a_share_of_the_room(void **state)
{
    enum { MANY = 8, LARGE = 100000 };
    static const char role[] = "{\"role\": \"viewer\"}";
    site *s = *state;
    tacit_error err = {0};
    tc_text other = {0};
    int fds[MANY], status = 0;
    char *bytes = tc_alloc(7 * MIB, 1);
    memset(bytes, ' ', 7 * MIB);
    for (size_t i = 0; i < MANY; i++) {
        fds[i] = begin(s, "POST /v1/studies", s->token, "Content-Length: 8388608\r\n");
        say(fds[i], bytes, 7 * MIB);
    }
    for (int i = 0; i < PATIENCE && status != 503; i++) { /* until the last of it is read */
        usleep(25000);
        status = post(s, "/v1/studies", s->token, bytes, LARGE);
    }
    assert_int_equal(status, 503);
    assert_int_equal(post(s, "/v1/tokens", s->token, role, sizeof role - 1), 201);
    assert_ok(tc_coord_new_operator_token(s->coord, &other, &err));
    assert_int_equal(post(s, "/v1/studies", tc_text_get(&other), bytes, LARGE), 400);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
    for (int i = 0; i < PATIENCE && status != 400; i++) /* and when they are gone it has it again */
        status = post(s, "/v1/studies", s->token, bytes, LARGE);
    assert_int_equal(status, 400);
    tc_text_fini(&other);
    tc_free(bytes);
}

#define AT_SITE(test) cmocka_unit_test_setup_teardown(test, open_site, close_site)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_SITE(a_query_that_is_too_long_is_refused),
        AT_SITE(what_is_escaped_stays_a_part),
        AT_SITE(a_length_is_said_once),
        AT_SITE(a_head_is_a_get_without_a_body),
        AT_SITE(the_scheme_has_no_case),
        AT_SITE(refusals_of_the_server_are_counted),
        AT_SITE(what_is_only_announced_takes_no_room),
        AT_SITE(one_token_has_a_share_of_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
