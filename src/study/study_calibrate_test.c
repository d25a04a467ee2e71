/* study_calibrate_test.c - the noise for an epsilon is found once; whoever finds other last digits agrees. */
#include "support/test.h"

#include "algo/dp_fts_de/dp_fts_de.h"
#include "base/json.h"
#include "base/memory.h"
#include "study/study.h"
#include "study/study_plan.h"
#include "wire/study_doc.h"

#include <string.h>

static const char fts_de[] =
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 12, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2, \"releases\": "
    "\"all\","
    " \"sampling\": \"poisson\", \"sampling_rate\": 0.5},"
    " \"federation\": {\"agents\": 40}, \"privacy\": {\"epsilon\": 4, \"delta\": 1e-4}}";

static tc_study_doc *document_of(const char *text)
{
    tacit_error err = {0};
    tc_study_doc *doc;
    assert_ok(tc_study_doc_restore(&doc, text, NULL, &err));
    return doc;
}

static tacit_status plan_of(tc_study_plan **out, const tc_study_doc *doc, tacit_error *why)
{
    tc_study_row row;
    tacit_error err = {0};
    assert_ok(tc_study_row_of(&row, doc, 5, &err));
    tacit_status status = tc_study_plan_new(out, &row, why);
    tc_study_row_fini(&row);
    return status;
}

/* What a party with this document has in force; the noise multiplier alone. */
static double noise_in_force(const tc_study_doc *doc)
{
    tacit_error err = {0};
    tc_study_plan *p;
    assert_ok(plan_of(&p, doc, &err));
    double z = json_real_value(json_object_get(p->options, "noise_multiplier"));
    tc_study_plan_free(p);
    return z;
}

static double carried_noise(const tc_study_doc *doc)
{
    return json_real_value(json_object_get(doc->calibrated, "noise_multiplier"));
}

static void set_noise(tc_study_doc *doc, double z)
{
    assert_int_equal(json_object_set_new(doc->calibrated, "noise_multiplier", json_real(z)), 0);
}

static tc_study_doc *calibrated_document(const char *text)
{
    tacit_error err = {0};
    tc_study_doc *doc = document_of(text);
    assert_ok(tc_study_calibrate(doc, &err));
    assert_non_null(doc->calibrated);
    return doc;
}

/* ---- */

/* A document from before: everybody searches, and finds what was found before. */
static void test_a_document_without_it_keeps_its_bits(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = document_of(fts_de);
    tc_study_plan *p;
    (void)state;
    assert_ok(plan_of(&p, doc, &err));
    const tc_algorithm *a = doc->algorithm;
    tc_de_options o;
    assert_ok(tc_options_defaults(a->options, &o, &err));
    assert_ok(tc_options_set_json(a->options, &o, a->name, doc->options, NULL, &err));
    assert_ok(a->promise(&p->env, &o, 4, 1e-4, &err));
    assert_same_bits(noise_in_force(doc), o.noise_multiplier);
    tc_options_fini(a->options, &o);
    tc_study_plan_free(p);
    tc_study_doc_free(doc);
}

static void test_what_is_found_is_carried(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = calibrated_document(fts_de), *plain = document_of(fts_de), *again;
    double found = noise_in_force(plain), z = carried_noise(doc);
    (void)state;
    assert_true(z > found && z < found * (1 + 2e-9));
    assert_true(json_integer_value(json_object_get(doc->calibrated, "regions")) >= 1);
    assert_same_bits(noise_in_force(doc), z);
    char *text = tc_study_doc_text(doc);
    assert_ok(tc_study_doc_restore(&again, text, NULL, &err));
    assert_same_bits(carried_noise(again), z); /* also as text */
    assert_ok(tc_study_calibrate(again, &err));
    assert_same_bits(carried_noise(again), z); /* once is enough */
    /* the file that it was made of still describes the study */
    assert_ok(tc_study_doc_same(doc, plain, &err));
    assert_fails(tc_study_doc_same(plain, doc, &err), TACIT_E_STATE,
                 "privacy.calibrated is absent");
    tc_free(text);
    tc_study_doc_free(again);
    tc_study_doc_free(plain);
    tc_study_doc_free(doc);
}

