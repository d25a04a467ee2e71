/* curator_int.h - what is behind a tacit_curator: for the files of this folder.
 *
 *   release.c    the release: order, ledger, report
 *   answer.c     answers about its rows, one by one
 *   serve.c      a coordinator in the modeler's place
 *   budget.c     a budget in epsilon as the ledger counts it; and the noise that it pays for
 *   modeler.c    the other side
 *   evaluate.c   the value of a record, from a program
 *   perturb.c    a reward of a user */
#ifndef TC_CURATOR_CURATOR_INT_H
#define TC_CURATOR_CURATOR_INT_H

#include <tacit/experimental/curator.h>

#include "algo/outsourced/row_curator.h"
#include "base/memory.h"
#include "user/user_ledger.h"
#include "wire/released_json.h"
#include "wire/row_secret.h"

#include <jansson.h>

/* The reason of a trial that failed for it. */
#define TC_ROW_WITHOUT_VALUE "the curator has no value for this row"

struct tacit_curator {
    tacit_curator_opts opts; /* its texts are in `memory` */
    tc_arena memory;
    tc_row_secret secret; /* as the file has it */
    tc_user_ledger rows, outputs;
    tc_ledger *answers; /* the one of both that answers are charged to; NULL: not there yet */
    bool ready;         /* the ledgers are those of the release */
    /* Only if this handle has made the release: */
    tc_row_release release;
    tc_released released;
    tacit_curator_report report;
    tc_text statement, ledger_statement;
};

/* Checks the options and copies them. End with tacit_curator_close. */
tacit_status tc_curator_new(tacit_curator **out, const tacit_curator_opts *opts, tacit_error *err);

/* What identifies the values that were released, before the noise. */
tacit_hash tc_curator_data_hash(const double *x, size_t rows, size_t dims);

/* Noise from the system, or, where a seed is given (not -1), from that: NOT PRIVATE. In budget.c. */
typedef struct tc_curator_noise {
    tc_noise noise;
    tc_test_noise seeded;
    tc_entropy entropy;
} tc_curator_noise;
void tc_curator_noise_init(tc_curator_noise *n, int64_t seed, uint64_t step);
void tc_curator_noise_fini(tc_curator_noise *n);

/* answer.c: are these the rows that were released? Beyond 2^53 steps nobody can tell. */
tacit_status tc_curator_check_rows(tacit_curator *c, const tc_domain *rows, tacit_error *err);

/* ---- budget.c */

/* The budget of the option for releases and answers on these terms; *out is b, or NULL where there is
 * none. l NULL: nothing was released yet. E_ARG: noise with a delta needs one for the budget. */
tacit_status tc_curator_budget(tc_ledger_budget *b, double epsilon, const tc_row_terms *t,
                               const tc_ledger *l, const tc_ledger_budget **out, tacit_error *err);
/* After a refusal (E_BUDGET) in other units than epsilon: the sentence in epsilon. asked: what was
 * asked for, by itself. */
tacit_status tc_curator_over_budget(const tc_ledger_budget *b, const tc_ledger *l, double asked,
                                    tacit_error *err);

/* modeler.c: "name=value" words for po-gp-ucb, typed and checked; for json_decref. */
tacit_status tc_modeler_options(const tacit_modeler_opts *o, json_t **out, tacit_error *err);

#endif
