/* fed_hct.h - what the clients and the server of fed-hct share (fed_hct.c, fed_hct_server.c). */
#ifndef TC_ALGO_TREE_FED_HCT_H
#define TC_ALGO_TREE_FED_HCT_H

#include "algo/tree/hct.h"

/* A message is the sum of the squares of all rewards, then TC_FED_HCT_SENT numbers for each cell:
 * depth, cell, samples, sum. The broadcast has TC_FED_HCT_CAST for each, by depth and then by cell:
 * those four of all clients together, and how many pseudo-samples they are worth. */
enum { TC_FED_HCT_SENT = 4, TC_FED_HCT_CAST = 5 };

__extension__ typedef unsigned __int128 tc_wide;

/* What the samples of one node say about how much the clients differ there. */
typedef struct tc_fed_hct_tally {
    uint64_t clients;  /* C: those with samples of it */
    int64_t parts;     /* Q: the sum over clients of sum_m^2 / n_m */
    tc_wide n_squares; /* the sum over clients of n_m^2 */
} tc_fed_hct_tally;

typedef struct tc_fed_hct_server {
    const tc_fed_hct_options *o;
    uint64_t clients, budget, folded;
    int64_t squares;         /* of all rewards of all clients */
    tc_tree tree;            /* n and sum of all clients */
    tc_fed_hct_tally *tally; /* beside tree.nodes */
    size_t n_tally, tally_cap;
} tc_fed_hct_server;

tacit_status tc_fed_hct_server_init(tc_fed_hct_server *s, const tc_bandit_env *env,
                                    const tc_fed_hct_options *o, tacit_error *err);
void tc_fed_hct_server_fini(tc_fed_hct_server *s);
tacit_status tc_fed_hct_server_fold(tc_fed_hct_server *s, const tc_numbers *m, tacit_error *err);
tacit_status tc_fed_hct_server_close(tc_fed_hct_server *s, tc_numbers *broadcast, tacit_error *err);

#endif
