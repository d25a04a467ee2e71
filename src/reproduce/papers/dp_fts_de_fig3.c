/* dp_fts_de_fig3.c - DP-FTS-DE on landmine detection [Dai, Low, Jaillet 2021, Fig. 3a and 3d; 8 and
 * 11 of the appendix].
 *
 * Each of 29 agents tunes gamma and C of a support vector machine on its field. Paper mode has the
 * authors' constants: shared features of length-scale 0.01 scaled to norm 1, noise 1e-6, P = 4, S = 22,
 * q = 0.35, linear axes; beside it the ablations that the paper does not have. Numbers of "the paper" are
 * those of the result files that the authors published with their code. */
#include "base/error.h"
#include "reproduce/drive.h"
#include "reproduce/papers/mine_grids.h"

enum { DP_ROUNDS = 60 };

static tacit_status run_dp(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = {
        .objective = tc_mine_grid(c), .agents = TC_LANDMINE_FIELDS, .initial = 10};
    TC_TRY(tc_drive_federated(c, &t, err));
    return tc_mine_add_best(c, TC_LANDMINE_FIELDS, err);
}

#define DELTA 0.0246240 /* 29^-1.1 */
#define PRINTED                                                                                    \
    "features=100,unit=true,lengthscale=0.01,noise=1e-6,mode=paper,spectrum=drawn,message=draw,"   \
    "releases=all,absorb=point,schedule=inverse,clip=22,sampling_rate=0.35,"
