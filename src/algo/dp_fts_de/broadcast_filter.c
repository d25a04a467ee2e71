/* broadcast_filter.c - from what was broadcast to what it says about the function: a linear filter.
 *
 * An agent's message is its posterior mean, which is shrunk towards 0 wherever it has seen little; a
 * mean of such means is shrunk as much, and then has noise. By how much is public: initial points
 * are uniform in the agent's region. For an agent of region i with features Phi of its points,
 * K = Phi Phi' + lambda I and y = Phi w + noise, let
 *     A_i = E[Phi'K^-1 Phi].
 * Its message nu = Phi'K^-1 y has the mean A_i w, and the covariance A_i over w ~ N(0, I) and over
 * designs; so over designs alone A_i - A_i^2. The broadcast nu_i of N_i agents, each in the sum with
 * probability q, is
 *     nu_i = A_i w_i + e,   cov(e) = (A_i/q - A_i^2)/N_i + sd^2 I.
 * Regions share what M features can say everywhere, and have something of their own:
 *     w_i = w_0 + d_i,   w_0 ~ N(0, (1-tau) I),   d_i ~ N(0, tau I).
 * With V_i = tau A_i^2 + cov(e), which commutes with A_i, and B_i = V_i^-1 A_i, posterior means are
 *     w_0 = (I/(1-tau) + sum_i A_i B_i)^-1 sum_i B_i nu_i,   w_i = w_0 + tau B_i (nu_i - A_i w_0).
 *
 * sd is that of the region's noise (broadcast.c). With trustees the noises of two regions have a part in common where agents
 * count in both; so has what agents send, and neither is taken into account.
 *
 * All of it is made from public constants and from a broadcast, and costs no privacy. It holds for
 * one release of means, the first, which is what a promise chooses; other broadcasts are taken as
 * they come. agent.c calls this. */
#include "algo/dp_fts_de/agent.h"

#include "base/error.h"
#include "num/la.h"
#include "space/partition.h"

#include <math.h>
#include <string.h>

/* tau: between 0.05 and 1 regrets differ by a tenth in two dimensions, where less is better, and at
 * small noise, where more is. */
#define OWN 0.5

enum {
    POINTS_ALL = 2560,     /* of all designs of a region together */
    DESIGNS_LEAST = 8,     /* though they may be large */
    POINTS_MOST = 256,     /* of one: with more, A hardly changes */
    POINTS_ERROR = 256,    /* that the mean error is taken over */
    NUMBERS_MOST = 1 << 23 /* in the matrices of all regions: without memory for them no filter */
};

#define GAP_LEAST 5 /* up to exp(-5): who does not start in a region counts for nothing there */

typedef tc_dp_fts_de_agent_state agent;

bool tc_dp_fts_de_filter_applies(const agent *a)
{
    const tc_dp_fts_de_options *o = a->opts;
    size_t M = (size_t)o->features, P = tc_dp_fts_de_regions(o);
    bool alike = o->init == TC_DP_FTS_DE_INIT_DOMAIN || tc_dp_fts_de_gap(o, 0) >= GAP_LEAST;
    bool once = tc_dp_fts_de_releases_next(&a->releases, 0) == 0 &&
                tc_dp_fts_de_releases_next(&a->releases, 1) == TC_DP_FTS_DE_NEVER;
    return tc_dp_fts_de_federated(a) && o->absorb == TC_DP_FTS_DE_PRIOR &&
           tc_dp_fts_de_sends_mean(o) && once && alike && o->initial > 0 && a->env->agents >= P &&
           P * M <= NUMBERS_MOST / M / 2;
}

/* ---- A ---- */

typedef struct design {
    size_t n;        /* points */
    double *Phi, *K; /* M x n, n x n */
    double *Z;       /* n x M */
} design;

/* A place among the candidates; a region without any stands for the whole space, as in trial.c. */
static size_t draw_place(const agent *a, size_t region, tc_stream *s)
{
    const tc_features *f = a->features;
    const size_t from = f->start[region], n = f->start[region + 1] - from;
    if (a->opts->init == TC_DP_FTS_DE_INIT_DOMAIN || n == 0)
        return tc_draw_below(s, f->n);
    return from + tc_draw_below(s, n);
}

static void draw_point(agent *a, size_t region, tc_stream *s, double *phi)
{
    const tc_features *f = a->features;
    const bool there = a->opts->init == TC_DP_FTS_DE_INIT_REGION;
    const size_t M = f->rff.M, dim = a->env->space->dim;
    if (f->n > 0) {
        memcpy(phi, f->Phi + draw_place(a, region, s) * M, M * sizeof *phi);
        return;
    }
    for (int tries = 0; tries < TC_SPACE_TRIES; tries++) {
        tc_region_box(there ? region : 0, there ? f->regions : 1, dim, a->low, a->high);
        for (size_t d = 0; d < dim; d++)
            a->low[d] += (a->high[d] - a->low[d]) * tc_draw_uniform(s);
        if (tc_space_satisfied(a->env->space, a->low))
            break;
    }
    tc_rff_many(&f->rff, 1, a->low, 1, phi, M);
}

