/* activity.c - activity recognition [Dai, Low, Jaillet 2020, Fig. 2c], and how alike its agents are.
 *
 * 24 subjects tune learning rate, L2 penalty and batch size of logistic regression, on the papers' narrow
 * ranges (paper mode) and on ranges as people begin with (default): activity_grids.h. That of 2021 is in
 * dp_fts_de_activity.c. */
#include "papers/experiments/activity_grids.h"

#include "base/error.h"
#include "papers/data/similarity.h"

enum { ROUNDS = 40 };

static tacit_status run_similarity(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = tc_activity_task(c);
    tc_similarity s;
    TC_TRY(tc_similarity_of(t.objective, t.words, TC_ACTIVITY_SUBJECTS, &s, err));
    c->y[0] = s.correlation;
    c->y[1] = s.others;
    c->y[2] = s.random;
    return TACIT_OK;
}

static tacit_status run_fts(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = tc_activity_task(c);
    t.past = 30;
    return tc_drive_federated(c, &t, err);
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
    .stand_in = TC_ACTIVITY_STAND_IN,
    .version = 1,
    .runs = 1,
    .quick_runs = 1,
    .seconds = 0.5,
    .quick_seconds = 0.5,
    TC_ACTIVITY_BOTH,
    TC_ARMS(similar_arms),
    .x = {.label = "of two subjects", .n = 3, .names = names},
    .y_label = "correlation, regret in error",
    .run = run_similarity,
};

/* ---- fts Fig. 2c */

#define PUBLIC TC_ACTIVITY_PUBLIC
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
    .stand_in = TC_ACTIVITY_STAND_IN,
    .version = 1,
    .runs = 20,
    .quick_runs = 2,
    .seconds = 10,
    .quick_seconds = 2,
    TC_ACTIVITY_BOTH,
    TC_ARMS(fts_arms),
    .x = {.label = "t", .n = ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "validation error above the best",
    TC_SHOWN(fts_shown),
    .run = run_fts,
    .statements = fts_says,
};
