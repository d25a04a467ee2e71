/* landmine_int.h - what landmine.c and landmine_svm.c share. */
#ifndef TC_PAPERS_LANDMINE_INT_H
#define TC_PAPERS_LANDMINE_INT_H

#include "papers/data/landmine.h"

enum { TC_LANDMINE_FEATURES = 9, TC_LANDMINE_ROWS = 1000 };

typedef struct tc_landmine_half {
    size_t n;
    bool label[TC_LANDMINE_ROWS];
    double x[TC_LANDMINE_ROWS][TC_LANDMINE_FEATURES];
} tc_landmine_half;

typedef struct tc_landmine_field {
    tc_landmine_half train, test;
} tc_landmine_field;

struct tc_landmine {
    tc_landmine_field fields[TC_LANDMINE_FIELDS];
};

/* The share of pairs (mine, no mine) that are in order. */
double tc_landmine_auc(size_t n, const bool *label, const double *decision);
/* libsvm says nothing from now on. Once, before the first machine. */
void tc_landmine_silence(void);
/* One machine, its value by Platt's probabilities or not; from any thread. E_UNSUPPORTED: this build
 * has no libsvm. */
tacit_status tc_landmine_score(const tc_landmine_field *f, double gamma, double C, bool platt,
                               double *auc, tacit_error *err);

/* landmine_platt.c: the sigmoid of n decision values, and what it makes of one. */
void tc_landmine_platt(size_t n, const bool *label, const double *decision, double *A, double *B);
double tc_landmine_probability(double decision, double A, double B);

#endif
