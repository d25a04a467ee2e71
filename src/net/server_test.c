/* server_test.c - the coordinator over TLS on a loopback port of its own: certificates, pins, limits,
 * and requests that are held until something changes. */
#include "support/site.h"

#include "base/memory.h"
#include "net/client.h"

#include <errno.h>
#include <stdlib.h>

static void open_site(site *s, bool tls)
{
    site_open(s, (tc_server_config){.body_max = 100000}, tls);
}

static int get(tc_client *c, const char *path, const char *token, tc_text *body)
{
    tacit_error err = {0};
    int status = 0;
    tc_text nothing = {0};
    assert_ok(tc_client_call(c, &(tc_call){.method = "GET", .path = path, .bearer = token}, &status,
                             body ? body : &nothing, &err));
    tc_text_fini(&nothing);
    return status;
}

static void the_certificate_is_made_once(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    tc_certificate a, b;
    (void)state;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    assert_ok(tc_certificate_get(s, "10.1.2.3", &a, &err));
    assert_ok(tc_certificate_get(s, "10.1.2.3", &b, &err));
    assert_string_equal(a.fingerprint, b.fingerprint);
    assert_string_equal(a.cert_pem, b.cert_pem);
    assert_int_equal(strlen(a.fingerprint), 8 + 44);
    tc_certificate_fini(&a);
    tc_certificate_fini(&b);
    tc_store_close(s);
}

static void requests_go_through_tls_and_roles(void **state)
{
    site s;
    tacit_error err = {0};
    tc_client *c;
    tc_text body = {0};
    (void)state;
    open_site(&s, true);
    assert_ok(tc_client_new(&c, s.url, &(tc_client_opts){.fingerprint = s.tls.fingerprint}, &err));
    assert_int_equal(get(c, "/healthz", NULL, &body), 200);
    assert_string_equal(tc_text_get(&body), "ok\n");
    assert_int_equal(get(c, "/v1/studies", NULL, NULL), 401);
    assert_int_equal(get(c, "/v1/studies", "wrong", NULL), 401);
    body.len = 0;
    assert_int_equal(get(c, "/v1/studies?limit=5", s.token, &body), 200);
    assert_string_equal(tc_text_get(&body), "{\"studies\":[],\"next\":null}");
    assert_int_equal(get(c, "/v1/studies?limit=0", s.token, NULL), 400);
    assert_int_equal(get(c, "/nowhere", s.token, NULL), 404);
    tc_text_fini(&body);
    tc_client_free(c);
    site_close(&s);
}

static void another_key_is_refused(void **state)
{
    site s;
    tacit_error err = {0};
    tc_client *c;
    tc_text body = {0};
    int status = 0;
    (void)state;
    open_site(&s, true);
    assert_ok(tc_client_new(
        &c, s.url,
        &(tc_client_opts){.fingerprint = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
        &err));
    assert_fails(
        tc_client_call(c, &(tc_call){.method = "GET", .path = "/healthz"}, &status, &body, &err),
        TACIT_E_STATE, "is not the coordinator with that fingerprint");
    tc_client_free(c);
    assert_fails(tc_client_new(&c, "https://127.0.0.1:1", &(tc_client_opts){0}, &err), TACIT_E_ARG,
                 "fingerprint");
    assert_fails(tc_client_new(&c, "http://10.0.0.1:1", &(tc_client_opts){0}, &err), TACIT_E_ARG,
                 "only a loopback address");
    tc_text_fini(&body);
    site_close(&s);
}

static void plain_http_stays_on_loopback(void **state)
{
    site s;
    tacit_error err = {0};
    tc_client *c;
    tc_server *none = NULL;
    (void)state;
    open_site(&s, false);
    assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0); /* not asked */
    assert_ok(tc_client_new(&c, s.url, &(tc_client_opts){0}, &err));
    assert_int_equal(get(c, "/readyz", NULL, NULL), 200);
    unsetenv("http_proxy");
    tc_client_free(c);
    assert_fails(
        tc_server_start(&none, &(tc_server_config){.coord = s.coord, .listen = "0.0.0.0:0"}, &err),
        TACIT_E_ARG, "without TLS only a loopback address");
    assert_fails(tc_server_start(
                     &none, &(tc_server_config){.coord = s.coord, .listen = "localhost:0"}, &err),
                 TACIT_E_ARG, "listen must be an address and a port");
    site_close(&s);
}

