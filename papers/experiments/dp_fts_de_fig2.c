/* dp_fts_de_fig2.c - DP-FTS-DE on synthetic functions [Dai, Low, Jaillet 2021, Fig. 2 and 4 to 7].
 *
 * N = 200 agents on 1000 points of [0,1]: one draw of an SE process shared by all plus 0.1 times an own
 * one, M = 50, ten initial points, 1 - p_t = 1/sqrt(t), 40 rounds. The paper gives neither the
 * length-scale nor the noise: 0.03 and 0.1 here. Paper mode has drawn frequencies, draws as messages,
 * a release in every round and the printed noise. tacit's own lines promise what that noise truly keeps
 * (price.h), and choose P, S and the releases by themselves. TS knows the true constants; it begins with the
 * points of FTS, while agents of FTS-DE begin in their own regions, as published. */
#include "papers/experiments/gp_family.h"
#include "papers/experiments/price.h"

enum { AGENTS = 200, QUICK_AGENTS = 20 };

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = {.agents = AGENTS, .initial = 10};
    return tc_gp_family_run(c, t, QUICK_AGENTS, err);
}

#define TS                                                                                         \
    {                                                                                              \
        "ts", "TS", TC_ARM_BOTH, "ts", TC_GP_FAMILY_TS ",init=10"                                  \
    }
#define OWN      TC_GP_FAMILY_OWN
#define PRINTED  TC_GP_FAMILY_PRINTED
#define FREE     PRINTED ",noise_multiplier=0,"
#define ANYWHERE "regions=1,init=domain"
#define FTS      FREE ANYWHERE
#define ARM(id, text, options_)                                                                    \
    {                                                                                              \
        id, text, TC_ARM_PAPER, "dp-fts-de", options_                                              \
    }

/* The setting that most figures have. */
#define BASE     PRINTED ",regions=2,clip=11,sampling_rate=0.25"
#define S(norm)  PRINTED ",regions=2,sampling_rate=0.25,clip=" norm
#define Q(rate)  PRINTED ",regions=2,clip=11,sampling_rate=" rate
#define Z(noise) BASE ",noise_multiplier=" noise
#define P(n)     PRINTED ",clip=11,sampling_rate=0.25,regions=" n
#define DP_FTS   PRINTED ",clip=11,sampling_rate=0.25," ANYWHERE

/* What tacit does at the price of one of them; quick runs have fewer agents, whose promise is kept all
 * the same. */
static const tc_price q15 = {AGENTS, 0.15, 1, TC_GP_FAMILY_ROUNDS},
                      base = {AGENTS, 0.25, 1, TC_GP_FAMILY_ROUNDS},
                      q50 = {AGENTS, 0.5, 1, TC_GP_FAMILY_ROUNDS},
                      z12 = {AGENTS, 0.25, 1.2, TC_GP_FAMILY_ROUNDS},
                      z15 = {AGENTS, 0.25, 1.5, TC_GP_FAMILY_ROUNDS};
#define TACIT(epsilon, price)                                                                      \
    {                                                                                              \
        .name = "tacit-" epsilon, .line = "tacit, epsilon " epsilon, .mode = TC_ARM_DEFAULT,       \
        .algorithm = "dp-fts-de", .options = OWN, .set = &(price)                                  \
    }

static const tc_arm arms_a[] = {
    TS,
    ARM("fts", "FTS", FTS),
    ARM("fts-de-2", "FTS-DE, P = 2", FREE "regions=2"),
    ARM("fts-de-4", "FTS-DE, P = 4", FREE "regions=4"),
    {"fts-de-4-tacit", "FTS-DE, P = 4", TC_ARM_DEFAULT, "dp-fts-de",
     OWN ",noise_multiplier=0,regions=4"},
    ARM("uniform", "ablation: uniform points", FREE "regions=4,broadcast=uniform"),
};
static const tc_arm arms_b[] = {
    TS,
    ARM("s2", "S = 2", S("2")),
    ARM("s5", "S = 5", S("5")),
    ARM("dp-fts-de", "S = 11", BASE),
    ARM("s22", "S = 22", S("22")),
    ARM("s44", "S = 44", S("44")),
    TACIT("7.05", base),
};
static const tc_arm arms_c[] = {
    TS,
    ARM("q15", "q = 0.15, epsilon 3.96", Q("0.15")),
    TACIT("3.96", q15),
    ARM("dp-fts-de", "q = 0.25, epsilon 7.05", BASE),
    TACIT("7.05", base),
    ARM("q50", "q = 0.5, epsilon 15.71", Q("0.5")),
    TACIT("15.71", q50),
};
static const tc_arm arms_d[] = {
    TS,
    ARM("dp-fts-de", "z = 1, epsilon 7.05", BASE),
    TACIT("7.05", base),
    ARM("z12", "z = 1.2, epsilon 5.15", Z("1.2")),
    TACIT("5.15", z12),
    ARM("z15", "z = 1.5, epsilon 3.60", Z("1.5")),
    TACIT("3.60", z15),
};
static const size_t shown[] = {1, 5, 10, 20, 40};

