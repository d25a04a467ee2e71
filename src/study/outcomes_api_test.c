/* outcomes_api_test.c - several objectives and constraints behind the handle of a study: what is told, what is best, the front
 * and its volume, earlier results, and that a reopened study goes on with the same bits. */
#include <tacit/study.h>

#include "support/store_folder.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPACE                                                                                      \
    "\"seed\": 4, \"trials\": 30, \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": " \
    "1}}}"
static const char bounded[] = "{\"name\": \"b\", \"direction\": \"minimize\", \"constraints\": "
                              "{\"m\": {\"max\": 10}, \"r\": {\"min\": 0.5}}, " SPACE;
static const char several[] = "{\"name\": \"s\", \"objectives\": {\"error\": \"minimize\", "
                              "\"gain\": \"maximize\"}, \"constraints\": {\"m\": {\"max\": 10}}, "
                              "\"algorithm\": \"random\", " SPACE;
static const char plain[] = "{\"name\": \"p\", \"direction\": \"minimize\", " SPACE;

static tacit_study *create(const char *storage, const char *document)
{
    tacit_error err = {0};
    tacit_study *s;
    assert_ok(tacit_study_create(&s, storage, document, NULL, &err));
    return s;
}

static void tell(tacit_study *s, double a, double b, double c)
{
    tacit_error err = {0};
    uint64_t trial;
    double x;
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_ok(tacit_study_tell_outcomes(s, trial, (const double[]){a, b, c}, &err));
}

static void all_outcomes_are_told_or_none(void **state)
{
    (void)state;
    tacit_error err = {0};
    uint64_t trial;
    double x;
    tacit_trial *t;
    tacit_study *s = create("memory:", bounded), *p = create("memory:", plain);
    tacit_report r = TACIT_REPORT;
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_fails(tacit_study_tell(s, trial, 1, &err), TACIT_E_ARG,
                 "study b is told 3 outcomes of a trial (value, m, r), got 1");
    r.outcomes = (const double[]){1, 2, 3};
    assert_fails(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG,
                 "report.outcomes and report.n_outcomes go together");
    r.n_outcomes = 2;
    assert_fails(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG,
                 "study b is told 3 outcomes of a trial (value, m, r), got 2");
    r.kind = TACIT_REPORT_FAILED;
    assert_fails(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG,
                 "report.outcomes goes with a report of a value");
    assert_fails(tacit_study_tell_outcomes(s, trial, (const double[]){1, NAN, 3}, &err),
                 TACIT_E_ARG, "the outcomes of trial 0 must be finite numbers, got nan");
    assert_fails(tacit_study_tell_outcomes(s, trial, NULL, &err), TACIT_E_ARG,
                 "outcomes must not be NULL");
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_RUNNING);
    assert_null(t->outcomes);
    assert_int_equal(t->n_outcomes, 0);
    assert_false(t->feasible);
    assert_true(isnan(t->violation));
    tacit_trial_free(t);
    assert_ok(tacit_study_tell_outcomes(s, trial, (const double[]){1, 20, 0.25}, &err));
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_true(t->value == 1 && t->outcomes[0] == 1 && t->outcomes[1] == 20 &&
                t->outcomes[2] == 0.25);
    assert_int_equal(t->n_outcomes, 3);
    assert_false(t->feasible);
    assert_true(t->violation == 1.5);
    tacit_trial_free(t);
    /* A study of one value takes it either way, and says it either way. */
    assert_ok(tacit_study_ask(p, &trial, &x, &err));
    r = (tacit_report)TACIT_REPORT;
    r.outcomes = (const double[]){7, 8};
    r.n_outcomes = 2;
    assert_fails(tacit_study_report(p, trial, &r, &err), TACIT_E_ARG,
                 "study p is told one value of a trial, got 2 outcomes");
    assert_ok(tacit_study_tell_outcomes(p, trial, r.outcomes, &err));
    assert_ok(tacit_study_trial(p, trial, &t, &err));
    assert_true(t->value == 7 && t->outcomes[0] == 7 && t->n_outcomes == 1 && t->feasible);
    tacit_trial_free(t);
    tacit_study_close(p);
    tacit_study_close(s);
}

