/* demo_chart.c - how far the log-loss, or the error, fell since the common start, together and alone (demo_int.h).
 *
 * Hospitals differ in how hard their patients are to foretell, which says nothing about the search. Drops from
 * the hospital's own start do not have that difference. */
#include "demo/demo_int.h"

#include "base/memory.h"
#include "chart/chart.h"
#include <tacit/privacy.h>

#include <math.h>
#include <string.h>

/* ---- in the terminal ---- */

enum { POINTS = 22, STEPS = 6, ROWS = 2 * STEPS + 1, COLUMNS = 70, MARGIN = 7 };

typedef enum cell { EMPTY, BAR, BAR_ALONE, TOGETHER, ALONE } cell;
static const char *const marks[] = {" ", "│", "┆", "●", "○"};

typedef struct canvas {
    double tick; /* between two labels, which are two rows apart */
    size_t rows, width, columns;
    cell cells[ROWS][COLUMNS];
    size_t trial[POINTS];
    size_t points;
    tc_demo_moment at[POINTS];
} canvas;

/* The trials to show: all from the start on, or evenly some, and the last. */
static void choose_points(canvas *v, const tc_demo_curves *c)
{
    size_t all = c->trials - c->start + 1, stride = (all + POINTS - 2) / (POINTS - 1);
    for (size_t t = c->start - 1; t < c->trials; t += stride)
        v->trial[v->points++] = t;
    if (v->trial[v->points - 1] != c->trials - 1)
        v->trial[v->points++] = c->trials - 1;
    for (size_t i = 0; i < v->points; i++)
        v->at[i] = tc_demo_moment_at(c, v->trial[i]);
}

/* A tick of 1, 2 or 5 times a power of ten, so that STEPS of them hold everything. */
static void choose_scale(canvas *v)
{
    static const double round[] = {1, 2, 5, 10};
    double top = 0;
    for (size_t i = 0; i < v->points; i++)
        for (int side = 0; side < 2; side++)
            top = fmax(top, fmax(v->at[i].drop[side].high, v->at[i].drop[side].mean));
    double least = fmax(top, 1e-6) / STEPS, power = pow(10, floor(log10(least)));
    v->tick = 10 * power;
    for (size_t i = 4; i-- > 0;)
        if (round[i] * power >= least)
            v->tick = round[i] * power;
    v->rows = 2 * (size_t)fmax(1, ceil(top / v->tick)) + 1;
    v->width = COLUMNS / v->points < 10 ? COLUMNS / v->points : 10;
    v->columns = v->width * v->points;
}

static size_t row_of(const canvas *v, double drop)
{
    double row = fmax(0, floor(2 * drop / v->tick + 0.5)); /* noise can make a worse choice */
    return row < (double)v->rows ? (size_t)row : v->rows - 1;
}

static void mark(canvas *v, size_t i, int side)
{
    size_t column = i * v->width + v->width / 2 - 1 + (size_t)side;
    const size_t low = row_of(v, v->at[i].drop[side].low),
                 high = row_of(v, v->at[i].drop[side].high);
    for (size_t r = low; r <= high; r++)
        v->cells[r][column] = side == 0 ? BAR : BAR_ALONE;
    v->cells[row_of(v, v->at[i].drop[side].mean)][column] = side == 0 ? TOGETHER : ALONE;
}

static void write_canvas(const canvas *v, tc_text *out)
{
    for (size_t r = v->rows; r-- > 0;) {
        if (r % 2 == 0)
            tc_text_addf(out, "%*.3g ┤", MARGIN, v->tick * (double)r / 2);
        else
            tc_text_addf(out, "%*s │", MARGIN, "");
        size_t last = v->columns;
        while (last > 0 && v->cells[r][last - 1] == EMPTY)
            last--;
        for (size_t k = 0; k < last; k++)
            tc_text_add(out, marks[v->cells[r][k]]);
        tc_text_add(out, "\n");
    }
    tc_text_addf(out, "%*s └", MARGIN, "");
    for (size_t k = 0; k < v->columns; k++)
        tc_text_add(out, "─");
    tc_text_addf(out, "\n%*s", MARGIN, "trial");
    int gap = 2; /* the label of trial i ends below its right mark */
    for (size_t i = 0; i < v->points; i++) {
        tc_text_addf(out, "%*zu", (int)(v->width / 2) + gap, v->trial[i] + 1);
        gap = (int)(v->width - v->width / 2);
    }
    tc_text_add(out, "\n");
}

