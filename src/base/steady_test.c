/* steady_test.c - a clock that does not jump: it goes at its pace, never back, and ends up right. */
#include "support/test.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/steady.h"

#include <stdio.h>
#include <stdlib.h>

enum { SECOND = 1000, HOUR = 3600 * SECOND };
#define START INT64_C(1700000000000)

/* In milliseconds. */
typedef struct clocks {
    int64_t wall, truth;
} clocks;

static void read_clocks(void *user, int64_t *wall_ns, int64_t *true_ns)
{
    const clocks *c = user;
    *wall_ns = c->wall * 1000000;
    *true_ns = c->truth * 1000000;
}

static tc_steady *make(clocks *c)
{
    tacit_error err = {0};
    tc_steady *s;
    *c = (clocks){START, 5000};
    assert_ok(tc_steady_new(&s, read_clocks, c, &err));
    assert_int_equal(tc_steady_unix_ms(s), START);
    return s;
}

static int64_t pass(tc_steady *s, clocks *c, int64_t ms)
{
    c->wall += ms;
    c->truth += ms;
    return tc_steady_unix_ms(s);
}

static void it_is_the_wall_clock(void **state)
{
    clocks c;
    tc_steady *s = make(&c);
    (void)state;
    for (int64_t i = 1; i <= 1000; i++)
        assert_int_equal(pass(s, &c, 37), START + 37 * i);
    int64_t later = pass(s, &c, 100000 * (int64_t)HOUR); /* the machine slept */
    assert_int_equal(later, c.wall);
    tc_steady_free(s);
}

/* A minute stays one, but for an eighth of it, however often somebody looks. */
static void a_jump_changes_a_minute_by_an_eighth(void **state)
{
    static const int64_t jumps[] = {1, 20 * SECOND, HOUR, 400000 * (int64_t)HOUR};
    static const int64_t steps[] = {1, 10, SECOND, 60 * SECOND};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof jumps / sizeof *jumps; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            clocks c;
            tc_steady *s = make(&c);
            int64_t jump = i % 2 ? -jumps[i / 2] : jumps[i / 2], last = START;
            c.wall += jump;
            assert_int_equal(tc_steady_unix_ms(s), START); /* nothing at once */
            for (int64_t t = 0; t < 60 * SECOND; t += steps[k]) {
                int64_t now = pass(s, &c, steps[k]);
                assert_true(now >= last);
                last = now;
            }
            int64_t gained = last - START - 60 * SECOND;
            int64_t whole = llabs(jump) < 7500 ? jump : jump > 0 ? 7500 : -7500;
            assert_int_equal(gained, whole);
            tc_steady_free(s);
        }
}

static void in_the_end_it_is_right(void **state)
{
    clocks c;
    tc_steady *s = make(&c);
    (void)state;
    c.wall += HOUR;
    (void)pass(s, &c, 4 * HOUR);
    assert_int_equal(tc_steady_unix_ms(s), c.wall - HOUR / 2);
    (void)pass(s, &c, 4 * HOUR);
    assert_int_equal(tc_steady_unix_ms(s), c.wall);
    c.wall -= 10 * SECOND;
    (void)pass(s, &c, 80 * SECOND);
    assert_int_equal(tc_steady_unix_ms(s), c.wall);
    tc_steady_free(s);
}

static int lines;
static char last_line[256];

static void note(tc_log_level level, const char *line, void *user)
{
    (void)level;
    (void)user;
    lines++;
    snprintf(last_line, sizeof last_line, "%s", line);
}

static void a_jump_is_said_once(void **state)
{
    clocks c;
    tc_steady *s = make(&c);
    (void)state;
    tc_log_set(note, NULL, TC_LOG_WARN);
    for (int i = 0; i < 100; i++)
        (void)pass(s, &c, SECOND);
    assert_int_equal(lines, 0);
    c.wall -= 2 * HOUR;
    for (int i = 0; i < 100; i++)
        (void)pass(s, &c, 1);
    assert_int_equal(lines, 1);
    assert_string_equal(last_line, "the system's clock was set 7199 s back; deadlines and leases "
                                   "follow it slowly");
    (void)pass(s, &c, 20 * HOUR);
    c.wall += 5 * SECOND;
    (void)pass(s, &c, 1);
    assert_int_equal(lines, 2);
    tc_log_set(NULL, NULL, TC_LOG_ERROR);
    tc_steady_free(s);
}

/* The clocks of the system: nobody sets them now, or it is their own jump that is found. */
static void by_itself_it_reads_the_system(void **state)
{
    tacit_error err = {0};
    tc_steady *s;
    (void)state;
    int64_t before = tc_clock_unix_ms();
    assert_ok(tc_steady_new(&s, NULL, NULL, &err));
    int64_t at = tc_steady_unix_ms(s), after = tc_clock_unix_ms();
    assert_true(before <= at && at <= after);
    tc_steady_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_wall_clock),
        cmocka_unit_test(a_jump_changes_a_minute_by_an_eighth),
        cmocka_unit_test(in_the_end_it_is_right),
        cmocka_unit_test(a_jump_is_said_once),
        cmocka_unit_test(by_itself_it_reads_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
