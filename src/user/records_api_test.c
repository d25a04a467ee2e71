/* records_api_test.c - <tacit/records.h>: what a study that protects records is told, what it costs, and what is refused. */
#include <tacit/ledger.h>
#include <tacit/records.h>

#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORAGE "sqlite:///records.db"

static char folder[] = "/tmp/records_api.XXXXXX";

static int start(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    return chdir(folder);
}

static int stop(void **state)
{
    char command[sizeof folder + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

#define ERROR "\"metric\": \"error\""

static char *document(const char *name, const char *direction, const char *metric)
{
    static char text[640];
    snprintf(text, sizeof text,
             "{\"name\": \"%s\", \"direction\": \"%s\", \"trials\": 6, \"space\": {\"x\": "
             "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": "
             "\"random\"}, \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, "
             "%s}}",
             name, direction, metric);
    return text;
}

static tacit_study *make(const char *name, const char *metric)
{
    tacit_error err = {0};
    tacit_study *s;
    assert_ok(tacit_study_create(&s, STORAGE, document(name, "minimize", metric), NULL, &err));
    return s;
}

/* Of a data set of its own, whose ledger has this name. */
static tacit_records_opts thousand(const char *ledger)
{
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    o.records = 1000;
    o.ledger = ledger;
    return o;
}

static double value_of(tacit_study *s, uint64_t trial)
{
    tacit_error err = {0};
    tacit_trial *t;
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_COMPLETE);
    double value = t->value;
    tacit_trial_free(t);
    return value;
}

/* 6 evaluations at epsilon 1: z = 3.7306 sqrt(6), and one of 1000 records moves an error by 1/1000. */
#define SD (3.7306316 * 2.4494897 / 1000)

static void a_value_is_told_with_noise(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("noise", ERROR);
    tacit_records_opts o = thousand("a_value_is_told_with_noise");
    uint64_t trial;
    double x;
    int other = 0;
    (void)state;
    assert_ok(tacit_study_protect(s, &o, &err));
    assert_close(tacit_study_noise_sd(s), SD, SD * 1e-4);
    for (int i = 0; i < 6; i++) {
        assert_ok(tacit_study_ask(s, &trial, &x, &err));
        assert_ok(tacit_study_tell(s, trial, 0.25, &err));
        double got = value_of(s, trial);
        assert_true(fabs(got - 0.25) < 12 * SD);
        other += got != 0.25; /* a step of the grid is 2^-21 of the noise */
    }
    assert_true(other >= 5);
    assert_fails(tacit_study_ask(s, &trial, &x, &err), TACIT_E_BUDGET, "epsilon");
    tacit_study_close(s);
}

/* The last trial was paid for and not told: its worker gets it back, though nothing more may be spent. */
static void what_was_paid_for_is_given_back(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("back", ERROR);
    tacit_records_opts o = thousand("what_was_paid_for_is_given_back");
    tacit_ask_opts q = TACIT_ASK_OPTS;
    tacit_trials *got;
    (void)state;
    assert_ok(tacit_study_protect(s, &o, &err));
    q.worker = "gpu-1";
    q.count = 6;
    assert_ok(tacit_study_ask_many(s, &q, &got, &err));
    tacit_trials_free(got);
    for (uint64_t i = 0; i < 5; i++)
        assert_ok(tacit_study_tell(s, i, 0.5, &err));
    q.count = 1;
    assert_ok(tacit_study_ask_many(s, &q, &got, &err));
    assert_int_equal(tacit_trials_get(got, 0)->number, 5);
    tacit_trials_free(got);
    q.worker = "gpu-2";
    assert_fails(tacit_study_ask_many(s, &q, &got, &err), TACIT_E_BUDGET, "epsilon");
    assert_ok(tacit_study_tell(s, 5, 0.5, &err));
    tacit_study_close(s);
}

/* What was declared at the first start holds: another ledger would know nothing of what was paid. */
static void terms_are_kept(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("kept", ERROR);
    tacit_records_opts o = thousand("terms_are_kept");
    (void)state;
    assert_ok(tacit_study_protect(s, &o, &err));
    tacit_study_close(s);
    static const char why[] = "were declared otherwise before";
    assert_ok(tacit_study_open(&s, STORAGE, "kept", NULL, &err));
    o.ledger = "fresh";
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_CONFLICT, why);
    o = thousand("terms_are_kept");
    o.ledger_storage = "sqlite:///elsewhere.db";
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_CONFLICT, why);
    o = thousand("terms_are_kept");
    o.trainer = "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 50}";
    o.epsilon = 30;
    o.delta = 1e-5;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_CONFLICT, why);
    o = thousand("terms_are_kept");
    assert_ok(tacit_study_protect(s, &o, &err));
    tacit_study_close(s);
}

