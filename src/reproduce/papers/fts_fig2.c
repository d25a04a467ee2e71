/* fts_fig2.c - federated Thompson sampling on landmine detection [Dai, Low, Jaillet 2020, Fig. 2a].
 *
 * Each of 29 agents tunes gamma and C of a support vector machine on its field; the first six are the
 * targets. Paper mode has the authors' shared features: length-scale 0.01, scaled to norm 1, noise 1e-6,
 * on linear axes. Numbers of "the paper" are those of the result files that the authors published with
 * their code, whose messages were made from misaligned inputs and values; ours are aligned. */
#include "base/error.h"
#include "reproduce/drive.h"
#include "reproduce/papers/mine_grids.h"

#include <math.h>
#include <stdio.h>

enum { QUICK_AGENTS = 7, FTS_TARGETS = 6, FTS_ROUNDS = 50 };

static tacit_status run_fts(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = {.objective = tc_mine_grid(c),
                           .agents = TC_LANDMINE_FIELDS,
                           .past = 50,
                           .targets = FTS_TARGETS};
    TC_TRY(tc_drive_federated(c, &t, err));
    return tc_mine_add_best(c, FTS_TARGETS, err);
}

#define AUTHORS "unit=true,lengthscale=0.01,noise=1e-6,initial=3"
#define TS3     "init=3,start=uniform"
#define FTS(id, text, m)                                                                           \
    {id, text, TC_ARM_PAPER, "fts", AUTHORS ",schedule=square,features=" m},                       \
    {                                                                                              \
        id "-tacit", text, TC_ARM_DEFAULT, "fts", "initial=3,features=" m                          \
    }
static const tc_arm fts_arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", TS3},
    {"ts-tacit", "TS", TC_ARM_DEFAULT, "ts", "init=3"},
    FTS("fts-50", "FTS, M = 50", "50"),
    FTS("fts-100", "FTS, M = 100", "100"),
    FTS("fts-200", "FTS, M = 200", "200"),
    {"rgpe", "RGPE, M = 100", TC_ARM_PAPER, "rgpe", AUTHORS ",features=100"},
    {"rgpe-tacit", "RGPE, M = 100", TC_ARM_DEFAULT, "rgpe", "initial=3"},
    {"taf", "TAF, M = 100", TC_ARM_PAPER, "taf", AUTHORS ",features=100"},
    {"taf-tacit", "TAF, M = 100", TC_ARM_DEFAULT, "taf", "initial=3"},
};
static const size_t fts_shown[] = {1, 5, 10, 50};
static const tc_printed fts_printed[] = {{"TS", 50, 0.1787, 5e-5},
                                         {"FTS, M = 50", 50, 0.1806, 5e-5},
                                         {"FTS, M = 100", 50, 0.1730, 5e-5},
                                         {"FTS, M = 200", 50, 0.1753, 5e-5},
                                         {"RGPE, M = 100", 50, 0.2013, 5e-5},
                                         {"TAF, M = 100", 50, 0.2716, 5e-5},
                                         {"TS", 10, 0.1902, 5e-5},
                                         {"FTS, M = 100", 10, 0.2017, 5e-5},
                                         {NULL}};
static const tc_statement fts_says[] = {
    {"FTS is better than TS at t = 50", TC_BELOW, {"fts-100", 50}, {"ts", 50}},
    {"FTS is better than RGPE at t = 50", TC_BELOW, {"fts-100", 50}, {"rgpe", 50}},
    {"FTS is better than TAF at t = 50", TC_BELOW, {"fts-100", 50}, {"taf", 50}},
    {"on log axes with l = 0.2, FTS is better than TS at t = 5",
     TC_BELOW,
     {"fts-100-tacit", 5},
     {"ts-tacit", 5}},
    {NULL}};

const tc_experiment tc_experiment_fts_landmine = {
    .name = "fts-fig2a-landmine",
    .paper = "fts",
    .figure = "Fig. 2a (landmine)",
    .claim = "FTS finds better machines than RGPE and TAF, with shorter messages",
    .setting = "29 fields, the first 6 are targets, 3 initial points, t_n = 50; NOT PRIVATE",
    .stand_in =
        "a grid of 20 x 20 machines; AUC of decision values in place of Platt probabilities",
    .version = 2,
    .runs = 30,
    .quick_runs = 2,
    .seconds = 40,
    .quick_seconds = 4,
    TC_MINE_DATA,
    TC_ARMS(fts_arms),
    .x = {.label = "t", .n = FTS_ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "1 - AUC",
    TC_SHOWN(fts_shown),
    .run = run_fts,
    .printed = fts_printed,
    .statements = fts_says,
};

/* ---- the same, by Platt's probabilities as the authors have it */

static const tc_arm platt_arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", TS3},
    {"fts-50", "FTS, M = 50", TC_ARM_PAPER, "fts", AUTHORS ",schedule=square,features=50"},
    {"fts-100", "FTS, M = 100", TC_ARM_PAPER, "fts", AUTHORS ",schedule=square,features=100"},
    {"fts-200", "FTS, M = 200", TC_ARM_PAPER, "fts", AUTHORS ",schedule=square,features=200"},
    {"rgpe", "RGPE, M = 100", TC_ARM_PAPER, "rgpe", AUTHORS ",features=100"},
    {"taf", "TAF, M = 100", TC_ARM_PAPER, "taf", AUTHORS ",features=100"},
};
static const tc_statement platt_says[] = {
    {"FTS is better than TS at t = 50", TC_BELOW, {"fts-100", 50}, {"ts", 50}},
    {"FTS is better than RGPE at t = 50", TC_BELOW, {"fts-100", 50}, {"rgpe", 50}},
    {"FTS is better than TAF at t = 50", TC_BELOW, {"fts-100", 50}, {"taf", 50}},
    {NULL}};

