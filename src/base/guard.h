/* guard.h - a process that holds secrets of others: contributions, keys, data. For programs, at their start.
 *
 * No core file is written, whoever asks for one, and no other process of the same user can read or trace this one
 * (root can: gdb and strace need it). Freed memory is overwritten: by tc_free, and by the C library where
 * it can do so (glibc, blocks above its thread caches), which covers what other libraries free.
 * Programs that are started from here have core files again, as their user has allowed. */
#ifndef TC_BASE_GUARD_H
#define TC_BASE_GUARD_H

void tc_guard_process(void);
/* In a child, between fork and exec: undoes what a program that is started would inherit. */
void tc_guard_leave(void);

#endif
