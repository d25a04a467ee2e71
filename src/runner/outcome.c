/* outcome.c - see outcome.h. */
#include "runner/outcome.h"

#include "base/json.h"
#include "base/memory.h"

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

/* "nan", "-inf", "Infinity": what printf, Python and R write. */
static bool parse_not_finite(const char *word, double *out)
{
    double sign = word[0] == '-' ? -1 : 1;
    if (word[0] == '-' || word[0] == '+')
        word++;
    if (strcasecmp(word, "nan") == 0)
        *out = NAN;
    else if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0)
        *out = sign * INFINITY;
    else
        return false;
    return true;
}

/* Decimal only: 0x2f on a last line is an address or a hash, hardly a value. */
static bool parse_word(const char *at, size_t n, double *out)
{
    char word[400]; /* longer than any double in full */
    if (n == 0 || n >= sizeof word)
        return false;
    memcpy(word, at, n);
    word[n] = '\0';
    if (parse_not_finite(word, out))
        return true;
    if (word[strspn(word, "+-.0123456789eE")] != '\0')
        return false;
    char *end;
    *out = strtod(word, &end); /* 1e999 is a number too, and an infinite value */
    return *end == '\0' && end != word;
}

/* The last number of one line. */
static bool last_number(const char *line, size_t len, double *out)
{
    size_t end = len;
    while (end > 0) {
        while (end > 0 && is_separator(line[end - 1]))
            end--;
        size_t start = end;
        while (start > 0 && !is_separator(line[start - 1]))
            start--;
        if (parse_word(line + start, end - start, out))
            return true;
        end = start;
    }
    return false;
}

/* The line that ends before text[end], without white space around it. */
static size_t line_before(const char *text, size_t end, size_t *len)
{
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    size_t first = start;
    while (first < end && is_space(text[first]))
        first++;
    while (end > first && is_space(text[end - 1]))
        end--;
    *len = end - first;
    return first;
}

static size_t trim_end(const char *text, size_t len)
{
    while (len > 0 && is_space(text[len - 1]))
        len--;
    return len;
}

static bool say(char *reason, size_t size, const char *text)
{
    snprintf(reason, size, "%s", text);
    return false;
}

static bool check_finite(double value, char *reason, size_t size)
{
    if (isfinite(value))
        return true;
    return say(reason, size, isnan(value) ? "value is nan" : "value is infinite");
}

/* A program that prints an object means it: never fall back to an earlier number. */
static bool json_value(const char *line, size_t len, double *value, char *reason, size_t size)
{
    json_t *object = NULL;
    if (tc_json_parse(line, len, "standard output", &object, NULL) != TACIT_OK)
        return say(reason, size, "the object on the last line is not valid JSON");
    const json_t *v = json_object_get(object, "value");
    bool ok = json_is_number(v);
    if (ok)
        *value = json_number_value(v);
    else
        say(reason, size,
            v ? "\"value\" on the last line is not a number"
              : "the JSON on the last line has no \"value\"");
    json_decref(object);
    return ok && check_finite(*value, reason, size);
}

bool tc_outcome_value(const char *text, size_t len, double *value, char *reason, size_t size)
{
    size_t end = trim_end(text, len), n;
    size_t at = line_before(text, end, &n);
    if (n >= 2 && text[at] == '{' && text[at + n - 1] == '}')
        return json_value(text + at, n, value, reason, size);
    while (end > 0) {
        at = line_before(text, end, &n);
        if (last_number(text + at, n, value))
            return check_finite(*value, reason, size);
        end = trim_end(text, at);
    }
    return say(reason, size, "no number on standard output");
}
