/* number.h - numbers as they are written, and compared bit for bit. */
#ifndef TC_BASE_NUMBER_H
#define TC_BASE_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The locale in which a decimal point is a point, whatever the host program
 * has set. Not to be freed. */
locale_t tc_c_locale(void);

/* Are they the same number to the last bit, also where it is a NaN or a zero? */
static inline bool tc_same_bits(double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

#endif
