/* user_api_test.c - <tacit/user.h>: what a user replies, twice the same, and what is refused. */
#include <tacit/release.h>
#include <tacit/user.h>

#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/user_api.XXXXXX";

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

/* Replies of one bit at epsilon 1 and bound 2 are one of two numbers. */
static tacit_study *make_study(const char *name, const char *algorithm)
{
    char text[512];
    tacit_error err = {0};
    tacit_study *s;
    snprintf(text, sizeof text,
             "{\"name\": \"%s\", \"direction\": \"maximize\", \"trials\": 8, \"space\": {\"x\": "
             "{\"type\": \"float\", \"low\": 0, \"high\": 1}}, \"algorithm\": {%s}}",
             name, algorithm);
    assert_ok(tacit_study_create(&s, "memory:", text, NULL, &err));
    return s;
}
#define PRIVATE                                                                                    \
    "\"name\": \"ldp-tgp\", \"epsilon\": 1, \"reply\": \"onebit\", \"bound\": 1, "                 \
    "\"noise_bound\": "                                                                            \
    "1, \"answers\": 3"

static void take_note(void *user, const char *text)
{
    snprintf(user, 512, "%s", text);
}

static void a_reply_is_given_once(void **state)
{
    tacit_error err = {0};
    tacit_user *ann;
    char note[512] = "";
    tacit_user_opts opts = TACIT_USER_OPTS;
    double reply, again, point;
    uint64_t trial;
    tacit_trial *t;
    (void)state;
    opts.note = take_note;
    opts.user = note;
    tacit_study *s = make_study("doses", PRIVATE);
    assert_ok(tacit_user_open(&ann, s, "ann", &opts, &err));
    assert_ok(tacit_study_ask(s, &trial, &point, &err));
    assert_fails(tacit_user_recall(ann, trial, &reply, &err), TACIT_E_NOT_FOUND, "");
    assert_ok(tacit_user_reply(ann, trial, 0.5, &reply, &err));
    assert_true(fabs(fabs(reply) - 4.32795) < 1e-4);
    assert_string_equal(note, "");
    for (int i = 0; i < 20; i++) { /* one bit that was drawn anew would differ */
        assert_ok(tacit_user_reply(ann, trial, -1, &again, &err));
        assert_same_bits(reply, again);
    }
    assert_non_null(strstr(note, "user \"ann\" has answered trial 0 of a study of this name"));
    assert_ok(tacit_user_recall(ann, trial, &again, &err));
    assert_same_bits(reply, again);
    assert_ok(tacit_user_tell(ann, trial, (double)NAN, &err)); /* the reply that there is */
    assert_ok(tacit_study_trial(s, trial, &t, &err));
    assert_int_equal(t->state, TACIT_TRIAL_COMPLETE);
    assert_same_bits(t->value, reply);
    tacit_trial_free(t);
    tacit_user_close(ann);
    tacit_study_close(s);
}

/* Study and storage are gone; the ledger at home is not. */
static void the_ledger_outlives_the_study(void **state)
{
    tacit_error err = {0};
    tacit_user *ann;
    char *storage = NULL;
    double reply;
    (void)state;
    tacit_study *s = make_study("doses", PRIVATE);
    assert_ok(tacit_user_open(&ann, s, "ann", NULL, &err));
    assert_ok(tacit_user_recall(ann, 0, &reply, &err));
    assert_ok(tacit_user_reply(ann, 1, 0.5, &reply, &err));
    assert_ok(tacit_user_reply(ann, 2, 0.5, &reply, &err));
    assert_fails(tacit_user_reply(ann, 3, 0.5, &reply, &err), TACIT_E_BUDGET,
                 "user \"ann\" may give 3 answers in all, has given 3");
    assert_ok(tacit_user_ledger(&storage, &err));
    assert_non_null(strstr(storage, "/tacit/replies.db"));
    tacit_text_free(storage);
    tacit_user_close(ann);
    tacit_study_close(s);
}

static void what_has_no_users_is_refused(void **state)
{
    tacit_error err = {0};
    tacit_user *ann;
    char *storage = NULL;
    tacit_user_opts opts = TACIT_USER_OPTS;
    (void)state;
    tacit_study *plain = make_study("plain", "\"name\": \"random\""),
                *s = make_study("doses", PRIVATE);
    assert_fails(tacit_user_open(&ann, plain, "ann", NULL, &err), TACIT_E_ARG,
                 "study plain is told values as they are");
    opts.ledger_storage = "memory:";
    assert_fails(tacit_user_open(&ann, s, "ann", &opts, &err), TACIT_E_ARG,
                 "storage \"memory:\" does not last");
    opts.size = 3;
    assert_fails(tacit_user_open(&ann, s, "ann", &opts, &err), TACIT_E_ARG, "opts");
    assert_fails(tacit_user_open(&ann, s, NULL, NULL, &err), TACIT_E_ARG, "name must not be NULL");
    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    assert_fails(tacit_user_ledger(&storage, &err), TACIT_E_NOT_FOUND, "the user has no ledger");
    assert_null(storage);
    setenv("XDG_STATE_HOME", folder, 1);
    tacit_study_close(plain);
    tacit_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_is_given_once),
        cmocka_unit_test(the_ledger_outlives_the_study),
        cmocka_unit_test(what_has_no_users_is_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
