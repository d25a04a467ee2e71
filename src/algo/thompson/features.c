/* features.c - the random features that all agents share, and a finite domain in their terms.
 *
 * W and b come from the public seed: nobody sends them. The candidates of a finite space are kept
 * in the order of their regions, so that a broadcast is scored by one product for each region.
 * Optimizers of one study in one process share it all; they are made and ended one at a time. */
#include "algo/thompson/thompson.h"

#include "base/error.h"
#include "num/sobol.h"
#include "space/partition.h"

#include <math.h>

/* 0.1 dim^(3/4): functions of more parameters vary more slowly along each of them, or nobody could learn them. Square
 * roots have the same bits everywhere. */
double tc_usual_lengthscale(size_t dim)
{
    return 0.1 * sqrt((double)dim * sqrt((double)dim));
}

static tacit_status draw_features(tc_features *f, const tc_env *env, const tc_features_spec *spec,
                                  tacit_error *err)
{
    size_t dim = env->space->dim;
    double *scale = TC_TAKE(&f->memory, dim, double);
    if (!scale)
        return tc_fail_memory(err);
    for (size_t d = 0; d < dim; d++)
        scale[d] = spec->lengthscale;
    tc_gp_hyper hyper = {
        .kind = (tc_kernel_kind)spec->kernel, .dim = dim, .variance = 1, .scale = scale};
    tc_stream stream;
    tc_stream_public(&stream, &env->public_seed, TC_FOR_FEATURES, 0);
    TC_TRY(tc_rff_init(&f->rff, spec->M, dim, err));
    (spec->even && dim <= TC_SOBOL_DIM ? tc_rff_draw_even : tc_rff_draw)(&f->rff, &hyper,
                                                                         spec->unit, &stream);
    return TACIT_OK;
}

/* A counting sort by region: candidates of one region keep their order. */
static void sort_candidates(tc_features *f, const tc_domain *d, double *u)
{
    for (size_t c = 0; c < d->n; c++) {
        for (size_t k = 0; k < d->dim; k++)
            u[k] = d->u[c + k * d->n];
        f->place[c] = tc_region_of(u, f->regions, d->dim);
        f->start[f->place[c] + 1]++;
    }
    for (size_t i = 0; i < f->regions; i++)
        f->start[i + 1] += f->start[i];
    for (size_t c = d->n; c > 0; c--) {
        size_t end = --f->start[f->place[c - 1] + 1];
        f->place[c - 1] = end;
        f->order[end] = c - 1;
    }
}

/* The sort has moved each region's end to its beginning: start[i+1] is where region i begins. */
static void restore_starts(tc_features *f)
{
    for (size_t i = 0; i < f->regions; i++)
        f->start[i] = f->start[i + 1];
    f->start[f->regions] = f->n;
}

/* ---- tiles ---- */

static size_t tiles_of(size_t points)
{
    return (points + TC_TILE - 1) / TC_TILE;
}

/* Where each candidate stands, from the places. */
static void assign_slots(tc_features *f)
{
    for (size_t q = 0; q < f->slots; q++)
        f->held[q] = f->n;
    for (size_t i = 0; i < f->regions; i++)
        for (size_t p = f->start[i]; p < f->start[i + 1]; p++) {
            size_t q = f->tile[i] * TC_TILE + p - f->start[i];
            f->held[q] = f->order[p];
            f->slot[f->order[p]] = q;
        }
}

static void fill_tiles(tc_features *f)
{
    size_t M = f->rff.M;
    for (size_t p = 0; p < f->n; p++) {
        size_t q = f->slot[f->order[p]];
        double *tile = f->tiles + q / TC_TILE * M * TC_TILE + q % TC_TILE;
        for (size_t m = 0; m < M; m++)
            tile[m * TC_TILE] = f->Phi[p * M + m];
    }
}

static tacit_status add_tiles(tc_features *f, tacit_error *err)
{
    f->tile = TC_TAKE(&f->memory, f->regions + 1, size_t);
    if (!f->tile)
        return tc_fail_memory(err);
    for (size_t i = 0; i < f->regions; i++)
        f->tile[i + 1] = f->tile[i] + tiles_of(f->start[i + 1] - f->start[i]);
    f->slots = f->tile[f->regions] * TC_TILE;
    f->slot = TC_TAKE(&f->memory, f->n, size_t);
    f->held = TC_TAKE(&f->memory, f->slots, size_t);
    f->tiles = TC_TAKE(&f->memory, f->slots * f->rff.M, double);
    if (f->memory.failed)
        return tc_fail_memory(err);
    assign_slots(f);
    fill_tiles(f);
    return tc_features_outline(f, err);
}

/* ---- candidates ---- */

static tacit_status add_domain(tc_features *f, const tc_domain *d, tacit_error *err)
{
    size_t M = f->rff.M;
    f->n = d->n;
    f->order = TC_TAKE(&f->memory, d->n, size_t);
    f->place = TC_TAKE(&f->memory, d->n, size_t);
    f->start = TC_TAKE(&f->memory, f->regions + 1, size_t);
    f->Phi = TC_TAKE(&f->memory, M * d->n, double);
    double *u = TC_TAKE(&f->memory, d->dim, double);
    if (f->memory.failed)
        return tc_fail_memory(err);
    sort_candidates(f, d, u);
    restore_starts(f);
    for (size_t c = 0; c < d->n; c++)
        tc_rff_many(&f->rff, 1, d->u + c, d->n, f->Phi + f->place[c] * M, M);
    return add_tiles(f, err);
}

static tacit_status build(tc_features *f, const tc_env *env, const tc_features_spec *spec,
                          tacit_error *err)
{
    TC_TRY(draw_features(f, env, spec, err));
    return env->space->domain ? add_domain(f, env->space->domain, err) : TACIT_OK;
}

tacit_status tc_features_new(tc_features **out, const tc_env *env, const tc_features_spec *spec,
                             tacit_error *err)
{
    tc_features *f = tc_alloc(1, sizeof *f);
    if (!f)
        return tc_fail_memory(err);
    f->users = 1;
    f->regions = spec->regions;
    tacit_status status = build(f, env, spec, err);
    if (status != TACIT_OK) {
        tc_features_unref(f);
        return status;
    }
    *out = f;
    return TACIT_OK;
}

void tc_features_unref(tc_features *f)
{
    if (!f || --f->users > 0)
        return;
    tc_rff_fini(&f->rff);
    tc_arena_fini(&f->memory);
    tc_free(f);
}
