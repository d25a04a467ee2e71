/* served_client_test.c - a client of a served study against the real coordinator, and against one that lies,
 * is busy or is gone.
 *
 * The coordinator is behind a function call, in a store in memory. What the client reads is held against what the
 * store has, bit for bit; every lie is refused with a sentence of its own. */
#include "support/coord_world.h"

#include "agent/served_client.h"
#include "base/error.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

static const tacit_trial_query all_trials = TACIT_TRIAL_QUERY;

static const char document[] =
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 5, \"seed\": 7,"
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": -3, \"high\": 1},"
    " \"k\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\"]}},"
    " \"algorithm\": {\"name\": \"random\"}}";

typedef struct play {
    coord_world w;
    int down, busy;  /* how many of the next requests get no answer, or 503 */
    const char *lie; /* the answer to the next request, whatever it is; or NULL */
    int lie_status;  /* ... with this status */
    bool circles;    /* every answer is a page that another one follows */
    const char
        *lost_at; /* the next request to a path with this end arrives, and its answer is lost */
    int sent, naps, notes;
    long timeout_s; /* of the last request */
    bool drips;     /* a request that gets no answer takes all of its time */
    int64_t now_ms;
    char path[256]; /* ... and where it went */
    int64_t napped_ms;
    int patience_naps; /* after so many the wait is given up; 0: never */
    char token[64];
    tc_remote_config cfg;
    tc_remote *client;
} play;

/* ---- the transport ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void pass_on(play *p, const tc_call *call, int *status, tc_text *body)
{
    char path[256];
    const char *query = strchr(call->path, '?');
    tc_response r = {0};
    snprintf(path, sizeof path, "%.*s",
             (int)(query ? (size_t)(query - call->path) : strlen(call->path)), call->path);
    tc_request q = {.method = call->method,
                    .path = path,
                    .query = query ? query + 1 : NULL,
                    .bearer = call->bearer,
                    .body = call->body,
                    .n_body = call->n_body};
    tc_coord_handle(p->w.coord, &q, &r);
    *status = r.status;
    tc_text_add_bytes(body, tc_text_get(&r.body), r.body.len);
    tc_response_fini(&r);
}

static tacit_status deliver(void *user, const tc_call *call, int *status, tc_text *body,
                            tacit_error *err)
{
    play *p = user;
    p->sent++;
    p->timeout_s = call->timeout_s;
    snprintf(p->path, sizeof p->path, "%s", call->path);
    if (p->down > 0) {
        p->down--;
        p->now_ms += p->drips ? 1000 * (p->timeout_s > 0 ? p->timeout_s : TC_CALL_S) : 0;
        return tc_fail(err, TACIT_E_IO, "nobody is there");
    }
    if (p->busy > 0) {
        p->busy--;
        *status = 503;
        tc_text_add(body, "{\"detail\": \"the storage is busy; ask again\"}");
        return TACIT_OK;
    }
    if (p->circles)
        p->lie = "{\"trials\": [{\"trial\": 0, \"state\": \"STALE\", \"params\": "
                 "{\"x\": 0, \"k\": \"a\"}}], \"next\": 3}";
    if (p->lie) {
        *status = p->lie_status;
        tc_text_add(body, p->lie);
        p->lie = NULL;
        return TACIT_OK;
    }
    pass_on(p, call, status, body);
    if (p->lost_at && ends_with(call->path, p->lost_at)) {
        p->lost_at = NULL;
        body->len = 0;
        return tc_fail(err, TACIT_E_IO, "the answer was lost");
    }
    return TACIT_OK;
}

static bool nap(void *user, int64_t ms, const char *why)
{
    play *p = user;
    p->naps++;
    p->notes += why != NULL;
    p->napped_ms += ms;
    return p->patience_naps == 0 || p->naps < p->patience_naps;
}

static uint64_t now_ns(void *user)
{
    return (uint64_t)((play *)user)->now_ms * 1000000;
}

static void make_token(play *p)
{
    json_t *a;
    assert_int_equal(
        world_call(&p->w, "POST", "/v1/studies/s/tokens", p->w.operator_token, "{}", &a), 201);
    assert_string_equal(world_text(a, "role"), "client");
    snprintf(p->token, sizeof p->token, "%s", world_text(a, "token"));
    json_decref(a);
}

static int start(void **state)
{
    tacit_error err = {0};
    static play p;
    tc_store *store;
    p = (play){.w.now_ms = 1000000, .lie_status = 200};
    assert_ok(tc_store_open(&store, "memory:", true, &err));
    world_open(&p.w, store, 7);
    world_create(&p.w, "s", document);
    make_token(&p);
    p.cfg = (tc_remote_config){.transport = {.call = deliver, .user = &p},
                               .study = "s",
                               .token = p.token,
                               .patience_ms = 60000,
                               .wait = nap,
                               .now_ns = now_ns,
                               .user = &p};
    assert_ok(tc_remote_open(&p.client, &p.cfg, &err));
    *state = &p;
    return 0;
}

static int stop(void **state)
{
    play *p = *state;
    tc_remote_close(p->client);
    world_close(&p->w);
    return 0;
}

/* ---- work ---- */

static tc_trial suggest(play *p, const char *worker, double *values)
{
    tacit_error err = {0};
    tc_trial_list got = {0};
    tc_remote_request q = {.worker = worker, .lease_s = 60, .count = 1};
    assert_ok(tc_remote_suggest(p->client, &q, &got, &err));
    assert_int_equal(got.n, 1);
    tc_trial t = got.list[0];
    memcpy(values, t.values, 2 * sizeof *values);
    tc_trial_list_fini(&got);
    t.values = values;
    return t;
}

static void tell(play *p, uint64_t trial, double value)
{
    tacit_error err = {0};
    assert_ok(tc_remote_complete(
        p->client, trial, &(tacit_report){.kind = TACIT_REPORT_VALUE, .value = value}, &err));
}

