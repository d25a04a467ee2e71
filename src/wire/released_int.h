/* released_int.h - what the files of an outsourced study have in common. */
#ifndef TC_WIRE_RELEASED_INT_H
#define TC_WIRE_RELEASED_INT_H

#include "base/json.h"
#include "privacy/ledger.h"

enum { TC_FILE_VERSION = 2, TC_HASH_TEXT = 2 * TC_LEDGER_HASH_BYTES + 1 };

void tc_hash_text(char out[TC_HASH_TEXT], const tacit_hash *h);
/* E_ARG unless it is 64 digits of lower-case hexadecimal. */
tacit_status tc_hash_read(const json_t *j, const char *path, const char *key, tacit_hash *out,
                          tacit_error *err);
/* Is j a file of this kind, and of a version that we know? */
tacit_status tc_file_kind(const json_t *j, const char *kind, tacit_error *err);
/* Required, and finite. */
tacit_status tc_json_bool(const json_t *obj, const char *key, bool *out, tacit_error *err);
/* A required whole number in [0, most]. */
tacit_status tc_json_count(const json_t *obj, const char *path, const char *key, int64_t most,
                           uint64_t *out, tacit_error *err);

#endif
