/* place_test.c - an agent's place: kept with its study, given back by a coordinator that forgot it, lost to
 * no other one; and a storage in which studies of one name stand side by side. */
#include "support/coord_world.h"

#include "agent/agent.h"
#include "base/error.h"
#include "base/log.h"
#include "privacy/mechanism.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SITES = 2 };

typedef struct play {
    coord_world w[SITES];
    char token[SITES][64];
    int at;                  /* the coordinator that answers */
    int refusal;             /* an HTTP status in place of all answers; 0: none */
    const char *void_reason; /* every round ended for this reason, it is said; NULL: as it is */
    int declines;            /* that were sent */
    bool rivalled;           /* while we enrol, somebody else tries, by another name */
    tc_store *rival;         /* who has the same storage */
    tc_store *store;         /* the agent's */
    tc_agent_config cfg;
    tc_agent *agent;
} play;

static void try_rival(play *p)
{
    tacit_error err = {0};
    tc_agent *agent = NULL;
    tc_agent_config cfg = p->cfg;
    cfg.store = p->rival;
    cfg.as = "y";
    p->rivalled = false;
    assert_fails(tc_agent_open(&agent, &cfg, &err), TACIT_E_BUSY,
                 "another agent is taking a place in this very study \"s\" on this storage: one "
                 "storage has one place in a study");
    assert_null(agent);
}

static tacit_status call(void *user, const tc_call *c, int *status, tc_text *body, tacit_error *err)
{
    play *p = user;
    bool closes;
    (void)err;
    if (p->refusal) {
        *status = p->refusal;
        tc_text_add(body, "{\"detail\": \"this address asks too often; ask again in a second\"}");
        return TACIT_OK;
    }
    if (p->void_reason && strstr(c->path, "/broadcast")) {
        *status = 410;
        tc_text_addf(body, "{\"detail\": \"%s\"}", p->void_reason);
        return TACIT_OK;
    }
    if (p->rivalled && strcmp(c->method, "POST") == 0)
        try_rival(p);
    p->declines += c->body && strstr(c->body, "\"decline\"") != NULL;
    world_carry(&p->w[p->at], c, status, body, &closes);
    return TACIT_OK;
}

static void create(play *p, int site, const char *epsilon)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"direction\": \"maximize\", \"trials\": 3, \"seed\": 7,"
             " \"space\": {\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}},"
             " \"algorithm\": {\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 2,"
             " \"releases\": \"all\"}, \"federation\": {\"agents\": 2, \"deadline_s\": 60},"
             " \"privacy\": {\"epsilon\": %s, \"delta\": 1e-5}}",
             epsilon);
    world_create(&p->w[site], "s", text);
    world_join_token(&p->w[site], 2, p->token[site]);
}

