/* value_units.c - see value_units.h. */
#include "sim/value_units.h"

#include "base/error.h"

#include <math.h>

static double scale_of(const tc_value_units *u)
{
    return u->scale == 0 ? 1 : u->scale;
}

tacit_status tc_value_units_check(const tc_value_units *u, tacit_error *err)
{
    if (!(u->scale >= 0 && u->scale <= TC_VALUE_UNITS_MOST))
        return tc_fail(err, TACIT_E_ARG, "the scale of values must be in (0, %g], got %g",
                       TC_VALUE_UNITS_MOST, u->scale);
    if (!(fabs(u->shift) <= TC_VALUE_UNITS_MOST))
        return tc_fail(err, TACIT_E_ARG, "the shift of values must be in [-%g, %g], got %g",
                       TC_VALUE_UNITS_MOST, TC_VALUE_UNITS_MOST, u->shift);
    return TACIT_OK;
}

/* -0.0 + 0 would be another number: a shift of 0 leaves every bit. */
double tc_value_units_told(const tc_value_units *u, double y)
{
    double told = scale_of(u) * y;
    if (u->shift != 0)
        told += u->shift;
    return u->negate ? -told : told;
}

bool tc_value_units_maximize(const tc_value_units *u, bool maximize)
{
    return maximize != u->negate;
}

void tc_value_units_identify(const tc_value_units *u, tc_text *out)
{
    if (scale_of(u) != 1 || u->shift != 0 || u->negate)
        tc_text_addf(out, "told %a y + %a negate %d\n", scale_of(u), u->shift, u->negate);
}

bool tc_value_units_set(const tc_value_units *u, json_t *object)
{
    return json_object_set_new(object, "value-scale", json_real(scale_of(u))) == 0 &&
           json_object_set_new(object, "value-shift", json_real(u->shift)) == 0 &&
           json_object_set_new(object, "value-negate", json_boolean(u->negate)) == 0;
}
