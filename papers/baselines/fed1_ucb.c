/* fed1_ucb.c - federated UCB over finitely many arms [Shi, Shen 2021], for the mean of all clients.
 *
 * The arms are random points (random_arms.h). In a phase every client pulls each active
 * arm ceil(pulls ln T) times and sends the sums of all its pulls so far; the server drops
 *
 *     mean + w < max mean - w,   w = sqrt(4 sigma^2 ln T / (M n))
 *
 * with n pulls of each client, and broadcasts the arms that are left. When one is left nobody
 * sends anything any more. */
#include "algo/tree/tree_save.h"
#include "papers/baselines/baselines.h"
#include "papers/baselines/random_arms.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/vmath.h"

#include <inttypes.h>
#include <math.h>

typedef struct fed1_options {
    int64_t arms;
    double pulls, sigma;
} fed1_options;

enum { UNKNOWN_BUDGET = 1000000 };

static double log_budget(const tc_bandit_env *env)
{
    return tc_agreed_log(env->budget > 1 ? (double)env->budget : UNKNOWN_BUDGET);
}

/* ---- a client ---- */

typedef struct client {
    size_t dim, n_arms;
    double *points; /* n_arms x dim, by arm */
    uint64_t *n;    /* by arm */
    int64_t *sum;   /* by arm */
    size_t *active; /* rising */
    size_t n_active, at;
    uint64_t step, target; /* pulls of a phase, and of all phases up to this one */
    tc_arena memory;
} client;

static tacit_status init(void *st, const tc_bandit_env *env, const void *opts, tacit_error *err)
{
    client *c = st;
    const fed1_options *o = opts;
    c->dim = env->dim;
    c->n_arms = c->n_active = tc_random_arms_count(env->dim, o->arms);
    c->step = c->target = (uint64_t)ceil(fmax(o->pulls * log_budget(env), 1));
    c->points = TC_TAKE(&c->memory, c->n_arms * c->dim, double);
    c->n = TC_TAKE(&c->memory, c->n_arms, uint64_t);
    c->sum = TC_TAKE(&c->memory, c->n_arms, int64_t);
    c->active = TC_TAKE(&c->memory, c->n_arms, size_t);
    if (c->memory.failed)
        return tc_fail_memory(err);
    tc_random_arms_draw(env, c->n_arms, c->points);
    for (size_t i = 0; i < c->n_arms; i++)
        c->active[i] = i;
    return TACIT_OK;
}

static void fini(void *st)
{
    tc_arena_fini(&((client *)st)->memory);
}

static void ask(const void *st, tc_pulls *out)
{
    const client *c = st;
    *out = (tc_pulls){0};
    if (c->n_active == 1)
        *out = (tc_pulls){c->active[0], UINT64_C(1) << 62};
    else if (c->at < c->n_active)
        *out = (tc_pulls){c->active[c->at], c->target - c->n[c->active[c->at]]};
}

static void point(const void *st, size_t arm, double *u)
{
    const client *c = st;
    for (size_t d = 0; d < c->dim; d++)
        u[d] = c->points[arm * c->dim + d];
}

static size_t arms(const void *st)
{
    return ((const client *)st)->n_arms;
}

static tacit_status tell(void *st, const tc_pulled *p, tacit_error *err)
{
    (void)err;
    client *c = st;
    c->n[p->arm] += p->n;
    c->sum[p->arm] += p->sum;
    while (c->at < c->n_active && c->n[c->active[c->at]] >= c->target)
        c->at++;
    return TACIT_OK;
}

static tacit_status publish(const void *st, tc_numbers *out, tacit_error *err)
{
    const client *c = st;
    for (size_t i = 0; i < c->n_active; i++) {
        TC_TRY(tc_numbers_add(out, (int64_t)c->active[i], err));
        TC_TRY(tc_numbers_add(out, c->sum[c->active[i]], err));
    }
    return TACIT_OK;
}

