/* events_test.c - listeners over real sockets: what they hear, and that none stays who is gone, does not
 * read, or has lost its token. */
#include "support/site.h"

#include "base/memory.h"

#include <dirent.h>
#include <linux/tcp.h>

enum { HOUR_MS = 3600000 };

/* Where no heartbeat comes by itself: those who are to stay must not depend on how fast the machine is. */
static int open_calm(void **state)
{
    static site s;
    site_open(&s, (tc_server_config){.heartbeat_ms = HOUR_MS}, false);
    *state = &s;
    return 0;
}

/* One heartbeat. */
static void heartbeat(site *s)
{
    pthread_mutex_lock(&s->server->lock);
    s->server->heartbeat_ns -= HOUR_MS * UINT64_C(1000000);
    pthread_mutex_unlock(&s->server->lock);
    tc_feeds_heartbeat(s->server);
}

static void pause_study(site *s)
{
    site_call(s, "POST", "/v1/studies/s:pause", NULL, 200, NULL);
}

static void resume_study(site *s)
{
    site_call(s, "POST", "/v1/studies/s:resume", NULL, 200, NULL);
}

/* ---- sockets ---- */

/* With little room for what is not read. */
static int connect_small(const site *s)
{
    int fd = site_connect(s), small = 4096;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    return fd;
}

static int listen_as(const site *s, const char *token, const char *last)
{
    int fd = connect_small(s);
    char text[512];
    int n = snprintf(text, sizeof text,
                     "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s%s%s\r\n",
                     token, last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : "");
    site_say(fd, text, (size_t)n);
    return fd;
}

/* Reads until `part` was seen; false: the other side has closed before. */
static bool read_until(int fd, const char *part, tc_text *got)
{
    bool open = true;
    while (open && !strstr(tc_text_get(got), part))
        open = site_hear(fd, got);
    return open;
}

static void assert_hears(int fd, const char *part)
{
    tc_text got = {0};
    assert_true(read_until(fd, part, &got));
    tc_text_fini(&got);
}

static void assert_ends(int fd)
{
    tc_text got = {0};
    assert_false(read_until(fd, "never", &got));
    tc_text_fini(&got);
}

/* Open descriptors of this process: those of the server and of the test. */
static size_t descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static size_t connections(const site *s)
{
    pthread_mutex_lock(&s->server->lock);
    size_t n = s->server->n_connections;
    pthread_mutex_unlock(&s->server->lock);
    return n;
}

/* ---- hearing ---- */

static void events_come_as_they_happen(void **state)
{
    site *s = *state;
    site_make_study(s, "s");
    int fd = listen_as(s, s->token, NULL);
    assert_hears(fd, "text/event-stream");
    pause_study(s);
    assert_hears(fd, "event: study\ndata: {\"event\":\"study\",\"state\":\"paused\"");
    heartbeat(s);
    assert_hears(fd, "\r\n:\n\n");
    resume_study(s);
    assert_hears(fd, "\"state\":\"running\"");
    heartbeat(s);
    assert_hears(fd, "\r\n:\n\n");
    close(fd);
}

static void who_comes_back_goes_on(void **state)
{
    site *s = *state;
    tc_text got = {0};
    char id[64];
    site_make_study(s, "s");
    int fd = listen_as(s, s->token, NULL);
    assert_true(read_until(fd, "\nid: ", &got));
    assert_true(read_until(fd, "\n\n", &got));
    assert_int_equal(sscanf(strstr(tc_text_get(&got), "\nid: "), "\nid: %63s", id), 1);
    close(fd);
    tc_text_fini(&got);
    pause_study(s);
    resume_study(s);
    fd = listen_as(s, s->token, id);
    assert_true(read_until(fd, "\"state\":\"running\"", &got));
    assert_non_null(strstr(tc_text_get(&got), "\"state\":\"paused\""));
    close(fd);
    tc_text_fini(&got);
    fd = listen_as(s, s->token, "0123456789abcdef-4");
    assert_hears(fd, "event: reset");
    close(fd);
}

