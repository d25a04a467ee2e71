/* space_json.c - a space as it stands in a study document, and back. */
#include "space/space.h"

#include "base/error.h"
#include "base/json.h"
#include "space/name.h"
#include "space/param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- reading --- */

static tacit_status number_from_json(tc_space *s, const char *name, const char *path,
                                     const json_t *j, bool is_int, tacit_error *err)
{
    static const char *const allowed[] = {"type", "low", "high", "log", "step", "when", NULL};
    double low, high, step = is_int ? 1 : 0;
    bool log = false;
    TC_TRY(tc_json_only(j, path, allowed, err));
    TC_TRY(tc_json_number(j, path, "low", &low, err));
    TC_TRY(tc_json_number(j, path, "high", &high, err));
    TC_TRY(tc_json_bool_or(j, path, "log", &log, err));
    TC_TRY(tc_json_number_or(j, path, "step", &step, err));
    if (is_int)
        return tc_space_add_int(s, name, low, high, step, log, err);
    if (step == 0 && json_object_get(j, "step"))
        return tc_fail(err, TACIT_E_ARG, "%s.step must be greater than 0, got 0", path);
    return tc_space_add_float(s, name, low, high, step, log, err);
}

static bool is_choice(const json_t *item, bool numbers)
{
    return numbers ? json_is_number(item) : json_is_string(item);
}

/* All texts, or all numbers, as the first is. */
static tacit_status choices_from_json(tc_space *s, const char *name, const char *path,
                                      const json_t *array, tacit_error *err)
{
    const char *texts[TC_CHOICES_MAX];
    double values[TC_CHOICES_MAX];
    size_t n = json_array_size(array);
    bool numbers = json_is_number(json_array_get(array, 0));
    for (size_t i = 0; i < n && n <= TC_CHOICES_MAX; i++) {
        const json_t *item = json_array_get(array, i);
        if (i == 0 && !numbers && !json_is_string(item))
            return tc_fail(err, TACIT_E_ARG, "%s.choices[0] must be a string or a number, got %s",
                           path, tc_json_kind(item));
        if (!is_choice(item, numbers))
            return tc_fail(err, TACIT_E_ARG,
                           "%s.choices[%zu] must be a %s as choices[0] is, got %s", path, i,
                           numbers ? "number" : "string", tc_json_kind(item));
        texts[i] = json_string_value(item);
        values[i] = json_number_value(item);
    }
    return numbers ? tc_space_add_numbers(s, name, n, values, err)
                   : tc_space_add_choice(s, name, n, texts, err);
}

static tacit_status choice_from_json(tc_space *s, const char *name, const char *path,
                                     const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"type", "choices", "ordered", "when", NULL};
    bool ordered = false;
    TC_TRY(tc_json_only(j, path, allowed, err));
    TC_TRY(tc_json_bool_or(j, path, "ordered", &ordered, err));
    const json_t *array = json_object_get(j, "choices");
    if (!json_is_array(array))
        return tc_fail(err, TACIT_E_ARG,
                       "%s.choices must be an array of strings or numbers, got %s", path,
                       array ? tc_json_kind(array) : "nothing");
    TC_TRY(choices_from_json(s, name, path, array, err));
    return ordered ? tc_space_set_ordered(s, name, err) : TACIT_OK;
}

static tacit_status bool_from_json(tc_space *s, const char *name, const char *path, const json_t *j,
                                   tacit_error *err)
{
    static const char *const allowed[] = {"type", "when", NULL};
    TC_TRY(tc_json_only(j, path, allowed, err));
    return tc_space_add_bool(s, name, err);
}

static tacit_status param_from_json(tc_space *s, const char *name, const json_t *j,
                                    tacit_error *err)
{
    char path[sizeof "space." + TC_NAME_MAX];
    TC_TRY(tc_space_name_check(name, err));
    snprintf(path, sizeof path, "space.%s", name);
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "%s must be an object, got %s", path, tc_json_kind(j));
    const char *type;
    TC_TRY(tc_json_string(j, path, "type", &type, err));
    if (strcmp(type, "float") == 0)
        return number_from_json(s, name, path, j, false, err);
    if (strcmp(type, "int") == 0)
        return number_from_json(s, name, path, j, true, err);
    if (strcmp(type, "choice") == 0)
        return choice_from_json(s, name, path, j, err);
    if (strcmp(type, "bool") == 0)
        return bool_from_json(s, name, path, j, err);
    return tc_fail(err, TACIT_E_ARG, "%s.type must be float, int, choice or bool, got \"%.100s\"",
                   path, type);
}

