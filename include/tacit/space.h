/* tacit/space.h - the parameters that a study searches over.
 *
 *     tacit_space *space;
 *     tacit_error err;
 *     if (tacit_space_new(&space, &err) != TACIT_OK ||
 *         tacit_space_add_float(space, "lr", 1e-5, 1, 0, true, &err) != TACIT_OK ||
 *         tacit_space_add_int(space, "layers", 1, 8, 1, false, &err) != TACIT_OK)
 *         fprintf(stderr, "%s\n", err.msg);
 *
 * A point is an array with one double per parameter, in the order in which the
 * parameters were added: the number itself, or the index of the choice. A
 * *finite* space, made from a file of candidates, has one parameter, "point":
 * the number of a candidate, from 0.
 *
 * A *conditional* parameter is active only where a choice, its parent, has one of some values, and has no
 * effect elsewhere: all values of it are the same point there, and none is looked at. Points that are handed
 * out have a valid value in its place, which means nothing: ask tacit_space_active.
 *
 * Pointers passed in are borrowed for the call; whatever has to outlive it is
 * copied. A finished space may be read by any number of threads. Calls that
 * fail leave the space and the out-pointers as they were; `err` may be NULL.
 * Another pointer that is missing is E_ARG. */
#ifndef TACIT_SPACE_H
#define TACIT_SPACE_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_space tacit_space; /* end with tacit_space_free */

/* An empty space. */
TACIT_API tacit_status tacit_space_new(tacit_space **out, tacit_error *err);
/* The "space" object of a study document:
 * {"lr": {"type": "float", "low": 1e-5, "high": 1, "log": true}, ...}. */
TACIT_API tacit_status tacit_space_from_json(tacit_space **out, const char *text, tacit_error *err);
/* A finite space: a CSV file with a header of names and one candidate per row. */
TACIT_API tacit_status tacit_space_from_points(tacit_space **out, const char *file,
                                               tacit_error *err);
TACIT_API void tacit_space_free(tacit_space *space); /* NULL is allowed */

/* Adds a number from low to high, both allowed. step > 0: only low, low + step, low + 2 step,
 * ...; 0: any. log: searched on a log scale; needs low > 0. Names are [A-Za-z_][A-Za-z0-9_.-]*,
 * at most 64 characters, each once; "point" and "trial" are reserved. E_ARG says which bound,
 * step or name is wrong. */
TACIT_API tacit_status tacit_space_add_float(tacit_space *space, const char *name, double low,
                                             double high, double step, bool log, tacit_error *err);
/* The same for whole numbers; step is at least 1. */
TACIT_API tacit_status tacit_space_add_int(tacit_space *space, const char *name, double low,
                                           double high, double step, bool log, tacit_error *err);
/* Adds a choice among n texts without order; n is 1 to 1000. */
TACIT_API tacit_status tacit_space_add_choice(tacit_space *space, const char *name, size_t n,
                                              const char *const *choices, tacit_error *err);

/* Adds a choice among n numbers without order, each once: they are numbers in JSON, and their texts what a person
 * would write. */
TACIT_API tacit_status tacit_space_add_numbers(tacit_space *space, const char *name, size_t n,
                                               const double *choices, tacit_error *err);
/* Adds a choice of false (0) and true (1). */
TACIT_API tacit_status tacit_space_add_bool(tacit_space *space, const char *name, tacit_error *err);
/* Says that the choices of a parameter are in order, at equal distances. */
TACIT_API tacit_status tacit_space_set_ordered(tacit_space *space, const char *name,
                                               tacit_error *err);
/* Makes a parameter conditional: active where `parent`, a choice or a bool that has no condition itself, has one of n
 * values, as texts. E_NOT_FOUND: there is no such name. E_ARG says what is wrong. */
TACIT_API tacit_status tacit_space_set_when(tacit_space *space, const char *name,
                                            const char *parent, size_t n, const char *const *values,
                                            tacit_error *err);

/* Adds a linear constraint on the values of floats, ints and bools (0 and 1) that have no condition, or on the columns
 * of candidates: "x + 2*y <= 3", "a >= b". Sums of numbers, names and products of both, one <= or >=. No
 * point that violates one is accepted or proposed. E_ARG: it cannot be read, leaves no point of the space or almost
 * no room, or a candidate violates it. At most 64. */