static void a_withdrawn_token_ends_its_listener(void **state)
{
    site *s = *state;
    char body[128];
    tc_text answer = {0};
    site_call(s, "POST", "/v1/tokens", "{\"role\": \"viewer\"}", 201, &answer);
    json_t *made = json_loads(tc_text_get(&answer), 0, NULL);
    const char *token = json_string_value(json_object_get(made, "token"));
    int fd = listen_as(s, token, NULL);
    assert_hears(fd, "retry:");
    snprintf(body, sizeof body, "{\"token\": \"%s\"}", token);
    site_call(s, "POST", "/v1/tokens:withdraw", body, 200, NULL);
    heartbeat(s);
    assert_hears(fd, "0\r\n\r\n"); /* the end of the answer */
    close(fd);
    tc_text_fini(&answer);
    json_decref(made);
}

/* Without chunks: until the connection ends. */
static void an_old_client_hears_too(void **state)
{
    site *s = *state;
    char text[256];
    site_make_study(s, "s");
    int fd = connect_small(s);
    int n = snprintf(text, sizeof text,
                     "GET /v1/events HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
                     s->token);
    site_say(fd, text, (size_t)n);
    assert_hears(fd, "retry:");
    pause_study(s);
    assert_hears(fd, "\"state\":\"paused\"");
    close(fd);
}

static void who_may_not_is_refused(void **state)
{
    int fd = listen_as(*state, "wrong", NULL);
    tc_text got = {0};
    assert_true(read_until(fd, "\"status\":401", &got));
    assert_non_null(strstr(tc_text_get(&got), "WWW-Authenticate: Bearer"));
    tc_text_fini(&got);
    close(fd);
}

/* ---- ends ---- */

/* Without a word to the other side, where the system lets us: then it finds out by itself. */
static void vanish(int fd)
{
    int on = 1;
    struct linger now = {.l_onoff = 1};
    if (setsockopt(fd, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on) != 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

static void none_stays_whose_client_is_gone(void **state)
{
    site *s = *state;
    size_t before = descriptors();
    int fds[40];
    for (size_t i = 0; i < 40; i++)
        fds[i] = listen_as(s, s->token, NULL);
    for (size_t i = 0; i < 40; i++)
        assert_hears(fds[i], "retry:");
    assert_int_equal(descriptors(), before + 80);
    for (size_t i = 0; i < 40; i++)
        if (i % 2)
            vanish(fds[i]);
        else
            close(fds[i]);
    SITE_UNTIL((heartbeat(s), descriptors() == before));
}

static void who_does_not_read_is_cut_off(void **state)
{
    site *s = *state;
    size_t before = descriptors();
    site_make_study(s, "s");
    int deaf = listen_as(s, s->token, NULL), other = listen_as(s, s->token, NULL);
    assert_hears(other, "retry:");
    SITE_UNTIL(connections(s) == 2);
    for (int i = 0; i < 1000 && connections(s) > 1; i++) {
        for (int k = 0; k < 25; k++) { /* the one hears all of it, the buffers of the other fill */
            pause_study(s);
            resume_study(s);
        }
        heartbeat(s);
        assert_hears(other, ":\n\n");
    }
    SITE_UNTIL(descriptors() ==
               before + 3); /* the server has given up the one, and not the other */
    heartbeat(s);
    assert_hears(other, ":\n\n");
    close(deaf);
    close(other);
}

static void listeners_do_not_hold_up_the_end(void **state)
{
    site *s = *state;
    int fd = listen_as(s, s->token, NULL);
    assert_hears(fd, "retry:");
    site_stop(s);
    assert_ends(fd);
    close(fd);
}

#define IN_CALM(test) cmocka_unit_test_setup_teardown(test, open_calm, site_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_CALM(events_come_as_they_happen),   IN_CALM(who_comes_back_goes_on),
        IN_CALM(an_old_client_hears_too),      IN_CALM(a_withdrawn_token_ends_its_listener),
        IN_CALM(who_may_not_is_refused),       IN_CALM(none_stays_whose_client_is_gone),
        IN_CALM(who_does_not_read_is_cut_off), IN_CALM(listeners_do_not_hold_up_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
