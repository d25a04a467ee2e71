/* sketch.c - plays as plane rotations, dictionary arms as rows. See sketch.h. */
#include "algo/ldp/sketch.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

/* An arm of which less than this part of the variance is outside of the span adds no feature: its
 * direction would be made of rounding errors. */
static const double LEAST_REST = 1e-12;

tacit_status tc_sketch_init(tc_sketch *s, size_t n, size_t targets, double lambda,
                            const double *prior, tacit_error *err)
{
    TC_TRY(tc_la_start(err));
    *s = (tc_sketch){.n = n, .targets = targets, .lambda = lambda};
    s->prior = tc_alloc(n, sizeof *s->prior);
    s->rest = tc_alloc(n, sizeof *s->rest);
    s->count = tc_alloc(n, sizeof *s->count);
    s->sums = tc_alloc(n * targets + 1, sizeof *s->sums);
    s->aside = tc_alloc(n + targets, sizeof *s->aside);
    if (!s->prior || !s->rest || !s->count || !s->sums || !s->aside)
        return tc_fail_memory(err);
    memcpy(s->prior, prior, n * sizeof *prior);
    tc_sketch_clear(s);
    return TACIT_OK;
}

void tc_sketch_fini(tc_sketch *s)
{
    tc_free(s->phi);
    tc_free(s->W);
    tc_free(s->prior);
    tc_free(s->rest);
    tc_free(s->count);
    tc_free(s->sums);
    tc_free(s->aside);
    *s = (tc_sketch){0};
}

void tc_sketch_clear(tc_sketch *s)
{
    s->m = 0;
    s->gain = 0;
    memcpy(s->rest, s->prior, s->n * sizeof *s->rest);
}

static size_t width(const tc_sketch *s)
{
    return s->n + s->targets;
}

/* ---- the dictionary ---- */

static tacit_status make_room(tc_sketch *s, tacit_error *err)
{
    if (s->m < s->cap)
        return TACIT_OK;
    size_t cap = s->cap ? 2 * s->cap : 8;
    double *phi = tc_resize(s->phi, cap, s->n * sizeof *phi);
    if (!phi)
        return tc_fail_memory(err);
    s->phi = phi;
    double *W = tc_resize(s->W, cap, width(s) * sizeof *W);
    if (!W)
        return tc_fail_memory(err);
    s->W = W;
    s->cap = cap;
    return TACIT_OK;
}

/* psi = (k(a, .) - Phi phi_a) / sqrt(rest_a): the part of k(a, .) outside of the span, as a row. */
static void new_feature(tc_sketch *s, size_t a, const double *k, double *psi)
{
    memcpy(psi, k, s->n * sizeof *psi);
    for (size_t i = 0; i < s->m; i++)
        tc_axpy(s->n, -s->phi[i * s->n + a], s->phi + i * s->n, psi);
    tc_scale(s->n, 1 / sqrt(s->rest[a]), psi);
}

/* row = [psi | psi'Y], aside = C psi; returns psi'C psi + lambda. */
static double start_row(tc_sketch *s, const double *psi, double *row)
{
    memcpy(row, psi, s->n * sizeof *row);
    memset(row + s->n, 0, s->targets * sizeof *row);
    for (size_t x = 0; x < s->n; x++) {
        s->aside[x] = s->count[x] * psi[x];
        if (s->count[x] > 0)
            tc_axpy(s->targets, psi[x], s->sums + x * s->targets, row + s->n);
    }
    return tc_dot(s->n, psi, s->aside) + s->lambda;
}

/* The factor of V grows by a row (l', d): l = L^-1 Phi'C psi = U C psi, d^2 = psi'C psi + lambda -
 * l'l, and W by ([psi | psi'Y] - l'W) / d. */
static void append_row(tc_sketch *s, const double *psi)
{
    double *row = s->W + s->m * width(s);
    double square = start_row(s, psi, row);
    for (size_t i = 0; i < s->m; i++) {
        const double *w = s->W + i * width(s);
        double l = tc_dot(s->n, w, s->aside);
        tc_axpy(width(s), -l, w, row);
        square -= l * l;
    }
    square = fmax(square, s->lambda); /* what is taken off is never more than what was added */
    tc_scale(width(s), 1 / sqrt(square), row);
    s->gain += log(square / s->lambda) / 2;
}

tacit_status tc_sketch_add(tc_sketch *s, size_t a, const double *k, tacit_error *err)
{
    if (!(s->rest[a] > LEAST_REST * s->prior[a]))
        return TACIT_OK;
    TC_TRY(make_room(s, err));
    double *psi = s->phi + s->m * s->n;
    new_feature(s, a, k, psi);
    append_row(s, psi);
    for (size_t x = 0; x < s->n; x++)
        s->rest[x] = fmax(s->rest[x] - psi[x] * psi[x], 0);
    s->rest[a] = 0;
    s->m++;
    return TACIT_OK;
}

/* ---- plays ---- */

/* w becomes c w + s v, and v becomes c v - s w. */
TC_CLONES static void sketch_rotate(size_t n, double c, double s, double *restrict w,
                                    double *restrict v)
{
    for (size_t i = 0; i < n; i++) {
        double old = w[i];
        w[i] = c * old + s * v[i];
        v[i] = c * v[i] - s * old;
    }
}

/* V + phi phi' = L (I + u u') L' with u = U_a. [I u] G = [M 0] for plane rotations G, so M is the
 * factor of I + u u', and G'[W; (0 | y)] has M^-1 (W + ...) above its last row: the rotations that
 * make the factor make W. Rotation i has c^2 = a_{i-1} / a_i, s^2 = u_i^2 / a_i, a_i = 1 + u_1^2 +
 * ... + u_i^2. */
void tc_sketch_observe(tc_sketch *s, size_t a, const double *y)
{
    double sum = 1;
    memset(s->aside, 0, s->n * sizeof *s->aside);
    if (s->targets > 0)
        memcpy(s->aside + s->n, y, s->targets * sizeof *y);
    for (size_t i = 0; i < s->m; i++) {
        double *w = s->W + i * width(s), u = w[a], next = sum + u * u;
        sketch_rotate(width(s), sqrt(sum / next), u / sqrt(next), w, s->aside);
        sum = next;
    }
    s->gain += log(sum) / 2;
    s->count[a]++;
    for (size_t j = 0; j < s->targets; j++)
        s->sums[a * s->targets + j] += y[j];
}

/* ---- answers ---- */

const double *tc_sketch_weights(const tc_sketch *s, size_t j, size_t *stride)
{
    *stride = width(s);
    return s->W ? s->W + s->n + j : NULL;
}

TC_CLONES static void sketch_add_row(size_t n, double z, const double *restrict w,
                                     double *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] += z * w[i];
}

TC_CLONES static void sketch_add_square(size_t n, double lambda, const double *restrict w,
                                        double *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] += lambda * w[i] * w[i];
}

void tc_sketch_mean(const tc_sketch *s, const double *z, size_t stride, double *out)
{
    memset(out, 0, s->n * sizeof *out);
    for (size_t i = 0; i < s->m; i++)
        sketch_add_row(s->n, z[i * stride], s->W + i * width(s), out);
}

void tc_sketch_variance(const tc_sketch *s, double *out)
{
    memcpy(out, s->rest, s->n * sizeof *out);
    for (size_t i = 0; i < s->m; i++)
        sketch_add_square(s->n, s->lambda, s->W + i * width(s), out);
}
