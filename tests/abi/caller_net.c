/* caller_net.c - a program of an earlier version, as caller.c is: storages at a coordinator, and agents. Each server listens
 * on loopback, at any free port. */
#include "caller.h"

#include <tacit/agent.h>
#include <tacit/net.h>
#include <tacit/release.h>
#include <tacit/trustee.h>

#include <math.h>

#define SPACE "\"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}"
#define SERVED(name, algorithm)                                                                    \
    "{\"name\": \"" name "\", \"direction\": \"minimize\", \"trials\": 4, \"seed\": 3, " SPACE     \
    ", \"algorithm\": {" algorithm "}}"
#define PLAIN   SERVED("s", "\"name\": \"random\"")
#define PRIVATE SERVED("l", "\"name\": \"ldp-tgp\", \"epsilon\": 1, \"reply\": \"onebit\"")
#define FEDERATED                                                                                  \
    "{\"name\": \"ward\", \"direction\": \"maximize\", \"trials\": 5, " SPACE                      \
    ", \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"                 \
    " \"federation\": {\"agents\": 2}, \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}"

#define TRUSTED                                                                                    \
    "{\"name\": \"ward\", \"direction\": \"maximize\", \"trials\": 5, " SPACE                      \
    ", \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"                 \
    " \"federation\": {\"agents\": 2, \"trustees\": 3}, \"privacy\": {\"epsilon\": 5, \"delta\": " \
    "1e-5}}"

static void numbers(void)
{
    NUMBER(TACIT_AGENT_ROSTER, 6);
    NUMBER(TACIT_TRUSTEE_ROSTER, 1);
    NUMBER(TACIT_TRUSTEE_DEALT, 2);
    NUMBER(TACIT_TRUSTEE_ANSWERED, 3);
    NUMBER(TACIT_TRUSTEE_REFUSED, 4);
    NUMBER(TACIT_TRUSTEE_CONFLICT, 5);
    NUMBER(TACIT_TRUSTEE_WAITS, 6);
    NUMBER(TACIT_AGENT_TRIAL, 1);
    NUMBER(TACIT_AGENT_WAIT, 2);
    NUMBER(TACIT_AGENT_DONE, 3);
    NUMBER(TACIT_MESSAGE_READY, 1);
    NUMBER(TACIT_MESSAGE_WITHHELD, 2);
    NUMBER(TACIT_MESSAGE_LEAVING, 3);
    NUMBER(TACIT_MESSAGE_SENT, 4);
    NUMBER(TACIT_MESSAGE_BEFORE, 5);
    SAME(tacit_message_state_name(TACIT_MESSAGE_READY), "ready");
    SAME(tacit_message_state_name(TACIT_MESSAGE_WITHHELD), "withheld");
    SAME(tacit_message_state_name(TACIT_MESSAGE_LEAVING), "leaving");
    SAME(tacit_message_state_name(TACIT_MESSAGE_SENT), "sent");
    SAME(tacit_message_state_name(TACIT_MESSAGE_BEFORE), "before");
    CHECK(tacit_message_state_name((tacit_message_state)1000) == NULL);
}

/* A coordinator, its server, and its studies as the operator sees them. */
typedef struct world {
    tacit_coordinator *c;
    tacit_server *server;
    char *token;
    tacit_storage *storage;
} world;

static world begin(void)
{
    world w = {0};
    tacit_coordinator_opts co = TACIT_COORDINATOR_OPTS;
    tacit_server_opts so = TACIT_SERVER_OPTS;
    tacit_storage_opts o = TACIT_STORAGE_OPTS;
    co.storage = "memory:";
    so.listen = "127.0.0.1:0";
    GOOD(tacit_coordinator_open(&w.c, &co, &err));
    GOOD(tacit_coordinator_operator_token(w.c, false, &w.token, &err));
    GOOD(tacit_server_start(&w.server, w.c, &so, &err));
    o.token = w.token;
    o.fingerprint = tacit_server_fingerprint(w.server);
    GOOD(tacit_storage_open(&w.storage, tacit_server_url(w.server), &o, &err));
    return w;
}

static void end(world *w)
{
    tacit_storage_close(w->storage);
    tacit_server_stop(w->server);
    tacit_coordinator_close(w->c);
    tacit_text_free(w->token);
}

