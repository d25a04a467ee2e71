/* plot_study.c - complete trials: values in order, with those that were ended early, and against each parameter. */
#include "chart/plot.h"

#include "base/error.h"
#include "chart/chart.h"

#include <math.h>

/* A log axis shows values above 0 only. */
static tacit_status check_positive(const double *number, const double *value, size_t n,
                                   tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (value[i] <= 0)
            return tc_fail(err, TACIT_E_ARG, "--log needs values above 0, but trial %.0f has %g",
                           number[i], value[i]);
    return TACIT_OK;
}

static tacit_status check_log(const tc_plot_trials *p, bool log, tacit_error *err)
{
    return log ? check_positive(p->number, p->value, p->n, err) : TACIT_OK;
}

/* -- history ------------------------------------------------------------------------------- */

/* Those within all bounds, or the others. Memory that is missing shows in the arena. */
static tc_series trials_that(tc_plot_trials *p, bool infeasible)
{
    size_t n = 0;
    double *x = TC_TAKE(&p->arena, p->n, double), *y = TC_TAKE(&p->arena, p->n, double);
    for (size_t i = 0; x && y && i < p->n; i++)
        if ((p->infeasible && p->infeasible[i]) == infeasible) {
            x[n] = p->number[i];
            y[n++] = p->value[i];
        }
    return (tc_series){.label = n == 0       ? NULL
                                : infeasible ? "infeasible"
                                             : "trial",
                       .mark = TC_MARK_DOTS,
                       .color = infeasible ? 1 : TC_COLOR_GREY,
                       .marker = infeasible ? 2 : 0,
                       .n = n,
                       .x = x,
                       .y = y};
}

/* A bound of a constraint, through all trials; where a log scale cannot have it, nothing. */
static tc_series bound_line(tc_plot_trials *p, double bound, bool log)
{
    double *y = TC_TAKE(&p->arena, p->n, double);
    const bool shown = isfinite(bound) && (!log || bound > 0);
    for (size_t i = 0; y && i < p->n; i++)
        y[i] = bound;
    return (tc_series){.label = shown ? "bound" : NULL,
                       .mark = TC_MARK_LINE,
                       .color = TC_COLOR_INK,
                       .dashed = true,
                       .n = shown ? p->n : 0,
                       .x = p->number,
                       .y = y};
}

/* A value of a trial that was ended early is one of an early step, so it has a sign of its own. */
static tc_series pruned_trials(const tc_plot_trials *p)
{
    return (tc_series){.label = "pruned: its last value",
                       .mark = TC_MARK_DOTS,
                       .color = 1,
                       .marker = 7,
                       .n = p->n_pruned,
                       .x = p->pruned_number,
                       .y = p->pruned_value};
}

tacit_status tc_plot_history(tc_plot_trials *p, const char *title, bool log, tc_text *svg,
                             tacit_error *err)
{
    TC_TRY(check_log(p, log, err));
    if (log)
        TC_TRY(check_positive(p->pruned_number, p->pruned_value, p->n_pruned, err));
    tc_series series[6] = {trials_that(p, false), trials_that(p, true)};
    size_t n = p->infeasible ? 2 : 1;
    if (p->n_pruned > 0)
        series[n++] = pruned_trials(p);
    if (p->of && !p->best) { /* a constraint: of a file there is no `of` */
        series[n++] = bound_line(p, p->high, log);
        series[n++] = bound_line(p, p->low, log);
        series[n - 1].label = series[n - 2].label ? NULL : series[n - 1].label;
    }
    if (p->best && p->first < p->n)
        series[n++] = (tc_series){.label = "best so far",
                                  .mark = TC_MARK_STEP,
                                  .color = 0,
                                  .n = p->n - p->first,
                                  .x = p->number + p->first,
                                  .y = p->best + p->first};
    if (p->arena.failed)
        return tc_fail_memory(err);
    tc_panel panel = {.x = {.label = "trial", .whole = true},
                      .y = {.label = p->of ? p->of : "value", .log = log},
                      .series = series,
                      .n_series = n};
    tc_chart chart = {
        .title = title ? title : p->name, .subtitle = p->subtitle, .panels = &panel, .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

/* -- slice --------------------------------------------------------------------------------- */

/* The trials in which the parameter is active. Memory that is missing shows in the arena. */
static tc_series active_trials(tc_plot_trials *p, const double *all, const double *shades)
{
    size_t n = 0;
    double *x = TC_TAKE(&p->arena, p->n, double), *y = TC_TAKE(&p->arena, p->n, double);
    double *shade = TC_TAKE(&p->arena, p->n, double);
    for (size_t i = 0; x && y && shade && i < p->n; i++) {
        if (isnan(all[i]))
            continue;
        x[n] = all[i];
        y[n] = p->value[i];
        shade[n++] = shades[i];
    }
    return (tc_series){.mark = TC_MARK_DOTS, .color = 0, .n = n, .x = x, .y = y, .shade = shade};
}

/* Two series: all trials, and the best one if that is known. */
static void fill_panel(tc_plot_trials *p, size_t k, const double *shade, bool log, tc_series s[2],
                       tc_panel *panel)
{
    const double *x = p->columns[k].x;
    s[0] = active_trials(p, x, shade);
    s[1] = (tc_series){.label = "best",
                       .mark = TC_MARK_DOTS,
                       .color = 1,
                       .n = p->first == p->n || isnan(x[p->top]) ? 0u : 1u,
                       .x = x + p->top,
                       .y = p->value + p->top,
                       .ring = true};
    *panel = (tc_panel){.x = p->columns[k].axis,
                        .y = {.label = p->of ? p->of : "value", .log = log},
                        .series = s,
                        .n_series = p->best ? 2 : 1};
}

tacit_status tc_plot_slice(tc_plot_trials *p, const char *title, bool log, tc_text *svg,
                           tacit_error *err)
{
    TC_TRY(check_log(p, log, err));
    tc_panel *panels = TC_TAKE(&p->arena, p->n_columns, tc_panel);
    tc_series *series = TC_TAKE(&p->arena, 2 * p->n_columns, tc_series);
    double *shade = TC_TAKE(&p->arena, p->n, double);
    if (p->arena.failed)
        return tc_fail_memory(err);
    double span = fmax(p->number[p->n - 1] - p->number[0], 1);
    for (size_t i = 0; i < p->n; i++)
        shade[i] = (p->number[i] - p->number[0]) / span;
    for (size_t k = 0; k < p->n_columns; k++)
        fill_panel(p, k, shade, log, &series[2 * k], &panels[k]);
    if (p->arena.failed)
        return tc_fail_memory(err);
    tc_chart chart = {.title = title ? title : p->name,
                      .subtitle = p->subtitle,
                      .panels = panels,
                      .n_panels = p->n_columns,
                      .shade_label = "trial",
                      .shade_low = p->number[0],
                      .shade_high = p->number[p->n - 1]};
    return tc_chart_svg(&chart, svg, err);
}
