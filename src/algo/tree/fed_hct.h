/* fed_hct.h - what the files of fed-hct share: messages, the client's tree, the server.
 *
 *   fed_hct.c         the client: rounds, and what it borrows from the others; the bandit itself
 *   fed_hct_tree.c    its optimistic tree: bounds, and where to pull
 *   fed_hct_save.c    the client as numbers, and back
 *   fed_hct_message.c what a message and a broadcast may say
 *   fed_hct_server.c  adds up the trees of all clients
 *   fed_hct_judge.c   noise, smoothness and differences between clients, from those sums */
#ifndef TC_ALGO_TREE_FED_HCT_H
#define TC_ALGO_TREE_FED_HCT_H

#include "algo/tree/bandit.h"
#include "algo/tree/tree_options.h"

/* A message is the sum of the squares of all rewards, then TC_FED_HCT_SENT numbers for each cell:
 * depth, cell, samples, sum.
 *
 * The broadcast begins with TC_FED_HCT_HEAD numbers: v, the variance of a reward, a number H of depths,
 * and one of messages. For each depth from 1 to H follow the mean square of the steps from a cell to its
 * part at that depth, and that of the upward ones among them; for each message that was heard its mark,
 * rising, by which a client knows whether the sums contain its own. Then TC_FED_HCT_CAST numbers for each
 * cell, by depth and then by cell: those four of all clients together, and the variance of a client's
 * own mean around that of the others. Variances are in units of 2^-40. */
enum { TC_FED_HCT_SENT = 4, TC_FED_HCT_CAST = 5, TC_FED_HCT_HEAD = 3 };
#define TC_FED_HCT_UNIT (1.0 / (double)((int64_t)1 << 40))
/* All clients together have less pulls than this: 4 TC_REWARD_ONE of it are 2^63. */
#define TC_FED_HCT_PULLS ((int64_t)1 << 33)

/* E_ARG: so many clients could have too many pulls. A budget of 0 is none. */
tacit_status tc_fed_hct_check_size(const tc_bandit_env *env, tacit_error *err);
/* E_ARG: not what a client with at most `most` pulls sends; that a cell comes twice is not seen. */
tacit_status tc_fed_hct_check_message(const tc_numbers *m, const tc_tree *t, int64_t most,
                                      tacit_error *err);
/* E_CORRUPT: not a broadcast of fed-hct, for a client with this tree. */
tacit_status tc_fed_hct_check(const tc_numbers *broadcast, const tc_tree *t, tacit_error *err);

/* The mark of a message: over its numbers from 0 on, and then the end. It is below 2^52, which a
 * double holds. */
uint64_t tc_fed_hct_mark(uint64_t mark, int64_t number);
int64_t tc_fed_hct_mark_end(uint64_t mark);

/* Where things are in a broadcast that has been checked. */
typedef struct tc_fed_hct_parts {
    const int64_t *steps, *marks, *cells; /* steps: pairs, from depth 1 on */
    size_t depths, n_marks, n_cells;
} tc_fed_hct_parts;

tc_fed_hct_parts tc_fed_hct_parts_of(const tc_numbers *broadcast);

/* ---- the client ---- */

/* U and B of the tree follow from all else; tc_fed_hct_renew finds them again. */
typedef struct tc_fed_hct_client {
    tc_tree tree; /* first, as bandit.h wants it */
    const tc_fed_hct_options *o;
    uint64_t t;                     /* the number of the next pull, from 1 */
    uint64_t renew;                 /* when the bounds are renewed: 2, 4, 8, ... */
    uint64_t round;                 /* pulls after which the next round is due */
    int64_t squares;                /* of all own rewards */
    double variance;                /* v; of the last broadcast, or c^2/2 */
    double spread;                  /* v': v, held to what fed_hct_tree.c says */
    double confidence;              /* z: a mean of n samples has the width sqrt(z v' / n) */
    double slack[TC_DEPTH_MAX + 1]; /* how far a cell may rise above its centre */
    double pass[TC_DEPTH_MAX + 1];  /* the width at which a node is passed */
    double margin;                  /* by which a centre must beat all below to be stayed with */
    const tc_numbers
        *pool; /* the last broadcast, which outlives its successor's arrival; or NULL */
} tc_fed_hct_client;