/* ---- net.h */

static void take_part(void *user, const char *part, const char *version)
{
    CHECK(*version);
    *(int *)user +=
        strcmp(part, "gnutls") == 0 || strcmp(part, "microhttpd") == 0 || strcmp(part, "curl") == 0;
}

static void the_build(void)
{
    int parts = 0;
    CHECK(tacit_net_is_built());
    tacit_net_parts(take_part, &parts);
    CHECK(parts == 3);
}

static void operator_calls(world *w)
{
    tacit_document *d = NULL;
    char *answer = NULL;
    GOOD(tacit_document_parse(&d, FEDERATED, &err));
    GOOD(tacit_net_create(w->storage, d, &answer, &err));
    SAYS(answer, "\"ward\"");
    tacit_text_free(answer);
    FAILS(tacit_net_create(w->storage, d, &answer, &err), TACIT_E_CONFLICT);
    tacit_document_free(d);
    GOOD(tacit_net_call(w->storage, "POST", "ward", ":pause", NULL, &answer, &err));
    SAYS(answer, "\"paused\"");
    tacit_text_free(answer);
    GOOD(tacit_net_call(w->storage, "GET", NULL, "/v1/studies", NULL, &answer, &err));
    SAYS(answer, "\"ward\"");
    tacit_text_free(answer);
    FAILS(tacit_net_call(w->storage, "GET", "nobody", "", NULL, &answer, &err), TACIT_E_NOT_FOUND);
    GOOD(tacit_net_audit(w->storage, NULL, &answer, &err));
    SAYS(answer, "\"study.pause\"");
    tacit_text_free(answer);
    FAILS(tacit_net_audit(w->storage, "1:2", &answer, &err), TACIT_E_ARG);
}

/* ---- study.h, at a coordinator */

static tacit_study *make_study(world *w, const char *document)
{
    tacit_document *d = NULL;
    tacit_study *s = NULL;
    GOOD(tacit_document_parse(&d, document, &err));
    GOOD(tacit_study_create_in(&s, w->storage, d, &err));
    tacit_document_free(d);
    return s;
}

static tacit_study_state state_of(tacit_study *s)
{
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    GOOD(tacit_study_summarize(s, &sum, &err));
    return sum.state;
}

static void served_study(world *w)
{
    tacit_study *s = make_study(w, PLAIN);
    uint64_t trial = 9;
    double x = 0;
    GOOD(tacit_study_set_state(s, TACIT_STUDY_PAUSED, &err));
    CHECK(state_of(s) == TACIT_STUDY_PAUSED);
    FAILS(tacit_study_ask(s, &trial, &x, &err), TACIT_E_STATE);
    GOOD(tacit_study_set_state(s, TACIT_STUDY_RUNNING, &err));
    CHECK(state_of(s) == TACIT_STUDY_RUNNING);
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    GOOD(tacit_study_tell(s, trial, 1, &err));
    GOOD(tacit_study_tell(s, trial, 1, &err)); /* as a storage of this process does not */
    CHECK(!tacit_study_is_away(s));
    tacit_study_close(s);
}

/* A coordinator takes replies, and nothing else that a user could say. */
static void served_replies(world *w)
{
    tacit_study *s = make_study(w, PRIVATE);
    tacit_report r = TACIT_REPORT;
    tacit_reply *draw = NULL;
    tacit_release *drawn = NULL;
    uint64_t trial = 9;
    double x = 0;
    GOOD(tacit_study_ask(s, &trial, &x, &err));
    GOOD(tacit_reply_new(&draw, TACIT_REPLY_ONE_BIT, 1, -2, 2, &err));
    GOOD(tacit_reply_release(draw, 0.5, &drawn, &err));
    r.value = tacit_release_value(drawn, 0, 0);
    FAILS(tacit_study_report(s, trial, &r, &err), TACIT_E_ARG);
    r.kind = TACIT_REPORT_REPLY;
    GOOD(tacit_study_report(s, trial, &r, &err));
    tacit_release_free(drawn);
    tacit_reply_free(draw);
    tacit_study_close(s);
}

/* ---- worker.h, at a coordinator */

typedef struct closing {
    tacit_study *study;
    int untold;
} closing;

