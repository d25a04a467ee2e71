/* point.c - see point.h. Numbers: 0..n_params-1 are parameters, then coordinates. */
#include "frame/point.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

static size_t coordinates(const tc_space *s)
{
    return s->domain ? s->domain->dim : 0;
}

tacit_status tc_point_init(tc_point *p, const tc_space *space, tacit_error *err)
{
    size_t dim = coordinates(space);
    *p = (tc_point){.space = space};
    p->values = tc_alloc(space->n_params + 1, sizeof *p->values);
    p->given = tc_alloc(space->n_params + 1, sizeof *p->given);
    p->raw = tc_alloc(dim + 1, sizeof *p->raw);
    p->raw_given = tc_alloc(dim + 1, sizeof *p->raw_given);
    if (!p->values || !p->given || !p->raw || !p->raw_given)
        return tc_fail_memory(err);
    return TACIT_OK;
}

void tc_point_fini(tc_point *p)
{
    tc_free(p->values);
    tc_free(p->given);
    tc_free(p->raw);
    tc_free(p->raw_given);
    *p = (tc_point){0};
}

void tc_point_start(tc_point *p, const double *values)
{
    const tc_domain *d = p->space->domain;
    p->moved = p->set = false;
    for (size_t i = 0; i < p->space->n_params; i++) {
        p->given[i] = values != NULL;
        p->values[i] = values ? values[i] : 0;
    }
    for (size_t k = 0; k < coordinates(p->space); k++) {
        p->raw_given[k] = values != NULL;
        p->raw[k] = values ? d->raw[(size_t)values[0] + k * d->n] : 0;
    }
}

size_t tc_point_find(const tc_point *p, const char *name)
{
    const tc_space *s = p->space;
    for (size_t i = 0; i < s->n_params; i++)
        if (strcmp(s->params[i].name, name) == 0)
            return i;
    for (size_t k = 0; k < coordinates(s); k++)
        if (strcmp(s->domain->names[k], name) == 0)
            return s->n_params + k;
    return SIZE_MAX;
}

static tacit_status set_coordinate(tc_point *p, size_t k, const char *text, tacit_error *err)
{
    if (!tc_parse_double(text, &p->raw[k]))
        return tc_fail(err, TACIT_E_ARG, "%s must be a number, got \"%s\"",
                       p->space->domain->names[k], text);
    p->raw_given[k] = true;
    p->moved = true;
    return TACIT_OK;
}

tacit_status tc_point_set(tc_point *p, size_t what, const char *text, tacit_error *err)
{
    size_t n = p->space->n_params;
    if (what >= n)
        return set_coordinate(p, what - n, text, err);
    TC_TRY(tc_space_value_parse(&p->space->params[what], text, &p->values[what], err));
    p->given[what] = p->set = true;
    return TACIT_OK;
}

/* All coordinates name a candidate; and the one that "point" names, if that was set too. */
static tacit_status find_candidate(tc_point *p, tacit_error *err)
{
    const tc_domain *d = p->space->domain;
    for (size_t k = 0; k < d->dim; k++)
        if (!p->raw_given[k])
            return tc_fail(err, TACIT_E_ARG, "the coordinate %s is missing", d->names[k]);
    size_t i = tc_domain_find(d, p->raw);
    if (i == d->n)
        return tc_fail(err, TACIT_E_ARG, "no candidate has these coordinates");
    if (p->set && p->values[0] != (double)i)
        return tc_fail(err, TACIT_E_ARG, "point %.17g and the coordinates of point %zu disagree",
                       p->values[0], i);
    p->values[0] = (double)i;
    p->given[0] = true;
    return TACIT_OK;
}

tacit_status tc_point_end(tc_point *p, tacit_error *err)
{
    if (p->moved)
        TC_TRY(find_candidate(p, err));
    for (size_t i = 0; i < p->space->n_params; i++)
        if (!p->given[i])
            return tc_fail(err, TACIT_E_ARG, "the parameter %s is missing",
                           p->space->params[i].name);
    return tc_space_check(p->space, p->values, err);
}
