/* value_units.h - in which units an algorithm is told the values of a simulation.
 *
 * The algorithm is told scale * y + shift in place of the value y of the objective, and the negative
 * of that where `negate` is set: then it is asked to find the other extreme, so that the task stays
 * the same. Regret stays in the units of the objective. For source_single.c, source_federation.c and files of results. */
#ifndef TC_SIM_VALUE_UNITS_H
#define TC_SIM_VALUE_UNITS_H

#include "base/text.h"

#include <tacit/experimental/simulate.h>

#include <jansson.h>
#include <stdbool.h>

/* All-zero: values are told as they are. */
typedef tacit_value_units tc_value_units;

#define TC_VALUE_UNITS_MOST 1e12 /* of scale and of |shift| */

/* E_ARG: scale or shift is out of range. */
tacit_status tc_value_units_check(const tc_value_units *u, tacit_error *err);
/* What is told in place of y. */
double tc_value_units_told(const tc_value_units *u, double y);
/* The direction in which told values are good, where those of the objective are good in this one. */
bool tc_value_units_maximize(const tc_value_units *u, bool maximize);
/* A line of an identity; nothing where values are told as they are. */
void tc_value_units_identify(const tc_value_units *u, tc_text *out);
/* Sets value-scale, value-shift and value-negate of an object. False: no memory. */
bool tc_value_units_set(const tc_value_units *u, json_t *object);

#endif
