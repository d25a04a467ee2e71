/* png.c - SVG to PNG by rsvg-convert, a program of its own: no drawing library is linked. */
#include "chart/plot.h"

#include "base/error.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The text as an unnamed file, read from its start. */
static FILE *as_file(const tc_text *svg)
{
    FILE *f = tmpfile();
    if (!f)
        return NULL;
    if (fwrite(tc_text_get(svg), 1, svg->len, f) == svg->len && fflush(f) == 0) {
        rewind(f);
        return f;
    }
    fclose(f);
    return NULL;
}

static int spawn_converter(pid_t *pid, const char *file, int input)
{
    /* Twice the size: sharp on dense screens and in print. */
    char *argv[] = {"rsvg-convert", "--format",   "png", "--zoom", "2",
                    "--output",     (char *)file, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (!failed)
        failed = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static tacit_status wait_for(pid_t pid, const char *file, tacit_error *err)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return tc_fail(err, TACIT_E_IO, "rsvg-convert was lost: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_IO, "rsvg-convert could not write \"%s\"", file);
}

tacit_status tc_png_write(const char *file, const tc_text *svg, tacit_error *err)
{
    pid_t pid;
    FILE *input = as_file(svg);
    if (!input)
        return tc_fail(err, TACIT_E_IO, "no temporary file could be written: %s", strerror(errno));
    int failed = spawn_converter(&pid, file, fileno(input));
    fclose(input);
    if (failed == ENOENT)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "PNG needs the program rsvg-convert (Debian package librsvg2-bin), which is "
                       "not installed; --out FILE.svg needs nothing");
    if (failed)
        return tc_fail(err, TACIT_E_IO, "rsvg-convert could not be started: %s", strerror(failed));
    return wait_for(pid, file, err);
}
