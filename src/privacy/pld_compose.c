/* pld_compose.c - the composition of all parts, each as often as its count says, by FFT.
 *
 * The tilted and normalised masses of a part, above in the real and below in the imaginary array,
 * are put on a circle of n points and transformed once; the spectra are raised to the count and
 * multiplied; one inverse transform gives both compositions. Masses beyond the circle come round:
 * pld_epsilon.c accounts for those.
 *
 * Round-off. Let X be the exact spectrum of a part, |X_j| <= 1, and X + d the computed one, |d_j| <=
 * e (fft.h, for two sequences of total 1). Then with b_j = |X_j + d_j| + e every factor and its
 * computed value are at most b_j, and the product over parts is off by at most
 *     prod b^count * sum count * (e/b + 4 u),
 * 4 u for a complex multiplication of the power, sqrt(5) u, and second order. That bound is computed
 * beside the product, for each frequency. Every value of the inverse is then off by at most the
 * mean of the bounds, plus the error of the inverse itself. Called by pld.c. */
#include "privacy/pld_int.h"

#include "base/error.h"
#include "base/simd.h"
#include "privacy/fft.h"

#include <math.h>
#include <string.h>

#define BLOCK     128
#define NOTHING   1e-200   /* squared magnitudes below count as 0 */
#define FORGOTTEN 1e-90    /* and add at most this to a spectrum */
#define FADED     (-230.0) /* ln: e^-230 = 1e-100 */

/* The product so far, for one bound, frequencies 0..n/2. */
typedef struct product {
    double *re, *im;
    double *size;  /* prod b^count */
    double *error; /* sum count (e/b + 4u) */
} product;

typedef struct work {
    size_t n;
    double e; /* error of a spectrum */
    double *re, *im;
    product y[2];
    tc_fft *fft;
} work;

/* Factors of one block of frequencies of one bound. */
typedef struct factors {
    double re[BLOCK], im[BLOCK], size[BLOCK];
} factors;

/* ---- tilting */

static void tilt_into(double *circle, size_t n, const tc_pld_measure *m, double lambda)
{
    double log_m = tc_pld_log_mgf(m, lambda), weight = 0, ratio = exp(lambda * m->h);
    size_t at = (size_t)(m->first & (int64_t)(n - 1)); /* n is a power of two */
    for (size_t i = 0; i < m->n; i++, at = (at + 1) & (n - 1), weight *= ratio) {
        if (i % 64 == 0)
            weight = exp(lambda * (m->offset + (double)(m->first + (int64_t)i) * m->h) - log_m);
        if (m->p[i] > 0)
            circle[at] += m->p[i] * weight;
    }
}

/* ---- powers of a block */

TC_CLONES static void pld_multiply(double *restrict ar, double *restrict ai, double *restrict as,
                                   const double *restrict br, const double *restrict bi,
                                   const double *restrict bs, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double re = ar[j] * br[j] - ai[j] * bi[j], im = ar[j] * bi[j] + ai[j] * br[j];
        double keep = re * re + im * im < NOTHING ? 0.0 : 1.0;
        double size = as[j] * bs[j];
        ar[j] = re * keep;
        ai[j] = im * keep;
        as[j] = size < FORGOTTEN ? FORGOTTEN : size;
    }
}

static void multiply(factors *a, const factors *b, size_t n)
{
    pld_multiply(a->re, a->im, a->size, b->re, b->im, b->size, n);
}

/* y *= x^count, by squaring. */
static void multiply_power(factors *y, factors *x, uint64_t count, size_t n)
{
    factors square;
    for (;;) {
        if (count & 1)
            multiply(y, x, n);
        count >>= 1;
        if (count == 0)
            return;
        square = *x;
        multiply(x, &square, n);
    }
}

/* ---- one part */

/* The spectrum of the real (bound 0) or imaginary (bound 1) sequence at frequency j. */
static void separate(const work *w, int bound, size_t j, double *re, double *im)
{
    size_t k = (w->n - j) & (w->n - 1);
    double ar = w->re[j], ai = w->im[j], br = w->re[k], bi = w->im[k];
    *re = bound == 0 ? 0.5 * (ar + br) : 0.5 * (ai + bi);
    *im = bound == 0 ? 0.5 * (ai - bi) : 0.5 * (br - ar);
}

/* Fills x with the part's spectrum, adds to the error sums; returns the largest magnitude. */
static double take_factors(const work *w, int bound, size_t from, size_t n, double count,
                           factors *x, double *error)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        separate(w, bound, from + j, &x->re[j], &x->im[j]);
        x->size[j] = sqrt(x->re[j] * x->re[j] + x->im[j] * x->im[j]) + w->e;
        error[j] += count * (w->e / x->size[j] + 4 * TC_PLD_ULP);
        most = fmax(most, x->size[j]);
    }
    return most;
}

