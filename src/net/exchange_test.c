/* An agent whose requests its caller carries: a whole study, answers that come with the next start, and answers that
 * are none. */
#include <tacit/agent.h>

#include "support/store_folder.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGENTS = 2, KEPT_MOST = 64 };

#define STUDY                                                                                      \
    "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 4,"                                \
    " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"                         \
    " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8},"                                  \
    " \"federation\": {\"agents\": 2}, \"privacy\": {\"epsilon\": 5, \"delta\": 1e-5}}"

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

/* ---- the way: of one agent */

typedef struct way {
    tacit_coordinator *c;
    tacit_response *last; /* whose body the agent was given */
    bool at_once;         /* else what is asked for the first time is answered at the next start */
    char *asked[KEPT_MOST];
    size_t n_asked, n_answered; /* those before n_answered have an answer now */
    size_t requests;
} way;

static void way_end(way *w)
{
    tacit_response_free(w->last);
    for (size_t i = 0; i < w->n_asked; i++)
        free(w->asked[i]);
}

static char *key_of(const tacit_request *q)
{
    size_t room = strlen(q->path) + q->body_size + 256;
    char *key = malloc(room);
    assert_non_null(key);
    int n = snprintf(key, room, "%s %s?%s %s %.*s", q->method, q->path, q->query ? q->query : "",
                     q->bearer, (int)q->body_size, q->body ? (const char *)q->body : "");
    assert_in_range(n, 1, room - 1);
    return key;
}

/* Was it asked at an earlier start? */
static bool is_due(way *w, const tacit_request *q)
{
    char *key = key_of(q);
    for (size_t i = 0; i < w->n_asked; i++)
        if (strcmp(w->asked[i], key) == 0) {
            free(key);
            return i < w->n_answered;
        }
    assert_true(w->n_asked < KEPT_MOST);
    w->asked[w->n_asked++] = key;
    return false;
}

static tacit_status carry(void *user, const tacit_request *q, tacit_agent_answer *answer,
                          tacit_error *why)
{
    way *w = user;
    tacit_error err = {0};
    (void)why;
    w->requests++;
    assert_int_equal(answer->size, sizeof *answer);
    assert_int_equal(answer->status, 0);
    assert_non_null(q->protocol);
    if (!w->at_once && !is_due(w, q))
        return TACIT_E_CANCELLED;
    tacit_response_free(w->last);
    w->last = NULL;
    assert_ok(tacit_coordinator_handle(w->c, q, &w->last, &err));
    answer->status = tacit_response_status(w->last);
    answer->body = tacit_response_body(w->last);
    answer->body_size = tacit_response_size(w->last);
    return TACIT_OK;
}

static tacit_agent_opts opts_of(const world *w, way *by)
{
    tacit_agent_opts o = TACIT_AGENT_OPTS;
    by->c = w->c;
    o.exchange = carry;
    o.user = by;
    o.study = "s";
    o.storage = "memory:";
    o.join_token = w->token;
    return o;
}

/* ---- a whole study */

/* Until something is missing. */
static tacit_status work(tacit_agent *a, tacit_agent_next *next, tacit_error *why)
{
    tacit_error err = {0};
    for (;;) {
        uint64_t trial;
        double x;
        tacit_status status = tacit_agent_step(a, 0, next, why);
        if (status != TACIT_OK || *next != TACIT_AGENT_TRIAL)
            return status;
        assert_ok(tacit_study_ask(tacit_agent_study(a), &trial, &x, &err));
        assert_ok(tacit_study_tell(tacit_agent_study(a), trial, -(x - 0.4) * (x - 0.4), &err));
    }
}

static void a_study_by_another_way(void **state)
{
    (void)state;
    world w;
    tacit_error err = {0};
    tacit_agent *a[AGENTS];
    way by[AGENTS] = {{.at_once = true}, {.at_once = true}};
    int done = 0;
    begin(&w);
    for (int i = 0; i < AGENTS; i++) {
        tacit_agent_opts o = opts_of(&w, &by[i]);
        assert_ok(tacit_agent_join(&a[i], &o, &err));
        assert_int_equal(tacit_agent_number(a[i]), i);
    }
    for (int turn = 0; done < AGENTS && turn < 100; turn++) {
        done = 0;
        for (int i = 0; i < AGENTS; i++) {
            tacit_agent_next next;
            assert_ok(work(a[i], &next, &err));
            done += next == TACIT_AGENT_DONE;
        }
        assert_ok(tacit_coordinator_tick(w.c, NULL, &err));
    }
    assert_int_equal(done, AGENTS);
    for (int i = 0; i < AGENTS; i++) {
        tacit_agent_close(a[i]);
        way_end(&by[i]);
    }
    end(&w);
}

/* One start of an agent: what it asks for the first time ends it. */
static bool start(const world *w, way *by, const char *storage)
{
    tacit_error err = {0};
    tacit_agent *a = NULL;
    tacit_agent_next next = TACIT_AGENT_WAIT;
    tacit_agent_opts o = opts_of(w, by);
    o.storage = storage;
    by->n_answered = by->n_asked;
    tacit_status status = tacit_agent_join(&a, &o, &err);
    if (status == TACIT_OK)
        status = work(a, &next, &err);
    tacit_agent_close(a);
    if (status != TACIT_OK) {
        assert_int_equal(status, TACIT_E_CANCELLED);
        assert_string_equal(err.msg, "opts.exchange failed and gave no reason (E_CANCELLED)");
        return false;
    }
    return next == TACIT_AGENT_DONE;
}

