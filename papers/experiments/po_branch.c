/* po_branch.c - which branch of PO-GP-UCB's Algorithm 1 its settings take: sigma_min >= omega, or not.
 *
 * omega = 16 sqrt(r ln(2/delta)) ln(16 r/delta) / epsilon, and sigma_min of the centred 100 x 100 grid
 * with largest norm 25. The paper says for each epsilon which r is the largest before the branch. That
 * the formula is read right shows in this table; nothing is drawn: one run. */
#include "algo/outsourced/transform.h"
#include "base/error.h"
#include "base/memory.h"
#include "papers/frame/experiment.h"

#include <math.h>
#include <string.h>

enum { SIDE = 100, SETTINGS = 20 };

static const struct {
    double log_epsilon, rank;
} settings[SETTINGS] = {{1.1, 3},  {1.1, 6},  {1.1, 8},  {1.1, 10}, {1.1, 15}, {1.1, 20}, {1.3, 3},
                        {1.3, 9},  {1.3, 12}, {1.3, 15}, {1.3, 20}, {1.3, 30}, {1.5, 5},  {1.5, 10},
                        {1.5, 15}, {1.5, 20}, {1.5, 30}, {1.5, 50}, {0.9, 10}, {0, 10}};

static const char *const names[SETTINGS] = {
    "e^1.1, r = 3",  "e^1.1, r = 6",  "e^1.1, r = 8",  "e^1.1, r = 10", "e^1.1, r = 15",
    "e^1.1, r = 20", "e^1.3, r = 3",  "e^1.3, r = 9",  "e^1.3, r = 12", "e^1.3, r = 15",
    "e^1.3, r = 20", "e^1.3, r = 30", "e^1.5, r = 5",  "e^1.5, r = 10", "e^1.5, r = 15",
    "e^1.5, r = 20", "e^1.5, r = 30", "e^1.5, r = 50", "e^0.9, r = 10", "1, r = 10"};

/* The grid, centred, its corners 25 away from the middle. */
static void fill_grid(double *x)
{
    double half = 25 / sqrt(2);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        x[2 * i] = half * (2 * (double)(i / SIDE) / (SIDE - 1) - 1);
        x[2 * i + 1] = half * (2 * (double)(i % SIDE) / (SIDE - 1) - 1);
    }
}

static tacit_status look(const tc_arm_run *c, const double *x, tacit_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        tc_transform t;
        TC_TRY(tc_transform_look(&t, SIDE * SIDE, 2, x, exp(settings[i].log_epsilon), 1e-5,
                                 (size_t)settings[i].rank, err));
        c->y[i] = strcmp(c->arm->name, "raised") == 0 ? t.raise : t.omega / t.sigma_min;
    }
    return TACIT_OK;
}

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    double *x = tc_alloc((size_t)2 * SIDE * SIDE, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    fill_grid(x);
    tacit_status status = look(c, x, err);
    tc_free(x);
    return status;
}

#define RAISED "singular values are raised"
static const tc_arm arms[] = {
    {.name = "ratio", .line = "omega / sigma_min", .mode = TC_ARM_PAPER},
    {.name = "raised", .line = RAISED, .mode = TC_ARM_PAPER},
};

#define NO(i)                                                                                      \
    {                                                                                              \
        RAISED, i, 0, 0                                                                            \
    }
#define YES(i)                                                                                     \
    {                                                                                              \
        RAISED, i, 1, 0                                                                            \
    }
static const tc_printed printed[] = {NO(0),  NO(1),  NO(2),   NO(3),   YES(4),  YES(5),  NO(6),
                                     NO(7),  NO(8),  NO(9),   YES(10), YES(11), NO(12),  NO(13),
                                     NO(14), NO(15), YES(16), YES(17), YES(18), YES(19), {0}};

const tc_experiment tc_experiment_po_branch = {
    .name = "po-branch",
    .paper = "po-gp-ucb",
    .figure = "captions of Tables 1 to 3, Fig. 2a",
    .claim = "the largest r before the branch is 10, 15 and 20 at epsilon = e^1.1, e^1.3 and e^1.5",
    .setting = "100 x 100 grid of largest norm 25 (sigma_min = 1030.9), delta = 1e-5",
    .version = 1,
    .runs = 1,
    .quick_runs = 1,
    .seconds = 0.1,
    .quick_seconds = 0.1,
    TC_ARMS(arms),
    .x = {.label = "epsilon and r", .n = SETTINGS, .names = names},
    .y_label = "branch",
    .run = run,
    .printed = printed,
};
