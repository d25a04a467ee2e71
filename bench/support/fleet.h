/* fleet.h - a coordinator and the agents of one study in one process, on a clock of their own.
 *
 * The coordinator is coord/, the agents are agent/; only the network between them is made up. A message
 * takes a while, and in some rounds an agent is not there at all. Whoever is away when its message should
 * leave cannot be reached before it is back: it then sends what it had ready, is told that it is late,
 * and goes on with the broadcast. Time passes in ticks of the coordinator's timer and between them when
 * a message comes. Everything is from seeds: a fleet does the same every time. */
#ifndef BENCH_SUPPORT_FLEET_H
#define BENCH_SUPPORT_FLEET_H

#include "privacy/ledger.h"
#include "wire/study_doc.h"

enum { FLEET_TICK_MS = 250 };

typedef struct fleet_config {
    const tc_study_doc *document; /* named "s", with a seed, a deadline and a finite space */
    double drop;                  /* the probability that an agent stays away for a round */
    double delay_s, delay_log_sd; /* the others' delays are log-normal: median, and sd of the log */
    double (*objective)(void *user, uint64_t agent, uint64_t trial, const double *values);
    void *user;
} fleet_config;

typedef struct fleet_counts {
    uint64_t messages;      /* that were due: agents x rounds */
    uint64_t in_time;       /* of them, in the sum */
    uint64_t away, slow;    /* of the others: not there; there, and behind the deadline */
    uint64_t rounds;        /* that ended */
    uint64_t closed_timely; /* of them, one tick after the deadline or before */
} fleet_counts;

typedef struct fleet fleet;

/* Runs the whole study. cfg is borrowed until fleet_free. */
tacit_status fleet_run(fleet **out, const fleet_config *cfg, tacit_error *err);
void fleet_free(fleet *f); /* NULL is allowed */

fleet_counts fleet_count(const fleet *f);
/* Did the message of this round reach the sum? */
bool fleet_heard(const fleet *f, uint64_t round, uint64_t agent);
/* Writes the point of a trial. */
tacit_status fleet_point(fleet *f, uint64_t agent, uint64_t trial, double *values,
                         tacit_error *err);
/* The coordinator's ledger; the caller closes it before the fleet is freed. */
tacit_status fleet_ledger(fleet *f, tc_ledger **out, tacit_error *err);
/* The study as all its parties run it. */
const struct tc_study_plan *fleet_plan(const fleet *f);

#endif
