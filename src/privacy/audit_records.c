/* audit_records.c - attacks the Laplace sum over records.
 *
 * Worst-case neighbours: one record of one agent at either end of its range, among others that the
 * attacker knows. The agent's coordinate is then as far from the public reach as it can be without
 * being held to it. Or the agent has one record, which it says to be far beyond either end: held to
 * the reach it moves by its range and no more. The score is the log-likelihood ratio: epsilon for
 * half of the outputs; another is learned from all coordinates. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { AGENTS = 3, TARGET = 1, WIDTH = 2, RECORD = 1 << 10, GRID = 10 };

typedef struct setting {
    int64_t records; /* of an agent, in each coordinate */
    int64_t beyond;  /* how far the target's record lies beyond its range, steps */
} setting;

typedef struct state {
    setting setting;
    tc_record_plan plan;
    double scale; /* of the noise */
} state;

/* Everybody's records are at the low end, but for one of the target's in world 1. */
static tacit_status release(const state *s, int world, tc_entropy *e, tc_release **out,
                            tacit_error *err)
{
    const int64_t low = -(int64_t)s->plan.reach, beyond = s->setting.beyond;
    tc_record_sum *sum = NULL;
    tacit_status status = tc_record_sum_open(&sum, &s->plan, e, err);
    for (size_t n = 0; status == TACIT_OK && n < AGENTS; n++) {
        int64_t v[WIDTH] = {low, 0};
        if (n == TARGET)
            v[0] += world == 1 ? RECORD + beyond : -beyond;
        status = tc_record_sum_fold(sum, n, v, err);
    }
    if (status == TACIT_OK)
        status = tc_record_sum_close(sum, out, err);
    tc_record_sum_free(sum);
    return status;
}

static tacit_status prepare(void *p, const void *which, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    state *s = p;
    s->setting = *(const setting *)which;
    s->plan = (tc_record_plan){.agents = AGENTS,
                               .width = WIDTH,
                               .reach = (uint64_t)s->setting.records * RECORD / 2,
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

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    const state *s = p;
    const double low = -AGENTS * (double)s->setting.records / 2, high = low + 1;
    tc_release *r;
    TC_TRY(release(s, world, e, &r, err));
    for (size_t i = 0; i < WIDTH; i++)
        look->x[i] = tc_release_value(r, i);
    look->score = (fabs(look->x[0] - low) - fabs(look->x[0] - high)) / s->scale;
    tc_release_free(r);
    return TACIT_OK;
}

static const setting within = {.records = 4}, oversize = {.records = 1, .beyond = 100 * RECORD};

const tc_audit_case tc_audit_record_sum = {
    .name = "laplace-sum",
    .attack = "one record at either end of its range; likelihood ratio, or learned",
    .features = WIDTH,
    .state_size = sizeof(state),
    .setting = &within,
    .open = prepare,
    .run = run,
};

const tc_audit_case tc_audit_record_oversize = {
    .name = "laplace-sum-oversize",
    .attack = "one record far beyond either end; likelihood ratio, or learned",
    .features = WIDTH,
    .state_size = sizeof(state),
    .setting = &oversize,
    .open = prepare,
    .run = run,
};
