/* worker_batch_test.c - batches that a program runs pull by pull: the same trials and sums as those of
 * whoever asks for the same batches and adds up the same values. */
#include <tacit/worker.h>

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TRIALS = 24, PULLS = 5 };

static tacit_study *make_study(void)
{
    static const char text[] = "{\"name\": \"b\", \"direction\": \"maximize\", \"trials\": 24,"
                               " \"seed\": 3, \"algorithm\": {\"name\": \"blin\"}, \"space\":"
                               " {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}";
    tacit_error err = {0};
    tacit_study *s;
    assert_ok(tacit_study_create(&s, "memory:", text, NULL, &err));
    return s;
}

static void run_program(tacit_study *s, char *const *argv, uint64_t pulls)
{
    tacit_error err = {0};
    tacit_worker_opts opts = TACIT_WORKER_OPTS;
    opts.command = argv;
    opts.pulls = pulls;
    assert_ok(tacit_worker_run(s, &opts, NULL, &err));
}

/* The value of a pull is where it was. */
static uint64_t run_trial(tacit_study *s, const tacit_trial *t)
{
    tacit_error err = {0};
    double values[PULLS];
    tacit_report r = TACIT_REPORT;
    r.kind = TACIT_REPORT_PULLS;
    r.pulls = values;
    while (r.n_pulls < t->pulls)
        values[r.n_pulls++] = t->values[0];
    assert_ok(tacit_study_report(s, t->number, &r, &err));
    return t->pulls;
}

static void run_by_hand(tacit_study *s)
{
    tacit_error err = {0};
    for (uint64_t done = 0; done < TRIALS;) {
        tacit_ask_opts q = TACIT_ASK_OPTS;
        tacit_trials *got;
        q.pulls = PULLS;
        assert_ok(tacit_study_ask_many(s, &q, &got, &err));
        done += run_trial(s, tacit_trials_get(got, 0));
        tacit_trials_free(got);
    }
}

static void assert_same(tacit_study *a, tacit_study *b)
{
    tacit_error err = {0};
    tacit_trials *p, *q;
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    bool several = false;
    assert_ok(tacit_study_summarize(a, &sum, &err));
    assert_int_equal(sum.finished, TRIALS);
    assert_ok(tacit_study_trials(a, NULL, &p, &err));
    assert_ok(tacit_study_trials(b, NULL, &q, &err));
    assert_int_equal(tacit_trials_count(p), tacit_trials_count(q));
    for (size_t t = 0; t < tacit_trials_count(p); t++) {
        const tacit_trial *x = tacit_trials_get(p, t), *y = tacit_trials_get(q, t);
        assert_same_bits(x->values[0], y->values[0]);
        assert_same_bits(x->value, y->value);
        assert_int_equal(x->pulls, y->pulls);
        several = several || x->pulls > 1;
    }
    assert_true(several);
    tacit_trials_free(p);
    tacit_trials_free(q);
}

static void pulls_are_run_and_added(void **state)
{
    char *const argv[] = {"echo", "{x}", NULL};
    (void)state;
    tacit_study *a = make_study(), *b = make_study();
    run_program(a, argv, PULLS);
    run_by_hand(b);
    assert_same(a, b);
    tacit_study_close(a);
    tacit_study_close(b);
}

/* The second pull of every batch fails: what came before it is told. */
static void what_came_before_a_failure_is_told(void **state)
{
    char folder[] = "/tmp/tacit-batch-XXXXXX", script[160];
    tacit_error err = {0};
    tacit_trials *all;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(script, sizeof script, "f=%s/$TACIT_TRIAL; test -e $f && exit 3; touch $f; echo 0.25",
             folder);
    char *const argv[] = {"sh", "-c", script, NULL};
    tacit_study *s = make_study();
    run_program(s, argv, PULLS);
    assert_ok(tacit_study_trials(s, NULL, &all, &err));
    assert_true(tacit_trials_count(all) > 0);
    for (size_t t = 0; t < tacit_trials_count(all); t++) {
        assert_int_equal(tacit_trials_get(all, t)->state, TACIT_TRIAL_COMPLETE);
        assert_int_equal(tacit_trials_get(all, t)->pulls, 1);
        assert_same_bits(tacit_trials_get(all, t)->value, 0.25);
    }
    tacit_trials_free(all);
    for (uint64_t t = 0; t < TRIALS; t++) {
        snprintf(script, sizeof script, "%s/%d", folder, (int)t);
        unlink(script);
    }
    assert_int_equal(rmdir(folder), 0);
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulls_are_run_and_added),
        cmocka_unit_test(what_came_before_a_failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