/* Where no program clips single losses, a narrower range would only hide how far the metric moves. */
static void a_range_does_not_shrink_what_is_not_clipped(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("area", "\"metric\": \"auc\"");
    tacit_records_opts o = thousand("area");
    (void)state;
    o.class_floor = 100;
    o.low = 0.85;
    o.high = 0.86;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG,
                 "range must be equal to the [0, 1]");
    o.low = 0;
    o.high = 1;
    assert_ok(tacit_study_protect(s, &o, &err));
    assert_close(tacit_study_noise_sd(s), 10 * SD, SD * 1e-2);
    tacit_study_close(s);
    assert_ok(tacit_study_create(
        &s, STORAGE,
        "{\"name\": \"lax\", \"direction\": \"minimize\", \"trials\": 5, \"space\": {\"x\": "
        "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"privacy\": {\"unit\": \"record\", "
        "\"epsilon\": 1, \"delta\": 0.9, \"metric\": \"error\"}}",
        NULL, &err));
    o = thousand("lax");
    o.records = 0;
    o.sensitivity = 0.1;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG,
                 "privacy.delta must be at most 1e-05");
    tacit_study_close(s);
}

/* A limit that is too small is said at once; as many trials are handed out as are paid for. */
static void more_is_not_handed_out_than_is_paid_for(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("many", ERROR);
    tacit_records_opts o = thousand("many");
    tacit_ask_opts q = TACIT_ASK_OPTS;
    tacit_trials *got;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    (void)state;
    o.epsilon = 0.5;
    o.delta = 1e-5;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_BUDGET, "has no room for study");
    o.epsilon = o.delta = 0;
    assert_ok(tacit_study_protect(s, &o, &err));
    q.count = 10;
    assert_ok(tacit_study_ask_many(s, &q, &got, &err));
    assert_int_equal(tacit_trials_count(got), 6);
    tacit_trials_free(got);
    assert_fails(tacit_study_ask_many(s, &q, &got, &err), TACIT_E_BUDGET, "epsilon");
    assert_ok(tacit_study_summarize(s, &now, &err));
    assert_int_equal(now.running, 6);
    tacit_study_close(s);
}

static void nothing_happens_before_records_are_declared(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("undeclared", ERROR);
    double x = 0.5, y = 0.1;
    uint64_t trial;
    static const char why[] = "protects validation records: say how many there are";
    (void)state;
    assert_fails(tacit_study_ask(s, &trial, &x, &err), TACIT_E_STATE, why);
    assert_fails(tacit_study_tell(s, 0, 0.1, &err), TACIT_E_STATE, why);
    assert_fails(tacit_study_fail(s, 0, NULL, &err), TACIT_E_STATE, why);
    assert_fails(tacit_study_import(s, 1, &x, &y, &err), TACIT_E_UNSUPPORTED,
                 "earlier results were made without its noise");
    assert_true(tacit_study_noise_sd(s) == 0);
    tacit_study_close(s);
}

static void terms_are_checked(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("terms", ERROR);
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    char *text;
    (void)state;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG, "records is missing");
    o.records = 100000;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG,
                 "privacy.delta must be below 1/n = 1e-05 for 100000 records");
    o = thousand("terms_are_checked");
    o.sensitivity = 0.1;
    o.per_person = 2;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG, "it must have them in it");
    o = thousand("terms_are_checked");
    o.class_floor = 10;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG, "for the metric auc alone");
    o = thousand("terms_are_checked");
    o.low = 0;
    o.high = 2;
    assert_fails(
        tacit_study_protect(s, &o, &err), TACIT_E_ARG,
        "range must be equal to the [0, 1] of the study's document (metric error), got [0, 2]");
    o = thousand("terms_are_checked");
    o.epsilon = 1;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG, "go together");
    assert_fails(tacit_study_protection(s, &text, &err), TACIT_E_STATE, "no records");
    o = thousand("terms_are_checked");
    o.per_person = 4;
    assert_ok(tacit_study_protect(s, &o, &err));
    assert_close(tacit_study_noise_sd(s), 4 * SD, SD * 1e-3);
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_STATE, "declared already");
    assert_ok(tacit_study_protection(s, &text, &err));
    assert_non_null(strstr(text, "Validation records are protected with epsilon 1, delta 1e-05 "
                                 "over the 6 evaluations"));
    assert_non_null(strstr(text, "of one person, 4 at most, are replaced by others"));
    tacit_text_free(text);
    tacit_study_close(s);
}

