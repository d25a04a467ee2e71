/* copy_suite.c - what every store must do when it is copied: dump and load. Part of the conformance
 * suite. The other side of each copy is a memory store, read back row by row. */
#include "support/journal_end.h"
#include "conformance/store_suite.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const store_kind *kind;

static int open_store(void **state)
{
    *state = kind->open_fresh();
    return *state ? 0 : -1;
}

static int close_store(void **state)
{
    tc_store_close(*state);
    return 0;
}

static tc_store *open_memory(void)
{
    tc_store *s = NULL;
    assert_int_equal(tc_store_open(&s, "memory:", true, NULL), TACIT_OK);
    return s;
}

/* ---- something to copy ---- */

static int64_t put_study(tc_store *s, const char *name, const char *points)
{
    int64_t id = 0;
    tc_study_row row = {.name = (char *)name,
                        .document = "{\"a\": 1}",
                        .points_csv = (char *)points,
                        .created_ms = 1234567890123};
    memset(&row.public_seed, 3, sizeof row.public_seed);
    memset(&row.party_seed, 4, sizeof row.party_seed);
    assert_int_equal(tc_store_study_put(s, &row, &id, NULL), TACIT_OK);
    return id;
}

static void append(tc_store *s, int64_t study, tc_event_kind what, uint64_t trial)
{
    uint64_t head;
    tc_event_row e = {.kind = what, .trial = trial, .time_ms = 77, .body = "{\"b\": \"ü\"}"};
    tc_append a = {.study = study, .head = TC_ANY_HEAD, .events = &e, .n = 1, .durable = true};
    assert_int_equal(tc_store_append(s, &a, &head, NULL), TACIT_OK);
}

static void enter(tc_store *s, const char *name, uint64_t seq, size_t release)
{
    static const uint8_t bytes[64] = {1, 0, 2};
    tc_ledger_io io;
    tc_ledger_record r = {.seq = seq,
                          .round = 100 + seq,
                          .entry = bytes,
                          .entry_size = 9,
                          .release = bytes,
                          .release_size = release};
    memset(&r.study, (int)seq, sizeof r.study);
    memset(&r.previous, (int)(10 + seq - 1), sizeof r.previous);
    memset(&r.head, (int)(10 + seq), sizeof r.head);
    assert_int_equal(tc_store_ledger(s, name, true, &io, NULL), TACIT_OK);
    assert_int_equal(io.append(&io, &r, NULL), TACIT_OK);
}

static void insert(tc_store *s, int64_t study, tc_record_kind what, const char *key, size_t n)
{
    static const char value[] = "a\0b";
    tc_change c = {TC_INSERT,
                   {.study = study,
                    .kind = what,
                    .key = key,
                    .key_size = strlen(key),
                    .value = value,
                    .size = n}};
    assert_int_equal(tc_store_change(s, &c, 1, NULL, NULL), TACIT_OK);
}

/* A gap in the numbers, an empty journal, an empty ledger, an empty release, an empty value. */
static void furnish(tc_store *s)
{
    int64_t gone = put_study(s, "gone", NULL), a = put_study(s, "a", NULL),
            b = put_study(s, "b", "x\n1\n");
    tc_ledger_io io;
    append(s, a, TC_EVENT_ASK, 0);
    append(s, a, TC_EVENT_TELL, 0);
    append(s, gone, TC_EVENT_ASK, 0);
    enter(s, "a", 1, 16);
    enter(s, "a", 2, 0);
    assert_int_equal(tc_store_ledger(s, "empty", true, &io, NULL), TACIT_OK);
    insert(s, 0, TC_RECORD_SERVER, "key", 3);
    insert(s, a, TC_RECORD_ROUND, "r", 0);
    insert(s, b, TC_RECORD_RESTORED, "r", 2);
    insert(s, gone, TC_RECORD_ROUND, "r", 2);
    assert_int_equal(tc_store_study_erase(s, gone, NULL), TACIT_OK);
}

/* ---- a store as text, in an order of its own ---- */

static void add_hex(tc_text *t, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tc_text_addf(t, "%02x", ((const uint8_t *)bytes)[i]);
    tc_text_add(t, " ");
}

typedef struct kinds {
    tc_text study, event, record;
} kinds;

