/* dp_fts_de.c - the algorithm "dp-fts-de": its options. The halves are agent.c and aggregator.c. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "algo/own/own.h"
#include "base/error.h"

#include <inttypes.h>

#define FIELD(member) .offset = offsetof(tc_de_options, member)

static const tc_option table[] = {
    {.name = "features",
     .type = TC_OPTION_INT,
     FIELD(features),
     .def = "100",
     .min = 1,
     .max = 4096,
     .help = "shared random features: the length of a message"},
    {.name = "kernel",
     .type = TC_OPTION_CHOICE,
     FIELD(kernel),
     .def = "se",
     .choices = TC_KERNEL_CHOICES,
     .help = "covariance function that the features stand for"},
    {.name = "lengthscale",
     .type = TC_OPTION_FLOAT,
     FIELD(lengthscale),
     .def = "0",
     .before = "0.2",
     .min = 0,
     .max = 100,
     .help = "its length-scale in units of the range, the same for all agents; 0: by vote, else by "
             "the dimension"},
    {.name = "vote",
     .type = TC_OPTION_CHOICE,
     FIELD(vote),
     .def = "auto",
     .choices = "auto|yes|no",
     .help =
         "own=gp, lengthscale=0: agents find it in a release of its own; auto: by epsilon, else "
         "no"},
    {.name = "vote_multiplier",
     .type = TC_OPTION_FLOAT,
     FIELD(vote_multiplier),
     .def = "0",
     .min = 0,
     .max = 1e6,
     .help = "noise over sensitivity in the vote; 0 is NOT PRIVATE"},
    {.name = "spectrum",
     .type = TC_OPTION_CHOICE,
     FIELD(spectrum),
     .def = "even",
     .choices = "even|drawn",
     .help = "its frequencies: spread evenly, or drawn one by one (the paper's)"},
    {.name = "unit",
     .type = TC_OPTION_BOOL,
     FIELD(unit),
     .def = "false",
     .help = "rescale the features of every point to norm 1"},
    {.name = "noise",
     .type = TC_OPTION_FLOAT,
     FIELD(noise),
     .def = "0.01",
     .min = 1e-8,
     .max = 1e4,
     .help = "lambda: noise variance of the values, after y_mean and y_scale"},
    {.name = "y_mean",
     .type = TC_OPTION_FLOAT,
     FIELD(y_mean),
     .def = "0",
     .help = "public guess of the mean of the values (as maximised), subtracted"},
    {.name = "y_scale",
     .type = TC_OPTION_FLOAT,
     FIELD(y_scale),
     .def = "1",
     .min = 0,
     .max = 1e300,
     .min_open = true,
     .help = "public guess of their standard deviation, divided by"},
    {.name = "regions",
     .type = TC_OPTION_INT,
     FIELD(regions),
     .def = "0",
     .min = 0,
     .max = 1024,
     .help = "P: sub-regions with a broadcast of their own; 1 is DP-FTS; 0: 1 with own=gp, else by "
             "epsilon, else 4"},
    {.name = "initial",
     .type = TC_OPTION_INT,
     FIELD(initial),
     .def = "-1",
     .before = "10",
     .min = -1,
     .max = 1e6,
     .help =
         "points of each agent before the first round; -1: a third of its trials, from 3 to 10"},
    {.name = "init",
     .type = TC_OPTION_CHOICE,
     FIELD(init),
     .def = "auto",
     .before = "region",
     .choices = "auto|region|domain",
     .help = "where: in the agent's own sub-region (own=features), or everywhere (own=gp)"},
    {.name = "weights",
     .type = TC_OPTION_CHOICE,
     FIELD(weights),
     .def = "region",
     .choices = "region|uniform",
     .help = "whether agents count more in their own sub-region"},
    {.name = "gap",
     .type = TC_OPTION_FLOAT,
     FIELD(gap),
     .def = "15",
     .min = 0,
     .max = 30,
     .help = "how much more: log of the ratio in the first rounds"},
    {.name = "hold",
     .type = TC_OPTION_INT,
     FIELD(hold),
     .def = "10",
     .min = 0,
     .max = 1e9,
     .help = "rounds with the full gap"},
    {.name = "fade",
     .type = TC_OPTION_INT,
     FIELD(fade),
     .def = "30",
     .min = 0,
     .max = 1e9,
     .help = "rounds over which it then falls to nothing; 0: it stays"},
    {.name = "mode",
     .type = TC_OPTION_CHOICE,
     FIELD(mode),
     .def = "sound",
     .choices = "sound|paper",
     .help = "noise from the exact sensitivity, or the paper's bound phi_max S"},
    {.name = "clip",
     .type = TC_OPTION_FLOAT,
     FIELD(clip),
     .def = "0",
     .min = 0,
     .max = 1e6,
     .help = "S: vectors are clipped to S/sqrt(P); 0 chooses by the kind of message"},
    {.name = "noise_multiplier",
     .type = TC_OPTION_FLOAT,
     FIELD(noise_multiplier),
     .def = "1",
     .min = 0,
     .max = 1e6,
     .help = "z: noise over sensitivity; 0 is FTS-DE and NOT PRIVATE"},
    {.name = "sampling_rate",
     .type = TC_OPTION_FLOAT,
     FIELD(sampling_rate),
     .def = "1",
     .min = 0,
     .max = 1,
     .min_open = true,
     .help = "q: share of the agents in a sum; 1 needs the least noise"},
    {.name = "sampling",
     .type = TC_OPTION_CHOICE,
     FIELD(sampling),
     .def = "poisson",
     .choices = "poisson|fixed",
     .help = "a secret coin for each agent, or qN agents (charged as if all took part)"},
    {.name = "schedule",
     .type = TC_OPTION_CHOICE,
     FIELD(schedule),
     .def = "sqrt",
     .choices = "sqrt|inverse",
     .help = "query t follows the broadcast with probability 1/sqrt(t), or 1/t"},
    {.name = "p1",
     .type = TC_OPTION_FLOAT,
     FIELD(p1),
     .def = "0",
     .min = 0,
     .max = 1,
     .help = "probability that the first query is the agent's own; scales the others"},
    {.name = "message",
     .type = TC_OPTION_CHOICE,
     FIELD(message),
     .def = "auto",
     .choices = "auto|mean|draw",
     .help =
         "an agent sends its posterior mean, or a draw (the paper's); auto: a draw without noise"},
    {.name = "releases",
     .type = TC_OPTION_STRING,
     FIELD(releases),
     .def = "auto",
     .help = "rounds that release: all, first, or a list as in 0,1,4; auto: by epsilon, else all"},
    {.name = "absorb",
     .type = TC_OPTION_CHOICE,
     FIELD(absorb),
     .def = "prior",
     .choices = "point|prior",
     .help = "a broadcast is followed to its maximum, or is the prior mean of the agent's model"},
    {.name = "own",
     .type = TC_OPTION_CHOICE,
     FIELD(own),
     .def = "gp",
     .before = "features",
     .choices = "features|gp",
     .help = "an agent's own model: on the shared features, or its own Gaussian process"},
    {.name = "broadcast",
     .type = TC_OPTION_CHOICE,
     FIELD(broadcast),
     .def = "normal",
     .choices = "normal|noise|uniform|none|strange|reversed",
     .help = "ablations: messages of zeros, uniform points instead of the broadcast's, nobody "
             "listens; all agents send a function of no meaning, or minus their own"},
    {.name = NULL},
};

static void begin(const tc_env *env, void *opts)
{
    tc_de_options *o = opts;
    if (o->initial < 0)
        o->initial = tc_own_initial(env->budget);
    if (o->init == TC_DE_INIT_AUTO)
        o->init = o->own == TC_DE_OWN_GP ? TC_DE_INIT_DOMAIN : TC_DE_INIT_REGION;
}

/* Options of the other own model, given though they would do nothing. */
static const char *idle_option(const tc_de_options *o)
{
    return o->init == TC_DE_INIT_REGION    ? "init=region"
           : o->y_mean != 0                ? "y_mean"
           : o->y_scale != 1               ? "y_scale"
           : o->absorb == TC_DE_POINT      ? "absorb=point"
           : o->p1 != 0                    ? "p1"
           : o->schedule != TC_DE_SQRT     ? "schedule"
           : o->broadcast == TC_DE_UNIFORM ? "broadcast=uniform"
           : o->message == TC_DE_DRAW      ? "message=draw"
                                           : NULL;
}