#define BELOW(text, a_, b_, t)                                                                     \
    {                                                                                              \
        text " at t = " #t, TC_BELOW, {a_, t},                                                     \
        {                                                                                          \
            b_, t                                                                                  \
        }                                                                                          \
    }
static const tc_statement says_a[] = {
    BELOW("FTS is better than TS", "fts", "ts", 10),
    BELOW("FTS-DE with P = 4 is better than FTS", "fts-de-4", "fts", 10),
    BELOW("P = 4 is better than P = 2", "fts-de-4", "fts-de-2", 10),
    BELOW("and it is the messages: FTS-DE is better than uniform points", "fts-de-4", "uniform",
          10),
    {NULL}};
static const tc_statement says_b[] = {
    BELOW("S = 11 is better than S = 2", "dp-fts-de", "s2", 10),
    BELOW("S = 11 is better than S = 5", "dp-fts-de", "s5", 10),
    BELOW("S = 11 is better than S = 22", "dp-fts-de", "s22", 10),
    BELOW("S = 11 is better than S = 44", "dp-fts-de", "s44", 10),
    BELOW("tacit is better than S = 11 at the same (epsilon, delta)", "tacit-7.05", "dp-fts-de",
          10),
    {NULL}};
static const tc_statement says_c[] = {
    BELOW("DP-FTS-DE with q = 0.25 is better than TS", "dp-fts-de", "ts", 10),
    BELOW("q = 0.5 is better than q = 0.15", "q50", "q15", 1),
    BELOW("q = 0.5 is better than q = 0.15", "q50", "q15", 10),
    BELOW("tacit is better than q = 0.15 at the same (epsilon, delta)", "tacit-3.96", "q15", 10),
    BELOW("tacit is better than q = 0.5 at the same (epsilon, delta)", "tacit-15.71", "q50", 10),
    {NULL}};
static const tc_statement says_d[] = {
    BELOW("z = 1 is better than z = 1.5", "dp-fts-de", "z15", 1),
    BELOW("z = 1 is better than z = 1.5", "dp-fts-de", "z15", 10),
    BELOW("tacit is better than z = 1.5 at the same (epsilon, delta)", "tacit-3.60", "z15", 10),
    {NULL}};

#define FIG2(id, name_, figure_, claim_, setting_, seconds_, arms_, says, run_)                    \
    const tc_experiment tc_experiment_##id = {                                                     \
        TC_GP_FAMILY(name_, figure_, claim_,                                                       \
                     "N = 200, M = 50, l = 0.03, noise 0.1, 1000 points" setting_, arms_, says),   \
        .paper = "dp-fts-de",                                                                      \
        .stand_in = TC_GP_FAMILY_STAND_IN,                                                         \
        .runs = 40,                                                                                \
        .seconds = seconds_,                                                                       \
        .quick_seconds = seconds_ / 20.0,                                                          \
        TC_SHOWN(shown),                                                                           \
        .run = run_,                                                                               \
    }
#define BASE_PRICE "epsilon 7.05 (the paper prints 9.91), delta 0.0029"

FIG2(dp_fig2a, "dp-fts-de-fig2a", "Fig. 2a",
     "FTS is better than TS, FTS-DE better than FTS, more regions better",
     "; no noise, NOT PRIVATE", 7, arms_a, says_a, run);
FIG2(dp_fig2b, "dp-fts-de-fig2b", "Fig. 2b",
     "too small and too large clip norms S hurt; S = 11 is best",
     ", P = 2, q = 0.25, z = 1: " BASE_PRICE, 7, arms_b, says_b, run);
FIG2(dp_fig2c, "dp-fts-de-fig2c", "Fig. 2c",
     "a larger sampling rate q is better and costs more privacy",
     ", P = 2, S = 11, z = 1: epsilon 3.96, 7.05, 15.71 (the paper prints 5.93, 9.91, 20.12), "
     "delta 0.0029",
     7, arms_c, says_c, run);
