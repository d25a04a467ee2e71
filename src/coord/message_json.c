/* message_json.c - the body of a message, read quickly.
 *
 * {"sequence": 7, "message": "base64"} is what every agent sends, and nearly all of it is one long word
 * without escapes. A general parser takes that character by character and was a quarter of what a
 * message costs. So this one form is read here, and every other one, also everything that is wrong, is left
 * to the general parser: what is accepted does not depend on it. Called by coord.c. */
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/json.h"

#include <string.h>

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static bool take(cursor *c, const char *word)
{
    size_t n = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

/* Up to 18 digits: all such numbers fit. If the number is longer, the next character is a digit instead of the
 * expected comma, and the general parser takes over. */
static bool take_number(cursor *c, json_int_t *out)
{
    const char *start;
    json_int_t v = 0;
    skip_space(c);
    for (start = c->at; c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - start < 18;)
        v = 10 * v + (*c->at++ - '0');
    size_t n = (size_t)(c->at - start);
    *out = v;
    return n >= 1 && (*start != '0' || n == 1);
}

/* Nothing that JSON would read as something else: printable ASCII without a backslash. */
static bool is_plain(const char *p, size_t n)
{
    unsigned char odd = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        odd |= (unsigned char)((c < 0x20) | (c > 0x7e) | (c == '\\'));
    }
    return !odd;
}

static bool take_text(cursor *c, const char **text, size_t *n)
{
    if (!take(c, "\""))
        return false;
    const char *close = memchr(c->at, '"', (size_t)(c->end - c->at));
    if (!close)
        return false;
    *text = c->at;
    *n = (size_t)(close - c->at);
    c->at = close + 1;
    return is_plain(*text, *n);
}

static bool at_end(cursor *c)
{
    skip_space(c);
    return c->at == c->end;
}

json_t *tc_message_json(const char *body, size_t n)
{
    json_int_t sequence;
    const char *text;
    size_t length;
    if (n == 0)
        return NULL;
    cursor c = {.at = body, .end = body + n};
    if (!take(&c, "{") || !take(&c, "\"sequence\"") || !take(&c, ":") ||
        !take_number(&c, &sequence) || !take(&c, ",") || !take(&c, "\"message\"") ||
        !take(&c, ":") || !take_text(&c, &text, &length) || !take(&c, "}") || !at_end(&c))
        return NULL;
    tc_json_start();
    return json_pack("{s:I, s:o}", "sequence", sequence, "message",
                     json_stringn_nocheck(text, length));
}
