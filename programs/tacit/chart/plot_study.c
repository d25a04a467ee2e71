/* plot_study.c - the trials of a study: values in order, and against each parameter. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/memory.h"
#include "chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The COMPLETE trials of a study, copied: the study is looked at only while they are taken. */
typedef struct completed {
    tc_arena arena;
    size_t n, n_params;
    double *number, *value, *best; /* best so far */
    double *params;                /* n_params x n: parameter k of all trials at k * n */
    size_t top;                    /* index of the best one */
    char subtitle[160];
} completed;

static void take_trial(completed *c, size_t i, const tc_trial *t, bool maximize)
{
    c->number[i] = (double)t->number;
    c->value[i] = t->value;
    bool better = i == 0 || (maximize ? t->value > c->best[i - 1] : t->value < c->best[i - 1]);
    c->best[i] = better ? t->value : c->best[i - 1];
    c->top = better ? i : c->top;
    for (size_t k = 0; k < c->n_params; k++)
        c->params[k * c->n + i] = t->values[k];
}

static void write_subtitle(completed *c, const tc_study_doc *doc, size_t failed)
{
    char failures[48] = "";
    if (failed)
        snprintf(failures, sizeof failures, ", %zu failed", failed);
    snprintf(c->subtitle, sizeof c->subtitle, "%s, %s: %zu trial%s%s; best %.6g in trial %.0f",
             doc->algorithm->name, doc->maximize ? "maximize" : "minimize", c->n,
             c->n == 1 ? "" : "s", failures, c->value[c->top], c->number[c->top]);
}

static tacit_status take_from(completed *c, const tc_optimizer *o, const tc_study_doc *doc,
                              tacit_error *err)
{
    c->n = tc_optimizer_count(o, TC_TRIAL_COMPLETE);
    c->n_params = doc->space->n_params;
    if (c->n == 0)
        return tc_fail(err, TACIT_E_STATE, "the study %s has no completed trial to draw yet",
                       doc->name);
    c->number = TC_TAKE(&c->arena, c->n, double);
    c->value = TC_TAKE(&c->arena, c->n, double);
    c->best = TC_TAKE(&c->arena, c->n, double);
    c->params = TC_TAKE(&c->arena, c->n * c->n_params, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    size_t i = 0;
    for (size_t k = 0; k < tc_optimizer_trials(o) && i < c->n; k++) {
        const tc_trial *t = tc_optimizer_trial(o, k);
        if (t->state == TC_TRIAL_COMPLETE)
            take_trial(c, i++, t, doc->maximize);
    }
    write_subtitle(c, doc, tc_optimizer_count(o, TC_TRIAL_FAIL));
    return TACIT_OK;
}

static tacit_status take(completed *c, tc_study *s, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(s, &o, err));
    tacit_status status = take_from(c, o, tc_study_document(s), err);
    tc_study_unlook(s);
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

static tacit_status history(completed *c, tc_study *s, const char *title, bool log, tc_text *svg,
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
    tc_chart chart = {.title = title ? title : tc_study_name(s),
                      .subtitle = c->subtitle,
                      .panels = &panel,
                      .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_history(tc_study *s, const char *title, bool log, tc_text *svg,
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
static double *candidate_axis(completed *c, const tc_domain *d, size_t k)
{
    double *x = TC_TAKE(&c->arena, c->n, double);
    for (size_t i = 0; x && i < c->n; i++)
        x[i] = d->raw[(size_t)c->params[i] + k * d->n];
    return x;
}

static tc_axis param_axis(const tc_param *p)
{
    tc_axis a = {.label = p->name, .log = p->log, .whole = p->type == TC_PARAM_INT};
    if (p->type == TC_PARAM_CHOICE) {
        a.names = (const char *const *)p->choices;
        a.n_names = p->n_choices;
    }
    return a;
}

static void fill_panel(slices *sl, completed *c, size_t k, const double *x, bool log)
{
    tc_series *s = &sl->series[2 * k];
    s[0] = (tc_series){
        .mark = TC_MARK_DOTS, .color = 0, .n = c->n, .x = x, .y = c->value, .shade = sl->shade};
    s[1] = (tc_series){.label = "best",
                       .mark = TC_MARK_DOTS,
                       .color = 1,
                       .n = 1,
                       .x = x + c->top,
                       .y = c->value + c->top,
                       .ring = true};
    sl->panels[k].y = (tc_axis){.label = "value", .log = log};
    sl->panels[k].series = s;
    sl->panels[k].n_series = 2;
}

static tacit_status fill_panels(slices *sl, completed *c, const tc_space *space, bool log,
                                tacit_error *err)
{
    sl->n = space->domain ? space->domain->dim : space->n_params;
    sl->panels = TC_TAKE(&c->arena, sl->n, tc_panel);
    sl->series = TC_TAKE(&c->arena, 2 * sl->n, tc_series);
    sl->shade = TC_TAKE(&c->arena, c->n, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    double span = fmax(c->number[c->n - 1] - c->number[0], 1);
    for (size_t i = 0; i < c->n; i++)
        sl->shade[i] = (c->number[i] - c->number[0]) / span;
    for (size_t k = 0; k < sl->n; k++) {
        const double *x =
            space->domain ? candidate_axis(c, space->domain, k) : c->params + k * c->n;
        if (!x)
            return tc_fail_memory(err);
        sl->panels[k].x = space->domain ? (tc_axis){.label = space->domain->names[k]}
                                        : param_axis(&space->params[k]);
        fill_panel(sl, c, k, x, log);
    }
    return TACIT_OK;
}

static tacit_status slice(completed *c, tc_study *s, const char *title, bool log, tc_text *svg,
                          tacit_error *err)
{
    slices sl = {0};
    TC_TRY(take(c, s, err));
    TC_TRY(check_log(c, log, err));
    TC_TRY(fill_panels(&sl, c, tc_study_document(s)->space, log, err));
    tc_chart chart = {.title = title ? title : tc_study_name(s),
                      .subtitle = c->subtitle,
                      .panels = sl.panels,
                      .n_panels = sl.n,
                      .shade_label = "trial",
                      .shade_low = c->number[0],
                      .shade_high = c->number[c->n - 1]};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_slice(tc_study *s, const char *title, bool log, tc_text *svg, tacit_error *err)
{
    completed c = {0};
    tacit_status status = slice(&c, s, title, log, svg, err);
    tc_arena_fini(&c.arena);
    return status;
}
