/* score.c - which candidate of a finite space a function of the shared features likes best, for
 * many functions in one pass.
 *
 * A score is phi(x)'omega, summed from the first feature to the last, one product at a time: each
 * (function, candidate) has its own sum and the order is fixed, so the bits do not depend on how
 * many functions are scored together. The speed comes from the other direction: a vector register
 * holds several candidates, each feature that was loaded serves four functions, and a tile stays in
 * the first cache for all of them. Scores are compared as they are made and not kept.
 *
 * Where features are outlined (outline.c), most tiles need no score: a function is scored at the
 * pivots, these bound what a tile can hold, and tiles that cannot hold the largest are left out. */
#include "algo/thompson/thompson.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

enum { TILE = TC_TILE, LANES = 8, TOGETHER = 32, FUNCTIONS = 4 };
enum { PANELS = 8, BLOCK = PANELS * TC_PANEL }; /* whose bounds are kept at a time */

/* The best slot of one function so far; none yet where the value is -INFINITY. */
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

/* Few tiles hold anything better than what was found before: only these are looked at closely. They
 * may come in any order; of equals the first slot wins. */
static void compare(winner *best, size_t tile, const tc_score *score, unsigned avoid,
                    const tile_scores *found)
{
    const unsigned char *shut = score->shut + tile * TILE;
    const double *s = found->s;
    size_t i = 0;
    if (!(found->top >= best->value) || found->top == -INFINITY) /* the latter: no numbers at all */
        return;
    while (s[i] != found->top)
        i++;
    for (i = shut[i] & avoid ? 0 : i; i < TILE; i++) {
        const size_t slot = tile * TILE + i;
        const bool better = s[i] > best->value || (s[i] == best->value && slot < best->slot);
        if (better && !(shut[i] & avoid))
            *best = (winner){.value = s[i], .slot = slot};
    }
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
    q->best[j] = (winner){.value = -INFINITY};
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

/* ---- only where the largest can be ---- */

/* Bounds of up to FUNCTIONS functions in a block of tiles. */
typedef struct bounds {
    size_t tiles, tile[BLOCK], region[BLOCK];
    double most[FUNCTIONS][BLOCK];
} bounds;

TC_CLONES static double score_norm(size_t M, const double *omega)
{
    double lane[LANES] = {0}, sum = 0;
    size_t m = 0;
    for (; m + LANES <= M; m += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += omega[m + l] * omega[m + l];
    for (; m < M; m++)
        sum += omega[m] * omega[m];
    for (size_t l = 0; l < LANES; l++)
        sum += lane[l];
    return sum > 1e-280 ? sqrt(sum) : INFINITY; /* smaller ones may have lost digits */
}

/* The largest that the tiles of a panel can hold, from the scores s of their pivots. */
TC_CLONES static void score_bounds(size_t tiles, const double *restrict spread,
                                   const double *restrict off, double norm,
                                   const double *restrict s, double *restrict most)
{
    double sum[TILE];
    for (size_t t = 0; t < tiles; t++, s += TC_PIVOTS, spread += TC_PIVOTS * TILE) {
        const double s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
        for (size_t i = 0; i < TILE; i++)
            sum[i] = ((s0 * spread[i] + s1 * spread[i + TILE]) + s2 * spread[i + 2 * TILE]) +
                     s3 * spread[i + 3 * TILE];
        most[t] = largest_of(sum) + off[t] * norm;
    }
}

static void bound_panel(const tc_features *f, const tc_panel *p, const double *pivots,
                        const tc_score *const *of, size_t some, bounds *b)
{
    const double *omega[FUNCTIONS];
    tile_scores found[FUNCTIONS];
    for (size_t j = 0; j < FUNCTIONS; j++) {
        const tc_score *score = of[j < some ? j : some - 1];
        omega[j] = score->omega + p->region * score->step;
    }
    if (some == 1)
        score_tile_one(f->rff.M, pivots, omega[0], found);
    else
        score_four(f->rff.M, pivots, omega, found);
    for (size_t j = 0; j < some; j++)
        score_bounds(p->tiles, f->spread + p->tile * TC_PIVOTS * TILE, f->off + p->tile,
                     score_norm(f->rff.M, omega[j]), found[j].s, b->most[j] + b->tiles);
    for (size_t t = 0; t < p->tiles; t++) {
        b->tile[b->tiles] = p->tile + t;
        b->region[b->tiles++] = p->region;
    }
}

static void visit(questions *q, size_t function, const bounds *b, size_t t)
{
    const tc_features *f = q->f;
    const tc_score *score = &q->score[q->first[function]];
    tile_scores found;
    score_tile_one(f->rff.M, f->tiles + b->tile[t] * f->rff.M * TILE,
                   score->omega + b->region[t] * score->step, &found);
    answer(q, function, b->tile[t], &found);
}

/* What all who ask for a function have already. */
static double least_found(const questions *q, size_t function)
{
    double least = INFINITY;
    for (size_t j = q->first[function]; j < TOGETHER; j = q->next[j])
        least = q->best[j].value < least ? q->best[j].value : least;
    return least;
}

/* The most promising tile first: few others can hold more than it does. A bound that is not a number
 * excludes nothing. */
static void visit_tiles(questions *q, size_t function, const bounds *b, const double *most)
{
    size_t top = 0;
    for (size_t t = 1; t < b->tiles; t++)
        top = most[t] > most[top] ? t : top;
    double least = least_found(q, function);
    for (size_t n = 0, t = top; n <= b->tiles; t = n++) {
        if ((n > 0 && t == top) || most[t] < least)
            continue;
        visit(q, function, b, t);
        least = least_found(q, function);
    }
}

static void score_block(questions *q, size_t panel, size_t panels)
{
    const tc_features *f = q->f;
    bounds b;
    for (size_t i = 0; i < q->functions; i += FUNCTIONS) {
        const size_t some = q->functions - i < FUNCTIONS ? q->functions - i : FUNCTIONS;
        const tc_score *of[FUNCTIONS];
        for (size_t j = 0; j < some; j++)
            of[j] = &q->score[q->first[i + j]];
        b.tiles = 0;
        for (size_t p = panel; p < panel + panels; p++)
            bound_panel(f, &f->panel[p], f->pivots + p * f->rff.M * TILE, of, some, &b);
        for (size_t j = 0; j < some; j++)
            visit_tiles(q, i + j, &b, b.most[j]);
    }
}

static void score_outlined(questions *q)
{
    const size_t n = q->f->panels;
    for (size_t p = 0; p < n; p += PANELS)
        score_block(q, p, n - p < PANELS ? n - p : PANELS);
}

static void score_everything(questions *q)
{
    for (size_t i = 0; i < q->f->regions; i++)
        score_region(q, i);
}

static void score_some(const tc_features *f, size_t k, const tc_score *score, unsigned avoid,
                       size_t *slot)
{
    questions q = {.f = f, .score = score, .avoid = avoid};
    for (size_t j = 0; j < k; j++)
        ask(&q, j);
    (f->outlined ? score_outlined : score_everything)(&q);
    for (size_t j = 0; j < k; j++)
        slot[j] = q.best[j].value > -INFINITY ? q.best[j].slot : f->slots;
}

void tc_score_best(const tc_features *f, size_t k, const tc_score *score, unsigned avoid,
                   size_t *best)
{
    for (size_t j = 0; j < k; j += TOGETHER)
        score_some(f, k - j < TOGETHER ? k - j : TOGETHER, score + j, avoid, best + j);
}
