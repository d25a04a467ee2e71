/* dp_fts_de_digits.c - DP-FTS-DE on handwritten digits by writers [Dai, Low, Jaillet 2021, Fig. 3c and 3f].
 *
 * Each of 50 agents tunes three hyper-parameters of a convolutional network on what one hand has written
 * (papers/data/digits_writers.h). Settings are those that the paper prints for all its real tasks: P = 4, S = 22,
 * M = 100, 1 - p_t = 1/t, ten initial points, 60 iterations, z = 1 and 4 at q = 0.35, delta = N^-1.1. The
 * shared kernel is that of the authors' landmine code (length-scale 0.01, features of norm 1, noise 1e-6), the
 * only one they published. tacit's agents have one kernel for messages and for their own draws, as the paper's
 * text has it, where the authors' code fits the latter to each agent; so a second experiment has one that fits.
 * The moments accountant says epsilon 15.76 and 2.31 of these settings; the privacy loss distribution 11.32 and
 * 1.33, which is what tacit's default gets, on wide ranges. Length-scale and noise of the default are those of the
 * activity task; mean and standard deviation of the errors are those of the pilot group over all its networks
 * (0.706 and 0.302). */
#include "base/error.h"
#include "base/memory.h"
#include "papers/frame/drive.h"
#include "papers/experiments/digits_grids.h"

enum { ROUNDS = 60 };

typedef struct grids {
    char *narrow, *wide;
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
    tacit_status status = tc_digits_grid(s, false, TC_BY_HAND, &g->narrow, err);
    if (status == TACIT_OK)
        status = tc_digits_grid(s, true, TC_BY_HAND, &g->wide, err);
    if (status != TACIT_OK) {
        finish(g);
        return status;
    }
    *out = g;
    return TACIT_OK;
}

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    const grids *g = c->prepared;
    tc_federated_task t = {.objective = c->arm->mode == TC_ARM_PAPER ? g->narrow : g->wide,
                           .words = "table-goal=minimize",
                           .agents = tc_digits_agents(c->quick),
                           .initial = 10};
    return tc_drive_federated(c, &t, err);
}

#define DELTA 0.0135249 /* 50^-1.1 */
/* y_mean: what the model sees is accuracy, as it is the AUC of landmines. */
#define PRINTED(kernel, more)                                                                      \
    "features=100,unit=true,spectrum=drawn," kernel ",y_mean=-1,mode=paper,message=draw,"          \
    "releases=all,absorb=point,schedule=inverse,clip=22,sampling_rate=0.35," more
#define LANDMINE "lengthscale=0.01,noise=1e-6"
#define FITTING  "lengthscale=0.3,noise=0.01"
#define PUBLIC   "schedule=inverse,lengthscale=0.3,y_mean=-0.7,y_scale=0.3,noise=0.01"

#define Z1      "DP-FTS-DE, z = 1, epsilon 11.32"
#define Z4      "DP-FTS-DE, z = 4, epsilon 1.33"
#define NOISE   "ablation: noise alone, z = 1"
#define UNIFORM "ablation: uniform points"
static const tc_arm arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", "init=10,start=uniform"},
    {"ts-tacit", "TS", TC_ARM_DEFAULT, "ts", "init=10,start=uniform"},
    {"ts-region", "TS, first points in one of 4 regions", TC_ARM_PAPER, "ts",
     "init=10,start=region,start_regions=4"},
    {"fts-de", "FTS-DE", TC_ARM_PAPER, "dp-fts-de",
     PRINTED(LANDMINE, "regions=4,noise_multiplier=0")},
    {"fts", "FTS", TC_ARM_PAPER, "dp-fts-de", PRINTED(LANDMINE, "regions=1,noise_multiplier=0")},
    {"z1", Z1, TC_ARM_PAPER, "dp-fts-de", PRINTED(LANDMINE, "regions=4,noise_multiplier=1")},
    {"z1-tacit", Z1, TC_ARM_DEFAULT, "dp-fts-de", PUBLIC, 11.32, DELTA},
    {"z4", Z4, TC_ARM_PAPER, "dp-fts-de", PRINTED(LANDMINE, "regions=4,noise_multiplier=4")},
    {"z4-tacit", Z4, TC_ARM_DEFAULT, "dp-fts-de", PUBLIC, 1.33, DELTA},
    {"noise", NOISE, TC_ARM_PAPER, "dp-fts-de",
     PRINTED(LANDMINE, "regions=4,noise_multiplier=1,broadcast=noise")},
    {"noise-tacit", NOISE, TC_ARM_DEFAULT, "dp-fts-de", PUBLIC ",broadcast=noise", 11.32, DELTA},
    {"uniform", UNIFORM, TC_ARM_PAPER, "dp-fts-de",
     PRINTED(LANDMINE, "regions=4,noise_multiplier=1,broadcast=uniform")},
    {"uniform-tacit", UNIFORM, TC_ARM_DEFAULT, "dp-fts-de", PUBLIC ",broadcast=uniform", 11.32,
     DELTA},
};
#define BELOW(text_, arm, other, t)                                                                \
    {                                                                                              \
        text_ " at t = " #t, TC_BELOW, {arm, t},                                                   \
        {                                                                                          \
            other, t                                                                               \
        }                                                                                          \
    }
