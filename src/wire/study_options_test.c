/* study_options_test.c - a study keeps the options that it began with: what a new document writes down, and what a
 * stored one means that says nothing of them. */
#include "wire/study_doc_int.h"

#include "base/json.h"
#include "base/memory.h"
#include "support/test.h"

#define START  "{\"name\":\"s\",\"direction\":\"maximize\",\"trials\":"
#define MIDDLE ",\"space\":{\"x\":{\"type\":\"float\",\"low\":0.0,\"high\":1.0}},\"algorithm\":"
#define END    ",\"federation\":{\"agents\":29},\"privacy\":{\"epsilon\":4.0,\"delta\":0.01}}"
#define DE     "\"name\":\"dp-fts-de\""

/* As the first version with another default stored it. */
#define OLDER START "30" MIDDLE "{" DE ",\"features\":20}" END

static tc_study_doc *given(const char *text)
{
    tacit_error err = {0};
    json_t *j = NULL;
    tc_study_doc *d = NULL;
    assert_ok(tc_json_parse(text, strlen(text), "doc", &j, &err));
    assert_ok(tc_study_doc_from_json(&d, j, NULL, &err));
    json_decref(j);
    return d;
}

static tc_study_doc *stored(const char *text)
{
    tacit_error err = {0};
    tc_study_doc *d = NULL;
    assert_ok(tc_study_doc_restore(&d, text, NULL, &err));
    return d;
}

static void assert_text(const tc_study_doc *d, const char *expected)
{
    char *text = tc_study_doc_text(d);
    assert_string_equal(text, expected);
    tc_free(text);
}

/* The document as a store keeps it, read back. */
static tc_study_doc *kept(const char *text)
{
    tc_study_doc *d = given(text);
    char *canonical = tc_study_doc_text(d);
    tc_study_doc *again = stored(canonical);
    assert_text(again, canonical);
    tc_free(canonical);
    tc_study_doc_free(d);
    return again;
}

static void assert_same(const char *stored_text, const char *given_text)
{
    tacit_error err = {0};
    tc_study_doc *a = kept(stored_text), *b = given(given_text);
    assert_ok(tc_study_doc_same(a, b, &err));
    tc_study_doc_free(a);
    tc_study_doc_free(b);
}

static void assert_differs(tc_study_doc *a, const char *given_text, const char *why)
{
    tacit_error err = {0};
    tc_study_doc *b = given(given_text);
    assert_fails(tc_study_doc_same(a, b, &err), TACIT_E_STATE, why);
    tc_study_doc_free(a);
    tc_study_doc_free(b);
}

/* ---- what a new document writes down ---- */

static void a_new_document_says_what_was_chosen(void **state)
{
    (void)state;
    tc_study_doc *d = given(START "30" MIDDLE "\"dp-fts-de\"" END);
    assert_text(d, START "30" MIDDLE "{" DE ",\"lengthscale\":0.0,\"initial\":10,"
                         "\"init\":\"domain\",\"own\":\"gp\"}" END);
    assert_int_equal(json_object_size(d->chosen), 4);
    tc_study_doc_free(d);
}

/* Those whose messages a relay hands on. */
static void a_relay_says_what_was_chosen_too(void **state)
{
    static const char *const names[] = {"fts", "rgpe", "taf"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[400], expected[500];
        snprintf(text, sizeof text,
                 START "18" MIDDLE "{\"name\":\"%s\"}"
                       ",\"federation\":{\"agents\":3},\"privacy\":\"none\"}",
                 names[i]);
        snprintf(expected, sizeof expected,
                 START "18" MIDDLE "{\"name\":\"%s\",\"lengthscale\":0.0,\"initial\":6,"
                       "\"own\":\"gp\"},\"federation\":{\"agents\":3},\"privacy\":\"none\"}",
                 names[i]);
        tc_study_doc *d = given(text);
        assert_text(d, expected);
        tc_study_doc_free(d);
        d = stored(text); /* from before: as it was */
        assert_text(d, text);
        json_t *all = NULL;
        tacit_error err = {0};
        assert_ok(tc_study_doc_options(d, &all, &err));
        assert_string_equal(json_string_value(json_object_get(all, "own")), "features");
        assert_int_equal(json_integer_value(json_object_get(all, "initial")), 10);
        assert_same_bits(json_number_value(json_object_get(all, "lengthscale")), 0.2);
        json_decref(all);
        tc_study_doc_free(d);
    }
}

static void the_number_of_initial_points_follows_the_trials(void **state)
{
    (void)state;
    tc_study_doc *d = given(START "18" MIDDLE "{" DE "}" END);
    assert_int_equal(json_integer_value(json_object_get(d->options, "initial")), 6);
    tc_study_doc_free(d);
    d = given(START "5" MIDDLE "{" DE "}" END);
    assert_int_equal(json_integer_value(json_object_get(d->options, "initial")), 3);
    tc_study_doc_free(d);
}

static void what_is_given_stays(void **state)
{
    (void)state;
    tc_study_doc *d = given(START "30" MIDDLE "{" DE ",\"own\":\"features\",\"initial\":4,"
                                  "\"lengthscale\":1}" END);
    assert_text(d, START "30" MIDDLE "{" DE ",\"own\":\"features\",\"initial\":4,"
                         "\"lengthscale\":1,\"init\":\"region\"}" END);
    assert_int_equal(json_object_size(d->chosen), 1);
    tc_study_doc_free(d);
    d = given(START "30" MIDDLE "{\"name\":\"fed-hct\"}"
                    ",\"federation\":{\"agents\":3}}");
    assert_int_equal(json_object_size(d->chosen), 0); /* its defaults are those of always */
    assert_int_equal(json_object_size(d->options), 0);
    tc_study_doc_free(d);
}

