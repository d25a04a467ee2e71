/* demo_model.h - what a hospital of the demonstration tunes: a real model on its own records.
 *
 * The records are generated, the same for everybody who asks for the same hospital; the model and its
 * training are ordinary ones. Only demo_train.c, demo_world.c and the test include this. */
#ifndef TC_PROGRAM_DEMO_MODEL_H
#define TC_PROGRAM_DEMO_MODEL_H

#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

enum {
    TC_HOSPITALS = 8,
    TC_PATIENT_FEATURES = 20, /* measurements of a patient */
    TC_PATIENTS_SEEN = 60,    /* records that the smallest hospital trains on */
    TC_PATIENTS_CHECKED = 300 /* records that each validates on */
};

typedef struct tc_patient {
    double x[TC_PATIENT_FEATURES]; /* standardised */
    double y;                      /* 1: came back within a month; else 0 */
} tc_patient;

/* How many records hospital k = 1 .. TC_HOSPITALS trains on. */
size_t tc_hospital_size(unsigned k);

/* The records of a hospital: the first tc_hospital_size(k) to train on, TC_PATIENTS_CHECKED more to
 * validate. End with tc_free. */
tacit_status tc_hospital_records(unsigned k, tc_patient **out, tacit_error *err);

typedef struct tc_logistic {
    double w[TC_PATIENT_FEATURES], bias;
} tc_logistic;

/* Stochastic gradient descent on the log-loss with l2/2 |w|^2, always in the same order. */
void tc_logistic_train(tc_logistic *m, const tc_patient *p, size_t n, double lr, double l2);
/* Mean log-loss; probabilities are held to [0.01, 0.99]. */
double tc_logistic_loss(const tc_logistic *m, const tc_patient *p, size_t n);
double tc_logistic_probability(const tc_logistic *m, const tc_patient *p);

#endif
