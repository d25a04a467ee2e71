/* log_moment_fractional.c - moments of the Poisson-sampled Gaussian at real orders a in (1, 12].
 *
 * Mironov, Talwar, Zhang 2019, section 3.3: with z1 = 1/2 + z^2 ln(1/q - 1), the point where both
 * parts of the mixture are equal, the power of the mixture is expanded in the smaller part on
 * each side of z1, and
 *     A(a) = sum_{k>=0} C(a,k) (H(k) + H(a-k)),
 *     H(j) = q^j (1-q)^(a-j) exp((j^2-j)/(2 z^2)) erfc(u)/2,    u = +-(j - z1)/(z sqrt 2),
 * plus for the first half (j = k), minus for the second (j = a-k). Where u > 0 this equals
 *     H(j) = (1-q)^a exp(-z1^2/(2 z^2)) erfcx(u)/2,
 * which neither underflows nor cancels.
 *
 * Truncation. From k = ceil(a) on the signs alternate and |C(a,k)| x^k, with x <= 1 the ratio of
 * the two parts, is a Hausdorff moment sequence in k: |C(a,k)| is a constant times
 * Beta(k-a, a+1) = integral of t^(k-a-1) (1-t)^a. Mixtures of such sequences over x are such
 * sequences. For them the summation of Cohen, Rodriguez Villegas and Zagier (2000, Prop. 1) with
 * n terms has an error of at most (first term) / d, d = ((3+sqrt 8)^n + (3-sqrt 8)^n) / 2: we add
 * that. n = 24 makes it 1e-18 of the first term, where the plain series would need 10^4 terms.
 *
 * Rounding is bounded for each term as in log_moment.c and added in full, whatever its sign; the
 * weights of the accelerated sum are good to 4 units of 1. The sum itself is compensated. */
#include "privacy/log_moment.h"

#include "privacy/erfcx.h"

#include <math.h>

enum { ACCELERATED = 24, MAX_TERMS = 13 + ACCELERATED };

typedef struct mixture {
    double a, z, lq, lp; /* order, noise multiplier, ln q, ln(1-q) */
    double z1, front;    /* where the parts are equal; ln((1-q)^a exp(-z1^2/(2 z^2))) */
} mixture;

/* One term of the series: +-exp(x) with an error of `units` epsilons in x. */
typedef struct term {
    double x, units;
} term;

static mixture mixture_of(double q, double z, double a)
{
    mixture m = {.a = a, .z = z, .lq = log(q), .lp = log1p(-q)};
    m.z1 = 0.5 + z * z * (m.lp - m.lq);
    m.front = a * m.lp - (m.z1 / z) * (m.z1 / z) / 2;
    return m;
}

/* C(a,k) H(j); `side` is 1 for the first half and -1 for the second. */
static term half(const mixture *m, double choose, double j, int side)
{
    double u = side * (j - m->z1) / (m->z * M_SQRT2);
    double du = (fabs(j) + 1 + m->z * m->z * (-m->lp - m->lq)) / m->z; /* units of error in u */
    if (u > 0)
        return (term){choose + m->front + log(tc_erfcx(u) / 2),
                      fabs(choose) - 4 * m->front + (fabs(m->z1) / m->z + 1) * du + log1p(u) + 8};
    double in = j * m->lq, out = (m->a - j) * m->lp, w = j * (j - 1) / (2 * m->z * m->z);
    return (term){choose + in + out + w + log(erfc(u) / 2),
                  fabs(choose) + fabs(in) + fabs(out) + fabs(w) + du * exp(-u * u) + 4};
}

/* The first n terms, both halves; *top is the largest logarithm, at least 0. */
static void expand(const mixture *m, int n, term (*t)[2], double *top)
{
    double binomial = 1;
    *top = 0;
    for (int k = 0; k < n; k++) {
        if (k > 0)
            binomial *= fabs(m->a - k + 1) / k;
        t[k][0] = half(m, log(binomial), k, 1);
        t[k][1] = half(m, log(binomial), m->a - k, -1);
        t[k][0].units += 4 * k;
        t[k][1].units += 4 * k;
        *top = fmax(*top, fmax(t[k][0].x, t[k][1].x));
    }
}

/* The weights of the accelerated sum, signs included: w[0] is nearly 1, w[1] nearly -1, ... */
static double weights(double *w)
{
    double d = pow(3 + sqrt(8), ACCELERATED);
    d = (d + 1 / d) / 2;
    double b = -1, c = -d;
    for (int k = 0; k < ACCELERATED; k++) {
        c = b - c;
        w[k] = c / d;
        b *= (k + ACCELERATED) * (double)(k - ACCELERATED) / ((k + 0.5) * (k + 1));
    }
    return 1 / d;
}

/* *sum + *lost is the exact sum but for errors of second order (Neumaier). */
static void add(double *sum, double *lost, double v)
{
    double s = *sum + v;
    *lost += fabs(*sum) >= fabs(v) ? (*sum - s) + v : (v - s) + *sum;
    *sum = s;
}

static double direct(double q, double z, double a)
{
    mixture m = mixture_of(q, z, a);
    int first = (int)ceil(a);
    term t[MAX_TERMS][2];
    double w[ACCELERATED], top, sum = 0, lost = 0, error = 0;
    double truncation = weights(w);
    expand(&m, first + ACCELERATED, t, &top);
    for (int k = 0; k < first + ACCELERATED; k++)
        for (int side = 0; side < 2; side++) {
            double v = exp(t[k][side].x - top), units = t[k][side].units;
            add(&sum, &lost, k < first ? v : w[k - first] * v);
            error += v * expm1(4 * DBL_EPSILON * (units + (k < first ? 0 : 8)));
            if (k == first)
                error += 2 * truncation * v;
        }
    double log_a = top + log(sum + lost + tc_up(error, 100));
    return tc_up(fmax(log_a, 0), 4) + 4 * DBL_EPSILON;
}

/* ln A is convex and 0 at order 1: the chord between integer orders is a bound too, and keeps its
 * relative accuracy where A - 1 is below the rounding of A. */
static double chord(double q, double z, double a)
{
    int low = (int)floor(a);
    double t = a - low;
    double left = low < 2 ? 0 : tc_log_moment_integer(q, z, low);
    return tc_up((1 - t) * left + t * tc_log_moment_integer(q, z, low + 1), 4);
}

double tc_log_moment_fractional(double q, double z, double order)
{
    double bound = chord(q, z, order);
    if (q == 1 || !(bound < INFINITY))
        return fmin(bound, tc_up(order * (order - 1) / (2 * z * z), 4));
    double value = direct(q, z, order);
    return value < bound ? value : bound; /* a NaN is no bound */
}