/* The party that checks is one whose own search would have ended elsewhere. */
static void test_last_digits_are_no_difference(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = calibrated_document(fts_de);
    double z = carried_noise(doc);
    const double fine[] = {1,         1 + 1e-15, 1 - 1e-15, 1 + 1e-12, 1 - 1e-12,
                           1 + 1e-10, 1 - 1e-10, 1 - 5e-9,  1 + 1e-6};
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        set_noise(doc, z * fine[i]);
        assert_same_bits(noise_in_force(doc), z * fine[i]);
    }
    tc_study_plan *p;
    const double less[] = {1 - 1e-6, 1 - 1e-3, 0.5};
    for (size_t i = 0; i < sizeof less / sizeof *less; i++) {
        set_noise(doc, z * less[i]);
        assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG,
                     "privacy.calibrated.noise_multiplier must be at least ");
    }
    tc_study_doc_free(doc);
}

/* Another choice than one's own, of regions say, is judged by the noise that it needs. */
static void test_other_choices_need_their_noise(void **state)
{
    tacit_error err = {0};
    tc_study_doc *doc = calibrated_document(fts_de);
    double z = carried_noise(doc);
    int64_t regions = json_integer_value(json_object_get(doc->calibrated, "regions"));
    tc_study_plan *p;
    (void)state;
    json_object_set_new(doc->calibrated, "regions", json_integer(regions + 1));
    assert_same_bits(noise_in_force(doc), z);
    set_noise(doc, z * 0.99);
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "must be at least ");
    json_object_set_new(doc->calibrated, "regions", json_integer(-1));
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "regions");
    json_object_clear(doc->calibrated);
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG,
                 "privacy.calibrated must have all that follows from epsilon, and regions is "
                 "missing");
    json_object_set_new(doc->calibrated, "regions", json_integer(regions));
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "must be at least ");
    tc_study_doc_free(doc);
}

static void check_tree(const char *protect)
{
    tacit_error err = {0};
    char text[700];
    tc_study_plan *p;
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 4000,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-pf-pne\", \"protect\": \"%s\"},"
             " \"federation\": {\"agents\": 300}, \"privacy\": {\"epsilon\": 3, \"delta\": 1e-5}}",
             protect);
    tc_study_doc *doc = calibrated_document(text), *plain = document_of(text);
    double z = carried_noise(doc), found = noise_in_force(plain);
    if (strcmp(protect, "record") == 0) /* a division: all machines agree */
        assert_same_bits(z, found);
    else
        assert_true(z > found && z < found * (1 + 2e-9));
    assert_same_bits(noise_in_force(doc), z);
    set_noise(doc, z * (1 - 1e-6));
    assert_fails(plan_of(&p, doc, &err), TACIT_E_ARG, "must be at least ");
    tc_study_doc_free(plain);
    tc_study_doc_free(doc);
}

static void test_trees_carry_theirs(void **state)
{
    (void)state;
    check_tree("client");
    check_tree("record");
}

static void test_where_there_is_no_epsilon(void **state)
{
    tacit_error err = {0};
    char text[sizeof fts_de + 100];
    const char *privacy = strstr(fts_de, "\"privacy\"");
    static const struct {
        const char *privacy, *why;
    } bad[] = {
        {"{\"noise_multiplier\": 1, \"calibrated\": {\"regions\": 2}}",
         "privacy.calibrated must be an object of options beside an epsilon, got it without one"},
        {"{\"epsilon\": 1, \"delta\": 1e-5, \"calibrated\": 3}",
         "privacy.calibrated must be an object of options beside an epsilon, got a number"},
    };
    (void)state;
    snprintf(text, sizeof text, "%.*s\"privacy\": {\"noise_multiplier\": 1}}",
             (int)(privacy - fts_de), fts_de);
    tc_study_doc *doc = document_of(text);
    assert_ok(tc_study_calibrate(doc, &err));
    assert_null(doc->calibrated);
    tc_study_doc_free(doc);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "%.*s\"privacy\": %s}", (int)(privacy - fts_de), fts_de,
                 bad[i].privacy);
        assert_fails(tc_study_doc_restore(&doc, text, NULL, &err), TACIT_E_CORRUPT, bad[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_document_without_it_keeps_its_bits),
        cmocka_unit_test(test_what_is_found_is_carried),
        cmocka_unit_test(test_last_digits_are_no_difference),
        cmocka_unit_test(test_other_choices_need_their_noise),
        cmocka_unit_test(test_trees_carry_theirs),
        cmocka_unit_test(test_where_there_is_no_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
