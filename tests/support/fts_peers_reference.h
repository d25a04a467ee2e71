/* fts_peers_reference.h - rgpe and taf written in the open, on a line. For fts_peers_test.c and
 * fts_peers_box_test.c, after support/test.h. */
#ifndef TC_SUPPORT_FTS_PEERS_REFERENCE_H
#define TC_SUPPORT_FTS_PEERS_REFERENCE_H

#include "support/fts_federation.h"

#include <stdlib.h>

enum { M = 7, INITIAL = 5, N = 5, S = 20, LONG = 2000 };

#define BASE "\"own\": \"features\", \"features\": 7, \"initial\": 5, \"lengthscale\": 0.2"

static const double lambda = 0.01;

/* ---- what is tested ---- */

typedef enum method { RGPE, TAF_DRAW, TAF_MEAN, TAF_PAIRS } method;

static const char *const options_of[] = {
    "{" BASE ", \"samples\": 20}",
    "{" BASE "}",
    "{" BASE ", \"improvement\": \"mean\"}",
    "{" BASE ", \"distance\": \"pairs\"}",
};

static inline const tc_algorithm *algorithm_of(method how)
{
    return how == RGPE ? &tc_algorithm_rgpe : &tc_algorithm_taf;
}

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

/* C C' = A */
static inline void slow_root(double A[M][M], double C[M][M])
{
    memset(C, 0, M * sizeof *C);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= C[i][k] * C[j][k];
            C[i][j] = i == j ? sqrt(sum) : sum / C[j][j];
        }
}

/* The weights of one function drawn from a model with root C of P: jointly at all points. */
static inline void slow_function(const model *m, double C[M][M], tc_stream *s, double *w)
{
    memcpy(w, m->nu, M * sizeof *w);
    for (size_t j = 0; j < M; j++) {
        double e = tc_draw_normal(s);
        for (size_t i = j; i < M; i++)
            w[i] += sqrt(lambda) * C[i][j] * e;
    }
}

/* Is the ordered pair (j,k) in the wrong order if the guesses are gj and gk? */
static inline bool slow_wrong(const data *d, size_t j, size_t k, double gj, double gk)
{
    return d->y[j] != d->y[k] && (gj < gk) != (d->y[j] < d->y[k]);
}

static inline unsigned slow_loss(const data *d, const double *g)
{
    unsigned wrong = 0;
    for (size_t j = 0; j < d->n; j++)
        for (size_t k = 0; k < d->n; k++)
            wrong += slow_wrong(d, j, k, g[j], g[k]);
    return wrong;
}

static inline int compare(const void *a, const void *b)
{
    return (int)*(const unsigned *)a - (int)*(const unsigned *)b;
}

/* numpy.quantile */
static inline double slow_quantile(const unsigned *loss, size_t samples, double q)
{
    unsigned sorted[LONG];
    memcpy(sorted, loss, samples * sizeof *sorted);
    qsort(sorted, samples, sizeof *sorted, compare);
    double at = q * (double)(samples - 1);
    double low = sorted[(size_t)floor(at)], high = sorted[(size_t)ceil(at)];
    return low + (at - floor(at)) * (high - low);
}

/* Of the own model, by definition: for each j a model that has never seen observation j, fitted
 * from the beginning, and a function drawn from it; x_j against all x_k of that function. */
static inline void slow_own_by_definition(const tc_rff *f, const data *d, tc_stream *s,
                                          size_t samples, unsigned *loss)
{
    double phi[100][M], C[M][M], w[M], g[100];
    memset(loss, 0, samples * sizeof *loss);
    for (size_t i = 0; i < d->n; i++)
        tc_rff_at(f, &d->x[i], phi[i]);
    for (size_t j = 0; j < d->n; j++) {
        model without = slow_model(f, d, j);
        slow_root(without.P, C);
        for (size_t k = 0; k < samples; k++) {
            slow_function(&without, C, s, w);
            for (size_t i = 0; i < d->n; i++) {
                g[i] = 0;
                for (size_t m = 0; m < M; m++)
                    g[i] += phi[i][m] * w[m];
            }
            for (size_t i = 0; i < d->n; i++)
                loss[k] += slow_wrong(d, j, i, g[j], g[i]);
        }
    }
}

/* lambda phi(x)'P phi(z) */
static inline double slow_covariance(const tc_rff *f, const model *m, double x, double z)
{
    double phi[M], psi[M], sum = 0;
    tc_rff_at(f, &x, phi);
    tc_rff_at(f, &z, psi);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            sum += lambda * phi[i] * m->P[i][j] * psi[j];
    return sum;
}

/* sqrt(lambda) phi(x)'L^-T e with L L' = Sigma: what a draw of f from normal numbers e adds to its
 * mean. */
static inline double slow_deviation(const tc_rff *f, double L[M][M], const double *e, double x)
{
    double b[M], sum = 0;
    tc_rff_at(f, &x, b);
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < i; j++)
            b[i] -= L[i][j] * b[j];
        b[i] /= L[i][i];
        sum += sqrt(lambda) * b[i] * e[i];
    }
    return sum;
}

