/* tree_federated.c - pf-pne, fed-pne and fed-hct as federated algorithms: a trial is one pull, or
 * for the first two as many as a cell is to have in a phase.
 *
 * The bandit's two halves (bandit.h) behind the contract of algorithm.h. A message is the bandit's whole
 * numbers, 8 bytes each, little-endian. The broadcast is a release of the mechanism `none`, which has
 * doubles: whole numbers beyond 2^53 are rounded, for all agents alike. Messages say all that the server
 * needs, so that it keeps nothing from one round to the next. */
#include "algo/tree/fed_hct.h"
#include "algo/tree/pne.h"
#include "algo/tree/tree_algorithms.h"
#include "algo/tree/tree_options.h"
#include "algo/tree/tree_agent.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "privacy/mechanism.h"

#include <endian.h>
#include <math.h>

/* ---- numbers as bytes ---- */

static tacit_status read_message(tc_numbers *out, const void *bytes, size_t n, tacit_error *err)
{
    if (n % 8)
        return tc_fail(err, TACIT_E_ARG, "a message has 8 bytes for each number, not %zu", n);
    for (size_t i = 0; i < n; i += 8)
        TC_TRY(tc_numbers_add(out, (int64_t)tc_get_le((const char *)bytes + i, 8), err));
    return TACIT_OK;
}

static void write_message(const tc_numbers *m, tc_text *out)
{
    for (size_t i = 0; i < m->n; i++) {
        uint64_t word = htole64((uint64_t)m->v[i]);
        tc_text_add_bytes(out, &word, 8);
    }
}

static tacit_status read_broadcast(tc_numbers *out, const void *bytes, size_t n, tacit_error *err)
{
    bool good = n % 8 == 0;
    out->n = 0;
    for (size_t i = 0; good && i < n; i += 8) {
        double v = tc_get_le_double((const char *)bytes + i);
        good = fabs(v) < 0x1p63 && v == rint(v);
        if (good)
            TC_TRY(tc_numbers_add(out, (int64_t)v, err));
    }
    if (!good)
        return tc_fail(err, TACIT_E_CORRUPT, "the broadcast is not a list of whole numbers");
    return TACIT_OK;
}

/* ---- an agent ---- */

static tacit_status publish(const void *st, uint64_t round, tc_text *out, tacit_error *err)
{
    (void)round;
    const tc_tree_agent *a = st;
    tc_numbers message = {0};
    tacit_status status = a->trials.bandit->publish(a->trials.client, &message, err);
    if (status == TACIT_OK)
        write_message(&message, out);
    tc_numbers_fini(&message);
    return status != TACIT_OK ? status : out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status absorb(void *st, uint64_t round, const void *bytes, size_t n, tacit_error *err)
{
    tc_tree_agent *a = st;
    tc_numbers *pool = &a->pool[round % 2];
    if (n == 0) /* not one message has arrived */
        return tc_tree_agent_skip(st, round, err);
    TC_TRY(read_broadcast(pool, bytes, n, err));
    return tc_tree_agent_absorb(a, round, pool, err);
}

/* ---- the coordinator ---- */

typedef struct aggregator {
    const tc_bandit *bandit;
    void *server;
    uint64_t folded;
} aggregator;

static tacit_status open_round(aggregator *g, const tc_bandit *b, const tc_env *env,
                               const void *opts, uint64_t round, tacit_error *err)
{
    tc_bandit_env be = tc_tree_env(env);
    g->bandit = b;
    g->server = tc_alloc(1, b->server_size);
    if (!g->server)
        return tc_fail_memory(err);
    return b->server_init(g->server, &be, opts, round, err);
}

static void aggregator_fini(void *st)
{
    aggregator *g = st;
    if (g->server)
        g->bandit->server_fini(g->server);
    tc_free(g->server);
    g->server = NULL;
}

static tacit_status price(const tc_env *env, const void *opts, uint64_t round, tc_round_price *out,
                          tacit_error *err)
{
    (void)env;
    (void)opts;
    (void)round;
    (void)err;
    *out = (tc_round_price){tc_dp_event_none(), 0, TC_NONE_ADJACENCY};
    return TACIT_OK;
}

static tacit_status fold(void *st, uint64_t who, const void *bytes, size_t n, tacit_error *err)
{
    (void)who;
    aggregator *g = st;
    tc_numbers message = {0};
    tacit_status status = read_message(&message, bytes, n, err);
    if (status == TACIT_OK)
        status = g->bandit->fold(g->server, &message, err);
    g->folded += status == TACIT_OK;
    tc_numbers_fini(&message);
    return status;
}

/* A contribution is good if a round of its own would take it. */
static tacit_status check_with(const tc_bandit *b, const tc_env *env, const void *opts,
                               uint64_t round, uint64_t who, const void *bytes, size_t n,
                               tacit_error *err)
{
    aggregator g = {0};
    TC_TRY(tc_tree_check_agent(env, who, err));
    tacit_status status = open_round(&g, b, env, opts, round, err);
    if (status == TACIT_OK)
        status = fold(&g, who, bytes, n, err);
    aggregator_fini(&g);
    return status;
}

static tacit_status release(const tc_numbers *m, tc_release **out, tacit_error *err)
{
    double *x = tc_alloc(m->n ? m->n : 1, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    for (size_t i = 0; i < m->n; i++)
        x[i] = (double)m->v[i];
    tacit_status status = tc_none_release(out, 1, m->n, x, TACIT_UNIT_AGENT,
                                          "sums of rewards leave as they are", err);
    tc_free(x);
    return status;
}

static tacit_status close(void *st, tc_release **out, tacit_error *err)
{
    aggregator *g = st;
    tc_numbers broadcast = {0};
    tacit_status status = TACIT_OK;
    if (g->folded > 0)
        status = g->bandit->close(g->server, &broadcast, err);
    if (status == TACIT_OK)
        status = release(&broadcast, out, err);
    tc_numbers_fini(&broadcast);
    return status;
}

/* ---- the three ---- */

#define FEDERATED(name)                                                                            \
    static tacit_status init_##name(void *st, const tc_env *env, const void *opts,                 \
                                    tacit_error *err)                                              \
    {                                                                                              \
        const name##_options *o = opts;                                                            \
        return tc_tree_agent_begin(st, env, &tc_bandit_##name, &o->range, &o->bandit, err);        \
    }                                                                                              \
    static tacit_status check_##name(const tc_env *env, const void *opts, uint64_t round,          \
                                     uint64_t who, const void *bytes, size_t n, tacit_error *err)  \
    {                                                                                              \
        const name##_options *o = opts;                                                            \
        return check_with(&tc_bandit_##name, env, &o->bandit, round, who, bytes, n, err);          \
    }                                                                                              \
    static tacit_status open_##name(void *st, const tc_env *env, const void *opts, uint64_t round, \
                                    tc_entropy *e, tacit_error *err)                               \
    {                                                                                              \
        const name##_options *o = opts;                                                            \
        (void)e; /* nothing is hidden */                                                           \
        return open_round(st, &tc_bandit_##name, env, &o->bandit, round, err);                     \
    }                                                                                              \
    static const tc_optimizer_ops name##_agent = {.state_size = sizeof(tc_tree_agent),             \
                                                  .init = init_##name,                             \
                                                  .fini = tc_tree_agent_fini,                      \
                                                  .ask = tc_tree_trials_ask,                       \
                                                  .tell = tc_tree_agent_tell,                      \
                                                  .batch = &tc_tree_agent_batches,                 \
                                                  .need = tc_tree_agent_need,                      \
                                                  .publish = publish,                              \
                                                  .published = tc_tree_agent_published,            \
                                                  .absorb = absorb,                                \
                                                  .skip = tc_tree_agent_skip};                     \
    static const tc_aggregator_ops name##_aggregator = {.state_size = sizeof(aggregator),          \
                                                        .price = price,                            \
                                                        .check = check_##name,                     \
                                                        .open = open_##name,                       \
                                                        .fold = fold,                              \
                                                        .close = close,                            \
                                                        .fini = aggregator_fini};

