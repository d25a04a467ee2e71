/* param.c - a number on an interval: linear or log scale, continuous or in steps.
 *
 * On the log scale v has the place ln(v/low)/ln(top/low), top being the last
 * level or high. It is computed as log1p((v-low)/low), which stays exact to the
 * last bits where v is close to low: so neighbouring levels keep distinct
 * places, and rounding always finds the level that was encoded. */
#include "space/param.h"

#include "base/error.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* Above these, levels would run together in double precision. */
#define LEVELS_MAX 1e12
#define WHOLE_MAX  9007199254740992.0 /* 2^53 */

static bool whole(double v)
{
    return v == floor(v);
}

/* --- checking a new parameter --- */

static tacit_status check_whole(const tc_param *p, const char *key, double v, tacit_error *err)
{
    if (!whole(v))
        return tc_fail(err, TACIT_E_ARG, "space.%s.%s must be a whole number, got %.15g", p->name,
                       key, v);
    if (fabs(v) > WHOLE_MAX)
        return tc_fail(err, TACIT_E_ARG, "space.%s.%s must be from -2^53 to 2^53, got %.15g",
                       p->name, key, v);
    return TACIT_OK;
}

static tacit_status check_int(const tc_param *p, tacit_error *err)
{
    TC_TRY(check_whole(p, "low", p->low, err));
    TC_TRY(check_whole(p, "high", p->high, err));
    TC_TRY(check_whole(p, "step", p->step, err));
    if (p->step < 1)
        return tc_fail(err, TACIT_E_ARG, "space.%s.step must be at least 1, got %.15g", p->name,
                       p->step);
    if (p->low > p->high)
        return tc_fail(err, TACIT_E_ARG,
                       "space.%s.low must not be greater than space.%s.high, got %.15g and %.15g",
                       p->name, p->name, p->low, p->high);
    if ((p->high - p->low) / p->step >= LEVELS_MAX)
        return tc_fail(err, TACIT_E_ARG,
                       "space.%s must have at most 1e12 values, got %.15g to %.15g by %.15g",
                       p->name, p->low, p->high, p->step);
    return TACIT_OK;
}

static tacit_status check_float(const tc_param *p, tacit_error *err)
{
    if (p->step < 0)
        return tc_fail(err, TACIT_E_ARG, "space.%s.step must be greater than 0, got %.15g", p->name,
                       p->step);
    if (p->low >= p->high)
        return tc_fail(err, TACIT_E_ARG,
                       "space.%s.low must be less than space.%s.high, got %.15g and %.15g", p->name,
                       p->name, p->low, p->high);
    double largest = fmax(fabs(p->low), fabs(p->high));
    if (p->step > 0 && largest / p->step > LEVELS_MAX)
        return tc_fail(err, TACIT_E_ARG,
                       "space.%s.step must be at least 1e-12 of the bounds, got %.15g for %.15g "
                       "to %.15g",
                       p->name, p->step, p->low, p->high);
    return TACIT_OK;
}

static tacit_status check_finite(const tc_param *p, const char *key, double v, tacit_error *err)
{
    return isfinite(v) ? TACIT_OK
                       : tc_fail(err, TACIT_E_ARG, "space.%s.%s must be a finite number, got %g",
                                 p->name, key, v);
}

static tacit_status check_range(const tc_param *p, tacit_error *err)
{
    if (p->log && p->low <= 0)
        return tc_fail(err, TACIT_E_ARG, "space.%s: log needs low > 0, got %.15g", p->name, p->low);
    if (!isfinite(p->high - p->low))
        return tc_fail(err, TACIT_E_ARG, "space.%s: high - low is too large, got %g and %g",
                       p->name, p->low, p->high);
    if (p->log && !isfinite((p->high - p->low) / p->low))
        return tc_fail(err, TACIT_E_ARG, "space.%s: high / low is too large, got %g and %g",
                       p->name, p->low, p->high);
    return TACIT_OK;
}

/* --- levels --- */

/* floor((high-low)/step) + 1, forgiving what decimal steps lose: 0.3/0.1 is just below 3. */
static size_t count_levels(const tc_param *p)
{
    double steps = (p->high - p->low) / p->step;
    double slack = 4 * DBL_EPSILON * ((fabs(p->low) + fabs(p->high)) / p->step + steps);
    if (p->type == TC_PARAM_INT)
        slack = 0;
    return (size_t)floor(steps + slack) + 1;
}

/* The smallest power of ten that makes low and step whole, so that the levels of
 * a step of 0.1 are 0.1, 0.2, 0.3 and not 0.30000000000000004. 0: there is none. */
static double decimal_unit(const tc_param *p)
{
    double limit = WHOLE_MAX / (2 * fmax(fabs(p->low), fabs(p->high)));
    for (double unit = 1; unit <= 1e15 && unit <= limit; unit *= 10)
        if (round(p->low * unit) / unit == p->low && round(p->step * unit) / unit == p->step)
            return unit;
    return 0;
}