/* A += share Phi'K^-1 Phi, its lower triangle. */
static tacit_status add_design(agent *a, size_t region, tc_stream *s, const design *d, double share,
                               double *A, tacit_error *err)
{
    const size_t M = a->features->rff.M, n = d->n;
    for (size_t j = 0; j < n; j++)
        draw_point(a, region, s, d->Phi + j * M);
    tc_syrk('T', n, M, 1, d->Phi, M, 0, d->K, n);
    for (size_t j = 0; j < n; j++)
        d->K[j * n + j] += a->opts->noise;
    TC_TRY(tc_chol(n, d->K, n, err));
    for (size_t m = 0; m < M; m++)
        for (size_t j = 0; j < n; j++)
            d->Z[m * n + j] = d->Phi[j * M + m];
    tc_solve_lower_many(n, M, d->K, n, d->Z, n);
    tc_syrk('T', M, n, share, d->Z, n, 1, A, M);
    return TACIT_OK;
}

static void mirror(size_t M, double *A)
{
    for (size_t m = 0; m < M; m++)
        for (size_t j = 0; j < m; j++)
            A[m * M + j] = A[j * M + m];
}

static tacit_status average_designs(agent *a, size_t region, const design *d, double *A,
                                    tacit_error *err)
{
    size_t many = POINTS_ALL / d->n, designs = many > DESIGNS_LEAST ? many : DESIGNS_LEAST;
    tc_stream s;
    tc_stream_public(&s, &a->env->public_seed, TC_FOR_FILTER, region);
    for (size_t k = 0; k < designs; k++)
        TC_TRY(add_design(a, region, &s, d, 1 / (double)designs, A, err));
    mirror(a->features->rff.M, A);
    return TACIT_OK;
}

/* ---- B and the rest ---- */

typedef struct sizes {
    double rate;          /* q */
    double *sd, *members; /* of the noise in a region; N_i */
} sizes;

static tacit_status read_sizes(agent *a, sizes *out, tacit_error *err)
{
    tc_dp_fts_de_round r;
    TC_TRY(tc_dp_fts_de_round_init(&r, a->env, a->opts, tc_dp_fts_de_votes(a->opts), err));
    out->rate = r.rate;
    /* its own message is taken out before (heard.c) */
    const bool less_own = a->own && !a->observer && out->rate == 1;
    const double agents = (double)a->env->agents;
    for (size_t i = 0; i < r.plan.blocks; i++) {
        out->sd[i] = tc_dp_fts_de_broadcast_noise(&r, i) * (less_own ? agents / (agents - 1) : 1);
        out->members[i] = ldexp(1, TC_DP_FTS_DE_WEIGHT_BITS) / r.weights[i];
        if (less_own)
            out->members[i] = fmax(1, out->members[i] - 1);
    }
    tc_dp_fts_de_round_fini(&r);
    return TACIT_OK;
}

/* B = V^-1 A, V = own A^2 + cov(e); square: scratch. V is kept away from 0 where there is neither noise nor
 * a signal. */
static tacit_status invert(size_t M, const sizes *z, size_t region, double own, const double *A,
                           double *square, double *B, tacit_error *err)
{
    const double members = z->members[region], sd = z->sd[region];
    tc_gemm('N', 'N', M, M, M, own - 1 / members, A, M, A, M, 0, square, M);
    tc_axpy(M * M, 1 / (members * z->rate), A, square);
    for (size_t m = 0; m < M; m++)
        square[m * M + m] += fmax(sd * sd, 1e-6);
    TC_TRY(tc_chol(M, square, M, err));
    memcpy(B, A, M * M * sizeof *B);
    tc_solve_lower_many(M, M, square, M, B, M);
    tc_solve_lower_t_many(M, M, square, M, B, M);
    return TACIT_OK;
}

/* One region: w has the posterior covariance R^-1, R = I + A cov(e)^-1 A, and a point x the error
 * phi(x)'R^-1 phi(x); its mean over the space, as a share of that of phi'phi. `square` and B of M x M are scratch. */
static tacit_status find_error(agent *a, tc_dp_fts_de_filter *l, const sizes *z, double *square,
                               double *R, double *phi, tacit_error *err)
{
    const size_t M = l->M;
    tc_stream s;
    double left = 0, whole = 0;
    TC_TRY(invert(M, z, 0, 0, l->A, square, R, err));
    tc_gemm('N', 'N', M, M, M, 1, l->A, M, R, M, 0, square, M);
    for (size_t m = 0; m < M; m++)
        square[m * M + m] += 1;
    TC_TRY(tc_chol(M, square, M, err));
    tc_stream_public(&s, &a->env->public_seed, TC_FOR_FILTER, TC_DP_FTS_DE_NEVER);
    for (int k = 0; k < POINTS_ERROR; k++) {
        draw_point(a, 0, &s, phi);
        whole += tc_dot(M, phi, phi);
        tc_solve_lower(M, square, M, phi);
        left += tc_dot(M, phi, phi);
    }
    l->error = left / whole;
    return TACIT_OK;
}

