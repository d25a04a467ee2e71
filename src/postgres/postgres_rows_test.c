/* postgres_rows_test.c - journals and records that are longer than a page, and ledgers: their order, their conflicts,
 * and damage that is named.
 *
 * Runs under tests/support/postgres, which gives it a server; without one it is skipped. */
#include "support/lost_answer.h" /* first */

#include "support/append_places.h"

#include "base/memory.h"
#include "privacy/mechanism.h"

/* ---- pages */

static void long_journals_are_read_in_pages(void **state)
{
    (void)state;
    enum { N = 2500 };
    tc_store *s = open_store();
    int64_t id = put(s, "a");
    tc_event_row *events = tc_alloc(N, sizeof *events);
    uint64_t head = 0;
    tacit_error err = {0};
    for (uint64_t i = 0; i < N; i++)
        events[i] = (tc_event_row){.kind = TC_EVENT_TELL, .trial = i, .body = "{}"};
    tc_append a = {.study = id, .head = 0, .events = events, .n = N, .durable = true};
    assert_ok(tc_store_append(s, &a, &head, &err));
    assert_int_equal(head, N);
    assert_int_equal(events_of(s, id), N);
    a.n = 2000; /* a multiple of a page: nothing more, nothing twice */
    id = a.study = put(s, "b");
    assert_ok(tc_store_append(s, &a, &head, &err));
    assert_int_equal(events_of(s, id), 2000);
    tc_free(events);
    tc_store_close(s);
}

static tacit_status count_record(void *user, const tc_record *r, tacit_error *err)
{
    (void)err;
    uint64_t *n = user, at = 0;
    for (size_t i = 0; i < 2; i++)
        at = at << 8 | ((const uint8_t *)r->key)[i];
    return r->key_size == 2 && at == (*n)++ ? TACIT_OK : TACIT_E_INTERNAL;
}

static void records_are_read_in_pages(void **state)
{
    (void)state;
    enum { N = 1200 };
    static tc_change changes[N];
    static uint8_t keys[N][2];
    tc_store *s = open_store();
    tacit_error err = {0};
    for (size_t i = 0; i < N; i++) {
        keys[i][0] = (uint8_t)(i >> 8);
        keys[i][1] = (uint8_t)i;
        changes[N - 1 - i] = (tc_change){
            TC_INSERT, {.kind = TC_RECORD_MESSAGE, .key = keys[i], .key_size = 2, .value = ""}};
    }
    assert_ok(tc_store_change(s, changes, N, NULL, &err));
    static const uint64_t mosts[] = {0, 1, 499, 500, 501, 1000, 1200, 5000};
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; i++) {
        tc_record_range all = {.kind = TC_RECORD_MESSAGE, .most = mosts[i]};
        uint64_t n = 0;
        assert_ok(tc_store_record_scan(s, &all, count_record, &n, &err));
        assert_int_equal(n, mosts[i] == 0 || mosts[i] > N ? N : mosts[i]);
    }
    tc_store_close(s);
}

/* ---- ledgers */

static tc_ledger *open_ledger(tc_store *s)
{
    tc_ledger_io io;
    tc_ledger *l = NULL;
    tacit_error err = {0};
    assert_ok(tc_store_ledger(s, "main", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "main", &io, &err));
    return l;
}

/* Releases `value`; what left is returned. */
static double release(tc_ledger *l, uint64_t round, double value, bool expect_again)
{
    tc_release *r = NULL;
    tc_ledger_receipt receipt = {0};
    tc_ledger_charge c = {tc_ledger_study_hash("{}"), round, NULL};
    tacit_error err = {0};
    double left = 0;
    assert_ok(tc_none_release(&r, 1, 1, &value, TACIT_UNIT_ROW, "it is a test", &err));
    assert_ok(tc_ledger_release(l, NULL, &c, r, &receipt, &err));
    tc_release_free(r);
    assert_int_equal(receipt.size, sizeof left);
    assert_int_equal(receipt.again, expect_again);
    memcpy(&left, receipt.bytes, sizeof left);
    tc_ledger_receipt_fini(&receipt);
    return left;
}

static void ledgers_take_turns(void **state)
{
    (void)state;
    tc_store *s = open_store(), *t = open_store();
    tc_ledger *a = open_ledger(s), *b = open_ledger(t);
    for (uint64_t round = 0; round < 10; round++) {
        assert_true(release(a, 2 * round, 1, false) == 1);
        assert_true(release(b, 2 * round + 1, 2, false) == 2);
        assert_true(release(a, 2 * round + 1, 3, true) == 2);
    }
    lose = "COMMIT"; /* the ledger reads back what happened */
    assert_true(release(a, 99, 5, true) == 5);
    assert_null(lose);
    assert_true(release(b, 99, 6, true) == 5);
    tc_ledger_close(a);
    tc_ledger_close(b);
    tc_store_close(t);
    tc_store_close(s);
}

static void appends_in_the_wrong_place_conflict(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_ledger_io io;
    tc_store *s = open_store();
    assert_fails(tc_store_ledger(s, "raw", false, &io, &err), TACIT_E_NOT_FOUND,
                 "there is no ledger \"raw\" in database");
    assert_ok(tc_store_ledger(s, "raw", true, &io, &err));
    check_append_places(&io);
    tc_store_close(s);
}

static void entries_refuse_changes_and_damage_is_named(void **state)
{
    (void)state;
    tc_store *s = open_store();
    tc_ledger *l = open_ledger(s);
    tacit_error err = {0};
    tc_ledger_io io;
    for (uint64_t round = 1; round < 6; round++)
        release(l, round, (double)round, false);
    tc_ledger_close(l);
    PGconn *c = PQconnectdb(url);
    static const char *const harm[] = {"DELETE FROM tacit.records WHERE kind = 14",
                                       "UPDATE tacit.records SET value = ''",
                                       "TRUNCATE tacit.records"};
    for (size_t i = 0; i < sizeof harm / sizeof harm[0]; i++) {
        PGresult *r = PQexec(c, harm[i]);
        assert_non_null(strstr(PQresultErrorMessage(r), "a ledger is append-only"));
        PQclear(r);
    }
    PQfinish(c);
    sql("ALTER TABLE tacit.records DISABLE TRIGGER ledger_keeps_entries");
    sql("UPDATE tacit.records SET value = value || '\\x00'"
        " WHERE kind = 14 AND key = int8send(1) || int8send(3)");
    assert_ok(tc_store_ledger(s, "main", false, &io, &err));
    assert_fails(
        tc_ledger_open(&l, "main", &io, &err), TACIT_E_CORRUPT,
        "ledger entry 3: the storage is damaged: a record of study number 0, kind 14, does "
        "not match its checksum");
    tc_store_close(s);
}

int main(void)
{
    if (!has_server())
        return 77;
    const struct CMUnitTest tests[] = {
        WHERE_ANSWERS_ARE_LOST(long_journals_are_read_in_pages),
        WHERE_ANSWERS_ARE_LOST(records_are_read_in_pages),
        WHERE_ANSWERS_ARE_LOST(ledgers_take_turns),
        WHERE_ANSWERS_ARE_LOST(appends_in_the_wrong_place_conflict),
        WHERE_ANSWERS_ARE_LOST(entries_refuse_changes_and_damage_is_named),
    };
    return RUN_ON_SERVER("postgres_rows", tests);
}
