/* operator_test.c - what an operator asks of a coordinator by <tacit/net.h>, over a socket. */
#include <tacit/coordinator.h>
#include <tacit/ledger.h>
#include <tacit/net.h>

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCUMENT                                                                                   \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 6,"                                \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8},"                                  \
    " \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}"

typedef struct world {
    tacit_coordinator *c;
    tacit_server *server;
    char *token;
    tacit_storage *storage;
} world;

static void begin(world *w)
{
    tacit_error err = {0};
    tacit_coordinator_opts co = TACIT_COORDINATOR_OPTS;
    tacit_server_opts so = TACIT_SERVER_OPTS;
    tacit_storage_opts o = TACIT_STORAGE_OPTS;
    tacit_net_register();
    co.storage = "memory:";
    so.listen = "127.0.0.1:0";
    assert_ok(tacit_coordinator_open(&w->c, &co, &err));
    assert_ok(tacit_coordinator_operator_token(w->c, false, &w->token, &err));
    assert_ok(tacit_server_start(&w->server, w->c, &so, &err));
    o.token = w->token;
    o.fingerprint = tacit_server_fingerprint(w->server);
    assert_ok(tacit_storage_open(&w->storage, tacit_server_url(w->server), &o, &err));
}

static void end(world *w)
{
    tacit_storage_close(w->storage);
    tacit_server_stop(w->server);
    tacit_coordinator_close(w->c);
    tacit_text_free(w->token);
}

static void make_study(world *w)
{
    tacit_error err = {0};
    tacit_document *d;
    char *answer;
    assert_ok(tacit_document_parse(&d, DOCUMENT, &err));
    assert_ok(tacit_net_create(w->storage, d, &answer, &err));
    assert_non_null(strstr(answer, "\"s\""));
    tacit_text_free(answer);
    answer = NULL;
    assert_int_equal(tacit_net_create(w->storage, d, &answer, &err), TACIT_E_CONFLICT);
    assert_null(answer);
    tacit_document_free(d);
}

static void answers(world *w, const char *method, const char *path, const char *body,
                    const char *says)
{
    tacit_error err = {0};
    char *answer;
    assert_ok(tacit_net_call(w->storage, method, "s", path, body, &answer, &err));
    if (!strstr(answer, says))
        fail_msg("%s %s: \"%s\" is not in %s", method, path, says, answer);
    tacit_text_free(answer);
}

static void an_operator_runs_a_study(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    char *answer;
    tacit_ledger *l;
    begin(&w);
    make_study(&w);
    answers(&w, "POST", "/tokens", "{\"uses\": 3, \"expires_s\": 60}", "\"token\"");
    answers(&w, "POST", ":pause", NULL, "\"paused\"");
    answers(&w, "GET", "", NULL, "\"paused\"");
    answers(&w, "POST", ":resume", NULL, "\"running\"");
    assert_ok(tacit_net_call(w.storage, "GET", "s", "/privacy", NULL, &answer, &err));
    assert_ok(tacit_ledger_import(&l, answer, &err)); /* nothing was released */
    tacit_ledger_close(l);
    tacit_text_free(answer);
    assert_ok(tacit_net_call(w.storage, "GET", NULL, "/v1/studies", NULL, &answer, &err));
    assert_non_null(strstr(answer, "\"s\""));
    tacit_text_free(answer);
    end(&w);
}

static void what_makes_no_sense_is_not_sent(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    char *answer = NULL;
    tacit_storage *local;
    begin(&w);
    assert_int_equal(tacit_net_call(w.storage, "GET", "t", "", NULL, &answer, &err),
                     TACIT_E_NOT_FOUND);
    assert_int_equal(tacit_net_call(w.storage, "GET", "t", "", NULL, &answer, NULL),
                     TACIT_E_NOT_FOUND);
    assert_int_equal(tacit_net_call(w.storage, "POST", "../s", ":pause", NULL, &answer, &err),
                     TACIT_E_ARG);
    assert_fails(tacit_net_call(w.storage, NULL, "s", "", NULL, &answer, &err), TACIT_E_ARG,
                 "method must not be NULL");
    tacit_storage_opts create = TACIT_STORAGE_OPTS;
    create.create = true;
    assert_ok(tacit_storage_open(&local, "memory:", &create, &err));
    assert_fails(tacit_net_call(local, "GET", "s", "", NULL, &answer, &err), TACIT_E_UNSUPPORTED,
                 "the storage is of this process: only a coordinator answers requests");
    tacit_storage_close(local);
    assert_null(answer);
    end(&w);
}

/* Whoever kept an earlier head sees that entries are gone. */
static void the_log_is_read_and_checked(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    char *log = NULL, seen[128];
    begin(&w);
    make_study(&w);
    for (int i = 0; i < 1100; i++) { /* more than a page */
        answers(&w, "POST", ":pause", NULL, "\"paused\"");
        answers(&w, "POST", ":resume", NULL, "\"running\"");
    }
    assert_ok(tacit_net_audit(w.storage, NULL, &log, &err));
    const char *head = strstr(log, "\"head\":{\"seq\":");
    assert_non_null(head);
    /* One token; a study that is made, and one that is not; 1100 times two; this reading. */
    unsigned long seq = strtoul(head + strlen("\"head\":{\"seq\":"), NULL, 10);
    assert_int_equal(seq, 1 + 2 + 2 + 2200 + 1);
    snprintf(seen, sizeof seen, "%lu:%.64s", seq, strstr(head, "\"hash\":\"") + 8);
    tacit_text_free(log);
    log = NULL;
    answers(&w, "POST", ":pause", NULL, "\"paused\"");
    assert_ok(tacit_net_audit(w.storage, seen, &log, &err));
    tacit_text_free(log);
    log = NULL;
    seen[strlen(seen) - 1] = seen[strlen(seen) - 1] == '0' ? '1' : '0';
    char why[160];
    snprintf(why, sizeof why,
             "the operator's log does not have entry %lu as it was seen: entries were removed or "
             "replaced",
             seq);
    assert_fails(tacit_net_audit(w.storage, seen, &log, &err), TACIT_E_CORRUPT, why);
    seen[0] = '9'; /* beyond the end */
    assert_int_equal(tacit_net_audit(w.storage, seen, &log, &err), TACIT_E_CORRUPT);
    assert_fails(tacit_net_audit(w.storage, "12", &log, &err), TACIT_E_ARG,
                 "seen must be the number and the hash of an entry, as NUMBER:HASH, got \"12\"");
    assert_null(log);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_runs_a_study),
        cmocka_unit_test(what_makes_no_sense_is_not_sent),
        cmocka_unit_test(the_log_is_read_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
