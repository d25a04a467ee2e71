/* coord.c - the coordinator: who asks, which route, what answer (coord.h, README.md). */
#include "coord/coord_int.h"
#include "coord/events.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "wire/protocol.h"

#include <stdio.h>
#include <string.h>

#define BODY_MOST ((size_t)8 << 20)

#define JSON_MOST ((size_t)256 << 20) /* what the JSON of all requests takes together */

enum { SMALL_BODY = 4096, BUSY_MS = 1000 };

/* ---- birth and end ---- */

static tacit_status choose_clock(tc_coord *c, tacit_error *err)
{
    c->clock = c->cfg.clock;
    return c->clock || c->cfg.now_ms ? TACIT_OK : tc_agreed_new(&c->clock, c->cfg.store, NULL, err);
}

static void end_clock(tc_coord *c)
{
    if (!c->cfg.clock)
        tc_agreed_free(c->clock);
}

tacit_status tc_coord_new(tc_coord **out, const tc_coord_config *cfg, tacit_error *err)
{
    tc_coord *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    tc_json_start();
    c->cfg = *cfg;
    if (c->cfg.body_max == 0)
        c->cfg.body_max = BODY_MOST;
    tacit_status status = c->cfg.seeded ? tc_seeded_keep(c->cfg.store, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = choose_clock(c, err);
    if (status == TACIT_OK)
        status = tc_old_receipts(c->cfg.store, err);
    if (status == TACIT_OK)
        status = tc_ring_new(&c->ring, err);
    if (status != TACIT_OK) {
        end_clock(c);
        tc_free(c);
        return status;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->enrolling, NULL);
    pthread_mutex_init(&c->ready.lock, NULL);
    *out = c;
    return TACIT_OK;
}

void tc_coord_free(tc_coord *c)
{
    if (!c)
        return;
    while (c->open_studies)
        tc_open_study_forget(c, c->open_studies);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->enrolling);
    pthread_mutex_destroy(&c->ready.lock);
    tc_shared_text_end(c->openapi);
    tc_ring_free(c->ring);
    end_clock(c);
    tc_free(c);
}

int64_t tc_coord_now(const tc_coord *c)
{
    return c->clock ? tc_agreed_unix_ms(c->clock) : c->cfg.now_ms(c->cfg.user);
}

bool tc_coord_is_sure(const tc_coord *c)
{
    return !c->clock || tc_agreed_is_sure(c->clock);
}

bool tc_coord_is_past(const tc_coord *c, int64_t at_ms)
{
    return tc_coord_is_sure(c) && tc_coord_now(c) >= at_ms;
}

void tc_coord_keep_time(tc_coord *c)
{
    if (c->clock)
        tc_agreed_sync(c->clock);
}

void tc_coord_listen(tc_coord *c, tc_coord_notify notify, void *user)
{
    pthread_mutex_lock(&c->lock);
    c->notify = notify;
    c->notify_user = user;
    pthread_mutex_unlock(&c->lock);
}

/* ---- answers ---- */

void tc_response_fini(tc_response *r)
{
    tc_text_fini(&r->body);
    tc_shared_text_end(r->shared);
    r->shared = NULL;
}

tacit_status tc_answer_json(tc_request_context *a, int status, json_t *j, tacit_error *err)
{
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tc_text_fini(&a->out->body);
    size_t n = strlen(text);
    a->out->body =
        (tc_text){.data = text, .len = n, .cap = n + 1}; /* an answer may be large: no copy */
    a->out->status = status;
    a->out->content_type = "application/json";
    return TACIT_OK;
}

