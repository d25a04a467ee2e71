/* fts_fig3.c - run time [Dai, Low, Jaillet 2020, Fig. 3]: what is found over processor time (3a, 3c), and the time
 * of an iteration over the number of agents (3d).
 *
 * Fig. 3a and 3c: the runs of fts_lengths.c with M = 100, looked at by the clock. Time is what one agent computes
 * from its last initial point on, the mean over the six targets: reading messages, weighing them, choosing
 * points. Training a model is not in it, nor the network. An agent stops after 50 iterations. Fig. 3d:
 * one agent that learns from N others (papers/frame/agent_time.h), the median of 19 iterations after the one in
 * which rgpe and taf read all messages. The only experiments whose numbers come from a clock: a second
 * time they are others. */
#include "base/error.h"
#include "papers/frame/agent_time.h"
#include "papers/experiments/activity_grids.h"
#include "papers/experiments/fts_mine.h"

/* ---- Fig. 3a, 3c */

/* What was the best when this much time had passed? */
static void look(const tc_arm_run *c, const double *best, const double *seconds)
{
    size_t t = 0;
    for (size_t i = 0; i < c->n; i++) {
        while (t < TC_FTS_ROUNDS && 1e3 * seconds[t + 1] <= c->x[i])
            t++;
        c->y[i] = best[t];
    }
}

static tacit_status run_timed(const tc_arm_run *c, const tc_federated_task *t, tacit_error *err)
{
    double best[TC_FTS_ROUNDS + 1], seconds[TC_FTS_ROUNDS + 1];
    TC_TRY(tc_drive_federated_timed(c, t, TC_FTS_ROUNDS, best, seconds, err));
    look(c, best, seconds);
    return TACIT_OK;
}

static tacit_status run_mine(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = tc_fts_mine_task(c);
    t.paired = true;
    TC_TRY(run_timed(c, &t, err));
    return tc_mine_add_best(c, TC_FTS_TARGETS, err);
}

static tacit_status run_activity(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = tc_activity_task(c);
    t.past = TC_FTS_PAST;
    t.targets = TC_FTS_TARGETS;
    t.paired = true;
    return run_timed(c, &t, err);
}

static const double times[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,   2,
                               5,    10,   20,   50,  100, 200, 500, 1000};
enum {
    TIMES = sizeof times / sizeof *times,
    AT_1_MS = 6,
    AT_10_MS = 9,
    AT_100_MS = 12,
    AT_1_S = 15
};
static const size_t shown[] = {AT_1_MS, AT_10_MS, AT_100_MS, AT_1_S};

static const tc_arm mine_arms[] = {
    TC_FTS_TS,   TC_FTS_TS_TACIT,   TC_FTS_M("100"), TC_FTS_M_TACIT("100"),
    TC_FTS_RGPE, TC_FTS_RGPE_TACIT, TC_FTS_TAF,      TC_FTS_TAF_TACIT,
};

#define OWN TC_ACTIVITY_PUBLIC "initial=3,features=100"
static const tc_arm activity_arms[] = {
    TC_FTS_TS,
    {"ts-wide", "TS", TC_ARM_DEFAULT, "ts", "init=3,start=uniform"},
    {"fts", "FTS, M = 100", TC_ARM_PAPER, "fts", OWN ",schedule=square"},
    {"fts-wide", "FTS, M = 100", TC_ARM_DEFAULT, "fts", OWN},
    {"rgpe", "RGPE, M = 100", TC_ARM_PAPER, "rgpe", OWN},
    {"rgpe-wide", "RGPE, M = 100", TC_ARM_DEFAULT, "rgpe", OWN},
    {"taf", "TAF, M = 100", TC_ARM_PAPER, "taf", OWN},
    {"taf-wide", "TAF, M = 100", TC_ARM_DEFAULT, "taf", OWN},
};

#define BETTER(text, a_, b_, at_)                                                                  \
    {                                                                                              \
        text, TC_BELOW, {a_, at_},                                                                 \
        {                                                                                          \
            b_, at_                                                                                \
        }                                                                                          \
    }
#define SAYS(which, fts, id)                                                                       \
    BETTER(which "after 1 ms FTS is better than TS", fts, "ts" id, AT_1_MS),                       \
        BETTER(which "after 1 ms FTS is better than RGPE", fts, "rgpe" id, AT_1_MS),               \
        BETTER(which "after 1 ms FTS is better than TAF", fts, "taf" id, AT_1_MS),                 \
        BETTER(which "after 1 s FTS is better than TS", fts, "ts" id, AT_1_S),                     \
        BETTER(which "after 1 s FTS is better than RGPE", fts, "rgpe" id, AT_1_S),                 \
        BETTER(which "after 1 s FTS is better than TAF", fts, "taf" id, AT_1_S)
