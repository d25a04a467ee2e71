/* space.h - parameters and how they are encoded for a surrogate.
 *
 * A point has one double per parameter, its *values*: the number itself, or
 * the index of the choice. Its *encoding* u lives in the unit cube [0,1]^dim:
 * one coordinate for a float or int (log scale where asked), one per choice
 * (one-hot). Only values are ever stored or sent; u is always recomputed from
 * them, so an encoding may improve without touching the stored format.
 *
 * Floats with a step and ints have *levels* low, low + step, ...: the last is
 * the largest that is not above high. Level k of m has u = k/(m-1), or its
 * place on the log scale; a single level has 1/2. decode(encode(v)) gives back
 * every level exactly; of a float without step it may differ in the last bits.
 *
 * A *bool* is a choice of false and true; an *ordered* choice and a bool have one
 * coordinate, on which their values stand evenly.
 *
 * A *conditional* parameter is active where its parent, a choice without a condition of its own,
 * has one of some values. Where it is inactive it has no effect, and all its values are one: its
 * *idle* value (tc_space_make_canonical), written nowhere, with its idle coordinates in u: the middle. So two
 * points that differ in inactive parameters only have the same u.
 *
 * A *finite* space has one parameter "point" whose value is the number of a
 * candidate of its domain, from 0; u is that candidate's scaled coordinates. In
 * JSON such a point is {"point": 17, "x1": 0.25, ...}.
 *
 * A space may have *linear constraints* on its values: see linear.h. */
#ifndef TC_SPACE_SPACE_H
#define TC_SPACE_SPACE_H

#include <tacit/space.h>

#include "base/memory.h"
#include "space/domain.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define TC_PARAMS_MAX  256
#define TC_CHOICES_MAX 1000
#define TC_CHOICE_MAX  255 /* bytes of one choice */

typedef enum tc_param_type {
    TC_PARAM_FLOAT,
    TC_PARAM_INT,
    TC_PARAM_CHOICE,
    TC_PARAM_POINT /* the only parameter of a finite space: a candidate's number */
} tc_param_type;

typedef enum tc_choice_kind { TC_CHOICE_TEXTS, TC_CHOICE_NUMBERS, TC_CHOICE_BOOL } tc_choice_kind;

typedef struct tc_param {
    char *name;
    tc_param_type type;
    double low, high; /* both inside the range; of the values */
    double step;      /* 0: continuous (float); int: >= 1 */
    bool log;
    size_t levels;  /* INT, FLOAT with a step: how many; else 0 */
    double unit;    /* FLOAT with a step: the power of ten that makes low and step whole; or 0 */
    double range;   /* log: ln of the largest value over low; else 0 */
    char **choices; /* CHOICE: n_choices strings, as a person writes them */
    size_t n_choices;
    tc_choice_kind kind; /* CHOICE: what its values are in JSON */
    double *numbers;     /* CHOICE of numbers: n_choices of them; else NULL */
    bool ordered;        /* CHOICE: one coordinate */
    unsigned char
        *allowed;  /* conditional: for each choice of the parent, is this one active? else NULL */
    size_t parent; /* conditional: index of the parent */
    size_t at;     /* first coordinate of this parameter in u */
} tc_param;

typedef struct tc_space {
    tc_param *params;
    size_t n_params, params_cap;
    size_t n_conditional;     /* how many of them are */
    size_t dim;               /* coordinates of u */
    tc_domain *domain;        /* a finite space owns its candidates; else NULL */
    struct tc_linear *linear; /* constraints on its values (linear.h), n_linear of them */
    size_t n_linear, linear_cap;
    struct tc_room *room; /* what they leave; NULL: there are none, or it is finite */
    tc_arena memory;      /* names and choices */
} tc_space;

/* From {"lr": {"type": "float", "low": ..., "high": ..., "log": true}, ...}.
 * Order of parameters = order in the document. E_ARG names "space.lr.low". */
tacit_status tc_space_from_json(tc_space **out, const json_t *j, tacit_error *err);
json_t *tc_space_json(const tc_space *s); /* canonical; caller decrefs; NULL: no memory */
tacit_status tc_space_copy(tc_space **out, const tc_space *s, tacit_error *err);
void tc_space_free(tc_space *s);

/* A finite space over d, which it owns from then on (also on failure). */
tacit_status tc_space_from_domain(tc_space **out, tc_domain *d, tacit_error *err);

/* Building one by hand (the C interface). A failed add leaves the space as it was. */
tacit_status tc_space_new(tc_space **out, tacit_error *err);
tacit_status tc_space_add_float(tc_space *s, const char *name, double low, double high, double step,
                                bool log, tacit_error *err);
