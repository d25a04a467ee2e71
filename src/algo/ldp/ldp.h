/* ldp.h - Bayesian optimization from rewards with heavy tails, and from private ones.
 *
 * Three estimators, each in two algorithms (Zhou and Tan 2021; Chowdhury and Gopalan 2019):
 *
 *     rewards            cut once     cut in every feature    median of means
 *     private replies    ldp-tgp      ldp-ata                 ldp-moma
 *     heavy tails        tgp-ucb      ata-gp-ucb              moma-gp-ucb
 *
 * The private ones expect a curator (ldp_curator.h) on the side of every user: what they are told
 * are its answers. For registry.c, and for whoever reports on a study. */
#ifndef TC_ALGO_LDP_LDP_H
#define TC_ALGO_LDP_LDP_H

#include "algo/algorithm.h"
#include "base/text.h"

extern const tc_algorithm tc_algorithm_ldp_tgp, tc_algorithm_ldp_ata, tc_algorithm_ldp_moma;
extern const tc_algorithm tc_algorithm_tgp_ucb, tc_algorithm_ata_gp_ucb, tc_algorithm_moma_gp_ucb;

/* What a simulation knows of the noise of its observations. */
typedef struct tc_known_noise {
    double reach; /* its magnitude is at most this; INFINITY: there is no bound */
    double order; /* its absolute moments below this order are finite; INFINITY: all are */
} tc_known_noise;

/* Do the conditions of the paper's theorem hold for this study, as far as anybody can know? Adds
 * one sentence that says so, or why not, and what is supposed. `opts` as the table of `a` fills
 * it. noise NULL: nothing is known of it. */
bool tc_ldp_theorem(const tc_algorithm *a, const tc_env *env, const void *opts,
                    const tc_known_noise *noise, tc_text *out);

#endif
