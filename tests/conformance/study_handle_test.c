/* study_handle_test.c - the suite of study handles for memory and SQLite; and what a storage's URL must be. */
#include "conformance/study_suite.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-handle-XXXXXX";

static tacit_storage *open_url(const char *url)
{
    tacit_error err = {0};
    tacit_storage *st = NULL;
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    opts.create = true;
    if (tacit_storage_open(&st, url, &opts, &err) != TACIT_OK)
        print_error("%s\n", err.msg);
    return st;
}

static tacit_storage *open_memory(void)
{
    return open_url("memory:");
}

static tacit_storage *open_again_sqlite(void)
{
    char url[128];
    snprintf(url, sizeof url, "sqlite:///%s/store.db", folder);
    return open_url(url);
}

static void remove_files(void)
{
    static const char *const names[] = {"store.db", "store.db-wal", "store.db-shm", "backup.db"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s/%s", folder, names[i]);
        unlink(file);
    }
}

static tacit_storage *open_fresh_sqlite(void)
{
    remove_files();
    return open_again_sqlite();
}

static void a_coordinator_needs_the_network_library(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_storage *st = NULL;
    assert_fails(tacit_storage_open(&st, "https://127.0.0.1:1", NULL, &err), TACIT_E_UNSUPPORTED,
                 "a storage with the scheme \"https\" is a coordinator, which needs libtacit-net: "
                 "link it, and call tacit_net_register first");
    assert_fails(tacit_storage_open(&st, "redis://me:secret@x", NULL, &err), TACIT_E_ARG,
                 "the storage has the unknown scheme \"redis\"");
    assert_null(st);
}

static void options_are_of_one_kind_of_storage(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_storage *st = NULL;
    tacit_storage_opts opts = TACIT_STORAGE_OPTS;
    opts.token = "t";
    assert_fails(tacit_storage_open(&st, "memory:", &opts, &err), TACIT_E_ARG,
                 "a token is for a coordinator");
    opts.token = NULL;
    opts.threads = -2;
    assert_fails(tacit_storage_open(&st, "memory:", &opts, &err), TACIT_E_ARG,
                 "threads must be -1 to 1024, got -2");
    opts.threads = 2;
    assert_ok(tacit_storage_open(&st, "memory:", &opts, &err));
    tacit_storage_close(st);
    tacit_storage_close(NULL);
}

/* A backup is a file that no storage takes for one of its own. */
static void a_backup_is_written_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    char file[128], url[140];
    tacit_storage *st = open_fresh_sqlite(), *none = NULL;
    tacit_study *s;
    tacit_document *doc;
    tacit_backup_info made = TACIT_BACKUP_INFO;
    assert_ok(tacit_document_parse(&doc,
                                   "{\"name\": \"kept\", \"direction\": \"minimize\", \"space\":"
                                   " {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}",
                                   &err));
    assert_ok(tacit_study_create_in(&s, st, doc, &err));
    tacit_document_free(doc);
    tacit_study_close(s);
    snprintf(file, sizeof file, "%s/backup.db", folder);
    snprintf(url, sizeof url, "sqlite:///%s", file);
    made.size = 1;
    assert_fails(tacit_storage_backup(st, file, &made, &err), TACIT_E_ARG,
                 "info.size must be sizeof(tacit_backup_info)");
    made.size = sizeof made;
    assert_ok(tacit_storage_backup(st, file, &made, &err));
    assert_true(made.studies == 1 && made.made_ms > 0);
    assert_int_equal(tacit_storage_backup(st, file, NULL, &err), TACIT_E_CONFLICT);
    assert_fails(tacit_storage_open(&none, url, NULL, &err), TACIT_E_STATE, "backup");
    tacit_storage_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coordinator_needs_the_network_library),
        cmocka_unit_test(options_are_of_one_kind_of_storage),
        cmocka_unit_test(a_backup_is_written_once),
    };
    const study_place memory = {"studies in memory", open_memory, NULL, false};
    const study_place sqlite = {"studies in SQLite", open_fresh_sqlite, open_again_sqlite, false};
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests_name("storages", tests, NULL, NULL);
    failed += study_suite_run(&memory) + study_suite_run(&sqlite);
    remove_files();
    rmdir(folder);
    return failed;
}
