/* watch.h - a simulation with its progress on the terminal, stopped by Ctrl-C. */
#ifndef TC_PROGRAM_WATCH_H
#define TC_PROGRAM_WATCH_H

#include "sim/simulation.h"

/* tc_simulate with sim->progress and sim->stopped set for the call. */
tacit_status tc_watch_simulation(tc_simulation *sim, const char *label, bool quiet, tc_curves *out,
                                 tacit_error *err);

/* "0.0123 ± 0.0004" */
void tc_watch_moments(char *out, size_t size, double mean, double se);

#endif