/* Every bit of every trial, against the study as its store has it. */
static void assert_same_trials(play *p)
{
    tacit_error err = {0};
    tc_trial_list got = {0};
    tc_study *study;
    const tc_optimizer *o;
    assert_ok(tc_remote_trials(p->client, &all_trials, &got, &err));
    assert_ok(tc_study_open(&study, p->w.store, "s", NULL, &err));
    assert_ok(tc_study_look(study, &o, &err));
    assert_int_equal(got.n, tc_optimizer_trials(o));
    for (size_t i = 0; i < got.n; i++) {
        const tc_trial *a = &got.list[i], *b = tc_optimizer_trial(o, i);
        assert_int_equal(a->number, b->number);
        assert_int_equal(a->state, b->state);
        assert_memory_equal(a->values, b->values, 2 * sizeof(double));
        if (b->state == TC_TRIAL_COMPLETE)
            assert_memory_equal(&a->value, &b->value, sizeof a->value);
        assert_int_equal(a->asked_ms, b->asked_ms);
        assert_true(!a->worker == !b->worker && (!a->worker || !strcmp(a->worker, b->worker)));
        assert_true(!a->reason == !b->reason && (!a->reason || !strcmp(a->reason, b->reason)));
    }
    tc_study_unlook(study);
    tc_study_close(study);
    tc_trial_list_fini(&got);
}

static void reads_what_the_store_has(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list best = {0};
    tacit_study_summary standing;
    double at[2], point[2] = {-0x1.23456789abcdfp-3, 1};
    assert_string_equal(tc_remote_document(p->client)->algorithm->name, "random");
    assert_ok(tc_remote_best(p->client, &best, &err));
    assert_int_equal(best.n, 0);
    tell(p, suggest(p, "w", at).number, 0x1.fffffffffffffp-1022);
    tell(p, suggest(p, "w", at).number, -0.0);
    tacit_report failed = {.kind = TACIT_REPORT_FAILED, .reason = "out of \"memory\""};
    assert_ok(tc_remote_complete(p->client, suggest(p, "w", at).number, &failed, &err));
    tacit_report moved = {.kind = TACIT_REPORT_VALUE, .value = 1.0 / 3, .point = point};
    assert_ok(tc_remote_complete(p->client, suggest(p, "w", at).number, &moved, &err));
    suggest(p, "other", at);
    assert_same_trials(p);
    assert_ok(tc_remote_best(p->client, &best, &err));
    assert_int_equal(best.n, 1);
    assert_int_equal(best.list[0].number, 1);
    tc_trial_list_fini(&best);
    assert_ok(tc_remote_show(p->client, &standing, &err));
    assert_int_equal(standing.complete, 3);
    assert_int_equal(standing.failed, 1);
    assert_int_equal(standing.running, 1);
    assert_int_equal(standing.planned, 5);
}

static void states_and_single_trials(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list got = {0};
    double at[2];
    tell(p, suggest(p, "w", at).number, 1);
    tc_trial running = suggest(p, "w", at);
    assert_ok(tc_remote_trials(p->client, &(tacit_trial_query){.state = TACIT_TRIAL_RUNNING}, &got,
                               &err));
    assert_int_equal(got.n, 1);
    assert_int_equal(got.list[0].number, running.number);
    assert_ok(tc_remote_trial(p->client, 0, &got, &err));
    assert_ok(tc_remote_trial(p->client, 1, &got, &err));
    assert_int_equal(got.n, 3);
    assert_int_equal(got.list[1].number, 0);
    assert_int_equal(got.list[2].number, 1);
    assert_fails(tc_remote_trial(p->client, 2, &got, &err), TACIT_E_NOT_FOUND,
                 "there is no trial 2");
    assert_int_equal(got.n, 3);
    tc_trial_list_fini(&got);
}

static void a_point_of_ones_own_comes_first(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    double at[2], own[2] = {0.1, 1};
    uint64_t trial;
    assert_ok(tc_remote_enqueue(p->client, own, &trial, &err));
    assert_int_equal(trial, 0);
    tc_trial t = suggest(p, "w", at);
    assert_int_equal(t.number, trial);
    assert_memory_equal(at, own, sizeof own);
}

/* ---- losing answers ---- */

static void a_lost_answer_costs_nothing(void **state)
{
    play *p = *state;
    double at[2], again[2];
    p->lost_at = ":suggest";
    tc_trial t = suggest(p, "w", at); /* sent again: the same trial */
    assert_int_equal(t.number, 0);
    assert_int_equal(suggest(p, "w", again).number, 0);
    assert_memory_equal(at, again, sizeof at);
    p->lost_at = ":complete";
    tell(p, 0, 0.5);
    assert_int_equal(suggest(p, "w", at).number, 1);
    assert_same_trials(p);
}

static void waits_longer_each_time(void **state)
{
    play *p = *state;
    double at[2];
    p->down = 3;
    p->busy = 4;
    p->sent = 0;
    suggest(p, "w", at);
    assert_int_equal(p->sent, 8);
    assert_int_equal(p->naps, 7);
    assert_int_equal(p->notes, 1); /* said once */
    assert_int_equal(p->napped_ms, 100 * (1 + 2 + 4 + 8 + 16 + 32) + 5000);
}

static void patience_ends(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tacit_study_summary standing;
    p->down = 1000;
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO, "nobody is there");
    assert_true(p->napped_ms <= 60000 && p->napped_ms > 50000);
    p->naps = 0;
    p->patience_naps = 2; /* Ctrl-C */
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO, "nobody is there");
    assert_int_equal(p->naps, 2);
    p->down = 0;
    p->busy = 1000;
    p->patience_naps = 1;
    p->naps = 0;
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO,
                 "the coordinator says 503: the storage is busy; ask again");
}

