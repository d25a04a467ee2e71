/* simulate_curated.c - the curator in `tacit simulate`: on which terms it releases an objective's rows.
 *
 * The options are those of `tacit curate release`; bounds are never read from data: a built-in objective
 * has a public range, a table needs --bounds-file. */
#include "curate/curate_bounds.h"
#include "sim/curated.h"
#include "simulate/simulate.h"

#include <string.h>

enum { RANK_DEFAULT = 10 };

/* ---- words */

/* An option that only a curator has, as given; NULL: none is. */
static const char *curator_word(const tc_curator_opts *c)
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

tacit_status tc_simulate_curator_check(const tc_simulate_plan *p, tacit_error *err)
{
    const char *word = curator_word(&p->o->curator);
    if (!word || tc_is_modeler(p->algorithm))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--%s is for a curator, and %s sees no released rows; po-gp-ucb does", word,
                   p->algorithm->name);
}

static tacit_status check_absent(const tc_simulate_plan *p, tacit_error *err)
{
    const char *word = p->o->delta > 0 ? "delta" : curator_word(&p->o->curator);
    if (word)
        return tc_fail(err, TACIT_E_ARG, "--%s is for a curator, who needs --epsilon", word);
    tc_note(p->in->quiet, "%s sees the rows themselves; with --epsilon a curator releases them.",
            p->algorithm->name);
    return TACIT_OK;
}

static tacit_status check_sound(const tc_curator_opts *c, double delta, tacit_error *err)
{
    if (c->rank > 0)
        return tc_fail(err, TACIT_E_ARG, "--rank is for --mode paper; --project is the sound one");
    if (c->noise == TACIT_ROWS_GAUSSIAN && delta == 0)
        return tc_fail(err, TACIT_E_ARG, "--row-noise gaussian needs --delta");
    return TACIT_OK;
}

static tacit_status check_paper(const tc_curator_opts *c, double delta, tacit_error *err)
{
    if (c->project > 0 || c->projection_seed > 0 || c->noise != 0)
        return tc_fail(err, TACIT_E_ARG, "--%s is not for --mode paper",
                       c->project > 0  ? "project"
                       : c->noise != 0 ? "row-noise"
                                       : "projection-seed");
    return delta > 0 ? TACIT_OK : tc_fail(err, TACIT_E_ARG, "--mode paper needs --delta");
}

static tacit_status check_words(const tc_simulate_plan *p, const tc_simulation *sim,
                                tacit_error *err)
{
    const tc_curator_opts *c = &p->o->curator;
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
    return c->mode == TACIT_ROW_SOUND ? check_sound(c, p->o->delta, err)
                                      : check_paper(c, p->o->delta, err);
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

/* The terms have the columns of the objective; their bounds and units become those of the file. */
static tacit_status read_bounds(tc_curator_terms *c, const char *file, tacit_error *err)
{
    tc_row_terms *t = &c->terms;
    tc_row_column *columns = NULL;
    tc_data data = {.dims = t->dims, .memory = c->memory}; /* whose names live there */
    data.names = TC_TAKE(&data.memory, t->dims, const char *);
    for (size_t k = 0; data.names && k < t->dims; k++)
        data.names[k] = t->columns[k].name;
    tacit_status status = data.memory.failed
                              ? tc_fail_memory(err)
                              : tc_bounds_find(&data, 0, NULL, file, false, &columns, err);
    c->memory = data.memory;
    TC_TRY(status);
    t->columns = columns;
    return t->mode == TACIT_ROW_SOUND ? check_bounds(t, file, err) : TACIT_OK;
}

static tacit_status take_columns(const tc_simulate_plan *p, const tc_simulation *sim,
                                 tc_curator_terms *c, tacit_error *err)
{
    const tc_curator_opts *o = &p->o->curator;
    static const char table[] = "table:";
    bool measured = strncmp(sim->objective, table, sizeof table - 1) == 0;
    tc_objective *objective;
    if (measured && !o->bounds_file && o->mode == TACIT_ROW_SOUND)
        return tc_fail(err, TACIT_E_ARG,
                       "the columns of a table have no public bounds: give --bounds-file; they are "
                       "never read from the data");
    TC_TRY(tc_objective_new(&objective, sim->objective, &sim->family.objective,
                            tc_public_seed_from(sim->seed), err));
    tacit_status status =
        tc_curated_terms(&c->terms, objective, o->unit > 0 ? o->unit : 1, &c->memory, err);
    tc_objective_free(objective);
    if (status == TACIT_OK && o->bounds_file)
        status = read_bounds(c, o->bounds_file, err);
    return status;
}

/* ---- the whole */

static size_t rank_of(const tc_curator_opts *o)
{
    if (o->mode == TACIT_ROW_SOUND)
        return (size_t)o->project;
    return o->rank > 0 ? (size_t)o->rank : RANK_DEFAULT;
}

tacit_status tc_simulate_curator(const tc_simulate_plan *p, const tc_simulation *sim,
                                 tc_curator_terms *out, tacit_error *err)
{
    const tc_curator_opts *o = &p->o->curator;
    if (!tc_is_modeler(p->algorithm))
        return TACIT_OK;
    if (p->o->epsilon == 0)
        return check_absent(p, err);
    TC_TRY(check_words(p, sim, err));
    out->terms = (tc_row_terms){.name = "simulation",
                                .mode = (tacit_row_mode)o->mode,
                                .epsilon = p->o->epsilon,
                                .delta = p->o->delta,
                                .radius = o->radius > 0 ? o->radius : 1,
                                .noise = (tacit_rows_noise)o->noise,
                                .rank = rank_of(o),
                                .projection_seed = (uint64_t)o->projection_seed,
                                .output_epsilon = o->output_epsilon,
                                .output_bound = o->output_bound};
    TC_TRY(take_columns(p, sim, out, err));
    out->terms.maximize = tc_value_units_maximize(&sim->units, out->terms.maximize);
    out->given = true;
    return TACIT_OK;
}
