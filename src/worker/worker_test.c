/* worker_test.c - <tacit/worker.h>: functions and programs, one job and several, and every way to end. */
#include <tacit/worker.h>

#include "base/error.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TRIALS = 6, PATIENCE_MS = 60000 };

static tacit_study *make_study(void)
{
    static const char text[] = "{\"name\": \"w\", \"direction\": \"minimize\", \"trials\": 6,"
                               " \"seed\": 3, \"algorithm\": {\"name\": \"random\"}, \"space\":"
                               " {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}";
    tacit_error err = {0};
    tacit_study *s;
    assert_ok(tacit_study_create(&s, "memory:", text, NULL, &err));
    return s;
}

/* What the functions below are given, and what they have seen. */
typedef struct scene {
    tacit_study *study;
    pthread_t caller;
    pthread_mutex_t lock;
    atomic_int called;
    int meet; /* meet: so many wait for each other */
    atomic_int here;
    bool elsewhere; /* it was called by another thread than the caller's */
    int standing, started, told, untold;
    char note[512];
    int stop_at; /* calls after which `stop` says so */
} scene;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* Returns which call it is. */
static int note_call(scene *s)
{
    pthread_mutex_lock(&s->lock);
    int number = ++s->called;
    s->elsewhere = s->elsewhere || !pthread_equal(pthread_self(), s->caller);
    pthread_mutex_unlock(&s->lock);
    return number;
}

static tacit_status square(void *user, uint64_t trial, const double *x, double *value,
                           tacit_error *err)
{
    (void)trial;
    (void)err;
    *value = (x[0] - 0.5) * (x[0] - 0.5);
    note_call(user);
    return TACIT_OK;
}

static tacit_status diverge(void *user, uint64_t trial, const double *x, double *value,
                            tacit_error *err)
{
    (void)x;
    (void)value;
    note_call(user);
    err->code = TACIT_E_NUMERIC;
    snprintf(err->msg, sizeof err->msg, "trial %d diverged", (int)trial);
    return TACIT_E_NUMERIC;
}

static void listen(void *user, const tacit_worker_event *e)
{
    scene *s = user;
    s->standing += e->kind == TACIT_WORKER_STANDING && e->summary->planned == TRIALS;
    s->started += e->kind == TACIT_WORKER_STARTED;
    s->told += e->kind == TACIT_WORKER_TOLD && e->report != NULL;
    s->untold += e->kind == TACIT_WORKER_UNTOLD;
    if (e->kind == TACIT_WORKER_NOTE)
        snprintf(s->note, sizeof s->note, "%s", e->text);
}

static bool stop(void *user)
{
    const scene *s = user;
    return s->stop_at > 0 && s->called >= s->stop_at;
}

static void scene_begin(scene *s)
{
    *s = (scene){.study = make_study(), .caller = pthread_self()};
    pthread_mutex_init(&s->lock, NULL);
}

static void scene_end(scene *s)
{
    tacit_study_close(s->study);
    pthread_mutex_destroy(&s->lock);
}

static tacit_worker_opts opts_of(scene *s, tacit_evaluate f, uint64_t jobs)
{
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    o.evaluate = f;
    o.jobs = jobs;
    o.listen = listen;
    o.stop = stop;
    o.user = s;
    return o;
}

static uint64_t count(tacit_study *study, tacit_trial_state state)
{
    tacit_error err = {0};
    tacit_trials *list;
    tacit_trial_query q = TACIT_TRIAL_QUERY;
    q.state = state;
    assert_ok(tacit_study_trials(study, &q, &list, &err));
    uint64_t n = tacit_trials_count(list);
    tacit_trials_free(list);
    return n;
}

/* ---- functions ---- */

static void a_function_runs_in_the_callers_thread(void **state)
{
    scene s;
    tacit_error err = {0};
    tacit_worker_result r = TACIT_WORKER_RESULT;
    (void)state;
    scene_begin(&s);
    tacit_worker_opts o = opts_of(&s, square, 0);
    assert_ok(tacit_worker_run(s.study, &o, &r, &err));
    assert_int_equal(r.end, TACIT_WORKER_ENOUGH);
    assert_int_equal(r.told, TRIALS);
    assert_int_equal(s.called, TRIALS);
    assert_false(s.elsewhere);
    assert_int_equal(s.started, TRIALS);
    assert_int_equal(s.told, TRIALS);
    assert_true(s.standing >= TRIALS);
    assert_ok(tacit_worker_run(s.study, &o, &r, &err)); /* there is enough */
    assert_int_equal(s.called, TRIALS);
    assert_int_equal(r.told, 0);
    scene_end(&s);
}

