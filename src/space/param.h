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

/* INT or FLOAT. The place in the unit interval; tc_param_value goes back. */
double tc_param_place(const tc_param *p, double value);

/* E_ARG unless `value` is one of p's. */
tacit_status tc_param_check(const tc_param *p, double value, tacit_error *err);

#endif
