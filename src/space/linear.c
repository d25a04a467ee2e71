/* linear.c - the linear constraints of a space: added, checked, copied, written. See linear.h. */
#include "space/linear.h"

#include "base/error.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

/* ---- points ---- */

static double column_value(const tc_space *s, const double *values, size_t column)
{
    const tc_domain *d = s->domain;
    return d ? d->raw[(size_t)values[0] + column * d->n] : values[column];
}

/* *size: of the terms. */
static double sum_of(const tc_space *s, const tc_linear *c, const double *values, double *size)
{
    double sum = 0;
    *size = fabs(c->bound);
    for (size_t k = 0; k < c->n_terms; k++) {
        const double part = c->terms[k].factor * column_value(s, values, c->terms[k].column);
        sum += part;
        *size += fabs(part);
    }
    return sum;
}

static bool holds(const tc_space *s, const tc_linear *c, const double *values, double *sum)
{
    double size;
    *sum = sum_of(s, c, values, &size);
    double excess = c->at_least ? c->bound - *sum : *sum - c->bound;
    return excess <= 1e-12 * size;
}

bool tc_linear_holds(const tc_space *s, const double *values)
{
    double sum;
    for (size_t k = 0; k < s->n_linear; k++)
        if (!holds(s, &s->linear[k], values, &sum))
            return false;
    return true;
}

tacit_status tc_linear_check(const tc_space *s, const double *values, tacit_error *err)
{
    double sum;
    for (size_t k = 0; k < s->n_linear; k++)
        if (!holds(s, &s->linear[k], values, &sum))
            return tc_fail(err, TACIT_E_ARG,
                           "the point violates the constraint %.200s: its left side is %.15g",
                           s->linear[k].text, sum);
    return TACIT_OK;
}

bool tc_linear_has(const tc_space *s, size_t i)
{
    for (size_t k = 0; k < s->n_linear; k++)
        for (size_t t = 0; t < s->linear[k].n_terms; t++)
            if (s->linear[k].terms[t].column == i)
                return true;
    return false;
}

/* ---- adding ---- */

static tacit_status check_candidates(const tc_space *s, tacit_error *err)
{
    const tc_linear *c = &s->linear[s->n_linear - 1];
    for (size_t i = 0; i < s->domain->n; i++) {
        double sum;
        if (!holds(s, c, &(double){(double)i}, &sum))
            return tc_fail(
                err, TACIT_E_ARG,
                "candidate %zu violates it: leave the candidates that do out of the file", i);
    }
    return TACIT_OK;
}

/* Looks at what the constraints leave, and keeps it; of candidates, whether they satisfy the last one. */
static tacit_status measure(tc_space *s, tacit_error *err)
{
    tc_room *room = NULL;
    if (s->domain)
        return check_candidates(s, err);
    TC_TRY(tc_room_new(&room, s, err));
    tc_room_free(s->room);
    s->room = room;
    return TACIT_OK;
}

static tacit_status check_again(const tc_space *s, const tc_linear *c, tacit_error *err)
{
    if (s->n_linear == TC_LINEAR_MAX)
        return tc_fail(err, TACIT_E_ARG, "a space must have at most %d constraints", TC_LINEAR_MAX);
    for (size_t k = 0; k < s->n_linear; k++)
        if (strcmp(s->linear[k].text, c->text) == 0)
            return tc_fail(err, TACIT_E_ARG, "it is given twice");
    return TACIT_OK;
}

/* Without a look at what it leaves. */
static tacit_status append(tc_space *s, const char *text, tacit_error *err)
{
    tc_linear c;
    TC_TRY(tc_linear_parse(s, text, &c, err));
    TC_TRY(check_again(s, &c, err));
    if (!tc_grow((void **)&s->linear, &s->linear_cap, s->n_linear + 1, sizeof *s->linear))
        return tc_fail_memory(err);
    s->linear[s->n_linear++] = c;
    return TACIT_OK;
}

static tacit_status add(tc_space *s, const char *text, tacit_error *err)
{
    TC_TRY(append(s, text, err));
    tacit_status status = measure(s, err);
    if (status != TACIT_OK)
        s->n_linear--;
    return status;
}

tacit_status tc_space_add_linear(tc_space *s, const char *text, tacit_error *err)
{
    tacit_status status = add(s, text, err);
    s->memory.failed = false; /* the space is as it was: a later add may succeed */
    if (status == TACIT_E_ARG)
        tc_fail_in(err, "the constraint \"%.100s\"", text);
    return status;
}

/* All were accepted once, and are measured together. */
tacit_status tc_linear_copy(tc_space *to, const tc_space *from, tacit_error *err)
{
    for (size_t k = 0; k < from->n_linear; k++)
        TC_TRY(append(to, from->linear[k].text, err));
    return to->n_linear > 0 ? measure(to, err) : TACIT_OK;
}

void tc_linear_free(tc_space *s)
{
    tc_room_free(s->room);
    tc_free(s->linear);
}

/* ---- JSON ---- */

static tacit_status check_texts(const json_t *array, tacit_error *err)
{
    if (!json_is_array(array))
        return tc_fail(err, TACIT_E_ARG, "linear must be an array of strings, got %s",
                       tc_json_kind(array));
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!json_is_string(json_array_get(array, i)))
            return tc_fail(err, TACIT_E_ARG, "linear[%zu] must be a string, got %s", i,
                           tc_json_kind(json_array_get(array, i)));
    return TACIT_OK;
}

/* All at once: measuring is what takes time. */
static tacit_status add_together(tc_space *s, const json_t *array, tacit_error *err)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        TC_TRY(append(s, json_string_value(json_array_get(array, i)), err));
    return s->n_linear > 0 ? measure(s, err) : TACIT_OK;
}

static tacit_status add_one_by_one(tc_space *s, const json_t *array, tacit_error *err)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        tacit_status status =
            tc_space_add_linear(s, json_string_value(json_array_get(array, i)), err);
        if (status != TACIT_OK) {
            tc_fail_in(err, "linear[%zu]", i);
            return status;
        }
    }
    return TACIT_OK;
}

/* Candidates are looked at for one constraint at a time; and so is all that is wrong, to name the first that is. */
tacit_status tc_linear_from_json(tc_space *s, const json_t *array, tacit_error *err)
{
    tacit_error why;
    TC_TRY(check_texts(array, err));
    if (!s->domain && add_together(s, array, &why) == TACIT_OK)
        return TACIT_OK;
    s->n_linear = 0;
    s->memory.failed = false;
    return add_one_by_one(s, array, err);
}

json_t *tc_linear_json(const tc_space *s)
{
    json_t *array = json_array();
    for (size_t k = 0; array && k < s->n_linear; k++)
        if (json_array_append_new(array, json_string(s->linear[k].text)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}
