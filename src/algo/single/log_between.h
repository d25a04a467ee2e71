/* log_between.h - the logarithm of the probability that a normal value lies between two bounds, without underflow.
 *
 * The weight of an outcome constraint in an acquisition (Schonlau, Welch and Jones 1998; Gardner et al. 2014; Gelbart et al.
 * 2014). Far from the bounds the probability underflows, its logarithm and that one's slope do not. */
#ifndef TC_ALGO_SINGLE_LOG_BETWEEN_H
#define TC_ALGO_SINGLE_LOG_BETWEEN_H

/* ln cdf(z); *slope = pdf(z)/cdf(z). For any finite z. */
double tc_log_cdf(double z, double *slope);

/* ln P(low <= Y <= high) for Y with this mean and variance, and its derivatives; low < high, and one may be infinite. A
 * floor under the variance keeps it finite at observed points. */
double tc_log_between(double low, double high, double mean, double var, double *d_mean,
                      double *d_var);

#endif
