/* release.h - what may leave to everybody.
 *
 * A tc_release is made by a mechanism (mechanism.h) and by nothing else: its members are in
 * release_int.h, which only the mechanisms include. It carries the released numbers together with
 * what they cost and what that cost protects. A release made with entropy that was not secret, or
 * by a mechanism without noise, is stamped NOT PRIVATE for good; of the former the event stays
 * what it would have been, so that a simulation spends its budget as the real thing would. */
#ifndef TC_PRIVACY_RELEASE_H
#define TC_PRIVACY_RELEASE_H

#include <tacit/release.h>

#include "privacy/dp_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tc_release tc_release;

/* A unit is whose data one ledger protects. */
#define TC_UNIT_LAST  TACIT_UNIT_RECORD
#define TC_UNIT_NAMES "agent, row, user or record"

/* All of it is public once the ledger entry is written. Borrowed from the release. */
typedef struct tc_release_view {
    const char *mechanism; /* "gaussian-sum" */
    size_t rows, cols;
    const int64_t *steps;    /* rows x cols; value = offset + step * steps[i] */
    const double *reals;     /* instead of steps, from the mechanism `none` alone */
    double offset, step;     /* public constants; step is a power of two but for replies */
    tacit_dp_event event;    /* what the ledger records */
    tacit_unit unit;         /* ... of whom */
    bool single;             /* it is about one unit, and a charge may name which. Else it concerns
                              every unit: a sum, the rows of a data set, a statistic */
    const char *adjacency;   /* one sentence: which two data sets are hard to tell apart, with the
                              public distance between them where there is one */
    tacit_relation relation; /* the same for machines; USUAL: relation.h knows it */
    double sensitivity;      /* in real units, in the norm of the mechanism */
    double noise_sd;         /* of one released value; of bounded replies the worst case */
    double distance;         /* total variation, summed over the coordinates that one unit touches,
                              between the exact discrete noise and a rounded Gaussian; 0: no need */
    bool is_private;
    const char *not_private; /* why not; NULL where is_private */
} tc_release_view;

const tc_release_view *tc_release_get(const tc_release *r);
void tc_release_free(tc_release *r); /* NULL is allowed */

double tc_release_value(const tc_release *r, size_t i); /* offset + step * steps[i], or reals[i] */

/* What has to be added to delta when the event is accounted for as a continuous Gaussian (pld,
 * closed form): (1 + e^epsilon) * distance. Slacks of several releases add up. */
double tc_release_slack(const tc_release *r, double epsilon);

/* The exact bytes that are stored and sent: little-endian 64-bit words, row by row. */
size_t tc_release_size(const tc_release *r);
void tc_release_encode(const tc_release *r, uint8_t *out);

/* Number i among the bytes that tc_release_encode made of a release like this. */
double tc_release_read(const tc_release_view *v, const uint8_t *bytes, size_t i);

#endif
