/* pf_pne.c - pf-pne and fed-pne as bandits: their options and tables (pne_client.c, pne_server.c).
 *
 * pf-pne [Li, Honorio, Song 2024] looks for every client's own optimum. fed-pne [Li et al. 2022]
 * looks for the optimum of the mean of all objectives: it shares every depth and has no second
 * stage. */
#include "algo/tree/pne.h"

#include "base/error.h"

static tacit_status init_personal(void *c, const tc_bandit_env *env, const void *opts,
                                  tacit_error *err)
{
    return tc_pne_client_init(c, env, opts, true, err);
}

static tacit_status init_global(void *c, const tc_bandit_env *env, const void *opts,
                                tacit_error *err)
{
    return tc_pne_client_init(c, env, opts, false, err);
}

static tc_cell cell(const void *c, size_t arm, unsigned *k)
{
    const tc_pne_client *p = c;
    *k = p->law.k;
    return (tc_cell){p->depth, p->nodes.v[arm].cell};
}

static void point(const void *c, size_t arm, double *u)
{
    const tc_pne_client *p = c;
    tc_cell_centre((tc_cell){p->depth, p->nodes.v[arm].cell}, p->law.k, p->law.dim, u);
}

static tacit_status server_init_personal(void *s, const tc_bandit_env *env, const void *opts,
                                         uint64_t round, tacit_error *err)
{
    return tc_pne_server_init(s, env, opts, true, round, err);
}

static tacit_status server_init_global(void *s, const tc_bandit_env *env, const void *opts,
                                       uint64_t round, tacit_error *err)
{
    return tc_pne_server_init(s, env, opts, false, round, err);
}

static const tc_option personal_options[] = {TC_PF_PNE_OPTION_ROWS(0), {.name = NULL}};
static const tc_option global_options[] = {TC_PNE_OPTION_ROWS(0), {.name = NULL}};

/* What both have in common. */
#define MEMBERS                                                                                    \
    .options_size = sizeof(tc_pne_options), .client_size = sizeof(tc_pne_client),                  \
    .server_size = sizeof(tc_pne_server), .fini = tc_pne_client_fini, .ask = tc_pne_client_ask,    \
    .next = tc_pne_client_next, .cell = cell, .point = point, .arm_of = tc_pne_client_arm_of,      \
    .tell = tc_pne_client_tell, .save = tc_pne_client_save, .load = tc_pne_client_load,            \
    .publish = tc_pne_client_publish, .absorb = tc_pne_client_absorb, .skip = tc_pne_client_skip,  \
    .server_fini = tc_pne_server_fini, .fold = tc_pne_server_fold, .close = tc_pne_server_close

const tc_bandit tc_bandit_pf_pne = {
    .name = "pf-pne",
    .summary = "every client's own optimum: shared elimination, then each alone",
    .source = "Li, Honorio, Song (2024)",
    .options = personal_options,
    .init = init_personal,
    .server_init = server_init_personal,
    MEMBERS,
};

const tc_bandit tc_bandit_fed_pne = {
    .name = "fed-pne",
    .summary = "the optimum of the mean of all clients, by shared elimination",
    .source = "Li, Song, Honorio, Lin (2022)",
    .options = global_options,
    .init = init_global,
    .server_init = server_init_global,
    MEMBERS,
};