/* Requests that take all of their time are no pauses, and count as much. */
static void patience_bounds_answers_that_drip(void **state)
{
    static const int64_t patience_ms[] = {1000, 7000, 60000, 100000, 3600000};
    play *p = *state;
    tacit_error err = {0};
    tacit_study_summary standing;
    p->drips = true;
    for (size_t i = 0; i < sizeof patience_ms / sizeof *patience_ms; i++) {
        p->down = 100000;
        p->now_ms = p->napped_ms = 0;
        tc_remote_set_pace(p->client, patience_ms[i], 0);
        assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO, "nobody is there");
        assert_in_range(p->now_ms + p->napped_ms, patience_ms[i] * 9 / 10, patience_ms[i] + 1000);
    }
    p->down = 0;
    assert_ok(tc_remote_show(p->client, &standing, &err)); /* and has its time again */
    assert_int_equal(p->timeout_s, 0);
}

static void a_sign_of_life_is_sent_once(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    double at[2];
    tc_trial t = suggest(p, "w", at);
    p->down = 1;
    p->sent = 0;
    assert_fails(tc_remote_heartbeat(p->client, t.number, "w", 60, NULL, &err), TACIT_E_IO,
                 "nobody is there");
    assert_int_equal(p->sent, 1);
    p->w.now_ms += 50000;
    assert_ok(tc_remote_heartbeat(p->client, t.number, "w", 60, NULL, &err));
    p->w.now_ms += 50000; /* 100 s after the start, 50 after the sign of life */
    assert_int_equal(suggest(p, "other", at).number, 1);
    p->w.now_ms += 70000;
    assert_int_equal(suggest(p, "third", at).number, 0); /* given up, and given to another */
    assert_int_equal(tc_remote_heartbeat(p->client, t.number, "w", 60, NULL, &err), TACIT_E_STATE);
}

/* ---- refusals ---- */

static void refusals_have_the_codes_of_a_storage(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list got = {0};
    tc_remote *other;
    double at[2];
    tacit_report value = {.kind = TACIT_REPORT_VALUE, .value = 1};
    assert_int_equal(tc_remote_complete(p->client, 9, &value, &err), TACIT_E_NOT_FOUND);
    tell(p, suggest(p, "w", at).number, 1);
    tell(p, 0, 1); /* the same again */
    value.value = 2;
    assert_int_equal(tc_remote_complete(p->client, 0, &value, &err), TACIT_E_STATE);
    tacit_report reply = {.kind = TACIT_REPORT_REPLY, .value = 1};
    assert_int_equal(tc_remote_complete(p->client, 1, &reply, &err), TACIT_E_ARG);
    tc_remote_request all = {.worker = "w", .lease_s = 60, .count = 10};
    assert_ok(tc_remote_suggest(p->client, &all, &got, &err)); /* as many as are left */
    assert_int_equal(got.n, 4);
    all.worker = "v";
    assert_int_equal(tc_remote_suggest(p->client, &all, &got, &err), TACIT_E_BUDGET);
    tc_trial_list_fini(&got);
    p->cfg.study = "nosuch";
    assert_fails(tc_remote_open(&other, &p->cfg, &err), TACIT_E_ARG,
                 "the coordinator says 403: the token is for another study");
    p->cfg.token = p->w.operator_token;
    assert_fails(tc_remote_open(&other, &p->cfg, &err), TACIT_E_NOT_FOUND,
                 "the coordinator says 404: there is no study \"nosuch\"");
    p->cfg.study = "s/tokens";
    assert_fails(tc_remote_open(&other, &p->cfg, &err), TACIT_E_ARG,
                 "\"s/tokens\" is not the name of a study");
    p->cfg.study = "s";
    p->cfg.token = "wrong";
    assert_fails(tc_remote_open(&other, &p->cfg, &err), TACIT_E_ARG,
                 "the coordinator says 401: the token is not valid");
}

/* A problem names its code; without one the number does. */
static void codes_of_problems(void **state)
{
    static const struct {
        int http;
        const char *body;
        tacit_status code;
    } cases[] = {
        {403, "{\"type\": \"urn:tacit:problem:budget\", \"detail\": \"d\"}", TACIT_E_BUDGET},
        {410, "{\"type\": \"urn:tacit:problem:budget\", \"detail\": \"d\"}", TACIT_E_BUDGET},
        {409, "{\"type\": \"urn:tacit:problem:conflict\"}", TACIT_E_CONFLICT},
        {404, "{\"type\": \"urn:tacit:problem:not-found\"}", TACIT_E_NOT_FOUND},
        {404, "{\"type\": \"urn:tacit:problem:not-founds\"}", TACIT_E_NOT_FOUND},
        {400, "{\"type\": \"urn:tacit:problem:arg\"}", TACIT_E_ARG},
        {403, "{\"type\": \"urn:else:budget\"}", TACIT_E_ARG},
        {410, "gone", TACIT_E_STATE},
        {418, "", TACIT_E_ARG},
        {500, "{\"type\": \"urn:tacit:problem:internal\"}", TACIT_E_IO},
        {501, "{\"type\": \"urn:tacit:problem:unsupported\"}", TACIT_E_UNSUPPORTED},
        {301, "{\"detail\": [1]}", TACIT_E_ARG},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacit_error err = {0};
        tc_text body = {0};
        tc_text_add(&body, cases[i].body);
        if (tc_remote_refusal(cases[i].http, &body, &err) != cases[i].code)
            fail_msg("%d %s: %s", cases[i].http, cases[i].body, tacit_status_name(err.code));
        tc_text_fini(&body);
    }
}

/* ---- lies ---- */

#define P       "\"params\": {\"x\": 0.5, \"k\": \"a\"}"
#define STRANGE "the coordinator's answer makes no sense: "

