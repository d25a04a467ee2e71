/* modeler.h - what modeler.c and modeler_fit.c share. For this folder. */
#ifndef TC_ALGO_OUTSOURCED_MODELER_H
#define TC_ALGO_OUTSOURCED_MODELER_H

#include "algo/ldp/arms.h"
#include "algo/outsourced/outsourced.h"
#include "num/fgp.h"

typedef struct tc_modeler_options {
    bool ard, fit, repeat;
    double lengthscale, variance, noise; /* lengthscale 0: a quarter of the rows' spread */
    double input_sd, output_sd;          /* of the noise in released rows and in answers */
    double delta;
    int64_t init;
} tc_modeler_options;

typedef struct tc_modeler {
    const tc_env *env;
    const tc_modeler_options *opts;
    tc_arms arms;      /* the rows */
    const double *X;   /* n x dim column-major: the rows in their own units */
    double spread;     /* of the widest coordinate; a positive number */
    tc_fgp *fgp;       /* of all rows */
    tc_gp_hyper hyper; /* of the rows themselves, in force; the noise is that of answers too */
    double *scale;     /* dim: hyper.scale */
    double *blurred;   /* dim: scratch */
    size_t fit_n;      /* observations under the last fit; 0: none yet */
    bool fresh;        /* hyper is newer than the factor */
    size_t n;          /* observations in the factor */
    size_t *told;      /* row of each observation */
    size_t told_n, told_cap;
    double *z; /* values as the model sees them */
    size_t z_cap;
    double mean, sd; /* z = (y - mean) / sd */
} tc_modeler;

bool tc_modeler_ready(const tc_modeler *m);
/* Sets m->z and sd from the history. */
tacit_status tc_modeler_standardise(tc_modeler *m, tacit_error *err);

/* Members of the contract (modeler_fit.c). */
bool tc_modeler_fit_due(const void *st);
tacit_status tc_modeler_fit(void *st, tc_text *out, tacit_error *err);
tacit_status tc_modeler_fitted(void *st, const char *body, tacit_error *err);

#endif
