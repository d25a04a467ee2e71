/* projection.c - see projection.h. What a projected row can move by:
 *
 * Let x and x' be two clamped rows with |x - x'| <= D0, and z, z' their computed projections. Exactly
 * projected, they are at most s D0 apart, s the largest singular value of P. Each computed coordinate is a sum of
 * `dims` products: it differs from the exact one by at most g sum_d |P_dk| |x_d| <= g A_k, where
 * g = dims 2^-52 exceeds the constant of that sum's rounding and A_k = sum_d |P_dk| max(|low_d|, |high_d|).
 * So |z - z'| <= s D0 + 2 g |A|.
 *
 * s^2 is the largest eigenvalue of P'P, at most its largest sum of a row of magnitudes. The computed entries
 * of P'P differ from the exact ones by at most g times the product of two norms, which for columns
 * that are orthonormal up to rounding is below 2 g. Hence
 *
 *     radius = D0 sqrt(max_i sum_j (|G_ij| + 2 g)) + 2 g |A|,
 *
 * and a factor of 1 + 2^-40 for the rounding of this line itself. Nothing in it depends on data. */
#include "algo/outsourced/projection.h"

#include "base/error.h"
#include "base/random.h"

#include <math.h>

static const double UP = 1 + 0x1p-40;

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Gram and Schmidt; a second pass takes away what rounding left. */
static void orthonormalise(tc_projection *p)
{
    size_t n = p->dims;
    for (size_t k = 0; k < p->rank; k++) {
        double *x = p->P + k * n;
        for (size_t j = 0; j < 2 * k; j++) {
            const double *y = p->P + j % k * n;
            double along = dot(n, x, y);
            for (size_t d = 0; d < n; d++)
                x[d] -= along * y[d];
        }
        double norm = sqrt(dot(n, x, x));
        for (size_t d = 0; d < n; d++)
            x[d] /= norm;
    }
}

static void draw(tc_projection *p, uint64_t seed)
{
    tc_public_seed public_seed = tc_public_seed_from(seed);
    tc_stream s;
    tc_stream_public(&s, &public_seed, TC_FOR_FEATURES, 0);
    tc_draw_normals(&s, p->dims * p->rank, p->P);
    orthonormalise(p);
}

static double largest_singular(const tc_projection *p, double g)
{
    double most = 0;
    for (size_t i = 0; i < p->rank; i++) {
        double sum = 0;
        for (size_t j = 0; j < p->rank; j++)
            sum += fabs(dot(p->dims, p->P + i * p->dims, p->P + j * p->dims)) + 2 * g;
        most = fmax(most, sum);
    }
    return sqrt(most);
}

static void bound(tc_projection *p, double radius)
{
    double g = (double)p->dims * 0x1p-52, squares = 0;
    for (size_t k = 0; k < p->rank; k++) {
        const double *x = p->P + k * p->dims;
        double reach = 0, low = 0, high = 0;
        for (size_t d = 0; d < p->dims; d++) {
            reach += fabs(x[d]) * fmax(fabs(p->low[d]), fabs(p->high[d]));
            low += fmin(x[d] * p->low[d], x[d] * p->high[d]);
            high += fmax(x[d] * p->low[d], x[d] * p->high[d]);
        }
        squares += reach * reach;
        p->out_low[k] = low - 4 * g * reach;
        p->out_high[k] = high + 4 * g * reach;
    }
    p->radius = (radius * largest_singular(p, g) + 2 * g * sqrt(squares)) * UP;
}

tacit_status tc_projection_init(tc_projection *p, size_t dims, size_t rank, uint64_t seed,
                                const double *low, const double *high, double radius,
                                tacit_error *err)
{
    *p = (tc_projection){.dims = dims, .rank = rank, .low = low, .high = high};
    if (rank == 0 || rank >= dims)
        return tc_fail(err, TACIT_E_ARG,
                       "a projection of %zu columns must have 1 to %zu directions, got %zu", dims,
                       dims - 1, rank);
    p->P = TC_TAKE(&p->memory, dims * rank, double);
    p->out_low = TC_TAKE(&p->memory, rank, double);
    p->out_high = TC_TAKE(&p->memory, rank, double);
    if (p->memory.failed)
        return tc_fail_memory(err);
    draw(p, seed);
    bound(p, radius);
    return TACIT_OK;
}

void tc_projection_fini(tc_projection *p)
{
    tc_arena_fini(&p->memory);
}

/* NaN becomes the middle, as in every mechanism. */
static double clamp(double x, double low, double high)
{
    if (!isfinite(x))
        return low + (high - low) / 2;
    return fmin(fmax(x, low), high);
}

void tc_projection_apply(const tc_projection *p, const double *row, double *out)
{
    for (size_t k = 0; k < p->rank; k++) {
        double sum = 0;
        for (size_t d = 0; d < p->dims; d++)
            sum += p->P[d + k * p->dims] * clamp(row[d], p->low[d], p->high[d]);
        out[k] = sum;
    }
}
