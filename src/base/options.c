/* options.c - reading, checking and printing options through their table.
 *
 * Text (--set, flags, defaults) and JSON (study documents) meet in one
 * `given` value, so both are checked by the same code and say the same
 * sentence. */
#include "base/options.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_NAMES = 128 };

/* ---- the field of an option in its struct */

static void *field_of(const tc_option *o, void *opts)
{
    return (char *)opts + o->offset;
}

static const void *const_field_of(const tc_option *o, const void *opts)
{
    return (const char *)opts + o->offset;
}

static void zero_field(const tc_option *o, void *opts)
{
    static const size_t sizes[] = {
        [TC_OPTION_FLOAT] = sizeof(double),  [TC_OPTION_INT] = sizeof(int64_t),
        [TC_OPTION_BOOL] = sizeof(bool),     [TC_OPTION_CHOICE] = sizeof(int),
        [TC_OPTION_STRING] = sizeof(char *),
    };
    memset(field_of(o, opts), 0, sizes[o->type]);
}

/* ---- choices: "a|b|c" */

static int choice_index(const char *choices, const char *word)
{
    size_t n = strlen(word);
    int index = 0;
    for (const char *c = choices;; index++) {
        size_t len = strcspn(c, "|");
        if (len == n && memcmp(c, word, n) == 0)
            return index;
        if (c[len] == '\0')
            return -1;
        c += len + 1;
    }
}

static void add_choice(tc_text *out, const char *choices, int index)
{
    while (index-- > 0)
        choices += strcspn(choices, "|") + 1;
    tc_text_add_bytes(out, choices, strcspn(choices, "|"));
}

static void add_choices(tc_text *out, const char *choices)
{
    for (const char *c = choices;;) {
        size_t len = strcspn(c, "|");
        tc_text_add_bytes(out, c, len);
        if (c[len] == '\0')
            return;
        tc_text_add(out, ", ");
        c += len + 1;
    }
}

/* ---- limits */

static bool unlimited(const tc_option *o)
{
    return o->min == 0 && o->max == 0;
}

static bool in_range(const tc_option *o, double v)
{
    if (unlimited(o))
        return true;
    return v <= o->max && (o->min_open ? v > o->min : v >= o->min);
}

/* " in (0, 1]", " >= 1", " <= 1" or nothing. */
static void add_limits(const tc_option *o, tc_text *out)
{
    bool low = !unlimited(o) && isfinite(o->min), high = !unlimited(o) && isfinite(o->max);
    if (low && high) {
        tc_text_add(out, o->min_open ? " in (" : " in [");
        tc_text_add_double(out, o->min);
        tc_text_add(out, ", ");
        tc_text_add_double(out, o->max);
        tc_text_add(out, "]");
    } else if (low) {
        tc_text_add(out, o->min_open ? " > " : " >= ");
        tc_text_add_double(out, o->min);
    } else if (high) {
        tc_text_add(out, " <= ");
        tc_text_add_double(out, o->max);
    }
}

/* "number in (0, 1]", "true or false", "one of a, b" */
static void add_allowed(const tc_option *o, tc_text *out)
{
    switch (o->type) {
    case TC_OPTION_FLOAT:
        tc_text_add(out, "number");
        add_limits(o, out);
        break;
    case TC_OPTION_INT:
        tc_text_add(out, "whole number");
        add_limits(o, out);
        break;
    case TC_OPTION_BOOL:
        tc_text_add(out, "true or false");
        break;
    case TC_OPTION_CHOICE:
        tc_text_add(out, "one of ");
        add_choices(out, o->choices);
        break;
    case TC_OPTION_STRING:
        tc_text_add(out, "text");
        break;
    }
}

void tc_option_range(const tc_option *o, tc_text *out)
{
    add_allowed(o, out);
    if (o->def != NULL && *o->def != '\0')
        tc_text_addf(out, ", default %s", o->def);
}

/* ---- a value on its way into a field: exactly one of text and json is set */

typedef struct given {
    const char *text;
    const json_t *json;
} given;

static bool given_double(given g, double *v)
{
    if (g.text != NULL)
        return tc_parse_double(g.text, v);
    *v = json_number_value(g.json);
    return json_is_number(g.json);
}

static bool given_int(given g, int64_t *v)
{
    if (g.json != NULL)
        return tc_json_whole(g.json, v);
    bool negative = *g.text == '-';
    unsigned long long size;
    if (tc_parse_u64(g.text + negative, &size) && size <= INT64_MAX) {
        *v = negative ? -(int64_t)size : (int64_t)size;
        return true;
    }
    double d; /* 1e6 is a whole number too */
    if (!tc_parse_double(g.text, &d) || d != floor(d) || fabs(d) > 0x1p53)
        return false;
    *v = (int64_t)d;
    return true;
}

