/* space.c - a space: built, copied, and its points to and from the unit cube. */
#include "space/space.h"

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "space/linear.h"
#include "space/name.h"
#include "space/param.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

tacit_status tc_space_new(tc_space **out, tacit_error *err)
{
    tc_space *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    *out = s;
    return TACIT_OK;
}

void tc_space_free(tc_space *s)
{
    if (!s)
        return;
    tc_domain_free(s->domain);
    tc_linear_free(s);
    tc_arena_fini(&s->memory);
    tc_free(s->params);
    tc_free(s);
}

const tc_param *tc_space_find(const tc_space *s, const char *name)
{
    for (size_t i = 0; i < s->n_params; i++)
        if (strcmp(s->params[i].name, name) == 0)
            return &s->params[i];
    return NULL;
}

/* --- adding parameters --- */

static size_t coordinates(const tc_space *s, const tc_param *p)
{
    switch (p->type) {
    case TC_PARAM_CHOICE:
        return p->ordered ? 1 : p->n_choices;
    case TC_PARAM_POINT:
        return s->domain->dim;
    case TC_PARAM_FLOAT:
    case TC_PARAM_INT:
        break;
    }
    return 1;
}

tacit_status tc_space_name_check(const char *name, tacit_error *err)
{
    tacit_status status = tc_name_check(name, err);
    if (status != TACIT_OK)
        tc_fail_in(err, "space");
    return status;
}

static tacit_status check_new(const tc_space *s, const char *name, tacit_error *err)
{
    TC_TRY(tc_space_name_check(name, err));
    if (s->domain)
        return tc_fail(err, TACIT_E_STATE, "space.%s: a finite space has no further parameters",
                       name);
    if (tc_space_find(s, name))
        return tc_fail(err, TACIT_E_ARG, "space.%s is given twice", name);
    if (s->n_params == TC_PARAMS_MAX)
        return tc_fail(err, TACIT_E_ARG, "space must have at most %d parameters, got \"%s\" too",
                       TC_PARAMS_MAX, name);
    return TACIT_OK;
}

/* Takes p, whose name is still the caller's, as the last parameter. */
static tacit_status append(tc_space *s, tc_param p, size_t coordinates, tacit_error *err)
{
    p.name = tc_arena_strdup(&s->memory, p.name);
    p.at = s->dim;
    bool grown = tc_grow((void **)&s->params, &s->params_cap, s->n_params + 1, sizeof *s->params);
    if (!grown || s->memory.failed) {
        s->memory.failed = false; /* the space is as it was: a later add may succeed */
        return tc_fail_memory(err);
    }
    s->params[s->n_params++] = p;
    s->dim += coordinates;
    return TACIT_OK;
}

static tacit_status add_number(tc_space *s, tc_param p, tacit_error *err)
{
    TC_TRY(check_new(s, p.name, err));
    TC_TRY(tc_param_finish(&p, err));
    return append(s, p, 1, err);
}

tacit_status tc_space_add_float(tc_space *s, const char *name, double low, double high, double step,
                                bool log, tacit_error *err)
{
    tc_param p = {.name = (char *)name,
                  .type = TC_PARAM_FLOAT,
                  .low = low,
                  .high = high,
                  .step = step,
                  .log = log};
    return add_number(s, p, err);
}

tacit_status tc_space_add_int(tc_space *s, const char *name, double low, double high, double step,
                              bool log, tacit_error *err)
{
    tc_param p = {.name = (char *)name,
                  .type = TC_PARAM_INT,
                  .low = low,
                  .high = high,
                  .step = step,
                  .log = log};
    return add_number(s, p, err);
}