static void strange_suggestions_are_refused(void **state)
{
    static const struct {
        const char *answer, *why;
    } lies[] = {
        {"{}", STRANGE "no list of trials"},
        {"[]", STRANGE "no list of trials"},
        {"{\"trials\": []}", STRANGE "another number of trials than was asked for"},
        {"{\"trials\": [{\"trial\": 0, " P "}, {\"trial\": 1, " P "}]}",
         STRANGE "another number of trials than was asked for"},
        {"{\"trials\": [{\"trial\": -1, " P "}]}",
         STRANGE "a trial without a number, or of no whole number of pulls"},
        {"{\"trials\": [{\"trial\": 0.5, " P "}]}",
         STRANGE "a trial without a number, or of no whole number of pulls"},
        {"{\"trials\": [{\"trial\": 0, \"pulls\": \"many\", " P "}]}",
         STRANGE "a trial without a number, or of no whole number of pulls"},
        {"{\"trials\": [{\"trial\": 0, \"params\": {\"x\": 0.5}}]}", NULL},
        {"{\"trials\": [{\"trial\": 0, \"params\": {\"x\": 5, \"k\": \"a\"}}]}", NULL},
        {"{\"trials\": [{\"trial\": 0, \"params\": {\"x\": 0.5, \"k\": \"c\"}}]}", NULL},
        {"{\"trials\": [{\"trial\": 0, \"trial\": 1, " P "}]}", NULL},
        {"trials", NULL},
    };
    play *p = *state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        tacit_error err = {0};
        tc_trial_list got = {0};
        p->lie = lies[i].answer;
        tc_remote_request q = {.worker = "w", .count = 1};
        assert_int_equal(tc_remote_suggest(p->client, &q, &got, &err), TACIT_E_IO);
        if (lies[i].why)
            assert_string_equal(err.msg, lies[i].why);
        else
            assert_int_equal(strncmp(err.msg, STRANGE, sizeof STRANGE - 1), 0);
        tc_trial_list_fini(&got);
    }
}

#define T "{\"trial\": 0, \"state\": \"COMPLETE\", \"value\": 1, " P "}"

static void strange_lists_are_refused(void **state)
{
    static const char *const lies[] = {
        "{\"trials\": [{\"trial\": 0, \"state\": \"DONE\", " P "}], \"next\": null}",
        "{\"trials\": [{\"trial\": 0, \"state\": \"COMPLETE\", " P "}], \"next\": null}",
        "{\"trials\": [{\"trial\": 0, \"state\": \"COMPLETE\", \"value\": \"1\", " P "}]}",
        "{\"trials\": [{\"trial\": 0, \"state\": \"RUNNING\", \"value\": 1, " P "}]}",
        "{\"trials\": [{\"trial\": 0, \"state\": \"RUNNING\", \"worker\": 1, " P "}]}",
        "{\"trials\": [{\"trial\": 0, \"state\": \"RUNNING\", \"started_ms\": -1, " P "}]}",
        "{\"trials\": [" T "], \"next\": \"zero\"}",
        "{\"trials\": [" T "], \"next\": 0.5}",
    };
    play *p = *state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        tacit_error err = {0};
        tc_trial_list got = {0};
        p->lie = lies[i];
        assert_int_equal(tc_remote_trials(p->client, &all_trials, &got, &err), TACIT_E_IO);
        assert_int_equal(strncmp(err.msg, STRANGE, sizeof STRANGE - 1), 0);
        tc_trial_list_fini(&got);
    }
}

static void strange_recommendations_are_refused(void **state)
{
    static const char *const lies[] = {
        "{\"by\": \"seen\", \"because\": \"so\"}",
        "{\"by\": \"seen\", \"trial\": " T "}",
        "{\"because\": \"so\", \"trial\": " T "}",
        "{\"by\": \"best\", \"because\": \"so\", \"trial\": " T "}",
        "{\"by\": \"released\", \"because\": \"so\", \"trial\": " T "}",
        "{\"by\": \"model\", \"because\": \"so\", \"trial\": " T "}",
        "{\"by\": \"model\", \"mean\": 1, \"sd\": null, \"because\": \"so\", \"trial\": " T "}",
        "{\"by\": \"model\", \"mean\": 1, \"sd\": -1, \"because\": \"so\", \"trial\": " T "}",
        "{\"by\": \"model\", \"mean\": \"1\", \"sd\": 1, \"because\": \"so\", \"trial\": " T "}",
    };
    play *p = *state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        tacit_error err = {0};
        tc_trial_list got = {0};
        tc_remote_found found;
        p->lie = lies[i];
        assert_int_equal(tc_remote_recommend(p->client, NULL, &got, &found, &err), TACIT_E_IO);
        assert_int_equal(strncmp(err.msg, STRANGE, sizeof STRANGE - 1), 0);
        tc_trial_list_fini(&got);
    }
}

static tacit_status report_step(play *p, tc_verdict *out, tacit_error *err)
{
    tc_prune rule = {.rule = TC_PRUNE_ASHA};
    TC_TRY(tc_prune_settle(&rule, err));
    return tc_remote_report_steps(p->client, 0, &(tc_steps){&(tc_step){3, 0.5}, 1}, &rule, out,
                                  err);
}

static void strange_verdicts_are_refused(void **state)
{
    static const char *const lies[] = {
        "{}",
        "{\"stop\": 1, \"step\": 3, \"value\": 1, \"bound\": 1, \"compared\": 1}",
        "{\"stop\": true, \"step\": -3, \"value\": 1, \"bound\": 1, \"compared\": 1}",
        "{\"stop\": true, \"step\": 3, \"value\": null, \"bound\": 1, \"compared\": 1}",
        "{\"stop\": true, \"step\": 3, \"value\": 1, \"compared\": 1}",
        "{\"stop\": true, \"step\": 3, \"value\": 1, \"bound\": \"1\", \"compared\": 1}",
        "{\"stop\": true, \"step\": 3, \"value\": 1, \"bound\": 1, \"compared\": 0.5}",
    };
    play *p = *state;
    tacit_error err = {0};
    tc_verdict v;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        p->lie = lies[i];
        assert_fails(report_step(p, &v, &err), TACIT_E_IO,
                     STRANGE "a verdict about a trial that is none");
    }
    static const char *const trials[] = {
        "{\"trials\": [{\"trial\": 0, \"state\": \"RUNNING\", \"steps\": 3, " P "}]}",
        "{\"trials\": [{\"trial\": 0, \"state\": \"RUNNING\", \"steps\": [3], " P "}]}",
        "{\"trials\": [{\"trial\": 0, \"state\": \"RUNNING\", \"steps\": [{\"step\": 1}], " P "}]}",
    };
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        tc_trial_list got = {0};
        p->lie = trials[i];
        assert_fails(tc_remote_trials(p->client, &all_trials, &got, &err), TACIT_E_IO,
                     STRANGE "a trial whose intermediate values are none");
        tc_trial_list_fini(&got);
    }
}

