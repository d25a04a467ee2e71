/* surrogate_int.h - what surrogate.c and importance.c share. */
#ifndef TC_ALGO_SINGLE_SURROGATE_INT_H
#define TC_ALGO_SINGLE_SURROGATE_INT_H

#include "algo/single/model.h"
#include "algo/single/surrogate.h"

typedef struct tc_surrogate_opts {
    tc_model_opts model;
} tc_surrogate_opts;

struct tc_surrogate {
    tc_surrogate_opts opts;
    tc_history history;
    tc_env env;
    tc_model model;
    double sign; /* of values in the history, which are to be maximised */
};

/* Puts the encoding of a point into row i of X (leading dimension ld). */
void tc_surrogate_encode(tc_surrogate *s, const double *values, double *X, size_t i, size_t ld);

#endif
