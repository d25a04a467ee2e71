/* group.h - Poisson-sampled events charged for the replacement of a member: a group of two.
 *
 * To replace x by x' is to remove x and to add x'. With P, R, Q the outputs with x, with neither and
 * with x', the accountants bound P against R and R against Q, each in both directions. What follows for
 * P against Q, without any assumption on how x and x' lie to each other:
 *
 *   Renyi   Hoelder's inequality with exponents p and p/(p-1) (Mironov 2017, prop. 11):
 *             D_a(P||Q) <= (a - 1/p)/(a - 1) D_pa(P||R) + D_b(R||Q),   b = (a p - 1)/(p - 1).
 *           p = 2 - 1/a makes it
 *             D_a(P||Q) <= 2a/(2a - 1) D_(2a-1)(P||R) + D_2a(R||Q),
 *           which of all p is the best one for Gaussians, where it is exact: 2a/z^2. It is below the usual
 *           one (p = 2) for every mechanism, since divergences grow with the order. Each step of a
 *           composition has it, given what was seen before; so orders add up with everything else.
 *   delta   P(S) <= e^h R(S) + d and R(S) <= e^h Q(S) + d, so the whole composition is
 *           (2h, (1 + e^h) d)-DP, where d is its delta at h. An event without sampling that shifts a
 *           Gaussian or a Laplace by D, under replacement, goes by way of the middle: twice D/2. So it
 *           composes with the others. Any other pure mechanism has no such middle.
 *   pure    P/Q = P/R R/Q <= (1 - q + q e^e) / (1 - q + q e^-e).
 *
 * The pair (1-q) N(0) + q N(1) against (1-q) N(0) + q N(-1) is one pair of outputs, and not known to be the
 * worst: a lower bound, against which the tests hold these. For accountants and rdp_event.c. */
#ifndef TC_PRIVACY_GROUP_H
#define TC_PRIVACY_GROUP_H

#include "privacy/pld.h"

#include <stdbool.h>

/* Upper bounds of one event. */
double tc_group_rdp(double q, double z, double order);
double tc_group_pure(double epsilon, double q);

bool tc_group_has(const tacit_dp_event *events, size_t n);
/* The bracket of a list in which tc_group_has. E_UNSUPPORTED, E_NUMERIC as tc_pld_bracket_of. */
tacit_status tc_group_bracket(const tacit_dp_event *events, size_t n, double delta,
                              tc_pld_bracket *out, tacit_error *err);

#endif