/* -1 and auto are words for "choose". */
static void what_is_left_open_by_name_is_chosen_too(void **state)
{
    (void)state;
    tc_study_doc *d = given(START "18" MIDDLE "{" DE ",\"initial\":-1,\"init\":\"auto\"}" END);
    assert_text(d, START "18" MIDDLE "{" DE ",\"initial\":6,\"init\":\"domain\","
                         "\"lengthscale\":0.0,\"own\":\"gp\"}" END);
    assert_int_equal(json_object_size(d->chosen), 4);
    tc_study_doc_free(d);
}

/* A document that comes over HTTP with its points is a new one. */
static void points_that_come_along_change_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    const size_t n = 5;
    const double low = 0, high = 1;
    tc_domain *domain = NULL;
    tc_study_doc *d = given(START "30" MIDDLE "{" DE ",\"own\":\"gp\"}" END), *again = NULL;
    assert_ok(tc_domain_grid(&domain, 1, &n, &low, &high, &err));
    char *csv = tc_domain_csv(domain);
    tc_space_free(d->space);
    d->space = NULL;
    assert_ok(tc_space_from_domain(&d->space, domain, &err));
    json_object_clear(d->options);
    char *text = tc_study_doc_text(d);
    json_t *j = json_loads(text, 0, NULL);
    assert_ok(tc_study_doc_with_points(&again, j, csv, &err));
    assert_false(again->older);
    assert_int_equal(json_object_size(again->chosen), 4);
    assert_string_equal(json_string_value(json_object_get(again->options, "own")), "gp");
    assert_int_equal(again->space->domain->n, n);
    tc_study_doc_free(again);
    assert_fails(tc_study_doc_with_points(&again, j, "x\n0\n1\n", &err), TACIT_E_ARG,
                 "points.hash is not that of the candidates");
    assert_fails(tc_study_doc_with_points(&again, j, NULL, &err), TACIT_E_ARG,
                 "points: the candidates themselves are missing");
    json_decref(j);
    tc_free(text);
    tc_free(csv);
    tc_study_doc_free(d);
}

/* ---- a study from before ---- */

static void a_stored_document_keeps_its_text(void **state)
{
    (void)state;
    tc_study_doc *d = stored(OLDER);
    assert_true(d->older);
    assert_null(d->chosen);
    assert_text(d, OLDER);
    tc_study_doc_free(d);
}

/* The document that the author still has says the same as ever. */
static void its_author_has_the_same_study(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const same[] = {
        START "30" MIDDLE "{" DE ",\"features\":20}" END,
        START "60" MIDDLE "{" DE ",\"features\":20}" END, /* more trials of it */
        START "30" MIDDLE "{" DE ",\"features\":20,\"initial\":10,\"init\":\"region\","
              "\"own\":\"features\",\"lengthscale\":0.2}" END,
        START "30" MIDDLE "{" DE ",\"features\":20,\"initial\":-1,\"init\":\"auto\"}" END,
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        tc_study_doc *a = stored(OLDER), *b = given(same[i]);
        assert_ok(tc_study_doc_same(a, b, &err));
        tc_study_doc_free(a);
        tc_study_doc_free(b);
    }
}

static void what_contradicts_is_named(void **state)
{
    (void)state;
    assert_differs(stored(OLDER), START "30" MIDDLE "{" DE ",\"features\":20,\"own\":\"gp\"}" END,
                   "algorithm.own is \"features\" in the stored study but \"gp\" in the one given");
    assert_differs(stored(OLDER), START "30" MIDDLE "{" DE ",\"features\":20,\"initial\":3}" END,
                   "algorithm.initial is 10 in the stored study but 3 in the one given");
    assert_differs(stored(OLDER),
                   START "30" MIDDLE "{" DE ",\"features\":20,\"lengthscale\":0}" END,
                   "algorithm.lengthscale is 0.2 in the stored study but 0.0 in the one given");
    assert_differs(
        stored(OLDER), START "30" MIDDLE "{" DE ",\"features\":20,\"init\":\"domain\"}" END,
        "algorithm.init is \"region\" in the stored study but \"domain\" in the one given");
    assert_differs(kept(START "30" MIDDLE "{" DE "}" END),
                   START "30" MIDDLE "{" DE ",\"own\":\"features\"}" END,
                   "algorithm.own is \"gp\" in the stored study but \"features\" in the one given");
    assert_differs(kept(START "30" MIDDLE "{" DE "}" END),
                   START "30" MIDDLE "{" DE ",\"initial\":9}" END,
                   "algorithm.initial is 10 in the stored study but 9 in the one given");
}

/* A study that is extended has the initial points that it began with. */
static void a_study_may_grow(void **state)
{
    (void)state;
    assert_same(START "18" MIDDLE "{" DE "}" END, START "60" MIDDLE "{" DE "}" END);
    assert_same(START "60" MIDDLE "\"dp-fts-de\"" END, START "18" MIDDLE "{" DE "}" END);
    assert_same(START "18" MIDDLE "{" DE "}" END, START "60" MIDDLE "{" DE ",\"initial\":6}" END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_document_says_what_was_chosen),
        cmocka_unit_test(a_relay_says_what_was_chosen_too),
        cmocka_unit_test(the_number_of_initial_points_follows_the_trials),
        cmocka_unit_test(what_is_given_stays),
        cmocka_unit_test(what_is_left_open_by_name_is_chosen_too),
        cmocka_unit_test(points_that_come_along_change_nothing),
        cmocka_unit_test(a_stored_document_keeps_its_text),
        cmocka_unit_test(its_author_has_the_same_study),
        cmocka_unit_test(what_contradicts_is_named),
        cmocka_unit_test(a_study_may_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