tacit_status tc_demo_chart_text(const tc_demo_curves *c, tc_text *out, tacit_error *err)
{
    canvas v = {0};
    choose_points(&v, c);
    choose_scale(&v);
    for (size_t i = 0; i < v.points; i++)
        for (int side = 0; side < 2; side++)
            mark(&v, i, side);
    tc_text_addf(
        out,
        "Fall of the %s (higher is better) since the common start (trial %zu), %zu "
        "hospitals:\n"
        "● mean together, ○ mean of each alone; bars: the middle half of the hospitals\n\n",
        tc_demo_metric(c), c->start, c->hospitals);
    write_canvas(&v, out);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* ---- as SVG ---- */

enum { SIDES = 2 };

typedef struct drawing {
    tc_arena memory;
    tc_series series[2 * SIDES]; /* bands, then means */
} drawing;

/* The middle half of the hospitals as a band, and their mean as a line. */
static void add_side(drawing *d, const tc_demo_curves *c, int side, const char *label)
{
    const size_t n = c->trials - c->start + 1;
    double *x = TC_TAKE(&d->memory, n, double), *mean = TC_TAKE(&d->memory, n, double);
    double *middle = TC_TAKE(&d->memory, n, double), *half = TC_TAKE(&d->memory, n, double);
    for (size_t i = 0; !d->memory.failed && i < n; i++) {
        const tc_demo_moment m = tc_demo_moment_at(c, c->start - 1 + i);
        x[i] = (double)(c->start + i);
        mean[i] = m.drop[side].mean;
        middle[i] = (m.drop[side].low + m.drop[side].high) / 2;
        half[i] = (m.drop[side].high - m.drop[side].low) / 2;
    }
    d->series[side] = (tc_series){.mark = TC_MARK_LINE,
                                  .color = side,
                                  .n = n,
                                  .x = x,
                                  .y = middle,
                                  .spread = half,
                                  .band_only = true};
    d->series[SIDES + side] =
        (tc_series){.label = label, .mark = TC_MARK_LINE, .color = side, .n = n, .x = x, .y = mean};
}

tacit_status tc_demo_chart_svg(const tc_demo_curves *c, double epsilon, tc_text *out,
                               tacit_error *err)
{
    char title[96], subtitle[160], label[64], promised[32], fall[64], same[64];
    drawing d = {0};
    snprintf(same, sizeof same, "the first %zu %s are the same in both", c->start,
             c->records ? "points" : "trials");
    snprintf(title, sizeof title, "%zu hospitals tune a model, together and each alone",
             c->hospitals);
    snprintf(subtitle, sizeof subtitle,
             "lines: mean of the hospitals; bands: their middle half; %s", same);
    tacit_epsilon_text(promised, epsilon);
    snprintf(label, sizeof label, "together, ε = %s%s", promised,
             c->records ? " for each record" : "");
    snprintf(fall, sizeof fall, "fall of the %s (higher is better)", tc_demo_metric(c));
    add_side(&d, c, 0, label);
    add_side(&d, c, 1, c->records ? "each alone, with as much noise" : "each alone");
    tacit_status status = d.memory.failed ? tc_fail_memory(err) : TACIT_OK;
    tc_panel panel = {.x = {.label = "trial", .whole = true},
                      .y = {.label = fall},
                      .series = d.series,
                      .n_series = 2 * SIDES};
    tc_chart chart = {.title = title, .subtitle = subtitle, .panels = &panel, .n_panels = 1};
    if (status == TACIT_OK)
        status = tc_chart_svg(&chart, out, err);
    tc_arena_fini(&d.memory);
    return status;
}
