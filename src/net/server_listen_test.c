/* server_listen_test.c - connections and their TLS handshakes: in small pieces, half done, left alone, and
 * while the server stops. */
#include "support/site.h"

#include "base/clock.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <sys/resource.h>

enum { BEAT_MS = 50 }; /* so that the slow are looked for often */

static void open_site(site *s, tc_server_config cfg)
{
    cfg.heartbeat_ms = BEAT_MS;
    site_open(s, cfg, true);
}

/* ---- a client that sends as the test wants it ---- */

typedef struct client {
    int fd;
    gnutls_session_t tls;
    gnutls_certificate_credentials_t credentials;
    size_t piece; /* bytes of one send */
    size_t left;  /* bytes until it falls silent */
} client;

static ssize_t push(gnutls_transport_ptr_t user, const void *bytes, size_t n)
{
    client *c = user;
    for (size_t at = 0; at < n; at += c->piece) {
        size_t k = n - at < c->piece ? n - at : c->piece;
        k = k < c->left ? k : c->left;
        c->left -= k;
        if (k > 0 && send(c->fd, (const char *)bytes + at, k, MSG_NOSIGNAL) < 0)
            return -1;
        usleep(200); /* so that it goes by itself */
    }
    return (ssize_t)n;
}

static ssize_t pull(gnutls_transport_ptr_t user, void *out, size_t n)
{
    return recv(((client *)user)->fd, out, n, 0);
}

static void client_init(client *c, const char *priority)
{
    gnutls_certificate_allocate_credentials(&c->credentials);
    gnutls_init(&c->tls, GNUTLS_CLIENT);
    assert_int_equal(gnutls_priority_set_direct(c->tls, priority, NULL), 0);
    gnutls_credentials_set(c->tls, GNUTLS_CRD_CERTIFICATE, c->credentials);
    gnutls_transport_set_ptr(c->tls, c);
    gnutls_transport_set_push_function(c->tls, push);
    gnutls_transport_set_pull_function(c->tls, pull);
}

static void client_fini(client *c)
{
    gnutls_deinit(c->tls);
    gnutls_certificate_free_credentials(c->credentials);
    close(c->fd);
}

static void say(client *c, const char *text)
{
    ssize_t n = (ssize_t)strlen(text);
    assert_int_equal(gnutls_record_send(c->tls, text, (size_t)n), n);
}

/* All that comes until the end. */
static void hear(client *c, char answer[1024])
{
    size_t got = 0;
    for (ssize_t k; (k = gnutls_record_recv(c->tls, answer + got, 1023 - got)) > 0;)
        got += (size_t)k;
    answer[got] = 0;
}

static void ask_for_health(client *c)
{
    char answer[1024];
    say(c, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    hear(c, answer);
    assert_non_null(strstr(answer, " 200 "));
    assert_non_null(strstr(answer, "\r\n\r\nok\n"));
}

/* False: it was not let in. */
static bool enters(const site *s, const char *priority)
{
    client c = {.fd = site_connect(s), .piece = 1000, .left = SIZE_MAX};
    client_init(&c, priority);
    bool entered = gnutls_handshake(c.tls) == 0;
    if (entered)
        ask_for_health(&c);
    client_fini(&c);
    return entered;
}

static bool is_healthy(const site *s)
{
    return enters(s, "NORMAL");
}

/* Connections that the server has ended. */
static size_t count_ended(const int *fds, size_t n)
{
    size_t ended = 0;
    for (size_t i = 0; i < n; i++) {
        struct pollfd p = {.fd = fds[i], .events = POLLIN};
        ended += poll(&p, 1, 0) == 1;
    }
    return ended;
}

static void handshakes_in_small_pieces_succeed(void **state)
{
    static const char *const versions[] = {"NORMAL:-VERS-ALL:+VERS-TLS1.3",
                                           "NORMAL:-VERS-ALL:+VERS-TLS1.2"};
    static const size_t pieces[] = {1, 7, 64, 100000};
    site s;
    (void)state;
    open_site(&s, (tc_server_config){0});
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < 4; i++) {
            client c = {.fd = site_connect(&s), .piece = pieces[i], .left = SIZE_MAX};
            client_init(&c, versions[v]);
            assert_int_equal(gnutls_handshake(c.tls), 0);
            ask_for_health(&c);
            client_fini(&c);
        }
    site_close(&s);
}

/* ---- what a handshake may cost ---- */

static bool is_among(unsigned id, const unsigned *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (all[i] == id)
            return true;
    return false;
}