static void open_site(play *p, int site)
{
    tacit_error err = {0};
    tc_text token = {0};
    bool made;
    coord_world *w = &p->w[site];
    tc_coord_config cfg = {.now_ms = world_clock, .user = w};
    w->now_ms = 1000000 + site;
    assert_ok(tc_store_open(&w->store, "memory:", true, &err));
    cfg.store = w->store;
    assert_ok(tc_coord_new(&w->coord, &cfg, &err));
    assert_ok(tc_coord_operator_token(w->coord, &token, &made, &err));
    snprintf(w->operator_token, sizeof w->operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    create(p, site, site == 0 ? "5" : "4");
}

static int begin(void **state)
{
    tacit_error err = {0};
    play *p = tc_alloc(1, sizeof *p);
    assert_non_null(p);
    for (int i = 0; i < SITES; i++)
        open_site(p, i);
    assert_ok(tc_store_open(&p->store, "memory:", true, &err));
    p->cfg = (tc_agent_config){.store = p->store,
                               .transport = {call, p},
                               .study = "s",
                               .join_token = p->token[0],
                               .ledger = "mine"};
    *state = p;
    return 0;
}

static int end(void **state)
{
    play *p = *state;
    tc_agent_close(p->agent);
    tc_store_close(p->store);
    for (int i = 0; i < SITES; i++)
        world_close(&p->w[i]);
    tc_free(p);
    return 0;
}

static void leave(play *p)
{
    tc_agent_close(p->agent);
    p->agent = NULL;
}

static void join(play *p)
{
    tacit_error err = {0};
    assert_ok(tc_agent_open(&p->agent, &p->cfg, &err));
}

static void turn_to(play *p, int site)
{
    p->at = site;
    p->cfg.join_token = p->token[site];
}

static tacit_status step(play *p, tc_agent_next *next, tacit_error *err)
{
    uint64_t trial;
    double x;
    TC_TRY(tc_agent_step(p->agent, 0, next, err));
    if (*next != TC_AGENT_TRIAL)
        return TACIT_OK;
    tc_study *s = tc_agent_study(p->agent);
    TC_TRY(tc_study_ask(s, NULL, 0, &trial, &x, err));
    return tc_study_tell(s, trial, NULL, x, err);
}

/* Until its message of a round is there. */
static void send_message(play *p)
{
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_AGAIN;
    while (next != TC_AGENT_WAIT)
        assert_ok(step(p, &next, &err));
}

static int enrolled(play *p, int site)
{
    json_t *j;
    coord_world *w = &p->w[site];
    assert_int_equal(world_call(w, "GET", "/v1/studies/s", w->operator_token, NULL, &j), 200);
    int n = (int)json_integer_value(json_object_get(j, "enrolled"));
    json_decref(j);
    return n;
}

static uint64_t entries(play *p)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    assert_ok(tc_store_ledger(p->store, "mine", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "mine", &io, &err));
    uint64_t n = tc_ledger_get_head(l).seq;
    tc_ledger_close(l);
    return n;
}

/* ---- the process that made the key ---- */

static void revoked_it_is_told_so(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    coord_world *w = &p->w[0];
    join(p);
    send_message(p);
    assert_int_equal(
        world_call(w, "POST", "/v1/studies/s/agents/0:revoke", w->operator_token, NULL, NULL), 200);
    assert_fails(step(p, &next, &err), TACIT_E_STATE,
                 "the coordinator refuses to enrol this agent: this agent was revoked");
}

/* ---- too busy ---- */

static tacit_status five_steps(play *p, tacit_error *err)
{
    tc_agent_next next;
    for (int i = 0; i < 5; i++)
        TC_TRY(step(p, &next, err));
    return TACIT_OK;
}

static void too_often_is_not_the_end(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    p->refusal = 429;
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_IO,
                 "the coordinator cannot answer now (429): this address asks too often");
    p->refusal = 0;
    join(p);
    p->refusal = 429;
    assert_ok(step(p, &next, &err)); /* trials ask nobody */
    assert_ok(step(p, &next, &err));
    assert_fails(five_steps(p, &err), TACIT_E_IO, "the coordinator cannot answer now (429)");
    p->refusal = 0;
    send_message(p);
}

/* ---- another coordinator, another study of that name ---- */

static void another_coordinator_takes_nothing(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    join(p);
    leave(p);
    turn_to(p, 1);
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE,
                 "the storage has a study \"s\" with another document: this one can be kept beside "
                 "it, with the same ledger, under a name of its own (--as)");
    assert_int_equal(enrolled(p, 1), 0);
    turn_to(p, 0);
    p->cfg.join_token = NULL; /* its place and its token are what they were */
    join(p);
    send_message(p);
}

/* It died after it had its place and before the study was in its storage. */
static void a_place_is_of_one_study(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_study_row row;
    join(p);
    leave(p);
    assert_ok(tc_store_study_get(p->store, "s", &row, &err));
    assert_ok(tc_store_study_erase(p->store, row.id, &err));
    tc_study_row_fini(&row);
    turn_to(p, 1);
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE,
                 "the storage has a place in another study \"s\"");
    assert_int_equal(enrolled(p, 1), 0);
    turn_to(p, 0);
    join(p);
    assert_int_equal(enrolled(p, 0), 1);
}

static void studies_of_one_name_share_a_ledger(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    join(p);
    send_message(p);
    assert_int_equal(entries(p), 1);
    leave(p);
    turn_to(p, 1);
    p->cfg.as = "s-2";
    join(p);
    send_message(p);
    assert_int_equal(entries(p), 2);
    leave(p);
    join(p); /* again, by the same name */
    assert_int_equal(enrolled(p, 1), 1);
    leave(p);
    p->cfg.as = "s-3";
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE,
                 "the storage has this very study as \"s-2\"");
    assert_int_equal(enrolled(p, 1), 1);
    turn_to(p, 0);
    p->cfg.as = NULL;
    join(p);
    send_message(p);
    assert_int_equal(entries(p), 2);
}