static void a_body_beyond_the_limit_is_refused(void **state)
{
    site s;
    tacit_error err = {0};
    tc_client *c;
    tc_text body = {0};
    int status = 0;
    size_t n = (size_t)12 << 20; /* more than the system keeps for a connection */
    char *large = tc_alloc(n + 1, 1);
    (void)state;
    open_site(&s, true);
    memset(large, ' ', n);
    assert_ok(tc_client_new(&c, s.url, &(tc_client_opts){.fingerprint = s.tls.fingerprint}, &err));
    tc_call call = {
        .method = "POST", .path = "/v1/studies", .bearer = s.token, .body = large, .n_body = n};
    assert_ok(tc_client_call(c, &call, &status, &body, &err));
    assert_int_equal(status, 413);
    tc_client_free(c);
    tc_text_fini(&body);
    tc_free(large);
    site_close(&s);
}

/* ---- who asks for too much ---- */

static int post(tc_client *c, const char *path, const char *token, const char *body, size_t n)
{
    tacit_error err = {0};
    tc_text answer = {0};
    int status = 0;
    tc_call call = {.method = "POST", .path = path, .bearer = token, .body = body, .n_body = n};
    assert_ok(tc_client_call(c, &call, &status, &answer, &err));
    tc_text_fini(&answer);
    return status;
}

static void a_body_is_read_only_of_those_who_may_send_it(void **state)
{
    site s;
    tacit_error err = {0};
    tc_client *c;
    size_t n = 90000;
    char *large = tc_alloc(n + 1, 1);
    (void)state;
    open_site(&s, true);
    memset(large, ' ', n);
    assert_ok(tc_client_new(&c, s.url, &(tc_client_opts){.fingerprint = s.tls.fingerprint}, &err));
    assert_int_equal(post(c, "/v1/studies", NULL, large, n), 401);
    assert_int_equal(post(c, "/v1/studies", "wrong", large, n), 401);
    assert_int_equal(post(c, "/nowhere", s.token, large, n), 404);
    assert_int_equal(post(c, "/healthz", s.token, large, n), 405);
    assert_int_equal(post(c, "/v1/tokens", s.token, large, n), 413); /* it needs a few bytes */
    assert_int_equal(post(c, "/v1/studies", s.token, large, n), 400);
    tc_client_free(c);
    tc_free(large);
    site_close(&s);
}

static void a_zero_byte_ends_no_path(void **state)
{
    site s;
    tacit_error err = {0};
    tc_client *c;
    (void)state;
    open_site(&s, true);
    assert_ok(tc_client_new(&c, s.url, &(tc_client_opts){.fingerprint = s.tls.fingerprint}, &err));
    assert_int_equal(get(c, "/healthz", NULL, NULL), 200);
    assert_int_equal(get(c, "/healthz%00/more", NULL, NULL), 404);
    tc_client_free(c);
    site_close(&s);
}

/* A byte now and then, for ever: until the server has enough of it. Of silence alone it would not end. */
static bool ends_after_a_byte(int fd)
{
    char byte;
    (void)send(fd, "a", 1, MSG_NOSIGNAL);
    ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

static void a_request_that_never_ends_is_ended(void **state)
{
    site s;
    (void)state;
    site_open(&s, (tc_server_config){.request_most_s = 1}, false);
    int fd = site_connect(&s);
    (void)send(fd, "GET /", 5, MSG_NOSIGNAL);
    SITE_UNTIL((usleep(50000), ends_after_a_byte(fd)));
    close(fd);
    site_close(&s);
}

/* ---- the end ---- */

typedef struct waiter {
    site *site;
    int status;
} waiter;

static void *wait_for_a_round(void *user)
{
    waiter *w = user;
    tacit_error err = {0};
    tc_client *c;
    assert_ok(tc_client_new(&c, w->site->url,
                            &(tc_client_opts){.fingerprint = w->site->tls.fingerprint}, &err));
    w->status = get(c, "/v1/studies/s/rounds/0/broadcast?wait=60", w->site->token, NULL);
    tc_client_free(c);
    return NULL;
}

/* Without an answer the client would fail; held to its end the test would take a minute. */
static void who_waits_is_answered_when_the_server_stops(void **state)
{
    site s;
    pthread_t thread;
    waiter w = {.site = &s};
    (void)state;
    open_site(&s, true);
    site_make_study(&s, "s");
    assert_int_equal(pthread_create(&thread, NULL, wait_for_a_round, &w), 0);
    SITE_UNTIL(site_held(&s) == 1);
    site_stop(&s);
    pthread_join(thread, NULL);
    site_close(&s);
    assert_int_equal(w.status, 202);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_certificate_is_made_once),
        cmocka_unit_test(requests_go_through_tls_and_roles),
        cmocka_unit_test(another_key_is_refused),
        cmocka_unit_test(plain_http_stays_on_loopback),
        cmocka_unit_test(a_body_beyond_the_limit_is_refused),
        cmocka_unit_test(a_body_is_read_only_of_those_who_may_send_it),
        cmocka_unit_test(a_zero_byte_ends_no_path),
        cmocka_unit_test(a_request_that_never_ends_is_ended),
        cmocka_unit_test(who_waits_is_answered_when_the_server_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
