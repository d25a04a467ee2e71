/* dataset_test.c - files of data sets, plain and packed, and the cache. */
#include "papers/data/dataset.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

static char folder[64];

static void path_of(char out[160], const char *name)
{
    snprintf(out, 160, "%s/%s", folder, name);
}

static int set_up(void **state)
{
    (void)state;
    char path[160];
    snprintf(folder, sizeof folder, "/tmp/tacit-dataset-XXXXXX");
    assert_non_null(mkdtemp(folder));
    path_of(path, "set");
    return mkdir(path, 0777);
}

static int tear_down(void **state)
{
    (void)state;
    char command[120];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void both_forms_are_read(void **state)
{
    (void)state;
    tacit_error err = {0};
    char path[160], *text;
    size_t len;
    path_of(path, "set/plain.csv");
    assert_ok(tc_file_write(path, "a,b\n1,2\n", 8, &err));
    path_of(path, "set/packed.csv.gz");
    gzFile f = gzopen(path, "wb");
    assert_int_equal(gzwrite(f, "c\n3\n", 4), 4);
    gzclose(f);
    assert_ok(tc_dataset_read(folder, "set", "plain.csv", &text, &len, &err));
    assert_string_equal(text, "a,b\n1,2\n");
    tc_free(text);
    assert_ok(tc_dataset_read(folder, "set", "packed.csv", &text, &len, &err));
    assert_int_equal(len, 4);
    assert_string_equal(text, "c\n3\n");
    tc_free(text);
    assert_fails(tc_dataset_read(folder, "set", "none.csv", &text, &len, &err), TACIT_E_NOT_FOUND,
                 "there is no ");
}

static void half_a_packed_file_is_an_error(void **state)
{
    (void)state;
    tacit_error err = {0};
    char path[160], *text, bytes[4000];
    size_t len;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('a' + i * i % 23);
    path_of(path, "set/x.csv.gz");
    gzFile f = gzopen(path, "wb");
    assert_int_equal(gzwrite(f, bytes, sizeof bytes), (int)sizeof bytes);
    gzclose(f);
    assert_ok(tc_file_read(path, 10000, &text, &len, &err));
    assert_ok(tc_file_write(path, text, len / 2, &err));
    tc_free(text);
    assert_fails(tc_dataset_read(folder, "set", "x.csv", &text, &len, &err), TACIT_E_IO, "damaged");
}

static int made;

static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    made++;
    if (!user)
        return tc_fail(err, TACIT_E_NUMERIC, "cannot be made");
    tc_text_add(out, user);
    return TACIT_OK;
}

static void the_cache_is_keyed_by_its_inputs(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_setup s = {.out = folder};
    char *one, *same, *two, *text, word[] = "grid";
    size_t len;
    made = 0;
    assert_ok(tc_cache_get(&s, "x", "key 1", make, word, &one, &err));
    assert_ok(tc_cache_get(&s, "x", "key 1", make, word, &same, &err));
    assert_int_equal(made, 1);
    assert_string_equal(one, same);
    assert_ok(tc_cache_get(&s, "x", "key 2", make, word, &two, &err));
    assert_int_equal(made, 2);
    assert_string_not_equal(one, two);
    assert_ok(tc_file_read(one, 100, &text, &len, &err));
    assert_string_equal(text, "grid");
    tc_free(text);
    tc_free(same);
    /* A file that was cut is made again. */
    assert_ok(tc_file_write(one, "gr", 2, &err));
    assert_ok(tc_cache_get(&s, "x", "key 1", make, word, &same, &err));
    assert_int_equal(made, 3);
    assert_ok(tc_file_read(same, 100, &text, &len, &err));
    assert_string_equal(text, "grid");
    tc_free(text);
    tc_free(one);
    tc_free(same);
    tc_free(two);
    /* What could not be made leaves nothing behind. */
    assert_fails(tc_cache_get(&s, "x", "key 3", make, NULL, &one, &err), TACIT_E_NUMERIC,
                 "cannot be made");
    assert_fails(tc_cache_get(&s, "x", "key 3", make, NULL, &one, &err), TACIT_E_NUMERIC,
                 "cannot be made");
    assert_int_equal(made, 5);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(both_forms_are_read),
                                       TEST(half_a_packed_file_is_an_error),
                                       TEST(the_cache_is_keyed_by_its_inputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
