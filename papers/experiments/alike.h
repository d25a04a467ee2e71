/* alike.h - what a private federation is worth where agents are alike, on a real task: arms, cell, statements.
 *
 * Not a figure of a paper but the question behind them all: does an agent find better models earlier than
 * alone (TS), and than with queries at random places in the same iterations (the uniform ablation)? Every agent
 * begins with ONE point: with five, the best of them is often good, and simple regret has little left to
 * tell. A run yields the error above the agent's best, the mean over agents: of the best model at t = 1, 3 and
 * 5, of the first query, and of the mean of 20 queries (cumulative regret over 20). The constants of the methods
 * are fixed beforehand; that there is one first point is not: it was chosen after five had shown nothing.
 *
 * Agents of dp-fts-de begin in one of P regions, and their ablation has as many: 1 or 2 by epsilon and N
 * (alike_test.c says which), 4 without noise. FTS and TS know no regions. FTS is not the published one:
 * P_N is learned, messages are means of earlier studies, and its first query always follows (p1 = 1e-9), as that of
 * dp-fts-de does; by default it would with probability 1/sqrt(2). First points are drawn anew for every arm. For
 * the alike_*.c files of experiments/. */
#ifndef TC_PAPERS_PAPERS_ALIKE_H
#define TC_PAPERS_PAPERS_ALIKE_H

#include "papers/frame/experiment.h"

enum { TC_ALIKE_POINTS = 5, TC_ALIKE_PAST = 30 };

/* `constants`: a literal, lengthscale=... to noise=..., with a comma behind. */
#define TC_ALIKE_PRIVATE(constants, name, epsilon)                                                 \
    {                                                                                              \
        "e" name, "dp-fts-de, epsilon " name, TC_ARM_DEFAULT, "dp-fts-de", constants "initial=1",  \
            epsilon, 1e-5                                                                          \
    }
#define TC_ALIKE_ABLATION(id, text, options_)                                                      \
    {                                                                                              \
        id, "ablation: " text, TC_ARM_DEFAULT, "dp-fts-de", options_, 8, 1e-5                      \
    }
#define TC_ALIKE_ARMS(constants)                                                                   \
    {"ts", "TS", TC_ARM_DEFAULT, "ts", "init=1,start=uniform"},                                    \
        TC_ALIKE_ABLATION("uniform-1", "uniform points, P = 1",                                    \
                          constants "initial=1,broadcast=uniform,regions=1"),                      \
        TC_ALIKE_ABLATION("uniform", "uniform points, P = 2",                                      \
                          constants "initial=1,broadcast=uniform"),                                \
        TC_ALIKE_ABLATION("uniform-4", "uniform points, P = 4",                                    \
                          constants "initial=1,broadcast=uniform,regions=4"),                      \
        TC_ALIKE_ABLATION("noise", "noise alone, epsilon 8",                                       \
                          constants "initial=1,broadcast=noise"),                                  \
        TC_ALIKE_PRIVATE(constants, "1", 1), TC_ALIKE_PRIVATE(constants, "2", 2),                  \
        TC_ALIKE_PRIVATE(constants, "8", 8),                                                       \
        {"free", "dp-fts-de without noise, P = 4", TC_ARM_DEFAULT, "dp-fts-de",                    \
         constants "initial=1,noise_multiplier=0,message=mean,releases=first"},                    \
    {                                                                                              \
        "fts", "FTS, learned P_N, means, query 1 follows", TC_ARM_DEFAULT, "fts",                  \
            constants "initial=1,features=100,choose=learned,message=mean,p1=1e-9"                 \
    }

/* "t = 1", "t = 3", "t = 5", "query 1", "mean of 20". */
extern const char *const tc_alike_names[TC_ALIKE_POINTS];
extern const tc_statement tc_alike_says[];
/* The same for 24 agents, where epsilon 1 leaves one region. */
extern const tc_statement tc_alike_says_few[];

/* A cell on a table of errors, as c->arm has it. */
tacit_status tc_alike_run(const tc_arm_run *c, const char *table, uint64_t agents,
                          tacit_error *err);

/* How alike the agents of a table are, at the points tc_alike_similar. */
tacit_status tc_alike_similarity(const tc_arm_run *c, const char *table, size_t agents,
                                 tacit_error *err);
enum { TC_ALIKE_SIMILAR = 3 };
extern const char *const tc_alike_similar[TC_ALIKE_SIMILAR];

/* Members of a tc_experiment. */
#define TC_ALIKE_SIMILARITY                                                                        \
    .paper = "fts, dp-fts-de", .figure = "beyond the papers",                                      \
    .setting = "surfaces of validation error on wide ranges", .version = 1, .runs = 1,             \
    .quick_runs = 1, .seconds = 0.5, .quick_seconds = 0.5,                                         \
    .x = {.label = "of two agents", .n = TC_ALIKE_SIMILAR, .names = tc_alike_similar},             \
    .y_label = "correlation, regret in error"

#define TC_ALIKE_EXPERIMENT                                                                        \
    .paper = "fts, dp-fts-de", .figure = "beyond the papers",                                      \
    .claim = "agents that are alike find better models earlier, privately",                        \
    .x = {.label = "one first point each; error of the best model at t, of query 1, of 20",        \
          .n = TC_ALIKE_POINTS,                                                                    \
          .names = tc_alike_names},                                                                \
    .y_label = "validation error above the best", .y_log = true

#endif
