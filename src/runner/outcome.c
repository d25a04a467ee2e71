/* outcome.c - see outcome.h. */
#include "runner/outcome.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A NUL byte would end every string function: it separates, too. */
static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || c == '\0';
}

static bool is_separator(char c)
{
    return is_space(c) || c == '=' || c == ':';
}

void tc_tail_add(tc_tail *t, const void *bytes, size_t n)
{
    if (!t->data && !t->failed)
        t->data = tc_alloc(2, TC_TAIL_MAX);
    if (!t->data) {
        t->failed = true;
        return;
    }
    const char *from = bytes;
    if (n > TC_TAIL_MAX) {
        from += n - TC_TAIL_MAX;
        n = TC_TAIL_MAX;
        t->len = 0;
        t->cut = true;
    }
    if (t->len + n > 2 * TC_TAIL_MAX) {
        memmove(t->data, t->data + t->len - TC_TAIL_MAX, TC_TAIL_MAX);
        t->len = TC_TAIL_MAX;
        t->cut = true;
    }
    memcpy(t->data + t->len, from, n);
    t->len += n;
}

const char *tc_tail_get(const tc_tail *t, size_t *len)
{
    size_t skip = t->len > TC_TAIL_MAX ? t->len - TC_TAIL_MAX : 0;
    if (t->cut || skip > 0)
        while (skip < t->len && !is_separator(t->data[skip]))
            skip++;
    *len = t->len - skip;
    return t->data ? t->data + skip : "";
}

void tc_tail_fini(tc_tail *t)
{
    tc_free(t->data);
    *t = (tc_tail){0};
}

/* ---- words */

typedef enum kind {
    PLAIN,     /* says nothing of a number */
    NUMBER,    /* is one, finite or not */
    ABSENT,    /* "nan", "None": there is no value */
    AMBIGUOUS, /* has to do with a number, but which? "93.1%", "1,234.5", "12px", "0x2f" */
} kind;

typedef struct word {
    const char *at;
    size_t len;
} word;

/* "12:30" is one word, a time: none of its numbers is a value. */
static bool ends_word(const char *line, size_t len, size_t i)
{
    bool in_time = line[i] == ':' && i > 0 && i + 1 < len && isdigit((unsigned char)line[i - 1]) &&
                   isdigit((unsigned char)line[i + 1]);
    return is_separator(line[i]) && !in_time;
}

/* The last word before line[*end], which moves to its beginning; of length 0: none is left. */
static word word_before(const char *line, size_t len, size_t *end)
{
    size_t stop = *end;
    while (stop > 0 && ends_word(line, len, stop - 1))
        stop--;
    size_t start = stop;
    while (start > 0 && !ends_word(line, len, start - 1))
        start--;
    *end = start;
    return (word){line + start, stop - start};
}

/* Brackets and the marks of a sentence, but no braces: those belong to objects. */
static word strip(word w)
{
    while (w.len > 0 && memchr("([", w.at[0], 2))
        w = (word){w.at + 1, w.len - 1};
    while (w.len > 0 && memchr(",;.)]", w.at[w.len - 1], 5))
        w.len--;
    return w;
}

/* Decimal only: 0x2f on a last line is an address or a hash, hardly a value. */
static bool parse_number(word w, double *out)
{
    char text[400]; /* longer than any double in full */
    if (w.len == 0 || w.len >= sizeof text)
        return false;
    memcpy(text, w.at, w.len);
    text[w.len] = '\0';
    if (text[strspn(text, "+-.0123456789eE")] != '\0')
        return false;
    char *end;
    *out = strtod(text, &end); /* 1e999 is a number too, and an infinite value */
    return *end == '\0' && end != text;
}

/* How languages write that there is no number, and what we call it. */
static const struct absence {
    const char *name, *what;
} absences[] = {{"nan", "nan"},   {"inf", "infinite"}, {"infinity", "infinite"},
                {"none", "None"}, {"null", "null"},    {"na", "NA"},
                {"n/a", "N/A"},   {"nil", "nil"},      {"undefined", "undefined"}};

