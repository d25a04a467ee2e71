/* federation_world.h - what the tests of federation.c share: one smooth function for all agents, and
 * federations on it. */
#ifndef TACIT_TESTS_SUPPORT_FEDERATION_WORLD_H
#define TACIT_TESTS_SUPPORT_FEDERATION_WORLD_H

#include "support/test.h"

#include "base/json.h"
#include "sim/federation.h"

enum { AGENTS = 20, POINTS = 400, WAVES = 64, INITIAL = 10 };

/* One smooth function for all agents: a draw of a Gaussian process by random features. */
typedef struct world {
    double value[POINTS], best;
    tc_space *space;
} world;

static inline void make_world(world *w, uint64_t seed)
{
    tacit_error err = {0};
    tc_public_seed public_seed = tc_public_seed_from(seed);
    tc_stream s;
    tc_domain *d = NULL;
    memset(w, 0, sizeof *w);
    tc_stream_public(&s, &public_seed, TC_FOR_OBJECTIVE, 0);
    for (int k = 0; k < WAVES; k++) {
        double slope = tc_draw_normal(&s) / 0.05, height = tc_draw_normal(&s);
        double phase = 6.283185307179586 * tc_draw_uniform(&s);
        for (int i = 0; i < POINTS; i++)
            w->value[i] += height * cos(slope * i / (POINTS - 1.0) + phase) * sqrt(2.0 / WAVES);
    }
    w->best = -INFINITY;
    for (int i = 0; i < POINTS; i++)
        w->best = fmax(w->best, w->value[i]);
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){POINTS}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&w->space, d, &err));
}

static inline double observe(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    tc_party_seed seed = tc_party_seed_from(99);
    tc_stream s;
    tc_stream_party(&s, &seed, agent, TC_FOR_OBSERVATION, trial);
    return ((world *)user)->value[(size_t)values[0]] + 0.1 * tc_draw_normal(&s);
}

static inline tc_federation *found(world *w, const char *options, tc_federation_config cfg)
{
    tacit_error err = {0};
    tc_federation *f = NULL;
    json_t *j = NULL;
    assert_ok(tc_json_parse(options, strlen(options), "options", &j, &err));
    if (!cfg.algorithm)
        cfg.algorithm = tc_algorithm_find("dp-fts-de");
    cfg.options = j;
    cfg.space = w->space;
    cfg.maximize = true;
    cfg.agents = AGENTS;
    cfg.objective = observe;
    cfg.user = w;
    assert_ok(tc_federation_new(&f, &cfg, &err));
    json_decref(j);
    return f;
}

static inline void run(tc_federation *f, int steps)
{
    tacit_error err = {0};
    for (int i = 0; i < steps; i++)
        assert_ok(tc_federation_step(f, &err));
}

static inline void assert_same_trials(const tc_federation *a, const tc_federation *b)
{
    for (uint64_t n = 0; n < AGENTS; n++) {
        const tc_optimizer *x = tc_federation_agent(a, n), *y = tc_federation_agent(b, n);
        assert_int_equal(tc_optimizer_trials(x), tc_optimizer_trials(y));
        for (uint64_t t = 0; t < tc_optimizer_trials(x); t++) {
            assert_same_bits(tc_optimizer_trial(x, t)->values[0],
                             tc_optimizer_trial(y, t)->values[0]);
            assert_same_bits(tc_optimizer_trial(x, t)->value, tc_optimizer_trial(y, t)->value);
        }
    }
    assert_memory_equal(tc_federation_counts(a), tc_federation_counts(b),
                        sizeof(tacit_message_counts));
}

#endif
