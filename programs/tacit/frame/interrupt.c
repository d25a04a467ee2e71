/* interrupt.c - Ctrl-C and SIGTERM, for verbs that run long.
 *
 * The first one asks the verb to stop; the second ends the process, as without
 * us. The flag is the only state a signal handler may write. */
#include "frame/cli.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    if (interrupted) {
        signal(number, SIG_DFL);
        raise(number);
    }
    interrupted = 1;
}

bool tc_interrupted(void)
{
    return interrupted != 0;
}

/* What was ignored when we started (nohup, a script's "&") stays ignored. */
static void catch_signal(int number)
{
    struct sigaction action = {.sa_handler = on_signal},
                     old; /* no SA_RESTART: waits return early */
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void tc_catch_interrupts(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}
