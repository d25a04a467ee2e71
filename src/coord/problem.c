/* problem.c - failures as `application/problem+json` (RFC 9457).
 *
 * `type` is "urn:tacit:problem:" and the name of a status: a stable word for programs. `detail` is the
 * sentence that people read everywhere else in tacit. */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SAID_MOST = 20 }; /* refusals in the log, of one second */

int tc_problem_http(tacit_status code)
{
    switch (code) {
    case TACIT_E_ARG:
        return 400;
    case TACIT_E_NOT_FOUND:
        return 404;
    case TACIT_E_STATE:
    case TACIT_E_CONFLICT:
        return 409;
    case TACIT_E_BUDGET: /* it will not come back. tacit 0.1 goes by the type, not by this number */
        return 410;
    case TACIT_E_UNSUPPORTED:
        return 501;
    case TACIT_E_BUSY:
    case TACIT_E_MEMORY:
        return 503;
    default:
        return 500;
    }
}

/* "E_NOT_FOUND" as "not-found". */
static void type_of(tacit_status code, char out[64])
{
    const char *name = tacit_status_name(code);
    size_t n = (size_t)snprintf(out, 64, "urn:tacit:problem:%s",
                                strncmp(name, "E_", 2) == 0 ? name + 2 : name);
    for (size_t i = sizeof "urn:tacit:problem:" - 1; i < n && i < 63; i++)
        out[i] = out[i] == '_' ? '-' : (char)tolower((unsigned char)out[i]);
}

/* Hides the sentences of internal failures from clients, because they name files. */
static const char *shown(int http, const char *detail)
{
    return http == 500 ? "the coordinator failed; its log says why" : detail;
}

bool tc_problem_is_said(tc_coord *c)
{
    int64_t now_s = tc_coord_now(c) / 1000;
    pthread_mutex_lock(&c->lock);
    if (now_s != c->said_s) {
        c->said_s = now_s;
        c->said = 0;
    }
    bool says = c->said < SAID_MOST;
    uint64_t unsaid = says ? c->unsaid : 0;
    c->said += says;
    c->unsaid = says ? 0 : c->unsaid + 1;
    pthread_mutex_unlock(&c->lock);
    if (unsaid > 0)
        tc_log(TC_LOG_WARN, "%" PRIu64 " more refusals were not logged", unsaid);
    return says;
}

/* A sentence may quote what was sent: bytes that are not UTF-8 have no place in JSON. */
static void quotable(const char *detail, char out[512])
{
    snprintf(out, 512, "%s", detail);
    for (char *c = out; *c;) {
        size_t n = tc_utf8_length(c);
        if (n == 0)
            *c = '?';
        c += n ? n : 1;
    }
}

/* Titles for a coordinator's answers: BUSY means too many requests, not a locked file. */
static const char *title_of(tacit_status code)
{
    return code == TACIT_E_BUSY ? "busy, or asked too often: ask again later"
                                : tacit_status_text(code);
}

void tc_problem(tc_response *out, int http, tacit_status code, const char *detail, json_t *more)
{
    char type[64], plain[512];
    type_of(code, type);
    quotable(shown(http, detail), plain);
    json_t *j = json_pack("{s:s, s:s, s:i, s:s}", "type", type, "title", title_of(code), "status",
                          http, "detail", plain);
    if (j && more)
        (void)json_object_update_missing(j, more); /* without memory for them: without them */
    char *text = tc_json_text(j);
    json_decref(j);
    tc_text_fini(&out->body);
    tc_text_add(&out->body, text ? text : "{\"title\": \"out of memory\", \"status\": 503}");
    tc_free(text);
    out->status = text ? http : 503;
    out->content_type = "application/problem+json";
}

tacit_status tc_refuse(tc_request_context *a, int http, tacit_status code, tacit_error *err,
                       const char *fmt, ...)
{
    char detail[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(detail, sizeof detail, fmt, args);
    va_end(args);
    a->out->status = http;
    return tc_fail(err, code, "%s", detail);
}
