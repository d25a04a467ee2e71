/* dp_pne_aggregator.c - the coordinator of dp-pf-pne, and its table. See dp_pne.h. */
#include "algo/tree/dp_pne.h"

#include "algo/tree/tree_algorithms.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>

/* ---- the aggregator ---- */

typedef struct aggregator {
    tc_dp_pne_round round;
    tc_sum *sum;            /* of agents, or ... */
    tc_record_sum *records; /* ... of rewards */
    int64_t *v;             /* cells */
} aggregator;

static tacit_unit unit(const void *opts)
{
    const tc_dp_pne_options *o = opts;
    return o->protect == TC_PROTECT_RECORD ? TACIT_UNIT_ROW : TACIT_UNIT_AGENT;
}

static tacit_status next_round(const tc_env *env, const void *opts, uint64_t from, uint64_t *out,
                               tacit_error *err)
{
    (void)err;
    *out = from < tc_dp_pne_rounds(env, opts) ? from : TC_NO_ROUND;
    return TACIT_OK;
}

static tacit_status price(const tc_env *env, const void *opts, uint64_t round, tc_round_price *out,
                          tacit_error *err)
{
    tc_dp_pne_round r;
    TC_TRY(tc_dp_pne_round_init(&r, env, opts, round, err));
    *out = r.price;
    return TACIT_OK;
}

static tacit_status check_size(const tc_dp_pne_round *r, size_t n, tacit_error *err)
{
    if (n == 8 * r->cells)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "a message about depth %" PRIu32 " has %zu bytes, not %zu",
                   r->depth, 8 * r->cells, n);
}

static void read_cells(const tc_dp_pne_round *r, const void *bytes, int64_t *v)
{
    for (size_t i = 0; i < r->cells; i++)
        v[i] = (int64_t)tc_get_le((const char *)bytes + 8 * i, 8);
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
    if (g->round.protect == TC_PROTECT_RECORD)
        return tc_record_sum_open(&g->records, &g->round.records, e, err);
    return tc_sum_open(&g->sum, &g->round.plan, e, err);
}

static tacit_status fold(void *st, uint64_t agent, const void *bytes, size_t n, tacit_error *err)
{
    aggregator *g = st;
    TC_TRY(check_size(&g->round, n, err));
    read_cells(&g->round, bytes, g->v);
    if (g->records)
        return tc_record_sum_fold(g->records, (size_t)agent, g->v, err);
    return tc_sum_fold(g->sum, (size_t)agent, g->v, err);
}

static tacit_status close(void *st, tc_release **out, tacit_error *err)
{
    aggregator *g = st;
    return g->records ? tc_record_sum_close(g->records, out, err) : tc_sum_close(g->sum, out, err);
}

static void fini(void *st)
{
    aggregator *g = st;
    tc_sum_free(g->sum);
    tc_record_sum_free(g->records);
    tc_free(g->v);
}

/* ---- where there are trustees */

static tacit_status shared(const tc_env *env, const void *opts, uint64_t round, tc_shared_plan *out,
                           tacit_error *err)
{
    tc_dp_pne_round r;
    TC_TRY(tc_dp_pne_round_init(&r, env, opts, round, err));
    *out = r.shared;
    return TACIT_OK;
}

static tacit_status vector(const tc_env *env, const void *opts, uint64_t round, const void *bytes,
                           size_t n, int64_t *v, tacit_error *err)
{
    tc_dp_pne_round r;
    TC_TRY(tc_dp_pne_round_init(&r, env, opts, round, err));
    TC_TRY(check_size(&r, n, err));
    read_cells(&r, bytes, v);
    tc_clip_l2(v, r.cells, r.shared.clip);
    return TACIT_OK;
}

const tc_aggregator_ops tc_dp_pne_aggregator = {
    .state_size = sizeof(aggregator),
    .unit = unit,
    .next_round = next_round,
    .price = price,
    .check = check,
    .open = open,
    .fold = fold,
    .close = close,
    .fini = fini,
    .shared = shared,
    .vector = vector,
};

/* ---- the algorithm ---- */

static const tc_option options[] = {
    TC_TREE_RANGE_ROWS,
    TC_PF_PNE_OPTION_ROWS(offsetof(tc_dp_pne_options, bandit)),
    TC_CHOICE_OPTION("protect", offsetof(tc_dp_pne_options, protect), "client", "client|record",
                     "client: all that an agent sends; record: any one of its rewards"),
    TC_FLOAT_OPTION("noise_multiplier", offsetof(tc_dp_pne_options, noise_multiplier), "1", 0, 1e6,
                    "z: noise over sensitivity; with protect=record epsilon is 1/z",
                    .min_open = true),
    {.name = NULL},
};

const tc_algorithm tc_algorithm_dp_pf_pne = {
    .name = "dp-pf-pne",
    .summary =
        "pf-pne with private sums: for every agent (of use from hundreds on), or every reward",
    .source = "tacit, over Li, Honorio, Song (2024)",
    .options = options,
    .options_size = sizeof(tc_dp_pne_options),
    .optimizer = &tc_dp_pne_agent,
    .aggregator = &tc_dp_pne_aggregator,
    .promise = tc_dp_pne_promise,
};
