/* values_json.c - a point as JSON: {"lr": 0.01, "opt": "adam"}, and back. */
#include "space/space.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "space/param.h"

#include <math.h>
#include <string.h>

/* --- writing --- */

/* 16 as 16, not as 16.0: people read documents. */
static json_t *number_json(double v)
{
    return v == floor(v) && fabs(v) < 1e15 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *choice_json(const tc_param *p, size_t choice)
{
    switch (p->kind) {
    case TC_CHOICE_BOOL:
        return json_boolean(choice == 1);
    case TC_CHOICE_NUMBERS:
        return number_json(p->numbers[choice]);
    case TC_CHOICE_TEXTS:
        break;
    }
    return json_string(p->choices[choice]);
}

json_t *tc_space_value_json(const tc_param *p, double value)
{
    switch (p->type) {
    case TC_PARAM_CHOICE:
        return choice_json(p, (size_t)value);
    case TC_PARAM_INT:
    case TC_PARAM_POINT:
        return json_integer((json_int_t)value);
    case TC_PARAM_FLOAT:
        break;
    }
    return json_real(value);
}

/* The coordinates of a candidate, beside its number: a journal is read by people too. */
static bool put_coordinates(json_t *j, const tc_domain *d, size_t candidate)
{
    for (size_t axis = 0; axis < d->dim; axis++) {
        json_t *x = json_real(d->raw[candidate + axis * d->n]);
        if (json_object_set_new(j, d->names[axis], x) != 0)
            return false;
    }
    return true;
}

static bool put_values(json_t *j, const tc_space *s, const double *values)
{
    for (size_t i = 0; i < s->n_params; i++) {
        const tc_param *p = &s->params[i];
        if (tc_space_active(s, values, i) &&
            json_object_set_new(j, p->name, tc_space_value_json(p, values[i])) != 0)
            return false;
    }
    return !s->domain || put_coordinates(j, s->domain, (size_t)values[0]);
}

json_t *tc_space_values_json(const tc_space *s, const double *values)
{
    tc_json_start();
    json_t *j = json_object();
    if (j && put_values(j, s, values))
        return j;
    json_decref(j);
    return NULL;
}

/* --- reading --- */

static size_t n_names(const tc_space *s)
{
    return s->n_params + (s->domain ? s->domain->dim : 0);
}

static const char *name_at(const tc_space *s, size_t i)
{
    return i < s->n_params ? s->params[i].name : s->domain->names[i - s->n_params];
}

static bool known(const tc_space *s, const char *name)
{
    for (size_t i = 0; i < n_names(s); i++)
        if (strcmp(name_at(s, i), name) == 0)
            return true;
    return false;
}

static tacit_status unknown_name(const tc_space *s, const char *name, tacit_error *err)
{
    const char **names = tc_alloc(n_names(s) + 1, sizeof *names);
    if (!names)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n_names(s); i++)
        names[i] = name_at(s, i);
    const char *near = tc_closest(name, names);
    tacit_status status =
        tc_fail(err, TACIT_E_ARG, "there is no parameter \"%.100s\"%s%s%s", name,
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    tc_free(names);
    return status;
}

static tacit_status check_names(const tc_space *s, const json_t *j, tacit_error *err)
{
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "the parameters must be an object, got %s",
                       tc_json_kind(j));
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)j, name, value) if (!known(s, name)) return unknown_name(s, name,
                                                                                           err);
    return TACIT_OK;
}

static bool has_type(const tc_param *p, const json_t *j)
{
    if (p->type != TC_PARAM_CHOICE || p->kind == TC_CHOICE_NUMBERS)
        return json_is_number(j);
    return p->kind == TC_CHOICE_BOOL ? json_is_boolean(j) : json_is_string(j);
}

static const char *type_of(const tc_param *p)
{
    if (p->type != TC_PARAM_CHOICE || p->kind == TC_CHOICE_NUMBERS)
        return "a number";
    return p->kind == TC_CHOICE_BOOL ? "true or false" : "a string";
}