static tacit_status fill(agent *a, tc_dp_fts_de_filter *l, tc_arena *scratch, tacit_error *err)
{
    const size_t M = l->M, P = l->P;
    size_t n = a->opts->initial < POINTS_MOST ? (size_t)a->opts->initial : POINTS_MOST;
    design d = {n, TC_TAKE(scratch, M * n, double), TC_TAKE(scratch, n * n, double),
                TC_TAKE(scratch, n * M, double)};
    double *square = TC_TAKE(scratch, M * M, double);
    sizes z = {.sd = TC_TAKE(scratch, P, double), .members = TC_TAKE(scratch, P, double)};
    if (scratch->failed)
        return tc_fail_memory(err);
    TC_TRY(read_sizes(a, &z, err));
    for (size_t m = 0; m < M; m++)
        l->root[m * M + m] = 1 / (1 - OWN);
    for (size_t i = 0; i < P; i++) {
        double *A = l->A + i * M * M, *B = l->B + i * M * M;
        TC_TRY(average_designs(a, i, &d, A, err));
        TC_TRY(invert(M, &z, i, OWN, A, square, B, err));
        tc_gemm('N', 'N', M, M, M, 1, A, M, B, M, 1, l->root, M);
    }
    TC_TRY(tc_chol(M, l->root, M, err));
    l->error = 1;
    if (P > 1 || !a->own)
        return TACIT_OK;
    double *R = TC_TAKE(scratch, M * M, double), *phi = TC_TAKE(scratch, M, double);
    return scratch->failed ? tc_fail_memory(err) : find_error(a, l, &z, square, R, phi, err);
}

tacit_status tc_dp_fts_de_filter_new(tc_dp_fts_de_filter **out, tc_dp_fts_de_agent_state *a,
                                     tacit_error *err)
{
    const size_t M = (size_t)a->opts->features, P = tc_dp_fts_de_regions(a->opts);
    tc_arena scratch = {0};
    tc_dp_fts_de_filter *l = tc_alloc(1, sizeof *l);
    if (!l)
        return tc_fail_memory(err);
    *l = (tc_dp_fts_de_filter){.M = M, .P = P};
    l->A = TC_TAKE(&l->memory, P * M * M, double);
    l->B = TC_TAKE(&l->memory, P * M * M, double);
    l->root = TC_TAKE(&l->memory, M * M, double);
    tacit_status status = l->memory.failed ? tc_fail_memory(err) : tc_la_start(err);
    if (status == TACIT_OK)
        status = fill(a, l, &scratch, err);
    tc_arena_fini(&scratch);
    if (status != TACIT_OK)
        tc_dp_fts_de_filter_free(l);
    else
        *out = l;
    return status;
}

void tc_dp_fts_de_filter_free(tc_dp_fts_de_filter *l)
{
    if (!l)
        return;
    tc_arena_fini(&l->memory);
    tc_free(l);
}

/* ---- a broadcast ---- */

void tc_dp_fts_de_filter_apply(const tc_dp_fts_de_filter *l, double *omega, double *common,
                               double *rest)
{
    const size_t M = l->M;
    memset(common, 0, M * sizeof *common);
    for (size_t i = 0; i < l->P; i++)
        tc_gemv('N', M, M, 1, l->B + i * M * M, M, omega + i * M, 1, common);
    tc_chol_solve(M, l->root, M, common);
    for (size_t i = 0; i < l->P; i++) {
        double *w = omega + i * M;
        memcpy(rest, w, M * sizeof *rest);
        tc_gemv('N', M, M, -1, l->A + i * M * M, M, common, 1, rest);
        memcpy(w, common, M * sizeof *w);
        tc_gemv('N', M, M, OWN, l->B + i * M * M, M, rest, 1, w);
    }
}

/* phi'w_i = phi'(I - tau B_i A_i) root^-1 sum_j B_j nu_j + tau phi'B_i nu_i; all matrices are symmetric. With groups
 * nu_j = sum_g w(g,j) G_g, and what G_g is multiplied by is added up over regions first. */
double tc_dp_fts_de_filter_noise(const tc_dp_fts_de_filter *l, size_t region, const double *phi,
                                 const double *shares, size_t groups, double *scratch)
{
    const size_t M = l->M;
    const double *A = l->A + region * M * M, *B = l->B + region * M * M;
    double *u = scratch, *part = scratch + M, *of_group = scratch + 2 * M, squares = 0;
    memset(of_group, 0, groups * M * sizeof *of_group);
    tc_gemv('N', M, M, OWN, B, M, phi, 0, part);
    memcpy(u, phi, M * sizeof *u);
    tc_gemv('N', M, M, -1, A, M, part, 1, u);
    tc_chol_solve(M, l->root, M, u);
    for (size_t j = 0; j < l->P; j++) {
        tc_gemv('N', M, M, 1, l->B + j * M * M, M, u, 0, part);
        if (j == region)
            tc_gemv('N', M, M, OWN, B, M, phi, 1, part);
        if (groups == 0)
            squares += tc_dot(M, part, part);
        for (size_t g = 0; g < groups; g++)
            tc_axpy(M, shares[g * l->P + j], part, of_group + g * M);
    }
    return sqrt(squares + tc_dot(groups * M, of_group, of_group));
}
