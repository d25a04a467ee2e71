/* fts.c - the algorithm "fts": its options. The halves are agent.c and relay.c. */
#include "algo/fts/fts.h"

#include "base/error.h"

/* Defaults of options that only one of the two own models has. */
#define FOLLOW 0.2
#define READS  100

#define AT(member) offsetof(tc_fts_options, member)

static const tc_option table[] = {
    TC_FTS_COMMON_OPTIONS(tc_fts_options, common),
    TC_CHOICE_OPTION(
        "schedule", AT(schedule), "sqrt", "sqrt|inverse|square|constant",
        "own=features: 1 - p_t, how likely query t follows another agent: 1/sqrt(t), 1/t, "
        "1/t^2, follow"),
    TC_FLOAT_OPTION("follow", AT(follow), "0.2", 0, 1, "1 - p_t with schedule=constant"),
    TC_FLOAT_OPTION(
        "p1", AT(p1), "0", 0, 1,
        "own=features: how likely the first query is the agent's own; 0: as the second (the "
        "paper's)"),
    TC_CHOICE_OPTION("mode", AT(mode), "one-shot", "one-shot|general",
                     "one message of each agent, or a new one in every round"),
    TC_CHOICE_OPTION(
        "choose", AT(choose), "uniform", "uniform|given|learned",
        "P_N, which agents are heard: any, by `given`, or (own=features) by how they rank own "
        "values"),
    TC_STRING_OPTION("given", AT(given), NULL,
                     "weights of the agents for choose=given, as in 1,0.5,0"),
    TC_INT_OPTION(
        "reads", AT(reads), "100", 0, 1e6,
        "own=gp: of how many others an agent reads the messages, at most; 0: it works alone"),
    TC_CHOICE_OPTION(
        "message", AT(message), "auto", "auto|draw|mean|values",
        "an agent sends a draw from its posterior (the paper's), the mean, or (own=gp) its values "
        "as they were told; auto: the mean with own=gp, else a draw"),
    {.name = NULL},
};

/* Options of own=features, given though they would do nothing. */
static const char *idle_with_gp(const tc_fts_options *o)
{
    return o->schedule != TC_FTS_SQRT    ? "schedule"
           : o->follow != FOLLOW         ? "follow"
           : o->p1 != 0                  ? "p1"
           : o->choose == TC_FTS_LEARNED ? "choose=learned"
           : o->message == TC_FTS_DRAW   ? "message=draw"
                                         : NULL;
}

tacit_status tc_fts_check(const void *opts, tacit_error *err)
{
    const tc_fts_options *o = opts;
    const bool gp = o->common.own == TC_FTS_OWN_GP, wanted = o->choose == TC_FTS_GIVEN;
    const char *idle = gp ? idle_with_gp(o) : o->reads != READS ? "reads" : NULL;
    if (idle)
        return tc_fail(err, TACIT_E_ARG, "%s is for own=%s, and own is %s", idle,
                       gp ? "features" : "gp", gp ? "gp" : "features");
    if (o->message == TC_FTS_VALUES && !gp)
        return tc_fail(err, TACIT_E_ARG, "message=values is for own=gp, and own is features");
    if (o->message == TC_FTS_VALUES && wanted)
        return tc_fail(err, TACIT_E_ARG,
                       "message=values weighs agents by their values: choose=given is not for it");
    if (wanted != (o->given != NULL))
        return tc_fail(err, TACIT_E_ARG,
                       wanted ? "choose=given needs the option given: a weight for each agent"
                              : "given is for choose=given alone");
    return tc_fts_common_check(&o->common, err);
}

static const char *const free_messages[] = {"mode=general", "message=values", NULL};

const tc_algorithm tc_algorithm_fts = {
    .name = "fts",
    .summary = "federated Thompson sampling: agents read each other's draws; NOT PRIVATE",
    .source = "Dai, Low, Jaillet (2020)",
    .options = table,
    .options_size = sizeof(tc_fts_options),
    .optimizer = &tc_fts_agent,
    .begin = tc_fts_begin,
    .relay = &tc_fts_relay,
    .resolve_defaults = tc_fts_resolve_defaults,
    .theorem = tc_fts_theorem,
    .free_messages = free_messages,
};
