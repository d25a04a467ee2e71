/* demo_process.c - one process of the demonstration (demo_int.h).
 *
 * runner/launch.h starts it in a group of its own, so that Ctrl-C reaches the demonstration alone, which
 * then ends the others; should it be killed itself, the kernel kills them. */
#include "demo/demo_int.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

tacit_status tc_demo_start(const char *const *words, tc_process *out, tacit_error *err)
{
    char *argv[TC_DEMO_WORDS_MOST + 2] = {NULL}; /* launch wants a spare word before the first */
    for (size_t i = 0; words[i] && i < TC_DEMO_WORDS_MOST; i++)
        argv[i + 1] = (char *)words[i];
    return tc_launch_start(&(tc_launch){.path = words[0], .argv = argv + 1, .envp = environ}, out,
                           err);
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

void tc_demo_kill(tc_process *p)
{
    int status;
    if (p->pid == 0)
        return;
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    forget(p);
}
