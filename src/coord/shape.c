/* shape.c - checks an object, or a query, against its table (shape.h).
 *
 * What it lets through, handlers use without looking again: names, types and ranges hold. What only a
 * study knows (is there such a parameter?) stays with the handlers. */
#include "coord/shape.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS_MOST = 32, NAME_MOST = 160, DEPTH_MOST = 8 };

/* A field of what is checked: "trials[3].value". */
typedef struct place {
    char name[NAME_MOST];
} place;

static place place_in(const char *path, const char *key)
{
    place p;
    snprintf(p.name, sizeof p.name, "%.*s%s%.64s", NAME_MOST / 2, path, *path ? "." : "", key);
    return p;
}

static place place_at(const char *path, size_t i)
{
    place p;
    snprintf(p.name, sizeof p.name, "%.*s[%zu]", NAME_MOST - 32, path, i);
    return p;
}

const tc_field *tc_shape_field(const tc_shape *s, const char *name)
{
    const tc_field *f = s->fields;
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    return f->name ? f : NULL;
}

/* ---- what a field is, in words ---- */

static const char *const kinds[] = {
    [TC_FIELD_TEXT] = "a string",    [TC_FIELD_WHOLE] = "a whole number",
    [TC_FIELD_NUMBER] = "a number",  [TC_FIELD_YES] = "true or false",
    [TC_FIELD_OBJECT] = "an object", [TC_FIELD_MAP] = "an object",
    [TC_FIELD_ANY] = "a value"};

static bool limited(const tc_field *f)
{
    return f->low != 0 || f->high != 0;
}

/* "a whole number in [1, 1000]", "\"viewer\" or \"operator\"" */
static void describe(const tc_field *f, tc_text *out)
{
    if (f->words) {
        for (const char *const *w = f->words; *w; w++)
            tc_text_addf(out, "%s\"%s\"", w == f->words ? "" : w[1] ? ", " : " or ", *w);
        return;
    }
    tc_text_add(out, kinds[f->type]);
    if (!limited(f))
        return;
    if (f->type == TC_FIELD_TEXT)
        tc_text_addf(out, " of %.0f to %.0f bytes", f->low, f->high);
    else
        tc_text_addf(out, " in [%.10g, %.10g]", f->low, f->high);
}

static void describe_given(const json_t *j, tc_text *out)
{
    char number[32];
    if (json_is_integer(j)) {
        tc_text_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
    } else if (json_is_real(j)) {
        tc_double_text(number, json_real_value(j));
        tc_text_add(out, number);
    } else {
        tc_text_add(out, tc_json_kind(j));
    }
}

static tacit_status fail_field(const tc_field *f, const char *path, const json_t *got,
                               tacit_error *err)
{
    tc_text must = {0}, given = {0};
    describe(f, &must);
    if (json_is_string(got) && f->words)
        tc_text_addf(&given, "\"%.40s\"", json_string_value(got));
    else if (json_is_string(got) && f->type == TC_FIELD_TEXT)
        tc_text_addf(&given, "%zu", json_string_length(got));
    else
        describe_given(got, &given);
    tacit_status status = must.failed || given.failed
                              ? tc_fail_memory(err)
                              : tc_fail(err, TACIT_E_ARG, "%s must be %s, got %s", path,
                                        tc_text_get(&must), tc_text_get(&given));
    tc_text_fini(&must);
    tc_text_fini(&given);
    return status;
}

static tacit_status fail_missing(const tc_field *f, const char *path, tacit_error *err)
{
    tc_text must = {0};
    describe(f, &must);
    tacit_status status =
        must.failed ? tc_fail_memory(err)
                    : tc_fail(err, TACIT_E_ARG, "%s is missing; it must be %s%s", path,
                              f->flags & TC_LIST_OF ? "a list, each " : "", tc_text_get(&must));
    tc_text_fini(&must);
    return status;
}

/* ---- one value ---- */

static bool in_range(const tc_field *f, double v)
{
    return !limited(f) || (v >= f->low && v <= f->high);
}

static bool is_word(const tc_field *f, const char *text)
{
    const char *const *w = f->words;
    while (w && *w && strcmp(*w, text) != 0)
        w++;
    return !w || *w;
}

static bool fits(const tc_field *f, const json_t *j)
{
    int64_t whole;
    switch (f->type) {
    case TC_FIELD_TEXT:
        return json_is_string(j) && is_word(f, json_string_value(j)) &&
               in_range(f, (double)json_string_length(j));
    case TC_FIELD_WHOLE:
        return tc_json_whole(j, &whole) && in_range(f, (double)whole);
    case TC_FIELD_NUMBER:
        return json_is_number(j) && in_range(f, json_number_value(j));
    case TC_FIELD_YES:
        return json_is_boolean(j);
    case TC_FIELD_OBJECT:
    case TC_FIELD_MAP:
        return json_is_object(j);
    case TC_FIELD_ANY:
        return j != NULL;
    }
    return false;
}

static tacit_status check_object(const tc_shape *s, const json_t *j, const char *path, int depth,
                                 tacit_error *err);

static tacit_status check_value(const tc_field *f, const json_t *j, const char *path, int depth,
                                tacit_error *err)
{
    if (!fits(f, j))
        return fail_field(f, path, j, err);
    return f->type == TC_FIELD_OBJECT ? check_object(f->of, j, path, depth + 1, err) : TACIT_OK;
}