FIG2(dp_fig2d, "dp-fts-de-fig2d", "Fig. 2d",
     "a smaller noise multiplier z is better and costs more privacy",
     ", P = 2, S = 11, q = 0.25: epsilon 7.05, 5.15, 3.60 (the paper prints 9.91, 7.39, 5.22), "
     "delta 0.0029",
     7, arms_d, says_d, run);

/* ---- the appendix: what its text says of Fig. 4 to 7 */

static tacit_status run_far(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = {.words = "distance=1.2", .agents = AGENTS, .initial = 10};
    return tc_gp_family_run(c, t, QUICK_AGENTS, err);
}

static const tc_arm arms_4[] = {
    TS,
    ARM("dp-fts", "DP-FTS", DP_FTS),
    ARM("dp-fts-de", "DP-FTS-DE, P = 2", BASE),
    TACIT("7.05", base),
};
static const tc_arm arms_5[] = {
    TS,
    ARM("fts", "FTS", FTS),
    ARM("starts", "local starts alone", FREE "regions=4,weights=uniform"),
    ARM("weights", "weights alone", FREE "regions=4,init=domain"),
    ARM("fts-de-4", "FTS-DE, P = 4", FREE "regions=4"),
};
static const tc_arm arms_6[] = {
    ARM("dp-fts", "P = 1", DP_FTS),
    ARM("dp-fts-de", "P = 2", BASE),
    ARM("p4", "P = 4", P("4")),
    ARM("p8", "P = 8", P("8")),
    TACIT("7.05", base),
};
static const tc_arm arms_7[] = {
    TS,
    {"ts-region", "TS, first points in one of 2 regions", TC_ARM_PAPER, "ts",
     TC_GP_FAMILY_TS ",init=10,start=region,start_regions=2"},
    ARM("fts-de-2", "FTS-DE, 1 - p_t = 1/sqrt(t)", FREE "regions=2"),
    ARM("inverse", "FTS-DE, 1 - p_t = 1/t", FREE "regions=2,schedule=inverse"),
};
static const tc_statement says_4[] = {
    BELOW("DP-FTS-DE is better than DP-FTS at the same price", "dp-fts-de", "dp-fts", 10),
    BELOW("tacit is better than DP-FTS-DE at the same price", "tacit-7.05", "dp-fts-de", 10),
    {NULL}};
static const tc_statement says_5[] = {
    BELOW("both halves are better than local starts alone", "fts-de-4", "starts", 10),
    BELOW("both halves are better than weights alone", "fts-de-4", "weights", 10),
    BELOW("FTS is better than local starts alone", "fts", "starts", 10),
    BELOW("FTS is better than weights alone", "fts", "weights", 10),
    {NULL}};
static const tc_statement says_6[] = {
    BELOW("P = 2 is better than P = 1", "dp-fts-de", "dp-fts", 10),
    BELOW("more regions than P = 2 do not help: P = 2 is better than 8", "dp-fts-de", "p8", 10),
    {NULL}};
static const tc_statement says_7[] = {
    {"FTS-DE is no worse than TS at t = 20", TC_NO_WORSE, {"fts-de-2", 20}, {"ts", 20}},
    BELOW("with 1/t it is better than with 1/sqrt(t)", "inverse", "fts-de-2", 20),
    {"FTS-DE is no worse than TS that starts in regions at t = 20",
     TC_NO_WORSE,
     {"fts-de-2", 20},
     {"ts-region", 20}},
    {"with 1/t FTS-DE is no worse than TS at t = 40", TC_NO_WORSE, {"inverse", 40}, {"ts", 40}},
    {NULL}};

FIG2(dp_fig4, "dp-fts-de-fig4", "Fig. 4 (appendix)",
     "DP-FTS-DE is better than DP-FTS at the same privacy loss",
     ", S = 11, q = 0.25, z = 1: " BASE_PRICE, 6, arms_4, says_4, run);
FIG2(dp_fig5, "dp-fts-de-fig5", "Fig. 5 (appendix)",
     "both halves of DE are necessary: local starts and weights", "; no noise, NOT PRIVATE", 6,
     arms_5, says_5, run);
FIG2(dp_fig6, "dp-fts-de-fig6", "Fig. 6 (appendix)",
     "the number P of regions is a trade-off under noise", ", S = 11, q = 0.25, z = 1: " BASE_PRICE,
     3, arms_6, says_6, run);
FIG2(dp_fig7, "dp-fts-de-fig7", "Fig. 7 (appendix)",
     "agents far apart: comparable to TS, better where 1 - p_t falls faster",
     ", distance 1.2; no noise, NOT PRIVATE", 8, arms_7, says_7, run_far);
