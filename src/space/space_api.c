/* space_api.c - include/tacit/space.h on top of space.h. */
#include <tacit/space.h>

#include "base/api.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "space/linear.h"
#include "space/param.h"
#include "space/space.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

tacit_status tacit_space_new(tacit_space **out, tacit_error *err)
{
    TC_GIVEN(out);
    return tc_space_new(out, err);
}

void tacit_space_free(tacit_space *space)
{
    tc_space_free(space);
}

tacit_status tacit_space_from_json(tacit_space **out, const char *text, tacit_error *err)
{
    json_t *j = NULL;
    TC_GIVEN(out);
    TC_GIVEN(text);
    TC_TRY(tc_json_parse(text, strlen(text), "space", &j, err));
    tacit_status status = tc_space_from_json(out, j, err);
    json_decref(j);
    return status;
}

tacit_status tacit_space_from_points(tacit_space **out, const char *file, tacit_error *err)
{
    tc_domain *d = NULL;
    TC_GIVEN(out);
    TC_GIVEN(file);
    TC_TRY(tc_domain_read_csv(&d, file, err));
    return tc_space_from_domain(out, d, err);
}

tacit_status tacit_space_add_float(tacit_space *space, const char *name, double low, double high,
                                   double step, bool log, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(name);
    return tc_space_add_float(space, name, low, high, step, log, err);
}

tacit_status tacit_space_add_int(tacit_space *space, const char *name, double low, double high,
                                 double step, bool log, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(name);
    return tc_space_add_int(space, name, low, high, step, log, err);
}

tacit_status tacit_space_add_choice(tacit_space *space, const char *name, size_t n,
                                    const char *const *choices, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(name);
    TC_GIVEN(choices);
    for (size_t i = 0; i < n && i < TC_CHOICES_MAX; i++)
        if (!choices[i])
            return tc_fail(err, TACIT_E_ARG, "choices[%zu] must not be NULL", i);
    return tc_space_add_choice(space, name, n, choices, err);
}

tacit_status tacit_space_add_numbers(tacit_space *space, const char *name, size_t n,
                                     const double *choices, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(name);
    TC_GIVEN(choices);
    return tc_space_add_numbers(space, name, n, choices, err);
}

tacit_status tacit_space_add_bool(tacit_space *space, const char *name, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(name);
    return tc_space_add_bool(space, name, err);
}

static tacit_status no_such_name(const char *name, tacit_error *err)
{
    return tc_fail(err, TACIT_E_NOT_FOUND, "there is no parameter \"%.100s\"", name);
}

tacit_status tacit_space_set_ordered(tacit_space *space, const char *name, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(name);
    return tc_space_find(space, name) ? tc_space_set_ordered(space, name, err)
                                      : no_such_name(name, err);
}

static tacit_status choice_numbers(const tc_param *parent, size_t n, const char *const *values,
                                   size_t *choices, tacit_error *err)
{
    for (size_t k = 0; k < n; k++) {
        double choice;
        if (!values[k])
            return tc_fail(err, TACIT_E_ARG, "values[%zu] must not be NULL", k);
        TC_TRY(tc_space_value_parse(parent, values[k], &choice, err));
        choices[k] = (size_t)choice;
    }
    return TACIT_OK;
}

tacit_status tacit_space_set_when(tacit_space *space, const char *name, const char *parent,
                                  size_t n, const char *const *values, tacit_error *err)
{
    size_t choices[TC_CHOICES_MAX] = {0};
    TC_GIVEN(space);
    TC_GIVEN(name);
    TC_GIVEN(parent);
    TC_GIVEN(values);
    const tc_param *on = tc_space_find(space, parent);
    if (!tc_space_find(space, name) || !on)
        return no_such_name(on ? name : parent, err);
    if (n > TC_CHOICES_MAX)
        return tc_fail(err, TACIT_E_ARG, "n must be at most %d, got %zu", TC_CHOICES_MAX, n);
    if (on->type == TC_PARAM_CHOICE)
        TC_TRY(choice_numbers(on, n, values, choices, err));
    return tc_space_set_when(space, name, parent, n, choices, err);
}

tacit_status tacit_space_add_linear(tacit_space *space, const char *text, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(text);
    return tc_space_add_linear(space, text, err);
}

size_t tacit_space_linears(const tacit_space *space)
{
    return space ? space->n_linear : 0;
}

const char *tacit_space_linear(const tacit_space *space, size_t i)
{
    return i < tacit_space_linears(space) ? space->linear[i].text : NULL;
}

size_t tacit_space_params(const tacit_space *space)
{
    return space ? space->n_params : 0;
}

const char *tacit_space_param_name(const tacit_space *space, size_t i)
{
    return space && i < space->n_params ? space->params[i].name : NULL;
}

size_t tacit_space_param_parent(const tacit_space *space, size_t i)
{
    bool conditional = space && i < space->n_params && space->params[i].allowed;
    return conditional ? space->params[i].parent : SIZE_MAX;
}

bool tacit_space_active(const tacit_space *space, const double *values, size_t i)
{
    return space && values && i < space->n_params && tc_space_active(space, values, i);
}

tacit_status tacit_space_check(const tacit_space *space, const double *values, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(values);
    return tc_space_check(space, values, err);
}

