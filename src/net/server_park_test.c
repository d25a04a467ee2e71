/* server_park_test.c - requests that wait for a round: whom a change wakes, and how many one token may have
 * waiting. */
#include "support/site.h"

enum { HELD = 40, PARKED_MOST = 256 };

/* How often the coordinator was asked and had an answer. */
static unsigned long asked(site *s)
{
    static const char row[] = "tacit_requests_total{status=\"2xx\"} ";
    tc_text text = {0};
    unsigned long n;
    site_call(s, "GET", "/metrics", NULL, 200, &text);
    const char *at = strstr(tc_text_get(&text), row);
    assert_non_null(at);
    assert_int_equal(sscanf(at + sizeof row - 1, "%lu", &n), 1);
    tc_text_fini(&text);
    return n;
}

/* ---- those who wait ---- */

static int wait_for(const site *s, const char *study)
{
    int fd = site_connect(s);
    char text[256];
    int n = snprintf(text, sizeof text,
                     "GET /v1/studies/%s/rounds/0/broadcast?wait=60 HTTP/1.1\r\nHost: x\r\n"
                     "Authorization: Bearer %s\r\n\r\n",
                     study, s->token);
    site_say(fd, text, (size_t)n);
    return fd;
}

static size_t answered(const int *fds, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        struct pollfd p = {.fd = fds[i], .events = POLLIN};
        found += poll(&p, 1, 0) == 1;
    }
    return found;
}

/* Whoever were woken by another study's turns would ask HELD times at each. The slow safety net asks all of
 * them once in five seconds, however long the test takes: so less than a quarter of that is allowed. */
static void a_study_wakes_its_own(void **state)
{
    enum { TURNS = 50 };
    site *s = *state;
    int fds[HELD];
    site_make_study(s, "quiet");
    site_make_study(s, "busy");
    for (size_t i = 0; i < HELD; i++)
        fds[i] = wait_for(s, "quiet");
    SITE_UNTIL(site_held(s) == HELD);
    unsigned long before = asked(s);
    for (int i = 0; i < TURNS; i++) {
        site_call(s, "POST", "/v1/studies/busy:pause", NULL, 200, NULL);
        SITE_UNTIL(site_held(s) == HELD); /* who is woken asks */
        site_call(s, "POST", "/v1/studies/busy:resume", NULL, 200, NULL);
        SITE_UNTIL(site_held(s) == HELD);
    }
    assert_true(asked(s) - before < 2 * TURNS * HELD / 4);
    assert_int_equal(answered(fds, HELD), 0);
    site_call(s, "POST", "/v1/studies/quiet:close", NULL, 200, NULL);
    SITE_UNTIL(answered(fds, HELD) == HELD);
    for (size_t i = 0; i < HELD; i++)
        close(fds[i]);
}

static void one_token_has_so_many_waiting(void **state)
{
    enum { ALL = PARKED_MOST + 20 };
    site *s = *state;
    int fds[ALL];
    size_t at_once = 0;
    site_make_study(s, "s");
    for (size_t i = 0; i < ALL; i++)
        fds[i] = wait_for(s, "s");
    SITE_UNTIL(answered(fds, ALL) == ALL - PARKED_MOST && site_held(s) == PARKED_MOST);
    for (size_t i = 0; i < ALL; i++) {
        tc_text answer = {0};
        if (answered(&fds[i], 1) == 0)
            continue;
        site_hear_answer(fds[i], &answer);
        assert_int_equal(site_status(&answer), 202); /* not yet */
        tc_text_fini(&answer);
        at_once++;
    }
    assert_int_equal(at_once, ALL - PARKED_MOST);
    site_call(s, "POST", "/v1/studies/s:close", NULL, 200, NULL);
    SITE_UNTIL(answered(fds, ALL) == PARKED_MOST);
    for (size_t i = 0; i < ALL; i++)
        close(fds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {AT_SITE(a_study_wakes_its_own),
                                       AT_SITE(one_token_has_so_many_waiting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
