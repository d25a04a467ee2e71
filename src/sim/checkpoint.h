/* checkpoint.h - finished runs of a simulation, kept in a file.
 *
 * A text file: a first line that says of which simulation, then one line for each finished run,
 * appended and on disk before the run counts as finished:
 *
 *     tacit-checkpoint 3 HASH          of everything that determines a run
 *     RUN COUNT WORDS... CHECKSUM      numbers as 16 hexadecimal digits each
 *
 * A process may be killed at any instant: a last line without its end is dropped, and that run is
 * done again. Any other damage is E_CORRUPT and names the line. The order of the runs means
 * nothing. */
#ifndef TC_SIM_CHECKPOINT_H
#define TC_SIM_CHECKPOINT_H

#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

typedef struct tc_checkpoint tc_checkpoint;

/* Takes one finished run out of the file. E_CORRUPT: not what was written, or there already. */
typedef tacit_status (*tc_checkpoint_restore)(void *user, uint64_t run, const uint64_t *words,
                                              size_t n, tacit_error *err);

/* Opens or makes the file and restores what it has. `identity`: text from which the hash is made.
 * E_ARG: it is not a regular file; E_STATE: it is of another simulation, or not a checkpoint, and
 * left as it is; E_BUSY: another process works with it; E_NOT_FOUND: there is no such folder. */
tacit_status tc_checkpoint_open(tc_checkpoint **out, const char *path, const char *identity,
                                tc_checkpoint_restore restore, void *user, tacit_error *err);
/* Appends a finished run; it is on disk when this returns. From any thread. After a failure nothing
 * more is written. */
tacit_status tc_checkpoint_add(tc_checkpoint *c, uint64_t run, const uint64_t *words, size_t n,
                               tacit_error *err);
void tc_checkpoint_close(tc_checkpoint *c); /* NULL is allowed */

#endif
