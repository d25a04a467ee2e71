/* pool_test.c - every index once, whoever calls, and the small services
 * beside it: log and clock. */
#include "support/test.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { MOST = 5000 };

typedef struct tally {
    atomic_int hits[MOST];
    tc_pool *pool; /* for nested calls */
} tally;

static void hit(void *ctx, size_t i)
{
    tally *t = ctx;
    atomic_fetch_add(&t->hits[i], 1);
}

static void expect_hits(tally *t, size_t n, int each)
{
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(atomic_exchange(&t->hits[i], 0), i < n ? each : 0);
}

static tc_pool *pool_of(size_t threads)
{
    tacit_error err = {0};
    tc_pool *p = NULL;
    assert_ok(tc_pool_new(&p, threads, &err));
    return p;
}

static void every_index_runs_once(void **state)
{
    (void)state;
    static tally t;
    static const size_t sizes[] = {0, 1, 2, 3, 7, 100, MOST};
    for (size_t threads = 1; threads <= 8; threads *= 2) {
        tc_pool *p = pool_of(threads);
        assert_int_equal(tc_pool_threads(p), threads);
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            tc_pool_for(p, sizes[k], hit, &t);
            expect_hits(&t, sizes[k], 1);
        }
        tc_pool_free(p);
    }
}

static void many_short_loops(void **state)
{
    (void)state;
    static tally t;
    tc_pool *p = pool_of(4);
    for (int k = 0; k < 2000; k++)
        tc_pool_for(p, 5, hit, &t);
    expect_hits(&t, 5, 2000);
    tc_pool_free(p);
}

static void slow_hit(void *ctx, size_t i)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    hit(ctx, i);
}

static void the_loop_ends_after_its_last_body(void **state)
{
    (void)state;
    static tally t;
    tc_pool *p = pool_of(4);
    for (int k = 0; k < 20; k++) {
        tc_pool_for(p, 7, slow_hit, &t);
        expect_hits(&t, 7, 1);
    }
    tc_pool_free(p);
}

static void no_pool_is_the_calling_thread(void **state)
{
    (void)state;
    static tally t;
    tc_pool_for(NULL, 10, hit, &t);
    expect_hits(&t, 10, 1);
    assert_int_equal(tc_pool_threads(NULL), 1);
    tc_pool_free(NULL);
}

typedef struct nest {
    tc_pool *pool;
    tally *inner;
    atomic_int elsewhere; /* inner bodies that left the thread of their outer body */
} nest;

typedef struct inner_call {
    nest *nest;
    pthread_t caller;
} inner_call;

static void inner_body(void *ctx, size_t i)
{
    inner_call *c = ctx;
    if (!pthread_equal(c->caller, pthread_self()))
        atomic_fetch_add(&c->nest->elsewhere, 1);
    hit(c->nest->inner, i);
}

static void outer_body(void *ctx, size_t i)
{
    (void)i;
    inner_call c = {ctx, pthread_self()};
    tc_pool_for(c.nest->pool, 50, inner_body, &c);
}

static void calls_from_inside_a_body_are_serial(void **state)
{
    (void)state;
    static tally t;
    nest n = {.pool = pool_of(4), .inner = &t};
    tc_pool_for(n.pool, 40, outer_body, &n);
    assert_int_equal(atomic_load(&n.elsewhere), 0);
    expect_hits(&t, 50, 40);
    tc_pool_free(n.pool);
}

static void *use_pool(void *ctx)
{
    tally *t = ctx;
    for (int k = 0; k < 100; k++)
        tc_pool_for(t->pool, 20, hit, t);
    return NULL;
}

static void two_threads_may_use_one_pool(void **state)
{
    (void)state;
    static tally t;
    t.pool = pool_of(3);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, use_pool, &t), 0);
    use_pool(&t);
    pthread_join(other, NULL);
    expect_hits(&t, 20, 200);
    tc_pool_free(t.pool);
}

static void the_size_is_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_pool *p = NULL;
    assert_fails(tc_pool_new(&p, 5000, &err), TACIT_E_ARG,
                 "threads must be in [1, 1024], got 5000");
    assert_null(p);
    p = pool_of(0);
    assert_true(tc_pool_threads(p) >= 1);
    tc_pool_free(p);
}

/* ---- log */

typedef struct heard {
    int lines;
    tc_log_level level;
    char last[2000];
} heard;

static void listen(tc_log_level level, const char *line, void *user)
{
    heard *h = user;
    h->lines++;
    h->level = level;
    strncpy(h->last, line, sizeof h->last - 1);
}

static void the_log_goes_to_its_sink(void **state)
{
    (void)state;
    static heard h;
    tc_log(TC_LOG_ERROR, "nobody listens");
    tc_log_set(listen, &h, TC_LOG_INFO);
    tc_log(TC_LOG_WARN, "%d agents", 3);
    assert_int_equal(h.lines, 1);
    assert_int_equal(h.level, TC_LOG_WARN);
    assert_string_equal(h.last, "3 agents");
    tc_log(TC_LOG_DEBUG, "too fine");
    assert_int_equal(h.lines, 1);
    tc_log(TC_LOG_INFO, "%1500d", 1);
    assert_int_equal(strlen(h.last), 1023);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    tc_log(TC_LOG_ERROR, "nobody listens");
    assert_int_equal(h.lines, 2);
}

/* ---- clock */

static void times_are_written_in_iso_8601(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1, "1970-01-01T00:00:00.001Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {-1000, "1969-12-31T23:59:59.000Z"},
        {951827696789, "2000-02-29T12:34:56.789Z"},
        {4102444799999, "2099-12-31T23:59:59.999Z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char s[32];
        tc_clock_iso(s, cases[i].ms);
        assert_string_equal(s, cases[i].text);
    }
}

static void clocks_go_forward(void **state)
{
    (void)state;
    uint64_t a = tc_clock_ns(), b = tc_clock_ns();
    assert_true(b >= a);
    assert_true(tc_clock_unix_ms() > 1600000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_runs_once),
        cmocka_unit_test(many_short_loops),
        cmocka_unit_test(the_loop_ends_after_its_last_body),
        cmocka_unit_test(no_pool_is_the_calling_thread),
        cmocka_unit_test(calls_from_inside_a_body_are_serial),
        cmocka_unit_test(two_threads_may_use_one_pool),
        cmocka_unit_test(the_size_is_checked),
        cmocka_unit_test(the_log_goes_to_its_sink),
        cmocka_unit_test(times_are_written_in_iso_8601),
        cmocka_unit_test(clocks_go_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