static tacit_status evaluate_and_close(void *user, uint64_t trial, const double *values,
                                       double *value, tacit_error *error)
{
    closing *c = user;
    (void)trial, (void)error;
    *value = values[0];
    GOOD(tacit_study_set_state(c->study, TACIT_STUDY_CLOSED, &err));
    return TACIT_OK;
}

static void listen(void *user, const tacit_worker_event *e)
{
    closing *c = user;
    c->untold += e->kind == TACIT_WORKER_UNTOLD && e->text && e->report &&
                 e->report->kind == TACIT_REPORT_VALUE;
}

static void closed_study(world *w)
{
    closing c = {make_study(w, SERVED("c", "\"name\": \"random\"")), 0};
    tacit_worker_opts o = TACIT_WORKER_OPTS;
    tacit_worker_result r = TACIT_WORKER_RESULT;
    o.evaluate = evaluate_and_close;
    o.listen = listen;
    o.user = &c;
    FAILS(tacit_worker_run(c.study, &o, &r, &err), TACIT_E_STATE);
    CHECK(c.untold == 1 && r.told == 0 && state_of(c.study) == TACIT_STUDY_CLOSED);
    FAILS(tacit_worker_run(c.study, &o, &r, &err), TACIT_E_STATE);
    CHECK(r.end == TACIT_WORKER_CLOSED);
    tacit_study_close(c.study);
}

/* ---- a coordinator that is away */

typedef struct patience {
    int waited, asked;
} patience;

static bool wait(void *user, int64_t pause_ms, const char *why)
{
    patience *p = user;
    CHECK(pause_ms > 0 && (why != NULL) == (p->waited == 0));
    p->waited++;
    return p->waited < 3;
}

static bool stop(void *user)
{
    ((patience *)user)->asked++;
    return false;
}

static void nobody_answers(void)
{
    world w = begin();
    tacit_storage_opts o = TACIT_STORAGE_OPTS;
    patience p = {0};
    tacit_study *s = make_study(&w, PLAIN), *mine = NULL;
    uint64_t trial = 0;
    double x = 0;
    o.token = w.token;
    o.fingerprint = tacit_server_fingerprint(w.server);
    o.ca = NULL;
    o.proxy = "none";
    o.note = NULL;
    o.patience_s = 3600;
    o.wait = wait;
    o.stop = stop;
    o.user = &p;
    GOOD(tacit_study_open(&mine, tacit_server_url(w.server), "s", &o, &err));
    CHECK(p.waited == 0 && p.asked > 0);
    tacit_server_stop(w.server);
    w.server = NULL;
    FAILS(tacit_study_ask(mine, &trial, &x, &err), TACIT_E_IO);
    CHECK(p.waited == 3 && tacit_study_is_away(mine));
    tacit_study_set_patience(mine, -1, 1);
    FAILS(tacit_study_ask(mine, &trial, &x, &err), TACIT_E_IO);
    CHECK(p.waited == 3); /* it was sent once */
    tacit_study_close(mine);
    tacit_study_close(s);
    end(&w);
}

/* ---- agent.h */

static tacit_status consider(void *user, const tacit_agent_offer *offer, tacit_error *error)
{
    MADE(offer);
    SAYS(offer->document, "\"dp-fts-de\"");
    CHECK(offer->points == NULL);
    if (++*(int *)user > 1)
        return TACIT_OK;
    return refuse("not this one", TACIT_E_STATE, error);
}

static tacit_status evaluate(void *user, uint64_t trial, const double *values, double *value,
                             tacit_error *error)
{
    (void)trial, (void)error;
    ++*(int *)user;
    *value = -(values[0] - 0.4) * (values[0] - 0.4);
    return TACIT_OK;
}

static tacit_agent_opts agent_opts(const char *storage, const char *token)
{
    tacit_agent_opts o = TACIT_AGENT_OPTS;
    CHECK(o.size == sizeof o && o.patience_s == 3600 && o.test_seed == -1 && o.test_key == 0);
    o.study = "ward";
    o.storage = storage;
    o.join_token = token;
    return o;
}