static bool given_bool(given g, bool *v)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    if (g.json != NULL) {
        *v = json_is_true(g.json);
        return json_is_boolean(g.json);
    }
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        *v = strcmp(g.text, yes[i]) == 0;
        if (*v || strcmp(g.text, no[i]) == 0)
            return true;
    }
    return false;
}

static const char *given_word(given g) /* NULL: not a text */
{
    return g.text != NULL ? g.text : json_string_value(g.json);
}

static tacit_status fail_value(const tc_option *o, const char *what, given g, tacit_error *err)
{
    tc_text allowed = {0};
    if (o->type == TC_OPTION_FLOAT || o->type == TC_OPTION_INT)
        tc_text_add(&allowed, "a ");
    add_allowed(o, &allowed);
    char *json = g.json != NULL ? tc_json_text(g.json) : NULL;
    tacit_status status;
    if (allowed.failed || (g.json != NULL && json == NULL))
        status = tc_fail_memory(err);
    else if (what == NULL)
        status = tc_fail(err, TACIT_E_ARG, "--%s must be %s, got \"%s\"", o->name,
                         tc_text_get(&allowed), json == NULL ? g.text : json);
    else
        status = tc_fail(err, TACIT_E_ARG,
                         json == NULL ? "%s option %s must be %s, got \"%s\""
                                      : "%s option %s must be %s, got %s",
                         what, o->name, tc_text_get(&allowed), json == NULL ? g.text : json);
    tc_free(json);
    tc_text_fini(&allowed);
    return status;
}

static tacit_status set_string(const tc_option *o, void *opts, const char *word, tacit_error *err)
{
    char **field = field_of(o, opts), *copy = tc_strdup(word);
    if (copy == NULL)
        return tc_fail_memory(err);
    tc_free(*field);
    *field = copy;
    return TACIT_OK;
}

static tacit_status set_given(const tc_option *o, void *opts, const char *what, given g,
                              tacit_error *err)
{
    void *field = field_of(o, opts);
    const char *word = given_word(g);
    double d = 0;
    int64_t i = 0;
    bool b = false;
    int choice;
    switch (o->type) {
    case TC_OPTION_FLOAT:
        if (!given_double(g, &d) || !in_range(o, d))
            break;
        *(double *)field = d;
        return TACIT_OK;
    case TC_OPTION_INT:
        if (!given_int(g, &i) || !in_range(o, (double)i))
            break;
        *(int64_t *)field = i;
        return TACIT_OK;
    case TC_OPTION_BOOL:
        if (!given_bool(g, &b))
            break;
        *(bool *)field = b;
        return TACIT_OK;
    case TC_OPTION_CHOICE:
        choice = word == NULL ? -1 : choice_index(o->choices, word);
        if (choice < 0)
            break;
        *(int *)field = choice;
        return TACIT_OK;
    case TC_OPTION_STRING:
        if (word == NULL)
            break;
        return set_string(o, opts, word, err);
    }
    return fail_value(o, what, g, err);
}

/* ---- names */

const tc_option *tc_options_find(const tc_option *table, const char *name)
{
    for (const tc_option *o = table; o->name != NULL; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static tacit_status fail_name(const tc_option *table, const char *what, const char *name,
                              tacit_error *err)
{
    if (table->name == NULL)
        return tc_fail(err, TACIT_E_ARG, "%s has no option \"%s\"; it takes none", what, name);
    const char *names[MOST_NAMES + 1] = {NULL};
    for (size_t i = 0; i < MOST_NAMES && table[i].name != NULL; i++)
        names[i] = table[i].name;
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Options", "%s has no option \"%s\"",
                           what, name);
}

/* ---- the whole struct */

tacit_status tc_options_defaults(const tc_option *table, void *opts, tacit_error *err)
{
    return tc_options_defaults_of(table, opts, false, err);
}

tacit_status tc_options_defaults_of(const tc_option *table, void *opts, bool older,
                                    tacit_error *err)
{
    for (const tc_option *o = table; o->name != NULL; o++)
        zero_field(o, opts);
    for (const tc_option *o = table; o->name != NULL; o++) {
        const char *def = older && o->before != NULL ? o->before : o->def;
        if (def == NULL)
            continue;
        tacit_status status = set_given(o, opts, "default of", (given){.text = def}, err);
        if (status != TACIT_OK) {
            tc_options_fini(table, opts);
            return status;
        }
    }
    return TACIT_OK;
}

void tc_options_fini(const tc_option *table, void *opts)
{
    for (const tc_option *o = table; o->name != NULL; o++)
        if (o->type == TC_OPTION_STRING) {
            tc_free(*(char **)field_of(o, opts));
            zero_field(o, opts);
        }
}

tacit_status tc_options_set(const tc_option *table, void *opts, const char *what, const char *name,
                            const char *value, tacit_error *err)
{
    const tc_option *o = tc_options_find(table, name);
    if (o == NULL)
        return fail_name(table, what, name, err);
    return set_given(o, opts, what, (given){.text = value}, err);
}

tacit_status tc_options_set_json(const tc_option *table, void *opts, const char *what,
                                 const json_t *obj, const char *skip, tacit_error *err)
{
    if (!json_is_object(obj))
        return tc_fail(err, TACIT_E_ARG, "the options of %s must be an object, got %s", what,
                       tc_json_kind(obj));
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)obj, key, value)
    {
        if (skip != NULL && strcmp(key, skip) == 0)
            continue;
        const tc_option *o = tc_options_find(table, key);
        if (o == NULL)
            return fail_name(table, what, key, err);
        TC_TRY(set_given(o, opts, what, (given){.json = value}, err));
    }
    return TACIT_OK;
}

