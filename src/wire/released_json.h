/* released_json.h - the files that pass between a curator and a modeler. Pure.
 *
 * released.json, from the curator:
 *   { "tacit": "released-rows", "version": 1, "name": "loans", "mode": "sound",
 *     "direction": "maximize", "private": true, "epsilon": 2.7, "delta": 0.0,
 *     "statement": "...", "input_sd": 0.74, "output_sd": 0.0, "release": "<hash>",
 *     "ledger": {"name": "rows", "entry": 1, "head": "<hash>"},
 *     "columns": ["income", "rate"], "rows": [[0.12, 3.4], ...] }
 * In paper mode, and wherever "private" is false, there is "not_private": "why" and no epsilon.
 *
 * answer.json, from the curator, to a question that is a row number from 0:
 *   { "tacit": "row-answer", "version": 1, "name": "loans", "release": "<hash>", "row": 17,
 *     "value": 0.31, "sd": 0.0, "private": false }
 *
 * Strict: unknown keys, other versions, wrong types and numbers that are not finite are E_ARG and name
 * the field. `what` names the source in errors. */
#ifndef TC_WIRE_RELEASED_JSON_H
#define TC_WIRE_RELEASED_JSON_H

#include "base/memory.h"
#include "privacy/ledger.h"
#include "space/domain.h"

typedef struct tc_released {
    char *name, *mode;
    bool maximize;
    bool is_private;
    char *not_private;     /* NULL where is_private */
    double epsilon, delta; /* where is_private */
    char *statement;
    double input_sd, output_sd;
    tc_ledger_hash release;
    char *ledger;
    tc_ledger_head head;
    size_t rows, cols;
    char **columns;  /* cols */
    double *values;  /* rows x cols, by rows */
    tc_arena memory; /* of what was read */
} tc_released;

/* Caller: tc_free. NULL: no memory. */
char *tc_released_encode(const tc_released *r);
/* End with tc_released_free. */
tacit_status tc_released_decode(tc_released **out, const char *text, size_t len, const char *what,
                                tacit_error *err);
tacit_status tc_released_read(tc_released **out, const char *file, tacit_error *err);
void tc_released_free(tc_released *r); /* NULL is allowed */
/* The rows as candidates of a finite space. */
tacit_status tc_released_domain(const tc_released *r, tc_domain **out, tacit_error *err);

typedef struct tc_answer {
    char name[65];
    tc_ledger_hash release;
    uint64_t row;
    double value, sd;
    bool is_private;
} tc_answer;

char *tc_answer_encode(const tc_answer *a);
tacit_status tc_answer_decode(tc_answer *out, const char *text, size_t len, const char *what,
                              tacit_error *err);
tacit_status tc_answer_read(tc_answer *out, const char *file, tacit_error *err);

#endif