/* Steps both until both are done, or 100 times. */
static void work(tacit_coordinator *c, tacit_agent **a)
{
    int done = 0, waited = 0, evaluated = 0;
    for (int turn = 0; turn < 100 && done < 2; turn++) {
        done = 0;
        for (int i = 0; i < 2; i++) {
            tacit_agent_next next = TACIT_AGENT_TRIAL;
            uint64_t trial = 0;
            double x = 0, value = 0;
            GOOD(tacit_agent_step(a[i], 0, &next, &err));
            done += next == TACIT_AGENT_DONE;
            waited += next == TACIT_AGENT_WAIT;
            if (next != TACIT_AGENT_TRIAL)
                continue;
            GOOD(tacit_study_ask(tacit_agent_study(a[i]), &trial, &x, &err));
            GOOD(evaluate(&evaluated, trial, &x, &value, &err));
            GOOD(tacit_study_tell(tacit_agent_study(a[i]), trial, value, &err));
        }
        GOOD(tacit_coordinator_tick(c, NULL, &err));
    }
    CHECK(done == 2 && waited > 0 && evaluated == 10);
}

static void check_round(const tacit_agent_round *r, tacit_ledger *l)
{
    static const tacit_hash none;
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
    MADE(r);
    CHECK(r->state == TACIT_MESSAGE_SENT && r->message != NULL && r->message_size > 0);
    CHECK(r->numbers != NULL && r->n_numbers > 0 && r->made_ms > 0 && !*r->not_private);
    CHECK(memcmp(&r->hash, &none, sizeof none) != 0 && r->about != NULL);
    SAME(r->ledger, "mine");
    GOOD(tacit_ledger_get(l, r->entry, &e, &err));
    CHECK(e.round == r->round && e.event.parameter == r->event.parameter && r->times == 1);
    CHECK(r->event.mechanism == TACIT_DP_GAUSSIAN && r->delta == 1e-5);
    CHECK(r->epsilon > 0 && r->epsilon < 5 && r->skipped == NULL);
    CHECK(r->heard == 1 && r->heard_bytes > 0);
    CHECK(memcmp(&r->heard_hash, &none, sizeof none) != 0);
}

static void inspect(void)
{
    tacit_traffic *t = NULL;
    tacit_ledger *l = NULL;
    double alone[5] = {0};
    size_t start = 99;
    int evaluated = 0;
    GOOD(tacit_ledger_open(&l, "sqlite:///agent.db", "mine", &err));
    GOOD(tacit_agent_inspect(&t, "sqlite:///agent.db", "mine", &err));
    CHECK(tacit_traffic_count(t) > 0 && !tacit_traffic_get(t, tacit_traffic_count(t)));
    check_round(tacit_traffic_get(t, 0), l);
    tacit_traffic_free(t);
    tacit_ledger_close(l);
    FAILS(tacit_agent_inspect(&t, "sqlite:///agent.db", "ward", &err), TACIT_E_NOT_FOUND);
    GOOD(tacit_agent_alone("sqlite:///agent.db", "mine", evaluate, &evaluated, 5, alone, &start,
                           &err));
    CHECK(start + (size_t)evaluated == 5 && alone[4] <= 0);
}

/* The way to the coordinator: the caller's own; and what was heard of rounds. */
typedef struct way {
    tacit_coordinator *c;
    tacit_response *last;
    int sent, heard, waited, other;
} way;

static void hear(void *user, const tacit_agent_event *e)
{
    way *by = (way *)user;
    tacit_agent_event_kind kind = e->kind;
    MADE(e);
    CHECK(e->party == TACIT_UNKNOWN && e->round <= 5 && e->deadline_ms >= 0);
    by->sent += kind == TACIT_AGENT_SENT && e->epsilon > 0 && e->delta == 1e-5 && !e->text;
    by->heard += kind == TACIT_AGENT_HEARD;
    by->waited += kind == TACIT_AGENT_WAITS && *e->text;
    by->other += kind == TACIT_AGENT_WITHHELD || kind == TACIT_AGENT_SKIPPED;
}

static tacit_status carry(void *user, const tacit_request *request, tacit_agent_answer *answer,
                          tacit_error *error)
{
    way *by = (way *)user;
    MADE(answer);
    tacit_response_free(by->last);
    by->last = NULL;
    GOOD(tacit_coordinator_handle(by->c, request, &by->last, error));
    answer->status = tacit_response_status(by->last);
    answer->body = tacit_response_body(by->last);
    answer->body_size = tacit_response_size(by->last);
    return TACIT_OK;
}