static tacit_status check_list(const tc_field *f, const json_t *j, const char *path, int depth,
                               tacit_error *err)
{
    if (!json_is_array(j))
        return tc_fail(err, TACIT_E_ARG, "%s must be a list, got %s", path, tc_json_kind(j));
    for (size_t i = 0; i < json_array_size(j); i++)
        TC_TRY(check_value(f, json_array_get(j, i), place_at(path, i).name, depth, err));
    return TACIT_OK;
}

static tacit_status check_field(const tc_field *f, const json_t *j, const char *path, int depth,
                                tacit_error *err)
{
    if (!j)
        return f->flags & TC_NEEDED ? fail_missing(f, path, err) : TACIT_OK;
    if (json_is_null(j) && f->flags & TC_OR_NULL)
        return TACIT_OK;
    return (f->flags & TC_LIST_OF ? check_list : check_value)(f, j, path, depth, err);
}

/* ---- one object ---- */

static tacit_status check_names(const tc_shape *s, const json_t *j, const char *path,
                                tacit_error *err)
{
    const char *names[FIELDS_MOST + 1] = {NULL};
    for (size_t i = 0; i < FIELDS_MOST && s->fields[i].name; i++)
        names[i] = s->fields[i].name;
    return s->open ? TACIT_OK : tc_json_only(j, path, names, err);
}

static tacit_status check_object(const tc_shape *s, const json_t *j, const char *path, int depth,
                                 tacit_error *err)
{
    if (!json_is_object(j))
        return tc_fail(err, TACIT_E_ARG, "%s must be %s object, got %s", *path ? path : "the body",
                       *path ? "an" : "a JSON", tc_json_kind(j));
    if (depth > DEPTH_MOST)
        return tc_fail(err, TACIT_E_ARG, "%s is nested too deep", path);
    TC_TRY(check_names(s, j, path, err));
    for (const tc_field *f = s->fields; f->name; f++)
        TC_TRY(
            check_field(f, json_object_get(j, f->name), place_in(path, f->name).name, depth, err));
    /* Exactly one of the mutually exclusive fields must be present. */
    char names[NAME_MOST] = "";
    size_t choices = 0, there = 0;
    for (const tc_field *f = s->fields; f->name; f++)
        if (f->flags & TC_ONE_OF) {
            size_t n = strlen(names);
            snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "", f->name);
            choices++;
            there += json_object_get(j, f->name) != NULL;
        }
    if (choices == 0 || there == 1)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s must have exactly one of %s, got %zu of them",
                   *path ? path : "the body", names, there);
}

tacit_status tc_shape_check(const tc_shape *s, const json_t *j, tacit_error *err)
{
    return check_object(s, j, "", 0, err);
}

/* ---- queries ---- */

/* A value of a query as the JSON that it stands for; NULL: no memory. */
static json_t *query_value(const tc_field *f, const char *text, size_t n)
{
    char word[32];
    unsigned long long v;
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, text);
    bool number =
        f->type == TC_FIELD_WHOLE && n < sizeof word && tc_parse_u64(word, &v) && v <= INT64_MAX;
    return number ? json_integer((json_int_t)v) : json_stringn_nocheck(text, n);
}

static tacit_status fail_number(const tc_field *f, const char *text, size_t n, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "%s must be a whole number in [%.10g, %.10g], got \"%.*s\"",
                   f->name, f->low, f->high, n < 40 ? (int)n : 40, text);
}

static tacit_status check_argument(const tc_field *f, const char *text, size_t n, tacit_error *err)
{
    json_t *j = query_value(f, text, n);
    if (!j)
        return tc_fail_memory(err);
    tacit_status status = f->type == TC_FIELD_WHOLE && !fits(f, j)
                              ? fail_number(f, text, n, err)
                              : check_value(f, j, f->name, 0, err);
    json_decref(j);
    return status;
}

static void word_of(const char *name, size_t n, char out[NAME_MOST])
{
    snprintf(out, NAME_MOST, "%.*s", n < 64 ? (int)n : 64, name);
}

/* NULL: there is none of this name. */
static const tc_field *find_argument(const tc_field *fields, const char *name, size_t n)
{
    char word[NAME_MOST];
    word_of(name, n, word);
    for (size_t i = 0; fields && i < FIELDS_MOST && fields[i].name; i++)
        if (strcmp(word, fields[i].name) == 0)
            return &fields[i];
    return NULL;
}

static tacit_status unknown_argument(const tc_field *fields, const char *name, size_t n,
                                     tacit_error *err)
{
    const char *names[FIELDS_MOST + 1] = {NULL};
    char word[NAME_MOST];
    size_t i = 0;
    word_of(name, n, word);
    for (; fields && i < FIELDS_MOST && fields[i].name; i++)
        names[i] = fields[i].name;
    if (i == 0)
        return tc_fail(err, TACIT_E_ARG, "unknown parameter \"%s\"; there are none here", word);
    return tc_fail_unknown(err, TACIT_E_ARG, word, names, "Allowed", "unknown parameter \"%s\"",
                           word);
}

tacit_status tc_shape_check_query(const tc_field *fields, const char *query, tacit_error *err)
{
    for (const char *p = query; p && *p;) {
        size_t pair = strcspn(p, "&"), name = strcspn(p, "=&");
        const tc_field *f = find_argument(fields, p, name);
        if (!f)
            return unknown_argument(fields, p, name, err);
        const char *value = p + name + (p[name] == '=');
        TC_TRY(check_argument(f, value, (size_t)(p + pair - value), err));
        p += pair + (p[pair] == '&');
    }
    return TACIT_OK;
}
