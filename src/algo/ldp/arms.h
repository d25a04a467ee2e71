/* arms.h - the finite set of points that the algorithms of this folder choose from.
 *
 * On a finite space its candidates; on any other space a fixed sample of it, the first points of
 * the study's Sobol' sequence without repeats: rewards are told again and again for the same arm. A
 * point that is told and is not an arm counts for the nearest one. */
#ifndef TC_ALGO_LDP_ARMS_H
#define TC_ALGO_LDP_ARMS_H

#include "algo/algorithm.h"
#include "num/kernel.h"

#define TC_ARMS_KERNELS TC_KERNEL_CHOICES "|given"
enum { TC_ARMS_GIVEN = TC_KERNEL_KINDS };

typedef struct tc_arms {
    const tc_env *env;
    size_t n, dim;
    const double *u; /* n x dim column-major, encoded */
    double *sampled; /* u of a sample; else NULL */
    double *values;  /* of a sample: n x n_params by rows; NULL: an arm is a candidate */
    const double *K; /* given covariances, n x n; NULL: the kernel's */
    double *scale;   /* dim: length-scales */
    double *point;   /* dim: scratch */
    tc_kernel kernel;
    unsigned char *closed; /* n: scratch of tc_arms_close */
} tc_arms;

/* kernel: of TC_ARMS_KERNELS. `given`: the coordinates of candidate i are its covariances with
 * candidates 1 to n; E_ARG unless they are a covariance matrix. wanted: size of a sample. */
tacit_status tc_arms_init(tc_arms *a, const tc_env *env, int kernel, double lengthscale,
                          size_t wanted, tacit_error *err);
void tc_arms_fini(tc_arms *a);

double tc_arms_prior(const tc_arms *a, size_t arm);             /* k(x, x) */
void tc_arms_row(const tc_arms *a, size_t arm, double *out);    /* k(x, .), n */
void tc_arms_values(const tc_arms *a, size_t arm, double *out); /* as values of the space */
size_t tc_arms_of(const tc_arms *a, size_t i);                  /* arm of observation i */
size_t tc_arms_told(const tc_arms *a);                          /* of the last one */
/* Flags the arms that are handed out and not told; none if that would leave nothing. */
const unsigned char *tc_arms_close(const tc_arms *a);
/* An arm for a trial of which nothing is known yet: uniform over those that are not closed. */
size_t tc_arms_any(const tc_arms *a, uint64_t trial);

#endif