static void nothing_expensive_or_old_is_offered(void **state)
{
    static const unsigned groups[] = {GNUTLS_GROUP_X25519, GNUTLS_GROUP_SECP256R1};
    static const unsigned exchanges[] = {GNUTLS_KX_ECDHE_ECDSA, GNUTLS_KX_ECDHE_RSA};
    static const unsigned ciphers[] = {GNUTLS_CIPHER_AES_256_GCM, GNUTLS_CIPHER_CHACHA20_POLY1305,
                                       GNUTLS_CIPHER_AES_128_GCM};
    static const unsigned versions[] = {GNUTLS_TLS1_3, GNUTLS_TLS1_2};
    const unsigned *list;
    gnutls_priority_t p;
    (void)state;
    assert_int_equal(gnutls_priority_init(&p, TC_TLS_PRIORITIES, NULL), 0);
    assert_int_equal(gnutls_priority_group_list(p, &list), 2);
    for (int i = 0; i < 2; i++)
        assert_true(is_among(list[i], groups, 2));
    assert_int_equal(gnutls_priority_kx_list(p, &list), 2);
    for (int i = 0; i < 2; i++)
        assert_true(is_among(list[i], exchanges, 2));
    assert_int_equal(gnutls_priority_cipher_list(p, &list), 3);
    for (int i = 0; i < 3; i++)
        assert_true(is_among(list[i], ciphers, 3));
    assert_int_equal(gnutls_priority_protocol_list(p, &list), 2);
    for (int i = 0; i < 2; i++)
        assert_true(is_among(list[i], versions, 2));
    int n = gnutls_priority_sign_list(p, &list);
    assert_true(n > 0);
    for (int i = 0; i < n; i++)
        assert_int_not_equal(gnutls_sign_get_hash_algorithm(list[i]), GNUTLS_DIG_SHA1);
    gnutls_priority_deinit(p);
}

static void who_offers_nothing_else_is_refused(void **state)
{
    static const char *const bad[] = {
        "NORMAL:-GROUP-ALL:+GROUP-FFDHE2048:+GROUP-FFDHE8192",
        "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+DHE-RSA:+RSA", "NORMAL:-GROUP-ALL:+GROUP-SECP521R1",
        "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-CBC:+AES-128-CBC:-MAC-ALL:+SHA1"};
    static const char *const good[] = {"NORMAL:-GROUP-ALL:+GROUP-SECP256R1",
                                       "NORMAL:-GROUP-ALL:+GROUP-X25519:+GROUP-FFDHE8192"};
    site s;
    (void)state;
    open_site(&s, (tc_server_config){0});
    for (size_t i = 0; i < 4; i++)
        assert_false(enters(&s, bad[i]));
    for (size_t i = 0; i < 2; i++)
        assert_true(enters(&s, good[i]));
    site_close(&s);
}

/* As the metrics say. */
static unsigned long refused(site *s)
{
    static const char row[] = "\ntacit_handshakes_refused_total ";
    tc_text text = {0};
    unsigned long n;
    site_call(s, "GET", "/metrics", NULL, 200, &text);
    const char *at = strstr(tc_text_get(&text), row);
    assert_non_null(at);
    assert_int_equal(sscanf(at + sizeof row - 1, "%lu", &n), 1);
    tc_text_fini(&text);
    return n;
}

/* One a second, ten at once: however slow the test is, no more than the time that it took allows. */
static void an_address_begins_only_so_many_handshakes(void **state)
{
    enum { MANY = 200, BURST = 10 };
    site s;
    size_t entered = 0;
    (void)state;
    open_site(&s, (tc_server_config){.handshakes = 1});
    uint64_t begin = tc_clock_ns();
    for (size_t i = 0; i < MANY; i++)
        entered += is_healthy(&s);
    uint64_t seconds = (tc_clock_ns() - begin) / UINT64_C(1000000000);
    assert_true(entered >= BURST);
    assert_true(entered <= BURST + seconds + 1);
    assert_int_equal(refused(&s), MANY - entered);
    site_close(&s);
}

static size_t unfinished(const site *s)
{
    pthread_mutex_lock(&s->server->lock);
    size_t n = s->server->n_greeting;
    pthread_mutex_unlock(&s->server->lock);
    return n;
}

