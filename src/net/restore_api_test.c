/* restore_api_test.c - tacit_storage_restore: a backup becomes a storage again, whole or not at all. What the ledgers of a
 * coordinator become is in restored_test.c. */
#include <tacit/coordinator.h>
#include <tacit/study.h>

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/restore_api.XXXXXX";

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

/* A storage with a study of one trial, and one with a federated study, whose ledger is made when it is. */
static int64_t back_up(void)
{
    static const char text[] =
        "{\"name\": \"s\", \"direction\": \"minimize\", \"seed\": 1, \"space\": "
        "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}";
    tacit_error err = {0};
    tacit_coordinator *c;
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    tacit_storage *st;
    tacit_study *s;
    tacit_backup_info made = TACIT_BACKUP_INFO;
    uint64_t trial;
    double x;
    opts.storage = "sqlite:///s.db";
    assert_ok(tacit_coordinator_open(&c, &opts, &err));
    assert_ok(tacit_coordinator_create(
        c,
        "{\"name\": \"f\", \"direction\": \"minimize\", \"space\": {\"x\": {\"type\": \"float\", "
        "\"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"dp-fts-de\"}, \"trials\": 10, "
        "\"federation\": {\"agents\": 3}, \"privacy\": {\"noise_multiplier\": 2, \"delta\": 0.01}}",
        &err));
    tacit_coordinator_close(c);
    assert_ok(tacit_study_create(&s, "sqlite:///s.db", text, NULL, &err));
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_ok(tacit_study_tell(s, trial, 0.25, &err));
    tacit_study_close(s);
    assert_ok(tacit_storage_open(&st, "sqlite:///s.db", NULL, &err));
    assert_ok(tacit_storage_backup(st, "backup.db", &made, &err));
    tacit_storage_close(st);
    return made.made_ms;
}

typedef struct seen {
    int ledgers;
    uint64_t charged, next;
    bool not_private, refuse;
} seen;

static tacit_status visit(void *user, const tacit_restored_ledger *l, tacit_error *err)
{
    seen *s = user;
    s->ledgers++;
    s->charged += l->charged;
    s->next = l->next;
    s->not_private = s->not_private || l->not_private;
    if (!s->refuse)
        return TACIT_OK;
    snprintf(err->msg, sizeof err->msg, "not that ledger, %s", l->name);
    return err->code = TACIT_E_STATE;
}

static void a_backup_becomes_a_storage(void **state)
{
    tacit_error err = {0};
    tacit_study *s;
    tacit_trial *best;
    struct stat file;
    seen all = {0}, known = {0}, refused = {.refuse = true};
    int64_t made = back_up(), made_ms = 0;
    tacit_restore_opts opts = TACIT_RESTORE_OPTS;
    (void)state;
    opts.visit = visit;
    opts.user = &refused;
    assert_fails(tacit_storage_restore("sqlite:///r.db", "backup.db", &opts, NULL, &err),
                 TACIT_E_STATE, "not that ledger, f");
    assert_int_not_equal(stat("r.db", &file), 0);
    opts.user = &all;
    assert_ok(tacit_storage_restore("sqlite:///r.db", "backup.db", &opts, &made_ms, &err));
    assert_int_equal(made_ms, made);
    assert_int_equal(all.ledgers, 1);
    assert_true(all.charged > 0);
    assert_true(all.next == TACIT_NO_ROUND);
    assert_int_equal(stat("r.db", &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
    assert_ok(tacit_study_open(&s, "sqlite:///r.db", "s", NULL, &err));
    assert_ok(tacit_study_best(s, &best, &err));
    assert_same_bits(best->value, 0.25);
    tacit_trial_free(best);
    tacit_study_close(s);
    opts.released = 0;
    opts.user = &known;
    assert_ok(tacit_storage_restore("sqlite:///known.db", "backup.db", &opts, NULL, &err));
    assert_int_equal(known.charged, 0);
    assert_false(known.not_private);
}

static void what_is_no_backup_or_no_new_storage(void **state)
{
    tacit_error err = {0};
    tacit_restore_opts small = {.size = 8};
    (void)state;
    assert_fails(tacit_storage_restore("sqlite:///r.db", "backup.db", NULL, NULL, &err),
                 TACIT_E_STATE,
                 "the storage sqlite:///r.db is not empty: a backup is restored into a new one");
    assert_fails(tacit_storage_restore("memory:", "backup.db", NULL, NULL, &err), TACIT_E_ARG,
                 "a backup cannot be restored into memory");
    assert_fails(tacit_storage_restore("sqlite:///n.db", "s.db", NULL, NULL, &err), TACIT_E_ARG,
                 "s.db: this is a store and not a backup");
    assert_fails(tacit_storage_restore("sqlite:///n.db", "none.db", NULL, NULL, &err),
                 TACIT_E_NOT_FOUND, "none.db");
    assert_fails(tacit_storage_restore("sqlite:///n.db", "backup.db", &small, NULL, &err),
                 TACIT_E_ARG, "opts");
    assert_int_equal(access("n.db", F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_backup_becomes_a_storage),
        cmocka_unit_test(what_is_no_backup_or_no_new_storage),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
