/* guard.c - see guard.h. */
#include "base/guard.h"

#include "base/memory.h"

#include <malloc.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* The leak checker of ASan traces its own process, which one that is not dumpable refuses. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static struct rlimit before;
static bool changed;

void tc_guard_process(void)
{
    tc_memory_wipe(true);
#ifdef M_PERTURB
    (void)mallopt(M_PERTURB, 0x5a);
#endif
    changed = changed || getrlimit(RLIMIT_CORE, &before) == 0;
    if (changed)
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max});
#ifndef SANITIZED
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

/* exec makes a process dumpable again by itself. */
void tc_guard_leave(void)
{
    if (changed)
        (void)setrlimit(RLIMIT_CORE, &before);
}
