/* dp_fts_de_fig11.c - a fixed number of agents in every sum, in place of a coin for each [Dai, Low,
 * Jaillet 2021, footnote 14 and Fig. 11].
 *
 * "Slightly better privacy loss with comparable performances", says the paper, and gives neither the
 * constants nor the losses. Performance: the synthetic functions of dp_fts_de_fig2.c, q = 0.25, z = 1.
 * Losses: the five settings of Fig. 2c and 2d. A coin is charged by the privacy loss distribution for a
 * neighbour without the agent. Where the number is fixed, an agent that leaves makes room for another: the
 * neighbour has two other vectors, and the bound is that of Wang, Balle and Kasiviswanathan (2019). If
 * the two are charged as one, which is what a user of that bound might overlook, the loss is that of twice
 * the noise. */
#include "base/error.h"
#include "privacy/accountant.h"
#include "reproduce/drive.h"

#include <math.h>

/* ---- performance */

enum { AGENTS = 200, ROUNDS = 40 };

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = {
        .objective = "gp-family", .agents = c->quick ? 20 : AGENTS, .initial = 10};
    return tc_drive_federated(c, &t, err);
}

#define PRINTED                                                                                    \
    "features=50,lengthscale=0.03,mode=paper,spectrum=drawn,message=draw,releases=all,"            \
    "absorb=point,regions=2,clip=11,sampling_rate=0.25,"
static const tc_arm arms[] = {
    {"poisson", "a coin for each agent", TC_ARM_PAPER, "dp-fts-de", PRINTED "sampling=poisson"},
    {"fixed", "a fixed number of agents", TC_ARM_PAPER, "dp-fts-de", PRINTED "sampling=fixed"},
    {"free", "a coin, no noise", TC_ARM_PAPER, "dp-fts-de", PRINTED "noise_multiplier=0"},
};
static const size_t shown[] = {1, 5, 10, 20, 40};
static const tc_statement says[] = {{"a fixed number is no worse than a coin at t = 10",
                                     TC_NO_WORSE,
                                     {"fixed", 10},
                                     {"poisson", 10}},
                                    {"a fixed number is no worse than a coin at t = 40",
                                     TC_NO_WORSE,
                                     {"fixed", 40},
                                     {"poisson", 40}},
                                    {NULL}};

const tc_experiment tc_experiment_dp_fig11 = {
    .name = "dp-fts-de-fig11",
    .paper = "dp-fts-de",
    .figure = "Fig. 11 (appendix): performance",
    .claim = "a fixed number of agents in every sum performs as a coin for each does",
    .setting = "N = 200, M = 50, l = 0.03, noise 0.1, 1000 points, P = 2, S = 11, q = 0.25, z = 1",
    .stand_in = "synthetic functions; the paper has its three real tasks",
    .version = 1,
    .runs = 40,
    .quick_runs = 2,
    .seconds = 5,
    .quick_seconds = 0.3,
    TC_ARMS(arms),
    .x = {.label = "t", .n = ROUNDS + 1, .step = 1, .from_zero = true},
    .y_label = "simple regret",
    .y_log = true,
    TC_SHOWN(shown),
    .run = run,
    .statements = says,
};

/* ---- losses */

typedef struct setting {
    double rate, z;
} setting;
static const setting settings[] = {{0.15, 1}, {0.25, 1}, {0.5, 1}, {0.25, 1.2}, {0.25, 1.5}};
enum { SETTINGS = sizeof settings / sizeof *settings };
static const char *const names[SETTINGS] = {"q=.15 z=1", "q=.25 z=1", "q=.5 z=1", "q=.25 z=1.2",
                                            "q=.25 z=1.5"};

typedef struct way {
    const char *accountant;
    tc_dp_sampling sampling;
    double stretch; /* of z: 2 charges two vectors as one */
} way;
static const way coin = {"pld", TC_DP_POISSON, 1}, printed_coin = {"moments", TC_DP_POISSON, 1},
                 fixed = {"rdp", TC_DP_FIXED_SIZE, 1}, as_one = {"rdp", TC_DP_FIXED_SIZE, 2};

static tacit_status run_losses(const tc_arm_run *c, tacit_error *err)
{
    const way *w = c->arm->set;
    const tc_accountant *a;
    TC_TRY(tc_accountant_get(&a, w->accountant, err));
    for (size_t i = 0; i < c->n; i++) {
        tc_dp_event event = {.mechanism = TC_DP_GAUSSIAN,
                             .parameter = settings[i].z * w->stretch,
                             .sampling = w->sampling,
                             .sampling_rate = settings[i].rate,
                             .count = ROUNDS};
        tc_guarantee g;
        TC_TRY(tc_account(a, &event, 1, pow(AGENTS, -1.1), &g, err));
        c->y[i] = g.epsilon;
    }
    return TACIT_OK;
}

static const tc_arm loss_arms[] = {
    {.name = "coin-moments", .line = "a coin", .mode = TC_ARM_PAPER, .set = &printed_coin},
    {.name = "coin", .line = "a coin", .mode = TC_ARM_DEFAULT, .set = &coin},
    {.name = "as-one",
     .line = "a fixed number, two vectors charged as one: wrong",
     .mode = TC_ARM_PAPER,
     .set = &as_one},
    {.name = "fixed", .line = "a fixed number", .mode = TC_ARM_DEFAULT, .set = &fixed},
};
const tc_experiment tc_experiment_dp_fig11_losses = {
    .name = "dp-fts-de-fig11-losses",
    .paper = "dp-fts-de",
    .figure = "Fig. 11 (appendix): privacy losses",
    .claim = "a fixed number of agents in every sum has a slightly better privacy loss",
    .setting = "N = 200, T = 40, delta = 0.0029",
    .version = 1,
    .runs = 1,
    .quick_runs = 1,
    .seconds = 0.3,
    .quick_seconds = 0.3,
    TC_ARMS(loss_arms),
    .x = {.label = "setting", .n = SETTINGS, .names = names},
    .y_label = "epsilon",
    .y_log = true,
    .run = run_losses,
};
