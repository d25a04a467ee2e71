/* ldp_recommend.c - the arm that the estimators recommend: of those that were played, the one with the largest mean.
 *
 * Single replies say next to nothing: of one bit all that are not the lower end are the best. V and lambda are those of
 * a Gaussian process whose values have the noise s^2 and whose prior variance is s^2/lambda; so its standard deviation
 * at an arm is s sqrt(var/lambda). For s we take the root mean square of what was told: for one bit exactly the
 * magnitude of a reply, otherwise a little more than the noise. */
#include "algo/ldp/ldp_int.h"

#include <math.h>

static double root_mean_square(const tc_history *h)
{
    double largest = 0, sum = 0;
    for (size_t i = 0; i < h->n; i++)
        largest = fmax(largest, fmin(fabs(h->y[i]), TC_REWARD_MOST));
    for (size_t i = 0; i < h->n && largest > 0; i++) {
        const double part = fmin(fabs(h->y[i]), TC_REWARD_MOST) / largest;
        sum += part * part;
    }
    return largest * sqrt(sum / (double)h->n);
}

void tc_ldp_model_recommend(const tc_ldp_model *m, tc_recommended *out)
{
    const tc_history *h = m->env->history;
    double top = -INFINITY;
    size_t arm = m->arms.n;
    for (size_t x = 0; x < m->arms.n; x++)
        if (m->sketch.count[x] > 0 && m->mean[x] > top) {
            top = m->mean[x];
            arm = x;
        }
    *out = (tc_recommended){.none = arm == m->arms.n ? TC_RECOMMEND_TOO_FEW : NULL,
                            .noise = m->opts->epsilon > 0 ? TC_NOISE_ADDED : TC_NOISE_EXPECTED,
                            .share = 1};
    if (arm == m->arms.n)
        return;
    while (tc_arms_of(&m->arms, out->at) != arm)
        out->at++;
    out->mean = m->mean[arm];
    out->sd = root_mean_square(h) * sqrt(m->var[arm] / m->law.lambda);
}
