/* papers_figure.c - the figure of an experiment: a line for every arm, with its standard error.
 *
 * A line of the paper has one colour and one shape of markers: as published it is drawn through, as
 * tacit does it by default dashed with hollow markers, and the legend says so. Where points have names
 * there are markers with whiskers, side by side. What the paper prints are rings in the line's colour. */
#include "chart/chart.h"
#include "papers/program/papers_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- arms and lines */

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

/* Are there both, arms as published and arms as by default? */
static bool has_two_modes(const tc_experiment *e)
{
    size_t defaults = 0;
    for (size_t a = 0; a < e->n_arms; a++)
        defaults += e->arms[a].mode == TC_ARM_DEFAULT;
    return defaults > 0 && defaults < e->n_arms;
}

/* How far beside its category an arm stands; the distance of two categories is 1. */
static double aside(const tc_experiment *e, size_t arm)
{
    double step = fmin(0.16, 0.8 / (double)e->n_arms);
    return e->x.names ? step * ((double)arm - ((double)e->n_arms - 1) / 2) : 0;
}

/* ---- series */

static const double *shifted(const tc_reproduction *r, size_t arm, tc_arena *memory)
{
    double *x = TC_TAKE(memory, r->n, double);
    for (size_t i = 0; x && i < r->n; i++)
        x[i] = r->x[i] + aside(r->experiment, arm);
    return x;
}

static tc_series series_of(const tc_reproduction *r, size_t arm, tc_arena *memory)
{
    const tc_experiment *e = r->experiment;
    return (tc_series){.label = first_of(e, arm) == arm ? e->arms[arm].line : NULL,
                       .mark = e->x.names ? TC_MARK_DOTS : TC_MARK_LINE,
                       .color = color_of(e, arm),
                       .marker = 1 + color_of(e, arm),
                       .dashed = has_two_modes(e) && e->arms[arm].mode == TC_ARM_DEFAULT,
                       .n = r->n,
                       .x = shifted(r, arm, memory),
                       .y = r->mean + arm * r->n,
                       .spread = r->runs > 1 ? r->se + arm * r->n : NULL};
}

/* What the paper prints of the line that this arm begins; empty where that is nothing. */
static tc_series printed_of(const tc_reproduction *r, size_t arm, tc_arena *memory)
{
    const tc_experiment *e = r->experiment;
    size_t most = 0, n = 0;
    while (e->printed && e->printed[most].line)
        most++;
    double *x = TC_TAKE(memory, most + 1, double), *y = TC_TAKE(memory, most + 1, double);
    for (size_t i = 0; x && y && i < most; i++)
        if (first_of(e, arm) == arm && strcmp(e->printed[i].line, e->arms[arm].line) == 0) {
            x[n] = r->x[e->printed[i].at] + aside(e, arm);
            y[n++] = e->printed[i].value;
        }
    return (tc_series){
        .mark = TC_MARK_DOTS, .color = color_of(e, arm), .n = n, .x = x, .y = y, .ring = true};
}

/* An entry of the legend that is not a line of the figure. */
static tc_series explain(const tc_experiment *e, const char *label, bool dashed, bool ring)
{
    return (tc_series){.label = label,
                       .mark = ring || e->x.names ? TC_MARK_DOTS : TC_MARK_LINE,
                       .color = TC_COLOR_INK,
                       .marker = 1,
                       .dashed = dashed,
                       .ring = ring};
}

/* At most 2 n + 3 of them. */
static size_t fill(const tc_reproduction *r, tc_series *out, tc_arena *memory)
{
    const tc_experiment *e = r->experiment;
    size_t n = 0;
    for (size_t a = 0; a < e->n_arms; a++)
        out[n++] = series_of(r, a, memory);
    for (size_t a = 0; a < e->n_arms; a++)
        out[n++] = printed_of(r, a, memory);
    if (has_two_modes(e)) {
        out[n++] = explain(e, "paper mode", false, false);
        out[n++] = explain(e, "tacit's default", true, false);
    }
    if (e->printed && e->printed[0].line)
        out[n++] = explain(e, "printed in the paper", false, true);
    return n;
}

/* ---- the chart */

/* A linear scale hides the smallest where the largest is ten times as much: at the end of curves, and
 * at any of named points. */
static bool spans_decades(const tc_reproduction *r)
{
    double low = INFINITY, high = 0;
    for (size_t k = 0; k < r->experiment->n_arms * r->n; k++) {
        bool counts = r->experiment->x.names || k % r->n == r->n - 1;
        if (!counts || !isfinite(r->mean[k]))
            continue;
        low = fmin(low, r->mean[k]);
        high = fmax(high, r->mean[k]);
    }
    return low > 0 && high >= 10 * low;
}

/* And where a curve falls to a fifth of what it was, which is how regret goes. */
static bool falls_far(const tc_reproduction *r)
{
    bool falls = false;
    for (size_t a = 0; a < r->experiment->n_arms; a++) {
        double first = r->mean[a * r->n], last = r->mean[a * r->n + r->n - 1];
        if (last <= 0)
            return false;
        falls = falls || first >= 5 * last;
    }
    return falls && !r->experiment->x.names;
}

static tacit_status draw(const tc_reproduction *r, const tc_series *series, size_t n, tc_text *svg,
                         tacit_error *err)
{
    const tc_experiment *e = r->experiment;
    tc_text title = {0}, subtitle = {0};
    tc_text_addf(&title, "%s, %s", e->paper, e->figure);
    if (r->runs > 1)
        tc_text_addf(&title, ": mean ± s.e. of %" PRIu64 " runs", r->runs);
    tc_text_addf(&subtitle, "%s%s", r->quick ? "QUICK, smaller: " : "", e->setting);
    tc_panel panel = {
        .x = {.label = e->x.label,
              .log = e->x.log,
              .whole = !e->x.names,
              .names = e->x.names,
              .n_names = e->x.names ? r->n : 0,
              .ticks = e->x.at,
              .n_ticks = e->x.at ? r->n : 0},
        .y = {.label = e->y_label, .log = e->y_log || spans_decades(r) || falls_far(r)},
        .series = series,
        .n_series = n};
    tc_chart chart = {.title = tc_text_get(&title),
                      .subtitle = tc_text_get(&subtitle),
                      .panels = &panel,
                      .n_panels = 1};
    tacit_status status =
        title.failed || subtitle.failed ? tc_fail_memory(err) : tc_chart_svg(&chart, svg, err);
    tc_text_fini(&title);
    tc_text_fini(&subtitle);
    return status;
}

tacit_status tc_reproduce_figure(const tc_reproduction *r, tc_text *svg, tacit_error *err)
{
    tc_arena memory = {0};
    tc_series *series = TC_TAKE(&memory, 2 * r->experiment->n_arms + 3, tc_series);
    size_t n = series ? fill(r, series, &memory) : 0;
    tacit_status status = memory.failed ? tc_fail_memory(err) : draw(r, series, n, svg, err);
    tc_arena_fini(&memory);
    return status;
}