/* An answer that is lost is asked for again, and says the same. */
static void a_lost_verdict_is_asked_for_again(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list got = {0};
    tc_verdict v;
    tc_remote_request q = {.worker = "w", .count = 1};
    assert_fails(report_step(p, &v, &err), TACIT_E_NOT_FOUND, "there is no trial 0");
    assert_ok(tc_remote_suggest(p->client, &q, &got, &err));
    p->lost_at = ":report";
    assert_ok(report_step(p, &v, &err));
    assert_false(v.stop);
    assert_int_equal(v.step, 3);
    assert_int_equal(v.compared, 1);
    p->lie = "{\"detail\": \"there is no such path\"}";
    p->lie_status = 404;
    assert_fails(report_step(p, &v, &err), TACIT_E_UNSUPPORTED,
                 "the coordinator is of an earlier version, which takes no intermediate values");
    tc_trial_list_fini(&got);
}

/* The client remembers which attempt it was given last, until the trial is told; a coordinator of an earlier version gives
 * none, and is sent none. */
static void reports_say_of_which_attempt_they_are(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list got = {0};
    tc_verdict v;
    tc_prune rule = {.rule = TC_PRUNE_NONE};
    tc_remote_request q = {.worker = "w", .count = 1};
    assert_ok(tc_prune_settle(&rule, &err));
    for (uint64_t attempt = 1; attempt <= 3; attempt++) {
        assert_ok(tc_remote_suggest(p->client, &q, &got, &err));
        assert_int_equal(got.list[got.n - 1].attempt, attempt);
        assert_ok(tc_remote_report_steps(
            p->client, 0, &(tc_steps){&(tc_step){7, (double)attempt}, 1}, &rule, &v, &err));
        const tc_step first = {1, 1.0 / (double)attempt};
        assert_fails(
            tc_remote_report_steps(p->client, 0, &(tc_steps){&first, 1}, &rule, &v, &err),
            TACIT_E_STATE,
            "trial 0 is at step 7 in this attempt: a report of step 1 can only repeat what "
            "was reported there");
    }
    p->lie = "{\"trials\": [{\"trial\": 0, \"pulls\": 1, " P "}]}";
    assert_ok(tc_remote_suggest(p->client, &q, &got, &err));
    assert_fails(
        tc_remote_report_steps(p->client, 0, &(tc_steps){&(tc_step){8, 1}, 1}, &rule, &v, &err),
        TACIT_E_STATE,
        "trial 0 was handed out 3 times: a report says of which attempt it is, as the "
        "suggestion does");
    p->lie = "{\"trials\": [{\"trial\": 0, \"pulls\": 1, \"attempt\": -1, " P "}]}";
    assert_fails(tc_remote_suggest(p->client, &q, &got, &err), TACIT_E_IO,
                 STRANGE "a trial of no whole number of attempts");
    tc_trial_list_fini(&got);
}

/* Several go in one request, and are judged one after another: what comes after the one that ends the trial is not taken. */
static void several_steps_are_one_request(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list got = {0};
    tc_verdict v = {.stop = false};
    tc_prune rule = {.rule = TC_PRUNE_MEDIAN, .min_trials = 1};
    tc_step many[TC_STEPS_AT_ONCE + 1];
    tacit_report told = {.kind = TACIT_REPORT_VALUE, .value = 1};
    assert_ok(tc_prune_settle(&rule, &err));
    for (size_t i = 0; i <= TC_STEPS_AT_ONCE; i++)
        many[i] = (tc_step){i, 1.0 / (double)(i + 1)};
    for (int i = 0; i < 2; i++) {
        tc_remote_request q = {.worker = i ? "v" : "w", .count = 1};
        assert_ok(tc_remote_suggest(p->client, &q, &got, &err));
        if (i == 0) {
            assert_ok(tc_remote_report_steps(p->client, 0, &(tc_steps){many, TC_STEPS_AT_ONCE},
                                             &rule, &v, &err));
            assert_int_equal(v.step, TC_STEPS_AT_ONCE - 1);
            assert_ok(tc_remote_complete(p->client, 0, &told, &err));
        }
    }
    assert_fails(tc_remote_report_steps(p->client, 1, &(tc_steps){many, TC_STEPS_AT_ONCE + 1},
                                        &rule, &v, &err),
                 TACIT_E_ARG, "earlier_steps must have at most 999 numbers, got 1000");
    const tc_step worse[] = {{0, 0.5}, {1, 2}, {2, 3}, {3, 4}};
    p->lost_at = ":report"; /* the same again gets the same answer */
    assert_ok(tc_remote_report_steps(p->client, 1, &(tc_steps){worse, 4}, &rule, &v, &err));
    assert_true(v.stop);
    assert_int_equal(v.step, 2);
    assert_ok(tc_remote_trial(p->client, 1, &got, &err));
    assert_int_equal(got.list[got.n - 1].n_steps, 3);
    assert_int_equal(got.list[got.n - 1].steps[2].step, 2);
    tc_trial_list_fini(&got);
}

