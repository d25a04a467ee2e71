/* audit_value.c - attacks evaluations on records (value.c), as many as a small study has.
 *
 * Worst-case neighbours: one record moves the metric by its whole sensitivity, in the same direction in every
 * evaluation. Or it makes the program fail where its metric is within the sensitivity of the worse end, by which
 * failures are told: they must cost no more than values. The score is the log-likelihood ratio, which is the sum
 * of the values; another is learned from all of them.
 *
 * The control declares half of what a record does, and so has half of the noise. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { ROUNDS = 4 };

#define SENSITIVITY 0.01
#define MULTIPLIER  2.25
/* Larger than that of other cases: here half the noise shows best, so that the fewest runs catch it. */
#define DELTA 1e-2

typedef struct setting {
    double declared; /* times the sensitivity */
    bool fails;      /* in world 1 */
} setting;

typedef struct state {
    tc_value_plan plan;
    double y[2]; /* by world */
} state;

static tacit_status prepare(void *p, const void *which, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    state *s = p;
    const setting *how = which;
    s->plan = (tc_value_plan){.low = 0,
                              .high = 1,
                              .failed = 1,
                              .sensitivity = how->declared * SENSITIVITY,
                              .z = MULTIPLIER};
    s->y[0] = how->fails ? s->plan.high - SENSITIVITY : 0.25;
    s->y[1] = how->fails ? (double)NAN : 0.25 + SENSITIVITY;
    tc_release *r;
    TC_TRY(tc_value_release(&r, &s->plan, s->y[0], e, err));
    tacit_status status = tc_audit_claim_of(r, ROUNDS, DELTA, claim, err);
    tc_release_free(r);
    return status;
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const state *s = p;
    look->score = 0;
    for (size_t t = 0; t < ROUNDS; t++) {
        tc_release *r;
        TC_TRY(tc_value_release(&r, &s->plan, s->y[world], e, err));
        look->x[t] = (tc_release_value(r, 0) - s->y[0]) / SENSITIVITY;
        look->score += look->x[t];
        tc_release_free(r);
    }
    return TACIT_OK;
}

static const setting honest = {.declared = 1}, failing = {.declared = 1, .fails = true},
                     halved = {.declared = 0.5};

const tc_audit_case tc_audit_value = {
    .name = "gaussian-value",
    .attack = "one record moves 4 evaluations as far as it can; the sum of values, or learned",
    .features = ROUNDS,
    .state_size = sizeof(state),
    .setting = &honest,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_value_failed = {
    .name = "gaussian-value-failed",
    .attack =
        "one record lets 4 evaluations near the worse end fail; the sum of values, or learned",
    .features = ROUNDS,
    .state_size = sizeof(state),
    .setting = &failing,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_control_value = {
    .name = "half-the-sensitivity",
    .attack = "gaussian-value that was told half of what a record does; the same",
    .control = true,
    .features = ROUNDS,
    .state_size = sizeof(state),
    .setting = &halved,
    .open = prepare,
    .run = run,
};
