/* server_rate_test.c - how much one address may ask: buckets, who shares one, and what a server answers. */
#include "support/site.h"

/* Time stands still unless a test moves it. */
typedef struct watch {
    uint64_t ns;
} watch;

static uint64_t read_watch(void *user)
{
    return ((watch *)user)->ns;
}

static tc_rate *new_rate(unsigned asks, unsigned failures, watch *w)
{
    tacit_error err = {0};
    tc_rate *t;
    w->ns = UINT64_C(5000000000);
    assert_ok(tc_rate_new(&t, asks, failures, 0, &err));
    tc_rate_set_clock(t, read_watch, w);
    return t;
}

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

/* A site behind one address may connect again all at once; who goes on without a pause is held to the rate. */
static void an_address_has_ten_seconds_worth_of_handshakes(void **state)
{
    watch w = {.ns = UINT64_C(5000000000)};
    tacit_error err = {0};
    tc_rate *t;
    struct sockaddr_storage one = address("10.0.0.1"), other = address("10.0.0.2");
    int n = 0;
    (void)state;
    assert_ok(tc_rate_new(&t, 0, 0, 5, &err));
    tc_rate_set_clock(t, read_watch, &w);
    while (n < 10000 && tc_rate_greets(t, (struct sockaddr *)&one))
        n++;
    assert_int_equal(n, 50);
    assert_true(tc_rate_greets(t, (struct sockaddr *)&other));
    w.ns += UINT64_C(1000000000);
    for (n = 0; n < 10000 && tc_rate_greets(t, (struct sockaddr *)&one);)
        n++;
    assert_int_equal(n, 5);
    tc_rate_free(t);
}

/* How many at once. */
static int in_a_row(tc_rate *t, const char *who)
{
    int n = 0;
    while (n < 10000 && asks(t, who))
        n++;
    return n;
}

static void an_address_has_a_second_worth(void **state)
{
    watch w;
    tc_rate *t = new_rate(5, 0, &w);
    (void)state;
    assert_int_equal(in_a_row(t, "10.0.0.1"), 5);
    assert_int_equal(in_a_row(t, "10.0.0.2"), 5); /* another one has its own */
    assert_false(asks(t, "10.0.0.1"));
    assert_int_equal(in_a_row(t, "2001:db8::1"), 5);
    assert_false(asks(t, "2001:db8::ffff:2")); /* the same network */
    assert_true(asks(t, "2001:db8:0:1::1"));   /* another one */
    assert_false(asks(t, "::ffff:10.0.0.1"));  /* the same in other words */
    assert_true(tc_rate_allows(t, NULL));
    tc_rate_free(t);
}

static void what_was_used_comes_again_with_time(void **state)
{
    watch w;
    tc_rate *t = new_rate(4, 2, &w);
    (void)state;
    assert_int_equal(in_a_row(t, "10.0.0.1"), 4);
    w.ns += 249000000;
    assert_false(asks(t, "10.0.0.1"));
    w.ns += 1000000;
    assert_int_equal(in_a_row(t, "10.0.0.1"), 1);
    w.ns += UINT64_C(3600000000000);
    assert_int_equal(in_a_row(t, "10.0.0.1"), 4); /* and no more than that */
    fails(t, "10.0.0.1");
    fails(t, "10.0.0.1");
    assert_false(is_trusted(t, "10.0.0.1"));
    w.ns += 500000000;
    assert_true(is_trusted(t, "10.0.0.1"));
    tc_rate_free(t);
}

static void without_a_limit_there_is_none(void **state)
{
    watch w;
    tc_rate *t = new_rate(0, 0, &w);
    (void)state;
    assert_int_equal(in_a_row(t, "10.0.0.1"), 10000);
    tc_rate_free(t);
}

static void wrong_tokens_are_counted_apart(void **state)
{
    watch w;
    tc_rate *t = new_rate(0, 3, &w);
    (void)state;
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
    watch w;
    tc_rate *t = new_rate(1, 0, &w);
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char who[32];
        snprintf(who, sizeof who, "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        assert_true(asks(t, who));
    }
    tc_rate_free(t);
}

/* ---- over a socket ---- */

static void ask_over(int fd, const char *token, tc_text *answer)
{
    char text[256];
    int n =
        snprintf(text, sizeof text, "GET /v1/studies HTTP/1.1\r\nHost: x\r\n%s%s%s\r\n",
                 token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "");
    site_say(fd, text, (size_t)n);
    tc_text_fini(answer);
    site_hear_answer(fd, answer);
}

/* At a site where no time goes by. */
static void open_still(site *s, tc_server_config limits, watch *w)
{
    w->ns = UINT64_C(5000000000);
    site_open(s, limits, false);
    tc_rate_set_clock(s->server->rate, read_watch, w);
}

/* The answer to the n-th request in a row with this token has all of these. */
static void assert_answer(tc_server_config limits, const char *token, int n, const char *parts[3])
{
    site s;
    watch w;
    tc_text answer = {0};
    open_still(&s, limits, &w);
    int fd = site_connect(&s);
    for (int i = 0; i < n; i++)
        ask_over(fd, token, &answer);
    for (int i = 0; i < 3 && parts[i]; i++)
        assert_non_null(strstr(tc_text_get(&answer), parts[i]));
    tc_text_fini(&answer);
    close(fd);
    site_close(&s);
}

static void a_server_says_when_to_ask_again(void **state)
{
    static const char *known[3] = {"HTTP/1.1 401 ", "WWW-Authenticate: Bearer"};
    static const char *busy[3] = {"HTTP/1.1 429 ", "Retry-After: 1", "application/problem+json"};
    (void)state;
    assert_answer((tc_server_config){.rate = 2}, NULL, 2, known);
    assert_answer((tc_server_config){.rate = 2}, NULL, 3, busy);
    assert_answer((tc_server_config){.failures = 2}, "guess", 2, known);
    assert_answer((tc_server_config){.failures = 2}, "guess", 3, busy);
    assert_answer((tc_server_config){.failures = 2}, NULL, 30, known); /* no token, no guess */
}

/* Behind one address there may be many: who guesses shuts out nobody whose token is valid. */
static void a_valid_token_does_not_suffer_from_wrong_ones(void **state)
{
    site s;
    watch w;
    tc_text answer = {0};
    (void)state;
    open_still(&s, (tc_server_config){.failures = 1}, &w);
    int fd = site_connect(&s);
    for (int i = 0; i < 2; i++)
        ask_over(fd, "guess", &answer);
    assert_int_equal(site_status(&answer), 429);
    ask_over(fd, s.token, &answer);
    assert_int_equal(site_status(&answer), 200);
    tc_text_fini(&answer);
    close(fd);
    site_close(&s);
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
        cmocka_unit_test(an_address_has_ten_seconds_worth_of_handshakes),
        cmocka_unit_test(an_address_has_a_second_worth),
        cmocka_unit_test(what_was_used_comes_again_with_time),
        cmocka_unit_test(without_a_limit_there_is_none),
        cmocka_unit_test(wrong_tokens_are_counted_apart),
        cmocka_unit_test(many_addresses_fit),
        cmocka_unit_test(a_server_says_when_to_ask_again),
        cmocka_unit_test(a_valid_token_does_not_suffer_from_wrong_ones),
        cmocka_unit_test(connections_are_counted_by_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
