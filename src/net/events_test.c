/* events_test.c - listeners over real sockets: what they hear, and that none stays who is gone, does not
 * read, or has lost its token. */
#include "support/test.h"

#include "base/memory.h"
#include "base/text.h"
#include "net/server.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BEAT_MS = 50, PATIENCE = 400 }; /* times 25 ms */

typedef struct site {
    tc_store *store;
    tc_coord *coord;
    tc_server *server;
    char token[64];
} site;

static site here; /* of the test that runs */

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
    tc_server_config cfg = {
        .coord = s->coord, .listen = "127.0.0.1:0", .threads = 2, .heartbeat_ms = BEAT_MS};
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

/* ---- requests to the coordinator itself ---- */

static json_t *call(site *s, const char *method, const char *path, const char *body, int expected)
{
    tc_request q = {.method = method,
                    .path = path,
                    .bearer = s->token,
                    .body = body,
                    .n_body = body ? strlen(body) : 0};
    tc_response r = {0};
    tc_coord_handle(s->coord, &q, &r);
    assert_int_equal(r.status, expected);
    json_t *j = json_loads(tc_text_get(&r.body), 0, NULL);
    tc_response_fini(&r);
    return j;
}

static void make_study(site *s)
{
    json_decref(call(
        s, "POST", "/v1/studies",
        "{\"document\": {\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
        " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
        " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"
        " \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}}",
        201));
}

static void pause_study(site *s)
{
    json_decref(call(s, "POST", "/v1/studies/s:pause", NULL, 200));
}

static void resume_study(site *s)
{
    json_decref(call(s, "POST", "/v1/studies/s:resume", NULL, 200));
}

/* ---- sockets ---- */

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
}