static tacit_status write_row(void *user, const tc_row *r, tacit_error *err)
{
    kinds *k = user;
    (void)err;
    if (r->study) {
        tc_text_addf(&k->study, "study %lld %s %s %s %lld ", (long long)r->study->id,
                     r->study->name, r->study->document,
                     r->study->points_csv ? r->study->points_csv : "-",
                     (long long)r->study->created_ms);
        add_hex(&k->study, &r->study->public_seed, sizeof r->study->public_seed);
        add_hex(&k->study, &r->study->party_seed, sizeof r->study->party_seed);
    } else if (r->event) {
        tc_text_addf(&k->event, "event %lld %llu %d %llu %lld %s ", (long long)r->of,
                     (unsigned long long)r->event->seq, (int)r->event->kind,
                     (unsigned long long)r->event->trial, (long long)r->event->time_ms,
                     r->event->body);
    } else {
        tc_text_addf(&k->record, "record %lld %d ", (long long)r->record->study,
                     (int)r->record->kind);
        add_hex(&k->record, r->record->key, r->record->key_size);
        add_hex(&k->record, r->record->value, r->record->size);
    }
    return TACIT_OK;
}

/* Records of the server may come before or after those of studies. */
static void describe(tc_store *s, kinds *k)
{
    tacit_error err = {0};
    *k = (kinds){0};
    assert_int_equal(tc_store_dump(s, write_row, k, &err), TACIT_OK);
    assert_false(k->study.failed || k->event.failed || k->record.failed);
}

static void forget(kinds *k)
{
    tc_text_fini(&k->study);
    tc_text_fini(&k->event);
    tc_text_fini(&k->record);
}

static void assert_same_text(const tc_text *a, const tc_text *b)
{
    assert_string_equal(tc_text_get(a), tc_text_get(b));
}

static void assert_same(tc_store *a, tc_store *b)
{
    kinds x, y;
    describe(a, &x);
    describe(b, &y);
    assert_same_text(&x.study, &y.study);
    assert_same_text(&x.event, &y.event);
    assert_int_equal(x.record.len, y.record.len);
    forget(&x);
    forget(&y);
}

static tacit_status copy_rows(void *from, tc_row_visit put, void *sink, tacit_error *err)
{
    return tc_store_dump(from, put, sink, err);
}

/* ---- */

static void a_copy_there_and_back_is_the_same(void **state)
{
    tc_store *middle = open_memory(), *like;
    furnish(middle);
    assert_int_equal(tc_store_load(*state, copy_rows, middle, NULL), TACIT_OK);
    assert_same(*state, middle);
    like = open_memory();
    assert_int_equal(tc_store_load(like, copy_rows, *state, NULL), TACIT_OK);
    assert_same(like, middle);
    tc_store_close(like);
    tc_store_close(middle);
}

static void what_was_made_here_is_dumped(void **state)
{
    tc_store *other = open_memory();
    furnish(*state);
    furnish(other);
    assert_same(*state, other);
    tc_store_close(other);
}

static void a_loaded_store_goes_on(void **state)
{
    tc_store *middle = open_memory();
    tc_study_row row;
    tc_ledger_io io;
    tacit_head head;
    uint64_t end;
    furnish(middle);
    assert_int_equal(tc_store_load(*state, copy_rows, middle, NULL), TACIT_OK);
    assert_int_equal(tc_store_study_get(*state, "a", &row, NULL), TACIT_OK);
    append(*state, row.id, TC_EVENT_ASK, 1);
    assert_int_equal(journal_end(*state, row.id, &end, NULL), TACIT_OK);
    assert_int_equal(end, 3);
    assert_true(put_study(*state, "c", NULL) > row.id + 1); /* b has that one */
    tc_study_row_fini(&row);
    assert_int_equal(tc_store_ledger(*state, "a", false, &io, NULL), TACIT_OK);
    assert_int_equal(io.head(&io, &head, NULL), TACIT_OK);
    assert_int_equal(head.seq, 2);
    enter(*state, "a", 3, 8);
    tc_store_close(middle);
}

/* More events than are appended at once, of two studies. */
static void long_journals_are_copied(void **state)
{
    tc_store *middle = open_memory();
    int64_t a = put_study(middle, "a", NULL), b = put_study(middle, "b", NULL);
    uint64_t end;
    for (uint64_t i = 0; i < 401; i++) {
        append(middle, a, TC_EVENT_ASK, i);
        if (i < 200)
            append(middle, b, TC_EVENT_ASK, i);
    }
    assert_int_equal(tc_store_load(*state, copy_rows, middle, NULL), TACIT_OK);
    assert_same(*state, middle);
    assert_int_equal(journal_end(*state, a, &end, NULL), TACIT_OK);
    assert_int_equal(end, 401);
    tc_store_close(middle);
}

typedef struct breaking {
    tc_store *from;
    tc_row_visit put;
    void *sink;
    int left;
} breaking;

/* A copy without one of the events is no copy. */
static tacit_status leave_out_second(void *user, const tc_row *r, tacit_error *err)
{
    const breaking *b = user;
    return r->event && r->event->seq == 2 ? TACIT_OK : b->put(b->sink, r, err);
}

