/* release_int.h - the inside of a release. For the mechanisms only: whoever includes this file can
 * make a release, so nobody outside privacy/ does. */
#ifndef TC_PRIVACY_RELEASE_INT_H
#define TC_PRIVACY_RELEASE_INT_H

#include "base/memory.h"
#include "privacy/entropy.h"
#include "privacy/release.h"

struct tc_release {
    tc_release_view view;
    int64_t *steps; /* view.steps, writable */
    double *reals;
    tc_arena memory;
};

/* Total variation between the discrete Gaussian of s steps and a rounded continuous one, times
 * s^2; holds for s >= 2^10.
 *
 * With f the density of N(0, s^2), a rounded draw is x with probability f(x) + f''(x)/24 + r(x),
 * |r| <= max|f''''|/1920 nearby; the discrete one has f(x) up to a factor 1 + 2e^(-2 pi^2 s^2).
 * Half the sum of |f''|/24 over the integers is at most E|z^2-1| / (48 s^2) = 0.020165/s^2, plus
 * half the variation of f'' / 48 <= 0.03/s^3, plus 0.004/s^4: below 0.0202/s^2 from 2^10 on. */
#define TC_RELEASE_DISTANCE 0.0202

/* Room for rows x cols steps (or reals), stamped by the entropy; NULL entropy: no noise, for
 * the reason given. The mechanism fills in the rest. */
tacit_status tc_release_new(tc_release **out, size_t rows, size_t cols, const tc_entropy *e,
                            tacit_error *err);
tacit_status tc_release_new_bare(tc_release **out, size_t rows, size_t cols, const char *why,
                                 tacit_error *err);
tacit_dp_event tc_release_event(tacit_dp_mechanism mechanism,
                                double parameter); /* once, everybody */

#endif
