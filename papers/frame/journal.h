/* journal.h - finished cells of an experiment, kept in OUT/NAME/runs.jsonl.
 *
 *     {"experiment": "fts-fig1a", "identity": "..."}                       the first line
 *     {"run": 0, "arm": "ts", "key": "...", "seconds": 0.52, "values": [0.37, null], "check": "..."}
 *
 * A line is on disk before its cell counts as finished. A process may be killed at any instant: a last
 * line without its end is dropped, and that cell is done again. Any other damage is E_CORRUPT and names
 * the line. A file of other settings (another identity) is put aside as runs.jsonl.old, and all begins
 * anew. The order of the lines means nothing. */
#ifndef TC_PAPERS_JOURNAL_H
#define TC_PAPERS_JOURNAL_H

#include "papers/frame/experiment.h"

typedef struct tc_journal tc_journal;

/* Takes one finished cell. Arms that the experiment has no more, or whose algorithm,
 * options or promise have changed (their key), are passed over. */
typedef tacit_status (*tc_journal_restore)(void *user, size_t arm, uint64_t run,
                                           const double *values, double seconds, tacit_error *err);

/* *anew: a file of other settings was put aside. E_BUSY: another process works
 * with it. */
tacit_status tc_journal_open(tc_journal **out, const char *path, const tc_experiment *e,
                             const char *identity, tc_journal_restore restore, void *user,
                             bool *anew, tacit_error *err);
/* From any thread. After a failure nothing more is written. */
tacit_status tc_journal_add(tc_journal *j, size_t arm, uint64_t run, const double *values,
                            double seconds, tacit_error *err);
void tc_journal_close(tc_journal *j); /* NULL is allowed */

#endif
