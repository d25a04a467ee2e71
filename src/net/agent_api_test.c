/* The public agent and coordinator: joining, working, stopping, refusals; in one process and over a socket. */
#include <tacit/agent.h>
#include <tacit/coordinator.h>
#include <tacit/release.h>

#include "support/store_folder.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AGENTS = 3, TRIALS = 6 };

#define STUDY                                                                                      \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 6,"                                \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8},"                                  \
    " \"federation\": {\"agents\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}"

typedef struct world {
    tacit_coordinator *c;
    char *token;
} world;

static void begin(world *w)
{
    tacit_error err = {0};
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    opts.storage = "memory:";
    assert_ok(tacit_coordinator_open(&w->c, &opts, &err));
    assert_ok(tacit_coordinator_create(w->c, STUDY, &err));
    assert_ok(tacit_coordinator_invite(w->c, "s", AGENTS, 0, &w->token, &err));
}

static void end(world *w)
{
    tacit_text_free(w->token);
    tacit_coordinator_close(w->c);
}

static tacit_agent_opts opts_of(const world *w)
{
    tacit_agent_opts o = TACIT_AGENT_OPTS;
    o.here = w->c;
    o.study = "s";
    o.storage = "memory:";
    o.join_token = w->token;
    return o;
}

/* ---- a whole study ---- */

static bool work(tacit_agent *a)
{
    tacit_error err = {0};
    for (;;) {
        tacit_agent_next next;
        uint64_t trial;
        double x;
        assert_ok(tacit_agent_step(a, 0, &next, &err));
        if (next != TACIT_AGENT_TRIAL)
            return next == TACIT_AGENT_DONE;
        assert_ok(tacit_study_ask(tacit_agent_study(a), &trial, &x, &err));
        assert_ok(tacit_study_tell(tacit_agent_study(a), trial, -(x - 0.4) * (x - 0.4), &err));
    }
}

/* The first agent's storage, while it is at work. */
static void nothing_has_left(void)
{
    tacit_error err = {0};
    tacit_traffic *t;
    assert_ok(tacit_agent_inspect(&t, url, "s", &err));
    assert_int_equal(tacit_traffic_count(t), 0);
    assert_null(tacit_traffic_get(t, 0));
    tacit_traffic_free(t);
}

static void is_sent_and_paid_for(const tacit_agent_round *r, tacit_ledger *l)
{
    tacit_error err = {0};
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
    assert_int_equal(r->size, sizeof *r);
    assert_int_equal(r->state, TACIT_MESSAGE_SENT);
    assert_memory_equal(r->message, "TDE1", 4);
    assert_int_equal(r->message_size, 16 + 8 * r->n_numbers);
    assert_true(r->n_numbers > 0 && r->made_ms > 0 && r->heard == 1 && r->heard_bytes > 0);
    assert_null(r->skipped);
    assert_string_equal(r->not_private, "");
    assert_string_equal(r->ledger, "agent");
    assert_int_equal(r->times, 1);
    assert_ok(tacit_ledger_get(l, r->entry, &e, &err));
    assert_int_equal(e.round, r->round);
    assert_same_bits(e.event.parameter, r->event.parameter);
    assert_true(r->epsilon > 0 && r->epsilon < 5);
    assert_close(r->delta, 1e-5, 0);
}

static void everything_has_left(void)
{
    tacit_error err = {0};
    tacit_traffic *t = NULL;
    tacit_ledger *l;
    assert_ok(tacit_ledger_open(&l, url, "agent", &err));
    assert_ok(tacit_agent_inspect(&t, url, "s", &err));
    assert_true(tacit_traffic_count(t) > 0);
    for (size_t i = 0; i < tacit_traffic_count(t); i++) {
        is_sent_and_paid_for(tacit_traffic_get(t, i), l);
        assert_true(i == 0 || tacit_traffic_get(t, i)->round > tacit_traffic_get(t, i - 1)->round);
    }
    tacit_traffic_free(t);
    tacit_ledger_close(l);
    t = NULL;
    assert_int_equal(tacit_agent_inspect(&t, url, "t", &err), TACIT_E_NOT_FOUND);
    assert_fails(tacit_agent_inspect(&t, url, NULL, &err), TACIT_E_ARG, "study must not be NULL");
    assert_int_equal(tacit_agent_inspect(&t, NULL, "s", NULL), TACIT_E_ARG);
    assert_null(t);
    tacit_traffic_free(NULL);
}

