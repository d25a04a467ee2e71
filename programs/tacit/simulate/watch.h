/* watch.h - a simulation with its progress on the terminal, stopped by Ctrl-C. */
#ifndef TC_PROGRAM_WATCH_H
#define TC_PROGRAM_WATCH_H

#include "sim/federated.h"
#include "sim/pull_runs.h"
#include "sim/simulate.h"

/* tc_simulate with sim->progress set for the call. */
tacit_status tc_watch_simulation(tc_simulation *sim, const char *label, bool quiet,
                                 tc_simulation_result *out, tacit_error *err);

/* The same for a federation. */
tacit_status tc_watch_federation(tc_federated *f, const char *label, bool quiet,
                                 tc_federated_result *out, tacit_error *err);

/* The same for bandits by pulls. */
tacit_status tc_watch_pulls(tc_pull_runs *p, const char *label, bool quiet,
                            tc_pull_runs_result *out, tacit_error *err);

/* "0.0123 ± 0.0004" */
void tc_watch_moments(char *out, size_t size, double mean, double se);

#endif
