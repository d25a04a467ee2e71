/* walk_recorder.c - which functions a process enters, and its deepest stack.
 *
 * A shared object for LD_PRELOAD that tools/walks builds. It replaces the empty hooks of the C library that
 * code built with -finstrument-functions calls. When the process ends it writes a file WALK_DIR/walk.PID:
 * a line "f OBJECT OFFSET" for each function that was entered, then a line "s OBJECT OFFSET" for each frame
 * of the deepest stack of any thread, outermost first. A process that entered none writes no file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLOTS = 1 << 16, DEEPEST = 4096 };

static _Atomic(void *) seen[SLOTS]; /* a hash table that only grows */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int deepest;
static void *deepest_stack[DEEPEST];
static _Thread_local int depth;
static _Thread_local void *stack[DEEPEST];

void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);

static void remember(void *function)
{
    for (size_t i = (uintptr_t)function * 0x9E3779B97F4A7C15U >> 48;; i = (i + 1) % SLOTS) {
        void *there = NULL;
        if (atomic_compare_exchange_strong(&seen[i], &there, function) || there == function)
            return;
    }
}

static void keep_stack(void)
{
    pthread_mutex_lock(&lock);
    if (depth > deepest) {
        deepest = depth;
        for (int i = 0; i < depth && i < DEEPEST; i++)
            deepest_stack[i] = stack[i];
    }
    pthread_mutex_unlock(&lock);
}

void __cyg_profile_func_enter(void *function, void *from)
{
    (void)from;
    remember(function);
    if (depth < DEEPEST)
        stack[depth] = function;
    if (++depth > deepest)
        keep_stack();
}

void __cyg_profile_func_exit(void *function, void *from)
{
    (void)function;
    (void)from;
    depth--;
}

static void line(FILE *out, char kind, void *function)
{
    Dl_info at;
    if (dladdr(function, &at))
        fprintf(out, "%c %s %#tx\n", kind, at.dli_fname, (char *)function - (char *)at.dli_fbase);
}

__attribute__((destructor)) static void write_walk(void)
{
    char name[4096];
    const char *folder = getenv("WALK_DIR");
    if (!folder || !deepest)
        return;
    snprintf(name, sizeof name, "%s/walk.%ld", folder, (long)getpid());
    FILE *out = fopen(name, "w");
    if (!out)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        if (seen[i])
            line(out, 'f', seen[i]);
    for (int i = 0; i < deepest && i < DEEPEST; i++)
        line(out, 's', deepest_stack[i]);
    fclose(out);
}
