/* audit_laplace.c - attacks the Laplace vector.
 *
 * Worst-case neighbours: one coordinate at either end of its bounds, which is as far as the stated
 * sensitivity goes; given as values far outside, where a missing clamp would show. The score is
 * the log-likelihood ratio: it is epsilon for half of the outputs, so a claim that is only a
 * little too small is found out; another is learned from all coordinates. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { COUNT = 3 };

typedef struct state {
    double low[COUNT], high[COUNT], x[2][COUNT];
    tc_laplace_plan plan;
    double scale; /* of the noise */
} state;

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    state *s = p;
    for (size_t i = 0; i < COUNT; i++) {
        s->low[i] = -1;
        s->high[i] = 1;
    }
    s->x[0][0] = -1e9;
    s->x[1][0] = 1e9;
    s->plan = (tc_laplace_plan){.count = COUNT,
                                .bounds = {s->low, s->high},
                                .sensitivity = 2,
                                .epsilon = 1,
                                .unit = TACIT_UNIT_AGENT};
    tc_release *r;
    TC_TRY(tc_laplace_release(&r, &s->plan, s->x[0], e, err));
    s->scale = tc_release_get(r)->noise_sd / sqrt(2);
    tacit_status status = tc_audit_claim_of(r, 1, TC_AUDIT_DELTA, claim, err);
    tc_release_free(r);
    return status;
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const state *s = p;
    tc_release *r;
    TC_TRY(tc_laplace_release(&r, &s->plan, s->x[world], e, err));
    for (size_t i = 0; i < COUNT; i++)
        look->x[i] = tc_release_value(r, i);
    look->score = (fabs(look->x[0] - s->low[0]) - fabs(look->x[0] - s->high[0])) / s->scale;
    tc_release_free(r);
    return TACIT_OK;
}

const tc_audit_case tc_audit_laplace_vector = {
    .name = "laplace-vector",
    .attack = "one value beyond either bound; likelihood ratio, or learned",
    .features = COUNT,
    .state_size = sizeof(state),
    .open = prepare,
    .run = run,
};