static void fade(factors *y, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        y->re[j] = y->im[j] = 0;
        y->size[j] = FORGOTTEN;
    }
}

static void multiply_block(const work *w, int bound, size_t from, size_t n, uint64_t count)
{
    const product *p = &w->y[bound];
    size_t bytes = n * sizeof(double);
    factors x, y;
    memcpy(y.re, p->re + from, bytes);
    memcpy(y.im, p->im + from, bytes);
    memcpy(y.size, p->size + from, bytes);
    double most = take_factors(w, bound, from, n, (double)count, &x, p->error + from);
    if ((double)count * log(most) < FADED)
        fade(&y, n);
    else
        multiply_power(&y, &x, count, n);
    memcpy(p->re + from, y.re, bytes);
    memcpy(p->im + from, y.im, bytes);
    memcpy(p->size + from, y.size, bytes);
}

static void multiply_part(work *w, const tc_pld_part *part, double lambda)
{
    memset(w->re, 0, w->n * sizeof *w->re);
    memset(w->im, 0, w->n * sizeof *w->im);
    tilt_into(w->re, w->n, &part->above, lambda);
    tilt_into(w->im, w->n, &part->below, lambda);
    tc_fft_forward(w->fft, w->re, w->im);
    size_t half = w->n / 2 + 1;
    for (size_t from = 0; from < half; from += BLOCK)
        for (int bound = 0; bound < 2; bound++)
            multiply_block(w, bound, from, half - from < BLOCK ? half - from : BLOCK, part->count);
}

/* ---- all parts */

/* Puts the two products together as the spectrum of above + i below. */
static void join(work *w)
{
    const product *a = &w->y[0], *b = &w->y[1];
    for (size_t j = 0; j <= w->n / 2; j++) {
        size_t k = (w->n - j) & (w->n - 1);
        w->re[k] = a->re[j] + b->im[j];
        w->im[k] = b->re[j] - a->im[j];
        w->re[j] = a->re[j] - b->im[j];
        w->im[j] = a->im[j] + b->re[j];
    }
}

/* Mean over all frequencies of the error of the product, and of the transform back. */
static double error_of(const work *w, int bound, double transform)
{
    double sum = 0;
    for (size_t j = 0; j <= w->n / 2; j++) {
        double share = fmin(expm1(w->y[bound].error[j]), 2); /* both values are below size */
        double own = w->y[bound].size[j] * share + FORGOTTEN;
        double both = transform * (w->y[0].size[j] + w->y[1].size[j]);
        sum += (j == 0 || j == w->n / 2 ? 1 : 2) * (own + both);
    }
    return sum / (double)w->n;
}

/* Turns the circle so that the window starts at 0, and scales by 1/n. */
static void unroll(double *out, const double *circle, size_t n, int64_t start)
{
    size_t at = (size_t)(start & (int64_t)(n - 1));
    for (size_t i = 0; i < n; i++)
        out[i] = circle[(at + i) & (n - 1)] / (double)n;
}

static tacit_status take_work(work *w, unsigned log2_n, tc_arena *arena, tacit_error *err)
{
    w->n = (size_t)1 << log2_n;
    w->e = 2 * tc_fft_error(log2_n + 1) + 8 * TC_PLD_ULP;
    w->re = TC_TAKE(arena, w->n, double);
    w->im = TC_TAKE(arena, w->n, double);
    for (int bound = 0; bound < 2; bound++) {
        product *y = &w->y[bound];
        y->re = TC_TAKE(arena, w->n / 2 + 1, double);
        y->im = TC_TAKE(arena, w->n / 2 + 1, double);
        y->size = TC_TAKE(arena, w->n / 2 + 1, double);
        y->error = TC_TAKE(arena, w->n / 2 + 1, double);
        for (size_t j = 0; j <= w->n / 2 && !arena->failed; j++)
            y->re[j] = y->size[j] = 1;
    }
    w->fft = arena->failed ? NULL : tc_fft_new(log2_n);
    return w->fft == NULL ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tc_pld_compose(tc_pld_sum *out, const tc_pld_parts *parts, const tc_pld_tilt *t,
                            unsigned log2_n, tc_arena *arena, tacit_error *err)
{
    work w = {0};
    TC_TRY(take_work(&w, log2_n, arena, err));
    for (size_t i = 0; i < parts->n; i++)
        multiply_part(&w, &parts->part[i], t->lambda);
    join(&w);
    tc_fft_inverse(w.fft, w.re, w.im);
    tc_fft_free(w.fft);
    out->n = w.n;
    for (int bound = 0; bound < 2; bound++) {
        out->error[bound] = error_of(&w, bound, tc_fft_error(log2_n + 1));
        out->p[bound] = TC_TAKE(arena, w.n, double);
        if (out->p[bound] == NULL)
            return tc_fail_memory(err);
        unroll(out->p[bound], bound == 0 ? w.re : w.im, w.n, t->start);
    }
    return TACIT_OK;
}
