/* plot_study.c - the trials of a study: values in order, and against each parameter. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/memory.h"
#include "chart/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The COMPLETE trials of a study, copied: the study is looked at only while they are taken. */
typedef struct completed {
    tc_arena arena;
    size_t n, n_params;
    double *number, *value, *best; /* best so far */
    double *params; /* n_params x n: parameter k of all trials at k * n; NaN: inactive */
    size_t top;     /* index of the best one */
    char subtitle[160];
} completed;

static void take_trial(completed *c, size_t i, const tacit_space *space, const tacit_trial *t,
                       bool maximize)
{
    c->number[i] = (double)t->number;
    c->value[i] = t->value;
    bool better = i == 0 || (maximize ? t->value > c->best[i - 1] : t->value < c->best[i - 1]);
    c->best[i] = better ? t->value : c->best[i - 1];
    c->top = better ? i : c->top;
    for (size_t k = 0; k < c->n_params; k++)
        c->params[k * c->n + i] = tacit_space_column_value(space, t->values, k);
}

static void write_subtitle(completed *c, const tacit_study_summary *now)
{
    char failures[48] = "";
    if (now->failed)
        snprintf(failures, sizeof failures, ", %" PRIu64 " failed", now->failed);
    snprintf(c->subtitle, sizeof c->subtitle, "%s, %s: %zu trial%s%s; best %.6g in trial %.0f",
             now->algorithm, now->direction, c->n, c->n == 1 ? "" : "s", failures, c->value[c->top],
             c->number[c->top]);
}

static tacit_status take_from(completed *c, const tacit_study *s, const tacit_trials *trials,
                              tacit_error *err)
{
    c->n = tacit_trials_count(trials);
    c->n_params = tacit_space_params(tacit_study_space(s));
    if (c->n == 0)
        return tc_fail(err, TACIT_E_STATE, "the study %s has no completed trial to draw yet",
                       tacit_study_name(s));
    c->number = TC_TAKE(&c->arena, c->n, double);
    c->value = TC_TAKE(&c->arena, c->n, double);
    c->best = TC_TAKE(&c->arena, c->n, double);
    c->params = TC_TAKE(&c->arena, c->n * c->n_params, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < c->n; i++)
        take_trial(c, i, tacit_study_space(s), tacit_trials_get(trials, i),
                   tacit_document_maximizes(tacit_study_document(s)));
    return TACIT_OK;
}

static tacit_status take(completed *c, tacit_study *s, tacit_error *err)
{
    tacit_trials *trials;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    tacit_trial_query complete = TACIT_TRIAL_QUERY;
    complete.state = TACIT_TRIAL_COMPLETE;
    TC_TRY(tacit_study_summarize(s, &now, err));
    TC_TRY(tacit_study_trials(s, &complete, &trials, err));
    tacit_status status = take_from(c, s, trials, err);
    tacit_trials_free(trials);
    if (status == TACIT_OK)
        write_subtitle(c, &now);
    return status;
}

/* A log axis shows values above 0 only. */
static tacit_status check_log(const completed *c, bool log, tacit_error *err)
{
    for (size_t i = 0; log && i < c->n; i++)
        if (c->value[i] <= 0)
            return tc_fail(err, TACIT_E_ARG, "--log needs values above 0, but trial %.0f has %g",
                           c->number[i], c->value[i]);
    return TACIT_OK;
}

/* -- history ------------------------------------------------------------------------------- */