/* The broadcast is a rising list of some of the active arms. */
static tacit_status check(const client *c, const tc_numbers *m, tacit_error *err)
{
    size_t at = 0;
    for (size_t i = 0; i < m->n; i++) {
        while (at < c->n_active && (int64_t)c->active[at] != m->v[i])
            at++;
        if (at++ >= c->n_active)
            return tc_fail(err, TACIT_E_CORRUPT, "arm %" PRId64 " of the broadcast is not active",
                           m->v[i]);
    }
    if (m->n == 0)
        return tc_fail(err, TACIT_E_CORRUPT, "the broadcast leaves no arm");
    return TACIT_OK;
}

static tacit_status absorb(void *st, const tc_numbers *m, tacit_error *err)
{
    client *c = st;
    TC_TRY(check(c, m, err));
    for (size_t i = 0; i < m->n; i++)
        c->active[i] = (size_t)m->v[i];
    c->n_active = m->n;
    c->at = 0;
    c->target += c->step;
    return TACIT_OK;
}

/* The active arms are pulled in another phase; their sums go on. */
static tacit_status skip(void *st, tacit_error *err)
{
    (void)err;
    client *c = st;
    c->at = 0;
    c->target += c->step;
    return TACIT_OK;
}

/* ---- a saved client ---- */

enum { VERSION = 1 };

static tacit_status save(const void *st, tc_numbers *out, tacit_error *err)
{
    const client *c = st;
    TC_TRY(tc_numbers_add(out, VERSION, err));
    TC_TRY(tc_numbers_add(out, (int64_t)(c->target / c->step), err)); /* the phase */
    TC_TRY(tc_numbers_add(out, (int64_t)c->at, err));
    TC_TRY(tc_numbers_add(out, (int64_t)c->n_active, err));
    for (size_t i = 0; i < c->n_active; i++)
        TC_TRY(tc_numbers_add(out, (int64_t)c->active[i], err));
    for (size_t i = 0; i < c->n_arms; i++) {
        TC_TRY(tc_numbers_add(out, (int64_t)c->n[i], err));
        TC_TRY(tc_numbers_add(out, c->sum[i], err));
    }
    return TACIT_OK;
}

/* A client whose arm has its pulls would have gone on to the next; the last arm left never has. */
static bool stands(const client *c)
{
    if (c->at > c->n_active)
        return false;
    return c->n_active == 1 || c->at == c->n_active || c->n[c->active[c->at]] < c->target;
}

static tacit_status load(void *st, const tc_numbers *saved, const tc_numbers *broadcast,
                         tacit_error *err)
{
    (void)broadcast;
    client *c = st;
    tc_saved s = tc_saved_begin(saved, VERSION);
    int64_t next = 0, arms = (int64_t)c->n_arms;
    c->target = c->step * (uint64_t)tc_saved_take(&s, 1, TC_SAMPLES_MOST / (int64_t)c->step);
    c->at = (size_t)tc_saved_take(&s, 0, arms);
    c->n_active = (size_t)tc_saved_take(&s, 1, arms);
    for (size_t i = 0; i < c->n_active && !s.bad; i++) {
        c->active[i] = (size_t)tc_saved_take(&s, next, arms - 1);
        next = (int64_t)c->active[i] + 1;
    }
    for (size_t i = 0; i < c->n_arms && !s.bad; i++)
        tc_saved_samples(&s, &c->n[i], &c->sum[i]);
    s.bad = s.bad || !stands(c);
    return tc_saved_end(&s, "fed1-ucb", err);
}

/* ---- the server ---- */

typedef struct server {
    uint64_t clients, folded;
    size_t n_arms;
    double log_T, sigma, n, step; /* n: pulls of an active arm by each client */
    size_t *active;               /* what the messages are about */
    int64_t *sum;                 /* beside it */
    size_t n_active;
    tc_arena memory;
} server;

