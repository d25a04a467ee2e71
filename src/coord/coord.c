/* coord.c - the coordinator: who asks, which route, what answer (coord.h, README.md). */
#include "coord/coord_int.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define BODY_MOST ((size_t)8 << 20)

enum { SMALL_BODY = 4096, MESSAGE_PARTS = 16 };

/* ---- birth and end ---- */

tacit_status tc_coord_new(tc_coord **out, const tc_coord_config *cfg, tacit_error *err)
{
    tc_coord *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    tc_json_start();
    c->cfg = *cfg;
    if (c->cfg.body_max == 0)
        c->cfg.body_max = BODY_MOST;
    pthread_mutex_init(&c->lock, NULL);
    *out = c;
    return TACIT_OK;
}

void tc_coord_free(tc_coord *c)
{
    if (!c)
        return;
    while (c->desks)
        tc_desk_forget(c, c->desks);
    pthread_mutex_destroy(&c->lock);
    tc_free(c);
}

int64_t tc_coord_now(const tc_coord *c)
{
    return c->cfg.now_ms ? c->cfg.now_ms(c->cfg.user) : tc_clock_unix_ms();
}

void tc_coord_listen(tc_coord *c, tc_coord_notify notify, void *user)
{
    pthread_mutex_lock(&c->lock);
    c->notify = notify;
    c->notify_user = user;
    pthread_mutex_unlock(&c->lock);
}

void tc_coord_say(tc_coord *c, const char *study, json_t *event)
{
    pthread_mutex_lock(&c->lock);
    tc_coord_notify notify = c->notify;
    void *user = c->notify_user;
    pthread_mutex_unlock(&c->lock);
    char *text = notify && event ? tc_json_text(event) : NULL;
    json_decref(event);
    if (text)
        notify(user, study, text);
    tc_free(text);
}

/* ---- answers ---- */

void tc_response_fini(tc_response *r)
{
    tc_text_fini(&r->body);
}

tacit_status tc_answer(tc_ask *a, int status, json_t *j, tacit_error *err)
{
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tc_text_add(&a->out->body, text);
    tc_free(text);
    a->out->status = status;
    a->out->content_type = "application/json";
    return a->out->body.failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- requests ---- */

/* The route of a request; *known: the path is one of another method. */
static const tc_route *find_route(tc_ask *a, bool *known)
{
    *known = false;
    for (const tc_route *r = tc_routes; r->method; r++)
        if (tc_route_fits(r->path, a->q->path, a->words)) {
            if (strcmp(r->method, a->q->method) == 0)
                return r;
            *known = true;
        }
    return NULL;
}

static tacit_status not_valid(tc_ask *a, tacit_error *err)
{
    return tc_refuse(a, 401, TACIT_E_ARG, err, "the token is not valid");
}

/* Without a token it is 401, with one that does not reach 403. */
static tacit_status check_role(tc_ask *a, const tc_route *r, tacit_error *err)
{
    tacit_error why;
    if (r->roles == 0)
        return TACIT_OK;
    tacit_status status = tc_caller_find(a->coord, a->q->bearer, &a->caller, &why);
    if (status == TACIT_E_ARG || (a->caller.exhausted && r->handle != tc_roster_enrol))
        return not_valid(a, err);
    if (status != TACIT_OK)
        return tc_fail(err, status, "%s", why.msg);
    if (r->roles >> a->caller.role & 1)
        return TACIT_OK;
    if (a->caller.role == TC_ROLE_NOBODY)
        return tc_refuse(a, 401, TACIT_E_ARG, err, "a token is needed");
    return tc_refuse(a, 403, TACIT_E_ARG, err, "a token of the role %s does not allow this",
                     tc_role_name(a->caller.role));
}

static tacit_status find_allowed(tc_ask *a, const tc_route **out, tacit_error *err)
{
    bool known;
    const tc_route *r = *out = find_route(a, &known);
    if (!r)
        return known ? tc_refuse(a, 405, TACIT_E_UNSUPPORTED, err, "%.200s does not take %.20s",
                                 a->q->path, a->q->method)
                     : tc_refuse(a, 404, TACIT_E_NOT_FOUND, err, "there is nothing at %.200s",
                                 a->q->path);
    return check_role(a, r, err);
}

tacit_status tc_ask_desk(tc_ask *a, tc_desk **out, tacit_error *err)
{
    bool bound = a->caller.study != 0;
    tacit_error why;
    tacit_status status = tc_desk_get(a->coord, a->words[0], out, &why);
    if (status == TACIT_OK && bound &&
        !(a->caller.study == (*out)->id &&
          tc_ledger_hash_same(&a->caller.of, &(*out)->plan->hash))) {
        tc_desk_release(a->coord, *out);
        status = TACIT_E_NOT_FOUND;
    }
    if (bound && (status == TACIT_E_NOT_FOUND || status == TACIT_E_ARG))
        return tc_refuse(a, 403, TACIT_E_ARG, err, "the token is for another study");
    return status == TACIT_OK ? status : tc_fail(err, status, "%s", why.msg);
}

/* ---- bodies ---- */

static size_t body_most(const tc_coord *c, const tc_route *r)
{
    bool small = r->body == TC_BODY_NONE || r->body == TC_BODY_SMALL;
    return small && SMALL_BODY < c->cfg.body_max ? SMALL_BODY : c->cfg.body_max;
}

/* Commas and openings outside of strings: what JSON costs in memory goes by them. */
static size_t count_parts(const char *p, size_t n)
{
    size_t parts = 0;
    bool text = false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '"')
            text = !text;
        else if (text && p[i] == '\\')
            i++;
        else
            parts += !text && (p[i] == '[' || p[i] == '{' || p[i] == ',');
    }
    return parts;
}

