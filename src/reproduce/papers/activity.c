/* activity.c - activity recognition [Dai, Low, Jaillet 2020, Fig. 2c; 2021, Fig. 3b], and what federation is
 * worth where agents are alike.
 *
 * 24 subjects tune learning rate, L2 penalty and batch size of logistic regression. The papers' ranges are
 * narrow (rate 0.01 to 0.1, L2 1e-6 to 1, batch 20 to 60, linear: paper mode). People begin wider: rate 1e-4
 * to 10, L2 1e-6 to 10, batch 8 to 128, all in logarithms (default). All shared constants are fixed
 * beforehand: length-scale 0.3 of the range, errors taken as 0.3 +- 0.3, noise variance 0.01 of that. */
#include "reproduce/papers/activity_grids.h"

#include "base/error.h"
#include "base/memory.h"
#include "reproduce/drive.h"
#include "reproduce/similarity.h"

enum { ROUNDS = 40 };

/* ---- the grids */

typedef struct grids {
    char *narrow, *wide; /* "table:FILE" */
} grids;

static void finish(void *prepared)
{
    grids *g = prepared;
    tc_free(g->narrow);
    tc_free(g->wide);
    tc_free(g);
}

static tacit_status prepare(const tc_setup *s, void **out, tacit_error *err)
{
    grids *g = tc_alloc(1, sizeof *g);
    if (!g)
        return tc_fail_memory(err);
    tacit_status status = tc_activity_grid(s, false, 1, &g->narrow, err);
    if (status == TACIT_OK)
        status = tc_activity_grid(s, true, 1, &g->wide, err);
    if (status != TACIT_OK) {
        finish(g);
        return status;
    }
    *out = g;
    return TACIT_OK;
}

#define MOTION_DATA TC_ACTIVITY_DATA, .prepare = prepare, .finish = finish, .prepare_seconds = 90
#define STAND_IN                                                                                   \
    "24 subjects of MotionSense, 114 features, in place of 30 with 561; a grid of 8 x 6 x 4 "      \
    "models"

/* ---- cells */

static const char *grid_of(const tc_arm_run *c)
{
    const grids *g = c->prepared;
    return c->arm->mode == TC_ARM_PAPER ? g->narrow : g->wide;
}

#define GOAL "table-goal=minimize"

static tacit_status run_similarity(const tc_arm_run *c, tacit_error *err)
{
    tc_similarity s;
    TC_TRY(tc_similarity_of(grid_of(c), GOAL, TC_ACTIVITY_SUBJECTS, &s, err));
    c->y[0] = s.correlation;
    c->y[1] = s.others;
    c->y[2] = s.random;
    return TACIT_OK;
}

static tacit_status run_task(const tc_arm_run *c, uint64_t past, bool cumulative, tacit_error *err)
{
    tc_federated_task t = {.objective = grid_of(c),
                           .words = GOAL,
                           .agents = TC_ACTIVITY_SUBJECTS,
                           .past = past,
                           .cumulative = cumulative};
    return tc_drive_federated(c, &t, err);
}

static tacit_status run_fts(const tc_arm_run *c, tacit_error *err)
{
    return run_task(c, 30, false, err);
}

static tacit_status run_private(const tc_arm_run *c, tacit_error *err)
{
    return run_task(c, 0, false, err);
}

static tacit_status run_private_sum(const tc_arm_run *c, tacit_error *err)
{
    return run_task(c, 0, true, err);
}

/* ---- similarity */

static const char *const names[] = {"correlation", "others' best", "uniform"};
static const tc_arm similar_arms[] = {{"narrow", "24 subjects", TC_ARM_PAPER},
                                      {"wide", "24 subjects", TC_ARM_DEFAULT}};

const tc_experiment tc_experiment_activity_similarity = {
    .name = "similarity-motionsense",
    .paper = "fts, dp-fts-de",
    .figure = "the activity figures",
    .claim = "subjects are similar enough to learn from each other",
    .setting = "surfaces of validation error: narrow ranges (paper mode), wide ones (default)",
    .stand_in = STAND_IN,
    .version = 1,
    .runs = 1,
    .quick_runs = 1,
    .seconds = 0.5,
    .quick_seconds = 0.5,
    MOTION_DATA,
    TC_ARMS(similar_arms),
    .x = {.label = "of two subjects", .n = 3, .names = names},
    .y_label = "correlation, regret in error",
    .run = run_similarity,
};

/* ---- fts Fig. 2c */

#define PUBLIC "lengthscale=0.3,y_mean=-0.3,y_scale=0.3,noise=0.01,"
static const tc_arm fts_arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", "init=1,start=uniform"},
    {"ts-wide", "TS", TC_ARM_DEFAULT, "ts", "init=1,start=uniform"},
    {"fts", "FTS, M = 100", TC_ARM_PAPER, "fts", PUBLIC "initial=1,features=100,schedule=square"},
    {"fts-wide", "FTS, M = 100", TC_ARM_DEFAULT, "fts", PUBLIC "initial=1,features=100"},
    {"learned", "FTS, learned P_N, means", TC_ARM_PAPER, "fts",
     PUBLIC "initial=1,features=100,choose=learned,message=mean"},
    {"learned-wide", "FTS, learned P_N, means", TC_ARM_DEFAULT, "fts",
     PUBLIC "initial=1,features=100,choose=learned,message=mean"},
};
static const size_t fts_shown[] = {1, 3, 5, 20, 40};
static const tc_statement fts_says[] = {
    {"narrow ranges: FTS is better than TS at t = 5", TC_BELOW, {"fts", 5}, {"ts", 5}},
    {"wide ranges: FTS is better than TS at t = 1", TC_BELOW, {"fts-wide", 1}, {"ts-wide", 1}},
    {"wide ranges: FTS is better than TS at t = 3", TC_BELOW, {"fts-wide", 3}, {"ts-wide", 3}},
    {"wide ranges: FTS is better than TS at t = 5", TC_BELOW, {"fts-wide", 5}, {"ts-wide", 5}},
    {"wide ranges: with a learned P_N better than TS at t = 1",
     TC_BELOW,
     {"learned-wide", 1},
     {"ts-wide", 1}},
    {"wide ranges: with a learned P_N better than TS at t = 3",
     TC_BELOW,
     {"learned-wide", 3},
     {"ts-wide", 3}},
    {"wide ranges: with a learned P_N better than TS at t = 5",
     TC_BELOW,
     {"learned-wide", 5},
     {"ts-wide", 5}},
    {NULL}};

