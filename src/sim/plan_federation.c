/* plan_federation.c - a plan for a federation: one algorithm, or several on the same
 * runs.
 *
 * Everything that can be wrong is found before the first run, and nothing is written before the
 * last. */
#include "algo/charge.h"
#include "algo/expect.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/plan.h"
#include "study/trustees_plan.h"

#include <math.h>
#include <string.h>

#define OBJECTIVE_DEFAULT "gp-family"

enum { ROUNDS_DEFAULT = 40, INITIAL_DEFAULT = 10 };

/* -- who takes part ------------------------------------------------------------------------ */

static bool sets(const tc_contest *a, const char *option)
{
    size_t len = strlen(option);
    for (size_t i = 0; i < a->o->n_sets; i++)
        if (strncmp(a->o->sets[i], option, len) == 0 && a->o->sets[i][len] == '=')
            return true;
    return false;
}

static tacit_status no_promise(const tc_contender *c, tacit_error *err)
{
    return tc_fail(err, TACIT_E_ARG, "the algorithm %s promises nothing; use dp-fts-de",
                   c->algorithm->name);
}

/* Noise follows from a promise. --set noise_multiplier replaces the promise of a document; a multiplier of the vote alone
 * does not, so it contradicts that one too. */
static tacit_status check_noise(const tc_contender *c, const tc_contest *a, tacit_error *err)
{
    const char *option = a->o->epsilon > 0 && sets(a, "noise_multiplier") ? "noise_multiplier"
                         : c->epsilon > 0 && sets(a, "vote_multiplier")   ? "vote_multiplier"
                                                                          : NULL;
    if (!option)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "%s and --set %s must not both be given: the one follows from the other",
                   a->o->epsilon > 0 ? "--epsilon" : "privacy.epsilon", option);
}