/* Whoever connects and says nothing gives way to the next one, the oldest first. */
static void the_oldest_unfinished_handshake_gives_way(void **state)
{
    enum { MORE = 40, ALL = TC_GREETING_SHARE + MORE };
    static int fds[ALL];
    site s;
    (void)state;
    open_site(&s, (tc_server_config){0});
    for (size_t i = 0; i < ALL; i++)
        fds[i] = site_connect(&s);
    SITE_UNTIL(count_ended(fds, ALL) == MORE);
    assert_int_equal(unfinished(&s), TC_GREETING_SHARE);
    assert_true(is_healthy(&s));
    SITE_UNTIL(count_ended(fds, ALL) == MORE + 1);
    for (size_t i = 0; i < ALL; i++)
        close(fds[i]);
    SITE_UNTIL(unfinished(&s) == 0);
    site_close(&s);
}

/* Connected, half a greeting, a whole one without what follows: none of it holds up others or the end. */
static void half_handshakes_hold_up_nobody(void **state)
{
    site s;
    client half[6];
    (void)state;
    open_site(&s, (tc_server_config){0});
    for (size_t i = 0; i < 6; i++) {
        half[i] =
            (client){.fd = site_connect(&s), .piece = 1000, .left = i % 3 == 0 ? 60 : SIZE_MAX};
        client_init(&half[i], "NORMAL");
        if (i % 3 != 2) { /* says hello and never comes back */
            shutdown(half[i].fd, SHUT_RD);
            (void)gnutls_handshake(half[i].tls);
        }
    }
    assert_true(is_healthy(&s));
    site_close(&s);
    for (size_t i = 0; i < 6; i++)
        client_fini(&half[i]);
}

static void who_ends_half_way_is_forgotten(void **state)
{
    site s;
    (void)state;
    open_site(&s, (tc_server_config){0});
    for (size_t i = 0; i < 20; i++) {
        client c = {.fd = site_connect(&s), .piece = 1000, .left = 10 * i};
        client_init(&c, "NORMAL");
        shutdown(c.fd, SHUT_RD);
        (void)gnutls_handshake(c.tls);
        client_fini(&c);
    }
    assert_true(is_healthy(&s));
    site_close(&s);
}

/* ---- after the handshake ---- */

/* A request that takes longer than a handshake may: its body comes in two parts. */
static void begin_slowly(client *c, const site *s)
{
    char text[256];
    snprintf(text, sizeof text,
             "POST /v1/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
             "Connection: close\r\nContent-Length: 18\r\n\r\n",
             s->token);
    say(c, text);
    say(c, "{\"role\":");
}

static size_t in_their_body(site *s)
{
    size_t n = 0;
    pthread_mutex_lock(&s->server->lock);
    for (const tc_connection *conn = s->server->connections; conn; conn = conn->next)
        n += conn->turn == TC_TURN_BODY;
    pthread_mutex_unlock(&s->server->lock);
    return n;
}

/* For the server it is longer ago that they said something. */
static void let_time_pass(site *s, uint64_t seconds)
{
    pthread_mutex_lock(&s->server->lock);
    for (tc_connection *conn = s->server->connections; conn; conn = conn->next)
        conn->since_ns -= seconds * UINT64_C(1000000000);
    pthread_mutex_unlock(&s->server->lock);
    for (int i = 0; i < 20; i++, usleep(5000)) /* one that sleeps does so soon, if not at once */
        tc_connection_end_slow(s->server);
}

/* Who has nothing to read while its handshake is over does not sleep as one whose handshake waits: it would
 * be cut off like one. Of TLS 1.2 also with a session to be taken up again. */
static void after_its_handshake_nobody_sleeps(void **state)
{
    enum { CLIENTS = 3 };
    static const char *const versions[CLIENTS] = {"NORMAL:-VERS-ALL:+VERS-TLS1.3",
                                                  "NORMAL:-VERS-ALL:+VERS-TLS1.2",
                                                  "NORMAL:-VERS-ALL:+VERS-TLS1.2"};
    site s;
    client c[CLIENTS];
    gnutls_datum_t session;
    char answer[1024];
    (void)state;
    open_site(&s, (tc_server_config){0});
    for (size_t i = 0; i < CLIENTS; i++) {
        c[i] = (client){.fd = site_connect(&s), .piece = 1000, .left = SIZE_MAX};
        client_init(&c[i], versions[i]);
        if (i == 2)
            assert_int_equal(gnutls_session_set_data(c[i].tls, session.data, session.size), 0);
        assert_int_equal(gnutls_handshake(c[i].tls), 0);
        if (i == 1)
            assert_int_equal(gnutls_session_get_data2(c[i].tls, &session), 0);
        begin_slowly(&c[i], &s);
    }
    SITE_UNTIL(in_their_body(&s) == CLIENTS);
    let_time_pass(&s, 60); /* more than a handshake may take, less than a request may */
    for (size_t i = 0; i < CLIENTS; i++) {
        say(&c[i], " \"viewer\"}");
        hear(&c[i], answer);
        assert_non_null(strstr(answer, "HTTP/1.1 201 "));
        client_fini(&c[i]);
    }
    gnutls_free(session.data);
    site_close(&s);
}

