/* observation.c - the noise of an observation, light and heavy tails.
 *
 * All four laws have mean 0, so the noise-free function is what is optimised:
 *   gaussian   scale Z
 *   uniform    scale U, U uniform on [-1, 1]
 *   student-t  scale Z / sqrt(chi2_3 / 3): variance 3 scale^2, no third moment
 *   pareto     scale (V^(-1/2) - 2), V uniform on (0, 1]: shape 2, centred by its mean 2;
 *              its variance is infinite, its 1.9-th moment is not
 * Called by objective.c alone. */
#include "objective/objective_int.h"

#include <math.h>

#define STUDENT_DOF 3

static double student_t(tc_stream *s)
{
    double z = tc_draw_normal(s);
    return z / sqrt(tc_draw_chi2(s, STUDENT_DOF) / STUDENT_DOF);
}

static double centred_pareto(tc_stream *s)
{
    double v = 1 - tc_draw_uniform(s); /* (0, 1]: never divides by 0 */
    return 1 / sqrt(v) - 2;
}

double tc_observation_noise_draw(tc_observation_noise kind, double scale, tc_stream *s)
{
    switch (kind) {
    case TC_OBSERVE_GAUSSIAN:
        return scale * tc_draw_normal(s);
    case TC_OBSERVE_UNIFORM:
        return scale * (2 * tc_draw_uniform(s) - 1);
    case TC_OBSERVE_STUDENT_T:
        return scale * student_t(s);
    case TC_OBSERVE_PARETO:
        return scale * centred_pareto(s);
    case TC_OBSERVE_EXACT:
        break;
    }
    return 0;
}
