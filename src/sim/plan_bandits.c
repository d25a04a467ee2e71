/* plan_bandits.c - a plan for bandits by pulls, one or several on the same runs.
 *
 * Everything that can be wrong is found before the first run, and nothing is written before the
 * last. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/plan.h"
#include "sim/bandit_simulation.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define OBJECTIVE_DEFAULT "garland"

enum { POINTS = 100 };
/* The laws of --noise that there are by pulls, in the order of tc_objective_opts. */
enum { NOISE_NONE = 0, NOISE_UNIFORM = 2 };
/* Optima are known to rounding. */
#define OPTIMUM_SLACK 1e-9

/* -- what does not go with it -------------------------------------------------------------- */

static tacit_status check_options(const tc_contest *a, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    const struct {
        bool given;
        const char *name;
    } others[] = {{o->trials > 0, "trials"},
                  {o->acting > 0, "acting"},
                  {o->trustees > 0, "trustees"},
                  {o->rounds > 0, "rounds"},
                  {o->drop > 0, "drop"},
                  {o->past > 0, "past"},
                  {o->epsilon > 0, "epsilon"},
                  {o->delta > 0, "delta"},
                  {tc_plan_given(a, "accountant"), "accountant"},
                  {o->known != NULL, "warm"},
                  {o->by_agent, "by-agent"},
                  {tc_plan_given(a, "tell"), "tell"},
                  {tc_plan_given(a, "value-scale"), "value-scale"},
                  {tc_plan_given(a, "value-shift"), "value-shift"},
                  {tc_plan_given(a, "value-negate"), "value-negate"},
                  {o->reply != TC_PLAN_NO_REPLY, "reply"},
                  {o->reply_epsilon > 0, "reply-epsilon"},
                  {o->reply_bound > 0, "reply-bound"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return tc_fail(err, TACIT_E_ARG, "--%s does not go with --pulls: bandits only pull",
                           others[i].name);
    if (a->doc)
        return tc_fail(err, TACIT_E_ARG,
                       "--pulls takes no study document: say --algorithm, --set and --agents");
    return TACIT_OK;
}

static tacit_status check_noise(const tc_objective_opts *o, tacit_error *err)
{
    if (o->noise != NOISE_NONE && o->noise != NOISE_UNIFORM && o->noise != TACIT_NOISE_OWN)
        return tc_fail(err, TACIT_E_ARG,
                       "--noise must be uniform or none with --pulls: rewards are bounded");
    if (!(o->noise_scale <= 1))
        return tc_fail_range(err, "--noise-scale", "[0, 1] with --pulls", o->noise_scale);
    return TACIT_OK;
}

/* What is best must be within the range, or regret would mean nothing. */
static tacit_status check_range(const tc_contest *a, tacit_error *err)
{
    double low = a->o->reward_low, high = a->o->reward_high;
    double slack = OPTIMUM_SLACK * (high - low);
    if (!(low < high))
        return tc_fail(err, TACIT_E_ARG, "--reward-low must be below --reward-high, not %g and %g",
                       low, high);
    for (size_t m = 0; m < a->agents; m++) {
        double best = tc_family_optimum(a->family, m);
        if (!(best >= low - slack && best <= high + slack))
            return tc_fail(err, TACIT_E_ARG,
                           "the optimum of %s is %g, outside the rewards from --reward-low %g to "
                           "--reward-high %g",
                           a->objective, best, low, high);
    }
    return TACIT_OK;
}

/* What lies outside the range is held to it, which flattens the objective there. */
static void note_clipping(const tc_contest *a)
{
    enum { TRIED = 1024 };
    const tc_space *space = tc_family_space(a->family);
    double low = a->o->reward_low, high = a->o->reward_high;
    double slack = OPTIMUM_SLACK * (high - low), u[TC_PARAMS_MAX], values[TC_PARAMS_MAX];
    tc_public_seed seed = tc_public_seed_from(a->seed);
    tc_stream s;
    int outside = 0;
    assert(space->dim <= TC_PARAMS_MAX);
    tc_stream_public(&s, &seed, TC_FOR_CANDIDATES, 0);
    for (int i = 0; i < TRIED; i++) {
        for (size_t d = 0; d < space->dim; d++)
            u[d] = tc_draw_uniform(&s);
        tc_space_decode(space, u, values);
        double y = tc_family_value(a->family, 0, values);
        outside += y < low - slack || y > high + slack;
    }
    if (outside > 0)
        tc_plan_note(
            a,
            "tacit: warning: %.3g %% of %s lies outside --reward-low %g to --reward-high %g and "
            "is held to it",
            100.0 * outside / TRIED, a->objective, low, high);
}

/* -- how many ----------------------------------------------------------------------------- */

static tacit_status choose_agents(tc_contest *a, tacit_error *err)
{
    a->agents = (uint64_t)a->o->agents;
    for (size_t i = 0; i < a->n && a->agents == 0; i++)
        if (a->contenders[i].bandit->publish)
            return tc_fail(err, TACIT_E_ARG,
                           "%s is for a federation of agents: say of how many with --agents",
                           a->contenders[i].bandit->name);
    if (a->agents == 0)
        a->agents = 1;
    return TACIT_OK;
}

static size_t points_of(const tc_contest *a)
{
    return a->o->pulls < POINTS ? (size_t)a->o->pulls : POINTS;
}

/* Runs that are in memory together. */
static double runs_at_once(const tc_contest *a)
{
    return fmin((double)a->o->runs, (double)tc_pool_threads(a->pool));
}

/* Refuses a number of agents whose state does not fit into memory. */
static tacit_status check_memory(const tc_contest *a, tacit_error *err)
{
    double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double runs = runs_at_once(a);
    for (size_t i = 0; i < a->n; i++) {
        const tc_bandit *b = a->contenders[i].bandit;
        double needs = runs * tc_bandit_least_bytes(b, a->agents, points_of(a));
        if (has > 0 && needs > has)
            return tc_fail(err, TACIT_E_MEMORY,
                           "%" PRIu64 " agents with %s need at least %.3g GB of memory, %.0f run%s "
                           "at a time, and this machine has %.3g: take fewer with --agents",
                           a->agents, b->name, needs * 1e-9, runs, runs == 1 ? "" : "s",
                           has * 1e-9);
    }
    return TACIT_OK;
}

/* -- the plan ------------------------------------------------------------------------------ */

static tc_simulation runs_of(const tc_contest *a, const tc_contender *c)
{
    const tacit_simulation_plan *o = a->o;
    uint64_t budget = (uint64_t)o->pulls;
    return (tc_simulation){
        .source = &tc_source_bandits,
        .bandit = c->bandit,
        .options = c->options,
        .objective = a->objective,
        .family = o->family,
        .low = o->reward_low,
        .high = o->reward_high,
        .noise = TC_REWARD_UNIFORM,
        .scale = o->family.objective.noise == NOISE_NONE ? 0 : o->family.objective.noise_scale,
        .agents = a->agents,
        .trials = budget,
        .runs = (uint64_t)o->runs,
        .seed = a->seed,
        .points = points_of(a),
        .every_s = o->checkpoint_every};
}

/* A bandit may have something against the dimension, or the budget. */
static tacit_status try_bandit(const tc_contest *a, const tc_bandit *b, const void *opts,
                               tacit_error *err)
{
    tc_bandit_env env = {.dim = tc_family_space(a->family)->dim,
                         .clients = a->agents,
                         .budget = (uint64_t)a->o->pulls,
                         .seed = tc_public_seed_from(a->seed)};
    void *client = tc_alloc(1, b->client_size);
    if (!client)
        return tc_fail_memory(err);
    tacit_status status = b->init(client, &env, opts, err);
    b->fini(client);
    tc_free(client);
    return status;
}

static tacit_status resolve(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    tc_optioned of = tc_optioned_bandit(c->bandit);
    void *opts;
    TC_TRY(tc_optioned_new(&of, c->given, &opts, err));
    tacit_status status = try_bandit(a, c->bandit, opts, err);
    c->options = tc_options_json(of.options, opts);
    tc_optioned_free(&of, opts);
    return status == TACIT_OK && !c->options ? tc_fail_memory(err) : status;
}

tacit_status tc_plan_bandits(tc_contest *a, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    a->objective = o->objective ? o->objective : OBJECTIVE_DEFAULT;
    TC_TRY(check_options(a, err));
    TC_TRY(check_noise(&o->family.objective, err));
    TC_TRY(tc_plan_check_objective(a, err));
    TC_TRY(tc_plan_first(a, err));
    TC_TRY(tc_plan_others(a, err));
    TC_TRY(choose_agents(a, err));
    TC_TRY(check_memory(a, err));
    TC_TRY(tc_family_new(&a->family, a->objective, &o->family, (size_t)a->agents,
                         tc_run_seeds_of(a->seed, 0).objective, err));
    TC_TRY(check_range(a, err));
    note_clipping(a);
    for (size_t i = 0; i < a->n; i++) {
        TC_TRY(resolve(a, &a->contenders[i], err));
        a->contenders[i].sim = runs_of(a, &a->contenders[i]);
    }
    return TACIT_OK;
}
