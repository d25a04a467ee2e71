/* user_workers_test.c - names and trials that outlive a process. */
#include "user/user_workers.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/user_workers.XXXXXX";

static int start(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    unsetenv("TACIT_STORAGE");
    return 0;
}

static int stop(void **state)
{
    char path[sizeof folder + 32];
    (void)state;
    snprintf(path, sizeof path, "%s/tacit/clients", folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/tacit", folder);
    rmdir(path);
    return rmdir(folder); /* fails if a client left something */
}

#define COORDINATOR "https://a:1"

static void open_client(tc_user_workers *c, const char *study, const char *user, size_t workers)
{
    tacit_error err = {0};
    *c = (tc_user_workers){0};
    assert_ok(tc_user_workers_open(c, true, COORDINATOR, study, user, workers, &err));
    assert_true(c->fd >= 0);
}

static void assert_random(const char *name)
{
    assert_int_equal(strlen(name), 32);
    assert_int_equal(strspn(name, "0123456789abcdef"), 32);
}

static void a_killed_client_comes_back(void **state)
{
    tc_user_workers a, b;
    char name[TC_RANDOM_NAME];
    struct stat info;
    (void)state;
    open_client(&a, "s", "ann", 3);
    assert_random(a.list[2].name);
    assert_string_not_equal(a.list[0].name, a.list[1].name);
    memcpy(name, a.list[2].name, sizeof name);
    tc_user_workers_note(&a, 2, 18446744073709551614u);
    assert_int_equal(stat(a.path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    tc_user_workers_close(&a); /* with a trial under way: as a killed one leaves it */
    open_client(&b, "s", "ann", 1);
    assert_int_equal(b.n, 3);
    assert_string_equal(b.list[2].name, name);
    assert_true(b.list[2].trial == 18446744073709551614u);
    assert_true(b.list[0].trial == TC_NEW_TRIAL);
    tc_user_workers_note(&b, 2, TC_NEW_TRIAL);
    tc_user_workers_close(&b);
    open_client(&b, "s", "ann", 3); /* nothing was under way: other names */
    assert_string_not_equal(b.list[2].name, name);
    tc_user_workers_close(&b);
}

static void two_at_a_time_are_two(void **state)
{
    tc_user_workers a, b, other;
    (void)state;
    open_client(&a, "s", "ann", 1);
    open_client(&b, "s", "ann", 1);
    open_client(&other, "s", "bob", 1);
    assert_string_not_equal(a.path, b.path);
    assert_string_not_equal(a.list[0].name, b.list[0].name);
    assert_string_not_equal(a.path, other.path);
    assert_null(strstr(other.path, "bob"));
    tc_user_workers_close(&a);
    tc_user_workers_close(&b);
    tc_user_workers_close(&other);
}

/* A storage has clients of its own, however its file is spelled. */
static void a_storage_is_a_place(void **state)
{
    char file[PATH_MAX], spelled[PATH_MAX];
    tacit_error err = {0};
    tc_user_workers a = {0}, b = {0}, other;
    (void)state;
    snprintf(file, sizeof file, "sqlite:///%s/s.db", folder);
    snprintf(spelled, sizeof spelled, "sqlite:///%s/../%s/s.db", folder, strrchr(folder, '/') + 1);
    open_client(&other, "s", "ann", 1);
    assert_ok(tc_user_workers_open(&a, false, file, "s", "ann", 2, &err));
    assert_string_not_equal(a.path, other.path);
    assert_true(tc_user_workers_have(&a, 2, a.list[1].name));
    assert_false(tc_user_workers_have(&a, 1, a.list[1].name));
    assert_false(tc_user_workers_have(&a, 2, other.list[0].name));
    assert_false(tc_user_workers_have(&a, 2, NULL));
    tc_user_workers_note(&a, 1, 4);
    tc_user_workers_close(&a);
    assert_ok(tc_user_workers_open(&b, false, spelled, "s", "ann", 2, &err));
    assert_true(b.list[1].trial == 4);
    tc_user_workers_note(&b, 1, TC_NEW_TRIAL);
    tc_user_workers_close(&b);
    tc_user_workers_close(&other);
}

static void without_a_folder_names_are_fresh(void **state)
{
    tacit_error err = {0};
    tc_user_workers c = {0};
    (void)state;
    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    assert_ok(tc_user_workers_open(&c, true, COORDINATOR, "s", "ann", 2, &err));
    assert_int_equal(c.fd, -1);
    assert_random(c.list[1].name);
    tc_user_workers_note(&c, 1, 7);
    assert_true(c.list[1].trial == 7);
    tc_user_workers_close(&c);
    setenv("XDG_STATE_HOME", folder, 1);
}

static void a_damaged_file_is_no_memory(void **state)
{
    tc_user_workers a, b;
    (void)state;
    open_client(&a, "s", "ann", 2);
    tc_user_workers_note(&a, 0, 1);
    tc_user_workers_note(&a, 1, 2);
    assert_int_equal(pwrite(a.fd, "X", 1, 0), 1);
    tc_user_workers_close(&a);
    open_client(&b, "s", "ann", 2);
    assert_true(b.list[0].trial == TC_NEW_TRIAL);
    assert_random(b.list[0].name);
    assert_true(b.list[1].trial == 2);
    tc_user_workers_note(&b, 1, TC_NEW_TRIAL);
    tc_user_workers_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_client_comes_back),
        cmocka_unit_test(two_at_a_time_are_two),
        cmocka_unit_test(a_storage_is_a_place),
        cmocka_unit_test(without_a_folder_names_are_fresh),
        cmocka_unit_test(a_damaged_file_is_no_memory),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
