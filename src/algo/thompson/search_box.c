/* search_box.c - the same for a space that is not a finite set: Sobol' points, the best of them
 * improved by L-BFGS along the continuous coordinates.
 *
 * A broadcast jumps at the borders of regions. An ascent that crosses one sees another function;
 * its end counts by its value there, and never replaces something better. */
#include "algo/thompson/thompson.h"

#include "algo/single/cover.h"
#include "num/boxmax.h"
#include "space/partition.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { STARTS = 4, EVALUATIONS = 60 };

static double at(void *ctx, size_t slot, const double *u, double *grad)
{
    const tc_search *s = ctx;
    const tc_target *t = s->target;
    const tc_rff *f = &s->features->rff;
    (void)slot;
    size_t region = t->regions > 1 ? tc_region_of(u, t->regions, f->dim) : 0;
    const double *omega = t->omega + region * f->M;
    if (!grad)
        return tc_rff_value(f, omega, u);
    double value = tc_rff_value_grad(f, omega, u, grad);
    tc_space_hold_idle(s->env->space, u, grad);
    return value;
}

static void score_points(tc_search *s, uint64_t trial)
{
    const tc_env *env = s->env;
    const tc_space *space = env->space;
    tc_stream stream;
    tc_cover cover;
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_CANDIDATES, trial);
    tc_cover_init(&cover, space, &stream);
    for (size_t i = 0; i < s->n; i++) {
        double *u = s->X + i * space->dim;
        tc_cover_next(&cover, s->values);
        tc_space_encode(space, s->values, u);
        s->score[i] = at(s, 0, u, NULL);
        s->shut[i] = tc_search_shut(s, u);
    }
}

/* Moves the best points, best first, out of the running and into the starts. */
static void choose_starts(tc_search *s, size_t chosen[STARTS])
{
    size_t dim = s->env->space->dim;
    for (size_t k = 0; k < STARTS; k++) {
        chosen[k] = tc_search_pick(s);
        memcpy(s->starts + k * dim, s->X + chosen[k] * dim, dim * sizeof *s->starts);
        s->shut[chosen[k]] |= TC_SEARCH_KNOWN;
    }
}

static tacit_status climb(tc_search *s, double value[STARTS], tacit_error *err)
{
    size_t best;
    tc_boxmax p = {.dim = s->env->space->dim,
                   .f = at,
                   .ctx = s,
                   .free = s->free,
                   .max_evals = EVALUATIONS,
                   .ftol_rel = 1e-10};
    tc_cover_limit(&p, s->env->space);
    return tc_boxmax_lbfgs(&p, STARTS, s->starts, value, &best, err);
}

static bool any_free(const tc_search *s)
{
    for (size_t d = 0; d < s->env->space->dim; d++)
        if (s->free[d])
            return true;
    return false;
}

/* A point that was improved takes the place of the one it came from if it is open and better. */
static void put_back(tc_search *s, size_t i, unsigned char shut, double *end)
{
    size_t dim = s->env->space->dim;
    s->shut[i] = shut;
    tc_space_round(s->env->space, end);
    double value = at(s, 0, end, NULL);
    if (!(value > s->score[i]) || tc_search_shut(s, end) > shut)
        return;
    s->score[i] = value;
    s->shut[i] = tc_search_shut(s, end);
    memcpy(s->X + i * dim, end, dim * sizeof *end);
}

tacit_status tc_search_box(tc_search *s, uint64_t trial, double *values, tacit_error *err)
{
    size_t chosen[STARTS], dim = s->env->space->dim;
    unsigned char shut[STARTS];
    double value[STARTS];
    score_points(s, trial);
    for (size_t k = 0; k < STARTS; k++)
        value[k] = -INFINITY;
    if (any_free(s)) {
        choose_starts(s, chosen);
        for (size_t k = 0; k < STARTS; k++)
            shut[k] = tc_search_shut(s, s->X + chosen[k] * dim);
        TC_TRY(climb(s, value, err));
        for (size_t k = 0; k < STARTS; k++)
            put_back(s, chosen[k], shut[k], s->starts + k * dim);
    }
    tc_space_decode(s->env->space, s->X + tc_search_pick(s) * dim, values);
    return TACIT_OK;
}
