/* record_json.c - records with JSON in them, keys of numbers, and sets of changes. Used by all files
 * of this folder. */
#include "coord/record_json.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* ---- keys ---- */

static void put_number(tc_key *k, uint64_t v)
{
    for (int i = 56; i >= 0; i -= 8)
        k->bytes[k->n++] = (uint8_t)(v >> i);
}

tc_key tc_key_number(uint64_t a)
{
    tc_key k = {.n = 0};
    put_number(&k, a);
    return k;
}

tc_key tc_key_numbers(uint64_t a, uint64_t b)
{
    tc_key k = tc_key_number(a);
    put_number(&k, b);
    return k;
}

tc_key tc_key_hash(const tacit_hash *h)
{
    tc_key k = {.n = sizeof h->bytes};
    memcpy(k.bytes, h->bytes, sizeof h->bytes);
    return k;
}

tc_key tc_key_word(const char *word)
{
    tc_key k = {.n = strlen(word)};
    assert(k.n <= sizeof k.bytes);
    memcpy(k.bytes, word, k.n);
    return k;
}

uint64_t tc_key_at(const void *key, size_t i)
{
    const uint8_t *p = (const uint8_t *)key + 8 * i;
    uint64_t v = 0;
    for (int b = 0; b < 8; b++)
        v = v << 8 | p[b];
    return v;
}

/* ---- reading ---- */

tc_record tc_record_of(int64_t study, tc_record_kind kind, const tc_key *key)
{
    return (tc_record){.study = study, .kind = kind, .key = key->bytes, .key_size = key->n};
}

tacit_status tc_record_json(const tc_record *r, json_t **out, tacit_error *err)
{
    tacit_status status = tc_json_parse(r->value, r->size, "record", out, err);
    if (status == TACIT_E_ARG)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the storage is damaged: a record of kind %d is not JSON", (int)r->kind);
    return status;
}

tacit_status tc_record_read(tc_store *s, int64_t study, tc_record_kind kind, const tc_key *key,
                            json_t **out, uint64_t *version, tacit_error *err)
{
    tc_record which = tc_record_of(study, kind, key), got;
    *out = NULL;
    *version = 0;
    TC_TRY(tc_store_record_find(s, &which, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    which.value = got.value;
    which.size = got.size;
    tacit_status status = tc_record_json(&which, out, err);
    tc_free((void *)got.value);
    if (status == TACIT_OK)
        *version = got.version;
    return status;
}

/* ---- changing ---- */

void tc_changes_bytes(tc_changes *c, tc_change_kind what, int64_t study, tc_record_kind kind,
                      const tc_key *key, uint64_t version, const void *bytes, size_t n)
{
    assert(c->n < TC_CHANGES_MOST);
    c->keys[c->n] = *key;
    tc_change *to = &c->list[c->n];
    to->what = what;
    to->record = tc_record_of(study, kind, &c->keys[c->n]);
    to->record.version = version;
    to->record.value = bytes;
    to->record.size = n;
    c->n++;
}

void tc_changes_add(tc_changes *c, tc_change_kind what, int64_t study, tc_record_kind kind,
                    const tc_key *key, uint64_t version, json_t *value)
{
    bool writes = what == TC_INSERT || what == TC_REPLACE;
    char *text = value ? tc_json_text(value) : NULL;
    json_decref(value);
    c->failed |= writes && !text;
    c->texts[c->n] = text;
    tc_changes_bytes(c, what, study, kind, key, version, text, text ? strlen(text) : 0);
}

void tc_changes_fini(tc_changes *c)
{
    for (size_t i = 0; i < c->n; i++)
        tc_free(c->texts[i]);
    *c = (tc_changes){.n = 0};
}

tacit_status tc_changes_end(tc_store *s, tc_changes *c, tacit_status so_far, size_t *refused,
                            tacit_error *err)
{
    tacit_status status = so_far;
    if (status == TACIT_OK)
        status = c->failed ? tc_fail_memory(err) : tc_store_change(s, c->list, c->n, refused, err);
    tc_changes_fini(c);
    return status;
}
