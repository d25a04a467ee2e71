/* store_test.c - the conformance suite for every store, and storage URLs. */
#include "conformance/store_suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/tacit-store-XXXXXX";

static tc_store *open_url(const char *url)
{
    tc_store *s = NULL;
    tacit_error err = {0};
    if (tc_store_open(&s, url, true, &err) != TACIT_OK)
        print_error("%s\n", err.msg);
    return s;
}

static tc_store *open_memory(void)
{
    return open_url("memory:");
}

static tc_store *open_again_sqlite(void)
{
    char url[128];
    snprintf(url, sizeof url, "sqlite:///%s/store.db", folder);
    return open_url(url);
}

static void remove_file(void)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s/store.db%s", folder, ends[i]);
        unlink(file);
    }
}

static tc_store *open_fresh_sqlite(void)
{
    remove_file();
    return open_again_sqlite();
}

static void bad_urls_are_refused_with_advice(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"study.db", "storage \"study.db\" is not a URL: write sqlite:///study.db for a file, "
                     "postgresql://HOST/DATABASE, or memory:"},
        {"", "storage \"\" is not a URL: write sqlite:///tacit.db for a file, "
             "postgresql://HOST/DATABASE, or memory:"},
        {"redis://me:secret@x", "the storage has the unknown scheme \"redis\": use "
                                "sqlite:///FILE, postgresql://HOST/DATABASE or memory:"},
        {"memory:x", "storage \"memory:x\" takes no path: write just memory:"},
        {"sqlite:x.db", "storage \"sqlite:x.db\" must be sqlite:///FILE (three slashes, four for "
                        "an absolute path)"},
        {"sqlite://x.db", "storage \"sqlite://x.db\" must be sqlite:///FILE (three slashes, four "
                          "for an absolute path)"},
        {"sqlite:///", "storage \"sqlite:///\" must be sqlite:///FILE (three slashes, four for an "
                       "absolute path)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_store *s = NULL;
        tacit_error err = {0};
        assert_int_equal(tc_store_open(&s, cases[i][0], true, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, cases[i][1]);
        assert_null(s);
    }
    tc_store_close(NULL);
}

int main(void)
{
    const struct CMUnitTest urls[] = {cmocka_unit_test(bad_urls_are_refused_with_advice)};
    const store_kind memory = {"memory store", open_memory, NULL};
    const store_kind sqlite = {"sqlite store", open_fresh_sqlite, open_again_sqlite};
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests_name("storage URLs", urls, NULL, NULL);
    failed += store_suite_run(&memory) + record_suite_run(&memory) + copy_suite_run(&memory) +
              audit_suite_run(&memory);
    failed += store_suite_run(&sqlite) + record_suite_run(&sqlite) + copy_suite_run(&sqlite) +
              audit_suite_run(&sqlite);
    remove_file();
    rmdir(folder);
    return failed;
}
