/* agent_time.h - what an iteration costs an agent that learns from others.
 *
 * One agent on 1000 candidates of [0,1] with 10 initial points and 20 iterations. The others are one
 * message, handed out under every name: its content does not change the time. Users: experiments/fts_fig3.c,
 * papers/bench/fts.c. */
#ifndef TC_PAPERS_AGENT_TIME_H
#define TC_PAPERS_AGENT_TIME_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { TC_AGENT_ITERATIONS = 20 };

typedef struct tc_agent_time {
    double seconds[TC_AGENT_ITERATIONS]; /* of this thread's processor time */
    size_t message;                      /* bytes of a message */
} tc_agent_time;

/* algorithm: one whose agents read messages of others one by one (fts, rgpe, taf). features: M. */
tacit_status tc_agent_time_take(tc_agent_time *out, const char *algorithm, int features,
                                uint64_t agents, tacit_error *err);
/* The median of all iterations but the first, in which rgpe and taf read everything. */
double tc_agent_time_median(const tc_agent_time *t);

#endif