static void assert_best(tacit_study *s, double value, bool feasible)
{
    tacit_error err = {0};
    tacit_trial *t;
    tacit_recommendation *r;
    assert_ok(tacit_study_best(s, &t, &err));
    assert_true(t->value == value);
    assert_int_equal(t->feasible, feasible);
    tacit_trial_free(t);
    assert_ok(tacit_study_recommend(s, TACIT_BY_SEEN, &r, &err));
    assert_true(r->trial->value == value);
    if (!feasible)
        assert_string_equal(r->because,
                            "no trial is feasible yet, and this one misses its bounds by least");
    tacit_recommendation_free(r);
}

static void the_best_is_feasible_where_one_is(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_trial *t;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    tacit_study *s = create("memory:", bounded);
    assert_fails(tacit_study_best(s, &t, &err), TACIT_E_STATE, "no trial of b is complete yet");
    tell(s, 1, 30, 1);   /* 2 */
    tell(s, 9, 15, 0.4); /* 0.5 + 0.2 */
    tell(s, 2, 17, 1);   /* 0.7 */
    assert_best(s, 9, false);
    assert_ok(tacit_study_summarize(s, &now, &err));
    assert_int_equal(now.objectives, 1);
    assert_int_equal(now.feasible, 0);
    assert_int_equal(now.front, 0);
    assert_true(now.best_trial == TACIT_UNKNOWN && isnan(now.best));
    tell(s, 5, 10, 0.5);
    tell(s, 6, 1, 1);
    assert_best(s, 5, true);
    assert_ok(tacit_study_summarize(s, &now, &err));
    assert_int_equal(now.feasible, 2);
    assert_int_equal(now.best_trial, 3);
    assert_true(now.best == 5);
    tacit_study_close(s);
}

static void several_objectives_have_a_front(void **state)
{
    (void)state;
    static const double front[][2] = {{3, 9}, {1, 5}, {0.5, 1}};
    static const double points[][3] = {{0.5, 1, 9}, {1, 5, 10}, {2, 5, 1},    {3, 9, 1},
                                       {0, 99, 11}, {4, 9, 0},  {0.5, 0.5, 0}};
    tacit_error err = {0};
    tacit_trials *list;
    tacit_trial *t;
    tacit_recommendation *r;
    double volume;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    tacit_study *s = create("memory:", several);
    assert_ok(tacit_study_front(s, &list, &err));
    assert_int_equal(tacit_trials_count(list), 0);
    tacit_trials_free(list);
    assert_ok(tacit_study_hypervolume(s, (const double[]){4, 0}, &volume, &err));
    assert_true(volume == 0);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        tell(s, points[i][0], points[i][1], points[i][2]);
    assert_ok(tacit_study_front(s, &list, &err));
    assert_int_equal(tacit_trials_count(list), 3);
    for (size_t i = 0; i < 3; i++) {
        const tacit_trial *on = tacit_trials_get(list, i);
        assert_true(on->outcomes[0] == front[2 - i][0] && on->outcomes[1] == front[2 - i][1]);
        assert_true(on->feasible);
    }
    tacit_trials_free(list);
    /* Steps of (reference - error) x (gain - reference), by hand. */
    assert_ok(tacit_study_hypervolume(s, (const double[]){4, 0}, &volume, &err));
    assert_true(fabs(volume - (1 * 9 + 2 * 5 + 0.5 * 1)) < 1e-12);
    assert_ok(tacit_study_hypervolume(s, (const double[]){0.25, 0}, &volume, &err));
    assert_true(volume == 0);
    assert_fails(tacit_study_hypervolume(s, (const double[]){4, NAN}, &volume, &err), TACIT_E_ARG,
                 "reference 1 must be a finite number, got nan");
    assert_fails(tacit_study_best(s, &t, &err), TACIT_E_UNSUPPORTED,
                 "study s has 2 objectives, and so a front in place of one best trial");
    assert_fails(tacit_study_recommend(s, TACIT_BY_MODEL, &r, &err), TACIT_E_UNSUPPORTED,
                 "study s has 2 objectives, and so a front in place of one best trial");
    assert_ok(tacit_study_summarize(s, &now, &err));
    assert_int_equal(now.objectives, 2);
    assert_int_equal(now.feasible, 6);
    assert_int_equal(now.front, 3);
    assert_true(now.best_trial == TACIT_UNKNOWN && isnan(now.best));
    tacit_study_close(s);
}

