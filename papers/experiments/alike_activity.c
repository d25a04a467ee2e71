/* alike_activity.c - activity recognition on wide ranges, for 24, 96 and 192 agents. See alike.h.
 *
 * 24 agents are the subjects. For more, the windows of each subject are dealt out to 4 or 8 agents
 * (papers/data/activity.h), who then have a quarter or an eighth of the data, too. The constants are those of activity.c,
 * from before any run: length-scale 0.3 of the range, errors taken as 0.3 +- 0.3, noise variance 0.01. */
#include "papers/experiments/activity_grids.h"
#include "papers/experiments/alike.h"

#include "base/error.h"
#include "base/memory.h"

enum { QUICK_AGENTS = 24 };

static tacit_status prepare_parts(const tc_setup *s, size_t parts, void **out, tacit_error *err)
{
    char *table;
    TC_TRY(tc_activity_grid(s, true, parts, &table, err));
    *out = table;
    return TACIT_OK;
}

static tacit_status run_parts(const tc_arm_run *c, size_t parts, tacit_error *err)
{
    size_t agents = parts * TC_ACTIVITY_SUBJECTS;
    return tc_alike_run(c, c->prepared, c->quick ? QUICK_AGENTS : agents, err);
}

/* prepare and run of `n` parts. */
#define PARTS(n)                                                                                   \
    static tacit_status prepare_##n(const tc_setup *s, void **out, tacit_error *err)               \
    {                                                                                              \
        return prepare_parts(s, n, out, err);                                                      \
    }                                                                                              \
    static tacit_status run_##n(const tc_arm_run *c, tacit_error *err)                             \
    {                                                                                              \
        return run_parts(c, n, err);                                                               \
    }
PARTS(1)
PARTS(4)
PARTS(8)

static const tc_arm arms[] = {TC_ALIKE_ARMS("lengthscale=0.3,y_mean=-0.3,y_scale=0.3,noise=0.01,")};

#define ALIKE(n, agents, whose, seconds_, says)                                                    \
    const tc_experiment tc_experiment_alike_activity_##agents = {                                  \
        .name = "alike-motionsense-" #agents,                                                      \
        TC_ALIKE_EXPERIMENT,                                                                       \
        .statements = (says),                                                                      \
        .setting = "activity recognition, N = " #agents ", " whose ", wide ranges, delta 1e-5",    \
        .stand_in = "a grid of 8 x 6 x 4 models",                                                  \
        .version = 2,                                                                              \
        TC_ACTIVITY_DATA,                                                                          \
        .prepare = prepare_##n,                                                                    \
        .finish = tc_free,                                                                         \
        .prepare_seconds = 60,                                                                     \
        .runs = 40,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = seconds_,                                                                       \
        .quick_seconds = 0.5,                                                                      \
        TC_ARMS(arms),                                                                             \
        .run = run_##n,                                                                            \
    }

ALIKE(1, 24, "the subjects", 1, tc_alike_says_few);
ALIKE(4, 96, "quarters of subjects", 5, tc_alike_says);
ALIKE(8, 192, "eighths of subjects", 10, tc_alike_says);

/* ---- how alike they are */

enum { TABLES = 3 };
static const size_t parts_of[TABLES] = {1, 4, 8};

typedef struct tables {
    char *of[TABLES];
} tables;

static void finish_all(void *prepared)
{
    tables *t = prepared;
    for (size_t i = 0; i < TABLES; i++)
        tc_free(t->of[i]);
    tc_free(t);
}

static tacit_status prepare_all(const tc_setup *s, void **out, tacit_error *err)
{
    tables *t = tc_alloc(1, sizeof *t);
    tacit_status status = t ? TACIT_OK : tc_fail_memory(err);
    for (size_t i = 0; status == TACIT_OK && i < TABLES; i++)
        status = tc_activity_grid(s, true, parts_of[i], &t->of[i], err);
    if (status == TACIT_OK)
        *out = t;
    else if (t)
        finish_all(t);
    return status;
}

static tacit_status run_similarity(const tc_arm_run *c, tacit_error *err)
{
    const tables *t = c->prepared;
    size_t which = (size_t)((const size_t *)c->arm->set - parts_of);
    return tc_alike_similarity(c, t->of[which], parts_of[which] * TC_ACTIVITY_SUBJECTS, err);
}

static const tc_arm similar_arms[] = {
    {"24", "24 subjects", TC_ARM_DEFAULT, .set = &parts_of[0]},
    {"96", "96 quarters", TC_ARM_DEFAULT, .set = &parts_of[1]},
    {"192", "192 eighths", TC_ARM_DEFAULT, .set = &parts_of[2]},
};

const tc_experiment tc_experiment_alike_activity = {
    .name = "similarity-motionsense-parts",
    TC_ALIKE_SIMILARITY,
    .claim = "parts of subjects are alike",
    .stand_in = "a grid of 8 x 6 x 4 models",
    TC_ACTIVITY_DATA,
    .prepare = prepare_all,
    .finish = finish_all,
    .prepare_seconds = 180,
    TC_ARMS(similar_arms),
    .run = run_similarity,
};
