/* gain.c - what agents of dp-fts-de may gain at best over working alone: expect of tc_algorithm.
 *
 * What a broadcast is worth depends on how much of a function it leaves open, which public constants tell (broadcast_filter.c,
 * find_error): numbers of agents, noise, clip norm, features and initial points all go into this one number. So a table
 * has, for some dimensions and numbers of initial points, the regret over that without broadcasts at several values of
 * it. bench/gain_table made it by simulation, with agents that are alike and are told nothing: agents that differ
 * gain less.
 *
 * Between its values the table is interpolated on the logarithm; it was made monotone. Dimensions and numbers of initial
 * points in between take the neighbour that gains less, and more initial points than in the table its end. Where the
 * broadcast leaves more open than in any simulation there is no gain. Where there was no simulation of the kind there is
 * no number: with many parameters, above all, a federation may even be worse (docs/benchmarks.md). */
#include "algo/dp_fts_de/agent.h"
#include "algo/dp_fts_de/gain_table.h"
#include "algo/expect.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

static const tc_dp_fts_de_gain_table simulated = {
    .rows = simulated_rows,
    .n = sizeof simulated_rows / sizeof *simulated_rows,
    .dims = simulated_dims,
    .initials = simulated_initials,
    .n_dims = sizeof simulated_dims / sizeof *simulated_dims,
    .n_initials = sizeof simulated_initials / sizeof *simulated_initials,
};

/* ---- the table ---- */

/* At point t among the rows of one dimension and number of initial points, which ascend in left_open. */
static tc_expect_ratio interpolate(const tc_dp_fts_de_gain_row *row, size_t n, size_t t,
                                   double open)
{
    if (open <= row[0].left_open)
        return row[0].at[t];
    for (size_t i = 1; i < n; i++) {
        const tc_expect_ratio *a = &row[i - 1].at[t], *b = &row[i].at[t];
        if (open > row[i].left_open)
            continue;
        double w = log(open / row[i - 1].left_open) / log(row[i].left_open / row[i - 1].left_open);
        return (tc_expect_ratio){.ratio = a->ratio + w * (b->ratio - a->ratio),
                                 .low = a->low + w * (b->low - a->low),
                                 .high = a->high + w * (b->high - a->high)};
    }
    const tc_expect_ratio *last = &row[n - 1].at[t];
    return (tc_expect_ratio){
        .ratio = fmax(1, last->ratio), .low = last->low, .high = fmax(1, last->high)};
}

/* The two values of the table that x lies between; the same twice where it is one of them, or beyond. */
static void neighbours(const size_t *values, size_t n, size_t x, size_t out[2])
{
    out[0] = values[0];
    out[1] = values[n - 1];
    for (size_t i = 0; i < n; i++) {
        if (values[i] <= x)
            out[0] = values[i];
        if (values[n - 1 - i] >= x)
            out[1] = values[n - 1 - i];
    }
}

/* The rows of one dimension and number of initial points stand together. */
static bool find_rows(const tc_dp_fts_de_gain_table *table, size_t dim, size_t initial,
                      size_t *from, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < table->n; i++)
        if (table->rows[i].dim == dim && table->rows[i].initial == initial) {
            *from = *n == 0 ? i : *from;
            (*n)++;
        }
    return *n > 0;
}

bool tc_dp_fts_de_gain_at(const tc_dp_fts_de_gain_table *table, size_t dim, size_t initial,
                          double open, size_t t, tc_expect_ratio *out)
{
    size_t dims[2], initials[2], from, n;
    bool found = false;
    neighbours(table->dims, table->n_dims, dim, dims);
    neighbours(table->initials, table->n_initials, initial, initials);
    for (int i = 0; i < 4; i++) {
        if (!find_rows(table, dims[i / 2], initials[i % 2], &from, &n) ||
            table->rows[from].at[t].ratio == 0) /* simulations that ended before */
            continue;
        tc_expect_ratio r = interpolate(table->rows + from, n, t, open);
        if (!found || r.ratio > out->ratio)
            *out = r;
        found = true;
    }
    return found;
}

/* ---- what a broadcast leaves open ---- */

/* Are options in force that change what a message says, and were not simulated? */
static bool is_special(const tc_dp_fts_de_options *o)
{
    return o->features != 100 || o->clip > 0 || o->kernel != TC_KERNEL_SE || o->noise != 0.01 ||
           o->unit || o->sampling_rate < 1;
}

/* A length-scale that is given and is far from the usual one. */
static bool is_far(const tc_dp_fts_de_options *o, size_t dim)
{
    const double off = o->lengthscale / tc_usual_lengthscale(dim), most = 2.5;
    return o->lengthscale > 0 && (off > most || off < 1 / most);
}