static void earlier_results_have_all_outcomes(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_trial *t;
    tacit_study *s = create("memory:", several);
    static const double x[] = {0.25, 0.75}, y[] = {1, 2, 3, 4, 5, 60};
    static const double torn[] = {1, 2, 3, 4, NAN, 6};
    assert_fails(tacit_study_import(s, 2, x, y, &err), TACIT_E_ARG,
                 "study s is told 3 outcomes of a trial: give all of them "
                 "(tacit_study_import_outcomes)");
    assert_fails(tacit_study_import_outcomes(s, 2, x, torn, &err), TACIT_E_ARG,
                 "row 2: the value must be finite, got nan");
    assert_fails(tacit_study_trial(s, 0, &t, &err), TACIT_E_NOT_FOUND, "there is no trial 0");
    assert_ok(tacit_study_import_outcomes(s, 2, x, y, &err));
    assert_ok(tacit_study_trial(s, 1, &t, &err));
    assert_true(t->values[0] == 0.75 && t->outcomes[0] == 4 && t->outcomes[1] == 5 &&
                t->outcomes[2] == 60 && !t->feasible && t->violation == 5);
    tacit_trial_free(t);
    tacit_study_close(s);
}

static tacit_status last_body(void *user, const tacit_event *e, tacit_error *err)
{
    (void)err;
    snprintf(user, 200, "%s", e->body);
    return TACIT_OK;
}

/* Closed after each trial, as a process that is killed would leave it: points and values are those of one that went on. */
static void a_reopened_study_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    tacit_error err = {0};
    char body[200];
    const char *documents[] = {bounded, several};
    for (size_t d = 0; d < 2; d++) {
        tacit_study *one = create("memory:", documents[d]);
        for (uint64_t i = 0; i < 14; i++) {
            tacit_study *two = create(url, documents[d]);
            uint64_t a, b;
            double x, y;
            assert_ok(tacit_study_ask(one, &a, &x, &err));
            assert_ok(tacit_study_ask(two, &b, &y, &err));
            assert_int_equal(a, i);
            assert_int_equal(b, i);
            assert_same_bits(x, y);
            const double outcomes[] = {(x - 0.3) * (x - 0.3), x, 11 * x};
            assert_ok(tacit_study_tell_outcomes(one, a, outcomes, &err));
            assert_ok(tacit_study_tell_outcomes(two, b, outcomes, &err));
            tacit_study_close(two);
        }
        assert_fails(tacit_study_tell_outcomes(one, 0, (const double[]){0, 0, 0}, &err),
                     TACIT_E_STATE, "trial 0 was told already: it is COMPLETE");
        assert_ok(tacit_study_events(one, 0, last_body, body, &err));
        assert_non_null(strstr(body, "\"more\":["));
        tacit_study_close(one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_outcomes_are_told_or_none),
        cmocka_unit_test(the_best_is_feasible_where_one_is),
        cmocka_unit_test(several_objectives_have_a_front),
        cmocka_unit_test(earlier_results_have_all_outcomes),
        IN_FOLDER(a_reopened_study_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
