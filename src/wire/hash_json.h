/* hash_json.h - hashes as text: 64 digits of lower-case hexadecimal. */
#ifndef TC_WIRE_HASH_JSON_H
#define TC_WIRE_HASH_JSON_H

#include "base/json.h"
#include "privacy/ledger.h"

enum { TC_HASH_TEXT = 2 * TC_LEDGER_HASH_BYTES + 1 };

void tc_hash_text(char out[TC_HASH_TEXT], const tacit_hash *h);
/* E_ARG: it is missing, or something else. */
tacit_status tc_hash_read(const json_t *j, const char *path, const char *key, tacit_hash *out,
                          tacit_error *err);

#endif