static tacit_status history(completed *c, tacit_study *s, const char *title, bool log, tc_text *svg,
                            tacit_error *err)
{
    TC_TRY(take(c, s, err));
    TC_TRY(check_log(c, log, err));
    tc_series series[] = {{.label = "trial",
                           .mark = TC_MARK_DOTS,
                           .color = TC_COLOR_GREY,
                           .n = c->n,
                           .x = c->number,
                           .y = c->value},
                          {.label = "best so far",
                           .mark = TC_MARK_STEP,
                           .color = 0,
                           .n = c->n,
                           .x = c->number,
                           .y = c->best}};
    tc_panel panel = {.x = {.label = "trial", .whole = true},
                      .y = {.label = "value", .log = log},
                      .series = series,
                      .n_series = 2};
    tc_chart chart = {.title = title ? title : tacit_study_name(s),
                      .subtitle = c->subtitle,
                      .panels = &panel,
                      .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_history(tacit_study *s, const char *title, bool log, tc_text *svg,
                             tacit_error *err)
{
    completed c = {0};
    tacit_status status = history(&c, s, title, log, svg, err);
    tc_arena_fini(&c.arena);
    return status;
}

/* -- slice --------------------------------------------------------------------------------- */

typedef struct slices {
    size_t n; /* panels: parameters, or coordinates of a finite space */
    tc_panel *panels;
    tc_series *series; /* two for each panel: all trials, the best one */
    double *shade;     /* of each trial */
} slices;

/* Coordinate k of the candidates tried. */
static double *candidate_axis(completed *c, const tacit_space *space, size_t k)
{
    double *x = TC_TAKE(&c->arena, c->n, double);
    for (size_t i = 0; x && i < c->n; i++)
        x[i] = tacit_space_column_value(space, &c->params[i], c->n_params + k);
    return x;
}

/* n_names 0: numbers. */
static tc_axis param_axis(completed *c, const tacit_space *space, size_t k)
{
    tc_axis a = {.label = tacit_space_param_name(space, k),
                 .log = tacit_space_param_log(space, k),
                 .whole = tacit_space_column_type(space, k) == TACIT_COLUMN_INT};
    size_t n = 0;
    while (tacit_space_choice(space, k, n))
        n++;
    const char **names = n > 0 ? TC_TAKE(&c->arena, n, const char *) : NULL;
    for (size_t i = 0; names && i < n; i++)
        names[i] = tacit_space_choice(space, k, i);
    a.names = names;
    a.n_names = names ? n : 0;
    return a;
}

/* The trials in which the parameter is active. Memory that is missing shows in the arena. */
static tc_series active_trials(slices *sl, completed *c, const double *all)
{
    size_t n = 0;
    double *x = TC_TAKE(&c->arena, c->n, double), *y = TC_TAKE(&c->arena, c->n, double);
    double *shade = TC_TAKE(&c->arena, c->n, double);
    for (size_t i = 0; x && y && shade && i < c->n; i++) {
        if (isnan(all[i]))
            continue;
        x[n] = all[i];
        y[n] = c->value[i];
        shade[n++] = sl->shade[i];
    }
    return (tc_series){.mark = TC_MARK_DOTS, .color = 0, .n = n, .x = x, .y = y, .shade = shade};
}

static void fill_panel(slices *sl, completed *c, size_t k, const double *x, bool log)
{
    tc_series *s = &sl->series[2 * k];
    s[0] = active_trials(sl, c, x);
    s[1] = (tc_series){.label = "best",
                       .mark = TC_MARK_DOTS,
                       .color = 1,
                       .n = isnan(x[c->top]) ? 0u : 1u,
                       .x = x + c->top,
                       .y = c->value + c->top,
                       .ring = true};
    sl->panels[k].y = (tc_axis){.label = "value", .log = log};
    sl->panels[k].series = s;
    sl->panels[k].n_series = 2;
}

static tacit_status fill_panels(slices *sl, completed *c, const tacit_space *space, bool log,
                                tacit_error *err)
{
    size_t coordinates = tacit_space_columns(space) - c->n_params; /* of a finite space */
    sl->n = coordinates > 0 ? coordinates : c->n_params;
    sl->panels = TC_TAKE(&c->arena, sl->n, tc_panel);
    sl->series = TC_TAKE(&c->arena, 2 * sl->n, tc_series);
    sl->shade = TC_TAKE(&c->arena, c->n, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    double span = fmax(c->number[c->n - 1] - c->number[0], 1);
    for (size_t i = 0; i < c->n; i++)
        sl->shade[i] = (c->number[i] - c->number[0]) / span;
    for (size_t k = 0; k < sl->n; k++) {
        const double *x = coordinates > 0 ? candidate_axis(c, space, k) : c->params + k * c->n;
        sl->panels[k].x = coordinates > 0
                              ? (tc_axis){.label = tacit_space_column_name(space, c->n_params + k)}
                              : param_axis(c, space, k);
        if (c->arena.failed)
            return tc_fail_memory(err);
        fill_panel(sl, c, k, x, log);
        if (c->arena.failed)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

static tacit_status slice(completed *c, tacit_study *s, const char *title, bool log, tc_text *svg,
                          tacit_error *err)
{
    slices sl = {0};
    TC_TRY(take(c, s, err));
    TC_TRY(check_log(c, log, err));
    TC_TRY(fill_panels(&sl, c, tacit_study_space(s), log, err));
    tc_chart chart = {.title = title ? title : tacit_study_name(s),
                      .subtitle = c->subtitle,
                      .panels = sl.panels,
                      .n_panels = sl.n,
                      .shade_label = "trial",
                      .shade_low = c->number[0],
                      .shade_high = c->number[c->n - 1]};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_slice(tacit_study *s, const char *title, bool log, tc_text *svg,
                           tacit_error *err)
{
    completed c = {0};
    tacit_status status = slice(&c, s, title, log, svg, err);
    tc_arena_fini(&c.arena);
    return status;
}