/* ---- ends ---- */

/* Its time is up: the server ends it. */
static void a_handshake_that_never_ends_is_ended(void **state)
{
    site s;
    char byte;
    (void)state;
    open_site(&s, (tc_server_config){.request_most_s = 1});
    int fd = site_connect(&s);
    (void)send(fd, "\x16\x03\x01\x02\x00\x01", 6, MSG_NOSIGNAL); /* the beginning of a hello */
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, SITE_PATIENCE_MS), 1);
    while (recv(fd, &byte, 1, 0) > 0)
        ; /* an alert, perhaps; then the end */
    close(fd);
    site_close(&s);
}

static void an_address_in_use_is_refused(void **state)
{
    site s;
    tacit_error err = {0};
    tc_server *second;
    char listen[32], text[128];
    (void)state;
    open_site(&s, (tc_server_config){0});
    snprintf(listen, sizeof listen, "127.0.0.1:%u", tc_server_port(s.server));
    snprintf(text, sizeof text, "%s cannot be listened at: %s", listen, strerror(EADDRINUSE));
    tc_server_config cfg = {.coord = s.coord, .listen = listen, .tls = &s.tls, .threads = 2};
    assert_fails(tc_server_start(&second, &cfg, &err), TACIT_E_IO, text);
    site_close(&s);
}

/* Those beyond the limit are closed, and when the others are gone there is room again. */
static void more_than_allowed_are_closed(void **state)
{
    enum { MANY = 200 };
    site s;
    int fds[MANY];
    (void)state;
    open_site(&s, (tc_server_config){.connections = 16});
    for (size_t i = 0; i < MANY; i++)
        fds[i] = site_connect(&s);
    SITE_UNTIL(count_ended(fds, MANY) > 0);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
    SITE_UNTIL(is_healthy(&s));
    site_close(&s);
}

static rlim_t highest_descriptor(void)
{
    int fd = dup(0);
    close(fd);
    return (rlim_t)fd;
}

/* Connections that cannot be accepted stay at the door; the server ends nevertheless. */
static void a_server_without_descriptors_can_be_stopped(void **state)
{
    site s;
    struct rlimit before, none;
    int fds[4];
    (void)state;
    open_site(&s, (tc_server_config){0});
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(tc_server_port(s.server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (size_t i = 0; i < 4; i++)
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = highest_descriptor(); /* all below it are in use */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(connect(fds[i], (struct sockaddr *)&at, sizeof at), 0);
    usleep(100000); /* the server has tried by now */
    site_stop(&s);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (size_t i = 0; i < 4; i++)
        close(fds[i]);
    site_close(&s);
}

/* The last test: the limit stays. */
static void what_the_server_needs_itself_is_kept(void **state)
{
    enum { FILES = 400, KEPT = 64 + 3 * 2 };
    site s;
    tacit_error err = {0};
    struct rlimit few = {.rlim_cur = FILES, .rlim_max = FILES};
    (void)state;
    open_site(&s, (tc_server_config){0});
    site_stop(&s);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    tc_server_config cfg = {
        .coord = s.coord, .listen = "127.0.0.1:0", .threads = 2, .connections = FILES - KEPT + 1};
    assert_fails(tc_server_start(&s.server, &cfg, &err), TACIT_E_ARG,
                 "331 connections and 2 threads need more open files than the limit of 400 allows");
    cfg.connections--;
    assert_ok(tc_server_start(&s.server, &cfg, &err));
    site_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handshakes_in_small_pieces_succeed),
        cmocka_unit_test(nothing_expensive_or_old_is_offered),
        cmocka_unit_test(who_offers_nothing_else_is_refused),
        cmocka_unit_test(an_address_begins_only_so_many_handshakes),
        cmocka_unit_test(the_oldest_unfinished_handshake_gives_way),
        cmocka_unit_test(half_handshakes_hold_up_nobody),
        cmocka_unit_test(who_ends_half_way_is_forgotten),
        cmocka_unit_test(after_its_handshake_nobody_sleeps),
        cmocka_unit_test(a_handshake_that_never_ends_is_ended),
        cmocka_unit_test(an_address_in_use_is_refused),
        cmocka_unit_test(more_than_allowed_are_closed),
        cmocka_unit_test(a_server_without_descriptors_can_be_stopped),
        cmocka_unit_test(what_the_server_needs_itself_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
