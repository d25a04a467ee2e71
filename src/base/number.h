/* number.h - shared by the writers of numbers in base/. */
#ifndef TC_BASE_NUMBER_H
#define TC_BASE_NUMBER_H

#include <locale.h>

/* The locale in which a decimal point is a point, whatever the host program
 * has set. Not to be freed. */
locale_t tc_c_locale(void);

#endif
