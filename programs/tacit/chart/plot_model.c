/* plot_model.c - what a model of a study's trials says: the importance of each parameter, and the mean over two of them. */
#include "chart/plot.h"

#include "base/error.h"
#include "base/json.h"
#include "chart/chart.h"
#include "study/outcome_words.h"

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

/* What the model is of; where there is one value, that goes without saying. */
typedef struct modelled {
    size_t outcome; /* its number */
    size_t objectives;
    const char *of, *name; /* " of " and the name; "" and "" */
} modelled;

static tacit_status find_modelled(modelled *m, const tacit_study *s, const char *of,
                                  tacit_error *err)
{
    tc_outcome_words names;
    TC_TRY(tc_outcome_words_of_study(&names, s, of, &m->outcome, err));
    m->objectives = names.objectives;
    m->of = names.n > 1 ? " of " : "";
    m->name = names.n > 1 ? names.of[m->outcome].name : "";
    return TACIT_OK;
}

static tacit_status draw_importances(tc_arena *a, const tacit_importances *list, const modelled *m,
                                     const char *title, tc_text *svg, tacit_error *err)
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
    char subtitle[240];
    int used = snprintf(subtitle, sizeof subtitle,
                        "Sobol' indices of a model%s%s; bars hold nine of ten of its draws", m->of,
                        m->name);
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

tacit_status tc_plot_importances(tacit_study *s, const char *of, const char *title, tc_text *svg,
                                 tacit_error *err)
{
    modelled m;
    tacit_surrogate *model;
    tacit_importances *list;
    tc_arena arena = {0};
    TC_TRY(find_modelled(&m, s, of, err));
    TC_TRY(tacit_surrogate_new_of(&model, s, m.outcome, err));
    tacit_status status = tacit_surrogate_importances(model, &list, err);
    tacit_surrogate_free(model);
    TC_TRY(status);
    status = draw_importances(&arena, list, &m, title ? title : tacit_study_name(s), svg, err);
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
    modelled of;
    int64_t at; /* trial that the rest is taken from; -1: the best */
    const tacit_space *space;
    tc_plot_trials trials;
    side x, y;
    double *base;   /* the point of that trial */
    uint64_t trial; /* its number */
    bool feasible;
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
    tc_text_addf(&c->subtitle, "mean of a model%s%s", c->of.of, c->of.name);
    if (d > 2)
        tc_text_addf(&c->subtitle, "; the rest as in trial %" PRIu64 "%s", c->trial,
                     c->at >= 0    ? ""
                     : c->feasible ? ", the best seen"
                                   : ", the least violating");
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
    uint64_t number = (uint64_t)c->at;
    if (c->at < 0 && c->of.objectives == 1)
        return tacit_study_best(c->study, out, err);
    if (c->at < 0 && tacit_space_params(c->space) > 2)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "--contour shows the other parameters as in one trial, and study %s has %zu "
                       "objectives and no best trial: name one with --at, such as one of its front",
                       tacit_study_name(c->study), c->of.objectives);
    if (c->at < 0) /* there are no others */
        number = (uint64_t)c->trials.number[0];
    tacit_status status = tacit_study_trial(c->study, number, out, err);
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
    c->feasible = t->feasible;
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
    TC_TRY(tacit_surrogate_new_of(&model, c->study, c->of.outcome, err));
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

/* Has a trial the same choices as the one that says what the rest is? (Those of the two parameters aside.) */
static bool has_same_choices(const contour *c, size_t trial)
{
    for (size_t k = 0; k < tacit_space_params(c->space); k++) {
        const double there = c->trials.columns[k].x[trial],
                     here = tacit_space_column_value(c->space, c->base, k);
        if (k == c->x.param || k == c->y.param ||
            tacit_space_column_type(c->space, k) != TACIT_COLUMN_CHOICE)
            continue;
        if (isnan(there) ? !isnan(here) : there != here)
            return false;
    }
    return true;
}