static void metrics_without_a_bound_need_a_sensitivity(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("f1", "\"metric\": \"f1\", \"range\": [0, 1]");
    tacit_records_opts o = thousand("metrics_without_a_bound_need_a_sensitivity");
    (void)state;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG,
                 "the metric f1 has no sensitivity of range / records");
    o.records = 0;
    o.sensitivity = 0.004;
    assert_ok(tacit_study_protect(s, &o, &err));
    assert_close(tacit_study_noise_sd(s), 4 * SD, SD * 1e-3);
    tacit_study_close(s);
}

/* Failures look like values: complete, near the worse end. */
static void failures_are_values(void **state)
{
    tacit_error err = {0};
    tacit_study *s;
    tacit_records_opts o = thousand("failures_are_values");
    uint64_t trial;
    double x;
    (void)state;
    assert_ok(tacit_study_create(&s, STORAGE, document("worst", "maximize", "\"range\": [-1, 3]"),
                                 NULL, &err));
    assert_ok(tacit_study_protect(s, &o, &err));
    for (int i = 0; i < 3; i++) {
        assert_ok(tacit_study_ask(s, &trial, &x, &err));
        assert_ok(i == 0   ? tacit_study_fail(s, trial, "out of memory", &err)
                  : i == 1 ? tacit_study_tell(s, trial, (double)NAN, &err)
                           : tacit_study_tell(s, trial, -1e9, &err));
        assert_true(fabs(value_of(s, trial) + 1) < 12 * 4 * SD);
    }
    tacit_study_close(s);
}

/* A report that was released and not told, and one that is told twice, are the same bits. */
static void one_output_for_one_charge(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("once", ERROR);
    tacit_records_opts o = thousand("one_output_for_one_charge");
    uint64_t trial;
    double x, first;
    tacit_trial *t;
    (void)state;
    assert_ok(tacit_study_protect(s, &o, &err));
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_ok(tacit_study_tell(s, trial, 0.25, &err));
    first = value_of(s, trial);
    assert_fails(tacit_study_tell(s, trial, 0.75, &err), TACIT_E_STATE, "told already");
    assert_same_bits(value_of(s, trial), first);
    assert_fails(tacit_study_tell(s, 5, 0.5, &err), TACIT_E_STATE, "was not reserved");
    tacit_study_close(s);
    assert_ok(tacit_study_open(&s, STORAGE, "once", NULL, &err));
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_same_bits(t->value, first);
    tacit_trial_free(t);
    o.records = 999; /* other terms than the first evaluation had */
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_CONFLICT, "declared otherwise before");
    o.records = 1000;
    assert_ok(tacit_study_protect(s, &o, &err));
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    tacit_study_close(s);
}

/* All evaluations are paid for, and one of them was lost: it is asked for again, and no other is. */
static void what_was_paid_for_is_asked_for_again(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("lost", ERROR);
    tacit_records_opts o = thousand("what_was_paid_for_is_asked_for_again");
    uint64_t trial;
    double x;
    (void)state;
    assert_ok(tacit_study_protect(s, &o, &err));
    for (int i = 0; i < 6; i++)
        assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_fails(tacit_study_ask(s, &trial, &x, &err), TACIT_E_BUDGET, "epsilon");
    assert_ok(tacit_study_requeue(s, 4, &err));
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_int_equal(trial, 4);
    assert_ok(tacit_study_tell(s, 4, 0.5, &err));
    assert_fails(tacit_study_ask(s, &trial, &x, &err), TACIT_E_BUDGET, "epsilon");
    assert_ok(tacit_study_enqueue(s, &(double){0.5}, NULL, &err)); /* nobody paid for this one */
    assert_ok(tacit_study_requeue(s, 5, &err));
    assert_fails(tacit_study_ask(s, &trial, &x, &err), TACIT_E_BUDGET, "epsilon");
    tacit_study_close(s);
}

/* Two studies on the same records, under a limit over both. */
static void a_ledger_has_a_limit(void **state)
{
    tacit_error err = {0};
    tacit_study *a = make("first", ERROR), *b = make("second", ERROR);
    tacit_records_opts o = thousand("a_ledger_has_a_limit");
    uint64_t trial;
    double x;
    (void)state;
    assert_ok(tacit_study_protect(a, &o, &err));
    assert_ok(tacit_study_ask(a, &trial, &x, &err));
    assert_ok(tacit_study_tell(a, trial, 0.5, &err));
    assert_fails(tacit_study_protect(b, &o, &err), TACIT_E_BUDGET,
                 "has paid for another study already");
    tacit_study_close(b);
    b = make("third", ERROR);
    o.epsilon = 4;
    o.delta = 1e-4;
    assert_ok(tacit_study_protect(b, &o, &err));
    assert_ok(tacit_study_ask(b, &trial, &x, &err));
    tacit_study_close(a);
    tacit_study_close(b);
}

#define TRAINER "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 20}"

