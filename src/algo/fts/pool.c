/* pool.c - what the values of other agents say together: a Gaussian process over several like functions. See pool.h. */
#include "algo/fts/pool.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

#define LEVEL   0.1 /* variance of an agent's level, in units of its anchors */
#define STEP    1.6 /* from one length-scale of the grid to the next */
#define LARGEST 1e6 /* no standardised value is larger: such a message is not heard */

enum {
    MOST_VALUES = 128, /* in a message */
    MOST_POOLED = 512, /* in the process: O(n^3) */
    MOST_CHOSEN = 160, /* that the length-scale and rho are chosen by */
    LENGTHS = 5,
    POINTS_ERROR = 128, /* that the error is taken over */
    BLOCK = 32,
    MOST_SLOPES = 2048 /* derivatives of covariances at a time; dimensions at most */
};

static const double alike[] = {0.95, 0.6, 0.1}; /* rho */
enum { ALIKE = sizeof alike / sizeof *alike };

struct tc_fts_pool {
    const tc_fts_core *core;
    double **said; /* by party; NULL: nothing */
    uint64_t agents;
    size_t n;
    double *X, *z, *noise, *alpha, *C; /* n x dim, n, n, n, n x n */
    uint64_t *who;
    double *scale, *x; /* dim */
    double rho;
    size_t X_cap, z_cap, noise_cap, alpha_cap, C_cap, who_cap;
};

static size_t dim_of(const tc_fts_pool *p)
{
    return p->core->env->space->dim;
}

size_t tc_fts_pool_width(const tc_space *s)
{
    return 1 + MOST_VALUES * (s->dim + 2);
}

