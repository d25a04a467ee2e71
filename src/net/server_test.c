/* server_test.c - the coordinator over TLS on a loopback port of its own: certificates, pins, limits,
 * and requests that are held until something changes. */
#include "support/test.h"

#include "base/clock.h"
#include "base/memory.h"
#include "net/client.h"
#include "net/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct site {
    tc_store *store;
    tc_coord *coord;
    tc_certificate tls;
    tc_server *server;
    char url[64];
    char token[64];
    unsigned request_most_s;
} site;

static void open_site(site *s, bool tls)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    assert_ok(tc_store_open(&s->store, "memory:", true, &err));
    assert_ok(tc_coord_new(&s->coord, &(tc_coord_config){.store = s->store}, &err));
    assert_ok(tc_coord_operator_token(s->coord, &token, &made, &err));
    snprintf(s->token, sizeof s->token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    assert_ok(tc_certificate_get(s->store, "127.0.0.1", &s->tls, &err));
    tc_server_config cfg = {.coord = s->coord,
                            .listen = "127.0.0.1:0",
                            .tls = tls ? &s->tls : NULL,
                            .threads = 2,
                            .request_most_s = s->request_most_s,
                            .body_max = 100000};
    assert_ok(tc_server_start(&s->server, &cfg, &err));
    snprintf(s->url, sizeof s->url, "%s://127.0.0.1:%u", tls ? "https" : "http",
             tc_server_port(s->server));
}

static void close_site(site *s)
{
    tc_server_stop(s->server);
    tc_certificate_fini(&s->tls);
    tc_coord_free(s->coord);
    tc_store_close(s->store);
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
    assert_true(a.made && !b.made);
    assert_string_equal(a.fingerprint, b.fingerprint);
    assert_string_equal(a.cert_pem, b.cert_pem);
    assert_int_equal(strlen(a.fingerprint), 8 + 44);
    tc_certificate_fini(&a);
    tc_certificate_fini(&b);
    tc_store_close(s);
}

static void requests_go_through_tls_and_roles(void **state)
{
    site s = {0};
    tacit_error err = {0};
    tc_client *c;
    tc_text body = {0};
    (void)state;
    open_site(&s, true);
    assert_ok(tc_client_new(&c, s.url, s.tls.fingerprint, &err));
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
    close_site(&s);
}

static void another_key_is_refused(void **state)
{
    site s = {0};
    tacit_error err = {0};
    tc_client *c;
    tc_text body = {0};
    int status = 0;
    (void)state;
    open_site(&s, true);
    assert_ok(
        tc_client_new(&c, s.url, "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", &err));
    assert_fails(
        tc_client_call(c, &(tc_call){.method = "GET", .path = "/healthz"}, &status, &body, &err),
        TACIT_E_STATE, "is not the coordinator with that fingerprint");
    tc_client_free(c);
    assert_fails(tc_client_new(&c, "https://127.0.0.1:1", NULL, &err), TACIT_E_ARG, "fingerprint");
    assert_fails(tc_client_new(&c, "http://10.0.0.1:1", NULL, &err), TACIT_E_ARG,
                 "only a loopback address");
    tc_text_fini(&body);
    close_site(&s);
}

static void plain_http_stays_on_loopback(void **state)
{
    site s = {0};
    tacit_error err = {0};
    tc_client *c;
    tc_server *none = NULL;
    (void)state;
    open_site(&s, false);
    assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0); /* not asked */
    assert_ok(tc_client_new(&c, s.url, NULL, &err));
    assert_int_equal(get(c, "/readyz", NULL, NULL), 200);
    unsetenv("http_proxy");
    tc_client_free(c);
    assert_fails(
        tc_server_start(&none, &(tc_server_config){.coord = s.coord, .listen = "0.0.0.0:0"}, &err),
        TACIT_E_ARG, "without TLS only a loopback address");
    assert_fails(tc_server_start(
                     &none, &(tc_server_config){.coord = s.coord, .listen = "localhost:0"}, &err),
                 TACIT_E_ARG, "listen must be an address and a port");
    close_site(&s);
}

