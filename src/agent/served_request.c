/* served_request.c - requests of a client: sent until there is an answer, refusals as tacit_error. */
#include "agent/answered.h"
#include "agent/served_client.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum { PAUSE_FIRST_MS = 100, PAUSE_MOST_MS = 5000, ANSWER_BYTES = 16 << 20 };

/* ---- refusals ---- */

#define TYPE "urn:tacit:problem:"

/* "E_NOT_FOUND" and "not-found" are the same word. */
static bool same_word(const char *name, const char *word)
{
    if (strncmp(name, "E_", 2) == 0)
        name += 2;
    for (; *name && *word; name++, word++)
        if (tolower((unsigned char)*name) != *word && !(*name == '_' && *word == '-'))
            return false;
    return !*name && !*word;
}

/* A failure inside the coordinator is not one of ours: to us it is a storage that does not work. */
static tacit_status code_of(int http, const char *type)
{
    if (http >= 500 && http != 501)
        return TACIT_E_IO;
    if (type && strncmp(type, TYPE, sizeof TYPE - 1) == 0)
        for (int s = TACIT_E_INTERNAL; s <= TACIT_E_CANCELLED; s++)
            if (same_word(tacit_status_name((tacit_status)s), type + sizeof TYPE - 1))
                return (tacit_status)s;
    /* Without a word of its own, a refusal is what its number says. */
    switch (http) {
    case 404:
        return TACIT_E_NOT_FOUND;
    case 409:
    case 410:
        return TACIT_E_STATE;
    case 501:
        return TACIT_E_UNSUPPORTED;
    default:
        return http < 500 ? TACIT_E_ARG : TACIT_E_IO;
    }
}

tacit_status tc_remote_refusal(int http, const tc_text *body, tacit_error *err)
{
    json_t *j = NULL;
    tacit_error why;
    const char *text = tc_text_get(body);
    if (!tc_answered_is_modest(text, body->len) ||
        tc_json_parse(text, body->len, "answer", &j, &why) != TACIT_OK)
        j = NULL;
    const char *detail = json_string_value(json_object_get(j, "detail"));
    const char *type = json_string_value(json_object_get(j, "type"));
    tacit_status code = tc_fail(err, code_of(http, type), "the coordinator says %d: %s", http,
                                detail ? detail : "no reason given");
    json_decref(j);
    return code;
}

/* ---- one request ---- */

/* Too busy, or somebody between us and the coordinator finds it gone: as good as no answer. */
static bool passes(int http)
{
    return http == 429 || http == 502 || http == 503 || http == 504;
}

static tacit_status send(const tc_remote_config *cfg, const tc_call *call, bool *again,
                         tc_text *out, tacit_error *err)
{
    tc_text body = {.max = ANSWER_BYTES};
    int http = 0;
    tacit_status status = cfg->transport.call(cfg->transport.user, call, &http, &body, err);
    *again = status == TACIT_E_IO || (status == TACIT_OK && passes(http));
    if (status == TACIT_OK && (http < 200 || http > 299))
        status = tc_remote_refusal(http, &body, err);
    else if (status == TACIT_OK && body.failed)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        *out = body;
    else
        tc_text_fini(&body);
    return status;
}

/* ---- and again ---- */

static bool nap(const tc_remote_config *cfg, int64_t ms, const char *why)
{
    if (cfg->wait)
        return cfg->wait(cfg->user, ms, why);
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
    return true;
}

static int64_t now_ms(const tc_remote_config *cfg)
{
    return (int64_t)((cfg->now_ns ? cfg->now_ns(cfg->user) : tc_clock_ns()) / 1000000);
}

/* One request has no more time than is left of all: an answer that drips is none. */
static long timeout_s(const tc_remote_config *cfg, const tc_call *call, int64_t left_ms)
{
    long most = call->timeout_s > 0 ? call->timeout_s : cfg->timeout_s;
    int64_t left_s = (left_ms + 999) / 1000;
    bool bound = cfg->patience_ms > 0 && left_s < (most > 0 ? most : TC_CALL_S);
    return bound ? (left_s > 0 ? (long)left_s : 1) : most;
}

/* Patience is counted in pauses and in what requests took. A pause is counted as it was asked for: in a test
 * all of it passes at once. */
tacit_status tc_remote_fetch(const tc_remote_config *cfg, const tc_call *call, bool once,
                             tc_text *out, tacit_error *err)
{
    tc_call full = *call;
    full.bearer = cfg->token;
    int64_t waited = 0, pause = PAUSE_FIRST_MS;
    for (bool first = true;; first = false) {
        bool again;
        tacit_error why = {0};
        int64_t begun = now_ms(cfg);
        full.timeout_s = timeout_s(cfg, call, cfg->patience_ms - waited);
        tacit_status status = send(cfg, &full, &again, out, &why);
        waited += now_ms(cfg) - begun;
        if (cfg->away)
            *cfg->away = again;
        if (status == TACIT_OK)
            return TACIT_OK;
        bool patient = again && !once && waited + pause <= cfg->patience_ms;
        if (!patient || !nap(cfg, pause, first ? why.msg : NULL))
            return tc_pass_on(err, status, &why);
        waited += pause;
        pause = 2 * pause < PAUSE_MOST_MS ? 2 * pause : PAUSE_MOST_MS;
    }
}

tacit_status tc_remote_call(const tc_remote_config *cfg, const tc_call *call, bool once,
                            json_t **out, tacit_error *err)
{
    tc_text body = {0};
    tacit_error why = {0};
    TC_TRY(tc_remote_fetch(cfg, call, once, &body, err));
    tacit_status status = tc_answered_is_modest(tc_text_get(&body), body.len)
                              ? tc_json_parse(tc_text_get(&body), body.len, "answer", out, &why)
                              : tc_fail(&why, TACIT_E_ARG, "it is too large");
    tc_text_fini(&body);
    if (status == TACIT_OK)
        return TACIT_OK;
    if (status == TACIT_E_MEMORY)
        return tc_fail_memory(err);
    return tc_fail(err, TACIT_E_IO, "the coordinator's answer makes no sense: %.300s", why.msg);
}

/* ---- making a study ---- */

/* The points of a finite space travel with the document. */
char *tc_remote_creation(const tc_study_doc *doc)
{
    char *text = tc_study_doc_text(doc);
    char *csv = doc->space->domain ? tc_domain_csv(doc->space->domain) : NULL;
    json_t *document = text ? json_loads(text, 0, NULL) : NULL;
    json_t *j = document ? json_pack("{s:o}", "document", document) : NULL;
    bool ok = j && (!doc->space->domain || csv);
    if (ok && csv)
        ok = json_object_set_new(j, "points_csv", json_string(csv)) == 0;
    char *out = ok ? tc_json_text(j) : NULL;
    tc_free(text);
    tc_free(csv);
    json_decref(j);
    return out;
}
