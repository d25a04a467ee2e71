/* pld.h - privacy loss distributions on a grid, composed by FFT. For accountant pld only.
 *
 * Both directions (add and remove) are composed separately and the worse one counts (Lebeda et al.
 * 2024). Each event is replaced by one on the grid that is nowhere more private, for the upper value,
 * and by one that is nowhere less, for the lower; tails, grid and FFT round-off are all inside the
 * certified bracket. pld_int.h has the proof. */
#ifndef TC_PRIVACY_PLD_H
#define TC_PRIVACY_PLD_H

#include "privacy/dp_event.h"

typedef struct tc_pld_bracket {
    double lower, upper; /* of epsilon at delta */
    double roundoff;     /* bound on the FFT round-off in delta, already inside upper */
} tc_pld_bracket;

/* No events, or all counts 0: 0 and 0. An event without any guarantee: INFINITY and INFINITY.
 * E_UNSUPPORTED: an event without a privacy loss distribution here (fixed-size sampling; group.h
 * has what is charged for replacement).
 * E_NUMERIC: no bracket within the limits of time and memory; the caller falls back to rdp. */
tacit_status tc_pld_bracket_of(const tacit_dp_event *events, size_t n, double delta,
                               tc_pld_bracket *out, tacit_error *err);

#endif