/* Returns only when `meet` of them are here at once. */
static tacit_status meet(void *user, uint64_t trial, const double *x, double *value,
                         tacit_error *err)
{
    scene *s = user;
    atomic_fetch_add(&s->here, 1);
    for (int ms = 0; atomic_load(&s->here) < s->meet && ms < PATIENCE_MS; ms += 2)
        nap();
    return square(user, trial, x, value, err);
}

static void several_functions_run_at_once(void **state)
{
    scene s;
    tacit_error err = {0};
    (void)state;
    scene_begin(&s);
    s.meet = 3;
    tacit_worker_opts o = opts_of(&s, meet, 3);
    assert_ok(tacit_worker_run(s.study, &o, NULL, &err));
    assert_true(atomic_load(&s.here) >= 3);
    assert_true(s.elsewhere);
    assert_int_equal(s.called, TRIALS);
    assert_int_equal(count(s.study, TACIT_TRIAL_COMPLETE), TRIALS);
    scene_end(&s);
}

static tacit_status return_nan(void *user, uint64_t trial, const double *x, double *value,
                               tacit_error *err)
{
    (void)trial;
    (void)x;
    (void)err;
    *value = (double)NAN;
    note_call(user);
    return TACIT_OK;
}

static void failures_are_told_and_counted(void **state)
{
    scene s;
    tacit_error err = {0};
    tacit_trial *t;
    tacit_worker_result r = TACIT_WORKER_RESULT;
    (void)state;
    scene_begin(&s);
    tacit_worker_opts o = opts_of(&s, diverge, 1);
    o.max_failures = 2;
    assert_fails(tacit_worker_run(s.study, &o, &r, &err), TACIT_E_STATE,
                 "2 trials failed in a row, the last with: trial 1 diverged");
    assert_int_equal(r.end, TACIT_WORKER_FAILURES);
    assert_int_equal(r.told, 2);
    o.evaluate = return_nan;
    o.max_failures = o.max_alike = 0;
    assert_ok(tacit_worker_run(s.study, &o, &r, &err));
    assert_int_equal(count(s.study, TACIT_TRIAL_FAIL), TRIALS);
    assert_ok(tacit_study_trial(s.study, 5, &t, &err));
    assert_non_null(strstr(t->reason, "nan"));
    tacit_trial_free(t);
    scene_end(&s);
}

/* Fails, but for the calls from `fine` on to the one before `again`; from `other` on for another reason. */
typedef struct failing {
    int called, fine, again, other;
} failing;

static tacit_status fail_mostly(void *user, uint64_t trial, const double *x, double *value,
                                tacit_error *err)
{
    failing *f = user;
    int call = ++f->called;
    (void)trial;
    *value = x[0];
    if (call >= f->fine && call < f->again)
        return TACIT_OK;
    err->code = TACIT_E_IO;
    snprintf(err->msg, sizeof err->msg, "no module named %s", call >= f->other ? "b" : "a");
    return TACIT_E_IO;
}

static tacit_status run_failing(failing f, tacit_worker_opts o, tacit_worker_result *r,
                                tacit_error *err)
{
    tacit_study *s = make_study();
    o.evaluate = fail_mostly;
    o.user = &f;
    tacit_status status = tacit_worker_run(s, &o, r, err);
    assert_int_equal(count(s, TACIT_TRIAL_FAIL) + count(s, TACIT_TRIAL_COMPLETE), r->told);
    tacit_study_close(s);
    return status;
}

