/* score.c - which candidate of a finite space a function of the shared features likes best, for
 * many functions in one pass.
 *
 * A score is phi(x)'omega, summed from the first feature to the last, one product at a time: each
 * (function, candidate) has its own sum and the order is fixed, so the bits do not depend on how
 * many functions are scored together. The speed comes from the other direction: a vector register
 * holds several candidates, each feature that was loaded serves four functions, and a tile stays in
 * the first cache for all of them. Scores are compared as they are made and not kept. */
#include "algo/thompson/thompson.h"

#include "num/simd.h"

#include <math.h>
#include <string.h>

enum { TILE = TC_TILE, LANES = 8, TOGETHER = 32, FUNCTIONS = 4 };

/* The best slot of one function so far. */
typedef struct winner {
    double value;
    size_t slot;
} winner;

/* What one function has in a tile. */
typedef struct tile_scores {
    double s[TILE], top;
} tile_scores;

/* ---- one tile: M rows of TILE ---- */

/* Compared on lanes, as vector registers do it. NaN is never larger. */
static inline double largest_of(const double *s)
{
    double top[LANES];
    for (size_t l = 0; l < LANES; l++)
        top[l] = -INFINITY;
    for (size_t i = 0; i < TILE; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            top[l] = s[i + l] > top[l] ? s[i + l] : top[l];
    for (size_t l = 1; l < LANES; l++)
        top[0] = top[l] > top[0] ? top[l] : top[0];
    return top[0];
}

TC_CLONES static void score_tile_one(size_t M, const double *restrict phi, const double *restrict v,
                                     tile_scores *restrict out)
{
    double *restrict s = out->s;
    size_t m = 0;
    for (size_t i = 0; i < TILE; i++)
        s[i] = 0;
    for (; m + 4 <= M; m += 4, phi += 4 * TILE) {
        const double v0 = v[m], v1 = v[m + 1], v2 = v[m + 2], v3 = v[m + 3];
        for (size_t i = 0; i < TILE; i++)
            s[i] = (((s[i] + v0 * phi[i]) + v1 * phi[i + TILE]) + v2 * phi[i + 2 * TILE]) +
                   v3 * phi[i + 3 * TILE];
    }
    for (; m < M; m++, phi += TILE)
        for (size_t i = 0; i < TILE; i++)
            s[i] += v[m] * phi[i];
    out->top = largest_of(s);
}

/* The same for four functions at once: four features are loaded once for all of them. */
TC_CLONES static void score_tile_four(size_t M, const double *restrict phi, const double *const *v,
                                      tile_scores *restrict out)
{
    const double *restrict a = v[0], *restrict b = v[1], *restrict c = v[2], *restrict d = v[3];
    double *restrict s = out[0].s, *restrict t = out[1].s, *restrict u = out[2].s,
                     *restrict w = out[3].s;
    size_t m = 0;
    for (size_t i = 0; i < TILE; i++)
        s[i] = t[i] = u[i] = w[i] = 0;
    for (; m + 4 <= M; m += 4, phi += 4 * TILE) {
        const double a0 = a[m], a1 = a[m + 1], a2 = a[m + 2], a3 = a[m + 3];
        const double b0 = b[m], b1 = b[m + 1], b2 = b[m + 2], b3 = b[m + 3];
        const double c0 = c[m], c1 = c[m + 1], c2 = c[m + 2], c3 = c[m + 3];
        const double d0 = d[m], d1 = d[m + 1], d2 = d[m + 2], d3 = d[m + 3];
        for (size_t i = 0; i < TILE; i++) {
            const double p0 = phi[i], p1 = phi[i + TILE];
            const double p2 = phi[i + 2 * TILE], p3 = phi[i + 3 * TILE];
            s[i] = (((s[i] + a0 * p0) + a1 * p1) + a2 * p2) + a3 * p3;
            t[i] = (((t[i] + b0 * p0) + b1 * p1) + b2 * p2) + b3 * p3;
            u[i] = (((u[i] + c0 * p0) + c1 * p1) + c2 * p2) + c3 * p3;
            w[i] = (((w[i] + d0 * p0) + d1 * p1) + d2 * p2) + d3 * p3;
        }
    }
    for (; m < M; m++, phi += TILE)
        for (size_t i = 0; i < TILE; i++) {
            s[i] += a[m] * phi[i];
            t[i] += b[m] * phi[i];
            u[i] += c[m] * phi[i];
            w[i] += d[m] * phi[i];
        }
    for (size_t j = 0; j < FUNCTIONS; j++)
        out[j].top = largest_of(out[j].s);
}

#ifdef TC_AVX2
/* The same sums in registers: eight candidates of four functions, feature after feature. */
TC_AVX2 static void score_tile_four_avx2(size_t M, const double *phi, const double *const *v,
                                         tile_scores *out)
{
    const double *a = v[0], *b = v[1], *c = v[2], *d = v[3];
    for (size_t i = 0; i < TILE; i += 8) {
        tc_vec4 s0 = {0}, t0 = {0}, u0 = {0}, w0 = {0}, s1 = {0}, t1 = {0}, u1 = {0}, w1 = {0};
        const double *p = phi + i;
        for (size_t m = 0; m < M; m++, p += TILE) {
            const tc_vec4 p0 = *(const tc_vec4 *)p, p1 = *(const tc_vec4 *)(p + 4);
            s0 += a[m] * p0, s1 += a[m] * p1;
            t0 += b[m] * p0, t1 += b[m] * p1;
            u0 += c[m] * p0, u1 += c[m] * p1;
            w0 += d[m] * p0, w1 += d[m] * p1;
        }
        const tc_vec4 sums[FUNCTIONS][2] = {{s0, s1}, {t0, t1}, {u0, u1}, {w0, w1}};
        for (size_t j = 0; j < FUNCTIONS; j++)
            memcpy(out[j].s + i, sums[j], sizeof sums[j]);
    }
    for (size_t j = 0; j < FUNCTIONS; j++)
        out[j].top = largest_of(out[j].s);
}
#endif

static void score_four(size_t M, const double *phi, const double *const *v, tile_scores *out)
{
#ifdef TC_AVX2
    if (tc_has_avx2()) {
        score_tile_four_avx2(M, phi, v, out);
        return;
    }
#endif
    score_tile_four(M, phi, v, out);
}

/* Few tiles hold anything better than what was found before: only these are looked at closely. */
static void compare(winner *best, size_t tile, const tc_score *score, unsigned avoid,
                    const tile_scores *found)
{
    const unsigned char *shut = score->shut + tile * TILE;
    const double *s = found->s;
    size_t i = 0;
    if (!(found->top > best->value))
        return;
    while (s[i] != found->top)
        i++;
    for (i = shut[i] & avoid ? 0 : i; i < TILE; i++)
        if (s[i] > best->value && !(shut[i] & avoid))
            *best = (winner){.value = s[i], .slot = tile * TILE + i};
}

/* ---- all of them ---- */

/* Agents that follow one broadcast share a function: it is scored once. */
typedef struct questions {
    const tc_features *f;
    const tc_score *score;
    unsigned avoid;
    size_t functions;
    size_t first[TOGETHER]; /* of a function: who asks for it ... */
    size_t next[TOGETHER];  /* ... and who after that one; TOGETHER ends it */
    winner best[TOGETHER];
} questions;

static bool same_function(const tc_features *f, const tc_score *a, const tc_score *b)
{
    size_t n = a->step ? f->regions * f->rff.M : f->rff.M;
    if (a->step != b->step || a->omega[0] != b->omega[0]) /* most differ at once */
        return false;
    return memcmp(a->omega, b->omega, n * sizeof *a->omega) == 0;
}

static void ask(questions *q, size_t j)
{
    size_t i = 0;
    q->best[j] = (winner){.value = -INFINITY, .slot = q->f->slots};
    while (i < q->functions && !same_function(q->f, &q->score[q->first[i]], &q->score[j]))
        i++;
    q->next[j] = i < q->functions ? q->first[i] : TOGETHER;
    q->first[i] = j;
    q->functions += i == q->functions;
}

static void answer(questions *q, size_t function, size_t tile, const tile_scores *found)
{
    for (size_t j = q->first[function]; j < TOGETHER; j = q->next[j])
        compare(&q->best[j], tile, &q->score[j], q->avoid, found);
}

/* Four at once; omega has them in whole fours. */
static void score_tile(questions *q, const double *const *omega, size_t tile)
{
    const size_t M = q->f->rff.M, n = q->functions;
    const double *phi = q->f->tiles + tile * M * TILE;
    tile_scores found[FUNCTIONS];
    for (size_t i = 0; i < n; i += FUNCTIONS) {
        const size_t some = n - i < FUNCTIONS ? n - i : FUNCTIONS;
        if (some == 1)
            score_tile_one(M, phi, omega[i], found);
        else
            score_four(M, phi, omega + i, found);
        for (size_t j = 0; j < some; j++)
            answer(q, i + j, tile, &found[j]);
    }
}

/* Where two or three functions are left at the end, the last of them is scored again in the place
 * of the others. */
static void score_region(questions *q, size_t region)
{
    const double *omega[TOGETHER];
    for (size_t i = 0; i < TOGETHER; i++) {
        const size_t function = i < q->functions ? i : q->functions - 1;
        const tc_score *score = &q->score[q->first[function]];
        omega[i] = score->omega + region * score->step;
    }
    for (size_t tile = q->f->tile[region]; tile < q->f->tile[region + 1]; tile++)
        score_tile(q, omega, tile);
}

static void score_some(const tc_features *f, size_t k, const tc_score *score, unsigned avoid,
                       size_t *slot)
{
    questions q = {.f = f, .score = score, .avoid = avoid};
    for (size_t j = 0; j < k; j++)
        ask(&q, j);
    for (size_t i = 0; i < f->regions; i++)
        score_region(&q, i);
    for (size_t j = 0; j < k; j++)
        slot[j] = q.best[j].slot;
}

void tc_score_best(const tc_features *f, size_t k, const tc_score *score, unsigned avoid,
                   size_t *best)
{
    for (size_t j = 0; j < k; j += TOGETHER)
        score_some(f, k - j < TOGETHER ? k - j : TOGETHER, score + j, avoid, best + j);
}
