/* repair_api_test.c - tacit_storage_repair: a journal with a byte changed is read again, and what was lost is said. */
#include <tacit/study.h>

#include "support/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/repair_api.XXXXXX";

static int start(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    return chdir(folder);
}

static int stop(void **state)
{
    char command[sizeof folder + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

#define URL "sqlite:///s.db"

static void make_study(void)
{
    static const char text[] =
        "{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 1, \"space\": "
        "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, "
        "\"algorithm\": {\"name\": \"random\"}}";
    tacit_error err = {0};
    tacit_study *s;
    uint64_t trial;
    double x;
    assert_ok(tacit_study_create(&s, URL, text, NULL, &err));
    for (int i = 0; i < 4; i++) {
        assert_ok(tacit_study_ask(s, &trial, &x, &err));
        assert_ok(tacit_study_tell(s, trial, x, &err));
    }
    tacit_study_close(s);
}

/* The report of trial 1, event 4. */
static void damage(void)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open("s.db", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "UPDATE events SET body = replace(body, '{', '[') WHERE seq = 4",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_changes(db), 1);
    sqlite3_close(db);
}

static void take_line(void *user, const char *line)
{
    char *lines = user;
    size_t n = strlen(lines);
    snprintf(lines + n, 4096 - n, "%s\n", line);
}

static void a_damaged_journal_is_mended(void **state)
{
    tacit_error err = {0};
    char lines[4096] = "";
    struct stat kept;
    tacit_study *s;
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_repair_opts opts = TACIT_REPAIR_OPTS;
    tacit_repair_info info = TACIT_REPAIR_INFO;
    (void)state;
    opts.say = take_line;
    opts.user = lines;
    make_study();
    assert_ok(tacit_storage_repair(URL, "s", &opts, &info, &err));
    assert_false(info.damaged);
    assert_string_equal(lines, "");
    damage();
    assert_ok(tacit_study_open(&s, URL, "s", NULL, &err));
    assert_int_equal(tacit_study_summarize(s, &sum, &err), TACIT_E_CORRUPT);
    tacit_study_close(s);
    opts.keep = "/nowhere/kept.jsonl";
    assert_fails(tacit_storage_repair(URL, "s", &opts, &info, &err), TACIT_E_IO,
                 "/nowhere/kept.jsonl cannot be written: No such file or directory; nothing was "
                 "changed");
    opts.keep = NULL;
    assert_ok(tacit_storage_repair(URL, "s", &opts, &info, &err));
    assert_true(info.damaged);
    assert_int_equal(info.lost, 1);
    assert_int_equal(info.kept, 7);
    assert_non_null(strstr(lines, "kept: the damaged journal as it was, s-damaged.jsonl\n"));
    assert_non_null(strstr(lines, "left out: event 4 (tell, trial 1)"));
    assert_int_equal(stat("s-damaged.jsonl", &kept), 0);
    assert_int_equal(kept.st_mode & 0777, 0600);
    assert_ok(tacit_study_open(&s, URL, "s", NULL, &err));
    assert_ok(tacit_study_summarize(s, &sum, &err));
    assert_int_equal(sum.complete, 3);
    assert_int_equal(sum.running, 1);
    tacit_study_close(s);
}

static void nothing_is_replaced(void **state)
{
    tacit_error err = {0};
    char lines[4096] = "";
    tacit_repair_opts opts = TACIT_REPAIR_OPTS;
    (void)state;
    opts.say = take_line;
    opts.user = lines;
    damage(); /* the file of the test before is still there */
    assert_ok(tacit_storage_repair(URL, "s", &opts, NULL, &err));
    assert_non_null(strstr(lines, "s-damaged.jsonl.2\n"));
}

static void what_cannot_be_repaired(void **state)
{
    tacit_error err = {0};
    tacit_repair_info small = {.size = 8};
    (void)state;
    assert_fails(tacit_storage_repair(URL, "t", NULL, NULL, &err), TACIT_E_NOT_FOUND, "t");
    assert_fails(tacit_storage_repair("sqlite:///none.db", "s", NULL, NULL, &err),
                 TACIT_E_NOT_FOUND, "none.db");
    assert_fails(tacit_storage_repair(URL, "s", NULL, &small, &err), TACIT_E_ARG, "info");
    assert_fails(tacit_storage_repair("https://a:1", "s", NULL, NULL, &err), TACIT_E_ARG,
                 "unknown scheme \"https\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_journal_is_mended),
        cmocka_unit_test(nothing_is_replaced),
        cmocka_unit_test(what_cannot_be_repaired),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
