/* slow_peers_double.h - rgpe and taf written in the open, on a line. For fts_peers_test.c, after
 * support/test.h. */
#ifndef TC_ALGO_FTS_SLOW_PEERS_DOUBLE_H
#define TC_ALGO_FTS_SLOW_PEERS_DOUBLE_H

#include "algo/fts/federation_double.h"

#include <stdlib.h>

enum { M = 7, INITIAL = 5, N = 5, S = 20 };

#define BASE "\"features\": 7, \"initial\": 5, \"lengthscale\": 0.2"

static const double lambda = 0.01;

/* ---- posteriors, slowly ---- */

typedef struct model {
    bool here;
    double nu[M], P[M][M]; /* P = Sigma^-1 */
    double best;
} model;

typedef struct data {
    double x[100], y[100];
    size_t n;
} data;

static inline void slow_features(tc_rff *f)
{
    tacit_error err = {0};
    double scale = 0.2;
    tc_gp_hyper h = {.kind = TC_KERNEL_SE, .dim = 1, .variance = 1, .scale = &scale};
    tc_public_seed seed = tc_public_seed_from(3);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_FEATURES, 0);
    assert_ok(tc_rff_init(f, M, 1, &err));
    tc_rff_draw(f, &h, false, &s);
}

/* Gauss and Jordan. */
static inline void slow_inverse(double A[M][M], double B[M][M])
{
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            B[i][j] = i == j;
    for (size_t k = 0; k < M; k++) {
        double pivot = A[k][k];
        for (size_t j = 0; j < M; j++) {
            A[k][j] /= pivot;
            B[k][j] /= pivot;
        }
        for (size_t i = 0; i < M; i++) {
            double factor = A[i][k];
            for (size_t j = 0; j < M && i != k; j++) {
                A[i][j] -= factor * A[k][j];
                B[i][j] -= factor * B[k][j];
            }
        }
    }
}

static inline model slow_model(const tc_rff *f, const data *d, size_t without)
{
    model m = {.here = true, .best = -INFINITY};
    double A[M][M] = {{0}}, moment[M] = {0}, phi[M];
    for (size_t i = 0; i < M; i++)
        A[i][i] = lambda;
    for (size_t k = 0; k < d->n; k++) {
        if (k == without)
            continue;
        m.best = fmax(m.best, d->y[k]);
        tc_rff_at(f, &d->x[k], phi);
        for (size_t i = 0; i < M; i++) {
            moment[i] += phi[i] * d->y[k];
            for (size_t j = 0; j < M; j++)
                A[i][j] += phi[i] * phi[j];
        }
    }
    slow_inverse(A, m.P);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            m.nu[i] += m.P[i][j] * moment[j];
    return m;
}

static inline void slow_predict(const tc_rff *f, const model *m, double x, double *mean,
                                double *var)
{
    double phi[M];
    tc_rff_at(f, &x, phi);
    *mean = *var = 0;
    for (size_t i = 0; i < M; i++) {
        *mean += phi[i] * m->nu[i];
        for (size_t j = 0; j < M; j++)
            *var += lambda * phi[i] * m->P[i][j] * phi[j];
    }
}

/* The first `most` observations of a member. */
static inline data observations(const federation *f, size_t who, size_t most)
{
    const tc_optimizer *o = f->member[who]->o;
    data d = {.n = 0};
    for (; d.n < most && d.n < tc_optimizer_trials(o); d.n++) {
        const tc_trial *t = tc_optimizer_trial(o, d.n);
        d.x[d.n] = t->values[0] / (POINTS - 1);
        d.y[d.n] = t->value;
    }
    return d;
}

static inline double slow_ei(double mean, double var, double best)
{
    double sd = sqrt(var), z = (mean - best) / sd;
    return sd * (exp(-z * z / 2) / sqrt(2 * M_PI) + z * erfc(-z / sqrt(2)) / 2);
}

/* ---- rgpe, slowly ---- */

static inline unsigned slow_loss(const double *g, const double *y, size_t n)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            wrong += (g[j] - g[i]) * (y[j] - y[i]) < 0;
    return wrong;
}

static inline int compare(const void *a, const void *b)
{
    return (int)*(const unsigned *)a - (int)*(const unsigned *)b;
}