static const char *absence_of(word w)
{
    for (size_t i = 0; i < sizeof absences / sizeof *absences; i++)
        if (w.len == strlen(absences[i].name) && strncasecmp(w.at, absences[i].name, w.len) == 0)
            return absences[i].what;
    return NULL;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '/';
}

/* Also inside of a word: "tensor(nan)", "-inf", "np.nan". */
static const char *find_absence(word w)
{
    const char *what = NULL;
    for (size_t i = 0; i < w.len && !what; i++) {
        size_t n = 0;
        while (i + n < w.len && is_letter(w.at[i + n]))
            n++;
        what = absence_of((word){w.at + i, n});
        i += n;
    }
    return what;
}

/* A brace is what the cut or a line break has left of an object. */
static bool hints_at_number(word w)
{
    for (size_t i = 0; i < w.len; i++)
        if (isdigit((unsigned char)w.at[i]) || memchr("%{}", w.at[i], 3))
            return true;
    return false;
}

static kind judge(word w, double *value, const char **what)
{
    if (parse_number(strip(w), value))
        return NUMBER;
    *what = find_absence(w);
    if (*what)
        return ABSENT;
    return hints_at_number(w) ? AMBIGUOUS : PLAIN;
}

/* ---- reasons */

enum { QUOTED = 100 }; /* bytes of a line that a reason repeats */

static bool say(char *reason, size_t size, const char *text)
{
    snprintf(reason, size, "%s", text);
    return false;
}

/* A character of n bytes, 0 if it is not valid UTF-8; none of the two sets of control characters. */
static bool is_shown(const char *at, size_t n)
{
    bool control = n == 1
                       ? iscntrl((unsigned char)*at) != 0
                       : n == 2 && memcmp(at, "\xc2\x80", 2) >= 0 && memcmp(at, "\xc2\xa0", 2) < 0;
    return n > 0 && !control;
}

/* A program may print anything; a reason is one line of UTF-8. */
static void quote(char out[QUOTED + 4], word w)
{
    char text[QUOTED + 1];
    size_t len = w.len < QUOTED ? w.len : QUOTED, at = 0;
    memcpy(text, w.at, len);
    text[len] = '\0';
    for (size_t i = 0; i < len;) {
        size_t n = tc_utf8_length(text + i);
        if (n == 0 && w.len > len && len - i < 4) /* perhaps a character that the cut has torn */
            break;
        bool shown = is_shown(text + i, n);
        n = n > 0 ? n : 1;
        memcpy(out + at, shown ? text + i : "?", shown ? n : 1);
        at += shown ? n : 1;
        i += n;
    }
    memcpy(out + at, w.len > len ? "..." : "\0\0\0", 4);
}

static bool say_absent(char *reason, size_t size, const char *what)
{
    snprintf(reason, size, "value is %s", what);
    return false;
}

static bool say_ambiguous(char *reason, size_t size, word w)
{
    char quoted[QUOTED + 4];
    quote(quoted, w);
    snprintf(reason, size, "\"%s\" on the last line is not a plain number", quoted);
    return false;
}

static bool say_none(char *reason, size_t size, word line)
{
    char quoted[QUOTED + 4];
    if (line.len == 0)
        return say(reason, size, "no number on standard output");
    quote(quoted, line);
    snprintf(reason, size, "no number on the last line: \"%s\"", quoted);
    return false;
}

static bool check_finite(double value, char *reason, size_t size)
{
    if (isfinite(value))
        return true;
    return say_absent(reason, size, isnan(value) ? "nan" : "infinite");
}

/* ---- the last line */

/* The last line that is not empty, without white space around it. */
static word last_line(const char *text, size_t len)
{
    while (len > 0 && is_space(text[len - 1]))
        len--;
    size_t start = len;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    while (start < len && is_space(text[start]))
        start++;
    return (word){text + start, len - start};
}

static bool member_value(const json_t *object, const char *name, double *value, char *reason,
                         size_t size)
{
    const json_t *v = json_object_get(object, name);
    if (json_is_number(v)) {
        *value = json_number_value(v);
        return check_finite(*value, reason, size);
    }
    snprintf(reason, size,
             v ? "\"%s\" on the last line is not a number"
               : "the JSON on the last line has no \"%s\"",
             name);
    return false;
}

