/* number.c - doubles and whole numbers as text and back, in every locale. */
#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

locale_t tc_c_locale(void)
{
    /* For "C" the library hands out a constant: no allocation, no failure. */
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Any decimal of 15 digits survives the way through a normal double, so a
 * search from 15 finds every shorter text too; subnormals hold fewer digits. */
void tc_double_text(char out[32], double v)
{
    locale_t c = tc_c_locale(), before = uselocale(c);
    int digits = fabs(v) < DBL_MIN ? 1 : 15;
    do
        snprintf(out, 32, "%.*g", digits, v);
    while (digits++ < 17 && strtod(out, NULL) != v && !isnan(v));
    uselocale(before);
}

bool tc_parse_double(const char *s, double *out)
{
    /* strtod would also take blanks, hexadecimal, inf and nan. */
    if (*s == '\0' || s[strspn(s, "0123456789+-.eE")] != '\0')
        return false;
    char *end;
    double v = strtod_l(s, &end, tc_c_locale());
    if (*end != '\0' || !isfinite(v))
        return false;
    *out = v;
    return true;
}

bool tc_parse_u64(const char *s, unsigned long long *out)
{
    if (*s == '\0' || s[strspn(s, "0123456789")] != '\0')
        return false;
    errno = 0;
    unsigned long long v = strtoull(s, NULL, 10);
    if (errno != 0)
        return false;
    *out = v;
    return true;
}
