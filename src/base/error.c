/* error.c - the status list as text, and sentences in a caller's tacit_error.
 *
 * Nothing here allocates: reporting that memory is gone must not need memory. */
#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct status_row {
    tacit_status status;
    const char *name, *text;
    int exit_code;
} status_row;

/* A number outside of the table is a defect of the function that returned it. */
static const status_row *row_of(tacit_status status)
{
#define STATUS_ROW(name, number, exit_code, text) {TACIT_##name, #name, text, exit_code},
    static const status_row rows[] = {TACIT_STATUS_LIST(STATUS_ROW)};
#undef STATUS_ROW
    const status_row *found = &rows[TACIT_E_INTERNAL];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status)
            found = &rows[i];
    return found;
}

const char *tacit_status_name(tacit_status status)
{
    return row_of(status)->name;
}

const char *tacit_status_text(tacit_status status)
{
    return row_of(status)->text;
}

int tacit_status_exit(tacit_status status)
{
    return row_of(status)->exit_code;
}

/* Sentences quote what users and files contain: no line break or escape
 * sequence may reach a terminal or a log through them. */
static void flatten(char *s)
{
    for (; *s != '\0'; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            *s = ' ';
}

/* Ends a cut sentence visibly, without leaving half of a UTF-8 character. */
static void mark_cut(char *s, size_t size)
{
    size_t end = size - sizeof "...";
    while (end > 0 && ((unsigned char)s[end] & 0xC0) == 0x80)
        end--;
    memcpy(s + end, "...", sizeof "...");
}

/* Goes through a second buffer because an argument may be err->msg itself. */
static void write_message(tacit_error *err, const char *fmt, va_list args)
{
    char msg[sizeof err->msg];
    int n = vsnprintf(msg, sizeof msg, fmt, args);
    if (n < 0)
        msg[0] = '\0';
    else if ((size_t)n >= sizeof msg)
        mark_cut(msg, sizeof msg);
    flatten(msg);
    memcpy(err->msg, msg, sizeof msg);
}

tacit_status(tc_fail)(tacit_error *err, tacit_status code, const char *fmt, ...)
{
    if (err == NULL)
        return code;
    va_list args;
    va_start(args, fmt);
    write_message(err, fmt, args);
    va_end(args);
    err->code = code;
    return code;
}

tacit_status tc_fail_in(tacit_error *err, const char *fmt, ...)
{
    if (err == NULL || err->code == TACIT_OK)
        return TACIT_E_INTERNAL;
    tacit_error where = {0};
    va_list args;
    va_start(args, fmt);
    write_message(&where, fmt, args);
    va_end(args);
    return tc_fail(err, err->code, "%s: %s", where.msg, err->msg);
}

tacit_status tc_pass_on(tacit_error *err, tacit_status status, const tacit_error *why)
{
    return status == TACIT_OK ? status : tc_fail(err, status, "%s", why->msg);
}

tacit_status(tc_fail_range)(tacit_error *err, const char *what, const char *range, double got)
{
    char number[32];
    tc_double_text(number, got);
    return tc_fail(err, TACIT_E_ARG, "%s must be in %s, got %s", what, range, number);
}

tacit_status(tc_fail_memory)(tacit_error *err)
{
    return tc_fail(err, TACIT_E_MEMORY, "out of memory");
}
