/* restored_test.c - a backup and what becomes of it: what it leaves out, what a restored coordinator
 * counts, and that no round is released twice. Backups are real files in a temporary folder. */
#include "support/coord_study.h"

#include "study/copy.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/tacit-restored-XXXXXX";

static void play_round(coord_world *w, uint64_t round)
{
    for (uint64_t i = 0; i < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, round, NULL), 202);
    world_tick(w);
    assert_int_equal(world_broadcast(w, w->operator_token, round, NULL, NULL), 200);
}

static tc_store *back_up(coord_world *w)
{
    tacit_error err = {0};
    char file[128], url[160];
    struct stat st;
    tc_store *s;
    snprintf(file, sizeof file, "%s/copy.db", folder);
    snprintf(url, sizeof url, "sqlite:///%s", file);
    assert_ok(tc_backup_write(w->store, file, 5000000, &err));
    assert_fails(tc_backup_write(w->store, file, 5000000, &err), TACIT_E_CONFLICT,
                 "exists: a backup replaces no file, give it another name");
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_ok(tc_store_open(&s, url, false, &err));
    unlink(file); /* the open one is enough */
    return s;
}

static tacit_status keep_row(void *user, const tc_restore_row *row, tacit_error *err)
{
    tc_restore_row *rows = user;
    (void)err;
    rows[strcmp(row->name, "s") != 0] = *row;
    return TACIT_OK;
}

/* A coordinator on what the backup gives, with `released` rounds assumed to be. */
static void restore(coord_world *w, tc_store *backup, uint64_t released, tc_restore_row rows[2])
{
    tacit_error err = {0};
    int64_t made;
    tc_store *copy, *to;
    assert_ok(tc_store_open(&copy, "memory:", true, &err));
    assert_ok(tc_store_open(&to, "memory:", true, &err));
    assert_ok(tc_backup_check(backup, &err));
    assert_ok(tc_backup_time(backup, &made, &err));
    assert_int_equal(made, 5000000);
    assert_ok(tc_backup_copy(copy, backup, true, &err));
    tc_restore_terms terms = {.backup_ms = made, .now_ms = 6000000, .released = released};
    assert_ok(tc_coord_restore(copy, &terms, keep_row, rows, &err));
    assert_ok(tc_backup_copy(to, copy, false, &err));
    assert_fails(tc_backup_time(to, &made, &err), TACIT_E_ARG, "this is a store and not a backup");
    tc_store_close(copy);
    tc_coord_free(w->coord);
    tc_store_close(w->store);
    world_open(w, to, 7);
}

static tc_ledger *ledger_of(tc_store *s, const char *name)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(s, name, true, &io, &err));
    assert_ok(tc_ledger_open(&l, name, &io, &err));
    return l;
}

static void assert_void(coord_world *w, uint64_t round, const char *why)
{
    char path[128];
    json_t *a;
    snprintf(path, sizeof path, "/v1/studies/s/rounds/%d/broadcast", (int)round);
    assert_int_equal(world_call(w, "GET", path, w->operator_token, NULL, &a), 410);
    assert_detail(a, why);
}

static uint64_t count(tc_store *s, int64_t study, tc_record_kind kind)
{
    tacit_error err = {0};
    uint64_t n;
    assert_ok(tc_store_record_count(s, &(tc_record_range){.study = study, .kind = kind}, &n, &err));
    return n;
}

static void contributions_are_not_in_a_backup(void **state)
{
    coord_world *w = *state;
    play_round(w, 0);
    assert_int_equal(study_post(w, 0, 1, NULL), 202);
    assert_int_equal(count(w->store, 1, TC_RECORD_MESSAGE), 1);
    tc_store *backup = back_up(w);
    assert_int_equal(count(backup, 1, TC_RECORD_MESSAGE), 0);
    assert_int_equal(count(backup, 1, TC_RECORD_RECEIPT), 4);
    assert_int_equal(count(backup, 1, TC_RECORD_AGENT), STUDY_AGENTS);
    tc_store_close(backup);
}