static void three_agents_in_one_process(void **state)
{
    (void)state;
    world w;
    tacit_error err = {0};
    tacit_agent *a[AGENTS];
    int done = 0, turns = 0;
    begin(&w);
    for (int i = 0; i < AGENTS; i++) {
        tacit_agent_opts o = opts_of(&w);
        if (i == 0)
            o.storage = url;
        assert_ok(tacit_agent_join(&a[i], &o, &err));
    }
    nothing_has_left();
    for (; done < AGENTS && turns < 100; turns++) {
        done = 0;
        for (int i = 0; i < AGENTS; i++)
            done += work(a[i]);
        assert_ok(tacit_coordinator_tick(w.c, NULL, &err));
    }
    assert_int_equal(done, AGENTS);
    everything_has_left();
    for (int i = 0; i < AGENTS; i++) {
        tacit_trials *all;
        char *promise = NULL;
        assert_ok(tacit_study_trials(tacit_agent_study(a[i]), NULL, &all, &err));
        assert_int_equal(tacit_trials_count(all), TRIALS);
        tacit_trials_free(all);
        assert_ok(tacit_agent_promise(a[i], &promise, &err));
        assert_non_null(strstr(promise, "epsilon 5"));
        tacit_text_free(promise);
        tacit_agent_close(a[i]);
    }
    end(&w);
}

/* ---- tacit_agent_run, over a socket ---- */

typedef struct trainer {
    int evaluated, stop_after; /* 0: never */
    bool stops;
} trainer;

static tacit_status evaluate(void *user, uint64_t trial, const double *values, double *value,
                             tacit_error *err)
{
    trainer *t = user;
    if (t->stop_after > 0 && t->evaluated == t->stop_after)
        return TACIT_E_CANCELLED;
    t->evaluated++;
    if (trial == 1) {
        snprintf(err->msg, sizeof err->msg, "out of data");
        return TACIT_E_STATE;
    }
    *value = values[0];
    return TACIT_OK;
}

#define ALONE                                                                                      \
    "{\"name\": \"one\", \"direction\": \"maximize\", \"trials\": 5,"                              \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"fts\", \"initial\": 3}, \"federation\": {\"agents\": 1},"        \
    " \"privacy\": \"none\"}"

static void a_run_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    tacit_server *server;
    char *token;
    trainer first = {.stop_after = 2}, second = {0};
    begin(&w);
    assert_ok(tacit_coordinator_create(w.c, ALONE, &err));
    assert_ok(tacit_coordinator_invite(w.c, "one", 1, 3600, &token, &err));
    tacit_server_opts so = TACIT_SERVER_OPTS;
    so.listen = "127.0.0.1:0";
    assert_ok(tacit_server_start(&server, w.c, &so, &err));
    for (int start = 0; start < 2; start++) {
        tacit_agent *a;
        tacit_agent_opts o = TACIT_AGENT_OPTS;
        trainer *t = start == 0 ? &first : &second;
        o.coordinator = tacit_server_url(server);
        o.fingerprint = tacit_server_fingerprint(server);
        o.study = "one";
        o.storage = url;
        o.join_token = token;
        o.accept_not_private = true;
        assert_ok(tacit_agent_join(&a, &o, &err));
        tacit_status status = tacit_agent_run(a, evaluate, t, &err);
        assert_int_equal(status, start == 0 ? TACIT_E_CANCELLED : TACIT_OK);
        if (start == 1) {
            tacit_trials *all;
            assert_ok(tacit_study_trials(tacit_agent_study(a), NULL, &all, &err));
            assert_int_equal(tacit_trials_count(all), 5);
            assert_int_equal(tacit_trials_get(all, 1)->state, TACIT_TRIAL_FAIL);
            assert_string_equal(tacit_trials_get(all, 1)->reason, "out of data");
            tacit_trials_free(all);
        }
        tacit_agent_close(a);
    }
    assert_int_equal(first.evaluated + second.evaluated, 5); /* none twice */
    tacit_server_stop(server);
    tacit_text_free(token);
    end(&w);
}

/* ---- many trials, and many failures ---- */

static tacit_agent *join_alone(world *w, char **token)
{
    tacit_error err = {0};
    tacit_agent *a;
    begin(w);
    assert_ok(tacit_coordinator_create(w->c, ALONE, &err));
    assert_ok(tacit_coordinator_invite(w->c, "one", 1, 3600, token, &err));
    tacit_agent_opts o = opts_of(w);
    o.study = "one";
    o.join_token = *token;
    o.accept_not_private = true;
    assert_ok(tacit_agent_join(&a, &o, &err));
    return a;
}

