/* options.h - the options table: one source for parsing, checking and help.
 *
 * A struct of options is described by a table that ends with a NULL name. The
 * same table reads a JSON object (study documents), "name=value" words (--set)
 * and command-line flags, and prints help. Unknown or out-of-range is E_ARG
 * and says what is allowed. */
#ifndef TC_BASE_OPTIONS_H
#define TC_BASE_OPTIONS_H

#include "base/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tc_option_type {
    TC_OPTION_FLOAT,  /* double */
    TC_OPTION_INT,    /* int64_t */
    TC_OPTION_BOOL,   /* bool */
    TC_OPTION_CHOICE, /* int: index into choices */
    TC_OPTION_STRING  /* char *: owned by the struct, see tc_options_fini */
} tc_option_type;

typedef struct tc_option {
    const char *name;
    tc_option_type type;
    size_t offset;       /* of the field in the struct */
    const char *def;     /* default as text; NULL leaves the field zero */
    double min, max;     /* inclusive; FLOAT and INT. Both 0: no limit */
    bool min_open;       /* FLOAT: min itself is not allowed */
    const char *choices; /* CHOICE: "a|b|c" */
    const char *help;    /* one line; says the unit */
    const char *value;   /* name of the value in help ("N", "URL"); NULL by type */
    /* The default of studies that were stored when it was another one; NULL: it has always been `def`. */
    const char *before;
} tc_option;

/* A row of a table: what every option of its type says, in this order. Its help comes last; what few options have
 * follows it: TC_INT_OPTION("initial", offsetof(options, initial), "10", 0, 1e6, "help", .value = "N"). */
#define TC_FLOAT_OPTION(label, at, standard, low, high, ...)                                       \
    {                                                                                              \
        .name = (label), .type = TC_OPTION_FLOAT, .offset = (at), .def = (standard), .min = (low), \
        .max = (high), .help = __VA_ARGS__                                                         \
    }
#define TC_INT_OPTION(label, at, standard, low, high, ...)                                         \
    {                                                                                              \
        .name = (label), .type = TC_OPTION_INT, .offset = (at), .def = (standard), .min = (low),   \
        .max = (high), .help = __VA_ARGS__                                                         \
    }
#define TC_BOOL_OPTION(label, at, standard, ...)                                                   \
    {                                                                                              \
        .name = (label), .type = TC_OPTION_BOOL, .offset = (at), .def = (standard),                \
        .help = __VA_ARGS__                                                                        \
    }
#define TC_CHOICE_OPTION(label, at, standard, words, ...)                                          \
    {                                                                                              \
        .name = (label), .type = TC_OPTION_CHOICE, .offset = (at), .def = (standard),              \
        .choices = (words), .help = __VA_ARGS__                                                    \
    }
#define TC_STRING_OPTION(label, at, standard, ...)                                                 \
    {                                                                                              \
        .name = (label), .type = TC_OPTION_STRING, .offset = (at), .def = (standard),              \
        .help = __VA_ARGS__                                                                        \
    }

/* A row of a table from a list of fields (include/tacit/experimental/fields.h); `at`: where the member is. */
#define TC_OPTION_FIELD(kind, at, name_, def_, low, high, choices_, value_, help_)                 \
    {.name = name_,                                                                                \
     .type = TC_FIELD_TYPE_##kind,                                                                 \
     .offset = at,                                                                                 \
     .def = def_,                                                                                  \
     .min = low,                                                                                   \
     .max = high,                                                                                  \
     .min_open = TC_FIELD_IS_##kind,                                                               \
     .choices = choices_,                                                                          \
     .help = help_,                                                                                \
     .value = value_},
#define TC_FIELD_TYPE_FLOAT  TC_OPTION_FLOAT
#define TC_FIELD_TYPE_OPEN   TC_OPTION_FLOAT
#define TC_FIELD_TYPE_INT    TC_OPTION_INT
#define TC_FIELD_TYPE_BOOL   TC_OPTION_BOOL
#define TC_FIELD_TYPE_CHOICE TC_OPTION_CHOICE
#define TC_FIELD_TYPE_STRING TC_OPTION_STRING
#define TC_FIELD_IS_FLOAT    false
#define TC_FIELD_IS_OPEN     true
#define TC_FIELD_IS_INT      false
#define TC_FIELD_IS_BOOL     false
#define TC_FIELD_IS_CHOICE   false
#define TC_FIELD_IS_STRING   false

/* Fills `opts` from the defaults. Strings are copied: end with tc_options_fini. */
tacit_status tc_options_defaults(const tc_option *table, void *opts, tacit_error *err);
/* The same; older: of a study that was stored when defaults were others. */
tacit_status tc_options_defaults_of(const tc_option *table, void *opts, bool older,
                                    tacit_error *err);
void tc_options_fini(const tc_option *table, void *opts);

const tc_option *tc_options_find(const tc_option *table, const char *name);

/* Sets one option from text. `what` names the table in messages ("gp-ei"); NULL: that of a command line, which has
 * the option. */
tacit_status tc_options_set(const tc_option *table, void *opts, const char *what, const char *name,
                            const char *value, tacit_error *err);
/* Sets all members of a JSON object except the key `skip` (may be NULL). */
tacit_status tc_options_set_json(const tc_option *table, void *opts, const char *what,
                                 const json_t *obj, const char *skip, tacit_error *err);

/* Adds words "name=value" to `into`, an object of such options, checked and typed by the table of a struct of `size` bytes. */
tacit_status tc_options_take_words(const tc_option *table, size_t size, const char *what, size_t n,
                                   const char *const *words, json_t *into, tacit_error *err);

/* The present value as text / the whole struct as a JSON object (caller
 * decrefs), without unset strings. NULL: no memory, or a string is not UTF-8. */
void tc_options_value(const tc_option *o, const void *opts, tc_text *out);
json_t *tc_options_json(const tc_option *table, const void *opts);

/* "number in (0, 1], default 0.1" */
void tc_option_range(const tc_option *o, tc_text *out);

#endif