const tc_experiment tc_experiment_fts_landmine_platt = {
    .name = "fts-fig2a-landmine-platt",
    .paper = "fts",
    .figure = "Fig. 2a (landmine), by Platt probabilities",
    .claim = "FTS finds better machines than RGPE and TAF, with shorter messages",
    .setting = "29 fields, the first 6 are targets, 3 initial points, t_n = 50; NOT PRIVATE",
    .stand_in = TC_MINE_PLATT_STAND_IN,
    .version = 1,
    .runs = 30,
    .quick_runs = 2,
    .seconds = 25,
    .quick_seconds = 3,
    TC_MINE_PLATT_DATA,
    TC_ARMS(platt_arms),
    .x = {.label = "t", .n = FTS_ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "1 - AUC",
    TC_SHOWN(fts_shown),
    .run = run_fts,
    .printed = fts_printed,
    .statements = platt_says,
};

/* ---- the length of a message against what is found (Fig. 2a as it is drawn) */

enum { LENGTHS = 4 };
static const int features[LENGTHS] = {50, 100, 150, 200};
/* fts sends a draw, M numbers; rgpe a mean and a covariance, M + M^2; taf these and its best value. */
static const double lengths[2 * LENGTHS] = {50, 100, 150, 200, 2550, 10100, 22650, 40200};

/* 1 - AUC at the end with M features. */
static tacit_status run_features(const tc_arm_run *c, int m, double *out, tacit_error *err)
{
    char options[160];
    double y[FTS_ROUNDS + 1];
    tc_arm arm = *c->arm;
    tc_arm_run sub = *c;
    snprintf(options, sizeof options, "%s,features=%d", c->arm->options, m);
    arm.options = options;
    sub.arm = &arm;
    sub.n = FTS_ROUNDS + 1;
    sub.y = y;
    TC_TRY(run_fts(&sub, err));
    *out = y[FTS_ROUNDS];
    return TACIT_OK;
}

/* Which of the two groups of lengths an arm has. */
static const size_t short_messages = 0, long_messages = LENGTHS;

static tacit_status run_lengths(const tc_arm_run *c, tacit_error *err)
{
    const size_t *first = c->arm->set;
    for (size_t i = 0; i < c->n; i++)
        c->y[i] = NAN;
    for (size_t i = 0; i < LENGTHS; i++)
        TC_TRY(run_features(c, features[i], &c->y[*first + i], err));
    return TACIT_OK;
}

static const tc_arm length_arms[] = {
    {"fts", "FTS", TC_ARM_PAPER, "fts", AUTHORS ",schedule=square", .set = &short_messages},
    {"rgpe", "RGPE", TC_ARM_PAPER, "rgpe", AUTHORS, .set = &long_messages},
    {"taf", "TAF", TC_ARM_PAPER, "taf", AUTHORS, .set = &long_messages},
};
static const tc_statement length_says[] = {
    {"with M = 50, FTS is better than RGPE", TC_BELOW, {"fts", 0}, {"rgpe", 4}},
    {"with M = 50, FTS is better than TAF", TC_BELOW, {"fts", 0}, {"taf", 4}},
    {"with M = 200, FTS is better than RGPE", TC_BELOW, {"fts", 3}, {"rgpe", 7}},
    {"with M = 200, FTS is better than TAF", TC_BELOW, {"fts", 3}, {"taf", 7}},
    {NULL}};

const tc_experiment tc_experiment_fts_lengths = {
    .name = "fts-fig2a-lengths",
    .paper = "fts",
    .figure = "Fig. 2a (landmine): length of a message",
    .claim = "FTS finds better machines than RGPE and TAF, with shorter messages",
    .setting = "M = 50, 100, 150, 200; 29 fields, 6 targets, t_n = 50, t = 50; NOT PRIVATE",
    .stand_in = TC_MINE_STAND_IN,
    .version = 1,
    .runs = 10,
    .quick_runs = 1,
    .seconds = 60,
    .quick_seconds = 10,
    TC_MINE_DATA,
    TC_ARMS(length_arms),
    .x = {.label = "numbers in a message", .n = 2 * LENGTHS, .at = lengths, .log = true},
    .y_label = "1 - AUC after 50 iterations",
    .run = run_lengths,
    .statements = length_says,
};