/* As where messages travel in bundles: each start has the answers to what earlier ones have asked, and the agent is
 * its storage. */
static void answers_come_with_the_next_start(void **state)
{
    (void)state;
    world w;
    tacit_error err = {0};
    way by[AGENTS] = {{.at_once = false}, {.at_once = false}};
    char storage[AGENTS][256];
    tacit_traffic *t = NULL;
    bool done = false;
    begin(&w);
    for (int i = 0; i < AGENTS; i++)
        snprintf(storage[i], sizeof storage[i], "%s-%d", url, i);
    for (int turn = 0; !done && turn < 100; turn++) {
        done = true;
        for (int i = 0; i < AGENTS; i++)
            done &= start(&w, &by[i], storage[i]);
        assert_ok(tacit_coordinator_tick(w.c, NULL, &err));
    }
    assert_true(done);
    for (int i = 0; i < AGENTS; i++) {
        assert_ok(tacit_agent_inspect(&t, storage[i], "s", &err));
        assert_true(tacit_traffic_count(t) > 0);
        for (size_t r = 0; r < tacit_traffic_count(t); r++) {
            assert_int_equal(tacit_traffic_get(t, r)->state, TACIT_MESSAGE_SENT);
            assert_int_equal(tacit_traffic_get(t, r)->times, 1); /* paid for once */
        }
        tacit_traffic_free(t);
        t = NULL;
        way_end(&by[i]);
    }
    end(&w);
}

/* ---- what is no answer */

typedef struct bad {
    tacit_status status;
    const char *why;
    tacit_agent_answer answer;
} bad;

static tacit_status answer_badly(void *user, const tacit_request *q, tacit_agent_answer *answer,
                                 tacit_error *err)
{
    const bad *b = user;
    (void)q;
    *answer = b->answer;
    snprintf(err->msg, sizeof err->msg, "%s", b->why ? b->why : "");
    return b->status;
}

static void what_is_no_answer(void **state)
{
    (void)state;
    static const char text[] = "{}";
    static const struct {
        bad b;
        tacit_status status;
        const char *sentence;
        bool tried_again;
    } row[] = {
        {{.status = TACIT_E_CANCELLED, .why = "later"}, TACIT_E_CANCELLED, "later"},
        {{.status = TACIT_E_CANCELLED},
         TACIT_E_CANCELLED,
         "opts.exchange failed and gave no reason (E_CANCELLED)"},
        {{.status = TACIT_E_IO, .why = "no carrier"},
         TACIT_E_IO,
         "no carrier; gave up after 0 s",
         true},
        {{.answer = {.status = 0}},
         TACIT_E_ARG,
         "opts.exchange must give an HTTP status from 100 to 599, got 0"},
        {{.answer = {.status = INT64_C(1) << 40}},
         TACIT_E_ARG,
         "opts.exchange must give an HTTP status from 100 to 599, got 1099511627776"},
        {{.answer = {.status = 200, .body_size = 3}},
         TACIT_E_ARG,
         "opts.exchange gave 3 bytes of an answer that is NULL"},
        {{.answer = {.status = 200, .body = text, .body_size = (16 << 20) + 1}},
         TACIT_E_UNSUPPORTED,
         "the answer of opts.exchange is larger than 16 MiB"},
        {{.answer = {.status = 200, .body = text, .body_size = 2}},
         TACIT_E_IO,
         "the coordinator's answer makes no sense: a study without a document, a seed or a time; "
         "gave up after 0 s",
         true},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tacit_error err = {0};
        tacit_agent *a = NULL;
        bad b = row[i].b;
        tacit_agent_opts o = TACIT_AGENT_OPTS;
        o.exchange = answer_badly;
        o.user = &b;
        o.study = "s";
        o.storage = "memory:";
        o.join_token = "x";
        o.patience_s = row[i].tried_again ? 0 : 3600;
        assert_fails(tacit_agent_join(&a, &o, &err), row[i].status, row[i].sentence);
        assert_null(a);
    }
}

static void there_is_one_way(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_agent *a = NULL;
    tacit_agent_opts o = TACIT_AGENT_OPTS;
    o.study = "s";
    o.storage = "memory:";
    o.exchange = answer_badly;
    o.coordinator = "https://h:1";
    assert_fails(
        tacit_agent_join(&a, &o, &err), TACIT_E_ARG,
        "opts.exchange is the way to the coordinator: coordinator, fingerprint, ca, proxy and "
        "here stay unset");
    o.coordinator = NULL;
    o.fingerprint = "sha256//";
    assert_int_equal(tacit_agent_join(&a, &o, &err), TACIT_E_ARG);
    o.fingerprint = NULL;
    o.size = offsetof(tacit_agent_opts, exchange); /* an earlier caller has no such member */
    assert_fails(tacit_agent_join(&a, &o, &err), TACIT_E_ARG,
                 "opts.coordinator is missing: its URL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_by_another_way),
        cmocka_unit_test_setup(answers_come_with_the_next_start, clear_folder),
        cmocka_unit_test(what_is_no_answer),
        cmocka_unit_test(there_is_one_way),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