/* The document's promise, as far as the command line makes none. */
static tacit_status take_promise(tc_contender *c, const tc_contest *a, tacit_error *err)
{
    const tc_study_doc *d = a->doc && a->doc->algorithm == c->algorithm ? a->doc : NULL;
    bool open = a->o->epsilon == 0 && !sets(a, "noise_multiplier");
    c->records = a->o->unit == TACIT_PLAN_UNIT_RECORD;
    if (c->records)
        return TACIT_OK;
    c->epsilon = open && d ? d->epsilon : a->o->epsilon;
    c->delta = a->o->delta == 0 && d ? d->delta : a->o->delta;
    TC_TRY(check_noise(c, a, err));
    if (c->epsilon > 0)
        tc_contender_drop_noise(c);
    if (!open || !d || (d->promise != TC_PROMISE_NONE && d->promise != TC_PROMISE_NOISE))
        return TACIT_OK;
    if (!tc_options_find(c->algorithm->options, "noise_multiplier")) /* nothing to set */
        return d->promise == TC_PROMISE_NONE ? TACIT_OK : no_promise(c, err);
    if (json_object_set_new(c->given, "noise_multiplier", json_real(d->noise_multiplier)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

bool tc_plan_takes_trustees(const tc_algorithm *a)
{
    return a->aggregator && a->aggregator->shared;
}

tc_trustees tc_plan_trustees(const tc_contest *a)
{
    if (a->o && a->o->trustees > 0)
        return tc_trustees_usual((uint32_t)a->o->trustees);
    return a->doc ? a->doc->trustees : (tc_trustees){0};
}

static tacit_status check_trustees(const tc_contest *a, tacit_error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->o->trustees == 0 || tc_plan_takes_trustees(a->contenders[i].algorithm))
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--trustees is for algorithms that release sums with noise (" TC_PLAN_CHARGING
                   "), and %s is none of them",
                   a->contenders[0].algorithm->name);
}

/* -- how large ----------------------------------------------------------------------------- */

static tacit_status choose_agents(tc_contest *a, tacit_error *err)
{
    a->agents = a->o->agents > 0 ? (uint64_t)a->o->agents : a->doc ? a->doc->agents : 0;
    for (size_t i = 0; i < a->n && a->agents == 0; i++)
        if (tc_algorithm_federated(a->contenders[i].algorithm))
            return tc_fail(err, TACIT_E_ARG,
                           "algorithm %s is for a federation of agents: say of how many with "
                           "--agents",
                           a->contenders[i].algorithm->name);
    if (a->agents == 0)
        a->agents = 1;
    if (a->o->trials > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--trials is for one party; a federation has --rounds, which come after "
                       "the initial points");
    return TACIT_OK;
}

/* Does a document say how many trials there are? */
static bool is_planned(const tc_contest *a)
{
    return a->o->rounds == 0 && a->doc;
}

/* The whole-number option that says how many points an agent begins with; NULL: none. */
static const tc_option *initial_option(const tc_algorithm *a)
{
    const tc_option *o = tc_options_find(a->options, "initial");
    if (!o)
        o = tc_options_find(a->options, "init");
    return o && o->type == TC_OPTION_INT ? o : NULL;
}

/* By default all contenders start with as many points as the first, which uses its own number or
 * ten: curves are compared after equal numbers of trials. */
static tacit_status choose_initial(tc_contender *c, const tc_contender *first, tacit_error *err)
{
    const tc_option *o = initial_option(c->algorithm);
    uint64_t own = 0, n = INITIAL_DEFAULT;
    if (o && json_object_get(c->given, o->name))
        return TACIT_OK;
    if (c != first)
        TC_TRY(tc_simulation_initial(&first->sim, &n, err));
    else
        TC_TRY(tc_simulation_initial(&c->sim, &own, err));
    if (own > 0)
        return TACIT_OK;
    if (!o)
        c->sim.initial = n;
    else if (json_object_set_new(c->given, o->name, json_integer((json_int_t)n)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* The first contender's own choice of initial points. A document has so many trials in all; else so many rounds
 * come after the initial points. */
static tacit_status begin_first(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    uint64_t initial = 0;
    json_t *options;
    if (!c->algorithm->begin || !initial_option(c->algorithm))
        return TACIT_OK;
    if (!is_planned(a)) {
        TC_TRY(tc_simulation_begin(&c->sim, &initial, err));
    } else {
        const tc_env env = {.agents = a->agents, .trustees = c->trustees, .budget = a->doc->trials};
        TC_TRY(tc_options_begun(c->algorithm, c->given, &env, &options, err));
        initial = (uint64_t)json_integer_value(json_object_get(options, "initial"));
        json_decref(options);
    }
    if (json_object_set_new(c->given, "initial", json_integer((json_int_t)initial)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* Known trials stand for initial points, so that rounds, t and what is promised count from the first
 * query: what agents knew before is released once, not once for every trial. */
static tacit_status begin_warm(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    const tc_option *o = tc_options_find(c->algorithm->options, "initial");
    json_int_t known = (json_int_t)(a->n_known / a->agents);
    json_t *options;
    if (known == 0 || !o || o->type != TC_OPTION_INT)
        return TACIT_OK;
    TC_TRY(tc_simulation_options(&c->sim, &options, err));
    json_int_t initial = json_integer_value(json_object_get(options, "initial"));
    json_decref(options);
    bool open = initial < 0; /* as many as the first contender has, and that one was here before */
    if (!open && initial < known &&
        json_object_set_new(c->given, "initial", json_integer(known)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* The option by which agents of a federated algorithm are told the length-scale; NULL: none. */
static const tc_option *lengthscale_option(const tc_algorithm *a)
{
    return tc_algorithm_federated(a) ? tc_options_find(a->options, "lengthscale") : NULL;
}

/* --tell constants: agents that share features get the length-scale of the objective as their public
 * guess, held to the range of the option. A length-scale that is given wins. */
static tacit_status tell_lengthscale(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    const tc_option *o = lengthscale_option(c->algorithm);
    if (a->o->tell != TC_PLAN_TELL_CONSTANTS || !o || json_object_get(c->given, o->name))
        return TACIT_OK;
    double known = tc_family_lengthscale(a->objective, &a->o->family);
    double least = fmax(o->min, 1e-3); /* an option's 0 leaves the length-scale open */
    double told = fmin(fmax(known, least), o->max);
    if (json_object_set_new(c->given, o->name, json_real(told)) != 0)
        return tc_fail_memory(err);
    return TACIT_OK;
}

static tacit_status choose_rounds(const tc_contest *a, uint64_t initial, uint64_t *out,
                                  tacit_error *err)
{
    if (is_planned(a) && a->doc->trials <= initial)
        return tc_fail(err, TACIT_E_ARG,
                       "the document has %llu trials, and agents begin with %llu initial points: "
                       "no round is left; say --rounds, or fewer points",
                       (unsigned long long)a->doc->trials, (unsigned long long)initial);
    if (is_planned(a))
        *out = a->doc->trials - initial;
    return TACIT_OK;
}

/* As many as there are is as good as not said: it is the same simulation. */
static uint64_t acting_of(const tc_contest *a)
{
    uint64_t acting = (uint64_t)a->o->acting;
    return acting < a->agents ? acting : 0;
}

static tc_simulation federated_of(const tc_contest *a, const tc_contender *c)
{
    return (tc_simulation){.source = &tc_source_federation,
                           .algorithm = c->algorithm,
                           .options = c->given,
                           .objective = a->objective,
                           .family = a->o->family,
                           .units = a->o->units,
                           .agents = a->agents,
                           .trials = a->o->rounds > 0 ? (uint64_t)a->o->rounds : ROUNDS_DEFAULT,
                           .runs = (uint64_t)a->o->runs,
                           .seed = a->seed,
                           .drop = a->o->drop,
                           .trustees = c->trustees,
                           .past = c->algorithm->relay ? (uint64_t)a->o->past : 0,
                           .acting = acting_of(a),
                           .paired = true,
                           .known = a->known,
                           .n_known = a->n_known,
                           .by_agent = a->o->by_agent};
}

/* -- what is promised ---------------------------------------------------------------------- */

const tc_accountant *tc_plan_accountant(const tc_contest *a)
{
    static const tc_accountant *const by_option[] = {
        &tc_accountant_pld, &tc_accountant_rdp, &tc_accountant_moments, &tc_accountant_gaussian};
    return by_option[a->o->accountant];
}

/* One event suffices: rounds differ in their weights, not in their mechanism. */
static tacit_status check_accountant(const tc_contest *a, const tc_contender *c, const tc_env *env,
                                     const void *opts, tacit_error *err)
{
    tc_round_price price;
    tacit_guarantee bound;
    if (!c->algorithm->aggregator)
        return TACIT_OK;
    TC_TRY(tc_round_price_of(c->algorithm, env, opts, 0, &price, err));
    return tc_ledger_cost(tc_plan_accountant(a), &price.event, 1, 0, c->delta, &bound, err);
}

static tacit_status find_largest(tc_contender *c, const tc_env *env, const void *opts,
                                 tacit_error *err)
{
    if (c->trustees.count == 0)
        return TACIT_OK;
    TC_TRY(tc_trustees_largest_round(c->algorithm, env, opts, &c->largest, err));
    c->terms = tc_trustees_json(&c->trustees, &c->largest);
    return c->terms ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status find_expectation(tc_contender *c, const tc_env *env, const void *opts,
                                     tacit_error *err)
{
    tc_expect e;
    bool known;
    TC_TRY(tc_expect_find(c->algorithm, env, opts, &e, &known, err));
    if (!known)
        return TACIT_OK;
    c->expect = tc_expect_json(&e, env->agents, c->epsilon);
    return c->expect ? TACIT_OK : tc_fail_memory(err);
}

/* What a report says about the options; it comes last, for they are as they run no more. */
static tacit_status describe(tc_contender *c, const tc_env *env, void *opts, tacit_error *err)
{
    tc_text theorem = {0};
    if (c->algorithm->theorem)
        c->algorithm->theorem(env, opts, c->sim.trials, &theorem);
    c->theorem = tc_text_take(&theorem);
    TC_TRY(find_expectation(c, env, opts, err));
    if (c->algorithm->resolve_defaults)
        TC_TRY(c->algorithm->resolve_defaults(env, opts, err));
    c->shown = tc_options_json(c->algorithm->options, opts);
    return c->theorem && c->shown ? TACIT_OK : tc_fail_memory(err);
}

/* Noise and releases for the promise go into opts, and from there into all that is run and shown. */
static tacit_status resolve(const tc_contest *a, tc_contender *c, void *opts, tacit_error *err)
{
    uint64_t initial;
    TC_TRY(tc_simulation_initial(&c->sim, &initial, err));
    tc_env env = {.space = tc_family_space(a->family),
                  .agents = a->agents,
                  .trustees = c->trustees,
                  .budget = initial + c->sim.trials};
    if (c->epsilon > 0 && !c->algorithm->promise)
        return no_promise(c, err);
    if (c->algorithm->begin)
        c->algorithm->begin(&env, opts);
    if (c->epsilon > 0)
        TC_TRY(c->algorithm->promise(&env, opts, c->epsilon, c->delta, err));
    TC_TRY(check_accountant(a, c, &env, opts, err));
    TC_TRY(find_largest(c, &env, opts, err));
    c->options = tc_options_json(c->algorithm->options, opts);
    return c->options ? describe(c, &env, opts, err) : tc_fail_memory(err);
}

static tacit_status resolve_options(const tc_contest *a, tc_contender *c, tacit_error *err)
{
    tc_optioned of = tc_optioned_algorithm(c->algorithm);
    void *opts;
    TC_TRY(tc_optioned_new(&of, c->given, &opts, err));
    tacit_status status = resolve(a, c, opts, err);
    tc_optioned_free(&of, opts);
    c->sim.options = c->options;
    c->sim.epsilon = c->epsilon;
    c->sim.delta = c->epsilon > 0 ? c->delta : 0;
    return status;
}

/* The delta to use; one above 1/N^2 is told of, once. */
static tacit_status choose_delta(const tc_contest *a, tc_contender *c, bool quiet, tacit_error *err)
{
    double n = (double)a->agents;
    c->delta = c->delta > 0 ? c->delta : tacit_delta_default(a->agents);
    TC_TRY(tacit_delta_check("delta", c->delta, a->agents, err));
    if (tacit_delta_is_large(c->delta, a->agents) && !quiet)
        tc_plan_note(a, "tacit: warning: delta %g is above 1/N^2 = %g for %llu agents", c->delta,
                     1 / (n * n), (unsigned long long)a->agents);
    return TACIT_OK;
}

static tacit_status prepare(tc_contest *a, size_t i, tacit_error *err)
{
    tc_contender *c = &a->contenders[i], *first = &a->contenders[0];
    uint64_t initial;
    TC_TRY(choose_delta(a, c, i > 0 && c->delta == first->delta, err));
    c->sim = federated_of(a, c);
    TC_TRY(tell_lengthscale(a, c, err));
    TC_TRY(tc_plan_records_options(c, err));
    if (i == 0)
        TC_TRY(begin_first(a, c, err));
    TC_TRY(begin_warm(a, c, err));
    TC_TRY(choose_initial(c, first, err));
    TC_TRY(tc_simulation_initial(&c->sim, &initial, err));
    c->sim.trials = first->sim.trials;
    if (i == 0)
        TC_TRY(choose_rounds(a, initial, &c->sim.trials, err));
    TC_TRY(
        tc_plan_records_noise(a, c, tc_family_maximize(a->family), initial + c->sim.trials, err));
    return resolve_options(a, c, err);
}

static tacit_status check_past(const tc_contest *a, tacit_error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->o->past == 0 || a->contenders[i].algorithm->relay)
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--past is for algorithms that hand messages on (fts, rgpe, taf), and %s is "
                   "none of them",
                   a->contenders[0].algorithm->name);
}

/* Agents of a relay read messages of all others, which only the past makes without them. */
static tacit_status check_acting(const tc_contest *a, tacit_error *err)
{
    if ((uint64_t)a->o->acting > a->agents)
        return tc_fail(err, TACIT_E_ARG,
                       "--acting must be at most --agents, which is %llu, not %lld",
                       (unsigned long long)a->agents, (long long)a->o->acting);
    for (size_t i = 0; i < a->n; i++)
        if (acting_of(a) > 0 && a->contenders[i].algorithm->relay && a->o->past == 0)
            return tc_fail(err, TACIT_E_ARG,
                           "--acting does not go with %s, whose agents read messages of all "
                           "others, unless these come from earlier studies: --past N",
                           a->contenders[i].algorithm->name);
    return TACIT_OK;
}

static tacit_status check_drop(const tc_contest *a, tacit_error *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->o->drop == 0 || tc_algorithm_federated(a->contenders[i].algorithm))
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--drop is for algorithms whose agents send messages, and %s is none of them",
                   a->contenders[0].algorithm->name);
}

/* --tell constants needs something to tell, and somebody who can be told. */
static tacit_status check_tell(const tc_contest *a, tacit_error *err)
{
    if (a->o->tell != TC_PLAN_TELL_CONSTANTS)
        return TACIT_OK;
    if (tc_family_lengthscale(a->objective, &a->o->family) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--tell constants is for objectives that are drawn with a length-scale "
                       "(gp-family, gp-sample, rkhs-*), not for %s",
                       a->objective);
    for (size_t i = 0; i < a->n; i++)
        if (lengthscale_option(a->contenders[i].algorithm))
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--tell constants is for algorithms whose agents share features (fts, "
                   "dp-fts-de, rgpe, taf), and %s is none of them",
                   a->contenders[0].algorithm->name);
}

static size_t parameters_of(const tc_space *space)
{
    return space->domain ? space->domain->dim : space->n_params;
}

/* The space of a document is not used, which surprises where the objective could have as many dimensions. */
static void note_dim(const tc_contest *a)
{
    const size_t said = a->doc ? parameters_of(a->doc->space) : 0;
    if (said == 0 || a->dim == 0 || said == a->dim || tc_plan_given(a, "dim"))
        return;
    tc_plan_note(
        a,
        "tacit: the document has %zu parameter%s and the objective %s has %zu; --dim %zu gives "
        "it as many",
        said, said == 1 ? "" : "s", a->objective, a->dim, said);
}

tacit_status tc_plan_federation(tc_contest *a, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    a->objective = o->objective ? o->objective : OBJECTIVE_DEFAULT;
    if (o->reply != TC_PLAN_NO_REPLY || o->reply_epsilon > 0 || o->reply_bound > 0)
        return tc_fail(err, TACIT_E_ARG, "--reply is for one party, and this is a federation");
    TC_TRY(tc_plan_first(a, err));
    TC_TRY(take_promise(&a->contenders[0], a, err));
    if (tc_plan_takes_trustees(a->algorithm))
        a->contenders[0].trustees = tc_plan_trustees(a);
    TC_TRY(tc_plan_others(a, err));
    TC_TRY(check_past(a, err));
    TC_TRY(check_drop(a, err));
    TC_TRY(check_trustees(a, err));
    TC_TRY(tc_plan_check_promise(a, err));
    TC_TRY(tc_plan_check_objective(a, err));
    TC_TRY(choose_agents(a, err));
    TC_TRY(check_acting(a, err));
    TC_TRY(
        tc_family_new(&a->family, a->objective, &o->family, 1, tc_public_seed_from(a->seed), err));
    TC_TRY(check_tell(a, err));
    TC_TRY(tc_family_used(a->objective, &o->family, tc_family_space(a->family),
                          &a->objective_options, err));
    a->dim = tc_family_any_dim(a->family) ? parameters_of(tc_family_space(a->family)) : 0;
    if (o->known)
        TC_TRY(
            o->known(o->user, tc_family_space(a->family), a->agents, &a->known, &a->n_known, err));
    for (size_t i = 0; i < a->n; i++)
        TC_TRY(prepare(a, i, err));
    note_dim(a);
    return TACIT_OK;
}
