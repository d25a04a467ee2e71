/* row_secret.h - what a curator must keep to itself after a release: the order of the rows. Pure.
 *
 *   { "tacit": "row-secret", "version": 2, "ledger": "loans", "storage": "<hash>",
 *     "value_column": "profit", "terms": {...}, "release": "<hash>", "data": "<hash>",
 *     "order": [4, 0, 2, ...], "check": "<hash>" }
 *
 * Row i of the release is row order[i] of the data. Whoever has this file and the release can tell
 * which record is which; it must not leave. "check" is the hash of release, data and order: an order that
 * was edited would answer about other records. Strict, as released_json.h. */
#ifndef TC_WIRE_ROW_SECRET_H
#define TC_WIRE_ROW_SECRET_H

#include "algo/outsourced/row_curator.h"

typedef struct tc_row_secret {
    char *ledger;
    tacit_hash storage; /* of where that ledger is: the same name elsewhere is another ledger */
    char *value_column; /* NULL: there is none */
    tc_row_terms terms;
    tacit_hash release;
    tacit_hash data; /* of the values that were released, before the noise */
    size_t *order;   /* terms.rows: a permutation */
    tc_arena memory; /* of what was read */
} tc_row_secret;

/* Caller: tc_free. NULL: no memory. */
char *tc_row_secret_encode(const tc_row_secret *s);
/* End with tc_row_secret_fini. */
tacit_status tc_row_secret_decode(tc_row_secret *out, const char *text, size_t len,
                                  const char *what, tacit_error *err);
tacit_status tc_row_secret_read(tc_row_secret *out, const char *file, tacit_error *err);
void tc_row_secret_fini(tc_row_secret *s);

#endif
