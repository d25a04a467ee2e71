/* pne.h - phased node elimination: what clients and the server of pf-pne and fed-pne share.
 *
 * Used by pne_client.c, pne_server.c and the table in pf_pne.c. */
#ifndef TC_ALGO_TREE_PNE_H
#define TC_ALGO_TREE_PNE_H

#include "algo/tree/phase.h"
#include "algo/tree/tree_options.h"

/* Whether a reference that may be above a client's optimum by Delta is lowered by it. */
typedef enum tc_pne_rule { TC_PNE_SOUND, TC_PNE_PAPER } tc_pne_rule;

/* The public constants of a study: the same at the server and at every client. */
typedef struct tc_pne_law {
    unsigned k;
    size_t dim;
    double nu, rho, c, log_term; /* ln(c_1 T/delta) */
    double clients;              /* M */
    double gap;                  /* Delta */
    uint32_t last;               /* the last depth that is shared: H_0, or less (pne.c) */
    bool personal;               /* is there a second stage? */
    tc_pne_rule rule;
} tc_pne_law;

/* personal: pf-pne; else fed-pne, which shares every depth. */
tc_pne_law tc_pne_law_of(const tc_bandit_env *env, const tc_pne_options *o, bool personal);
double tc_pne_slack(const tc_pne_law *l, uint32_t depth);   /* nu rho^h */
uint64_t tc_pne_tau(const tc_pne_law *l, uint32_t depth);   /* tau_h, at most 2^62 */
uint64_t tc_pne_share(const tc_pne_law *l, uint32_t depth); /* ceil(tau_h / M) */
double tc_pne_width(const tc_pne_law *l, double samples);   /* b */

/* The server. It knows the depth; K^h is what the messages are about. */
typedef struct tc_pne_server {
    tc_pne_law law;
    uint64_t clients, folded;
    uint32_t depth;
    tc_phase_nodes nodes; /* K^h before elimination, once a message is in */
} tc_pne_server;

tacit_status tc_pne_server_init(tc_pne_server *s, const tc_bandit_env *env, const tc_pne_options *o,
                                bool personal, uint64_t round, tacit_error *err);
/* Members of a tc_bandit, over a tc_pne_server. */
void tc_pne_server_fini(void *st);
tacit_status tc_pne_server_fold(void *st, const tc_numbers *m, tacit_error *err);
tacit_status tc_pne_server_close(void *st, tc_numbers *broadcast, tacit_error *err);

/* One depth of the first stage, as a client remembers it. */
typedef struct tc_pne_shared {
    tc_phase_nodes kept;    /* K^h after elimination, with the global mean */
    tc_phase_nodes dropped; /* E^h, with the client's own samples */
    double width;           /* b of the global means */
} tc_pne_shared;

/* The target of a client that has settled on a node. */
#define TC_PNE_PULLS_MOST (UINT64_C(1) << 62)

typedef struct tc_pne_client {
    tc_pne_law law;
    bool alone; /* in the second stage */
    uint32_t depth;
    tc_phase_nodes nodes;  /* K^h, or K_m^h */
    double blur;           /* added to the widths of global means: their noise (dp_pne.h) */
    size_t at;             /* the node that is pulled now */
    uint64_t target;       /* samples that each of them needs */
    tc_pne_shared *shared; /* of pf-pne: by depth, to H_0 */
    size_t n_shared;
    tc_phase_nodes spare; /* the next depth, while it is made */
} tc_pne_client;

tacit_status tc_pne_client_init(tc_pne_client *c, const tc_bandit_env *env, const tc_pne_options *o,
                                bool personal, tacit_error *err);
/* Members of a tc_bandit, over a tc_pne_client. */
void tc_pne_client_fini(void *st);
void tc_pne_client_ask(const void *st, tc_pulls *out);
void tc_pne_client_next(const void *st, tc_pulls *p);
tacit_status tc_pne_client_tell(void *st, const tc_pulled *p, tacit_error *err);
tacit_status tc_pne_client_publish(const void *st, tc_numbers *out, tacit_error *err);
/* The arm of the cell that contains u, while it needs samples; else TC_NO_ARM. */
size_t tc_pne_client_arm_of(const void *st, const double *u);
tacit_status tc_pne_client_skip(void *st, tacit_error *err);
tacit_status tc_pne_client_absorb(void *st, const tc_numbers *broadcast, tacit_error *err);

/* ... of pne_save.c. */
tacit_status tc_pne_client_save(const void *st, tc_numbers *out, tacit_error *err);
tacit_status tc_pne_client_load(void *st, const tc_numbers *saved, const tc_numbers *broadcast,
                                tacit_error *err);

#endif
