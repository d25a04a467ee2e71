/* study_outcomes_test.c - objectives and constraints of a study document: strict reading, canonical text, what counts as the
 * same, and outcomes by name. */
#include "wire/study_doc.h"

#include "base/json.h"
#include "base/memory.h"
#include "support/test.h"

#include <math.h>

#define SPACE "\"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}"
#define NAME  "{\"name\": \"s\", "
#define ONE   NAME "\"direction\": \"minimize\", "
#define TWO   "\"objectives\": {\"error\": \"minimize\", \"gain\": \"maximize\"}, "
#define BOUND                                                                                      \
    "\"constraints\": {\"memory_mb\": {\"max\": 512}, \"recall\": {\"min\": 0.9, \"max\": 1}}, "

static tacit_document *parse_ok(const char *text)
{
    tacit_error err = {0};
    tacit_document *d;
    assert_ok(tacit_document_parse(&d, text, &err));
    return d;
}

static void one_value_is_the_usual_outcome(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_outcome of = TACIT_OUTCOME;
    tacit_document *d = parse_ok(NAME "\"direction\": \"maximize\", " SPACE "}");
    assert_null(d->outcomes);
    assert_null(tc_study_doc_wants(d));
    assert_int_equal(tacit_document_objectives(d), 1);
    assert_int_equal(tacit_document_outcomes(d), 1);
    assert_ok(tacit_document_outcome(d, 0, &of, &err));
    assert_string_equal(of.name, "value");
    assert_true(of.objective && of.maximize);
    assert_true(of.low == -INFINITY && of.high == INFINITY);
    assert_fails(tacit_document_outcome(d, 1, &of, &err), TACIT_E_ARG,
                 "there is no outcome 1; the study has 1");
    tacit_document_free(d);
    assert_int_equal(tacit_document_outcomes(NULL), 0);
    assert_int_equal(tacit_document_objectives(NULL), 0);
}

static void objectives_come_before_what_is_bounded(void **state)
{
    (void)state;
    tacit_error err = {0};
    static const char *const names[] = {"error", "gain", "memory_mb", "recall"};
    tacit_document *d = parse_ok(NAME BOUND TWO SPACE "}");
    assert_int_equal(tacit_document_objectives(d), 2);
    assert_int_equal(tacit_document_outcomes(d), 4);
    assert_false(tacit_document_maximizes(d));
    for (size_t i = 0; i < 4; i++) {
        tacit_outcome of = TACIT_OUTCOME;
        assert_ok(tacit_document_outcome(d, i, &of, &err));
        assert_string_equal(of.name, names[i]);
        assert_int_equal(of.objective, i < 2);
        assert_int_equal(of.maximize, i == 1);
        assert_true(of.low == (i == 3 ? 0.9 : -INFINITY));
        assert_true(of.high == (i == 2 ? 512 : i == 3 ? 1 : INFINITY));
    }
    const tc_outcomes *w = tc_study_doc_wants(d);
    assert_int_equal(w->n_objectives, 2);
    assert_int_equal(w->n_constraints, 2);
    tacit_document_free(d);
}

static void constraints_go_beside_a_direction(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_outcome of = TACIT_OUTCOME;
    tacit_document *d = parse_ok(NAME "\"direction\": \"maximize\", " BOUND SPACE "}");
    assert_int_equal(tacit_document_objectives(d), 1);
    assert_int_equal(tacit_document_outcomes(d), 3);
    assert_ok(tacit_document_outcome(d, 0, &of, &err));
    assert_string_equal(of.name, "value");
    assert_true(of.maximize);
    assert_true(tc_study_doc_wants(d)->maximize[0]);
    tacit_document_free(d);
}

static void a_reference_is_that_of_the_objectives(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_outcome of = TACIT_OUTCOME;
    tacit_document *d =
        parse_ok(NAME BOUND TWO "\"reference\": {\"gain\": -1, \"error\": 0.5}, " SPACE "}");
    const tc_outcomes *w = tc_study_doc_wants(d);
    assert_true(w->reference[0] == 0.5 && w->reference[1] == -1);
    assert_ok(tacit_document_outcome(d, 1, &of, &err));
    assert_true(of.reference == -1);
    assert_ok(tacit_document_outcome(d, 2, &of, &err));
    assert_true(isnan(of.reference));
    char *text = tc_study_doc_text(d);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"reference\":{\"error\":0.5,\"gain\":-1.0}"));
    tacit_document *again;
    assert_ok(tacit_document_restore(&again, text, NULL, &err));
    assert_ok(tc_study_doc_same(d, again, &err));
    tacit_document_free(again);
    again = parse_ok(NAME BOUND TWO "\"reference\": {\"error\": 0.25, \"gain\": -1}, " SPACE "}");
    assert_fails(tc_study_doc_same(d, again, &err), TACIT_E_STATE, "reference.error");
    tacit_document_free(again);
    again = parse_ok(NAME BOUND TWO SPACE "}");
    assert_null(tc_study_doc_wants(again)->reference);
    assert_ok(tacit_document_outcome(again, 0, &of, &err));
    assert_true(isnan(of.reference));
    assert_fails(tc_study_doc_same(d, again, &err), TACIT_E_STATE, "reference");
    tacit_document_free(again);
    tc_free(text);
    tacit_document_free(d);
}