tacit_status tc_space_add_int(tc_space *s, const char *name, double low, double high, double step,
                              bool log, tacit_error *err);
tacit_status tc_space_add_choice(tc_space *s, const char *name, size_t n,
                                 const char *const *choices, tacit_error *err);
tacit_status tc_space_add_numbers(tc_space *s, const char *name, size_t n, const double *numbers,
                                  tacit_error *err);
tacit_status tc_space_add_bool(tc_space *s, const char *name, tacit_error *err);
/* Makes a choice that was added an ordered one. */
tacit_status tc_space_set_ordered(tc_space *s, const char *name, tacit_error *err);
/* Makes a parameter active only where `parent` has one of n of its choices. condition.c, like the next three. */
tacit_status tc_space_set_when(tc_space *s, const char *name, const char *parent, size_t n,
                               const size_t *choices, tacit_error *err);

/* Adds a linear constraint, "x + 2*y <= 3". E_ARG: it cannot be read, or leaves (almost) no room; the space is as
 * it was. linear.c. */
tacit_status tc_space_add_linear(tc_space *s, const char *text, tacit_error *err);

/* Has parameter i an effect at this point? Not where its parent has no valid value. */
bool tc_space_active(const tc_space *s, const double *values, size_t i);
/* Gives inactive parameters their idle values. */
void tc_space_make_canonical(const tc_space *s, double *values);
/* Sets slopes along the coordinates of inactive parameters to 0: an ascent stays on canonical points. */
void tc_space_hold_idle(const tc_space *s, const double *u, double *grad);

const tc_param *tc_space_find(const tc_space *s, const char *name); /* NULL: none */

/* `values` must have passed tc_space_check. Equal points have equal u. */
void tc_space_encode(const tc_space *s, const double *values, double *u);
/* Nearest representable values: steps and ints rounded, the largest of a one-hot
 * block chosen (ties: lowest index), the nearest candidate of a domain (ties:
 * lowest number). Where those violate a linear constraint, the nearest that do not: see linear.h.
 * u may be anything finite; it is clamped. */
void tc_space_decode(const tc_space *s, const double *u, double *values);
/* The same without regard to linear constraints; true: they are satisfied. */
bool tc_space_decode_box(const tc_space *s, const double *u, double *values);
/* INT or FLOAT: the value of p nearest to the place u in [0,1]. */
double tc_param_value(const tc_param *p, double u);
/* The reverse: the place of a value in the unit interval. */
double tc_param_place(const tc_param *p, double value);
/* Does it have steps: is it anything but a FLOAT without one? */
bool tc_param_discrete(const tc_param *p);
/* CHOICE: the index of the choice nearest to coordinates u. */
double tc_param_choice_at(const tc_param *p, const double *u);
/* Does the representable point nearest to u satisfy the linear constraints? For draws that reject, a few times: what is
 * left may be too little for that. */
bool tc_space_satisfied(const tc_space *s, const double *u);
enum { TC_SPACE_TRIES = 64 };
/* u of the representable point nearest to u: encode(decode(u)). In place. */
void tc_space_round(const tc_space *s, double *u);
/* True where coordinate d of u may move continuously (a float without step). */
bool tc_space_continuous(const tc_space *s, size_t d);

/* E_ARG unless every value is inside its range, on its step, a valid index, and together they satisfy the linear
 * constraints. Values of inactive parameters are not looked at. */
tacit_status tc_space_check(const tc_space *s, const double *values, tacit_error *err);

/* {"lr": 0.01, "opt": "adam"} <-> values, without inactive parameters. from_json refuses unknown, missing,
 * inactive and out-of-range parameters by name, takes null for an inactive one; for a finite space it takes "point", or the
 * coordinates of a candidate, or both if they agree. */
json_t *tc_space_values_json(const tc_space *s, const double *values);
tacit_status tc_space_values_from_json(const tc_space *s, const json_t *j, double *values,
                                       tacit_error *err);
/* One value of p as JSON. */
json_t *tc_space_value_json(const tc_param *p, double value); /* NULL: no memory */
tacit_status tc_space_value_from_json(const tc_param *p, const json_t *j, double *value,
                                      tacit_error *err);
/* E_ARG: p was given a value where it is inactive; `values` are of its parent. */
tacit_status tc_space_fail_inactive(const tc_space *s, const tc_param *p, const double *values,
                                    tacit_error *err);
/* One parameter's value as a person writes it: "0.01", "adam". TACIT_VALUE_SIZE is always enough. */
void tc_space_value_text(const tc_param *p, double value, char *out, size_t size);
/* The reverse, for command lines and CSV cells. */
tacit_status tc_space_value_parse(const tc_param *p, const char *text, double *value,
                                  tacit_error *err);

#endif
