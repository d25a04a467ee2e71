/* trial_rows.c - see trial_rows.h. */
#include "study/trial_rows.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"

#include <string.h>

/* ---- columns, for people and for CSV */

static size_t param_columns(const tc_space *s)
{
    return s->n_params + (s->domain ? s->domain->dim : 0);
}

static const char *param_name(const tc_space *s, size_t i)
{
    return i < s->n_params ? s->params[i].name : s->domain->names[i - s->n_params];
}

static void put_params(const tc_space *s, const double *values, tc_table *t, size_t column)
{
    for (size_t i = 0; i < s->n_params; i++) {
        const tc_param *p = &s->params[i];
        if (p->type == TC_PARAM_CHOICE)
            tc_table_text(t, column + i, p->choices[(size_t)values[i]]);
        else if (p->type == TC_PARAM_FLOAT)
            tc_table_number(t, column + i, values[i]);
        else
            tc_table_integer(t, column + i, (int64_t)values[i]);
    }
    const tc_domain *d = s->domain;
    for (size_t k = 0; d && k < d->dim; k++)
        tc_table_number(t, column + s->n_params + k, d->raw[(size_t)values[0] + k * d->n]);
}

static void put_time(tc_table *t, size_t column, int64_t ms)
{
    char text[32];
    if (ms == 0)
        return;
    tc_clock_iso(text, ms);
    tc_table_text(t, column, text);
}

/* Names: `before`, then the parameters with a prefix, then `after`. NULL-terminated lists. */
static tc_table *new_table(const tc_space *s, const char *const *before, const char *prefix,
                           const char *const *after)
{
    tc_arena a = {0};
    tc_table *t = NULL;
    size_t n = 0, params = param_columns(s);
    const char **names = TC_TAKE(&a, params + 16, const char *);
    for (; names && *before; before++)
        names[n++] = *before;
    for (size_t i = 0; names && i < params; i++) {
        tc_text name = {0};
        tc_text_addf(&name, "%s%s", prefix, param_name(s, i));
        names[n++] = tc_arena_strdup(&a, tc_text_get(&name));
        a.failed |= name.failed;
        tc_text_fini(&name);
    }
    for (; names && *after; after++)
        names[n++] = *after;
    if (!a.failed)
        t = tc_table_new(n, names);
    tc_arena_fini(&a);
    return t;
}

static void put_result(tc_table *t, const tc_trial *trial)
{
    tc_table_integer(t, 0, (int64_t)trial->number);
    tc_table_text(t, 1, tc_trial_state_name(trial->state));
    if (trial->state == TC_TRIAL_COMPLETE)
        tc_table_number(t, 2, trial->value);
}

static bool any_batch(const tc_trial *const *trials, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= trials[i]->pulls > 1;
    return any;
}

static tacit_status print_people(const tc_space *s, const tc_trial *const *trials, size_t n,
                                 FILE *out, tacit_error *err)
{
    static const char *const before[] = {"trial", "state", "value", "pulls", NULL};
    static const char *const single[] = {"trial", "state", "value", NULL};
    static const char *const reason[] = {"reason", NULL};
    bool any = false, batches = any_batch(trials, n);
    size_t at = batches ? 4 : 3;
    for (size_t i = 0; i < n; i++)
        any |= trials[i]->state == TC_TRIAL_FAIL;
    tc_table *t = new_table(s, batches ? before : single, "", any ? reason : reason + 1);
    for (size_t i = 0; i < n; i++) {
        put_result(t, trials[i]);
        if (batches)
            tc_table_integer(t, 3, (int64_t)trials[i]->pulls);
        put_params(s, trials[i]->values, t, at);
        if (any && trials[i]->state == TC_TRIAL_FAIL)
            tc_table_text(t, at + param_columns(s), trials[i]->reason);
        tc_table_end_row(t);
    }
    return tc_table_print(t, TC_FORMAT_TABLE, out, err);
}

static tacit_status print_csv(const tc_space *s, const tc_trial *const *trials, size_t n, FILE *out,
                              tacit_error *err)
{
    static const char *const before[] = {"number", "state", "value", NULL};
    static const char *const after[] = {"datetime_start", "datetime_complete", "worker", "reason",
                                        NULL};
    static const char *const counted[] = {
        "datetime_start", "datetime_complete", "worker", "reason", "pulls", NULL};
    bool batches = any_batch(trials, n);
    tc_table *t = new_table(s, before, "params_", batches ? counted : after);
    size_t last = 3 + param_columns(s);
    for (size_t i = 0; i < n; i++) {
        put_result(t, trials[i]);
        put_params(s, trials[i]->values, t, 3);
        put_time(t, last, trials[i]->asked_ms);
        put_time(t, last + 1, trials[i]->told_ms);
        tc_table_text(t, last + 2, trials[i]->worker);
        tc_table_text(t, last + 3, trials[i]->reason);
        if (batches)
            tc_table_integer(t, last + 4, (int64_t)trials[i]->pulls);
        tc_table_end_row(t);
    }
    return tc_table_print(t, TC_FORMAT_CSV, out, err);
}

/* ---- JSON */