tacit_status tc_answer_shared(tc_request_context *a, const char *content_type, tc_shared_text *text,
                              tacit_error *err)
{
    tc_shared_text_end(a->out->shared);
    a->out->shared = a->q->shares ? tc_shared_text_use(text) : NULL;
    if (text && !a->q->shares)
        tc_text_add_bytes(&a->out->body, text->data, text->len);
    a->out->status = 200;
    a->out->content_type = content_type;
    return !text || a->out->body.failed ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tc_answer_text(tc_request_context *a, const char *text, tacit_error *err)
{
    tc_text_add(&a->out->body, text);
    a->out->status = 200;
    a->out->content_type = "text/plain; version=0.0.4";
    return a->out->body.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- requests ---- */

/* The route of a request; *known: the path is one of other methods, which the answer will name. */
static const tc_route *find_route(tc_request_context *a, bool *known)
{
    size_t n = 0;
    for (const tc_route *r = tc_routes; r->method; r++)
        if (tc_route_fits(r->path, a->q->path, a->words)) {
            if (strcmp(r->method, a->q->method) == 0)
                return r;
            n += (size_t)snprintf(a->out->allow + n, sizeof a->out->allow - n, "%s%s",
                                  n > 0 ? ", " : "", r->method);
        }
    *known = n > 0;
    return NULL;
}

static tacit_status not_valid(tc_request_context *a, tacit_error *err)
{
    return tc_refuse(a, 401, TACIT_E_ARG, err, "the token is not valid");
}

/* Without a token it is 401, with one that does not reach 403. */
static tacit_status check_role(tc_request_context *a, const tc_route *r, tacit_error *err)
{
    tacit_error why;
    if (r->roles == 0)
        return TACIT_OK;
    tacit_status status = TACIT_OK;
    if (a->q->is_operator)
        a->caller.role = TC_ROLE_OPERATOR;
    else
        status = tc_caller_find(a->coord, a->q->bearer, &a->caller, &why);
    bool may = r->handle == tc_roster_enrol || r->handle == tc_trustees_enrol ||
               r->handle == tc_roster_rotate || r->handle == tc_roster_withdraw;
    if (status == TACIT_E_ARG)
        return not_valid(a, err);
    if (a->caller.exhausted && !may) /* of an agent: an access token that has ended */
        return tc_role_joins(a->caller.role) ? tc_refuse(a, 401, TACIT_E_ARG, err, TC_TOKEN_USED_UP)
                                             : not_valid(a, err);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    if (r->roles >> a->caller.role & 1)
        return TACIT_OK;
    if (a->caller.role == TC_ROLE_NOBODY)
        return tc_refuse(a, 401, TACIT_E_ARG, err, "a token is needed");
    return tc_refuse(a, 403, TACIT_E_ARG, err, "a token of the role %s does not allow this",
                     tc_role_name(a->caller.role));
}

/* A path of a later protocol is not found here: that it is a later one says more. Not 501, which agents of 0.1 would
 * ask again for an hour. */
static tacit_status check_protocol(tc_request_context *a, tacit_error *err)
{
    const tc_protocols ours = tc_protocols_ours();
    tacit_error why;
    tacit_status status = tc_protocol_check_request(&ours, a->q->protocol, &why);
    return status == TACIT_OK ? TACIT_OK : tc_refuse(a, 400, status, err, "%s", why.msg);
}

static tacit_status find_allowed(tc_request_context *a, const tc_route **out, tacit_error *err)
{
    bool known;
    const tc_route *r = *out = a->route = find_route(a, &known);
    if (!r || r->roles != 0)
        TC_TRY(check_protocol(a, err));
    if (!r)
        return known ? tc_refuse(a, 405, TACIT_E_UNSUPPORTED, err, "%.200s does not take %.20s",
                                 a->q->path, a->q->method)
                     : tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "there is nothing at %.200s",
                                 a->q->path);
    return check_role(a, r, err);
}

static void leave_study(tc_request_context *a)
{
    if (a->open)
        tc_open_study_unref(a->coord, a->open);
    a->open = NULL;
}

tacit_status tc_request_study(tc_request_context *a, tc_open_study **out, tacit_error *err)
{
    bool bound = a->caller.study != 0;
    tacit_error why;
    leave_study(a);
    tacit_status status = tc_open_study_get(a->coord, a->words[0], &a->open, &why);
    if (status == TACIT_OK && bound &&
        !(a->caller.study == a->open->id && tc_ledger_hash_same(&a->caller.of, &a->open->hash))) {
        leave_study(a);
        status = TACIT_E_NOT_FOUND;
    }
    if (bound && (status == TACIT_E_NOT_FOUND || status == TACIT_E_ARG))
        return tc_refuse(a, 403, TACIT_E_ARG, err, "the token is for another study");
    if (status == TACIT_OK)
        *out = a->open;
    return tc_pass_on(err, status, &why);
}

/* ---- bodies ---- */

static size_t body_most(const tc_coord *c, const tc_route *r)
{
    bool small = r->body == TC_BODY_NONE || r->body == TC_BODY_SMALL;
    return small && SMALL_BODY < c->cfg.body_max ? SMALL_BODY : c->cfg.body_max;
}

/* What a body consists of, outside of its strings: what JSON costs in memory goes by it. */
typedef struct parts {
    size_t objects, lists, members, more; /* openings, colons, commas */
} parts;

static parts count_parts(const char *p, size_t n)
{
    parts k = {0};
    bool text = false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '"')
            text = !text;
        else if (text && p[i] == '\\')
            i++;
        else if (!text) {
            k.objects += p[i] == '{';
            k.lists += p[i] == '[';
            k.members += p[i] == ':';
            k.more += p[i] == ',';
        }
    }
    return k;
}

