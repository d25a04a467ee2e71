/* released_int.h - what the files of an outsourced study have in common. */
#ifndef TC_WIRE_RELEASED_INT_H
#define TC_WIRE_RELEASED_INT_H

#include "wire/hash_json.h"

enum { TC_FILE_VERSION = 2 };

/* Is j a file of this kind, and of a version that we know? */
tacit_status tc_file_kind(const json_t *j, const char *kind, tacit_error *err);
/* Required, and finite. */
tacit_status tc_json_bool(const json_t *obj, const char *key, bool *out, tacit_error *err);
/* A required whole number in [0, most]. */
tacit_status tc_json_count(const json_t *obj, const char *path, const char *key, int64_t most,
                           uint64_t *out, tacit_error *err);

#endif
