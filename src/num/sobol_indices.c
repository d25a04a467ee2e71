/* sobol_indices.c - see sobol_indices.h. */
#include "num/sobol_indices.h"

#include <math.h>
#include <stdbool.h>

static double mean_of(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] / 2 + b[i] / 2;
    return sum / (double)n;
}

/* Less their mean, products of values lose no digits to a large constant. */
void tc_sobol_pair_init(tc_sobol_pair *p, size_t n, double *a, double *b)
{
    *p = (tc_sobol_pair){.n = n, .a = a, .b = b, .mean = mean_of(n, a, b)};
    for (size_t i = 0; i < n; i++) {
        a[i] -= p->mean;
        b[i] -= p->mean;
        p->variance += (a[i] * a[i] + b[i] * b[i]) / (2 * (double)n);
    }
}

static double share(double part, double whole)
{
    return fmin(fmax(part / whole, 0), 1);
}

void tc_sobol_pair_indices(const tc_sobol_pair *p, const double *ab, double *first, double *total)
{
    double common = 0, apart = 0;
    for (size_t i = 0; i < p->n; i++) {
        double moved = ab[i] - p->mean - p->a[i];
        common += p->b[i] * moved;
        apart += moved * moved;
    }
    /* Rounding alone makes no variance. */
    bool varies = p->variance > 1e-24 * p->mean * p->mean && p->variance > 0;
    *first = varies ? share(common / (double)p->n, p->variance) : 0;
    *total = varies ? share(apart / (double)p->n / 2, p->variance) : 0;
}