static void an_earlier_coordinator_has_what_was_seen(void **state)
{
    play *p = *state;
    for (int complete = 0; complete < 2; complete++) {
        tacit_error err = {0};
        tc_trial_list got = {0};
        tc_remote_found found;
        if (complete) {
            tc_remote_request q = {.worker = "w", .count = 1};
            assert_ok(tc_remote_suggest(p->client, &q, &got, &err));
            tacit_report r = TACIT_REPORT;
            r.value = 2;
            assert_ok(tc_remote_complete(p->client, got.list[0].number, &r, &err));
            tc_trial_list_fini(&got);
        }
        p->lie = "{\"detail\": \"there is no such path\"}";
        p->lie_status = 404;
        assert_ok(tc_remote_recommend(p->client, NULL, &got, &found, &err));
        assert_int_equal(got.n, complete);
        assert_false(found.by_model);
        assert_true(isnan(found.mean) && isnan(found.sd));
        assert_string_equal(found.because,
                            "the coordinator is of an earlier version, which has nothing else");
        tc_trial_list_fini(&got);
        p->lie = "{\"detail\": \"there is no such path\"}";
        p->lie_status = 404;
        if (complete)
            assert_fails(tc_remote_recommend(p->client, "model", &got, &found, &err),
                         TACIT_E_UNSUPPORTED,
                         "the coordinator is of an earlier version, which recommends nothing by "
                         "the model: ask for what was seen");
        else
            assert_ok(tc_remote_recommend(p->client, "model", &got, &found, &err));
        tc_trial_list_fini(&got);
    }
}

/* A cursor that stands still would keep the client for ever. */
static void pages_must_end(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list got = {0};
    p->circles = true;
    assert_fails(tc_remote_trials(p->client, &all_trials, &got, &err), TACIT_E_IO,
                 STRANGE "pages that do not end");
    assert_int_equal(got.n, 2);
    tc_trial_list_fini(&got);
}

/* Few bytes, much memory. */
static void an_answer_must_be_modest(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tacit_study_summary standing;
    tc_text bomb = {0};
    for (int i = 0; i < 1100000; i++)
        tc_text_add(&bomb, i ? ",0" : "[0");
    tc_text_add(&bomb, "]");
    p->lie = tc_text_get(&bomb);
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO, STRANGE "it is too large");
    p->lie = tc_text_get(&bomb);
    p->lie_status = 409;
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_STATE,
                 "the coordinator says 409: no reason given");
    tc_text_fini(&bomb);
}

#define DOCUMENT                                                                                   \
    "{\"document\": \"{\\\"name\\\": \\\"t\\\", \\\"direction\\\": \\\"minimize\\\", "             \
    "\\\"space\\\": {\\\"x\\\": {\\\"type\\\": \\\"float\\\", \\\"low\\\": 0, "                    \
    "\\\"high\\\": 1}}}\""
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void strange_reports_and_studies_are_refused(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tacit_study_summary standing;
    tc_remote *other;
    uint64_t trial;
    double at[2] = {0, 0};
    tacit_report value = {.kind = TACIT_REPORT_VALUE, .value = 1};
    p->lie = "{\"trial\": 1, \"state\": \"COMPLETE\", \"value\": 1}";
    assert_fails(tc_remote_complete(p->client, 0, &value, &err), TACIT_E_IO,
                 STRANGE "another trial or state than was reported");
    p->lie = "{\"trial\": 0, \"state\": \"FAIL\"}";
    assert_fails(tc_remote_complete(p->client, 0, &value, &err), TACIT_E_IO,
                 STRANGE "another trial or state than was reported");
    p->lie = "{\"trial\": \"x\"}";
    assert_fails(tc_remote_enqueue(p->client, at, &trial, &err), TACIT_E_IO,
                 STRANGE "a trial without a number");
    p->lie = "{\"complete\": 1, \"failed\": 0, \"running\": 0}";
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO,
                 STRANGE "a study that does not say how many trials it has");
    p->lie = "{\"name\": \"s\"}";
    assert_fails(tc_remote_open(&other, &p->cfg, &err), TACIT_E_IO,
                 STRANGE "a study without a document");
    p->lie = "{\"document\": \"{}\"}";
    assert_int_equal(tc_remote_open(&other, &p->cfg, &err), TACIT_E_IO);
    p->lie = DOCUMENT "}";
    assert_fails(tc_remote_open(&other, &p->cfg, &err), TACIT_E_IO,
                 STRANGE "a study without a hash");
    p->lie = DOCUMENT ", \"hash\": \"" HASH "\"}";
    assert_fails(tc_remote_open(&other, &p->cfg, &err), TACIT_E_IO,
                 STRANGE "a study of another name");
}

/* ---- a pace of one's own ---- */

static void who_is_in_a_hurry_comes_back(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tacit_study_summary standing;
    assert_false(tc_remote_away(p->client));
    tc_remote_set_pace(p->client, 0, 7);
    p->down = 1;
    p->sent = 0;
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO, "nobody is there");
    assert_int_equal(p->sent, 1);
    assert_int_equal(p->naps, 0);
    assert_int_equal(p->timeout_s, 7);
    assert_true(tc_remote_away(p->client));
    p->busy = 1;
    assert_int_equal(tc_remote_show(p->client, &standing, &err), TACIT_E_IO);
    assert_true(tc_remote_away(p->client));
    assert_ok(tc_remote_show(p->client, &standing, &err));
    assert_false(tc_remote_away(p->client));
    p->lie = "{}"; /* an answer without sense is one: he is there */
    assert_int_equal(tc_remote_show(p->client, &standing, &err), TACIT_E_IO);
    assert_false(tc_remote_away(p->client));
    tc_remote_set_pace(p->client, 60000, 0);
    p->down = 1;
    assert_ok(tc_remote_show(p->client, &standing, &err));
    assert_int_equal(p->timeout_s, 0);
}

static void says_whether_it_is_paused(void **state)
{
    static const char *const orders[] = {":pause", ":resume", ":close"};
    static const tacit_study_state expected[] = {TACIT_STUDY_PAUSED, TACIT_STUDY_RUNNING,
                                                 TACIT_STUDY_CLOSED};
    play *p = *state;
    tacit_error err = {0};
    tacit_study_summary standing;
    assert_ok(tc_remote_show(p->client, &standing, &err));
    assert_int_equal(standing.state, TACIT_STUDY_RUNNING);
    for (size_t i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "/v1/studies/s%s", orders[i]);
        assert_int_equal(world_call(&p->w, "POST", path, p->w.operator_token, "{}", NULL), 200);
        assert_ok(tc_remote_show(p->client, &standing, &err));
        assert_int_equal(standing.state, expected[i]);
    }
    p->lie = "{\"complete\": 0, \"failed\": 0, \"running\": 0, \"trials\": 5, \"state\": \"x\"}";
    assert_fails(tc_remote_show(p->client, &standing, &err), TACIT_E_IO,
                 STRANGE "a study that neither runs nor is paused or closed");
}