static const tc_statement says[] = {
    BELOW("FTS-DE is better than TS", "fts-de", "ts", 60),
    BELOW("DP-FTS-DE (z = 1) is better than TS", "z1", "ts", 10),
    BELOW("DP-FTS-DE (z = 1) is better than TS", "z1", "ts", 60),
    BELOW("DP-FTS-DE (z = 4) is better than TS", "z4", "ts", 60),
    BELOW("a smaller privacy loss costs utility: z = 1 is better than z = 4", "z1", "z4", 60),
    BELOW("FTS-DE is better than FTS", "fts-de", "fts", 60),
    BELOW("and it is the messages: DP-FTS-DE is better than noise alone", "z1", "noise", 60),
    BELOW("DP-FTS-DE is better than uniform points", "z1", "uniform", 60),
    BELOW("DP-FTS-DE is better than TS that starts in regions", "z1", "ts-region", 60),
    BELOW("wide ranges: tacit's default at epsilon 11.32 is better than TS", "z1-tacit", "ts-tacit",
          1),
    BELOW("wide ranges: at epsilon 11.32 better than uniform points", "z1-tacit", "uniform-tacit",
          1),
    BELOW("wide ranges: at epsilon 11.32 better than noise alone", "z1-tacit", "noise-tacit", 1),
    BELOW("wide ranges: at epsilon 11.32 better than TS", "z1-tacit", "ts-tacit", 10),
    BELOW("wide ranges: at epsilon 11.32 better than TS", "z1-tacit", "ts-tacit", 60),
    BELOW("wide ranges: at epsilon 11.32 better than noise alone", "z1-tacit", "noise-tacit", 60),
    BELOW("wide ranges: at epsilon 1.33 better than TS", "z4-tacit", "ts-tacit", 1),
    BELOW("wide ranges: at epsilon 1.33 better than uniform points", "z4-tacit", "uniform-tacit",
          1),
    BELOW("wide ranges: at epsilon 1.33 better than TS", "z4-tacit", "ts-tacit", 60),
    {NULL}};

static const size_t shown[] = {0, 1, 10, 30, 60};
#define FIG3                                                                                       \
    .paper = "dp-fts-de",                                                                          \
    .claim = "DP-FTS-DE is significantly better than TS at privacy losses of one digit",           \
    .setting = "50 writers, P = 4, S = 22, M = 100, q = 0.35, 10 initial points, delta 0.0135",    \
    .version = 1, .runs = 40, .quick_runs = 2, TC_DIGITS_DATA, .prepare = prepare,                 \
    .finish = finish, .x = {.label = "t", .n = ROUNDS + 1, .step = 1, .from_zero = true},          \
    .y_label = "validation error above the best", TC_SHOWN(shown), .run = run

const tc_experiment tc_experiment_dp_digits = {
    .name = "dp-fts-de-fig3-digits",
    .figure = "Fig. 3c, 3f (digits)",
    FIG3,
    .seconds = 5,
    .quick_seconds = 0.5,
    TC_ARMS(arms),
    .statements = says,
};

/* ---- the same with a length-scale that fits, of messages and of the agents' own models */

static const tc_arm kernel_arms[] = {
    {"ts", "TS", TC_ARM_PAPER, "ts", "init=10,start=uniform"},
    {"ts-region", "TS, first points in one of 4 regions", TC_ARM_PAPER, "ts",
     "init=10,start=region,start_regions=4"},
    {"fts-de", "FTS-DE", TC_ARM_PAPER, "dp-fts-de",
     PRINTED(FITTING, "regions=4,noise_multiplier=0")},
    {"z1", Z1, TC_ARM_PAPER, "dp-fts-de", PRINTED(FITTING, "regions=4,noise_multiplier=1")},
    {"noise", NOISE, TC_ARM_PAPER, "dp-fts-de",
     PRINTED(FITTING, "regions=4,noise_multiplier=1,broadcast=noise")},
    {"uniform", UNIFORM, TC_ARM_PAPER, "dp-fts-de",
     PRINTED(FITTING, "regions=4,noise_multiplier=1,broadcast=uniform")},
};
static const tc_statement kernel_says[] = {
    BELOW("FTS-DE is better than TS", "fts-de", "ts", 10),
    BELOW("FTS-DE is better than TS", "fts-de", "ts", 60),
    BELOW("DP-FTS-DE (z = 1) is better than TS", "z1", "ts", 10),
    BELOW("DP-FTS-DE (z = 1) is better than TS", "z1", "ts", 60),
    BELOW("it is the messages: FTS-DE is better than uniform points", "fts-de", "uniform", 1),
    BELOW("FTS-DE is better than uniform points", "fts-de", "uniform", 60),
    BELOW("DP-FTS-DE is better than noise alone", "z1", "noise", 1),
    BELOW("DP-FTS-DE is better than noise alone", "z1", "noise", 60),
    {NULL}};

const tc_experiment tc_experiment_dp_digits_kernel = {
    .name = "dp-fts-de-fig3-digits-kernel",
    .figure = "Fig. 3c, 3f (digits), length-scale 0.3",
    FIG3,
    .seconds = 2,
    .quick_seconds = 0.3,
    TC_ARMS(kernel_arms),
    .statements = kernel_says,
};
