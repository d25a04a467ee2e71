/* row_secret.c - the curator's own file. See row_secret.h. */
#include "wire/row_secret.h"

#include "base/bytes.h"
#include "base/error.h"
#include "wire/released_int.h"

#include <string.h>

#define KIND "row-secret"

static json_t *order_json(const tc_row_secret *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->terms.rows && list; i++)
        if (json_array_append_new(list, json_integer((json_int_t)s->order[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* False: no memory. */
static bool check_of(const tc_row_secret *s, tacit_hash *out)
{
    size_t n = s->terms.rows, head = 2 * TC_LEDGER_HASH_BYTES;
    uint8_t *bytes = tc_alloc(head + 8 * n, 1);
    if (!bytes)
        return false;
    memcpy(bytes, s->release.bytes, TC_LEDGER_HASH_BYTES);
    memcpy(bytes + TC_LEDGER_HASH_BYTES, s->data.bytes, TC_LEDGER_HASH_BYTES);
    for (size_t i = 0; i < n; i++)
        tc_put_le(bytes + head + 8 * i, s->order[i], 8);
    *out = tc_ledger_release_hash(bytes, head + 8 * n);
    tc_free(bytes);
    return true;
}

char *tc_row_secret_encode(const tc_row_secret *s)
{
    char release[TC_HASH_TEXT], data[TC_HASH_TEXT], storage[TC_HASH_TEXT], check[TC_HASH_TEXT];
    tacit_hash hash;
    tc_json_start();
    if (!check_of(s, &hash))
        return NULL;
    tc_hash_text(release, &s->release);
    tc_hash_text(data, &s->data);
    tc_hash_text(storage, &s->storage);
    tc_hash_text(check, &hash);
    json_t *j = json_pack("{s:s, s:i, s:s, s:s, s:s?, s:o, s:s, s:s, s:o, s:s}", "tacit", KIND,
                          "version", TC_FILE_VERSION, "ledger", s->ledger, "storage", storage,
                          "value_column", s->value_column, "terms", tc_row_terms_json(&s->terms),
                          "release", release, "data", data, "order", order_json(s), "check", check);
    char *text = tc_json_text(j);
    json_decref(j);
    return text;
}

/* Every row once, or an answer would be about another record. */
static tacit_status read_order(tc_row_secret *s, const json_t *list, tc_arena *memory,
                               tacit_error *err)
{
    size_t n = s->terms.rows;
    if (json_array_size(list) != n)
        return tc_fail(err, TACIT_E_ARG, "order must be a list of %zu rows", n);
    size_t *order = TC_TAKE(memory, n, size_t);
    unsigned char *seen = TC_TAKE(memory, n, unsigned char);
    if (memory->failed)
        return tc_fail_memory(err);
    s->order = order;
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(list, i);
        json_int_t at = json_integer_value(row);
        if (!json_is_integer(row) || at < 0 || (uint64_t)at >= n || seen[at])
            return tc_fail(err, TACIT_E_ARG, "order must have each of %zu rows once", n);
        seen[at] = 1;
        order[i] = (size_t)at;
    }
    return TACIT_OK;
}

static tacit_status read_check(const tc_row_secret *s, const json_t *j, tacit_error *err)
{
    tacit_hash stored, hash;
    TC_TRY(tc_hash_read(j, "", "check", &stored, err));
    if (!check_of(s, &hash))
        return tc_fail_memory(err);
    if (!tc_ledger_hash_same(&stored, &hash))
        return tc_fail(err, TACIT_E_ARG, "order does not match check: the file was changed");
    return TACIT_OK;
}

static tacit_status read_texts(tc_row_secret *s, const json_t *j, tc_arena *memory,
                               tacit_error *err)
{
    const char *ledger, *column = NULL;
    TC_TRY(tc_json_string(j, "", "ledger", &ledger, err));
    if (!json_is_null(json_object_get(j, "value_column")))
        TC_TRY(tc_json_string(j, "", "value_column", &column, err));
    s->ledger = tc_arena_strdup(memory, ledger);
    s->value_column = column ? tc_arena_strdup(memory, column) : NULL;
    return memory->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status read_all(tc_row_secret *s, const json_t *j, tc_arena *memory, tacit_error *err)
{
    static const char *const allowed[] = {"tacit",        "version", "ledger",  "storage",
                                          "value_column", "terms",   "release", "data",
                                          "order",        "check",   NULL};
    TC_TRY(tc_file_kind(j, KIND, err));
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(read_texts(s, j, memory, err));
    TC_TRY(tc_row_terms_from_json(&s->terms, json_object_get(j, "terms"), memory, err));
    TC_TRY(tc_hash_read(j, "", "storage", &s->storage, err));
    TC_TRY(tc_hash_read(j, "", "release", &s->release, err));
    TC_TRY(tc_hash_read(j, "", "data", &s->data, err));
    TC_TRY(read_order(s, json_object_get(j, "order"), memory, err));
    return read_check(s, j, err);
}

static tacit_status from_json(tc_row_secret *out, const json_t *j, const char *what,
                              tc_arena *memory, tacit_error *err)
{
    tc_row_secret s = {0};
    tacit_status status = read_all(&s, j, memory, err);
    if (status == TACIT_OK)
        *out = s;
    else
        tc_fail_in(err, "%.200s", what);
    return status;
}

tacit_status tc_row_secret_decode(tc_row_secret *out, const char *text, size_t len,
                                  const char *what, tc_arena *memory, tacit_error *err)
{
    json_t *j = NULL;
    TC_TRY(tc_json_parse(text, len, what, &j, err));
    tacit_status status = from_json(out, j, what, memory, err);
    json_decref(j);
    return status;
}

tacit_status tc_row_secret_read(tc_row_secret *out, const char *file, tc_arena *memory,
                                tacit_error *err)
{
    json_t *j = NULL;
    TC_TRY(tc_json_read_file(file, &j, err));
    tacit_status status = from_json(out, j, file, memory, err);
    json_decref(j);
    return status;
}
