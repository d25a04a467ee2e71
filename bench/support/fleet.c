/* fleet.c - see fleet.h. Members take turns in the order of their numbers. */
#include "fleet.h"

#include "agent/agent.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "coord/coord.h"
#include "study/study_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STUDY "/v1/studies/s"

enum { OUTCOME_NONE, OUTCOME_HEARD, OUTCOME_AWAY, OUTCOME_SLOW };

typedef enum member_state {
    READY,
    UNTIL_TIME,  /* its message is under way until wakes_ms */
    UNTIL_ROUND, /* away until round `due` has ended */
    WAITING,     /* for the end of a round; the coordinator holds its question */
    DONE
} member_state;

typedef struct member {
    fleet *fleet;
    uint64_t number;
    tc_store *store;
    tc_agent *agent;
    member_state state;
    int64_t wakes_ms;
    bool drew;    /* what happens to the message of round `due` */
    uint64_t due; /* the round of its last message */
    bool away;
} member;

struct fleet {
    fleet_config cfg;
    size_t n;
    tc_store *store;
    tc_coord *coord;
    tc_study_plan *plan;
    char operator_token[64];
    int64_t now_ms, tick_ms;
    bool open;           /* a round is, ... */
    uint64_t round;      /* ... this one, ... */
    int64_t deadline_ms; /* ... until then */
    bool round_ended;    /* since the waiting were asked last */
    uint64_t ended;      /* rounds below this one have ended */
    fleet_counts counts;
    uint8_t *outcomes; /* trials x agents: of the message of a round */
    double *values;    /* of one point */
    member *members;
};

/* ---- the coordinator ---- */

static int64_t clock_ms(void *user)
{
    return ((const fleet *)user)->now_ms;
}

/* Is the round over that was open? Asked as an observer would. */
static void look_at_round(fleet *f)
{
    char path[96];
    tc_response r = {0};
    snprintf(path, sizeof path, STUDY "/rounds/%" PRIu64 "/broadcast", f->round);
    tc_request q = {.method = "GET", .path = path, .bearer = f->operator_token};
    tc_coord_handle(f->coord, &q, &r);
    json_t *j = json_loads(tc_text_get(&r.body), 0, NULL);
    if (r.status == 202) {
        f->deadline_ms = json_integer_value(json_object_get(j, "deadline_ms"));
    } else {
        f->open = false;
        f->round_ended = true;
        f->ended = f->round + 1;
        f->counts.rounds++;
        f->counts.closed_timely += f->now_ms <= f->deadline_ms + FLEET_TICK_MS;
    }
    json_decref(j);
    tc_response_fini(&r);
}

static tacit_status tick(fleet *f, tacit_error *err)
{
    int64_t next;
    TC_TRY(tc_coord_tick(f->coord, &next, err));
    if (f->open)
        look_at_round(f);
    return TACIT_OK;
}

/* The operator's request; *out is for json_decref. */
static tacit_status operate(fleet *f, const char *path, const json_t *body, json_t **out,
                            tacit_error *err)
{
    char *text = tc_json_text(body);
    tc_response r = {0};
    if (!text)
        return tc_fail_memory(err);
    tc_request q = {.method = "POST",
                    .path = path,
                    .bearer = f->operator_token,
                    .body = text,
                    .n_body = strlen(text)};
    tc_coord_handle(f->coord, &q, &r);
    tc_free(text);
    *out = json_loads(tc_text_get(&r.body), 0, NULL);
    int status = r.status;
    tc_response_fini(&r);
    if (status == 201 && *out)
        return TACIT_OK;
    const char *why = json_string_value(json_object_get(*out, "detail"));
    (void)tc_fail(err, TACIT_E_STATE, "%s: %d: %s", path, status, why ? why : "no reason");
    json_decref(*out);
    return TACIT_E_STATE;
}

static json_t *create_body(const tc_study_doc *d)
{
    char *document = tc_study_doc_text(d);
    char *csv = tc_domain_csv(d->space->domain);
    json_t *j = document && csv ? json_loads(document, 0, NULL) : NULL;
    json_t *body = j ? json_pack("{s:o, s:s}", "document", j, "points_csv", csv) : NULL;
    tc_free(document);
    tc_free(csv);
    return body;
}

static tacit_status create_study(fleet *f, tacit_error *err)
{
    json_t *body = create_body(f->cfg.document), *shown;
    if (!body)
        return tc_fail_memory(err);
    tacit_status status = operate(f, "/v1/studies", body, &shown, err);
    json_decref(body);
    TC_TRY(status);
    json_decref(shown);
    tc_study_row row;
    TC_TRY(tc_store_study_get(f->store, "s", &row, err));
    status = tc_study_plan_new(&f->plan, &row, err);
    tc_study_row_fini(&row);
    return status;
}