/* The order of objectives is that of the values in the journal, so it is kept. */
static void the_text_is_canonical(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_document *d = parse_ok("{\"constraints\": {\"m\": {\"max\": 512}}, \"algorithm\": "
                                 "\"random\", \"objectives\": {\"z\": \"minimize\", \"a\": "
                                 "\"maximize\"}, \"name\": \"s\", " SPACE "}");
    char *text = tc_study_doc_text(d), *again;
    assert_non_null(text);
    assert_string_equal(
        text, "{\"name\":\"s\",\"objectives\":{\"z\":\"minimize\",\"a\":\"maximize\"},"
              "\"constraints\":{\"m\":{\"max\":512.0}},\"trials\":100,\"space\":{\"x\":{\"type\":"
              "\"float\",\"low\":0.0,\"high\":1.0}},\"algorithm\":{\"name\":\"random\"}}");
    tacit_document_free(d);
    assert_ok(tacit_document_restore(&d, text, NULL, &err));
    again = tc_study_doc_text(d);
    assert_non_null(again);
    assert_string_equal(again, text);
    tc_free(again);
    tc_free(text);
    tacit_document_free(d);
}

#define CONSTRAIN(text)  ONE "\"constraints\": " text ", " SPACE "}"
#define OBJECTIVES(text) NAME "\"objectives\": " text ", " SPACE "}"

static const struct {
    const char *text, *message;
} refusals[] = {
    {ONE TWO SPACE "}", "direction and objectives must not both be given"},
    {NAME BOUND SPACE "}", "direction is missing: say \"minimize\" or \"maximize\""},
    {OBJECTIVES("[1]"), "objectives must be an object, got an array"},
    {OBJECTIVES("{}"), "objectives must have 2 to 4 members, got 0"},
    {OBJECTIVES("{\"a\": \"minimize\"}"),
     "objectives must have 2 to 4 members, got 1: one objective is said by \"direction\""},
    {OBJECTIVES("{\"a\": \"minimize\", \"b\": \"minimize\", \"c\": \"minimize\", \"d\": "
                "\"minimize\", \"e\": \"minimize\"}"),
     "objectives must have 2 to 4 members, got 5"},
    {OBJECTIVES("{\"a\": \"up\", \"b\": \"minimize\"}"),
     "objectives.a must be \"minimize\" or \"maximize\", got \"up\""},
    {OBJECTIVES("{\"a\": 1, \"b\": \"minimize\"}"), "objectives.a must be a string, got a number"},
    {OBJECTIVES("{\"value\": \"minimize\", \"b\": \"minimize\"}"),
     "objectives: outcome name \"value\" is reserved: tables of trials have a column or key of "
     "that name"},
    {OBJECTIVES("{\"1a\": \"minimize\", \"b\": \"minimize\"}"),
     "objectives: outcome name \"1a\" must begin with a letter or _ and go on with letters, "
     "digits, _ . -"},
    {OBJECTIVES("{\"\": \"minimize\", \"b\": \"minimize\"}"),
     "objectives: an outcome name must not be empty"},
    {OBJECTIVES("{\"x\": \"minimize\", \"b\": \"minimize\"}"),
     "objectives.x must not have the name of a parameter: tables of trials have both"},
    {ONE "\"reference\": {\"value\": 1}, " SPACE "}",
     "reference goes with objectives: one objective has no hypervolume"},
    {NAME TWO "\"reference\": 3, " SPACE "}", "reference must be an object, got a number"},
    {NAME TWO "\"reference\": {\"error\": 1}, " SPACE "}",
     "reference.gain is missing: the study's outcomes are error, gain"},
    {NAME TWO BOUND "\"reference\": {\"error\": 1, \"gain\": 1, \"recall\": 1}, " SPACE "}",
     "reference.recall is none: the study's outcomes are error, gain"},
    {NAME TWO "\"reference\": {\"error\": 1, \"gain\": \"a\"}, " SPACE "}",
     "reference.gain must be a number, got a string"},
    {CONSTRAIN("3"), "constraints must be an object, got a number"},
    {CONSTRAIN("{}"), "constraints must have 1 to 16 members, got 0"},
    {CONSTRAIN("{\"m\": 512}"), "constraints.m must be an object, got a number"},
    {CONSTRAIN("{\"m\": {}}"), "constraints.m must have \"min\" or \"max\" or both"},
    {CONSTRAIN("{\"m\": {\"max\": \"512\"}}"), "constraints.m.max must be a number, got a string"},
    {CONSTRAIN("{\"m\": {\"min\": 2, \"max\": 2}}"),
     "constraints.m.min must be below max, got 2 and 2"},
    {CONSTRAIN("{\"m\": {\"mx\": 2}}"),
     "unknown field \"constraints.m.mx\"; did you mean \"max\"? Allowed: min, max"},
    {CONSTRAIN("{\"feasible\": {\"min\": 2}}"),
     "constraints: outcome name \"feasible\" is reserved: tables of trials have a column or key of "
     "that name"},
    {CONSTRAIN("{\"x\": {\"min\": 2}}"),
     "constraints.x must not have the name of a parameter: tables of trials have both"},
    {NAME TWO "\"constraints\": {\"gain\": {\"min\": 2}}, " SPACE "}",
     "constraints.gain is an objective, too: give another name"},
    {NAME TWO "\"space\": {\"outcomes_gain\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}",
     "objectives.gain must not have the name of a parameter: tables of trials have both"},
    {NAME TWO
     "\"federation\": {\"agents\": 3}, \"privacy\": \"none\", \"algorithm\": \"dp-fts-de\", "
     "\"trials\": 50, " SPACE "}",
     "objectives must not be given in a federation, whose agents tell one value a trial"},
    {ONE BOUND "\"trials\": 30, \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": "
               "1e-5, \"metric\": "
               "\"error\"}, " SPACE "}",
     "constraints must not be given where validation records are protected: noise is added to one "
     "value a trial, and other outcomes would tell of the records, too"},
    {ONE BOUND "\"algorithm\": \"gp-ucb\", " SPACE "}",
     "constraints must not be given with the algorithm gp-ucb, which is told one value a trial; "
     "those that are told several are gp-ei, sobol, random"},
    {NAME TWO "\"algorithm\": \"ldp-tgp\", " SPACE "}",
     "objectives must not be given with the algorithm ldp-tgp, which is told one value a trial; "
     "those that are told several are gp-ei, sobol, random"},
};

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        tacit_error err = {0};
        tacit_document *d = NULL;
        assert_int_equal(tacit_document_parse(&d, refusals[i].text, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, refusals[i].message);
        assert_null(d);
    }
}

