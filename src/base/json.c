/* json.c - strict reading of JSON; the writer is json_text.c. */
#include "base/json.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE = 256 << 20, LONGEST_NAME = 256 };

/* jansson's lexer goes on after a failed allocation and may then deliver a
 * token with bytes missing. So the allocator remembers that it has failed,
 * and the parser's result is not believed. */
static _Thread_local bool allocation_failed;

static void *json_alloc(size_t size)
{
    void *p = tc_alloc(1, size);
    if (p == NULL)
        allocation_failed = true;
    return p;
}

static void start(void)
{
    json_set_alloc_funcs(json_alloc, tc_free);
}

void tc_json_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

/* ---- documents */

tacit_status tc_json_parse(const char *text, size_t len, const char *what, json_t **out,
                           tacit_error *err)
{
    tc_json_start();
    allocation_failed = false;
    json_error_t e;
    json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
    if (allocation_failed) {
        json_decref(j);
        return tc_fail_memory(err);
    }
    if (j == NULL) /* jansson's own sentence names a flag of its interface */
        return tc_fail(err, TACIT_E_ARG, "%s line %d: %s", what, e.line,
                       strstr(e.text, "JSON_ALLOW_NUL") ? "\\u0000 is not allowed" : e.text);
    *out = j;
    return TACIT_OK;
}

tacit_status tc_json_read_file(const char *file, json_t **out, tacit_error *err)
{
    char *text;
    size_t len;
    TC_TRY(tc_file_read(file, LARGEST_FILE, &text, &len, err));
    tacit_status status = tc_json_parse(text, len, file, out, err);
    tc_free(text);
    return status;
}

/* ---- fields */

const char *tc_json_kind(const json_t *j)
{
    if (j == NULL)
        return "nothing";
    switch (json_typeof(j)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

/* "space.lr.low"; a name too long to read is cut. */
typedef struct field_name {
    char text[LONGEST_NAME];
} field_name;

static field_name name_of(const char *path, const char *key)
{
    field_name n;
    tacit_error cut = {0};
    tc_fail(&cut, TACIT_OK, "%s%s%s", path, *path == '\0' ? "" : ".", key);
    memcpy(n.text, cut.msg, sizeof n.text - 1);
    n.text[sizeof n.text - 1] = '\0';
    return n;
}

static tacit_status need_object(const json_t *obj, const char *path, tacit_error *err)
{
    if (json_is_object(obj))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s must be an object, got %s",
                   *path == '\0' ? "the document" : path, tc_json_kind(obj));
}

static tacit_status fail_kind(const json_t *j, const char *path, const char *key, const char *kind,
                              tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "%s must be %s, got %s", name_of(path, key).text, kind,
                   tc_json_kind(j));
}

static tacit_status need_field(const json_t *obj, const char *path, const char *key,
                               const char *kind, tacit_error *err)
{
    TC_TRY(need_object(obj, path, err));
    if (json_object_get(obj, key) != NULL)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s is missing; it must be %s", name_of(path, key).text, kind);
}

tacit_status tc_json_string(const json_t *obj, const char *path, const char *key, const char **out,
                            tacit_error *err)
{
    TC_TRY(need_field(obj, path, key, "a string", err));
    return tc_json_string_or(obj, path, key, out, err);
}

tacit_status tc_json_number(const json_t *obj, const char *path, const char *key, double *out,
                            tacit_error *err)
{
    TC_TRY(need_field(obj, path, key, "a number", err));
    return tc_json_number_or(obj, path, key, out, err);
}

tacit_status tc_json_string_or(const json_t *obj, const char *path, const char *key,
                               const char **out, tacit_error *err)
{
    TC_TRY(need_object(obj, path, err));
    const json_t *j = json_object_get(obj, key);
    if (j == NULL)
        return TACIT_OK;
    if (!json_is_string(j))
        return fail_kind(j, path, key, "a string", err);
    *out = json_string_value(j);
    return TACIT_OK;
}

tacit_status tc_json_number_or(const json_t *obj, const char *path, const char *key, double *out,
                               tacit_error *err)
{
    TC_TRY(need_object(obj, path, err));
    const json_t *j = json_object_get(obj, key);
    if (j == NULL)
        return TACIT_OK;
    if (!json_is_number(j))
        return fail_kind(j, path, key, "a number", err);
    *out = json_number_value(j);
    return TACIT_OK;
}

tacit_status tc_json_bool_or(const json_t *obj, const char *path, const char *key, bool *out,
                             tacit_error *err)
{
    TC_TRY(need_object(obj, path, err));
    const json_t *j = json_object_get(obj, key);
    if (j == NULL)
        return TACIT_OK;
    if (!json_is_boolean(j))
        return fail_kind(j, path, key, "true or false", err);
    *out = json_is_true(j);
    return TACIT_OK;
}

tacit_status tc_json_int_or(const json_t *obj, const char *path, const char *key, int64_t low,
                            int64_t high, int64_t *out, tacit_error *err)
{
    TC_TRY(need_object(obj, path, err));
    const json_t *j = json_object_get(obj, key);
    if (j == NULL)
        return TACIT_OK;
    int64_t v;
    if (tc_json_whole(j, &v) && v >= low && v <= high) {
        *out = v;
        return TACIT_OK;
    }
    char got[32];
    if (json_is_integer(j))
        snprintf(got, sizeof got, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
    else if (json_is_real(j))
        tc_double_text(got, json_real_value(j));
    else
        snprintf(got, sizeof got, "%s", tc_json_kind(j));
    return tc_fail(err, TACIT_E_ARG,
                   "%s must be a whole number in [%" PRId64 ", %" PRId64 "], got %s",
                   name_of(path, key).text, low, high, got);
}

bool tc_json_whole(const json_t *j, int64_t *out)
{
    if (json_is_integer(j)) {
        *out = json_integer_value(j);
        return true;
    }
    double v = json_is_real(j) ? json_real_value(j) : 0.5;
    if (v != floor(v) || fabs(v) > 0x1p53)
        return false;
    *out = (int64_t)v;
    return true;
}

static bool is_in(const char *word, const char *const *list)
{
    while (*list != NULL && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

tacit_status tc_json_only(const json_t *obj, const char *path, const char *const *allowed,
                          tacit_error *err)
{
    TC_TRY(need_object(obj, path, err));
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)obj, key, value)
    {
        if (!is_in(key, allowed))
            return tc_fail_unknown(err, TACIT_E_ARG, key, allowed, "Allowed",
                                   "unknown field \"%s\"", name_of(path, key).text);
    }
    return TACIT_OK;
}