/* Bytes, as jansson takes them; a little more rather than less. */
static size_t cost(const parts *k, size_t n)
{
    return 3 * n + 256 * k->objects + 160 * k->lists + 128 * k->members + 64 * k->more;
}

/* The largest body of each kind that makes sense: beyond that nothing is parsed. */
static const struct most {
    const char *kind;
    size_t openings, more;
} most_parts[] = {[TC_BODY_NONE] = {"nothing", 0, 0},
                  [TC_BODY_SMALL] = {"a request like this", 8, 64},
                  [TC_BODY_MESSAGE] = {"a message", 8, 16},
                  [TC_BODY_POINT] = {"a point or a report", 16, 200000},
                  [TC_BODY_STUDY] = {"a study", 300000, 1000000}};

static tacit_status check_parts(const tc_route *r, const parts *k, tacit_error *err)
{
    const struct most *m = &most_parts[r->body];
    if (k->objects + k->lists <= m->openings && k->more <= m->more &&
        k->members <= m->openings + m->more)
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_ARG,
        "the body has more parts than %s has: allowed are %zu lists and objects with %zu "
        "commas",
        m->kind, m->openings, m->more);
}

/* Large bodies may come together, but not all at once. */
static tacit_status reserve(tc_request_context *a, size_t n, tacit_error *err)
{
    if (atomic_fetch_add(&a->coord->json, n) + n > JSON_MOST) {
        atomic_fetch_sub(&a->coord->json, n);
        return tc_refuse(a, 503, TACIT_E_BUSY, err, "too many large bodies at once; ask again");
    }
    a->reserved = n;
    return TACIT_OK;
}

static tacit_status parse_body(tc_request_context *a, const tc_route *r, tacit_error *err)
{
    a->body = r->body == TC_BODY_MESSAGE ? tc_message_json(a->q->body, a->q->n_body) : NULL;
    if (a->body)
        return TACIT_OK;
    parts k = count_parts(a->q->body, a->q->n_body);
    TC_TRY(check_parts(r, &k, err));
    TC_TRY(reserve(a, cost(&k, a->q->n_body), err));
    return tc_json_parse(a->q->body, a->q->n_body, "body", &a->body, err);
}

static tacit_status read_body(tc_request_context *a, const tc_route *r, tacit_error *err)
{
    size_t most = body_most(a->coord, r);
    if (a->q->n_body > most)
        return tc_refuse(a, 413, TACIT_E_ARG, err, "the body has %zu bytes; allowed are %zu",
                         a->q->n_body, most);
    if (!r->takes)
        return TACIT_OK;
    TC_TRY(parse_body(a, r, err));
    return tc_shape_check(r->takes, a->body, err);
}

/* ---- answering ---- */

/* What others sent may hold line ends and worse: in a log it is one line of plain characters. */
static void plain(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text == 0x7f)
            *text = '?';
}

/* A known path is shown as its pattern: without study, round and agent. */
static void say_failure(tc_coord *c, const tc_request *q, const tc_route *r, int http,
                        const char *why)
{
    char line[768];
    bool warns = http == 401 || http == 403 || http == 429;
    if (warns && !tc_problem_is_said(c))
        return;
    tc_log_level level = http >= 500 ? TC_LOG_ERROR : warns ? TC_LOG_WARN : TC_LOG_INFO;
    snprintf(line, sizeof line, "%.10s %.128s: %d %s", q->method, r ? r->path : q->path, http, why);
    plain(line);
    tc_log(level, "%s", line);
}

