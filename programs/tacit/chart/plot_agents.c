/* plot_agents.c - the regret of every agent of a simulated federation: thin lines, and their mean.
 *
 * The scale is that of plot_regret.c. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/memory.h"
#include "chart/chart.h"

#include <stdio.h>

enum { MOST = 100, TEXT = 128 }; /* more lines of a colour than MOST are a blot */

static size_t shown(const tc_agent_curves *c)
{
    return c->agents < MOST ? c->agents : MOST;
}

static void fill_agents(tc_series *s, const tc_agent_curves *c, size_t color, bool cumulative)
{
    const double *values = cumulative ? c->cumulative : c->simple;
    for (size_t k = 0; k < shown(c); k++) {
        size_t agent = k * c->agents / shown(c);
        s[k] = (tc_series){.mark = TC_MARK_LINE,
                           .color = (int)color,
                           .faint = true,
                           .n = c->n,
                           .x = c->iteration,
                           .y = values + agent * c->n};
    }
}

static void fill_mean(tc_series *s, const tc_agent_curves *c, size_t color, bool cumulative)
{
    *s = (tc_series){.label = c->label ? c->label : "mean",
                     .mark = TC_MARK_LINE,
                     .color = (int)color,
                     .n = c->n,
                     .x = c->iteration,
                     .y = cumulative ? c->cumulative_mean : c->simple_mean};
}

static void subtitle_of(char *out, const tc_agent_curves *c)
{
    char runs[48] = "";
    if (c->runs > 1)
        snprintf(runs, sizeof runs, ", mean of %zu runs", c->runs);
    if (shown(c) < c->agents)
        snprintf(out, TEXT, "thin: %zu of %zu agents%s; thick: the mean of all", shown(c),
                 c->agents, runs);
    else
        snprintf(out, TEXT, "thin: each of %zu agents%s; thick: their mean", c->agents, runs);
}

static tacit_status draw(const tc_agent_file *f, const tc_series *series, size_t n,
                         const char *title, bool cumulative, tc_text *svg, tacit_error *err)
{
    char subtitle[TEXT];
    subtitle_of(subtitle, &f->items[0]);
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

tacit_status tc_plot_agents(const tc_agent_file *f, const char *title, bool cumulative,
                            tc_text *svg, tacit_error *err)
{
    tc_arena a = {0};
    size_t n = 0, at = 0;
    for (size_t i = 0; i < f->n; i++)
        n += shown(&f->items[i]) + 1;
    tc_series *series = TC_TAKE(&a, n, tc_series);
    tacit_status status = series ? TACIT_OK : tc_fail_memory(err);
    for (size_t i = 0; i < f->n && series; at += shown(&f->items[i++]))
        fill_agents(series + at, &f->items[i], i, cumulative);
    for (size_t i = 0; i < f->n && series; i++) /* above all agents */
        fill_mean(series + at + i, &f->items[i], i, cumulative);
    if (status == TACIT_OK)
        status = draw(f, series, n, title, cumulative, svg, err);
    tc_arena_fini(&a);
    return status;
}
