/* plot_regret.c - regret curves of simulations, with bands of a standard error.
 *
 * Regret falls over decades, so the scale is logarithmic; what reaches 0 leaves it at the bottom. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/memory.h"
#include "chart/chart.h"

#include <stdio.h>
#include <string.h>

static bool same_objective(const tacit_curves *c, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (strcmp(c[i].objective, c[0].objective) != 0)
            return false;
    return true;
}

static bool has_twin(const tacit_curves *c, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (k != i && strcmp(c[k].label, c[i].label) == 0 &&
            strcmp(c[k].objective, c[i].objective) == 0)
            return true;
    return false;
}

/* Its own label; with the objective or the file where that alone would not tell. */
static void label_of(char *out, size_t size, const tacit_curves *c, size_t n, size_t i,
                     const char *const *names)
{
    const char *on = same_objective(c, n) ? "" : c[i].objective;
    const char *file = names && has_twin(c, n, i) ? names[i] : "";
    snprintf(out, size, "%s%s%s%s%s%s", c[i].label, *on ? " on " : "", on, *file ? " (" : "", file,
             *file ? ")" : "");
}

static void subtitle_of(char *out, size_t size, const tacit_curves *c, size_t n)
{
    uint64_t low = c[0].runs, high = c[0].runs;
    for (size_t i = 1; i < n; i++) {
        low = c[i].runs < low ? c[i].runs : low;
        high = c[i].runs > high ? c[i].runs : high;
    }
    if (high == 1)
        snprintf(out, size, "one run");
    else if (low == high)
        snprintf(out, size, "mean of %llu runs; the band is one standard error each way",
                 (unsigned long long)low);
    else
        snprintf(out, size, "mean of %llu to %llu runs; the band is one standard error each way",
                 (unsigned long long)low, (unsigned long long)high);
}

/* Of simulations by pulls there is the cumulative regret alone, and that is drawn unasked. */
static tacit_status choose_quantity(const tacit_curves *c, size_t n, bool *cumulative,
                                    tacit_error *err)
{
    size_t by_pulls = 0;
    for (size_t i = 0; i < n; i++)
        by_pulls += c[i].by_pulls;
    if (by_pulls == n)
        *cumulative = true;
    for (size_t i = 0; i < n && !*cumulative; i++)
        if (c[i].by_pulls)
            return tc_fail(err, TACIT_E_ARG,
                           "%s was simulated by pulls and has no simple regret; --cumulative draws "
                           "all of them",
                           c[i].label);
    return TACIT_OK;
}

static const char *axis_of(const tacit_curves *c)
{
    return c->by_pulls ? "pulls of each agent" : c->at[0] == 0 ? "iteration" : "trial";
}

enum { LABEL = 128 };

static void fill_series(tc_series *s, const tacit_curves *c, size_t i, bool cumulative)
{
    *s = (tc_series){.mark = TC_MARK_LINE,
                     .color = (int)i,
                     .n = c->points,
                     .x = c->at,
                     .y = cumulative ? c->cumulative_mean : c->simple_mean,
                     .spread = c->runs > 1 ? (cumulative ? c->cumulative_se : c->simple_se) : NULL};
}

static tacit_status draw(const tacit_curves *curves, size_t n, tc_series *series, const char *title,
                         bool cumulative, tc_text *svg, tacit_error *err)
{
    char heading[128], subtitle[128];
    const char *quantity = cumulative ? "Cumulative regret" : "Simple regret";
    snprintf(heading, sizeof heading, same_objective(curves, n) ? "%s on %s" : "%s", quantity,
             curves[0].objective);
    subtitle_of(subtitle, sizeof subtitle, curves, n);
    tc_panel panel = {
        .x = {.label = axis_of(&curves[0]), .whole = true},
        .y = {.label = cumulative ? "cumulative regret" : "simple regret", .log = !cumulative},
        .series = series,
        .n_series = n};
    tc_chart chart = {
        .title = title ? title : heading, .subtitle = subtitle, .panels = &panel, .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_regret(const tacit_curves *curves, size_t n, const char *const *names,
                            const char *title, bool cumulative, tc_text *svg, tacit_error *err)
{
    TC_TRY(choose_quantity(curves, n, &cumulative, err));
    tc_arena a = {0};
    tc_series *series = TC_TAKE(&a, n, tc_series);
    char *labels = TC_TAKE(&a, n * LABEL, char);
    tacit_status status = a.failed ? tc_fail_memory(err) : TACIT_OK;
    for (size_t i = 0; status == TACIT_OK && i < n; i++) {
        fill_series(&series[i], &curves[i], i, cumulative);
        label_of(labels + i * LABEL, LABEL, curves, n, i, names);
        series[i].label = labels + i * LABEL;
    }
    if (status == TACIT_OK)
        status = draw(curves, n, series, title, cumulative, svg, err);
    tc_arena_fini(&a);
    return status;
}