/* Two processes, started together by different names: neither study is in the storage yet. */
static void nor_are_two_places_taken_at_once(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    char folder[] = "/tmp/tacit-place-XXXXXX", url[64], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(url, sizeof url, "sqlite:///%s/a.db", folder);
    tc_store_close(p->store);
    assert_ok(tc_store_open(&p->store, url, true, &err));
    assert_ok(tc_store_open(&p->rival, url, false, &err));
    p->cfg.store = p->store;
    p->cfg.as = "x";
    p->rivalled = true;
    join(p);
    assert_false(p->rivalled);
    p->cfg.as = "y"; /* later it knows */
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE,
                 "the storage has this very study as \"x\"");
    assert_int_equal(enrolled(p, 0), 1);
    leave(p);
    tc_store_close(p->rival);
    tc_store_close(p->store);
    assert_ok(tc_store_open(&p->store, "memory:", true, &err));
    snprintf(path, sizeof path, "%s/a.db-hold", folder);
    assert_int_equal(unlink(path), 0);
    path[strlen(path) - strlen("-hold")] = 0;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- deleted, paused ---- */

static void a_deleted_study_is_called_so(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next;
    coord_world *w = &p->w[0];
    join(p);
    send_message(p);
    assert_int_equal(world_call(w, "DELETE", "/v1/studies/s", w->operator_token, NULL, NULL), 200);
    assert_fails(step(p, &next, &err), TACIT_E_STATE,
                 "study \"s\" was deleted by its coordinator, or made again: ");
    leave(p);
    w->now_ms += 1000;
    create(p, 0, "5");
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE,
                 "study \"s\" was deleted by its coordinator, or made again: ");
    p->cfg.as = "again";
    join(p);
    send_message(p);
    assert_int_equal(entries(p), 2); /* of one ledger */
}

static void count_lines(tc_log_level level, const char *line, void *user)
{
    (void)level;
    *(int *)user += strstr(line, "study \"s\" is paused by its operator") != NULL;
}

static void turn(play *p, const char *how)
{
    char path[64];
    coord_world *w = &p->w[0];
    snprintf(path, sizeof path, "/v1/studies/s:%s", how);
    assert_int_equal(world_call(w, "POST", path, w->operator_token, NULL, NULL), 200);
}

static void a_pause_is_said_once(void **state)
{
    play *p = *state;
    int said = 0;
    tc_log_set(count_lines, &said, TC_LOG_WARN);
    join(p);
    turn(p, "pause");
    for (int i = 0; i < 4; i++)
        send_message(p); /* it waits */
    assert_int_equal(said, 1);
    turn(p, "resume");
    send_message(p);
    assert_int_equal(said, 1);
    tc_log_set(NULL, NULL, TC_LOG_WARN);
}

/* ---- what it is told in words ---- */

static tacit_status look_for_reason(void *user, const tc_event_row *row, tacit_error *err)
{
    tc_text *out = user;
    (void)err;
    if (row->kind == TC_EVENT_SKIP)
        tc_text_add(out, row->body);
    return TACIT_OK;
}

static void a_reason_is_short_and_can_be_read(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_AGAIN;
    tc_study_row row;
    tc_text reason = {0}, body = {0};
    tc_text_add(&reason, "void \xE2\x80\xAEx\x7Fy \xC3\xA9\xE2\x80\x8B.");
    for (int i = 0; i < 5000; i++)
        tc_text_add(&reason, "longer");
    p->void_reason = tc_text_get(&reason);
    join(p);
    while (next != TC_AGENT_DONE)
        assert_ok(step(p, &next, &err));
    assert_ok(tc_store_study_get(p->store, "s", &row, &err));
    assert_ok(tc_store_scan(p->store, row.id, 0, look_for_reason, &body, &err));
    tc_study_row_fini(&row);
    assert_non_null(strstr(tc_text_get(&body), "void xy \xC3\xA9.longer"));
    assert_true(body.len < 2 * 600); /* rounds 0 and 1 */
    tc_text_fini(&reason);
    tc_text_fini(&body);
}

