/* fts.c - what an iteration costs an agent that learns from N others (the FTS paper's Fig. 3d).
 *
 * fts reads at most one message an iteration; rgpe and taf read all of them once, which is timed
 * apart, and then weigh N models in every iteration: medians of those (papers/frame/agent_time.h).
 *
 *     bench_fts [most agents of rgpe and taf, 200] */
#include "papers/frame/agent_time.h"

#include <stdio.h>
#include <stdlib.h>

enum { FEATURES = 100 };

static tacit_status measure(const char *name, uint64_t agents, tacit_error *err)
{
    tc_agent_time t;
    TC_TRY(tc_agent_time_take(&t, name, FEATURES, agents, err));
    printf("%-6s %9llu %12.3f %14.4f %10zu\n", name, (unsigned long long)agents, 1e3 * t.seconds[0],
           1e3 * tc_agent_time_median(&t), t.message);
    return TACIT_OK;
}

static tacit_status measure_all(uint64_t most, tacit_error *err)
{
    static const uint64_t agents[] = {10, 50, 200, 1000, 100000};
    static const char *const names[] = {"fts", "rgpe", "taf"};
    printf("%-6s %9s %12s %14s %10s\n", "who", "agents", "first, ms", "iteration, ms",
           "message, B");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
            if (k == 0 || agents[i] <= most)
                TC_TRY(measure(names[k], agents[i], err));
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    tacit_error err = {0};
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    tacit_status status = measure_all(most, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_fts: %s\n", err.msg);
    return status == TACIT_OK ? 0 : 1;
}