/* A column of a finite space's file; NULL: none has this name. */
static const double *find_column(const tc_domain *d, const char *name)
{
    for (size_t axis = 0; d && axis < d->dim; axis++)
        if (strcmp(d->names[axis], name) == 0)
            return d->raw + axis * d->n;
    return NULL;
}

tacit_status tacit_space_get(const tacit_space *space, const double *values, const char *name,
                             double *value, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(values);
    TC_GIVEN(name);
    TC_GIVEN(value);
    const double *column = find_column(space->domain, name);
    const tc_param *p = column ? space->params : tc_space_find(space, name);
    if (!p)
        return no_such_name(name, err);
    double found = values[p - space->params];
    if (!tc_space_active(space, values, (size_t)(p - space->params))) {
        *value = NAN;
        return TACIT_OK;
    }
    TC_TRY(tc_param_check(p, found, err));
    *value = column ? column[(size_t)found] : found;
    return TACIT_OK;
}

tacit_status tacit_space_format(const tacit_space *space, const double *values, const char *name,
                                char text[TACIT_VALUE_SIZE], tacit_error *err)
{
    double value;
    TC_GIVEN(text);
    TC_TRY(tacit_space_get(space, values, name, &value, err));
    const tc_param *p = tc_space_find(space, name);
    if (isnan(value))
        text[0] = '\0'; /* inactive */
    else if (p)
        tc_space_value_text(p, value, text, TACIT_VALUE_SIZE);
    else
        tc_double_text(text, value);
    return TACIT_OK;
}

tacit_status tacit_space_parse(const tacit_space *space, const char *name, const char *text,
                               double *values, tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(name);
    TC_GIVEN(text);
    TC_GIVEN(values);
    const tc_param *p = tc_space_find(space, name);
    if (!p)
        return no_such_name(name, err);
    return tc_space_value_parse(p, text, &values[p - space->params], err);
}

/* ---- a point as a row ---- */

size_t tacit_space_columns(const tacit_space *space)
{
    return space ? space->n_params + (space->domain ? space->domain->dim : 0) : 0;
}

const char *tacit_space_column_name(const tacit_space *space, size_t i)
{
    if (i >= tacit_space_columns(space))
        return NULL;
    return i < space->n_params ? space->params[i].name : space->domain->names[i - space->n_params];
}

tacit_column_type tacit_space_column_type(const tacit_space *space, size_t i)
{
    if (i >= tacit_space_columns(space))
        return (tacit_column_type)0;
    tc_param_type type = i < space->n_params ? space->params[i].type : TC_PARAM_FLOAT;
    return type == TC_PARAM_FLOAT    ? TACIT_COLUMN_FLOAT
           : type == TC_PARAM_CHOICE ? TACIT_COLUMN_CHOICE
                                     : TACIT_COLUMN_INT;
}

double tacit_space_column_value(const tacit_space *space, const double *values, size_t i)
{
    if (i >= tacit_space_columns(space) || !values)
        return NAN;
    const tc_domain *d = space->domain;
    if (i < space->n_params)
        return tc_space_active(space, values, i) ? values[i] : NAN;
    return d->raw[(size_t)values[0] + (i - space->n_params) * d->n];
}

bool tacit_space_param_log(const tacit_space *space, size_t i)
{
    return space && i < space->n_params && space->params[i].log;
}

const char *tacit_space_choice(const tacit_space *space, size_t i, size_t k)
{
    bool there = space && i < space->n_params && space->params[i].type == TC_PARAM_CHOICE &&
                 k < space->params[i].n_choices;
    return there ? space->params[i].choices[k] : NULL;
}

static const tc_param *choice_at(const tacit_space *space, size_t i)
{
    bool is_one = space && i < space->n_params && space->params[i].type == TC_PARAM_CHOICE;
    return is_one ? &space->params[i] : NULL;
}

tacit_choice_kind tacit_space_choice_kind(const tacit_space *space, size_t i)
{
    static const tacit_choice_kind kinds[] = {[TC_CHOICE_TEXTS] = TACIT_CHOICE_TEXT,
                                              [TC_CHOICE_NUMBERS] = TACIT_CHOICE_NUMBER,
                                              [TC_CHOICE_BOOL] = TACIT_CHOICE_BOOL};
    const tc_param *p = choice_at(space, i);
    return p ? kinds[p->kind] : (tacit_choice_kind)0;
}

double tacit_space_choice_number(const tacit_space *space, size_t i, size_t k)
{
    const tc_param *p = choice_at(space, i);
    if (!p || k >= p->n_choices || p->kind == TC_CHOICE_TEXTS)
        return NAN;
    return p->kind == TC_CHOICE_BOOL ? (double)k : p->numbers[k];
}

tacit_status tacit_space_find(const tacit_space *space, const double *columns, size_t *point,
                              tacit_error *err)
{
    TC_GIVEN(space);
    TC_GIVEN(columns);
    TC_GIVEN(point);
    if (!space->domain)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "the space is not one of candidates");
    size_t found = tc_domain_find(space->domain, columns);
    if (found == space->domain->n)
        return tc_fail(err, TACIT_E_NOT_FOUND, "no candidate has these coordinates");
    *point = found;
    return TACIT_OK;
}
