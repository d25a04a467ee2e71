/* server_hold_test.c - requests that wait for a round: whom a change wakes, and how many one token may have
 * waiting. */
#include "support/test.h"

#include "base/json.h"
#include "net/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELD = 40, HELD_MOST = 256, PATIENCE = 400 /* times 25 ms */ };

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

/* ---- the coordinator itself ---- */

static void call(site *s, const char *method, const char *path, const char *body, int expected,
                 tc_text *answer)
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

static void make_study(site *s, const char *name)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"document\": {\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": 12,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"
             " \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}}",
             name);
    call(s, "POST", "/v1/studies", text, 201, NULL);
}

/* How often the coordinator was asked and had an answer. */
static unsigned long asked(site *s)
{
    static const char row[] = "tacit_requests_total{status=\"2xx\"} ";
    tc_text text = {0};
    unsigned long n;
    call(s, "GET", "/metrics", NULL, 200, &text);
    const char *at = strstr(tc_text_get(&text), row);
    assert_non_null(at);
    assert_int_equal(sscanf(at + sizeof row - 1, "%lu", &n), 1);
    tc_text_fini(&text);
    return n;
}

/* ---- those who wait ---- */

static int wait_for(const site *s, const char *study)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tc_server_port(s->server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char text[256];
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    int n = snprintf(text, sizeof text,
                     "GET /v1/studies/%s/rounds/0/broadcast?wait=60 HTTP/1.1\r\nHost: x\r\n"
                     "Authorization: Bearer %s\r\n\r\n",
                     study, s->token);
    assert_int_equal(send(fd, text, (size_t)n, 0), n);
    return fd;
}

static size_t answered(const int *fds, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        struct pollfd p = {.fd = fds[i], .events = POLLIN};
        found += poll(&p, 1, 0) == 1;
    }
    return found;
}

static void await_answers(const int *fds, size_t n, size_t expected)
{
    for (int i = 0; i < PATIENCE && answered(fds, n) < expected; i++)
        usleep(25000);
    assert_int_equal(answered(fds, n), expected);
}

static void await_asked(site *s, unsigned long before, unsigned long n)
{
    for (int i = 0; i < PATIENCE && asked(s) < before + n; i++)
        usleep(25000);
}

/* The slow safety net may ask all of them once or twice more while the test runs. */
static void a_study_wakes_its_own(void **state)
{
    enum { TURNS = 50 };
    site *s = *state;
    int fds[HELD];
    make_study(s, "quiet");
    make_study(s, "busy");
    unsigned long before = asked(s);
    for (size_t i = 0; i < HELD; i++)
        fds[i] = wait_for(s, "quiet");
    await_asked(s, before, HELD);
    usleep(100000); /* they are held by now */
    before = asked(s);
    for (int i = 0; i < TURNS; i++) {
        call(s, "POST", "/v1/studies/busy:pause", NULL, 200, NULL);
        usleep(5000); /* who is woken asks */
        call(s, "POST", "/v1/studies/busy:resume", NULL, 200, NULL);
        usleep(5000);
    }
    assert_true(asked(s) - before < 2 * TURNS + 4 * HELD);
    assert_int_equal(answered(fds, HELD), 0);
    call(s, "POST", "/v1/studies/quiet:close", NULL, 200, NULL);
    await_answers(fds, HELD, HELD);
    for (size_t i = 0; i < HELD; i++)
        close(fds[i]);
}

static void one_token_has_so_many_waiting(void **state)
{
    enum { ALL = HELD_MOST + 20 };
    site *s = *state;
    int fds[ALL];
    char answer[512];
    make_study(s, "s");
    for (size_t i = 0; i < ALL; i++)
        fds[i] = wait_for(s, "s");
    await_answers(fds, ALL, ALL - HELD_MOST); /* at once: not yet */
    for (size_t i = 0; i < ALL; i++) {
        ssize_t n = recv(fds[i], answer, sizeof answer - 1, MSG_DONTWAIT);
        answer[n > 0 ? n : 0] = 0;
        assert_true(n < 0 || strstr(answer, "HTTP/1.1 202 "));
    }
    call(s, "POST", "/v1/studies/s:close", NULL, 200, NULL);
    await_answers(fds, ALL, HELD_MOST);
    for (size_t i = 0; i < ALL; i++)
        close(fds[i]);
}

#define AT_SITE(test) cmocka_unit_test_setup_teardown(test, open_site, close_site)

int main(void)
{
    const struct CMUnitTest tests[] = {AT_SITE(a_study_wakes_its_own),
                                       AT_SITE(one_token_has_so_many_waiting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
