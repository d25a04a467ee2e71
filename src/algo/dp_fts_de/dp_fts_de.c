/* dp_fts_de.c - the algorithm "dp-fts-de": its options. The halves are agent.c and aggregator.c. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "algo/own/own.h"
#include "base/error.h"

#include <inttypes.h>

#define AT(member) offsetof(tc_dp_fts_de_options, member)

static const tc_option table[] = {
    TC_INT_OPTION("features", AT(features), "100", 1, 4096,
                  "shared random features: the length of a message"),
    TC_CHOICE_OPTION("kernel", AT(kernel), "se", TC_KERNEL_CHOICES,
                     "covariance function that the features stand for"),
    TC_FLOAT_OPTION(
        "lengthscale", AT(lengthscale), "0", 0, 100,
        "its length-scale in units of the range, the same for all agents; 0: by vote, else by "
        "the dimension",
        .before = "0.2"),
    TC_CHOICE_OPTION(
        "vote", AT(vote), "auto", "auto|yes|no",
        "own=gp, lengthscale=0: agents find it in a release of its own; auto: by epsilon, else "
        "no"),
    TC_FLOAT_OPTION("vote_multiplier", AT(vote_multiplier), "0", 0, 1e6,
                    "noise over sensitivity in the vote; 0 is NOT PRIVATE"),
    TC_CHOICE_OPTION("spectrum", AT(spectrum), "even", "even|drawn",
                     "its frequencies: spread evenly, or drawn one by one (the paper's)"),
    TC_BOOL_OPTION("unit", AT(unit), "false", "rescale the features of every point to norm 1"),
    TC_FLOAT_OPTION("noise", AT(noise), "0.01", 1e-8, 1e4,
                    "lambda: noise variance of the values, after y_mean and y_scale"),
    TC_FLOAT_OPTION("y_mean", AT(y_mean), "0", 0, 0,
                    "public guess of the mean of the values (as maximised), subtracted"),
    TC_FLOAT_OPTION("y_scale", AT(y_scale), "1", 0, 1e300,
                    "public guess of their standard deviation, divided by", .min_open = true),
    TC_INT_OPTION(
        "regions", AT(regions), "0", 0, 1024,
        "P: sub-regions with a broadcast of their own; 1 is DP-FTS; 0: 1 with own=gp, else by "
        "epsilon, else 4"),
    TC_INT_OPTION(
        "initial", AT(initial), "-1", -1, 1e6,
        "points of each agent before the first round; -1: a third of its trials, from 3 to 10",
        .before = "10"),
    TC_CHOICE_OPTION("init", AT(init), "auto", "auto|region|domain",
                     "where: in the agent's own sub-region (own=features), or everywhere (own=gp)",
                     .before = "region"),
    TC_CHOICE_OPTION("weights", AT(weights), "region", "region|uniform",
                     "whether agents count more in their own sub-region"),
    TC_FLOAT_OPTION("gap", AT(gap), "15", 0, 30,
                    "how much more: log of the ratio in the first rounds"),
    TC_INT_OPTION("hold", AT(hold), "10", 0, 1e9, "rounds with the full gap"),
    TC_INT_OPTION("fade", AT(fade), "30", 0, 1e9,
                  "rounds over which it then falls to nothing; 0: it stays"),
    TC_CHOICE_OPTION("mode", AT(mode), "sound", "sound|paper",
                     "noise from the exact sensitivity, or the paper's bound phi_max S"),
    TC_FLOAT_OPTION("clip", AT(clip), "0", 0, 1e6,
                    "S: vectors are clipped to S/sqrt(P); 0 chooses by the kind of message"),
    TC_FLOAT_OPTION("noise_multiplier", AT(noise_multiplier), "1", 0, 1e6,
                    "z: noise over sensitivity; 0 is FTS-DE and NOT PRIVATE"),
    TC_FLOAT_OPTION("sampling_rate", AT(sampling_rate), "1", 0, 1,
                    "q: share of the agents in a sum; 1 needs the least noise", .min_open = true),
    TC_CHOICE_OPTION("sampling", AT(sampling), "poisson", "poisson|fixed",
                     "a secret coin for each agent, or qN agents (charged as if all took part)"),
    TC_CHOICE_OPTION("schedule", AT(schedule), "sqrt", "sqrt|inverse",
                     "query t follows the broadcast with probability 1/sqrt(t), or 1/t"),
    TC_FLOAT_OPTION("p1", AT(p1), "0", 0, 1,
                    "probability that the first query is the agent's own; scales the others"),
    TC_CHOICE_OPTION(
        "message", AT(message), "auto", "auto|mean|draw",
        "an agent sends its posterior mean, or a draw (the paper's); auto: a draw without noise"),
    TC_STRING_OPTION(
        "releases", AT(releases), "auto",
        "rounds that release: all, first, or a list as in 0,1,4; auto: by epsilon, else all"),
    TC_CHOICE_OPTION(
        "absorb", AT(absorb), "prior", "point|prior",
        "a broadcast is followed to its maximum, or is the prior mean of the agent's model"),
    TC_CHOICE_OPTION("own", AT(own), "gp", "features|gp",
                     "an agent's own model: on the shared features, or its own Gaussian process",
                     .before = "features"),
    TC_CHOICE_OPTION(
        "broadcast", AT(broadcast), "normal", "normal|noise|uniform|none|strange|reversed",
        "ablations: messages of zeros, uniform points instead of the broadcast's, nobody "
        "listens; all agents send a function of no meaning, or minus their own"),
    {.name = NULL},
};

static void begin(const tc_env *env, void *opts)
{
    tc_dp_fts_de_options *o = opts;
    if (o->initial < 0)
        o->initial = tc_own_initial(env->budget);
    if (o->init == TC_DP_FTS_DE_INIT_AUTO)
        o->init =
            o->own == TC_DP_FTS_DE_OWN_GP ? TC_DP_FTS_DE_INIT_DOMAIN : TC_DP_FTS_DE_INIT_REGION;
}

/* Options of the other own model, given though they would do nothing. */
static const char *idle_option(const tc_dp_fts_de_options *o)
{
    return o->init == TC_DP_FTS_DE_INIT_REGION    ? "init=region"
           : o->y_mean != 0                       ? "y_mean"
           : o->y_scale != 1                      ? "y_scale"
           : o->absorb == TC_DP_FTS_DE_POINT      ? "absorb=point"
           : o->p1 != 0                           ? "p1"
           : o->schedule != TC_DP_FTS_DE_SQRT     ? "schedule"
           : o->broadcast == TC_DP_FTS_DE_UNIFORM ? "broadcast=uniform"
           : o->message == TC_DP_FTS_DE_DRAW      ? "message=draw"
                                                  : NULL;
}