static void a_broken_command_does_not_eat_the_study(void **state)
{
    tacit_error err = {0};
    tacit_worker_result r = TACIT_WORKER_RESULT;
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    (void)state;
    assert_int_equal(o.max_alike, 3);
    assert_fails(
        run_failing((failing){.fine = 9, .again = 9, .other = 9}, o, &r, &err), TACIT_E_STATE,
        "the first 3 trials of this run failed alike (no module named a): the function seems to "
        "be broken");
    assert_int_equal(r.end, TACIT_WORKER_FAILURES);
    assert_int_equal(r.told, 3);
    /* Two reasons, or a success before them: the command works, and some points are bad. */
    assert_ok(run_failing((failing){.fine = 9, .again = 9, .other = 3}, o, &r, &err));
    assert_int_equal(r.told, TRIALS);
    assert_ok(run_failing((failing){.fine = 1, .again = 2, .other = 9}, o, &r, &err));
    assert_ok(run_failing((failing){.fine = 3, .again = 4, .other = 9}, o, &r, &err));
    assert_int_equal(r.told, TRIALS);
    o.max_alike = 0;
    assert_ok(run_failing((failing){.fine = 9, .again = 9, .other = 9}, o, &r, &err));
    assert_int_equal(r.told, TRIALS);
}

/* A study that two workers of this process run at once. */
typedef struct pair {
    scene *scene;
    tacit_status status;
} pair;

static void *run_one(void *user)
{
    pair *p = user;
    tacit_error err = {0};
    tacit_worker_opts o = opts_of(p->scene, meet, 1);
    o.listen = NULL; /* which would be called by both at once */
    p->status = tacit_worker_run(p->scene->study, &o, NULL, &err);
    return NULL;
}

static void two_workers_of_one_process(void **state)
{
    scene s;
    pair a = {.scene = &s}, b = {.scene = &s};
    pthread_t other;
    (void)state;
    scene_begin(&s);
    s.meet = 2;
    assert_int_equal(pthread_create(&other, NULL, run_one, &b), 0);
    run_one(&a);
    pthread_join(other, NULL);
    assert_int_equal(a.status, TACIT_OK);
    assert_int_equal(b.status, TACIT_OK);
    assert_true(s.called >= TRIALS); /* both may have asked for a last one */
    assert_int_equal(count(s.study, TACIT_TRIAL_COMPLETE), s.called); /* no trial twice */
    scene_end(&s);
}

/* ---- ways to end ---- */

static tacit_status cancel_third(void *user, uint64_t trial, const double *x, double *value,
                                 tacit_error *err)
{
    (void)trial;
    (void)err;
    *value = x[0];
    return note_call(user) == 3 ? TACIT_E_CANCELLED : TACIT_OK;
}

static void what_was_cancelled_is_run_again(void **state)
{
    (void)state;
    for (uint64_t jobs = 1; jobs <= 2; jobs++) {
        scene s;
        tacit_error err = {0};
        tacit_worker_result r = TACIT_WORKER_RESULT;
        scene_begin(&s);
        tacit_worker_opts o = opts_of(&s, cancel_third, jobs);
        assert_fails(tacit_worker_run(s.study, &o, &r, &err), TACIT_E_CANCELLED,
                     "interrupted with ");
        assert_int_equal(r.end, TACIT_WORKER_STOPPED);
        assert_int_equal(count(s.study, TACIT_TRIAL_RUNNING), 1);
        assert_int_equal(count(s.study, TACIT_TRIAL_COMPLETE), r.told);
        o.jobs = 1;
        assert_ok(tacit_worker_run(s.study, &o, &r, &err));
        assert_non_null(strstr(s.note, "again, which an earlier run left unfinished"));
        assert_int_equal(count(s.study, TACIT_TRIAL_RUNNING), 0);
        assert_int_equal(count(s.study, TACIT_TRIAL_COMPLETE), TRIALS);
        assert_int_equal(s.called, TRIALS + 1); /* one of them twice */
        scene_end(&s);
    }
}

static void what_ran_when_it_was_stopped_is_told(void **state)
{
    (void)state;
    for (uint64_t jobs = 1; jobs <= 2; jobs++) {
        scene s;
        tacit_error err = {0};
        tacit_worker_result r = TACIT_WORKER_RESULT;
        scene_begin(&s);
        s.stop_at = 2;
        tacit_worker_opts o = opts_of(&s, square, jobs);
        assert_int_equal(tacit_worker_run(s.study, &o, &r, &err), TACIT_E_CANCELLED);
        assert_int_equal(r.end, TACIT_WORKER_STOPPED);
        assert_int_equal(s.called, r.told);
        assert_true(r.told >= 2 && r.told < TRIALS);
        scene_end(&s);
    }
}

static tacit_status take_a_while(void *user, uint64_t trial, const double *x, double *value,
                                 tacit_error *err)
{
    nap();
    return square(user, trial, x, value, err);
}

