/* simulate_pulls.c - `tacit simulate --pulls T`: bandits by pulls, one or several on the same runs.
 *
 * Everything that can be wrong is found before the first run, and nothing is written before the
 * last. */
#include "base/memory.h"
#include "sim/pulls.h"
#include "simulate/simulate.h"
#include "simulate/watch.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define BANDIT_DEFAULT    "fed-hct"
#define OBJECTIVE_DEFAULT "garland"

enum { POINTS = 100 };
/* The laws of --noise that there are by pulls, in the order of tc_objective_opts. */
enum { NOISE_NONE = 0, NOISE_UNIFORM = 2 };
/* Optima are known to rounding. */
#define OPTIMUM_SLACK 1e-9

typedef struct contest {
    const tc_simulate_plan *p;
    tc_pull_contender contenders[TC_CONTENDERS_MOST];
    size_t n;
    tc_family *family; /* of the first run */
    uint64_t agents;
    const char *objective;
} contest;

static void contender_fini(tc_pull_contender *c)
{
    tc_free(c->label);
    tc_free(c->checkpoint);
    json_decref(c->given);
    json_decref(c->options);
    tc_curves_fini(&c->result);
}

/* -- what does not go with it -------------------------------------------------------------- */

static tacit_status check_options(const tc_simulate_plan *p, tacit_error *err)
{
    const tc_simulate_opts *o = p->o;
    const struct {
        bool given;
        const char *name;
    } others[] = {{o->trials > 0, "trials"},
                  {o->acting > 0, "acting"},
                  {o->rounds > 0, "rounds"},
                  {o->drop > 0, "drop"},
                  {o->past > 0, "past"},
                  {o->epsilon > 0, "epsilon"},
                  {o->delta > 0, "delta"},
                  {tc_given(p->in, "accountant"), "accountant"},
                  {o->warm != NULL, "warm"},
                  {o->by_agent != NULL, "by-agent"},
                  {tc_given(p->in, "tell"), "tell"},
                  {tc_given(p->in, "value-scale"), "value-scale"},
                  {tc_given(p->in, "value-shift"), "value-shift"},
                  {tc_given(p->in, "value-negate"), "value-negate"},
                  {o->reply != TC_SIMULATE_NO_REPLY, "reply"},
                  {o->reply_epsilon > 0, "reply-epsilon"},
                  {o->reply_bound > 0, "reply-bound"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return tc_fail(err, TACIT_E_ARG, "--%s does not go with --pulls: bandits only pull",
                           others[i].name);
    if (p->doc)
        return tc_fail(err, TACIT_E_ARG,
                       "--pulls takes no study document: say --algorithm, --set and --agents");
    return TACIT_OK;
}

static tacit_status check_noise(const tc_objective_opts *o, tacit_error *err)
{
    if (o->noise != NOISE_NONE && o->noise != NOISE_UNIFORM && o->noise != TC_FAMILY_NOISE_OWN)
        return tc_fail(err, TACIT_E_ARG,
                       "--noise must be uniform or none with --pulls: rewards are bounded");
    if (!(o->noise_scale <= 1))
        return tc_fail_range(err, "--noise-scale", "[0, 1] with --pulls", o->noise_scale);
    return TACIT_OK;
}

/* What is best must be within the range, or regret would mean nothing. */
static tacit_status check_range(const contest *a, tacit_error *err)
{
    double low = a->p->o->reward_low, high = a->p->o->reward_high;
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
static void note_clipping(const contest *a)
{
    enum { TRIED = 1024 };
    const tc_space *space = tc_family_space(a->family);
    double low = a->p->o->reward_low, high = a->p->o->reward_high;
    double slack = OPTIMUM_SLACK * (high - low), u[TC_PARAMS_MAX], values[TC_PARAMS_MAX];
    tc_public_seed seed = tc_public_seed_from(a->p->seed);
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
        tc_note(
            a->p->in->quiet,
            "tacit: warning: %.3g %% of %s lies outside --reward-low %g to --reward-high %g and "
            "is held to it",
            100.0 * outside / TRIED, a->objective, low, high);
}

/* -- who takes part ------------------------------------------------------------------------ */

static tacit_status find_bandit(const char *name, const tc_bandit **out, tacit_error *err)
{
    for (size_t i = 0; tc_bandits()[i]; i++)
        if (strcmp(tc_bandits()[i]->name, name) == 0) {
            *out = tc_bandits()[i];
            return TACIT_OK;
        }
    if (tc_algorithm_find(name))
        return tc_fail(err, TACIT_E_ARG, "--pulls is for bandits, and %s is none", name);
    return tc_bandit_get(out, name, err);
}

/* "pf-pne,gap=0.1": what tells it from others on this command line. */
static tacit_status make_label(tc_pull_contender *c, const tc_invocation *in, tacit_error *err)
{
    tc_text text = {0};
    tc_text_add(&text, c->bandit->name);
    for (size_t i = 0; i < in->n_sets; i++)
        tc_text_addf(&text, ",%s", in->sets[i]);
    c->label = tc_text_take(&text);
    return c->label ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status add_first(contest *a, tacit_error *err)
{
    const tc_simulate_plan *p = a->p;
    tc_pull_contender *c = &a->contenders[0];
    a->n = 1;
    TC_TRY(find_bandit(p->o->algorithm ? p->o->algorithm : BANDIT_DEFAULT, &c->bandit, err));
    c->given = json_object();
    if (!c->given)
        return tc_fail_memory(err);
    tc_optioned of = tc_optioned_bandit(c->bandit);
    TC_TRY(tc_simulate_take_words(&of, c->given, p->in->n_sets, p->in->sets, err));
    return make_label(c, p->in, err);
}

/* Of the first's own bandit, what an item does not say is as in the first. */
static tacit_status add_item(void *user, const char *label, tc_versus_item *it, tacit_error *err)
{
    contest *a = user;
    const tc_pull_contender *first = &a->contenders[0];
    tc_pull_contender *c = &a->contenders[a->n++];
    TC_TRY(find_bandit(it->name, &c->bandit, err));
    c->label = tc_strdup(label);
    c->given = c->bandit == first->bandit ? json_deep_copy(first->given) : json_object();
    if (!c->label || !c->given)
        return tc_fail_memory(err);
    tc_optioned of = tc_optioned_bandit(c->bandit);
    return tc_simulate_take_words(&of, c->given, it->n, it->words, err);
}

static tacit_status choose_agents(contest *a, tacit_error *err)
{
    a->agents = (uint64_t)a->p->o->agents;
    for (size_t i = 0; i < a->n && a->agents == 0; i++)
        if (a->contenders[i].bandit->publish)
            return tc_fail(err, TACIT_E_ARG,
                           "%s is for a federation of agents: say of how many with --agents",
                           a->contenders[i].bandit->name);
    if (a->agents == 0)
        a->agents = 1;
    return TACIT_OK;
}

static size_t points_of(const contest *a)
{
    return a->p->o->pulls < POINTS ? (size_t)a->p->o->pulls : POINTS;
}

/* Runs that are in memory together. */
static double runs_at_once(const contest *a)
{
    return fmin((double)a->p->o->runs, (double)tc_pool_threads(a->p->pool));
}

/* So many agents that even what is kept of each has no room: better said than tried. */
static tacit_status check_memory(const contest *a, tacit_error *err)
{
    double has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double runs = runs_at_once(a);
    for (size_t i = 0; i < a->n; i++) {
        const tc_bandit *b = a->contenders[i].bandit;
        double needs = runs * tc_pulls_least_bytes(b, a->agents, points_of(a));
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

static tc_simulation runs_of(const contest *a, const tc_pull_contender *c)
{
    const tc_simulate_opts *o = a->p->o;
    uint64_t budget = (uint64_t)o->pulls;
    return (tc_simulation){
        .source = &tc_source_pulls,
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
        .seed = a->p->seed,
        .points = points_of(a),
        .checkpoint = c->checkpoint,
        .every_s = o->checkpoint_every,
        .pool = a->p->pool};
}

/* A bandit may have something against the dimension, or the budget. */
static tacit_status try_bandit(const contest *a, const tc_bandit *b, const void *opts,
                               tacit_error *err)
{
    tc_bandit_env env = {.dim = tc_family_space(a->family)->dim,
                         .clients = a->agents,
                         .budget = (uint64_t)a->p->o->pulls,
                         .seed = tc_public_seed_from(a->p->seed)};
    void *client = tc_alloc(1, b->client_size);
    if (!client)
        return tc_fail_memory(err);
    tacit_status status = b->init(client, &env, opts, err);
    b->fini(client);
    tc_free(client);
    return status;
}

static tacit_status settle(const contest *a, tc_pull_contender *c, tacit_error *err)
{
    tc_optioned of = tc_optioned_bandit(c->bandit);
    void *opts;
    TC_TRY(tc_optioned_new(&of, c->given, &opts, err));
    tacit_status status = try_bandit(a, c->bandit, opts, err);
    c->options = tc_options_json(of.options, opts);
    tc_optioned_free(&of, opts);
    return status == TACIT_OK && !c->options ? tc_fail_memory(err) : status;
}

static tacit_status prepare(contest *a, size_t i, tacit_error *err)
{
    tc_pull_contender *c = &a->contenders[i];
    TC_TRY(settle(a, c, err));
    TC_TRY(tc_simulate_checkpoint(a->p->o->checkpoint, i, &c->checkpoint, err));
    c->p = runs_of(a, c);
    return TACIT_OK;
}

static tacit_status prepare_all(contest *a, tacit_error *err)
{
    const tc_simulate_plan *p = a->p;
    a->objective = p->o->objective ? p->o->objective : OBJECTIVE_DEFAULT;
    TC_TRY(check_options(p, err));
    TC_TRY(check_noise(&p->o->family.objective, err));
    TC_TRY(tc_simulate_check_objective(p, a->objective, err));
    TC_TRY(add_first(a, err));
    if (p->o->versus)
        TC_TRY(tc_versus_each(p->o->versus, TC_CONTENDERS_MOST - 1, add_item, a, err));
    TC_TRY(choose_agents(a, err));
    TC_TRY(check_memory(a, err));
    TC_TRY(tc_family_new(&a->family, a->objective, &p->o->family, (size_t)a->agents,
                         tc_run_seeds_of(p->seed, 0).objective, err));
    TC_TRY(check_range(a, err));
    note_clipping(a);
    for (size_t i = 0; i < a->n; i++)
        TC_TRY(prepare(a, i, err));
    return TACIT_OK;
}

/* -- the runs ------------------------------------------------------------------------------ */

static tacit_status interrupted(const char *checkpoint, tacit_error *err)
{
    if (checkpoint)
        return tc_fail(err, TACIT_E_CANCELLED,
                       "interrupted; finished runs are in %s, and the same command goes on there",
                       checkpoint);
    return tc_fail(err, TACIT_E_CANCELLED,
                   "interrupted; with --checkpoint FILE the same command would go on where it "
                   "stopped");
}

static tacit_status run_one(const contest *a, tc_pull_contender *c, tacit_error *err)
{
    char label[64];
    snprintf(label, sizeof label, "%.40s on %.16s", c->label, a->objective);
    tacit_status status = tc_watch_simulation(&c->p, label, a->p->in->quiet, &c->result, err);
    if (status == TACIT_E_CANCELLED)
        return interrupted(a->p->o->checkpoint, err);
    return status;
}

static tacit_status run_all(contest *a, tacit_error *err)
{
    TC_TRY(prepare_all(a, err));
    for (size_t i = 0; i < a->n; i++)
        TC_TRY(run_one(a, &a->contenders[i], err));
    return tc_simulate_pulls_report(a->contenders, a->n, a->p, err);
}

tacit_status tc_simulate_pulls(const tc_simulate_plan *p, tacit_error *err)
{
    contest *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    a->p = p;
    tacit_status status = run_all(a, err);
    for (size_t i = 0; i < a->n; i++)
        contender_fini(&a->contenders[i]);
    tc_family_free(a->family);
    tc_free(a);
    return status;
}
