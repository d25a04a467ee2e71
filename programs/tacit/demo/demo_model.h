/* demo_model.h - what a hospital of the demonstration tunes: a real model on its own records.
 *
 * The records are generated, the same for everybody who asks for the same hospital; the model and its
 * training are ordinary ones. The other files of the demonstration and the test include this. */
#ifndef TC_PROGRAM_DEMO_MODEL_H
#define TC_PROGRAM_DEMO_MODEL_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TC_HOSPITALS_MOST = 100,
    TC_PATIENT_FEATURES = 12,  /* measurements of a patient */
    TC_PATIENTS_SEEN = 90,     /* records that the smallest hospital trains on */
    TC_PATIENTS_CHECKED = 600, /* records that each validates on, where hospitals are protected */
    TC_RECORDS_MOST = 100000,  /* ... and at most */
    TC_HIDDEN_MOST = 32
};

typedef struct tc_patient {
    double x[TC_PATIENT_FEATURES]; /* standardised */
    double y;                      /* 1: came back within a month; else 0 */
} tc_patient;

/* How many records hospital k = 1 .. TC_HOSPITALS_MOST trains on. */
size_t tc_hospital_size(unsigned k);

/* How many it validates on where those are protected: 1000 to 1875. */
size_t tc_hospital_checked(unsigned k);

/* How a trial is judged, and on how many records. */
typedef struct tc_check {
    bool error; /* by the share of patients who are foretold wrongly; else by the log-loss */
    size_t records;
} tc_check;

/* The records of a hospital: the first tc_hospital_size(k) to train on, `checked` more to validate; who asks for more has the
 * same ones first. Another seed is another country, with other hospitals. End with tc_free. */
tacit_status tc_hospital_records(uint64_t seed, unsigned k, size_t checked, tc_patient **out,
                                 tacit_error *err);

/* What is tuned. */
typedef struct tc_settings {
    double lr, l2;
    unsigned hidden; /* 1 .. TC_HIDDEN_MOST */
} tc_settings;

/* One layer of `hidden` units between the measurements and the log-odds. */
typedef struct tc_network {
    unsigned hidden;
    double in[TC_HIDDEN_MOST][TC_PATIENT_FEATURES], in_bias[TC_HIDDEN_MOST];
    double out[TC_HIDDEN_MOST], out_bias;
} tc_network;

/* Stochastic gradient descent on the log-loss with l2/2 |w|^2, always from the same start and in the same
 * order. */
void tc_network_train(tc_network *m, const tc_patient *p, size_t n, const tc_settings *s);
/* Mean log-loss; probabilities are held to [0.01, 0.99]. */
double tc_network_loss(const tc_network *m, const tc_patient *p, size_t n);
/* The share of patients whose outcome is not the likelier one: a record's loss is 0 or 1, so that one record moves the
 * mean of n by 1/n at most. */
double tc_network_error(const tc_network *m, const tc_patient *p, size_t n);
double tc_network_probability(const tc_network *m, const tc_patient *p);

/* One trial: trains on a hospital's records and judges by those to validate on, of which there are check->records. */
double tc_hospital_trial(const tc_patient *records, unsigned k, const tc_check *check,
                         const tc_settings *s);

#endif