static void time_is_over(void **state)
{
    scene s;
    tacit_error err = {0};
    tacit_worker_result r = TACIT_WORKER_RESULT;
    (void)state;
    scene_begin(&s);
    tacit_worker_opts o = opts_of(&s, take_a_while, 1);
    o.time_ms = 1;
    assert_ok(tacit_worker_run(s.study, &o, &r, &err));
    assert_int_equal(r.end, TACIT_WORKER_TIME);
    assert_true(r.told <= 1);
    assert_int_equal(count(s.study, TACIT_TRIAL_RUNNING), 0);
    scene_end(&s);
}

/* ---- leases ---- */

/* Returns when its own lease was renewed. */
static tacit_status await_renewal(void *user, uint64_t trial, const double *x, double *value,
                                  tacit_error *err)
{
    const scene *s = user;
    int64_t first = 0, until = 0;
    for (int ms = 0; until <= first && ms < PATIENCE_MS; ms += 2) {
        tacit_trial *t;
        if (tacit_study_trial(s->study, trial, &t, err) != TACIT_OK)
            return TACIT_E_INTERNAL;
        until = t->asked_ms + t->lease_ms;
        first = first ? first : until;
        tacit_trial_free(t);
        nap();
    }
    tacit_status status = square(user, trial, x, value, err);
    return until > first ? status : TACIT_E_INTERNAL;
}

static void leases_are_renewed(void **state)
{
    (void)state;
    for (uint64_t jobs = 1; jobs <= 2; jobs++) {
        scene s;
        tacit_error err = {0};
        scene_begin(&s);
        tacit_worker_opts o = opts_of(&s, await_renewal, jobs);
        o.lease_ms = 1500;
        o.trials = 1;
        assert_ok(tacit_worker_run(s.study, &o, NULL, &err));
        assert_int_equal(count(s.study, TACIT_TRIAL_FAIL), 0);
        scene_end(&s);
    }
}

/* ---- programs ---- */

static void a_program_finds_its_trial(void **state)
{
    char *const argv[] = {
        "sh", "-c",      "test $TACIT_STUDY = w && test $TACIT_TRIAL = $1 && echo 2.5",
        "sh", "{trial}", NULL};
    scene s;
    tacit_error err = {0};
    tacit_trial *best;
    (void)state;
    scene_begin(&s);
    tacit_worker_opts o = opts_of(&s, NULL, 2);
    o.command = argv;
    assert_ok(tacit_worker_check(tacit_study_document(s.study), &o, &err));
    assert_ok(tacit_worker_run(s.study, &o, NULL, &err));
    assert_int_equal(count(s.study, TACIT_TRIAL_COMPLETE), TRIALS);
    assert_ok(tacit_study_best(s.study, &best, &err));
    assert_same_bits(best->value, 2.5);
    tacit_trial_free(best);
    scene_end(&s);
}

