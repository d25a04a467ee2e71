/* server_probe_test.c - a store that hangs, that cannot be written, that has no room: what /healthz, /readyz and
 * everybody else are told meanwhile. */
#include "support/frozen_site.h"

#include "base/clock.h"

enum { PROBES = 40, OTHERS = 100 };

/* Its store may be read-only, or full. */
typedef struct odd_site {
    frozen_site f;
    atomic_bool read_only, full;
    atomic_int counting, counting_most; /* probes that are in the store: now, and at most */
    atomic_int written;
} odd_site;

static odd_site the_site;

static tacit_status odd_get(tc_store *t, const tc_record *which, tc_record *out, tacit_error *err)
{
    frozen_wait(frozen_of(t));
    return tc_store_record_get(frozen_disk(t), which, out, err);
}

/* Probes alone count. */
static tacit_status odd_count(tc_store *t, const tc_record_range *range, uint64_t *out,
                              tacit_error *err)
{
    odd_site *o = &the_site;
    int now = atomic_fetch_add(&o->counting, 1) + 1;
    if (now > atomic_load(&o->counting_most))
        atomic_store(&o->counting_most, now);
    frozen_wait(frozen_of(t));
    atomic_fetch_sub(&o->counting, 1);
    return tc_store_record_count(frozen_disk(t), range, out, err);
}

static tacit_status odd_change(tc_store *t, const tc_change *c, size_t n, size_t *refused,
                               tacit_error *err)
{
    if (atomic_load(&the_site.read_only))
        return tc_fail(err, TACIT_E_IO, "no space left on device");
    atomic_fetch_add(&the_site.written, 1);
    return tc_store_change(frozen_disk(t), c, n, refused, err);
}

static tacit_status odd_room(tc_store *t, uint64_t *out, tacit_error *err)
{
    (void)t;
    (void)err;
    *out = atomic_load(&the_site.full) ? 4096 : UINT64_C(1) << 40;
    return TACIT_OK;
}

static int open_odd(void **state)
{
    odd_site *o = &the_site;
    *o = (odd_site){.f.ops = crash_ops};
    o->f.ops.record_get = odd_get;
    o->f.ops.record_count = odd_count;
    o->f.ops.change = odd_change;
    o->f.ops.room = odd_room;
    frozen_open(&o->f);
    *state = o;
    return 0;
}

static int close_odd(void **state)
{
    frozen_close(&((odd_site *)*state)->f);
    return 0;
}

/* ---- who asks ---- */

static int send_request(const odd_site *o, const char *path, const char *token)
{
    char text[256];
    int fd = site_connect(&o->f.s);
    int n =
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: x\r\n%s%s%s\r\n", path,
                 token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "");
    site_say(fd, text, (size_t)n);
    return fd;
}

static int hear_status(int fd)
{
    tc_text answer = {0};
    site_hear_answer(fd, &answer);
    int status = site_status(&answer);
    tc_text_fini(&answer);
    close(fd);
    return status;
}

static int ask(const odd_site *o, const char *path)
{
    return hear_status(send_request(o, path, NULL));
}

static int ask_with_body(const odd_site *o, const char *path)
{
    char text[256];
    int fd = site_connect(&o->f.s);
    int n = snprintf(text, sizeof text,
                     "GET %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", path);
    site_say(fd, text, (size_t)n);
    return hear_status(fd);
}

/* ---- the tests ---- */

/* Anybody may ask /readyz, and send a token that is none. Whatever waits for the store, /healthz does not; and
 * /readyz says that the store does not answer, without a second probe. */
static void a_store_that_hangs_holds_up_its_own(void **state)
{
    odd_site *o = *state;
    int probes[PROBES], others[OTHERS];
    freeze(&o->f);
    for (int i = 0; i < PROBES; i++)
        probes[i] = send_request(o, "/readyz", NULL);
    for (int i = 0; i < OTHERS; i++)
        others[i] = send_request(o, "/v1/studies", i % 2 ? "wrong" : o->f.s.token);
    for (int i = 0; i < 20; i++)
        assert_int_equal(ask(o, "/healthz"), 200);
    assert_int_equal(ask_with_body(o, "/healthz"), 413); /* it takes none, which needs no store */
    for (int i = 0; i < PROBES; i++)
        assert_int_equal(hear_status(probes[i]), 503);
    for (int i = 0; i < PROBES; i++)
        assert_int_equal(ask(o, "/readyz"), 503);
    assert_int_equal(ask(o, "/healthz"), 200);
    assert_int_equal(atomic_load(&o->counting_most), 1);
    thaw(&o->f);
    for (int i = 0; i < OTHERS; i++) {
        int status = hear_status(others[i]);
        assert_true(i % 2 ? status == 401 || status == 429 : status == 200);
    }
    SITE_UNTIL(ask(o, "/readyz") == 200);
}

/* Many who ask share a probe: there is one a second at most, and it writes less often than that. */
static void who_asks_often_shares_a_probe(void **state)
{
    odd_site *o = *state;
    enum { MANY = 200 };
    SITE_UNTIL(ask(o, "/readyz") == 200);
    int before = atomic_load(&o->written);
    uint64_t begin = tc_clock_ns();
    assert_true(before > 0);
    for (int i = 0; i < MANY; i++)
        (void)ask(o, "/readyz");
    uint64_t seconds = (tc_clock_ns() - begin) / UINT64_C(1000000000);
    assert_int_equal(atomic_load(&o->counting_most), 1);
    assert_true((uint64_t)(atomic_load(&o->written) - before) <= seconds + 1);
}

/* It can be read as before, so only a write shows it. */
static void a_store_that_cannot_be_written_is_not_ready(void **state)
{
    odd_site *o = *state;
    atomic_store(&o->read_only, true);
    assert_int_equal(ask(o, "/readyz"), 503);
    assert_int_equal(ask(o, "/healthz"), 200);
    atomic_store(&o->read_only, false);
    SITE_UNTIL(ask(o, "/readyz") == 200); /* what was found holds for a second */
}

static void a_full_disk_is_not_ready(void **state)
{
    odd_site *o = *state;
    SITE_UNTIL(ask(o, "/readyz") == 200);
    atomic_store(&o->full, true);
    SITE_UNTIL(ask(o, "/readyz") == 503);
    assert_int_equal(ask(o, "/healthz"), 200);
    atomic_store(&o->full, false);
    SITE_UNTIL(ask(o, "/readyz") == 200);
}

/* Those who wait for a probe are answered when the server stops. */
static void a_server_that_stops_answers_who_waits_for_a_probe(void **state)
{
    odd_site *o = *state;
    freeze(&o->f);
    int fd = send_request(o, "/readyz", NULL);
    SITE_UNTIL(atomic_load(&o->counting) == 1);
    thaw(&o->f);
    site_stop(&o->f.s);
    int status = hear_status(fd);
    assert_true(status == 200 || status == 503);
}

#define WHEN_ODD(test) cmocka_unit_test_setup_teardown(test, open_odd, close_odd)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WHEN_ODD(a_store_that_hangs_holds_up_its_own),
        WHEN_ODD(who_asks_often_shares_a_probe),
        WHEN_ODD(a_store_that_cannot_be_written_is_not_ready),
        WHEN_ODD(a_full_disk_is_not_ready),
        WHEN_ODD(a_server_that_stops_answers_who_waits_for_a_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