static json_t *text_json(const char *s)
{
    return s ? json_string(s) : json_null();
}

static json_t *time_json(int64_t ms)
{
    char text[32];
    if (ms == 0)
        return json_null();
    tc_clock_iso(text, ms);
    return json_string(text);
}

static json_t *trial_json(const tc_space *s, const tc_trial *t)
{
    json_t *o = json_object();
    json_t *value = t->state == TC_TRIAL_COMPLETE ? json_real(t->value) : json_null();
    int bad = json_object_set_new(o, "number", json_integer((json_int_t)t->number));
    bad |= json_object_set_new(o, "state", json_string(tc_trial_state_name(t->state)));
    bad |= json_object_set_new(o, "value", value);
    bad |= json_object_set_new(o, "params", tc_space_values_json(s, t->values));
    bad |= json_object_set_new(o, "datetime_start", time_json(t->asked_ms));
    bad |= json_object_set_new(o, "datetime_complete", time_json(t->told_ms));
    bad |= json_object_set_new(o, "worker", text_json(t->worker));
    bad |= json_object_set_new(o, "reason", text_json(t->reason));
    if (t->pulls > 1)
        bad |= json_object_set_new(o, "pulls", json_integer((json_int_t)t->pulls));
    if (!bad)
        return o;
    json_decref(o);
    return NULL;
}

/* One object, with what stands before and after it; it is given up in any case. */
static tacit_status print_object(json_t *o, const char *before, const char *after, FILE *out,
                                 tacit_error *err)
{
    char *text = o ? tc_json_text(o) : NULL;
    json_decref(o);
    if (!text)
        return tc_fail_memory(err);
    fprintf(out, "%s%s%s", before, text, after);
    tc_free(text);
    return TACIT_OK;
}

static tacit_status print_json(const tc_space *s, const tc_trial *const *trials, size_t n,
                               FILE *out, tacit_error *err)
{
    fputc('[', out);
    for (size_t i = 0; i < n; i++)
        TC_TRY(print_object(trial_json(s, trials[i]), i ? ",\n " : "", "", out, err));
    fputs("]\n", out);
    return TACIT_OK;
}

static tacit_status print_lines(const tc_space *s, const tc_trial *const *trials, size_t n,
                                FILE *out, tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        TC_TRY(print_object(trial_json(s, trials[i]), "", "\n", out, err));
    return TACIT_OK;
}

tacit_status tc_trials_print(const tc_space *space, const tc_trial *const *trials, size_t n,
                             int format, FILE *out, tacit_error *err)
{
    switch ((tc_format)format) {
    case TC_FORMAT_TABLE:
        return print_people(space, trials, n, out, err);
    case TC_FORMAT_CSV:
        return print_csv(space, trials, n, out, err);
    case TC_FORMAT_JSON:
        return print_json(space, trials, n, out, err);
    case TC_FORMAT_JSONL:
        break;
    }
    return print_lines(space, trials, n, out, err);
}

tacit_status tc_trial_print(const tc_space *space, const tc_trial *trial, int format, FILE *out,
                            tacit_error *err)
{
    return tc_trials_print(space, &trial, 1, format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format,
                           out, err);
}

/* ---- trials just asked for */

static json_t *asked_json(const tc_space *s, const tc_asked *a, size_t i)
{
    json_t *o = json_object();
    int bad = json_object_set_new(o, "trial", json_integer((json_int_t)a->numbers[i]));
    if (a->pulls)
        bad |= json_object_set_new(o, "pulls", json_integer((json_int_t)a->pulls[i]));
    bad |= json_object_set_new(o, "params", tc_space_values_json(s, a->values + i * s->n_params));
    if (!bad)
        return o;
    json_decref(o);
    return NULL;
}

static tacit_status asked_rows(const tc_space *s, const tc_asked *a, int format, FILE *out,
                               tacit_error *err)
{
    static const char *const single[] = {"trial", NULL}, *const batch[] = {"trial", "pulls", NULL};
    static const char *const none[] = {NULL};
    tc_table *t = new_table(s, a->pulls ? batch : single, "", none);
    for (size_t i = 0; i < a->n; i++) {
        tc_table_integer(t, 0, (int64_t)a->numbers[i]);
        if (a->pulls)
            tc_table_integer(t, 1, (int64_t)a->pulls[i]);
        put_params(s, a->values + i * s->n_params, t, a->pulls ? 2 : 1);
        tc_table_end_row(t);
    }
    return tc_table_print(t, (tc_format)format, out, err);
}

tacit_status tc_asked_print(const tc_space *space, const tc_asked *asked, int format, FILE *out,
                            tacit_error *err)
{
    if (format == TC_FORMAT_TABLE || format == TC_FORMAT_CSV)
        return asked_rows(space, asked, format, out, err);
    bool array = format == TC_FORMAT_JSON && asked->n > 1;
    if (array)
        fputc('[', out);
    for (size_t i = 0; i < asked->n; i++)
        TC_TRY(print_object(asked_json(space, asked, i), array && i > 0 ? ",\n " : "",
                            array ? "" : "\n", out, err));
    if (array)
        fputs("]\n", out);
    return TACIT_OK;
}