const tc_experiment tc_experiment_fts_activity = {
    .name = "fts-fig2c-motionsense",
    .paper = "fts",
    .figure = "Fig. 2c (activity recognition)",
    .claim = "FTS is better than TS on activity recognition",
    .setting = "24 subjects, 1 initial point, t_n = 30; NOT PRIVATE",
    .stand_in = STAND_IN,
    .version = 1,
    .runs = 20,
    .quick_runs = 2,
    .seconds = 10,
    .quick_seconds = 2,
    MOTION_DATA,
    TC_ARMS(fts_arms),
    .x = {.label = "t", .n = ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "validation error above the best",
    TC_SHOWN(fts_shown),
    .run = run_fts,
    .statements = fts_says,
};

/* ---- dp-fts-de Fig. 3b, wide ranges */

#define DP PUBLIC "initial=5"
static const tc_arm dp_arms[] = {
    {"ts", "TS", TC_ARM_DEFAULT, "ts", "init=5,start=uniform"},
    {"e2", "dp-fts-de, epsilon 2", TC_ARM_DEFAULT, "dp-fts-de", DP, 2, 1e-5},
    {"e8", "dp-fts-de, epsilon 8", TC_ARM_DEFAULT, "dp-fts-de", DP, 8, 1e-5},
    {"e32", "dp-fts-de, epsilon 32", TC_ARM_DEFAULT, "dp-fts-de", DP, 32, 1e-5},
    {"free", "the same without noise", TC_ARM_DEFAULT, "dp-fts-de",
     DP ",noise_multiplier=0,message=mean,releases=first"},
    {"noise", "ablation: noise alone, epsilon 8", TC_ARM_DEFAULT, "dp-fts-de",
     DP ",broadcast=noise", 8, 1e-5},
    {"uniform", "ablation: uniform points", TC_ARM_DEFAULT, "dp-fts-de", DP ",broadcast=uniform", 8,
     1e-5},
};
static const size_t dp_shown[] = {1, 3, 5, 20, 40};

#define VERSUS(arm, e, t, what)                                                                    \
    {"epsilon " e ": better than TS " what, TC_BELOW, {arm, t}, {"ts", t}},                        \
    {                                                                                              \
        "epsilon " e ": better than uniform points " what, TC_BELOW, {arm, t},                     \
        {                                                                                          \
            "uniform", t                                                                           \
        }                                                                                          \
    }
static const tc_statement dp_says[] = {VERSUS("e2", "2", 1, "at t = 1"),
                                       VERSUS("e8", "8", 1, "at t = 1"),
                                       VERSUS("e8", "8", 5, "at t = 5"),
                                       VERSUS("e32", "32", 1, "at t = 1"),
                                       VERSUS("e32", "32", 3, "at t = 3"),
                                       VERSUS("e32", "32", 5, "at t = 5"),
                                       {NULL}};
static const tc_statement sum_says[] = {VERSUS("e2", "2", 1, "in the first query"),
                                        VERSUS("e2", "2", 5, "over 5 queries"),
                                        VERSUS("e2", "2", 20, "over 20 queries"),
                                        VERSUS("e8", "8", 1, "in the first query"),
                                        VERSUS("e8", "8", 20, "over 20 queries"),
                                        VERSUS("e32", "32", 20, "over 20 queries"),
                                        {NULL}};

#define FIG3(id, name_, y_, run_, says)                                                            \
    const tc_experiment tc_experiment_##id = {                                                     \
        .name = name_,                                                                             \
        .paper = "dp-fts-de",                                                                      \
        .figure = "Fig. 3b, 3e (activity recognition)",                                            \
        .claim = "DP-FTS-DE is better than TS on activity recognition",                            \
        .setting = "24 subjects, wide ranges, 5 initial points, delta 1e-5",                       \
        .stand_in = STAND_IN,                                                                      \
        .version = 1,                                                                              \
        .runs = 20,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = 8,                                                                              \
        .quick_seconds = 2,                                                                        \
        MOTION_DATA,                                                                               \
        TC_ARMS(dp_arms),                                                                          \
        .x = {.label = "t", .n = ROUNDS + 1, .step = 1, .from_zero = true},                        \
        .y_label = y_,                                                                             \
        TC_SHOWN(dp_shown),                                                                        \
        .run = run_,                                                                               \
        .statements = says,                                                                        \
    }

FIG3(dp_activity, "dp-fts-de-fig3-motionsense", "validation error above the best", run_private,
     dp_says);
FIG3(dp_activity_sum, "dp-fts-de-fig3-motionsense-sum", "sum of errors above the best",
     run_private_sum, sum_says);
