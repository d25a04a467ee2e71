/* rff.c - random Fourier features; see rff.h.
 *
 * Called by path.c and by algorithms that work on features. The argument of a cosine is summed in one
 * fixed order everywhere (b, then W_d x_d for d = 0, 1, ...), so a point has the same features
 * whichever function computes them. */
#include "num/rff.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd.h"
#include "num/la.h"
#include "num/sobol.h"
#include "num/vmath.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum {
    CHUNK = 128, /* features at a time, on the stack */
    TILE = 512   /* points at a time: accumulator, phases and coordinates stay in L1 */
};

/* Matern 1/2 draws Cauchy frequencies, now and then a huge one. Beyond this row sum a cosine varies
 * over 1e-4 of the cube: shrinking it to the limit is invisible, and tc_vcos stays in its range for
 * inputs up to ten times the cube. */
static const double largest_row_sum = 9e4;

tacit_status tc_rff_init(tc_rff *f, size_t M, size_t dim, tacit_error *err)
{
    tc_rff made = {.M = M, .dim = dim};
    made.W = tc_alloc(M * dim, sizeof(double));
    made.b = tc_alloc(M, sizeof(double));
    if (made.W == NULL || made.b == NULL) {
        tc_rff_fini(&made);
        return tc_fail_memory(err);
    }
    *f = made;
    return TACIT_OK;
}

void tc_rff_fini(tc_rff *f)
{
    tc_free(f->W);
    tc_free(f->b);
    *f = (tc_rff){0};
}

/* Degrees of freedom 2 nu of the Student-t spectral density; 0 for SE, whose limit is normal. */
static unsigned spectral_dof(tc_kernel_kind kind)
{
    switch (kind) {
    case TC_KERNEL_MATERN12:
        return 1;
    case TC_KERNEL_MATERN32:
        return 3;
    case TC_KERNEL_MATERN52:
        return 5;
    case TC_KERNEL_SE:
        break;
    }
    return 0;
}

/* What a normal row is multiplied by to be one of the kernel's. */
static double draw_mix(const tc_gp_hyper *h, tc_stream *s)
{
    unsigned dof = spectral_dof(h->kind);
    return dof == 0 ? 1.0 : sqrt((double)dof / tc_draw_chi2(s, dof));
}

static void limit_row(tc_rff *f, size_t m)
{
    double sum = 0.0;
    for (size_t d = 0; d < f->dim; d++)
        sum += fabs(f->W[m + d * f->M]);
    if (sum <= largest_row_sum)
        return;
    for (size_t d = 0; d < f->dim; d++) {
        double share = isfinite(sum) ? f->W[m + d * f->M] / sum : 1.0 / (double)f->dim;
        f->W[m + d * f->M] = share * largest_row_sum;
    }
}

static void draw_frequency(tc_rff *f, const tc_gp_hyper *h, size_t m, tc_stream *s)
{
    double mix = draw_mix(h, s);
    for (size_t d = 0; d < f->dim; d++)
        f->W[m + d * f->M] = mix * tc_draw_normal(s) / h->scale[d];
    limit_row(f, m);
}

void tc_rff_draw(tc_rff *f, const tc_gp_hyper *h, bool unit, tc_stream *s)
{
    assert(h->dim == f->dim);
    f->variance = h->variance;
    f->unit = unit;
    for (size_t m = 0; m < f->M; m++) {
        draw_frequency(f, h, m, s);
        f->b[m] = 2.0 * PI * tc_draw_uniform(s);
    }
}

/* The x with Phi(x) = p in (0,1), by bisection: sixty steps leave nothing of a double. */
static double normal_quantile(double p)
{
    double low = -9, high = 9;
    for (int i = 0; i < 60; i++) {
        double x = (low + high) / 2;
        *(erfc(-x * M_SQRT1_2) / 2 < p ? &low : &high) = x;
    }
    return (low + high) / 2;
}

/* Hammersley's points: coordinate 0 in equal steps, the others those of Sobol'. A frequency and its
 * opposite have the same cosine and sine, so coordinate 0 covers the upper half alone. */
static void even_point(const tc_sobol *q, size_t j, size_t n, double offset, double *u)
{
    tc_sobol_point(q, j, u);
    u[0] = (1 + ((double)j + offset) / (double)n) / 2;
}

void tc_rff_draw_even(tc_rff *f, const tc_gp_hyper *h, bool unit, tc_stream *s)
{
    size_t pairs = (f->M + 1) / 2;
    double u[TC_SOBOL_DIM];
    tc_sobol sobol;
    assert(h->dim == f->dim && f->dim <= TC_SOBOL_DIM);
    f->variance = h->variance;
    f->unit = unit;
    tc_sobol_init(&sobol, f->dim, s);
    double offset = tc_draw_uniform(s);
    for (size_t m = 0; m < f->M; m++) {
        if (m % 2 == 1) { /* the sine of the frequency before */
            for (size_t d = 0; d < f->dim; d++)
                f->W[m + d * f->M] = f->W[m - 1 + d * f->M];
            f->b[m] = -PI / 2;
            continue;
        }
        even_point(&sobol, m / 2, pairs, offset, u);
        double mix = draw_mix(h, s);
        for (size_t d = 0; d < f->dim; d++)
            f->W[m + d * f->M] = mix * normal_quantile(fmax(u[d], 0x1p-53)) / h->scale[d];
        limit_row(f, m);
        f->b[m] = 0;
    }
}

