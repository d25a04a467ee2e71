/* curate_release.h - what curate_release.c and curate_report.c share. */
#ifndef TC_PROGRAM_CURATE_RELEASE_H
#define TC_PROGRAM_CURATE_RELEASE_H

#include "curate/curate.h"

typedef struct tc_curate_release_opts {
    char *storage, *out, *secret, *ledger, *name, *columns, *value_column, *bounds_file;
    int mode, noise, direction;
    double epsilon, delta, radius, output_epsilon, output_bound, budget;
    int64_t rank, project, projection_seed, seed;
} tc_curate_release_opts;

typedef struct tc_curate_release {
    const tc_invocation *in;
    const tc_curate_release_opts *o;
    tc_data data;
    char *name, *secret, *ledger; /* the options, or their defaults */
    tc_row_terms terms;
    tc_row_cost cost;
    tc_row_release release;
    /* Of this release, as it left: what the ledger had before it counts, what came later does not. */
    bool is_private;
    const char *not_private;
    tc_text statement;
    /* Of the whole ledger, now. */
    tc_ledger_claim claim;
    tc_text ledger_statement;
} tc_curate_release;

/* curate_report.c. What this release promises, and what the ledger says by now. */
tacit_status tc_curate_claims(tc_curate_release *w, const tc_ledger *l, tacit_error *err);
/* The file for the modeler: about this release alone, so the same however often it is written. */
tacit_status tc_curate_release_file(tc_curate_release *w, tacit_error *err);
/* What the curator is told on standard output: about both. */
tacit_status tc_curate_report(const tc_curate_release *w, tacit_error *err);

#endif
