/* released_file.c - what the files of an outsourced study have in common. See released_int.h. */
#include "wire/released_int.h"

#include "base/error.h"

#include <string.h>

tacit_status tc_file_kind(const json_t *j, const char *kind, tacit_error *err)
{
    const char *given;
    uint64_t version;
    if (!json_is_string(json_object_get(j, "tacit")))
        return tc_fail(err, TACIT_E_ARG, "this is no file of the kind \"%s\": it has no \"tacit\"",
                       kind);
    TC_TRY(tc_json_string(j, "", "tacit", &given, err));
    if (strcmp(given, kind) != 0)
        return tc_fail(err, TACIT_E_ARG, "this is a file of the kind \"%.40s\", not \"%s\"", given,
                       kind);
    TC_TRY(tc_json_count(j, "", "version", INT64_MAX, &version, err));
    if (version != TC_FILE_VERSION)
        return tc_fail(err, TACIT_E_ARG, "version must be %d, got %llu", TC_FILE_VERSION,
                       (unsigned long long)version);
    return TACIT_OK;
}

tacit_status tc_json_bool(const json_t *obj, const char *key, bool *out, tacit_error *err)
{
    if (!json_object_get(obj, key))
        return tc_fail(err, TACIT_E_ARG, "%s is missing", key);
    return tc_json_bool_or(obj, "", key, out, err);
}

tacit_status tc_json_count(const json_t *obj, const char *path, const char *key, int64_t most,
                           uint64_t *out, tacit_error *err)
{
    int64_t n = -1;
    TC_TRY(tc_json_int_or(obj, path, key, 0, most, &n, err));
    if (n < 0)
        return tc_fail(err, TACIT_E_ARG, "%s%s%s is missing", path, *path ? "." : "", key);
    *out = (uint64_t)n;
    return TACIT_OK;
}
