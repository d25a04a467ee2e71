/* param.h - one parameter: its levels, its place in the unit interval, its checks.
 *
 * Used by the files of space/ only. */
#ifndef TC_SPACE_PARAM_H
#define TC_SPACE_PARAM_H

#include "space/space.h"

/* tc_name_check, with "space: " before the sentence. */
tacit_status tc_space_name_check(const char *name, tacit_error *err);

/* Checks a FLOAT or INT whose name, type, low, high, step and log are set, and
 * computes levels and unit. E_ARG names "space.lr.low". */
tacit_status tc_param_finish(tc_param *p, tacit_error *err);

/* The value of p nearest to any finite number. */
double tc_param_nearest(const tc_param *p, double value);

/* condition.c: the coordinates of an inactive p, is parameter i active at the encoded point u, and the condition of
 * parameter i of `from`, which `to` is becoming a copy of. */
void tc_param_idle(const tc_param *p, double *u);
bool tc_space_active_at(const tc_space *s, const double *u, size_t i);
tacit_status tc_space_copy_condition(tc_space *to, const tc_space *from, size_t i,
                                     tacit_error *err);

/* The index of a number among the choices of p, which are numbers. E_ARG: it is none of them. */
tacit_status tc_param_choose(const tc_param *p, double number, double *value, tacit_error *err);

/* E_ARG unless `value` is one of p's. */
tacit_status tc_param_check(const tc_param *p, double value, tacit_error *err);

#endif
