/* fts_fig2.c - federated Thompson sampling on landmine detection over iterations [Dai, Low, Jaillet 2020,
 * the runs of Fig. 2a].
 *
 * Each of 29 agents tunes gamma and C of a support vector machine on its field (fts_mine.h). Numbers of
 * "the paper" are those of the result files that the authors published with their code, whose messages
 * were made from misaligned inputs and values; ours are aligned. Fig. 2a as it is drawn is in
 * fts_lengths.c. */
#include "base/error.h"
#include "papers/experiments/fts_mine.h"

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = tc_fts_mine_task(c);
    TC_TRY(tc_drive_federated(c, &t, err));
    return tc_mine_add_best(c, TC_FTS_TARGETS, err);
}

static const tc_arm arms[] = {
    TC_FTS_TS,       TC_FTS_TS_TACIT,       TC_FTS_M("50"),  TC_FTS_M_TACIT("50"),
    TC_FTS_M("100"), TC_FTS_M_TACIT("100"), TC_FTS_M("200"), TC_FTS_M_TACIT("200"),
    TC_FTS_RGPE,     TC_FTS_RGPE_TACIT,     TC_FTS_TAF,      TC_FTS_TAF_TACIT,
};
static const size_t shown[] = {1, 5, 10, 50};
static const tc_printed printed[] = {{"TS", 50, 0.1787, 5e-5},
                                     {"FTS, M = 50", 50, 0.1806, 5e-5},
                                     {"FTS, M = 100", 50, 0.1730, 5e-5},
                                     {"FTS, M = 200", 50, 0.1753, 5e-5},
                                     {"RGPE, M = 100", 50, 0.2013, 5e-5},
                                     {"TAF, M = 100", 50, 0.2716, 5e-5},
                                     {"TS", 10, 0.1902, 5e-5},
                                     {"FTS, M = 100", 10, 0.2017, 5e-5},
                                     {NULL}};
#define SAYS                                                                                       \
    {"FTS is better than TS at t = 50", TC_BELOW, {"fts-100", 50}, {"ts", 50}},                    \
        {"FTS is better than RGPE at t = 50", TC_BELOW, {"fts-100", 50}, {"rgpe", 50}},            \
    {                                                                                              \
        "FTS is better than TAF at t = 50", TC_BELOW, {"fts-100", 50},                             \
        {                                                                                          \
            "taf", 50                                                                              \
        }                                                                                          \
    }
static const tc_statement says[] = {SAYS,
                                    {"on log axes with l = 0.2, FTS is better than TS at t = 5",
                                     TC_BELOW,
                                     {"fts-100-tacit", 5},
                                     {"ts-tacit", 5}},
                                    {NULL}};

#define FACTS                                                                                      \
    .paper = "fts", .claim = "FTS finds better machines than RGPE and TAF, with shorter messages", \
    .setting = "29 fields, the first 6 are targets, 3 initial points, t_n = 50; NOT PRIVATE",      \
    .run = run, .printed = printed

const tc_experiment tc_experiment_fts_landmine = {
    TC_MINE_CURVES("fts-fig2a-landmine", "Fig. 2a (landmine)", TC_FTS_ROUNDS, TC_MINE_DATA, arms,
                   shown, says),
    FACTS,
    .stand_in = TC_MINE_STAND_IN,
    .version = 3,
    .seconds = 12,
    .quick_seconds = 2,
};

/* ---- the same, by Platt's probabilities as the authors have it */

static const tc_arm platt_arms[] = {TC_FTS_TS,       TC_FTS_M("50"), TC_FTS_M("100"),
                                    TC_FTS_M("200"), TC_FTS_RGPE,    TC_FTS_TAF};
static const tc_statement platt_says[] = {SAYS, {NULL}};

const tc_experiment tc_experiment_fts_landmine_platt = {
    TC_MINE_CURVES("fts-fig2a-landmine-platt", "Fig. 2a (landmine, by Platt)", TC_FTS_ROUNDS,
                   TC_MINE_PLATT_DATA, platt_arms, shown, platt_says),
    FACTS,
    .stand_in = TC_MINE_PLATT_STAND_IN,
    .version = 2,
    .seconds = 6,
    .quick_seconds = 1,
};
