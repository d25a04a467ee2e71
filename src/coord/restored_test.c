/* restored_test.c - a backup and what becomes of it: what it leaves out, what a restored coordinator
 * counts, and that no round is released twice. Backups are real files in a temporary folder. */
#include "support/coord_study.h"

#include "base/text.h"

#include "study/backup.h"

#include <sqlite3.h>
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
    char file[128];
    struct stat st;
    tc_store *s;
    snprintf(file, sizeof file, "%s/copy.db", folder);
    assert_ok(tc_backup_write(w->store, file, 5000000, &err));
    assert_fails(tc_backup_write(w->store, file, 5000000, &err), TACIT_E_CONFLICT,
                 "exists: a backup replaces no file, give it another name");
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_ok(tc_backup_open(&s, file, &err));
    unlink(file); /* the open one is enough */
    return s;
}

static const tc_restore_times AT = {5000000, 6000000};

static tacit_status keep_row(void *user, const tacit_restored_ledger *row, tacit_error *err)
{
    tacit_restored_ledger *rows = user;
    (void)err;
    rows[strcmp(row->name, "s") != 0] = *row;
    return TACIT_OK;
}

/* A coordinator on what the backup gives, with `released` rounds assumed to be. */
static void restore(coord_world *w, tc_store *backup, uint64_t released,
                    tacit_restored_ledger rows[2])
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
    const tacit_restore_opts opts = {.released = released, .visit = keep_row, .user = rows};
    assert_ok(tc_coord_restore(copy, (tc_restore_times){made, 6000000}, &opts, &err));
    assert_ok(tc_backup_copy(to, copy, false, &err));
    assert_fails(tc_backup_time(to, &made, &err), TACIT_E_ARG, "this is a store and not a backup");
    tc_store_close(copy);
    world_close(w);
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
    tacit_restored_ledger rows[2] = {{0}};
    play_round(w, 0);
    tc_store *backup = back_up(w);
    play_round(w, 1);
    play_round(w, 2);
    restore(w, backup, 2, rows);
    assert_int_equal(rows[0].entries, 1);
    assert_int_equal(rows[0].charged, 2);
    assert_int_equal(rows[0].next, 3);
    assert_false(rows[0].not_private);

    tc_ledger *l = ledger_of(w->store, "s");
    tc_ledger_restore r;
    assert_int_equal(tc_ledger_get_head(l).seq, 4);
    assert_true(tc_ledger_restored(l, UINT64_MAX, &r));
    assert_int_equal(r.seq, 2);
    assert_int_equal(r.of_ms, 5000000);
    assert_int_equal(r.at_ms, 6000000);
    assert_string_equal(r.say, "restored at 1970-01-01T01:40:00.000Z from a backup of "
                               "1970-01-01T01:23:20.000Z that ended at entry 1, assuming that "
                               "no more than 2 rounds were released since");
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
    tacit_restored_ledger rows[2] = {{0}};
    tc_ledger_claim before, after;
    play_round(w, 0);
    tc_store *backup = back_up(w);
    play_round(w, 1);
    play_round(w, 2);
    tc_ledger *l = ledger_of(w->store, "s");
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, NULL, 0.01, &tc_accountant_gaussian, &before,
                                  &err));
    tc_ledger_close(l);
    restore(w, backup, 2, rows);
    l = ledger_of(w->store, "s");
    assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, NULL, 0.01, &tc_accountant_gaussian, &after,
                                  &err));
    assert_same_bits(after.bound.epsilon, before.bound.epsilon);
    assert_int_equal(after.entries, before.entries);
    tc_ledger_close(l);
    tc_store_close(backup);
}

static void without_a_number_no_round_is_left(void **state)
{
    coord_world *w = *state;
    tacit_restored_ledger rows[2] = {{0}};
    play_round(w, 0);
    tc_store *backup = back_up(w);
    restore(w, backup, TACIT_RELEASED_ALL, rows);
    assert_true(rows[0].charged > 5);
    assert_int_equal(rows[0].next, TC_NO_ROUND);
    assert_int_equal(study_post(w, 0, 1, NULL), 410);
    tc_store_close(backup);
}

