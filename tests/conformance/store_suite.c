/* store_suite.c - what every store must do. A new store needs only a store_kind.
 *
 * The reference is a journal kept in the test by the plainest means. */
#include "support/journal_end.h"
#include "conformance/store_suite.h"

#include "base/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const store_kind *kind; /* cmocka's set-up functions take no argument of ours */

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

static tc_study_row study_row(const char *name)
{
    tc_study_row row = {.name = (char *)name, .document = "{\"a\": 1}", .created_ms = 12345};
    for (size_t i = 0; i < sizeof row.public_seed.bytes; i++) {
        row.public_seed.bytes[i] = (uint8_t)i; /* with a zero byte in it */
        row.party_seed.bytes[i] = (uint8_t)(255 - i);
    }
    return row;
}

static int64_t put(tc_store *s, const char *name)
{
    int64_t id = 0;
    tc_study_row row = study_row(name);
    tacit_error err = {0};
    if (tc_store_study_put(s, &row, &id, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    return id;
}

static tacit_status append(tc_store *s, int64_t study, uint64_t head, size_t n,
                           const tc_event_row *events, bool durable, uint64_t *end,
                           tacit_error *err)
{
    tc_append a = {.study = study, .head = head, .events = events, .n = n, .durable = durable};
    return tc_store_append(s, &a, end, err);
}

static tc_event_row event(tc_event_kind what, uint64_t trial, const char *body)
{
    return (tc_event_row){
        .kind = what, .trial = trial, .time_ms = (int64_t)trial + 7, .body = body};
}

static tacit_status append_one(tc_store *s, int64_t study, uint64_t head, tc_event_kind what,
                               uint64_t trial)
{
    tc_event_row e = event(what, trial, "{}");
    uint64_t end;
    return append(s, study, head, 1, &e, what == TC_EVENT_TELL, &end, NULL);
}

/* ---- reading back ---- */

typedef struct seen {
    tc_event_row *events;
    size_t n, cap;
    size_t stop_after; /* 0: never */
} seen;

static tacit_status see(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)err;
    seen *all = user;
    if (!tc_grow((void **)&all->events, &all->cap, all->n + 1, sizeof *all->events))
        return TACIT_E_MEMORY;
    all->events[all->n] = *e;
    all->events[all->n++].body = tc_strdup(e->body);
    return all->stop_after && all->n == all->stop_after ? TACIT_E_CANCELLED : TACIT_OK;
}

static void forget(seen *all)
{
    for (size_t i = 0; i < all->n; i++)
        tc_free((char *)all->events[i].body);
    tc_free(all->events);
    *all = (seen){0};
}

static seen scan(tc_store *s, int64_t study, uint64_t after)
{
    seen all = {0};
    tacit_error err = {0};
    if (tc_store_scan(s, study, after, see, &all, &err) != TACIT_OK)
        fail_msg("%s", err.msg);
    return all;
}

static uint64_t head_of(tc_store *s, int64_t study)
{
    uint64_t head = 99;
    assert_int_equal(journal_end(s, study, &head, NULL), TACIT_OK);
    return head;
}

static void a_tell_is_found_by_its_trial(void **state)
{
    int64_t a = put(*state, "a"), b = put(*state, "b");
    for (uint64_t i = 0; i < 20; i++) {
        assert_int_equal(append_one(*state, a, TC_ANY_HEAD, TC_EVENT_ASK, i), TACIT_OK);
        assert_int_equal(append_one(*state, b, TC_ANY_HEAD, TC_EVENT_ASK, i), TACIT_OK);
    }
    for (uint64_t i = 0; i < 20; i += 2) /* out of order: 0, 14, 8, 2, 16, ... */
        assert_int_equal(append_one(*state, a, TC_ANY_HEAD, TC_EVENT_TELL, i * 7 % 20), TACIT_OK);
    seen all = scan(*state, a, 0);
    for (uint64_t i = 0; i < 21; i++) {
        seen one = {0}, other = {0};
        size_t at = 0; /* as a scan finds it */
        while (at < all.n && !(all.events[at].kind == TC_EVENT_TELL && all.events[at].trial == i))
            at++;
        assert_int_equal(tc_store_find_tell(*state, a, i, see, &one, NULL), TACIT_OK);
        assert_int_equal(one.n, at < all.n ? 1 : 0);
        if (one.n > 0) {
            assert_int_equal(one.events[0].seq, all.events[at].seq);
            assert_int_equal(one.events[0].kind, TC_EVENT_TELL);
            assert_int_equal(one.events[0].trial, i);
            assert_int_equal(one.events[0].time_ms, all.events[at].time_ms);
            assert_string_equal(one.events[0].body, all.events[at].body);
        }
        assert_int_equal(tc_store_find_tell(*state, b, i, see, &other, NULL), TACIT_OK);
        assert_int_equal(other.n, 0);
        forget(&one);
    }
    forget(&all);
    seen stopped = {.stop_after = 1};
    assert_int_equal(tc_store_find_tell(*state, a, 0, see, &stopped, NULL), TACIT_E_CANCELLED);
    forget(&stopped);
    assert_int_equal(tc_store_find_tell(*state, 999, 0, see, &stopped, NULL), TACIT_E_NOT_FOUND);
}

/* ---- studies ---- */

static void put_then_get_gives_the_same(void **state)
{
    char *big = tc_alloc(1 << 20, 1);
    memset(big, 'x', (1 << 20) - 1);
    tc_study_row row = study_row("one"), got;
    row.document = "{\"name\": \"Größe \\u0001\", \"x\": \"\xe2\x82\xac\"}";
    row.points_csv = big;
    int64_t id = 0;
    assert_int_equal(tc_store_study_put(*state, &row, &id, NULL), TACIT_OK);
    assert_int_equal(tc_store_study_get(*state, "one", &got, NULL), TACIT_OK);
    assert_int_equal(got.id, id);
    assert_string_equal(got.name, "one");
    assert_string_equal(got.document, row.document);
    assert_string_equal(got.points_csv, big);
    assert_memory_equal(&got.public_seed, &row.public_seed, sizeof row.public_seed);
    assert_memory_equal(&got.party_seed, &row.party_seed, sizeof row.party_seed);
    assert_int_equal(got.created_ms, 12345);
    tc_study_row_fini(&got);
    tc_free(big);
}

static void a_study_without_points_has_none(void **state)
{
    tc_study_row got;
    put(*state, "plain");
    assert_int_equal(tc_store_study_get(*state, "plain", &got, NULL), TACIT_OK);
    assert_null(got.points_csv);
    tc_study_row_fini(&got);
}

static void a_name_is_given_once(void **state)
{
    tc_study_row row = study_row("one"), got;
    tacit_error err = {0};
    int64_t id = put(*state, "one"), other = -5;
    row.document = "{}";
    assert_int_equal(tc_store_study_put(*state, &row, &other, &err), TACIT_E_CONFLICT);
    assert_string_equal(err.msg, "there is a study \"one\" already");
    assert_int_equal(other, -5);
    assert_int_equal(tc_store_study_get(*state, "one", &got, NULL), TACIT_OK);
    assert_int_equal(got.id, id);
    assert_string_equal(got.document, "{\"a\": 1}");
    tc_study_row_fini(&got);
}

static void a_missing_study_is_not_found(void **state)
{
    tc_study_row got;
    tacit_error err = {0};
    assert_int_equal(tc_store_study_get(*state, "nix", &got, &err), TACIT_E_NOT_FOUND);
    assert_non_null(strstr(err.msg, "there is no study \"nix\""));
}

typedef struct listing {
    tc_store *store;
    char names[64];
    size_t stop_after, n;
} listing;

static tacit_status list_name(void *user, const tc_study_row *row, tacit_error *err)
{
    listing *l = user;
    tc_study_row again; /* a visitor may call the store */
    if (tc_store_study_get(l->store, row->name, &again, err) != TACIT_OK)
        return TACIT_E_INTERNAL;
    tc_study_row_fini(&again);
    size_t used = strlen(l->names);
    snprintf(l->names + used, sizeof l->names - used, "%s ", row->name);
    return ++l->n == l->stop_after ? TACIT_E_CANCELLED : TACIT_OK;
}

static void studies_are_listed_in_order_of_creation(void **state)
{
    listing all = {.store = *state}, two = {.store = *state, .stop_after = 2};
    assert_int_equal(tc_store_study_list(*state, list_name, &all, NULL), TACIT_OK);
    assert_string_equal(all.names, "");
    put(*state, "zoo");
    put(*state, "ant");
    put(*state, "mole");
    assert_int_equal(tc_store_study_list(*state, list_name, &all, NULL), TACIT_OK);
    assert_string_equal(all.names, "zoo ant mole ");
    assert_int_equal(tc_store_study_list(*state, list_name, &two, NULL), TACIT_E_CANCELLED);
    assert_string_equal(two.names, "zoo ant ");
}

static void a_list_goes_on_after_a_study(void **state)
{
    listing rest = {.store = *state}, none = {.store = *state}, gap = {.store = *state};
    tc_study_row row;
    put(*state, "zoo");
    put(*state, "ant");
    put(*state, "mole");
    put(*state, "bee");
    assert_int_equal(tc_store_study_get(*state, "ant", &row, NULL), TACIT_OK);
    int64_t ant = row.id;
    tc_study_row_fini(&row);
    assert_int_equal(tc_store_study_list_after(*state, ant, list_name, &rest, NULL), TACIT_OK);
    assert_string_equal(rest.names, "mole bee ");
    /* a number that is gone is still a place */
    assert_int_equal(tc_store_study_erase(*state, ant, NULL), TACIT_OK);
    assert_int_equal(tc_store_study_list_after(*state, ant, list_name, &gap, NULL), TACIT_OK);
    assert_string_equal(gap.names, "mole bee ");
    assert_int_equal(tc_store_study_list_after(*state, INT64_MAX, list_name, &none, NULL),
                     TACIT_OK);
    assert_string_equal(none.names, "");
}

/* ---- events ---- */

static void events_come_back_in_order(void **state)
{
    int64_t id = put(*state, "a"), other = put(*state, "b");
    tc_event_row three[] = {event(TC_EVENT_ENQUEUE, 0, "{\"p\": 0.1}"),
                            event(TC_EVENT_ASK, 0, "{\"q\": \"\xc3\xa4\"}"),
                            event(TC_EVENT_FIT, 0, "")};
    uint64_t end = 0;
    assert_int_equal(head_of(*state, id), 0);
    assert_int_equal(append(*state, id, 0, 3, three, false, &end, NULL), TACIT_OK);
    assert_int_equal(end, 3);
    assert_int_equal(append_one(*state, other, 0, TC_EVENT_ASK, 0), TACIT_OK);
    assert_int_equal(append_one(*state, id, TC_ANY_HEAD, TC_EVENT_TELL, 0), TACIT_OK);
    assert_int_equal(head_of(*state, id), 4);
    assert_int_equal(head_of(*state, other), 1);
    seen all = scan(*state, id, 0);
    assert_int_equal(all.n, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(all.events[i].seq, i + 1);
        assert_int_equal(all.events[i].kind, three[i].kind);
        assert_int_equal(all.events[i].time_ms, 7);
        assert_string_equal(all.events[i].body, three[i].body);
    }
    forget(&all);
    all = scan(*state, id, 3);
    assert_int_equal(all.n, 1);
    assert_int_equal(all.events[0].seq, 4);
    forget(&all);
    all = scan(*state, id, 4);
    assert_int_equal(all.n, 0);
    forget(&all);
}

static void an_append_at_another_head_is_refused(void **state)
{
    int64_t id = put(*state, "a");
    tacit_error err = {0};
    uint64_t end = 77;
    tc_event_row e = event(TC_EVENT_ASK, 1, "{}");
    assert_int_equal(append_one(*state, id, 0, TC_EVENT_ASK, 0), TACIT_OK);
    for (int durable = 0; durable < 2; durable++) {
        assert_int_equal(append(*state, id, 0, 1, &e, durable, &end, &err), TACIT_E_CONFLICT);
        assert_string_equal(err.msg, "the journal has moved from event 0 to 1");
        assert_int_equal(append(*state, id, 2, 1, &e, durable, &end, NULL), TACIT_E_CONFLICT);
    }
    assert_int_equal(end, 77);
    assert_int_equal(head_of(*state, id), 1);
}

/* Whoever has seen an event says so, and learns if the journal does not have it. */
static void an_event_that_is_not_there_is_named(void **state)
{
    int64_t id = put(*state, "a");
    tacit_error err = {0};
    tc_event_row two[] = {event(TC_EVENT_ASK, 0, "{}"), event(TC_EVENT_ASK, 1, "{}")};
    tc_event_row tell = event(TC_EVENT_TELL, 0, "{}");
    tc_append a = {.study = id, .events = two, .n = 2}, late = a;
    tc_event_id end = {0}, next = {0};
    seen all = {0};
    assert_int_equal(tc_store_append_id(*state, &a, &end, &err), TACIT_OK);
    assert_int_equal(end.seq, 2);
    const tc_event_id others[] = {{3, 0}, {3, end.mark}, {2, end.mark + 1}, {1, end.mark + 1}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(tc_store_scan_after(*state, id, others[i], see, &all, &err),
                         TACIT_E_CONFLICT);
        late = (tc_append){.study = id, .events = &tell, .n = 1, .late = true};
        late.head = others[i].seq;
        late.mark = others[i].mark;
        assert_int_equal(tc_store_append_id(*state, &late, &next, &err), TACIT_E_CONFLICT);
        late.late = false;
        assert_int_equal(tc_store_append_id(*state, &late, &next, &err), TACIT_E_CONFLICT);
    }
    assert_int_equal(all.n, 0);
    assert_int_equal(tc_store_confirm(*state, id, end, &err), TACIT_OK);
    assert_int_equal(tc_store_scan_after(*state, id, end, see, &all, &err), TACIT_OK);
    assert_int_equal(all.n, 0);
    /* After what it has seen; whatever has come since is no hindrance to a tell. */
    a.head = end.seq;
    a.mark = end.mark;
    assert_int_equal(tc_store_append_id(*state, &a, &next, &err), TACIT_OK);
    late = (tc_append){.study = id, .events = &tell, .n = 1, .late = true};
    late.head = end.seq;
    late.mark = end.mark;
    assert_int_equal(tc_store_append_id(*state, &late, &next, &err), TACIT_OK);
    assert_int_equal(next.seq, 5);
    assert_int_equal(tc_store_scan_after(*state, id, end, see, &all, &err), TACIT_OK);
    assert_int_equal(all.n, 3);
    assert_int_equal(all.events[2].mark, next.mark);
    forget(&all);
}

/* A tell of another trial is nothing to an ask that was computed without it. */
static void tells_of_other_trials_stand_in_no_way(void **state)
{
    int64_t id = put(*state, "a");
    uint64_t end = 0;
    tacit_error err = {0};
    tc_event_row both[] = {event(TC_EVENT_ENQUEUE, 4, "{}"), event(TC_EVENT_TELL, 4, "{}")};
    for (uint64_t trial = 0; trial < 3; trial++)
        assert_int_equal(append_one(*state, id, trial, TC_EVENT_ASK, trial), TACIT_OK);
    assert_int_equal(append_one(*state, id, TC_ANY_HEAD, TC_EVENT_TELL, 1), TACIT_OK);
    assert_int_equal(append_one(*state, id, TC_ANY_HEAD, TC_EVENT_TELL, 0), TACIT_OK);
    assert_int_equal(append_one(*state, id, 3, TC_EVENT_STALE, 1), TACIT_E_CONFLICT);
    assert_int_equal(append_one(*state, id, 3, TC_EVENT_ASK, 0), TACIT_E_CONFLICT);
    assert_int_equal(append_one(*state, id, 2, TC_EVENT_ASK, 3), TACIT_E_CONFLICT);
    assert_int_equal(append_one(*state, id, 6, TC_EVENT_ASK, 3), TACIT_E_CONFLICT);
    tc_event_row ask = event(TC_EVENT_ASK, 3, "{}");
    assert_int_equal(append(*state, id, 3, 1, &ask, false, &end, NULL), TACIT_OK);
    assert_int_equal(end, 6); /* it comes after the tells */
    assert_int_equal(append(*state, id, 3, 2, both, true, &end, &err), TACIT_E_CONFLICT);
    assert_string_equal(err.msg, "the journal has moved from event 3 to 6");
    assert_int_equal(append_one(*state, id, TC_ANY_HEAD, TC_EVENT_TELL, 2), TACIT_OK);
    assert_int_equal(append(*state, id, 6, 2, both, true, &end, NULL), TACIT_OK);
    assert_int_equal(end, 9);
    seen all = scan(*state, id, 5);
    assert_int_equal(all.n, 4);
    assert_true(all.events[0].kind == TC_EVENT_ASK && all.events[0].trial == 3);
    assert_true(all.events[1].kind == TC_EVENT_TELL && all.events[1].trial == 2);
    assert_true(all.events[2].kind == TC_EVENT_ENQUEUE && all.events[3].seq == 9);
    forget(&all);
}

static void a_trial_is_told_once(void **state)
{
    int64_t id = put(*state, "a"), other = put(*state, "b");
    tacit_error err = {0};
    uint64_t end = 77;
    tc_event_row mixed[] = {event(TC_EVENT_ENQUEUE, 8, "{}"), event(TC_EVENT_TELL, 8, "{}"),
                            event(TC_EVENT_TELL, 3, "{}")};
    tc_event_row twice[] = {event(TC_EVENT_TELL, 9, "{}"), event(TC_EVENT_TELL, 9, "{}")};
    assert_int_equal(append_one(*state, id, TC_ANY_HEAD, TC_EVENT_TELL, 3), TACIT_OK);
    assert_int_equal(append_one(*state, other, TC_ANY_HEAD, TC_EVENT_TELL, 3), TACIT_OK);
    assert_int_equal(append_one(*state, id, TC_ANY_HEAD, TC_EVENT_ASK, 3), TACIT_OK);
    assert_int_equal(append(*state, id, 2, 3, mixed, true, &end, &err), TACIT_E_STATE);
    assert_string_equal(err.msg, "trial 3 has been told already");
    assert_int_equal(append(*state, id, 2, 2, twice, true, &end, &err), TACIT_E_STATE);
    assert_string_equal(err.msg, "trial 9 has been told already");
    assert_int_equal(end, 77);
    assert_int_equal(head_of(*state, id), 2); /* all or none */
    assert_int_equal(append(*state, id, 2, 2, mixed, true, &end, &err), TACIT_OK);
    assert_int_equal(append_one(*state, id, 4, TC_EVENT_TELL, 9), TACIT_OK);
}

static void an_unknown_study_is_not_found(void **state)
{
    uint64_t head = 5;
    seen all = {0};
    tacit_error err = {0};
    put(*state, "a");
    assert_int_equal(append_one(*state, 999, TC_ANY_HEAD, TC_EVENT_ASK, 0), TACIT_E_NOT_FOUND);
    assert_int_equal(append_one(*state, 999, TC_ANY_HEAD, TC_EVENT_TELL, 0), TACIT_E_NOT_FOUND);
    assert_int_equal(append_one(*state, 0, 0, TC_EVENT_ASK, 0), TACIT_E_NOT_FOUND);
    assert_int_equal(tc_store_scan(*state, 999, 0, see, &all, &err), TACIT_E_NOT_FOUND);
    assert_string_equal(err.msg, "there is no such study any more");
    assert_int_equal(journal_end(*state, -1, &head, NULL), TACIT_E_NOT_FOUND);
    assert_int_equal(head, 5);
}

static void a_visitor_may_stop_a_scan(void **state)
{
    int64_t id = put(*state, "a");
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(append_one(*state, id, i, TC_EVENT_ASK, i), TACIT_OK);
    seen two = {.stop_after = 2};
    assert_int_equal(tc_store_scan(*state, id, 1, see, &two, NULL), TACIT_E_CANCELLED);
    assert_int_equal(two.n, 2);
    assert_int_equal(two.events[1].seq, 3);
    forget(&two);
    assert_int_equal(append_one(*state, id, 5, TC_EVENT_ASK, 5), TACIT_OK);
}

/* May m events that were made at `head` follow n others? */
static bool may_follow(const tc_event_row *all, size_t n, uint64_t head, const tc_event_row *e,
                       size_t m)
{
    if (head == TC_ANY_HEAD)
        return true;
    for (size_t k = head; k < n; k++)
        for (size_t i = 0; i < m; i++)
            if (all[k].kind != TC_EVENT_TELL || all[k].trial == e[i].trial)
                return false;
    return head <= n;
}

/* Random appends against a plain array: what is accepted, what is refused, what is stored. */
static void a_thousand_random_appends_match_the_reference(void **state)
{
    enum { APPENDS = 1000, TRIALS = 400, MOST = 3 };
    int64_t id = put(*state, "a");
    bool told[TRIALS] = {false};
    tc_event_row want[APPENDS * MOST];
    size_t n = 0;
    srand(1);
    for (int k = 0; k < APPENDS; k++) {
        tc_event_row e[MOST];
        size_t m = 1 + (size_t)rand() % MOST;
        bool clash = false;
        bool mine[TRIALS] = {false};
        for (size_t i = 0; i < m; i++) {
            e[i] =
                event(rand() % 2 ? TC_EVENT_TELL : TC_EVENT_ASK, (uint64_t)(rand() % TRIALS), "1");
            if (e[i].kind != TC_EVENT_TELL)
                continue;
            clash = clash || told[e[i].trial] || mine[e[i].trial];
            mine[e[i].trial] = true;
        }
        uint64_t head = rand() % 5 == 0             ? n + 1
                        : rand() % 3 == 0 && n >= 4 ? n - (size_t)rand() % 4
                        : rand() % 2                ? n
                                                    : TC_ANY_HEAD;
        uint64_t end = 0;
        bool moved = !may_follow(want, n, head, e, m);
        tacit_status status = append(*state, id, head, m, e, rand() % 8 == 0, &end, NULL);
        assert_int_equal(status, moved ? TACIT_E_CONFLICT : clash ? TACIT_E_STATE : TACIT_OK);
        for (size_t i = 0; status == TACIT_OK && i < m; i++) {
            told[e[i].trial] = told[e[i].trial] || mine[e[i].trial];
            want[n++] = e[i];
        }
        assert_true(status != TACIT_OK || end == n);
    }
    seen all = scan(*state, id, 0);
    assert_int_equal(all.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(all.events[i].seq, i + 1);
        assert_int_equal(all.events[i].kind, want[i].kind);
        assert_int_equal(all.events[i].trial, want[i].trial);
    }
    forget(&all);
}

/* ---- many at once ---- */

enum { THREADS = 8, ASKS = 40 };

typedef struct workload {
    tc_store *store;
    int64_t study;
    size_t accepted, refused, broken;
} workload;

static tacit_status count_ask(void *user, const tc_event_row *e, tacit_error *err)
{
    (void)err;
    uint64_t *state = user; /* {head, asks} */
    state[0] = e->seq;
    state[1] += e->kind == TC_EVENT_ASK;
    return TACIT_OK;
}

/* Asks like a study does: the trial's number follows from all events before it. */
static void *ask_and_tell(void *user)
{
    workload *c = user;
    uint64_t known[2] = {0, 0};
    while (c->accepted < ASKS && !c->broken) {
        c->broken +=
            tc_store_scan(c->store, c->study, known[0], count_ask, known, NULL) != TACIT_OK;
        uint64_t trial = known[1];
        tacit_status status = append_one(c->store, c->study, known[0], TC_EVENT_ASK, trial);
        c->refused += status == TACIT_E_CONFLICT;
        c->broken += status != TACIT_OK && status != TACIT_E_CONFLICT;
        if (status != TACIT_OK)
            continue;
        c->accepted++;
        c->broken += append_one(c->store, c->study, TC_ANY_HEAD, TC_EVENT_TELL, trial) != TACIT_OK;
    }
    return NULL;
}

static void *tell_all(void *user)
{
    workload *c = user;
    for (uint64_t trial = 0; trial < ASKS; trial++) {
        tacit_status status = append_one(c->store, c->study, TC_ANY_HEAD, TC_EVENT_TELL, trial);
        c->accepted += status == TACIT_OK;
        c->refused += status == TACIT_E_STATE;
        c->broken += status != TACIT_OK && status != TACIT_E_STATE;
    }
    return NULL;
}

/* Runs work in THREADS threads, every second one on `other` if there is one. */
static workload run_threads(tc_store *store, tc_store *other, int64_t study, void *(*work)(void *))
{
    pthread_t threads[THREADS];
    workload loads[THREADS], sum = {0};
    for (int i = 0; i < THREADS; i++) {
        loads[i] = (workload){.store = other && i % 2 ? other : store, .study = study};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &loads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum.accepted += loads[i].accepted;
        sum.refused += loads[i].refused;
        sum.broken += loads[i].broken;
    }
    return sum;
}

/* Every trial from 0 to n - 1 has one ask and later one tell, and nothing else is there. */
static void check_asked_and_told(tc_store *s, int64_t study, size_t n)
{
    seen all = scan(s, study, 0);
    assert_int_equal(all.n, 2 * n);
    char *stage = tc_alloc(n, 1);
    for (size_t i = 0; i < all.n; i++) {
        const tc_event_row *e = &all.events[i];
        assert_true(e->seq == i + 1 && e->trial < n);
        assert_int_equal(stage[e->trial]++, e->kind == TC_EVENT_ASK ? 0 : 1);
    }
    tc_free(stage);
    forget(&all);
}

static void parallel_asks_never_share_a_trial(void **state)
{
    int64_t id = put(*state, "a");
    workload sum = run_threads(*state, NULL, id, ask_and_tell);
    assert_int_equal(sum.broken, 0);
    check_asked_and_told(*state, id, THREADS * ASKS);
}

static void parallel_tells_have_one_winner(void **state)
{
    int64_t id = put(*state, "a");
    workload sum = run_threads(*state, NULL, id, tell_all);
    assert_int_equal(sum.broken, 0);
    assert_int_equal(sum.accepted, ASKS);
    assert_int_equal(sum.refused, (THREADS - 1) * ASKS);
    assert_int_equal(head_of(*state, id), ASKS);
}

static void two_handles_see_one_journal(void **state)
{
    int64_t id = put(*state, "a");
    tc_store *other = kind->open_again();
    assert_non_null(other);
    assert_int_equal(append_one(*state, id, 0, TC_EVENT_TELL, 0), TACIT_OK);
    assert_int_equal(append_one(other, id, 0, TC_EVENT_ASK, 0), TACIT_E_CONFLICT);
    assert_int_equal(append_one(other, id, 0, TC_EVENT_ASK, 1), TACIT_OK);
    assert_int_equal(append_one(*state, id, 1, TC_EVENT_ASK, 2), TACIT_E_CONFLICT);
    assert_int_equal(append_one(other, id, TC_ANY_HEAD, TC_EVENT_TELL, 0), TACIT_E_STATE);
    assert_int_equal(append_one(other, id, 2, TC_EVENT_TELL, 1), TACIT_OK);
    assert_int_equal(head_of(*state, id), 3);

    int64_t busy = put(other, "b");
    workload sum = run_threads(*state, other, busy, ask_and_tell);
    assert_int_equal(sum.broken, 0);
    check_asked_and_told(*state, busy, THREADS * ASKS);
    tc_store_close(other);
}

#define ON_STORE(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int store_suite_run(const store_kind *which)
{
    const struct CMUnitTest tests[] = {
        ON_STORE(a_tell_is_found_by_its_trial),
        ON_STORE(put_then_get_gives_the_same),
        ON_STORE(a_study_without_points_has_none),
        ON_STORE(a_name_is_given_once),
        ON_STORE(a_missing_study_is_not_found),
        ON_STORE(studies_are_listed_in_order_of_creation),
        ON_STORE(a_list_goes_on_after_a_study),
        ON_STORE(events_come_back_in_order),
        ON_STORE(an_append_at_another_head_is_refused),
        ON_STORE(an_event_that_is_not_there_is_named),
        ON_STORE(tells_of_other_trials_stand_in_no_way),
        ON_STORE(a_trial_is_told_once),
        ON_STORE(an_unknown_study_is_not_found),
        ON_STORE(a_visitor_may_stop_a_scan),
        ON_STORE(a_thousand_random_appends_match_the_reference),
        ON_STORE(parallel_asks_never_share_a_trial),
        ON_STORE(parallel_tells_have_one_winner),
    };
    const struct CMUnitTest shared[] = {ON_STORE(two_handles_see_one_journal)};
    kind = which;
    int failed = cmocka_run_group_tests_name(which->name, tests, NULL, NULL);
    if (which->open_again)
        failed += cmocka_run_group_tests_name(which->name, shared, NULL, NULL);
    return failed;
}
