/* worker_records_test.c - a worker of a study that protects records: it tells and shows noised values, tells what an earlier
 * process released and did not tell, and ends where the ledger does. */
#include <tacit/records.h>
#include <tacit/worker.h>

#include "study/handle.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORAGE "sqlite:///records.db"

static char folder[] = "/tmp/worker_records.XXXXXX";

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

static tacit_study *make(const char *name)
{
    char text[512];
    tacit_error err = {0};
    tacit_study *s;
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    snprintf(text, sizeof text,
             "{\"name\": \"%s\", \"direction\": \"minimize\", \"trials\": 6, \"space\": {\"x\": "
             "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": "
             "\"random\"}, \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, "
             "\"metric\": \"error\"}}",
             name);
    assert_ok(tacit_study_create(&s, STORAGE, text, NULL, &err));
    o.records = 1000;
    o.ledger = name;
    assert_ok(tacit_study_protect(s, &o, &err));
    return s;
}

/* Of the noise: z = 3.7306 sqrt(6), and one of 1000 records moves an error by 1/1000. */
#define SD (3.7306316 * 2.4494897 / 1000)

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

static tacit_status half(void *user, uint64_t trial, const double *values, double *value,
                         tacit_error *err)
{
    (void)user;
    (void)values;
    (void)err;
    *value = 0.5;
    return trial == 2 ? TACIT_E_NUMERIC : TACIT_OK;
}

static void note_value(void *user, const tacit_worker_event *e)
{
    double *seen = user;
    if (e->kind == TACIT_WORKER_TOLD)
        seen[e->trial] = e->report->value;
}

/* A worker shows what it told, not what it measured. */
static void workers_tell_noised_values(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("worker");
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    tacit_worker_result r = TACIT_WORKER_RESULT;
    double seen[6] = {0};
    (void)state;
    w.evaluate = half;
    w.listen = note_value;
    w.user = seen;
    assert_ok(tacit_worker_run(s, &w, &r, &err));
    assert_int_equal(r.told, 6);
    for (uint64_t i = 0; i < 6; i++) {
        assert_same_bits(seen[i], value_of(s, i));
        assert_true(fabs(seen[i] - (i == 2 ? 1 : 0.5)) < 12 * SD);
    }
    w.trials = 7;
    assert_fails(tacit_worker_run(s, &w, &r, &err), TACIT_E_BUDGET, "epsilon");
    tacit_study_close(s);
}

typedef struct killed {
    int evaluated;
} killed;

static tacit_status count(void *user, uint64_t trial, const double *values, double *value,
                          tacit_error *err)
{
    killed *k = user;
    (void)trial;
    (void)values;
    (void)err;
    k->evaluated++;
    *value = 0.5;
    return TACIT_OK;
}

/* A trial that was handed out by hand and released: nobody evaluates it a second time. */
static void what_was_released_is_told(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("left");
    killed k = {0};
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    tacit_report r = TACIT_REPORT;
    uint64_t trial;
    double x;
    (void)state;
    assert_ok(tacit_study_ask(s, &trial, &x, &err));
    r.value = 0.25;
    assert_ok(tc_study_make_private(s, trial, &r, &err)); /* and the process dies here */
    w.evaluate = count;
    w.user = &k;
    w.alone = true;
    assert_ok(tacit_worker_run(s, &w, NULL, &err));
    assert_int_equal(k.evaluated, 5);
    assert_same_bits(value_of(s, trial), r.value);
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_tell_noised_values),
        cmocka_unit_test(what_was_released_is_told),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
