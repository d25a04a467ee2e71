/* worker_outcomes_test.c - <tacit/worker.h> in studies with several outcomes: functions and programs that come to all of them,
 * and to fewer. */
#include <tacit/worker.h>

#include "support/test.h"

#include <math.h>
#include <string.h>

enum { TRIALS = 4 };

static tacit_study *make_study(void)
{
    static const char text[] =
        "{\"name\": \"w\", \"objectives\": {\"error\": \"minimize\", \"gain\": \"maximize\"}, "
        "\"constraints\": {\"m\": {\"max\": 0.5}}, \"trials\": 4, \"seed\": 3, \"algorithm\": "
        "{\"name\": \"random\"}, \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": "
        "1}}}";
    tacit_error err = {0};
    tacit_study *s;
    assert_ok(tacit_study_create(&s, "memory:", text, NULL, &err));
    return s;
}

static tacit_status three(void *user, tacit_evaluation *e, tacit_error *err)
{
    (void)user;
    (void)err;
    assert_int_equal(e->n_outcomes, 3);
    for (size_t i = 0; i < 3; i++)
        e->outcomes[i] = isnan(e->outcomes[i]) ? (double)(i + 1) * e->values[0] : (double)NAN;
    return TACIT_OK;
}

static tacit_status two(void *user, tacit_evaluation *e, tacit_error *err)
{
    tacit_status status = three(user, e, err);
    e->outcomes[1] = (double)NAN;
    return status;
}

static tacit_status one(void *user, uint64_t trial, const double *x, double *value,
                        tacit_error *err)
{
    (void)user;
    (void)trial;
    (void)err;
    *value = x[0];
    return TACIT_OK;
}

/* What the worker says it told is what the study has. */
static void hear(void *user, const tacit_worker_event *e)
{
    int *told = user;
    if (e->kind == TACIT_WORKER_TOLD && e->report->kind == TACIT_REPORT_VALUE)
        *told += e->report->n_outcomes == 3 && e->report->outcomes[0] == e->report->value;
}

static void assert_threes(tacit_study *s, double factor)
{
    tacit_error err = {0};
    tacit_trials *all;
    assert_ok(tacit_study_trials(s, NULL, &all, &err));
    assert_int_equal(tacit_trials_count(all), TRIALS);
    for (size_t i = 0; i < TRIALS; i++) {
        const tacit_trial *t = tacit_trials_get(all, i);
        assert_int_equal(t->state, TACIT_TRIAL_COMPLETE);
        assert_int_equal(t->n_outcomes, 3);
        for (size_t k = 0; k < 3; k++)
            assert_true(fabs(t->outcomes[k] - factor * (double)(k + 1) * t->values[0]) < 1e-9);
        assert_int_equal(t->feasible, t->outcomes[2] <= 0.5);
    }
    tacit_trials_free(all);
}

static void functions_come_to_all_of_them(void **state)
{
    (void)state;
    for (uint64_t jobs = 1; jobs <= 2; jobs++) {
        tacit_error err = {0};
        int told = 0;
        tacit_study *s = make_study();
        tacit_worker_opts o = TACIT_WORKER_OPTS;
        o.evaluate_trial = three;
        o.jobs = jobs;
        o.listen = hear;
        o.user = &told;
        assert_ok(tacit_worker_run(s, &o, NULL, &err));
        assert_threes(s, 1);
        assert_int_equal(told, TRIALS);
        tacit_study_close(s);
    }
}

static void assert_reason(tacit_study *s, const char *reason)
{
    tacit_error err = {0};
    tacit_trial *t;
    assert_ok(tacit_study_trial(s, 0, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_FAIL);
    assert_string_equal(t->reason, reason);
    tacit_trial_free(t);
}

static void an_outcome_that_is_left_out_is_a_failure(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = make_study();
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    o.evaluate_trial = two;
    o.max_alike = 0;
    assert_ok(tacit_worker_run(s, &o, NULL, &err));
    assert_reason(s, "gain is nan");
    tacit_study_close(s);
}

/* Braces are doubled: single ones are places of parameters. */
static void command_of(char *out, size_t size, const char *script)
{
    size_t n = 0;
    for (; *script && n + 3 < size; script++) {
        out[n++] = *script;
        if (*script == '{' || *script == '}')
            out[n++] = *script;
    }
    out[n] = '\0';
}

static void programs_print_an_object(void **state)
{
    static const struct {
        const char *line, *reason;
    } wrong[] = {
        {"echo 0.5", "the last line is no JSON object of 3 outcomes: \"0.5\""},
        {"true", "nothing on standard output, where an object of outcomes belongs"},
        {"echo '{\"error\": 1, \"m\": 3}'", "the JSON on the last line has no \"gain\""},
        {"echo '{\"error\": 1, \"gain\": \"2\", \"m\": 3}'",
         "\"gain\" on the last line is not a number"},
        {"echo '{\"error\": 1, \"gain\": NaN, \"m\": 3}'",
         "the object on the last line is not valid JSON"},
        {"echo '{\"error\": 1, \"gain\": 2, \"m\": 3}'; exit 3", "exit status 3"},
    };
    (void)state;
    tacit_error err = {0};
    tacit_study *s = make_study();
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    char *command[] = {(char *)"sh", (char *)"-c", NULL, NULL};
    char program[400];
    command_of(program, sizeof program,
               "echo epoch 1; awk -v x=$TACIT_PARAMS 'BEGIN { sub(/.*:/, \"\", x); x += 0; printf "
               "\"{\\\"note\\\": \\\"x\\\", \\\"m\\\": %.17g, \\\"error\\\": %.17g, "
               "\\\"gain\\\": %.17g}\\n\", 6 * x, 2 * x, 4 * x }'");
    command[2] = program;
    o.command = command;
    assert_ok(tacit_worker_run(s, &o, NULL, &err));
    assert_threes(s, 2);
    tacit_study_close(s);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s = make_study();
        command_of(program, sizeof program, wrong[i].line);
        o.max_alike = 0;
        o.trials = 1;
        assert_ok(tacit_worker_run(s, &o, NULL, &err));
        assert_reason(s, wrong[i].reason);
        tacit_study_close(s);
    }
}

static void a_function_of_one_value_is_refused(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_study *s = make_study();
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    o.evaluate = one;
    assert_fails(tacit_worker_run(s, &o, NULL, &err), TACIT_E_ARG,
                 "study w is told 3 outcomes of a trial: give evaluate_trial, not evaluate");
    o.evaluate_trial = three;
    assert_fails(tacit_worker_run(s, &o, NULL, &err), TACIT_E_ARG, "give either a function");
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_come_to_all_of_them),
        cmocka_unit_test(an_outcome_that_is_left_out_is_a_failure),
        cmocka_unit_test(programs_print_an_object),
        cmocka_unit_test(a_function_of_one_value_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