static void a_program_that_takes_too_long_fails(void **state)
{
    char *const argv[] = {"sleep", "600", NULL};
    scene s;
    tacit_error err = {0};
    tacit_trial *t;
    (void)state;
    scene_begin(&s);
    tacit_worker_opts o = opts_of(&s, NULL, 1);
    o.command = argv;
    o.timeout_ms = 10;
    o.trials = 1;
    assert_ok(tacit_worker_run(s.study, &o, NULL, &err));
    assert_ok(tacit_study_trial(s.study, 0, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_FAIL);
    assert_string_equal(t->reason, "timed out after 0.01 s");
    tacit_trial_free(t);
    scene_end(&s);
}

static void what_a_dead_process_left_is_run_first(void **state)
{
    scene s;
    tacit_error err = {0};
    tacit_ask_opts q = TACIT_ASK_OPTS;
    tacit_trials *left;
    uint64_t trial;
    double x;
    (void)state;
    scene_begin(&s);
    q.worker = "somewhere:x:1:1/0";
    assert_ok(tacit_study_ask_many(s.study, &q, &left, &err));
    tacit_trials_free(left);
    assert_ok(tacit_study_ask(s.study, &trial, &x, &err)); /* by nobody in particular */
    tacit_worker_opts o = opts_of(&s, square, 1);
    o.alone = true;
    assert_ok(tacit_worker_run(s.study, &o, NULL, &err));
    assert_int_equal(s.called, TRIALS);
    assert_int_equal(count(s.study, TACIT_TRIAL_COMPLETE), TRIALS);
    assert_string_equal(s.note, "running trial 1 again, which an earlier run left unfinished");
    scene_end(&s);
}

/* ---- what is refused ---- */

/* ---- intermediate values ---- */

/* Falls to x. From trial 3 on it is worse by 1, and would go on for ten minutes. */
static const char curve_script[] =
    "if [ $2 -ge 3 ]; then sleep 600 & fi;"
    "for i in 1 2 3; do awk -v x=$1 -v i=$i -v t=$2 'BEGIN {{"
    " printf \"{{\\\"step\\\": %d, \\\"value\\\": %.17g}}\\n\", i, x + 1 / i + (t >= 3) }}'; done;"
    "if [ $2 -ge 3 ]; then wait; fi; echo $1";

static void a_program_is_ended_by_its_values(void **state)
{
    (void)state;
    scene s;
    tacit_error err = {0};
    tacit_worker_result r = TACIT_WORKER_RESULT;
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_prune rule = TACIT_PRUNE;
    tacit_trial *t;
    scene_begin(&s);
    char *argv[] = {"sh", "-c", (char *)curve_script, "sh", "{x}", "{trial}", NULL};
    tacit_worker_opts o = opts_of(&s, NULL, 1);
    o.command = argv;
    rule.rule = TACIT_PRUNE_MEDIAN;
    rule.warmup = 2;
    rule.min_trials = 3;
    o.prune = &rule;
    assert_ok(tacit_worker_run(s.study, &o, &r, &err));
    assert_int_equal(r.told, TRIALS);
    assert_ok(tacit_study_summarize(s.study, &sum, &err));
    assert_int_equal(sum.complete, 3);
    assert_int_equal(sum.pruned, 3); /* they were worse by 1 */
    for (uint64_t i = 0; i < TRIALS; i++) {
        assert_ok(tacit_study_trial(s.study, i, &t, &err));
        assert_int_equal(t->state, i < 3 ? TACIT_TRIAL_COMPLETE : TACIT_TRIAL_PRUNED);
        assert_int_equal(t->n_steps, i < 3 ? 3 : 2);
        assert_int_equal(t->steps[t->n_steps - 1].step, t->n_steps);
        if (i >= 3) {
            assert_non_null(strstr(t->reason, "pruned at step 2 with "));
            assert_non_null(strstr(t->reason, " (median "));
            assert_non_null(strstr(t->reason, " of 3 trials)"));
        }
        tacit_trial_free(t);
    }
    assert_non_null(strstr(s.note, "trial 5 pruned at step 2 ("));
    assert_non_null(strstr(s.note, "; median "));
    scene_end(&s);
}

/* Without a rule they are in the journal, and end nothing. */
static void values_of_a_program_are_reported(void **state)
{
    (void)state;
    scene s;
    tacit_error err = {0};
    tacit_trial *t;
    scene_begin(&s);
    char *argv[] = {"sh", "-c",  "printf '{{\"step\": 4, \"value\": 0.5}}\\n%s\\n' $1",
                    "sh", "{x}", NULL};
    tacit_worker_opts o = opts_of(&s, NULL, 2);
    o.command = argv;
    assert_ok(tacit_worker_run(s.study, &o, NULL, &err));
    assert_ok(tacit_study_trial(s.study, 5, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_COMPLETE);
    assert_int_equal(t->n_steps, 1);
    assert_int_equal(t->steps[0].step, 4);
    tacit_trial_free(t);
    scene_end(&s);
}

/* Even trials report and are ended, odd ones are ended and have reported nothing. */
static tacit_status report_and_end(void *user, tacit_evaluation *e, tacit_error *err)
{
    scene *s = user;
    note_call(s);
    assert_true(e->size == sizeof *e && e->n_outcomes == 1 && isnan(e->outcomes[0]) &&
                e->pruned == 0);
    e->pruned = 1;
    if (e->trial % 2)
        return TACIT_OK;
    TC_TRY(tacit_study_report_step(s->study, e->trial, 1, 0.5, NULL, NULL, err));
    (void)tc_fail(err, TACIT_E_CANCELLED, "my own rule");
    return TACIT_OK;
}

static void a_function_ends_its_trial(void **state)
{
    (void)state;
    for (uint64_t jobs = 1; jobs <= 3; jobs++) {
        scene s;
        tacit_error err = {0};
        tacit_trial *t;
        scene_begin(&s);
        tacit_worker_opts o = opts_of(&s, NULL, jobs);
        o.evaluate_trial = report_and_end;
        assert_ok(tacit_worker_run(s.study, &o, NULL, &err));
        for (uint64_t i = 0; i < TRIALS; i++) {
            assert_ok(tacit_study_trial(s.study, i, &t, &err));
            assert_int_equal(t->state, i % 2 ? TACIT_TRIAL_FAIL : TACIT_TRIAL_PRUNED);
            assert_string_equal(t->reason, i % 2 ? "it was pruned without an intermediate value"
                                                 : "pruned at step 1 with 0.5 (my own rule)");
            tacit_trial_free(t);
        }
        scene_end(&s);
    }
}

static void rules_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const char records[] =
        "{\"name\": \"r\", \"direction\": \"minimize\", \"trials\": 5, \"space\":"
        " {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"privacy\":"
        " {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, \"metric\": \"error\"}}";
    scene s;
    tacit_error err = {0};
    tacit_document *d;
    tacit_prune rule = TACIT_PRUNE;
    char *argv[] = {"true", NULL};
    scene_begin(&s);
    tacit_worker_opts o = opts_of(&s, square, 1);
    o.prune = &rule;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG, "prune is for programs");
    o.evaluate = NULL;
    o.command = argv;
    rule.rule = TACIT_PRUNE_ASHA;
    rule.factor = 1;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG,
                 "factor of a pruning rule must be from 2 to 1000, got 1");
    rule.factor = 0;
    o.pulls = 4;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG,
                 "batches of pulls have no intermediate values");
    o.pulls = 0;
    assert_ok(tacit_document_parse(&d, records, &err));
    assert_fails(tacit_worker_check(d, &o, &err), TACIT_E_UNSUPPORTED,
                 "study r protects validation records, and each intermediate value is one more "
                 "evaluation of them: it plans 5 for 5 trials; give it \"evaluations\" in "
                 "\"privacy\", 10 for one intermediate value a trial");
    tacit_document_free(d);
    scene_end(&s);
}

