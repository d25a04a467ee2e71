/* answer_json.c - the value of one row as a file. See released_json.h. */
#include "wire/released_json.h"

#include "base/api.h"
#include "base/error.h"
#include "wire/released_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KIND "row-answer"

tacit_status tacit_row_answer_text(const tacit_row_answer *a, char **out, tacit_error *err)
{
    TC_GIVEN(a);
    TC_GIVEN(out);
    char hash[TC_HASH_TEXT];
    tc_json_start();
    tc_hash_text(hash, &a->release);
    json_t *j =
        json_pack("{s:s, s:i, s:s, s:s, s:I, s:o, s:f, s:b}", "tacit", KIND, "version",
                  TC_FILE_VERSION, "name", a->name, "release", hash, "row", (json_int_t)a->row,
                  "value", isnan(a->value) ? json_null() : json_real(a->value), "sd", a->sd,
                  "private", (int)a->is_private);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    *out = text;
    return TACIT_OK;
}

static tacit_status read_name(tacit_row_answer *a, const json_t *j, tacit_error *err)
{
    const char *name;
    TC_TRY(tc_json_string(j, "", "name", &name, err));
    if (strlen(name) >= sizeof a->name)
        return tc_fail(err, TACIT_E_ARG, "name has at most %zu bytes, got %zu", sizeof a->name - 1,
                       strlen(name));
    snprintf(a->name, sizeof a->name, "%s", name);
    return TACIT_OK;
}

static tacit_status read_all(tacit_row_answer *a, const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"tacit", "version", "name",    "release", "row",
                                          "value", "sd",      "private", NULL};
    TC_TRY(tc_file_kind(j, KIND, err));
    TC_TRY(tc_json_only(j, "", allowed, err));
    TC_TRY(read_name(a, j, err));
    TC_TRY(tc_hash_read(j, "", "release", &a->release, err));
    TC_TRY(tc_json_count(j, "", "row", INT64_MAX, &a->row, err));
    bool none = json_is_null(json_object_get(j, "value"));
    if (!none)
        TC_TRY(tc_json_number(j, "", "value", &a->value, err));
    TC_TRY(tc_json_number(j, "", "sd", &a->sd, err));
    TC_TRY(tc_json_bool(j, "private", &a->is_private, err));
    if (!isfinite(a->value) || !(a->sd >= 0 && isfinite(a->sd)))
        return tc_fail(err, TACIT_E_ARG, "value and sd must be finite, and sd >= 0, got %g and %g",
                       a->value, a->sd);
    if (none)
        a->value = NAN;
    return TACIT_OK;
}

static tacit_status from_json(tacit_row_answer *out, const json_t *j, const char *what,
                              tacit_error *err)
{
    tacit_row_answer a = {0};
    tacit_status status = read_all(&a, j, err);
    if (status == TACIT_OK)
        *out = a;
    else
        tc_fail_in(err, "%.200s", what);
    return status;
}

tacit_status tacit_row_answer_parse(tacit_row_answer *out, const char *text, size_t len,
                                    const char *what, tacit_error *err)
{
    json_t *j = NULL;
    TC_GIVEN(out);
    TC_GIVEN(text);
    TC_GIVEN(what);
    TC_TRY(tc_json_parse(text, len, what, &j, err));
    tacit_status status = from_json(out, j, what, err);
    json_decref(j);
    return status;
}

tacit_status tacit_row_answer_read(tacit_row_answer *out, const char *file, tacit_error *err)
{
    json_t *j = NULL;
    TC_GIVEN(out);
    TC_GIVEN(file);
    TC_TRY(tc_json_read_file(file, &j, err));
    tacit_status status = from_json(out, j, file, err);
    json_decref(j);
    return status;
}
