/* steady.h - the time that deadlines and leases go by: the wall clock's, but it never jumps.
 *
 * It begins with what the wall clock says and then runs by a clock that nobody sets, and that goes on while the
 * machine sleeps. If the wall clock is set, this one catches up with it by running an eighth faster or slower
 * until both agree. So a minute lasts between 53 and 69 seconds whatever happens to the wall clock, time never
 * goes back, and in the end it is the right one. Whoever makes a new one takes the wall clock as it is then.
 * Thread-safe. For src/coord and src/study. */
#ifndef TC_BASE_STEADY_H
#define TC_BASE_STEADY_H

#include <tacit/status.h>

#include <stdint.h>

typedef struct tc_steady tc_steady;

/* Both clocks at one moment, in nanoseconds: Unix time, and one that nobody sets. */
typedef void (*tc_steady_read)(void *user, int64_t *wall_ns, int64_t *true_ns);

/* read NULL: the system's. */
tacit_status tc_steady_new(tc_steady **out, tc_steady_read read, void *user, tacit_error *err);
void tc_steady_free(tc_steady *s); /* NULL is allowed */

int64_t tc_steady_unix_ms(tc_steady *s);

#endif
