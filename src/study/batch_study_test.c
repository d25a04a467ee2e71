/* batch_study_test.c - batches through the public interface: whoever tells them, in how many sittings,
 * in whichever store, the study is the same, and its journal has two records for each. */
#include "support/store_folder.h"

#include "study/store.h"

#include <tacit/study.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char document[] =
    "{\"name\": \"b\", \"direction\": \"minimize\", \"trials\": 3000, \"seed\": 5,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -1, \"high\": 1},"
    "             \"n\": {\"type\": \"int\", \"low\": 1, \"high\": 8}},"
    " \"algorithm\": {\"name\": \"blin\", \"low\": -4, \"high\": 0}}";

enum { WIDTH = 2, TRIALS = 30 };

static tacit_study *open_study(const char *storage)
{
    tacit_error err = {0};
    tacit_study *s = NULL;
    assert_ok(tacit_study_create(&s, storage, document, NULL, &err));
    return s;
}

/* The value of pull i. */
static double pull(const double *v, uint64_t i)
{
    return v[0] * v[0] + 0.1 * fabs(v[1] - 3) + (double)(i % 10) / 10;
}

typedef struct trace {
    double values[TRIALS][WIDTH], told[TRIALS];
    uint64_t pulls[TRIALS];
} trace;

static void ask_batch(tacit_study *s, uint64_t most, uint64_t *trial, double *v, uint64_t *pulls)
{
    tacit_error err = {0};
    tacit_trials *got;
    tacit_ask_opts q = TACIT_ASK_OPTS;
    q.pulls = most;
    assert_ok(tacit_study_ask_many(s, &q, &got, &err));
    assert_int_equal(tacit_trials_count(got), 1);
    const tacit_trial *t = tacit_trials_get(got, 0);
    *trial = t->number;
    *pulls = t->pulls;
    memcpy(v, t->values, WIDTH * sizeof *v);
    tacit_trials_free(got);
}

static tacit_status tell_batch(tacit_study *s, uint64_t trial, const tacit_batch *b,
                               tacit_error *err)
{
    tacit_report r = TACIT_REPORT;
    r.kind = TACIT_REPORT_BATCH;
    r.batch = *b;
    return tacit_study_report(s, trial, &r, err);
}

static void run_trial(tacit_study *s, uint64_t most, trace *t)
{
    tacit_batch b = {0};
    uint64_t trial, pulls;
    double v[WIDTH];
    tacit_error err = {0};
    tacit_trial *told;
    ask_batch(s, most, &trial, v, &pulls);
    assert_true(trial < TRIALS && pulls >= 1 && pulls <= most);
    for (uint64_t i = 0; i < pulls; i++)
        assert_ok(tacit_study_add_pull(s, &b, pull(v, i), &err));
    assert_ok(tell_batch(s, trial, &b, &err));
    assert_ok(tacit_study_trial(s, trial, &told, &err));
    memcpy(t->values[trial], told->values, sizeof t->values[trial]);
    t->told[trial] = told->value;
    tacit_trial_free(told);
    t->pulls[trial] = pulls;
}

static void assert_same(const trace *a, const trace *b)
{
    for (size_t i = 0; i < TRIALS; i++) {
        assert_int_equal(a->pulls[i], b->pulls[i]);
        assert_same_bits(a->told[i], b->told[i]);
        assert_memory_equal(a->values[i], b->values[i], sizeof a->values[i]);
    }
}

static tacit_status count_row(void *user, const tc_event_row *row, tacit_error *err)
{
    (void)err;
    size_t *n = user;
    n[row->kind == TC_EVENT_ASK]++;
    return TACIT_OK;
}

static void in_many_sittings(void **state)
{
    (void)state;
    tacit_error err = {0};
    static trace once, often;
    tacit_study *s = open_study("memory:"), *other = NULL;
    for (int i = 0; i < TRIALS; i++)
        run_trial(s, 100000, &once);
    tacit_study_close(s);
    for (int i = 0; i < TRIALS; i++) { /* a handle that stays, and one that is opened each time */
        if (i == 0)
            other = open_study(url);
        s = i % 2 ? other : open_study(url);
        run_trial(s, 100000, &often);
        if (s != other)
            tacit_study_close(s);
    }
    assert_same(&once, &often);
    tacit_study_close(other);
    tc_store *store = NULL;
    tc_study_row row;
    size_t events[2] = {0};
    assert_ok(tc_store_open(&store, url, false, &err));
    assert_ok(tc_store_study_get(store, "b", &row, &err));
    assert_ok(tc_store_scan(store, row.id, 0, count_row, events, &err));
    assert_int_equal(events[0], TRIALS);
    assert_int_equal(events[1], TRIALS);
    tc_study_row_fini(&row);
    tc_store_close(store);
}

/* The mean in the study's own direction; the best is the one with the smallest. */
static void what_is_told(void **state)
{
    (void)state;
    static trace t;
    tacit_study *s = open_study("memory:");
    tacit_error err = {0};
    tacit_trial *best;
    uint64_t total = 0;
    double least = INFINITY;
    for (int i = 0; i < TRIALS; i++) {
        run_trial(s, 1000, &t);
        double sum = 0;
        for (uint64_t k = 0; k < t.pulls[i]; k++)
            sum += pull(t.values[i], k);
        assert_close(t.told[i], sum / (double)t.pulls[i], 1e-7);
        least = fmin(least, t.told[i]);
        total += t.pulls[i];
    }
    assert_true(total > 5 * TRIALS);
    assert_ok(tacit_study_best(s, &best, &err));
    assert_same_bits(best->value, least);
    tacit_trial_free(best);
    tacit_study_close(s);
}

static void refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = open_study("memory:");
    tacit_batch b = {0};
    uint64_t trial, pulls;
    double v[WIDTH];
    ask_batch(s, 0, &trial, v, &pulls);
    assert_int_equal(pulls, 1); /* none wanted is one */
    assert_int_equal(tacit_study_add_pull(s, &b, NAN, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, "a value must be a finite number, got nan");
    assert_int_equal(b.pulls, 0);
    assert_int_equal(tell_batch(s, trial, &b, &err), TACIT_E_ARG);
    assert_string_equal(err.msg,
                        "trial 0: pulls must be in 1..1, as many as were asked for, got 0");
    assert_int_equal(tacit_study_add_pull(s, &b, 9, &err),
                     TACIT_OK); /* beyond the range: reward 0 */
    assert_int_equal(b.sum, 0);
    assert_int_equal(tell_batch(s, 7, &b, &err), TACIT_E_NOT_FOUND);
    assert_int_equal(tell_batch(s, trial, &b, &err), TACIT_OK);
    assert_int_equal(tell_batch(s, trial, &b, &err), TACIT_E_STATE);
    tacit_study_close(s);
    assert_ok(
        tacit_study_create(&s, "memory:",
                           "{\"name\": \"r\", \"direction\": \"minimize\", \"trials\": 9,"
                           " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
                           " \"algorithm\": {\"name\": \"random\"}}",
                           NULL, &err));
    ask_batch(s, 50, &trial, v, &pulls);
    assert_int_equal(pulls, 1);
    assert_int_equal(tacit_study_add_pull(s, &b, 1, &err), TACIT_E_UNSUPPORTED);
    assert_int_equal(tell_batch(s, trial, &b, &err), TACIT_E_UNSUPPORTED);
    assert_int_equal(tacit_study_tell(s, trial, 1, &err), TACIT_OK);
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(in_many_sittings),
        cmocka_unit_test(what_is_told),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
