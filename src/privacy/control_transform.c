/* control_transform.c - negative control: the projection of PO-GP-UCB as printed.
 *
 * Kharkovskii, Dai, Low (2020), Algorithm 1: centre X (n rows of d < n), raise its singular values
 * to sqrt(s^2 + omega^2) where the smallest is below omega, release Z = r^(-1/2) X M with a secret
 * Gaussian d x r matrix M. The theorem that it cites (Blocki et al. 2012) multiplies from the other
 * side, and does not apply: every column of Z lies in the column space of X, which the raised
 * singular values leave alone. A neighbour has another column space, so one look at the residual
 * of a projection tells the two apart with certainty: no epsilon, and no delta below one.
 *
 * Exists for the audit alone, to show that it notices. */
#include "privacy/audit_int.h"

#include "base/error.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

enum { SIDE = 10, N = SIDE * SIDE, D = 2, R = 10 };

typedef struct state {
    double raised[2][N * D]; /* the data sets as they are projected, column-major */
    double basis[2][N * D];  /* orthonormal, of the column spaces of the centred data */
    double M[D * R], Z[N * R], rest[N * R], part[D * R];
} state;

/* A grid whose largest norm is 25, as in the paper; in world 1 the first row moves by 1. */
static void make_data(double *X, int world)
{
    double reach = 25 / sqrt(2);
    for (int i = 0; i < N; i++) {
        X[i] = reach * (2.0 * (i % SIDE) / (SIDE - 1) - 1);
        X[N + i] = reach * (2.0 * (i / SIDE) / (SIDE - 1) - 1);
    }
    X[0] += world;
}

static void centre(double *X)
{
    for (int k = 0; k < D; k++) {
        double mean = 0;
        for (int i = 0; i < N; i++)
            mean += X[k * N + i] / N;
        for (int i = 0; i < N; i++)
            X[k * N + i] -= mean;
    }
}

/* The singular values of one data set, raised where the paper raises them. */
static tacit_status raise(state *s, int world, double omega, tacit_error *err)
{
    double X[N * D], sigma[D], Vt[D * D];
    make_data(X, world);
    centre(X);
    TC_TRY(tc_svd(N, D, X, N, s->basis[world], sigma, Vt, err));
    bool small = sigma[D - 1] < omega;
    for (int k = 0; k < D; k++) {
        double value = small ? hypot(sigma[k], omega) : sigma[k];
        for (int i = 0; i < N; i++)
            X[k * N + i] = value * s->basis[world][k * N + i];
    }
    tc_gemm('N', 'N', N, D, D, 1, X, N, Vt, D, 0, s->raised[world], N);
    return TACIT_OK;
}

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    (void)e;
    const double epsilon = exp(1.1), delta = 1e-5;
    double omega = 16 * sqrt(R * log(2 / delta)) * log(16 * R / delta) / epsilon;
    for (int world = 0; world < 2; world++)
        TC_TRY(raise(p, world, omega, err));
    *claim = (tc_audit_claim){epsilon, delta};
    return TACIT_OK;
}

static double uniform(tc_entropy *e) /* (0, 1] */
{
    return ldexp((double)(e->u64(e->ctx) >> 11) + 1, -53);
}

static double normal(tc_entropy *e)
{
    double radius = sqrt(-2 * log(uniform(e)));
    return radius * cos(2 * acos(-1) * uniform(e));
}

/* Norm of what a projection on the column space of this world leaves of Z. */
static double residual(state *s, int world)
{
    memcpy(s->rest, s->Z, sizeof s->Z);
    tc_gemm('T', 'N', D, R, N, 1, s->basis[world], N, s->Z, N, 0, s->part, D);
    tc_gemm('N', 'N', N, R, D, -1, s->basis[world], N, s->part, D, 1, s->rest, N);
    return tc_norm2(N * R, s->rest);
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    (void)err;
    state *s = p;
    for (int i = 0; i < D * R; i++)
        s->M[i] = normal(e);
    tc_gemm('N', 'N', N, R, D, 1 / sqrt(R), s->raised[world], N, s->M, D, 0, s->Z, N);
    look->score = residual(s, 0) - residual(s, 1);
    return TACIT_OK;
}

const tc_audit_case tc_control_transform = {
    .name = "po-gp-ucb-transform",
    .attack = "one row moves by 1; distance from the column space of each candidate",
    .control = true,
    .most_runs = 4000,
    .state_size = sizeof(state),
    .open = prepare,
    .run = run,
};
