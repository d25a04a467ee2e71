/* audit.h - attacks every mechanism and says how much privacy they left.
 *
 * A case is a mechanism, two worst-case neighbouring data sets (worlds 0 and 1) and the strongest
 * distinguisher known: a score, large where the output speaks for world 1, and for vectors a second
 * score that is learned from outputs (audit_learn.c). Many runs in each world
 * give an event and how often it happens in both; exact confidence bounds on the two probabilities
 * give an epsilon that the mechanism certainly exceeds:
 *
 *     epsilon >= ln((lower bound of P1(event) - delta) / upper bound of P0(event))
 *
 * A mechanism passes if that is not above its claim. An audit can prove a claim wrong, never
 * right. Negative controls are mechanisms that are known to be broken, built into the audit and
 * nowhere else; each must fail, or the audit is not worth its name.
 *
 * The bounds hold at once for all cases of an audit with the given confidence: each one gets its
 * share of the error. Runs of a seeded audit are repeatable, and its outputs NOT PRIVATE. */
#ifndef TC_PRIVACY_AUDIT_H
#define TC_PRIVACY_AUDIT_H

#include <tacit/experimental/audit.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TACIT_AUDIT_MIN_RUNS are enough to catch every control at a confidence of 0.999999. With half of them,
 * closed-at-a-quorum escaped in 18 of 25 audits; with these, in none. */

typedef struct tc_audit_options {
    uint64_t runs;     /* in each world; of controls that need fewer, fewer are made */
    double confidence; /* of the whole audit, in [0.5, 1) */
    bool seeded;       /* test entropy; else the operating system's */
    uint64_t seed;
} tc_audit_options;

/* A result is the public one, but for its `size`. Of its `runs`, which come after learning, half choose the
 * event and half measure it. */

/* Cases are numbered 0 .. count-1, mechanisms first. */
size_t tc_audit_count(void);
const char *tc_audit_name(size_t i);

/* Runs one case. E_ARG: options out of range. */
tacit_status tc_audit_one(size_t i, const tc_audit_options *o, tacit_audit_result *out,
                          tacit_error *err);

#endif
