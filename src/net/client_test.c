/* client_test.c - calls that end early: an answer that is too large, and somebody who does not want to wait. */
#include "support/test.h"

#include "net/client.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A coordinator of one connection. */
typedef struct peer {
    int listener;
    long size;          /* of the body that it promises and sends; 0: it says nothing */
    const char *header; /* one more line of its answer, or NULL */
    bool drips;         /* a byte at a time */
    long retry_after_s; /* as the client has read it */
    pthread_t thread;
    char url[64];
} peer;

static atomic_bool had_enough;

static bool enough(void *user)
{
    (void)user;
    return had_enough;
}

/* For as long as a call may take if nobody bounds it, and no longer. */
static void drip(int s, long n)
{
    for (bool ok = true; ok && n > 0; n--) {
        ok = send(s, "x", 1, MSG_NOSIGNAL) == 1;
        usleep(50000);
    }
}

static void *serve(void *user)
{
    const peer *p = user;
    char text[4096];
    static const char zeros[65536];
    int s = accept(p->listener, NULL, NULL);
    (void)!read(s, text, sizeof text);
    if (p->size > 0) {
        int n = snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\n%sContent-Length: %ld\r\n\r\n",
                         p->header ? p->header : "", p->size);
        bool ok = send(s, text, (size_t)n, MSG_NOSIGNAL) == n;
        if (ok && p->drips)
            drip(s, p->size);
        for (long left = p->size; ok && !p->drips && left > 0; left -= (long)sizeof zeros)
            ok = send(s, zeros, left < (long)sizeof zeros ? (size_t)left : sizeof zeros,
                      MSG_NOSIGNAL) > 0;
    } else {
        had_enough = true; /* it has the question, and never answers */
    }
    (void)!read(s, text, sizeof text); /* until the other end has gone */
    close(s);
    return NULL;
}

/* It is filled in as it is to be. */
static void begin(peer *p)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    p->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(p->listener, 1), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&at, &n), 0);
    snprintf(p->url, sizeof p->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
}

static void start_with(peer *p, long size, const char *header)
{
    *p = (peer){.size = size, .header = header};
    begin(p);
}

static void start(peer *p, long size)
{
    start_with(p, size, NULL);
}

/* Also if nobody has called it. */
static void end(peer *p)
{
    (void)shutdown(p->listener, SHUT_RDWR);
    pthread_join(p->thread, NULL);
    close(p->listener);
}

/* The peer is ended whatever happens: it must not outlive its test. */
static tacit_status ask(peer *p, bool (*stop)(void *user), size_t *len, tacit_error *err)
{
    tc_client *c = NULL;
    tc_text body = {0};
    int http = 0;
    tacit_status status = tc_client_new(&c, p->url, &(tc_client_opts){0}, err);
    if (status == TACIT_OK) {
        tc_client_stop_at(c, stop, NULL);
        if (p->drips)
            tc_client_set_patience(c, 0.1);
        status = tc_client_call(c, &(tc_call){.method = "GET", .path = "/"}, &http, &body, err);
        p->retry_after_s = tc_client_retry_after_s(c);
    }
    tc_client_free(c);
    *len = body.len;
    tc_text_fini(&body);
    end(p);
    return status;
}

static void what_fits_is_taken(void **state)
{
    peer p;
    tacit_error err = {0};
    size_t len;
    (void)state;
    start(&p, 16 << 20);
    assert_ok(ask(&p, NULL, &len, &err));
    assert_int_equal(len, 16 << 20);
}

/* Not E_IO: it would be as large again. */
static void what_is_too_large_is_not_asked_for_again(void **state)
{
    peer p;
    tacit_error err = {0};
    char sentence[128];
    size_t len;
    (void)state;
    start(&p, (16 << 20) + 1);
    snprintf(sentence, sizeof sentence, "the answer of %s is larger than 16 MiB", p.url);
    assert_fails(ask(&p, NULL, &len, &err), TACIT_E_UNSUPPORTED, sentence);
}

static void who_has_had_enough_does_not_wait(void **state)
{
    peer p;
    tacit_error err = {0};
    char sentence[128];
    size_t len;
    (void)state;
    had_enough = false;
    start(&p, 0);
    snprintf(sentence, sizeof sentence, "interrupted while %s was asked", p.url);
    assert_fails(ask(&p, enough, &len, &err), TACIT_E_IO, sentence);
}

/* It would be whole before the time of a call is over, and after the patience. */
static void an_answer_that_drips_is_none(void **state)
{
    enum { BYTES = 900 }; /* in 45 s */
    peer p = {.size = BYTES, .drips = true};
    tacit_error err = {0};
    char sentence[128];
    size_t len;
    (void)state;
    begin(&p);
    snprintf(sentence, sizeof sentence, "%s does not answer", p.url);
    assert_fails(ask(&p, NULL, &len, &err), TACIT_E_IO, sentence);
    assert_true(len < BYTES);
}

static void a_call_that_begins_later_is_made(void **state)
{
    peer p;
    tacit_error err = {0};
    size_t len;
    (void)state;
    had_enough = true;
    start(&p, 5);
    assert_ok(ask(&p, enough, &len, &err));
    assert_int_equal(len, 5);
}

/* How long it asks to be left alone; nothing of an earlier answer stays. */
static void it_is_known_when_to_ask_again(void **state)
{
    static const struct {
        const char *header;
        long seconds;
    } cases[] = {{"Retry-After: 7\r\n", 7}, {"Retry-After: 100000\r\n", 3600}, {NULL, 0}};
    tacit_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peer p;
        size_t len;
        start_with(&p, 5, cases[i].header);
        assert_ok(ask(&p, NULL, &len, &err));
        assert_int_equal(p.retry_after_s, cases[i].seconds);
    }
}

static void plain_http_needs_a_literal_loopback_address(void **state)
{
    tacit_error err;
    tc_client *c;
    (void)state;
    assert_fails(tc_client_new(&c, "http://127.example.invalid", &(tc_client_opts){0}, &err),
                 TACIT_E_ARG,
                 "without TLS only a loopback address may be used, not http://127.example.invalid");
    assert_fails(
        tc_client_new(&c, "http://127.0.0.1:x@localhost:29999", &(tc_client_opts){0}, &err),
        TACIT_E_ARG, "without a user or a path");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_http_needs_a_literal_loopback_address),
        cmocka_unit_test(what_fits_is_taken),
        cmocka_unit_test(what_is_too_large_is_not_asked_for_again),
        cmocka_unit_test(who_has_had_enough_does_not_wait),
        cmocka_unit_test(an_answer_that_drips_is_none),
        cmocka_unit_test(a_call_that_begins_later_is_made),
        cmocka_unit_test(it_is_known_when_to_ask_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