/* Another key, and then it is gone. */
static void leave(const world *w)
{
    uint64_t number = 9;
    tacit_agent_opts o = agent_opts("sqlite:///agent.db", NULL);
    o.coordinator = tacit_server_url(w->server);
    o.fingerprint = tacit_server_fingerprint(w->server);
    o.as = "mine";
    GOOD(tacit_agent_new_key(&o, &number, &err));
    CHECK(number == 0);
    GOOD(tacit_agent_withdraw(&o, &number, &err));
    CHECK(number == 0);
    FAILS(tacit_agent_new_key(&o, &number, &err), TACIT_E_STATE);
}

static void agents(void)
{
    world w = begin();
    way by = {w.c, NULL, 0, 0, 0, 0};
    tacit_agent_summary now = TACIT_AGENT_SUMMARY;
    char *token = NULL, *promise = NULL;
    tacit_agent *a[2] = {NULL, NULL};
    int considered = 0;
    GOOD(tacit_coordinator_create(w.c, FEDERATED, &err));
    GOOD(tacit_coordinator_invite(w.c, "ward", 2, 0, &token, &err));
    tacit_agent_opts o = agent_opts("sqlite:///agent.db", token);
    o.coordinator = tacit_server_url(w.server);
    o.fingerprint = tacit_server_fingerprint(w.server);
    o.as = "mine";
    o.ledger = "mine";
    o.epsilon = 6;
    o.delta = 1e-5;
    o.consider = consider;
    o.user = &considered;
    FAILS(tacit_agent_join(&a[0], &o, &err), TACIT_E_STATE);
    GOOD(tacit_agent_join(&a[0], &o, &err));
    CHECK(considered == 2 && tacit_agent_number(a[0]) == 0);
    GOOD(tacit_agent_promise(a[0], &promise, &err));
    SAYS(promise, "epsilon 5");
    tacit_text_free(promise);
    o = agent_opts("memory:", token);
    o.exchange = carry;
    o.listen = hear;
    o.user = &by;
    o.accept_restored = true;
    GOOD(tacit_agent_join(&a[1], &o, &err));
    CHECK(tacit_agent_number(a[1]) == 1);
    work(w.c, a);
    CHECK(by.sent > 0 && by.heard == by.sent && by.waited > 0 && by.other == 0);
    GOOD(tacit_agent_summarize(a[0], &now, &err));
    CHECK(now.epsilon > 0 && now.epsilon <= 5 && now.limit == 6 && now.delta == 1e-5);
    CHECK(now.end == TACIT_WORKER_FAILED && !*now.not_private); /* it was stepped */
    tacit_agent_close(a[0]);
    tacit_agent_close(a[1]);
    tacit_response_free(by.last);
    inspect();
    leave(&w);
    tacit_text_free(token);
    end(&w);
}

/* ---- agent.h: the library's own loop, and options that a study with privacy has no use for */

static bool at_once(void *user)
{
    (void)user;
    return true;
}

static void take_note(void *user, const char *text)
{
    (void)user;
    CHECK(*text);
}

static void one_agent(void)
{
    static const char document[] =
        "{\"name\": \"ward\", \"direction\": \"maximize\", \"trials\": 3, " SPACE
        ", \"algorithm\": {\"name\": \"fts\"}, \"federation\": {\"agents\": 1}, \"privacy\": "
        "\"none\"}";
    tacit_coordinator_opts co = TACIT_COORDINATOR_OPTS;
    tacit_coordinator *c = NULL;
    tacit_agent *a = NULL;
    tacit_worker_opts work = TACIT_WORKER_OPTS;
    char *token = NULL;
    int evaluated = 0;
    co.storage = "memory:";
    GOOD(tacit_coordinator_open(&c, &co, &err));
    GOOD(tacit_coordinator_create(c, document, &err));
    GOOD(tacit_coordinator_invite(c, "ward", 1, 0, &token, &err));
    tacit_agent_opts o = agent_opts("memory:", token);
    o.here = c;
    FAILS(tacit_agent_join(&a, &o, &err), TACIT_E_STATE); /* it protects nothing */
    o.accept_not_private = true;
    o.test_seed = 5;
    o.test_key = 1;
    GOOD(tacit_agent_join(&a, &o, &err));
    GOOD(tacit_agent_run(a, evaluate, &evaluated, &err));
    CHECK(evaluated == 3);
    work.evaluate = evaluate;
    work.user = &evaluated;
    GOOD(tacit_agent_work(a, &work, &err)); /* nothing is left to do */
    CHECK(evaluated == 3);
    tacit_agent_close(a);
    tacit_text_free(token);
    tacit_coordinator_close(c);
    o = agent_opts("memory:", "x");
    o.coordinator = "http://127.0.0.1:1"; /* nobody listens there */
    o.patience_s = 0;
    o.note = take_note;
    FAILS(tacit_agent_join(&a, &o, &err), TACIT_E_IO);
    o.patience_s = 3600;
    o.stop = at_once;
    FAILS(tacit_agent_join(&a, &o, &err), TACIT_E_CANCELLED);
}

