/* launch.h - starts a program in a process group of its own, its output in a pipe.
 *
 * The program gets standard input (/dev/null), output and error, and no other descriptor of ours.
 * Linux: the program is killed when the thread that started it ends (PDEATHSIG),
 * and its end shows on a pidfd. Called by runner.c, and by the program for its demonstration. */
#ifndef TC_RUNNER_LAUNCH_H
#define TC_RUNNER_LAUNCH_H

#include "base/text.h"

#include <stdbool.h>
#include <sys/types.h>

/* Looks `name` up as a shell would: a name with a slash is a path, any other is searched
 * in PATH. E_NOT_FOUND: there is none, or it may not be run. */
tacit_status tc_program_find(const char *name, tc_text *path, tacit_error *err);

typedef struct tc_launch {
    const char *path; /* from tc_program_find */
    char **argv;      /* NULL-terminated; argv[-1] is a spare word, overwritten */
    char **envp;      /* NULL-terminated */
    int in_fd;        /* its standard input, which is not closed; below 1: nothing */
    bool silent;      /* its standard error is /dev/null; false: ours ... */
    bool heard;       /* ... or a pipe, err_fd */
} tc_launch;

typedef struct tc_process {
    pid_t pid;  /* leads the process group of the same number */
    int pidfd;  /* readable once it has ended */
    int out_fd; /* read end of its standard output; does not block */
    int err_fd; /* the same of its standard error, where that is a pipe; else -1 */
} tc_process;

/* Returns when the program runs. E_NOT_FOUND: it could not be executed. E_IO: no
 * process or pipe to be had. The caller kills, waits for and closes the process. */
tacit_status tc_launch_start(const tc_launch *l, tc_process *out, tacit_error *err);

#endif
