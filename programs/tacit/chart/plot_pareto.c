/* plot_pareto.c - two objectives against each other: the front, what it dominates, and trials outside of their bounds. */
#include "chart/plot.h"

#include "base/error.h"
#include "chart/chart.h"
#include "study/outcome_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Points of one kind. */
typedef struct cloud {
    double *x, *y;
    size_t n;
} cloud;

typedef struct pareto {
    tc_arena arena;
    tc_outcome_words names;
    cloud dominated, infeasible, front,
        border; /* border: the corners of what the front dominates */
} pareto;

static bool make(pareto *p, cloud *c, size_t room)
{
    c->x = TC_TAKE(&p->arena, room + 1, double);
    c->y = TC_TAKE(&p->arena, room + 1, double);
    return c->x && c->y;
}

static void add(cloud *c, double x, double y)
{
    c->x[c->n] = x;
    c->y[c->n++] = y;
}

static bool is_on(const tacit_trials *front, uint64_t number)
{
    for (size_t i = 0; i < tacit_trials_count(front); i++)
        if (tacit_trials_get(front, i)->number == number)
            return true;
    return false;
}

/* The front is ordered by its first objective, the best one first; so x runs one way, and y the other way of quality. Between
 * two of its points the worse x goes with the y of the better x. */
static void add_border(pareto *p)
{
    for (size_t i = 0; i < p->front.n; i++) {
        if (i > 0)
            add(&p->border, p->front.x[i], p->front.y[i - 1]);
        add(&p->border, p->front.x[i], p->front.y[i]);
    }
}

static tacit_status take(pareto *p, const tacit_trials *all, const tacit_trials *front,
                         tacit_error *err)
{
    const size_t n = tacit_trials_count(all);
    if (!make(p, &p->dominated, n) || !make(p, &p->infeasible, n) || !make(p, &p->front, n) ||
        !make(p, &p->border, 2 * n))
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const tacit_trial *t = tacit_trials_get(all, i);
        if (!is_on(front, t->number))
            add(t->feasible ? &p->dominated : &p->infeasible, t->outcomes[0], t->outcomes[1]);
    }
    for (size_t i = 0; i < tacit_trials_count(front); i++) {
        const tacit_trial *t = tacit_trials_get(front, i);
        add(&p->front, t->outcomes[0], t->outcomes[1]);
    }
    add_border(p);
    return TACIT_OK;
}

static tc_series dots(const cloud *c, const char *label, int color, int marker)
{
    return (tc_series){.label = c->n > 0 ? label : NULL,
                       .mark = TC_MARK_DOTS,
                       .color = color,
                       .marker = marker,
                       .n = c->n,
                       .x = c->x,
                       .y = c->y};
}

static tc_axis axis_of(pareto *p, size_t i)
{
    char label[120];
    snprintf(label, sizeof label, "%s (%s)", p->names.of[i].name,
             p->names.of[i].maximize ? "maximize" : "minimize");
    return (tc_axis){.label = tc_arena_strdup(&p->arena, label)};
}

static tacit_status draw(pareto *p, tacit_study *s, const char *title, tc_text *svg,
                         tacit_error *err)
{
    char subtitle[200];
    const size_t feasible = p->dominated.n + p->front.n, n = feasible + p->infeasible.n;
    snprintf(subtitle, sizeof subtitle, "%s: %zu trial%s, %zu feasible; %zu on the front",
             tacit_document_algorithm(tacit_study_document(s)), n, n == 1 ? "" : "s", feasible,
             p->front.n);
    tc_series border = {.mark = TC_MARK_LINE, .n = p->border.n, .x = p->border.x, .y = p->border.y};
    const tc_series series[] = {dots(&p->dominated, "dominated", TC_COLOR_GREY, 0),
                                dots(&p->infeasible, "infeasible", 1, 2), border,
                                dots(&p->front, "front", 0, 0)};
    const tc_panel panel = {
        .x = axis_of(p, 0), .y = axis_of(p, 1), .series = series, .n_series = 4};
    const tc_chart chart = {.title = title ? title : tacit_study_name(s),
                            .subtitle = subtitle,
                            .panels = &panel,
                            .n_panels = 1};
    return p->arena.failed ? tc_fail_memory(err) : tc_chart_svg(&chart, svg, err);
}

static tacit_status look(pareto *p, tacit_study *s, tacit_error *err)
{
    tacit_trial_query complete = TACIT_TRIAL_QUERY;
    tacit_trials *all, *front;
    complete.state = TACIT_TRIAL_COMPLETE;
    TC_TRY(tacit_study_trials(s, &complete, &all, err));
    tacit_status status = TACIT_OK;
    if (tacit_trials_count(all) == 0)
        status = tc_fail(err, TACIT_E_STATE, "the study %s has no completed trial to draw yet",
                         tacit_study_name(s));
    if (status == TACIT_OK)
        status = tacit_study_front(s, &front, err);
    if (status == TACIT_OK) {
        status = take(p, all, front, err);
        tacit_trials_free(front);
    }
    tacit_trials_free(all);
    return status;
}

tacit_status tc_plot_pareto(tacit_study *s, const char *title, tc_text *svg, tacit_error *err)
{
    pareto p = {0};
    tc_outcome_words_of(&p.names, tacit_study_document(s));
    if (p.names.objectives != 2)
        return tc_fail(err, TACIT_E_ARG, "--pareto draws two objectives, and study %s has %zu",
                       tacit_study_name(s), p.names.objectives);
    tacit_status status = look(&p, s, err);
    if (status == TACIT_OK)
        status = draw(&p, s, title, svg, err);
    tc_arena_fini(&p.arena);
    return status;
}
