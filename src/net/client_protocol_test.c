/* client_protocol_test.c - a client at coordinators of other versions: one that says nothing of versions, as 0.1, one
 * that is older and refuses, and one that is too new. And a server that says which it speaks. */
#include "support/site.h"

#include "net/client.h"

#include <pthread.h>
#include <string.h>
#include <tacit/tacit.h>

enum { ASKED_MOST = 4 };

/* A coordinator of one connection, which answers a request by its version. */
typedef struct peer {
    int listener;
    const char *header;  /* a line of its answers; "": it has none */
    const char *why;     /* the body of a refusal */
    const char *refuses; /* a line of requests that it answers with 400; NULL: it refuses none */
    char asked[ASKED_MOST][512]; /* heads of requests */
    size_t n_asked;
    pthread_t thread;
    char url[64];
} peer;

static void *serve(void *user)
{
    peer *p = user;
    int s = accept(p->listener, NULL, NULL);
    while (p->n_asked < ASKED_MOST) {
        char *head = p->asked[p->n_asked], text[256];
        ssize_t n = read(s, head, sizeof p->asked[0] - 1);
        if (n <= 0)
            break;
        head[n] = 0;
        p->n_asked++;
        bool refused = p->refuses && strstr(head, p->refuses);
        const char *body = refused ? p->why : "{\"yes\": true}";
        int len = snprintf(text, sizeof text, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s",
                           refused ? "400 Bad Request" : "200 OK", p->header, strlen(body), body);
        (void)!send(s, text, (size_t)len, MSG_NOSIGNAL);
    }
    close(s);
    return NULL;
}

static void start_with(peer *p, const char *header, const char *refuses, const char *why)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    *p = (peer){.header = header, .refuses = refuses, .why = why};
    p->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(p->listener, 1), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&at, &n), 0);
    snprintf(p->url, sizeof p->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
}

static void start(peer *p, const char *header, const char *refuses)
{
    start_with(p, header, refuses, "{\"detail\": \"another version\"}");
}

/* Two calls of one client; the text of both answers. The peer is ended whatever happens. */
static tacit_status ask_twice(peer *p, char answers[256], tacit_error *err)
{
    tc_client *c = NULL;
    tc_text body = {0};
    int http = 0;
    tacit_status status = tc_client_new(&c, p->url, &(tc_client_opts){0}, err);
    for (int i = 0; i < 2 && status == TACIT_OK; i++)
        status = tc_client_call(c, &(tc_call){.method = "GET", .path = "/v1/studies"}, &http, &body,
                                err);
    snprintf(answers, 256, "%s", tc_text_get(&body));
    tc_client_free(c);
    tc_text_fini(&body);
    (void)shutdown(p->listener, SHUT_RDWR);
    pthread_join(p->thread, NULL);
    close(p->listener);
    return status;
}

static void assert_asked(const peer *p, size_t i, const char *line)
{
    if (i >= p->n_asked || !strstr(p->asked[i], line))
        fail_msg("request %zu of %zu lacks \"%s\"", i, p->n_asked, line);
}

/* It takes no notice of the header, and is asked in its own version from the second time on. */
static void a_coordinator_of_0_1_is_understood(void **state)
{
    peer p;
    tacit_error err = {0};
    char answers[256];
    (void)state;
    start(&p, "", NULL);
    assert_ok(ask_twice(&p, answers, &err));
    assert_string_equal(answers, "{\"yes\": true}{\"yes\": true}");
    assert_int_equal(p.n_asked, 2);
    assert_asked(&p, 0, "\r\nTacit-Protocol: 2\r\n");
    assert_asked(&p, 1, "\r\nTacit-Protocol: 1\r\n");
}

static void one_that_refuses_our_version_is_asked_in_its_own(void **state)
{
    static const char *const reasons[] = {"{\"detail\": \"another version\"}", ""};
    (void)state;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        peer p;
        tacit_error err = {0};
        char answers[256];
        start_with(&p, "Tacit-Protocol: 1-1\r\n", "Tacit-Protocol: 2\r\n", reasons[i]);
        assert_ok(ask_twice(&p, answers, &err));
        assert_string_equal(answers, "{\"yes\": true}{\"yes\": true}");
        assert_int_equal(p.n_asked, 3);
        assert_asked(&p, 1, "\r\nTacit-Protocol: 1\r\n");
        assert_asked(&p, 2, "\r\nTacit-Protocol: 1\r\n");
    }
}

/* A refusal for another reason is not asked again, and one by a proxy tells nothing of versions. */
static void other_refusals_are_left_as_they_are(void **state)
{
    static const char *const headers[] = {"Tacit-Protocol: 1-9\r\n", ""};
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        peer p;
        tacit_error err = {0};
        char answers[256];
        start(&p, headers[i], "Tacit-Protocol: 2\r\n");
        assert_ok(ask_twice(&p, answers, &err));
        assert_int_equal(p.n_asked, 2);
        assert_asked(&p, 1, "\r\nTacit-Protocol: 2\r\n");
        assert_non_null(strstr(answers, "another version"));
    }
}

static void one_that_is_too_new_is_named(void **state)
{
    peer p;
    tacit_error err = {0};
    char answers[256], why[256];
    (void)state;
    start(&p, "Tacit-Protocol: 3-4\r\n", "Tacit-Protocol: 2\r\n");
    assert_int_equal(ask_twice(&p, answers, &err), TACIT_E_UNSUPPORTED);
    snprintf(why, sizeof why,
             "the coordinator %s speaks protocols 3 to 4, and this tacit (%s) speaks protocols 1 "
             "to 2: update this tacit",
             p.url, TACIT_VERSION);
    assert_string_equal(err.msg, why);
    assert_int_equal(p.n_asked, 1);
}

/* ---- our own server ---- */

/* The answer to a request with these lines among its headers; end with tc_text_fini. */
static tc_text exchange(const site *s, const char *lines)
{
    char text[512];
    tc_text answer = {0};
    int fd = site_connect(s);
    int n = snprintf(text, sizeof text,
                     "GET /v1/studies HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n",
                     s->token, lines);
    site_say(fd, text, (size_t)n);
    site_hear_answer(fd, &answer);
    close(fd);
    return answer;
}

static void our_server_says_what_it_speaks(void **state)
{
    static const struct {
        const char *lines, *has;
        int status;
    } cases[] = {
        {"", "\"studies\"", 200}, /* of 0.1, or of curl */
        {"Tacit-Protocol: 1\r\n", "\"studies\"", 200},
        {"Tacit-Protocol: 2\r\n", "\"studies\"", 200},
        {"Tacit-Protocol: 3\r\n",
         "the request is of protocol 3, and this coordinator (tacit " TACIT_VERSION
         ") speaks protocols 1 to 2: update the coordinator",
         400},
        {"Tacit-Protocol: x\r\n", "must be a whole number", 400},
        {"Tacit-Protocol: 1\r\nTacit-Protocol: 2\r\n", "there twice", 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_text answer = exchange(*state, cases[i].lines);
        const char *text = tc_text_get(&answer);
        if (site_status(&answer) != cases[i].status || !strstr(text, cases[i].has) ||
            !strstr(text, "\r\nTacit-Protocol: 1-2\r\n"))
            fail_msg("%s: %s", cases[i].lines, text);
        tc_text_fini(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coordinator_of_0_1_is_understood),
        cmocka_unit_test(one_that_refuses_our_version_is_asked_in_its_own),
        cmocka_unit_test(other_refusals_are_left_as_they_are),
        cmocka_unit_test(one_that_is_too_new_is_named),
        AT_SITE(our_server_says_what_it_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
