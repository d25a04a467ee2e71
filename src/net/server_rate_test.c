/* server_rate_test.c - how much one address may ask: buckets, who shares one, and what a server answers. */
#include "support/test.h"

#include "net/server_int.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_storage address(const char *text)
{
    struct sockaddr_storage out = {0};
    struct sockaddr_in *four = (void *)&out;
    struct sockaddr_in6 *six = (void *)&out;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        out.ss_family = AF_INET;
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &six->sin6_addr), 1);
        out.ss_family = AF_INET6;
    }
    return out;
}

static bool asks(tc_rate *t, const char *who)
{
    struct sockaddr_storage a = address(who);
    return tc_rate_allows(t, (struct sockaddr *)&a);
}

static bool is_trusted(tc_rate *t, const char *who)
{
    struct sockaddr_storage a = address(who);
    return tc_rate_trusts(t, (struct sockaddr *)&a);
}

static void fails(tc_rate *t, const char *who)
{
    struct sockaddr_storage a = address(who);
    tc_rate_failed(t, (struct sockaddr *)&a);
}

/* How many in a row; the tests are over long before a second's worth has come again. */
static int in_a_row(tc_rate *t, const char *who)
{
    int n = 0;
    while (n < 10000 && asks(t, who))
        n++;
    return n;
}

static void an_address_has_a_second_worth(void **state)
{
    tacit_error err = {0};
    tc_rate *t;
    (void)state;
    assert_ok(tc_rate_new(&t, 5, 0, &err));
    assert_in_range(in_a_row(t, "10.0.0.1"), 5, 6);
    assert_in_range(in_a_row(t, "10.0.0.2"), 5, 6); /* another one has its own */
    assert_false(asks(t, "10.0.0.1"));
    assert_in_range(in_a_row(t, "2001:db8::1"), 5, 6);
    assert_false(asks(t, "2001:db8::ffff:2")); /* the same network */
    assert_true(asks(t, "2001:db8:0:1::1"));   /* another one */
    assert_false(asks(t, "::ffff:10.0.0.1"));  /* the same in other words */
    assert_true(tc_rate_allows(t, NULL));
    tc_rate_free(t);
}

static void without_a_limit_there_is_none(void **state)
{
    tacit_error err = {0};
    tc_rate *t;
    (void)state;
    assert_ok(tc_rate_new(&t, 0, 0, &err));
    assert_int_equal(in_a_row(t, "10.0.0.1"), 10000);
    tc_rate_free(t);
}

static void wrong_tokens_are_counted_apart(void **state)
{
    tacit_error err = {0};
    tc_rate *t;
    (void)state;
    assert_ok(tc_rate_new(&t, 0, 3, &err));
    for (int i = 0; i < 3; i++) {
        assert_true(is_trusted(t, "10.0.0.1"));
        fails(t, "10.0.0.1");
    }
    assert_false(is_trusted(t, "10.0.0.1"));
    assert_true(asks(t, "10.0.0.1")); /* health can be asked for without one */
    assert_true(is_trusted(t, "10.0.0.2"));
    tc_rate_free(t);
}

