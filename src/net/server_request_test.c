/* server_request_test.c - requests as they should not be, byte by byte: what they are answered, that they can
 * read it, and that nobody else suffers. */
#include "support/site.h"

#include "base/memory.h"

enum { MIB = 1 << 20 };

/* Begins a request with a token; `more` is the rest of its headers. */
static int begin(const site *s, const char *line, const char *token, const char *more)
{
    tc_text t = {0};
    int fd = site_connect(s);
    tc_text_addf(&t, "%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n", line, token,
                 more);
    site_say(fd, tc_text_get(&t), t.len);
    tc_text_fini(&t);
    return fd;
}

/* All that comes until the other side ends it. */
static void hear_all(int fd, tc_text *out)
{
    while (site_hear(fd, out))
        ;
}

/* Answered, and heard until the end. */
static int finish(int fd, tc_text *answer)
{
    tc_text own = {0};
    tc_text *to = answer ? answer : &own;
    hear_all(fd, to);
    close(fd);
    int status = site_status(to);
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
    site_say(fd, body, n);
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
            site_say(fd, "{}", 2);
            hear_all(fd, &answer); /* it is closed: what follows is no request */
            assert_int_equal(site_status(&answer), 400);
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
    int fd = site_connect(s);
    tc_text_addf(&text,
                 "GET /v1/studies HTTP/1.1\r\nHost: x\r\nauthorization: bEARER %s\r\n"
                 "Connection: close\r\n\r\n",
                 s->token);
    site_say(fd, tc_text_get(&text), text.len);
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

/* ---- answers before the end ---- */

/* More than the system keeps for a connection: if the server did not read on, sending it would fail. */
static void who_is_refused_early_can_say_all_and_read_why(void **state)
{
    static const struct {
        const char *line, *token, *more;
        int status;
    } cases[] = {
        {"POST /v1/studies", "wrong", "", 401},
        {"POST /v1/studies", NULL, "", 413}, /* it is longer than any may be */
        {"POST /nowhere", NULL, "", 404},
        {"PUT /healthz", NULL, "", 405},
        {"POST /v1/studies", NULL, "Content-Length: 7\r\n", 400},
    };
    enum { LARGE = 20 * MIB };
    site *s = *state;
    char *bytes = tc_alloc(LARGE, 1), more[128];
    memset(bytes, ' ', LARGE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_text answer = {0};
        snprintf(more, sizeof more, "%sContent-Length: %d\r\n", cases[i].more, LARGE);
        int fd = begin(s, cases[i].line, cases[i].token ? cases[i].token : s->token, more);
        site_say(fd, bytes, LARGE);
        hear_all(fd, &answer);
        assert_true(site_is_whole(&answer));
        assert_int_equal(site_status(&answer), cases[i].status);
        assert_int_equal(send(fd, "more", 4, MSG_NOSIGNAL), 4); /* it is not reset */
        tc_text_fini(&answer);
        close(fd);
    }
    tc_free(bytes);
    SITE_UNTIL(site_draining(s) == 0); /* they have gone, and so has the server */
}

/* Who never stops has its bytes, and then is cut off. */
static void who_is_refused_cannot_go_on_for_ever(void **state)
{
    static const char zeros[1 << 16];
    site *s = *state;
    ssize_t n = 1;
    int fd = begin(s, "POST /v1/studies", "wrong", "Transfer-Encoding: chunked\r\n");
    for (size_t sum = 0; n > 0 && sum < (size_t)200 * MIB; sum += sizeof zeros)
        n = send(fd, zeros, sizeof zeros, MSG_NOSIGNAL);
    assert_true(n < 0);
    assert_int_equal(site_draining(s), 0);
    close(fd);
}

/* Nobody waits for a place: who comes takes that of who has been there longest. */
static void there_is_always_a_place_to_read_on(void **state)
{
    enum { MANY = TC_DRAINING + 20 };
    site *s = *state;
    int fds[MANY];
    for (size_t i = 0; i < MANY; i++) {
        tc_text answer = {0};
        fds[i] = begin(s, "POST /nowhere", s->token, "Content-Length: 1000\r\n");
        hear_all(fds[i], &answer);
        assert_int_equal(site_status(&answer), 404);
        tc_text_fini(&answer);
    }
    SITE_UNTIL(site_draining(s) == TC_DRAINING);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
    SITE_UNTIL(site_draining(s) == 0);
}

/* Nor does anybody else: at a server of 16 connections all 16 can be had. */
static void who_is_read_on_keeps_nobody_out(void **state)
{
    enum { MANY = 16 };
    site s;
    int refused[MANY], fds[MANY];
    (void)state;
    site_open(&s, (tc_server_config){.connections = MANY}, false);
    for (size_t i = 0; i < MANY; i++) {
        refused[i] = begin(&s, "POST /nowhere", s.token, "Content-Length: 1000\r\n");
        SITE_UNTIL(site_draining(&s) == i + 1);
    }
    for (size_t i = 0; i < MANY; i++) {
        tc_text answer = {0};
        fds[i] = begin(&s, "GET /healthz", s.token, "");
        site_hear_answer(fds[i], &answer);
        assert_int_equal(site_status(&answer), 200);
        tc_text_fini(&answer);
    }
    assert_int_equal(site_draining(&s), 0);
    for (size_t i = 0; i < MANY; i++) {
        close(refused[i]);
        close(fds[i]);
    }
    site_close(&s);
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
        site_say(fds[i], "{", 1);
    }
    assert_int_equal(post(s, "/v1/tokens", s->token, role, sizeof role - 1), 201);
    char *large = tc_alloc(100000, 1);
    memset(large, ' ', 100000);
    assert_int_equal(post(s, "/v1/studies", s->token, large, 100000), 400); /* it was read */
    tc_free(large);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
}

