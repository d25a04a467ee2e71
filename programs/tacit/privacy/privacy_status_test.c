/* privacy_status_test.c - `tacit privacy status` on a ledger with releases in it. */
#include "frame/frame.h"
#include "privacy/privacy_cli.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/ledger.h"
#include "privacy/mechanism.h"
#include "study/store.h"

#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 3 };

static char folder[] = "/tmp/tacit-status-XXXXXX";

static tc_release *a_release(double z)
{
    tacit_error err = {0};
    tc_sum_plan plan = {.agents = 5, .blocks = 1, .width = 2};
    tc_test_noise noise;
    tc_sum *sum;
    tc_release *r;
    tc_test_noise_init(&noise, 1, 0);
    tc_entropy e = tc_entropy_of_test(&noise);
    assert_ok(tc_sum_plan_set(&plan, 1, z, 1, &err));
    assert_ok(tc_sum_open(&sum, &plan, &e, &err));
    assert_ok(tc_sum_close(sum, &r, &err));
    tc_sum_free(sum);
    return r;
}

/* An entry that no mechanism makes: rows that were sampled. */
static void append_sampled_row(const tc_ledger_io *io, const char *ledger)
{
    static const uint8_t released[8] = {0};
    tacit_error err = {0};
    tc_ledger_entry e = {.seq = 1,
                         .study = tc_ledger_study_hash("{}"),
                         .unit = TACIT_UNIT_ROW,
                         .subject = "",
                         .event = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_POISSON, 0.01, 1},
                         .mechanism = "gaussian-rows",
                         .adjacency = "one row moves",
                         .is_private = true,
                         .not_private = "",
                         .rows = 1,
                         .cols = 1,
                         .step = 1,
                         .release = tc_ledger_release_hash(released, sizeof released),
                         .previous = tc_ledger_genesis(ledger).hash};
    uint8_t *bytes;
    size_t size;
    assert_ok(tc_ledger_entry_encode(&e, &bytes, &size, &err));
    tc_ledger_record r = {.seq = 1,
                          .study = e.study,
                          .entry = bytes,
                          .entry_size = size,
                          .release = released,
                          .release_size = sizeof released,
                          .previous = e.previous,
                          .head = tc_ledger_entry_hash(bytes, size)};
    assert_ok(io->append(io, &r, &err));
    tc_free(bytes);
}

/* A storage with an empty ledger, one of sampled rows, and one of three releases. */
static int make_storage(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_store *store;
    tc_ledger_io io;
    tc_ledger *l;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_ok(tc_store_open(&store, "sqlite:///tacit.db", true, &err));
    assert_ok(tc_store_ledger(store, "empty", true, &io, &err));
    assert_ok(tc_store_ledger(store, "rows", true, &io, &err));
    append_sampled_row(&io, "rows");
    assert_ok(tc_store_ledger(store, "main", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "main", &io, &err));
    tc_release *r = a_release(2);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        tc_ledger_charge charge = {.study = tc_ledger_study_hash("{}"), .round = round};
        tc_ledger_receipt receipt;
        assert_ok(tc_ledger_release(l, NULL, &charge, r, &receipt, &err));
        tc_ledger_receipt_fini(&receipt);
    }
    tc_release_free(r);
    tc_ledger_close(l);
    tc_store_close(store);
    return 0;
}

