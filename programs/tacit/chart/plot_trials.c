/* plot_trials.c - the complete trials of a study, and those that were ended early. See plot_trials.h. */
#include "chart/plot_trials.h"

#include "base/error.h"
#include "study/outcome_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void tc_plot_trials_fini(tc_plot_trials *p)
{
    tc_arena_fini(&p->arena);
}

tacit_status tc_plot_trials_rank(tc_plot_trials *p, bool maximize, tacit_error *err)
{
    p->best = TC_TAKE(&p->arena, p->n, double);
    if (!p->best)
        return tc_fail_memory(err);
    p->first = p->n;
    for (size_t i = 0; i < p->n; i++) {
        const double value = p->value[i];
        if (p->first == p->n && !(p->infeasible && p->infeasible[i]))
            p->first = i;
        bool better =
            i == p->first || (i > p->first && !(p->infeasible && p->infeasible[i]) &&
                              (maximize ? value > p->best[i - 1] : value < p->best[i - 1]));
        p->best[i] = better ? value : i > p->first ? p->best[i - 1] : (double)NAN;
        p->top = better ? i : p->top;
    }
    return TACIT_OK;
}

/* n_names 0: numbers. */
static tc_axis param_axis(tc_plot_trials *p, const tacit_space *space, size_t k)
{
    tc_axis a = {.label = tc_arena_strdup(&p->arena, tacit_space_column_name(space, k)),
                 .log = tacit_space_param_log(space, k),
                 .whole = tacit_space_column_type(space, k) == TACIT_COLUMN_INT};
    size_t n = 0;
    while (tacit_space_choice(space, k, n))
        n++;
    const char **names = n > 0 ? TC_TAKE(&p->arena, n, const char *) : NULL;
    for (size_t i = 0; names && i < n; i++)
        names[i] = tc_arena_strdup(&p->arena, tacit_space_choice(space, k, i));
    a.names = names;
    a.n_names = names ? n : 0;
    return a;
}

/* Of a finite space the coordinates of its candidates, whose numbers say nothing. */
static void take_columns(tc_plot_trials *p, const tacit_space *space, const tacit_trials *trials)
{
    const size_t all = tacit_space_columns(space), params = tacit_space_params(space);
    const size_t first = all > params ? params : 0;
    p->n_columns = all - first;
    p->columns = TC_TAKE(&p->arena, p->n_columns, tc_plot_column);
    for (size_t k = 0; k < p->n_columns && p->columns; k++) {
        double *x = TC_TAKE(&p->arena, p->n, double);
        for (size_t i = 0; i < p->n && x; i++)
            x[i] = tacit_space_column_value(space, tacit_trials_get(trials, i)->values, first + k);
        p->columns[k].x = x;
        p->columns[k].axis =
            first > 0 ? (tc_axis){.label = tc_arena_strdup(
                                      &p->arena, tacit_space_column_name(space, first + k))}
                      : param_axis(p, space, k);
    }
}

/* What is wanted of a constraint's outcome, for the subtitle. */
static const char *bounds_text(const tc_plot_trials *p, char out[96])
{
    if (isfinite(p->low) && isfinite(p->high))
        snprintf(out, 96, "%.6g to %.6g", p->low, p->high);
    else if (isfinite(p->low))
        snprintf(out, 96, "at least %.6g", p->low);
    else
        snprintf(out, 96, "at most %.6g", p->high);
    return out;
}

static size_t count_feasible(const tc_plot_trials *p)
{
    size_t n = p->n;
    for (size_t i = 0; p->infeasible && i < p->n; i++)
        n -= p->infeasible[i];
    return n;
}

static void write_subtitle(tc_plot_trials *p, const tacit_study_summary *now, bool constrained)
{
    char bounds[96], feasible[48] = "", failures[40] = "", pruned[40] = "";
    if (now->failed)
        snprintf(failures, sizeof failures, ", %" PRIu64 " failed", now->failed);
    if (now->pruned)
        snprintf(pruned, sizeof pruned, ", %" PRIu64 " pruned", now->pruned);
    char best[64] = "";
    if (p->best && p->first == p->n)
        snprintf(best, sizeof best, "; none feasible yet");
    else if (p->best)
        snprintf(best, sizeof best, "; best %.6g in trial %.0f", p->value[p->top],
                 p->number[p->top]);
    if (constrained)
        snprintf(feasible, sizeof feasible, ", %zu feasible", count_feasible(p));
    snprintf(p->subtitle, sizeof p->subtitle, "%s, %s: %zu trial%s%s%s%s%s", now->algorithm,
             !p->best  ? bounds_text(p, bounds)
             : p->word ? p->word
                       : now->direction,
             p->n, p->n == 1 ? "" : "s", feasible, failures, pruned, best);
}

