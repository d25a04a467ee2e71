/* code_word.h - which words of a command an interpreter reads as a program.
 *
 * `sh -c 'echo {x}'` runs its third word as code: whatever a placeholder puts there can be a command of its
 * own. Known are the usual shells (-c), python (-c), perl, ruby, node, lua, R, julia, octave and php (-e, -r, --eval),
 * awk and sed (a program in sed's language can run commands, too), make --eval, env -S,
 * su, runuser, flock and script (-c), sbatch --wrap, and the words of watch. All of them also behind a wrapper such as env,
 * nice, timeout, xargs or find -exec. Not here are programs whose words are values in ordinary use, though a shell reads
 * them in the end (ssh, parallel, make NAME=...): docs/operations.md says so. Only template.c calls this. */
#ifndef TC_RUNNER_CODE_WORD_H
#define TC_RUNNER_CODE_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* Is argv[at] code, or an option with code in it? argv is the command as it was given. */
bool tc_code_word(char *const *argv, size_t at);

#endif
