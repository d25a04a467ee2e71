/* delta.h - which delta a promise to N members may have.
 *
 * Delta is the probability of having no promise at all. At delta = 1/N one may publish everything about one
 * member who is drawn at random, so that such a delta is refused wherever a promise is made; above 1/N^2 it
 * is warned of, and the default is min(1e-5, 1/N^2). docs/privacy.md says the same. */
#ifndef TC_PRIVACY_DELTA_H
#define TC_PRIVACY_DELTA_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stdint.h>

/* Of N >= 1 members. */
double tc_delta_default(uint64_t members);
/* Is it above 1/N^2? */
bool tc_delta_is_large(double delta, uint64_t members);
/* E_ARG: it is 1/N or more; `field` begins the sentence. One member is all there are: any delta below 1. */
tacit_status tc_delta_check(const char *field, double delta, uint64_t members, tacit_error *err);

#endif
