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

#include <math.h>
#include <string.h>

enum { SIDE = 10, N = SIDE * SIDE, D = 2, R = 10 };

typedef struct state {
    double raised[2][N * D]; /* the data sets as they are projected, column-major */
    double basis[2][N * D];  /* orthonormal, of the column spaces of the centred data */
    double M[D * R], Z[N * R];
} state;

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    return sum;
}

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

/* X = U diag(sigma) V' for two columns: the one rotation that makes them orthogonal (Jacobi). X becomes U;
 * V is column-major. A matrix of two columns needs no LAPACK, and src/privacy must not load one. */
static void decompose(double *X, double sigma[D], double V[D * D])
{
    double *x = X, *y = X + N;
    double both = dot(x, y), zeta = (dot(y, y) - dot(x, x)) / (2 * both);
    double t = both == 0 ? 0 : copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    double c = 1 / hypot(1, t), s = c * t;
    memcpy(V, (double[]){c, -s, s, c}, D * D * sizeof *V);
    for (int i = 0; i < N; i++) {
        double was = x[i];
        x[i] = c * was - s * y[i];
        y[i] = s * was + c * y[i];
    }
    for (int k = 0; k < D; k++) {
        sigma[k] = sqrt(dot(X + k * N, X + k * N));
        for (int i = 0; i < N; i++)
            X[k * N + i] /= sigma[k];
    }
}

/* The singular values of one data set, raised where the paper raises them. */
static void raise_values(state *s, int world, double omega)
{
    double *U = s->basis[world], *out = s->raised[world], sigma[D], V[D * D];
    make_data(U, world);
    centre(U);
    decompose(U, sigma, V);
    bool small = fmin(sigma[0], sigma[1]) < omega;
    for (int k = 0; k < D; k++)
        if (small)
            sigma[k] = hypot(sigma[k], omega);
    for (int j = 0; j < D; j++)
        for (int i = 0; i < N; i++)
            out[j * N + i] = U[i] * sigma[0] * V[j] + U[N + i] * sigma[1] * V[D + j];
}

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    (void)e;
    (void)err;
    const double epsilon = exp(1.1), delta = 1e-5;
    double omega = 16 * sqrt(R * log(2 / delta)) * log(16 * R / delta) / epsilon;
    for (int world = 0; world < 2; world++)
        raise_values(p, world, omega);
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
static double residual(const state *s, int world)
{
    const double *u = s->basis[world], *v = u + N;
    double sum = 0;
    for (int r = 0; r < R; r++) {
        const double *z = s->Z + r * N;
        double along_u = dot(u, z), along_v = dot(v, z);
        for (int i = 0; i < N; i++) {
            double rest = z[i] - along_u * u[i] - along_v * v[i];
            sum += rest * rest;
        }
    }
    return sqrt(sum);
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    (void)err;
    state *s = p;
    for (int i = 0; i < D * R; i++)
        s->M[i] = normal(e);
    const double *x = s->raised[world], *y = x + N;
    for (int r = 0; r < R; r++)
        for (int i = 0; i < N; i++)
            s->Z[r * N + i] = (x[i] * s->M[r * D] + y[i] * s->M[r * D + 1]) / sqrt(R);
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
