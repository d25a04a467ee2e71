/* test.h - the one include of every test: cmocka in the order it wants, and
 * assertions for the two things that all tests look at, statuses and doubles.
 *
 *     tacit_error err = {0};
 *     assert_ok(tc_file_read("x", 100, &text, &len, &err));
 *     assert_fails(tc_file_read("y", 100, &text, &len, &err), TACIT_E_NOT_FOUND, "\"y\"");
 *
 * Both want a `tacit_error err` in scope, which the call fills. */
#ifndef TACIT_TESTS_SUPPORT_TEST_H
#define TACIT_TESTS_SUPPORT_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <tacit/status.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The call succeeds; otherwise its message is shown. */
#define assert_ok(call) test_ok((call), #call, &err, __FILE__, __LINE__)

/* The call fails with `expected`, and its message contains `part`. */
#define assert_fails(call, expected, part)                                                         \
    do {                                                                                           \
        memset(&err, 0, sizeof err);                                                               \
        tacit_status test_status = (call);                                                         \
        test_fails(test_status, (expected), (part), #call, &err, __FILE__, __LINE__);              \
    } while (0)

/* |a - b| <= tol; a NaN on either side fails. Equal infinities are close. */
#define assert_close(a, b, tol) test_close((a), (b), (tol), #a, __FILE__, __LINE__)

/* The two doubles have the same bits. */
#define assert_same_bits(a, b) test_same_bits((a), (b), #a, __FILE__, __LINE__)

static inline void test_ok(tacit_status status, const char *call, const tacit_error *err,
                           const char *file, int line)
{
    if (status == TACIT_OK)
        return;
    print_error("%s\n    failed with %s: %s\n", call, tacit_status_name(status), err->msg);
    _fail(file, line);
}

static inline void test_fails(tacit_status status, tacit_status expected, const char *part,
                              const char *call, const tacit_error *err, const char *file, int line)
{
    if (status == expected && err->code == expected && strstr(err->msg, part) != NULL)
        return;
    print_error("%s\n    returned %s with code %s and message: %s\n    expected %s and: %s\n", call,
                tacit_status_name(status), tacit_status_name(err->code), err->msg,
                tacit_status_name(expected), part);
    _fail(file, line);
}

static inline void test_close(double a, double b, double tol, const char *what, const char *file,
                              int line)
{
    if (a == b || fabs(a - b) <= tol)
        return;
    print_error("%s is %.17g, expected %.17g within %g (off by %g)\n", what, a, b, tol, a - b);
    _fail(file, line);
}

static inline void test_same_bits(double a, double b, const char *what, const char *file, int line)
{
    if (memcmp(&a, &b, sizeof a) == 0)
        return;
    print_error("%s is %a, expected %a\n", what, a, b);
    _fail(file, line);
}

#endif
