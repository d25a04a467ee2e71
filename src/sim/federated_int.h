/* federated_int.h - what federated.c and its parts share. Nobody else includes it. */
#ifndef TC_SIM_FEDERATED_INT_H
#define TC_SIM_FEDERATED_INT_H

#include "sim/federated.h"

/* How long everything is. */
typedef struct tc_federated_shape {
    uint64_t given;   /* trials of each agent that were given */
    uint64_t initial; /* ... that it has at iteration 0 */
    uint64_t iterations;
} tc_federated_shape;

/* federated_setup.c: checks all of f. */
tacit_status tc_federated_shape_of(const tc_federated *f, tc_federated_shape *out,
                                   tacit_error *err);
/* Everything that determines a run, as text: for checkpoints and ledgers. */
tacit_status tc_federated_identity(const tc_federated *f, const tc_federated_shape *shape,
                                   tc_text *out, tacit_error *err);

/* One run that has ended. Curves are borrowed: `iterations` numbers, or agents x iterations. */
typedef struct tc_federated_row {
    double *simple, *cumulative;
    double *agent_simple, *agent_cumulative; /* or NULL */
    tc_federation_tally tally;
    tc_federated_release *releases; /* end with tc_free */
    size_t n_releases;
    char *rejection; /* or NULL; a checkpoint does not keep it. End with tc_free */
} tc_federated_row;

/* federated_record.c: the words of a checkpoint. *out ends with tc_free. */
tacit_status tc_federated_row_words(const tc_federated_row *row, const tc_federated_result *shape,
                                    uint64_t **out, size_t *n, tacit_error *err);
/* Into the curves of *row. E_CORRUPT: not the words of a run of this shape. */
tacit_status tc_federated_row_read(tc_federated_row *row, const tc_federated_result *shape,
                                   const uint64_t *words, size_t n, tacit_error *err);

#endif