static int remove_storage(void **state)
{
    (void)state;
    static const char *const files[] = {"tacit.db", "tacit.db-wal", "tacit.db-shm", "out.txt",
                                        "export.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

/* Runs the verb with these words; standard output goes to *text, which the caller frees. */
static tacit_status status(char **words, int n, char **text, tacit_error *err)
{
    tc_args args;
    size_t len;
    assert_int_equal(tc_args_read(&tc_verb_privacy_status, n, words, &args, err), TACIT_OK);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int file = open("out.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(saved >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    tacit_status status = tc_verb_privacy_status.run(&args.in, err);
    fflush(stdout);
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    close(saved);
    close(file);
    tc_args_fini(&tc_verb_privacy_status, &args);
    tacit_error ignored = {0};
    assert_int_equal(tc_file_read("out.txt", 1 << 20, text, &len, &ignored), TACIT_OK);
    return status;
}

#define STATUS(...)                                                                                \
    status((char *[]){__VA_ARGS__}, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)),       \
           &text, &err)

static void says_what_was_spent(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_ok(STATUS("main", "--delta", "1e-5", "--format", "json"));
    json_t *j = json_loads(text, 0, NULL), *unit = json_array_get(json_object_get(j, "units"), 0);
    assert_int_equal(json_integer_value(json_object_get(j, "entries")), ROUNDS);
    assert_int_equal(json_array_size(json_object_get(j, "units")), 1);
    assert_string_equal(json_string_value(json_object_get(unit, "unit")), "agent");
    assert_true(json_is_false(json_object_get(unit, "private")));
    /* mu = sqrt(3) / 2; the slack of discrete noise is far below the tolerance */
    assert_close(json_real_value(json_object_get(unit, "epsilon")),
                 tc_gaussian_epsilon(sqrt(ROUNDS) / 2, 1e-5), 1e-4);
    assert_non_null(strstr(json_string_value(json_object_get(unit, "statement")), "NOT PRIVATE"));
    json_decref(j);
    tc_free(text);
}

static void is_readable(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_ok(STATUS("main", "--agents", "100"));
    assert_non_null(strstr(text, "agent  every          3  NO"));
    assert_non_null(strstr(text, "Not protected"));
    tc_free(text);
    assert_ok(STATUS("empty", "--agents", "100"));
    assert_string_equal(text, "empty: nothing was released yet\n");
    tc_free(text);
}

static void an_export_says_the_same(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text, *first;
    assert_ok(STATUS("main", "--delta", "1e-5", "--export", "export.json", "--format", "json"));
    first = text;
    assert_ok(STATUS("export.json", "--delta", "1e-5", "--format", "json"));
    assert_string_equal(text, first);
    tc_free(first);
    tc_free(text);
}

static void a_changed_export_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text, *z;
    size_t len;
    assert_ok(STATUS("main", "--delta", "1e-5", "--export", "export.json"));
    tc_free(text);
    assert_ok(tc_file_read("export.json", 1 << 20, &text, &len, &err));
    assert_non_null(z = strstr(text, "\"noise_multiplier\":2"));
    z[strlen("\"noise_multiplier\":")] = '3';
    assert_ok(tc_file_write("export.json", text, len, &err));
    tc_free(text);
    assert_fails(STATUS("export.json", "--delta", "1e-5"), TACIT_E_CORRUPT,
                 "export.json: ledger entry 1");
    assert_string_equal(text, "");
    tc_free(text);
}

static void an_unknown_ledger_is_not_made(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_fails(STATUS("other", "--delta", "1e-5"), TACIT_E_NOT_FOUND, "other");
    tc_free(text);
    assert_fails(STATUS("main"), TACIT_E_ARG, "a delta is needed");
    tc_free(text);
}

static void sampled_rows_have_no_guarantee(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_fails(STATUS("rows", "--delta", "1e-5", "--format", "json"), TACIT_E_ARG,
                 "no guarantee: ledger entry 1: sampling with a rate below 1 is accounted for "
                 "agents only, got rate 0.01 for unit row");
    assert_string_equal(text, "");
    tc_free(text);
}

static void a_name_is_a_name(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_fails(STATUS("", "--delta", "1e-5"), TACIT_E_ARG, "must not be empty");
    tc_free(text);
    assert_fails(STATUS(folder, "--delta", "1e-5"), TACIT_E_ARG, "is a folder");
    tc_free(text);
}

int main(void)
{
    tc_json_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_was_spent),
        cmocka_unit_test(is_readable),
        cmocka_unit_test(an_export_says_the_same),
        cmocka_unit_test(a_changed_export_is_refused),
        cmocka_unit_test(an_unknown_ledger_is_not_made),
        cmocka_unit_test(sampled_rows_have_no_guarantee),
        cmocka_unit_test(a_name_is_a_name),
    };
    return cmocka_run_group_tests(tests, make_storage, remove_storage);
}
