/* record_keep_test.c - a record by itself: found or not, kept, kept by somebody else. */
#include "support/test.h"

#include "base/memory.h"
#include "study/store.h"

static const tc_record which = {.kind = TC_RECORD_STATE, .key = "k", .key_size = 1};

static void what_is_not_there_has_version_0(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    tc_record got = {.version = 7, .size = 7};
    (void)state;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    assert_ok(tc_store_record_find(s, &which, &got, &err));
    assert_int_equal(got.version, 0);
    assert_int_equal(got.size, 0);
    assert_null(got.value);
    tc_store_close(s);
}

static void what_is_kept_is_found(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    tc_record got;
    (void)state;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    for (uint64_t i = 0; i < 3; i++) {
        assert_ok(tc_store_record_keep(s, &which, i, &i, sizeof i, &err));
        assert_ok(tc_store_record_find(s, &which, &got, &err));
        assert_int_equal(got.version, i + 1);
        assert_int_equal(got.size, sizeof i);
        assert_memory_equal(got.value, &i, sizeof i);
        tc_free((void *)got.value);
    }
    tc_store_close(s);
}

static void somebody_else_was_first(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    (void)state;
    assert_ok(tc_store_open(&s, "memory:", true, &err));
    assert_ok(tc_store_record_keep(s, &which, 0, "a", 1, &err));
    assert_fails(tc_store_record_keep(s, &which, 0, "b", 1, &err), TACIT_E_CONFLICT,
                 "somebody else changed the same thing at the same moment");
    assert_ok(tc_store_record_keep(s, &which, 1, "b", 1, &err));
    assert_fails(tc_store_record_keep(s, &which, 1, "c", 1, &err), TACIT_E_CONFLICT,
                 "somebody else changed the same thing at the same moment");
    tc_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_has_version_0),
        cmocka_unit_test(what_is_kept_is_found),
        cmocka_unit_test(somebody_else_was_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