/* ---- trustee.h */

/* What trustees and an agent say. */
typedef struct trusting {
    way by; /* first: it is also the user of carry and hear */
    int rosters, dealt, answered, refused, waited;
    char roster[64];
} trusting;

static void note_roster(trusting *all, const char *text)
{
    CHECK(strlen(text) < sizeof all->roster);
    if (!*all->roster)
        snprintf(all->roster, sizeof all->roster, "%s", text);
    SAME(text, all->roster);
    all->rosters++;
}

static void hear_agent(void *user, const tacit_agent_event *e)
{
    if (e->kind == TACIT_AGENT_ROSTER)
        note_roster((trusting *)user, e->text);
}

static void hear_trustee(void *user, const tacit_trustee_event *e)
{
    trusting *all = (trusting *)user;
    MADE(e);
    CHECK(e->round <= 5);
    if (e->kind == TACIT_TRUSTEE_ROSTER)
        note_roster(all, e->text);
    all->dealt += e->kind == TACIT_TRUSTEE_DEALT;
    all->answered += e->kind == TACIT_TRUSTEE_ANSWERED && e->agents == 2;
    all->refused += e->kind == TACIT_TRUSTEE_REFUSED || e->kind == TACIT_TRUSTEE_CONFLICT;
    all->waited += e->kind == TACIT_TRUSTEE_WAITS && *e->text;
}

static tacit_trustee_opts trustee_opts(const char *token, trusting *all)
{
    tacit_trustee_opts o = TACIT_TRUSTEE_OPTS;
    CHECK(o.size == sizeof o && o.patience_s == 3600 && o.test_seed == -1 && o.test_key == 0);
    o.study = "ward";
    o.storage = "memory:";
    o.join_token = token;
    o.listen = hear_trustee;
    o.user = all;
    return o;
}

/* Each by another way. */
static void join_trustees(const world *w, const char *token, trusting *all, tacit_trustee **t)
{
    tacit_trustee_opts o = trustee_opts(token, all);
    o.here = w->c;
    GOOD(tacit_trustee_join(&t[0], &o, &err));
    o.here = NULL;
    o.exchange = carry;
    GOOD(tacit_trustee_join(&t[1], &o, &err));
    o.exchange = NULL;
    o.coordinator = tacit_server_url(w->server);
    o.fingerprint = tacit_server_fingerprint(w->server);
    o.proxy = "none";
    o.note = take_note;
    GOOD(tacit_trustee_join(&t[2], &o, &err));
    for (uint64_t k = 0; k < 3; k++)
        CHECK(tacit_trustee_place(t[k]) == k);
    o.ca = "nowhere.pem";
    FAILS(tacit_trustee_join(&t[2], &o, &err), TACIT_E_NOT_FOUND);
    o.ca = NULL;
    o.stop = at_once;
    o.coordinator = "http://127.0.0.1:1"; /* nobody listens there */
    o.fingerprint = NULL;
    FAILS(tacit_trustee_join(&t[2], &o, &err), TACIT_E_CANCELLED);
}

