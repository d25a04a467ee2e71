/* curate_answer.h - the curator's answers about released rows, one by one: to a file, or to a coordinator.
 *
 * Whoever asks, the same happens: an answer that was given before is given again; else the value of the
 * record is found, perturbed if the terms of the release say so, and in the ledger before it leaves. */
#ifndef TC_PROGRAM_CURATE_ANSWER_H
#define TC_PROGRAM_CURATE_ANSWER_H

#include "curate/curate.h"
#include "space/domain.h"

typedef struct tc_answer_opts {
    char *storage, *out, *secret, *value_column;
    char *server, *fingerprint, *token_file, *study;
    double budget, timeout_s, patience_s;
    int64_t seed;
    int fields;
} tc_answer_opts;

/* All-zero may be closed. */
typedef struct tc_answering {
    const tc_answer_opts *o;
    const char *file;     /* of the data */
    char *const *command; /* a program that has the values; NULL: there is none */
    bool given;           /* the value is on the command line: no column is needed */
    bool quiet;
    bool warned; /* that fields stand on the command line */
    char *secret_path;
    tc_row_secret secret;
    tc_data data;
    tc_curator_ledger rows, outputs;
    tc_ledger *answers; /* the one of both that answers are charged to; NULL: not there yet */
} tc_answering;

/* Reads the secret file and the data, and checks that they belong together. The first five members are
 * set by the caller. */
tacit_status tc_answering_open(tc_answering *a, tacit_error *err);
void tc_answering_close(tc_answering *a);

/* The answer about a row, as it may leave. given: its value; NaN: it is said to have none; NULL: as the
 * ledger, the column or the program has it. */
tacit_status tc_answering_row(tc_answering *a, uint64_t row, const double *given,
                              tc_row_answer *out, tacit_error *err);
/* Are these the rows that were released? Beyond 2^53 steps nobody can tell. */
tacit_status tc_answering_is_of(tc_answering *a, const tc_domain *rows, tacit_error *err);

/* curate_remote.c: answers what a coordinator's study asks, until it has asked all. */
tacit_status tc_curate_serve(tc_answering *a, const tc_invocation *in, tacit_error *err);
extern const tc_verb tc_verb_curate_publish;

#endif