static tacit_status open_coordinator(fleet *f, tacit_error *err)
{
    tc_text token = {0};
    bool made;
    TC_TRY(tc_store_open(&f->store, "memory:", true, err));
    tc_coord_config cfg = {.store = f->store,
                           .now_ms = clock_ms,
                           .user = f,
                           .seeded = true,
                           .seed = f->cfg.document->seed};
    TC_TRY(tc_coord_new(&f->coord, &cfg, err));
    TC_TRY(tc_coord_operator_token(f->coord, &token, &made, err));
    snprintf(f->operator_token, sizeof f->operator_token, "%s", tc_text_get(&token));
    tc_text_fini(&token);
    return create_study(f, err);
}

/* ---- the network ---- */

/* A stream for each (round, agent): whether it stays away is the draw of a simulation with --drop. */
static void draw_fate(member *m, uint64_t round)
{
    const fleet *f = m->fleet;
    tc_public_seed seed = tc_public_seed_from(f->cfg.document->seed);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, round * f->n + m->number);
    m->away = tc_draw_uniform(&s) < f->cfg.drop;
    double delay_s = f->cfg.delay_s * exp(f->cfg.delay_log_sd * tc_draw_normal(&s));
    m->drew = true;
    m->due = round;
    m->wakes_ms = f->now_ms + (int64_t)fmin(delay_s * 1000, 1e12);
    m->state = m->away ? UNTIL_ROUND : UNTIL_TIME;
}

/* May the message of this round leave now? */
static bool may_send(member *m, uint64_t round)
{
    if (!m->drew || m->due != round)
        draw_fate(m, round);
    if (m->state == UNTIL_ROUND && m->due < m->fleet->ended)
        m->state = READY;
    return m->state == READY;
}

static void note_receipt(member *m, int status)
{
    fleet *f = m->fleet;
    uint8_t *outcome = &f->outcomes[m->due * f->n + m->number];
    if (*outcome != OUTCOME_NONE || (status != 202 && status != 410))
        return;
    *outcome = status == 202 ? OUTCOME_HEARD : m->away ? OUTCOME_AWAY : OUTCOME_SLOW;
    f->counts.messages++;
    f->counts.in_time += *outcome == OUTCOME_HEARD;
    f->counts.away += *outcome == OUTCOME_AWAY;
    f->counts.slow += *outcome == OUTCOME_SLOW;
}

static void open_round(fleet *f, uint64_t round)
{
    f->open = true;
    f->round = round;
    look_at_round(f);
}

static tacit_status deliver(member *m, const tc_call *call, bool message, int *status,
                            tc_text *body, tacit_error *err)
{
    char path[256];
    tc_response r = {0};
    snprintf(path, sizeof path, "%s", call->path);
    char *query = strchr(path, '?');
    if (query)
        *query++ = 0;
    tc_request q = {.method = call->method,
                    .path = path,
                    .query = query,
                    .bearer = call->bearer,
                    .signature = call->signature,
                    .body = call->body,
                    .n_body = call->n_body};
    tc_coord_handle(m->fleet->coord, &q, &r);
    *status = r.status;
    tc_text_add_bytes(body, tc_text_get(&r.body), r.body.len);
    bool closes = r.closes;
    tc_response_fini(&r);
    if (message && *status == 202 && !m->fleet->open)
        open_round(m->fleet, m->due);
    return closes ? tick(m->fleet, err) : TACIT_OK;
}

static tacit_status transport(void *user, const tc_call *call, int *status, tc_text *body,
                              tacit_error *err)
{
    member *m = user;
    uint64_t round;
    char end[16];
    bool message = strcmp(call->method, "POST") == 0 &&
                   sscanf(call->path, STUDY "/rounds/%" SCNu64 "/%15s", &round, end) == 2;
    if (message && !may_send(m, round))
        return tc_fail(err, TACIT_E_IO, "the coordinator is out of reach");
    TC_TRY(deliver(m, call, message, status, body, err));
    if (message)
        note_receipt(m, *status);
    return TACIT_OK;
}

/* ---- the members ---- */

static tacit_status join_token(fleet *f, char out[64], tacit_error *err)
{
    json_t *body = json_pack("{s:I}", "uses", (json_int_t)f->n), *made;
    if (!body)
        return tc_fail_memory(err);
    tacit_status status = operate(f, STUDY "/tokens", body, &made, err);
    json_decref(body);
    TC_TRY(status);
    snprintf(out, 64, "%s", json_string_value(json_object_get(made, "token")));
    json_decref(made);
    return TACIT_OK;
}

static tacit_status join(fleet *f, size_t i, const char *token, tacit_error *err)
{
    member *m = &f->members[i];
    *m = (member){.fleet = f, .number = i};
    TC_TRY(tc_store_open(&m->store, "memory:", true, err));
    tc_agent_config cfg = {.store = m->store,
                           .transport = {transport, m},
                           .study = "s",
                           .join_token = token,
                           .ledger = "mine",
                           .accepts_not_private = true,
                           .seeded = true,
                           .seed = f->cfg.document->seed,
                           .key_salt = i};
    return tc_agent_open(&m->agent, &cfg, err);
}

static tacit_status evaluate(member *m, tacit_error *err)
{
    fleet *f = m->fleet;
    tc_study *s = tc_agent_study(m->agent);
    uint64_t trial;
    TC_TRY(tc_study_ask(s, NULL, 0, &trial, f->values, err));
    return tc_study_tell(s, trial, NULL, f->cfg.objective(f->cfg.user, m->number, trial, f->values),
                         err);
}

