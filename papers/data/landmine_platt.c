/* landmine_platt.c - probabilities from decision values [Platt 1999; Lin, Lin, Weng 2007].
 *
 * P(mine | f) = 1 / (1 + exp(A f + B)), with A and B of the largest likelihood, as libsvm finds them:
 * Newton steps with backtracking from A = 0, and none where the gradient is small there. Where a machine
 * has learnt nothing A may be positive, which turns its order round, or 0, which makes all rows alike: that
 * is what this is here for. See landmine.h; only landmine_svm.c calls it. */
#include "papers/data/landmine_int.h"

#include <math.h>

enum { STEPS = 100 };

static const double SMALL = 1e-5, LEAST_STEP = 1e-10, RIDGE = 1e-12, CLIP = 1e-7;

typedef struct sample {
    size_t n;
    const double *f;
    double t[TC_LANDMINE_ROWS]; /* targets, a little off 0 and 1 */
} sample;

static double sigmoid(double u)
{
    return u >= 0 ? exp(-u) / (1 + exp(-u)) : 1 / (1 + exp(u));
}

/* -ln p and -ln(1 - p) without overflow, weighed by the targets. */
static double loss(const sample *s, double A, double B)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        double u = s->f[i] * A + B;
        sum += u >= 0 ? s->t[i] * u + log1p(exp(-u)) : (s->t[i] - 1) * u + log1p(exp(u));
    }
    return sum;
}

/* Gradient (A, B) and Hessian (AA, AB, BB). */
static void slopes(const sample *s, double A, double B, double g[2], double H[3])
{
    g[0] = g[1] = H[1] = 0;
    H[0] = H[2] = RIDGE;
    for (size_t i = 0; i < s->n; i++) {
        double p = sigmoid(s->f[i] * A + B);
        double d = s->t[i] - p, w = p * (1 - p);
        g[0] += s->f[i] * d;
        g[1] += d;
        H[0] += s->f[i] * s->f[i] * w;
        H[1] += s->f[i] * w;
        H[2] += w;
    }
}

/* One Newton step, halved until the loss falls enough; false: none does. */
static bool step(const sample *s, double *A, double *B, const double g[2], const double H[3])
{
    double det = H[0] * H[2] - H[1] * H[1];
    double dA = -(H[2] * g[0] - H[1] * g[1]) / det, dB = -(H[0] * g[1] - H[1] * g[0]) / det;
    double fall = g[0] * dA + g[1] * dB, now = loss(s, *A, *B);
    for (double part = 1; part >= LEAST_STEP; part /= 2)
        if (loss(s, *A + part * dA, *B + part * dB) < now + 1e-4 * part * fall) {
            *A += part * dA;
            *B += part * dB;
            return true;
        }
    return false;
}

void tc_landmine_platt(size_t n, const bool *label, const double *decision, double *A, double *B)
{
    sample s = {.n = n, .f = decision};
    double mines = 0, g[2], H[3];
    for (size_t i = 0; i < n; i++)
        mines += label[i];
    for (size_t i = 0; i < n; i++)
        s.t[i] = label[i] ? (mines + 1) / (mines + 2) : 1 / ((double)n - mines + 2);
    *A = 0;
    *B = log(((double)n - mines + 1) / (mines + 1));
    for (int k = 0; k < STEPS; k++) {
        slopes(&s, *A, *B, g, H);
        if ((fabs(g[0]) < SMALL && fabs(g[1]) < SMALL) || !step(&s, A, B, g, H))
            return;
    }
}

double tc_landmine_probability(double decision, double A, double B)
{
    return fmin(fmax(sigmoid(decision * A + B), CLIP), 1 - CLIP);
}