static void work_with(tacit_coordinator *c, tacit_agent **a, tacit_trustee **t)
{
    int done = 0, evaluated = 0;
    for (int turn = 0; turn < 200 && done < 5; turn++) {
        done = 0;
        for (int i = 0; i < 2; i++) {
            tacit_agent_next next = TACIT_AGENT_TRIAL;
            uint64_t trial = 0;
            double x = 0, value = 0;
            GOOD(tacit_agent_step(a[i], 0, &next, &err));
            done += next == TACIT_AGENT_DONE;
            if (next != TACIT_AGENT_TRIAL)
                continue;
            GOOD(tacit_study_ask(tacit_agent_study(a[i]), &trial, &x, &err));
            GOOD(evaluate(&evaluated, trial, &x, &value, &err));
            GOOD(tacit_study_tell(tacit_agent_study(a[i]), trial, value, &err));
        }
        for (int k = 0; k < 3; k++) {
            bool over = false;
            GOOD(tacit_trustee_step(t[k], 0, &over, &err));
            done += over;
        }
        GOOD(tacit_coordinator_tick(c, NULL, &err));
    }
    CHECK(done == 5);
}

static void check_shares(void)
{
    tacit_traffic *traffic = NULL;
    GOOD(tacit_agent_inspect(&traffic, "sqlite:///shares.db", "ward", &err));
    const tacit_agent_round *r = tacit_traffic_get(traffic, 0);
    CHECK(r->trustees == 3 && r->readers == 3 && r->share_bytes > r->message_size);
    tacit_traffic_free(traffic);
}

static void trustees(void)
{
    world w = begin();
    trusting all = {{w.c, NULL, 0, 0, 0, 0}, 0, 0, 0, 0, 0, ""};
    tacit_trustee_summary now = TACIT_TRUSTEE_SUMMARY;
    char *token = NULL, *trusted = NULL;
    tacit_agent *a[2] = {NULL, NULL};
    tacit_trustee *t[3] = {NULL, NULL, NULL};
    GOOD(tacit_coordinator_create(w.c, TRUSTED, &err));
    GOOD(tacit_coordinator_invite(w.c, "ward", 2, 0, &token, &err));
    GOOD(tacit_coordinator_invite_trustees(w.c, "ward", 3, 0, &trusted, &err));
    for (int i = 0; i < 2; i++) {
        tacit_agent_opts o = agent_opts(i == 0 ? "sqlite:///shares.db" : "memory:", token);
        o.here = w.c;
        o.listen = hear_agent;
        o.user = &all;
        GOOD(tacit_agent_join(&a[i], &o, &err));
    }
    join_trustees(&w, trusted, &all, t);
    work_with(w.c, a, t);
    CHECK(all.rosters == 5 && all.refused == 0 && all.waited > 0);
    GOOD(tacit_trustee_summarize(t[0], &now, &err));
    CHECK(now.rounds > 0 && now.answered == now.rounds && now.conflicts == 0);
    CHECK(all.answered == 3 * (int)now.rounds && all.dealt == all.answered);
    SAME(now.roster, all.roster);
    GOOD(tacit_trustee_run(t[0], &err)); /* nothing is left to do */
    for (int k = 0; k < 3; k++)
        tacit_trustee_close(t[k]);
    tacit_agent_close(a[0]);
    tacit_agent_close(a[1]);
    check_shares();
    tacit_agent_opts o = agent_opts("sqlite:///shares.db", NULL);
    o.here = w.c;
    o.roster = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    GOOD(tacit_agent_join(&a[0], &o, &err)); /* it has nothing to send any more */
    tacit_agent_close(a[0]);
    tacit_trustee_opts refused = trustee_opts(trusted, &all);
    refused.here = w.c;
    refused.test_seed = 5;
    refused.test_key = 1;
    refused.roster = o.roster;
    FAILS(tacit_trustee_join(&t[0], &refused, &err), TACIT_E_STATE); /* all places are taken */
    tacit_response_free(all.by.last);
    tacit_text_free(token);
    tacit_text_free(trusted);
    end(&w);
}

int main(void)
{
    tacit_storage *st = NULL;
    numbers();
    FAILS(tacit_storage_open(&st, "https://127.0.0.1:1", NULL, &err), TACIT_E_UNSUPPORTED);
    tacit_net_register();
    the_build();
    world w = begin();
    operator_calls(&w);
    served_study(&w);
    served_replies(&w);
    closed_study(&w);
    end(&w);
    nobody_answers();
    agents();
    one_agent();
    trustees();
    return report("caller_net");
}
