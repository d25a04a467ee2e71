/* dp_pne_promise.c - the noise of dp-pf-pne for a given (epsilon, delta). See dp_pne.h. */
#include "algo/tree/dp_pne.h"

#include "base/error.h"
#include "privacy/accountant.h"

#include <inttypes.h>
#include <math.h>

/* The distance of one coordinate with the least noise that a sum may have, 2^20 steps. */
#define DISTANCE 0x1p-45

/* H_0 rounds, each about every agent. Of delta, what discrete noise takes in all of them is set
 * aside, as in dp_fts_de/plan.c. */
static tacit_status for_agents(const tc_env *env, const tc_dp_pne_options *o, double epsilon,
                               double delta, double *z, tacit_error *err)
{
    uint32_t rounds = tc_dp_pne_rounds(env, o);
    double cells = 0;
    for (uint32_t h = 1; h <= rounds; h++)
        cells += pow((double)o->bandit.children, h);
    const tc_accountant *a = &tc_accountant_gaussian;
    double rest = delta - (1 + exp(epsilon)) * cells * DISTANCE;
    if (!(rest > delta / 2)) {
        a = &tc_accountant_moments;
        rest = delta;
    }
    return tc_calibrate(a, epsilon, rest, TACIT_DP_ALL, 1, rounds, z, err);
}

/* A reward is in one round: nothing is composed, and delta is not needed. */
static double for_records(double epsilon)
{
    double z = 1 / epsilon;
    return 1 / z > epsilon ? nextafter(z, INFINITY) : z;
}

tacit_status tc_dp_pne_promise(const tc_env *env, void *opts, double epsilon, double delta,
                               tacit_error *err)
{
    tc_dp_pne_options *o = opts;
    double z = for_records(epsilon);
    if (env->agents < 2)
        return tc_fail(err, TACIT_E_ARG,
                       "a promise needs a roster of at least 2 agents, got %" PRIu64, env->agents);
    if (tc_dp_pne_rounds(env, o) == 0)
        return tc_fail(err, TACIT_E_ARG, "with gap >= nu nothing is shared, and nothing promised");
    if (o->protect == TC_PROTECT_CLIENT)
        TC_TRY(for_agents(env, o, epsilon, delta, &z, err));
    o->noise_multiplier = z;
    return TACIT_OK;
}
