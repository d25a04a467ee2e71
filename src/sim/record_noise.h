/* record_noise.h - values with noise for single records, in a simulation: what tacit simulate --unit record adds.
 *
 * Every agent's metric is a mean over validation records of its own, n of them, each with a loss within a public
 * range: one record moves it by range/n. Each evaluation gets the noise of privacy/value.c, and all that follows
 * is made of such values, so it costs nothing. Noise comes from the seed of the run: nothing is private, and what
 * is said of privacy is what a deployment would promise. For the files source_*.c and plan_records.c. */
#ifndef TC_SIM_RECORD_NOISE_H
#define TC_SIM_RECORD_NOISE_H

#include "base/memory.h"
#include "base/text.h"
#include "privacy/accountant.h"
#include "privacy/mechanism.h"

typedef struct tc_record_terms {
    const char *records;   /* "1000", or a list that agents take in turn: "300,5000" */
    const char *range;     /* "0:1", of each record's loss, in the units that algorithms are told */
    bool maximize;         /* which end stands for a failure */
    double epsilon, delta; /* for all evaluations of one agent together */
    uint64_t evaluations;  /* of each agent */
} tc_record_terms;

typedef struct tc_record_noise {
    tc_value_plan plan; /* of an agent, but for its sensitivity */
    uint64_t *records;  /* agents take them in turn */
    double *noise_sd;   /* the same */
    size_t n;
    uint64_t evaluations;
    double distance; /* of one evaluation, the largest */
    double delta;
    tc_arena memory;
} tc_record_noise;

/* End with tc_record_noise_fini, also after a failure. E_ARG names the option (--records, --range). */
tacit_status tc_record_noise_init(tc_record_noise *r, const tc_record_terms *t, tacit_error *err);
void tc_record_noise_fini(tc_record_noise *r); /* all zero is allowed */

/* What a deployment would have spent of a record after so many evaluations. */
tacit_status tc_record_noise_cost(const tc_record_noise *r, const tc_accountant *a,
                                  uint64_t evaluations, tacit_guarantee *out, tacit_error *err);

double tc_record_noise_sd(const tc_record_noise *r, uint64_t agent);
/* *y becomes what may leave the agent. */
tacit_status tc_record_noise_add(const tc_record_noise *r, uint64_t seed, uint64_t agent,
                                 uint64_t trial, double *y, tacit_error *err);

/* All that determines it, for identities. */
void tc_record_noise_identify(const tc_record_noise *r, tc_text *out);
/* "Each evaluation of 1000 records got noise of sd 0.2 (z 20.4), as ...". */
void tc_record_noise_describe(const tc_record_noise *r, tc_text *out);

#endif