static tacit_status server_init(void *st, const tc_bandit_env *env, const void *opts,
                                uint64_t round, tacit_error *err)
{
    server *s = st;
    const fed1_options *o = opts;
    s->clients = env->clients;
    s->log_T = log_budget(env);
    s->sigma = o->sigma;
    s->step = ceil(fmax(o->pulls * s->log_T, 1));
    s->n = (double)(round + 1) * s->step;
    s->n_arms = tc_random_arms_count(env->dim, o->arms);
    s->active = TC_TAKE(&s->memory, s->n_arms, size_t);
    s->sum = TC_TAKE(&s->memory, s->n_arms, int64_t);
    return s->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

static void server_fini(void *st)
{
    tc_arena_fini(&((server *)st)->memory);
}

/* Pairs of an arm and a sum by rising arm; of one phase all are about the same arms. */
static bool well_formed(const server *s, const tc_numbers *m)
{
    bool good = m->n >= 2 && m->n % 2 == 0 && (s->folded == 0 || m->n == 2 * s->n_active);
    for (size_t i = 0; good && i < m->n; i += 2)
        good = m->v[i] > (i ? m->v[i - 2] : -1) && m->v[i] < (int64_t)s->n_arms &&
               (s->folded == 0 || m->v[i] == (int64_t)s->active[i / 2]) &&
               fabs((double)m->v[i + 1]) <= 2 * s->n * (double)TC_REWARD_ONE;
    return good;
}

static tacit_status fold(void *st, const tc_numbers *m, tacit_error *err)
{
    server *s = st;
    if (s->folded == s->clients)
        return tc_fail(err, TACIT_E_ARG, "more than %" PRIu64 " messages in a phase", s->clients);
    if (!well_formed(s, m))
        return tc_fail(err, TACIT_E_ARG,
                       "the message is not a list of the active arms and their sums");
    for (size_t i = 0; s->folded == 0 && i < m->n / 2; i++) {
        s->active[i] = (size_t)m->v[2 * i];
        s->sum[i] = 0;
    }
    s->n_active = m->n / 2;
    for (size_t i = 0; i < s->n_active; i++)
        s->sum[i] += m->v[2 * i + 1];
    s->folded++;
    return TACIT_OK;
}

/* The means differ from the sums by one factor, so does the width. */
static void eliminate(server *s)
{
    double M = (double)s->folded, samples = M * s->n * (double)TC_REWARD_ONE, best = -INFINITY;
    double w = sqrt(4 * s->sigma * s->sigma * s->log_T / (M * s->n)) * samples;
    for (size_t i = 0; i < s->n_active; i++)
        best = fmax(best, (double)s->sum[i]);
    size_t left = 0;
    for (size_t i = 0; i < s->n_active; i++)
        if (!((double)s->sum[i] + w < best - w))
            s->active[left++] = s->active[i];
    s->n_active = left;
}

static tacit_status close(void *st, tc_numbers *broadcast, tacit_error *err)
{
    server *s = st;
    if (s->folded == 0)
        return tc_fail(err, TACIT_E_STATE, "there is no message in this phase");
    eliminate(s);
    for (size_t i = 0; i < s->n_active; i++)
        TC_TRY(tc_numbers_add(broadcast, (int64_t)s->active[i], err));
    s->folded = 0;
    s->n += s->step;
    return TACIT_OK;
}

static const tc_option options[] = {
    {.name = "arms",
     .type = TC_OPTION_INT,
     .offset = offsetof(fed1_options, arms),
     .def = "0",
     .max = 1e6,
     .help = "random points to choose from; 0: 20 in one dimension, 400 in two, else 1000",
     .value = "N"},
    {.name = "pulls",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(fed1_options, pulls),
     .def = "10",
     .max = 1e6,
     .min_open = true,
     .help = "a phase has pulls x ln T pulls of every active arm"},
    {.name = "sigma",
     .type = TC_OPTION_FLOAT,
     .offset = offsetof(fed1_options, sigma),
     .def = "0.5",
     .max = 1000,
     .min_open = true,
     .help = "sub-Gaussian parameter of a reward; 1/2 covers every reward in [0, 1]"},
    {.name = NULL},
};

const tc_bandit tc_bandit_fed1_ucb = {
    .name = "fed1-ucb",
    .summary = "finitely many random arms, the best for the mean of all clients",
    .source = "Shi, Shen (2021)",
    .options = options,
    .options_size = sizeof(fed1_options),
    .client_size = sizeof(client),
    .server_size = sizeof(server),
    .init = init,
    .fini = fini,
    .ask = ask,
    .point = point,
    .arms = arms,
    .tell = tell,
    .save = save,
    .load = load,
    .publish = publish,
    .absorb = absorb,
    .skip = skip,
    .server_init = server_init,
    .server_fini = server_fini,
    .fold = fold,
    .close = close,
};