static tacit_status read_body(tc_ask *a, const tc_route *r, tacit_error *err)
{
    size_t most = body_most(a->coord, r);
    if (a->q->n_body > most)
        return tc_refuse(a, 413, TACIT_E_ARG, err, "the body has %zu bytes; allowed are %zu",
                         a->q->n_body, most);
    if (r->body == TC_BODY_NONE)
        return TACIT_OK;
    if (r->body == TC_BODY_MESSAGE && count_parts(a->q->body, a->q->n_body) > MESSAGE_PARTS)
        return tc_fail(err, TACIT_E_ARG, "the body has more parts than a message has");
    TC_TRY(tc_json_parse(a->q->body, a->q->n_body, "body", &a->body, err));
    if (!json_is_object(a->body))
        return tc_fail(err, TACIT_E_ARG, "the body must be a JSON object, got %s",
                       tc_json_kind(a->body));
    return TACIT_OK;
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
static void say_failure(const tc_request *q, const tc_route *r, int http, const tacit_error *why)
{
    char line[768];
    tc_log_level level = http >= 500                  ? TC_LOG_ERROR
                         : http == 401 || http == 403 ? TC_LOG_WARN
                                                      : TC_LOG_INFO;
    snprintf(line, sizeof line, "%.10s %.128s: %d %s", q->method, r ? r->path : q->path, http,
             why->msg);
    plain(line);
    tc_log(level, "%s", line);
}

static void refuse(tc_ask *a, const tc_route *r, tacit_status status, const tacit_error *why)
{
    int http = a->out->status >= 400 ? a->out->status : tc_problem_http(status);
    say_failure(a->q, r, http, why);
    tc_problem(a->out, http, status, why->msg);
    a->out->wait = a->out->closes = false;
}

static void end_ask(tc_ask *a)
{
    int s = a->out->status;
    if (s > 0)
        tc_count(a->coord, s < 400 ? TC_COUNT_2XX : s < 500 ? TC_COUNT_4XX : TC_COUNT_5XX, 1);
    json_decref(a->body);
    tc_caller_fini(&a->caller);
}

bool tc_coord_admit(tc_coord *c, const tc_request *q, size_t *most, tc_response *out)
{
    tc_ask a = {.coord = c, .q = q, .out = out};
    tacit_error why = {0};
    const tc_route *r;
    tacit_status status = find_allowed(&a, &r, &why);
    if (status == TACIT_OK)
        *most = body_most(c, r);
    else
        refuse(&a, r, status, &why);
    end_ask(&a);
    return status == TACIT_OK;
}

void tc_coord_handle(tc_coord *c, const tc_request *q, tc_response *out)
{
    tc_ask a = {.coord = c, .q = q, .out = out};
    tacit_error why = {0};
    const tc_route *r;
    tacit_status status = find_allowed(&a, &r, &why);
    if (status == TACIT_OK)
        status = read_body(&a, r, &why);
    if (status == TACIT_OK)
        status = r->handle(&a, &why);
    if (status != TACIT_OK)
        refuse(&a, r, status, &why);
    end_ask(&a);
}

/* ---- the clock ---- */

typedef struct ticking {
    tc_coord *coord;
    int64_t next_ms;
    tacit_error first; /* failure */
    bool failed;
} ticking;

/* One study that fails does not hold up the others. */
static tacit_status tick_study(void *user, const tc_study_row *row, tacit_error *err)
{
    ticking *t = user;
    tacit_error why = {0};
    tc_desk *d;
    int64_t next = INT64_MAX;
    (void)err;
    tacit_status status = tc_desk_get(t->coord, row->name, &d, &why);
    if (status == TACIT_E_ARG || status == TACIT_E_NOT_FOUND) /* served, or just erased */
        return TACIT_OK;
    if (status == TACIT_OK) {
        status = tc_close_due(t->coord, d, &next, &why);
        tc_desk_release(t->coord, d);
    }
    if (next < t->next_ms)
        t->next_ms = next;
    if (status != TACIT_OK && !t->failed) {
        t->failed = true;
        (void)tc_fail(&t->first, status, "study \"%s\": %.400s", row->name, why.msg);
    }
    return TACIT_OK;
}

tacit_status tc_coord_tick(tc_coord *c, int64_t *next_ms, tacit_error *err)
{
    ticking t = {.coord = c, .next_ms = INT64_MAX};
    TC_TRY(tc_store_study_list(c->cfg.store, tick_study, &t, err));
    *next_ms = t.next_ms;
    return t.failed ? tc_fail(err, t.first.code, "%s", t.first.msg) : TACIT_OK;
}