/* y += a x. Unlike a BLAS axpy it never contracts, so the bits are the same on every machine. */
TC_CLONES static void add_multiple(size_t n, double a, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* z[i] = b + W x of features m0 + i; coordinate d of the point is x[d*incx]. */
static void phases(const tc_rff *f, size_t m0, size_t len, const double *x, size_t incx, double *z)
{
    memcpy(z, f->b + m0, len * sizeof *z);
    for (size_t d = 0; d < f->dim; d++)
        add_multiple(len, x[d * incx], f->W + m0 + d * f->M, z);
}

static void features(const tc_rff *f, const double *x, size_t incx, double *phi)
{
    phases(f, 0, f->M, x, incx, phi);
    tc_vcos(f->M, phi);
    double a =
        f->unit ? sqrt(f->variance) / tc_norm2(f->M, phi) : sqrt(2.0 * f->variance / (double)f->M);
    tc_scale(f->M, a, phi);
}

void tc_rff_at(const tc_rff *f, const double *x, double *phi)
{
    features(f, x, 1, phi);
}

void tc_rff_many(const tc_rff *f, size_t n, const double *X, size_t ldx, double *Phi, size_t ldphi)
{
    for (size_t i = 0; i < n; i++)
        features(f, X + i, ldx, Phi + i * ldphi);
}

/* c[i] = cos(W_m x_i + b_m) for len <= TILE points whose coordinate d is X[i + d*ldx]. */
static void cosines(const tc_rff *f, size_t m, size_t len, const double *X, size_t ldx, double *c)
{
    for (size_t i = 0; i < len; i++)
        c[i] = f->b[m];
    for (size_t d = 0; d < f->dim; d++)
        add_multiple(len, f->W[m + d * f->M], X + d * ldx, c);
    tc_vcos(len, c);
}

static void apply_tile(const tc_rff *f, const double *w, size_t len, const double *X, size_t ldx,
                       double *out)
{
    double c[TILE], square[TILE];
    for (size_t i = 0; i < len; i++)
        out[i] = square[i] = 0.0;
    for (size_t m = 0; m < f->M; m++) {
        cosines(f, m, len, X, ldx, c);
        add_multiple(len, w[m], c, out);
        for (size_t i = 0; f->unit && i < len; i++)
            square[i] += c[i] * c[i];
    }
    double a = sqrt(2.0 * f->variance / (double)f->M);
    for (size_t i = 0; i < len; i++)
        out[i] *= f->unit ? sqrt(f->variance / square[i]) : a;
}

void tc_rff_apply(const tc_rff *f, const double *w, size_t n, const double *X, size_t ldx,
                  double *out)
{
    for (size_t i = 0; i < n; i += TILE) {
        size_t len = n - i < TILE ? n - i : TILE;
        apply_tile(f, w, len, X + i, ldx, out + i);
    }
}

/* Adds c'w and c'c over all features, c = cos(Wx + b). */
static void cosine_sums(const tc_rff *f, const double *w, const double *x, double *cw, double *cc)
{
    double c[CHUNK];
    for (size_t m = 0; m < f->M; m += CHUNK) {
        size_t len = f->M - m < CHUNK ? f->M - m : CHUNK;
        phases(f, m, len, x, 1, c);
        tc_vcos(len, c);
        *cw += tc_dot(len, c, w + m);
        *cc += tc_dot(len, c, c);
    }
}

/* Returns c'w of len features from m0 and adds -sum_m s_m (w_m - tilt c_m) W_md to grad, where
 * s = sin(Wx + b). */
static double chunk_grad(const tc_rff *f, size_t m0, size_t len, const double *w, double tilt,
                         const double *x, double *grad)
{
    double c[CHUNK], s[CHUNK];
    phases(f, m0, len, x, 1, c);
    for (size_t i = 0; i < len; i++)
        s[i] = c[i] + 0.5 * PI; /* cos(z + pi/2) = -sin z */
    tc_vcos(len, c);
    tc_vcos(len, s);
    for (size_t i = 0; i < len; i++)
        s[i] *= w[m0 + i] - tilt * c[i];
    tc_gemv('T', len, f->dim, 1.0, f->W + m0, f->M, s, 1.0, grad);
    return tc_dot(len, c, w + m0);
}

double tc_rff_value(const tc_rff *f, const double *w, const double *x)
{
    double cw = 0.0, cc = 0.0;
    cosine_sums(f, w, x, &cw, &cc);
    return cw * sqrt(f->variance / (f->unit ? cc : 0.5 * (double)f->M));
}

/* Rescaled features give sqrt(v) c'w / |c|. Its gradient is that of the plain sum with the part of w
 * along c taken out: hence the tilt c'w / c'c. */
double tc_rff_value_grad(const tc_rff *f, const double *w, const double *x, double *grad)
{
    double tilt = 0.0, a = sqrt(2.0 * f->variance / (double)f->M), value = 0.0;
    if (f->unit) {
        double cw = 0.0, cc = 0.0;
        cosine_sums(f, w, x, &cw, &cc);
        tilt = cw / cc;
        a = sqrt(f->variance / cc);
    }
    for (size_t d = 0; d < f->dim; d++)
        grad[d] = 0.0;
    for (size_t m = 0; m < f->M; m += CHUNK) {
        size_t len = f->M - m < CHUNK ? f->M - m : CHUNK;
        value += chunk_grad(f, m, len, w, tilt, x, grad);
    }
    tc_scale(f->dim, a, grad);
    return a * value;
}
