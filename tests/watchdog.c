/* watchdog.c - linked into every test program: one that waits for ever ends with a sentence, and fails,
 * before its runner has to kill it. A test that needs SIGALRM for itself just takes it. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECONDS = 500, DEEP_SECONDS = 3500 }; /* the runner has 600 and 3600 (cmake/tacit.cmake) */

static void bark(int number)
{
    static const char sentence[] = "the test did not end in time: something waits for ever\n";
    (void)number;
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(1);
}

__attribute__((constructor)) static void watch(void)
{
    signal(SIGALRM, bark);
    alarm(getenv("TACIT_DEEP") ? DEEP_SECONDS : SECONDS);
}
