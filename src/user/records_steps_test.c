/* records_steps_test.c - intermediate values of studies that protect records: what is told and charged, again and anew, what is
 * refused, and an attack on whole studies with real noise.
 *
 * The attack is that of sim/records_audit_test.c, on all values of a study of one party, intermediate ones, too. Two worlds
 * differ in one record, which moves every value by the whole sensitivity. All that the study tells follows from the released
 * values, so no test is better than their sum. A record that moves them by twice the declared sensitivity must be
 * caught. The numbers of studies, the two events and the chances to fail by luck are those of that test: the sums lie as many
 * standard deviations apart. */
#include <tacit/ledger.h>
#include <tacit/records.h>

#include "privacy/clopper_pearson.h"
#include "privacy/mechanism.h"
#include "study/handle.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORAGE "sqlite:///records.db"

static char folder[] = "/tmp/records_steps.XXXXXX";

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

enum { TRIALS = 3, SHARE = 2, EVALUATIONS = TRIALS * (1 + SHARE) + 1 }; /* one is left over */

/* evaluations 0: not said. */
static char *document(const char *name, double delta, int trials, int evaluations)
{
    static char text[640];
    char said[40] = "";
    if (evaluations > 0)
        snprintf(said, sizeof said, ", \"evaluations\": %d", evaluations);
    snprintf(text, sizeof text,
             "{\"name\": \"%s\", \"direction\": \"minimize\", \"trials\": %d, \"space\": {\"x\": "
             "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": "
             "\"random\"}, \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": %g, "
             "\"metric\": \"error\"%s}}",
             name, trials, delta, said);
    return text;
}

static void protect(tacit_study *s, uint64_t records)
{
    tacit_error err = {0};
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    o.records = records;
    o.ledger = tacit_study_name(s);
    assert_ok(tacit_study_protect(s, &o, &err));
}

static tacit_study *make(const char *text, uint64_t records)
{
    tacit_error err = {0};
    tacit_study *s;
    assert_ok(tacit_study_create(&s, STORAGE, text, NULL, &err));
    protect(s, records);
    return s;
}

static double step(tacit_study *s, uint64_t trial, uint64_t at, double raw)
{
    tacit_error err = {0};
    tacit_verdict v = TACIT_VERDICT;
    assert_ok(tacit_study_report_step(s, trial, at, raw, NULL, &v, &err));
    assert_int_equal(v.step, at);
    return v.value;
}

/* Entries of the ledger: a charge and a release for each evaluation. */
static uint64_t entries(const char *name)
{
    tacit_error err = {0};
    tacit_ledger *l;
    tacit_head head;
    assert_ok(tacit_ledger_open(&l, STORAGE, name, &err));
    assert_ok(tacit_ledger_head(l, &head, &err));
    tacit_ledger_close(l);
    return head.seq;
}

/* ---- what is told, and what it costs */

static void each_value_is_an_evaluation(void **state)
{
    tacit_error err = {0};
    double z, first[SHARE], x;
    uint64_t trial;
    (void)state;
    tacit_study *s = make(document("each", 1e-5, TRIALS, EVALUATIONS), 1000);
    assert_ok(tc_value_calibrate(1, 1e-5, EVALUATIONS, &z, &err));
    const double sd = z / 1000;
    assert_close(tacit_study_noise_sd(s), sd, sd * 1e-4);
    const uint64_t before = entries("each"); /* the plan */
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_int_equal(entries("each"), before + 1);
    int other = 0;
    for (uint64_t i = 0; i < SHARE; i++) {
        first[i] = step(s, trial, 10 * i, 0.25);
        assert_true(fabs(first[i] - 0.25) < 12 * sd);
        other += first[i] != 0.25;
        assert_int_equal(entries("each"), before + 3 + 2 * i);
    }
    assert_true(other > 0);
    /* The same again, with whatever raw value, and a run that begins anew. */
    assert_same_bits(step(s, trial, 10, 0.75), first[1]);
    for (uint64_t i = 0; i < SHARE; i++)
        assert_same_bits(step(s, trial, 10 * i, 0.75), first[i]);
    assert_int_equal(entries("each"), before + 1 + 2 * SHARE);
    assert_fails(tacit_study_report_step(s, trial, UINT64_MAX, 0.25, NULL, NULL, &err), TACIT_E_ARG,
                 "step must be at most 9007199254740992, got 18446744073709551615");
    assert_fails(tacit_study_report_step(s, trial, 20, 0.25, NULL, NULL, &err), TACIT_E_BUDGET,
                 "study \"each\" plans 10 evaluations for 3 trials, which pay for 2 intermediate "
                 "values of a trial");
    assert_ok(tacit_study_tell(s, trial, 0.25, &err));
    assert_int_equal(entries("each"), before + 2 + 2 * SHARE);
    assert_fails(tacit_study_report_step(s, trial, 0, 0.25, NULL, NULL, &err), TACIT_E_STATE,
                 "trial 0 is not being run");
    assert_int_equal(entries("each"), before + 2 + 2 * SHARE);
    tacit_study_close(s);
}

