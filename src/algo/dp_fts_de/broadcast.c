/* broadcast.c - from the numbers of a broadcast to a vector for each region, and how much noise is in it.
 *
 * A coordinator weighs the agents' vectors itself: a broadcast has
 *     omega_i = sum_n phi_n^(i) v_n + noise
 * for each region i. Trustees add up the vectors of each group of agents, which have the same weights, and know of no
 * weights: a broadcast has G_g = sum of v_n over group g + noise, and whoever reads it makes of these
 *     omega_i = sum_g w(g,i) G_g,
 * with the weights of the same plan. That is a function of what was released and of public constants. The noise in omega_i then has the
 * variance sd^2 sum_g w(g,i)^2, and that of two regions is not independent. agent.c, common.c, broadcast_filter.c and plan.c
 * call this. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include <math.h>
#include <string.h>

static bool is_shared(const tc_dp_fts_de_round *r)
{
    return r->shared.trustees.count > 0;
}

size_t tc_dp_fts_de_broadcast_count(const tc_dp_fts_de_round *r)
{
    return (is_shared(r) ? r->shared.groups : r->plan.blocks) * r->plan.width;
}

double tc_dp_fts_de_share_of(const tc_dp_fts_de_round *r, size_t g, size_t block)
{
    const uint32_t *w = g == block ? r->plan.weights : r->plan.away;
    return ldexp(w[block], -TC_DP_FTS_DE_WEIGHT_BITS);
}

/* Groups in their order: every party adds up the same bits. */
static void weigh(const tc_dp_fts_de_round *r, const uint8_t *bytes, double unit, double *omega)
{
    const size_t width = r->plan.width;
    memset(omega, 0, r->plan.blocks * width * sizeof *omega);
    for (size_t i = 0; i < r->plan.blocks; i++)
        for (size_t g = 0; g < r->shared.groups; g++) {
            const double share = unit * tc_dp_fts_de_share_of(r, g, i);
            for (size_t m = 0; m < width; m++)
                omega[i * width + m] +=
                    share * (double)tc_dp_fts_de_int64(bytes + 8 * (g * width + m));
        }
}

void tc_dp_fts_de_broadcast_read(const tc_dp_fts_de_round *r, const void *bytes, double *omega)
{
    const double unit = ldexp(1, -r->release_grid) / r->rate;
    if (is_shared(r))
        weigh(r, bytes, unit, omega);
    else
        tc_dp_fts_de_numbers_read(bytes, r->plan.blocks * r->plan.width, unit, omega);
}

double tc_dp_fts_de_broadcast_noise(const tc_dp_fts_de_round *r, size_t block)
{
    double square = 0;
    if (!is_shared(r))
        return r->sd;
    for (size_t g = 0; g < r->shared.groups; g++)
        square += tc_dp_fts_de_share_of(r, g, block) * tc_dp_fts_de_share_of(r, g, block);
    return r->sd * sqrt(square);
}