/* Round 0 is in the backup; 1 and 2 were released after it, 3 was open. */
static void what_was_forgotten_is_charged_and_over(void **state)
{
    coord_world *w = *state;
    tc_restore_row rows[2] = {{0}};
    play_round(w, 0);
    tc_store *backup = back_up(w);
    play_round(w, 1);
    play_round(w, 2);
    restore(w, backup, 2, rows);
    assert_int_equal(rows[0].entries, 1);
    assert_int_equal(rows[0].lost, 2);
    assert_int_equal(rows[0].next, 3);
    assert_false(rows[0].stamped);

    tc_ledger *l = ledger_of(w->store, "s");
    tc_ledger_restore r;
    assert_int_equal(tc_ledger_get_head(l).seq, 4);
    assert_true(tc_ledger_restored(l, UINT64_MAX, &r));
    assert_int_equal(r.seq, 2);
    assert_int_equal(r.of_ms, 5000000);
    assert_int_equal(r.at_ms, 6000000);
    assert_string_equal(r.say, "restored at 1970-01-01T01:40:00.000Z from a backup of "
                               "1970-01-01T01:23:20.000Z that ended at entry 1");
    const tc_ledger_entry *first = tc_ledger_get(l, 1, NULL);
    for (uint64_t seq = 3; seq <= 4; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        assert_true(tc_ledger_is_lost(e));
        assert_int_equal(e->round, seq - 2);
        assert_same_bits(e->event.parameter, first->event.parameter);
        assert_int_equal(e->event.count, first->event.count);
        assert_string_equal(e->adjacency, first->adjacency);
        assert_false(e->is_private); /* a seeded coordinator: as the releases before it */
    }
    tc_ledger_close(l);

    assert_void(w, 1, "round 1 may have been released after the backup of 1970-01-01T01:23:20");
    assert_int_equal(world_broadcast(w, w->operator_token, 0, NULL, NULL), 200);
    assert_int_equal(study_post(w, 0, 2, NULL), 410);
    play_round(w, 3);
    tc_store_close(backup);
}

/* What a ledger says it spent is what it would have said had nothing been forgotten. */
static void the_spend_is_that_of_all_releases(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tc_restore_row rows[2] = {{0}};
    tc_ledger_claim before, after;
    play_round(w, 0);
    tc_store *backup = back_up(w);
    play_round(w, 1);
    play_round(w, 2);
    tc_ledger *l = ledger_of(w->store, "s");
    assert_ok(
        tc_ledger_guarantee(l, TC_UNIT_AGENT, NULL, 0.01, &tc_accountant_gaussian, &before, &err));
    tc_ledger_close(l);
    restore(w, backup, 2, rows);
    l = ledger_of(w->store, "s");
    assert_ok(
        tc_ledger_guarantee(l, TC_UNIT_AGENT, NULL, 0.01, &tc_accountant_gaussian, &after, &err));
    assert_same_bits(after.bound.epsilon, before.bound.epsilon);
    assert_int_equal(after.entries, before.entries);
    tc_ledger_close(l);
    tc_store_close(backup);
}

static void without_a_number_no_round_is_left(void **state)
{
    coord_world *w = *state;
    tc_restore_row rows[2] = {{0}};
    play_round(w, 0);
    tc_store *backup = back_up(w);
    restore(w, backup, TC_RELEASED_ALL, rows);
    assert_true(rows[0].lost > 5);
    assert_int_equal(rows[0].next, TC_NO_ROUND);
    assert_int_equal(study_post(w, 0, 1, NULL), 410);
    tc_store_close(backup);
}

