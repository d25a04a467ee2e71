/* fn_ucb.c - federated neural UCB [Dai, Shu, Verma, Fan, Low, Jaillet 2023]: server, options and table.
 *
 * A baseline for the mean of all clients, over finitely many random arms (random_arms.h). The server
 * adds up what the clients know (fn_ucb_client.c). Meant for T = 10^4 and M = 10: a pull among the first
 * `trust` costs 2 arms x p multiplications, a round `steps` passes over all arms, and there are about
 * ln T / ln(1 + growth) rounds of 4 p numbers. */
#include "papers/baselines/baselines.h"
#include "papers/baselines/fn_ucb.h"

#include "base/error.h"

#include <inttypes.h>

/* ---- a client ---- */

static tacit_status init(void *st, const tc_bandit_env *env, const void *opts, tacit_error *err)
{
    return tc_fn_client_init(st, env, opts, err);
}

static void fini(void *st)
{
    tc_arena_fini(&((tc_fn_client *)st)->memory);
}

static void ask(const void *st, tc_pulls *out)
{
    *out = ((const tc_fn_client *)st)->next;
}

static void point(const void *st, size_t arm, double *u)
{
    const tc_fn_client *c = st;
    for (size_t d = 0; d < c->dim; d++)
        u[d] = c->points[arm * c->dim + d];
}

static size_t arms(const void *st)
{
    return ((const tc_fn_client *)st)->n_arms;
}

static tacit_status tell(void *st, const tc_pulled *p, tacit_error *err)
{
    (void)err;
    tc_fn_client_tell(st, p);
    return TACIT_OK;
}

static tacit_status publish(const void *st, tc_numbers *out, tacit_error *err)
{
    return tc_fn_client_publish(st, out, err);
}

static tacit_status absorb(void *st, const tc_numbers *broadcast, tacit_error *err)
{
    return tc_fn_client_absorb(st, broadcast, err);
}

static tacit_status skip(void *st, tacit_error *err)
{
    (void)err;
    tc_fn_client_skip(st);
    return TACIT_OK;
}

/* ---- the server ---- */

typedef struct server {
    uint64_t clients, folded;
    size_t n; /* numbers of a message */
    int64_t most, *sum;
    tc_arena memory;
} server;

static tacit_status server_init(void *st, const tc_bandit_env *env, const void *opts,
                                uint64_t round, tacit_error *err)
{
    (void)round; /* all are alike */
    server *s = st;
    tc_fn_net net = tc_fn_net_of(env, opts);
    s->clients = env->clients;
    s->n = TC_FN_PARTS * tc_fn_net_params(&net);
    s->most = tc_fn_most(env);
    s->sum = TC_TAKE(&s->memory, s->n, int64_t);
    return s->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

static void server_fini(void *st)
{
    tc_arena_fini(&((server *)st)->memory);
}

static tacit_status fold(void *st, const tc_numbers *m, tacit_error *err)
{
    server *s = st;
    if (s->folded == s->clients)
        return tc_fail(err, TACIT_E_ARG, "more than %" PRIu64 " messages in a round", s->clients);
    bool good = m->n == s->n;
    for (size_t i = 0; good && i < m->n; i++)
        good = m->v[i] >= -s->most && m->v[i] <= s->most;
    if (!good)
        return tc_fail(err, TACIT_E_ARG, "a message has %zu numbers within +-%" PRId64, s->n,
                       s->most);
    for (size_t i = 0; i < s->n; i++)
        s->sum[i] += m->v[i];
    s->folded++;
    return TACIT_OK;
}

static tacit_status close(void *st, tc_numbers *broadcast, tacit_error *err)
{
    server *s = st;
    if (s->folded == 0)
        return tc_fail(err, TACIT_E_STATE, "there is no message in this round");
    TC_TRY(tc_numbers_add(broadcast, (int64_t)s->folded, err));
    for (size_t i = 0; i < s->n; i++)
        TC_TRY(tc_numbers_add(broadcast, s->sum[i], err));
    for (size_t i = 0; i < s->n; i++)
        s->sum[i] = 0;
    s->folded = 0;
    return TACIT_OK;
}

/* ---- the bandit ---- */

static const tc_option options[] = {
    {.name = "arms",
     .type = TC_OPTION_INT,
     .offset = offsetof(tc_fn_options, arms),
     .def = "0",
     .max = 1e5,
     .help = "random points to choose from; 0: 20 in one dimension, 400 in two, else 1000",
     .value = "N"},
    {.name = "width",
     .type = TC_OPTION_INT,
     .offset = offsetof(tc_fn_options, width),
     .def = "20",
     .min = 1,
     .max = 1000,
     .help = "units of the hidden layer",
     .value = "N"},
    {.name = "steps",
     .type = TC_OPTION_INT,
     .offset = offsetof(tc_fn_options, steps),
     .def = "30",
     .max = 1e6,
     .help = "steps of training before every round",
     .value = "N"},
    {.name = "rate",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(tc_fn_options, rate),
     .def = "1",
     .max = 2,
     .min_open = true,
     .help = "length of such a step, over the squared length of the longest gradient"},
    {.name = "trust",
     .type = TC_OPTION_INT,
     .offset = offsetof(tc_fn_options, trust),
     .def = "700",
     .max = 1e9,
     .help = "pulls after which the network alone decides",
     .value = "N"},
    {.name = "lambda",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(tc_fn_options, lambda),
     .def = "0.1",
     .min = 1e-6,
     .max = 1e6,
     .help = "regularisation"},
    {.name = "nu",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(tc_fn_options, nu),
     .def = "1",
     .max = 1000,
     .help = "factor of the confidence width of the linear model"},
    {.name = "nu_net",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(tc_fn_options, nu_net),
     .def = "1",
     .max = 1000,
     .help = "factor of the confidence width of the network"},
    {.name = "growth",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(tc_fn_options, growth),
     .def = "0.1",
     .max = 10,
     .help = "a round when the pulls have grown by this share; 0: after every pull"},
    {.name = NULL},
};

const tc_bandit tc_bandit_fn_ucb = {
    .name = "fn-ucb",
    .summary = "finitely many random arms, a neural network shared by all clients; slow",
    .source = "Dai, Shu, Verma, Fan, Low, Jaillet (2023)",
    .options = options,
    .options_size = sizeof(tc_fn_options),
    .client_size = sizeof(tc_fn_client),
    .server_size = sizeof(server),
    .init = init,
    .fini = fini,
    .ask = ask,
    .point = point,
    .arms = arms,
    .tell = tell,
    .publish = publish,
    .absorb = absorb,
    .skip = skip,
    .server_init = server_init,
    .server_fini = server_fini,
    .fold = fold,
    .close = close,
};
