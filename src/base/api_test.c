/* api_test.c - a struct in three versions: what the library, which knows the second, makes of them. */
#include "base/api.h"

#include "support/test.h"

typedef struct version_1 {
    size_t size;
    double a;
} version_1;

typedef struct version_2 {
    size_t size;
    double a;
    const char *b;
} version_2;

typedef struct version_3 {
    size_t size;
    double a;
    const char *b;
    uint32_t c, d;
} version_3;

static TC_SIZED(second, version_2, a, b);

static void an_earlier_caller_s_missing_members_are_0(void **state)
{
    (void)state;
    tacit_error err = {0};
    struct {
        version_1 v;
        char after[16];
    } caller = {{sizeof(version_1), 1.5}, "not ours to read"};
    version_2 got = {0, 0, "x"};
    assert_ok(tc_sized_take(&second, &got, &caller.v, "opts", &err));
    assert_int_equal(got.size, sizeof got);
    assert_close(got.a, 1.5, 0);
    assert_null(got.b);
}

static void an_equal_caller_is_copied(void **state)
{
    (void)state;
    tacit_error err = {0};
    version_2 caller = {sizeof caller, 2.5, "b"}, got;
    assert_ok(tc_sized_take(&second, &got, &caller, "opts", &err));
    assert_memory_equal(&got, &caller, sizeof got);
}

static void a_later_caller_passes_while_what_is_new_is_0(void **state)
{
    (void)state;
    tacit_error err = {0};
    version_3 caller = {sizeof caller, 2.5, "b", 0, 0};
    version_2 got;
    assert_ok(tc_sized_take(&second, &got, &caller, "opts", &err));
    assert_int_equal(got.size, sizeof got);
    assert_string_equal(got.b, "b");
    caller.d = 1;
    got.a = 7;
    assert_fails(tc_sized_take(&second, &got, &caller, "opts", &err), TACIT_E_UNSUPPORTED,
                 "opts has a member that this version of tacit does not know: it knows 24 bytes of "
                 "version_2, and those after them must be 0");
    assert_close(got.a, 7, 0); /* untouched */
}

static void a_size_that_no_version_has_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    version_2 caller = {sizeof(version_1) - 1, 0, NULL}, got;
    assert_fails(tc_sized_take(&second, &got, &caller, "opts", &err), TACIT_E_ARG,
                 "opts.size must be sizeof(version_2), at least 16, got 15");
    caller.size = 0;
    assert_fails(tc_sized_check(&second, &caller, "out", &err), TACIT_E_ARG,
                 "out.size must be sizeof(version_2), at least 16, got 0");
    caller.size = SIZE_MAX; /* memory that nobody set; nothing behind it is read */
    assert_fails(tc_sized_take(&second, &got, &caller, "opts", &err), TACIT_E_ARG,
                 "opts.size must be sizeof(version_2)");
    assert_fails(tc_sized_take(&second, &got, NULL, "opts", &err), TACIT_E_ARG,
                 "opts must not be NULL");
}

static void what_is_given_fits_the_caller(void **state)
{
    (void)state;
    tacit_error err = {0};
    version_2 ours = {sizeof ours, 3.5, "b"};
    struct {
        version_1 v;
        char after[8];
    } earlier = {{sizeof(version_1), 0}, "theirs."};
    version_3 later = {sizeof later, 0, NULL, 5, 6};
    assert_ok(tc_sized_check(&second, &earlier.v, "out", &err));
    tc_sized_give(&second, &earlier.v, &ours);
    assert_int_equal(earlier.v.size, sizeof(version_1));
    assert_close(earlier.v.a, 3.5, 0);
    assert_string_equal(earlier.after, "theirs.");
    assert_ok(tc_sized_check(&second, &later, "out", &err));
    tc_sized_give(&second, &later, &ours);
    assert_int_equal(later.size, sizeof later);
    assert_string_equal(later.b, "b");
    assert_true(later.c == 0 && later.d == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_earlier_caller_s_missing_members_are_0),
        cmocka_unit_test(an_equal_caller_is_copied),
        cmocka_unit_test(a_later_caller_passes_while_what_is_new_is_0),
        cmocka_unit_test(a_size_that_no_version_has_is_refused),
        cmocka_unit_test(what_is_given_fits_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
