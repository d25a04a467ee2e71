/* snapshot.h - the state of something that goes on, kept in a file that is replaced as a whole.
 *
 *     "tacit-snapshot 1"   16 bytes
 *     identity             32 bytes: hash of everything that determines what goes on
 *     count, numbers       8 bytes each, the lowest first
 *     checksum             32 bytes: hash of all that comes before
 *
 * A process may be killed at any instant: the file is the old one or the new one. What it left beside
 * the file goes with the next one (base/file.h). One process at a time: the caller sees to that
 * (source_bandits.c, by the lock of its checkpoint). */
#ifndef TC_SIM_SNAPSHOT_H
#define TC_SIM_SNAPSHOT_H

#include "algo/tree/bandit.h"

/* On disk, under its name, when this returns. E_ARG: there is something that is not a regular file. */
tacit_status tc_snapshot_write(const char *path, const char *identity, const tc_numbers *numbers,
                               tacit_error *err);
/* Appends to *out. E_NOT_FOUND: no such file; E_ARG: not a regular one; E_STATE: of something else, or no snapshot;
 * E_CORRUPT: damaged. */
tacit_status tc_snapshot_read(const char *path, const char *identity, tc_numbers *out,
                              tacit_error *err);
/* It is not needed any more; whether it is there or not. */
void tc_snapshot_remove(const char *path);

#endif