static void wrong_options_are_refused(void **state)
{
    char *const unknown[] = {"echo", "{z}", NULL};
    scene s;
    tacit_error err = {0};
    tacit_worker_result small = {.size = 8};
    (void)state;
    scene_begin(&s);
    tacit_worker_opts o = opts_of(&s, NULL, 1);
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG,
                 "give either a function (evaluate, or evaluate_trial) or a program (command)");
    o.command = unknown;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG, "{z}");
    o.evaluate = square;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG, "give either");
    o.command = NULL;
    o.jobs = 1025;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG,
                 "jobs must be at most 1024, got 1025");
    o.jobs = 1;
    o.timeout_ms = 5;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG,
                 "timeout_ms is for programs");
    o.timeout_ms = 0;
    o.lease_ms = 5;
    assert_fails(tacit_worker_check(tacit_study_document(s.study), &o, &err), TACIT_E_ARG,
                 "lease_ms must be 0 or at least 1000, got 5");
    o.lease_ms = 0;
    o.time_ms = -1;
    assert_fails(tacit_worker_run(s.study, &o, NULL, &err), TACIT_E_ARG, "must be 0 or more");
    o.time_ms = 0;
    assert_fails(tacit_worker_run(s.study, &o, &small, &err), TACIT_E_ARG, "out");
    assert_int_equal(s.called, 0);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_runs_in_the_callers_thread),
        cmocka_unit_test(several_functions_run_at_once),
        cmocka_unit_test(two_workers_of_one_process),
        cmocka_unit_test(failures_are_told_and_counted),
        cmocka_unit_test(a_broken_command_does_not_eat_the_study),
        cmocka_unit_test(what_was_cancelled_is_run_again),
        cmocka_unit_test(what_ran_when_it_was_stopped_is_told),
        cmocka_unit_test(time_is_over),
        cmocka_unit_test(leases_are_renewed),
        cmocka_unit_test(a_program_finds_its_trial),
        cmocka_unit_test(a_program_that_takes_too_long_fails),
        cmocka_unit_test(what_a_dead_process_left_is_run_first),
        cmocka_unit_test(a_program_is_ended_by_its_values),
        cmocka_unit_test(values_of_a_program_are_reported),
        cmocka_unit_test(a_function_ends_its_trial),
        cmocka_unit_test(rules_that_cannot_be_are_refused),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
