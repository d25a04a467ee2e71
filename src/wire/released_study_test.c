/* released_study_test.c - released rows as a study: what the release says, what is given on top of it, and
 * what cannot be. */
#include "support/test.h"

#include "base/json.h"
#include "base/memory.h"
#include "wire/released_json.h"
#include "wire/released_study.h"

static tc_released sample(void)
{
    tacit_error err = {0};
    static char *columns[] = {"income", "rate"};
    static double values[] = {1, 2, 3, 4.5, 5, -6};
    tc_released r = {.name = "loans",
                     .mode = "paper",
                     .not_private = "a seed",
                     .statement = "none",
                     .input_sd = 0.25,
                     .output_sd = 0.5,
                     .ledger = "rows",
                     .head = {.seq = 1},
                     .rows = 3,
                     .cols = 2,
                     .columns = columns,
                     .values = values};
    assert_ok(tc_released_hash(&r, &r.release, &err));
    return r;
}

static double option(const tc_study_doc *d, const char *name)
{
    const json_t *j = json_object_get(d->options, name);
    assert_true(json_is_number(j));
    return json_number_value(j);
}

static void a_release_is_a_study(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample();
    tc_study_doc *d;
    assert_ok(tc_released_study(&d, &r, &(tc_released_plan){0}, &err));
    assert_string_equal(d->name, "loans");
    assert_string_equal(d->algorithm->name, "po-gp-ucb");
    assert_false(d->maximize);
    assert_int_equal(d->trials, 100);
    assert_true(d->has_seed);
    assert_int_equal(d->seed, 0);
    assert_int_equal(d->agents, 0);
    assert_int_equal(d->space->domain->n, 3);
    assert_same_bits(option(d, "input_sd"), 0.25);
    assert_same_bits(option(d, "output_sd"), 0.5);
    tc_study_doc_free(d);
}

static void what_is_given_comes_last(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample();
    tc_study_doc *d;
    json_t *given = json_pack("{s:f, s:b}", "input_sd", 2.0, "fit", 0);
    tc_released_plan p = {.name = "mine", .trials = 7, .seed = 9, .options = given};
    assert_ok(tc_released_study(&d, &r, &p, &err));
    assert_string_equal(d->name, "mine");
    assert_int_equal(d->trials, 7);
    assert_int_equal(d->seed, 9);
    assert_same_bits(option(d, "input_sd"), 2);
    assert_same_bits(option(d, "output_sd"), 0.5);
    assert_true(json_is_false(json_object_get(d->options, "fit")));
    tc_study_doc_free(d);
    assert_int_equal(json_object_set_new(given, "beta_is_none", json_true()), 0);
    assert_fails(tc_released_study(&d, &r, &p, &err), TACIT_E_ARG, "beta_is_none");
    json_decref(given);
}

/* From JSON it is the same, and rows that are not those of the release are found out. */
static void the_content_of_a_file_will_do(void **state)
{
    (void)state;
    tacit_error err = {0};
    tc_released r = sample();
    tc_study_doc *d, *e;
    json_t *j;
    char *text = NULL;
    assert_ok(tacit_released_text(&r, &text, &err));
    assert_ok(tc_json_parse(text, strlen(text), "r", &j, &err));
    tc_free(text);
    tc_released_plan p = {.trials = 7};
    assert_ok(tc_released_study_from_json(&d, j, &p, &err));
    assert_ok(tc_released_study(&e, &r, &p, &err));
    assert_ok(tc_study_doc_same(d, e, &err));
    tc_study_doc_free(d);
    tc_study_doc_free(e);
    json_t *row = json_array_get(json_object_get(j, "rows"), 1);
    assert_int_equal(json_array_set_new(row, 0, json_real(3.5)), 0);
    assert_fails(tc_released_study_from_json(&d, j, &p, &err), TACIT_E_ARG, "released");
    json_decref(j);
    j = json_array();
    assert_fails(tc_released_study_from_json(&d, j, &p, &err), TACIT_E_ARG, "released");
    json_decref(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_is_a_study),
        cmocka_unit_test(what_is_given_comes_last),
        cmocka_unit_test(the_content_of_a_file_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
