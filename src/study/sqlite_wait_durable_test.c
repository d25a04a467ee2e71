/* sqlite_wait_durable_test.c - what is seen before it is on disk, and who waits for that: a barrier syncs what
 * is on its way, costs no sync where nothing is, and fails where the disk has failed. */
#include "study/sqlite_int.h"

#include "base/file.h"
#include "base/memory.h"
#include "support/store_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the disk: SQLite's syncs and ours end up here ---- */

static atomic_int syncs, sync_fails;

TACIT_API int fdatasync(int fd);

int fdatasync(int fd)
{
    syncs++;
    if (sync_fails) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

static int clear(void **state)
{
    sync_fails = 0;
    return clear_folder(state);
}

static tc_store *open_store(void)
{
    tacit_error err = {0};
    tc_store *s = NULL;
    assert_ok(tc_store_open(&s, url, true, &err));
    return s;
}

static tc_change insertion(const char *key)
{
    return (tc_change){TC_INSERT,
                       {.kind = TC_RECORD_TOKEN, .key = key, .key_size = 1, .value = ""}};
}

/* An event that nobody waits for. */
static void ask(tc_store *s, int64_t study, uint64_t trial)
{
    tacit_error err = {0};
    tc_event_row e = {.kind = TC_EVENT_ASK, .trial = trial, .body = "{}"};
    tc_append a = {.study = study, .head = TC_ANY_HEAD, .events = &e, .n = 1};
    uint64_t head;
    assert_ok(tc_store_append(s, &a, &head, &err));
}

static int64_t put(tc_store *s)
{
    tacit_error err = {0};
    tc_study_row row = {.name = "a", .document = "{}", .created_ms = 1};
    int64_t id = 0;
    assert_ok(tc_store_study_put(s, &row, &id, &err));
    return id;
}

/* How many syncs it takes until everything is durable. */
static int syncs_of_wait(tc_store *s)
{
    tacit_error err = {0};
    int before = syncs;
    assert_ok(tc_store_wait_durable(s, tc_store_moment(s), &err));
    return syncs - before;
}

/* ---- */

static void what_is_on_its_way_is_synced_once(void **state)
{
    tacit_error err = {0};
    tc_store *s = open_store();
    tc_change c = insertion("k");
    (void)state;
    int64_t id = put(s);
    assert_int_equal(syncs_of_wait(s), 0);
    ask(s, id, 0);
    ask(s, id, 1);
    assert_int_equal(syncs_of_wait(s), 1);
    assert_int_equal(syncs_of_wait(s), 0);
    assert_ok(
        tc_store_change(s, &c, 1, NULL, &err)); /* durable by itself, and what was before it */
    ask(s, id, 2);
    c = insertion("l");
    assert_ok(tc_store_change(s, &c, 1, NULL, &err));
    assert_int_equal(syncs_of_wait(s), 0);
    assert_int_equal(tc_store_change(s, &c, 1, NULL, &err), TACIT_E_CONFLICT);
    assert_int_equal(syncs_of_wait(s), 0); /* a refusal wrote nothing */
    tc_store_close(s);
}

/* Another process may have committed, and died before its sync. */
static void what_others_have_written_is_synced_too(void **state)
{
    tc_store *s = open_store(), *other = open_store();
    (void)state;
    int64_t id = put(s);
    (void)syncs_of_wait(other);
    ask(other, id, 0);
    assert_int_equal(syncs_of_wait(s), 1);
    assert_int_equal(syncs_of_wait(s), 0);
    assert_int_equal(syncs_of_wait(other), 1); /* it does not know of that one */
    tc_store_close(other);
    tc_store_close(s);
}

/* The change is there to be read, and is not safe: nobody may be told that it is. */
static void what_cannot_be_brought_to_disk_is_not_durable(void **state)
{
    tacit_error err = {0};
    tc_store *s = open_store();
    tc_change c = insertion("k");
    tc_record got;
    (void)state;
    ask(s, put(s), 0); /* SQLite itself syncs the log when it is begun */
    sync_fails = 1;
    assert_fails(tc_store_change(s, &c, 1, NULL, &err), TACIT_E_IO, "brought to disk");
    assert_ok(tc_store_record_get(s, &c.record, &got, &err));
    tc_free((void *)got.value);
    assert_fails(tc_store_wait_durable(s, tc_store_moment(s), &err), TACIT_E_IO, "brought to disk");
    sync_fails = 0;
    assert_fails(tc_store_wait_durable(s, tc_store_moment(s), &err), TACIT_E_IO, "brought to disk");
    tc_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_on_its_way_is_synced_once, clear),
        cmocka_unit_test_setup(what_others_have_written_is_synced_too, clear),
        cmocka_unit_test_setup(what_cannot_be_brought_to_disk_is_not_durable, clear),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
