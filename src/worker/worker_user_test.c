/* worker_user_test.c - <tacit/worker.h> with a user of local privacy: replies in place of rewards, and a process that
 * is killed between what it has paid for and what it has told. */
#include <tacit/worker.h>

#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/worker_user.XXXXXX";

static const char document[] =
    "{\"name\": \"doses\", \"direction\": \"maximize\", \"trials\": 8, \"space\": {\"x\": "
    "{\"type\": "
    "\"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {\"name\": \"ldp-tgp\", \"epsilon\": 1, "
    "\"reply\": \"onebit\", \"bound\": 1, \"noise_bound\": 1, \"answers\": 3}}";

static int start(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    unsetenv("TACIT_STORAGE");
    return chdir(folder);
}

static int stop(void **state)
{
    char command[sizeof folder + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

typedef struct scene {
    tacit_study *study;
    tacit_user *user;
    bool die; /* when the first reply is paid for */
    int called;
    uint64_t last;
    char first_note[256];
} scene;

static tacit_status reward(void *user, uint64_t trial, const double *x, double *value,
                           tacit_error *err)
{
    scene *s = user;
    double reply;
    s->called++;
    s->last = trial;
    *value = x[0] / 2;
    if (s->die)
        _exit(tacit_user_reply(s->user, trial, *value, &reply, err) == TACIT_OK ? 0 : 1);
    return TACIT_OK;
}

static void listen(void *user, const tacit_worker_event *e)
{
    scene *s = user;
    if (e->kind == TACIT_WORKER_NOTE && !*s->first_note)
        snprintf(s->first_note, sizeof s->first_note, "%s", e->text);
}

static tacit_status run(scene *s, const char *name, uint64_t trials, tacit_worker_result *result,
                        tacit_error *err)
{
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    o.evaluate = reward;
    o.trials = trials;
    o.listen = listen;
    o.user = s;
    tacit_status status = tacit_study_create(&s->study, "sqlite:///study.db", document, NULL, err);
    if (status == TACIT_OK)
        status = tacit_user_open(&s->user, s->study, name, NULL, err);
    o.as = s->user;
    if (status == TACIT_OK)
        status = tacit_worker_run(s->study, &o, result, err);
    tacit_user_close(s->user);
    tacit_study_close(s->study);
    return status;
}

static void assert_replies(uint64_t n)
{
    tacit_error err = {0};
    tacit_study *study;
    tacit_trials *all;
    assert_ok(tacit_study_open(&study, "sqlite:///study.db", "doses", NULL, &err));
    assert_ok(tacit_study_trials(study, NULL, &all, &err));
    assert_int_equal(tacit_trials_count(all), n);
    for (size_t i = 0; i < n; i++) {
        const tacit_trial *t = tacit_trials_get(all, i);
        assert_int_equal(t->state, TACIT_TRIAL_COMPLETE);
        assert_true(fabs(fabs(t->value) - 4.32795) < 1e-4);
    }
    tacit_trials_free(all);
    tacit_study_close(study);
}

/* The child ends as by kill -9 when the reply is in the ledger and nobody was told. */
static void what_was_paid_for_is_told(void **state)
{
    tacit_error err = {0};
    tacit_worker_result r = TACIT_WORKER_RESULT;
    int status = -1;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        scene dying = {.die = true};
        (void)run(&dying, "ann", 2, NULL, &err);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    scene s = {0};
    assert_ok(run(&s, "ann", 2, &r, &err));
    assert_string_equal(s.first_note, "told the reply about trial 0 that an earlier run had made");
    assert_int_equal(s.called, 1); /* trial 1 alone */
    assert_int_equal(s.last, 1);
    assert_int_equal(r.told, 1);
    assert_replies(2);
}

static void all_answers_are_given(void **state)
{
    tacit_error err = {0};
    tacit_worker_result r = TACIT_WORKER_RESULT;
    scene s = {0}, again = {0};
    (void)state;
    assert_ok(run(&s, "ann", 0, &r, &err));
    assert_int_equal(r.end, TACIT_WORKER_ANSWERED);
    assert_int_equal(r.told, 1);
    assert_replies(3);
    assert_fails(run(&again, "ann", 0, &r, &err), TACIT_E_BUDGET,
                 "user \"ann\" may give 3 answers in all, has given 3");
    assert_int_equal(again.called, 0);
}

static void rewards_have_no_other_way(void **state)
{
    tacit_error err = {0};
    tacit_study *study;
    scene s = {0};
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    (void)state;
    o.evaluate = reward;
    o.user = &s;
    assert_ok(tacit_study_open(&study, "sqlite:///study.db", "doses", NULL, &err));
    assert_fails(tacit_worker_run(study, &o, NULL, &err), TACIT_E_ARG,
                 "study doses is told private replies, never rewards");
    assert_int_equal(s.called, 0);
    tacit_study_close(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_paid_for_is_told),
        cmocka_unit_test(all_answers_are_given),
        cmocka_unit_test(rewards_have_no_other_way),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
