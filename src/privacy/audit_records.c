/* audit_records.c - attacks the Laplace sum over records.
 *
 * Worst-case neighbours: one record of one agent at either end of its range, among others that the
 * attacker knows. The agent's coordinate is then as far from the public reach as it can be without
 * being held to it. The score is the log-likelihood ratio: epsilon for half of the outputs. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { AGENTS = 3, WIDTH = 2, RECORDS = 4, RECORD = 1 << 10, GRID = 10 };

typedef struct state {
    tc_record_plan plan;
    double scale; /* of the noise */
} state;

/* Everybody's records are at the low end, but for the last of agent 1 in world 1. */
static tacit_status release(const state *s, int world, tc_entropy *e, tc_release **out,
                            tacit_error *err)
{
    tc_record_sum *sum = NULL;
    tacit_status status = tc_record_sum_open(&sum, &s->plan, e, err);
    for (size_t n = 0; status == TACIT_OK && n < AGENTS; n++) {
        int64_t v[WIDTH] = {-RECORDS * RECORD / 2, 0};
        v[0] += n == 1 && world == 1 ? RECORD : 0;
        status = tc_record_sum_fold(sum, n, v, err);
    }
    if (status == TACIT_OK)
        status = tc_record_sum_close(sum, out, err);
    tc_record_sum_free(sum);
    return status;
}

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    state *s = p;
    s->plan = (tc_record_plan){.agents = AGENTS,
                               .width = WIDTH,
                               .reach = RECORDS * RECORD / 2,
                               .record = RECORD,
                               .grid = GRID,
                               .epsilon = 1};
    tc_release *r;
    TC_TRY(release(s, 0, e, &r, err));
    s->scale = tc_release_get(r)->noise_sd / sqrt(2);
    tacit_status status = tc_audit_claim_of(r, 1, TC_AUDIT_DELTA, claim, err);
    tc_release_free(r);
    return status;
}

static tacit_status run(void *p, int world, tc_entropy *e, double *score, tacit_error *err)
{
    const state *s = p;
    const double low = -AGENTS * RECORDS / 2.0, high = low + 1;
    tc_release *r;
    TC_TRY(release(s, world, e, &r, err));
    double y = tc_release_value(r, 0);
    *score = (fabs(y - low) - fabs(y - high)) / s->scale;
    tc_release_free(r);
    return TACIT_OK;
}

const tc_audit_case tc_audit_record_sum = {
    .name = "laplace-sum",
    .attack = "one record at either end of its range; likelihood ratio",
    .state_size = sizeof(state),
    .open = prepare,
    .run = run,
};
