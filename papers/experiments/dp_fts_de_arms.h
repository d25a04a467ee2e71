/* dp_fts_de_arms.h - DP-FTS-DE on real data: the arms and statements that its figures share [Dai, Low,
 * Jaillet 2021, Fig. 3, 8 and 11].
 *
 * Paper mode has the constants of the authors' code, which is that of landmine detection: shared features of
 * length-scale 0.01 scaled to norm 1, noise 1e-6, S = 22, q = 0.35, 10 initial points. Beside it stand the
 * ablations that the paper does not have. Epsilon is what the noise keeps by the privacy loss distribution,
 * a third to a half less than the moments accountant of the paper says. For dp_fts_de_fig3.c and
 * dp_fts_de_activity.c. */
#ifndef TC_PAPERS_PAPERS_DP_FTS_DE_ARMS_H
#define TC_PAPERS_PAPERS_DP_FTS_DE_ARMS_H

#include "papers/frame/experiment.h"

#define TC_DP_PRINTED                                                                              \
    "features=100,unit=true,lengthscale=0.01,noise=1e-6,mode=paper,spectrum=drawn,message=draw,"   \
    "releases=all,absorb=point,schedule=inverse,clip=22,sampling_rate=0.35,"
/* `own`: options of the task's own, with a comma behind; or "". */
#define TC_DP_ARM(own, id, text, more)                                                             \
    {                                                                                              \
        id, text, TC_ARM_PAPER, "dp-fts-de", TC_DP_PRINTED own more                                \
    }
#define TC_DP_TS                                                                                   \
    {                                                                                              \
        "ts", "TS", TC_ARM_PAPER, "ts", "init=10,start=uniform"                                    \
    }
#define TC_DP_TS_REGION                                                                            \
    {                                                                                              \
        "ts-region", "TS, first points in one of 4 regions", TC_ARM_PAPER, "ts",                   \
            "init=10,start=region,start_regions=4"                                                 \
    }
#define TC_DP_FTS_DE(own) TC_DP_ARM(own, "fts-de", "FTS-DE", "regions=4,noise_multiplier=0")
#define TC_DP_FTS(own)    TC_DP_ARM(own, "fts", "FTS", "regions=1,noise_multiplier=0")
#define TC_DP_Z(own, z, epsilon)                                                                   \
    TC_DP_ARM(own, "z" z, "DP-FTS-DE, z = " z ", epsilon " epsilon, "regions=4,noise_multiplier=" z)
#define TC_DP_NOISE(own)                                                                           \
    TC_DP_ARM(own, "noise", "ablation: noise alone, z = 1",                                        \
              "regions=4,noise_multiplier=1,broadcast=noise")
#define TC_DP_UNIFORM(own)                                                                         \
    TC_DP_ARM(own, "uniform", "ablation: uniform points",                                          \
              "regions=4,noise_multiplier=1,broadcast=uniform")

/* `a` is better than `b` at t = 60. */
#define TC_DP_BETTER(text, a_, b_)                                                                 \
    {                                                                                              \
        text, TC_BELOW, {a_, 60},                                                                  \
        {                                                                                          \
            b_, 60                                                                                 \
        }                                                                                          \
    }
#define TC_DP_SAYS                                                                                 \
    TC_DP_BETTER("DP-FTS-DE (z = 1) is better than TS at t = 60", "z1", "ts"),                     \
        TC_DP_BETTER("FTS-DE is better than FTS at t = 60", "fts-de", "fts"),                      \
        TC_DP_BETTER("and it is the messages: DP-FTS-DE is better than noise alone at t = 60",     \
                     "z1", "noise"),                                                               \
        TC_DP_BETTER("DP-FTS-DE is better than uniform points at t = 60", "z1", "uniform")
#define TC_DP_SAYS_REGION                                                                          \
    TC_DP_BETTER("DP-FTS-DE is better than TS that starts in regions at t = 60", "z1", "ts-region")

#endif
