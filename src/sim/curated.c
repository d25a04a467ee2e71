/* curated.c - a curator in a simulation: release and answers. See curated.h.
 *
 * Entropy is keyed as in the test mode of `tacit curate`: the release is step 0 of the seed, the answer
 * about row i is step i + 1. */
#include "sim/curated.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "study/store.h"
#include "wire/released_json.h"

#include <string.h>

struct tc_curated {
    const tc_row_terms *terms;
    uint64_t seed;
    tc_store *store;
    tc_ledger *rows, *outputs; /* as `tacit curate` names them */
    tacit_hash release;
    size_t *order; /* the record of each released row */
    tc_space *space;
};

bool tc_is_modeler(const tc_algorithm *a)
{
    return tc_options_find(a->options, "input_sd") && tc_options_find(a->options, "output_sd");
}

/* ---- terms ---- */

static tacit_status find_rows(const tc_objective *o, const tc_domain **out, tacit_error *err)
{
    *out = tc_objective_space(o)->domain;
    if (*out)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "a curator releases rows, and this objective has a continuous space; take "
                   "gp-sample with a grid, rkhs-se, rkhs-matern52 or a table");
}

tacit_status tc_curated_terms(tc_row_terms *t, const tc_objective *o, double unit, tc_arena *memory,
                              tacit_error *err)
{
    const tc_domain *d;
    TC_TRY(find_rows(o, &d, err));
    tc_row_column *columns = TC_TAKE(memory, d->dim, tc_row_column);
    for (size_t k = 0; columns && k < d->dim; k++)
        columns[k] = (tc_row_column){.name = tc_arena_strdup(memory, d->names[k]),
                                     .low = d->low[k],
                                     .high = d->high[k],
                                     .unit = unit};
    if (memory->failed)
        return tc_fail_memory(err);
    t->rows = d->n;
    t->dims = d->dim;
    t->columns = columns;
    t->maximize = tc_objective_maximize(o);
    return TACIT_OK;
}

static bool set_absent(json_t *j, const char *name, double value)
{
    return json_object_get(j, name) || json_object_set_new(j, name, json_real(value)) == 0;
}

tacit_status tc_curated_options(const tc_row_terms *t, const json_t *given, json_t **out,
                                tacit_error *err)
{
    tc_row_cost cost;
    TC_TRY(tc_row_cost_of(t, &cost, err));
    json_t *j = given ? json_deep_copy(given) : json_object();
    if (j && set_absent(j, "input_sd", cost.input_sd) &&
        set_absent(j, "output_sd", cost.output_sd)) {
        *out = j;
        return TACIT_OK;
    }
    json_decref(j);
    return tc_fail_memory(err);
}

/* ---- release ---- */

static tacit_status open_ledger(tc_curated *c, const char *name, tc_ledger **out, tacit_error *err)
{
    tc_ledger_io io;
    TC_TRY(tc_store_ledger(c->store, name, true, &io, err));
    return tc_ledger_open(out, name, &io, err);
}

static tacit_status keep(void *user, const size_t *order, size_t rows, const tacit_hash *release,
                         tacit_error *err)
{
    tc_curated *c = user;
    (void)release;
    (void)err;
    memcpy(c->order, order, rows * sizeof *order);
    return TACIT_OK;
}

static tacit_status take_space(tc_curated *c, tc_row_release *r, tacit_error *err)
{
    tc_domain *rows = NULL;
    tc_released released = {.rows = r->rows,
                            .cols = r->cols,
                            .columns = tc_row_terms_released(c->terms, r->cols, &r->memory),
                            .values = r->values};
    if (!released.columns)
        return tc_fail_memory(err);
    TC_TRY(tc_released_domain(&released, &rows, err));
    return tc_space_from_domain(&c->space, rows, err);
}

static tacit_status release(tc_curated *c, const double *x, tacit_error *err)
{
    tc_row_keeper keeper = {keep, c};
    tc_row_release r = {0};
    tc_test_noise seeded;
    tc_test_noise_init(&seeded, c->seed, 0);
    tc_entropy e = tc_entropy_of_test(&seeded);
    TC_TRY(tc_row_curator_release(c->rows, NULL, c->terms, x, &e, &keeper, &r, err));
    c->release = r.hash;
    tacit_status status = take_space(c, &r, err);
    tc_row_release_fini(&r);
    return status;
}

/* The curator takes records by rows, a domain has them by columns. */
static tacit_status release_domain(tc_curated *c, const tc_domain *d, tacit_error *err)
{
    double *x = tc_alloc(d->n * d->dim, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->dim; k++)
            x[i * d->dim + k] = d->raw[i + k * d->n];
    tacit_status status = release(c, x, err);
    tc_free(x);
    return status;
}

static tacit_status begin(tc_curated *c, const tc_objective *o, tacit_error *err)
{
    const tc_domain *d;
    TC_TRY(find_rows(o, &d, err));
    if (c->terms->rows != d->n || c->terms->dims != d->dim)
        return tc_fail(err, TACIT_E_ARG,
                       "the terms are about %zu rows of %zu columns, the objective has %zu of %zu",
                       c->terms->rows, c->terms->dims, d->n, d->dim);
    c->order = tc_alloc(d->n, sizeof *c->order);
    if (!c->order)
        return tc_fail_memory(err);
    TC_TRY(tc_store_open(&c->store, "memory:", true, err));
    TC_TRY(open_ledger(c, "rows", &c->rows, err));
    TC_TRY(open_ledger(c, "rows.outputs", &c->outputs, err));
    return release_domain(c, d, err);
}

tacit_status tc_curated_new(tc_curated **out, const tc_row_terms *t, const tc_objective *o,
                            uint64_t seed, tacit_error *err)
{
    tc_curated *c = tc_alloc(1, sizeof *c);
    if (!c)
        return tc_fail_memory(err);
    c->terms = t;
    c->seed = seed;
    tacit_status status = begin(c, o, err);
    if (status == TACIT_OK)
        *out = c;
    else
        tc_curated_free(c);
    return status;
}

void tc_curated_free(tc_curated *c)
{
    if (!c)
        return;
    tc_ledger_close(c->rows);
    tc_ledger_close(c->outputs);
    tc_store_close(c->store);
    tc_space_free(c->space);
    tc_free(c->order);
    tc_free(c);
}

/* ---- use ---- */

const tc_space *tc_curated_space(const tc_curated *c)
{
    return c->space;
}

size_t tc_curated_record(const tc_curated *c, size_t row)
{
    return c->order[row];
}

tacit_status tc_curated_answer(tc_curated *c, size_t row, double *y, tacit_error *err)
{
    tc_row_answer answer;
    tc_test_noise seeded;
    tc_ledger *l = c->terms->output_epsilon > 0 ? c->rows : c->outputs;
    tc_test_noise_init(&seeded, c->seed, row + 1);
    tc_entropy e = tc_entropy_of_test(&seeded);
    TC_TRY(tc_row_curator_answer(l, NULL, c->terms, &c->release, row, *y, &e, &answer, err));
    *y = answer.value;
    return TACIT_OK;
}
