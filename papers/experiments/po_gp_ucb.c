/* po_gp_ucb.c - PO-GP-UCB on its synthetic grid [Kharkovskii, Dai, Low 2020: Fig. 2a, Tables 1 to 3].
 *
 * 100 x 100 rows whose largest norm is 25 after centring, values from a Gaussian process with variance
 * 1 and noise variance 1e-5, T = 50 questions, delta = 1e-5, known hyper-parameters. Paper mode is the
 * printed projection, which protects nothing; the default is noise in every row (docs/outsourcing.md).
 * The paper has l = 1.25, which is a thirtieth of the domain: fifty questions then find little, with or
 * without privacy. l = 5 and 6 are lengths at which the printed regrets can be reached at all. */
#include "base/error.h"
#include "papers/experiments/outsource.h"

#include <math.h>
#include <stdio.h>

enum { SIDE = 100, QUICK_SIDE = 30, QUESTIONS = TC_OUTSOURCE_QUESTIONS, POINTS = 6 };

static const double REACH = 25, DELTA = 1e-5;

/* The objective lives on the unit square: a unit of the curator is a part of it. */
static double unit_of(void)
{
    return 1 / (sqrt(2) * REACH);
}

/* ---- one release and fifty questions */

typedef struct words {
    char objective[160], options[96];
} words;

/* A modeler that sees the square itself has its length-scale in units of the square. */
static void say(words *w, double length, bool released, int side)
{
    snprintf(w->objective, sizeof w->objective,
             "lengthscale=%.17g,grid=%d,noise=gaussian,noise-scale=%.17g", length * unit_of(), side,
             sqrt(1e-5));
    snprintf(w->options, sizeof w->options, "fit=false,noise=1e-5,lengthscale=%.17g",
             released ? length : length * unit_of());
}

/* The simple regret after each question. epsilon 0: the modeler sees the rows themselves. */
static tacit_status outsource(const tc_arm_run *c, double length, double epsilon, size_t rank,
                              double *curve, tacit_error *err)
{
    words w;
    say(&w, length, epsilon > 0, c->quick ? QUICK_SIDE : SIDE);
    tc_outsource_task t = {.objective = "gp-sample",
                           .words = w.objective,
                           .options = w.options,
                           .unit = unit_of(),
                           .epsilon = epsilon,
                           .delta = DELTA,
                           .rank = rank,
                           .questions = QUESTIONS};
    return tc_outsource(c, &t, curve, err);
}

/* ---- Tables 1 to 3: regret over r at one epsilon */

typedef struct table_arm {
    double length, log_epsilon;
} table_arm;

/* Row noise knows no r: its one number stands at every point. */
static tacit_status run_table(const tc_arm_run *c, tacit_error *err)
{
    const table_arm *t = c->arm->set;
    double curve[QUESTIONS];
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || c->arm->mode == TC_ARM_PAPER)
            TC_TRY(outsource(c, t->length, exp(t->log_epsilon), (size_t)c->x[i], curve, err));
        c->y[i] = curve[QUESTIONS - 1];
    }
    return TACIT_OK;
}