/* ---- what it promises and allows ---- */

static void it_says_what_it_rests_on(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_text text = {0};
    join(p);
    assert_ok(tc_agent_promise(p->agent, &text, &err));
    assert_string_equal(tc_text_get(&text),
                        "the study may spend epsilon 5, delta 1e-05 for every agent. Towards "
                        "everybody but the coordinator, which sees the vectors and is trusted to "
                        "sample and to draw the noise as the document says, once a round");
    tc_text_fini(&text);
}

/* On the same data, elsewhere. */
static void spend(play *p, double epsilon)
{
    tacit_error err = {0};
    tc_ledger_io io;
    tc_ledger *l;
    tc_release *price;
    tc_ledger_receipt receipt;
    tacit_dp_event event = {.mechanism = TACIT_DP_PURE,
                            .parameter = epsilon,
                            .sampling = TACIT_DP_ALL,
                            .sampling_rate = 1,
                            .count = 1};
    tc_ledger_charge charge = {.study = tc_ledger_study_hash("elsewhere")};
    assert_ok(tc_store_ledger(p->store, "mine", true, &io, &err));
    assert_ok(tc_ledger_open(&l, "mine", &io, &err));
    assert_ok(tc_pledge(&price, &event, 0, TACIT_UNIT_AGENT, false, &err));
    assert_ok(tc_ledger_release(l, NULL, &charge, price, &receipt, &err));
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(price);
    tc_ledger_close(l);
}

static void without_a_limit_all_studies_have_one(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    spend(p, 8);
    assert_fails(tc_agent_open(&p->agent, &p->cfg, &err), TACIT_E_STATE,
                 "study \"s\" would bring ledger \"mine\" to epsilon 1");
    assert_int_equal(enrolled(p, 0), 0);
    p->cfg.ledger = "of other data";
    join(p);
    leave(p);
    p->cfg.ledger = "mine";
    p->cfg.limited = true;
    p->cfg.limit =
        (tc_ledger_budget){.epsilon = 20, .delta = 1e-5, .accountant = &tc_accountant_pld};
    join(p);
    send_message(p);
    assert_int_equal(p->declines, 0);
    assert_int_equal(entries(p), 2);
}

/* Rounds that were paid for are not counted twice at the next start. */
static void nor_is_a_round_counted_twice(void **state)
{
    play *p = *state;
    spend(p, 3.3);
    for (int i = 0; i < 2; i++) {
        join(p);
        send_message(p);
        leave(p);
    }
    assert_int_equal(entries(p), 2);
}

static void spent_meanwhile_its_rounds_are_declined(void **state)
{
    play *p = *state;
    tacit_error err = {0};
    tc_agent_next next = TC_AGENT_AGAIN;
    join(p);
    spend(p, 9.5);
    for (int i = 0; i < 10; i++)
        assert_ok(step(p, &next, &err));
    assert_true(p->declines > 0);
    assert_int_equal(entries(p), 1);
}

/* That it would take part in less is no reason to spend more here. */
static void accepting_less_lifts_no_limit_of_a_private_study(void **state)
{
    play *p = *state;
    p->cfg.accepts_not_private = true;
    spent_meanwhile_its_rounds_are_declined(state);
}

#define IN_PLAY(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLAY(revoked_it_is_told_so),
        IN_PLAY(too_often_is_not_the_end),
        IN_PLAY(another_coordinator_takes_nothing),
        IN_PLAY(a_place_is_of_one_study),
        IN_PLAY(studies_of_one_name_share_a_ledger),
        IN_PLAY(nor_are_two_places_taken_at_once),
        IN_PLAY(a_deleted_study_is_called_so),
        IN_PLAY(a_pause_is_said_once),
        IN_PLAY(a_reason_is_short_and_can_be_read),
        IN_PLAY(it_says_what_it_rests_on),
        IN_PLAY(without_a_limit_all_studies_have_one),
        IN_PLAY(nor_is_a_round_counted_twice),
        IN_PLAY(spent_meanwhile_its_rounds_are_declined),
        IN_PLAY(accepting_less_lifts_no_limit_of_a_private_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