/* Of several who know that a worker is dead, one gets its trial. */
static void one_takes_over(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_trial_list got = {0};
    double at[2];
    tc_trial left = suggest(p, "dead", at);
    tc_remote_request first = {
        .worker = "a", .lease_s = 60, .count = 1, .from = "dead", .trial = left.number};
    tc_remote_request second = first;
    second.worker = "b";
    assert_ok(tc_remote_suggest(p->client, &first, &got, &err));
    assert_int_equal(got.n, 1);
    assert_int_equal(got.list[0].number, left.number);
    assert_memory_equal(got.list[0].values, at, sizeof at);
    assert_int_equal(tc_remote_suggest(p->client, &second, &got, &err), TACIT_E_STATE);
    assert_int_equal(got.n, 1);
    p->lost_at = ":suggest"; /* who lost the answer gets it again */
    assert_ok(tc_remote_suggest(p->client, &first, &got, &err));
    assert_int_equal(got.list[1].number, left.number);
    p->lie = "{\"trials\": [{\"trial\": 4, \"params\": {\"x\": 0, \"k\": \"a\"}}]}";
    assert_fails(tc_remote_suggest(p->client, &first, &got, &err), TACIT_E_IO,
                 STRANGE "another trial than was asked for");
    tc_trial_list_fini(&got);
}

/* ---- other studies ---- */

static void open_other(play *p, const char *name, const char *body, tc_remote **out)
{
    tacit_error err = {0};
    assert_int_equal(world_call(&p->w, "POST", "/v1/studies", p->w.operator_token, body, NULL),
                     201);
    p->cfg.study = name;
    p->cfg.token = p->w.operator_token;
    assert_ok(tc_remote_open(out, &p->cfg, &err));
}

/* Whatever the caller was told before: what is no reply does not leave. */
static void a_private_study_is_sent_replies_alone(void **state)
{
    static const char no[] = "study l is told private replies, never rewards or failures: nothing "
                             "was sent";
    play *p = *state;
    tacit_error err = {0};
    tc_remote *l;
    tc_trial_list got = {0};
    double values[2] = {0.25, 0.5};
    open_other(p, "l",
               "{\"document\": {\"name\": \"l\", \"direction\": \"maximize\", \"trials\": 3,"
               " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
               " \"algorithm\": {\"name\": \"ldp-tgp\", \"epsilon\": 1, \"reply\": \"onebit\","
               " \"arms\": 8}}}",
               &l);
    assert_ok(tc_remote_suggest(l, &(tc_remote_request){.worker = "w", .lease_s = 60, .count = 1},
                                &got, &err));
    const tacit_report reports[] = {{.kind = TACIT_REPORT_VALUE, .value = 0.25},
                                    {.kind = TACIT_REPORT_FAILED, .reason = "the reward was 0.25"},
                                    {.kind = TACIT_REPORT_PULLS, .pulls = values, .n_pulls = 2}};
    p->sent = 0;
    for (size_t i = 0; i < 3; i++)
        assert_fails(tc_remote_complete(l, 0, &reports[i], &err), TACIT_E_ARG, no);
    tacit_report raw = {.kind = TACIT_REPORT_REPLY, .value = 0.25};
    assert_int_equal(tc_remote_complete(l, 0, &raw, &err), TACIT_E_ARG);
    assert_non_null(strstr(err.msg, "0.25 is no reply of study l"));
    assert_int_equal(p->sent, 0);
    tc_trial_list_fini(&got);
    tc_remote_close(l);
}

/* A page of a wide study has few trials; all come, page by page. */
static void wide_studies_are_listed_in_small_pages(void **state)
{
    enum { WIDE = 256, NAME = 59 };
    play *p = *state;
    tacit_error err = {0};
    tc_remote *wide;
    tc_trial_list got = {0};
    tc_text body = {0};
    tc_text_add(&body, "{\"document\": {\"name\": \"wide\", \"direction\": \"minimize\", "
                       "\"trials\": 500, \"algorithm\": {\"name\": \"random\"}, \"space\": {");
    for (int i = 0; i < WIDE; i++)
        tc_text_addf(&body, "%s\"p%0*d\": {\"type\": \"float\", \"low\": 0, \"high\": 1}",
                     i ? ", " : "", NAME, i);
    tc_text_add(&body, "}}}");
    open_other(p, "wide", tc_text_get(&body), &wide);
    assert_ok(tc_remote_suggest(
        wide, &(tc_remote_request){.worker = "w", .lease_s = 60, .count = 400}, &got, &err));
    size_t given = got.n; /* the coordinator's answers have a limit too */
    assert_true(given > 2 * 174);
    tc_trial_list_fini(&got);
    p->sent = 0;
    assert_ok(tc_remote_trials(wide, &all_trials, &got, &err));
    assert_int_equal(got.n, given);
    assert_true(p->sent >= 3); /* 4 MiB of at most 24064 bytes each */
    assert_non_null(strstr(p->path, "limit=174&"));
    tc_trial_list_fini(&got);
    tc_text_fini(&body);
    tc_remote_close(wide);
}

