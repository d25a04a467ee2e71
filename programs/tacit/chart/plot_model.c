/* plot_model.c - what a model of a study's trials says: the importance of each parameter, and the mean over two of them. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/json.h"
#include "chart/chart.h"

#include <tacit/experimental/surrogate.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- importances --------------------------------------------------------------------------- */

/* x, y, low and high of one index, beside the middle of each parameter. */
typedef struct index_points {
    double *x, *y, *low, *high;
} index_points;

static index_points take_points(tc_arena *a, size_t n)
{
    return (index_points){TC_TAKE(a, n, double), TC_TAKE(a, n, double), TC_TAKE(a, n, double),
                          TC_TAKE(a, n, double)};
}

static tc_series index_series(const index_points *p, size_t n, const char *label, int color)
{
    return (tc_series){.label = label,
                       .mark = TC_MARK_DOTS,
                       .color = color,
                       .marker = color + 1,
                       .n = n,
                       .x = p->x,
                       .y = p->y,
                       .low = p->low,
                       .high = p->high};
}

/* Parameters in one chart: the most important ones. */
enum { MOST_DRAWN = 16 };

static tacit_status draw_importances(tc_arena *a, const tacit_importances *list, const char *title,
                                     tc_text *svg, tacit_error *err)
{
    const size_t all = tacit_importances_count(list), n = all < MOST_DRAWN ? all : MOST_DRAWN;
    const char **names = TC_TAKE(a, n, const char *);
    const index_points total = take_points(a, n), first = take_points(a, n);
    if (a->failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const tacit_importance *of = tacit_importances_get(list, i);
        names[i] = of->name;
        total.x[i] = (double)i - 0.17;
        total.y[i] = of->total;
        total.low[i] = of->total_low;
        total.high[i] = of->total_high;
        first.x[i] = (double)i + 0.17;
        first.y[i] = of->first;
        first.low[i] = of->first_low;
        first.high[i] = of->first_high;
    }
    char subtitle[160];
    int used = snprintf(subtitle, sizeof subtitle,
                        "Sobol' indices of a model; bars hold nine of ten of its draws");
    if (n < all && used > 0)
        snprintf(subtitle + used, sizeof subtitle - (size_t)used, "; the first %zu of %zu", n, all);
    const tc_series series[] = {index_series(&total, n, "total: with all others", 0),
                                index_series(&first, n, "first: by itself", 1)};
    const tc_panel panel = {.x = {.names = names, .n_names = n},
                            .y = {.label = "share of the variance"},
                            .series = series,
                            .n_series = 2};
    const tc_chart chart = {.title = title, .subtitle = subtitle, .panels = &panel, .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_importances(tacit_study *s, const char *title, tc_text *svg, tacit_error *err)
{
    tacit_surrogate *model;
    tacit_importances *list;
    tc_arena arena = {0};
    TC_TRY(tacit_surrogate_new(&model, s, err));
    tacit_status status = tacit_surrogate_importances(model, &list, err);
    tacit_surrogate_free(model);
    TC_TRY(status);
    status = draw_importances(&arena, list, title ? title : tacit_study_name(s), svg, err);
    tacit_importances_free(list);
    tc_arena_fini(&arena);
    return status;
}

/* -- the mean over two parameters ---------------------------------------------------------- */

/* One of the two, as the document has it. */
typedef struct side {
    size_t param;
    double low, high, step; /* step 0: continuous */
    bool log;
    size_t cells;
    tc_axis axis;
} side;

typedef struct contour {
    tacit_study *study;
    int64_t at; /* trial that the rest is taken from; -1: the best */
    const tacit_space *space;
    tc_plot_trials trials;
    side x, y;
    double *base;   /* the point of that trial */
    uint64_t trial; /* its number */
    double *points; /* of each cell */
    double *mean;
    tc_text subtitle;
} contour;

enum { CELLS_X = 240, CELLS_Y = 160 };

static tacit_status no_such_parameter(const contour *c, const char *name, size_t n,
                                      tacit_error *err)
{
    tc_text all = {0};
    for (size_t i = 0; i < tacit_space_params(c->space); i++)
        tc_text_addf(&all, "%s%s", i ? ", " : "", tacit_space_param_name(c->space, i));
    tc_fail(err, TACIT_E_ARG, "--contour: there is no parameter \"%.*s\"; the study %s has %.300s",
            n > 64 ? 64 : (int)n, name, tacit_study_name(c->study), tc_text_get(&all));
    tc_text_fini(&all);
    return TACIT_E_ARG;
}

static tacit_status find_param(const contour *c, const char *name, size_t n, size_t *out,
                               tacit_error *err)
{
    for (size_t i = 0; i < tacit_space_params(c->space); i++) {
        const char *other = tacit_space_param_name(c->space, i);
        if (strlen(other) == n && memcmp(other, name, n) == 0) {
            *out = i;
            return TACIT_OK;
        }
    }
    return no_such_parameter(c, name, n, err);
}

static tacit_status find_pair(contour *c, const char *pair, tacit_error *err)
{
    const char *comma = strchr(pair, ',');
    if (!comma || strchr(comma + 1, ','))
        return tc_fail(err, TACIT_E_ARG,
                       "--contour must name two parameters, as in x,y, got \"%.100s\"", pair);
    TC_TRY(find_param(c, pair, (size_t)(comma - pair), &c->x.param, err));
    TC_TRY(find_param(c, comma + 1, strlen(comma + 1), &c->y.param, err));
    if (c->x.param == c->y.param)
        return tc_fail(err, TACIT_E_ARG, "--contour must name two parameters, got %s twice",
                       tacit_space_param_name(c->space, c->x.param));
    return TACIT_OK;
}

/* Its range is in the document; choices are 0, 1, ... */
static tacit_status take_range(side *s, const tacit_space *space, const json_t *document,
                               size_t cells, tacit_error *err)
{
    const char *name = tacit_space_param_name(space, s->param);
    const json_t *j = json_object_get(json_object_get(document, "space"), name);
    s->log = tacit_space_param_log(space, s->param);
    s->cells = cells;
    if (tacit_space_column_type(space, s->param) == TACIT_COLUMN_CHOICE) {
        while (tacit_space_choice(space, s->param, (size_t)s->high + 1))
            s->high++;
        s->step = 1;
        s->cells = (size_t)s->high + 1;
        return TACIT_OK;
    }
    TC_TRY(tc_json_number(j, name, "low", &s->low, err));
    TC_TRY(tc_json_number(j, name, "high", &s->high, err));
    s->step = tacit_space_column_type(space, s->param) == TACIT_COLUMN_INT ? 1 : 0;
    return tc_json_number_or(j, name, "step", &s->step, err);
}

static tacit_status take_ranges(contour *c, tacit_error *err)
{
    char *text;
    json_t *document;
    TC_TRY(tacit_document_text(tacit_study_document(c->study), &text, err));
    tacit_status status = tc_json_parse(text, strlen(text), "the document", &document, err);
    tacit_text_free(text);
    TC_TRY(status);
    status = take_range(&c->x, c->space, document, CELLS_X, err);
    if (status == TACIT_OK)
        status = take_range(&c->y, c->space, document, CELLS_Y, err);
    json_decref(document);
    c->x.axis = c->trials.columns[c->x.param].axis;
    c->y.axis = c->trials.columns[c->y.param].axis;
    return status;
}

/* Sets the parameter in a point to what the middle of a cell stands for: the value nearest to it. */
static tacit_status set_cell(const side *s, const tacit_space *space, size_t cell, double *point,
                             tacit_error *err)
{
    char text[64];
    const double t = ((double)cell + 0.5) / (double)s->cells;
    if (s->axis.names) {
        point[s->param] = (double)cell;
        return TACIT_OK;
    }
    double value = s->log ? s->low * pow(s->high / s->low, t) : s->low + t * (s->high - s->low);
    if (s->step == 0) {
        point[s->param] = fmin(fmax(value, s->low), s->high);
        return TACIT_OK;
    }
    const double last = floor((s->high - s->low) / s->step + 1e-9);
    const double level = fmin(nearbyint((value - s->low) / s->step), last);
    snprintf(text, sizeof text, "%.12g", s->low + level * s->step);
    return tacit_space_parse(space, tacit_space_param_name(space, s->param), text, point, err);
}

static tacit_status fill_points(contour *c, tacit_error *err)
{
    const size_t d = tacit_space_params(c->space);
    for (size_t j = 0; j < c->y.cells; j++)
        for (size_t i = 0; i < c->x.cells; i++) {
            double *point = c->points + (j * c->x.cells + i) * d;
            memcpy(point, c->base, d * sizeof *point);
            TC_TRY(set_cell(&c->x, c->space, i, point, err));
            TC_TRY(set_cell(&c->y, c->space, j, point, err));
        }
    return TACIT_OK;
}

/* " name = value", with as many digits as a subtitle has room for. */
static tacit_status add_value(contour *c, size_t param, bool first, tc_text *out, tacit_error *err)
{
    char text[TACIT_VALUE_SIZE];
    const char *name = tacit_space_param_name(c->space, param);
    if (tacit_space_column_type(c->space, param) == TACIT_COLUMN_FLOAT)
        snprintf(text, sizeof text, "%.4g", c->base[param]);
    else
        TC_TRY(tacit_space_format(c->space, c->base, name, text, err));
    tc_text_addf(out, "%s %s\u00a0=\u00a0%s", first ? ":" : ",", name, text);
    return TACIT_OK;
}

/* More than that does not fit below the title. */
enum { MOST_CHARACTERS = 100 };

/* The trial says what the other parameters are. */
static tacit_status write_subtitle(contour *c, tacit_error *err)
{
    const size_t d = tacit_space_params(c->space);
    tc_text others = {0};
    bool first = true;
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < d && status == TACIT_OK; i++)
        if (i != c->x.param && i != c->y.param && tacit_space_active(c->space, c->base, i)) {
            status = add_value(c, i, first, &others, err);
            first = false;
        }
    tc_text_add(&c->subtitle, "mean of a model");
    if (d > 2)
        tc_text_addf(&c->subtitle, "; the rest as in trial %" PRIu64 "%s", c->trial,
                     c->at < 0 ? ", the best seen" : "");
    if (others.len < MOST_CHARACTERS)
        tc_text_add(&c->subtitle, others.len > 0 ? tc_text_get(&others) : "");
    bool failed = others.failed || c->subtitle.failed;
    tc_text_fini(&others);
    return status != TACIT_OK ? status : failed ? tc_fail_memory(err) : TACIT_OK;
}

/* Where it is inactive in that trial it would change nothing. */
static tacit_status check_active(const contour *c, size_t param, tacit_error *err)
{
    if (tacit_space_active(c->space, c->base, param))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "--contour shows the other parameters as in trial %" PRIu64 ", and there %s is "
                   "inactive: name another trial with --at",
                   c->trial, tacit_space_param_name(c->space, param));
}