static tacit_status check_vote(const tc_de_options *o, tacit_error *err)
{
    if (!tc_de_votes(o))
        return TACIT_OK;
    if (o->own != TC_DE_OWN_GP)
        return tc_fail(err, TACIT_E_ARG, "vote=yes needs own=gp");
    if (o->lengthscale > 0)
        return tc_fail(err, TACIT_E_ARG, "lengthscale is %g, so there is nothing to vote on",
                       o->lengthscale);
    if (o->sampling == TC_DE_FIXED)
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

tacit_status tc_de_check(const tc_de_options *o, tacit_error *err)
{
    const char *idle = o->own == TC_DE_OWN_GP ? idle_option(o) : NULL;
    if (idle)
        return tc_fail(err, TACIT_E_ARG, "%s is for own=features, and own is gp", idle);
    if (o->own == TC_DE_OWN_GP && o->initial < 1)
        return tc_fail(err, TACIT_E_ARG,
                       "own=gp needs an initial point at least, got initial=%" PRId64, o->initial);
    if (o->lengthscale > 0 && o->lengthscale < 1e-3)
        return tc_fail(err, TACIT_E_ARG,
                       "lengthscale must be 0 or a number in [0.001, 100], got %g", o->lengthscale);
    return check_vote(o, err);
}

const tc_algorithm tc_algorithm_dp_fts_de = {
    .name = "dp-fts-de",
    .summary = "federated Thompson sampling with distributed exploration, private for every agent",
    .source = "Dai, Low, Jaillet (2021)",
    .options = table,
    .options_size = sizeof(tc_de_options),
    .optimizer = &tc_de_agent,
    .aggregator = &tc_de_aggregator,
    .begin = begin,
    .promise = tc_de_promise,
    .settle = tc_de_settle,
    .expect = tc_de_expect,
};