static void refuse(tc_request_context *a, const tc_route *r, tacit_status status,
                   const tacit_error *why)
{
    bool ours = a->out->status >= 400; /* a sentence of our own; those of stores name files */
    int http = ours ? a->out->status : tc_problem_http(status);
    bool storage = status == TACIT_E_BUSY && !ours;
    tc_shared_text_end(a->out->shared); /* of a handler that had an answer */
    a->out->shared = NULL;
    say_failure(a->coord, a->q, r, http, a->hushed ? "the message was refused" : why->msg);
    tc_problem(a->out, http, status, storage ? "the storage is busy; ask again" : why->msg,
               a->more);
    a->out->wait = a->out->closes = a->out->listens = false;
    a->out->retry_after_ms = status == TACIT_E_BUSY ? BUSY_MS : 0;
}

/* Metrics count no request of an agent, except failures of the server: they would show when it sends (health.c). */
static void end_ask(tc_request_context *a)
{
    int s = a->out->status;
    if (s >= 500 || (s > 0 && a->caller.role != TC_ROLE_AGENT))
        tc_count_answer(a->coord, s);
    json_decref(a->body);
    atomic_fetch_sub(&a->coord->json, a->reserved);
    json_decref(a->more);
    leave_study(a);
    tc_caller_fini(&a->caller);
}

bool tc_coord_knows(tc_coord *c, const char *bearer)
{
    tc_caller w = {.role = TC_ROLE_NOBODY};
    tacit_error why;
    bool knows = tc_caller_find(c, bearer, &w, &why) != TACIT_E_ARG;
    tc_caller_fini(&w);
    return knows;
}

/* A token of one study has no place in the queue of another. That it still is the study in the store is checked
 * by the handler. */
static tacit_status check_study(tc_request_context *a, tacit_error *err)
{
    static const char of_study[] = "/v1/studies/{study}";
    tc_open_study *d;
    if (a->caller.study == 0 || strncmp(a->route->path, of_study, sizeof of_study - 1) != 0 ||
        tc_study_is_open(a->coord, a->words[0], a->caller.study, &a->caller.of))
        return TACIT_OK;
    return tc_request_study(a, &d, err);
}

bool tc_coord_admit(tc_coord *c, const tc_request *q, size_t *most, tc_response *out)
{
    tc_request_context a = {.coord = c, .q = q, .out = out};
    tacit_error why = {0};
    const tc_route *r;
    tacit_status status = find_allowed(&a, &r, &why);
    if (status == TACIT_OK)
        status = check_study(&a, &why);
    if (status == TACIT_OK)
        *most = body_most(c, r);
    else
        refuse(&a, r, status, &why);
    end_ask(&a);
    return status == TACIT_OK;
}

/* Does a refusal say what is in the store: that it is gone, taken, or over? The client takes such an answer to
 * a change as final. */
static bool is_about_store(const tc_request_context *a, tacit_status status)
{
    int http = a->out->status >= 400 ? a->out->status : tc_problem_http(status);
    return status != TACIT_OK && strcmp(a->q->method, "GET") != 0 &&
           (http == 404 || http == 409 || http == 410);
}

/* What a request writes is on disk when its handler returns. An answer that depends on another request's write
 * waits until that write is on disk, because its receiver will not ask again. */
static tacit_status answer_durably(tc_request_context *a, tacit_status status, tacit_error *err)
{
    tacit_error why;
    if (!a->already && !is_about_store(a, status))
        return status;
    tacit_status durable = tc_store_wait_durable(a->coord->cfg.store, a->since, &why);
    if (durable == TACIT_OK)
        return status;
    a->out->status = 0; /* it is not what the handler said */
    return tc_pass_on(err, durable, &why);
}

static tacit_status answer(tc_request_context *a, const tc_route *r, tacit_error *err)
{
    TC_TRY(tc_shape_check_query(r->query, a->q->query, err));
    TC_TRY(read_body(a, r, err));
    return answer_durably(
        a, a->q->idempotency && r->once ? tc_handle_once(a, err) : r->handle(a, err), err);
}

void tc_coord_handle(tc_coord *c, const tc_request *q, tc_response *out)
{
    tc_request_context a = {.coord = c, .q = q, .out = out};
    tacit_error why = {0};
    const tc_route *r;
    if (strcmp(q->method, "GET") != 0)
        a.since = tc_store_moment(c->cfg.store);
    tacit_status status = find_allowed(&a, &r, &why);
    if (status == TACIT_OK && r)
        status = answer(&a, r, &why);
    if (status != TACIT_OK)
        refuse(&a, r, status, &why);
    end_ask(&a);
}
