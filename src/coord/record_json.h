/* record_json.h - records of the store with JSON in them: their keys, reading them, and changing several at once
 * (record_json.c). For the files of this folder. */
#ifndef TC_COORD_RECORD_JSON_H
#define TC_COORD_RECORD_JSON_H

#include "study/store.h"
#include "wire/base64.h"

/* ---- keys: numbers big-endian, so that they are in order */

typedef struct tc_key {
    uint8_t bytes[TC_RECORD_KEY_MAX];
    size_t n;
} tc_key;
tc_key tc_key_number(uint64_t a);
tc_key tc_key_numbers(uint64_t a, uint64_t b);
tc_key tc_key_hash(const tacit_hash *h);
tc_key tc_key_word(const char *word);
uint64_t tc_key_at(const void *key, size_t i); /* the i-th number of it */

/* A record whose value is a JSON object. */
tc_record tc_record_of(int64_t study, tc_record_kind kind, const tc_key *key);
/* Its value; E_CORRUPT: it is not JSON. */
tacit_status tc_record_json(const tc_record *r, json_t **out, tacit_error *err);
/* *out is NULL and *version 0 if there is none; the caller decrefs. */
tacit_status tc_record_read(tc_store *s, int64_t study, tc_record_kind kind, const tc_key *key,
                            json_t **out, uint64_t *version, tacit_error *err);

/* Changes that are being put together; ends with tc_changes_end. At most TC_CHANGES_MOST. */
enum { TC_CHANGES_MOST = 8 };
typedef struct tc_changes {
    tc_change list[TC_CHANGES_MOST];
    tc_key keys[TC_CHANGES_MOST];
    char *texts[TC_CHANGES_MOST]; /* owned */
    size_t n;
    bool failed; /* no memory */
} tc_changes;
/* Takes `value` (may be NULL where there is none). */
void tc_changes_add(tc_changes *c, tc_change_kind what, int64_t study, tc_record_kind kind,
                    const tc_key *key, uint64_t version, json_t *value);
/* The same with bytes, borrowed. */
void tc_changes_bytes(tc_changes *c, tc_change_kind what, int64_t study, tc_record_kind kind,
                      const tc_key *key, uint64_t version, const void *bytes, size_t n);
/* The end of them: commits where `so_far`, what came of putting them together, is TACIT_OK. E_CONFLICT: somebody else
 * was first; *refused (may be NULL) is the change that says so. */
tacit_status tc_changes_end(tc_store *s, tc_changes *c, tacit_status so_far, size_t *refused,
                            tacit_error *err);
void tc_changes_fini(tc_changes *c); /* commits nothing */

#endif
