/* dp_pne_aggregator.c - the rounds of dp-pf-pne, its coordinator, and its promise. See dp_pne.h. */
#include "algo/tree/dp_pne.h"

#include "algo/tree/tree_algorithms.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/accountant.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CELLS_MAX = 1 << 16 };

/* The distance of one coordinate with the least noise that a sum may have, 2^20 steps. */
#define DISTANCE 0x1p-45

/* ---- rounds ---- */

uint32_t tc_dp_pne_rounds(const tc_env *env, const tc_dp_pne_options *o)
{
    tc_bandit_env be = tc_tree_env(env);
    return tc_pne_law_of(&be, &o->bandit, true).last;
}

static tacit_status count_cells(tc_dp_pne_round *r, tacit_error *err)
{
    r->cells = 1;
    for (uint32_t d = 0; d < r->depth && r->cells <= CELLS_MAX; d++)
        r->cells *= r->law.k;
    if (r->cells > CELLS_MAX)
        return tc_fail(err, TACIT_E_ARG,
                       "depth %" PRIu32 " has more than %d cells; choose a larger gap or a smaller "
                       "transition",
                       r->depth, CELLS_MAX);
    return TACIT_OK;
}

tacit_status tc_dp_pne_round_init(tc_dp_pne_round *r, const tc_env *env, const void *opts,
                                  uint64_t round, tacit_error *err)
{
    const tc_dp_pne_options *o = opts;
    tc_bandit_env be = tc_tree_env(env);
    *r = (tc_dp_pne_round){.law = tc_pne_law_of(&be, &o->bandit, true)};
    if (round >= r->law.last)
        return tc_fail(err, TACIT_E_ARG, "round %" PRIu64 " comes after the last of %" PRIu32,
                       round, r->law.last);
    r->depth = (uint32_t)round + 1;
    TC_TRY(count_cells(r, err));
    double cells = (double)r->cells, M = r->law.clients;
    r->plan = (tc_sum_plan){.agents = (size_t)be.clients, .blocks = 1, .width = r->cells};
    TC_TRY(tc_sum_plan_fit(&r->plan, sqrt(cells) / 2, o->noise_multiplier, 1, &r->scale, err));
    r->step = ldexp(1, -r->scale.grid);
    double tail = log(2 * cells * (double)r->law.last) + r->law.log_term;
    r->blur = (double)r->scale.sd * r->step / M * sqrt(2 * tail);
    return TACIT_OK;
}

/* ---- the aggregator ---- */

typedef struct aggregator {
    tc_dp_pne_round round;
    tc_sum *sum;
    int64_t *v; /* cells */
} aggregator;

static tacit_status plan(const tc_env *env, const void *opts, uint64_t round, tc_text *out,
                         tacit_error *err)
{
    tc_dp_pne_round r;
    TC_TRY(tc_dp_pne_round_init(&r, env, opts, round, err));
    json_t *event = tc_dp_event_json(&r.scale.event);
    char *text = event ? tc_json_text(event) : NULL;
    json_decref(event);
    if (!text)
        return tc_fail_memory(err);
    tc_text_add(out, text);
    tc_free(text);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status check_size(const tc_dp_pne_round *r, size_t n, tacit_error *err)
{
    if (n == 8 * r->cells)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "a message about depth %" PRIu32 " has %zu bytes, not %zu",
                   r->depth, 8 * r->cells, n);
}

static tacit_status check(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                          const void *bytes, size_t n, tacit_error *err)
{
    (void)bytes; /* any numbers will do: they are clipped */
    tc_dp_pne_round r;
    TC_TRY(tc_tree_check_agent(env, agent, err));
    TC_TRY(tc_dp_pne_round_init(&r, env, opts, round, err));
    return check_size(&r, n, err);
}

static tacit_status open(void *st, const tc_env *env, const void *opts, uint64_t round,
                         tc_entropy *e, tacit_error *err)
{
    aggregator *g = st;
    TC_TRY(tc_dp_pne_round_init(&g->round, env, opts, round, err));
    g->v = tc_alloc(g->round.cells, sizeof *g->v);
    if (!g->v)
        return tc_fail_memory(err);
    return tc_sum_open(&g->sum, &g->round.plan, e, err);
}

static tacit_status fold(void *st, uint64_t agent, const void *bytes, size_t n, tacit_error *err)
{
    aggregator *g = st;
    TC_TRY(check_size(&g->round, n, err));
    for (size_t i = 0; i < g->round.cells; i++) {
        uint64_t word;
        memcpy(&word, (const char *)bytes + 8 * i, 8);
        g->v[i] = (int64_t)le64toh(word);
    }
    return tc_sum_fold(g->sum, (size_t)agent, g->v, err);
}

static tacit_status close(void *st, tc_release **out, tacit_error *err)
{
    return tc_sum_close(((aggregator *)st)->sum, out, err);
}

static void fini(void *st)
{
    aggregator *g = st;
    tc_sum_free(g->sum);
    tc_free(g->v);
}

const tc_aggregator_ops tc_dp_pne_aggregator = {
    .state_size = sizeof(aggregator),
    .plan = plan,
    .check = check,
    .open = open,
    .fold = fold,
    .close = close,
    .fini = fini,
};

/* ---- the promise ---- */

/* Of delta, what discrete noise takes in all rounds is set aside, as in dp_fts_de/plan.c. */
static tacit_status calibrate(const tc_env *env, const tc_dp_pne_options *o, double epsilon,
                              double delta, double *z, tacit_error *err)
{
    uint32_t rounds = tc_dp_pne_rounds(env, o);
    double cells = 0;
    for (uint32_t h = 1; h <= rounds; h++)
        cells += pow((double)o->bandit.children, h);
    const tc_accountant *a = &tc_accountant_gaussian;
    double rest = delta - (1 + exp(epsilon)) * cells * DISTANCE;
    if (!(rest > delta / 2)) {
        a = &tc_accountant_moments;
        rest = delta;
    }
    return tc_calibrate(a, epsilon, rest, TC_DP_ALL, 1, rounds, z, err);
}

static tacit_status promise(const tc_env *env, void *opts, double epsilon, double delta,
                            tacit_error *err)
{
    tc_dp_pne_options *o = opts;
    double z;
    if (env->agents < 2)
        return tc_fail(err, TACIT_E_ARG,
                       "a promise needs a roster of at least 2 agents, got %" PRIu64, env->agents);
    if (tc_dp_pne_rounds(env, o) == 0)
        return tc_fail(err, TACIT_E_ARG, "with gap >= nu nothing is shared, and nothing promised");
    TC_TRY(calibrate(env, o, epsilon, delta, &z, err));
    o->noise_multiplier = z;
    return TACIT_OK;
}

/* ---- the algorithm ---- */

static const tc_option options[] = {
    TC_TREE_RANGE_ROWS,
    TC_PF_PNE_OPTION_ROWS(offsetof(tc_dp_pne_options, bandit)),
    {.name = "noise_multiplier",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(tc_dp_pne_options, noise_multiplier),
     .def = "1",
     .max = 1e6,
     .min_open = true,
     .help = "z: noise over sensitivity"},
    {.name = NULL},
};

const tc_algorithm tc_algorithm_dp_pf_pne = {
    .name = "dp-pf-pne",
    .summary = "pf-pne with private sums for every agent; of use from a few hundred agents on",
    .source = "tacit, over Li, Honorio, Song (2024)",
    .options = options,
    .options_size = sizeof(tc_dp_pne_options),
    .optimizer = &tc_dp_pne_agent,
    .aggregator = &tc_dp_pne_aggregator,
    .promise = promise,
};
