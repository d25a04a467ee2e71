/* dp_fts_de_fig3.c - DP-FTS-DE on landmine detection [Dai, Low, Jaillet 2021, Fig. 3a and 3d; 8 and
 * 11 of the appendix].
 *
 * Each of 29 agents tunes gamma and C of a support vector machine on its field. Paper mode has the
 * authors' constants (dp_fts_de_arms.h) on linear axes; tacit's own promises what the same noise keeps.
 * Numbers of "the paper" are those of the result files that the authors published with their code. */
#include "base/error.h"
#include "papers/frame/drive.h"
#include "papers/experiments/dp_fts_de_arms.h"
#include "papers/experiments/mine_grids.h"
#include "papers/experiments/price.h"

enum { ROUNDS = 60 };

static tacit_status run_task(const tc_arm_run *c, bool paired, tacit_error *err)
{
    tc_federated_task t = {.objective = tc_mine_grid(c),
                           .agents = TC_LANDMINE_FIELDS,
                           .initial = 10,
                           .paired = paired};
    TC_TRY(tc_drive_federated(c, &t, err));
    return tc_mine_add_best(c, TC_LANDMINE_FIELDS, err);
}

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    return run_task(c, false, err);
}

/* TS begins with the points of FTS; tacit keeps the price of paper mode. */
static tacit_status run_paired(const tc_arm_run *c, tacit_error *err)
{
    tc_arm arm;
    tc_arm_run cell = *c;
    TC_TRY(tc_price_promise(c->arm, &arm, err));
    cell.arm = &arm;
    return run_task(&cell, true, err);
}

static const tc_price z1 = {TC_LANDMINE_FIELDS, 0.35, 1, ROUNDS},
                      z4 = {TC_LANDMINE_FIELDS, 0.35, 4, ROUNDS};
#define TACIT(epsilon, price)                                                                      \
    {                                                                                              \
        .name = "tacit-" epsilon, .line = "tacit, epsilon " epsilon, .mode = TC_ARM_DEFAULT,       \
        .algorithm = "dp-fts-de", .options = "schedule=inverse", .set = &(price)                   \
    }
static const tc_arm arms[] = {
    TC_DP_TS,
    {"ts-tacit", "TS", TC_ARM_DEFAULT, "ts", "init=10,start=uniform"},
    TC_DP_TS_REGION,
    TC_DP_FTS_DE(""),
    TC_DP_FTS("init=domain,"),
    TC_DP_Z("", "1", "10.38"),
    TACIT("10.38", z1),
    TC_DP_Z("", "4", "1.13"),
    TACIT("1.13", z4),
    TC_DP_NOISE(""),
    TC_DP_UNIFORM(""),
};
static const size_t shown[] = {0, 1, 10, 30, 60};
static const tc_printed printed[] = {{"TS", 0, 0.3152, 5e-5}, {"TS", 60, 0.2375, 5e-5}, {NULL}};
static const tc_statement says[] = {
    TC_DP_SAYS,
    TC_DP_SAYS_REGION,
    {"on log axes, tacit at epsilon 10.38 is better than TS at t = 1",
     TC_BELOW,
     {"tacit-10.38", 1},
     {"ts-tacit", 1}},
    {"on log axes, tacit at epsilon 10.38 is better than at 1.13 at t = 1",
     TC_BELOW,
     {"tacit-10.38", 1},
     {"tacit-1.13", 1}},
    {NULL}};

#define FACTS(price, run_)                                                                         \
    .paper = "dp-fts-de",                                                                          \
    .setting = "29 fields, P = 4, S = 22, M = 100, q = 0.35, 10 initial points; epsilon " price    \
               ", delta 0.025",                                                                    \
    .version = 1, .run = (run_)
#define Z1 "10.38 (the paper prints 15.17)"
#define BETTER_THAN_TS                                                                             \
    .claim = "DP-FTS-DE is significantly better than TS at privacy losses of one digit",           \
    .printed = printed

const tc_experiment tc_experiment_dp_landmine = {
    TC_MINE_CURVES("dp-fts-de-fig3-landmine", "Fig. 3a, 3d (landmine)", ROUNDS, TC_MINE_DATA, arms,
                   shown, says),
    FACTS("10.38 and 1.13 (the paper prints 15.17 and 2.16)", run_paired),
    BETTER_THAN_TS,
    .stand_in = TC_MINE_STAND_IN,
    .seconds = 8,
    .quick_seconds = 3,
};

/* ---- the same, by Platt's probabilities as the authors have it */

static const tc_arm platt_arms[] = {TC_DP_TS,        TC_DP_FTS_DE(""),
                                    TC_DP_FTS(""),   TC_DP_Z("", "1", "10.38"),
                                    TC_DP_NOISE(""), TC_DP_UNIFORM("")};
static const tc_statement platt_says[] = {TC_DP_SAYS, {NULL}};

const tc_experiment tc_experiment_dp_landmine_platt = {
    TC_MINE_CURVES("dp-fts-de-fig3-landmine-platt", "Fig. 3a, 3d (landmine, by Platt)", ROUNDS,
                   TC_MINE_PLATT_DATA, platt_arms, shown, platt_says),
    FACTS(Z1, run),
    BETTER_THAN_TS,
    .stand_in = TC_MINE_PLATT_STAND_IN,
    .seconds = 5,
    .quick_seconds = 2,
};

/* ---- the appendix: DE under noise (Fig. 8), and a fixed number of agents in a sum (Fig. 11) */

static const tc_arm appendix_arms[] = {
    TC_DP_TS,
    TC_DP_ARM("", "dp-fts", "DP-FTS, z = 1", "regions=1,noise_multiplier=1"),
    TC_DP_ARM("", "dp-fts-de", "DP-FTS-DE, z = 1", "regions=4,noise_multiplier=1"),
    TC_DP_ARM("", "fixed", "DP-FTS-DE, z = 1, fixed number",
              "regions=4,noise_multiplier=1,sampling=fixed"),
};
static const tc_statement appendix_says[] = {
    TC_DP_BETTER("Fig. 8: DP-FTS-DE is better than DP-FTS at t = 60", "dp-fts-de", "dp-fts"),
    {"Fig. 11: a fixed number of agents is no worse than a coin for each at t = 60",
     TC_NO_WORSE,
     {"fixed", 60},
     {"dp-fts-de", 60}},
    {NULL}};

const tc_experiment tc_experiment_dp_landmine_appendix = {
    TC_MINE_CURVES("dp-fts-de-fig8-landmine", "Fig. 8 and 11 (landmine)", ROUNDS, TC_MINE_DATA,
                   appendix_arms, shown, appendix_says),
    FACTS(Z1 " with coins", run),
    .claim = "DE is necessary under noise; a fixed number of agents does as well as coins",
    .stand_in = TC_MINE_STAND_IN,
    .seconds = 3,
    .quick_seconds = 1,
};