tacit_status tc_fed_hct_tree_init(tc_fed_hct_client *c, size_t dim, tacit_error *err);
/* v and the slacks from a broadcast that has been checked. */
void tc_fed_hct_learn(tc_fed_hct_client *c, const tc_numbers *broadcast);
/* For t, v, slacks and samples as they are: z, and every U and B. */
void tc_fed_hct_renew(tc_fed_hct_client *c);
/* The samples of one node have changed: its U, and B up to the root. */
void tc_fed_hct_weigh(tc_fed_hct_client *c, size_t node);
/* Is the mean of a node as sure as its cell is flat? */
bool tc_fed_hct_is_known(const tc_fed_hct_client *c, size_t node);
/* The node to pull next. */
size_t tc_fed_hct_select(const tc_fed_hct_client *c);

/* fed_hct_save.c: as in bandit.h. */
tacit_status tc_fed_hct_save(const void *client, tc_numbers *out, tacit_error *err);
tacit_status tc_fed_hct_load(void *client, const tc_numbers *saved, const tc_numbers *broadcast,
                             tacit_error *err);

/* ---- the server ---- */

__extension__ typedef unsigned __int128 tc_wide;

/* What the samples of one node say about how much the clients differ there. */
typedef struct tc_fed_hct_tally {
    uint64_t clients;  /* C: those with samples of it */
    int64_t parts;     /* Q: the sum over clients of sum_m^2 / n_m */
    tc_wide n_squares; /* the sum over clients of n_m^2 */
    uint64_t message;  /* the last that had it, by tc_fed_hct_server.messages, and ... */
    int64_t n, sum;    /* ... what it had */
} tc_fed_hct_tally;

/* Steps from a cell to a part of it, in the means of one client. */
typedef struct tc_fed_hct_steps {
    uint64_t n;
    tc_wide squares; /* of the steps */
    uint64_t errors; /* the sum of 1/n + 1/n' over both ends, in units of 2^-28 */
} tc_fed_hct_steps;

typedef struct tc_fed_hct_server {
    const tc_fed_hct_options *o;
    uint64_t clients, folded;
    uint64_t messages;       /* that came, refused ones included */
    int64_t most;            /* pulls of a client */
    tc_numbers marks;        /* of the messages of this round */
    int64_t squares;         /* of all rewards of all clients */
    tc_tree tree;            /* n and sum of all clients */
    tc_fed_hct_tally *tally; /* beside tree.nodes */
    size_t n_tally, tally_cap;
    /* By the depth at which they end: all, and the upward ones. */
    tc_fed_hct_steps steps[TC_DEPTH_MAX + 1], up[TC_DEPTH_MAX + 1];
} tc_fed_hct_server;

tacit_status tc_fed_hct_server_init(tc_fed_hct_server *s, const tc_bandit_env *env,
                                    const tc_fed_hct_options *o, tacit_error *err);
/* Members of a tc_bandit, over a tc_fed_hct_server. */
void tc_fed_hct_server_fini(void *st);
tacit_status tc_fed_hct_server_fold(void *st, const tc_numbers *m, tacit_error *err);
tacit_status tc_fed_hct_server_close(void *st, tc_numbers *broadcast, tacit_error *err);

/* Differences between clients, summed over the nodes of a depth, or of one node: w is about
 * excess / weight. */
typedef struct tc_fed_hct_effect {
    double excess, weight, dof; /* Q - S^2/N - (C-1) v;  N - sum n_m^2/N;  C - 1 */
} tc_fed_hct_effect;

typedef struct tc_fed_hct_verdict {
    double variance;               /* v > 0 */
    double step[TC_DEPTH_MAX + 1]; /* mean square of a step to this depth; 0: not known ... */
    double up[TC_DEPTH_MAX + 1];   /* ... and of an upward one */
    tc_fed_hct_effect depth[TC_DEPTH_MAX + 1];
    uint32_t deepest; /* with samples */
} tc_fed_hct_verdict;

void tc_fed_hct_judge(const tc_fed_hct_server *s, tc_fed_hct_verdict *out);
/* The variance of a client's mean around that of the others, their noise left out; for a node with
 * samples. */
double tc_fed_hct_difference(const tc_fed_hct_server *s, const tc_fed_hct_verdict *v, size_t node);

#endif
