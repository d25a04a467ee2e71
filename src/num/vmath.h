/* vmath.h - elementary functions over arrays, vectorised by the compiler.
 *
 * Plain C arithmetic without contraction, so gcc and clang, SSE2, AVX2 and
 * AVX-512 give the same bits. Relative error below 4 ulp in the stated range. */
#ifndef TC_NUM_VMATH_H
#define TC_NUM_VMATH_H

#include <stddef.h>

void tc_vexp(size_t n, double *x); /* x = e^x; 0 below -708, infinity above 708; NaN stays */
void tc_vcos(size_t n, double *x); /* x = cos x; |x| <= 1e6 */
void tc_vlog(size_t n, double *x); /* x = ln x; normal numbers > 0 */

/* The same for one number: for what several parties compute and must agree on to the last bit. The C
 * library's exp and log are not the same everywhere. */
static inline double tc_agreed_exp(double x)
{
    tc_vexp(1, &x);
    return x;
}

static inline double tc_agreed_log(double x)
{
    tc_vlog(1, &x);
    return x;
}

#endif
