/* gp_fit.h - hyper-parameters by marginal likelihood (analytic gradients, L-BFGS in log space).
 *
 * Maximises ln p(y|X,theta) + ln prior(theta) over theta = (ln l_1..l_dim or one ln l, ln v, ln s2)
 * from a warm start and a few seeded ones; y is standardised by the caller. Weak normal priors on
 * theta keep it sane with few points (docs/math.md, "Fitting"):
 *
 *     ln l_d ~ N(ln(sqrt(dim)/4), 1)   longer in higher dimensions, where distances are
 *     ln v   ~ N(0, 1.5^2)
 *     ln s2  ~ N(ln 1e-5, 3.5^2)       most objectives are nearly noise-free; data overrule it */
#ifndef TC_NUM_GP_FIT_H
#define TC_NUM_GP_FIT_H

#include "base/random.h"
#include "num/gp.h"

#include <stdbool.h>

typedef struct tc_gp_fit_opts {
    bool ard;                    /* one length-scale per dimension */
    size_t starts;               /* besides the warm start */
    size_t max_evals;            /* likelihood evaluations per start */
    double noise_min;            /* lower bound of s2, > 0, e.g. 1e-8; 10 is the upper one */
    double scale_min, scale_max; /* bounds of length-scales, e.g. 0.005, 20 */
    const double *known;         /* n: variance of noise that each has beside s2; NULL: none has */
} tc_gp_fit_opts;

/* h: in, the warm start (kind and dim hold); out, the best found. Deterministic in (X, y, h, stream).
 * E_ARG: bounds that are empty or not positive. */
tacit_status tc_gp_fit(tc_gp_hyper *h, const tc_gp_fit_opts *o, size_t n, const double *X,
                       size_t ldx, const double *y, tc_stream *s, tacit_error *err);

/* The objective and its gradient at theta: ln of scales (dim, or 1 if !ard), of v and of s2. For tests
 * and measurements; sets up anew at every call. E_NUMERIC: the covariance cannot be factored. */
tacit_status tc_gp_fit_objective(const tc_gp_fit_opts *o, tc_kernel_kind kind, size_t dim, size_t n,
                                 const double *X, size_t ldx, const double *y, const double *theta,
                                 double *value, double *grad, tacit_error *err);

#endif
