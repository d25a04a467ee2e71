/* reproduce_figure.c - the figure of an experiment: a line for every arm, with its standard error.
 *
 * A line of the paper has one colour: as published it is drawn through, as tacit does it by default
 * dashed. Where points have names there are dots; what the paper prints are rings. */
#include "chart.h"
#include "reproduce_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

/* The first arm of the same line, whose colour an arm has. */
static size_t first_of(const tc_experiment *e, size_t arm)
{
    size_t a = 0;
    while (strcmp(e->arms[a].line, e->arms[arm].line) != 0)
        a++;
    return a;
}

/* How many lines begin before this arm. */
static int color_of(const tc_experiment *e, size_t arm)
{
    int color = 0;
    for (size_t a = 0; a < first_of(e, arm); a++)
        color += first_of(e, a) == a;
    return color;
}

static const char *label_of(const tc_experiment *e, size_t arm, tc_arena *memory)
{
    const tc_arm *a = &e->arms[arm];
    tc_text text = {0};
    tc_text_add(&text, a->line);
    if (first_of(e, arm) != arm)
        tc_text_add(&text, ", tacit's default");
    char *label = text.failed ? NULL : tc_arena_strdup(memory, tc_text_get(&text));
    tc_text_fini(&text);
    return label;
}

static tc_series series_of(const tc_reproduction *r, size_t arm, tc_arena *memory)
{
    const tc_experiment *e = r->experiment;
    return (tc_series){.label = label_of(e, arm, memory),
                       .mark = e->x.names ? TC_MARK_DOTS : TC_MARK_LINE,
                       .color = e->x.names ? (int)arm : color_of(e, arm),
                       .dashed = first_of(e, arm) != arm,
                       .n = r->n,
                       .x = r->x,
                       .y = r->mean + arm * r->n,
                       .spread = r->runs > 1 && !e->x.names ? r->se + arm * r->n : NULL};
}

/* What the paper prints, as rings. */
static tc_series printed_of(const tc_reproduction *r, tc_arena *memory)
{
    const tc_experiment *e = r->experiment;
    size_t n = 0;
    while (e->printed && e->printed[n].line)
        n++;
    double *x = TC_TAKE(memory, n + 1, double), *y = TC_TAKE(memory, n + 1, double);
    for (size_t i = 0; x && y && i < n; i++) {
        x[i] = r->x[e->printed[i].at];
        y[i] = e->printed[i].value;
    }
    return (tc_series){.label = n > 0 ? "printed in the paper" : NULL,
                       .mark = TC_MARK_DOTS,
                       .color = TC_COLOR_GREY,
                       .n = n,
                       .x = x,
                       .y = y,
                       .ring = true};
}

static tacit_status draw(const tc_reproduction *r, const tc_series *series, size_t n, tc_text *svg,
                         tacit_error *err)
{
    const tc_experiment *e = r->experiment;
    tc_text title = {0}, subtitle = {0}, y = {0};
    tc_text_addf(&title, "%s, %s", e->paper, e->figure);
    if (r->runs > 1)
        tc_text_addf(&title, ": %" PRIu64 " runs", r->runs);
    tc_text_addf(&subtitle, "%s%s", r->quick ? "QUICK, smaller: " : "", e->setting);
    tc_text_addf(&y, "%s%s", e->y_label, r->runs > 1 ? ", mean ± s.e." : "");
    tc_panel panel = {.x = {.label = e->x.label,
                            .log = e->x.log,
                            .whole = !e->x.names,
                            .names = e->x.names,
                            .upright = e->x.names != NULL,
                            .n_names = e->x.names ? r->n : 0},
                      .y = {.label = tc_text_get(&y), .log = e->y_log},
                      .series = series,
                      .n_series = n};
    tc_chart chart = {.title = tc_text_get(&title),
                      .subtitle = tc_text_get(&subtitle),
                      .panels = &panel,
                      .n_panels = 1};
    tacit_status status = title.failed || subtitle.failed || y.failed
                              ? tc_fail_memory(err)
                              : tc_chart_svg(&chart, svg, err);
    tc_text_fini(&title);
    tc_text_fini(&subtitle);
    tc_text_fini(&y);
    return status;
}

tacit_status tc_reproduce_figure(const tc_reproduction *r, tc_text *svg, tacit_error *err)
{
    size_t n = r->experiment->n_arms;
    tc_arena memory = {0};
    tc_series *series = TC_TAKE(&memory, n + 1, tc_series);
    for (size_t a = 0; series && a < n; a++)
        series[a] = series_of(r, a, &memory);
    if (series)
        series[n] = printed_of(r, &memory);
    tacit_status status = memory.failed ? tc_fail_memory(err) : draw(r, series, n + 1, svg, err);
    tc_arena_fini(&memory);
    return status;
}