static tacit_status check_choice(const char *name, const char *const *choices, size_t i,
                                 tacit_error *err)
{
    size_t len = strlen(choices[i]);
    if (len == 0 || len > TC_CHOICE_MAX)
        return tc_fail(err, TACIT_E_ARG, "space.%s.choices[%zu] must have 1 to %d bytes, got %zu",
                       name, i, TC_CHOICE_MAX, len);
    if (!tc_utf8_valid(choices[i]))
        return tc_fail(err, TACIT_E_ARG, "space.%s.choices[%zu] is not UTF-8 text", name, i);
    for (size_t j = 0; j < i; j++)
        if (strcmp(choices[j], choices[i]) == 0)
            return tc_fail(err, TACIT_E_ARG, "space.%s.choices has \"%.100s\" twice", name,
                           choices[i]);
    return TACIT_OK;
}

static tacit_status check_count(const char *name, size_t n, tacit_error *err)
{
    if (n == 0 || n > TC_CHOICES_MAX)
        return tc_fail(err, TACIT_E_ARG, "space.%s.choices must have 1 to %d entries, got %zu",
                       name, TC_CHOICES_MAX, n);
    return TACIT_OK;
}

static tacit_status check_choices(const char *name, size_t n, const char *const *choices,
                                  tacit_error *err)
{
    TC_TRY(check_count(name, n, err));
    for (size_t i = 0; i < n; i++)
        TC_TRY(check_choice(name, choices, i, err));
    return TACIT_OK;
}

static void keep_choices(tc_space *s, tc_param *p, const char *const *choices)
{
    p->choices = TC_TAKE(&s->memory, p->n_choices, char *);
    for (size_t i = 0; p->choices && i < p->n_choices; i++)
        p->choices[i] = tc_arena_strdup(&s->memory, choices[i]);
}

tacit_status tc_space_add_choice(tc_space *s, const char *name, size_t n,
                                 const char *const *choices, tacit_error *err)
{
    TC_TRY(check_new(s, name, err));
    TC_TRY(check_choices(name, n, choices, err));
    tc_param p = {.name = (char *)name, .type = TC_PARAM_CHOICE, .n_choices = n};
    p.high = (double)(n - 1);
    keep_choices(s, &p, choices);
    return append(s, p, n, err);
}

static void number_text(char text[32], double v)
{
    if (v == floor(v) && fabs(v) < 1e15)
        snprintf(text, 32, "%.0f", v + 0); /* never -0 */
    else
        tc_double_text(text, v);
}

static tacit_status check_numbers(const char *name, size_t n, const double *numbers,
                                  tacit_error *err)
{
    TC_TRY(check_count(name, n, err));
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(numbers[i]))
            return tc_fail(err, TACIT_E_ARG,
                           "space.%s.choices[%zu] must be a finite number, got %g", name, i,
                           numbers[i]);
        for (size_t j = 0; j < i; j++)
            if (numbers[j] == numbers[i])
                return tc_fail(err, TACIT_E_ARG, "space.%s.choices has %.15g twice", name,
                               numbers[i]);
    }
    return TACIT_OK;
}

static void keep_numbers(tc_space *s, tc_param *p, const double *numbers)
{
    p->choices = TC_TAKE(&s->memory, p->n_choices, char *);
    p->numbers = TC_TAKE(&s->memory, p->n_choices, double);
    for (size_t i = 0; p->choices && p->numbers && i < p->n_choices; i++) {
        char text[32];
        number_text(text, numbers[i]);
        p->numbers[i] = numbers[i] + 0;
        p->choices[i] = tc_arena_strdup(&s->memory, text);
    }
}

tacit_status tc_space_add_numbers(tc_space *s, const char *name, size_t n, const double *numbers,
                                  tacit_error *err)
{
    TC_TRY(check_new(s, name, err));
    TC_TRY(check_numbers(name, n, numbers, err));
    tc_param p = {
        .name = (char *)name, .type = TC_PARAM_CHOICE, .kind = TC_CHOICE_NUMBERS, .n_choices = n};
    p.high = (double)(n - 1);
    keep_numbers(s, &p, numbers);
    return append(s, p, n, err);
}

