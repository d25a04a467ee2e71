/* log_moment.c - moments of the sampled Gaussian at integer orders.
 *
 * For an integer order n (Mironov, Talwar, Zhang 2019; the same sum as Abadi et al. 2016)
 *     A(n) = sum_k C(n,k) q^k (1-q)^(n-k) exp((k^2-k)/(2 z^2)).
 * The weights of the exponentials add to 1, so
 *     A(n) - 1 = sum_{k>=2} C(n,k) q^k (1-q)^(n-k) (exp((k^2-k)/(2 z^2)) - 1),
 * in which every term is positive: no digit cancels, however small q is. The other direction of
 * adjacency is never larger (their Theorem 5). The sum is also exact for the discrete Gaussian.
 *
 * Rounding: a term is exp(x), x a sum of a few parts; its error is at most a few units of the sum
 * of the magnitudes of the parts, and of three roundings for each factor of the binomial. That
 * much is added to x. Then n additions: n more units. */
#include "privacy/log_moment.h"

#include <math.h>

double tc_log_expm1(double w)
{
    return w < 1 ? log(expm1(w)) : w + log1p(-exp(-w));
}

double tc_log_one_plus(const tc_log_terms *t)
{
    double top = -INFINITY, sum = 0;
    for (int i = 0; i < t->n; i++)
        top = fmax(top, t->x[i]);
    if (!(top < INFINITY))
        return INFINITY;
    for (int i = 0; i < t->n; i++)
        sum += exp(t->x[i] - top);
    double x = top + log(sum);
    x += DBL_EPSILON * (t->n + 8 + 2 * fabs(x));
    if (x < -700) /* near underflow, where relative bounds end */
        return exp(-700);
    return tc_up(x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)), 8);
}

/* ln A(n) of the Gaussian without sampling: n (n-1) / (2 z^2). */
static double unsampled(double z, double order)
{
    return tc_up(order * (order - 1) / (2 * z * z), 4);
}

double tc_log_moment_integer(double q, double z, int order)
{
    double n = order, binomial = n;
    double most = unsampled(z, n);
    if (q == 1 || !(most < INFINITY))
        return most;
    double lq = log(q), lp = log1p(-q);
    tc_log_terms t = {0};
    for (int k = 2; k <= order; k++) {
        binomial *= (n - k + 1) / k;
        double choose = log(binomial), in = k * lq, out = (n - k) * lp;
        double w = k * (k - 1.0) / (2 * z * z);
        tc_log_terms_add(&t, choose + in + out + tc_log_expm1(w), choose - in - out + w + 3 * k);
    }
    /* A sample never tells more than the whole (quasi-convexity). */
    return fmin(tc_log_one_plus(&t), most);
}

double tc_log_moment_fixed_size(double q, double z, int order)
{
    double n = order, binomial = n, lq = log(q), step = 2 / (z * z);
    double most = unsampled(z / 2, n);
    if (q == 1 || !(most < INFINITY))
        return most;
    tc_log_terms t = {0};
    for (int k = 2; k <= order; k++) {
        binomial *= (n - k + 1) / k;
        /* (k-1) e(k) with e(k) = k Delta^2 / (2 z^2) and Delta = 2. */
        double choose = log(binomial), in = k * lq, w = k * (k - 1.0) * step, x = M_LN2 + w;
        if (k == 2)
            x = fmin(x, 2 * M_LN2 + tc_log_expm1(w));
        tc_log_terms_add(&t, choose + in + x, choose - in + w + 3 * k + 2);
    }
    return fmin(tc_log_one_plus(&t), most);
}
