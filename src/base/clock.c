/* clock.c - the clocks of the system. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

int64_t tc_clock_unix_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

uint64_t tc_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t tc_clock_thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void tc_clock_iso(char out[32], int64_t unix_ms)
{
    int64_t ms = unix_ms % 1000;
    if (ms < 0)
        ms += 1000; /* times before 1970 */
    time_t seconds = (time_t)((unix_ms - ms) / 1000);
    struct tm t = {0};
    gmtime_r(&seconds, &t);
    size_t n = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &t);
    snprintf(out + n, 32 - n, ".%03dZ", (int)ms);
}
