/* fts_lengths.c - the length of a message against what is found [Dai, Low, Jaillet 2020, Fig. 2a and 2c, as
 * they are drawn].
 *
 * After 50 iterations, the mean over the first six agents, with M = 50, 100, 150 and 200. FTS sends a
 * draw, M numbers; RGPE a mean and a covariance, M + M^2; TAF these and its best value. (tacit sends half of
 * a covariance, which is all of it.) TS sends nothing and stands at every length. */
#include "base/error.h"
#include "papers/experiments/activity_grids.h"
#include "papers/experiments/fts_mine.h"

#include <math.h>
#include <stdio.h>

enum { LENGTHS = 4, QUICKER = 5 };
static const int features[LENGTHS] = {50, 100, 150, 200};
static const double lengths[2 * LENGTHS] = {50, 100, 150, 200, 2550, 10100, 22650, 40200};

/* Which of the two groups of lengths an arm has; NULL: both, for it sends nothing. */
static const size_t short_messages = 0, long_messages = LENGTHS;

/* The simple regret at the end with these options. */
static tacit_status run_once(const tc_arm_run *c, const tc_federated_task *t, const char *options,
                             double *out, tacit_error *err)
{
    double y[TC_FTS_ROUNDS + 1];
    tc_arm arm = *c->arm;
    tc_arm_run sub = *c;
    arm.options = options;
    sub.arm = &arm;
    sub.n = TC_FTS_ROUNDS + 1;
    sub.y = y;
    TC_TRY(tc_drive_federated(&sub, t, err));
    *out = y[TC_FTS_ROUNDS];
    return TACIT_OK;
}

static tacit_status run_silent(const tc_arm_run *c, const tc_federated_task *t, tacit_error *err)
{
    TC_TRY(run_once(c, t, c->arm->options, &c->y[0], err));
    for (size_t i = 1; i < c->n; i++)
        c->y[i] = c->y[0];
    return TACIT_OK;
}

static tacit_status run_lengths(const tc_arm_run *c, const tc_federated_task *t, tacit_error *err)
{
    const size_t *first = c->arm->set;
    char options[160];
    if (!first)
        return run_silent(c, t, err);
    for (size_t i = 0; i < c->n; i++)
        c->y[i] = NAN;
    for (size_t i = 0; i < LENGTHS; i++) {
        snprintf(options, sizeof options, "%s,features=%d", c->arm->options,
                 c->quick ? features[i] / QUICKER : features[i]);
        TC_TRY(run_once(c, t, options, &c->y[*first + i], err));
    }
    return TACIT_OK;
}

static tacit_status run_mine(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = tc_fts_mine_task(c);
    t.paired = true;
    TC_TRY(run_lengths(c, &t, err));
    return tc_mine_add_best(c, TC_FTS_TARGETS, err);
}

static tacit_status run_activity(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = tc_activity_task(c);
    t.past = TC_FTS_PAST;
    t.targets = TC_FTS_TARGETS;
    t.paired = true;
    return run_lengths(c, &t, err);
}

#define SENDING(mode_, id, constants)                                                              \
    {"fts" id, "FTS", mode_, "fts", constants ",schedule=square", .set = &short_messages},         \
        {"rgpe" id, "RGPE", mode_, "rgpe", constants, .set = &long_messages},                      \
    {                                                                                              \
        "taf" id, "TAF", mode_, "taf", constants, .set = &long_messages                            \
    }
static const tc_arm mine_arms[] = {
    TC_FTS_TS,
    SENDING(TC_ARM_PAPER, "", TC_FTS_AUTHORS),
};
static const tc_arm activity_arms[] = {
    TC_FTS_TS,
    {"ts-wide", "TS", TC_ARM_DEFAULT, "ts", "init=3,start=uniform"},
    SENDING(TC_ARM_PAPER, "", TC_ACTIVITY_PUBLIC "initial=3"),
    SENDING(TC_ARM_DEFAULT, "-wide", TC_ACTIVITY_PUBLIC "initial=3"),
};

#define BETTER(text, a_, at_a, b_, at_b)                                                           \
    {                                                                                              \
        text, TC_BELOW, {a_, at_a},                                                                \
        {                                                                                          \
            b_, at_b                                                                               \
        }                                                                                          \
    }
#define SAYS(which, id)                                                                            \
    BETTER(which "with M = 50, FTS is better than RGPE", "fts" id, 0, "rgpe" id, 4),               \
        BETTER(which "with M = 50, FTS is better than TAF", "fts" id, 0, "taf" id, 4),             \
        BETTER(which "with M = 200, FTS is better than RGPE", "fts" id, 3, "rgpe" id, 7),          \
        BETTER(which "with M = 200, FTS is better than TAF", "fts" id, 3, "taf" id, 7),            \
        BETTER(which "with M = 200, FTS is better than TS", "fts" id, 3, "ts" id, 3)
static const tc_statement mine_says[] = {SAYS("", ""), {NULL}};
static const tc_statement activity_says[] = {
    SAYS("published ranges, ", ""), SAYS("wide ranges, ", "-wide"), {NULL}};

#define LENGTHS_ROW(name_, figure_, arms_, says)                                                   \
    .name = (name_), .paper = "fts", .figure = (figure_), .version = 2, .runs = 10,                \
    .quick_runs = 1, TC_ARMS(arms_),                                                               \
    .x = {.label = "numbers in a message", .n = 2 * LENGTHS, .at = lengths, .log = true},          \
    .statements = (says)

const tc_experiment tc_experiment_fts_lengths = {
    LENGTHS_ROW("fts-fig2a-lengths", "Fig. 2a (landmine): length of a message", mine_arms,
                mine_says),
    .claim = "FTS finds better machines than RGPE and TAF, with shorter messages",
    .setting = "M = 50, 100, 150, 200; 29 fields, 6 targets, t_n = 50, t = 50; NOT PRIVATE",
    .stand_in = TC_MINE_STAND_IN,
    TC_MINE_DATA,
    .y_label = "1 - AUC after 50 iterations",
    .seconds = 16,
    .quick_seconds = 4,
    .run = run_mine,
};

const tc_experiment tc_experiment_fts_activity_lengths = {
    LENGTHS_ROW("fts-fig2c-lengths", "Fig. 2c (activity): length of a message", activity_arms,
                activity_says),
    .claim = "FTS finds better models than RGPE and TAF, with shorter messages",
    .setting = "M = 50, 100, 150, 200; 24 subjects, 6 targets, t_n = 50, t = 50; NOT PRIVATE",
    .stand_in = TC_ACTIVITY_STAND_IN,
    TC_ACTIVITY_BOTH,
    .y_label = "validation error above the best, after 50 iterations",
    .seconds = 20,
    .quick_seconds = 4,
    .run = run_activity,
};
