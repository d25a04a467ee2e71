/* user_ledger_test.c - one ledger wherever a command is started; an older one that several processes take along
 * once; and a server that writes replies into the older one afterwards. */
#include "user/user_ledger.h"

#include "algo/ldp/ldp_curator.h"
#include "base/error.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/user_ledger.XXXXXX";

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

static void one_ledger_wherever_it_is_started(void **state)
{
    tacit_error err = {0};
    char url[PATH_MAX], expected[PATH_MAX];
    (void)state;
    assert_false(tc_user_ledger_exists(url));
    assert_ok(tc_user_ledger_url(url, &err));
    snprintf(expected, sizeof expected, "sqlite:///%s/tacit/replies.db", folder);
    assert_string_equal(url, expected);
    setenv("TACIT_STORAGE", "sqlite:////x.db", 1); /* the server's, perhaps */
    assert_ok(tc_user_ledger_url(url, &err));
    assert_string_equal(url, expected);
    unsetenv("TACIT_STORAGE");
    setenv("XDG_STATE_HOME", "relative", 1);
    unsetenv("HOME");
    assert_fails(tc_user_ledger_url(url, &err), TACIT_E_ARG,
                 "where is the user's ledger? Set HOME or XDG_STATE_HOME to an absolute path");
    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    assert_int_equal(tc_user_ledger_url(url, &err), TACIT_E_IO);
    setenv("XDG_STATE_HOME", folder, 1);
}

static uint64_t cap = 9; /* of the terms */

static tacit_status answer(tc_ledger *l, uint64_t number, tc_ldp_answer *a, tc_ldp_standing *s,
                           tacit_error *err)
{
    tc_ldp_curator c;
    tc_noise noise;
    const tc_ldp_terms terms = {TACIT_REPLY_LAPLACE, 1, -1, 1, cap};
    const tc_ldp_question q = {tc_ledger_study_hash("doses"), "ann", number};
    TC_TRY(tc_ldp_curator_init(&c, l, &terms, err));
    tc_noise_init(&noise);
    tc_entropy entropy = tc_entropy_of(&noise);
    tacit_status status = tc_ldp_curator_answer(&c, &q, 0.5, &entropy, a, err);
    tc_noise_fini(&noise);
    return status == TACIT_OK ? tc_ldp_curator_look(&c, "ann", s, err) : status;
}