static void an_open_round_is_void_at_no_cost(void **state)
{
    coord_world *w = *state;
    tacit_restored_ledger rows[2] = {{0}};
    play_round(w, 0);
    assert_int_equal(study_post(w, 0, 1, NULL), 202);
    tc_store *backup = back_up(w);
    restore(w, backup, 0, rows);
    assert_int_equal(rows[0].charged, 0);
    assert_int_equal(rows[0].next, 2);
    assert_void(w, 1, "contributions to it are not in a backup");
    play_round(w, 2);
    tc_store_close(backup);
}

static void a_closed_study_has_released_nothing_since(void **state)
{
    coord_world *w = *state;
    tacit_restored_ledger rows[2] = {{0}};
    play_round(w, 0);
    assert_int_equal(world_call(w, "POST", "/v1/studies/s:close", w->operator_token, NULL, NULL),
                     200);
    tc_store *backup = back_up(w);
    restore(w, backup, TACIT_RELEASED_ALL, rows);
    assert_int_equal(rows[0].charged, 0);
    tc_store_close(backup);
}

/* Another coordinator has read that the study runs, and waits; here it is closed and backed up. */
typedef struct racing {
    coord_world *w;
    tc_store *backup;
    bool armed;
} racing;

static int64_t close_meanwhile(void *user)
{
    racing *r = user;
    coord_world other = *r->w;
    tacit_error err = {0};
    tc_coord_config cfg = {.store = r->w->store, .now_ms = world_clock, .user = r->w};
    if (!r->armed)
        return r->w->now_ms;
    r->armed = false;
    assert_ok(tc_coord_new(&other.coord, &cfg, &err));
    assert_int_equal(
        world_call(&other, "POST", "/v1/studies/s:close", r->w->operator_token, NULL, NULL), 200);
    tc_coord_free(other.coord);
    r->backup = back_up(r->w);
    return r->w->now_ms += 10000000; /* the deadline has passed */
}

static void nothing_begins_to_close_once_the_study_is_closed(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tacit_restored_ledger rows[2] = {{0}};
    racing r = {.w = w, .armed = true};
    tc_coord_config cfg = {.store = w->store, .now_ms = close_meanwhile, .user = &r};
    play_round(w, 0);
    for (uint64_t i = 0; i + 1 < STUDY_AGENTS; i++)
        assert_int_equal(study_post(w, i, 1, NULL), 202);
    tc_coord_free(w->coord);
    w->coord = NULL;
    assert_ok(tc_coord_new(&w->coord, &cfg, &err));
    world_tick(w);
    tc_ledger *l = ledger_of(w->store, "s");
    assert_int_equal(tc_ledger_get_head(l).seq, 1);
    tc_ledger_close(l);
    world_tick(w);
    assert_void(w, 1, "the study was closed before round 1 ended");
    restore(w, r.backup, TACIT_RELEASED_ALL, rows);
    assert_int_equal(rows[0].charged, 1); /* it was open in the backup */
    tc_store_close(r.backup);
}

/* The key of an agent for another study is no reason to leave this one alone. */
static void a_store_may_have_an_agent_too(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tacit_restored_ledger rows[2] = {{0}};
    tc_record key = {.kind = TC_RECORD_KEY, .key = "elsewhere", .key_size = 9};
    play_round(w, 0);
    assert_ok(tc_store_record_keep(w->store, &key, 0, "{}", 2, &err));
    tc_store *backup = back_up(w);
    restore(w, backup, 2, rows);
    assert_int_equal(rows[0].charged, 2);
    assert_int_equal(study_post(w, 0, 1, NULL), 410);
    tc_store_close(backup);
}

typedef struct cutting {
    tc_store *from;
    tc_row_visit put;
    void *sink;
} cutting;

