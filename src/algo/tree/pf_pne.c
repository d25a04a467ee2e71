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

static void fini(void *c)
{
    tc_pne_client_fini(c);
}

static void ask(const void *c, tc_pulls *out)
{
    tc_pne_client_ask(c, out);
}

static void next(const void *c, tc_pulls *p)
{
    tc_pne_client_next(c, p);
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

static tacit_status tell(void *c, const tc_pulled *p, tacit_error *err)
{
    return tc_pne_client_tell(c, p, err);
}

static tacit_status save(const void *c, tc_numbers *out, tacit_error *err)
{
    return tc_pne_client_save(c, out, err);
}

static tacit_status load(void *c, const tc_numbers *saved, const tc_numbers *broadcast,
                         tacit_error *err)
{
    (void)broadcast; /* what it said is in the state */
    return tc_pne_client_load(c, saved, err);
}

static tacit_status publish(const void *c, tc_numbers *out, tacit_error *err)
{
    return tc_pne_client_publish(c, out, err);
}

static tacit_status absorb(void *c, const tc_numbers *broadcast, tacit_error *err)
{
    return tc_pne_client_absorb(c, broadcast, err);
}

static tacit_status skip(void *c, tacit_error *err)
{
    return tc_pne_client_skip(c, err);
}

static size_t arm_of(const void *c, const double *u)
{
    return tc_pne_client_arm_of(c, u);
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

static void server_fini(void *s)
{
    tc_pne_server_fini(s);
}

static tacit_status fold(void *s, const tc_numbers *m, tacit_error *err)
{
    return tc_pne_server_fold(s, m, err);
}

static tacit_status close(void *s, tc_numbers *broadcast, tacit_error *err)
{
    return tc_pne_server_close(s, broadcast, err);
}

static const tc_option personal_options[] = {TC_PF_PNE_OPTION_ROWS(0), {.name = NULL}};
static const tc_option global_options[] = {TC_PNE_OPTION_ROWS(0), {.name = NULL}};

const tc_bandit tc_bandit_pf_pne = {
    .name = "pf-pne",
    .summary = "every client's own optimum: shared elimination, then each alone",
    .source = "Li, Honorio, Song (2024)",
    .options = personal_options,
    .options_size = sizeof(tc_pne_options),
    .client_size = sizeof(tc_pne_client),
    .server_size = sizeof(tc_pne_server),
    .init = init_personal,
    .fini = fini,
    .ask = ask,
    .next = next,
    .cell = cell,
    .point = point,
    .arm_of = arm_of,
    .tell = tell,
    .save = save,
    .load = load,
    .publish = publish,
    .absorb = absorb,
    .skip = skip,
    .server_init = server_init_personal,
    .server_fini = server_fini,
    .fold = fold,
    .close = close,
};

const tc_bandit tc_bandit_fed_pne = {
    .name = "fed-pne",
    .summary = "the optimum of the mean of all clients, by shared elimination",
    .source = "Li, Song, Honorio, Lin (2022)",
    .options = global_options,
    .options_size = sizeof(tc_pne_options),
    .client_size = sizeof(tc_pne_client),
    .server_size = sizeof(tc_pne_server),
    .init = init_global,
    .fini = fini,
    .ask = ask,
    .next = next,
    .cell = cell,
    .point = point,
    .arm_of = arm_of,
    .tell = tell,
    .save = save,
    .load = load,
    .publish = publish,
    .absorb = absorb,
    .skip = skip,
    .server_init = server_init_global,
    .server_fini = server_fini,
    .fold = fold,
    .close = close,
};