TACIT_API tacit_status tacit_space_add_linear(tacit_space *space, const char *text,
                                              tacit_error *err);
/* How many constraints there are. */
TACIT_API size_t tacit_space_linears(const tacit_space *space);
/* The canonical text of constraint i, owned by the space: the parameters on the left in their order, the first with a
 * positive factor. NULL: there is no such i. */
TACIT_API const char *tacit_space_linear(const tacit_space *space, size_t i);

/* How many parameters there are: the length of a point. */
TACIT_API size_t tacit_space_params(const tacit_space *space);
/* The name of parameter i, owned by the space; NULL: there is no such i. */
TACIT_API const char *tacit_space_param_name(const tacit_space *space, size_t i);

/* The parent of parameter i; SIZE_MAX: it has no condition, or there is no such i. */
TACIT_API size_t tacit_space_param_parent(const tacit_space *space, size_t i);
/* Has parameter i an effect at this point? */
TACIT_API bool tacit_space_active(const tacit_space *space, const double *values, size_t i);

/* E_ARG unless values is a point of the space; names the first parameter that is wrong, or the first linear
 * constraint that is violated. */
TACIT_API tacit_status tacit_space_check(const tacit_space *space, const double *values,
                                         tacit_error *err);

/* Room for the text of any value, its closing zero included. */
#define TACIT_VALUE_SIZE 256

/* One parameter of a point, by name: as a number (of a choice, its index) and as the text that a
 * person would write. In a finite space a column of the file is also a name.
 * An inactive one is NaN, and the empty text.
 * E_NOT_FOUND: no such name. E_ARG: the value is not one of its parameter's. */
TACIT_API tacit_status tacit_space_get(const tacit_space *space, const double *values,
                                       const char *name, double *value, tacit_error *err);
TACIT_API tacit_status tacit_space_format(const tacit_space *space, const double *values,
                                          const char *name, char text[TACIT_VALUE_SIZE],
                                          tacit_error *err);
/* Sets one parameter of a point from text. E_NOT_FOUND: no such name. E_ARG: not a value of it. */
TACIT_API tacit_status tacit_space_parse(const tacit_space *space, const char *name,
                                         const char *text, double *values, tacit_error *err);

/* A point as a row of a table: a column for each parameter, in their order, and in a finite space one more for
 * each column of its file. */
typedef enum tacit_column_type {
    TACIT_COLUMN_FLOAT = 1,
    TACIT_COLUMN_INT = 2, /* also the number of a candidate */
    TACIT_COLUMN_CHOICE = 3
} tacit_column_type;
TACIT_API size_t tacit_space_columns(const tacit_space *space);
/* Of column i; the name is owned by the space. NULL and 0: there is no such i. */
TACIT_API const char *tacit_space_column_name(const tacit_space *space, size_t i);
TACIT_API tacit_column_type tacit_space_column_type(const tacit_space *space, size_t i);
/* `values` must be a point of the space. NaN: the parameter is inactive there, there is no such i, or a pointer is NULL. */
TACIT_API double tacit_space_column_value(const tacit_space *space, const double *values, size_t i);
/* Is parameter i searched on a log scale? */
TACIT_API bool tacit_space_param_log(const tacit_space *space, size_t i);
/* The text of choice number k of parameter i, owned by the space; NULL: there is none. */
TACIT_API const char *tacit_space_choice(const tacit_space *space, size_t i, size_t k);
/* What choices of parameter i are. 0: it is none, or there is no such i. */
typedef enum tacit_choice_kind {
    TACIT_CHOICE_TEXT = 1,
    TACIT_CHOICE_NUMBER = 2,
    TACIT_CHOICE_BOOL = 3
} tacit_choice_kind;
TACIT_API tacit_choice_kind tacit_space_choice_kind(const tacit_space *space, size_t i);
/* Choice number k of parameter i as a number: itself, or 0 and 1 of a bool. NaN: it is a text, or there is none. */
TACIT_API double tacit_space_choice_number(const tacit_space *space, size_t i, size_t k);
/* Of a finite space: the number of the first candidate with these values in the columns of its file. E_NOT_FOUND:
 * there is none. E_UNSUPPORTED: the space is not finite. */
TACIT_API tacit_status tacit_space_find(const tacit_space *space, const double *columns,
                                        size_t *point, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
