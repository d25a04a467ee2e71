/* demo_model.c - generated patients and a logistic regression (demo_model.h).
 *
 * A patient has 20 standardised measurements with a common cause: x_j = m_j + 0.6 g + 0.8 z_j, where g
 * and z are normal and m, the hospital's mix of cases, has standard deviation 0.3. The outcome is
 * drawn with log-odds -0.4 + v'x. Six of the entries of v matter everywhere, and each hospital has
 * its own deviation of 0.2 in all of them: hospitals are similar, not equal. */
#include "demo_model.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>

enum { SEED = 2021, MATTER = 6, EPOCHS = 20 };
static const double COMMON = 0.6, OWN = 0.8, CASE_MIX = 0.3, DEVIATION = 0.2, BASE_RATE = -0.4;

size_t tc_hospital_size(unsigned k)
{
    return TC_PATIENTS_SEEN + (size_t)(k * 7 % TC_HOSPITALS) * 10;
}

/* What a hospital's patients have in common. */
typedef struct hospital {
    double mix[TC_PATIENT_FEATURES], effect[TC_PATIENT_FEATURES];
} hospital;

static hospital describe(unsigned k)
{
    tc_public_seed seed = tc_public_seed_from(SEED);
    tc_stream everywhere, here;
    hospital h;
    tc_stream_public(&everywhere, &seed, TC_FOR_OBJECTIVE, 0);
    tc_stream_public(&here, &seed, TC_FOR_OBJECTIVE, k);
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++) {
        double shared = tc_draw_normal(&everywhere);
        h.mix[j] = CASE_MIX * tc_draw_normal(&here);
        h.effect[j] = (j < MATTER ? shared : 0) + DEVIATION * tc_draw_normal(&here);
    }
    return h;
}

static double sigmoid(double t)
{
    return 1 / (1 + exp(-t));
}

static void admit(const hospital *h, tc_stream *s, tc_patient *p)
{
    double g = tc_draw_normal(s), odds = BASE_RATE;
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++) {
        p->x[j] = h->mix[j] + COMMON * g + OWN * tc_draw_normal(s);
        odds += h->effect[j] * p->x[j];
    }
    p->y = tc_draw_uniform(s) < sigmoid(odds) ? 1 : 0;
}

tacit_status tc_hospital_records(unsigned k, tc_patient **out, tacit_error *err)
{
    size_t n = tc_hospital_size(k) + TC_PATIENTS_CHECKED;
    tc_public_seed seed = tc_public_seed_from(SEED);
    hospital h = describe(k);
    tc_stream s;
    tc_patient *p = tc_alloc(n, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, k);
    for (size_t i = 0; i < n; i++)
        admit(&h, &s, &p[i]);
    *out = p;
    return TACIT_OK;
}

/* ---- the model ---- */

double tc_logistic_probability(const tc_logistic *m, const tc_patient *p)
{
    double t = m->bias;
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++)
        t += m->w[j] * p->x[j];
    return sigmoid(t);
}

static void step(tc_logistic *m, const tc_patient *p, double lr, double l2)
{
    double residual = tc_logistic_probability(m, p) - p->y;
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++)
        m->w[j] -= lr * (residual * p->x[j] + l2 * m->w[j]);
    m->bias -= lr * residual;
}

void tc_logistic_train(tc_logistic *m, const tc_patient *p, size_t n, double lr, double l2)
{
    *m = (tc_logistic){0};
    for (size_t epoch = 0; epoch < EPOCHS; epoch++)
        for (size_t i = 0; i < n; i++)
            step(m, &p[i], lr, l2);
}

double tc_logistic_loss(const tc_logistic *m, const tc_patient *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double q = fmin(fmax(tc_logistic_probability(m, &p[i]), 0.01), 0.99);
        sum -= log(p[i].y > 0 ? q : 1 - q);
    }
    return sum / (double)n;
}