/* A program that prints an object means it: its numbers are not looked for in any other way. */
static bool json_values(word line, const char *const *names, size_t n, double *values, char *reason,
                        size_t size)
{
    json_t *object = NULL;
    bool ok = true;
    if (tc_json_parse(line.at, line.len, "standard output", &object, NULL) != TACIT_OK)
        return say(reason, size, "the object on the last line is not valid JSON");
    for (size_t i = 0; i < n && ok; i++)
        ok = member_value(object, names[i], &values[i], reason, size);
    json_decref(object);
    return ok;
}

bool tc_outcome_values(const char *text, size_t len, const char *const *names, size_t n,
                       double *values, char *reason, size_t size)
{
    word line = last_line(text, len);
    char quoted[QUOTED + 4];
    if (line.len > 0 && line.at[0] == '{')
        return json_values(line, names, n, values, reason, size);
    if (line.len == 0)
        return say(reason, size, "nothing on standard output, where an object of outcomes belongs");
    quote(quoted, line);
    snprintf(reason, size, "the last line is no JSON object of %zu outcomes: \"%s\"", n, quoted);
    return false;
}

bool tc_outcome_value(const char *text, size_t len, double *value, char *reason, size_t size)
{
    static const char *const name = "value";
    word line = last_line(text, len);
    if (line.len > 0 && line.at[0] == '{')
        return json_values(line, &name, 1, value, reason, size);
    for (size_t end = line.len; end > 0;) {
        word w = word_before(line.at, line.len, &end);
        const char *what = NULL;
        switch (judge(w, value, &what)) {
        case NUMBER:
            return check_finite(*value, reason, size);
        case ABSENT:
            return say_absent(reason, size, what);
        case AMBIGUOUS:
            return say_ambiguous(reason, size, w);
        case PLAIN:
            break;
        }
    }
    return say_none(reason, size, line);
}

/* Most lines are none, and are not parsed. */
static bool may_be_step(word line)
{
    return line.len > 0 && line.at[0] == '{' && memmem(line.at, line.len, "\"step\"", 6);
}

bool tc_outcome_strays(const char *text, size_t len)
{
    word line = last_line(text, len);
    return may_be_step(line) && memmem(line.at, line.len, "\"value\"", 7);
}

bool tc_outcome_step(const char *text, size_t len, uint64_t *step, double *value)
{
    word line = last_line(text, len);
    json_t *object = NULL;
    int64_t at = -1;
    if (!may_be_step(line) ||
        tc_json_parse(line.at, line.len, "standard output", &object, NULL) != TACIT_OK)
        return false;
    const json_t *v = json_object_get(object, "value");
    *value = json_number_value(v);
    bool ok = json_is_number(v) && isfinite(*value) &&
              tc_json_whole(json_object_get(object, "step"), &at) && at >= 0 &&
              at <= INT64_C(1) << 53;
    *step = (uint64_t)at;
    json_decref(object);
    return ok;
}

json_t *tc_outcome_object(const char *text, size_t len)
{
    word line = last_line(text, len);
    json_t *object = NULL;
    if (line.len == 0 || line.at[0] != '{' ||
        tc_json_parse(line.at, line.len, "standard output", &object, NULL) != TACIT_OK)
        return NULL;
    return object;
}

void tc_outcome_clean(char *reason)
{
    for (size_t i = 0; reason[i] != '\0';) {
        size_t n = tc_utf8_length(reason + i);
        bool shown = is_shown(reason + i, n);
        n = n > 0 ? n : 1;
        if (!shown)
            memset(reason + i, '?', n);
        i += n;
    }
}

void tc_outcome_last_line(const char *text, size_t len, char *out, size_t size)
{
    word line = last_line(text, len);
    snprintf(out, size, "%.*s", (int)(line.len < size ? line.len : size - 1), line.at);
    tc_outcome_clean(out);
}