void tc_options_value(const tc_option *o, const void *opts, tc_text *out)
{
    const void *field = const_field_of(o, opts);
    const char *s;
    switch (o->type) {
    case TC_OPTION_FLOAT:
        tc_text_add_double(out, *(const double *)field);
        break;
    case TC_OPTION_INT:
        tc_text_addf(out, "%" PRId64, *(const int64_t *)field);
        break;
    case TC_OPTION_BOOL:
        tc_text_add(out, *(const bool *)field ? "true" : "false");
        break;
    case TC_OPTION_CHOICE:
        add_choice(out, o->choices, *(const int *)field);
        break;
    case TC_OPTION_STRING:
        s = *(char *const *)field;
        tc_text_add(out, s == NULL ? "" : s);
        break;
    }
}

static json_t *value_json(const tc_option *o, const void *opts)
{
    const void *field = const_field_of(o, opts);
    if (o->type == TC_OPTION_FLOAT)
        return json_real(*(const double *)field);
    if (o->type == TC_OPTION_INT)
        return json_integer(*(const int64_t *)field);
    if (o->type == TC_OPTION_BOOL)
        return json_boolean(*(const bool *)field);
    tc_text word = {0};
    tc_options_value(o, opts, &word);
    json_t *j = word.failed ? NULL : json_string(tc_text_get(&word));
    tc_text_fini(&word);
    return j;
}

json_t *tc_options_json(const tc_option *table, const void *opts)
{
    tc_json_start();
    json_t *obj = json_object();
    for (const tc_option *o = table; obj != NULL && o->name != NULL; o++) {
        bool unset = o->type == TC_OPTION_STRING && *(char *const *)const_field_of(o, opts) == NULL;
        if (unset || json_object_set_new(obj, o->name, value_json(o, opts)) == 0)
            continue;
        json_decref(obj);
        obj = NULL;
    }
    return obj;
}

/* ---- words */

static tacit_status take_word(const tc_option *table, void *opts, const char *what,
                              const char *word, json_t *into, tacit_error *err)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return tc_fail(err, TACIT_E_ARG, "an option of %s must be name=value, got \"%s\"", what,
                       word);
    char *name = tc_strndup(word, (size_t)(equals - word));
    if (!name)
        return tc_fail_memory(err);
    tacit_status status = tc_options_set(table, opts, what, name, equals + 1, err);
    json_t *all = status == TACIT_OK ? tc_options_json(table, opts) : NULL;
    if (status == TACIT_OK && (!all || json_object_set(into, name, json_object_get(all, name))))
        status = tc_fail_memory(err);
    json_decref(all);
    tc_free(name);
    return status;
}

tacit_status tc_options_take_words(const tc_option *table, size_t size, const char *what, size_t n,
                                   const char *const *words, json_t *into, tacit_error *err)
{
    void *opts = tc_alloc(1, size + 1);
    if (!opts)
        return tc_fail_memory(err);
    tacit_status status = tc_options_defaults(table, opts, err);
    if (status == TACIT_OK)
        status = tc_options_set_json(table, opts, what, into, NULL, err);
    for (size_t i = 0; i < n && status == TACIT_OK; i++)
        status = take_word(table, opts, what, words[i], into, err);
    tc_options_fini(table, opts);
    tc_free(opts);
    return status;
}