tacit_status tc_space_add_bool(tc_space *s, const char *name, tacit_error *err)
{
    static const char *const words[] = {"false", "true"};
    TC_TRY(check_new(s, name, err));
    tc_param p = {.name = (char *)name,
                  .type = TC_PARAM_CHOICE,
                  .kind = TC_CHOICE_BOOL,
                  .n_choices = 2,
                  .ordered = true,
                  .high = 1};
    keep_choices(s, &p, words);
    return append(s, p, 1, err);
}

tacit_status tc_space_set_ordered(tc_space *s, const char *name, tacit_error *err)
{
    tc_param *p = (tc_param *)tc_space_find(s, name);
    if (!p)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no parameter \"%.100s\"", name);
    if (p->type != TC_PARAM_CHOICE)
        return tc_fail(err, TACIT_E_ARG, "space.%s.ordered is for choices", name);
    p->ordered = true;
    s->dim = 0;
    for (size_t i = 0; i < s->n_params; i++) {
        s->params[i].at = s->dim;
        s->dim += coordinates(s, &s->params[i]);
    }
    return TACIT_OK;
}

tacit_status tc_space_from_domain(tc_space **out, tc_domain *d, tacit_error *err)
{
    tc_space *s = NULL;
    tacit_status status = tc_space_new(&s, err);
    if (status != TACIT_OK) {
        tc_domain_free(d);
        return status;
    }
    s->domain = d;
    tc_param p = {.name = "point", .type = TC_PARAM_POINT, .high = (double)(d->n - 1), .step = 1};
    status = append(s, p, d->dim, err);
    if (status != TACIT_OK)
        tc_space_free(s);
    else
        *out = s;
    return status;
}

/* --- copying --- */

static tacit_status add_copy(tc_space *to, const tc_param *p, tacit_error *err)
{
    tc_param copy = *p; /* as checked */
    if (p->type != TC_PARAM_CHOICE)
        return add_number(to, copy, err);
    if (p->numbers)
        keep_numbers(to, &copy, p->numbers);
    else
        keep_choices(to, &copy, (const char *const *)p->choices);
    return append(to, copy, coordinates(to, p), err);
}

static tacit_status add_copies(tc_space *to, const tc_space *s, tacit_error *err)
{
    for (size_t i = 0; i < s->n_params; i++)
        TC_TRY(add_copy(to, &s->params[i], err));
    for (size_t i = 0; i < s->n_params; i++)
        if (s->params[i].allowed)
            TC_TRY(tc_space_copy_condition(to, s, i, err));
    return tc_linear_copy(to, s, err);
}

static tacit_status copy_params(tc_space **out, const tc_space *s, tacit_error *err)
{
    tc_space *copy = NULL;
    TC_TRY(tc_space_new(&copy, err));
    tacit_status status = add_copies(copy, s, err);
    if (status != TACIT_OK)
        tc_space_free(copy);
    else
        *out = copy;
    return status;
}

tacit_status tc_space_copy(tc_space **out, const tc_space *s, tacit_error *err)
{
    if (!s->domain)
        return copy_params(out, s, err);
    tc_domain *d = NULL;
    tc_space *copy = NULL;
    TC_TRY(tc_domain_copy(&d, s->domain, err));
    TC_TRY(tc_space_from_domain(&copy, d, err));
    tacit_status status = tc_linear_copy(copy, s, err);
    if (status != TACIT_OK)
        tc_space_free(copy);
    else
        *out = copy;
    return status;
}

/* --- the unit cube --- */

static void encode_choice(const tc_param *p, double value, double *u)
{
    assert(value >= 0 && value < (double)p->n_choices);
    if (p->ordered) {
        *u = p->n_choices > 1 ? value / (double)(p->n_choices - 1) : 0.5;
        return;
    }
    memset(u, 0, p->n_choices * sizeof *u);
    u[(size_t)value] = 1;
}

