/* privacy_export_test.c - `tacit privacy export` on a ledger of records, and on one that is not private. */
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

static char folder[] = "/tmp/tacit-export-XXXXXX";

static void pay(tc_ledger *l, uint64_t round, tacit_dp_event event, tacit_relation relation)
{
    tacit_error err = {0};
    tc_pledge_terms terms = {.event = event, .unit = TACIT_UNIT_RECORD, .relation = relation};
    tc_ledger_charge charge = {.study = tc_ledger_study_hash("{}"), .round = round};
    tc_ledger_receipt receipt;
    tc_release *r;
    assert_ok(tc_pledge_by(&r, &terms, &err));
    assert_ok(tc_ledger_release(l, NULL, &charge, r, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(r);
}

/* A storage with an empty ledger, one of a private training and thirty evaluations, and one with a value as it is. */
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
    assert_ok(tc_store_ledger(store, "Ward 7, records", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "Ward 7, records", &io, &err));
    pay(l, 0, (tacit_dp_event){TACIT_DP_GAUSSIAN, 1.1, TACIT_DP_POISSON, 0.01, 1000},
        TACIT_RELATION_ADD_REMOVE);
    pay(l, 1, (tacit_dp_event){TACIT_DP_GAUSSIAN, 20, TACIT_DP_ALL, 1, 30}, TACIT_RELATION_USUAL);
    tc_ledger_close(l);
    assert_ok(tc_store_ledger(store, "bare", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "bare", &io, &err));
    pay(l, 0, (tacit_dp_event){TACIT_DP_NONPRIVATE, 1, TACIT_DP_ALL, 1, 1}, TACIT_RELATION_USUAL);
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
static tacit_status export(char **words, int n, char **text, tacit_error *err)
{
    tc_args args;
    size_t len;
    assert_int_equal(tc_args_read(&tc_verb_privacy_export, n, words, &args, err), TACIT_OK);
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int file = open("out.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(saved >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    tacit_status status = tc_verb_privacy_export.run(&args.in, err);
    fflush(stdout);
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    close(saved);
    close(file);
    tc_args_fini(&tc_verb_privacy_export, &args);
    tacit_error ignored = {0};
    assert_int_equal(tc_file_read("out.txt", 1 << 20, text, &len, &ignored), TACIT_OK);
    return status;
}

#define EXPORT(...)                                                                                \
    export((char *[]){__VA_ARGS__}, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)),       \
           &text, &err)
#define WHO                                                                                        \
    "--curator", " Hospital A; Hospital B ", "--description", "Tuned settings", "--use",           \
        "A shared model", "--region", "Norway", "--published", "2026-11-18", "--author", "A. Name"

static json_t *at(json_t *j, const char *path)
{
    char key[64];
    while (j && *path) {
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        j = json_object_get(j, key);
        path += n + (path[n] == '.');
    }
    return j;
}

static const char *words_at(json_t *j, const char *path)
{
    const char *s = json_string_value(at(j, path));
    assert_non_null(s);
    return s;
}

static void entries_come_with_claims(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_ok(EXPORT("Ward 7, records", "--delta", "1e-5"));
    json_t *j = json_loads(text, 0, NULL), *claim = json_array_get(at(j, "claims"), 0);
    assert_int_equal(json_array_size(at(j, "entries")), 2);
    assert_int_equal(json_array_size(at(j, "claims")), 1);
    assert_string_equal(words_at(claim, "relation"), "replace-one");
    assert_string_equal(words_at(claim, "bound"), "pld");
    assert_true(json_is_true(at(claim, "private")) && json_is_null(at(claim, "not_private")));
    /* 3.42 for the training alone (group_test.c), less than the 1.5 of the others on top */
    double epsilon = json_real_value(at(claim, "epsilon"));
    assert_true(epsilon > 3.42 && epsilon < 4.9);
    assert_non_null(strstr(words_at(claim, "statement"),
                           "Of the releases, 1 is described for adding or removing a record and is "
                           "charged for replacing one, as a group of two."));
    json_decref(j);
    FILE *f = fopen("export.json", "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
    tc_free(text);
    assert_ok(EXPORT("./export.json", "--delta", "1e-5")); /* reads its own */
    j = json_loads(text, 0, NULL);
    assert_same_bits(json_real_value(at(json_array_get(at(j, "claims"), 0), "epsilon")), epsilon);
    json_decref(j);
    tc_free(text);
}

/* No member that the schema does not have of the registry (additionalProperties: False). */
static void only(json_t *j, const char *path, const char *allowed)
{
    const char *key;
    json_t *value, *object = at(j, path);
    assert_true(json_is_object(object));
    json_object_foreach(object, key, value)
    {
        char word[64];
        snprintf(word, sizeof word, "|%s|", key);
        if (!strstr(allowed, word))
            fail_msg("%s has no %s in the schema", path, key);
    }
}

static void check_schema(json_t *j)
{
    only(j, "", "|url_slug|status|tier|deployment|");
    only(j, "deployment",
         "|basic|dp_variant|privacy_loss|deployment_model|accounting|implementation|"
         "administrative|");
    only(j, "deployment.basic",
         "|name|data_curators|description|intended_use|data_product_type|data_product_region|"
         "publication_date|data_product_sector|");
    only(j, "deployment.dp_variant", "|variant_name|data_domain|unprotected_quantities|");
    only(j, "deployment.privacy_loss",
         "|privacy_unit|privacy_unit_details|privacy_parameters|privacy_parameters_details|");
    only(j, "deployment.deployment_model",
         "|model_name|release_type|release_type_details|access_type|");
    only(j, "deployment.accounting", "|post_processing|composition|");
    only(j, "deployment.administrative", "|sources|notes|registry_authors|");
    static const char *const required[] = {"description", "intended_use", "data_product_region"};
    for (size_t i = 0; i < 3; i++)
        assert_non_null(json_object_get(at(j, "deployment.basic"), required[i]));
}

static void a_draft_for_the_registry(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_ok(EXPORT("Ward 7, records", "--delta", "1e-5", "--format", "registry", WHO, "--sector",
                     "healthcare", "--product", "machine-learning-model"));
    json_t *j = json_loads(text, 0, NULL);
    check_schema(j);
    assert_string_equal(words_at(j, "url_slug"), "ward-7-records");
    assert_string_equal(words_at(j, "status"), "Draft");
    assert_string_equal(words_at(j, "deployment.basic.data_product_type"),
                        "Machine learning model");
    assert_string_equal(words_at(j, "deployment.basic.data_product_sector"), "Healthcare");
    json_t *curators = at(j, "deployment.basic.data_curators");
    assert_int_equal(json_array_size(curators), 2);
    assert_string_equal(json_string_value(json_array_get(curators, 0)), "Hospital A");
    assert_string_equal(json_string_value(json_array_get(curators, 1)), "Hospital B");
    assert_string_equal(words_at(j, "deployment.dp_variant.variant_name"), "Approximate DP");
    assert_true(json_real_value(at(j, "deployment.privacy_loss.privacy_parameters.epsilon")) > 3.4);
    assert_close(json_real_value(at(j, "deployment.privacy_loss.privacy_parameters.delta")), 1e-5,
                 0);
    assert_non_null(strstr(words_at(j, "deployment.privacy_loss.privacy_unit_details"),
                           "Relation: replace-one. Neighbours: "));
    assert_non_null(strstr(words_at(j, "deployment.accounting.composition"), "accountant: pld"));
    json_decref(j);
    tc_free(text);
}

static void what_is_not_private_has_no_epsilon(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text;
    assert_ok(EXPORT("bare", "--delta", "1e-5", "--format", "registry", WHO, "--source", "a link"));
    json_t *j = json_loads(text, 0, NULL);
    check_schema(j);
    assert_null(at(j, "deployment.privacy_loss.privacy_parameters"));
    assert_null(at(j, "deployment.dp_variant.variant_name"));
    assert_non_null(
        strstr(words_at(j, "deployment.privacy_loss.privacy_parameters_details"), "NOT PRIVATE: "));
    assert_string_equal(words_at(j, "deployment.administrative.sources"), "a link");
    json_decref(j);
    tc_free(text);
    assert_ok(EXPORT("bare", "--delta", "1e-5"));
    j = json_loads(text, 0, NULL);
    assert_true(json_is_null(at(json_array_get(at(j, "claims"), 0), "epsilon")));
    json_decref(j);
    tc_free(text);
}

static void says_what_is_missing(void **state)
{
    (void)state;
    tacit_error err = {0};
    char *text = NULL;
    assert_fails(EXPORT("bare", "--delta", "1e-5", "--format", "registry"), TACIT_E_ARG,
                 "--curator is needed for --format registry: who publishes the data product");
    tc_free(text);
    assert_fails(
        EXPORT("bare", "--delta", "1e-5", "--format", "registry", WHO, "--published", "18.11.2026"),
        TACIT_E_ARG, "--published must be a date YYYY-MM-DD, got \"18.11.2026\"");
    tc_free(text);
    assert_fails(EXPORT("empty", "--delta", "1e-5", "--format", "registry", WHO), TACIT_E_STATE,
                 "nothing was released yet by the ledger \"empty\"");
    tc_free(text);
    assert_fails(EXPORT("bare", "--delta", "1e-5", "--format", "registry", WHO, "--unit", "user"),
                 TACIT_E_NOT_FOUND, "the ledger has no release about a single user");
    tc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_with_claims),
        cmocka_unit_test(a_draft_for_the_registry),
        cmocka_unit_test(what_is_not_private_has_no_epsilon),
        cmocka_unit_test(says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, make_storage, remove_storage);
}