/* Which outcome the values are. */
static tacit_status take_outcome(tc_plot_trials *p, const tacit_study *s, const char *of,
                                 size_t *out, tc_outcome_words *names, tacit_error *err)
{
    TC_TRY(tc_outcome_words_of_study(names, s, of, out, err));
    const tacit_outcome *found = &names->of[*out];
    p->of = tc_arena_strdup(&p->arena, found->name);
    p->low = found->low;
    p->high = found->high;
    if (names->n > 1)
        p->word = found->maximize ? "maximize" : "minimize";
    return p->arena.failed ? tc_fail_memory(err) : TACIT_OK;
}

static void mark_infeasible(tc_plot_trials *p, size_t i)
{
    if (!p->infeasible)
        p->infeasible = TC_TAKE(&p->arena, p->n, bool);
    if (p->infeasible)
        p->infeasible[i] = true;
}

static tacit_status take(tc_plot_trials *p, const tacit_study *s, const tacit_trials *trials,
                         size_t outcome, tacit_error *err)
{
    p->n = tacit_trials_count(trials);
    if (p->n == 0)
        return tc_fail(err, TACIT_E_STATE, "the study %s has no completed trial to draw yet",
                       tacit_study_name(s));
    p->name = tc_arena_strdup(&p->arena, tacit_study_name(s));
    p->number = TC_TAKE(&p->arena, p->n, double);
    p->value = TC_TAKE(&p->arena, p->n, double);
    for (size_t i = 0; i < p->n && !p->arena.failed; i++) {
        p->number[i] = (double)tacit_trials_get(trials, i)->number;
        p->value[i] = tacit_trials_get(trials, i)->outcomes[outcome];
        if (!tacit_trials_get(trials, i)->feasible)
            mark_infeasible(p, i);
    }
    take_columns(p, tacit_study_space(s), trials);
    return p->arena.failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status take_pruned(tc_plot_trials *p, tacit_study *s, tacit_error *err)
{
    tacit_trials *pruned;
    tacit_trial_query query = TACIT_TRIAL_QUERY;
    query.state = TACIT_TRIAL_PRUNED;
    TC_TRY(tacit_study_trials(s, &query, &pruned, err));
    const size_t n = tacit_trials_count(pruned);
    p->pruned_number = TC_TAKE(&p->arena, n, double);
    p->pruned_value = TC_TAKE(&p->arena, n, double);
    for (size_t i = 0; i < n && !p->arena.failed; i++) {
        const tacit_trial *t = tacit_trials_get(pruned, i);
        if (t->n_steps == 0) /* of a coordinator that says nothing of steps */
            continue;
        p->pruned_number[p->n_pruned] = (double)t->number;
        p->pruned_value[p->n_pruned++] = t->steps[t->n_steps - 1].value;
    }
    tacit_trials_free(pruned);
    return p->arena.failed ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tc_plot_trials_of_study(tc_plot_trials *p, tacit_study *s, const char *of,
                                     tacit_error *err)
{
    size_t outcome;
    tc_outcome_words names;
    tacit_trials *trials;
    tacit_study_summary now = TACIT_STUDY_SUMMARY;
    tacit_trial_query complete = TACIT_TRIAL_QUERY;
    complete.state = TACIT_TRIAL_COMPLETE;
    TC_TRY(take_outcome(p, s, of, &outcome, &names, err));
    TC_TRY(tacit_study_summarize(s, &now, err));
    TC_TRY(tacit_study_trials(s, &complete, &trials, err));
    tacit_status status = take(p, s, trials, outcome, err);
    tacit_trials_free(trials);
    TC_TRY(status);
    if (now.pruned > 0)
        TC_TRY(take_pruned(p, s, err));
    if (names.of[outcome].objective)
        TC_TRY(tc_plot_trials_rank(p, names.of[outcome].maximize, err));
    write_subtitle(p, &now, names.n > names.objectives);
    return TACIT_OK;
}
