/* code_word.h - which words of a command an interpreter reads as a program.
 *
 * `sh -c 'echo {x}'` runs its third word as code: whatever a placeholder puts there can be a command of its
 * own. Known are the usual shells (-c), python (-c), perl, ruby, node, lua, R, julia and php (-e, -r), env -S,
 * and su, runuser and flock (-c), also behind a wrapper such as env, nice or timeout. Only
 * template.c calls this. */
#ifndef TC_RUNNER_CODE_WORD_H
#define TC_RUNNER_CODE_WORD_H

#include <stdbool.h>
#include <stddef.h>

/* Is argv[at] code, or an option with code in it? argv is the command as it was given. */
bool tc_code_word(char *const *argv, size_t at);

#endif
