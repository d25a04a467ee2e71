/* clock.h - the time, for timestamps and for measuring. Never an input of a computation. */
#ifndef TC_BASE_CLOCK_H
#define TC_BASE_CLOCK_H

#include <stdint.h>

int64_t tc_clock_unix_ms(void);
uint64_t tc_clock_ns(void);        /* monotonic */
uint64_t tc_clock_thread_ns(void); /* processor time of this thread alone */

/* "2026-11-15T09:46:35.123Z" */
void tc_clock_iso(char out[32], int64_t unix_ms);

#endif
