/* file_name_test.c - names of files: folders, links of all kinds, and files that are not there yet. */
#include "support/test.h"

#include "base/file_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-file-name-test-XXXXXX";

static void make(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* Tests work in a folder of their own:
 *   here, hard (the same file), soft -> here, d/, e -> d, late -> d/new, loop -> loop */
static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return -1;
    make("here");
    return link("here", "hard") || symlink("here", "soft") || mkdir("d", 0700) ||
           symlink("d", "e") || symlink("d/new", "late") || symlink("loop", "loop");
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"here", "hard", "soft", "e", "late", "loop"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    return rmdir("d") || chdir("/") || rmdir(folder);
}

static void folders(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"a", "."},  {"a/b", "a"}, {"/a", "/"}, {"/a/b", "/a"},
                                           {"a/", "a"}, {"", "."},    {"/", "/"},  {"./a", "."}};
    char out[PATH_MAX], longest[PATH_MAX + 1];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(tc_file_folder(cases[i][0], out));
        assert_string_equal(out, cases[i][1]);
    }
    memset(longest, 'x', PATH_MAX);
    longest[PATH_MAX] = '\0';
    errno = 0;
    assert_false(tc_file_folder(longest, out));
    assert_int_equal(errno, ENAMETOOLONG);
    assert_false(tc_file_resolve(longest, out));
    assert_false(tc_file_same(longest, longest));
    longest[PATH_MAX - 1] = '\0';
    assert_true(tc_file_folder(longest, out));
    assert_false(tc_file_resolve(longest, out)); /* no room for its folder */
}

static void expect_name(const char *path, const char *base)
{
    char real[PATH_MAX], name[PATH_MAX], expected[2 * PATH_MAX];
    assert_non_null(realpath(".", real));
    snprintf(expected, sizeof expected, "%s/%s", real, base);
    assert_true(tc_file_resolve(path, name));
    assert_string_equal(name, expected);
}

static void one_name(void **state)
{
    (void)state;
    char name[PATH_MAX];
    expect_name("here", "here");
    expect_name("soft", "here");
    expect_name(".//e/../soft", "here");
    expect_name("none", "none");
    expect_name("./none", "none");
    expect_name("e/none", "d/none");
    expect_name("late", "d/new");
    expect_name("e/../late", "d/new");
    assert_true(tc_file_resolve("/none-of-this-name", name));
    assert_string_equal(name, "/none-of-this-name");
    assert_false(tc_file_resolve("no/folder", name));
    assert_false(tc_file_resolve("none/", name));
    assert_false(tc_file_resolve("here/x", name));
    assert_false(tc_file_resolve("loop", name));
    assert_false(tc_file_resolve("", name));
}

/* Links that lead nowhere yet, one after another, relative to where each is and absolute. */
static void chains_of_links(void **state)
{
    (void)state;
    char real[PATH_MAX], target[PATH_MAX + 8];
    assert_non_null(realpath("d", real));
    snprintf(target, sizeof target, "%s/two", real);
    assert_int_equal(symlink(target, "d/one"), 0);
    assert_int_equal(symlink("../three", "d/two"), 0);
    expect_name("d/one", "three");
    assert_true(tc_file_same("e/one", "three"));
    make("three");
    expect_name("d/one", "three");
    unlink("d/one");
    unlink("d/two");
    unlink("three");
}

static void same_or_not(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"here", "./here"}, {"here", "hard"},  {"soft", "hard"}, {"new", "./new"},
        {"d/x", "e/x"},     {"late", "e/new"}, {"d", "e/."},     {"here", "d/../here"}};
    static const char *const others[][2] = {{"here", "new"}, {"here", "d/here"}, {"new", "new2"},
                                            {"late", "new"}, {"no/x", "no/x"},   {"d", "here"},
                                            {"", ""},        {"loop", "loop"}};
    for (size_t i = 0; i < 8; i++) {
        assert_true(tc_file_same(same[i][0], same[i][1]));
        assert_true(tc_file_same(same[i][1], same[i][0]));
        assert_false(tc_file_same(others[i][0], others[i][1]));
        assert_false(tc_file_same(others[i][1], others[i][0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders),
        cmocka_unit_test(one_name),
        cmocka_unit_test(chains_of_links),
        cmocka_unit_test(same_or_not),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