#define TABLE_ARMS(id, e)                                                                          \
    static const table_arm id##_125 = {1.25, e}, id##_5 = {5, e}, id##_6 = {6, e};                 \
    static const tc_arm id##_arms[] = {                                                            \
        {"l1.25-paper", "l = 1.25", TC_ARM_PAPER, "po-gp-ucb", .set = &id##_125},                  \
        {"l1.25-rows", "l = 1.25", TC_ARM_DEFAULT, "po-gp-ucb", .set = &id##_125},                 \
        {"l5-paper", "l = 5", TC_ARM_PAPER, "po-gp-ucb", .set = &id##_5},                          \
        {"l5-rows", "l = 5", TC_ARM_DEFAULT, "po-gp-ucb", .set = &id##_5},                         \
        {"l6-paper", "l = 6", TC_ARM_PAPER, "po-gp-ucb", .set = &id##_6},                          \
        {"l6-rows", "l = 6", TC_ARM_DEFAULT, "po-gp-ucb", .set = &id##_6},                         \
    }

/* Both claims of the paper at one length: `last` is the point of the largest r before the branch. */
#define BOTH_CLAIMS(arm, l, last)                                                                  \
    {"at l = " l ", the largest r before the branch is better than the smallest",                  \
     TC_BELOW,                                                                                     \
     {arm, last},                                                                                  \
     {arm, 0}},                                                                                    \
    {                                                                                              \
        "at l = " l ", regret jumps past the branch", TC_BELOW, {arm, last},                       \
        {                                                                                          \
            arm, last + 1                                                                          \
        }                                                                                          \
    }

#define TABLE_STATEMENTS(last)                                                                     \
    {                                                                                              \
        BOTH_CLAIMS("l1.25-paper", "1.25", last), BOTH_CLAIMS("l5-paper", "5", last),              \
            BOTH_CLAIMS("l6-paper", "6", last),                                                    \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

#define TABLE(id, title, figure_, ranks)                                                           \
    const tc_experiment tc_experiment_##id = {                                                     \
        .name = title,                                                                             \
        .paper = "po-gp-ucb",                                                                      \
        .figure = figure_,                                                                         \
        .claim = "simple regret falls with r up to the branch sigma_min >= omega, and jumps past " \
                 "it",                                                                             \
        .setting = "100 x 100 rows, T = 50, delta = 1e-5; paper mode is NOT PRIVATE",              \
        .stand_in = "hyper-parameters are known (the paper learns them); another function in "     \
                    "each run",                                                                    \
        .version = 1,                                                                              \
        .runs = 200,                                                                               \
        .quick_runs = 2,                                                                           \
        .seconds = 3.5,                                                                            \
        .quick_seconds = 0.5,                                                                      \
        TC_ARMS(id##_arms),                                                                        \
        .x = {.label = "r", .n = POINTS, .at = ranks},                                             \
        .y_label = "simple regret after 50 questions",                                             \
        .y_log = true,                                                                             \
        .run = run_table,                                                                          \
        .printed = id##_printed,                                                                   \
        .statements = id##_statements,                                                             \
    }

#define PAPER "l = 1.25"
static const double ranks1[POINTS] = {3, 6, 8, 10, 15, 20};
static const double ranks2[POINTS] = {3, 9, 12, 15, 20, 30};
static const double ranks3[POINTS] = {5, 10, 15, 20, 30, 50};

static const tc_printed po_table1_printed[] = {{PAPER, 0, 0.073, 5e-4},
                                               {PAPER, 1, 0.038, 5e-4},
                                               {PAPER, 2, 0.018, 5e-4},
                                               {PAPER, 3, 0.014, 5e-4},
                                               {PAPER, 4, 0.118, 5e-4},
                                               {PAPER, 5, 0.137, 5e-4},
                                               {NULL}};
static const tc_printed po_table2_printed[] = {{PAPER, 0, 0.091, 5e-4},
                                               {PAPER, 1, 0.009, 5e-4},
                                               {PAPER, 2, 0.019, 5e-4},
                                               {PAPER, 3, 0.008, 5e-4},
                                               {PAPER, 4, 0.127, 5e-4},
                                               {PAPER, 5, 0.134, 5e-4},
                                               {NULL}};
static const tc_printed po_table3_printed[] = {{PAPER, 0, 0.05, 5e-3},
                                               {PAPER, 1, 0.021, 5e-4},
                                               {PAPER, 2, 0.003, 5e-4},
                                               {PAPER, 3, 0.002, 5e-4},
                                               {PAPER, 4, 0.094, 5e-4},
                                               {PAPER, 5, 0.142, 5e-4},
                                               {NULL}};

TABLE_ARMS(po_table1, 1.1);
TABLE_ARMS(po_table2, 1.3);
TABLE_ARMS(po_table3, 1.5);
static const tc_statement po_table1_statements[] = TABLE_STATEMENTS(3);
static const tc_statement po_table2_statements[] = TABLE_STATEMENTS(3);
static const tc_statement po_table3_statements[] = TABLE_STATEMENTS(3);
TABLE(po_table1, "po-table1", "Table 1: epsilon = e^1.1", ranks1);
TABLE(po_table2, "po-table2", "Table 2: epsilon = e^1.3", ranks2);
TABLE(po_table3, "po-table3", "Table 3: epsilon = e^1.5", ranks3);

/* ---- Fig. 2a: regret over questions for three epsilons, r = 10 */

static tacit_status run_curve(const tc_arm_run *c, tacit_error *err)
{
    return outsource(c, 5, tc_outsource_epsilon(c->arm), TC_OUTSOURCE_RANK, c->y, err);
}

static const tc_statement fig2a_statements[] = {TC_OUTSOURCE_COSTS,
                                                TC_OUTSOURCE_ROWS("e0.9", "e^0.9"),
                                                TC_OUTSOURCE_ROWS("e0", "epsilon = 1"),
                                                {NULL}};

const tc_experiment tc_experiment_po_fig2a = {
    .name = "po-fig2a",
    .figure = "Fig. 2a",
    .claim = "simple regret 0.011, 0.069 and 0.099 above non-private GP-UCB after 50 questions",
    .setting = "100 x 100 rows, l = 5, r = 10, delta = 1e-5; paper mode is NOT PRIVATE",
    .stand_in = "l = 5 in place of the printed 1.25, at which regret stays near 0.9; "
                "hyper-parameters are known; another function in each run",
    .version = 1,
    .runs = 200,
    .quick_runs = 2,
    .seconds = 1.2,
    .quick_seconds = 0.2,
    TC_OUTSOURCE_CURVES,
    .y_label = "simple regret",
    .run = run_curve,
    .statements = fig2a_statements,
};
