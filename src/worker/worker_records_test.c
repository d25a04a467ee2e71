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

static const char *document_of(const char *name)
{
    static char text[512];
    snprintf(text, sizeof text,
             "{\"name\": \"%s\", \"direction\": \"minimize\", \"trials\": 6, \"space\": {\"x\": "
             "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": "
             "\"random\"}, \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, "
             "\"metric\": \"error\"}}",
             name);
    return text;
}

static tacit_study *make(const char *name)
{
    tacit_error err = {0};
    tacit_study *s;
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    assert_ok(tacit_study_create(&s, STORAGE, document_of(name), NULL, &err));
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

static tacit_status never(void *user, uint64_t trial, const double *values, double *value,
                          tacit_error *err)
{
    (void)user;
    (void)trial;
    (void)values;
    (void)value;
    (void)err;
    return TACIT_E_NUMERIC;
}

/* A worker that stopped would tell that evaluations failed. */
static void failures_do_not_end_the_work(void **state)
{
    tacit_error err = {0};
    tacit_study *s = make("broken");
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    tacit_worker_result r = TACIT_WORKER_RESULT;
    (void)state;
    w.evaluate = never;
    w.max_failures = 2;
    assert_ok(tacit_worker_run(s, &w, &r, &err));
    assert_int_equal(r.told, 6);
    tacit_study_close(s);
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

/* ---- what a program reports beside its value ---- */

#define CAP "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 20}"

/* By its number; the value is 0.25. */
static const char program[] =
    "case $TACIT_TRIAL in\n"
    "0) echo '{\"value\": 0.25, \"n\": 1000, \"dp_event\": " CAP "}' ;;\n"
    "1) echo '{\"value\": 0.25, \"n\": 999, \"dp_event\": " CAP "}' ;;\n"
    "2) echo '{\"value\": 0.25, \"n\": \"1000\", \"dp_event\": " CAP "}' ;;\n"
    "3) echo '{\"value\": 0.25, \"dp_event\": {\"dp_event\": \"SelfComposed\", \"count\": 2, "
    "\"event\": " CAP "}}' ;;\n"
    "4) echo '{\"value\": 0.25}' ;;\n"
    "*) echo 0.25 ;;\nesac";

typedef struct heard {
    char notes[6][400];
    int n;
} heard;

static void note_failure(void *user, const tacit_worker_event *e)
{
    heard *h = user;
    if (e->kind == TACIT_WORKER_NOTE && strstr(e->text, "failed") && h->n < 6)
        snprintf(h->notes[h->n++], sizeof *h->notes, "%s", e->text);
}

static heard run_program(tacit_study *s)
{
    tacit_error err = {0};
    char *const argv[] = {"sh", "program.sh", NULL}; /* braces of an argument are a parameter's */
    FILE *f = fopen("program.sh", "w");
    tacit_worker_opts w = TACIT_WORKER_OPTS;
    heard h = {.n = 0};
    assert_non_null(f);
    assert_true(fputs(program, f) >= 0 && fclose(f) == 0);
    w.command = argv;
    w.listen = note_failure;
    w.user = &h;
    assert_ok(tacit_worker_run(s, &w, NULL, &err));
    return h;
}

static void assert_values(tacit_study *s, const double expected[6])
{
    tacit_error err = {0};
    for (uint64_t i = 0; i < 6; i++) {
        tacit_trial *t;
        assert_true(fabs(value_of(s, i) - expected[i]) < 12 * SD);
        assert_ok(tacit_study_trial(s, i, &t, &err));
        assert_true(!t->reason || !*t->reason); /* why it failed stays here */
        tacit_trial_free(t);
    }
}

/* Without a trainer its cost is nobody's business; the number of records is. */
static void another_number_of_records_is_a_failure(void **state)
{
    tacit_study *s = make("numbers");
    (void)state;
    heard h = run_program(s);
    assert_int_equal(h.n, 2);
    assert_non_null(strstr(h.notes[0], "trial 1 failed (\"n\" on the last line is 999, and 1000 "
                                       "records were declared); it is told as the worse end"));
    assert_non_null(strstr(h.notes[1], "trial 2 failed (\"n\" on the last line is not a number)"));
    assert_values(s, (double[]){0.25, 1, 1, 0.25, 0.25, 0.25});
    tacit_study_close(s);
}

static void a_training_beyond_its_cap_is_a_failure(void **state)
{
    tacit_error err = {0};
    tacit_study *s;
    tacit_records_opts o = TACIT_RECORDS_OPTS;
    (void)state;
    assert_ok(tacit_study_create(&s, STORAGE, document_of("caps"), NULL, &err));
    o.records = 1000;
    o.ledger = "caps";
    o.epsilon = 3;
    o.delta = 1e-5;
    o.trainer = CAP;
    assert_ok(tacit_study_protect(s, &o, &err));
    heard h = run_program(s);
    assert_int_equal(h.n, 5);
    assert_non_null(strstr(h.notes[2], "trial 3 failed (dp_event reports 2 times Gaussian(20)"));
    assert_non_null(strstr(h.notes[3], "trial 4 failed (no \"dp_event\" on the last line, and a "
                                       "trainer was declared)"));
    assert_non_null(strstr(h.notes[4], "trial 5 failed (no \"dp_event\""));
    assert_values(s, (double[]){0.25, 1, 1, 1, 1, 1});
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_tell_noised_values),
        cmocka_unit_test(failures_do_not_end_the_work),
        cmocka_unit_test(what_was_released_is_told),
        cmocka_unit_test(another_number_of_records_is_a_failure),
        cmocka_unit_test(a_training_beyond_its_cap_is_a_failure),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