static int connect_to(const site *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tc_server_port(s->server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), small = 4096;
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static int listen_as(const site *s, const char *token, const char *last)
{
    int fd = connect_to(s);
    char text[512];
    int n = snprintf(text, sizeof text,
                     "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s%s%s\r\n",
                     token, last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : "");
    assert_int_equal(send(fd, text, (size_t)n, 0), n);
    return fd;
}

/* Reads until `part` was seen; false: the other side has closed before. */
static bool read_until(int fd, const char *part, tc_text *got)
{
    for (int i = 0; i < PATIENCE; i++) {
        char piece[1024];
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (strstr(tc_text_get(got), part))
            return true;
        if (poll(&p, 1, 25) == 0)
            continue;
        ssize_t n = recv(fd, piece, sizeof piece, 0);
        if (n <= 0)
            return false;
        tc_text_add_bytes(got, piece, (size_t)n);
    }
    fail_msg("\"%s\" did not come: %s", part, tc_text_get(got));
    return false;
}

static void assert_hears(int fd, const char *part)
{
    tc_text got = {0};
    assert_true(read_until(fd, part, &got));
    tc_text_fini(&got);
}

static void assert_ends(int fd)
{
    tc_text got = {0};
    assert_false(read_until(fd, "never", &got));
    tc_text_fini(&got);
}

/* Open descriptors of this process: those of the server and of the test. */
static size_t descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void assert_descriptors(size_t expected)
{
    for (int i = 0; i < PATIENCE && descriptors() > expected; i++)
        wait_a_little();
    assert_int_equal(descriptors(), expected);
}

/* ---- hearing ---- */

static void events_come_as_they_happen(void **state)
{
    site *s = *state;
    make_study(s);
    int fd = listen_as(s, s->token, NULL);
    assert_hears(fd, "text/event-stream");
    pause_study(s);
    assert_hears(fd, "event: study\ndata: {\"event\":\"study\",\"state\":\"paused\"");
    assert_hears(fd, "\r\n:\n\n"); /* a heartbeat */
    resume_study(s);
    assert_hears(fd, "\"state\":\"running\"");
    assert_hears(fd, "\r\n:\n\n");
    close(fd);
}

static void who_comes_back_goes_on(void **state)
{
    site *s = *state;
    tc_text got = {0};
    char id[64];
    make_study(s);
    int fd = listen_as(s, s->token, NULL);
    assert_true(read_until(fd, "\nid: ", &got));
    assert_true(read_until(fd, "\n\n", &got));
    assert_int_equal(sscanf(strstr(tc_text_get(&got), "\nid: "), "\nid: %63s", id), 1);
    close(fd);
    tc_text_fini(&got);
    pause_study(s);
    resume_study(s);
    fd = listen_as(s, s->token, id);
    assert_true(read_until(fd, "\"state\":\"running\"", &got));
    assert_non_null(strstr(tc_text_get(&got), "\"state\":\"paused\""));
    close(fd);
    tc_text_fini(&got);
    fd = listen_as(s, s->token, "0123456789abcdef-4");
    assert_hears(fd, "event: reset");
    close(fd);
}

static void a_withdrawn_token_ends_its_listener(void **state)
{
    site *s = *state;
    char body[128];
    json_t *made = call(s, "POST", "/v1/tokens", "{\"role\": \"viewer\"}", 201);
    const char *token = json_string_value(json_object_get(made, "token"));
    int fd = listen_as(s, token, NULL);
    assert_hears(fd, "retry:");
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", token);
    json_decref(call(s, "POST", "/v1/tokens:withdraw", body, 200));
    assert_hears(fd, "0\r\n\r\n"); /* the end of the answer */
    close(fd);
    json_decref(made);
}

/* Without chunks: until the connection ends. */
static void an_old_client_hears_too(void **state)
{
    site *s = *state;
    char text[256];
    make_study(s);
    int fd = connect_to(s);
    int n = snprintf(text, sizeof text,
                     "GET /v1/events HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
                     s->token);
    assert_int_equal(send(fd, text, (size_t)n, 0), n);
    assert_hears(fd, "retry:");
    pause_study(s);
    assert_hears(fd, "\"state\":\"paused\"");
    close(fd);
}

static void who_may_not_is_refused(void **state)
{
    int fd = listen_as(*state, "wrong", NULL);
    tc_text got = {0};
    assert_true(read_until(fd, "\"status\":401", &got));
    assert_non_null(strstr(tc_text_get(&got), "WWW-Authenticate: Bearer"));
    tc_text_fini(&got);
    close(fd);
}

/* ---- ends ---- */

/* Without a word to the other side, where the system lets us: then it finds out by itself. */
static void vanish(int fd)
{
    int on = 1;
    struct linger now = {.l_onoff = 1};
    if (setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on) != 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

static void none_stays_whose_client_is_gone(void **state)
{
    site *s = *state;
    size_t before = descriptors();
    int fds[40];
    for (size_t i = 0; i < 40; i++)
        fds[i] = listen_as(s, s->token, NULL);
    for (size_t i = 0; i < 40; i++)
        assert_hears(fds[i], "retry:");
    assert_int_equal(descriptors(), before + 80);
    for (size_t i = 0; i < 40; i++)
        if (i % 2)
            vanish(fds[i]);
        else
            close(fds[i]);
    assert_descriptors(before);
}

static void who_does_not_read_is_cut_off(void **state)
{
    site *s = *state;
    size_t before = descriptors();
    make_study(s);
    int deaf = listen_as(s, s->token, NULL), other = listen_as(s, s->token, NULL);
    assert_hears(other, "retry:");
    for (int i = 0; i < PATIENCE && descriptors() > before + 3; i++)
        for (int k = 0; k < 25; k++) { /* the one hears all of it, the buffers of the other fill */
            pause_study(s);
            assert_hears(other, "\"state\":\"paused\"");
            resume_study(s);
            assert_hears(other, "\"state\":\"running\"");
        }
    assert_descriptors(before + 3); /* the server has given up the one, and not the other */
    assert_hears(other, ":\n\n");
    close(deaf);
    close(other);
}

static void listeners_do_not_hold_up_the_end(void **state)
{
    site *s = *state;
    int fd = listen_as(s, s->token, NULL);
    assert_hears(fd, "retry:");
    tc_server_stop(s->server);
    s->server = NULL;
    assert_ends(fd);
    close(fd);
}

#define AT_SITE(test) cmocka_unit_test_setup_teardown(test, open_site, close_site)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_SITE(events_come_as_they_happen),   AT_SITE(who_comes_back_goes_on),
        AT_SITE(an_old_client_hears_too),      AT_SITE(a_withdrawn_token_ends_its_listener),
        AT_SITE(who_may_not_is_refused),       AT_SITE(none_stays_whose_client_is_gone),
        AT_SITE(who_does_not_read_is_cut_off), AT_SITE(listeners_do_not_hold_up_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
