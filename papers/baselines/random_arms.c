/* random_arms.c - random points as arms. See random_arms.h. */
#include "papers/baselines/random_arms.h"

enum { ARMS_A_SIDE = 20, ARMS_OTHERWISE = 1000 };

size_t tc_random_arms_count(size_t dim, int64_t given)
{
    if (given > 0)
        return (size_t)given;
    return dim == 1 ? ARMS_A_SIDE : dim == 2 ? ARMS_A_SIDE * ARMS_A_SIDE : ARMS_OTHERWISE;
}

void tc_random_arms_draw(const tc_bandit_env *env, size_t n, double *points)
{
    tc_stream s;
    tc_stream_public(&s, &env->seed, TC_FOR_REGIONS, 0);
    for (size_t i = 0; i < n * env->dim; i++)
        points[i] = tc_draw_uniform(&s);
}
