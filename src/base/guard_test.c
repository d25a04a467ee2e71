/* guard_test.c - a guarded process leaves no core file, and what it starts may. */
#include "support/test.h"

#include "base/guard.h"
#include "base/memory.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static rlim_t core_limit(void)
{
    struct rlimit now;
    return getrlimit(RLIMIT_CORE, &now) == 0 ? now.rlim_cur : RLIM_INFINITY;
}

/* 0, or what is wrong. */
static int look_at_guarded(void)
{
    rlim_t before = core_limit();
    tc_guard_process();
    tc_guard_process(); /* once more changes nothing */
    if (core_limit() != 0)
        return 1;
#if !defined(__SANITIZE_ADDRESS__)
    if (prctl(PR_GET_DUMPABLE) != 0)
        return 2;
#endif
    if (!tc_memory_wipes())
        return 3;
    tc_guard_leave();
    return core_limit() == before ? 0 : 4;
}

static void a_guarded_process_leaves_no_core(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(look_at_guarded());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Moving a block by hand keeps what is in it. */
static void wiped_memory_grows_all_the_same(void **state)
{
    (void)state;
    tc_memory_wipe(true);
    char *p = tc_alloc(10, 1);
    assert_non_null(p);
    memcpy(p, "contents!", 10);
    for (size_t n = 10; n < 100000; n = 3 * n) {
        p = tc_resize(p, n, 1);
        assert_non_null(p);
        assert_string_equal(p, "contents!");
    }
    p = tc_resize(p, 4, 1);
    assert_memory_equal(p, "cont", 4);
    p = tc_resize(p, 0, 1);
    assert_non_null(p);
    tc_free(p);
    p = tc_resize(NULL, 3, 1);
    assert_non_null(p);
    tc_free(p);
    tc_free(NULL);
    tc_memory_wipe(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guarded_process_leaves_no_core),
        cmocka_unit_test(wiped_memory_grows_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
