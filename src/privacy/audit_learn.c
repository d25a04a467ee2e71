/* audit_learn.c - a distinguisher that is learned from outputs, for what no formula foresaw.
 *
 * A case's own score is the likelihood ratio of the mechanism as it should be: it looks along the
 * contribution and is blind to noise that is wrong in other directions (the same in two
 * coordinates, say, whose difference then shows the data bare). So outputs of both worlds are whitened by
 * the covariance found in them, and the score is the projection on what is left of the difference
 * of their means: Fisher's linear discriminant, w = S^-1 (m1 - m0). Runs that were learned from are not counted, so
 * that learning costs no confidence.
 *
 * Each coordinate is measured in its own standard deviation first. A direction without noise has a
 * variance of nothing; RIDGE stands for it, and makes such a direction weigh 1e9. */
#include "privacy/audit_learn.h"

#include <math.h>

static const double RIDGE = 1e-9;

void tc_audit_learn_add(tc_audit_learner *l, int world, const double *x)
{
    double before[TC_AUDIT_FEATURES], *mean = l->mean[world];
    l->count[world]++;
    for (size_t i = 0; i < l->features; i++) {
        before[i] = x[i] - mean[i];
        mean[i] += before[i] / l->count[world];
    }
    for (size_t i = 0; i < l->features; i++)
        for (size_t j = 0; j <= i; j++)
            l->spread[i * l->features + j] += before[i] * (x[j] - mean[j]);
}

/* Cholesky's factor of the lower triangle, in place. The ridge keeps pivots positive; where rounding
 * has eaten one, the ridge itself stands for it. */
static void factor(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double pivot = a[j * n + j];
        for (size_t k = 0; k < j; k++)
            pivot -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = sqrt(fmax(pivot, RIDGE));
        for (size_t i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = sum / a[j * n + j];
        }
    }
}

static void solve(const double *a, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= a[i * n + k] * x[k];
        x[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= a[k * n + i] * x[k];
        x[i] /= a[i * n + i];
    }
}

void tc_audit_learn_end(tc_audit_learner *l)
{
    const size_t n = l->features;
    double sd[TC_AUDIT_FEATURES], *a = l->spread;
    double runs = l->count[0] + l->count[1];
    for (size_t i = 0; i < n; i++) {
        double variance = a[i * n + i] / runs;
        sd[i] = variance > 0 ? sqrt(variance) : 1;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
            a[i * n + j] /= runs * sd[i] * sd[j];
        a[i * n + i] += RIDGE;
        l->weight[i] = (l->mean[1][i] - l->mean[0][i]) / sd[i];
    }
    factor(a, n);
    solve(a, n, l->weight);
    for (size_t i = 0; i < n; i++)
        l->weight[i] /= sd[i];
}

double tc_audit_learn_score(const tc_audit_learner *l, const double *x)
{
    double score = 0;
    for (size_t i = 0; i < l->features; i++)
        score += l->weight[i] * x[i];
    return score;
}
