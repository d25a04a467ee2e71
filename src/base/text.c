/* text.c - the growing buffer. */
#include "base/text.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t ceiling(const tc_text *t)
{
    return t->max != 0 ? t->max : (size_t)1 << 30;
}

/* Room for n more bytes and the closing NUL; false sets `failed`. */
static bool reserve(tc_text *t, size_t n)
{
    if (t->failed)
        return false;
    if (n > ceiling(t) - t->len || !tc_grow((void **)&t->data, &t->cap, t->len + n + 1, 1))
        t->failed = true;
    return !t->failed;
}

void tc_text_add_bytes(tc_text *t, const void *p, size_t n)
{
    if (!reserve(t, n))
        return;
    if (n > 0)
        memcpy(t->data + t->len, p, n);
    t->len += n;
    t->data[t->len] = '\0';
}

void tc_text_add(tc_text *t, const char *s)
{
    tc_text_add_bytes(t, s, strlen(s));
}

void tc_text_addf(tc_text *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    locale_t before = uselocale(tc_c_locale());
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n < 0) {
        t->failed = true;
    } else if (reserve(t, (size_t)n)) {
        vsnprintf(t->data + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    uselocale(before);
    va_end(again);
    va_end(args);
}

void tc_text_add_double(tc_text *t, double v)
{
    char s[32];
    tc_double_text(s, v);
    tc_text_add(t, s);
}

void tc_text_add_csv(tc_text *t, const char *field)
{
    if (strpbrk(field, ",\"\r\n") == NULL) {
        tc_text_add(t, field);
        return;
    }
    tc_text_add(t, "\"");
    for (const char *quote; (quote = strchr(field, '"')) != NULL; field = quote + 1) {
        tc_text_add_bytes(t, field, (size_t)(quote - field));
        tc_text_add(t, "\"\"");
    }
    tc_text_add(t, field);
    tc_text_add(t, "\"");
}

const char *tc_text_get(const tc_text *t)
{
    return t->data != NULL ? t->data : "";
}

char *tc_text_take(tc_text *t)
{
    reserve(t, 0);
    char *data = t->failed ? NULL : t->data;
    if (data != NULL) {
        data[t->len] = '\0';
        t->data = NULL;
    }
    tc_text_fini(t);
    return data;
}

void tc_text_fini(tc_text *t)
{
    tc_free(t->data);
    *t = (tc_text){.max = t->max};
}