static void the_same_study_has_the_same_outcomes(void **state)
{
    (void)state;
    static const struct {
        const char *given, *message;
    } others[] = {
        {NAME "\"objectives\": {\"gain\": \"maximize\", \"error\": \"minimize\"}, " BOUND SPACE "}",
         "objectives has another order: \"error\" in the stored study where the one given has "
         "\"gain\""},
        {NAME TWO SPACE "}",
         "constraints is {\"memory_mb\":{\"max\":512.0},\"recall\":{\"min\":0.9,\"max\":1.0}} in "
         "the stored study but absent in the one given"},
        {NAME TWO "\"constraints\": {\"memory_mb\": {\"max\": 500}, \"recall\": {\"min\": 0.9, "
                  "\"max\": 1}}, " SPACE "}",
         "constraints.memory_mb.max is 512.0 in the stored study but 500.0 in the one given"},
    };
    tacit_error err = {0};
    tacit_document *stored = parse_ok(NAME TWO BOUND SPACE "}"),
                   *longer = parse_ok(NAME BOUND TWO "\"trials\": 500, " SPACE "}");
    assert_ok(tacit_document_same(stored, longer, &err));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tacit_document *other = parse_ok(others[i].given);
        assert_int_equal(tacit_document_same(stored, other, &err), TACIT_E_STATE);
        assert_string_equal(err.msg, others[i].message);
        tacit_document_free(other);
    }
    tacit_document_free(longer);
    tacit_document_free(stored);
}

static void outcomes_are_read_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"[1]", "outcomes must be an object, got an array"},
        {"{\"error\": 1, \"gain\": 2}",
         "outcomes.memory_mb is missing: the study's outcomes are error, gain, memory_mb, recall"},
        {"{\"error\": 1, \"gain\": 2, \"memory_mb\": 3, \"recall\": 4, \"f\": 5}",
         "outcomes.f is none: the study's outcomes are error, gain, memory_mb, recall"},
        {"{\"error\": 1, \"gain\": \"2\", \"memory_mb\": 3, \"recall\": 4}",
         "outcomes.gain must be a number, got a string"},
    };
    tacit_error err = {0};
    double got[4] = {0};
    tacit_document *d = parse_ok(NAME TWO BOUND SPACE "}");
    json_t *j = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_ok(tc_json_parse(wrong[i].text, strlen(wrong[i].text), "it", &j, &err));
        assert_int_equal(tc_outcomes_from_json(d->outcomes, j, "outcomes", got, &err), TACIT_E_ARG);
        assert_string_equal(err.msg, wrong[i].message);
        assert_true(got[0] == 0);
        json_decref(j);
    }
    static const double more[] = {2.5, 300, 0.95};
    j = tc_outcomes_json(d->outcomes, 0.1, more);
    assert_ok(tc_outcomes_from_json(d->outcomes, j, "outcomes", got, &err));
    json_decref(j);
    assert_true(got[0] == 0.1 && got[1] == 2.5 && got[2] == 300 && got[3] == 0.95);
    tacit_document_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_is_the_usual_outcome),
        cmocka_unit_test(objectives_come_before_what_is_bounded),
        cmocka_unit_test(constraints_go_beside_a_direction),
        cmocka_unit_test(the_text_is_canonical),
        cmocka_unit_test(a_reference_is_that_of_the_objectives),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(the_same_study_has_the_same_outcomes),
        cmocka_unit_test(outcomes_are_read_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