/* What all of it costs: six values of z = 3.7306 sqrt(6) and six trainings at 20 / 2. */
static double with_trainings(void)
{
    tacit_error err = {0};
    tacit_guarantee g = TACIT_GUARANTEE;
    tacit_dp_event both[] = {{TACIT_DP_GAUSSIAN, 3.7306316 * 2.4494897, TACIT_DP_ALL, 1, 6},
                             {TACIT_DP_GAUSSIAN, 10, TACIT_DP_ALL, 1, 6}};
    assert_ok(tacit_account(NULL, both, 2, 1e-5, &g, &err));
    return g.epsilon;
}

static void a_trainer_is_charged_as_well(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("trained", ERROR);
    tacit_records_opts o = thousand("a_trainer_is_charged_as_well");
    char *text, said[64];
    uint64_t trial;
    double x, total = with_trainings();
    (void)state;
    o.trainer = "{\"dp_event\": \"NonPrivate\"}";
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG, "trainer must be private");
    o.trainer = TRAINER;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG,
                 "promises epsilon 1 for its values, and with this trainer costs every record");
    o.epsilon = total * 0.99;
    o.delta = 1e-5;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_BUDGET, "with its trainer costs");
    o.epsilon = total * 1.001;
    o.per_person = 2;
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG,
                 "trainer and per_person 2 do not go together");
    o.per_person = 1;
    assert_ok(tacit_study_protect(s, &o, &err));
    assert_close(tacit_study_noise_sd(s), SD, SD * 1e-4); /* the values' noise is as before */
    assert_ok(tacit_study_protection(s, &text, &err));
    assert_non_null(strstr(text, "Training records are protected as well: the 6 trainings"));
    snprintf(said, sizeof said, "together cost every record epsilon %.3f", total);
    said[strlen(said) - 1] = '\0'; /* the last digit is rounded up */
    assert_non_null(strstr(text, said));
    assert_null(strstr(text, "Not protected: training records"));
    tacit_text_free(text);
    for (int i = 0; i < 6; i++) {
        assert_ok(tacit_study_ask(s, &trial, &x, &err));
        assert_ok(tacit_study_tell(s, trial, 0.5, &err));
    }
    assert_fails(tacit_study_ask(s, &trial, &x, &err), TACIT_E_BUDGET, "epsilon");
    tacit_study_close(s);
}

/* What the ledger itself says. */
static void a_ledger_has_trainings_and_values(void **state)
{
    tacit_error err = {0};
    tacit_ledger *l;
    tacit_spent spent = TACIT_SPENT;
    (void)state;
    assert_ok(tacit_ledger_open(&l, STORAGE, "a_trainer_is_charged_as_well", &err));
    assert_ok(tacit_ledger_spent(l, TACIT_UNIT_RECORD, NULL, NULL, 1e-5, &spent, &err));
    assert_close(spent.epsilon, with_trainings(), 1e-4);
    assert_int_equal(spent.releases, 12);
    assert_string_equal(spent.relation, "replace-one");
    tacit_ledger_close(l);
}

static void other_studies_need_none(void **state)
{
    tacit_error err = {0};
    tacit_study *s;
    tacit_records_opts o = thousand("other_studies_need_none");
    (void)state;
    assert_ok(tacit_study_create(&s, STORAGE,
                                 "{\"name\": \"plain\", \"direction\": \"minimize\", \"space\": "
                                 "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}",
                                 NULL, &err));
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG, "protects no records");
    tacit_study_close(s);
    assert_ok(tacit_study_create(&s, "memory:", document("gone", "minimize", ERROR), NULL, &err));
    assert_fails(tacit_study_protect(s, &o, &err), TACIT_E_ARG, "does not last");
    o.test_seed = 1;
    assert_ok(tacit_study_protect(s, &o, &err));
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_told_with_noise),
        cmocka_unit_test(what_was_paid_for_is_given_back),
        cmocka_unit_test(terms_are_kept),
        cmocka_unit_test(a_range_does_not_shrink_what_is_not_clipped),
        cmocka_unit_test(more_is_not_handed_out_than_is_paid_for),
        cmocka_unit_test(nothing_happens_before_records_are_declared),
        cmocka_unit_test(terms_are_checked),
        cmocka_unit_test(metrics_without_a_bound_need_a_sensitivity),
        cmocka_unit_test(failures_are_values),
        cmocka_unit_test(one_output_for_one_charge),
        cmocka_unit_test(what_was_paid_for_is_asked_for_again),
        cmocka_unit_test(a_ledger_has_a_limit),
        cmocka_unit_test(a_trainer_is_charged_as_well),
        cmocka_unit_test(a_ledger_has_trainings_and_values),
        cmocka_unit_test(other_studies_need_none),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
