/* snapshot_test.c - numbers in a file: what comes back, and every way to damage it. */
#include "support/syncs.h"
#include "support/test.h"

#include "base/file.h"
#include "base/memory.h"
#include "sim/snapshot.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- tests ---- */

static char *scratch(void)
{
    char *path = tc_strdup("snapshot_XXXXXX");
    assert_non_null(path);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return path;
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *path = scratch(), *first, *second;
    size_t n, m;
    int64_t v[] = {0, -1, INT64_MIN, INT64_MAX, 0x0102030405060708};
    tc_numbers numbers = {.v = v, .n = 5}, back = {0};
    assert_ok(tc_snapshot_write(path, "me", &numbers, &err));
    assert_ok(tc_snapshot_read(path, "me", &back, &err));
    assert_int_equal(back.n, 5);
    assert_memory_equal(back.v, v, sizeof v);
    assert_ok(tc_file_read(path, 1000, &first, &n, &err));
    assert_int_equal(n, 16 + 32 + 8 + 40 + 32);
    assert_memory_equal(first, "tacit-snapshot 1", 16);
    assert_int_equal(first[56 + 32], 8); /* the lowest byte comes first */
    assert_ok(tc_snapshot_write(path, "me", &numbers, &err));
    assert_ok(tc_file_read(path, 1000, &second, &m, &err));
    assert_true(m == n && memcmp(first, second, n) == 0);
    tc_numbers none = {0};
    assert_ok(tc_snapshot_write(path, "me", &none, &err));
    assert_ok(tc_snapshot_read(path, "me", &none, &err));
    assert_int_equal(none.n, 0);
    tc_snapshot_remove(path);
    assert_int_equal(tc_snapshot_read(path, "me", &back, &err), TACIT_E_NOT_FOUND);
    tc_snapshot_remove(path);
    tc_numbers_fini(&back);
    tc_free(first);
    tc_free(second);
    tc_free(path);
}

/* Each byte changed, each length cut: never a number comes out of it. */
static void test_damage(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *path = scratch(), *data;
    size_t n;
    int64_t v[] = {7, 8, 9};
    tc_numbers numbers = {.v = v, .n = 3}, back = {0};
    assert_ok(tc_snapshot_write(path, "me", &numbers, &err));
    assert_fails(tc_snapshot_read(path, "you", &back, &err), TACIT_E_STATE,
                 "is the snapshot of another simulation; it is left as it is");
    assert_ok(tc_file_read(path, 1000, &data, &n, &err));
    for (size_t i = 0; i < n; i++) {
        data[i] = (char)(data[i] ^ 4);
        assert_ok(tc_file_write(path, data, n, &err));
        if (i < 16)
            assert_fails(tc_snapshot_read(path, "me", &back, &err), TACIT_E_STATE,
                         "is not a snapshot of a simulation");
        else
            assert_fails(tc_snapshot_read(path, "me", &back, &err), TACIT_E_CORRUPT,
                         "is damaged; without it the run begins again");
        data[i] = (char)(data[i] ^ 4);
        assert_ok(tc_file_write(path, data, i, &err));
        assert_true(tc_snapshot_read(path, "me", &back, &err) != TACIT_OK);
    }
    assert_int_equal(back.n, 0);
    assert_fails(tc_snapshot_write("no/such/folder/x", "me", &numbers, &err), TACIT_E_NOT_FOUND,
                 "cannot write \"no/such/folder/x\": no such file or folder");
    (void)unlink(path);
    tc_free(data);
    tc_free(path);
    tc_numbers_fini(&back);
}

static void test_on_disk_under_its_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *path = scratch();
    tc_numbers none = {0};
    file_syncs = folder_syncs = 0;
    assert_ok(tc_snapshot_write(path, "me", &none, &err));
    assert_int_equal(file_syncs, 1);
    assert_int_equal(folder_syncs, 1);
    tc_snapshot_remove(path);
    tc_free(path);
}

/* Neither waits for somebody at the other end, nor takes the place of what is not ours. */
static void test_regular_files_only(void **state)
{
    (void)state;
    tacit_error err = {0};
    struct stat info;
    char *path = scratch();
    tc_numbers none = {0};
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_fails(tc_snapshot_read(path, "me", &none, &err), TACIT_E_ARG,
                 "must be a regular file, got a pipe");
    assert_fails(tc_snapshot_write(path, "me", &none, &err), TACIT_E_ARG,
                 "must be a regular file, got a pipe");
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    (void)unlink(path);
    assert_fails(tc_snapshot_read("/", "me", &none, &err), TACIT_E_ARG,
                 "\"/\" must be a regular file, got a folder");
    tc_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_on_disk_under_its_name),
        cmocka_unit_test(test_regular_files_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
