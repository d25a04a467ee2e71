/* audit_int.h - a case of the audit, and the list of them. For audit*.c and control_*.c.
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
#ifndef TC_PRIVACY_AUDIT_INT_H
#define TC_PRIVACY_AUDIT_INT_H

#include "privacy/audit_learn.h"
#include "privacy/mechanism.h"

#include <tacit/experimental/audit.h>

/* TACIT_AUDIT_MIN_RUNS are enough to catch every control at a confidence of 0.999999. With half of them,
 * closed-at-a-quorum escaped in 18 of 25 audits; with these, in none. Of a result's `runs`, which come after
 * learning, half choose the event and half measure it. */

/* The delta at which Gaussian mechanisms are audited. Their claims hold at every delta; this one is
 * small enough to mean something and large enough for an affordable number of runs to tell. */
#define TC_AUDIT_DELTA 1e-3

typedef struct tc_audit_claim {
    double epsilon, delta;
} tc_audit_claim;

/* What the attacker makes of one output. */
typedef struct tc_audit_look {
    double score; /* a number or infinite; large where the output speaks for world 1 */
    double x[TC_AUDIT_FEATURES]; /* the first `features` of the case are set: the output itself */
} tc_audit_look;

typedef struct tc_audit_case {
    const char *name;
    const char *attack;
    bool control;
    uint64_t most_runs; /* enough for a verdict; 0: as many as asked for */
    size_t features;    /* 0: the score alone; else a second score is learned (audit_learn.c) */
    size_t state_size;
    const void *setting; /* tells cases of one file apart; may be NULL */
    /* Fills the zeroed state and the claim, which comes from what a release says of itself. */
    tacit_status (*open)(void *state, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                         tacit_error *err);
    /* One run in world 0 or 1. */
    tacit_status (*run)(void *state, int world, tc_entropy *e, tc_audit_look *look,
                        tacit_error *err);
} tc_audit_case;

/* alpha: the error allowed to this case; step: number of its stream in a seeded audit. */
tacit_status tc_audit_case_run(const tc_audit_case *c, const tacit_audit_opts *o, double alpha,
                               uint64_t step, tacit_audit_result *out, tacit_error *err);

/* The Gaussian sum of n vectors, `stride` numbers apart, of the agents from `first` on. */
tacit_status tc_audit_sum_up(const tc_sum_plan *plan, size_t first, size_t n, const int64_t *v,
                             size_t stride, tc_entropy *e, tc_release **out, tacit_error *err);

/* What `rounds` releases like r promise together: pure events at delta 0, others at the given
 * delta and the slack of their discrete noise. */
tacit_status tc_audit_claim_of(const tc_release *r, uint64_t rounds, double delta,
                               tc_audit_claim *out, tacit_error *err);
/* The same for an event that a control pretends to be. */
tacit_status tc_audit_claim_event(const tacit_dp_event *e, double delta, tc_audit_claim *out,
                                  tacit_error *err);

/* audit_bound.c: the largest lower bound on epsilon that the scores prove with confidence
 * 1 - alpha. Every kind of score has n of each world; the first halves are sorted in place. */
typedef struct tc_audit_scores {
    double *of[2]; /* by world */
} tc_audit_scores;
double tc_audit_bound(const tc_audit_scores *kinds, size_t count, size_t n, double delta,
                      double alpha);

extern const tc_audit_case tc_audit_sum, tc_audit_sum_homes, tc_audit_sum_vote,
    tc_audit_sum_sampled;
extern const tc_audit_case tc_audit_laplace_vector, tc_audit_record_sum, tc_audit_record_oversize;
extern const tc_audit_case tc_audit_value, tc_audit_value_failed;
extern const tc_audit_case tc_audit_laplace_rows, tc_audit_gaussian_rows, tc_audit_rows_order;
extern const tc_audit_case tc_audit_one_bit, tc_audit_piecewise, tc_audit_laplace_reply;

extern const tc_audit_case tc_control_transform;
extern const tc_audit_case tc_control_weights;
extern const tc_audit_case tc_control_float_laplace;
extern const tc_audit_case tc_control_empty;
extern const tc_audit_case tc_control_quorum;
extern const tc_audit_case tc_control_hash;
extern const tc_audit_case tc_control_value;

#endif