/* numpy.quantile */
static inline double slow_quantile(const unsigned *loss, double q)
{
    unsigned sorted[S];
    memcpy(sorted, loss, sizeof sorted);
    qsort(sorted, S, sizeof *sorted, compare);
    double at = q * (S - 1), low = sorted[(size_t)floor(at)], high = sorted[(size_t)ceil(at)];
    return low + (at - floor(at)) * (high - low);
}

static inline void slow_rgpe(const tc_rff *f, const model *models, const data *d, size_t who,
                             uint64_t trial, double *weight)
{
    unsigned loss[N][S];
    tc_party_seed seed = tc_party_seed_from(4);
    tc_stream s;
    tc_stream_party(&s, &seed, who, TC_FOR_DRAW, trial);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; models[i].here && k < S; k++) {
            double g[100], mean, var;
            for (size_t j = 0; j < d->n; j++) {
                model without = i == who ? slow_model(f, d, j) : models[i];
                slow_predict(f, &without, d->x[j], &mean, &var);
                g[j] = mean + sqrt(var) * tc_draw_normal(&s);
            }
            loss[i][k] = slow_loss(g, d->y, d->n);
        }
    memset(weight, 0, N * sizeof *weight);
    for (size_t k = 0; k < S; k++) {
        size_t winner = who;
        for (size_t i = 0; i < N; i++)
            if (models[i].here && slow_quantile(loss[i], 0.5) <= slow_quantile(loss[who], 0.95) &&
                loss[i][k] < loss[winner][k])
                winner = i;
        weight[winner] += 1.0 / S;
    }
}

static inline double rgpe_value(const tc_rff *f, const model *models, const double *weight,
                                size_t who, double x)
{
    double m = 0, v = 0, mean, var;
    for (size_t i = 0; i < N; i++) {
        if (weight[i] == 0)
            continue;
        slow_predict(f, &models[i], x, &mean, &var);
        m += weight[i] * mean;
        v += weight[i] * weight[i] * var;
    }
    return slow_ei(m, v, models[who].best);
}

/* ---- taf, slowly ---- */

static inline void slow_draw(model *m, size_t who, size_t party)
{
    double C[M][M];
    tc_party_seed seed = tc_party_seed_from(4);
    tc_stream s;
    tc_stream_party(&s, &seed, who, TC_FOR_MESSAGE, 1 + party);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = m->P[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= C[i][k] * C[j][k];
            C[i][j] = i == j ? sqrt(sum) : sum / C[j][j];
        }
    for (size_t j = 0; j < M; j++) {
        double e = tc_draw_normal(&s);
        for (size_t i = j; i < M; i++)
            m->nu[i] += sqrt(lambda) * C[i][j] * e;
    }
}

static inline void slow_taf(const tc_rff *f, const model *models, const data *d, size_t who,
                            bool pairs, double *weight)
{
    for (size_t i = 0; i < N; i++) {
        double g[100], var, square = 0, all = (double)(d->n * (d->n - 1));
        weight[i] = i == who ? 0.75 : 0;
        if (i == who || !models[i].here)
            continue;
        for (size_t j = 0; j < d->n; j++)
            slow_predict(f, &models[i], d->x[j], &g[j], &var);
        for (size_t j = 0; j < d->n; j++)
            for (size_t k = 0; k < d->n; k++) {
                double a = (g[j] > g[k]) / all, b = (d->y[j] > d->y[k]) / all;
                square += (a - b) * (a - b);
            }
        double r = (pairs ? square * all : sqrt(square)) / 0.5;
        weight[i] = r < 1 ? 0.75 * (1 - r * r) : 0;
    }
}

static inline double taf_value(const tc_rff *f, const model *models, const double *weight,
                               size_t who, double x)
{
    double sum = 0, total = 0, mean, var;
    for (size_t i = 0; i < N; i++) {
        if (weight[i] == 0)
            continue;
        slow_predict(f, &models[i], x, &mean, &var);
        total += weight[i];
        sum += weight[i] *
               (i == who ? slow_ei(mean, var, models[who].best) : fmax(0, mean - models[i].best));
    }
    return sum / total;
}

#endif
