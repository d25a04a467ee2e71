/* json.h - strict reading of JSON through jansson, with errors that name the field.
 *
 * Duplicate keys, trailing text, NaN and over-deep nesting are refused.
 * `path` is the dotted name of the object for messages ("space.lr"; "" at top). */
#ifndef TC_BASE_JSON_H
#define TC_BASE_JSON_H

#include "base/text.h"

#include <tacit/status.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

void tc_json_start(void); /* routes jansson's memory through tc_alloc; idempotent */

/* *out is owned by the caller: json_decref. `what` names the source in errors. */
tacit_status tc_json_parse(const char *text, size_t len, const char *what, json_t **out,
                           tacit_error *err);
tacit_status tc_json_read_file(const char *file, json_t **out, tacit_error *err);

/* Compact text with doubles that read back exactly; caller: tc_free. NULL: no
 * memory, now or when j, then NULL, was made. */
char *tc_json_text(const json_t *j);
void tc_json_add(tc_text *t, const json_t *j); /* the same, at the end of t; NULL: t->failed */

/* Getters. Required fields: absent or of another type is E_ARG. The _or forms
 * leave *out alone when the field is absent. Strings are borrowed from obj. */
tacit_status tc_json_string(const json_t *obj, const char *path, const char *key, const char **out,
                            tacit_error *err);
tacit_status tc_json_number(const json_t *obj, const char *path, const char *key, double *out,
                            tacit_error *err);
tacit_status tc_json_string_or(const json_t *obj, const char *path, const char *key,
                               const char **out, tacit_error *err);
tacit_status tc_json_number_or(const json_t *obj, const char *path, const char *key, double *out,
                               tacit_error *err);
tacit_status tc_json_bool_or(const json_t *obj, const char *path, const char *key, bool *out,
                             tacit_error *err);
/* A whole number in [low, high]. */
tacit_status tc_json_int_or(const json_t *obj, const char *path, const char *key, int64_t low,
                            int64_t high, int64_t *out, tacit_error *err);

/* E_ARG if obj has a key that is not in `allowed` (NULL-terminated); suggests the nearest. */
tacit_status tc_json_only(const json_t *obj, const char *path, const char *const *allowed,
                          tacit_error *err);

/* True if j is a whole number (1e6 is one), then in *out. */
bool tc_json_whole(const json_t *j, int64_t *out);

/* "a string", "a number", ...: for messages. */
const char *tc_json_kind(const json_t *j);

#endif