/* The reply of ann to question `number`, and how many she has given; 0: it failed. Asserts nothing: a child calls it. */
static uint64_t ask(const tc_user_ledger_place *at, uint64_t number, double *reply)
{
    tacit_error err = {0};
    tc_user_ledger l = {0};
    tc_ldp_answer a = {0};
    tc_ldp_standing s = {0};
    tacit_status status = tc_user_ledger_open(&l, at, &err);
    if (status == TACIT_OK)
        status = answer(l.ledger, number, &a, &s, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    *reply = a.value;
    cap = status == TACIT_OK ? s.cap : cap;
    tc_user_ledger_close(&l);
    return status == TACIT_OK ? s.given : 0;
}

enum { PROCESSES = 8 };

/* Each of them takes along, and looks: together they charge every reply once. */
static void an_older_ledger_is_taken_along_once(void **state)
{
    tc_user_ledger_place old = {.given = "sqlite:///old.db", .name = "replies", .user = "ann"};
    tc_user_ledger_place own = {.storage = "sqlite:///old.db", .name = "replies", .user = "ann"};
    double reply[3], now;
    pid_t child[PROCESSES];
    (void)state;
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(ask(&old, i, &reply[i]), i + 1);
    for (size_t i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0)
            _exit(ask(&own, i % 3, &now) == 3 && now == reply[i % 3] ? 0 : 1);
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
}

enum { PLANTED = 5 };

/* Five replies that nobody gave, in ann's name. */
static void plant(const char *storage)
{
    tc_user_ledger_place server = {.given = storage, .name = "planted", .user = "ann"};
    double reply;
    for (uint64_t i = 0; i < PLANTED; i++)
        assert_int_equal(ask(&server, i, &reply), i + 1);
}

/* The server writes into its storage before ann's first reply there (which cannot be told from an earlier version), and
 * then all the time: ann is charged for the first only. */
static void a_server_plants_replies_once_at_most(void **state)
{
    tc_user_ledger_place own = {
        .study = tc_ledger_study_hash("doses"), .name = "planted", .user = "ann"};
    const tacit_hash other = tc_ledger_study_hash("other doses");
    double reply;
    (void)state;
    own.storage = "sqlite:///empty.db";
    assert_int_equal(ask(&own, 10, &reply), 1);
    plant("sqlite:///empty.db"); /* where no ledger was before */
    assert_int_equal(ask(&own, 11, &reply), 2);
    own.study = other; /* and is asked for by another study */
    assert_int_equal(ask(&own, 12, &reply), 3);

    own.study = tc_ledger_study_hash("third doses");
    own.storage = "sqlite:///server.db";
    plant("sqlite:///server.db");
    assert_int_equal(ask(&own, 13, &reply), 4 + PLANTED);
    assert_int_equal(remove("server.db"), 0); /* a new one, which looks like an older one */
    cap = 9;
    plant("sqlite:///server.db");
    assert_int_equal(ask(&own, 13, &reply), 4 + PLANTED);

    own.storage = "sqlite:///moved.db"; /* the study is said to be elsewhere now */
    plant("sqlite:///moved.db");
    assert_int_equal(ask(&own, 13, &reply), 4 + PLANTED);
    plant("sqlite:///tacit.db"); /* or ann works in the server's folder */
    assert_int_equal(ask(&own, 13, &reply), 4 + PLANTED);
    assert_int_equal(remove("tacit.db"), 0);
}

/* The first reply of each ledger sets a cap: of two that become one the smaller holds. */
static void the_smaller_cap_holds(void **state)
{
    tc_user_ledger_place old = {.given = "sqlite:///capped.db", .name = "capped", .user = "ann"};
    tc_user_ledger_place own = {.name = "capped", .user = "ann"};
    double reply;
    (void)state;
    cap = 3;
    assert_int_equal(ask(&old, 0, &reply), 1);
    cap = 9;
    assert_int_equal(ask(&own, 1, &reply), 1);
    assert_int_equal(cap, 9);
    own.study =
        tc_ledger_study_hash("doses"); /* of which the user's own ledger has heard nothing */
    own.storage = old.given;
    assert_int_equal(ask(&own, 1, &reply), 2);
    assert_int_equal(cap, 3);
}

static void releases_about_everybody_are_refused(void **state)
{
    tacit_error err = {0};
    tc_user_ledger old = {0}, own = {0};
    tc_ledger_receipt receipt;
    tc_release *r;
    const double zero = 0;
    const tc_ledger_charge everybody = {.study = tc_ledger_study_hash("x"), .round = 1};
    tc_user_ledger_place at = {.storage = "sqlite:///other.db", .name = "replies", .user = "bob"};
    const tc_user_ledger_place by_hand = {.given = at.storage, .name = at.name, .user = at.user};
    (void)state;
    assert_ok(tc_user_ledger_open(&old, &by_hand, &err));
    assert_ok(tc_none_release(&r, 1, 1, &zero, TACIT_UNIT_USER, "as it is", &err));
    assert_ok(tc_ledger_release(old.ledger, NULL, &everybody, r, &receipt, &err));
    tc_release_free(r);
    tc_ledger_receipt_fini(&receipt);
    tc_user_ledger_close(&old);
    assert_fails(tc_user_ledger_open(&own, &at, &err), TACIT_E_STATE,
                 "what user \"bob\" has replied before cannot be read: ledger \"replies\"");
    tc_user_ledger_close(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ledger_wherever_it_is_started),
        cmocka_unit_test(an_older_ledger_is_taken_along_once),
        cmocka_unit_test(a_server_plants_replies_once_at_most),
        cmocka_unit_test(the_smaller_cap_holds),
        cmocka_unit_test(releases_about_everybody_are_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
