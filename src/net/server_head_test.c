/* server_head_test.c - heads that two readers may take for two things: each is refused once, in our own words,
 * and what follows it is never run. And plain heads, however they arrive. */
#include "support/site.h"

/* With its length: there may be zeros in it. */
typedef struct bytes {
    const char *text;
    size_t n;
    int status;
} bytes;

#define HEAD(status, text)                                                                         \
    {                                                                                              \
        text, sizeof text - 1, status                                                              \
    }
#define TAIL "Host: x\r\n\r\n"

static size_t count(const tc_text *in, const char *what)
{
    size_t n = 0;
    for (const char *p = tc_text_get(in); (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* What a proxy may have taken for a body: it makes a token, if it is run. */
static void say_stowaway(const site *s, int fd)
{
    static const char body[] = "{\"role\": \"viewer\"}";
    tc_text t = {0};
    tc_text_addf(&t,
                 "POST /v1/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
                 "Content-Length: %zu\r\n\r\n%s",
                 s->token, sizeof body - 1, body);
    site_say(fd, tc_text_get(&t), t.len);
    tc_text_fini(&t);
}

/* In our words, where libmicrohttpd leaves it to us; once, and for good, in any case. */
static void check_refusal(const tc_text *answer, size_t i, int expected)
{
    int status = site_status(answer);
    bool ours = tc_head_leaves_gaps();
    if (ours ? status != expected : status < 400 || status > 501)
        fail_msg("case %zu: %s", i, tc_text_get(answer));
    assert_int_equal(count(answer, "\nDate: "), 1);
    assert_int_equal(count(answer, "Connection: close\r\n"), 1);
    if (ours)
        assert_int_equal(count(answer, "Content-Type: application/problem+json\r\n"), 1);
}

/* Everything that is said after `head` and a stowaway, until the other side ends. */
static void hear_all(const site *s, const char *head, size_t n, tc_text *answer)
{
    int fd = site_connect(s);
    site_say(fd, head, n);
    say_stowaway(s, fd);
    while (site_hear(fd, answer))
        ;
    close(fd);
}

static void refuse_all(const site *s, const bytes *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tc_text answer = {0};
        hear_all(s, cases[i].text, cases[i].n, &answer);
        check_refusal(&answer, i, cases[i].status);
        tc_text_fini(&answer);
    }
}

#define REFUSE_ALL(s, cases) refuse_all(s, cases, sizeof(cases) / sizeof *(cases))

/* The length would not be seen, and the body run as a request. */
static void a_name_ends_at_its_colon(void **state)
{
    static const bytes cases[] = {
        HEAD(400, "GET /healthz HTTP/1.1\r\nContent-Length : 90\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nContent-Length\t: 90\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\r\nContent Length: 90\r\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\r\n: 90\r\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\n Content-Length: 90\r\n" TAIL),
        HEAD(400, "POST /v1/studies HTTP/1.1\r\nContent-Length : 90\r\n" TAIL),
    };
    REFUSE_ALL(*state, cases);
}

static void nothing_is_lost_behind_a_zero(void **state)
{
    static const bytes cases[] = {
        HEAD(400, "GET /healthz\0/more HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET /healthz\0HTTP/1.1 HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET /healthz\0 HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET /healthz?a\0b HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET\0PUT /healthz HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: a\0b\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: a\0\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: \0\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX:\0a\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: \0Content-Length: 90\r\n" TAIL),
        /* libmicrohttpd takes these lines for the end of the head */
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\r\n\0Content-Length: 90\r\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\r\n\0\r\nContent-Length: 90\r\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\n\0Host: x\r\n\r\n"),
    };
    REFUSE_ALL(*state, cases);
}

static void lines_are_plain(void **state)
{
    static const bytes cases[] = {
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: a\r\n Content-Length: 90\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\r\n\tb\r\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\nHost: x\r\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: a\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\n\r\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: x\r\n\n"),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: a\rContent-Length: 90\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: \x1b[2J\r\n" TAIL),
        HEAD(400, "GET  /healthz HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET /healthz  HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET /health z HTTP/1.1\r\n" TAIL),
        HEAD(400, "GET /health\tz HTTP/1.1\r\n" TAIL),
        HEAD(400, "G(T /healthz HTTP/1.1\r\n" TAIL),
    };
    REFUSE_ALL(*state, cases);
}

static void what_is_said_once_is_not_said_twice(void **state)
{
    static const bytes cases[] = {
        HEAD(400, "GET /healthz HTTP/1.1\r\nHost: y\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nhost: x\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.0\r\nhost: x\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nX: Host\r\n\r\n"), /* nor left out */
        HEAD(400, "GET /healthz HTTP/1.1\r\nAuthorization: Bearer a\r\n"
                  "Authorization: Bearer b\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nAuthorization: Basic YTpi\r\n"
                  "X: a\r\nauthorization: Bearer b\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\n" TAIL),
        HEAD(400, "POST /v1/studies HTTP/1.1\r\nContent-Length: 9\r\nContent-Length: 9\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 90\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nContent-Length: 3\r\n"
                  "Transfer-Encoding: chunked\r\n" TAIL),
        HEAD(400, "GET /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
                  "Transfer-Encoding: identity\r\n" TAIL),
    };
    REFUSE_ALL(*state, cases);
}

/* Some of these hung, and a long extension got a page of HTML. */
static void chunks_are_not_read(void **state)
{
    static const bytes cases[] = {
        HEAD(411, "POST /v1/studies HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" TAIL "0\r\n\r\n"),
        HEAD(411, "POST /v1/studies HTTP/1.1\r\nTransfer-Encoding: identity, chunked\r\n" TAIL),
        HEAD(411, "POST /v1/studies HTTP/1.1\r\nTransfer-Encoding: chunked \r\n" TAIL),
        HEAD(411, "POST /v1/studies HTTP/1.1\r\nTransfer-Encoding: gzip\r\n" TAIL),
        HEAD(411, "GET /healthz HTTP/1.1\r\nTransfer-Encoding:\r\n" TAIL),
        HEAD(411, "GET /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" TAIL),
    };
    enum { LONG = 10000 };
    tc_text t = {0};
    REFUSE_ALL(*state, cases);
    tc_text_add(&t, "POST /v1/studies HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" TAIL "1;x=");
    for (int i = 0; i < LONG; i++)
        tc_text_add(&t, "x");
    tc_text_add(&t, "\r\n{\r\n0\r\n\r\n");
    refuse_all(*state, &(bytes){tc_text_get(&t), t.len, 411}, 1);
    tc_text_fini(&t);
}

/* Who asks too often is not told so on a connection that might go on. */
static void who_asks_too_often_is_hung_up_on(void **state)
{
    static const char head[] = "GET /healthz HTTP/1.1\r\nContent-Length : 90\r\n" TAIL;
    site s;
    bool hung_up = false;
    (void)state;
    site_open(&s, (tc_server_config){.rate = 1}, false);
    for (int i = 0; i < 100 && !hung_up; i++) {
        tc_text answer = {0};
        hear_all(&s, head, sizeof head - 1, &answer);
        assert_true(count(&answer, "\nDate: ") <= 1);
        hung_up = answer.len == 0;
        tc_text_fini(&answer);
    }
    assert_true(hung_up);
    site_close(&s);
}

/* ---- plain ones ---- */

static void add_plain(const site *s, tc_text *t, const char *path, size_t fill)
{
    tc_text_addf(t, "GET %s HTTP/1.1\r\nHost: x\r\nX-Empty:\r\nX-Tab:\t a\tb \t\r\nX-Same: 1\r\n",
                 path);
    tc_text_addf(
        t,
        "X-Same: 2\r\nx-high: \xc3\xa4\r\nCookie: a=b; c=d\r\nAuthorization: Bearer %s\r\nX-Fill: ",
        s->token);
    for (size_t i = 0; i < fill; i++)
        tc_text_add(t, "f");
    tc_text_add(t, "\r\n\r\n");
}

static void hear_ok(int fd, size_t n)
{
    tc_text answer = {0};
    while (count(&answer, "HTTP/1.1 200 ") < n)
        if (!site_hear(fd, &answer))
            fail_msg("%s", tc_text_get(&answer));
    assert_int_equal(count(&answer, "\nDate: "), n);
    tc_text_fini(&answer);
}

static void a_plain_head_may_come_byte_by_byte(void **state)
{
    tc_text t = {0};
    int fd = site_connect(*state);
    for (int k = 0; k < 2; k++) {
        tc_text_fini(&t);
        add_plain(*state, &t, k ? "/v1/studies?limit=%31" : "/healthz", 40);
        for (size_t i = 0; i < t.len; i++) {
            site_say(fd, tc_text_get(&t) + i, 1);
            usleep(100);
        }
        hear_ok(fd, 1);
    }
    tc_text_fini(&t);
    close(fd);
}

static void plain_heads_may_come_together(void **state)
{
    enum { MANY = 20 };
    tc_text t = {0};
    int fd = site_connect(*state);
    for (size_t i = 0; i < MANY; i++)
        add_plain(*state, &t, i % 2 ? "/v1/studies?limit=%31%30" : "/%68ealthz", 50 * i);
    site_say(fd, tc_text_get(&t), t.len);
    hear_ok(fd, MANY);
    tc_text_fini(&t);
    close(fd);
}

/* In pieces, so that the buffer grows while it is read. */
static void a_plain_head_may_be_long(void **state)
{
    int fd = site_connect(*state);
    for (size_t fill = 1; fill < 6000; fill += 331) {
        tc_text t = {0};
        add_plain(*state, &t, "/healthz", fill);
        for (size_t sent = 0, n; sent < t.len; sent += n) {
            n = t.len - sent < 1200 ? t.len - sent : 1200;
            site_say(fd, tc_text_get(&t) + sent, n);
            usleep(1000);
        }
        hear_ok(fd, 1);
        tc_text_fini(&t);
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_SITE(a_name_ends_at_its_colon),
        AT_SITE(nothing_is_lost_behind_a_zero),
        AT_SITE(lines_are_plain),
        AT_SITE(what_is_said_once_is_not_said_twice),
        AT_SITE(chunks_are_not_read),
        cmocka_unit_test(who_asks_too_often_is_hung_up_on),
        AT_SITE(a_plain_head_may_come_byte_by_byte),
        AT_SITE(plain_heads_may_come_together),
        AT_SITE(a_plain_head_may_be_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