static tacit_status find_trial(const contour *c, tacit_trial **out, tacit_error *err)
{
    if (c->at < 0)
        return tacit_study_best(c->study, out, err);
    tacit_status status = tacit_study_trial(c->study, (uint64_t)c->at, out, err);
    return status == TACIT_E_NOT_FOUND
               ? tc_fail(err, TACIT_E_ARG, "--at: the study %s has no trial %" PRId64,
                         tacit_study_name(c->study), c->at)
               : status;
}

static tacit_status take_trial(contour *c, tacit_error *err)
{
    tacit_trial *t;
    TC_TRY(find_trial(c, &t, err));
    memcpy(c->base, t->values, tacit_space_params(c->space) * sizeof *c->base);
    c->trial = t->number;
    tacit_trial_free(t);
    TC_TRY(check_active(c, c->x.param, err));
    TC_TRY(check_active(c, c->y.param, err));
    return write_subtitle(c, err);
}

/* Is a parameter active there, of which that trial has no value? */
static bool is_open(const contour *c, const double *point)
{
    for (size_t i = 0; i < tacit_space_params(c->space); i++)
        if (i != c->x.param && i != c->y.param && tacit_space_active(c->space, point, i) &&
            !tacit_space_active(c->space, c->base, i))
            return true;
    return false;
}

