/* domain_int.h - what domain.c and domain_csv.c share. */
#ifndef TC_SPACE_DOMAIN_INT_H
#define TC_SPACE_DOMAIN_INT_H

#include "space/domain.h"

/* Room for n candidates; names and raw are the caller's to fill. */
tacit_status tc_domain_new(tc_domain **out, size_t n, size_t dim, tacit_error *err);
/* Computes everything else. E_ARG: a column's range is not a finite number. */
tacit_status tc_domain_finish(tc_domain *d, tacit_error *err);

#endif