static tacit_status leave_out(void *user, tc_row_visit put, void *sink, tacit_error *err)
{
    breaking *b = user;
    b->put = put;
    b->sink = sink;
    return tc_store_dump(b->from, leave_out_second, b, err);
}

static void a_missing_event_is_noticed(void **state)
{
    breaking b = {.from = open_memory()};
    tacit_error err = {0};
    kinds k;
    furnish(b.from);
    tc_study_row row;
    assert_int_equal(tc_store_study_get(b.from, "a", &row, NULL), TACIT_OK);
    append(b.from, row.id, TC_EVENT_ASK, 1);
    tc_study_row_fini(&row);
    assert_int_equal(tc_store_load(*state, leave_out, &b, &err), TACIT_E_CORRUPT);
    assert_non_null(strstr(err.msg, "event 2 of study number 2 is missing"));
    describe(*state, &k);
    assert_int_equal(k.study.len + k.event.len + k.record.len, 0);
    forget(&k);
    tc_store_close(b.from);
}

static tacit_status put_some(void *user, const tc_row *r, tacit_error *err)
{
    breaking *b = user;
    if (b->left-- == 0)
        return tc_fail(err, TACIT_E_IO, "the source broke");
    return b->put(b->sink, r, err);
}

static tacit_status break_off(void *user, tc_row_visit put, void *sink, tacit_error *err)
{
    breaking *b = user;
    b->put = put;
    b->sink = sink;
    return tc_store_dump(b->from, put_some, b, err);
}

static void a_load_that_breaks_off_leaves_nothing(void **state)
{
    breaking b = {.from = open_memory()};
    kinds k;
    furnish(b.from);
    for (int rows = 0; rows < 10; rows++) {
        tacit_error err = {0};
        b.left = rows;
        assert_int_equal(tc_store_load(*state, break_off, &b, &err), TACIT_E_IO);
        assert_string_equal(err.msg, "the source broke");
        describe(*state, &k);
        assert_int_equal(k.study.len + k.event.len + k.record.len, 0);
        forget(&k);
    }
    assert_int_equal(tc_store_load(*state, copy_rows, b.from, NULL), TACIT_OK);
    assert_same(*state, b.from);
    tc_store_close(b.from);
}

static void a_store_that_has_something_takes_no_copy(void **state)
{
    tc_store *from = open_memory();
    tacit_error err = {0};
    furnish(from);
    insert(*state, 0, TC_RECORD_SERVER, "token", 1);
    assert_int_equal(tc_store_load(*state, copy_rows, from, &err), TACIT_E_STATE);
    assert_non_null(strstr(err.msg, " is not empty; a copy needs a store of its own"));
    tc_store_close(from);
}

/* Another handle writes after each row: what is dumped is one moment all the same. */
typedef struct disturbing {
    tc_store *other;
    int64_t study;
    uint64_t rows, events, trial;
} disturbing;

static tacit_status disturb(void *user, const tc_row *r, tacit_error *err)
{
    disturbing *d = user;
    (void)err;
    d->rows++;
    d->events += r->event != NULL;
    append(d->other, d->study, TC_EVENT_ASK, d->trial++);
    return TACIT_OK;
}

static void a_dump_shows_one_moment(void **state)
{
    disturbing d = {.other = kind->open_again(), .trial = 100};
    assert_non_null(d.other);
    furnish(*state);
    d.study = put_study(*state, "busy", NULL);
    assert_int_equal(tc_store_dump(*state, disturb, &d, NULL), TACIT_OK);
    assert_true(d.rows > 8);
    assert_int_equal(d.events, 2); /* none of those that came meanwhile */
    tc_store_close(d.other);
}

#define ON_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int copy_suite_run(const store_kind *which)
{
    const struct CMUnitTest tests[] = {
        ON_STORE(a_copy_there_and_back_is_the_same),
        ON_STORE(what_was_made_here_is_dumped),
        ON_STORE(a_loaded_store_goes_on),
        ON_STORE(long_journals_are_copied),
        ON_STORE(a_missing_event_is_noticed),
        ON_STORE(a_load_that_breaks_off_leaves_nothing),
        ON_STORE(a_store_that_has_something_takes_no_copy),
    };
    const struct CMUnitTest shared[] = {ON_STORE(a_dump_shows_one_moment)};
    kind = which;
    int failed = cmocka_run_group_tests_name(which->name, tests, NULL, NULL);
    if (which->open_again)
        failed += cmocka_run_group_tests_name(which->name, shared, NULL, NULL);
    return failed;
}