static void points_come_with_their_study(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_study_doc *doc;
    tc_remote *other;
    json_t *answer, *j;
    const char csv[] = "a,b\n0.1,1\n0.30000000000000004,2\n-5e-324,3\n";
    tc_domain *d;
    assert_ok(tc_domain_from_csv(&d, csv, strlen(csv), "csv", &err));
    assert_ok(tc_json_parse("{\"name\": \"p\", \"direction\": \"maximize\", \"space\": {\"x\": "
                            "{\"type\": \"int\", \"low\": 0, \"high\": 1}}}",
                            strlen("{\"name\": \"p\", \"direction\": \"maximize\", \"space\": "
                                   "{\"x\": {\"type\": \"int\", \"low\": 0, \"high\": 1}}}"),
                            "doc", &j, &err));
    assert_ok(tc_study_doc_from_json(&doc, j, NULL, &err));
    json_decref(j);
    tc_space_free(doc->space);
    assert_ok(tc_space_from_domain(&doc->space, d, &err));
    char *body = tc_remote_creation(doc);
    assert_non_null(body);
    assert_int_equal(world_call(&p->w, "POST", "/v1/studies", p->w.operator_token, body, &answer),
                     201);
    json_decref(answer);
    tc_free(body);
    p->cfg.study = "p";
    p->cfg.token = p->w.operator_token;
    p->down = 2; /* also while it opens */
    assert_ok(tc_remote_open(&other, &p->cfg, &err));
    const tc_domain *got = tc_remote_document(other)->space->domain;
    assert_int_equal(got->n, 3);
    assert_memory_equal(got->raw, doc->space->domain->raw, 6 * sizeof(double));
    tc_remote_close(other);
    tc_study_doc_free(doc);
}

static void a_federated_study_is_not_for_clients(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_remote *other;
    char body[1024];
    snprintf(body, sizeof body,
             "{\"document\": {\"name\": \"f\", \"direction\": \"maximize\", \"trials\": 12,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2},"
             " \"federation\": {\"agents\": 3, \"deadline_s\": 60},"
             " \"privacy\": {\"epsilon\": 5, \"delta\": 0.01}}}");
    assert_int_equal(world_call(&p->w, "POST", "/v1/studies", p->w.operator_token, body, NULL),
                     201);
    p->cfg.study = "f";
    p->cfg.token = p->w.operator_token;
    assert_fails(
        tc_remote_open(&other, &p->cfg, &err), TACIT_E_STATE,
        "study f is federated: tacit agent takes part in it, and each agent has its trials "
        "in a storage of its own");
}

#define O(outcomes)                                                                                \
    "{\"trials\": [{\"trial\": 0, \"state\": \"COMPLETE\", \"value\": 1, \"params\": {\"x\": "     \
    "0.5}" outcomes "}], \"next\": null}"

static void outcomes_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        const char *answer, *why;
    } lies[] = {
        {O(""), STRANGE "outcomes must be an object, got nothing"},
        {O(", \"outcomes\": 1"), STRANGE "outcomes must be an object, got a number"},
        {O(", \"outcomes\": {\"value\": 1}"),
         STRANGE "outcomes.m is missing: the study's outcomes are value, m"},
        {O(", \"outcomes\": {\"value\": 1, \"m\": 2, \"n\": 3}"),
         STRANGE "outcomes.n is none: the study's outcomes are value, m"},
        {O(", \"outcomes\": {\"value\": 1, \"m\": \"2\"}"),
         STRANGE "outcomes.m must be a number, got a string"},
        {O(", \"outcomes\": {\"value\": 2, \"m\": 2}"),
         STRANGE "a trial whose first outcome is not its value"},
    };
    play *p = *state;
    tacit_error err = {0};
    tc_remote *several;
    tc_trial_list got = {0};
    world_create(
        &p->w, "o",
        "{\"name\": \"o\", \"direction\": \"minimize\", \"constraints\": {\"m\": {\"max\": 1}}, "
        "\"algorithm\": \"random\", \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": "
        "1}}}");
    p->cfg.study = "o";
    p->cfg.token = p->w.operator_token;
    assert_ok(tc_remote_open(&several, &p->cfg, &err));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        p->lie = lies[i].answer;
        assert_int_equal(tc_remote_trials(several, &all_trials, &got, &err), TACIT_E_IO);
        assert_string_equal(err.msg, lies[i].why);
    }
    p->lie = O(", \"outcomes\": {\"value\": 1, \"m\": 2}");
    assert_ok(tc_remote_trials(several, &all_trials, &got, &err));
    assert_true(got.n == 1 && got.list[0].more[0] == 2);
    tc_trial_list_fini(&got);
    tc_remote_close(several);
}

#define IN_PLAY(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLAY(reads_what_the_store_has),
        IN_PLAY(states_and_single_trials),
        IN_PLAY(a_point_of_ones_own_comes_first),
        IN_PLAY(a_lost_answer_costs_nothing),
        IN_PLAY(waits_longer_each_time),
        IN_PLAY(patience_ends),
        IN_PLAY(patience_bounds_answers_that_drip),
        IN_PLAY(a_sign_of_life_is_sent_once),
        IN_PLAY(refusals_have_the_codes_of_a_storage),
        cmocka_unit_test(codes_of_problems),
        IN_PLAY(strange_suggestions_are_refused),
        IN_PLAY(strange_lists_are_refused),
        IN_PLAY(strange_recommendations_are_refused),
        IN_PLAY(strange_verdicts_are_refused),
        IN_PLAY(a_lost_verdict_is_asked_for_again),
        IN_PLAY(reports_say_of_which_attempt_they_are),
        IN_PLAY(several_steps_are_one_request),
        IN_PLAY(outcomes_that_make_no_sense_are_refused),
        IN_PLAY(an_earlier_coordinator_has_what_was_seen),
        IN_PLAY(pages_must_end),
        IN_PLAY(an_answer_must_be_modest),
        IN_PLAY(strange_reports_and_studies_are_refused),
        IN_PLAY(who_is_in_a_hurry_comes_back),
        IN_PLAY(says_whether_it_is_paused),
        IN_PLAY(one_takes_over),
        IN_PLAY(a_private_study_is_sent_replies_alone),
        IN_PLAY(wide_studies_are_listed_in_small_pages),
        IN_PLAY(points_come_with_their_study),
        IN_PLAY(a_federated_study_is_not_for_clients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
