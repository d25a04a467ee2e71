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

typedef struct tc_row_secret tc_row_secret; /* <tacit/experimental/curator.h> */

/* Caller: tc_free. NULL: no memory. */
char *tc_row_secret_encode(const tc_row_secret *s);
/* What is read lives in `memory`. Programs read a file; decode is for tests and fuzzing. */
tacit_status tc_row_secret_decode(tc_row_secret *out, const char *text, size_t len,
                                  const char *what, tc_arena *memory, tacit_error *err);
tacit_status tc_row_secret_read(tc_row_secret *out, const char *file, tc_arena *memory,
                                tacit_error *err);

#endif
