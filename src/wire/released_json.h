/* released_json.h - the files that pass between a curator and a modeler. Pure.
 *
 * released.json, from the curator:
 *   { "tacit": "released-rows", "version": 2, "name": "loans", "mode": "sound",
 *     "direction": "maximize", "private": true, "epsilon": 2.7, "delta": 0.0,
 *     "statement": "...", "input_sd": 0.74, "output_sd": 0.0, "release": "<hash>",
 *     "ledger": {"name": "loans", "entry": 1, "head": "<hash>"},
 *     "source": {"radius": 1.0, "columns": [{"name": "income", "low": 0.0, "high": 200000.0,
 *                "unit": 10000.0}, ...]},
 *     "step": 4.6e-10, "columns": ["income", "rate"], "rows": [[0.12, 3.4], ...] }
 * In paper mode, and wherever "private" is false, there is "not_private": "why" and no epsilon. Paper
 * mode has no radius and no bounds, so no "source", and "step" is 0.
 *
 * All of it is about this release alone, a function of its terms and of the ledger up to its entry: the
 * same release is the same file, whatever was released since.
 *
 * "release" is the hash of the bytes that the ledger has: every value as a little-endian 64-bit word, the
 * number of steps in it, or, where the step is 0, the double itself. A reader refuses rows that have
 * another hash. Bounds that are millions of times as far apart as the noise need more than 2^53 steps,
 * which no double holds: then "step" is null, and nothing is checked.
 *
 * answer.json, from the curator, to a question that is a row number from 0:
 *   { "tacit": "row-answer", "version": 2, "name": "loans", "release": "<hash>", "row": 17,
 *     "value": 0.31, "sd": 0.0, "private": false }
 * "value" is null where the row has none.
 *
 * Strict: unknown keys, other versions, wrong types and numbers that are not finite are E_ARG and name
 * the field. `what` names the source in errors. */
#ifndef TC_WIRE_RELEASED_JSON_H
#define TC_WIRE_RELEASED_JSON_H

#include "algo/outsourced/row_curator.h"
#include "base/memory.h"
#include "privacy/ledger.h"
#include "space/domain.h"

typedef struct tc_released tc_released; /* <tacit/experimental/curator.h>, as are their functions */

/* The hash of the rows, as the ledger has it. E_ARG: a value is no multiple of the step, or too large. */
tacit_status tc_released_hash(const tc_released *r, tacit_hash *out, tacit_error *err);
/* For json_decref. NULL: no memory. */
json_t *tc_released_json(const tc_released *r);
/* The rows as candidates of a finite space. */
tacit_status tc_released_domain(const tc_released *r, tc_domain **out, tacit_error *err);

#endif
