/* plan_curator.c - the curator of a simulation: on which terms it releases an objective's rows.
 *
 * The options are those of `tacit curate release`; bounds are never read from data: a built-in objective
 * has a public range, a table needs --bounds-file. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/curated.h"
#include "sim/plan.h"

#include <string.h>

enum { RANK_DEFAULT = 10 };

/* ---- words */

/* An option that only a curator has, as given; NULL: none is. */
static const char *curator_word(const tacit_curator_plan *c)
{
    const struct {
        bool given;
        const char *name;
    } words[] = {{c->mode != 0, "mode"},
                 {c->radius > 0, "radius"},
                 {c->unit > 0, "unit"},
                 {c->bounds_file != NULL, "bounds-file"},
                 {c->noise != 0, "row-noise"},
                 {c->project > 0, "project"},
                 {c->projection_seed > 0, "projection-seed"},
                 {c->rank > 0, "rank"},
                 {c->output_epsilon > 0, "output-epsilon"},
                 {c->output_bound > 0, "output-bound"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].given)
            return words[i].name;
    return NULL;
}

tacit_status tc_plan_curator_check(const tc_contest *a, tacit_error *err)
{
    const char *word = curator_word(&a->o->curator);
    if (word && a->o->pulls > 0)
        return tc_fail(err, TACIT_E_ARG, "--%s does not go with --pulls: bandits only pull", word);
    if (!word || tc_is_modeler(a->algorithm))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--%s is for a curator, and %s sees no released rows; po-gp-ucb does", word,
                   a->algorithm->name);
}

static tacit_status check_absent(const tc_contest *a, tacit_error *err)
{
    const char *word = a->o->delta > 0 ? "delta" : curator_word(&a->o->curator);
    if (word)
        return tc_fail(err, TACIT_E_ARG, "--%s is for a curator, who needs --epsilon", word);
    tc_plan_note(a, "%s sees the rows themselves; with --epsilon a curator releases them.",
                 a->algorithm->name);
    return TACIT_OK;
}

static tacit_status check_sound(const tacit_curator_plan *c, double delta, tacit_error *err)
{
    if (c->rank > 0)
        return tc_fail(err, TACIT_E_ARG, "--rank is for --mode paper; --project is the sound one");
    if (c->noise == TACIT_ROWS_GAUSSIAN && delta == 0)
        return tc_fail(err, TACIT_E_ARG, "--row-noise gaussian needs --delta");
    return TACIT_OK;
}

static tacit_status check_paper(const tacit_curator_plan *c, double delta, tacit_error *err)
{
    if (c->project > 0 || c->projection_seed > 0 || c->noise != 0)
        return tc_fail(err, TACIT_E_ARG, "--%s is not for --mode paper",
                       c->project > 0  ? "project"
                       : c->noise != 0 ? "row-noise"
                                       : "projection-seed");
    return delta > 0 ? TACIT_OK : tc_fail(err, TACIT_E_ARG, "--mode paper needs --delta");
}

static tacit_status check_words(const tc_contest *a, const tc_simulation *sim, tacit_error *err)
{
    const tacit_curator_plan *c = &a->o->curator;
    if (sim->reply)
        return tc_fail(err, TACIT_E_ARG,
                       "where there is a curator, it answers: use --output-epsilon and "
                       "--output-bound instead of --reply");
    if (c->output_epsilon > 0 && c->output_bound == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--output-epsilon needs --output-bound: a public bound on the size of "
                       "values");
    if (c->output_bound > 0 && c->output_epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--output-bound is for --output-epsilon");
    if (c->unit > 0 && c->bounds_file)
        return tc_fail(err, TACIT_E_ARG,
                       "--unit must not be given with --bounds-file, which has "
                       "the units");
    return c->mode == TACIT_ROW_SOUND ? check_sound(c, a->o->delta, err)
                                      : check_paper(c, a->o->delta, err);
}

/* ---- bounds */

static tacit_status check_bounds(const tc_row_terms *t, const char *file, tacit_error *err)
{
    for (size_t k = 0; k < t->dims; k++)
        if (t->columns[k].low == 0 && t->columns[k].high == 0)
            return tc_fail(err, TACIT_E_ARG,
                           "column \"%.64s\" has no public bounds: %.200s has no line for it",
                           t->columns[k].name, file);
    return TACIT_OK;
}

/* The terms have the columns of the objective; their bounds and units become those that are given. */
static tacit_status read_bounds(tc_contest *a, tacit_error *err)
{
    tc_row_terms *t = &a->terms;
    const char **names = TC_TAKE(&a->memory, t->dims, const char *);
    tacit_column_bounds *bounds = TC_TAKE(&a->memory, t->dims, tacit_column_bounds);
    tc_row_column *columns = TC_TAKE(&a->memory, t->dims, tc_row_column);
    if (a->memory.failed)
        return tc_fail_memory(err);
    for (size_t k = 0; k < t->dims; k++)
        names[k] = t->columns[k].name;
    TC_TRY(a->o->bounds(a->o->user, t->dims, names, bounds, err));
    for (size_t k = 0; k < t->dims; k++)
        columns[k] = (tc_row_column){.name = t->columns[k].name,
                                     .low = bounds[k].low,
                                     .high = bounds[k].high,
                                     .unit = bounds[k].unit};
    t->columns = columns;
    return t->mode == TACIT_ROW_SOUND ? check_bounds(t, a->o->curator.bounds_file, err) : TACIT_OK;
}

static tacit_status take_columns(tc_contest *a, const tc_simulation *sim, tacit_error *err)
{
    const tacit_curator_plan *o = &a->o->curator;
    tc_objective *objective;
    if (tc_value_table_named(sim->objective) && !o->bounds_file && o->mode == TACIT_ROW_SOUND)
        return tc_fail(err, TACIT_E_ARG,
                       "the columns of a table have no public bounds: give --bounds-file; they are "
                       "never read from the data");
    TC_TRY(tc_objective_new(&objective, sim->objective, &sim->family.objective,
                            tc_public_seed_from(sim->seed), err));
    tacit_status status =
        tc_curated_terms(&a->terms, objective, o->unit > 0 ? o->unit : 1, &a->memory, err);
    tc_objective_free(objective);
    if (status == TACIT_OK && o->bounds_file && a->o->bounds)
        status = read_bounds(a, err);
    return status;
}

/* ---- the whole */

static size_t rank_of(const tacit_curator_plan *o)
{
    if (o->mode == TACIT_ROW_SOUND)
        return (size_t)o->project;
    return o->rank > 0 ? (size_t)o->rank : RANK_DEFAULT;
}

tacit_status tc_plan_curator(tc_contest *a, tc_simulation *sim, tacit_error *err)
{
    const tacit_curator_plan *o = &a->o->curator;
    if (!tc_is_modeler(a->algorithm))
        return TACIT_OK;
    if (a->o->epsilon == 0)
        return check_absent(a, err);
    TC_TRY(check_words(a, sim, err));
    a->terms = (tc_row_terms){.name = "simulation",
                              .mode = (tacit_row_mode)o->mode,
                              .epsilon = a->o->epsilon,
                              .delta = a->o->delta,
                              .radius = o->radius > 0 ? o->radius : 1,
                              .noise = (tacit_rows_noise)o->noise,
                              .rank = rank_of(o),
                              .projection_seed = (uint64_t)o->projection_seed,
                              .output_epsilon = o->output_epsilon,
                              .output_bound = o->output_bound};
    TC_TRY(take_columns(a, sim, err));
    a->terms.maximize = tc_value_units_maximize(&sim->units, a->terms.maximize);
    sim->curated = &a->terms;
    return TACIT_OK;
}
