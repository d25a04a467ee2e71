/* file_test.c - whole files: limits, errors, replacement.
 *
 * Writes stay inside a folder of their own, also those to special files: run
 * as root with a defect in file.c, a test must not be able to replace a device. */
#include "support/syncs.h"
#include "support/test.h"
#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-file-test-XXXXXX";

/* ---- files of a test ---- */

static const char *in_folder(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        unlink(in_folder(e->d_name));
    if (d != NULL)
        closedir(d);
    return rmdir(folder);
}

static size_t files_in_folder(void)
{
    size_t n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void expect_content(const char *path, const char *content, size_t n)
{
    tacit_error err = {0};
    char *text = NULL;
    size_t len = 0;
    assert_ok(tc_file_read(path, n, &text, &len, &err));
    assert_int_equal(len, n);
    assert_memory_equal(text, content, n);
    assert_int_equal(text[n], '\0');
    tc_free(text);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    static char large[300001];
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)(i * i % 251);
    const char *path = in_folder("a");
    static const size_t sizes[] = {0, 1, 65534, 65535, 65536, 65537, sizeof large};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_ok(tc_file_write(path, large, sizes[i], &err));
        expect_content(path, large, sizes[i]);
    }
    unlink(path);
    assert_int_equal(files_in_folder(), 0); /* no temporary file stays */
}

static void reading_has_a_limit(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text = NULL;
    size_t len = 7;
    assert_ok(tc_file_write(in_folder("b"), "12345", 5, &err));
    assert_fails(tc_file_read(in_folder("b"), 4, &text, &len, &err), TACIT_E_ARG,
                 "is larger than 4 bytes");
    assert_fails(tc_file_read("/dev/zero", 1000, &text, &len, &err), TACIT_E_ARG,
                 "\"/dev/zero\" is larger than 1000 bytes");
    assert_null(text);
    assert_int_equal(len, 7);
    unlink(in_folder("b"));
}

static void missing_files_are_not_found(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text = NULL;
    size_t len = 0;
    assert_fails(tc_file_read(in_folder("none"), 9, &text, &len, &err), TACIT_E_NOT_FOUND,
                 "none\": no such file or folder");
    assert_fails(tc_file_read("/dev/null/x", 9, &text, &len, &err), TACIT_E_NOT_FOUND,
                 "cannot read \"/dev/null/x\": no such file or folder");
    assert_fails(tc_file_write(in_folder("none/x"), "", 0, &err), TACIT_E_NOT_FOUND,
                 "cannot write");
    assert_null(text);
}

