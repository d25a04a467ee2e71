/* digits_similarity.c - do hands differ, and do their surfaces resemble each other all the same?
 *
 * No figure of a paper: the question behind dp-fts-de's Fig. 3c and 3f, and whether cutting MNIST by slant and
 * stroke width makes writers of it. The network of one agent is judged on its own digits and on those of the
 * others: the same error where digits are dealt out at random, another where agents have hands of their own.
 * Beside it the mean correlation of two agents' surfaces of validation error, and the regret of one query: at the
 * best network of all others together, and at a uniform one. Nothing is drawn: one run. */
#include "base/error.h"
#include "base/memory.h"
#include "papers/experiments/digits_grids.h"
#include "papers/data/similarity.h"

#include <math.h>

enum { DEALT = 2, POINTS = 5 };

typedef struct hands {
    double own, others; /* mean validation error of networks, on whose digits */
    char *narrow, *wide;
} hands;

typedef struct prepared {
    hands dealt[DEALT];
} prepared;

static void finish(void *p)
{
    prepared *all = p;
    for (size_t k = 0; k < DEALT; k++) {
        tc_free(all->dealt[k].narrow);
        tc_free(all->dealt[k].wide);
    }
    tc_free(all);
}

/* With an ordinary setting of the network. */
static tacit_status judge(const tc_writers *d, size_t n, hands *out, tacit_error *err)
{
    double errors[TC_WRITERS];
    for (size_t a = 0; a < n; a++) {
        TC_TRY(tc_writers_errors(d, a, 0.1, 1e-4, 10, n, errors, err));
        for (size_t b = 0; b < n; b++)
            *(a == b ? &out->own : &out->others) += errors[b];
    }
    out->own /= (double)n;
    out->others /= (double)(n * (n - 1));
    return TACIT_OK;
}

static tacit_status prepare_one(const tc_setup *s, tc_dealt dealt, hands *out, tacit_error *err)
{
    tc_writers *d;
    TC_TRY(tc_digits_grid(s, false, dealt, &out->narrow, err));
    TC_TRY(tc_digits_grid(s, true, dealt, &out->wide, err));
    TC_TRY(tc_digits_dealt(s, dealt, &d, err));
    tacit_status status = judge(d, tc_digits_agents(s->quick), out, err);
    tc_writers_free(d);
    return status;
}

static tacit_status prepare(const tc_setup *s, void **out, tacit_error *err)
{
    prepared *all = tc_alloc(1, sizeof *all);
    if (!all)
        return tc_fail_memory(err);
    tacit_status status = prepare_one(s, TC_BY_HAND, &all->dealt[TC_BY_HAND], err);
    if (status == TACIT_OK)
        status = prepare_one(s, TC_AT_RANDOM, &all->dealt[TC_AT_RANDOM], err);
    if (status != TACIT_OK) {
        finish(all);
        return status;
    }
    *out = all;
    return TACIT_OK;
}

static const tc_dealt by_hand = TC_BY_HAND, at_random = TC_AT_RANDOM;
static const tc_arm arms[] = {
    {"hand", "by hand", TC_ARM_PAPER, .set = &by_hand},
    {"hand-wide", "by hand", TC_ARM_DEFAULT, .set = &by_hand},
    {"random", "at random", TC_ARM_PAPER, .set = &at_random},
    {"random-wide", "at random", TC_ARM_DEFAULT, .set = &at_random},
};

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    const tc_dealt *dealt = c->arm->set;
    const hands *h = &((const prepared *)c->prepared)->dealt[*dealt];
    const char *table = c->arm->mode == TC_ARM_PAPER ? h->narrow : h->wide;
    tc_similarity s;
    TC_TRY(tc_similarity_of(table, "table-goal=minimize", tc_digits_agents(c->quick), &s, err));
    const double y[POINTS] = {s.correlation, s.others, s.random, h->own, h->others};
    for (size_t i = 0; i < POINTS; i++)
        c->y[i] = y[i];
    return TACIT_OK;
}

static const char *const names[POINTS] = {"correlation", "others' best", "uniform", "own error",
                                          "others' error"};

const tc_experiment tc_experiment_digits_similarity = {
    .name = "similarity-digits-writers",
    .paper = "dp-fts-de",
    .figure = "the digits figure",
    .claim = "writers are similar enough to learn from each other",
    .setting = "50 writers: narrow ranges (paper mode), wide ones (default)",
    .version = 1,
    .runs = 1,
    .quick_runs = 1,
    .seconds = 0.5,
    .quick_seconds = 0.5,
    TC_DIGITS_DATA,
    .prepare = prepare,
    .finish = finish,
    TC_ARMS(arms),
    .x = {.label = "of two agents", .n = POINTS, .names = names},
    .y_label = "correlation, regret in error, error",
    .run = run,
};
