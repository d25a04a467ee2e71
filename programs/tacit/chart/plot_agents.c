/* plot_agents.c - the regret of every agent of a simulated federation: thin lines, and their mean.
 *
 * The scale is that of plot_regret.c. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/memory.h"
#include "chart/chart.h"

#include <stdio.h>

enum { MOST = 100, TEXT = 128 }; /* more lines of a colour than MOST are a blot */

static size_t shown(const tacit_curves *c)
{
    return c->agents < MOST ? (size_t)c->agents : MOST;
}

/* The mean over runs of one agent's table row; NULL: no memory. */
static double *agent_mean(const tacit_curves *c, size_t agent, bool cumulative, tc_arena *memory)
{
    const double *values = cumulative ? c->agent_cumulative : c->agent_simple;
    double *mean = TC_TAKE(memory, c->points, double);
    for (size_t i = 0; mean && i < c->runs * c->points; i++) {
        size_t run = i / c->points, t = i % c->points;
        double v = values[(run * (size_t)c->agents + agent) * c->points + t];
        mean[t] = (run > 0 ? mean[t] : 0) + v / (double)c->runs;
    }
    return mean;
}

static void fill_agents(tc_series *s, const tacit_curves *c, size_t color, bool cumulative,
                        tc_arena *memory)
{
    for (size_t k = 0; k < shown(c); k++)
        s[k] =
            (tc_series){.mark = TC_MARK_LINE,
                        .color = (int)color,
                        .faint = true,
                        .n = c->points,
                        .x = c->at,
                        .y = agent_mean(c, k * (size_t)c->agents / shown(c), cumulative, memory)};
}

static void fill_mean(tc_series *s, const tacit_curves *c, size_t color, bool cumulative)
{
    *s = (tc_series){.label = c->label ? c->label : "mean",
                     .mark = TC_MARK_LINE,
                     .color = (int)color,
                     .n = c->points,
                     .x = c->at,
                     .y = cumulative ? c->cumulative_mean : c->simple_mean};
}

static void subtitle_of(char *out, const tacit_curves *c)
{
    char runs[48] = "";
    if (c->runs > 1)
        snprintf(runs, sizeof runs, ", mean of %zu runs", (size_t)c->runs);
    if (shown(c) < c->agents)
        snprintf(out, TEXT, "thin: %zu of %zu agents%s; thick: the mean of all", shown(c),
                 (size_t)c->agents, runs);
    else
        snprintf(out, TEXT, "thin: each of %zu agents%s; thick: their mean", (size_t)c->agents,
                 runs);
}

static tacit_status draw(const tacit_curves *first, const tc_series *series, size_t n,
                         const char *title, bool cumulative, tc_text *svg, tacit_error *err)
{
    char subtitle[TEXT];
    subtitle_of(subtitle, first);
    tc_panel panel = {
        .x = {.label = "iteration", .whole = true},
        .y = {.label = cumulative ? "cumulative regret" : "simple regret", .log = !cumulative},
        .series = series,
        .n_series = n};
    const char *heading = cumulative ? "Cumulative regret by agent" : "Simple regret by agent";
    tc_chart chart = {
        .title = title ? title : heading, .subtitle = subtitle, .panels = &panel, .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_agents(const tacit_curves *curves, size_t n, const char *title,
                            bool cumulative, tc_text *svg, tacit_error *err)
{
    tc_arena a = {0};
    size_t lines = n, at = 0;
    for (size_t i = 0; i < n; i++)
        lines += shown(&curves[i]);
    tc_series *series = TC_TAKE(&a, lines, tc_series);
    for (size_t i = 0; i < n && series; at += shown(&curves[i++]))
        fill_agents(series + at, &curves[i], i, cumulative, &a);
    for (size_t i = 0; i < n && series; i++) /* above all agents */
        fill_mean(series + at + i, &curves[i], i, cumulative);
    tacit_status status = a.failed ? tc_fail_memory(err)
                                   : draw(&curves[0], series, lines, title, cumulative, svg, err);
    tc_arena_fini(&a);
    return status;
}
