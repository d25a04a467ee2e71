/* import_json.c - trials of a JSON file: {"state": "COMPLETE", "value": 0.25, "params": {"x": 1, ...}}, or with "outcomes":
 * {"error": 0.25, ...} where there are several, an array of them or one on each line. Other members are passed over, as other columns of CSV are. For import_rows.c alone. */
#include "study/import.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* A trial as it stands in its file: number `row`, from 1. */
typedef struct place {
    const char *file, *what; /* "entry" or "line" */
    size_t row;
} place;

static tacit_status at(const place *p, tacit_error *err)
{
    char where[300];
    snprintf(where, sizeof where, "%.200s, %s %zu", p->file, p->what, p->row);
    return tc_fail_in(err, "%s", where);
}

static tacit_status set_param(tc_import *m, const char *name, const json_t *value, tacit_error *err)
{
    char number[32];
    const char *text = json_string_value(value);
    size_t what = tc_point_find(&m->point, name);
    if (what == SIZE_MAX)
        return tc_fail(err, TACIT_E_ARG, "params.%.64s is no parameter of the study", name);
    if (json_is_boolean(value) &&
        tacit_space_column_type(m->point.space, what) == TACIT_COLUMN_CHOICE)
        text = json_is_true(value) ? "true" : "false"; /* a bool's choices */
    if (!text && !json_is_number(value))
        return tc_fail(err, TACIT_E_ARG, "params.%.64s must be a number or a text, got %s", name,
                       tc_json_kind(value));
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    else if (!text)
        tc_double_text(number, json_real_value(value));
    return tc_point_set(&m->point, what, text ? text : number, err);
}

static tacit_status read_params(tc_import *m, const json_t *trial, tacit_error *err)
{
    const char *name;
    json_t *value, *params = json_object_get(trial, "params");
    if (!json_is_object(params))
        return tc_fail(err, TACIT_E_ARG, "params must be an object, got %s",
                       params ? tc_json_kind(params) : "nothing");
    tc_point_start(&m->point, NULL);
    json_object_foreach(params, name, value) TC_TRY(set_param(m, name, value, err));
    return tc_point_end(&m->point, err);
}

static tacit_status read_outcomes(const tc_import *m, const json_t *trial, double *out,
                                  tacit_error *err)
{
    const json_t *all = json_object_get(trial, "outcomes");
    if (m->outcomes.n == 1)
        return tc_json_number(trial, "", "value", out, err);
    if (!all)
        return tc_fail(err, TACIT_E_ARG, "outcomes is missing");
    return tc_outcome_words_json(&m->outcomes, "outcomes", all, out, err);
}

static tacit_status read_trial(tc_import *m, const json_t *trial, tacit_error *err)
{
    const char *state = "COMPLETE";
    double outcomes[TC_OUTCOME_PLACES];
    if (!json_is_object(trial))
        return tc_fail(err, TACIT_E_ARG, "a trial must be an object, got %s", tc_json_kind(trial));
    TC_TRY(tc_json_string_or(trial, "", "state", &state, err));
    if (strcmp(state, "COMPLETE") != 0) {
        m->skipped++;
        return TACIT_OK;
    }
    TC_TRY(read_outcomes(m, trial, outcomes, err));
    TC_TRY(read_params(m, trial, err));
    return tc_import_keep(m, outcomes, err);
}

static tacit_status read_at(tc_import *m, const json_t *trial, const place *p, tacit_error *err)
{
    tacit_status status = read_trial(m, trial, err);
    return status == TACIT_E_ARG ? at(p, err) : status;
}

tacit_status tc_import_json(tc_import *m, const char *text, size_t len, const char *file,
                            tacit_error *err)
{
    json_t *all;
    TC_TRY(tc_json_parse(text, len, file, &all, err));
    tacit_status status = TACIT_OK;
    if (!json_is_array(all))
        status = tc_fail(err, TACIT_E_ARG, "%s must hold an array of trials, got %s", file,
                         tc_json_kind(all));
    for (size_t i = 0; i < json_array_size(all) && status == TACIT_OK; i++)
        status = read_at(m, json_array_get(all, i), &(place){file, "entry", i + 1}, err);
    json_decref(all);
    return status;
}

tacit_status tc_import_json_lines(tc_import *m, const char *text, size_t len, const char *file,
                                  tacit_error *err)
{
    const char *end = text + len;
    for (size_t row = 1; text < end; row++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        const place here = {file, "line", row};
        json_t *trial = NULL;
        if (strspn(text, " \t\r\n") < n) {
            tacit_status status = tc_json_parse(text, n, "it", &trial, err);
            if (status != TACIT_OK)
                return status == TACIT_E_ARG ? at(&here, err) : status;
            status = read_at(m, trial, &here, err);
            json_decref(trial);
            TC_TRY(status);
        }
        text += stop ? n + 1 : n;
    }
    return TACIT_OK;
}