static const tc_arm dp_arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", "init=10,start=uniform"},
    {"ts-tacit", "TS", TC_ARM_DEFAULT, "ts", "init=10"},
    {"ts-region", "TS, first points in one of 4 regions", TC_ARM_PAPER, "ts",
     "init=10,start=region,start_regions=4"},
    {"fts-de", "FTS-DE", TC_ARM_PAPER, "dp-fts-de", PRINTED "regions=4,noise_multiplier=0"},
    {"fts", "FTS", TC_ARM_PAPER, "dp-fts-de", PRINTED "regions=1,noise_multiplier=0"},
    {"z1", "DP-FTS-DE, z = 1, epsilon 15.17", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1"},
    {"z1-tacit", "DP-FTS-DE, z = 1, epsilon 15.17", TC_ARM_DEFAULT, "dp-fts-de", "schedule=inverse",
     15.17, DELTA},
    {"z4", "DP-FTS-DE, z = 4, epsilon 2.16", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=4"},
    {"z4-tacit", "DP-FTS-DE, z = 4, epsilon 2.16", TC_ARM_DEFAULT, "dp-fts-de", "schedule=inverse",
     2.16, DELTA},
    {"noise", "ablation: noise alone, z = 1", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1,broadcast=noise"},
    {"uniform", "ablation: uniform points", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1,broadcast=uniform"},
};
static const size_t dp_shown[] = {0, 1, 10, 30, 60};
static const tc_printed dp_printed[] = {{"TS", 0, 0.3152, 5e-5}, {"TS", 60, 0.2375, 5e-5}, {NULL}};
static const tc_statement dp_says[] = {
    {"DP-FTS-DE (z = 1) is better than TS at t = 60", TC_BELOW, {"z1", 60}, {"ts", 60}},
    {"FTS-DE is better than FTS at t = 60", TC_BELOW, {"fts-de", 60}, {"fts", 60}},
    {"and it is the messages: DP-FTS-DE is better than noise alone at t = 60",
     TC_BELOW,
     {"z1", 60},
     {"noise", 60}},
    {"DP-FTS-DE is better than uniform points at t = 60", TC_BELOW, {"z1", 60}, {"uniform", 60}},
    {"DP-FTS-DE is better than TS that starts in regions at t = 60",
     TC_BELOW,
     {"z1", 60},
     {"ts-region", 60}},
    {"on log axes, tacit's default at epsilon 15.17 is better than TS at t = 1",
     TC_BELOW,
     {"z1-tacit", 1},
     {"ts-tacit", 1}},
    {NULL}};

const tc_experiment tc_experiment_dp_landmine = {
    .name = "dp-fts-de-fig3-landmine",
    .paper = "dp-fts-de",
    .figure = "Fig. 3a, 3d (landmine)",
    .claim = "DP-FTS-DE is significantly better than TS at privacy losses of one digit",
    .setting = "29 fields, P = 4, S = 22, M = 100, q = 0.35, 10 initial points, delta 0.025",
    .stand_in =
        "a grid of 20 x 20 machines; AUC of decision values in place of Platt probabilities",
    .version = 1,
    .runs = 30,
    .quick_runs = 2,
    .seconds = 8,
    .quick_seconds = 3,
    TC_MINE_DATA,
    TC_ARMS(dp_arms),
    .x = {.label = "t", .n = DP_ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "1 - AUC",
    TC_SHOWN(dp_shown),
    .run = run_dp,
    .printed = dp_printed,
    .statements = dp_says,
};

/* ---- the same, by Platt's probabilities as the authors have it */

static const tc_arm platt_arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", "init=10,start=uniform"},
    {"fts-de", "FTS-DE", TC_ARM_PAPER, "dp-fts-de", PRINTED "regions=4,noise_multiplier=0"},
    {"fts", "FTS", TC_ARM_PAPER, "dp-fts-de", PRINTED "regions=1,noise_multiplier=0"},
    {"z1", "DP-FTS-DE, z = 1, epsilon 15.17", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1"},
    {"noise", "ablation: noise alone, z = 1", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1,broadcast=noise"},
    {"uniform", "ablation: uniform points", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1,broadcast=uniform"},
};
static const tc_statement platt_says[] = {
    {"DP-FTS-DE (z = 1) is better than TS at t = 60", TC_BELOW, {"z1", 60}, {"ts", 60}},
    {"FTS-DE is better than FTS at t = 60", TC_BELOW, {"fts-de", 60}, {"fts", 60}},
    {"and it is the messages: DP-FTS-DE is better than noise alone at t = 60",
     TC_BELOW,
     {"z1", 60},
     {"noise", 60}},
    {"DP-FTS-DE is better than uniform points at t = 60", TC_BELOW, {"z1", 60}, {"uniform", 60}},
    {NULL}};

const tc_experiment tc_experiment_dp_landmine_platt = {
    .name = "dp-fts-de-fig3-landmine-platt",
    .paper = "dp-fts-de",
    .figure = "Fig. 3a, 3d (landmine), by Platt probabilities",
    .claim = "DP-FTS-DE is significantly better than TS at privacy losses of one digit",
    .setting = "29 fields, P = 4, S = 22, M = 100, q = 0.35, 10 initial points, delta 0.025",
    .stand_in = TC_MINE_PLATT_STAND_IN,
    .version = 1,
    .runs = 30,
    .quick_runs = 2,
    .seconds = 5,
    .quick_seconds = 2,
    TC_MINE_PLATT_DATA,
    TC_ARMS(platt_arms),
    .x = {.label = "t", .n = DP_ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "1 - AUC",
    TC_SHOWN(dp_shown),
    .run = run_dp,
    .printed = dp_printed,
    .statements = platt_says,
};

/* ---- the appendix: DE under noise (Fig. 8), and a fixed number of agents in a sum (Fig. 11) */

static const tc_arm appendix_arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", "init=10,start=uniform"},
    {"dp-fts", "DP-FTS, z = 1", TC_ARM_PAPER, "dp-fts-de", PRINTED "regions=1,noise_multiplier=1"},
    {"dp-fts-de", "DP-FTS-DE, z = 1", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1"},
    {"fixed", "DP-FTS-DE, z = 1, fixed number", TC_ARM_PAPER, "dp-fts-de",
     PRINTED "regions=4,noise_multiplier=1,sampling=fixed"},
};
static const tc_statement appendix_says[] = {
    {"Fig. 8: DP-FTS-DE is better than DP-FTS at t = 60",
     TC_BELOW,
     {"dp-fts-de", 60},
     {"dp-fts", 60}},
    {"Fig. 11: a fixed number of agents is no worse than a coin for each at t = 60",
     TC_NO_WORSE,
     {"fixed", 60},
     {"dp-fts-de", 60}},
    {NULL}};

const tc_experiment tc_experiment_dp_landmine_appendix = {
    .name = "dp-fts-de-fig8-landmine",
    .paper = "dp-fts-de",
    .figure = "Fig. 8 and 11 (landmine)",
    .claim = "DE is necessary under noise; a fixed number of agents does as well as coins",
    .setting = "29 fields, P = 4, S = 22, M = 100, q = 0.35, 10 initial points, delta 0.025",
    .stand_in = TC_MINE_STAND_IN,
    .version = 1,
    .runs = 30,
    .quick_runs = 2,
    .seconds = 3,
    .quick_seconds = 1,
    TC_MINE_DATA,
    TC_ARMS(appendix_arms),
    .x = {.label = "t", .n = DP_ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "1 - AUC",
    TC_SHOWN(dp_shown),
    .run = run_dp,
    .statements = appendix_says,
};