static tacit_status leave_out_ledgers(void *user, const tc_row *row, tacit_error *err)
{
    cutting *c = user;
    return row->record && tc_record_is_ledger(row->record->kind) ? TACIT_OK
                                                                 : c->put(c->sink, row, err);
}

static tacit_status cut(void *user, tc_row_visit put, void *sink, tacit_error *err)
{
    cutting *c = user;
    c->put = put;
    c->sink = sink;
    return tc_store_dump(c->from, leave_out_ledgers, c, err);
}

static tacit_status copy_first_entry(void *user, const tc_ledger_record *r, tacit_error *err)
{
    const tc_ledger_io *to = user;
    return r->seq == 1 ? to->append(to, r, err) : TACIT_OK;
}

/* A ledger that lost its end, and whose head was set to what is left. */
static void a_closed_round_must_be_in_the_ledger(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tacit_restored_ledger rows[2] = {{0}};
    tc_store *damaged;
    tc_ledger_io from, to;
    play_round(w, 0);
    play_round(w, 1);
    assert_ok(tc_store_open(&damaged, "memory:", true, &err));
    assert_ok(tc_store_load(damaged, cut, &(cutting){.from = w->store}, &err));
    assert_ok(tc_store_ledger(w->store, "s", false, &from, &err));
    assert_ok(tc_store_ledger(damaged, "s", true, &to, &err));
    assert_ok(from.scan(&from, 0, copy_first_entry, &to, &err));
    const tacit_restore_opts opts = {.visit = keep_row, .user = rows};
    assert_fails(tc_coord_restore(damaged, AT, &opts, &err), TACIT_E_CORRUPT,
                 "study \"s\": round 1 was closed, and the ledger has no entry of it");
    tc_store_close(damaged);
}

/* A storage whose ledger lost its end, and whose head is as it was. */
static void a_ledger_that_is_cut_short_is_not_backed_up(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    char file[128], url[160], copy[128];
    tc_store *s;
    sqlite3 *db;
    play_round(w, 0);
    play_round(w, 1);
    snprintf(file, sizeof file, "%s/damaged.db", folder);
    snprintf(copy, sizeof copy, "%s/of-it.db", folder);
    snprintf(url, sizeof url, "sqlite:///%s", file);
    assert_ok(tc_store_open(&s, url, true, &err));
    assert_ok(tc_backup_copy(s, w->store, false, &err));
    tc_store_close(s);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DROP TRIGGER ledger_keeps_entries;"
                                  "DELETE FROM records WHERE kind = 14 AND substr(key, 16) > x'01'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_ok(tc_store_open(&s, url, false, &err));
    assert_fails(
        tc_backup_write(s, copy, 5000000, &err), TACIT_E_CORRUPT,
        "the storage is damaged: the entries of ledger \"s\" end at number 1, and its head "
        "is that of entry 2");
    assert_int_equal(access(copy, F_OK), -1);
    tc_store_close(s);
}

static void a_backup_is_refused_as_it_is(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    char file[128], url[160];
    tc_store *s = NULL;
    snprintf(file, sizeof file, "%s/served.db", folder);
    snprintf(url, sizeof url, "sqlite:///%s", file);
    assert_ok(tc_backup_write(w->store, file, 5000000, &err));
    for (int create = 0; create < 2; create++)
        assert_fails(tc_store_open(&s, url, create, &err), TACIT_E_STATE,
                     "this is a backup: `tacit restore` makes a storage of it, and counts what was "
                     "released since");
    assert_null(s);
    unlink(file);
}

