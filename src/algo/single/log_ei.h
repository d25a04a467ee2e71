/* log_ei.h - the logarithm of expected improvement, without underflow.
 *
 * EI = s h(z), z = (mu - best)/s, h(z) = pdf(z) + z cdf(z). Far from the
 * incumbent h underflows and its gradient with it; ln h does not (Ament et al.,
 * "Unexpected improvements to expected improvement", NeurIPS 2023). */
#ifndef TC_ALGO_SINGLE_LOG_EI_H
#define TC_ALGO_SINGLE_LOG_EI_H

/* cdf(-x)/pdf(x) for x >= 1. */
double tc_mills(double x);

/* ln h(z); *slope = d ln h / dz = cdf(z) / h(z). For any finite z; the
 * value is good to 1e-13, the slope to 1e-10 (relative). */
double tc_log_h(double z, double *slope);

/* ln EI of a point with this mean and variance, and its derivatives. A floor under the variance keeps it finite at
 * observed points. */
double tc_log_ei(double best, double mean, double var, double *d_mean, double *d_var);

/* By how much a value with noise of this variance, told at a point with variance var, moves the mean there: the variance
 * of that move, var^2/(var + noise), and its derivative. An improvement that is looked for is one of means, and where
 * values are noisy another look at a point that is known moves little. var itself without noise. */
double tc_ei_move(double var, double noise, double *slope);

/* EI itself and its derivatives, for sums over several models: one logarithm for all. Where z is below
 * TC_EI_LEAST_Z the value has lost digits, and only logarithms are right. */
#define TC_EI_LEAST_Z (-20)

typedef struct tc_ei {
    double value, d_mean, d_var;
} tc_ei;

double tc_ei_z(double best, double mean, double var, double *sd); /* z and s, as in tc_log_ei */
tc_ei tc_ei_at(double z, double sd);

#endif
