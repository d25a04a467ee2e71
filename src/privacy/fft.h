/* fft.h - the discrete Fourier transform of a power of two, in double precision.
 *
 * For the privacy loss distributions of src/privacy/ alone. Real and imaginary parts are two
 * arrays. One transform carries two real sequences: put them into the two parts, and take the
 * spectra apart by symmetry.
 *
 * Round-off, stated before the fact: for any input x, every component of the computed transform
 * is within tc_fft_error(log2 n) * (sum of |x_k|) of the exact one. Every intermediate value is a sum
 * of distinct inputs times roots of unity, so the magnitudes that one pass reads for one output add
 * up to at most that sum. With u = 2^-53 a pass of radix 4, which is two levels, adds two roundings
 * of u by its additions, sqrt(5) u by its product (Brent, Percival, Zimmermann 2007) and 2 u by its
 * rounded root: less than 4 u for each level, with room for the terms in u^2. */
#ifndef TC_PRIVACY_FFT_H
#define TC_PRIVACY_FFT_H

#include <stddef.h>

#define TC_FFT_MAX_LOG2 24

typedef struct tc_fft tc_fft;

tc_fft *tc_fft_new(unsigned log2_n); /* NULL: no memory, or log2_n > TC_FFT_MAX_LOG2 */
void tc_fft_free(tc_fft *f);         /* NULL is allowed */

/* In place: X_j = sum_k x_k exp(-2 pi i j k / n); the inverse has + and no factor 1/n. */
void tc_fft_forward(tc_fft *f, double *re, double *im);
void tc_fft_inverse(tc_fft *f, double *re, double *im);

double tc_fft_error(unsigned log2_n);

#endif