static void leave(world *w, char *token, tacit_agent *a)
{
    tacit_agent_close(a);
    tacit_text_free(token);
    end(w);
}

static tacit_status fail_always(void *user, uint64_t trial, const double *values, double *value,
                                tacit_error *err)
{
    (void)trial, (void)values, (void)value;
    ++*(int *)user;
    snprintf(err->msg, sizeof err->msg, "no module");
    return TACIT_E_STATE;
}

static tacit_worker_end how_it_ended(tacit_agent *a)
{
    tacit_error err = {0};
    tacit_agent_summary s = TACIT_AGENT_SUMMARY;
    assert_ok(tacit_agent_summarize(a, &s, &err));
    assert_true(s.limit == 0 && s.epsilon != s.epsilon); /* it has no limit, and is not private */
    assert_string_equal(s.not_private, "messages are handed on without noise");
    return s.end;
}

/* A run of an agent is many calls of the worker, which share what is known of failures. */
static void a_broken_function_does_not_eat_the_study(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    char *token;
    int called = 0;
    tacit_agent *a = join_alone(&w, &token);
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    assert_fails(tacit_agent_run(a, fail_always, &called, &err), TACIT_E_STATE,
                 "the first 3 trials of this run failed alike (no module)");
    assert_int_equal(called, 3);
    assert_int_equal(how_it_ended(a), TACIT_WORKER_FAILURES);
    o.evaluate = fail_always;
    o.user = &called;
    o.max_alike = 0;
    assert_ok(tacit_agent_work(a, &o, &err));
    assert_int_equal(called, 5);
    assert_int_equal(how_it_ended(a), TACIT_WORKER_ENOUGH);
    leave(&w, token, a);
}

/* Waits until two run at once. */
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t came;
    int here, most;
} meeting;

static tacit_status meet(void *user, uint64_t trial, const double *values, double *value,
                         tacit_error *err)
{
    meeting *m = user;
    (void)trial, (void)err;
    pthread_mutex_lock(&m->lock);
    m->here++;
    m->most = m->here > m->most ? m->here : m->most;
    pthread_cond_broadcast(&m->came);
    while (m->most < 2)
        pthread_cond_wait(&m->came, &m->lock);
    m->here--;
    pthread_mutex_unlock(&m->lock);
    *value = values[0];
    return TACIT_OK;
}

static void several_trials_at_once(void **state)
{
    (void)state;
    tacit_error err = {0};
    world w;
    char *token;
    meeting m = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};
    tacit_trials *all;
    tacit_agent *a = join_alone(&w, &token);
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    o.evaluate = meet;
    o.user = &m;
    o.jobs = 2;
    assert_ok(tacit_agent_work(a, &o, &err));
    assert_int_equal(m.most, 2);
    assert_ok(tacit_study_trials(tacit_agent_study(a), NULL, &all, &err));
    assert_int_equal(tacit_trials_count(all), 5); /* no more than are planned */
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(tacit_trials_get(all, i)->state, TACIT_TRIAL_COMPLETE);
        for (size_t k = 0; k < i; k++)
            assert_true(tacit_trials_get(all, i)->values[0] != tacit_trials_get(all, k)->values[0]);
    }
    tacit_trials_free(all);
    leave(&w, token, a);
}

/* ---- refusals ---- */

static tacit_status not_this_one(void *user, const tacit_agent_offer *offer, tacit_error *err)
{
    int *asked = user;
    assert_non_null(strstr(offer->document, "\"dp-fts-de\""));
    assert_null(offer->points);
    ++*asked;
    snprintf(err->msg, sizeof err->msg, "not this one");
    err->code = TACIT_E_STATE;
    return TACIT_E_STATE;
}

static tacit_status without_a_word(void *user, const tacit_agent_offer *offer, tacit_error *err)
{
    (void)user;
    (void)offer;
    (void)err;
    return TACIT_E_CANCELLED;
}