/* A pruned trial comes to a value that has its noise already, and models know it. What is not finite is a failure: the worse end. */
static void a_trial_is_pruned_by_noised_values(void **state)
{
    tacit_error err = {0};
    tacit_prune rule = TACIT_PRUNE;
    tacit_verdict v = TACIT_VERDICT;
    tacit_report pruned = TACIT_REPORT;
    tacit_trial *t;
    uint64_t trial;
    double x;
    (void)state;
    tacit_study *s = make(document("pruned", 1e-5, TRIALS, EVALUATIONS), 90000);
    rule.rule = TACIT_PRUNE_MEDIAN;
    rule.min_trials = 1;
    pruned.kind = TACIT_REPORT_PRUNED;
    for (int i = 0; i < 2; i++) {
        assert_ok(tacit_study_ask(s, &trial, &x, &err));
        assert_ok(
            tacit_study_report_step(s, trial, 1, i == 0 ? 0.25 : (double)NAN, &rule, &v, &err));
        assert_int_equal(v.stop, i);
        assert_ok(i == 0 ? tacit_study_tell(s, trial, 0.25, &err)
                         : tacit_study_report(s, trial, &pruned, &err));
    }
    assert_true(fabs(v.value - 1) < 12 * tacit_study_noise_sd(s));
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_PRUNED);
    assert_same_bits(t->steps[0].value, v.value);
    tacit_trial_free(t);
    const uint64_t so_far = entries("pruned"); /* the last value was paid for and is not released */
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    assert_ok(tacit_study_tell(s, trial, 0.5, &err));
    assert_int_equal(entries("pruned"), so_far + 2);
    assert_fails(tacit_study_ask(s, &trial, &x, &err), TACIT_E_BUDGET, "epsilon");
    char *said;
    assert_ok(tacit_study_protection(s, &said, &err));
    assert_non_null(strstr(said, "epsilon 1, delta 1e-05 over the 10 evaluations of study"));
    assert_non_null(strstr(said, "They are the last values of 3 trials and up to 2 intermediate "
                                 "values of each; that a trial reported a step at all is not "
                                 "hidden."));
    tacit_text_free(said);
    tacit_study_close(s);
}

static void what_is_not_planned_is_refused(void **state)
{
    tacit_error err = {0};
    tacit_document *d;
    (void)state;
    static const int planned[] = {0, TRIALS, 2 * TRIALS - 1};
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++) {
        char name[8], why[320];
        snprintf(name, sizeof name, "none%d", (int)i);
        tacit_study *s = make(document(name, 1e-5, TRIALS, planned[i]), 1000);
        snprintf(why, sizeof why,
                 "study %s protects validation records, and each intermediate value is one more "
                 "evaluation of them: it plans %d for 3 trials; give it \"evaluations\" in "
                 "\"privacy\", 6 for one intermediate value a trial",
                 name, planned[i] > 0 ? planned[i] : TRIALS);
        assert_fails(tacit_study_report_step(s, 0, 1, 0.5, NULL, NULL, &err), TACIT_E_UNSUPPORTED,
                     why);
        tacit_study_close(s);
    }
    assert_fails(tacit_document_parse(&d, document("few", 1e-5, TRIALS, TRIALS - 1), &err),
                 TACIT_E_ARG,
                 "privacy.evaluations must be a whole number in [3, 1000000000000], got 2");
    assert_ok(tacit_document_parse(&d, document("said", 1e-5, TRIALS, 7), &err));
    assert_fails(tacit_document_plan_evaluations(d, 2, &err), TACIT_E_ARG,
                 "evaluations of study said must be from 3, one for each trial, to 1e12, got 2");
    assert_fails(tacit_document_plan_evaluations(d, 8, &err), TACIT_E_ARG,
                 "study said plans 7 evaluations in its document, got 8");
    assert_ok(tacit_document_plan_evaluations(d, 7, &err));
    tacit_document_free(d);
    tacit_study *s;
    assert_ok(tacit_study_create(&s, STORAGE, document("mute", 1e-5, TRIALS, 6), NULL, &err));
    assert_fails(tacit_study_report_step(s, 0, 1, 0.5, NULL, NULL, &err), TACIT_E_STATE,
                 "study \"mute\" protects validation records: say how many there are before "
                 "anything is evaluated");
    tacit_study_close(s);
}

