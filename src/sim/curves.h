/* curves.h - making what a simulation has found (tacit_curves); for simulation.c and curve_read.c. */
#ifndef TC_SIM_CURVES_H
#define TC_SIM_CURVES_H

#include <tacit/experimental/simulate.h>

/* Zeroed arrays for `runs`, `agents` and `points` of c; by_agent: those of agents too. */
tacit_status tc_curves_allocate(tacit_curves *c, bool by_agent, tacit_error *err);
/* Means and standard errors of the runs. */
void tc_curves_average(tacit_curves *c);

#endif
