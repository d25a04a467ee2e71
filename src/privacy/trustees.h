/* trustees.h - the terms of a committee of trustees: who must be honest, who may be absent, how much noise each deals.
 *
 * Where a study has trustees its coordinator sees no vector and draws no noise. Agents split their vectors into shares, one for
 * each of K trustees (share.h); trustees add up what they hold, and any t + 1 sums give the total. Trustees deal the noise, too,
 * in the same way. At most c trustees may work together with the coordinator:
 *
 *   c <= t            c shares of a vector say nothing about it
 *   K <= 2t + 1 - c   a coordinator cannot have two sets of agents summed in one round: two sets of t + 1 answers have
 *                     more than c trustees in common, and an honest one answers once
 *   c < r             of r dealers of noise h = r - c are honest; each deals variance s^2/h, so the sum has s^2 at least
 *
 * A round uses the noise of exactly r dealers: its variance is r s^2/h, whoever is absent. Public constants of a
 * study. Called by the document, the accountants' statement, algorithms, the coordinator, trustees and agents. */
#ifndef TC_PRIVACY_TRUSTEES_H
#define TC_PRIVACY_TRUSTEES_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stdint.h>

enum { TC_TRUSTEES_LEAST = 3, TC_TRUSTEES_MOST = 16 };

typedef struct tc_trustees {
    uint32_t count;     /* K; 0: there are none, the coordinator is trusted */
    uint32_t degree;    /* t: t + 1 answers open a sum */
    uint32_t colluding; /* c: so many may work with the coordinator */
    uint32_t dealers;   /* r: so many deal the noise of a round */
} tc_trustees;

/* The terms that are recommended for K trustees: c = 1 up to six and 2 from seven on, the least t, r = t + 1. */
tc_trustees tc_trustees_usual(uint32_t count);
/* The least t for these. */
uint32_t tc_trustees_least_degree(uint32_t count, uint32_t colluding);
/* E_ARG names the member of "federation.trustees" and what is allowed. */
tacit_status tc_trustees_check(const tc_trustees *t, tacit_error *err);
/* How many trustees may be absent: then nothing is checked, and nobody named. */
uint32_t tc_trustees_absent(const tc_trustees *t);
/* With `answers` of them: how many wrong ones are noticed, and how many of these are named, whatever c liars do together.
 *
 * With s = answers - t - 1 to spare, e wrong ones can be located if 2e <= s. But c trustees can lie so that their answers and t honest
 * ones lie on another polynomial: only answers - t - c honest ones are then off, and if these are at most e they are the ones that would be
 * named, and the sum would be wrong. So e <= s - c, too: of eight with t = 5 and c = 2, two are noticed and none is named. */
uint32_t tc_trustees_noticed(const tc_trustees *t, uint32_t answers);
uint32_t tc_trustees_named(const tc_trustees *t, uint32_t answers);
/* sqrt(r/h): the noise of a round over that of a coordinator that is trusted. */
double tc_trustees_spread(const tc_trustees *t);
/* sqrt((r - c')/h) for c' > c colluding trustees, where K <= 2t + 1 - c': what is left of the noise multiplier
 * against them. 0: nothing is promised. */
double tc_trustees_left(const tc_trustees *t, uint32_t colluding);

#endif
