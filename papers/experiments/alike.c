/* alike.c - see alike.h. */
#include "papers/experiments/alike.h"

#include "base/error.h"
#include "papers/frame/drive.h"
#include "papers/data/similarity.h"

enum { QUERIES = 20 };

#define GOAL "table-goal=minimize"

const char *const tc_alike_names[TC_ALIKE_POINTS] = {"t = 1", "t = 3", "t = 5", "query 1",
                                                     "mean of 20"};

tacit_status tc_alike_run(const tc_arm_run *c, const char *table, uint64_t agents, tacit_error *err)
{
    double simple[QUERIES + 1], sum[QUERIES + 1];
    tc_federated_task t = {
        .objective = table, .words = GOAL, .agents = agents, .past = TC_ALIKE_PAST};
    TC_TRY(tc_drive_federated_curves(c, &t, QUERIES, simple, sum, err));
    c->y[0] = simple[1];
    c->y[1] = simple[3];
    c->y[2] = simple[5];
    c->y[3] = sum[1];
    c->y[4] = sum[QUERIES] / QUERIES;
    return TACIT_OK;
}

#define VERSUS(arm, ablation, what, at, when)                                                      \
    {what " is better than TS " when, TC_BELOW, {arm, at}, {"ts", at}},                            \
    {                                                                                              \
        what " is better than uniform points " when, TC_BELOW, {arm, at},                          \
        {                                                                                          \
            ablation, at                                                                           \
        }                                                                                          \
    }
#define EVERYWHERE(arm, ablation, what)                                                            \
    VERSUS(arm, ablation, what, 0, "at t = 1"), VERSUS(arm, ablation, what, 1, "at t = 3"),        \
        VERSUS(arm, ablation, what, 2, "at t = 5"),                                                \
        VERSUS(arm, ablation, what, 3, "in the first query"),                                      \
        VERSUS(arm, ablation, what, 4, "over 20 queries")
#define SAYS(ablation)                                                                             \
    {                                                                                              \
        EVERYWHERE("e1", ablation, "epsilon 1"), EVERYWHERE("e2", "uniform", "epsilon 2"),         \
            EVERYWHERE("e8", "uniform", "epsilon 8"), EVERYWHERE("free", "uniform-4", "no noise"), \
            EVERYWHERE("fts", "uniform-1", "FTS"),                                                 \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
const tc_statement tc_alike_says[] = SAYS("uniform");
const tc_statement tc_alike_says_few[] = SAYS("uniform-1");

const char *const tc_alike_similar[TC_ALIKE_SIMILAR] = {"correlation", "others' best", "uniform"};

tacit_status tc_alike_similarity(const tc_arm_run *c, const char *table, size_t agents,
                                 tacit_error *err)
{
    tc_similarity s;
    TC_TRY(tc_similarity_of(table, GOAL, agents, &s, err));
    c->y[0] = s.correlation;
    c->y[1] = s.others;
    c->y[2] = s.random;
    return TACIT_OK;
}
