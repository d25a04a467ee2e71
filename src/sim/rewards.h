/* rewards.h - what a bandit is paid: an objective scaled to [0,1], with bounded noise.
 *
 * The noise of a client's pull number t is a function of (seed, client, t), whatever bandit pulls and
 * in what batches: so runs with one seed are paired. Rewards are whole numbers of 2^-28. */
#ifndef TC_SIM_REWARDS_H
#define TC_SIM_REWARDS_H

#include "algo/tree/bandit.h"
#include "objective/family.h"

typedef enum tc_reward_noise {
    TC_REWARD_UNIFORM,  /* f + U(-scale, scale): may leave [0,1] by `scale` */
    TC_REWARD_BERNOULLI /* 1 with probability f, else 0 */
} tc_reward_noise;

typedef struct tc_rewards {
    size_t dim;
    const void *of; /* for value and best; any number of threads may read it */
    double (*value)(const void *of, uint64_t client, const double *u); /* noise-free, in [0,1] */
    double (*best)(const void *of, uint64_t client);                   /* the largest value */
    tc_reward_noise noise;
    double scale; /* of uniform noise: half its width, at most 1 */
} tc_rewards;

/* A family of objectives: (f - low) / (high - low), turned round where f is minimised. What lies
 * outside [low, high] is held to it. Of a finite domain the cube is that of its scaled coordinates,
 * and a point stands for the nearest candidate. E_ARG: low is not below high. */
typedef struct tc_family_rewards {
    const tc_family *family;
    double low, high; /* public */
} tc_family_rewards;
tacit_status tc_rewards_of_family(tc_rewards *out, const tc_family_rewards *f, tacit_error *err);

/* The noise of one client, in order of its pulls. */
typedef struct tc_reward_source {
    const tc_rewards *rewards;
    tc_party_key key;
    uint64_t t; /* pulls so far */
    tc_stream stream;
} tc_reward_source;

void tc_reward_source_init(tc_reward_source *s, const tc_rewards *r, uint64_t seed,
                           uint64_t client);
/* Goes on behind pull t, as if it had drawn t of them. */
void tc_reward_source_seek(tc_reward_source *s, uint64_t t);
/* n pulls where the noise-free reward is `value`: fills n, sum and squares. */
void tc_reward_draw(tc_reward_source *s, double value, uint64_t n, tc_pulled *out);

#endif
