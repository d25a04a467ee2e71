/* curated_fixture.h - an objective whose rows a curator releases, and a simulation over them, for tests of
 * src/sim. */
#ifndef TEST_CURATED_FIXTURE_H
#define TEST_CURATED_FIXTURE_H

#include "support/test.h"

#include "sim/curated.h"
#include "sim/simulation.h"

enum { FIXTURE_SIDE = 8, FIXTURE_ROWS = FIXTURE_SIDE * FIXTURE_SIDE, FIXTURE_DIMS = 2 };
static const double FIXTURE_UNIT = 0.125;

typedef struct fixture {
    tc_objective_opts opts;
    tc_objective *objective;
    tc_row_terms terms;
    tc_arena memory;
} fixture;

static inline int set_up(void **state)
{
    static fixture d;
    tacit_error err = {0};
    d = (fixture){
        .opts = {.lengthscale = 0.3, .grid = FIXTURE_SIDE, .noise = 1, .noise_scale = 0.01},
        .terms = {.name = "grid", .epsilon = 3, .radius = 1}};
    assert_ok(tc_objective_new(&d.objective, "gp-sample", &d.opts, tc_public_seed_from(4), &err));
    assert_ok(tc_curated_terms(&d.terms, d.objective, FIXTURE_UNIT, &d.memory, &err));
    *state = &d;
    return 0;
}

static inline int tear_down(void **state)
{
    fixture *d = *state;
    tc_objective_free(d->objective);
    tc_arena_fini(&d->memory);
    return 0;
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static inline tc_simulation simulation_of(const fixture *d, uint64_t trials, uint64_t runs)
{
    return (tc_simulation){.algorithm = tc_algorithm_find("po-gp-ucb"),
                           .objective = "gp-sample",
                           .family.objective = d->opts,
                           .curated = &d->terms,
                           .trials = trials,
                           .runs = runs,
                           .seed = 5};
}

#endif