static void who_is_asked_may_decline(void **state)
{
    (void)state;
    world w;
    tacit_error err = {0};
    tacit_agent *a = NULL;
    int asked = 0;
    begin(&w);
    tacit_agent_opts o = opts_of(&w);
    o.consider = not_this_one;
    o.user = &asked;
    o.storage = url;
    assert_fails(tacit_agent_join(&a, &o, &err), TACIT_E_STATE, "not this one");
    assert_int_equal(asked, 1);
    o.consider = without_a_word;
    assert_fails(tacit_agent_join(&a, &o, &err), TACIT_E_CANCELLED, "gave no reason (E_CANCELLED)");
    assert_int_equal(access(file, F_OK), -1); /* no trace */
    for (int i = 0; i < AGENTS; i++) {        /* ... nor a place taken */
        o = opts_of(&w);
        assert_ok(tacit_agent_join(&a, &o, &err));
        assert_int_equal(tacit_agent_number(a), i);
        tacit_agent_close(a);
    }
    end(&w);
}

static bool at_once(void *user)
{
    return *(bool *)user;
}

static void a_silent_coordinator_is_not_waited_for(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_agent *a = NULL;
    bool stop = false;
    tacit_agent_opts o = TACIT_AGENT_OPTS;
    o.coordinator = "http://127.0.0.1:1"; /* nobody listens there */
    o.study = "s";
    o.storage = "memory:";
    o.join_token = "x";
    o.patience_s = 0;
    o.stop = at_once;
    o.user = &stop;
    assert_int_equal(tacit_agent_join(&a, &o, &err), TACIT_E_IO);
    assert_non_null(strstr(err.msg, "gave up after 0 s"));
    stop = true;
    o.patience_s = 3600;
    assert_int_equal(tacit_agent_join(&a, &o, &err), TACIT_E_CANCELLED);
}

static void refuse_agent(const tacit_agent_opts *o, const char *sentence)
{
    tacit_error err = {0};
    tacit_agent *a = NULL;
    assert_fails(tacit_agent_join(&a, o, &err), TACIT_E_ARG, sentence);
    assert_null(a);
}

static void options_are_checked(void **state)
{
    (void)state;
    world w;
    tacit_error err = {0};
    char *token = NULL, sentence[128];
    begin(&w);
    tacit_agent_opts good = opts_of(&w), o = good;
    o.study = NULL;
    refuse_agent(&o, "opts.study is missing: which study to take part in");
    o = good;
    o.storage = NULL;
    refuse_agent(&o, "opts.storage is missing: the URL of the agent's own");
    o = good;
    o.here = NULL;
    refuse_agent(&o, "opts.coordinator is missing: its URL");
    o = good;
    o.coordinator = "https://h:1";
    refuse_agent(
        &o, "opts.here is a coordinator of this process: it has no URL, fingerprint, ca or proxy");
    o = good;
    o.delta = 1e-5;
    refuse_agent(&o, "delta is of epsilon, which is missing");
    o = good;
    o.epsilon = 1;
    refuse_agent(&o, "epsilon needs a delta between 0 and 1, got 0");
    o = good;
    o.patience_s = -1;
    refuse_agent(&o, "opts.patience_s must not be negative, got -1");
    o = good;
    o.size = 0;
    snprintf(sentence, sizeof sentence,
             "opts.size must be sizeof(tacit_agent_opts), at least %zu, got 0",
             offsetof(tacit_agent_opts, exchange));
    refuse_agent(&o, sentence);
    assert_fails(tacit_coordinator_invite(w.c, "s", 0, 0, &token, &err), TACIT_E_ARG,
                 "uses must be at least 1: so many agents may join study \"s\" with the token");
    assert_fails(tacit_coordinator_invite(w.c, "s", 1, -1, &token, &err), TACIT_E_ARG,
                 "expires_s must be in [0, 1e+09], got -1");
    assert_int_equal(tacit_coordinator_invite(w.c, "t", 1, 0, &token, &err), TACIT_E_NOT_FOUND);
    tacit_server_opts s = TACIT_SERVER_OPTS;
    s.listen = "0.0.0.0:0";
    s.insecure = true;
    assert_fails(tacit_server_check(&s, &err), TACIT_E_ARG,
                 "plain HTTP is for loopback addresses, not for 0.0.0.0");
    assert_null(token);
    end(&w);
}

/* ---- requests of another server ---- */