/* Why there was no simulation of the kind, as far as options say; NULL. */
static const char *why_none(const tc_env *env, const tc_dp_fts_de_options *o)
{
    const size_t dim = env->space->dim;
    return env->agents < 2                       ? "an agent alone hears nobody"
           : o->broadcast != TC_DP_FTS_DE_NORMAL ? "only broadcast=normal was simulated"
           : o->noise_multiplier == 0            ? "only studies with noise were simulated"
           : o->own != TC_DP_FTS_DE_OWN_GP       ? "only own=gp was simulated"
           : tc_dp_fts_de_regions(o) > 1         ? "only regions=1 was simulated"
           : o->mode != TC_DP_FTS_DE_SOUND       ? "only mode=sound was simulated"
           : env->budget == 0                    ? "the number of trials is not known"
           : env->budget <= (uint64_t)o->initial ? "no trial comes after the initial points"
           : o->initial < 3 ? "with fewer than 3 initial points agents have nothing to say"
           : dim > simulated.dims[simulated.n_dims - 1]
               ? "only up to 6 coordinates were simulated (a choice has one for each of its values)"
           : is_special(o) ? "only the defaults of features, kernel, unit, noise, clip and "
                             "sampling_rate were simulated"
           : is_far(o, dim)
               ? "the length-scale is more than 2.5 times off the usual one, which was simulated"
               : NULL;
}

/* A box of so many parameters. It stands for spaces of all kinds: candidates may be many, and what an agent does with
 * them all is not needed to find one number. */
static tacit_status make_box(size_t dim, tc_space **out, tacit_error *err)
{
    char name[32];
    tacit_status status = tc_space_new(out, err);
    for (size_t d = 0; d < dim && status == TACIT_OK; d++) {
        snprintf(name, sizeof name, "x%zu", d);
        status = tc_space_add_float(*out, name, 0, 1, 0, false, err);
    }
    return status;
}

/* As an agent finds it in this box with features of this length-scale; NaN: it would not. The seed is a fixed one, so
 * that all who ask about a study get the same answer. */
static tacit_status find_left_open(const tc_env *env, const tc_space *box,
                                   const tc_dp_fts_de_options *o, double lengthscale, double *out,
                                   tacit_error *err)
{
    tc_dp_fts_de_options plan = *o; /* its pointers stay o's */
    const tc_history nothing = {.dim = box->dim};
    const tc_env one = {.space = box,
                        .history = &nothing,
                        .public_seed = tc_public_seed_from(0),
                        .party_seed = tc_party_seed_from(0),
                        .agents = env->agents,
                        .trustees = env->trustees,
                        .budget = env->budget};
    plan.lengthscale = lengthscale;
    plan.vote = TC_DP_FTS_DE_VOTE_NO;
    plan.vote_multiplier = 0;
    tc_dp_fts_de_agent_state *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    tacit_status status = tc_dp_fts_de_agent.init(a, &one, &plan, err);
    *out = status == TACIT_OK && a->filter ? a->filter->error : NAN;
    tc_dp_fts_de_agent.fini(a);
    tc_free(a);
    return status;
}

/* The table counts it at the usual length-scale, whatever a vote then found. One that is given and leaves more open
 * counts as it is. */
static tacit_status find_index(const tc_env *env, const tc_dp_fts_de_options *o, double *out,
                               tacit_error *err)
{
    const size_t dim = env->space->dim;
    double usual = NAN, given = NAN;
    tc_space *box = NULL;
    tacit_status status = make_box(dim, &box, err);
    if (status == TACIT_OK)
        status = find_left_open(env, box, o, tc_usual_lengthscale(dim), &usual, err);
    if (status == TACIT_OK && o->lengthscale > 0)
        status = find_left_open(env, box, o, o->lengthscale, &given, err);
    tc_space_free(box);
    *out = given > usual ? given : usual;
    return status;
}

tacit_status tc_dp_fts_de_expect(const tc_env *env, const void *opts, tc_expect *out,
                                 tacit_error *err)
{
    const tc_dp_fts_de_options *o = opts;
    tc_expect e = {.none = why_none(env, o)};
    if (!e.none)
        TC_TRY(find_index(env, o, &e.left_open, err));
    if (!e.none && isnan(e.left_open))
        e.none = "only one release of weights (releases=first) was simulated";
    const size_t dim = env->space->dim;
    for (size_t t = 0; !e.none && t < TC_EXPECT_POINTS; t++) {
        if (simulated_iterations[t] > env->budget - (uint64_t)o->initial ||
            !tc_dp_fts_de_gain_at(&simulated, dim, (size_t)o->initial, e.left_open, t, &e.at[e.n]))
            continue;
        e.iteration[e.n++] = simulated_iterations[t];
    }
    *out = e;
    return TACIT_OK;
}
