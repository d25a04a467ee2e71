/* point.c - see point.h. Numbers: 0..n_params-1 are parameters, then coordinates. */
#include "frame/point.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

static size_t coordinates(const tacit_space *s)
{
    return tacit_space_columns(s) - tacit_space_params(s);
}

tacit_status tc_point_init(tc_point *p, const tacit_space *space, tacit_error *err)
{
    size_t dim = coordinates(space), n = tacit_space_params(space);
    *p = (tc_point){.space = space};
    p->values = tc_alloc(n + 1, sizeof *p->values);
    p->given = tc_alloc(n + 1, sizeof *p->given);
    p->raw = tc_alloc(dim + 1, sizeof *p->raw);
    p->raw_given = tc_alloc(dim + 1, sizeof *p->raw_given);
    p->changed = tc_alloc(n + 1, sizeof *p->changed);
    if (!p->values || !p->given || !p->changed || !p->raw || !p->raw_given)
        return tc_fail_memory(err);
    return TACIT_OK;
}

void tc_point_fini(tc_point *p)
{
    tc_free(p->values);
    tc_free(p->given);
    tc_free(p->changed);
    tc_free(p->raw);
    tc_free(p->raw_given);
    *p = (tc_point){0};
}

void tc_point_start(tc_point *p, const double *values)
{
    size_t n = tacit_space_params(p->space);
    p->moved = p->set = false;
    for (size_t i = 0; i < n; i++) {
        p->given[i] = values && tacit_space_active(p->space, values, i);
        p->changed[i] = false;
        p->values[i] = values ? values[i] : 0;
    }
    for (size_t k = 0; k < coordinates(p->space); k++) {
        p->raw_given[k] = values != NULL;
        p->raw[k] = values ? tacit_space_column_value(p->space, values, n + k) : 0;
    }
}

size_t tc_point_find(const tc_point *p, const char *name)
{
    for (size_t i = 0; i < tacit_space_columns(p->space); i++)
        if (strcmp(tacit_space_column_name(p->space, i), name) == 0)
            return i;
    return SIZE_MAX;
}

static tacit_status set_coordinate(tc_point *p, size_t what, const char *text, tacit_error *err)
{
    size_t k = what - tacit_space_params(p->space);
    if (!tc_parse_double(text, &p->raw[k]))
        return tc_fail(err, TACIT_E_ARG, "%s must be a number, got \"%s\"",
                       tacit_space_column_name(p->space, what), text);
    p->raw_given[k] = true;
    p->moved = true;
    return TACIT_OK;
}

tacit_status tc_point_set(tc_point *p, size_t what, const char *text, tacit_error *err)
{
    if (what >= tacit_space_params(p->space))
        return set_coordinate(p, what, text, err);
    if (*text == '\0' && tacit_space_param_parent(p->space, what) != SIZE_MAX)
        return TACIT_OK; /* inactive, says an empty cell */
    TC_TRY(
        tacit_space_parse(p->space, tacit_space_param_name(p->space, what), text, p->values, err));
    p->given[what] = p->changed[what] = p->set = true;
    return TACIT_OK;
}

/* All coordinates name a candidate; and the one that "point" names, if that was set too. */
static tacit_status find_candidate(tc_point *p, tacit_error *err)
{
    size_t i;
    for (size_t k = 0; k < coordinates(p->space); k++)
        if (!p->raw_given[k])
            return tc_fail(err, TACIT_E_ARG, "the coordinate %s is missing",
                           tacit_space_column_name(p->space, tacit_space_params(p->space) + k));
    if (tacit_space_find(p->space, p->raw, &i, err) != TACIT_OK)
        return tc_fail(err, TACIT_E_ARG, "no candidate has these coordinates");
    if (p->set && p->values[0] != (double)i)
        return tc_fail(err, TACIT_E_ARG, "point %.17g and the coordinates of point %zu disagree",
                       p->values[0], i);
    p->values[0] = (double)i;
    p->given[0] = true;
    return TACIT_OK;
}

tacit_status tc_point_set_word(tc_point *p, const char *word, tacit_error *err)
{
    const char *equals = strchr(word, '=');
    char *name = tc_strndup(word, (size_t)(equals - word));
    if (!name)
        return tc_fail_memory(err);
    size_t what = tc_point_find(p, name);
    tacit_status status;
    if (what == SIZE_MAX)
        status = tc_fail(err, TACIT_E_ARG, "the study has no parameter \"%s\"", name);
    else if (what < tacit_space_params(p->space) && p->changed[what])
        status = tc_fail(err, TACIT_E_ARG, "the parameter %s is given twice", name);
    else
        status = tc_point_set(p, what, equals + 1, err);
    tc_free(name);
    return status;
}

/* "the parameter X WHAT", and for a conditional one "where PARENT is V" behind it. */
static tacit_status fail_parameter(const tc_point *p, size_t i, const char *what, tacit_error *err)
{
    char text[TACIT_VALUE_SIZE];
    const char *name = tacit_space_param_name(p->space, i);
    size_t parent = tacit_space_param_parent(p->space, i);
    if (parent == SIZE_MAX)
        return tc_fail(err, TACIT_E_ARG, "the parameter %s %s", name, what);
    const char *on = tacit_space_param_name(p->space, parent);
    TC_TRY(tacit_space_format(p->space, p->values, on, text, err));
    return tc_fail(err, TACIT_E_ARG, "the parameter %s %s where %s is %s", name, what, on, text);
}

/* A parent is looked at first wherever it stands: a point without it has no active children. */
static tacit_status check_parameter(const tc_point *p, size_t i, tacit_error *err)
{
    size_t parent = tacit_space_param_parent(p->space, i);
    if (parent != SIZE_MAX && !p->given[parent])
        return fail_parameter(p, parent, "is missing", err);
    bool active = tacit_space_active(p->space, p->values, i);
    if (active && !p->given[i])
        return fail_parameter(p, i, "is missing", err);
    if (!active && p->changed[i])
        return fail_parameter(p, i, "must not be given", err);
    return TACIT_OK;
}

tacit_status tc_point_end(tc_point *p, tacit_error *err)
{
    if (p->moved)
        TC_TRY(find_candidate(p, err));
    for (size_t i = 0; i < tacit_space_params(p->space); i++)
        TC_TRY(check_parameter(p, i, err));
    return tacit_space_check(p->space, p->values, err);
}
