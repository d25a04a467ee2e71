/* curves.c - memory and means of curves. See curves.h. */
#include "sim/curves.h"

#include "base/error.h"
#include "base/memory.h"
#include "sim/runs.h"

#include <string.h>

static bool allocate(double **out, size_t n, size_t width)
{
    *out = width > 0 && n <= SIZE_MAX / width ? tc_alloc(n * width, sizeof **out) : NULL;
    return *out != NULL;
}

tacit_status tc_curves_allocate(tacit_curves *c, bool by_agent, tacit_error *err)
{
    size_t runs = (size_t)c->runs, n = c->points, rows = by_agent ? runs * (size_t)c->agents : 0;
    c->counts = tc_alloc(runs, sizeof *c->counts);
    bool room = c->counts && allocate(&c->at, n, 1) && allocate(&c->cumulative_mean, n, 1) &&
                allocate(&c->cumulative_se, n, 1) && allocate(&c->cumulative, runs, n);
    if (!c->by_pulls)
        room = room && allocate(&c->simple_mean, n, 1) && allocate(&c->simple_se, n, 1) &&
               allocate(&c->simple, runs, n);
    if (by_agent)
        room =
            room && allocate(&c->agent_simple, rows, n) && allocate(&c->agent_cumulative, rows, n);
    return room ? TACIT_OK : tc_fail_memory(err);
}

void tc_curves_average(tacit_curves *c)
{
    size_t n = (size_t)c->runs;
    for (size_t t = 0; t < c->points; t++) {
        if (c->simple)
            tc_runs_moments(c->simple, n, c->points, t, &c->simple_mean[t], &c->simple_se[t]);
        tc_runs_moments(c->cumulative, n, c->points, t, &c->cumulative_mean[t],
                        &c->cumulative_se[t]);
    }
}

void tacit_curves_fini(tacit_curves *c)
{
    if (!c)
        return;
    double *const arrays[] = {
        c->at,     c->simple_mean, c->simple_se,    c->cumulative_mean, c->cumulative_se,
        c->simple, c->cumulative,  c->agent_simple, c->agent_cumulative};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tc_free(arrays[i]);
    tc_free(c->label);
    tc_free(c->algorithm);
    tc_free(c->objective);
    tc_free(c->counts);
    tc_free(c->releases);
    tc_free(c->rejection);
    memset(c, 0, sizeof *c);
}