static tacit_status predict(contour *c, tacit_error *err)
{
    tacit_surrogate *model;
    const size_t n = c->x.cells * c->y.cells;
    TC_TRY(tacit_surrogate_new(&model, c->study, err));
    c->points = TC_TAKE(&c->trials.arena, n * tacit_space_params(c->space), double);
    c->mean = TC_TAKE(&c->trials.arena, n, double);
    tacit_status status = c->trials.arena.failed ? tc_fail_memory(err) : fill_points(c, err);
    if (status == TACIT_OK)
        status = tacit_surrogate_predict(model, n, c->points, c->mean, NULL, err);
    tacit_surrogate_free(model);
    for (size_t k = 0; status == TACIT_OK && k < n; k++)
        if (is_open(c, c->points + k * tacit_space_params(c->space)))
            c->mean[k] = NAN;
    return status;
}

static tacit_status draw_contour(contour *c, const char *title, tc_text *svg, tacit_error *err)
{
    const size_t n = c->x.cells * c->y.cells;
    const tc_plot_trials *p = &c->trials;
    const double *all_x = p->columns[c->x.param].x, *all_y = p->columns[c->y.param].x;
    double *x = TC_TAKE(&c->trials.arena, p->n, double),
           *y = TC_TAKE(&c->trials.arena, p->n, double);
    size_t shown = 0; /* trials in which both are active */
    double low = INFINITY, high = -INFINITY, *shade = TC_TAKE(&c->trials.arena, n, double);
    if (c->trials.arena.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < p->n; i++)
        if (!isnan(all_x[i]) && !isnan(all_y[i])) {
            x[shown] = all_x[i];
            y[shown++] = all_y[i];
        }
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, c->mean[i]);
        high = fmax(high, c->mean[i]);
    }
    for (size_t i = 0; i < n; i++)
        shade[i] = high > low || isnan(c->mean[i]) ? (c->mean[i] - low) / (high - low) : 0;
    const tc_series series[] = {{.label = "trials",
                                 .mark = TC_MARK_DOTS,
                                 .color = TC_COLOR_INK,
                                 .dashed = true,
                                 .n = shown,
                                 .x = x,
                                 .y = y},
                                {.label = "best seen",
                                 .mark = TC_MARK_DOTS,
                                 .color = 1,
                                 .ring = true,
                                 .n = 1,
                                 .x = all_x + p->top,
                                 .y = all_y + p->top}};
    const tc_field field = {c->x.cells, c->y.cells, c->x.low, c->x.high,
                            c->y.low,   c->y.high,  shade};
    const tc_panel panel = {
        .x = c->x.axis, .y = c->y.axis, .field = &field, .series = series, .n_series = 2};
    const tc_chart chart = {.title = title ? title : p->name,
                            .subtitle = tc_text_get(&c->subtitle),
                            .panels = &panel,
                            .n_panels = 1,
                            .shade_label = "mean",
                            .shade_low = low,
                            .shade_high = high};
    return tc_chart_svg(&chart, svg, err);
}

static tacit_status contour_of(contour *c, const char *pair, const char *title, tc_text *svg,
                               tacit_error *err)
{
    const size_t d = tacit_space_params(c->space);
    if (tacit_space_columns(c->space) > d)
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "--contour is over parameters that vary by themselves, and the candidates of a "
            "file do not let them");
    TC_TRY(find_pair(c, pair, err));
    TC_TRY(tc_plot_trials_of_study(&c->trials, c->study, NULL, err));
    c->base = TC_TAKE(&c->trials.arena, d, double);
    if (!c->base)
        return tc_fail_memory(err);
    TC_TRY(take_ranges(c, err));
    TC_TRY(take_trial(c, err));
    TC_TRY(predict(c, err));
    return draw_contour(c, title, svg, err);
}

tacit_status tc_plot_contour(tacit_study *s, const char *pair, int64_t at, const char *title,
                             tc_text *svg, tacit_error *err)
{
    contour c = {.study = s, .at = at, .space = tacit_study_space(s)};
    tacit_status status = contour_of(&c, pair, title, svg, err);
    tc_text_fini(&c.subtitle);
    tc_plot_trials_fini(&c.trials);
    return status;
}
