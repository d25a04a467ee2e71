/* csv.c - a strict reader of RFC 4180 text. One pass; memory for one record. */
#include "base/csv.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tc_csv_init(tc_csv *c, const char *text, size_t len, const char *what)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t skip = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    *c = (tc_csv){.what = what, .at = text + skip, .end = text + len};
}

void tc_csv_fini(tc_csv *c)
{
    tc_free(c->bytes);
    tc_free(c->start);
    tc_free(c->field);
    *c = (tc_csv){0};
}

tacit_status tc_csv_fail(const tc_csv *c, size_t column, tacit_error *err, const char *fmt, ...)
{
    char said[384], place[48] = "";
    va_list args;
    va_start(args, fmt);
    vsnprintf(said, sizeof said, fmt, args);
    va_end(args);
    if (column > 0)
        snprintf(place, sizeof place, ", column %zu", column);
    return tc_fail(err, TACIT_E_ARG, "%.96s: row %zu%s: %s", c->what, c->row, place, said);
}

static bool put(tc_csv *c, const char *from, size_t n)
{
    if (n == 0)
        return true;
    if (!tc_grow((void **)&c->bytes, &c->bytes_cap, c->bytes_len + n, 1))
        return false;
    memcpy(c->bytes + c->bytes_len, from, n);
    c->bytes_len += n;
    return true;
}

/* How many bytes a plain field has: up to a comma, an end of line or the end. */
static size_t plain_length(const char *at, const char *end)
{
    const char *p = at;
    while (p < end && *p != ',' && *p != '\n' && !(*p == '\r' && p + 1 < end && p[1] == '\n'))
        p++;
    return (size_t)(p - at);
}

static tacit_status plain_field(tc_csv *c, tacit_error *err)
{
    size_t n = plain_length(c->at, c->end);
    if (memchr(c->at, '"', n))
        return tc_csv_fail(c, c->n, err, "a field with a quote in it must be quoted as a whole");
    if (memchr(c->at, '\r', n))
        return tc_csv_fail(c, c->n, err, "a carriage return must be followed by a line feed");
    if (!put(c, c->at, n))
        return tc_fail_memory(err);
    c->at += n;
    return TACIT_OK;
}

/* After the opening quote: text up to the closing one; "" stands for a quote. */
static tacit_status quoted_field(tc_csv *c, tacit_error *err)
{
    for (c->at++;; c->at++) {
        const char *quote = memchr(c->at, '"', (size_t)(c->end - c->at));
        if (!quote)
            return tc_csv_fail(c, c->n, err, "the closing quote is missing");
        bool doubled = quote + 1 < c->end && quote[1] == '"';
        if (!put(c, c->at, (size_t)(quote - c->at) + doubled))
            return tc_fail_memory(err);
        c->at = quote + 1;
        if (!doubled)
            break;
    }
    if (plain_length(c->at, c->end) > 0)
        return tc_csv_fail(c, c->n, err, "nothing may follow a closing quote but a comma");
    return TACIT_OK;
}

static tacit_status one_field(tc_csv *c, tacit_error *err)
{
    if (!tc_grow((void **)&c->start, &c->start_cap, c->n + 1, sizeof *c->start))
        return tc_fail_memory(err);
    c->start[c->n++] = c->bytes_len;
    bool quoted = c->at < c->end && *c->at == '"';
    TC_TRY(quoted ? quoted_field(c, err) : plain_field(c, err));
    if (c->bytes && memchr(c->bytes + c->start[c->n - 1], 0, c->bytes_len - c->start[c->n - 1]))
        return tc_csv_fail(c, c->n, err, "a zero byte is not text");
    return put(c, "", 1) ? TACIT_OK : tc_fail_memory(err);
}

/* Texts may have moved while the record grew: fields are pointed at only now. */
static tacit_status point_fields(tc_csv *c, tacit_error *err)
{
    if (!tc_grow((void **)&c->field, &c->field_cap, c->n, sizeof *c->field))
        return tc_fail_memory(err);
    for (size_t i = 0; i < c->n; i++)
        c->field[i] = c->bytes + c->start[i];
    return TACIT_OK;
}

static tacit_status check_width(tc_csv *c, tacit_error *err)
{
    if (c->row == 1)
        c->width = c->n;
    if (c->n == c->width)
        return TACIT_OK;
    return tc_csv_fail(c, 0, err, "the row has %zu field%s, the first row has %zu", c->n,
                       c->n == 1 ? "" : "s", c->width);
}

tacit_status tc_csv_next(tc_csv *c, tacit_error *err)
{
    c->n = c->bytes_len = 0;
    if (c->at == c->end)
        return TACIT_OK;
    c->row++;
    TC_TRY(one_field(c, err));
    while (c->at < c->end && *c->at == ',') {
        c->at++;
        TC_TRY(one_field(c, err));
    }
    if (c->at < c->end)
        c->at += *c->at == '\r' ? 2 : 1;
    TC_TRY(check_width(c, err));
    return point_fields(c, err);
}
