/* server_answer_test.c - answers that nobody reads: how much of them the server keeps, for how long, and whom they
 * keep from being answered. */
#include "support/site.h"

#include "base/json.h"

enum { PARAMETERS = 2, CHOICES = 1000, LIMIT = 8 << 20, MANY = 60, SMALL = 4096 };

/* Bytes of answers that were not taken. */
static size_t on_their_way(const site *s)
{
    pthread_mutex_lock(&s->server->lock);
    size_t n = s->server->answers;
    pthread_mutex_unlock(&s->server->lock);
    return n;
}

/* ---- a study whose document has half a megabyte ---- */

static void make_long_study(site *s)
{
    tc_text text = {0};
    tc_text_add(&text,
                "{\"document\": {\"name\": \"long\", \"direction\": \"minimize\", \"trials\": 20,"
                " \"algorithm\": \"random\", \"space\": {");
    for (int i = 0; i < PARAMETERS; i++) {
        tc_text_addf(&text, "%s\"p%d\": {\"type\": \"choice\", \"choices\": [", i > 0 ? ", " : "",
                     i);
        for (int k = 0; k < CHOICES; k++)
            tc_text_addf(&text, "%s\"%0250d\"", k > 0 ? ", " : "", k);
        tc_text_add(&text, "]}");
    }
    tc_text_add(&text, "}}}");
    site_call(s, "POST", "/v1/studies", tc_text_get(&text), 201, NULL);
    tc_text_fini(&text);
}

static void make_token(site *s, char out[64])
{
    tc_text answer = {0};
    site_call(s, "POST", "/v1/studies/long/tokens", "{}", 201, &answer);
    json_t *j = json_loads(tc_text_get(&answer), 0, NULL);
    snprintf(out, 64, "%s", json_string_value(json_object_get(j, "token")));
    json_decref(j);
    tc_text_fini(&answer);
}

/* ---- who asks ---- */

static int send_get(const site *s, const char *path, const char *token)
{
    char text[256];
    int fd = site_connect(s);
    int n = snprintf(text, sizeof text,
                     "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path, token);
    site_say(fd, text, (size_t)n);
    return fd;
}

/* It will read nothing, so the system is not to take it, either. */
static int ask_and_leave(const site *s, const char *path, const char *token)
{
    int fd = send_get(s, path, token), room = 4096;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    return fd;
}

/* The first line of the answer, which is not read. */
static int peek_status(int fd)
{
    char line[16] = "";
    int status = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, SITE_PATIENCE_MS) != 1)
        fail_msg("no answer comes");
    (void)recv(fd, line, sizeof line - 1, MSG_PEEK);
    (void)sscanf(line, "HTTP/1.1 %d", &status);
    return status;
}

static size_t count(const int *fds, int status)
{
    size_t n = 0;
    for (size_t i = 0; i < MANY; i++)
        n += peek_status(fds[i]) == status;
    return n;
}

static void open_long(site *s, tc_server_config cfg)
{
    cfg.answers_max = LIMIT;
    site_open(s, cfg, false);
    make_long_study(s);
}

/* ---- the tests ---- */

/* A token has an eighth of the room. What it lets lie keeps nobody else from being answered. */
static void unread_answers_are_bounded(void **state)
{
    site s;
    int fds[MANY];
    char greedy[64], other[64];
    tc_text answer = {0};
    (void)state;
    open_long(&s, (tc_server_config){0});
    make_token(&s, greedy);
    make_token(&s, other);
    for (size_t i = 0; i < MANY; i++)
        fds[i] = ask_and_leave(&s, "/v1/studies/long", greedy);
    size_t given = count(fds, 200);
    assert_int_equal(given + count(fds, 503), MANY);
    assert_true(given >= 1);
    assert_true(on_their_way(&s) <= LIMIT / 8 + SMALL * MANY);
    int fd = send_get(&s, "/v1/studies/long", other);
    site_hear_answer(fd, &answer);
    assert_int_equal(site_status(&answer), 200);
    tc_text_fini(&answer);
    close(fd);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
    SITE_UNTIL(on_their_way(&s) == 0);
    site_close(&s);
}

/* All tokens together have a limit, too. */
static void many_tokens_share_the_limit(void **state)
{
    site s;
    int fds[MANY];
    char token[64];
    (void)state;
    open_long(&s, (tc_server_config){0});
    for (size_t i = 0; i < MANY; i++) {
        make_token(&s, token);
        fds[i] = ask_and_leave(&s, "/v1/studies/long", token);
    }
    size_t given = count(fds, 200);
    assert_int_equal(given + count(fds, 503), MANY);
    assert_true(given >= 1 && given < MANY);
    assert_true(on_their_way(&s) <= LIMIT + SMALL * MANY);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
    SITE_UNTIL(on_their_way(&s) == 0);
    site_close(&s);
}

/* Who does not read loses the connection, and its answer the room. */
static void who_does_not_read_is_parted_with(void **state)
{
    site s;
    (void)state;
    open_long(&s, (tc_server_config){.request_most_s = 1});
    int fd = ask_and_leave(&s, "/v1/studies/long", s.token);
    SITE_UNTIL(on_their_way(&s) > 0);
    SITE_UNTIL(on_their_way(&s) == 0);
    close(fd);
    site_close(&s);
}

/* It is sent to anybody, and takes no room: there is one. */
static void what_is_the_same_for_all_is_shared(void **state)
{
    site s;
    int fds[MANY];
    (void)state;
    open_long(&s, (tc_server_config){0});
    for (size_t i = 0; i < MANY; i++)
        fds[i] = ask_and_leave(&s, "/openapi.json", "none");
    assert_int_equal(count(fds, 200), MANY);
    assert_int_equal(on_their_way(&s), 0);
    for (size_t i = 0; i < MANY; i++)
        close(fds[i]);
    site_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread_answers_are_bounded),
        cmocka_unit_test(many_tokens_share_the_limit),
        cmocka_unit_test(who_does_not_read_is_parted_with),
        cmocka_unit_test(what_is_the_same_for_all_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
