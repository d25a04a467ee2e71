/* demo_model.c - generated patients and a small neural network (demo_model.h).
 *
 * A patient has 12 standardised measurements with a common cause: x_j = m_j + 0.6 g + 0.8 z_j, where g
 * and z are normal and m, the hospital's mix of cases, has standard deviation 0.3. The outcome is drawn
 * with log-odds 1.5 (-0.4 + v'x + sin u'x): a part that is linear and one that is not. Five of the
 * entries of v and u matter everywhere, and each hospital has its own deviation of 0.15 in all of them:
 * hospitals are similar, not equal. */
#include "demo/demo_model.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>

enum { MATTER = 5, EPOCHS = 15, START = 77 };
static const double COMMON = 0.6, OWN = 0.8, CASE_MIX = 0.3, DEVIATION = 0.15;
static const double BASE_RATE = -0.4, BEND = 1, STRENGTH = 1.5;

size_t tc_hospital_size(unsigned k)
{
    return TC_PATIENTS_SEEN + (size_t)(k * 7 % 8) * 10;
}

size_t tc_hospital_checked(unsigned k)
{
    return 1000 + (size_t)(k * 3 % 8) * 125;
}

/* What a hospital's patients have in common. */
typedef struct hospital {
    double mix[TC_PATIENT_FEATURES], straight[TC_PATIENT_FEATURES], bent[TC_PATIENT_FEATURES];
} hospital;

static hospital describe(const tc_public_seed *seed, unsigned k)
{
    tc_stream everywhere, here;
    hospital h;
    tc_stream_public(&everywhere, seed, TC_FOR_OBJECTIVE, 0);
    tc_stream_public(&here, seed, TC_FOR_OBJECTIVE, k);
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++) {
        double v = tc_draw_normal(&everywhere), u = tc_draw_normal(&everywhere);
        h.mix[j] = CASE_MIX * tc_draw_normal(&here);
        h.straight[j] = (j < MATTER ? v : 0) + DEVIATION * tc_draw_normal(&here);
        h.bent[j] = (j < MATTER ? u : 0) + DEVIATION * tc_draw_normal(&here);
    }
    return h;
}

static double sigmoid(double t)
{
    return 1 / (1 + exp(-t));
}

static void admit(const hospital *h, tc_stream *s, tc_patient *p)
{
    double g = tc_draw_normal(s), odds = BASE_RATE, angle = 0;
    for (size_t j = 0; j < TC_PATIENT_FEATURES; j++) {
        p->x[j] = h->mix[j] + COMMON * g + OWN * tc_draw_normal(s);
        odds += h->straight[j] * p->x[j];
        angle += h->bent[j] * p->x[j];
    }
    odds += BEND * sin(angle);
    p->y = tc_draw_uniform(s) < sigmoid(STRENGTH * odds) ? 1 : 0;
}

tacit_status tc_hospital_records(uint64_t seed, unsigned k, size_t checked, tc_patient **out,
                                 tacit_error *err)
{
    size_t n = tc_hospital_size(k) + checked;
    tc_public_seed root = tc_public_seed_from(seed);
    hospital h = describe(&root, k);
    tc_stream s;
    tc_patient *p = tc_alloc(n, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    tc_stream_public(&s, &root, TC_FOR_OBSERVATION, k);
    for (size_t i = 0; i < n; i++)
        admit(&h, &s, &p[i]);
    *out = p;
    return TACIT_OK;
}

/* ---- the model ---- */

static void begin(tc_network *m, unsigned hidden)
{
    tc_public_seed seed = tc_public_seed_from(START);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    *m = (tc_network){.hidden = hidden};
    for (size_t i = 0; i < hidden; i++) {
        for (size_t j = 0; j < TC_PATIENT_FEATURES; j++)
            m->in[i][j] = tc_draw_normal(&s) / sqrt(TC_PATIENT_FEATURES);
        m->out[i] = tc_draw_normal(&s) / sqrt(hidden);
    }
}

/* The log-odds; what the units say is in `unit`. */
static double forward(const tc_network *m, const tc_patient *p, double unit[TC_HIDDEN_MOST])
{
    double t = m->out_bias;
    for (size_t i = 0; i < m->hidden; i++) {
        double u = m->in_bias[i];
        for (size_t j = 0; j < TC_PATIENT_FEATURES; j++)
            u += m->in[i][j] * p->x[j];
        unit[i] = tanh(u);
        t += m->out[i] * unit[i];
    }
    return t;
}

static void step(tc_network *m, const tc_patient *p, double lr, double l2)
{
    double unit[TC_HIDDEN_MOST];
    double residual = sigmoid(forward(m, p, unit)) - p->y;
    for (size_t i = 0; i < m->hidden; i++) {
        double back = residual * m->out[i] * (1 - unit[i] * unit[i]);
        for (size_t j = 0; j < TC_PATIENT_FEATURES; j++)
            m->in[i][j] -= lr * (back * p->x[j] + l2 * m->in[i][j]);
        m->in_bias[i] -= lr * back;
        m->out[i] -= lr * (residual * unit[i] + l2 * m->out[i]);
    }
    m->out_bias -= lr * residual;
}

void tc_network_train(tc_network *m, const tc_patient *p, size_t n, const tc_settings *s)
{
    begin(m, s->hidden);
    for (size_t epoch = 0; epoch < EPOCHS; epoch++)
        for (size_t i = 0; i < n; i++)
            step(m, &p[i], s->lr, s->l2);
}

double tc_network_probability(const tc_network *m, const tc_patient *p)
{
    double unit[TC_HIDDEN_MOST];
    return sigmoid(forward(m, p, unit));
}

double tc_network_loss(const tc_network *m, const tc_patient *p, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double q = fmin(fmax(tc_network_probability(m, &p[i]), 0.01), 0.99);
        sum -= log(p[i].y > 0 ? q : 1 - q);
    }
    return sum / (double)n;
}

double tc_network_error(const tc_network *m, const tc_patient *p, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += (tc_network_probability(m, &p[i]) > 0.5) != (p[i].y > 0);
    return (double)wrong / (double)n;
}

double tc_hospital_trial(const tc_patient *records, unsigned k, const tc_check *check,
                         const tc_settings *s)
{
    size_t n = tc_hospital_size(k);
    tc_network m;
    tc_network_train(&m, records, n, s);
    return check->error ? tc_network_error(&m, records + n, check->records)
                        : tc_network_loss(&m, records + n, check->records);
}
