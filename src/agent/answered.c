/* answered.c - see answered.h. */
#include "agent/answered.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/base64.h"

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

tacit_status tc_answered_release(const char *text, uint8_t **bytes, size_t *n, tacit_error *err)
{
    enum { RELEASE_MOST = 1 << 24 };
    tacit_error why = {0};
    tacit_status status = tc_base64_bytes(text, "release", RELEASE_MOST, bytes, n, &why);
    if (status == TACIT_E_ARG)
        return tc_fail(err, TACIT_E_STATE, "the coordinator's answer makes no sense: %s", why.msg);
    return tc_pass_on(err, status, &why);
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

/* ---- what a coordinator says in words ---- */

/* The code point at s and its length. What is no UTF-8 does not come out of a JSON reader. */
static uint32_t code_point(const char *s, size_t *n)
{
    const unsigned char *u = (const unsigned char *)s;
    *n = u[0] < 0x80 ? 1 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
    uint32_t c = *n == 1 ? u[0] : u[0] & (0x7FU >> *n);
    for (size_t i = 1; i < *n; i++)
        c = c << 6 | (u[i] & 0x3FU);
    return c;
}

/* Controls, and what is not seen but turns, joins or hides what is. */
static bool is_seen(uint32_t c)
{
    static const uint32_t hidden[][2] = {{0, 0x1F},        {0x7F, 0x9F},      {0xAD, 0xAD},
                                         {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                                         {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                                         {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (c >= hidden[i][0] && c <= hidden[i][1])
            return false;
    return true;
}

/* A reason goes into the journal and to a terminal: a few hundred characters that can be read. */
static tacit_status clean_text(json_t *body, const char *key, tacit_error *err)
{
    enum { REASON_MOST = 400 };
    const char *said = json_string_value(json_object_get(body, key));
    tc_text clean = {0};
    size_t n;
    if (!said)
        return TACIT_OK;
    for (; *said && clean.len < REASON_MOST; said += n)
        if (is_seen(code_point(said, &n)))
            tc_text_add_bytes(&clean, said, n);
    if (*said)
        tc_text_add(&clean, " ...");
    bool ok =
        !clean.failed && json_object_set_new(body, key, json_string(tc_text_get(&clean))) == 0;
    tc_text_fini(&clean);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* ---- */

tacit_status tc_answered_get(const tc_transport *way, const char *study, const tc_call *call,
                             tc_answered *out, tacit_error *err)
{
    tc_answered r = {0};
    tc_call full = *call;
    tc_text path = {0};
    tc_text_addf(&path, "/v1/studies/%s%s", study, call->path);
    full.path = tc_text_get(&path);
    tacit_status status =
        path.failed ? tc_fail_memory(err) : way->call(way->user, &full, &r.status, &r.text, err);
    tc_text_fini(&path);
    if (status == TACIT_OK) {
        r.body = parse(&r.text);
        status = clean_text(r.body, "detail", err);
        if (status == TACIT_OK)
            status = clean_text(r.body, "no_place", err);
    }
    if (status == TACIT_OK && (r.status >= 500 || r.status == 429))
        status = tc_fail(err, TACIT_E_IO, "the coordinator cannot answer now (%d): %s", r.status,
                         tc_answered_detail(&r));
    if (status != TACIT_OK) {
        tc_answered_fini(&r);
        return status;
    }
    *out = r;
    return TACIT_OK;
}