typedef struct pf_pne_options {
    tc_tree_range range;
    tc_pne_options bandit;
} pf_pne_options, fed_pne_options;

FEDERATED(pf_pne)
static const tc_option pf_pne_table[] = {
    TC_TREE_RANGE_ROWS, TC_PF_PNE_OPTION_ROWS(offsetof(pf_pne_options, bandit)), {.name = NULL}};

const tc_algorithm tc_algorithm_pf_pne = {
    .name = "pf-pne",
    .summary =
        "very many cheap trials, each agent its optimum: shared elimination first; NOT PRIVATE",
    .source = "Li, Honorio, Song (2024)",
    .options = pf_pne_table,
    .options_size = sizeof(pf_pne_options),
    .optimizer = &pf_pne_agent,
    .aggregator = &pf_pne_aggregator,
};

FEDERATED(fed_pne)
static const tc_option fed_pne_table[] = {
    TC_TREE_RANGE_ROWS, TC_PNE_OPTION_ROWS(offsetof(pf_pne_options, bandit)), {.name = NULL}};

const tc_algorithm tc_algorithm_fed_pne = {
    .name = "fed-pne",
    .summary = "very many cheap trials, the optimum of the mean of all agents; NOT PRIVATE",
    .source = "Li, Song, Honorio, Lin (2022)",
    .options = fed_pne_table,
    .options_size = sizeof(fed_pne_options),
    .optimizer = &fed_pne_agent,
    .aggregator = &fed_pne_aggregator,
};

typedef struct fed_hct_options {
    tc_tree_range range;
    tc_fed_hct_options bandit;
} fed_hct_options;

FEDERATED(fed_hct)
static const tc_option fed_hct_table[] = {
    TC_TREE_RANGE_ROWS, TC_FED_HCT_OPTION_ROWS(offsetof(fed_hct_options, bandit)), {.name = NULL}};

const tc_algorithm tc_algorithm_fed_hct = {
    .name = "fed-hct",
    .summary = "very many cheap trials: hct, and what similar agents saw; NOT PRIVATE",
    .source = "tacit, over Azar, Lazaric, Brunskill (2014)",
    .options = fed_hct_table,
    .options_size = sizeof(fed_hct_options),
    .optimizer = &fed_hct_agent,
    .aggregator = &fed_hct_aggregator,
};
