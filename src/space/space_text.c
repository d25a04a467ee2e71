/* space_text.c - one value as text: what command lines, CSV cells and tables show. */
#include "space/space.h"

#include "base/error.h"
#include "base/text.h"
#include "space/param.h"

#include <stdio.h>
#include <string.h>

void tc_space_value_text(const tc_param *p, double value, char *out, size_t size)
{
    char number[32];
    switch (p->type) {
    case TC_PARAM_FLOAT:
        tc_double_text(number, value);
        snprintf(out, size, "%s", number);
        return;
    case TC_PARAM_CHOICE:
        snprintf(out, size, "%s", p->choices[(size_t)value]);
        return;
    case TC_PARAM_INT:
    case TC_PARAM_POINT:
        snprintf(out, size, "%.0f", value);
        return;
    }
}

static tacit_status no_such_choice(const tc_param *p, const char *text, tacit_error *err)
{
    tc_text list = {.max = 512};
    for (size_t i = 0; i < p->n_choices; i++)
        tc_text_addf(&list, p->kind == TC_CHOICE_TEXTS ? "%s\"%s\"" : "%s%s", i ? ", " : "",
                     p->choices[i]);
    tacit_status status =
        tc_fail(err, TACIT_E_ARG,
                p->kind == TC_CHOICE_TEXTS ? "%s is \"%.100s\" but must be one of %.300s"
                                           : "%s is %.100s but must be one of %.300s",
                p->name, text, tc_text_get(&list));
    tc_text_fini(&list);
    return status;
}

/* The words of JSON, and those of Python, which a CSV file may have. */
static const char *bool_word(const char *text)
{
    return strcmp(text, "False") == 0 ? "false" : strcmp(text, "True") == 0 ? "true" : text;
}

static tacit_status parse_choice(const tc_param *p, const char *text, double *value,
                                 tacit_error *err)
{
    double number;
    const char *word = p->kind == TC_CHOICE_BOOL ? bool_word(text) : text;
    if (p->kind == TC_CHOICE_NUMBERS && tc_parse_double(text, &number))
        return tc_param_choose(p, number, value, err);
    for (size_t i = 0; i < p->n_choices; i++)
        if (strcmp(p->choices[i], word) == 0) {
            *value = (double)i;
            return TACIT_OK;
        }
    return no_such_choice(p, text, err);
}

tacit_status tc_param_choose(const tc_param *p, double number, double *value, tacit_error *err)
{
    char text[32];
    for (size_t i = 0; i < p->n_choices; i++)
        if (p->numbers[i] == number) {
            *value = (double)i;
            return TACIT_OK;
        }
    tc_double_text(text, number);
    return no_such_choice(p, text, err);
}

tacit_status tc_space_fail_inactive(const tc_space *s, const tc_param *p, const double *values,
                                    tacit_error *err)
{
    const tc_param *parent = &s->params[p->parent];
    char text[TACIT_VALUE_SIZE];
    tc_space_value_text(parent, values[p->parent], text, sizeof text);
    return tc_fail(err, TACIT_E_ARG, "%s must not be given where %s is %s", p->name, parent->name,
                   text);
}

tacit_status tc_space_value_parse(const tc_param *p, const char *text, double *value,
                                  tacit_error *err)
{
    if (p->type == TC_PARAM_CHOICE)
        return parse_choice(p, text, value, err);
    double number;
    if (!tc_parse_double(text, &number))
        return tc_fail(err, TACIT_E_ARG, "%s must be a number, got \"%.100s\"", p->name, text);
    TC_TRY(tc_param_check(p, number, err));
    *value = number;
    return TACIT_OK;
}