/* A byte more than a power of two: so the room that was asked for says that all of it was read. */
static void one_token_has_a_share_of_the_room(void **state)
{
    enum { MANY = 8, SENT = 4 * MIB + 1, ROOM = 8 * MIB, LARGE = 100000 };
    static const char role[] = "{\"role\": \"viewer\"}";
    site *s = *state;
    tacit_error err = {0};
    tc_text other = {0};
    int fds[MANY];
    char *bytes = tc_alloc(SENT, 1);
    memset(bytes, ' ', SENT);
    for (size_t i = 0; i < MANY; i++) {
        fds[i] = begin(s, "POST /v1/studies", s->token, "Content-Length: 8388608\r\n");
        site_say(fds[i], bytes, SENT);
    }
    SITE_UNTIL(site_bodies(s) == (size_t)MANY * ROOM);
    assert_int_equal(post(s, "/v1/studies", s->token, bytes, LARGE), 503);
    assert_int_equal(post(s, "/v1/tokens", s->token, role, sizeof role - 1), 201);
    assert_ok(tc_coord_new_operator_token(s->coord, &other, &err));
    assert_int_equal(post(s, "/v1/studies", tc_text_get(&other), bytes, LARGE), 400);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
    SITE_UNTIL(site_bodies(s) == 0); /* when they are gone it has it again */
    assert_int_equal(post(s, "/v1/studies", s->token, bytes, LARGE), 400);
    tc_text_fini(&other);
    tc_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_SITE(a_query_that_is_too_long_is_refused),
        AT_SITE(what_is_escaped_stays_a_part),
        AT_SITE(a_length_is_said_once),
        AT_SITE(a_head_is_a_get_without_a_body),
        AT_SITE(the_scheme_has_no_case),
        AT_SITE(refusals_of_the_server_are_counted),
        AT_SITE(who_is_refused_early_can_say_all_and_read_why),
        AT_SITE(who_is_refused_cannot_go_on_for_ever),
        AT_SITE(there_is_always_a_place_to_read_on),
        cmocka_unit_test(who_is_read_on_keeps_nobody_out),
        AT_SITE(what_is_only_announced_takes_no_room),
        AT_SITE(one_token_has_a_share_of_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
