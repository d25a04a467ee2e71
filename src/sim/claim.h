/* claim.h - what a deployment of a simulated study would promise. Nobody sees an epsilon without it.
 *
 * Of a simulation nothing is private: its noise comes from the seed. Where noise would hide something,
 * replies of users (answers.h) or rows that a curator released (curated.h), this says at what price,
 * in numbers and in words. For curve_write.c and whoever reports on a simulation. */
#ifndef TC_SIM_CLAIM_H
#define TC_SIM_CLAIM_H

#include "sim/simulation.h"

typedef struct tc_sim_claim {
    bool there;            /* false: nothing would be hidden, and nothing is said */
    const char *none;      /* why a deployment would promise nothing; NULL: it would */
    double epsilon, delta; /* where it would promise: for each ... */
    const char
        *per; /* "reply" of a "user", "release" of which a "row" is one, "study" of "record"s */
    tacit_unit unit;
    const char *mechanism;
    double noise_sd; /* of a reply, of a released value */
    double
        output_epsilon; /* of an answer about a row, beside the release; 0: it is not perturbed */
    tc_text promise;    /* the numbers in words */
} tc_sim_claim;

/* End with tc_sim_claim_fini. */
tacit_status tc_sim_claim_init(tc_sim_claim *c, const tc_simulation *sim, tacit_error *err);
void tc_sim_claim_fini(tc_sim_claim *c);
/* "NOT PRIVATE: seeded. If deployed: every row: epsilon 2.7, ..."; nothing where nothing is said. */
void tc_sim_claim_statement(const tc_sim_claim *c, tc_text *out);

#endif