static void encode_point(const tc_domain *d, double value, double *u)
{
    assert(value >= 0 && value < (double)d->n);
    for (size_t axis = 0; axis < d->dim; axis++)
        u[axis] = d->u[(size_t)value + axis * d->n];
}

static void encode_param(const tc_space *s, const tc_param *p, double value, double *u)
{
    switch (p->type) {
    case TC_PARAM_FLOAT:
    case TC_PARAM_INT:
        *u = tc_param_place(p, value);
        break;
    case TC_PARAM_CHOICE:
        encode_choice(p, value, u);
        break;
    case TC_PARAM_POINT:
        encode_point(s->domain, value, u);
        break;
    }
}

/* Of an ordered one the nearest; ties: the lower. */
double tc_param_choice_at(const tc_param *p, const double *u)
{
    size_t best = 0;
    if (p->ordered)
        return fmin(fmax(ceil(*u * p->high - 0.5), 0), p->high);
    for (size_t i = 1; i < p->n_choices; i++)
        if (u[i] > u[best])
            best = i;
    return (double)best;
}

static double decode_param(const tc_space *s, const tc_param *p, const double *u)
{
    switch (p->type) {
    case TC_PARAM_CHOICE:
        return tc_param_choice_at(p, u);
    case TC_PARAM_POINT:
        return (double)tc_domain_nearest(s->domain, u);
    case TC_PARAM_FLOAT:
    case TC_PARAM_INT:
        break;
    }
    return tc_param_value(p, *u);
}

void tc_space_encode(const tc_space *s, const double *values, double *u)
{
    for (size_t i = 0; i < s->n_params; i++)
        if (tc_space_active(s, values, i))
            encode_param(s, &s->params[i], values[i], u + s->params[i].at);
        else
            tc_param_idle(&s->params[i], u + s->params[i].at);
}

bool tc_space_decode_box(const tc_space *s, const double *u, double *values)
{
    for (size_t i = 0; i < s->n_params; i++)
        values[i] = decode_param(s, &s->params[i], u + s->params[i].at);
    tc_space_make_canonical(s, values);
    return tc_linear_holds(s, values);
}

void tc_space_decode(const tc_space *s, const double *u, double *values)
{
    if (!tc_space_decode_box(s, u, values))
        tc_linear_repair(s, values);
}

bool tc_space_satisfied(const tc_space *s, const double *u)
{
    double values[TC_PARAMS_MAX];
    return s->n_linear == 0 || tc_space_decode_box(s, u, values);
}

void tc_space_round(const tc_space *s, double *u)
{
    if (s->room) {
        double values[TC_PARAMS_MAX];
        tc_space_decode(s, u, values);
        tc_space_encode(s, values, u);
        return;
    }
    for (size_t i = 0; i < s->n_params; i++) {
        const tc_param *p = &s->params[i];
        encode_param(s, p, decode_param(s, p, u + p->at), u + p->at);
    }
    for (size_t i = 0; s->n_conditional > 0 && i < s->n_params; i++)
        if (!tc_space_active_at(s, u, i))
            tc_param_idle(&s->params[i], u + s->params[i].at);
}

bool tc_space_continuous(const tc_space *s, size_t d)
{
    const tc_param *p = s->params;
    while (d >= p->at + coordinates(s, p))
        p++;
    return p->type == TC_PARAM_FLOAT && p->step == 0;
}

tacit_status tc_space_check(const tc_space *s, const double *values, tacit_error *err)
{
    for (size_t i = 0; i < s->n_params; i++)
        if (!s->params[i].allowed)
            TC_TRY(tc_param_check(&s->params[i], values[i], err));
    for (size_t i = 0; i < s->n_params; i++)
        if (s->params[i].allowed && tc_space_active(s, values, i))
            TC_TRY(tc_param_check(&s->params[i], values[i], err));
    return tc_linear_check(s, values, err);
}
