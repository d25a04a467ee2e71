/* terminal.c - what may be written to a terminal, and notes for people. */
#include "frame/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tc_styled(FILE *f)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color && *no_color)
        return false;
    return term && strcmp(term, "dumb") != 0 && isatty(fileno(f)) == 1;
}

void tc_note(bool quiet, const char *fmt, ...)
{
    if (quiet)
        return;
    fflush(stdout); /* both may go to one file */
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}
