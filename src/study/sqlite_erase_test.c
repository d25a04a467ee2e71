/* sqlite_erase_test.c - who can read a store's files, and what is left in them of what was erased. */
#include "support/store_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "study/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char secret[] = "a contribution that nobody may find again";

static void name_of(const char *end, char out[160])
{
    snprintf(out, 160, "%s%s", file, end);
}

/* Is the secret in this file? One that is not there has nothing. */
static bool holds_secret(const char *end)
{
    char name[160], *found = NULL;
    static char bytes[1 << 20];
    name_of(end, name);
    FILE *f = fopen(name, "rb");
    if (!f)
        return false;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(n < sizeof bytes);
    found = memmem(bytes, n, secret, strlen(secret));
    return found != NULL;
}

static tc_record_range messages(int64_t study)
{
    return (tc_record_range){.study = study, .kind = TC_RECORD_MESSAGE};
}

static int64_t put_secret(tc_store *s, const char *name)
{
    tacit_error err = {0};
    int64_t id;
    tc_study_row row = {.name = (char *)name, .document = (char *)"{}"};
    assert_ok(tc_store_study_put(s, &row, &id, &err));
    tc_change c = {.what = TC_INSERT,
                   .record = {.study = id,
                              .kind = TC_RECORD_MESSAGE,
                              .key = "k",
                              .key_size = 1,
                              .value = secret,
                              .size = sizeof secret}};
    assert_ok(tc_store_change(s, &c, 1, NULL, &err));
    assert_true(holds_secret("") || holds_secret("-wal"));
    return id;
}

static void assert_forgotten(void)
{
    assert_false(holds_secret(""));
    assert_false(holds_secret("-wal"));
}

static void what_was_erased_is_in_no_file(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    (void)state;
    assert_ok(tc_store_open(&s, url, true, &err));
    tc_record_range all = messages(put_secret(s, "dropped"));
    assert_ok(tc_store_record_drop(s, &all, &err));
    assert_forgotten();
    assert_ok(tc_store_study_erase(s, put_secret(s, "erased"), &err));
    assert_forgotten();
    /* The log goes on: what comes next is durable and there. */
    uint64_t n;
    all = messages(put_secret(s, "kept"));
    assert_ok(tc_store_record_count(s, &all, &n, &err));
    assert_int_equal(n, 1);
    tc_store_close(s);
}

static void assert_mode(const char *end, mode_t mode)
{
    char name[160];
    struct stat info;
    name_of(end, name);
    assert_int_equal(stat(name, &info), 0);
    assert_int_equal(info.st_mode & 0777, mode);
}

static void a_new_store_is_for_its_owner_alone(void **state)
{
    tacit_error err = {0};
    tc_store *s;
    mode_t before = umask(022);
    (void)state;
    snprintf(file, sizeof file, "%s/mode.db", folder);
    snprintf(url, sizeof url, "sqlite:///%s", file);
    assert_ok(tc_store_open(&s, url, true, &err));
    put_secret(s, "t");
    assert_mode("", 0600);
    assert_mode("-wal", 0600);
    assert_mode("-shm", 0600);
    tc_store_close(s);
    /* The mode of one that is there is its owner's choice. */
    assert_int_equal(chmod(file, 0640), 0);
    assert_ok(tc_store_open(&s, url, true, &err));
    put_secret(s, "u");
    assert_mode("", 0640);
    assert_mode("-wal", 0640);
    tc_store_close(s);
    umask(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_erased_is_in_no_file),
        cmocka_unit_test(a_new_store_is_for_its_owner_alone),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
