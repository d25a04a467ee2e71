/* values_json.c - a point as JSON: {"lr": 0.01, "opt": "adam"}, and back. */
#include "space/space.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "space/param.h"

#include <string.h>

/* --- writing --- */

static json_t *value_json(const tc_param *p, double value)
{
    switch (p->type) {
    case TC_PARAM_CHOICE:
        return json_string(p->choices[(size_t)value]);
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
        if (json_object_set_new(j, p->name, value_json(p, values[i])) != 0)
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

static tacit_status value_from_json(const tc_param *p, const json_t *j, double *value,
                                    tacit_error *err)
{
    bool choice = p->type == TC_PARAM_CHOICE;
    if (!j)
        return tc_fail(err, TACIT_E_ARG, "%s is missing", p->name);
    if (choice ? !json_is_string(j) : !json_is_number(j))
        return tc_fail(err, TACIT_E_ARG, "%s must be %s, got %s", p->name,
                       choice ? "a string" : "a number", tc_json_kind(j));
    if (choice)
        return tc_space_value_parse(p, json_string_value(j), value, err);
    double number = json_number_value(j);
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
    TC_TRY(value_from_json(&s->params[0], point, &candidate, err));
    TC_TRY(check_coordinates(s->domain, (size_t)candidate, j, err));
    *value = candidate;
    return TACIT_OK;
}

tacit_status tc_space_values_from_json(const tc_space *s, const json_t *j, double *values,
                                       tacit_error *err)
{
    TC_TRY(check_names(s, j, err));
    if (s->domain)
        return point_from_json(s, j, values, err);
    for (size_t i = 0; i < s->n_params; i++)
        TC_TRY(
            value_from_json(&s->params[i], json_object_get(j, s->params[i].name), &values[i], err));
    return TACIT_OK;
}
