/* environment.h - the environment of the programs that the runner starts.
 *
 * A trial's program gets our environment without what only tacit needs and what opens doors: the
 * storage (its URL may have a password), token files, passwords and keys of PostgreSQL, and the folder of
 * systemd's credentials. docs/operations.md has the list. Only runner.c calls this. */
#ifndef TC_RUNNER_ENVIRONMENT_H
#define TC_RUNNER_ENVIRONMENT_H

#include <stdbool.h>

/* May a program have this "NAME=value" of ours? */
bool tc_environment_passes(const char *variable);

#endif
