/* demo_process.c - one process of the demonstration (demo_int.h).
 *
 * runner/launch.h starts it in a group of its own, so that Ctrl-C reaches the demonstration alone, which
 * then ends the others; should it be killed itself, the kernel kills them. */
#include "demo/demo_int.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 40, GRACE_MS = 5000, TICK_MS = 100 };

tacit_status tc_demo_start(const char *const *words, tc_process *out, tacit_error *err)
{
    char *argv[MOST_WORDS + 2] = {NULL}; /* launch wants a spare word before the first */
    for (size_t i = 0; words[i] && i < MOST_WORDS; i++)
        argv[i + 1] = (char *)words[i];
    return tc_launch_start(&(tc_launch){.path = words[0], .argv = argv + 1, .envp = environ}, out,
                           err);
}

tacit_status tc_demo_first_line(const tc_process *p, tc_text *line, tacit_error *err)
{
    struct pollfd fd = {.fd = p->out_fd, .events = POLLIN};
    char buf[4096];
    while (!strchr(tc_text_get(line), '\n')) {
        if (tc_interrupted())
            return tc_fail(err, TACIT_E_CANCELLED, "interrupted");
        if (poll(&fd, 1, TICK_MS) <= 0)
            continue;
        ssize_t n = read(p->out_fd, buf, sizeof buf);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return tc_fail(err, TACIT_E_IO, "the coordinator of the demonstration did not start");
        if (n > 0)
            tc_text_add_bytes(line, buf, (size_t)n);
        if (line->failed)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

static void forget(tc_process *p)
{
    close(p->out_fd);
    close(p->pidfd);
    *p = (tc_process){0};
}

bool tc_demo_ended(tc_process *p, int *status)
{
    *status = 0;
    if (p->pid == 0)
        return true;
    if (waitpid(p->pid, status, WNOHANG) != p->pid)
        return false;
    forget(p);
    return true;
}

void tc_demo_stop(tc_process *p, int number)
{
    int status;
    if (p->pid == 0)
        return;
    struct pollfd fd = {.fd = p->pidfd, .events = POLLIN};
    kill(p->pid, number);
    if (poll(&fd, 1, GRACE_MS) != 1)
        kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    forget(p);
}
