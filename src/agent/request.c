/* request.c - an agent's requests, and what their answers say. */
#include "agent/agent_int.h"

#include "base/error.h"
#include "base/json.h"

#include <sodium.h>
#include <string.h>

enum { DEPTH_MOST = 16, VALUES_MOST = 1 << 20 };

void tc_answered_fini(tc_answered *r)
{
    json_decref(r->body);
    tc_text_fini(&r->text);
    *r = (tc_answered){0};
}

const char *tc_answered_detail(const tc_answered *r)
{
    const char *text = json_string_value(json_object_get(r->body, "detail"));
    return text ? text : "no reason given";
}

tacit_status tc_answered_strange(const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_IO, "the coordinator's answer makes no sense: %s", what);
}

tacit_status tc_answered_refusal(const tc_answered *r, const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE, "the coordinator refuses %s: %s", what,
                   tc_answered_detail(r));
}

/* A few bytes of JSON can become much more memory: an honest answer has neither depth nor a
 * million values. */
bool tc_answered_is_modest(const char *text, size_t n)
{
    size_t depth = 0, values = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0;
        }
        values += !quoted && (c == ',' || c == '[' || c == '{');
        if (depth > DEPTH_MOST || values > VALUES_MOST)
            return false;
    }
    return true;
}

/* NULL: CSV, or not from a coordinator. */
static json_t *parse(const tc_text *text)
{
    json_t *body;
    tacit_error why;
    const char *from = tc_text_get(text);
    return tc_answered_is_modest(from, text->len) &&
                   tc_json_parse(from, text->len, "answer", &body, &why) == TACIT_OK
               ? body
               : NULL;
}

/* Another process of this agent has enrolled again since, and ours is not valid any more. */
static tacit_status take_newer_access(tc_agent *a, bool *out, tacit_error *err)
{
    tc_agent kept = {.cfg = a->cfg, .name = a->name};
    bool enrolled;
    TC_TRY(tc_identity_load(&kept, &enrolled, err));
    *out = enrolled && kept.number == a->number && strcmp(kept.access, a->access) != 0;
    if (*out)
        memcpy(a->access, kept.access, sizeof a->access);
    sodium_memzero(&kept, sizeof kept);
    return TACIT_OK;
}

/* A token that is not known: the one that is kept by now, or a new one for the same place, as after a
 * restore of the coordinator from a backup. */
static tacit_status renew_access(tc_agent *a, bool *out, tacit_error *err)
{
    TC_TRY(take_newer_access(a, out, err));
    if (*out || !a->study || !a->cfg.join_token)
        return TACIT_OK;
    *out = true;
    return tc_identity_enrol(a, &tc_study_get_plan(a->study)->hash, err);
}

static tacit_status ask(tc_agent *a, const tc_call *call, tc_answered *out, tacit_error *err)
{
    tc_answered r = {0};
    tc_call full = *call;
    tc_text path = {0};
    tc_text_addf(&path, "/v1/studies/%s%s", a->name, call->path);
    full.path = tc_text_get(&path);
    tacit_status status =
        path.failed ? tc_fail_memory(err)
                    : a->cfg.transport.call(a->cfg.transport.user, &full, &r.status, &r.text, err);
    tc_text_fini(&path);
    if (status == TACIT_OK)
        r.body = parse(&r.text);
    if (status == TACIT_OK && r.status >= 500)
        status = tc_fail(err, TACIT_E_IO, "the coordinator cannot answer now (%d): %s", r.status,
                         tc_answered_detail(&r));
    if (status != TACIT_OK) {
        tc_answered_fini(&r);
        return status;
    }
    *out = r;
    return TACIT_OK;
}

tacit_status tc_request(tc_agent *a, const tc_call *call, tc_answered *out, tacit_error *err)
{
    bool renewed = false;
    tc_answered r;
    TC_TRY(ask(a, call, &r, err));
    tacit_status status =
        r.status == 401 && call->bearer == a->access ? renew_access(a, &renewed, err) : TACIT_OK;
    if (status == TACIT_OK && !renewed) {
        *out = r;
        return TACIT_OK;
    }
    tc_answered_fini(&r);
    return status == TACIT_OK ? ask(a, call, out, err) : status;
}