/* The table is of fixed size: many addresses drive out old ones and nobody is refused for it. */
static void many_addresses_fit(void **state)
{
    tacit_error err = {0};
    tc_rate *t;
    (void)state;
    assert_ok(tc_rate_new(&t, 1, 0, &err));
    for (int i = 0; i < 20000; i++) {
        char who[32];
        snprintf(who, sizeof who, "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        assert_true(asks(t, who));
    }
    tc_rate_free(t);
}

/* ---- over a socket ---- */

static void ask_over(int fd, const char *token, char answer[2048])
{
    char text[256];
    int n =
        snprintf(text, sizeof text, "GET /v1/studies HTTP/1.1\r\nHost: x\r\n%s%s%s\r\n",
                 token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "");
    assert_int_equal(send(fd, text, (size_t)n, 0), n);
    ssize_t got = recv(fd, answer, 2047, 0);
    assert_true(got > 0);
    answer[got] = 0;
}

static int connect_to(const tc_server *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tc_server_port(s)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Status of the n-th request in a row with this token. */
static void serve_and_ask(const tc_server_config *limits, const char *token, int n, char out[2048])
{
    tacit_error err = {0};
    tc_store *store;
    tc_coord *coord;
    tc_server *server;
    tc_server_config cfg = *limits;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    assert_ok(tc_coord_new(&coord, &(tc_coord_config){.store = store}, &err));
    cfg.coord = coord;
    cfg.listen = "127.0.0.1:0";
    cfg.threads = 1;
    assert_ok(tc_server_start(&server, &cfg, &err));
    int fd = connect_to(server);
    for (int i = 0; i < n; i++)
        ask_over(fd, token, out);
    close(fd);
    tc_server_stop(server);
    tc_coord_free(coord);
    tc_store_close(store);
}

static void a_server_says_when_to_ask_again(void **state)
{
    char answer[2048];
    (void)state;
    serve_and_ask(&(tc_server_config){.rate = 2}, NULL, 2, answer);
    assert_non_null(strstr(answer, "HTTP/1.1 401 "));
    assert_non_null(strstr(answer, "WWW-Authenticate: Bearer"));
    serve_and_ask(&(tc_server_config){.rate = 2}, NULL, 4, answer);
    assert_non_null(strstr(answer, "HTTP/1.1 429 "));
    assert_non_null(strstr(answer, "Retry-After: 1"));
    assert_non_null(strstr(answer, "application/problem+json"));
    serve_and_ask(&(tc_server_config){.failures = 2}, "guess", 2, answer);
    assert_non_null(strstr(answer, "HTTP/1.1 401 "));
    serve_and_ask(&(tc_server_config){.failures = 2}, "guess", 4, answer);
    assert_non_null(strstr(answer, "HTTP/1.1 429 "));
    serve_and_ask(&(tc_server_config){.failures = 2}, NULL, 30, answer); /* no token, no guess */
    assert_non_null(strstr(answer, "HTTP/1.1 401 "));
}

/* Behind one address there may be many: who guesses shuts out nobody whose token is valid. */
static void a_valid_token_does_not_suffer_from_wrong_ones(void **state)
{
    tacit_error err = {0};
    tc_store *store;
    tc_coord *coord;
    tc_server *server;
    tc_text token = {0};
    bool made;
    char answer[2048];
    (void)state;
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    assert_ok(tc_coord_new(&coord, &(tc_coord_config){.store = store}, &err));
    assert_ok(tc_coord_operator_token(coord, &token, &made, &err));
    tc_server_config cfg = {.coord = coord, .listen = "127.0.0.1:0", .threads = 1, .failures = 1};
    assert_ok(tc_server_start(&server, &cfg, &err));
    int fd = connect_to(server);
    for (int i = 0; i < 5; i++)
        ask_over(fd, "guess", answer);
    assert_non_null(strstr(answer, "HTTP/1.1 429 "));
    ask_over(fd, tc_text_get(&token), answer);
    assert_non_null(strstr(answer, "HTTP/1.1 200 "));
    close(fd);
    tc_text_fini(&token);
    tc_server_stop(server);
    tc_coord_free(coord);
    tc_store_close(store);
}

static void connections_are_counted_by_network(void **state)
{
    struct sockaddr_storage a = address("2001:db8::1"), b = address("2001:db8::ffff:2"),
                            c = address("2001:db8:0:1::1"), d = address("10.0.0.1"), e = d;
    (void)state;
    tc_server_network(&a);
    tc_server_network(&b);
    tc_server_network(&c);
    tc_server_network(&d);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_not_equal(&a, &c, sizeof a);
    assert_memory_equal(&d, &e, sizeof d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_has_a_second_worth),
        cmocka_unit_test(without_a_limit_there_is_none),
        cmocka_unit_test(wrong_tokens_are_counted_apart),
        cmocka_unit_test(many_addresses_fit),
        cmocka_unit_test(a_server_says_when_to_ask_again),
        cmocka_unit_test(a_valid_token_does_not_suffer_from_wrong_ones),
        cmocka_unit_test(connections_are_counted_by_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