static void a_body_beyond_the_limit_is_refused(void **state)
{
    site s = {0};
    tacit_error err = {0};
    tc_client *c;
    tc_text body = {0};
    int status = 0;
    size_t n = 200000;
    char *large = tc_alloc(n + 1, 1);
    (void)state;
    open_site(&s, true);
    memset(large, ' ', n);
    assert_ok(tc_client_new(&c, s.url, s.tls.fingerprint, &err));
    tc_call call = {
        .method = "POST", .path = "/v1/studies", .bearer = s.token, .body = large, .n_body = n};
    assert_ok(tc_client_call(c, &call, &status, &body, &err));
    assert_int_equal(status, 413);
    tc_client_free(c);
    tc_text_fini(&body);
    tc_free(large);
    close_site(&s);
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
    site s = {0};
    tacit_error err = {0};
    tc_client *c;
    size_t n = 90000;
    char *large = tc_alloc(n + 1, 1);
    (void)state;
    open_site(&s, true);
    memset(large, ' ', n);
    assert_ok(tc_client_new(&c, s.url, s.tls.fingerprint, &err));
    assert_int_equal(post(c, "/v1/studies", NULL, large, n), 401);
    assert_int_equal(post(c, "/v1/studies", "wrong", large, n), 401);
    assert_int_equal(post(c, "/nowhere", s.token, large, n), 404);
    assert_int_equal(post(c, "/healthz", s.token, large, n), 405);
    assert_int_equal(post(c, "/v1/tokens", s.token, large, n), 413); /* it needs a few bytes */
    assert_int_equal(post(c, "/v1/studies", s.token, large, n), 400);
    tc_client_free(c);
    tc_free(large);
    close_site(&s);
}

static void a_zero_byte_ends_no_path(void **state)
{
    site s = {0};
    tacit_error err = {0};
    tc_client *c;
    (void)state;
    open_site(&s, true);
    assert_ok(tc_client_new(&c, s.url, s.tls.fingerprint, &err));
    assert_int_equal(get(c, "/healthz", NULL, NULL), 200);
    assert_int_equal(get(c, "/healthz%00/more", NULL, NULL), 404);
    tc_client_free(c);
    close_site(&s);
}

/* A byte now and then, for ever: until the server has enough of it. */
static void a_request_that_never_ends_is_ended(void **state)
{
    site s = {0};
    struct sockaddr_in at = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0), tries = 0;
    char byte;
    (void)state;
    s.request_most_s = 1;
    open_site(&s, false);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(tc_server_port(s.server));
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    (void)send(fd, "GET /", 5, MSG_NOSIGNAL);
    ssize_t got = -1;
    while (got < 0 && tries++ < 200) { /* 20 s; of silence alone it would not end */
        (void)send(fd, "a", 1, MSG_NOSIGNAL);
        usleep(100000);
        got = recv(fd, &byte, 1, MSG_DONTWAIT);
        if (got < 0 && errno == ECONNRESET)
            got = 0;
    }
    assert_int_equal(got, 0);
    close(fd);
    close_site(&s);
}

/* ---- the end ---- */

typedef struct waiter {
    site *site;
    char token[64];
    atomic_bool connected;
    int status;
} waiter;

static void *wait_for_a_round(void *user)
{
    waiter *w = user;
    tacit_error err = {0};
    tc_client *c;
    assert_ok(tc_client_new(&c, w->site->url, w->site->tls.fingerprint, &err));
    (void)get(c, "/healthz", NULL, NULL);
    atomic_store(&w->connected, true);
    w->status = get(c, "/v1/studies/s/rounds/0/broadcast?wait=60", w->token, NULL);
    tc_client_free(c);
    return NULL;
}

/* Without an answer the client would fail; held to its end the test would take a minute. */
static void who_waits_is_answered_when_the_server_stops(void **state)
{
    static const char study[] =
        "{\"document\": {\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"space\": "
        "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": "
        "\"dp-fts-de\"}, \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": "
        "0.01}}}";
    site s = {0};
    tacit_error err = {0};
    tc_client *c;
    pthread_t thread;
    waiter w = {.site = &s};
    (void)state;
    open_site(&s, true);
    assert_ok(tc_client_new(&c, s.url, s.tls.fingerprint, &err));
    assert_int_equal(post(c, "/v1/studies", s.token, study, strlen(study)), 201);
    snprintf(w.token, sizeof w.token, "%s", s.token);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_a_round, &w), 0);
    while (!atomic_load(&w.connected))
        usleep(1000);
    usleep(300000); /* it is held by now */
    close_site(&s);
    pthread_join(thread, NULL);
    assert_int_equal(w.status, 202);
    tc_client_free(c);
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