/* Trials in which both parameters are active. Memory that is missing shows in the arena. */
static tc_series dots(contour *c, bool same, const char *label)
{
    tc_plot_trials *p = &c->trials;
    const double *all_x = p->columns[c->x.param].x, *all_y = p->columns[c->y.param].x;
    double *x = TC_TAKE(&p->arena, p->n, double), *y = TC_TAKE(&p->arena, p->n, double);
    size_t n = 0;
    for (size_t i = 0; x && y && i < p->n; i++)
        if (!isnan(all_x[i]) && !isnan(all_y[i]) && has_same_choices(c, i) == same) {
            x[n] = all_x[i];
            y[n++] = all_y[i];
        }
    return (tc_series){.label = n > 0 ? label : NULL,
                       .mark = TC_MARK_DOTS,
                       .color = same ? TC_COLOR_INK : TC_COLOR_GREY,
                       .marker = same ? 0 : 2,
                       .dashed = true,
                       .n = n,
                       .x = x,
                       .y = y};
}

/* The mean in each cell as a share of its range. */
static double *take_shades(contour *c, double *low, double *high)
{
    const size_t n = c->x.cells * c->y.cells;
    double *shade = TC_TAKE(&c->trials.arena, n, double);
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        *low = fmin(*low, c->mean[i]);
        *high = fmax(*high, c->mean[i]);
    }
    for (size_t i = 0; shade && i < n; i++)
        shade[i] = *high > *low || isnan(c->mean[i]) ? (c->mean[i] - *low) / (*high - *low) : 0;
    return shade;
}

static tacit_status draw_contour(contour *c, const char *title, tc_text *svg, tacit_error *err)
{
    const tc_plot_trials *p = &c->trials;
    double low, high;
    const double *shade = take_shades(c, &low, &high);
    const bool has_best = p->best && p->first < p->n;
    const tc_series series[] = {
        dots(c, false, "trials with other choices"),
        dots(c, true, "trials"),
        {.label = c->of.objectives > 1 ? "best of this objective" : "best seen",
         .mark = TC_MARK_DOTS,
         .color = 1,
         .ring = true,
         .n = has_best,
         .x = p->columns[c->x.param].x + p->top,
         .y = p->columns[c->y.param].x + p->top}};
    if (c->trials.arena.failed)
        return tc_fail_memory(err);
    const tc_field field = {c->x.cells, c->y.cells, c->x.low, c->x.high,
                            c->y.low,   c->y.high,  shade};
    const tc_panel panel = {.x = c->x.axis,
                            .y = c->y.axis,
                            .field = &field,
                            .series = series,
                            .n_series = has_best ? 3 : 2};
    const tc_chart chart = {.title = title ? title : p->name,
                            .subtitle = tc_text_get(&c->subtitle),
                            .panels = &panel,
                            .n_panels = 1,
                            .shade_label = "mean",
                            .shade_low = low,
                            .shade_high = high};
    return tc_chart_svg(&chart, svg, err);
}

static tacit_status contour_of(contour *c, const char *pair, const char *of, const char *title,
                               tc_text *svg, tacit_error *err)
{
    const size_t d = tacit_space_params(c->space);
    if (tacit_space_columns(c->space) > d)
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "--contour is over parameters that vary by themselves, and the candidates of a "
            "file do not let them");
    TC_TRY(find_pair(c, pair, err));
    TC_TRY(find_modelled(&c->of, c->study, of, err));
    TC_TRY(tc_plot_trials_of_study(&c->trials, c->study, of, err));
    c->base = TC_TAKE(&c->trials.arena, d, double);
    if (!c->base)
        return tc_fail_memory(err);
    TC_TRY(take_ranges(c, err));
    TC_TRY(take_trial(c, err));
    TC_TRY(predict(c, err));
    return draw_contour(c, title, svg, err);
}

tacit_status tc_plot_contour(tacit_study *s, const char *pair, const char *of, int64_t at,
                             const char *title, tc_text *svg, tacit_error *err)
{
    contour c = {.study = s, .at = at, .space = tacit_study_space(s)};
    tacit_status status = contour_of(&c, pair, of, title, svg, err);
    tc_text_fini(&c.subtitle);
    tc_plot_trials_fini(&c.trials);
    return status;
}