/* What the number rests on is said with it. */
static void the_assumption_is_in_the_statement(void **state)
{
    static const struct {
        uint64_t released;
        bool unknown;
        const char *says;
    } cases[] = {
        {TACIT_RELEASED_ALL, false,
         "assuming that no study was erased and made again under this name since."},
        {1, false, "assuming that no more than 1 round was released since."},
        {0, false, "assuming that nothing was released since."},
        {TACIT_RELEASED_ALL, true, "assuming that anything may have been released since."},
    };
    coord_world *w = *state;
    tacit_error err = {0};
    tacit_restored_ledger rows[2] = {{0}};
    play_round(w, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tc_store *copy, *backup = back_up(w);
        tc_ledger_claim claim;
        tc_text text = {0};
        const tacit_restore_opts opts = {.released = cases[i].released,
                                         .unknown = cases[i].unknown,
                                         .visit = keep_row,
                                         .user = rows};
        assert_ok(tc_store_open(&copy, "memory:", true, &err));
        assert_ok(tc_backup_copy(copy, backup, false, &err));
        assert_ok(tc_coord_restore(copy, AT, &opts, &err));
        assert_int_equal(rows[0].not_private, cases[i].unknown);
        tc_ledger *l = ledger_of(copy, "s");
        assert_int_equal(tc_ledger_uncounted(l, TACIT_UNIT_AGENT) != NULL, cases[i].unknown);
        assert_ok(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, NULL, 0.01, &tc_accountant_gaussian,
                                      &claim, &err));
        tc_ledger_statement(l, &claim, &text);
        assert_non_null(strstr(tc_text_get(&text), cases[i].says));
        tc_text_fini(&text);
        tc_ledger_close(l);
        tc_store_close(copy);
        tc_store_close(backup);
    }
}

/* The world's coordinator has a seed; nothing was released before the backup. */
static void what_a_seeded_coordinator_forgot_is_not_private(void **state)
{
    coord_world *w = *state;
    tacit_restored_ledger rows[2] = {{0}};
    tc_store *backup = back_up(w);
    restore(w, backup, 1, rows);
    tc_ledger *l = ledger_of(w->store, "s");
    const tc_ledger_entry *e = tc_ledger_get(l, tc_ledger_get_head(l).seq, NULL);
    assert_true(tc_ledger_is_lost(e));
    assert_string_equal(e->not_private, "the coordinator's noise came from a seed (test mode)");
    tc_ledger_close(l);
    tc_store_close(backup);
}

/* A curator's ledger: nobody can count what left. */
static void a_ledger_without_a_plan_claims_nothing(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tacit_restored_ledger rows[2] = {{0}};
    tc_ledger_claim claim;
    tc_ledger_close(ledger_of(w->store, "rows"));
    tc_store *backup = back_up(w);
    restore(w, backup, 3, rows);
    assert_true(rows[1].not_private);
    tc_ledger *l = ledger_of(w->store, "rows");
    for (int unit = TACIT_UNIT_AGENT; unit <= TACIT_UNIT_USER; unit++) {
        assert_ok(
            tc_ledger_guarantee(l, (tacit_unit)unit, NULL, 1e-5, &tc_accountant_pld, &claim, &err));
        assert_false(claim.is_private);
        assert_string_equal(claim.not_private, "restored from a backup of "
                                               "1970-01-01T01:23:20.000Z: what was released since "
                                               "is not counted");
    }
    tc_ledger_close(l);
    restore(w, backup, 0, rows);
    assert_false(rows[1].not_private);
    tc_store_close(backup);
}

static void answers_say_that_it_was_restored(void **state)
{
    coord_world *w = *state;
    tacit_error err = {0};
    tacit_restored_ledger rows[2] = {{0}};
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
        IN_WORLD(nothing_begins_to_close_once_the_study_is_closed),
        IN_WORLD(a_store_may_have_an_agent_too),
        IN_WORLD(a_closed_round_must_be_in_the_ledger),
        IN_WORLD(a_ledger_that_is_cut_short_is_not_backed_up),
        IN_WORLD(a_backup_is_refused_as_it_is),
        IN_WORLD(the_assumption_is_in_the_statement),
        IN_WORLD(what_a_seeded_coordinator_forgot_is_not_private),
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
