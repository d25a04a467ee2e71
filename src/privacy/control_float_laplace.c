/* control_float_laplace.c - negative control: Laplace noise in floating point.
 *
 * y - s ln U with U a multiple of 2^-53 is what textbooks and many libraries compute. The doubles
 * that it can reach have gaps, and the gaps depend on y (Mironov 2012): more than half of all
 * outputs could have come from one input alone, however large s is. The attacker inverts the
 * formula, tries the uniforms nearby, and sees whether any of them gives the output exactly. */
#include "privacy/audit_int.h"

#include <math.h>

enum { NEARBY = 64 };

static const double SCALE = 2; /* the range is 1, so the claim is 1/2 */

static double noisy(double y, uint64_t k, bool negative)
{
    double noise = -SCALE * log(ldexp((double)k, -53));
    return negative ? y - noise : y + noise;
}

/* Is there a k in 1 .. 2^53 with noisy(y, k) = out? */
static bool reachable(double y, double out)
{
    bool negative = out < y;
    int64_t last = INT64_C(1) << 53;
    int64_t guess = (int64_t)ldexp(exp(-fabs(out - y) / SCALE), 53);
    for (int64_t k = guess - NEARBY; k <= guess + NEARBY; k++)
        if (k >= 1 && k <= last && noisy(y, (uint64_t)k, negative) == out)
            return true;
    return false;
}

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)p;
    (void)setting;
    (void)e;
    (void)err;
    *claim = (tc_audit_claim){.epsilon = 1 / SCALE, .delta = 0};
    return TACIT_OK;
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    (void)p;
    (void)err;
    uint64_t word = e->u64(e->ctx);
    double out = noisy(world, (word >> 11) + 1, word & 1);
    look->score = (double)reachable(1, out) - (double)reachable(0, out);
    return TACIT_OK;
}

const tc_audit_case tc_control_float_laplace = {
    .name = "floating-point-laplace",
    .attack = "0 or 1; could the last bits have come from the other",
    .control = true,
    .most_runs = 4000,
    .state_size = 1,
    .open = prepare,
    .run = run,
};