tacit_status tc_space_value_from_json(const tc_param *p, const json_t *j, double *value,
                                      tacit_error *err)
{
    if (!j)
        return tc_fail(err, TACIT_E_ARG, "%s is missing", p->name);
    if (!has_type(p, j))
        return tc_fail(err, TACIT_E_ARG, "%s must be %s, got %s", p->name, type_of(p),
                       tc_json_kind(j));
    double number = json_number_value(j);
    if (p->type == TC_PARAM_CHOICE) {
        if (p->kind == TC_CHOICE_NUMBERS)
            return tc_param_choose(p, number, value, err);
        if (p->kind == TC_CHOICE_TEXTS)
            return tc_space_value_parse(p, json_string_value(j), value, err);
        number = json_is_true(j);
    }
    TC_TRY(tc_param_check(p, number, err));
    *value = number;
    return TACIT_OK;
}

/* Given coordinates must be those of the candidate that was named. */
static tacit_status check_coordinates(const tc_domain *d, size_t candidate, const json_t *j,
                                      tacit_error *err)
{
    for (size_t axis = 0; axis < d->dim; axis++) {
        const json_t *x = json_object_get(j, d->names[axis]);
        double has = d->raw[candidate + axis * d->n];
        if (x && !(json_is_number(x) && json_number_value(x) == has))
            return tc_fail(err, TACIT_E_ARG, "%s does not agree with point %zu, where it is %.15g",
                           d->names[axis], candidate, has);
    }
    return TACIT_OK;
}

static tacit_status coordinates_from_json(const tc_domain *d, const json_t *j, double *raw,
                                          tacit_error *err)
{
    for (size_t axis = 0; axis < d->dim; axis++) {
        const json_t *x = json_object_get(j, d->names[axis]);
        if (!x)
            return tc_fail(err, TACIT_E_ARG, "%s is missing: give \"point\" or all coordinates",
                           d->names[axis]);
        if (!json_is_number(x))
            return tc_fail(err, TACIT_E_ARG, "%s must be a number, got %s", d->names[axis],
                           tc_json_kind(x));
        raw[axis] = json_number_value(x);
    }
    return TACIT_OK;
}

static tacit_status find_candidate(const tc_domain *d, const json_t *j, double *value,
                                   tacit_error *err)
{
    double *raw = tc_alloc(d->dim, sizeof *raw);
    if (!raw)
        return tc_fail_memory(err);
    tacit_status status = coordinates_from_json(d, j, raw, err);
    size_t candidate = status == TACIT_OK ? tc_domain_find(d, raw) : d->n;
    if (candidate < d->n)
        *value = (double)candidate;
    else if (status == TACIT_OK)
        status = tc_fail(err, TACIT_E_ARG, "no candidate has these coordinates (%s is %.15g)",
                         d->names[0], raw[0]);
    tc_free(raw);
    return status;
}

static tacit_status point_from_json(const tc_space *s, const json_t *j, double *value,
                                    tacit_error *err)
{
    const json_t *point = json_object_get(j, s->params[0].name);
    if (!point)
        return find_candidate(s->domain, j, value, err);
    double candidate;
    TC_TRY(tc_space_value_from_json(&s->params[0], point, &candidate, err));
    TC_TRY(check_coordinates(s->domain, (size_t)candidate, j, err));
    *value = candidate;
    return TACIT_OK;
}

/* null says the same as nothing. */
static tacit_status refuse_inactive(const tc_space *s, const tc_param *p, const double *values,
                                    const json_t *j, tacit_error *err)
{
    return !j || json_is_null(j) ? TACIT_OK : tc_space_fail_inactive(s, p, values, err);
}

/* Parents first: their values say which others are active. */
static tacit_status params_from_json(const tc_space *s, const json_t *j, bool conditional,
                                     double *values, tacit_error *err)
{
    for (size_t i = 0; i < s->n_params; i++) {
        const tc_param *p = &s->params[i];
        const json_t *value = json_object_get(j, p->name);
        if ((p->allowed != NULL) != conditional)
            continue;
        if (tc_space_active(s, values, i))
            TC_TRY(tc_space_value_from_json(p, value, &values[i], err));
        else
            TC_TRY(refuse_inactive(s, p, values, value, err));
    }
    return TACIT_OK;
}

tacit_status tc_space_values_from_json(const tc_space *s, const json_t *j, double *values,
                                       tacit_error *err)
{
    TC_TRY(check_names(s, j, err));
    if (s->domain)
        return point_from_json(s, j, values, err);
    TC_TRY(params_from_json(s, j, false, values, err));
    TC_TRY(params_from_json(s, j, true, values, err));
    tc_space_make_canonical(s, values);
    return TACIT_OK;
}
