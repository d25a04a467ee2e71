/* similarity.h - how much agents' objectives resemble each other: what a federation could gain at all.
 *
 * Measured in reproductions only, where all objectives are known; a deployed study never does. For the
 * files of experiments/. */
#ifndef TC_PAPERS_SIMILARITY_H
#define TC_PAPERS_SIMILARITY_H

#include <tacit/status.h>

#include <stddef.h>

typedef struct tc_similarity {
    double correlation; /* mean over pairs of agents, over all candidates */
    double others; /* mean regret of an agent at the best candidate of the mean of all others */
    double random; /* ... and at a uniform candidate */
} tc_similarity;

/* objective: a family with a finite domain, as for tc_family_new; words of tc_family_options, or NULL.
 * E_ARG: it has none, or there is only one agent. */
tacit_status tc_similarity_of(const char *objective, const char *words, size_t agents,
                              tc_similarity *out, tacit_error *err);

#endif
