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
    static const char *const allowed[] = {"type", "low", "high", "log", "step", NULL};
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

static tacit_status choices_from_json(const json_t *array, const char *path, const char **choices,
                                      tacit_error *err)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_string(item))
            return tc_fail(err, TACIT_E_ARG, "%s.choices[%zu] must be a string, got %s", path, i,
                           tc_json_kind(item));
        choices[i] = json_string_value(item);
    }
    return TACIT_OK;
}

static tacit_status choice_from_json(tc_space *s, const char *name, const char *path,
                                     const json_t *j, tacit_error *err)
{
    static const char *const allowed[] = {"type", "choices", NULL};
    TC_TRY(tc_json_only(j, path, allowed, err));
    const json_t *array = json_object_get(j, "choices");
    if (!json_is_array(array))
        return tc_fail(err, TACIT_E_ARG, "%s.choices must be an array of strings, got %s", path,
                       array ? tc_json_kind(array) : "nothing");
    size_t n = json_array_size(array);
    const char *choices[TC_CHOICES_MAX];
    if (n <= TC_CHOICES_MAX)
        TC_TRY(choices_from_json(array, path, choices, err));
    return tc_space_add_choice(s, name, n, choices, err);
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
    return tc_fail(err, TACIT_E_ARG, "%s.type must be float, int or choice, got \"%.100s\"", path,
                   type);
}

static tacit_status params_from_json(tc_space *s, const json_t *j, tacit_error *err)
{
    const char *name;
    json_t *param;
    json_object_foreach((json_t *)j, name, param) TC_TRY(param_from_json(s, name, param, err));
    return TACIT_OK;
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
        if (json_array_append_new(array, json_string(p->choices[i])) != 0) {
            json_decref(array);
            return false;
        }
    return json_object_set_new(j, "choices", array) == 0;
}

static json_t *param_json(const tc_param *p)
{
    static const char *const types[] = {"float", "int", "choice"};
    json_t *j = json_object();
    bool ok = j && json_object_set_new(j, "type", json_string(types[p->type])) == 0 &&
              (p->type == TC_PARAM_CHOICE ? put_choices(j, p) : put_number(j, p));
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

json_t *tc_space_json(const tc_space *s)
{
    tc_json_start();
    json_t *j = json_object();
    for (size_t i = 0; j && i < s->n_params; i++)
        if (json_object_set_new(j, s->params[i].name, param_json(&s->params[i])) != 0) {
            json_decref(j);
            return NULL;
        }
    return j;
}