static void an_open_round_is_void_at_no_cost(void **state)
{
    coord_world *w = *state;
    tc_restore_row rows[2] = {{0}};
    play_round(w, 0);
    assert_int_equal(study_post(w, 0, 1, NULL), 202);
    tc_store *backup = back_up(w);
    restore(w, backup, 0, rows);
    assert_int_equal(rows[0].lost, 0);
    assert_int_equal(rows[0].next, 2);
    assert_void(w, 1, "contributions to it are not in a backup");
    play_round(w, 2);
    tc_store_close(backup);
}

static void a_closed_study_has_released_nothing_since(void **state)
{
    coord_world *w = *state;
    tc_restore_row rows[2] = {{0}};
    play_round(w, 0);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:close", w->operator_token, NULL, NULL),
                     200);
    tc_store *backup = back_up(w);
    restore(w, backup, TC_RELEASED_ALL, rows);
    assert_int_equal(rows[0].lost, 0);
    tc_store_close(backup);
}

/* A curator's ledger: nobody can count what left. */
static void a_ledger_without_a_plan_claims_nothing(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tc_restore_row rows[2] = {{0}};
    tc_ledger_claim claim;
    tc_ledger_close(ledger_of(w->store, "rows"));
    tc_store *backup = back_up(w);
    restore(w, backup, 3, rows);
    assert_true(rows[1].stamped);
    tc_ledger *l = ledger_of(w->store, "rows");
    for (int unit = TC_UNIT_AGENT; unit <= TC_UNIT_USER; unit++) {
        assert_ok(tc_ledger_guarantee(l, (tc_privacy_unit)unit, NULL, 1e-5, &tc_accountant_pld,
                                      &claim, &err));
        assert_false(claim.is_private);
        assert_string_equal(claim.not_private, "restored from a backup of "
                                               "1970-01-01T01:23:20.000Z: what was released since "
                                               "is not counted");
    }
    tc_ledger_close(l);
    restore(w, backup, 0, rows);
    assert_false(rows[1].stamped);
    tc_store_close(backup);
}

static void answers_say_that_it_was_restored(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tc_restore_row rows[2] = {{0}};
    json_t *a;
    tc_ledger *l;
    play_round(w, 0);
    assert_int_equal(world_call(w, "GET", "/v1/studies/s/privacy", w->operator_token, NULL, &a),
                     200);
    assert_null(json_object_get(a, "restored"));
    json_decref(a);
    tc_store *backup = back_up(w);
    restore(w, backup, 1, rows);
    static const char *const paths[] = {"/v1/studies/s/privacy",
                                        "/v1/studies/s/rounds/0/broadcast"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(world_call(w, "GET", paths[i], w->operator_token, NULL, &a), 200);
        const json_t *r = json_object_get(a, "restored");
        assert_string_equal(world_text(r, "backup_of"), "1970-01-01T01:23:20.000Z");
        assert_int_equal(json_integer_value(json_object_get(r, "entries")), 1);
        json_decref(a);
    }
    l = ledger_of(w->store, "s");
    json_t *j = tc_ledger_json(l);
    tc_ledger *again;
    assert_ok(tc_ledger_from_json(&again, j, &err));
    tc_ledger_close(again);
    json_object_del(j, "restored");
    assert_fails(tc_ledger_from_json(&again, j, &err), TACIT_E_CORRUPT,
                 "\"restored\" is not what the entries of the ledger say");
    json_decref(j);
    tc_ledger_close(l);
    tc_store_close(backup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(contributions_are_not_in_a_backup),
        IN_WORLD(what_was_forgotten_is_charged_and_over),
        IN_WORLD(the_spend_is_that_of_all_releases),
        IN_WORLD(without_a_number_no_round_is_left),
        IN_WORLD(an_open_round_is_void_at_no_cost),
        IN_WORLD(a_closed_study_has_released_nothing_since),
        IN_WORLD(a_ledger_without_a_plan_claims_nothing),
        IN_WORLD(answers_say_that_it_was_restored),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 || failed;
}
