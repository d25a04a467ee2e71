/* plot_steps.c - what trials reported on their way: a thin line for each, a dot where one was pruned, and the best
 * trial above them all. */
#include "chart/plot.h"

#include "base/error.h"
#include "chart/chart.h"

#include <inttypes.h>
#include <stdio.h>

/* So many lines are still lines: of more trials as many, evenly spaced. */
enum { MOST = 300 };

typedef struct curves {
    tc_arena arena;
    tc_series *series; /* the lines, then the dots */
    size_t n, total, pruned;
    double *ends_x, *ends_y; /* of pruned trials that are drawn */
    size_t n_ends;
    char best_label[40];
    tc_series best; /* without points: the best trial has no curve */
    bool labelled;  /* one line has the entry of the legend for all that were not pruned */
} curves;

static size_t count_curves(const tacit_trials *all)
{
    size_t n = 0;
    for (size_t i = 0; i < tacit_trials_count(all); i++)
        n += tacit_trials_get(all, i)->n_steps > 0;
    return n;
}

/* A line for the trial. */
static bool take_curve(curves *c, const tacit_trial *t, tc_series *out)
{
    double *x = TC_TAKE(&c->arena, t->n_steps, double), *y = TC_TAKE(&c->arena, t->n_steps, double);
    if (!x || !y)
        return false;
    for (size_t i = 0; i < t->n_steps; i++) {
        x[i] = (double)t->steps[i].step;
        y[i] = t->steps[i].value;
    }
    *out = (tc_series){.mark = TC_MARK_LINE, .n = t->n_steps, .x = x, .y = y};
    return true;
}

static void add_curve(curves *c, const tacit_trial *t)
{
    bool pruned = t->state == TACIT_TRIAL_PRUNED;
    tc_series *line = &c->series[c->n];
    if (!take_curve(c, t, line))
        return;
    if (pruned) {
        c->ends_x[c->n_ends] = line->x[t->n_steps - 1];
        c->ends_y[c->n_ends++] = line->y[t->n_steps - 1];
    }
    line->label = c->labelled || pruned ? NULL : "trial";
    line->color = pruned ? TC_COLOR_GREY : 0;
    line->faint = true;
    c->labelled = c->labelled || !pruned;
    c->n++;
}

static void take_best(curves *c, const tacit_trial *t)
{
    if (!take_curve(c, t, &c->best))
        return;
    snprintf(c->best_label, sizeof c->best_label, "best: trial %" PRIu64, t->number);
    c->best.label = c->best_label;
    c->best.color = 2;
}

static tacit_status check_log(const tacit_trials *all, bool log, tacit_error *err)
{
    for (size_t i = 0; log && i < tacit_trials_count(all); i++) {
        const tacit_trial *t = tacit_trials_get(all, i);
        for (size_t k = 0; k < t->n_steps; k++)
            if (t->steps[k].value <= 0)
                return tc_fail(err, TACIT_E_ARG,
                               "--log needs values above 0, but trial %" PRIu64
                               " has %g at step %" PRIu64,
                               t->number, t->steps[k].value, t->steps[k].step);
    }
    return TACIT_OK;
}

/* best: number of the best trial, or TACIT_UNKNOWN. */
static tacit_status take(curves *c, const tacit_trials *all, uint64_t best, tacit_error *err)
{
    size_t seen = 0, drawn = c->total < MOST ? c->total : MOST;
    c->series = TC_TAKE(&c->arena, drawn + 2, tc_series);
    c->ends_x = TC_TAKE(&c->arena, drawn, double);
    c->ends_y = TC_TAKE(&c->arena, drawn, double);
    for (size_t i = 0; i < tacit_trials_count(all) && !c->arena.failed; i++) {
        const tacit_trial *t = tacit_trials_get(all, i);
        if (t->n_steps == 0)
            continue;
        if (t->number == best)
            take_best(c, t);
        c->pruned += t->state == TACIT_TRIAL_PRUNED;
        /* the first whose share of all reaches the next line */
        if (seen++ * drawn / c->total == c->n)
            add_curve(c, t);
    }
    return c->arena.failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status draw(curves *c, const tacit_study *s, const char *title, bool log, tc_text *svg,
                         tacit_error *err)
{
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%zu trials with intermediate values, %zu pruned%s",
             c->total, c->pruned, c->n < c->total ? "; some of them" : "");
    if (c->best.n > 0)
        c->series[c->n++] = c->best;
    if (c->n_ends > 0)
        c->series[c->n++] = (tc_series){.label = "pruned",
                                        .mark = TC_MARK_DOTS,
                                        .color = 1,
                                        .n = c->n_ends,
                                        .x = c->ends_x,
                                        .y = c->ends_y};
    tc_panel panel = {.x = {.label = "step", .whole = true},
                      .y = {.label = "value", .log = log},
                      .series = c->series,
                      .n_series = c->n};
    tc_chart chart = {.title = title ? title : tacit_study_name(s),
                      .subtitle = subtitle,
                      .panels = &panel,
                      .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_steps(tacit_study *s, const char *title, bool log, tc_text *svg,
                           tacit_error *err)
{
    tacit_trials *all;
    curves c = {.n = 0};
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    TC_TRY(tacit_study_summarize(s, &now, err));
    TC_TRY(tacit_study_trials(s, NULL, &all, err));
    c.total = count_curves(all);
    tacit_status status = c.total == 0
                              ? tc_fail(err, TACIT_E_STATE,
                                        "no trial of the study %s has reported intermediate values",
                                        tacit_study_name(s))
                              : check_log(all, log, err);
    if (status == TACIT_OK)
        status = take(&c, all, now.best_trial, err);
    if (status == TACIT_OK)
        status = draw(&c, s, title, log, svg, err);
    tacit_trials_free(all);
    tc_arena_fini(&c.arena);
    return status;
}
