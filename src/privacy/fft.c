/* fft.c - Stockham's self-sorting transform, radix 4; see fft.h.
 *
 * A pass reads one pair of arrays and writes the other, so there is no reordering at the end. With
 * m = n/4 and stride s, the elements q + s(p + k m), k = 0..3, are the inputs of one butterfly, and
 * q + s(4 p + k) are its outputs: the inner loop over q is contiguous on both sides. */
#include "privacy/fft.h"

#include "base/memory.h"
#include "base/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct tc_fft {
    size_t n;
    double *cosine, *sine; /* of 2 pi k / n, k < n */
    double *re, *im;       /* the other pair */
    tc_arena arena;
};

/* One octant from the C library, where the rounded argument costs least; the rest by symmetry.
 * Below n = 8 the only root in use is 1. */
static void fill_roots(double *c, double *s, size_t n)
{
    size_t quarter = n / 4;
    for (size_t k = 0; k <= n / 8 && quarter > 1; k++) {
        double angle = 2 * M_PI * ((double)k / (double)n);
        c[k] = s[quarter - k] = cos(angle);
        s[k] = c[quarter - k] = sin(angle);
    }
    c[0] = 1;
    s[0] = 0;
    for (size_t k = 0; k < quarter; k++)
        for (size_t turn = 1; turn < 4; turn++) {
            c[k + turn * quarter] = -s[k + (turn - 1) * quarter];
            s[k + turn * quarter] = c[k + (turn - 1) * quarter];
        }
}

tc_fft *tc_fft_new(unsigned log2_n)
{
    if (log2_n > TC_FFT_MAX_LOG2)
        return NULL;
    tc_fft *f = tc_alloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->n = (size_t)1 << log2_n;
    f->cosine = TC_TAKE(&f->arena, f->n, double);
    f->sine = TC_TAKE(&f->arena, f->n, double);
    f->re = TC_TAKE(&f->arena, f->n, double);
    f->im = TC_TAKE(&f->arena, f->n, double);
    if (f->arena.failed) {
        tc_fft_free(f);
        return NULL;
    }
    fill_roots(f->cosine, f->sine, f->n);
    return f;
}

void tc_fft_free(tc_fft *f)
{
    if (f == NULL)
        return;
    tc_arena_fini(&f->arena);
    tc_free(f);
}

double tc_fft_error(unsigned log2_n)
{
    return 4 * (DBL_EPSILON / 2) * log2_n;
}

/* w = exp(-2 pi i p / n) and its powers, for the butterflies of one p. */
typedef struct roots {
    double re1, im1, re2, im2, re3, im3;
} roots;

static roots roots_at(const tc_fft *f, size_t k)
{
    return (roots){f->cosine[k],    -f->sine[k],      f->cosine[2 * k],
                   -f->sine[2 * k], f->cosine[3 * k], -f->sine[3 * k]};
}

/* The butterflies of one p: `in` are four runs of s elements, `far` apart; out are adjacent runs. */
TC_CLONES static void fft_butterflies(size_t s, size_t far, const roots w,
                                      const double *restrict xr, const double *restrict xi,
                                      double *restrict yr, double *restrict yi)
{
    for (size_t q = 0; q < s; q++) {
        double ar = xr[q], ai = xi[q], cr = xr[q + 2 * far], ci = xi[q + 2 * far];
        double br = xr[q + far], bi = xi[q + far], dr = xr[q + 3 * far], di = xi[q + 3 * far];
        double pr = ar + cr, pi = ai + ci, mr = ar - cr, mi = ai - ci;
        double sr = br + dr, si = bi + di, tr = br - dr, ti = bi - di;
        double er = mr + ti, ei = mi - tr, gr = mr - ti, gi = mi + tr;
        double hr = pr - sr, hi = pi - si;
        yr[q] = pr + sr;
        yi[q] = pi + si;
        yr[q + s] = w.re1 * er - w.im1 * ei;
        yi[q + s] = w.re1 * ei + w.im1 * er;
        yr[q + 2 * s] = w.re2 * hr - w.im2 * hi;
        yi[q + 2 * s] = w.re2 * hi + w.im2 * hr;
        yr[q + 3 * s] = w.re3 * gr - w.im3 * gi;
        yi[q + 3 * s] = w.re3 * gi + w.im3 * gr;
    }
}

static void pass4(const tc_fft *f, size_t n, size_t s, const double *xr, const double *xi,
                  double *yr, double *yi)
{
    for (size_t p = 0; p < n / 4; p++)
        fft_butterflies(s, s * (n / 4), roots_at(f, p * s), xr + s * p, xi + s * p, yr + 4 * s * p,
                        yi + 4 * s * p);
}

/* The last pass where log2 n is odd. */
static void pass2(size_t s, const double *xr, const double *xi, double *yr, double *yi)
{
    for (size_t q = 0; q < s; q++) {
        yr[q] = xr[q] + xr[q + s];
        yi[q] = xi[q] + xi[q + s];
        yr[q + s] = xr[q] - xr[q + s];
        yi[q + s] = xi[q] - xi[q + s];
    }
}

void tc_fft_forward(tc_fft *f, double *re, double *im)
{
    double *xr = re, *xi = im, *yr = f->re, *yi = f->im;
    size_t s = 1;
    for (size_t n = f->n; n > 1; n /= 4, s *= 4) {
        if (n == 2)
            pass2(s, xr, xi, yr, yi);
        else
            pass4(f, n, s, xr, xi, yr, yi);
        double *r = xr, *i = xi;
        xr = yr, xi = yi, yr = r, yi = i;
        if (n == 2)
            break;
    }
    if (xr != re) {
        memcpy(re, xr, f->n * sizeof *re);
        memcpy(im, xi, f->n * sizeof *im);
    }
}

/* Exchanging the parts of input and output conjugates the roots. */
void tc_fft_inverse(tc_fft *f, double *re, double *im)
{
    tc_fft_forward(f, im, re);
}