static const tc_statement mine_says[] = {
    SAYS("", "fts-100", ""), SAYS("log axes: ", "fts-100-tacit", "-tacit"), {NULL}};
static const tc_statement activity_says[] = {
    SAYS("published ranges: ", "fts", ""), SAYS("wide ranges: ", "fts-wide", "-wide"), {NULL}};

#define TIMED(name_, figure_, arms_, says)                                                         \
    .name = (name_), .paper = "fts", .figure = (figure_),                                          \
    .claim = "FTS converges faster than TS, RGPE and TAF", .version = 2, .runs = 20,               \
    .quick_runs = 1, TC_ARMS(arms_),                                                               \
    .x = {.label = "milliseconds of processor time", .n = TIMES, .at = times, .log = true},        \
    TC_SHOWN(shown), .statements = (says)

const tc_experiment tc_experiment_fts_mine_times = {
    TIMED("fts-fig3a-landmine", "Fig. 3a (landmine)", mine_arms, mine_says),
    .setting = "29 fields, 6 targets, M = 100, t_n = 50, 50 iterations; NOT PRIVATE",
    .stand_in = TC_MINE_STAND_IN "; times depend on the machine",
    TC_MINE_DATA,
    .y_label = "1 - AUC",
    .seconds = 8,
    .quick_seconds = 2,
    .run = run_mine,
};

const tc_experiment tc_experiment_fts_activity_times = {
    TIMED("fts-fig3c-motionsense", "Fig. 3c (activity recognition)", activity_arms, activity_says),
    .setting = "24 subjects, 6 targets, M = 100, t_n = 50, 50 iterations; NOT PRIVATE",
    .stand_in = TC_ACTIVITY_STAND_IN "; times depend on the machine",
    TC_ACTIVITY_BOTH,
    .y_label = "validation error above the best",
    .seconds = 8,
    .quick_seconds = 2,
    .run = run_activity,
};

/* ---- Fig. 3d */

enum { FEATURES = 100, SIZES = 5, QUICK_MOST = 50 };

static const double agents[SIZES] = {10, 25, 50, 100, 200};

static tacit_status run_sizes(const tc_arm_run *c, tacit_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        double n = c->quick && c->x[i] > QUICK_MOST ? QUICK_MOST : c->x[i];
        tc_agent_time t;
        TC_TRY(tc_agent_time_take(&t, c->arm->algorithm, FEATURES, (uint64_t)n, err));
        c->y[i] = 1e3 * tc_agent_time_median(&t);
    }
    return TACIT_OK;
}

static const tc_arm size_arms[] = {
    {"fts", "FTS", TC_ARM_BOTH, "fts"},
    {"rgpe", "RGPE", TC_ARM_BOTH, "rgpe"},
    {"taf", "TAF", TC_ARM_BOTH, "taf"},
};
static const tc_statement size_says[] = {
    {"the time of FTS does not grow with N (200 against 10)", TC_NO_WORSE, {"fts", 4}, {"fts", 0}},
    {"that of RGPE does", TC_BELOW, {"rgpe", 0}, {"rgpe", 4}},
    {"that of TAF does", TC_BELOW, {"taf", 0}, {"taf", 4}},
    BETTER("FTS is faster than RGPE with N = 200", "fts", "rgpe", 4),
    BETTER("FTS is faster than TAF with N = 200", "fts", "taf", 4),
    {NULL}};

const tc_experiment tc_experiment_fts_times = {
    .name = "fts-fig3d",
    .paper = "fts",
    .figure = "Fig. 3d",
    .claim = "the run time of FTS does not depend on N; that of RGPE and TAF grows",
    .setting = "1000 points of [0,1], M = 100, 10 initial points; processor time of one agent",
    .stand_in = "a grid on a line in place of landmine detection; times depend on the machine",
    .version = 2,
    .runs = 10,
    .quick_runs = 1,
    .seconds = 10,
    .quick_seconds = 3,
    TC_ARMS(size_arms),
    .x = {.label = "N", .n = SIZES, .at = agents, .log = true},
    .y_label = "milliseconds of an iteration",
    .y_log = true,
    .run = run_sizes,
    .statements = size_says,
};
