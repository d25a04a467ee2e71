/* federated_world.h - what the tests of source_federation.c share: a small simulation, and when two results
 * are the same. */
#ifndef TACIT_TESTS_SUPPORT_FEDERATED_WORLD_H
#define TACIT_TESTS_SUPPORT_FEDERATED_WORLD_H

#include "support/test.h"

#include "base/json.h"
#include "sim/simulation.h"

typedef struct setup {
    tc_simulation f;
    json_t *options;
} setup;

static inline void make(setup *s, const char *algorithm, const char *options)
{
    tacit_error err = {0};
    memset(s, 0, sizeof *s);
    assert_ok(tc_json_parse(options, strlen(options), "options", &s->options, &err));
    s->f = (tc_simulation){.source = &tc_source_federation,
                           .algorithm = tc_algorithm_find(algorithm),
                           .options = s->options,
                           .objective = "gp-family",
                           .agents = 5,
                           .trials = 6,
                           .runs = 3,
                           .seed = 17};
    assert_ok(tc_options_defaults(tc_family_options, &s->f.family, &err));
    s->f.family.objective.grid = 50;
}

static inline void end(setup *s)
{
    tc_options_fini(tc_family_options, &s->f.family);
    json_decref(s->options);
}

static inline tacit_curves run(const tc_simulation *f)
{
    tacit_error err = {0};
    tacit_curves r;
    assert_ok(tc_simulate(f, &r, &err));
    return r;
}

static inline void assert_same_numbers(const double *a, const double *b, size_t n)
{
    assert_true((a == NULL) == (b == NULL));
    for (size_t i = 0; a && i < n; i++)
        assert_same_bits(a[i], b[i]);
}

static inline void assert_same_results(const tacit_curves *a, const tacit_curves *b)
{
    size_t T = (size_t)a->points, n = (size_t)a->runs * T;
    assert_int_equal(a->points, b->points);
    assert_int_equal(a->runs, b->runs);
    assert_same_numbers(a->simple, b->simple, n);
    assert_same_numbers(a->cumulative, b->cumulative, n);
    assert_same_numbers(a->simple_mean, b->simple_mean, T);
    assert_same_numbers(a->simple_se, b->simple_se, T);
    assert_same_numbers(a->cumulative_mean, b->cumulative_mean, T);
    assert_same_numbers(a->cumulative_se, b->cumulative_se, T);
    assert_same_numbers(a->agent_simple, b->agent_simple, n * a->agents);
    assert_same_numbers(a->agent_cumulative, b->agent_cumulative, n * a->agents);
    assert_memory_equal(a->counts, b->counts, (size_t)a->runs * sizeof *a->counts);
    assert_int_equal(a->n_releases, b->n_releases);
    for (size_t i = 0; i < a->n_releases; i++) {
        assert_int_equal(a->releases[i].round, b->releases[i].round);
        assert_same_bits(a->releases[i].event.parameter, b->releases[i].event.parameter);
    }
}

#define DP_OPTIONS "{\"features\": 15, \"initial\": 3, \"regions\": 2, \"releases\": \"all\"}"

#endif