/* Once all parameters are there: a parent may come after those that depend on it. */
static tacit_status when_from_json(tc_space *s, const char *name, const json_t *when,
                                   tacit_error *err)
{
    size_t choices[TC_CHOICES_MAX], n = 0;
    const char *must = "must be an object with one parameter";
    if (!json_is_object(when))
        return tc_fail(err, TACIT_E_ARG, "space.%s.when %s, got %s", name, must,
                       tc_json_kind(when));
    if (json_object_size(when) != 1)
        return tc_fail(err, TACIT_E_ARG, "space.%s.when %s, got %zu", name, must,
                       json_object_size(when));
    void *first = json_object_iter((json_t *)when);
    const char *parent = json_object_iter_key(first);
    const json_t *values = json_object_iter_value(first);
    const tc_param *p = tc_space_find(s, parent);
    size_t given = json_is_array(values) ? json_array_size(values) : 1;
    for (; p && p->type == TC_PARAM_CHOICE && n < given && n < TC_CHOICES_MAX; n++) {
        double choice;
        const json_t *one = json_is_array(values) ? json_array_get(values, n) : values;
        tacit_status status = tc_space_value_from_json(p, one, &choice, err);
        if (status != TACIT_OK) {
            tc_fail_in(err, "space.%s.when", name);
            return status;
        }
        choices[n] = (size_t)choice;
    }
    return tc_space_set_when(s, name, parent, n, choices, err);
}

static tacit_status conditions_from_json(tc_space *s, const json_t *j, tacit_error *err)
{
    const char *name;
    json_t *param;
    json_object_foreach((json_t *)j, name, param)
    {
        const json_t *when = json_object_get(param, "when");
        if (when)
            TC_TRY(when_from_json(s, name, when, err));
    }
    return TACIT_OK;
}

static tacit_status params_from_json(tc_space *s, const json_t *j, tacit_error *err)
{
    const char *name;
    json_t *param;
    json_object_foreach((json_t *)j, name, param) TC_TRY(param_from_json(s, name, param, err));
    return conditions_from_json(s, j, err);
}

tacit_status tc_space_from_json(tc_space **out, const json_t *j, tacit_error *err)
{
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "space must be an object, got %s", tc_json_kind(j));
    if (json_object_size(j) == 0)
        return tc_fail(err, TACIT_E_ARG, "space must have at least one parameter");
    tc_space *s = NULL;
    TC_TRY(tc_space_new(&s, err));
    tacit_status status = params_from_json(s, j, err);
    if (status != TACIT_OK)
        tc_space_free(s);
    else
        *out = s;
    return status;
}

/* --- writing --- */

static json_t *number_json(const tc_param *p, double v)
{
    return p->type == TC_PARAM_INT ? json_integer((json_int_t)v) : json_real(v);
}

/* What is not said is the default: no step (1 of an int), no log. */
static bool put_number(json_t *j, const tc_param *p)
{
    bool stepped = p->step != (p->type == TC_PARAM_INT ? 1 : 0);
    return json_object_set_new(j, "low", number_json(p, p->low)) == 0 &&
           json_object_set_new(j, "high", number_json(p, p->high)) == 0 &&
           (!stepped || json_object_set_new(j, "step", number_json(p, p->step)) == 0) &&
           (!p->log || json_object_set_new(j, "log", json_true()) == 0);
}

static bool put_choices(json_t *j, const tc_param *p)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < p->n_choices; i++)
        if (json_array_append_new(array, tc_space_value_json(p, (double)i)) != 0) {
            json_decref(array);
            return false;
        }
    return json_object_set_new(j, "choices", array) == 0 &&
           (!p->ordered || json_object_set_new(j, "ordered", json_true()) == 0);
}

/* One value as it is, several as an array, in the order of the parent. */
static json_t *allowed_json(const tc_param *p, const tc_param *parent)
{
    json_t *array = json_array();
    for (size_t k = 0; array && k < parent->n_choices; k++)
        if (p->allowed[k] &&
            json_array_append_new(array, tc_space_value_json(parent, (double)k)) != 0) {
            json_decref(array);
            return NULL;
        }
    if (json_array_size(array) != 1)
        return array;
    json_t *single = json_incref(json_array_get(array, 0));
    json_decref(array);
    return single;
}

static bool put_when(json_t *j, const tc_space *s, const tc_param *p)
{
    if (!p->allowed)
        return true;
    const tc_param *parent = &s->params[p->parent];
    json_t *when = json_object();
    if (when && json_object_set_new(when, parent->name, allowed_json(p, parent)) == 0)
        return json_object_set_new(j, "when", when) == 0;
    json_decref(when);
    return false;
}

static bool put_values(json_t *j, const tc_param *p)
{
    if (p->type != TC_PARAM_CHOICE)
        return put_number(j, p);
    return p->kind == TC_CHOICE_BOOL || put_choices(j, p);
}

static json_t *param_json(const tc_space *s, const tc_param *p)
{
    static const char *const types[] = {"float", "int", "choice"};
    const bool is_bool = p->type == TC_PARAM_CHOICE && p->kind == TC_CHOICE_BOOL;
    json_t *j = json_object();
    if (j && json_object_set_new(j, "type", json_string(is_bool ? "bool" : types[p->type])) == 0 &&
        put_values(j, p) && put_when(j, s, p))
        return j;
    json_decref(j);
    return NULL;
}

json_t *tc_space_json(const tc_space *s)
{
    tc_json_start();
    json_t *j = json_object();
    for (size_t i = 0; j && i < s->n_params; i++)
        if (json_object_set_new(j, s->params[i].name, param_json(s, &s->params[i])) != 0) {
            json_decref(j);
            return NULL;
        }
    return j;
}