/* The same law from the numbers that rgpe draws: the deviation of f, which all models share, and a
 * second term that makes up for what the model without j has more variance. */
static inline void slow_own(const tc_rff *f, const data *d, tc_stream *s, unsigned *loss)
{
    static model without[100];
    model all = slow_model(f, d, SIZE_MAX);
    double Sigma[M][M], P[M][M], L[M][M], e[M], more[100], mean, var;
    memcpy(P, all.P, sizeof P);
    slow_inverse(P, Sigma);
    slow_root(Sigma, L);
    for (size_t j = 0; j < d->n; j++)
        without[j] = slow_model(f, d, j);
    for (size_t k = 0; k < S; k++) {
        for (size_t i = 0; i < M; i++)
            e[i] = tc_draw_normal(s);
        for (size_t j = 0; j < d->n; j++)
            more[j] = tc_draw_normal(s);
        loss[k] = 0;
        for (size_t j = 0; j < d->n; j++) {
            double xj = d->x[j], g[100], extra[100];
            for (size_t i = 0; i < d->n; i++)
                extra[i] = slow_covariance(f, &without[j], xj, d->x[i]) -
                           slow_covariance(f, &all, xj, d->x[i]);
            for (size_t i = 0; i < d->n; i++) {
                slow_predict(f, &without[j], d->x[i], &mean, &var);
                g[i] =
                    mean + slow_deviation(f, L, e, d->x[i]) + extra[i] / sqrt(extra[j]) * more[j];
            }
            for (size_t i = 0; i < d->n; i++)
                loss[k] += slow_wrong(d, j, i, g[j], g[i]);
        }
    }
}

/* By value; equal ones as they were. */
static inline data slow_sorted(const data *d)
{
    data s = {.n = d->n};
    for (size_t i = 0; i < d->n; i++) {
        size_t at = i;
        for (; at > 0 && s.y[at - 1] > d->y[i]; at--) {
            s.x[at] = s.x[at - 1];
            s.y[at] = s.y[at - 1];
        }
        s.x[at] = d->x[i];
        s.y[at] = d->y[i];
    }
    return s;
}

static inline void slow_others(const tc_rff *f, const model *m, const data *d, tc_stream *s,
                               size_t samples, unsigned *loss)
{
    double mean[100], var[100], g[100];
    for (size_t j = 0; j < d->n; j++)
        slow_predict(f, m, d->x[j], &mean[j], &var[j]);
    for (size_t k = 0; k < samples; k++) {
        for (size_t j = 0; j < d->n; j++)
            g[j] = mean[j] + sqrt(var[j]) * tc_draw_normal(s);
        loss[k] = slow_loss(d, g);
    }
}

/* samples: S, with the numbers that rgpe draws; or LONG, by definition, with others. Weight -1: does
 * not take part. */
static inline void slow_rgpe(const tc_rff *f, const model *models, const data *own, size_t who,
                             size_t samples, double *weight)
{
    static unsigned loss[N][LONG];
    data d = slow_sorted(own);
    tc_party_seed seed = tc_party_seed_from(4);
    tc_stream s;
    tc_stream_party(&s, &seed, who, TC_FOR_DRAW, samples == S ? own->n : 1000 + own->n);
    if (samples == S)
        slow_own(f, &d, &s, loss[who]);
    else
        slow_own_by_definition(f, &d, &s, samples, loss[who]);
    for (size_t i = 0; i < N; i++)
        if (i != who && models[i].here)
            slow_others(f, &models[i], &d, &s, samples, loss[i]);
    double limit = slow_quantile(loss[who], samples, 0.95);
    for (size_t i = 0; i < N; i++) {
        bool in = i == who || (models[i].here && slow_quantile(loss[i], samples, 0.5) <= limit);
        weight[i] = in ? 0 : -1;
    }
    for (size_t k = 0; k < samples; k++) {
        size_t winner = who;
        for (size_t i = 0; i < N; i++)
            if (weight[i] >= 0 && loss[i][k] < loss[winner][k])
                winner = i;
        weight[winner] += 1.0 / (double)samples;
    }
}

static inline double rgpe_value(const tc_rff *f, const model *models, const double *weight,
                                size_t who, double x)
{
    double m = 0, v = 0, mean, var;
    for (size_t i = 0; i < N; i++) {
        if (weight[i] <= 0)
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
    double C[M][M], w[M];
    tc_party_seed seed = tc_party_seed_from(4);
    tc_stream s;
    tc_stream_party(&s, &seed, who, TC_FOR_MESSAGE, 1 + party);
    slow_root(m->P, C);
    slow_function(m, C, &s, w);
    memcpy(m->nu, w, sizeof w);
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
        if (weight[i] <= 0)
            continue;
        slow_predict(f, &models[i], x, &mean, &var);
        total += weight[i];
        sum += weight[i] *
               (i == who ? slow_ei(mean, var, models[who].best) : fmax(0, mean - models[i].best));
    }
    return sum / total;
}

#endif
