/* log.c - hands formatted lines to the program's sink. */
#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Set once, before threads start; read without a lock afterwards. */
static struct {
    tc_log_sink sink;
    void *user;
    tc_log_level upto;
} log_to;

void tc_log_set(tc_log_sink sink, void *user, tc_log_level upto)
{
    log_to.sink = sink;
    log_to.user = user;
    log_to.upto = upto;
}

void tc_log(tc_log_level level, const char *fmt, ...)
{
    if (log_to.sink == NULL || level > log_to.upto)
        return;
    char line[1024];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (n >= 0)
        log_to.sink(level, line, log_to.user);
}