static void a_request_is_answered(void **state)
{
    (void)state;
    world w;
    tacit_error err = {0};
    char *operator_token = NULL, *again = NULL;
    begin(&w);
    assert_ok(tacit_coordinator_operator_token(w.c, false, &operator_token, &err));
    assert_non_null(operator_token);
    assert_ok(tacit_coordinator_operator_token(w.c, false, &again, &err));
    assert_null(again); /* shown once */
    static const struct {
        const char *path;
        bool token;
        int status;
        const char *says, *protocol;
    } row[] = {{"/v1/studies", true, 200, "\"s\""},
               {"/v1/studies", true, 200, "\"s\"", "2"},
               {"/v1/studies", true, 400, "the request is of protocol 3", "3"},
               {"/v1/studies", false, 401, "a token is needed"},
               {"/nowhere", true, 404, "there is nothing at /nowhere"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tacit_request q = TACIT_REQUEST;
        tacit_response *r = NULL;
        q.method = "GET";
        q.path = row[i].path;
        q.bearer = row[i].token ? operator_token : NULL;
        q.protocol = row[i].protocol;
        assert_ok(tacit_coordinator_handle(w.c, &q, &r, &err));
        assert_int_equal(tacit_response_status(r), row[i].status);
        assert_non_null(strstr(tacit_response_body(r), row[i].says));
        assert_int_equal(strlen(tacit_response_body(r)), tacit_response_size(r));
        assert_non_null(strstr(tacit_response_type(r), "json"));
        assert_string_equal(tacit_response_protocol(r), "1-2");
        tacit_response_free(r);
    }
    tacit_request q = TACIT_REQUEST;
    tacit_response *r = NULL;
    q.method = "GET";
    q.path = "/v1/events";
    q.bearer = operator_token;
    assert_int_equal(tacit_coordinator_handle(w.c, &q, &r, &err), TACIT_E_UNSUPPORTED);
    assert_null(r);
    tacit_text_free(operator_token);
    end(&w);
}

/* Who holds the handle: without a token, also where the first one was given away; none is made by it. */
static void the_operator_needs_no_token(void **state)
{
    (void)state;
    world w;
    tacit_error err = {0};
    char *first = NULL;
    begin(&w);
    static const struct {
        const char *method, *path, *body;
        int status;
        const char *says;
    } row[] = {{"GET", "/v1/studies/s", NULL, 200, "\"running\""},
               {"POST", "/v1/studies/s:pause", "{}", 200, "\"paused\""},
               {"POST", "/v1/tokens", "{\"role\": \"viewer\"}", 201, "\"token\""},
               {"GET", "/v1/studies/none", NULL, 404, "none"},
               {"POST", "/v1/studies/s/rounds/0/messages", "{}", 403, "operator"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tacit_request q = TACIT_REQUEST;
        tacit_response *r = NULL;
        q.method = row[i].method;
        q.path = row[i].path;
        q.body = row[i].body;
        q.body_size = row[i].body ? strlen(row[i].body) : 0;
        q.as_operator = 1;
        assert_ok(tacit_coordinator_handle(w.c, &q, &r, &err));
        assert_int_equal(tacit_response_status(r), row[i].status);
        assert_non_null(strstr(tacit_response_body(r), row[i].says));
        tacit_response_free(r);
        q.size = offsetof(tacit_request, as_operator); /* a caller of before */
        assert_ok(tacit_coordinator_handle(w.c, &q, &r, &err));
        assert_int_equal(tacit_response_status(r), 401);
        tacit_response_free(r);
    }
    assert_ok(tacit_coordinator_operator_token(w.c, false, &first, &err));
    assert_non_null(first);
    tacit_request q = TACIT_REQUEST;
    tacit_response *r = NULL;
    q.method = "GET";
    q.path = "/v1/studies";
    q.bearer = first;
    q.as_operator = 1;
    assert_int_equal(tacit_coordinator_handle(w.c, &q, &r, &err), TACIT_E_ARG);
    assert_string_equal(err.msg,
                        "request.as_operator and request.bearer exclude each other: the operator "
                        "needs no token here");
    q.bearer = NULL;
    q.as_operator = 2;
    assert_int_equal(tacit_coordinator_handle(w.c, &q, &r, &err), TACIT_E_ARG);
    assert_string_equal(err.msg, "request.as_operator must be 0 or 1, got 2");
    assert_null(r);
    tacit_text_free(first);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(three_agents_in_one_process, clear_folder),
        cmocka_unit_test_setup(a_run_goes_on_where_it_was_stopped, clear_folder),
        cmocka_unit_test(a_broken_function_does_not_eat_the_study),
        cmocka_unit_test(several_trials_at_once),
        cmocka_unit_test_setup(who_is_asked_may_decline, clear_folder),
        cmocka_unit_test(a_silent_coordinator_is_not_waited_for),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(a_request_is_answered),
        cmocka_unit_test(the_operator_needs_no_token),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