/* ---- the attack */

#define DELTA 0.3
enum {
    RECORDS = 3,
    RUNS = 450
}; /* 1/RECORDS is above delta, and what one record moves a value by */

static const struct {
    double threshold, alpha;
} events[] = {{1.41, 5e-10}, {1.8, 1e-5}};
enum { EVENTS = 2 };

/* The sum of all values beside that of world 0, in units of its noise. times: by how many times the sensitivity a record moves
 * them. planned: evaluations, and as many are made. */
static double score(int world, double times, int planned)
{
    tacit_error err = {0};
    tacit_document *doc;
    tc_store *store;
    tc_study *study;
    tacit_study *s;
    assert_ok(tacit_document_parse(&doc, document("attacked", DELTA, 2, planned), &err));
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    assert_ok(tc_study_create(&study, store, doc, NULL, &err));
    tacit_document_free(doc);
    assert_ok(tc_study_lend(&s, study, &err));
    protect(s, RECORDS);
    const double base = 0.125, raw = base + world * times / RECORDS; /* within [0, 1] */
    double sum = 0, x;
    int n = 0;
    for (int t = 0; t < 2; t++) {
        uint64_t trial;
        tacit_trial *told;
        assert_ok(tacit_study_ask(s, &trial, &x, &err));
        for (int i = 0; i + 1 < planned / 2; i++, n++)
            sum += step(s, trial, (uint64_t)i, raw) - base;
        assert_ok(tacit_study_tell(s, trial, raw, &err));
        assert_ok(tacit_study_trial(s, trial, &told, &err));
        sum += told->value - base;
        n++;
        tacit_trial_free(told);
    }
    assert_int_equal(n, planned);
    sum /= tacit_study_noise_sd(s) * sqrt(n);
    tacit_study_close(s);
    tc_study_close(study);
    tc_store_close(store);
    return sum;
}

static double lower_bound(double times, int planned)
{
    const uint64_t runs = getenv("TACIT_DEEP") ? 10 * RUNS : RUNS;
    uint64_t hits[EVENTS][2] = {{0}};
    double lower = 0;
    for (uint64_t i = 0; i < runs; i++)
        for (int world = 0; world < 2; world++) {
            double found = score(world, times, planned);
            for (int k = 0; k < EVENTS; k++)
                hits[k][world] += found >= events[k].threshold;
        }
    for (int k = 0; k < EVENTS; k++) {
        double p = tc_clopper_pearson_lower(hits[k][1], runs, events[k].alpha / 2);
        double q = tc_clopper_pearson_upper(hits[k][0], runs, events[k].alpha / 2);
        if (p > DELTA)
            lower = fmax(lower, log((p - DELTA) / q));
    }
    print_message("%g times the sensitivity, %d evaluations: epsilon at least %.3f\n", times,
                  planned, lower);
    return lower;
}

static void an_attack_finds_no_more_than_is_promised(void **state)
{
    (void)state;
    assert_true(lower_bound(1, 8) <= 1);
    assert_true(lower_bound(2, 8) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_is_an_evaluation),
        cmocka_unit_test(a_trial_is_pruned_by_noised_values),
        cmocka_unit_test(what_is_not_planned_is_refused),
        cmocka_unit_test(an_attack_finds_no_more_than_is_promised),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
