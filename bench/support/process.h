/* process.h - a benchmark's server in a process of its own, so that its memory and its time are its own.
 * Used by programs of bench/. */
#ifndef BENCH_SUPPORT_PROCESS_H
#define BENCH_SUPPORT_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

typedef struct bench_process {
    pid_t pid;
    int in; /* closing it asks the process to end */
    uint16_t port;
} bench_process;

/* This program again, with these arguments; it prints its port first. Exits on failure. */
bench_process bench_process_start(const char *const *args);
/* In that process: says the port, and returns when it is to end. */
void bench_process_serve(uint16_t port);
void bench_process_end(bench_process *p);

typedef struct bench_usage {
    double user_s, system_s, now_mb, peak_mb;
    int files; /* open ones */
} bench_usage;
/* Of a process so far, by /proc. */
bench_usage bench_process_usage(pid_t pid);

#endif
