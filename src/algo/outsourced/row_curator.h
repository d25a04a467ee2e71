/* row_curator.h - the side that has the rows: releases a copy of them, and answers about one by number.
 *
 * Sound mode: every row, clamped to public bounds and in public units, plus noise, in a secret order
 * (privacy/mechanism.h); projected to fewer, public directions before, if wanted (projection.h). Paper mode: transform.h, NOT PRIVATE, in the order of the data.
 *
 * Both go through the curator's ledger, unit row. The same terms give the stored release again, byte
 * for byte and at no cost. The order is a secret that must not be lost: `keep` puts it away before
 * the ledger commits, so that whatever a crash leaves, a release that left has its order.
 *
 * An answer is the value of one row, drawn once and remembered: asked again, it costs nothing. With an
 * output epsilon it is clamped to public bounds and perturbed, and charged to its row beside the
 * release; a row then spends epsilon + output epsilon in all. Otherwise it is released as it is, and
 * belongs in a ledger of its own, which says NOT PRIVATE. Called by curator and by sim.
 * Terms and answers are those of <tacit/experimental/curator.h>. */
#ifndef TC_ALGO_OUTSOURCED_ROW_CURATOR_H
#define TC_ALGO_OUTSOURCED_ROW_CURATOR_H

#include "algo/outsourced/transform.h"
#include "base/memory.h"
#include "privacy/ledger.h"
#include "privacy/mechanism.h"

#include <tacit/experimental/curator.h>

typedef struct tc_row_column tc_row_column;
typedef struct tc_row_terms tc_row_terms;
typedef struct tacit_row_answer tc_row_answer;

const char *tc_row_mode_name(tacit_row_mode mode); /* "sound", "paper" */

/* E_ARG: no name for a release. */
tacit_status tc_row_name_check(const char *name, tacit_error *err);
/* E_ARG names what is out of range. */
tacit_status tc_row_terms_check(const tc_row_terms *t, tacit_error *err);
/* All of them as JSON, and back; strict: E_ARG names the field. NULL: no memory. */
json_t *tc_row_terms_json(const tc_row_terms *t);
tacit_status tc_row_terms_from_json(tc_row_terms *out, const json_t *j, tc_arena *memory,
                                    tacit_error *err);
/* Under what the ledger keeps the release, as its round TC_ROW_ROUND. */
enum { TC_ROW_ROUND = 1 };
tacit_status tc_row_terms_hash(const tc_row_terms *t, tacit_hash *out, tacit_error *err);
/* Names of the columns of a release, `cols` of them: those of the data, or z1, z2, ... of a projection.
 * NULL: no memory. */
char **tc_row_terms_released(const tc_row_terms *t, size_t cols, tc_arena *memory);
/* How distances of rows are measured, for the adjacency: "in units of income 10000, rate 1". */
void tc_row_terms_metric(const tc_row_terms *t, tc_text *out);
/* Sentences behind the statement of a private release: what its rows are where they were projected,
 * what an answer costs, what is not protected. */
void tc_row_terms_caveats(const tc_row_terms *t, tc_text *out);

/* A release as it left. End with tc_row_release_fini. */
typedef struct tc_row_release {
    size_t rows, cols;
    double *values;  /* rows x cols, by rows */
    double input_sd; /* of the noise in every value; paper: 0 */
    double step;     /* values are whole multiples of it; paper: 0 */
    const char *mechanism, *adjacency;
    tc_transform transform; /* paper */
    bool is_private, again;
    const char *not_private; /* why not; "" where is_private */
    tacit_hash hash;         /* of the exact bytes */
    tacit_head head;         /* after its entry */
    tc_arena memory;
} tc_row_release;
void tc_row_release_fini(tc_row_release *r);

/* Row i of the release is row order[i] of the data. Must be durable when it returns. */
typedef struct tc_row_keeper {
    tacit_status (*keep)(void *user, const size_t *order, size_t rows, const tacit_hash *release,
                         tacit_error *err);
    void *user;
} tc_row_keeper;

/* x: rows x dims, by rows, as they are; never changed. budget NULL: no limit. `keep` is called
 * before the commit, and not at all where the release was made before. */
tacit_status tc_row_curator_release(tc_ledger *l, const tc_ledger_budget *budget,
                                    const tc_row_terms *t, const double *x, tc_entropy *e,
                                    const tc_row_keeper *keeper, tc_row_release *out,
                                    tacit_error *err);

/* What a release on these terms costs, known before there is one: a function of the terms. */
typedef struct tc_row_cost {
    bool is_private;       /* sound mode */
    const char *why_not;   /* NULL where is_private */
    const char *mechanism; /* "laplace-rows", "gaussian-rows", "none" */
    tacit_dp_event event;  /* of sound mode, and ... */
    double distance;       /* ... its slack, as in privacy/release.h */
    double delta;          /* of Gaussian noise; else 0 */
    double input_sd;       /* of the noise in every value */
    double output_sd;      /* and in an answer */
} tc_row_cost;
tacit_status tc_row_cost_of(const tc_row_terms *t, tc_row_cost *out, tacit_error *err);
/* What a release of sound mode promises by itself, in words. adjacency: that of the release. */
void tc_row_cost_statement(const tc_row_cost *c, const tc_row_terms *t, const char *adjacency,
                           tc_text *out);

/* The standard deviation of the noise in answers on these terms. */
tacit_status tc_row_output_sd(const tc_row_terms *t, double *sd, tacit_error *err);
/* release: of which `row` is one. y: its value; NaN: it has none. That is answered, too, or whoever
 * asks would ask for ever: as NaN where values leave as they are; else as any other value, with the
 * middle of the bounds in its place, so that nobody sees which rows have none. E_STATE: the ledger
 * has answers about another release; the same row may be hidden behind two numbers, and no budget
 * could be kept. */
tacit_status tc_row_curator_answer(tc_ledger *l, const tc_ledger_budget *budget,
                                   const tc_row_terms *t, const tacit_hash *release, uint64_t row,
                                   double y, tc_entropy *e, tc_row_answer *out, tacit_error *err);
/* The answer that was given before. E_NOT_FOUND: none was. */
tacit_status tc_row_curator_recall(tc_ledger *l, const tc_row_terms *t, const tacit_hash *release,
                                   uint64_t row, tc_row_answer *out, tacit_error *err);

#endif