static tacit_status check_vote(const tc_dp_fts_de_options *o, tacit_error *err)
{
    if (!tc_dp_fts_de_votes(o))
        return TACIT_OK;
    if (o->own != TC_DP_FTS_DE_OWN_GP)
        return tc_fail(err, TACIT_E_ARG, "vote=yes needs own=gp");
    if (o->lengthscale > 0)
        return tc_fail(err, TACIT_E_ARG, "lengthscale is %g, so there is nothing to vote on",
                       o->lengthscale);
    if (o->sampling == TC_DP_FTS_DE_FIXED)
        return tc_fail(err, TACIT_E_ARG,
                       "a vote needs all agents: sampling must be poisson, got fixed");
    if (o->sampling_rate < 1)
        return tc_fail(err, TACIT_E_ARG, "a vote needs all agents: sampling_rate must be 1, got %g",
                       o->sampling_rate);
    if ((o->vote_multiplier > 0) != (o->noise_multiplier > 0))
        return tc_fail(err, TACIT_E_ARG,
                       "vote_multiplier and noise_multiplier must both be 0 or both above, got %g "
                       "and %g",
                       o->vote_multiplier, o->noise_multiplier);
    return TACIT_OK;
}

tacit_status tc_dp_fts_de_check(const tc_dp_fts_de_options *o, tacit_error *err)
{
    const char *idle = o->own == TC_DP_FTS_DE_OWN_GP ? idle_option(o) : NULL;
    if (idle)
        return tc_fail(err, TACIT_E_ARG, "%s is for own=features, and own is gp", idle);
    if (o->own == TC_DP_FTS_DE_OWN_GP && o->initial < 1)
        return tc_fail(err, TACIT_E_ARG,
                       "own=gp needs an initial point at least, got initial=%" PRId64, o->initial);
    if (o->lengthscale > 0 && o->lengthscale < 1e-3)
        return tc_fail(err, TACIT_E_ARG,
                       "lengthscale must be 0 or a number in [0.001, 100], got %g", o->lengthscale);
    return check_vote(o, err);
}

/* A sum of trustees is exact and unweighted, so nothing is left for mode=paper to bound. */
tacit_status tc_dp_fts_de_check_trustees(const tc_env *env, const tc_dp_fts_de_options *o,
                                         tacit_error *err)
{
    if (env->trustees.count == 0)
        return TACIT_OK;
    if (o->sampling == TC_DP_FTS_DE_FIXED)
        return tc_fail(err, TACIT_E_ARG,
                       "federation.trustees: sampling must be poisson, got fixed: nobody draws a "
                       "secret coin for others");
    if (o->sampling_rate < 1)
        return tc_fail(err, TACIT_E_ARG,
                       "federation.trustees: sampling_rate must be 1, got %g: nobody draws a "
                       "secret coin for others",
                       o->sampling_rate);
    if (o->mode == TC_DP_FTS_DE_PAPER)
        return tc_fail(err, TACIT_E_ARG,
                       "federation.trustees: mode must be sound, got paper: trustees add up "
                       "vectors without weights, and the paper's bound is about weights");
    return TACIT_OK;
}

static const char *const free_messages[] = {"noise_multiplier=0", "vote=yes", NULL};

const tc_algorithm tc_algorithm_dp_fts_de = {
    .name = "dp-fts-de",
    .summary = "federated Thompson sampling with distributed exploration, private for every agent",
    .source = "Dai, Low, Jaillet (2021)",
    .options = table,
    .options_size = sizeof(tc_dp_fts_de_options),
    .optimizer = &tc_dp_fts_de_agent,
    .aggregator = &tc_dp_fts_de_aggregator,
    .begin = begin,
    .promise = tc_dp_fts_de_promise,
    .resolve_defaults = tc_dp_fts_de_resolve_defaults,
    .expect = tc_dp_fts_de_expect,
    .free_messages = free_messages,
};