static void other_failures_are_io(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text = NULL;
    size_t len = 0;
    assert_fails(tc_file_read(folder, 9, &text, &len, &err), TACIT_E_IO, "Is a directory");
    assert_fails(tc_file_write(folder, "x", 1, &err), TACIT_E_IO, "Is a directory");
    char long_name[5000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_fails(tc_file_write(long_name, "x", 1, &err), TACIT_E_IO, "cannot write");
    assert_null(text);
    assert_int_equal(files_in_folder(), 0);
}

static void replacing_keeps_mode_and_links(void **state)
{
    (void)state;
    tacit_error err = {0};
    struct stat info;
    assert_ok(tc_file_write(in_folder("real"), "old", 3, &err));
    assert_int_equal(chmod(in_folder("real"), 0640), 0);
    assert_int_equal(symlink("real", in_folder("link")), 0);
    assert_ok(tc_file_write(in_folder("link"), "new", 3, &err));
    expect_content(in_folder("real"), "new", 3);
    assert_int_equal(lstat(in_folder("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(in_folder("real"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(files_in_folder(), 2);
    unlink(in_folder("link"));
    unlink(in_folder("real"));
}

static void new_files_follow_the_umask(void **state)
{
    (void)state;
    tacit_error err = {0};
    struct stat info;
    mode_t before = umask(027);
    assert_ok(tc_file_write(in_folder("m"), "x", 1, &err));
    umask(before);
    assert_int_equal(stat(in_folder("m"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    unlink(in_folder("m"));
}

/* The mode of a new file when it was made, and not when it was given its last one. */
static mode_t made;

TACIT_API int fchmod(int fd, mode_t mode);

int fchmod(int fd, mode_t mode)
{
    struct stat info;
    made = fstat(fd, &info) == 0 ? info.st_mode & 07777 : 0;
    return (int)syscall(SYS_fchmod, fd, mode);
}

static void secrets_are_for_their_owner(void **state)
{
    (void)state;
    tacit_error err = {0};
    struct stat info;
    mode_t before = umask(0);
    for (int there = 0; there < 2; there++) {
        made = 07777;
        assert_ok(tc_file_write_secret(in_folder("s"), "x", 1, &err));
        assert_int_equal(made, 0600);
        assert_int_equal(stat(in_folder("s"), &info), 0);
        assert_int_equal(info.st_mode & 07777, 0600);
        assert_int_equal(chmod(in_folder("s"), 0644), 0);
    }
    assert_int_equal(chmod(in_folder("s"), 0600), 0);
    assert_ok(tc_file_write(in_folder("s"), "y", 1,
                            &err)); /* what replaces one is never open to others */
    assert_int_equal(made, 0600);
    umask(before);
    unlink(in_folder("s"));
}

/* A reader that has the old file open still sees all of it. */
static void readers_of_the_old_file_are_not_disturbed(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_ok(tc_file_write(in_folder("r"), "old text", 8, &err));
    FILE *f = fopen(in_folder("r"), "r");
    assert_non_null(f);
    assert_ok(tc_file_write(in_folder("r"), "new", 3, &err));
    char seen[20] = {0};
    assert_int_equal(fread(seen, 1, sizeof seen, f), 8);
    assert_string_equal(seen, "old text");
    fclose(f);
    unlink(in_folder("r"));
}

/* A writer that was killed leaves a file without a lock; one that lives holds its own. */
static void leftovers_are_removed(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const others[] = {"l.tmp-12", "l.tmp-12-", "l.tmp-12-0x", "ll.tmp-1-0"};
    char path[4][600], dead[600], alive[600];
    snprintf(dead, sizeof dead, "%s.tmp-%ld-0", in_folder("l"), (long)getpid());
    snprintf(alive, sizeof alive, "%s", in_folder("l.tmp-7-0"));
    for (size_t i = 0; i < 4; i++) {
        snprintf(path[i], sizeof path[i], "%s", in_folder(others[i]));
        fclose(fopen(path[i], "w"));
    }
    fclose(fopen(dead, "w"));
    int fd = open(alive, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_ok(tc_file_write(in_folder("l"), "x", 1, &err));
    expect_content(in_folder("l"), "x", 1);
    assert_int_not_equal(access(dead, F_OK), 0);
    assert_int_equal(access(alive, F_OK), 0);
    close(fd);
    assert_ok(tc_file_write(in_folder("l"), "y", 1, &err));
    assert_int_not_equal(access(alive, F_OK), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(unlink(path[i]), 0); /* they have other names, and are nobody's */
    unlink(in_folder("l"));
    assert_int_equal(files_in_folder(), 0);
}

static void writable_says_what_writing_would(void **state)
{
    (void)state;
    tacit_error err = {0};
    assert_ok(tc_file_writable(in_folder("new"), &err));
    assert_ok(tc_file_writable("/dev/null", &err));
    assert_int_equal(files_in_folder(), 0);
    assert_fails(tc_file_writable(in_folder("none/x"), &err), TACIT_E_NOT_FOUND, "cannot write");
    assert_fails(tc_file_writable("/dev/null/x", &err), TACIT_E_NOT_FOUND, "cannot write");
    assert_fails(tc_file_writable(folder, &err), TACIT_E_IO, "Is a directory");
}

static void names_without_a_folder(void **state)
{
    (void)state;
    tacit_error err = {0};
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    tacit_status status = tc_file_write("plain", "x", 1, &err);
    assert_int_equal(chdir(before), 0);
    assert_ok(status);
    expect_content(in_folder("plain"), "x", 1);
    unlink(in_folder("plain"));
}

static void pipes_are_written_in_place(void **state)
{
    (void)state;
    tacit_error err = {0};
    struct stat info;
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    tacit_status status = tc_file_write(in_folder("pipe"), "text", 4, &err);
    char seen[8] = {0};
    ssize_t n = read(reader, seen, sizeof seen);
    close(reader);
    assert_ok(status);
    assert_int_equal(n, 4);
    assert_string_equal(seen, "text");
    assert_int_equal(stat(in_folder("pipe"), &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    unlink(in_folder("pipe"));
}

/* A limit on file sizes stands for a full disk. */
static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    tacit_error err = {0};
    static char large[5000];
    struct rlimit before, small;
    assert_ok(tc_file_write(in_folder("f"), "old", 3, &err));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 1000, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    tacit_status status = tc_file_write(in_folder("f"), large, sizeof large, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, TACIT_E_IO);
    assert_non_null(strstr(err.msg, "File too large"));
    expect_content(in_folder("f"), "old", 3);
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("f"));
}

static void expect_no_regular_file(const char *path, const char *got)
{
    tacit_error err = {0};
    char *text = NULL;
    size_t len = 7;
    int fd = -1;
    assert_fails(tc_file_regular(path, &err), TACIT_E_ARG, got);
    assert_fails(tc_file_open_regular(path, O_RDWR | O_CREAT, &fd, &err), TACIT_E_ARG, got);
    assert_fails(tc_file_read_regular(path, 9, &text, &len, &err), TACIT_E_ARG, got);
    assert_true(fd == -1 && text == NULL && len == 7);
}

static void make_socket(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    close(fd);
}

/* Nobody is at the other end of the pipe: whoever waits for it waits for ever. */
static void only_regular_files(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text = NULL;
    size_t len = 0;
    int fd = -1;
    assert_int_equal(mkfifo(in_folder("p"), 0600), 0);
    make_socket(in_folder("s"));
    expect_no_regular_file(in_folder("p"), "/p\" must be a regular file, got a pipe");
    expect_no_regular_file(in_folder("s"), "/s\" must be a regular file, got a socket");
    expect_no_regular_file(folder, "\" must be a regular file, got a folder");
    expect_no_regular_file("/dev/null", "\"/dev/null\" must be a regular file, got a device");
    unlink(in_folder("p"));
    unlink(in_folder("s"));
    assert_ok(tc_file_regular(in_folder("none"), &err));
    assert_fails(tc_file_open_regular(in_folder("none"), O_RDWR, &fd, &err), TACIT_E_NOT_FOUND,
                 "cannot open");
    assert_fails(tc_file_read_regular(in_folder("none"), 9, &text, &len, &err), TACIT_E_NOT_FOUND,
                 "none\": no such file or folder");
    assert_ok(tc_file_write(in_folder("r"), "text", 4, &err));
    assert_ok(tc_file_regular(in_folder("r"), &err));
    assert_ok(tc_file_read_regular(in_folder("r"), 9, &text, &len, &err));
    assert_int_equal(len, 4);
    assert_string_equal(text, "text");
    tc_free(text);
    unlink(in_folder("r"));
}

static void a_file_grows(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text = NULL;
    size_t len = 0;
    int fd = -1;
    assert_ok(tc_file_open_regular(in_folder("g"), O_RDWR | O_CREAT, &fd, &err));
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    file_syncs = folder_syncs = 0;
    assert_true(tc_file_append(fd, "one", 3));
    assert_true(tc_file_append(fd, " two", 4));
    assert_int_equal(file_syncs, 2);
    assert_int_equal(folder_syncs, 0);
    assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
    assert_ok(tc_file_read_open(fd, "g", 9, &text, &len, &err));
    assert_int_equal(len, 5);
    assert_string_equal(text, "e two");
    tc_free(text);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_fails(tc_file_read_open(fd, "g", 6, &text, &len, &err), TACIT_E_ARG,
                 "\"g\" is larger than 6 bytes");
    close(fd);
    assert_false(tc_file_append(fd, "x", 1));
    tc_file_sync_name(in_folder("g"));
    assert_int_equal(folder_syncs, 1);
    unlink(in_folder("g"));
}

static void a_written_file_is_synced_with_its_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    file_syncs = folder_syncs = 0;
    assert_ok(tc_file_write(in_folder("w"), "x", 1, &err));
    assert_int_equal(file_syncs, 1);
    assert_int_equal(folder_syncs, 1);
    unlink(in_folder("w"));
}

static void removed_with_its_leftovers(void **state)
{
    (void)state;
    tacit_error err = {0};
    fclose(fopen(in_folder("x.tmp-12-0"), "w"));
    fclose(fopen(in_folder("x.tmp-12"), "w"));
    assert_ok(tc_file_write(in_folder("y"), "x", 1, &err));
    tc_file_remove(in_folder("x"));
    tc_file_remove(in_folder("y"));
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(unlink(in_folder("x.tmp-12")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(reading_has_a_limit),
        cmocka_unit_test(missing_files_are_not_found),
        cmocka_unit_test(other_failures_are_io),
        cmocka_unit_test(replacing_keeps_mode_and_links),
        cmocka_unit_test(new_files_follow_the_umask),
        cmocka_unit_test(secrets_are_for_their_owner),
        cmocka_unit_test(readers_of_the_old_file_are_not_disturbed),
        cmocka_unit_test(leftovers_are_removed),
        cmocka_unit_test(writable_says_what_writing_would),
        cmocka_unit_test(names_without_a_folder),
        cmocka_unit_test(pipes_are_written_in_place),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(only_regular_files),
        cmocka_unit_test(a_file_grows),
        cmocka_unit_test(a_written_file_is_synced_with_its_name),
        cmocka_unit_test(removed_with_its_leftovers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
