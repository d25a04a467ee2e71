/* condition.c - parameters that have an effect only where a choice has some of its values. See space.h. */
#include "space/space.h"

#include "base/error.h"
#include "space/linear.h"
#include "space/param.h"

#include <string.h>

/* --- conditions --- */

static const char *type_name(const tc_param *p)
{
    return p->type == TC_PARAM_FLOAT ? "a float" : "an int";
}

static tacit_status two_levels(const tc_param *p, const tc_param *parent, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG,
                   "space.%s.when: %s has a condition itself, and conditions have one level",
                   p->name, parent->name);
}

static tacit_status check_parent(const tc_space *s, const tc_param *p, const char *name,
                                 tacit_error *err)
{
    const tc_param *parent = tc_space_find(s, name);
    if (!parent)
        return tc_fail(err, TACIT_E_ARG, "space.%s.when: there is no parameter \"%.100s\"", p->name,
                       name);
    if (parent == p)
        return tc_fail(err, TACIT_E_ARG, "space.%s.when must name another parameter", p->name);
    if (parent->type != TC_PARAM_CHOICE)
        return tc_fail(err, TACIT_E_ARG, "space.%s.when: %s must be a choice or a bool, and is %s",
                       p->name, name, type_name(parent));
    return parent->allowed ? two_levels(p, parent, err) : TACIT_OK;
}

static tacit_status check_child(const tc_space *s, const tc_param *p, tacit_error *err)
{
    if (p->allowed)
        return tc_fail(err, TACIT_E_ARG, "space.%s has a condition already", p->name);
    if (tc_linear_has(s, (size_t)(p - s->params)))
        return tc_fail(err, TACIT_E_ARG,
                       "space.%s must not have a condition, because it is in a linear constraint",
                       p->name);
    for (size_t i = 0; i < s->n_params; i++)
        if (s->params[i].allowed && &s->params[s->params[i].parent] == p)
            return two_levels(&s->params[i], p, err);
    return TACIT_OK;
}

static tacit_status allow(const tc_param *p, const tc_param *parent, size_t n,
                          const size_t *choices, unsigned char *allowed, tacit_error *err)
{
    if (n == 0)
        return tc_fail(err, TACIT_E_ARG, "space.%s.when.%s must have at least one value", p->name,
                       parent->name);
    for (size_t k = 0; k < n; k++) {
        if (choices[k] >= parent->n_choices)
            return tc_fail(err, TACIT_E_ARG,
                           "space.%s.when.%s must be a choice from 0 to %zu, got %zu", p->name,
                           parent->name, parent->n_choices - 1, choices[k]);
        if (allowed[choices[k]])
            return tc_fail(err, TACIT_E_ARG, "space.%s.when.%s has \"%.100s\" twice", p->name,
                           parent->name, parent->choices[choices[k]]);
        allowed[choices[k]] = 1;
    }
    return TACIT_OK;
}

tacit_status tc_space_set_when(tc_space *s, const char *name, const char *parent, size_t n,
                               const size_t *choices, tacit_error *err)
{
    tc_param *p = (tc_param *)tc_space_find(s, name);
    if (!p || s->domain)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no parameter \"%.100s\"", name);
    TC_TRY(check_parent(s, p, parent, err));
    TC_TRY(check_child(s, p, err));
    const tc_param *on = tc_space_find(s, parent);
    unsigned char *allowed = TC_TAKE(&s->memory, on->n_choices, unsigned char);
    if (!allowed) {
        s->memory.failed = false; /* the space is as it was */
        return tc_fail_memory(err);
    }
    TC_TRY(allow(p, on, n, choices, allowed, err));
    p->allowed = allowed;
    p->parent = (size_t)(on - s->params);
    s->n_conditional++;
    return TACIT_OK;
}

tacit_status tc_space_copy_condition(tc_space *to, const tc_space *from, size_t i, tacit_error *err)
{
    const tc_param *p = &from->params[i];
    size_t n = from->params[p->parent].n_choices;
    to->params[i].allowed = TC_TAKE(&to->memory, n, unsigned char);
    if (!to->params[i].allowed)
        return tc_fail_memory(err);
    memcpy(to->params[i].allowed, p->allowed, n);
    to->params[i].parent = p->parent;
    to->n_conditional++;
    return TACIT_OK;
}

/* --- points --- */

bool tc_space_active(const tc_space *s, const double *values, size_t i)
{
    const tc_param *p = &s->params[i];
    if (!p->allowed)
        return true;
    double value = values[p->parent];
    return value >= 0 && value < (double)s->params[p->parent].n_choices &&
           p->allowed[(size_t)value];
}

bool tc_space_active_at(const tc_space *s, const double *u, size_t i)
{
    const tc_param *p = &s->params[i];
    if (!p->allowed)
        return true;
    const tc_param *parent = &s->params[p->parent];
    return p->allowed[(size_t)tc_param_choice_at(parent, u + parent->at)];
}

/* How many coordinates p has; not of candidates, which have no condition. */
static size_t width(const tc_param *p)
{
    return p->type == TC_PARAM_CHOICE && !p->ordered ? p->n_choices : 1;
}

/* The middle of what it may be: equally far from its ends, or from its choices. */
void tc_param_idle(const tc_param *p, double *u)
{
    size_t n = width(p);
    for (size_t k = 0; k < n; k++)
        u[k] = n > 1 ? 1 / (double)n : 0.5;
}

static double idle_value(const tc_param *p)
{
    if (p->type == TC_PARAM_CHOICE)
        return p->ordered ? tc_param_choice_at(p, &(double){0.5}) : 0;
    return tc_param_value(p, 0.5);
}

void tc_space_make_canonical(const tc_space *s, double *values)
{
    for (size_t i = 0; s->n_conditional > 0 && i < s->n_params; i++)
        if (!tc_space_active(s, values, i))
            values[i] = idle_value(&s->params[i]);
}

void tc_space_hold_idle(const tc_space *s, const double *u, double *grad)
{
    for (size_t i = 0; s->n_conditional > 0 && i < s->n_params; i++)
        if (!tc_space_active_at(s, u, i))
            memset(grad + s->params[i].at, 0, width(&s->params[i]) * sizeof *grad);
}
