/* pne.c - the constants of phased node elimination.
 *
 *     tau_h = ceil(c^2 nu^-2 ln(c_1 T/delta) rho^(-2h))     b = c sqrt(ln(c_1 T/delta) / samples)
 *     H_0 = min{h : nu rho^h <= Delta}
 *
 * No depth is shared at which M clients would have 2^34 pulls of a cell or more: their sum would not fit
 * 64 bits. There pf-pne goes on alone, as after any H_0, and fed-pne stays with its best cell.
 *
 * [Li, Honorio, Song 2024, section 3 and appendix A]. See pne.h for who calls. */
#include "algo/tree/pne.h"

#include "num/vmath.h"

#include <math.h>

enum { UNKNOWN_BUDGET = 1000000 };
#define TAU_MOST 0x1p62

double tc_pne_slack(const tc_pne_law *l, uint32_t depth)
{
    double slack = l->nu;
    for (uint32_t h = 0; h < depth; h++)
        slack *= l->rho;
    return slack;
}

/* Sums of all clients must have room in 64 bits; a reward is below 2 (see tc_reward_of). */
static bool adds_up(const tc_pne_law *l, uint32_t depth)
{
    const uint64_t room = (uint64_t)(INT64_MAX / (2 * TC_REWARD_ONE));
    return tc_pne_share(l, depth) <= room / (uint64_t)l->clients;
}

/* The deepest that can be shared: there is a cell for it, and its sums add up. */
static uint32_t deepest(const tc_pne_law *l)
{
    uint32_t h = 0, most = tc_cell_max_depth(l->k);
    while (h < most && adds_up(l, h + 1))
        h++;
    return h;
}

/* The root is never shared, nor is anything below `most`. */
static uint32_t transition(const tc_pne_law *l, const tc_pne_options *o, uint32_t most)
{
    uint32_t h = o->transition > 0 ? (uint32_t)o->transition : 0;
    while (o->transition == 0 && h < most && tc_pne_slack(l, h) > l->gap)
        h++;
    return h < most ? h : most;
}

tc_pne_law tc_pne_law_of(const tc_bandit_env *env, const tc_pne_options *o, bool personal)
{
    double T = env->budget ? (double)env->budget : UNKNOWN_BUDGET, M = (double)env->clients;
    double delta = o->delta > 0 ? o->delta : 1 / M;
    tc_pne_law l = {.k = (unsigned)o->children,
                    .dim = env->dim,
                    .nu = o->nu,
                    .rho = o->rho,
                    .c = o->c,
                    .log_term = tc_agreed_log(fmax(o->c1 * T / delta, 1)),
                    .clients = M,
                    .gap = o->gap,
                    .personal = personal,
                    .rule = (tc_pne_rule)o->rule};
    uint32_t most = deepest(&l);
    l.last = personal ? transition(&l, o, most) : most;
    return l;
}

uint64_t tc_pne_tau(const tc_pne_law *l, uint32_t depth)
{
    double slack = tc_pne_slack(l, depth);
    double tau = ceil(l->c * l->c * l->log_term / (slack * slack));
    return tau < 1 ? 1 : tau < TAU_MOST ? (uint64_t)tau : (uint64_t)TAU_MOST;
}

uint64_t tc_pne_share(const tc_pne_law *l, uint32_t depth)
{
    uint64_t M = (uint64_t)l->clients, tau = tc_pne_tau(l, depth);
    return tau / M + (tau % M != 0);
}

double tc_pne_width(const tc_pne_law *l, double samples)
{
    return l->c * sqrt(l->log_term / samples);
}
