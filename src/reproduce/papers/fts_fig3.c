/* fts_fig3.c - the time of an iteration over the number of agents [Dai, Low, Jaillet 2020, Fig. 3d].
 *
 * Processor time of one agent that learns from N others, M = 100 (reproduce/agent_time.h): the median
 * of 19 iterations, after the one in which rgpe and taf read all messages. The only experiment whose
 * numbers come from a clock: a second time they are others. */
#include "base/error.h"
#include "reproduce/agent_time.h"
#include "reproduce/experiment.h"

enum { FEATURES = 100, POINTS = 5, QUICK_MOST = 50 };

static const double agents[POINTS] = {10, 25, 50, 100, 200};

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        double n = c->quick && c->x[i] > QUICK_MOST ? QUICK_MOST : c->x[i];
        tc_agent_time t;
        TC_TRY(tc_agent_time_take(&t, c->arm->algorithm, FEATURES, (uint64_t)n, err));
        c->y[i] = 1e3 * tc_agent_time_median(&t);
    }
    return TACIT_OK;
}

static const tc_arm arms[] = {
    {"fts", "FTS", TC_ARM_BOTH, "fts"},
    {"rgpe", "RGPE", TC_ARM_BOTH, "rgpe"},
    {"taf", "TAF", TC_ARM_BOTH, "taf"},
};
static const tc_statement says[] = {
    {"the time of FTS does not grow with N (200 against 10)", TC_NO_WORSE, {"fts", 4}, {"fts", 0}},
    {"that of RGPE does", TC_BELOW, {"rgpe", 0}, {"rgpe", 4}},
    {"that of TAF does", TC_BELOW, {"taf", 0}, {"taf", 4}},
    {"FTS is faster than RGPE with N = 200", TC_BELOW, {"fts", 4}, {"rgpe", 4}},
    {"FTS is faster than TAF with N = 200", TC_BELOW, {"fts", 4}, {"taf", 4}},
    {NULL}};

const tc_experiment tc_experiment_fts_times = {
    .name = "fts-fig3d",
    .paper = "fts",
    .figure = "Fig. 3d",
    .claim = "the run time of FTS does not depend on N; that of RGPE and TAF grows",
    .setting = "1000 points of [0,1], M = 100, 10 initial points; processor time of one agent",
    .stand_in = "a grid on a line in place of landmine detection; times depend on the machine",
    .version = 1,
    .runs = 10,
    .quick_runs = 1,
    .seconds = 10,
    .quick_seconds = 3,
    TC_ARMS(arms),
    .x = {.label = "N", .n = POINTS, .at = agents, .log = true},
    .y_label = "milliseconds of an iteration",
    .y_log = true,
    .run = run,
    .statements = says,
};