static double level(const tc_param *p, double k)
{
    double v = p->low + k * p->step;
    if (p->unit > 0)
        v = (round(p->low * p->unit) + k * round(p->step * p->unit)) / p->unit;
    return fmin(v, p->high);
}

static double log_of(const tc_param *p, double value)
{
    return log1p((value - p->low) / p->low);
}

tacit_status tc_param_finish(tc_param *p, tacit_error *err)
{
    TC_TRY(check_finite(p, "low", p->low, err));
    TC_TRY(check_finite(p, "high", p->high, err));
    TC_TRY(check_finite(p, "step", p->step, err));
    TC_TRY(p->type == TC_PARAM_INT ? check_int(p, err) : check_float(p, err));
    TC_TRY(check_range(p, err));
    if (p->step > 0) {
        p->levels = count_levels(p);
        p->unit = p->type == TC_PARAM_FLOAT ? decimal_unit(p) : 0;
    }
    if (p->log)
        p->range = log_of(p, p->levels ? level(p, (double)(p->levels - 1)) : p->high);
    return TACIT_OK;
}

/* k must be in 0 .. levels-1 afterwards; a NaN becomes 0. */
static double clamp_level(const tc_param *p, double k)
{
    return fmin(fmax(k, 0), (double)(p->levels - 1));
}

static double nearest_level(const tc_param *p, double value)
{
    return clamp_level(p, round((value - p->low) / p->step));
}

/* --- places in [0,1] --- */

static double level_place(const tc_param *p, double k)
{
    if (p->levels == 1)
        return 0.5;
    if (p->log)
        return log_of(p, level(p, k)) / p->range;
    return k / (double)(p->levels - 1);
}

double tc_param_place(const tc_param *p, double value)
{
    if (p->levels > 0)
        return level_place(p, nearest_level(p, value));
    double u = p->log ? log_of(p, value) / p->range : (value - p->low) / (p->high - p->low);
    return fmin(fmax(u, 0), 1);
}

/* The nearer of the two levels around u; ties: the lower. */
static double level_at(const tc_param *p, double u)
{
    if (!p->log)
        return clamp_level(p, ceil(u * (double)(p->levels - 1) - 0.5));
    double below = clamp_level(p, floor(p->low * expm1(u * p->range) / p->step));
    double above = clamp_level(p, below + 1);
    return fabs(level_place(p, above) - u) < fabs(level_place(p, below) - u) ? above : below;
}

double tc_param_value(const tc_param *p, double u)
{
    u = fmin(fmax(u, 0), 1);
    if (p->levels > 0)
        return level(p, level_at(p, u));
    if (u == 1)
        return p->high; /* low + (high - low) may miss it */
    double v = p->log ? p->low + p->low * expm1(u * p->range) : p->low + u * (p->high - p->low);
    return fmin(fmax(v, p->low), p->high);
}

bool tc_param_discrete(const tc_param *p)
{
    return p->type != TC_PARAM_FLOAT || p->levels > 0;
}

double tc_param_nearest(const tc_param *p, double value)
{
    return p->levels > 0 ? level(p, nearest_level(p, value)) : fmin(fmax(value, p->low), p->high);
}

/* --- checking a value --- */

static tacit_status check_index(const tc_param *p, size_t n, double value, tacit_error *err)
{
    if (whole(value) && value >= 0 && value < (double)n)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "%s must be a whole number from 0 to %zu, got %.15g", p->name,
                   n - 1, value);
}

/* A value may be off its level by rounding: 3 * 0.1 is not the level 0.3 to the last bit. */
static bool on_level(const tc_param *p, double value)
{
    double off = fabs(value - level(p, nearest_level(p, value)));
    return p->type == TC_PARAM_INT ? off == 0
                                   : off <= 1e-9 * p->step + 4 * DBL_EPSILON * fabs(value);
}

static tacit_status check_number(const tc_param *p, double value, tacit_error *err)
{
    bool stepped = p->levels > 0;
    if (stepped ? on_level(p, value) : value >= p->low && value <= p->high)
        return TACIT_OK;
    if (!(value >= p->low && value <= p->high))
        return tc_fail(err, TACIT_E_ARG, "%s must be from %.15g to %.15g, got %.15g", p->name,
                       p->low, p->high, value);
    if (p->step == 1 && whole(p->low))
        return tc_fail(err, TACIT_E_ARG, "%s must be a whole number, got %.15g", p->name, value);
    return tc_fail(err, TACIT_E_ARG, "%s must be %.15g plus a multiple of %.15g, got %.15g",
                   p->name, p->low, p->step, value);
}

tacit_status tc_param_check(const tc_param *p, double value, tacit_error *err)
{
    switch (p->type) {
    case TC_PARAM_FLOAT:
    case TC_PARAM_INT:
        return check_number(p, value, err);
    case TC_PARAM_CHOICE:
        return check_index(p, p->n_choices, value, err);
    case TC_PARAM_POINT:
        return check_index(p, (size_t)p->high + 1, value, err);
    }
    return tc_fail(err, TACIT_E_INTERNAL, "%s has no type", p->name);
}