/* As far as it gets. */
static tacit_status take_turn(member *m, tacit_error *err)
{
    tc_agent_next next = TC_AGENT_AGAIN;
    while (next == TC_AGENT_AGAIN || next == TC_AGENT_TRIAL) {
        tacit_status status = tc_agent_step(m->agent, 0, &next, err);
        if (status == TACIT_E_IO && m->state != READY)
            return TACIT_OK;
        TC_TRY(status);
        if (next == TC_AGENT_TRIAL)
            TC_TRY(evaluate(m, err));
    }
    m->state = next == TC_AGENT_DONE ? DONE : WAITING;
    return TACIT_OK;
}

/* ---- time ---- */

static tacit_status take_turns(fleet *f, bool *done, tacit_error *err)
{
    *done = true;
    for (size_t i = 0; i < f->n; i++) {
        if (f->members[i].state == READY)
            TC_TRY(take_turn(&f->members[i], err));
        *done = *done && f->members[i].state == DONE;
    }
    return TACIT_OK;
}

static void wake(fleet *f)
{
    for (size_t i = 0; i < f->n; i++) {
        member *m = &f->members[i];
        if ((m->state == UNTIL_TIME && m->wakes_ms <= f->now_ms) ||
            (m->state == UNTIL_ROUND && m->due < f->ended) ||
            (m->state == WAITING && f->round_ended))
            m->state = READY;
    }
    f->round_ended = false;
}

/* The next message, or the next tick. */
static tacit_status pass_time(fleet *f, tacit_error *err)
{
    int64_t at = f->tick_ms;
    for (size_t i = 0; i < f->n; i++)
        if (f->members[i].state == UNTIL_TIME && f->members[i].wakes_ms < at)
            at = f->members[i].wakes_ms;
    f->now_ms = at > f->now_ms ? at : f->now_ms;
    if (f->now_ms < f->tick_ms)
        return TACIT_OK;
    f->tick_ms += FLEET_TICK_MS;
    return tick(f, err);
}

static tacit_status live(fleet *f, tacit_error *err)
{
    for (bool done = false; !done;) {
        TC_TRY(take_turns(f, &done, err));
        if (!done && !f->round_ended)
            TC_TRY(pass_time(f, err));
        wake(f);
    }
    return TACIT_OK;
}

/* ---- birth and end ---- */

static tacit_status start(fleet *f, tacit_error *err)
{
    char token[64];
    f->now_ms = 1000000;
    f->tick_ms = f->now_ms + FLEET_TICK_MS;
    f->members = tc_alloc(f->n, sizeof *f->members);
    f->outcomes = tc_alloc(f->n, (size_t)f->cfg.document->trials);
    f->values = tc_alloc(f->cfg.document->space->n_params, sizeof *f->values);
    if (!f->members || !f->outcomes || !f->values)
        return tc_fail_memory(err);
    TC_TRY(open_coordinator(f, err));
    TC_TRY(join_token(f, token, err));
    for (size_t i = 0; i < f->n; i++)
        TC_TRY(join(f, i, token, err));
    return live(f, err);
}

tacit_status fleet_run(fleet **out, const fleet_config *cfg, tacit_error *err)
{
    fleet *f = tc_alloc(1, sizeof *f);
    if (!f)
        return tc_fail_memory(err);
    f->cfg = *cfg;
    f->n = (size_t)cfg->document->agents;
    tacit_status status = start(f, err);
    if (status != TACIT_OK) {
        fleet_free(f);
        return status;
    }
    *out = f;
    return TACIT_OK;
}

void fleet_free(fleet *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->members && i < f->n; i++) {
        tc_agent_close(f->members[i].agent);
        tc_store_close(f->members[i].store);
    }
    tc_free(f->members);
    tc_free(f->outcomes);
    tc_free(f->values);
    tc_study_plan_free(f->plan);
    tc_coord_free(f->coord);
    tc_store_close(f->store);
    tc_free(f);
}

/* ---- looking ---- */

fleet_counts fleet_count(const fleet *f)
{
    return f->counts;
}

bool fleet_heard(const fleet *f, uint64_t round, uint64_t agent)
{
    return f->outcomes[round * f->n + agent] == OUTCOME_HEARD;
}

tacit_status fleet_point(fleet *f, uint64_t agent, uint64_t trial, double *values, tacit_error *err)
{
    tc_study *s = tc_agent_study(f->members[agent].agent);
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s, &o, err));
    memcpy(values, tc_optimizer_trial(o, trial)->values,
           f->cfg.document->space->n_params * sizeof *values);
    tc_study_unlook(s);
    return TACIT_OK;
}

tacit_status fleet_ledger(fleet *f, tc_ledger **out, tacit_error *err)
{
    tc_ledger_io io;
    TC_TRY(tc_store_ledger(f->store, "s", true, &io, err));
    return tc_ledger_open(out, "s", &io, err);
}

const tc_study_plan *fleet_plan(const fleet *f)
{
    return f->plan;
}
