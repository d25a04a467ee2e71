/* lower.c - a lower triangle times one vector; see lower.h. */
#include "num/lower.h"

#include "base/simd.h"

#include <string.h>

enum { LANES = 8, STRIP = 4 }; /* rows and columns at a time */

typedef double vector __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

/* The first row of a block that has something in column j. */
static inline size_t first_row(size_t j)
{
    return j / LANES * LANES;
}

TC_CLONES static void lower_strip(size_t n, const double *restrict a, size_t ldl,
                                  const double *restrict x, double *restrict out)
{
    const double *restrict b = a + ldl, *restrict c = b + ldl, *restrict d = c + ldl;
    const double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    for (size_t i = 0; i < n; i++)
        out[i] += (a[i] * x0 + b[i] * x1) + (c[i] * x2 + d[i] * x3);
}

void tc_lower_times(size_t n, const double *L, size_t ldl, const double *x, double *out)
{
    size_t j = 0;
    memset(out, 0, n * sizeof *out);
    for (; j + STRIP <= n; j += STRIP) {
        const size_t i = first_row(j);
        lower_strip(n - i, L + i + j * ldl, ldl, x + j, out + i);
    }
    for (; j < n; j++)
        for (size_t i = j; i < n; i++)
            out[i] += L[i + j * ldl] * x[j];
}

static inline double sum_of(const vector *v)
{
    const double *l = (const double *)v;
    return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
}

static inline const vector *at(const double *x)
{
    return (const vector *)x;
}

/* Rows from first_row(j) to `whole`, then the last eight, where x counts for the rows that were not whole: `rest` is
 * zero elsewhere. */
TC_CLONES static void lower_dots(size_t n, size_t j, const double *restrict L, size_t ldl,
                                 const double *restrict x, const double *restrict rest,
                                 double *restrict out)
{
    const size_t whole = n / LANES * LANES;
    const double *a = L + j * ldl, *b = a + ldl, *c = b + ldl, *d = c + ldl;
    const vector last = *at(rest);
    vector A = *at(a + n - LANES) * last, B = *at(b + n - LANES) * last;
    vector C = *at(c + n - LANES) * last, D = *at(d + n - LANES) * last;
    for (size_t i = first_row(j); i < whole; i += LANES) {
        const vector v = *at(x + i);
        A += *at(a + i) * v;
        B += *at(b + i) * v;
        C += *at(c + i) * v;
        D += *at(d + i) * v;
    }
    out[j] = sum_of(&A);
    out[j + 1] = sum_of(&B);
    out[j + 2] = sum_of(&C);
    out[j + 3] = sum_of(&D);
}

static double dot_below(size_t n, size_t j, const double *L, size_t ldl, const double *x)
{
    double sum = 0;
    for (size_t i = j; i < n; i++)
        sum += L[i + j * ldl] * x[i];
    return sum;
}

void tc_lower_t_times(size_t n, const double *L, size_t ldl, const double *x, double *out)
{
    double rest[LANES] = {0};
    size_t j = 0;
    for (size_t i = n / LANES * LANES; n >= LANES && i < n; i++)
        rest[i + LANES - n] = x[i];
    for (; n >= LANES && j + STRIP <= n; j += STRIP)
        lower_dots(n, j, L, ldl, x, rest, out);
    for (; j < n; j++)
        out[j] = dot_below(n, j, L, ldl, x);
}