tacit_status tc_fts_pool_new(tc_fts_pool **out, const tc_fts_core *c, tacit_error *err)
{
    const size_t dim = c->env->space->dim;
    TC_TRY(tc_la_start(err));
    if (dim > MOST_SLOPES)
        return tc_fail(err, TACIT_E_ARG, "message=values is for at most %d dimensions, got %zu",
                       MOST_SLOPES, dim);
    tc_fts_pool *p = tc_alloc(1, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    p->core = c;
    p->agents = c->env->agents;
    p->said = tc_alloc((size_t)p->agents + 1, sizeof *p->said);
    p->scale = tc_alloc(2 * dim, sizeof *p->scale);
    p->x = p->scale ? p->scale + dim : NULL;
    if (!p->said || !p->scale) {
        tc_fts_pool_free(p);
        return tc_fail_memory(err);
    }
    *out = p;
    return TACIT_OK;
}

void tc_fts_pool_free(tc_fts_pool *p)
{
    if (!p)
        return;
    for (uint64_t i = 0; p->said && i < p->agents; i++)
        tc_free(p->said[i]);
    void *all[] = {p->said, p->X, p->z, p->noise, p->alpha, p->C, p->who, p->scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tc_free(all[i]);
    tc_free(p);
}

/* ---- messages ---- */

tacit_status tc_fts_pool_write(const tc_fts_core *c, double *numbers, tacit_error *err)
{
    const tc_history *h = c->env->history;
    const size_t n = h->n < MOST_VALUES ? h->n : MOST_VALUES;
    const double *z;
    TC_TRY(tc_own_values(c->own, &z, err));
    memset(numbers, 0, tc_fts_pool_width(c->env->space) * sizeof *numbers);
    *numbers++ = (double)n;
    for (size_t i = h->n - n; i < h->n; i++) {
        for (size_t d = 0; d < h->dim; d++)
            *numbers++ = h->U[i + d * h->ld];
        *numbers++ = z[i];
        *numbers++ = tc_own_noise(c->own, i);
    }
    return TACIT_OK;
}

/* How many values a message has that can be used: 0 or all. Values that are all 0 are from an agent whose units are not
 * known. */
static size_t count_values(const double *numbers, size_t dim)
{
    const double n = numbers[0];
    bool any = false;
    if (!(n >= 1 && n <= MOST_VALUES && n == floor(n)))
        return 0;
    for (size_t i = 0; i < (size_t)n; i++) {
        const double *one = numbers + 1 + i * (dim + 2);
        for (size_t d = 0; d < dim; d++)
            if (!(one[d] >= 0 && one[d] <= 1))
                return 0;
        if (!(fabs(one[dim]) <= LARGEST && one[dim + 1] >= 0 && one[dim + 1] <= LARGEST))
            return 0;
        any |= one[dim] != 0;
    }
    return any ? (size_t)n : 0;
}

/* A message that says nothing leaves the former one. */
tacit_status tc_fts_pool_put(tc_fts_pool *p, uint64_t party, const double *numbers,
                             tacit_error *err)
{
    const size_t width = tc_fts_pool_width(p->core->env->space);
    if (party >= p->agents || count_values(numbers, dim_of(p)) == 0)
        return TACIT_OK;
    if (!p->said[party])
        p->said[party] = tc_alloc(width, sizeof **p->said);
    if (!p->said[party])
        return tc_fail_memory(err);
    memcpy(p->said[party], numbers, width * sizeof *numbers);
    return TACIT_OK;
}

/* ---- the process ---- */

static tacit_status reserve(tc_fts_pool *p, size_t n, tacit_error *err)
{
    if (!tc_grow((void **)&p->X, &p->X_cap, n * dim_of(p), sizeof *p->X) ||
        !tc_grow((void **)&p->z, &p->z_cap, n, sizeof *p->z) ||
        !tc_grow((void **)&p->noise, &p->noise_cap, n, sizeof *p->noise) ||
        !tc_grow((void **)&p->alpha, &p->alpha_cap, n, sizeof *p->alpha) ||
        !tc_grow((void **)&p->who, &p->who_cap, n, sizeof *p->who) ||
        !tc_grow((void **)&p->C, &p->C_cap, n * n, sizeof *p->C))
        return tc_fail_memory(err);
    return TACIT_OK;
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* Takes up to as many values of each agent as there is room for, evenly spaced in the order they came: about `most`
 * in all. */
static tacit_status gather(tc_fts_pool *p, size_t most, tacit_error *err)
{
    const size_t dim = dim_of(p);
    size_t parties = 0, n = 0, each, at = 0;
    uint64_t end = 0; /* beyond the first `most` nobody is heard */
    for (; end < p->agents && parties < most; end++)
        parties += p->said[end] != NULL;
    each = parties > 0 ? most / parties + 1 : 0;
    for (uint64_t i = 0; i < end; i++)
        n += p->said[i] ? at_most((size_t)p->said[i][0], each) : 0;
    TC_TRY(reserve(p, n, err));
    for (uint64_t i = 0; i < end; i++) {
        const size_t all = p->said[i] ? (size_t)p->said[i][0] : 0, some = at_most(all, each);
        for (size_t k = 0; k < some; k++, at++) {
            const double *one = p->said[i] + 1 + k * all / some * (dim + 2);
            for (size_t d = 0; d < dim; d++)
                p->X[at + d * n] = one[d];
            p->z[at] = one[dim];
            p->noise[at] = one[dim + 1];
            p->who[at] = i;
        }
    }
    p->n = n;
    return TACIT_OK;
}

static tc_kernel kernel_of(const tc_fts_pool *p)
{
    return (tc_kernel){.kind = (tc_kernel_kind)p->core->opts->kernel,
                       .dim = dim_of(p),
                       .variance = 1,
                       .scale = p->scale};
}

static void set_length(tc_fts_pool *p, double length)
{
    for (size_t d = 0; d < dim_of(p); d++)
        p->scale[d] = length;
}

/* For the length-scale in force and p->rho: the factor in C, alpha, and the likelihood but for a constant. */
static tacit_status factor(tc_fts_pool *p, double *log_likelihood, tacit_error *err)
{
    const size_t n = p->n;
    const tc_kernel k = kernel_of(p);
    tc_kernel_gram(&k, n, p->X, n, p->C, n);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++)
            p->C[i + j * n] =
                p->who[i] == p->who[j] ? p->C[i + j * n] + LEVEL : p->rho * p->C[i + j * n];
        p->C[j + j * n] += p->core->opts->noise + p->noise[j];
    }
    TC_TRY(tc_chol(n, p->C, n, err));
    memcpy(p->alpha, p->z, n * sizeof *p->z);
    tc_solve_lower(n, p->C, n, p->alpha);
    *log_likelihood = -0.5 * (tc_dot(n, p->alpha, p->alpha) + tc_chol_logdet(n, p->C, n));
    tc_solve_lower_t(n, p->C, n, p->alpha);
    return TACIT_OK;
}

/* Length-scales that are far from the usual one have to be worth it: ln l is within sd 1 of its. */
static void choose(tc_fts_pool *p)
{
    const double usual = tc_fts_lengthscale(p->core->opts, dim_of(p));
    const int reach = p->core->opts->lengthscale > 0 ? 0 : LENGTHS / 2;
    double best = -INFINITY, length = usual, rho = alike[0], value;
    for (int j = -reach; j <= reach; j++)
        for (int r = 0; r < ALIKE; r++) {
            const double off = j * log(STEP);
            set_length(p, usual * exp(off));
            p->rho = alike[r];
            tacit_error ignored;
            if (factor(p, &value, &ignored) == TACIT_OK && value - off * off / 2 > best) {
                best = value - off * off / 2;
                length = p->scale[0];
                rho = p->rho;
            }
        }
    set_length(p, length);
    p->rho = rho;
}

/* ---- what it says ---- */

static double value_at(const void *ctx, const double *x, double *grad)
{
    const tc_fts_pool *p = ctx;
    const size_t dim = dim_of(p);
    const tc_kernel k = kernel_of(p);
    const size_t block = grad ? at_most(BLOCK, MOST_SLOPES / dim) : BLOCK;
    double row[BLOCK], slope[MOST_SLOPES], sum = 0;
    for (size_t d = 0; grad && d < dim; d++)
        grad[d] = 0;
    for (size_t from = 0; from < p->n; from += block) {
        const size_t m = at_most(p->n - from, block);
        if (grad)
            tc_kernel_row_grad(&k, x, m, p->X + from, p->n, row, slope, m);
        else
            tc_kernel_row(&k, x, m, p->X + from, p->n, row);
        sum += tc_dot(m, row, p->alpha + from);
        for (size_t d = 0; grad && d < dim; d++)
            grad[d] += p->rho * tc_dot(m, slope + d * m, p->alpha + from);
    }
    return p->rho * sum;
}

static void values_at(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    const tc_fts_pool *p = ctx;
    const tc_kernel k = kernel_of(p);
    double C[BLOCK * BLOCK];
    memset(out, 0, m * sizeof *out);
    for (size_t i = 0; i < m; i += BLOCK)
        for (size_t j = 0; j < p->n; j += BLOCK) {
            const size_t rows = at_most(m - i, BLOCK), columns = at_most(p->n - j, BLOCK);
            tc_kernel_cross(&k, rows, X + i, ldx, columns, p->X + j, p->n, C, rows);
            tc_gemv('N', rows, columns, p->rho, C, rows, p->alpha + j, 1, out + i);
        }
}

static void draw_place(tc_fts_pool *p, tc_stream *s)
{
    const tc_space *space = p->core->env->space;
    const tc_domain *domain = space->domain;
    const size_t at = domain ? (size_t)tc_draw_below(s, domain->n) : 0;
    for (int tries = 0; tries < TC_SPACE_TRIES; tries++) {
        for (size_t d = 0; d < dim_of(p); d++)
            p->x[d] = domain ? domain->u[at + d * domain->n] : tc_draw_uniform(s);
        if (domain || tc_space_satisfied(space, p->x))
            return;
    }
}

/* The mean over the space of the variance that is left, where that of f is 1. row: n. */
static double share_left_open(tc_fts_pool *p, double *row)
{
    const tc_env *env = p->core->env;
    const tc_kernel k = kernel_of(p);
    double left = 0;
    tc_stream s;
    tc_stream_public(&s, &env->public_seed, TC_FOR_FILTER, 1);
    for (size_t i = 0; i < POINTS_ERROR; i++) {
        draw_place(p, &s);
        tc_kernel_row(&k, p->x, p->n, p->X, p->n, row);
        tc_solve_lower(p->n, p->C, p->n, row);
        left += 1 - p->rho * p->rho * tc_dot(p->n, row, row);
    }
    return fmin(1, fmax(0, left / POINTS_ERROR));
}

tacit_status tc_fts_pool_listen(tc_fts_pool *p, tc_heard *out, bool *any, tacit_error *err)
{
    double unused;
    TC_TRY(gather(p, MOST_CHOSEN, err));
    *any = p->n > 0;
    if (p->n == 0)
        return TACIT_OK;
    choose(p);
    TC_TRY(gather(p, MOST_POOLED, err));
    TC_TRY(factor(p, &unused, err));
    *out = (tc_heard){.many = values_at, .at = value_at, .ctx = p};
    out->error = share_left_open(p, p->z); /* gathered anew before it is used again */
    return TACIT_OK;
}
