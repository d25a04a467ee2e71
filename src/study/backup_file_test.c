/* backup_file_test.c - what a backup refuses to copy, and what it leaves in its folder.
 *
 * A copy takes the last entry of a ledger for its end: a head that belongs to other entries is damage, and is
 * not made the truth by copying it. Files of backups that were killed are swept away, those of living ones
 * and of strangers stay. */
#include "support/record_sums.h"
#include "support/store_folder.h"

#include "base/error.h"
#include "privacy/mechanism.h"
#include "study/backup.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char copy[128];

static int name_copy(void **state)
{
    int failed = make_folder(state);
    snprintf(copy, sizeof copy, "%s/copy.db", folder);
    return failed;
}

static void make_store(uint64_t rounds)
{
    tacit_error err = {0};
    tc_store *s;
    tc_ledger_io io;
    tc_ledger *l;
    double x = 1;
    assert_ok(tc_store_open(&s, url, true, &err));
    assert_ok(tc_store_ledger(s, "main", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "main", &io, &err));
    for (uint64_t round = 0; round < rounds; round++) {
        tc_release *r;
        tc_ledger_receipt receipt;
        tc_ledger_charge c = {tc_ledger_study_hash("{}"), round, NULL};
        assert_ok(tc_none_release(&r, 1, 1, &x, TACIT_UNIT_ROW, "it is a test", &err));
        assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
        tc_ledger_receipt_fini(&receipt);
        tc_release_free(r);
    }
    tc_ledger_close(l);
    tc_store_close(s);
}

static tacit_status backup(tacit_error *err)
{
    tc_store *s;
    TC_TRY(tc_store_open(&s, url, false, err));
    tacit_status status = tc_backup_write(s, copy, 5000000, err);
    tc_store_close(s);
    return status;
}

/* ---- heads ---- */

static void a_head_of_other_entries_is_not_copied(void **state)
{
    tacit_error err = {0};
    (void)state;
    make_store(2);
    change_records(file, MOVE_HEAD("CAST(substr(key, 1, 16) || zeroblob(32) AS BLOB)"));
    assert_fails(backup(&err), TACIT_E_CORRUPT,
                 "the storage is damaged: the entries of ledger \"main\" end at number 2, and its "
                 "head is that of entry 2");
    assert_int_equal(access(copy, F_OK), -1);
}

static void an_entry_beyond_the_head_is_not_copied(void **state)
{
    tacit_error err = {0};
    (void)state;
    make_store(2);
    change_records(file, MOVE_HEAD("(SELECT CAST(key || substr(value, 1, 32) AS BLOB) FROM records"
                                   " WHERE " IS_ENTRY("01") ")"));
    assert_fails(backup(&err), TACIT_E_CORRUPT,
                 "the entries of ledger \"main\" end at number 2, and its head is that of entry 1");
    assert_int_equal(access(copy, F_OK), -1);
}

static void ledgers_that_end_at_their_heads_are(void **state)
{
    tacit_error err = {0};
    (void)state;
    for (uint64_t rounds = 0; rounds < 3; rounds++) {
        make_store(rounds);
        assert_ok(backup(&err));
        assert_int_equal(clear_folder(NULL), 0);
    }
}

/* ---- what is left in the folder ---- */

static void touch(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static bool there(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static long dead_process(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return (long)child;
}

static void what_killed_backups_left_is_swept_away(void **state)
{
    tacit_error err = {0};
    char dead[3][64], living[64];
    long pid = dead_process();
    (void)state;
    make_store(1);
    snprintf(dead[0], sizeof dead[0], "old.db.%ld.tacit-part", pid);
    snprintf(dead[1], sizeof dead[1], "old.db.%ld.tacit-part-wal", pid);
    snprintf(dead[2], sizeof dead[2], "copy.db.%ld.tacit-part", pid);
    snprintf(living, sizeof living, "old.db.%ld.tacit-part", (long)getppid());
    for (int i = 0; i < 3; i++)
        touch(dead[i]);
    touch(living);
    touch("mine.tacit-part");
    touch("mine.part");
    assert_ok(backup(&err));
    for (int i = 0; i < 3; i++)
        assert_false(there(dead[i]));
    assert_true(there(living));
    assert_true(there("mine.tacit-part"));
    assert_true(there("mine.part"));
    assert_true(there("copy.db"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_head_of_other_entries_is_not_copied, clear_folder),
        cmocka_unit_test_teardown(an_entry_beyond_the_head_is_not_copied, clear_folder),
        cmocka_unit_test(ledgers_that_end_at_their_heads_are),
        cmocka_unit_test_teardown(what_killed_backups_left_is_swept_away, clear_folder),
    };
    return cmocka_run_group_tests(tests, name_copy, remove_folder);
}
