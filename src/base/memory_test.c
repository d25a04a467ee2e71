/* memory_test.c - the allocator's promises at their edges, and the arena. */
#include "support/test.h"
#include "base/memory.h"

static bool all_zero(const void *p, size_t n)
{
    const unsigned char *bytes = p;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void allocations_are_zeroed(void **state)
{
    (void)state;
    void *p = tc_alloc(1000, 8);
    assert_non_null(p);
    assert_true(all_zero(p, 8000));
    tc_free(p);
    tc_free(NULL);
}

static void nothing_is_not_failure(void **state)
{
    (void)state;
    void *p = tc_alloc(0, 8);
    assert_non_null(p);
    p = tc_resize(p, 0, 8);
    assert_non_null(p);
    tc_free(p);
}

static void overflow_is_failure(void **state)
{
    (void)state;
    assert_null(tc_alloc(SIZE_MAX / 2, 3));
    int *p = tc_alloc(1, sizeof *p);
    assert_non_null(p);
    assert_null(tc_resize(p, SIZE_MAX / 2, 3));
    *p = 5; /* still ours */
    tc_free(p);
}

static void strings_are_copied(void **state)
{
    (void)state;
    char *a = tc_strdup("gamma"), *b = tc_strndup("gamma", 3), *c = tc_strndup("ab", 100);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_string_equal(a, "gamma");
    assert_string_equal(b, "gam");
    assert_string_equal(c, "ab");
    tc_free(a);
    tc_free(b);
    tc_free(c);
}

static void growing_keeps_what_is_there(void **state)
{
    (void)state;
    double *p = NULL;
    size_t cap = 0, moves = 0;
    for (size_t i = 0; i < 10000; i++) {
        size_t before = cap;
        assert_true(tc_grow((void **)&p, &cap, i + 1, sizeof *p));
        assert_true(cap > i);
        moves += cap != before;
        p[i] = (double)i;
    }
    assert_true(moves < 15); /* doubling: log2(10000 / 8) */
    for (size_t i = 0; i < 10000; i++)
        assert_true(p[i] == (double)i);
    tc_free(p);
}

static void failed_growth_changes_nothing(void **state)
{
    (void)state;
    double *p = NULL;
    size_t cap = 0;
    assert_true(tc_grow((void **)&p, &cap, 4, sizeof *p));
    double *before = p;
    size_t cap_before = cap;
    assert_false(tc_grow((void **)&p, &cap, SIZE_MAX / 4, sizeof *p));
    assert_ptr_equal(p, before);
    assert_int_equal(cap, cap_before);
    tc_free(p);
}

/* Arrays of all sizes, each filled with its own byte: none may overlap. */
static void arena_arrays_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    enum { ARRAYS = 300 };
    tc_arena a = {0};
    unsigned char *p[ARRAYS];
    size_t size[ARRAYS];
    for (size_t i = 0; i < ARRAYS; i++) {
        size[i] = i % 50 == 49 ? 3000000 : (i * i * 7) % 9000;
        p[i] = tc_arena_take(&a, size[i], 1);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % 64, 0);
        assert_true(all_zero(p[i], size[i]));
        memset(p[i], (int)(i % 251) + 1, size[i]);
    }
    for (size_t i = 0; i < ARRAYS; i++)
        for (size_t k = 0; k < size[i]; k++)
            if (p[i][k] != (i % 251) + 1)
                fail_msg("array %zu was overwritten at byte %zu", i, k);
    assert_false(a.failed);
    tc_arena_fini(&a);
    assert_null(a.chunks);
}

static void arena_failure_is_sticky(void **state)
{
    (void)state;
    tc_arena a = {0};
    assert_null(tc_arena_take(&a, SIZE_MAX / 2, 4));
    assert_true(a.failed);
    assert_non_null(TC_TAKE(&a, 10, double));
    assert_true(a.failed);
    tc_arena_fini(&a);
    assert_false(a.failed);
    assert_null(tc_arena_take(&a, SIZE_MAX - 32, 1)); /* rounding up would wrap */
    assert_null(tc_arena_take(&a, SIZE_MAX - 64, 1)); /* the chunk's head would wrap */
    tc_arena_fini(&a);
}

static void arena_keeps_strings(void **state)
{
    (void)state;
    tc_arena a = {0};
    char *s = tc_arena_strdup(&a, "matern52"), *empty = tc_arena_take(&a, 0, 8);
    assert_non_null(s);
    assert_non_null(empty);
    assert_ptr_not_equal(empty, tc_arena_take(&a, 0, 8));
    assert_string_equal(s, "matern52");
    tc_arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed),
        cmocka_unit_test(nothing_is_not_failure),
        cmocka_unit_test(overflow_is_failure),
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(growing_keeps_what_is_there),
        cmocka_unit_test(failed_growth_changes_nothing),
        cmocka_unit_test(arena_arrays_are_aligned_zeroed_and_apart),
        cmocka_unit_test(arena_failure_is_sticky),
        cmocka_unit_test(arena_keeps_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
